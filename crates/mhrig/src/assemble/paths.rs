//! What a scene calls the DNA files of its nodes.

use std::fs;
use std::path::{Component, Path, PathBuf};

use mhrig_report::{Finding, Severity};
use mhrig_scene::RigLogicKind;

use super::AssembleRequest;
use super::input::RigPart;
use crate::report::Stop;
use crate::scene_path::{has_variables, scene_path};

/// A file of the request: as it was given, and what that means.
#[derive(Clone, Debug)]
pub(super) struct GivenFile {
    given: PathBuf,
    pub(super) file: PathBuf,
}

/// Finds the files of a request.
pub(super) fn find_files(request: &AssembleRequest) -> Result<Vec<GivenFile>, Stop> {
    let find = |given: &PathBuf| {
        let file = match given.to_str() {
            Some(text) => {
                let within = scene_path(text, request.scene_folder.as_deref())?;
                // What is not beside the scene may be where the program was started.
                if within.exists() {
                    within
                } else {
                    Some(scene_path(text, None)?).filter(|p| p.exists()).unwrap_or(within)
                }
            }
            None => given.clone(),
        };
        Ok(GivenFile { given: given.clone(), file })
    };
    request.files.iter().map(find).collect()
}

/// A copy of a DNA file, under a path that Epic's node can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedDna {
    /// The file.
    pub from: PathBuf,
    /// Where the copy has to be.
    pub to: PathBuf,
    /// SHA-256 of both.
    pub hash: String,
}

/// What the nodes of all parts read.
pub(super) struct NodePaths {
    /// One for each part.
    pub(super) paths: Vec<String>,
    pub(super) staged: Vec<StagedDna>,
}

/// The paths that the nodes read their DNA files from.
pub(super) fn node_paths(
    parts: &[RigPart],
    files: &[GivenFile],
    request: &AssembleRequest,
    findings: &mut Vec<Finding>,
) -> Result<NodePaths, Stop> {
    let mut all = NodePaths { paths: Vec::new(), staged: Vec::new() };
    for part in parts {
        let (path, staged) = node_path(part, files, request, findings)?;
        all.paths.push(path);
        all.staged.extend(staged);
    }
    Ok(all)
}

/// The path of one node, and the copy that it needs there.
///
/// A path that was given with variables, or relative to the scene, stays as it was given, so that the scene can be
/// moved. Any other is relative where the DNA lies beside the scene or below it, and absolute otherwise. With forward
/// slashes.
fn node_path(
    part: &RigPart,
    files: &[GivenFile],
    request: &AssembleRequest,
    findings: &mut Vec<Finding>,
) -> Result<(String, Option<StagedDna>), Stop> {
    let file = part.file();
    if request.rig_logic == RigLogicKind::EmbeddedNodeRl4 && !absolute(file).to_string_lossy().is_ascii() {
        match &request.staging {
            Some(folder) => return Ok(staged(file, folder, &part.hash, &request.output)?),
            None => findings.push(not_ascii(
                Severity::Warning,
                file,
                "move scene and file to a folder named in ASCII, or use mhRigLogic, or assemble in Maya with \
                 mhAssemble, which makes a copy for it",
            )),
        }
    }
    let given = files.iter().find(|known| known.file == file).and_then(|known| known.given.to_str());
    let folder = scene_folder(request);
    let kept = given.filter(|given| has_variables(given) || is_beside(given, &folder, file));
    let path = kept.map_or_else(|| dna_path(file, &request.output), str::to_owned);
    Ok((path.replace('\\', "/"), None))
}

/// The folder for copies beside a scene that is written; `None` where Epic's node could not open them either.
pub(super) fn staging_beside(scene: &Path) -> Option<PathBuf> {
    let folder = folder_of(scene);
    absolute(folder).to_str().is_some_and(str::is_ascii).then(|| folder.join("dna"))
}

fn staged(
    file: &Path,
    folder: &Path,
    hash: &str,
    scene: &Path,
) -> Result<(String, Option<StagedDna>), Finding> {
    let to = folder.join(format!("{hash}.dna"));
    match to.to_str().filter(|path| path.is_ascii()) {
        Some(_) => {
            let path = dna_path(&to, scene).replace('\\', "/");
            Ok((path, Some(StagedDna { from: file.to_owned(), to, hash: hash.to_owned() })))
        }
        None => {
            let remedy = "move the file to a folder named in ASCII, or use mhRigLogic; a copy for it would be below \
                          the folder of Maya's preferences, which MAYA_APP_DIR moves, and that path is no better";
            Err(not_ascii(Severity::Error, file, remedy))
        }
    }
}

fn not_ascii(severity: Severity, file: &Path, remedy: &str) -> Finding {
    let message = "Epic's node opens no file whose path has other characters than ASCII";
    Finding::new("NON_ASCII_PATH", severity, file.display().to_string(), message, remedy)
}

/// The whole path as it was given: what a node is told. A resolved one may lead out of ASCII behind a link, and begins on
/// Windows with what Maya does not read.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The path as the system resolves it, to compare it with others.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| absolute(path))
}

