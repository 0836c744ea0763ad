use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mhrig_archetype::{Archetype, PartKind};
use mhrig_calib::expressions::{ExpressionMode, ExpressionSettings, JointMatch, MatchOptions};
use mhrig_calib::{
    CalibError, FileFrame, Inventory, MeshPositions, MeshWeights, NeutralInput, NeutralOptions, NeutralPlan,
    NeutralReport, PruneReport, PruneThresholds, Retention, SeamPlan, SeamReport, WeightPolicy, WeightReport,
};
use mhrig_dna::Dna;
use mhrig_fit::{AccuracyTable, FitOptions, PartDistance, part_distances};
use mhrig_report::{Finding, Job, Refused, Severity};
use mhrig_scene::SceneMesh;
use rayon::prelude::*;
use serde::Serialize;

use crate::expressions::expression_settings;
use crate::files::OutputSet;
use crate::held::UserJoints;
use crate::joints_csv::Truth;
use crate::meshes::MeshSource;
use crate::motion::{self, MotionProof};
use crate::parts::Parts;
use crate::person::{PersonRequest, Rig, character, load_archetype, load_meshes, place_person, prepare};
use crate::placing::{
    Fill, FilledReport, JointLine, NewMesh, PartTemplate, PlacingOptions, StrategyCount, accuracy,
    joint_lines, new_meshes, part_name, strategy_counts,
};
use crate::record::{FileHash, RunRecord};
use crate::repair::{RepairedReport, auto_repair};
use crate::report::{Blame, Recorder, Report, Stop};
use crate::weights::{load_skins, scene_weights};

/// Up to this distance border vertices of head and body count as coincident in the template, cm.
pub(crate) const SEAM_TOLERANCE_CM: f64 = 1e-3;
/// A gap of the seam that is wider is no rounding but two parts that do not belong together, cm.
pub(crate) const SEAM_LIMIT_CM: f64 = 0.05;

/// Asks for the DNA files of a person.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// The archetype folder.
    pub archetype: PathBuf,
    /// The person's meshes.
    pub meshes: MeshSource,
    /// Where the files go.
    pub out_dir: PathBuf,
    /// Name of the person: files are called `<name>_head.dna`, `<name>_body.dna`, `<name>_report.json`.
    pub name: String,
    /// Which parts.
    pub parts: Parts,
    /// Whether meshes are repaired where that changes no position.
    pub auto_repair: bool,
    /// Whether missing decorative meshes are made from their skin.
    pub fill_missing: bool,
    /// How joints are placed.
    pub fit: FitOptions,
    /// Joints that the user places.
    pub joints: UserJoints,
    /// Whether the body's shared joints are hard constraints of the head.
    pub shared_constraint: bool,
    /// The true joints, to measure against.
    pub truth: Option<PathBuf>,
    /// What becomes of the expressions.
    pub expressions: ExpressionMode,
    /// Whether every expression gets joint values that explain as much of its sculpt as joints can.
    pub match_joints: bool,
    /// Where the skin weights come from.
    pub weights: WeightPolicy,
    /// Whether small expression deltas are dropped, by the archetype's thresholds.
    pub prune: bool,
    /// Whether existing files may be replaced.
    pub force: bool,
}

impl Default for BuildRequest {
    fn default() -> Self {
        Self {
            archetype: PathBuf::new(),
            meshes: MeshSource::default(),
            out_dir: PathBuf::new(),
            name: String::new(),
            parts: Parts::default(),
            fill_missing: true,
            fit: FitOptions::default(),
            joints: UserJoints::default(),
            auto_repair: false,
            shared_constraint: true,
            truth: None,
            expressions: ExpressionMode::default(),
            match_joints: false,
            weights: WeightPolicy::default(),
            prune: true,
            force: false,
        }
    }
}

/// Which archetype a job used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArchetypeId {
    /// Its name.
    pub name: String,
    /// SHA-256 of its files.
    pub hash: String,
}

impl ArchetypeId {
    pub(crate) fn of(archetype: &Archetype) -> Self {
        Self { name: archetype.settings.name.clone(), hash: archetype.hash.clone() }
    }
}

