//! From checked meshes to joint positions and filled meshes, head and body together.

use mhrig_archetype::{Archetype, Part, PartKind};
use mhrig_fit::{
    AccuracyTable, Character, Constraint, ConstraintKind, FilledMesh, FitError, FitOptions, FitTemplate,
    Placement, Strategy, StrategySet, Targets, TemplateMesh, TemplateSettings, fill_from_skin,
    local_translations, measure_accuracy, world_positions,
};
use mhrig_report::{Finding, Job, Refused, Severity};
use mhrig_scene::SceneMesh;
use nalgebra::Vector3;
use serde::Serialize;

use crate::joints_csv::Truth;
use crate::report::Stop;

/// A part of the archetype, prepared for fitting.
pub(crate) struct PartTemplate<'a> {
    pub(crate) part: &'a Part,
    pub(crate) template: FitTemplate,
}

impl<'a> PartTemplate<'a> {
    pub(crate) fn new(archetype: &Archetype, part: &'a Part) -> Result<Self, Stop> {
        let meshes = part.lod0_meshes().iter().filter_map(|&mesh| part.neutral.meshes.get(mesh));
        let meshes = meshes.map(|mesh| TemplateMesh {
            name: mesh.name.clone(),
            mesh: mesh.mesh.clone(),
            skin: mesh.skin.clone(),
        });
        let foreign_joints = match part.kind {
            PartKind::Body => Vec::new(),
            PartKind::Head => {
                let shared = archetype.shared_joints().into_iter();
                shared.map(|(joint, _)| part.neutral.hierarchy.name(joint).to_owned()).collect()
            }
        };
        let settings = TemplateSettings {
            mapping: part.mapping.clone(),
            eyes: part.settings.eyes.clone(),
            chains: part.settings.chains.clone(),
            foreign_joints,
        };
        let (hierarchy, pose) = (part.neutral.hierarchy.clone(), &part.neutral.pose);
        let template = FitTemplate::new(hierarchy, pose, meshes.collect(), &settings).map_err(|invalid| {
            Stop::Refused(Refused { findings: invalid.findings(&part.dna_file.display().to_string()) })
        })?;
        Ok(Self { part, template })
    }
}

/// Where one part's joints went, and the meshes that go with them.
pub(crate) struct PlacedPart {
    pub(crate) placement: Placement,
    /// Local translation per joint as it is stored, cm.
    pub(crate) local: Vec<[f32; 3]>,
    /// World position per joint as the stored translations give it, cm.
    pub(crate) world: Vec<Vector3<f64>>,
    /// The placement had there been no constraint from the other part.
    pub(crate) unconstrained: Option<Placement>,
}

/// How joints are placed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacingOptions {
    pub(crate) fit: FitOptions,
    /// Whether the body's shared joints are hard constraints of the head.
    pub(crate) shared_constraint: bool,
    /// Whether the head is also fitted without them, for comparison.
    pub(crate) compare_unconstrained: bool,
}

/// The vertex positions of one part's meshes, paired with its template.
pub(crate) fn part_targets<'m>(
    part: &PartTemplate<'_>,
    meshes: &[(&'m str, &'m SceneMesh)],
) -> Result<Targets<'m>, Stop> {
    let given = meshes.iter().map(|(name, mesh)| (*name, mesh.mesh.positions.as_slice()));
    part.template.targets(given).map_err(|findings| Stop::Refused(Refused { findings }))
}

/// A character to be placed: its parts, and what was given of each.
pub(crate) struct Evidence<'a> {
    pub(crate) character: &'a Character<'a>,
    pub(crate) targets: &'a [Targets<'a>],
}

