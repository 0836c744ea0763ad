use std::collections::BTreeMap;
use std::path::PathBuf;

use mhrig_fit::{AccuracyTable, FitOptions};
use mhrig_report::Job;
use serde::Serialize;

use crate::build::ArchetypeId;
use crate::files::OutputSet;
use crate::held::UserJoints;
use crate::joints_csv::{Truth, write_joints_csv};
use crate::meshes::MeshSource;
use crate::parts::Parts;
use crate::person::{
    PersonRequest, Rig, character, load_archetype, load_meshes, note_unknown_truth, place_person, prepare,
};
use crate::placing::{
    JointLine, PlacingOptions, StrategyCount, accuracy, joint_lines, part_name, strategy_counts,
};
use crate::report::{Recorder, Report, Stop};

/// Asks for the joints of a person.
#[derive(Clone, Debug)]
pub struct FitRequest {
    /// The archetype folder.
    pub archetype: PathBuf,
    /// The person's meshes.
    pub meshes: MeshSource,
    /// Which parts.
    pub parts: Parts,
    /// How joints are placed.
    pub fit: FitOptions,
    /// Joints that the user places.
    pub joints: UserJoints,
    /// Whether the body's shared joints are hard constraints of the head.
    pub shared_constraint: bool,
    /// The true joints, to measure against.
    pub truth: Option<PathBuf>,
    /// Where to write the joints; nowhere by default.
    pub output: Option<PathBuf>,
    /// Whether an existing output may be replaced.
    pub force: bool,
}

impl Default for FitRequest {
    fn default() -> Self {
        Self {
            archetype: PathBuf::new(),
            meshes: MeshSource::default(),
            parts: Parts::default(),
            fit: FitOptions::default(),
            joints: UserJoints::default(),
            shared_constraint: true,
            truth: None,
            output: None,
            force: false,
        }
    }
}

/// What a fit has to say.
#[derive(Clone, Debug, Serialize)]
pub struct FitDetails {
    /// Which archetype was used.
    pub archetype: ArchetypeId,
    /// Joints per strategy, by part.
    pub strategies: BTreeMap<&'static str, Vec<StrategyCount>>,
    /// Errors against the truth, by part, where it was given.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub accuracy: BTreeMap<&'static str, AccuracyTable>,
    /// Every joint, head first.
    pub joints: Vec<JointLine>,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

/// Places the joints of a person and, where the truth is given, measures how well.
pub fn fit(request: &FitRequest, job: Job<'_>) -> Report<FitDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &FitRequest, recorder: &mut Recorder<'_>) -> Result<FitDetails, Stop> {
    let mut outputs = OutputSet::new(request.force);
    if let Some(output) = &request.output {
        outputs.check_target(output)?;
    }
    let truth = request.truth.as_deref().map(Truth::read).transpose()?;
    let archetype = load_archetype(&request.archetype, recorder)?;
    let loaded = load_meshes(&request.meshes, recorder)?;
    let templates = prepare(&archetype, request.parts, recorder)?;
    let placing = PlacingOptions {
        fit: request.fit,
        shared_constraint: request.shared_constraint,
        compare_unconstrained: truth.is_some(),
    };
    let person = PersonRequest { placing, joints: &request.joints, fill_missing: true };
    let character = character(&archetype, &templates);
    let rig = Rig { templates: &templates, character: &character };
    let parts = place_person(&person, rig, &loaded, recorder)?.parts;
    if let (Some(truth), Some(file)) = (&truth, &request.truth) {
        note_unknown_truth(truth, &parts, &file.display().to_string(), &mut recorder.findings);
    }
    let mut details = FitDetails {
        archetype: ArchetypeId::of(&archetype),
        strategies: BTreeMap::new(),
        accuracy: BTreeMap::new(),
        joints: Vec::new(),
        outputs: Vec::new(),
    };
    for part in &parts {
        let name = part_name(part.template.part.kind);
        let table = truth.as_ref().and_then(|truth| accuracy(part.template, &part.placed, truth));
        details.strategies.insert(name, strategy_counts(&part.placed.placement));
        details.joints.extend(joint_lines(
            part.template,
            &archetype.settings.user_defined_joints,
            &part.placed,
            table.as_ref(),
        ));
        details.accuracy.extend(table.map(|table| (name, table)));
    }
    if let Some(output) = &request.output {
        let text = write_joints_csv(unique_joints(&details.joints));
        recorder.stage("write", |_, job| {
            outputs.add(output, |file| file.write_all(text.as_bytes()))?;
            job.check()?;
            details.outputs = outputs.commit()?;
            Ok(())
        })?;
    }
    Ok(details)
}

/// Every joint once: shared joints are the body's.
fn unique_joints(joints: &[JointLine]) -> impl Iterator<Item = (&str, [f32; 3])> {
    let is_repeated = |line: &JointLine| {
        line.part == "head" && joints.iter().any(|other| other.part == "body" && other.name == line.name)
    };
    let unique = joints.iter().filter(move |line| !is_repeated(line));
    unique.map(|line| (line.name.as_str(), line.position))
}
