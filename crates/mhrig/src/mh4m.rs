//! Finds an installation of MetaHuman for Maya (MH4M), and what of it an assembly needs. It is read where it is; nothing of it
//! is copied.
//!
//! An installation has a manifest per platform and year of Maya, `env/<platform>-<year>.json`, which says in which folders below
//! `lib/` its components are. Their names carry versions and hashes, so no such path is ever made by hand. Along the
//! manifest's `PYTHONPATH` lie three resources for one rig, and each has an assemble script of its own: only that of the
//! character assembler places the controls and connects them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use mhrig_report::{Finding, Job, Refused, Severity};
use mhrig_scene::created_nodes;
use serde::Serialize;

use crate::report::Stop;

/// Folder of the resources with the assemble script to use, below an entry of `PYTHONPATH`.
const ASSEMBLER: &str = "mh_character_assembler/assets";
/// Its script places controls and connects nothing.
const ASSEMBLE_LIB: &str = "mh_assemble_lib/resources";
/// Its script belongs to the editor's scene and takes two arguments.
const EDITOR: &str = "mh_expression_editor/res";
/// Folder of the editor's scenes below its folder for a rig.
const EDITOR_SCENES: &str = "rig_editing";
/// Names of the assemble script; releases differ.
const SCRIPTS: [&str; 2] = ["additional_assemble_script.py", "ass_json.py"];
/// The scene of the face board.
const GUI: &str = "gui.ma";
/// The scene of the eye aims.
const ANALOG_GUI: &str = "analog_gui.ma";

/// The longest manifest that is read, bytes.
const LONGEST_MANIFEST: u64 = 1 << 22;
/// The most folders below one folder that are looked into.
const MOST_FOLDERS: usize = 256;
/// The most places that one finding lists.
const LISTED: usize = 20;

/// Where an installation may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mh4mCandidate {
    /// Who says so: a flag, a variable, a module.
    pub origin: String,
    /// The folder with `env` and `lib`.
    pub root: PathBuf,
}

/// Where to look for an installation, and for which Maya.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mh4mSearch {
    /// The first one that has everything is taken.
    pub candidates: Vec<Mh4mCandidate>,
    /// The year of Maya.
    pub year: u16,
}

/// What an assembly takes from an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mh4mResources {
    /// The installation's folder.
    pub root: PathBuf,
    /// The manifest that was followed.
    pub manifest: PathBuf,
    /// The scene of the face board.
    pub gui: PathBuf,
    /// The scene of the eye aims, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analog_gui: Option<PathBuf>,
    /// The assemble script.
    pub script: PathBuf,
    /// Folders that Python has to know for the script.
    #[serde(skip)]
    pub python_path: Vec<PathBuf>,
    /// Names of the transforms and joints that the two scenes make.
    #[serde(skip)]
    pub nodes: Vec<String>,
}

/// Finds the first candidate that has what the rig `db_name` needs. Candidates that were passed over are warnings.
pub(crate) fn find_mh4m(
    search: &Mh4mSearch,
    db_name: &str,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<Mh4mResources, Stop> {
    if !is_folder_name(db_name) {
        let message = format!("the head's rig is called {db_name:?}, which names no folder");
        let remedy = "use a head whose DNA names its rig, or the face board of our own";
        return Err(error("MH4M_RIG", "DNA", message, remedy).into());
    }
    let mut problems = Vec::new();
    for candidate in &search.candidates {
        job.check()?;
        match look(candidate, search.year, db_name) {
            Ok(mut found) => {
                findings.extend(problems.into_iter().map(as_warning));
                found.nodes = nodes_of(&found, job)?;
                return Ok(found);
            }
            Err(found) => problems.push(found),
        }
    }
    if problems.is_empty() {
        let message = "nothing says where MetaHuman for Maya is installed";
        problems.push(error("MH4M_MISSING", "MetaHuman for Maya", message, REMEDY));
    }
    Err(Stop::Refused(Refused { findings: problems }))
}

const REMEDY: &str =
    "name the folder that holds its env and lib, set MHRIG_MH4M to it, or use the face board of our own";

fn error(code: &'static str, place: impl Into<String>, message: impl Into<String>, remedy: &str) -> Finding {
    Finding::new(code, Severity::Error, place, message, remedy)
}

fn as_warning(finding: Finding) -> Finding {
    let message = format!("{}; another installation is used", finding.message);
    Finding { severity: Severity::Warning, message, ..finding }
}

/// A name from a file, as one step of a path.
fn is_folder_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ' ');
    !name.trim().is_empty() && name.chars().all(is_plain) && !name.starts_with('.') && !name.contains("..")
}