/// What a build has to say.
#[derive(Clone, Debug, Serialize)]
pub struct BuildDetails {
    /// Which archetype was used.
    pub archetype: ArchetypeId,
    /// Name of the person.
    pub name: String,
    /// Joints per strategy, by part.
    pub strategies: BTreeMap<&'static str, Vec<StrategyCount>>,
    /// Errors against the truth, by part, where it was given.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub accuracy: BTreeMap<&'static str, AccuracyTable>,
    /// Meshes that were repaired, with what was done to them.
    pub repaired: Vec<RepairedReport>,
    /// Decorative meshes that were made from their skin.
    pub filled: Vec<FilledReport>,
    /// Distances between the meshes of a part, against the archetype's.
    pub distances: Vec<PartDistance>,
    /// How the result moves, by part.
    pub motion: BTreeMap<&'static str, MotionProof>,
    /// What became of the expressions.
    pub expressions: ExpressionMode,
    /// Where the skin weights come from.
    pub weights: WeightPolicy,
    /// How much of the expressions is left, by part.
    pub retention: BTreeMap<&'static str, Retention>,
    /// What became of each part.
    pub parts: BTreeMap<&'static str, PartResult>,
    /// The border of head and body, LOD by LOD.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seam: Vec<SeamReport>,
    /// Every joint, head first.
    pub joints: Vec<JointLine>,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
    /// What the person was made from and what came out, where a later run has to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RunRecord>,
}

/// What became of one part.
#[derive(Clone, Debug, Serialize)]
pub struct PartResult {
    /// What was changed, layer by layer.
    pub update: NeutralReport,
    /// Size of the DNA file in bytes.
    pub bytes: usize,
}

impl PartResult {
    /// What pruning took; `None` when it was off.
    pub fn pruned(&self) -> Option<&PruneReport> {
        self.update.pruned.as_ref()
    }

    /// How much of each expression joints explain; empty when they were not matched.
    pub fn matched(&self) -> &[JointMatch] {
        self.update.matched.as_ref().map_or(&[], |report| &report.matched)
    }

    /// What became of the skin weights that were set; the others are the template's.
    pub fn weights(&self) -> &[WeightReport] {
        &self.update.weights
    }
}

/// Builds the DNA files of a person.
pub fn build(request: &BuildRequest, job: Job<'_>) -> Report<BuildDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &BuildRequest, recorder: &mut Recorder<'_>) -> Result<BuildDetails, Stop> {
    let targets = PersonFiles::of(request)?;
    targets.check(request)?;
    let mut archetype = load_archetype(&request.archetype, recorder)?;
    let updating = Updating::new(request, &archetype, &mut recorder.findings)?;
    let (details, changes) = {
        let templates = prepare(&archetype, request.parts, recorder)?;
        let character = character(&archetype, &templates);
        plan(request, &archetype, Rig { templates: &templates, character: &character }, recorder)?
    };
    // From here on the template DNA becomes the person's: it is not copied.
    let take = |change: Change| {
        let part = match change.kind {
            PartKind::Head => archetype.head.take(),
            PartKind::Body => archetype.body.take(),
        };
        part.map(|part| Edit::new(change, part.dna))
    };
    let edits = changes.into_iter().filter_map(take).collect();
    finish(request, &targets, &updating, details, edits, recorder)
}

/// Builds one of many people of an archetype, whose template DNA is copied. `record` is kept in the report, with the
/// files that were written.
pub(crate) fn build_with(
    request: &BuildRequest,
    archetype: &Archetype,
    rig: Rig<'_>,
    record: RunRecord,
    recorder: &mut Recorder<'_>,
) -> Result<BuildDetails, Stop> {
    let targets = PersonFiles::of(request)?;
    targets.check(request)?;
    recorder.findings.extend(archetype.findings.iter().cloned());
    let updating = Updating::new(request, archetype, &mut recorder.findings)?;
    let (mut details, changes) = plan(request, archetype, rig, recorder)?;
    details.record = Some(record);
    let copy = |change: Change| {
        let part = archetype.parts().find(|part| part.kind == change.kind);
        part.map(|part| Edit::new(change, part.dna.clone()))
    };
    let edits = changes.into_iter().filter_map(copy).collect();
    finish(request, &targets, &updating, details, edits, recorder)
}