fn folder_of(scene: &Path) -> &Path {
    scene.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn scene_folder(request: &AssembleRequest) -> PathBuf {
    let folder = request.scene_folder.as_deref().or_else(|| request.output.parent());
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Whether a relative path leads from the scene's folder to the file.
fn is_beside(given: &str, folder: &Path, file: &Path) -> bool {
    let path = folder.join(given);
    Path::new(given).is_relative() && path.exists() && resolved(&path) == resolved(file)
}

fn dna_path(dna: &Path, scene: &Path) -> String {
    let folder = folder_of(scene);
    let is_below = |within: &Path| within.components().all(|step| step != Component::ParentDir);
    let below = |dna: PathBuf, folder: PathBuf| {
        dna.strip_prefix(folder).ok().filter(|within| is_below(within)).map(Path::to_owned)
    };
    let within = below(absolute(dna), absolute(folder)).or_else(|| below(resolved(dna), resolved(folder)));
    within.unwrap_or_else(|| absolute(dna)).to_string_lossy().into_owned()
}

/// Copies of DNA files; taken away again unless they are kept. Those that were there before stay.
#[derive(Debug, Default)]
pub struct StagedCopies {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl StagedCopies {
    /// Makes the copies that are not there yet.
    ///
    /// # Errors
    /// A finding with the code `DNA_NOT_STAGED`; nothing is left then.
    pub fn make(copies: &[StagedDna]) -> Result<Self, Finding> {
        let mut made = Self::default();
        for copy in copies {
            made.add(copy).map_err(|why| {
                let remedy =
                    "make the folder writable, or move the DNA file to a folder named in ASCII, or use mhRigLogic";
                let message = format!("a copy for Epic's node cannot be made as {}: {why}", copy.to.display());
                let place = copy.from.display().to_string();
                Finding::new("DNA_NOT_STAGED", Severity::Error, place, message, remedy)
            })?;
        }
        Ok(made)
    }

    fn add(&mut self, copy: &StagedDna) -> Result<(), String> {
        let is_whole = |file: &Path| mhrig_archetype::hash_file(file).is_ok_and(|hash| hash == copy.hash);
        if is_whole(&copy.to) {
            return Ok(());
        }
        let folder = copy.to.parent().unwrap_or(Path::new("."));
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        self.folders.extend(missing.into_iter().map(Path::to_owned));
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        // Another program may be making the same copy: each writes its own and puts it in place whole.
        let scratch = copy.to.with_extension(format!("{}.tmp", std::process::id()));
        let copied = fs::copy(&copy.from, &scratch).map_err(|error| error.to_string()).and_then(|_| {
            if !is_whole(&scratch) {
                return Err("the file has changed since it was read".to_owned());
            }
            fs::rename(&scratch, &copy.to).map_err(|error| error.to_string())
        });
        if copied.is_err() {
            let _ = fs::remove_file(&scratch);
        } else {
            self.files.push(copy.to.clone());
        }
        copied
    }

    /// Keeps the copies.
    pub fn keep(mut self) {
        self.files.clear();
        self.folders.clear();
    }
}

impl Drop for StagedCopies {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        // The innermost first; one that holds something else stays.
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn copy(dir: &Path) -> StagedDna {
        let from = dir.join("角色.dna");
        fs::write(&from, "content").unwrap();
        let hash = mhrig_archetype::hash_file(&from).unwrap();
        StagedDna { from, to: dir.join("prefs/mhrig/dna").join(format!("{hash}.dna")), hash }
    }

    #[test]
    fn copies_that_are_not_kept_leave_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let copy = copy(dir.path());
        let made = StagedCopies::make(std::slice::from_ref(&copy)).unwrap();
        assert_eq!(fs::read(&copy.to).unwrap(), b"content");
        drop(made);
        assert!(!dir.path().join("prefs").exists());
        StagedCopies::make(std::slice::from_ref(&copy)).unwrap().keep();
        // One that was there before stays, whatever becomes of the assembly.
        drop(StagedCopies::make(std::slice::from_ref(&copy)).unwrap());
        assert!(copy.to.exists());
        fs::write(&copy.to, "cut").unwrap();
        StagedCopies::make(std::slice::from_ref(&copy)).unwrap().keep();
        assert_eq!(fs::read(&copy.to).unwrap(), b"content");
        assert_eq!(fs::read_dir(copy.to.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_relative_below_the_scene_and_named_as_it_was_given_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for folder in ["scenes/dna", "角色"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let file = |path: &str| {
            fs::write(at(path), "").unwrap();
            dna_path(&at(path), &at("scenes/rig.ma"))
        };
        assert_eq!(Path::new(&file("scenes/dna/a.dna")), Path::new("dna/a.dna"));
        assert_eq!(Path::new(&file("角色/a.dna")), at("角色/a.dna"));
        // A copy that is yet to be made, and a scene whose folder is.
        let scene = at("new/rig.ma");
        assert_eq!(Path::new(&dna_path(&at("new/dna/a.dna"), &scene)), Path::new("dna/a.dna"));
        #[cfg(unix)]
        {
            assert_eq!(Path::new(&file("scenes/../角色/a.dna")), at("scenes/../角色/a.dna"));
            std::os::unix::fs::symlink(at("角色"), at("link")).unwrap();
            assert_eq!(Path::new(&file("link/a.dna")), at("link/a.dna"));
            std::os::unix::fs::symlink(at("scenes"), at("shots")).unwrap();
            assert_eq!(Path::new(&file("shots/dna/a.dna")), Path::new("dna/a.dna"));
        }
    }

    #[test]
    fn a_copy_that_cannot_be_made_is_a_finding_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let good = copy(dir.path());
        let changed = StagedDna { hash: "0".repeat(64), to: good.to.with_file_name("0.dna"), ..good.clone() };
        let finding = StagedCopies::make(&[good, changed]).unwrap_err();
        assert_eq!(finding.code, "DNA_NOT_STAGED");
        assert!(finding.message.contains("changed"), "{finding:?}");
        assert!(!dir.path().join("prefs").exists());
    }
}