/// What one candidate has, or the first thing that it lacks.
fn look(candidate: &Mh4mCandidate, year: u16, db_name: &str) -> Result<Mh4mResources, Finding> {
    let root = root_of(candidate)?;
    let manifest = manifest_of(&root, year)?;
    let entries = read_manifest(&manifest)?;
    let python_path = folders(&root, &entries, "PYTHONPATH");
    if python_path.is_empty() {
        let message = "the manifest names no folder of PYTHONPATH, so no component can be found";
        return Err(error("MH4M_MANIFEST", manifest.display().to_string(), message, "install it again"));
    }
    let script = script(&root, &python_path, db_name)?;
    let places = [
        format!("{ASSEMBLER}/{db_name}"),
        format!("{ASSEMBLE_LIB}/{db_name}"),
        format!("{EDITOR}/{db_name}/{EDITOR_SCENES}"),
    ];
    let gui = scene(&python_path, &places, GUI).map_err(|tried| {
        let message = format!("it has no {GUI} for the rig {db_name}; looked at {}", listed(&tried));
        error("MH4M_BOARD_MISSING", root.display().to_string(), message, REMEDY)
    })?;
    let analog_gui = scene(&python_path, &places, ANALOG_GUI).ok();
    Ok(Mh4mResources { root, manifest, gui, analog_gui, script, python_path, nodes: Vec::new() })
}

/// The folder with `env`: the one that was named, or the module's folder in it.
fn root_of(candidate: &Mh4mCandidate) -> Result<PathBuf, Finding> {
    let given = &candidate.root;
    let module = given.join("MetaHumanForMaya");
    for root in [given, &module] {
        if root.join("env").is_dir() {
            return Ok(root.clone());
        }
    }
    let message = format!("there is no folder env (by {})", candidate.origin);
    let place = given.display().to_string();
    Err(error("MH4M_MISSING", place, message, REMEDY).with_values("env/<platform>-<year>.json", "nothing"))
}

/// The manifest of a year: this platform's where there are several.
fn manifest_of(root: &Path, year: u16) -> Result<PathBuf, Finding> {
    let folder = root.join("env");
    let mut there: Vec<String> =
        names_in(&folder).into_iter().filter(|name| name.ends_with(".json")).collect();
    there.sort();
    let suffix = format!("-{year}.json");
    let of_year = || there.iter().filter(|name| name.ends_with(&suffix));
    let own = of_year().find(|name| PLATFORM.iter().any(|tag| name.starts_with(tag)));
    if let Some(name) = own.or_else(|| of_year().next()) {
        return Ok(folder.join(name));
    }
    let found = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    let message = format!("there is no manifest for Maya {year}");
    let remedy = "use a Maya that it supports, or install the release for this one";
    let place = folder.display().to_string();
    Err(error("MH4M_MANIFEST", place, message, remedy).with_values(format!("<platform>{suffix}"), found))
}

/// How names of manifests of this platform begin.
const PLATFORM: &[&str] = if cfg!(windows) {
    &["win"]
} else if cfg!(target_os = "macos") {
    &["mac", "osx", "darwin"]
} else {
    &["lin"]
};

fn read_manifest(file: &Path) -> Result<BTreeMap<String, Vec<String>>, Finding> {
    let refused = |place: String, message: String| {
        error("MH4M_MANIFEST", place, message, "install MetaHuman for Maya again, or mend the file")
    };
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|input| input.take(LONGEST_MANIFEST + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        return Err(refused(file.display().to_string(), format!("cannot be read: {error}")));
    }
    if bytes.len() as u64 > LONGEST_MANIFEST {
        return Err(refused(file.display().to_string(), "is too long for a manifest".to_owned()));
    }
    parse_manifest(&bytes).map_err(|bad| {
        let place = match bad.line {
            0 => file.display().to_string(),
            line => format!("{}: line {line}", file.display()),
        };
        refused(place, bad.message)
    })
}

/// Why a manifest cannot be understood.
#[derive(Debug)]
struct BadManifest {
    /// 0: the whole of it.
    line: usize,
    message: String,
}

