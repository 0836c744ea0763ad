//! Who is in a batch: a folder of people, or a list of them.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use mhrig_archetype::Archetype;
use mhrig_report::{Finding, Severity};
use mhrig_scene::MeshFormat;
use serde::Deserialize;

use crate::build::check_name;
use crate::held::UserJoints;
use crate::report::Stop;

/// One person of a batch.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) name: String,
    /// Whether files may be called by the name: it is one, and no other person has it.
    pub(crate) is_named: bool,
    /// Where the meshes are, or why that cannot be said.
    pub(crate) source: Result<Source, Finding>,
}

/// Where the meshes of a person are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) meshes: Vec<PathBuf>,
    pub(crate) pick: Vec<String>,
    pub(crate) truth: Option<PathBuf>,
    /// What the manifest says of single joints.
    pub(crate) joints: UserJoints,
}

/// A manifest: `{"people": [{"name": "mary", "meshes": ["mary"], "truth": "mary.csv", "pick": []}]}`; of single joints
/// `"lock": ["spine_*"], "place": {"FACIAL_C_Jaw": [0, 147, 5.5]}, "from": ["old/mary_head.dna"]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    people: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    meshes: Vec<PathBuf>,
    #[serde(default)]
    pick: Vec<String>,
    truth: Option<PathBuf>,
    #[serde(default)]
    lock: Vec<String>,
    #[serde(default)]
    place: BTreeMap<String, [f64; 3]>,
    #[serde(default)]
    from: Vec<PathBuf>,
}

/// The people of `list`: of a folder, a JSON manifest or a text with one path a line. The folder `out` is none of them.
pub(crate) fn find_people(list: &Path, out: &Path, archetype: &Archetype) -> Result<Vec<Person>, Stop> {
    let people = if list.is_dir() {
        people_of_folder(list, out, archetype)?
    } else {
        let text = fs::read(list).map_err(|error| {
            let remedy = "name a folder with one folder or scene per person, or a manifest";
            finding("FILE_UNREADABLE", list, format!("cannot be read: {error}"), remedy)
        })?;
        let text = String::from_utf8_lossy(&text);
        if list.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json")) {
            people_of_manifest(list, &text)?
        } else {
            people_of_lines(list, &text)
        }
    };
    if people.is_empty() {
        let remedy = "give each person a folder of OBJ files, or a .ma, .glb or .fbx file";
        return Err(finding("NO_PEOPLE", list, "there is nobody in this batch".into(), remedy).into());
    }
    Ok(named_once(people))
}

fn finding(code: &'static str, place: &Path, message: String, remedy: &str) -> Finding {
    Finding::new(code, Severity::Error, place.display().to_string(), message, remedy)
}

fn people_of_folder(folder: &Path, out: &Path, archetype: &Archetype) -> Result<Vec<Person>, Stop> {
    let out = out.canonicalize().ok();
    let mut people = Vec::new();
    for path in sorted_entries(folder)? {
        if out.is_some() && path.canonicalize().ok() == out {
            continue;
        }
        if path.is_dir() {
            people.push(Person { name: last_name(&path), is_named: true, source: source_of_folder(&path) });
        } else if MeshFormat::from_suffix(&path).is_some() {
            refuse_part(folder, &path, archetype)?;
            people.push(person_of_path(path));
        }
    }
    Ok(people)
}