/// Where the files of a person go.
pub(crate) struct PersonFiles {
    pub(crate) report: PathBuf,
    /// Head first, wanted or not.
    dna: [(PartKind, PathBuf); 2],
}

impl PersonFiles {
    pub(crate) fn of(request: &BuildRequest) -> Result<Self, Stop> {
        check_name(&request.name)?;
        let file = |suffix: &str| request.out_dir.join(format!("{}_{suffix}", request.name));
        let dna = [PartKind::Head, PartKind::Body].map(|kind| (kind, file(&format!("{kind}.dna"))));
        Ok(Self { report: file("report.json"), dna })
    }

    pub(crate) fn all_dna(&self) -> impl Iterator<Item = &Path> {
        self.dna.iter().map(|(_, file)| file.as_path())
    }

    fn dna(&self, kind: PartKind) -> &Path {
        let [(_, head), (_, body)] = &self.dna;
        if kind == PartKind::Head { head } else { body }
    }

    /// Refuses targets that must not be written, before any work is done.
    fn check(&self, request: &BuildRequest) -> Result<(), Stop> {
        let outputs = OutputSet::new(request.force);
        outputs.check_target(&self.report)?;
        let mut wanted = self.dna.iter().filter(|(kind, _)| request.parts.includes(*kind));
        wanted.try_for_each(|(_, file)| outputs.check_target(file))
    }
}

/// How the parts become a person's.
struct Updating {
    options: NeutralOptions,
    settings: ExpressionSettings,
}

impl Updating {
    fn new(request: &BuildRequest, archetype: &Archetype, findings: &mut Vec<Finding>) -> Result<Self, Stop> {
        let pruning = archetype.settings.pruning;
        let thresholds = PruneThresholds {
            blend_shape_cm: pruning.blend_shape_cm,
            joint_translation_cm: pruning.joint_translation_cm,
            joint_rotation_deg: pruning.joint_rotation_deg,
            joint_scale: pruning.joint_scale,
            ..PruneThresholds::default()
        };
        let options = NeutralOptions {
            expressions: request.expressions,
            matching: request.match_joints.then(MatchOptions::default),
            weights: request.weights,
            prune: request.prune.then_some(thresholds),
            ..NeutralOptions::default()
        };
        Ok(Self { options, settings: expression_settings(archetype, findings)? })
    }
}

/// What becomes of one part's template DNA.
struct Change {
    kind: PartKind,
    local: Vec<[f32; 3]>,
    meshes: Vec<NewMesh>,
    weights: Vec<MeshWeights>,
}

