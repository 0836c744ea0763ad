//! What a DNA file holds.

mod controls;
mod geometry;
mod joints;
mod solvers;
mod tables;

use std::path::{Path, PathBuf};

use mhrig_dna::{Dna, direction, rotation_unit, translation_unit};
use mhrig_report::Job;
use serde::Serialize;

use crate::dna_file::{notes, read_what_is_known, unreadable};
use crate::report::{Recorder, Report, Stop};

pub use controls::{
    ControlSources, ControlUses, InspectChannel, InspectControl, InspectCorrective, InspectExpression,
    InspectGuiRow, InspectJointValues, InspectMap, WeightedControl,
};
pub use geometry::{InspectLod, InspectMesh, InspectPart, InspectSize};
pub use joints::InspectJoint;
pub use solvers::{InspectPose, InspectSolver};

/// Asks what a DNA file holds.
#[derive(Clone, Debug, Default)]
pub struct InspectRequest {
    /// The file.
    pub file: PathBuf,
    /// What to look at closely; the overview alone when there is nothing here and in `expressions`.
    pub views: Vec<InspectView>,
    /// Controls to look at closely: names of raw controls, with or without what stands before their dot, of GUI
    /// controls or of blend shape channels; `psd` and a number for a corrective.
    pub expressions: Vec<String>,
}

/// A part of a file to look at closely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InspectView {
    /// The tree of joints with local and world positions.
    Joints,
    /// The meshes.
    Meshes,
    /// The controls with who drives them and what they drive.
    Controls,
    /// The correctives.
    Psd,
    /// The RBF solvers with their poses.
    Rbf,
    /// What belongs to each LOD.
    Lods,
    /// Bytes per layer.
    Sizes,
}

/// What a DNA file holds.
#[derive(Clone, Debug, Serialize)]
pub struct InspectDetails {
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its file version, such as `2.5`.
    pub version: String,
    /// Name of the character; not reliable in files as they come.
    pub name: String,
    /// Rig definition, such as `MH.6`.
    pub db_name: String,
    /// Name of the control interface.
    pub complexity: String,
    /// Key and value pairs in file order.
    pub metadata: Vec<(String, String)>,
    /// Unit of translations and positions.
    pub translation_unit: String,
    /// Unit of rotations.
    pub rotation_unit: String,
    /// Directions of the axes x, y and z.
    pub axes: [String; 3],
    /// Layers in file order, with their versions: `geom1.1`. Empty for 2.1 files, which have fixed sections.
    pub layers: Vec<String>,
    /// How much of everything there is, in an order that does not change.
    pub counts: Vec<InspectCount>,
    /// Meshes with their sizes.
    pub meshes: Vec<InspectMesh>,
    /// LODs with what belongs to them.
    pub lods: Vec<InspectLod>,
    /// The joints, those above others first, as far as they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<Vec<InspectJoint>>,
    /// The controls, correctives aside, as far as they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controls: Option<Vec<InspectControl>>,
    /// The correctives, as far as they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correctives: Option<Vec<InspectCorrective>>,
    /// The RBF solvers, as far as they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solvers: Option<Vec<InspectSolver>>,
    /// Bytes per layer, as far as they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<InspectSize>>,
    /// The controls that were asked for by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expressions: Vec<InspectExpression>,
    /// What was asked for.
    #[serde(skip)]
    pub views: Vec<InspectView>,
}

/// One number of [`InspectDetails::counts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InspectCount {
    /// What is counted, in the plural.
    pub what: &'static str,
    /// How many there are.
    pub count: usize,
}

/// Says what a DNA file holds. A file of a newer version than the known ones is read as far as it is understood.
pub fn inspect(request: &InspectRequest, job: Job<'_>) -> Report<InspectDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &InspectRequest, recorder: &mut Recorder<'_>) -> Result<InspectDetails, Stop> {
    let file = request.file.as_path();
    let (dna, bytes) = recorder.stage("read", |findings, _| {
        let (dna, read_notes) = read_what_is_known(file, findings)?;
        findings.extend(notes(file, &read_notes));
        let bytes = std::fs::metadata(file).map_err(|error| unreadable(file, &error.into()))?.len();
        Ok((dna, bytes))
    })?;
    recorder.stage("inspect", |_, job| {
        let mut details = overview(file, bytes, &dna);
        details.views = request.views.clone();
        for view in &request.views {
            job.check()?;
            match view {
                InspectView::Joints => details.joints = Some(joints::tree(&dna)),
                InspectView::Controls => details.controls = Some(controls::controls(&dna)),
                InspectView::Psd => details.correctives = Some(controls::correctives(&dna)),
                InspectView::Rbf => details.solvers = Some(solvers::solvers(&dna)),
                InspectView::Sizes => details.sizes = Some(geometry::sizes(&dna, bytes)),
                // Part of the overview.
                InspectView::Meshes | InspectView::Lods => {}
            }
        }
        for name in &request.expressions {
            for control in controls::find(&dna, name).map_err(|message| controls::unknown(file, message))? {
                details.expressions.push(controls::expression(&dna, control));
            }
        }
        Ok(details)
    })
}