/// Entries that are not hidden, ordered by name.
fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, Finding> {
    let remedy = "check the folder and its rights";
    let unreadable = |error: std::io::Error| {
        finding("FILE_UNREADABLE", folder, format!("cannot be read: {error}"), remedy)
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

/// The name without folders: of a folder whole, of a file without its suffix.
fn last_name(path: &Path) -> String {
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

fn person_of_path(path: PathBuf) -> Person {
    let name = last_name(&path);
    let source = if path.is_dir() {
        source_of_folder(&path)
    } else {
        Ok(Source { meshes: vec![path], ..Source::default() })
    };
    Person { name, is_named: true, source }
}

/// Whoever gives the folder of one person would else get a bad person per mesh.
fn refuse_part(folder: &Path, file: &Path, archetype: &Archetype) -> Result<(), Finding> {
    let stem = last_name(file);
    let meshes = archetype.parts().flat_map(|part| &part.neutral.meshes);
    if meshes.map(|mesh| &mesh.name).any(|name| *name == stem) {
        let message = format!("{stem} is a part of a person: this folder is one person, no folder of people");
        let remedy = "give the folder above it, or use `mhrig build`";
        return Err(finding("BATCH_FOLDER", folder, message, remedy));
    }
    Ok(())
}

/// The OBJ files of a person's folder, or the one scene in it.
fn source_of_folder(folder: &Path) -> Result<Source, Finding> {
    let mut formats: Vec<(MeshFormat, PathBuf)> = Vec::new();
    for path in sorted_entries(folder)? {
        if let Some(format) = MeshFormat::from_suffix(&path).filter(|_| !path.is_dir()) {
            formats.push((format, path));
        }
    }
    let one = |path: PathBuf| Ok(Source { meshes: vec![path], ..Source::default() });
    if formats.iter().any(|(format, _)| *format == MeshFormat::Obj) {
        return one(folder.to_owned());
    }
    let names: Vec<String> = formats.iter().map(|(_, path)| path.display().to_string()).collect();
    match <[_; 1]>::try_from(formats) {
        Ok([(_, scene)]) => one(scene),
        Err(formats) if formats.is_empty() => {
            let remedy =
                "export the person's meshes into this folder, or move it elsewhere if it is no person";
            Err(finding("FOLDER_WITHOUT_MESHES", folder, "the folder has no mesh file".into(), remedy))
        }
        Err(_) => {
            let message = format!("{} scenes are in this folder", names.len());
            let remedy = "keep one of them there, or name it in a manifest";
            Err(finding("SCENE_AMBIGUOUS", folder, message, remedy)
                .with_values("one scene", names.join(", ")))
        }
    }
}

fn people_of_manifest(list: &Path, text: &str) -> Result<Vec<Person>, Stop> {
    let manifest: Manifest = serde_json::from_str(text).map_err(|error| {
        let remedy = "write {\"people\": [{\"name\": \"mary\", \"meshes\": [\"mary\"]}, …]}; \"truth\", \"pick\", \"lock\", \"place\" and \"from\" are optional";
        let place = format!("{}: line {}", list.display(), error.line());
        Finding::new("MANIFEST", Severity::Error, place, format!("cannot be understood: {error}"), remedy)
    })?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let person = |(number, entry): (usize, Entry)| {
        let meshes: Vec<PathBuf> = entry.meshes.iter().map(|path| folder.join(path)).collect();
        let name = entry.name.or_else(|| meshes.first().map(|path| last_name(path))).unwrap_or_default();
        let from_one_folder = match meshes.as_slice() {
            [] => {
                let place = format!("{}: people[{number}]", list.display());
                let remedy = "name its files, or its folder";
                Err(Finding::new("NO_INPUT", Severity::Error, place, "this person has no meshes", remedy))
            }
            [only] if only.is_dir() => source_of_folder(only).map(|source| source.meshes),
            _ => Ok(meshes),
        };
        let truth = entry.truth.map(|path| folder.join(path));
        let joints = UserJoints {
            lock: entry.lock,
            place: entry.place.into_iter().collect(),
            from: entry.from.iter().map(|path| folder.join(path)).collect(),
        };
        let source = from_one_folder.map(|meshes| Source { meshes, pick: entry.pick, truth, joints });
        Person { name, is_named: true, source }
    };
    Ok(manifest.people.into_iter().enumerate().map(person).collect())
}

/// One path a line, relative to the list's folder; empty lines and those that begin with `#` are skipped.
fn people_of_lines(list: &Path, text: &str) -> Vec<Person> {
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let paths = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    paths.map(|line| person_of_path(folder.join(line))).collect()
}

/// Refuses people whose name no file can have, or who share it with one before them, letter case aside: results of
/// one would replace those of the other.
fn named_once(people: Vec<Person>) -> Vec<Person> {
    let mut seen = HashSet::new();
    let judge = |mut person: Person| {
        let wrong = match check_name(&person.name) {
            Err(Stop::Blamed(finding, _)) => Some(Finding { place: person.name.clone(), ..finding }),
            _ if !seen.insert(person.name.to_lowercase()) => {
                let message = "another person of the batch has this name";
                let remedy = "give each person a name of its own, in the manifest or by renaming";
                Some(Finding::new("NAME_TWICE", Severity::Error, person.name.clone(), message, remedy))
            }
            _ => None,
        };
        if let Some(finding) = wrong {
            person.is_named = false;
            person.source = Err(finding);
        }
        person
    };
    people.into_iter().map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(people: &[Person]) -> Vec<Option<&str>> {
        people.iter().map(|person| person.source.as_ref().err().map(|finding| finding.code)).collect()
    }

    #[test]
    fn a_manifest_names_people_and_paths_beside_it() {
        let text = r#"{"people": [{"name": "mary", "meshes": ["a.ma", "b.obj"], "truth": "t.csv"},
                                  {"meshes": ["x/joe.fbx"], "pick": ["|a"]}, {"name": "no"  , "meshes": []}]}"#;
        let people = named_once(people_of_manifest(Path::new("/lists/m.json"), text).unwrap());
        let names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
        assert_eq!(names, ["mary", "joe", "no"]);
        assert_eq!(codes(&people), [None, None, Some("NO_INPUT")]);
        let text = r#"{"people": [{"meshes": ["x/joe.fbx"], "lock": ["spine_*"], "place": {"head": [0, 1.5, -2]}, "from": ["old.dna"]}]}"#;
        let held = people_of_manifest(Path::new("/lists/m.json"), text).unwrap();
        let joints = &held[0].source.as_ref().unwrap().joints;
        assert_eq!(
            (joints.lock.as_slice(), joints.place.as_slice()),
            (&["spine_*".to_owned()][..], &[("head".to_owned(), [0.0, 1.5, -2.0])][..])
        );
        assert_eq!(joints.from, [Path::new("/lists/old.dna")]);
        let mary = people[0].source.as_ref().unwrap();
        assert_eq!(mary.meshes, [Path::new("/lists/a.ma"), Path::new("/lists/b.obj")]);
        assert_eq!(mary.truth.as_deref(), Some(Path::new("/lists/t.csv")));
    }

    #[test]
    fn a_manifest_with_a_misspelt_key_is_refused_with_its_line() {
        let text = "{\"people\": [\n{\"name\": \"a\", \"mesh\": []}]}";
        let Err(Stop::Refused(refused)) = people_of_manifest(Path::new("m.json"), text) else { panic!() };
        assert_eq!(refused.findings[0].place, "m.json: line 2");
        assert!(refused.findings[0].message.contains("`mesh`"));
    }

    #[test]
    fn lines_may_be_empty_or_remarks() {
        let people = people_of_lines(Path::new("/l/list.txt"), "# all\n\nmary.ma\r\n  joe.glb\n");
        let names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
        assert_eq!(names, ["mary", "joe"]);
    }

    #[test]
    fn people_of_one_name_or_of_none_that_a_file_can_have_do_not_stop_the_others() {
        let person = |name: &str| Person { name: name.into(), is_named: true, source: Ok(Source::default()) };
        let people = named_once(vec![person("mary"), person("Mary"), person("a/b"), person("joe")]);
        assert_eq!(codes(&people), [None, Some("NAME_TWICE"), Some("NAME"), None]);
    }

    #[test]
    fn a_folder_of_a_person_has_obj_files_or_one_scene() {
        let dir = tempfile::tempdir().unwrap();
        let code = || source_of_folder(dir.path()).err().map(|finding| finding.code);
        let touch = |name: &str| fs::write(dir.path().join(name), "").unwrap();
        touch("picture.png");
        assert_eq!(code(), Some("FOLDER_WITHOUT_MESHES"));
        touch("a.ma");
        assert_eq!(source_of_folder(dir.path()).unwrap().meshes, [dir.path().join("a.ma")]);
        touch("b.fbx");
        assert_eq!(code(), Some("SCENE_AMBIGUOUS"));
        touch("head_lod0_mesh.obj");
        assert_eq!(source_of_folder(dir.path()).unwrap().meshes, [dir.path()]);
    }
}