/// The first half of a build: what there is to say of the person, and what has to be changed.
fn plan(
    request: &BuildRequest,
    archetype: &Archetype,
    rig: Rig<'_>,
    recorder: &mut Recorder<'_>,
) -> Result<(BuildDetails, Vec<Change>), Stop> {
    let truth = request.truth.as_deref().map(Truth::read).transpose()?;
    let mut loaded = load_meshes(&request.meshes, recorder)?;
    let mut repaired = Vec::new();
    if request.auto_repair {
        (loaded, repaired) =
            recorder.stage("repair", |findings, job| auto_repair(rig.templates, loaded, findings, job))?;
    }
    let skins = match request.weights {
        WeightPolicy::Scene => recorder.stage("weights", |_, job| load_skins(&request.meshes, job))?,
        _ => Vec::new(),
    };
    if let Some(mesh) = repaired.first().filter(|_| !skins.is_empty()) {
        // The scene's weights are those of vertices under their old numbers.
        let message = "the mesh was repaired, so that weights painted in the scene belong to other vertices";
        let remedy =
            "build with the template's weights, or repair the mesh in the scene and leave --auto-repair out";
        return Err(Finding::new("WEIGHTS_REPAIRED", Severity::Error, &mesh.mesh, message, remedy).into());
    }
    let placing = PlacingOptions {
        fit: request.fit,
        shared_constraint: request.shared_constraint,
        compare_unconstrained: truth.is_some(),
    };
    let person = PersonRequest { placing, joints: &request.joints, fill_missing: request.fill_missing };
    let placed = place_person(&person, rig, &loaded, recorder)?;
    let mut details = BuildDetails {
        archetype: ArchetypeId::of(archetype),
        name: request.name.clone(),
        strategies: BTreeMap::new(),
        accuracy: BTreeMap::new(),
        repaired,
        filled: Vec::new(),
        distances: Vec::new(),
        motion: BTreeMap::new(),
        expressions: request.expressions,
        weights: request.weights,
        retention: BTreeMap::new(),
        parts: BTreeMap::new(),
        seam: Vec::new(),
        joints: Vec::new(),
        outputs: Vec::new(),
        record: None,
    };
    let by_hand = &archetype.settings.user_defined_joints;
    let mut changes = Vec::new();
    for (number, (part, targets)) in placed.parts.iter().zip(&placed.targets).enumerate() {
        let kind = part.template.part.kind;
        let strategies = request.fit.strategy_set;
        let fill = Fill { strategies, character: placed.character, number, targets };
        let fill = request.fill_missing.then_some(fill);
        let (meshes, filled) = new_meshes(part.template, &part.meshes, &part.placed, fill);
        details.strategies.insert(part_name(kind), strategy_counts(&part.placed.placement));
        let table = truth.as_ref().and_then(|truth| accuracy(part.template, &part.placed, truth));
        details.joints.extend(joint_lines(part.template, by_hand, &part.placed, table.as_ref()));
        details.accuracy.extend(table.map(|table| (part_name(kind), table)));
        details.filled.extend(filled);
        details.distances.extend(distances(part.template, &meshes, recorder)?);
        let weights = match request.weights {
            WeightPolicy::Scene => {
                let names = given_meshes(part.template, &part.meshes);
                scene_weights(&part.template.part.dna, &names, &skins, &mut recorder.findings)
            }
            _ => Vec::new(),
        };
        changes.push(Change { kind, local: part.placed.local.clone(), meshes, weights });
    }
    Ok((details, changes))
}