fn overview(file: &Path, bytes: u64, dna: &Dna) -> InspectDetails {
    let descriptor = &dna.descriptor;
    let axes = &descriptor.coordinate_system;
    let pair = |(key, value): &(mhrig_dna::Text, mhrig_dna::Text)| (key.to_string(), value.to_string());
    InspectDetails {
        file: file.to_owned(),
        bytes,
        version: dna.version.to_string(),
        name: descriptor.name.to_string(),
        db_name: descriptor.db_name.to_string(),
        complexity: descriptor.complexity.to_string(),
        metadata: descriptor.metadata.iter().map(pair).collect(),
        translation_unit: translation_unit_name(descriptor.translation_unit),
        rotation_unit: word(
            descriptor.rotation_unit,
            &[(rotation_unit::DEGREES, "degrees"), (rotation_unit::RADIANS, "radians")],
        ),
        axes: [axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| word(axis, &DIRECTIONS)),
        layers: dna.layers.iter().map(mhrig_dna::Layer::name).collect(),
        counts: dna
            .counts()
            .into_iter()
            .map(|count| InspectCount { what: count.what, count: count.count })
            .collect(),
        meshes: geometry::meshes(dna),
        lods: geometry::lods(dna),
        joints: None,
        controls: None,
        correctives: None,
        solvers: None,
        sizes: None,
        expressions: Vec::new(),
        views: Vec::new(),
    }
}

const DIRECTIONS: [(u16, &str); 6] = [
    (direction::LEFT, "left"),
    (direction::RIGHT, "right"),
    (direction::UP, "up"),
    (direction::DOWN, "down"),
    (direction::FRONT, "front"),
    (direction::BACK, "back"),
];

/// The unit of positions as a word.
pub(crate) fn translation_unit_name(unit: u16) -> String {
    word(unit, &[(translation_unit::CM, "cm"), (translation_unit::M, "m")])
}

/// The word for a value; the number itself for one without a known meaning.
fn word(value: u16, words: &[(u16, &str)]) -> String {
    let known = words.iter().find(|(known, _)| *known == value);
    known.map_or_else(|| format!("unknown ({value})"), |(_, word)| (*word).to_owned())
}

/// Name of an item, or its number where there is none.
fn name_at(names: &[mhrig_dna::Text], index: usize) -> String {
    names.get(index).map_or_else(|| format!("#{index}"), ToString::to_string)
}

/// LODs in which `item` is a member, for each item.
fn lods_of_items(mapping: &mhrig_dna::LodMapping, lod_count: u16, items: usize) -> Vec<Vec<u16>> {
    let mut lods: Vec<Vec<u16>> = vec![Vec::new(); items];
    for lod in 0..lod_count {
        for &item in mapping.members(usize::from(lod)) {
            if let Some(lods) = lods.get_mut(usize::from(item))
                && lods.last() != Some(&lod)
            {
                lods.push(lod);
            }
        }
    }
    lods
}

#[cfg(test)]
mod tests {
    use mhrig_report::{Cancel, Silent};

    use super::*;
    use crate::report::Status;

    fn inspected(file: &Path) -> Report<InspectDetails> {
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        inspect(&InspectRequest { file: file.to_owned(), ..InspectRequest::default() }, job)
    }

    #[test]
    fn says_what_is_in_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("角色 é.dna");
        std::fs::write(&file, Dna::new(mhrig_dna::FileVersion::new(5)).to_bytes().unwrap()).unwrap();
        let report = inspected(&file);
        assert_eq!(report.status, Status::Ok);
        let details = report.details.unwrap();
        assert_eq!(details.version, "2.5");
        assert!(details.layers.iter().any(|layer| layer.starts_with("geom")));
        assert!(details.counts.iter().any(|count| count.what == "joints" && count.count == 0));
    }

    #[test]
    fn says_what_is_no_dna_file_and_what_is_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dna");
        for content in [None, Some("PK\u{3}\u{4}")] {
            if let Some(content) = content {
                std::fs::write(&file, content).unwrap();
            }
            let report = inspected(&file);
            assert_eq!(report.status, Status::Refused);
            assert_eq!(report.findings[0].code, "DNA_UNREADABLE");
            assert!(!report.findings[0].remedy.is_empty());
        }
    }
}
