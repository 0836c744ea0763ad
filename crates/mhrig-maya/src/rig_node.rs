//! What the node `mhRigLogic` computes: one character, evaluated from a DNA file.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mhrig::{Finding, LiveOutputs, LiveRig, Severity, scene_path};

use crate::messages;

/// The state of one node.
#[derive(Debug, Default)]
pub(crate) struct RigNode {
    opened: Option<Opened>,
    /// Euler angles of the driver joints, radians.
    angles: Vec<[f64; 3]>,
    outputs: LiveOutputs,
    status: String,
}

#[derive(Debug)]
struct Opened {
    /// The path as the attribute has it.
    given: String,
    all_attributes: bool,
    file: PathBuf,
    result: Result<LiveRig, Failed>,
}

#[derive(Debug)]
struct Failed {
    /// Whether the path itself could not be read: it is tried again until it can.
    is_unresolved: bool,
    /// What the file was when it could not be opened: it is tried again when that changes.
    written: Option<SystemTime>,
    line: String,
}

fn written(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).ok()?.modified().ok()
}

/// What a node has to say besides its values.
pub(crate) type Notices = Vec<(Severity, String)>;

impl RigNode {
    /// Opens the file unless it is open; `scene` is the file of the scene, for paths relative to its folder.
    ///
    /// Returns whether there is something to evaluate, and messages that were not shown before.
    pub(crate) fn open(
        &mut self,
        given: &str,
        all_attributes: bool,
        scene: impl Fn() -> String,
    ) -> (bool, Notices) {
        if self.is_open(given, all_attributes, &scene) {
            return (self.opened.as_ref().is_some_and(|opened| opened.result.is_ok()), Vec::new());
        }
        self.angles.clear();
        let mut notices = Notices::new();
        let (file, missing) = match resolve(given, &scene) {
            Ok(file) => (file, None),
            Err(finding) => (PathBuf::from(given), Some(finding)),
        };
        let result = if given.trim().is_empty() {
            let line = "no DNA file: set dnaFilePath".to_owned();
            Err(Failed { is_unresolved: false, written: None, line })
        } else {
            let is_unresolved = missing.is_some();
            let opened = match missing {
                None => LiveRig::open(&file, all_attributes),
                Some(finding) => Err(vec![finding]),
            };
            match opened {
                Ok(rig) => {
                    notices.extend(rig.findings().iter().map(|f| (f.severity, messages::line(f))));
                    Ok(rig)
                }
                Err(findings) => {
                    let line = self.refused(&findings, &file, &mut notices);
                    Err(Failed { is_unresolved, written: written(&file), line })
                }
            }
        };
        match &result {
            Ok(_) => "ok".clone_into(&mut self.status),
            Err(failed) => self.status.clone_from(&failed.line),
        }
        let is_good = result.is_ok();
        self.opened = Some(Opened { given: given.to_owned(), all_attributes, file, result });
        (is_good, notices)
    }

    /// The first error in one line; all of them become messages.
    fn refused(&self, findings: &[Finding], file: &Path, notices: &mut Notices) -> String {
        for finding in findings {
            let mut finding = finding.clone();
            if finding.remedy.is_empty() || finding.code == "DNA_UNREADABLE" {
                finding.remedy =
                    format!("set dnaFilePath of the node to a DNA file ({} was tried)", file.display());
            }
            notices.push((finding.severity, messages::line(&finding)));
        }
        let first = findings.iter().find(|finding| finding.severity == Severity::Error);
        first.map(messages::line).unwrap_or_default()
    }

    fn is_open(&self, given: &str, all_attributes: bool, scene: impl Fn() -> String) -> bool {
        let Some(opened) = &self.opened else { return false };
        opened.given == given
            && opened.all_attributes == all_attributes
            && match &opened.result {
                Ok(rig) => rig.is_current(&opened.file),
                Err(failed) if failed.is_unresolved => resolve(given, scene).is_err(),
                Err(failed) => failed.written == written(&opened.file),
            }
    }