/// The second half of a build: the template DNA of `edits` become the person's, are proved and written.
fn finish(
    request: &BuildRequest,
    targets: &PersonFiles,
    updating: &Updating,
    mut details: BuildDetails,
    mut edits: Vec<Edit>,
    recorder: &mut Recorder<'_>,
) -> Result<BuildDetails, Stop> {
    recorder
        .stage("neutral", |findings, job| update(&mut edits, updating, &mut details.seam, findings, job))?;
    details.motion = recorder.stage("motion", |findings, job| {
        let prove =
            |edit: &Edit| Ok((part_name(edit.kind), motion::prove(&edit.dna, part_name(edit.kind), job)?));
        let proofs: Vec<(&'static str, MotionProof)> =
            edits.par_iter().map(prove).collect::<Result<_, Stop>>()?;
        findings.extend(proofs.iter().flat_map(|(_, proof)| proof.findings.iter().cloned()));
        Ok(proofs.into_iter().collect())
    })?;
    recorder.stop_on_errors()?;
    let files = recorder.stage("verify", |_, job| {
        let files: Result<Vec<_>, Stop> = edits.into_par_iter().map(|edit| edit.finish(job)).collect();
        files
    })?;
    for (kind, bytes, update) in &files {
        details.retention.insert(part_name(*kind), update.retention);
        details.parts.insert(part_name(*kind), PartResult { update: update.clone(), bytes: bytes.len() });
        let file = targets.dna(*kind);
        details.outputs.push(file.to_owned());
        if let Some(record) = &mut details.record {
            record.outputs.push(FileHash::of_bytes(file, bytes));
        }
    }
    details.outputs.push(targets.report.clone());
    write(request, targets, files, &details, recorder)?;
    Ok(details)
}

/// How far the meshes of a part are from each other, compared with the archetype.
fn distances(
    part: &PartTemplate<'_>,
    meshes: &[NewMesh],
    recorder: &mut Recorder<'_>,
) -> Result<Vec<PartDistance>, Stop> {
    let named = meshes.iter().filter_map(|new| {
        let name = part.part.neutral.meshes.get(new.mesh)?.name.as_str();
        Some((name, new.positions.as_slice()))
    });
    let targets = part.template.targets(named).map_err(|findings| Stop::Refused(Refused { findings }))?;
    let distances = part_distances(&part.template, &targets, recorder.job)?;
    recorder.findings.extend(distances.iter().filter_map(PartDistance::finding));
    Ok(distances)
}

/// The LOD 0 meshes of a part that were given: number in the DNA, and name in the scene.
fn given_meshes(part: &PartTemplate<'_>, meshes: &[(&str, &SceneMesh)]) -> Vec<(usize, String)> {
    let numbers = part.part.lod0_meshes().iter();
    let name = |&mesh: &usize| {
        let neutral = part.part.neutral.meshes.get(mesh)?;
        let given = meshes.iter().find(|(name, _)| *name == neutral.name)?;
        Some((mesh, given.1.name.clone()))
    };
    numbers.filter_map(name).collect()
}

/// One part on its way from the template to the person.
struct Edit {
    kind: PartKind,
    dna: Dna,
    local: Vec<[f32; 3]>,
    meshes: Vec<NewMesh>,
    weights: Vec<MeshWeights>,
    report: Option<(NeutralReport, Inventory)>,
}

fn update(
    edits: &mut [Edit],
    updating: &Updating,
    seam_reports: &mut Vec<SeamReport>,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<(), Stop> {
    let seam = match &*edits {
        [head, body] => {
            let plan = SeamPlan::from_templates(&head.dna, &body.dna, SEAM_TOLERANCE_CM);
            Some(plan.map_err(|error| calib_stop("head and body", error))?)
        }
        _ => None,
    };
    edits.par_iter_mut().try_for_each(|edit| edit.apply(updating, job))?;
    for edit in &*edits {
        let Some((report, _)) = &edit.report else { continue };
        findings.extend(report.findings.iter().cloned());
        findings.extend(report.weights.iter().flat_map(weight_findings));
    }
    if let (Some(seam), [head, body]) = (seam, edits) {
        let (reports, noticed) = seam
            .apply(&mut head.dna, &mut body.dna, SEAM_LIMIT_CM)
            .map_err(|error| calib_stop("head and body", error))?;
        *seam_reports = reports;
        findings.extend(noticed);
        // The template's own weights stay as they are.
        if updating.options.weights != WeightPolicy::Template {
            seam.share_weights(&mut head.dna, &mut body.dna)
                .map_err(|error| calib_stop("head and body", error))?;
        }
    }
    Ok(())
}

impl Edit {
    fn new(change: Change, dna: Dna) -> Self {
        let Change { kind, local, meshes, weights } = change;
        Self { kind, dna, local, meshes, weights, report: None }
    }

    fn apply(&mut self, updating: &Updating, job: Job<'_>) -> Result<(), Stop> {
        let place = part_name(self.kind);
        let plan = NeutralPlan::from_template(&self.dna, &job).map_err(|error| calib_stop(place, error))?;
        let frame = FileFrame::of(&self.dna.descriptor);
        let local = frame.joint_translations(&self.dna, std::mem::take(&mut self.local));
        let translations: Vec<[f64; 3]> = local.iter().map(|t| t.map(f64::from)).collect();
        for mesh in &mut self.meshes {
            mesh.positions = frame.points(std::mem::take(&mut mesh.positions));
        }
        let given = self.meshes.iter();
        let given: Vec<_> =
            given.map(|new| MeshPositions { mesh: new.mesh, positions_cm: &new.positions }).collect();
        let settings = updating.settings.of_rig(&self.dna);
        let input = NeutralInput {
            joint_translations_cm: Some(&translations),
            meshes: &given,
            weights: &self.weights,
            expressions: Some(&settings),
        };
        let report = plan
            .apply(&mut self.dna, &input, &updating.options, &job)
            .map_err(|error| calib_stop(place, error))?;
        let held = report.held.clone();
        self.report = Some((report, held));
        Ok(())
    }

    /// The bytes of the file, once they were read back and hold what the template held.
    fn finish(self, job: Job<'_>) -> Result<(PartKind, Vec<u8>, NeutralReport), Stop> {
        let place = part_name(self.kind);
        let unsound = |message: String| {
            Stop::from(Finding::new(
                "DNA_UNSOUND",
                Severity::Error,
                place,
                message,
                "this is a fault of the program; please report it with the archetype and the meshes",
            ))
        };
        job.check()?;
        let bytes =
            self.dna.to_bytes().map_err(|error| unsound(format!("the DNA cannot be written: {error}")))?;
        job.check()?;
        let reopened = Dna::from_bytes(&bytes)
            .map_err(|error| unsound(format!("the DNA cannot be read back: {error}")))?;
        job.check()?;
        let Some((report, template)) = self.report else {
            return Err(unsound("the part was not updated".to_owned()));
        };
        let held = Inventory::from_dna(&reopened);
        if held != Inventory::from_dna(&self.dna) {
            return Err(unsound("the DNA read back holds something else than was written".to_owned()));
        }
        template.compare(&held, None, Default::default()).or_else(|error| match error {
            // What pruning may take was accounted for when it was done.
            CalibError::Collapsed { .. } => Ok(Retention::default()),
            error => Err(calib_stop(place, error)),
        })?;
        Ok((self.kind, bytes, report))
    }
}

fn write(
    request: &BuildRequest,
    targets: &PersonFiles,
    files: Vec<(PartKind, Vec<u8>, NeutralReport)>,
    details: &BuildDetails,
    recorder: &mut Recorder<'_>,
) -> Result<(), Stop> {
    let mut outputs = OutputSet::new(request.force);
    let report = recorder.so_far(details);
    recorder.stage("write", |_, job| {
        for (kind, bytes, _) in &files {
            job.check()?;
            outputs.add(targets.dna(*kind), |file| file.write_all(bytes))?;
        }
        // Last of all: a report beside its files says that they are whole.
        outputs.add_json(&targets.report, &report)?;
        job.check()?;
        outputs.commit()?;
        Ok(())
    })
}

/// What setting the weights of a mesh cost.
fn weight_findings(report: &WeightReport) -> Vec<Finding> {
    let mut findings = Vec::new();
    if report.capped > 0 {
        findings.push(
            Finding::new(
                "WEIGHTS_CAP",
                Severity::Info,
                &report.mesh,
                format!(
                    "{} of {} vertices had more influences and lost the smallest: {:.4} of their weight at most, {:.4} on \
                     average",
                    report.capped, report.vertices, report.largest_loss, report.mean_loss
                ),
                "nothing, if that is little; otherwise reduce the influences where the mesh was bound",
            )
            .with_values(format!("at most {} influences", report.cap), "more"),
        );
    }
    if report.without_weight > 0 {
        findings.push(Finding::new(
            "WEIGHTS_VERTEX",
            Severity::Warning,
            &report.mesh,
            format!("{} vertices have no weight and keep that of the template", report.without_weight),
            "weight every vertex to a joint of the rig",
        ));
    }
    findings
}

fn calib_stop(place: &str, error: CalibError) -> Stop {
    let (code, remedy) = match &error {
        CalibError::Cancelled(cancelled) => return Stop::Cancelled(*cancelled),
        CalibError::Collapsed { .. } => {
            ("LAYER_COLLAPSED", "lower the pruning thresholds of the archetype, or build without pruning")
        }
        CalibError::Mismatch { .. } => ("PAIR_MISMATCH", "use a head and a body that were exported together"),
        CalibError::Name { .. } => {
            ("ARCHETYPE_EXPRESSIONS", "name expressions of the template DNA in expressions.json")
        }
        _ => ("TEMPLATE_INCONSISTENT", "take the template DNA from its source again"),
    };
    Stop::from(Finding::new(code, Severity::Error, place, error.to_string(), remedy))
}

/// File systems allow 255 bytes; the longest suffix and a temporary file's name need some of them.
const MOST_NAME_BYTES: usize = 200;

pub(crate) fn check_name(name: &str) -> Result<(), Stop> {
    let is_bad = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    if name.trim().is_empty()
        || name.len() > MOST_NAME_BYTES
        || name.starts_with('.')
        || name.chars().any(is_bad)
    {
        return Err(Stop::Blamed(
            Finding::new(
                "NAME",
                Severity::Error,
                "--name",
                "the name cannot be part of a file name",
                "use letters, digits, spaces, `-` and `_`",
            )
            .with_values(
                format!("at most {MOST_NAME_BYTES} bytes, without / \\ : * ? \" < > |"),
                format!("{name:?}"),
            ),
            Blame::Usage,
        ));
    }
    Ok(())
}