/// Lists of folders by the name of a variable. One text stands for a list of one; what is neither is passed over.
fn parse_manifest(bytes: &[u8]) -> Result<BTreeMap<String, Vec<String>>, BadManifest> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: serde_json::Value = serde_json::from_slice(bytes).map_err(|error| BadManifest {
        line: error.line(),
        message: format!("cannot be understood: {error}"),
    })?;
    let serde_json::Value::Object(entries) = value else {
        return Err(BadManifest { line: 0, message: "is not an object of JSON".to_owned() });
    };
    let folders = |value| match value {
        serde_json::Value::String(text) => text.split(';').map(str::to_owned).collect(),
        serde_json::Value::Array(items) => {
            items.iter().filter_map(|item| item.as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    Ok(entries.into_iter().map(|(name, value)| (name, folders(value))).collect())
}

/// The folders of a variable, which are relative to `lib`.
fn folders(root: &Path, entries: &BTreeMap<String, Vec<String>>, name: &str) -> Vec<PathBuf> {
    let lib = root.join("lib");
    let named = entries.get(name).map(Vec::as_slice).unwrap_or_default();
    let kept =
        named.iter().map(|entry| entry.trim()).filter(|entry| !entry.is_empty() && !entry.contains('\0'));
    kept.map(|entry| lib.join(entry.replace('\\', "/"))).collect()
}

/// The script of the character assembler. The other two are named when it is missing, but not taken.
fn script(root: &Path, python_path: &[PathBuf], db_name: &str) -> Result<PathBuf, Finding> {
    let candidates = |folder: &str| -> Vec<PathBuf> {
        let of_entry = |entry: &PathBuf| SCRIPTS.map(|name| entry.join(folder).join(db_name).join(name));
        python_path.iter().flat_map(of_entry).collect()
    };
    let tried = candidates(ASSEMBLER);
    if let Some(script) = tried.iter().find(|file| file.is_file()) {
        return Ok(script.clone());
    }
    let mut message =
        format!("it has no assemble script for the rig {db_name}; looked at {}", listed(&tried));
    let editor = format!("{db_name}/{EDITOR_SCENES}");
    let of_editor =
        python_path.iter().flat_map(|entry| SCRIPTS.map(|name| entry.join(EDITOR).join(&editor).join(name)));
    let others = candidates(ASSEMBLE_LIB).into_iter().chain(of_editor).filter(|file| file.is_file());
    for other in others {
        message += &format!("; {} connects nothing of an assembled rig and is not called", other.display());
    }
    Err(error("MH4M_SCRIPT_MISSING", root.display().to_string(), message, REMEDY))
}

/// The first file `name` in the places of the folders, or one folder below; else all that were looked at.
fn scene(python_path: &[PathBuf], places: &[String], name: &str) -> Result<PathBuf, Vec<PathBuf>> {
    let mut tried = Vec::new();
    for place in places {
        for entry in python_path {
            let folder = entry.join(place);
            let mut below: Vec<String> = names_in(&folder);
            below.sort();
            let below = below.into_iter().map(|name| folder.join(name)).filter(|path| path.is_dir());
            let folders: Vec<PathBuf> = std::iter::once(folder.clone()).chain(below).collect();
            for folder in folders {
                let file = folder.join(name);
                if file.is_file() {
                    return Ok(file);
                }
                tried.push(file);
            }
        }
    }
    Err(tried)
}

/// Names of what is in a folder; nothing where it cannot be read.
fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.take(MOST_FOLDERS).collect()
}

fn listed(paths: &[PathBuf]) -> String {
    let mut text =
        paths.iter().take(LISTED).map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    if paths.len() > LISTED {
        text += &format!(" and {} more", paths.len() - LISTED);
    }
    text
}

/// Transforms and joints of both scenes.
fn nodes_of(found: &Mh4mResources, job: Job<'_>) -> Result<Vec<String>, Stop> {
    let mut names = Vec::new();
    for file in std::iter::once(&found.gui).chain(&found.analog_gui) {
        let nodes = created_nodes(file, job).map_err(|error| match error {
            mhrig_scene::SceneError::Cancelled(cancelled) => Stop::Cancelled(cancelled),
            error => error.to_finding().into(),
        })?;
        let is_named = |kind: &str| matches!(kind, "transform" | "joint");
        names.extend(nodes.into_iter().filter(|node| is_named(&node.kind)).map(|node| node.name));
    }
    names.retain(|name| !name.is_empty());
    names.sort();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use mhrig_report::{Cancel, Silent};

    use super::*;

    const RIG: &str = "XY.9";
    const BOARD: &str = "//Maya ASCII 2024 scene\ncreateNode transform -n \"gui\";\ncreateNode transform -n \"CTRL_C_one\" -p \"gui\";\n";

    struct Installed(tempfile::TempDir);

    impl Installed {
        /// A manifest and two folders of components, one of them named with a version and a hash.
        fn new() -> Self {
            let installed = Self(tempfile::tempdir().unwrap());
            installed.write(
                "env/toaster-2030.json",
                r#"{"PYTHONPATH": ["compA/1.2", "compB/3.4/a1b2"], "PATH": "compC", "OTHER": {"x": [1]}}"#,
            );
            installed
        }

        fn root(&self) -> &Path {
            self.0.path()
        }

        fn write(&self, path: &str, text: &str) {
            let file = self.root().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }

        fn whole() -> Self {
            let installed = Self::new();
            installed.write(&format!("lib/compB/3.4/a1b2/{ASSEMBLER}/{RIG}/ass_json.py"), "");
            installed.write(&format!("lib/compA/1.2/{ASSEMBLE_LIB}/{RIG}/scenes/{GUI}"), BOARD);
            installed
        }

        fn search(&self) -> Mh4mSearch {
            search(&[self.root()])
        }
    }

    fn search(roots: &[&Path]) -> Mh4mSearch {
        let candidate =
            |root: &&Path| Mh4mCandidate { origin: "a test".to_owned(), root: root.to_path_buf() };
        Mh4mSearch { candidates: roots.iter().map(candidate).collect(), year: 2030 }
    }

    fn find_for(search: &Mh4mSearch, rig: &str) -> (Result<Mh4mResources, Vec<Finding>>, Vec<Finding>) {
        let mut findings = Vec::new();
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let result = find_mh4m(search, rig, &mut findings, job).map_err(|stop| match stop {
            Stop::Refused(refused) => refused.findings,
            other => panic!("{other}"),
        });
        (result, findings)
    }

    fn found(search: &Mh4mSearch) -> Mh4mResources {
        find_for(search, RIG).0.unwrap()
    }

    fn refused(search: &Mh4mSearch) -> Finding {
        find_for(search, RIG).0.unwrap_err().remove(0)
    }

    #[test]
    fn the_script_of_the_character_assembler_is_taken_and_scenes_in_the_order_of_the_places() {
        let installed = Installed::whole();
        let resources = found(&installed.search());
        assert!(resources.script.ends_with(format!("{ASSEMBLER}/{RIG}/ass_json.py")));
        assert!(resources.gui.ends_with(format!("{ASSEMBLE_LIB}/{RIG}/scenes/{GUI}")));
        assert_eq!(resources.analog_gui, None);
        assert_eq!(resources.nodes, ["CTRL_C_one", "gui"]);
        assert_eq!(resources.python_path.len(), 2);
        // The editor's scenes come last, the assembler's first.
        installed.write(&format!("lib/compA/1.2/{EDITOR}/{RIG}/{EDITOR_SCENES}/{ANALOG_GUI}"), BOARD);
        installed.write(&format!("lib/compA/1.2/{EDITOR}/{RIG}/{EDITOR_SCENES}/{GUI}"), BOARD);
        assert!(found(&installed.search()).gui.ends_with(format!("scenes/{GUI}")));
        assert!(
            found(&installed.search()).analog_gui.unwrap().ends_with(format!("{EDITOR_SCENES}/{ANALOG_GUI}"))
        );
        installed.write(&format!("lib/compB/3.4/a1b2/{ASSEMBLER}/{RIG}/{GUI}"), BOARD);
        assert!(found(&installed.search()).gui.ends_with(format!("{ASSEMBLER}/{RIG}/{GUI}")));
        // The name of other releases goes first.
        installed.write(&format!("lib/compA/1.2/{ASSEMBLER}/{RIG}/additional_assemble_script.py"), "");
        assert!(found(&installed.search()).script.ends_with("additional_assemble_script.py"));
        // The folder above the module, as the archive unpacks.
        let above = tempfile::tempdir().unwrap();
        fs::rename(installed.root(), above.path().join("MetaHumanForMaya")).unwrap();
        assert!(found(&search(&[above.path()])).root.ends_with("MetaHumanForMaya"));
    }

    #[test]
    fn scripts_that_connect_nothing_are_named_and_not_taken() {
        let installed = Installed::new();
        installed.write(&format!("lib/compA/1.2/{ASSEMBLE_LIB}/{RIG}/ass_json.py"), "");
        installed.write(
            &format!("lib/compA/1.2/{EDITOR}/{RIG}/{EDITOR_SCENES}/additional_assemble_script.py"),
            "",
        );
        let refusal = refused(&installed.search());
        assert_eq!(refusal.code, "MH4M_SCRIPT_MISSING");
        assert!(refusal.message.contains("compB/3.4/a1b2/mh_character_assembler/assets/XY.9/ass_json.py"));
        assert_eq!(refusal.message.matches("is not called").count(), 2, "{}", refusal.message);
    }

    #[test]
    fn what_is_missing_is_refused_with_what_was_tried() {
        assert_eq!(refused(&search(&[])).code, "MH4M_MISSING");
        let nowhere = refused(&search(&[Path::new("/nowhere")]));
        assert_eq!((nowhere.code, nowhere.place.as_str()), ("MH4M_MISSING", "/nowhere"));
        let installed = Installed::new();
        installed.write("env/win64-2029.json", "{}");
        let other_year = Mh4mSearch { year: 2031, ..installed.search() };
        let refusal = refused(&other_year);
        assert_eq!(refusal.code, "MH4M_MANIFEST");
        assert_eq!(refusal.found.as_deref(), Some("toaster-2030.json, win64-2029.json"));
        installed.write(&format!("lib/compA/1.2/{ASSEMBLER}/{RIG}/ass_json.py"), "");
        let refusal = refused(&installed.search());
        assert_eq!(refusal.code, "MH4M_BOARD_MISSING");
        assert_eq!(refusal.message.matches(GUI).count(), 1 + 2 * 3, "{}", refusal.message);
        installed.write("env/toaster-2030.json", "{\"PATH\": []}");
        assert_eq!(refused(&installed.search()).code, "MH4M_MANIFEST");
        installed.write("env/toaster-2030.json", "{\"PYTHONPATH\":\n [");
        let refusal = refused(&installed.search());
        assert!(refusal.place.ends_with("toaster-2030.json: line 2"), "{}", refusal.place);
        let bad_board = Installed::whole();
        bad_board.write(&format!("lib/compA/1.2/{ASSEMBLE_LIB}/{RIG}/scenes/{GUI}"), "createNode transform");
        assert!(refused(&bad_board.search()).place.contains(GUI));
    }

    #[test]
    fn the_first_whole_installation_is_used_and_the_others_are_told() {
        let (broken, whole) = (Installed::new(), Installed::whole());
        let (result, findings) = find_for(&search(&[broken.root(), whole.root()]), RIG);
        assert_eq!(result.unwrap().root, whole.root());
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].code, findings[0].severity), ("MH4M_SCRIPT_MISSING", Severity::Warning));
        let (result, _) = find_for(&search(&[broken.root(), Path::new("/nowhere")]), RIG);
        assert_eq!(result.unwrap_err().len(), 2);
    }

    #[test]
    fn the_manifest_of_this_platform_goes_first() {
        let installed = Installed::whole();
        let own = format!("{}x-2030.json", PLATFORM[0]);
        installed.write(&format!("env/{own}"), "\u{feff}{\"PYTHONPATH\": \"compA\\\\1.2;compB/3.4/a1b2\"}");
        installed.write("env/aaa-2030.json", "{}");
        let resources = found(&installed.search());
        assert!(resources.manifest.ends_with(own));
        assert_eq!(resources.python_path[0], installed.root().join("lib/compA/1.2"));
    }

    #[test]
    fn a_rig_name_that_leaves_its_folder_is_refused() {
        let installed = Installed::whole();
        for rig in ["", " ", "..", "../XY.9", "a/b", "a\\b", ".hidden", "c:", "a\0b"] {
            let refusal = find_for(&installed.search(), rig).0.unwrap_err().remove(0);
            assert_eq!(refusal.code, "MH4M_RIG", "{rig:?}");
        }
    }

    #[test]
    fn no_manifest_makes_it_panic() {
        let whole = "\u{feff}{\"PYTHONPATH\": [\"a/b\", 1, null, \"c\\\\d\"], \"X\": {\"y\": [true]}, \"Z\": \"e;f\"}";
        let parsed = parse_manifest(whole.as_bytes()).unwrap();
        assert_eq!(parsed["PYTHONPATH"], ["a/b", "c\\d"]);
        assert_eq!(parsed["Z"], ["e", "f"]);
        assert!(parsed["X"].is_empty());
        for end in 0..whole.len() {
            let _ = parse_manifest(&whole.as_bytes()[..end]);
        }
        // A small generator: every run the same bytes.
        let mut state = 0x9e37_79b9_u32;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        for _ in 0..20_000 {
            let mut bytes = whole.as_bytes().to_vec();
            for _ in 0..=next() % 4 {
                let at = next() as usize % bytes.len();
                match next() % 3 {
                    0 => bytes[at] = next() as u8,
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"{}[]\",:\\"[next() as usize % 8]),
                }
            }
            let root = Path::new("/nowhere");
            if let Ok(entries) = parse_manifest(&bytes) {
                entries.keys().for_each(|key| drop(folders(root, &entries, key)));
            }
        }
        assert!(parse_manifest("[".repeat(100_000).as_bytes()).is_err());
        assert_eq!(parse_manifest(b"[1]").unwrap_err().line, 0);
    }
}