/// Fits part `number`, with the joints `held` where the user wants them. `body` is the body's template and result, when the head is to follow it.
pub(crate) fn place(
    part: &PartTemplate<'_>,
    number: usize,
    evidence: &Evidence<'_>,
    held: &[Constraint],
    body: Option<(&PartTemplate<'_>, &PlacedPart)>,
    options: &PlacingOptions,
    job: Job<'_>,
) -> Result<PlacedPart, Stop> {
    let targets: Vec<&Targets<'_>> = evidence.targets.iter().collect();
    let shared = body.map(|(body, placed)| Shared::new(part, body, placed));
    let constraints = shared.as_ref().map_or(&[][..], |shared| &shared.constraints);
    // What the user says of a shared joint the body has obeyed, and the head has to take the same bits.
    let is_free = |held: &&Constraint| constraints.iter().all(|shared| shared.joint != held.joint);
    let all: Vec<Constraint> = constraints.iter().chain(held.iter().filter(is_free)).copied().collect();
    let run = |constraints: &[Constraint]| {
        let character = evidence.character;
        character.fit_part(number, &targets, constraints, &options.fit, job).map_err(fit_error)
    };
    let placement = run(&all)?;
    let unconstrained =
        if options.compare_unconstrained && !constraints.is_empty() { Some(run(held)?) } else { None };
    let (hierarchy, rotations) = (part.template.hierarchy(), part.template.local_rotations());
    let pinned = shared.as_ref().map_or(&[][..], |shared| &shared.pinned);
    let local = local_translations(hierarchy, rotations, &placement.positions(), pinned);
    let world = world_positions(hierarchy, rotations, &local);
    Ok(PlacedPart { placement, local, world, unconstrained })
}

/// What the body demands of the head.
struct Shared {
    constraints: Vec<Constraint>,
    /// Stored translations of shared joints below a shared joint: the head takes the body's bits.
    pinned: Vec<Option<[f32; 3]>>,
}

impl Shared {
    fn new(head: &PartTemplate<'_>, body: &PartTemplate<'_>, placed: &PlacedPart) -> Self {
        let (ours, theirs) = (head.template.hierarchy(), body.template.hierarchy());
        let pairs = mhrig_fit::shared_joints(ours, theirs);
        let constraint = |&(joint, in_body): &(mhrig_geom::JointId, mhrig_geom::JointId)| Constraint {
            joint,
            position: placed.world[in_body.index()],
            kind: ConstraintKind::Shared,
        };
        let mut pinned = vec![None; ours.len()];
        for &(joint, in_body) in &pairs {
            // The same local translation puts a joint in the same place only under the same parent.
            let parents = ours.parent(joint).zip(theirs.parent(in_body));
            if parents.is_some_and(|(a, b)| pairs.contains(&(a, b))) {
                pinned[joint.index()] = Some(placed.local[in_body.index()]);
            }
        }
        Self { constraints: pairs.iter().map(constraint).collect(), pinned }
    }
}

pub(crate) fn fit_error(error: FitError) -> Stop {
    match error {
        FitError::Cancelled(cancelled) => Stop::Cancelled(cancelled),
        error => Stop::from(Finding::new(
            "FIT",
            Severity::Error,
            "joint placement",
            error.to_string(),
            "check the meshes against the archetype with `mhrig check`",
        )),
    }
}

/// A decorative mesh that was not given and was made from its skin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilledReport {
    /// The mesh.
    pub mesh: String,
    /// Share of its vertices that have skin weights of their own, 0 to 1.
    pub coverage: f64,
    /// Vertices that moved with the mean of the others for want of weights.
    pub uncovered: usize,
}

/// A mesh to be written: its number in the DNA and its positions.
pub(crate) struct NewMesh {
    pub(crate) mesh: usize,
    pub(crate) positions: Vec<[f32; 3]>,
}

/// What missing meshes are made from.
pub(crate) struct Fill<'a> {
    pub(crate) strategies: StrategySet,
    pub(crate) character: &'a Character<'a>,
    pub(crate) number: usize,
    pub(crate) targets: &'a Targets<'a>,
}

impl Fill<'_> {
    fn make(&self, part: &PartTemplate<'_>, mesh: usize, placed: &PlacedPart) -> Option<FilledMesh> {
        let warped = match self.strategies {
            StrategySet::Best => self.character.fill_by_warp(self.number, mesh, self.targets),
            StrategySet::Seed => None,
        };
        warped.or_else(|| fill_from_skin(&part.template, mesh, &placed.placement.positions()))
    }
}