    fn rig(&mut self) -> Option<&mut LiveRig> {
        self.opened.as_mut()?.result.as_mut().ok()
    }

    /// Sets a raw control.
    pub(crate) fn set_control(&mut self, index: usize, value: f64) {
        if let Some(rig) = self.rig() {
            rig.set_control(index, value as f32);
        }
    }

    /// Sets one angle of a driver joint: number of the driver × 3 + axis.
    pub(crate) fn set_driver_angle(&mut self, index: usize, radians: f64) {
        let count = self.rig().map_or(0, |rig| rig.driver_joints().len());
        if index / 3 < count && radians.is_finite() {
            self.angles.resize(count, [0.0; 3]);
            self.angles[index / 3][index % 3] = radians;
        }
    }

    /// Evaluates; on failure the last values stay, and the status says why.
    pub(crate) fn evaluate(&mut self, lod: i32, translation_multiplier: f64) -> Notices {
        let Some(Opened { result: Ok(rig), .. }) = &mut self.opened else { return Notices::new() };
        for (driver, angles) in self.angles.iter().enumerate() {
            rig.set_driver(driver, *angles);
        }
        match rig.evaluate(usize::try_from(lod).unwrap_or(0)) {
            Ok(outputs) => {
                self.outputs.clone_from(outputs);
                self.outputs.translations.iter_mut().for_each(|value| *value *= translation_multiplier);
                "ok".clone_into(&mut self.status);
                Notices::new()
            }
            Err(finding) => {
                let line = messages::line(&finding);
                let notices =
                    if self.status == line { Notices::new() } else { vec![(finding.severity, line.clone())] };
                self.status = line;
                notices
            }
        }
    }

    /// The values of the last evaluation: none before the first.
    pub(crate) fn outputs(&self) -> &LiveOutputs {
        &self.outputs
    }

    /// `ok`, or what is wrong.
    pub(crate) fn status(&self) -> &str {
        &self.status
    }
}

/// The file that a path means; a relative one starts at the folder of the scene.
fn resolve(given: &str, scene: impl Fn() -> String) -> Result<PathBuf, Finding> {
    let scene = PathBuf::from(scene());
    scene_path(given.trim(), scene.parent().filter(|folder| folder.is_absolute()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_start_at_the_scene() {
        let found = |given: &str, scene: &str| resolve(given, || scene.to_owned()).ok();
        let scene = "/show/shot/scene.ma";
        assert_eq!(found("../dna/a.dna", scene), Some(PathBuf::from("/show/shot/../dna/a.dna")));
        assert_eq!(found("/x/a.dna", scene), Some(PathBuf::from("/x/a.dna")));
        assert_eq!(found("a.dna", ""), Some(PathBuf::from("a.dna")));
    }

    #[test]
    fn a_variable_that_is_not_set_is_said_once() {
        let mut node = RigNode::default();
        let (is_open, notices) = node.open("$MHRIG_NOT_SET/a.dna", false, String::new);
        assert!(!is_open && notices.len() == 1, "{notices:?}");
        assert!(node.status().contains("PATH_VARIABLE") && node.status().contains("MHRIG_NOT_SET"));
        assert!(node.open("$MHRIG_NOT_SET/a.dna", false, String::new).1.is_empty());
    }

    #[test]
    fn an_unreadable_file_is_said_once_and_tried_again_when_it_changes() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("a.dna");
        let mut node = RigNode::default();
        let path = file.display().to_string();
        let (is_open, notices) = node.open(&path, false, String::new);
        assert!(!is_open && notices.len() == 1 && notices[0].1.contains("dnaFilePath"), "{notices:?}");
        assert!(node.status().contains("DNA_UNREADABLE"));
        assert!(node.open(&path, false, String::new).1.is_empty());
        std::fs::write(&file, "not a DNA").expect("written");
        assert_eq!(node.open(&path, false, String::new).1.len(), 1);
        assert!(node.open(&path, false, String::new).1.is_empty());
    }
}