/// The meshes of a part as they go into the DNA: the given ones, and the filled ones where `fill` says so.
pub(crate) fn new_meshes(
    part: &PartTemplate<'_>,
    meshes: &[(&str, &SceneMesh)],
    placed: &PlacedPart,
    fill: Option<Fill<'_>>,
) -> (Vec<NewMesh>, Vec<FilledReport>) {
    let mut new = Vec::new();
    let mut filled = Vec::new();
    for (slot, &mesh) in part.part.lod0_meshes().iter().enumerate() {
        let Some(neutral) = part.part.neutral.meshes.get(mesh) else { continue };
        let given = meshes.iter().find(|(name, _)| *name == neutral.name);
        if let Some((_, given)) = given {
            new.push(NewMesh { mesh, positions: given.mesh.positions.clone() });
        } else if let Some(made) = fill.as_ref().and_then(|fill| fill.make(part, slot, placed)) {
            filled.push(FilledReport {
                mesh: neutral.name.clone(),
                coverage: made.coverage,
                uncovered: made.uncovered,
            });
            new.push(NewMesh { mesh, positions: made.positions });
        }
    }
    (new, filled)
}

/// Where one joint went and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointLine {
    /// Its name.
    pub name: String,
    /// Head or body.
    pub part: &'static str,
    /// The strategy that placed it.
    pub strategy: &'static str,
    /// What exactly placed it.
    pub rule: String,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// How many vertices or joints the position rests on.
    pub evidence: usize,
    /// By how much that evidence disagrees, cm.
    pub residual_cm: f64,
    /// Whether the archetype expects an artist to place it; what placed it here is an estimate, or the user's word.
    pub placed_by_hand: bool,
    /// World position, cm, Y up.
    pub position: [f32; 3],
    /// Distance to the true place, cm, where the truth was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// How many joints a strategy placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StrategyCount {
    /// The strategy.
    pub strategy: &'static str,
    /// Joints.
    pub joints: usize,
}

/// Joints per strategy, in order of priority.
pub(crate) fn strategy_counts(placement: &Placement) -> Vec<StrategyCount> {
    let mut strategies: Vec<Strategy> = placement.joints.iter().map(|joint| joint.strategy()).collect();
    strategies.sort_unstable();
    let runs = strategies.chunk_by(|a, b| a == b);
    runs.map(|run| StrategyCount { strategy: run[0].label(), joints: run.len() }).collect()
}

/// The accuracy of a fit, where the truth is known for any of its joints.
pub(crate) fn accuracy(part: &PartTemplate<'_>, placed: &PlacedPart, truth: &Truth) -> Option<AccuracyTable> {
    let names = part.template.hierarchy().names();
    let truth: Vec<_> = names.iter().map(|name| truth.0.get(name).copied()).collect();
    if truth.iter().all(Option::is_none) {
        return None;
    }
    let mut table = measure_accuracy(&part.template, &placed.placement, &truth);
    table.total_without_shared_constraint = placed
        .unconstrained
        .as_ref()
        .map(|placement| measure_accuracy(&part.template, placement, &truth).total);
    Some(table)
}

/// The report lines of a part's joints; `by_hand` are those that the archetype leaves to artists.
pub(crate) fn joint_lines(
    part: &PartTemplate<'_>,
    by_hand: &[String],
    placed: &PlacedPart,
    accuracy: Option<&AccuracyTable>,
) -> Vec<JointLine> {
    let joints = placed.placement.joints.iter().zip(&placed.world).enumerate();
    let line = |(joint, (placement, world)): (usize, (&mhrig_fit::JointPlacement, &Vector3<f64>))| {
        let position: [f64; 3] = (*world).into();
        JointLine {
            name: part.template.hierarchy().names()[joint].clone(),
            part: part_name(part.part.kind),
            strategy: placement.strategy().label(),
            rule: placement.rule.describe(&part.template),
            confidence: placement.confidence,
            evidence: placement.evidence,
            residual_cm: placement.residual_cm,
            placed_by_hand: by_hand.contains(&part.template.hierarchy().names()[joint]),
            position: position.map(|c| c as f32),
            error: accuracy.and_then(|table| table.errors_cm.get(joint).copied().flatten()),
        }
    };
    joints.map(line).collect()
}

pub(crate) fn part_name(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Head => "head",
        PartKind::Body => "body",
    }
}
