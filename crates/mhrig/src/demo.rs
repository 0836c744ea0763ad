use std::path::{Path, PathBuf};

use mhrig_geom::Mesh;
use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{MaWriteOptions, NamedMesh, SceneError, write_ma, write_obj};
use mhrig_synth::{
    DemoHuman, DemoOptions, FullOptions, MadeArchetype, Orient, SynthError, demo_archetype, full_size,
};
use serde::Serialize;

use crate::build::{BuildDetails, BuildRequest, build};
use crate::files::OutputSet;
use crate::joints_csv::write_joints_csv;
use crate::meshes::MeshSource;
use crate::report::{Blame, Recorder, Report, Stop};

/// The person of the demo human's data that is taken when none is named.
pub const DEFAULT_IDENTITY: &str = "dev01_young_woman";

/// Asks for the demo: an archetype, a character in its topology, and the true joints of that character.
#[derive(Clone, Debug)]
pub struct DemoRequest {
    /// The folder; gets `archetype/`, `character/` and `truth/`.
    pub dir: PathBuf,
    /// The person.
    pub identity: String,
    /// How neutral rotations are chosen.
    pub orient: Orient,
    /// Whether all people of the data are written, too: `people/` and the manifest `people.json`.
    pub people: bool,
    /// Whether existing files may be replaced.
    pub force: bool,
}

impl DemoRequest {
    /// The default person in a folder that does not have one yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        let identity = DEFAULT_IDENTITY.to_owned();
        Self { dir: dir.into(), identity, orient: Orient::Bone, people: false, force: false }
    }
}

/// Asks for the demo in full size: as many joints, vertices, controls and blend shapes as a MetaHuman has.
#[derive(Clone, Debug)]
pub struct FullSizeRequest {
    /// The folder; gets `archetype/`, `character/` and `truth/`.
    pub dir: PathBuf,
    /// Sets the shapes of archetype and character, and the expressions.
    pub seed: u64,
    /// How neutral rotations are chosen.
    pub orient: Orient,
    /// Whether existing files may be replaced.
    pub force: bool,
}

/// What the demo has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DemoDetails {
    /// The archetype folder.
    pub archetype_dir: PathBuf,
    /// The folder with the character's meshes, as OBJ files and as one Maya ASCII scene.
    pub character_dir: PathBuf,
    /// The true joints of the character.
    pub truth: PathBuf,
    /// The person.
    pub identity: String,
    /// Files that were written.
    pub outputs: Vec<PathBuf>,
}

impl DemoDetails {
    /// The build of the demo character into the folder `out` beside it.
    pub fn build_request(&self, force: bool) -> BuildRequest {
        BuildRequest {
            archetype: self.archetype_dir.clone(),
            meshes: MeshSource::files([&self.character_dir]),
            out_dir: self.archetype_dir.with_file_name("out"),
            name: self.identity.clone(),
            truth: Some(self.truth.clone()),
            force,
            ..BuildRequest::default()
        }
    }
}

/// Names of the people in the demo human's data.
///
/// # Errors
/// When the data that the program carries is damaged.
pub fn demo_identities() -> Result<Vec<String>, Stop> {
    let human = DemoHuman::load().map_err(synth_stop)?;
    Ok(human.identities.iter().map(|identity| identity.name.clone()).collect())
}

/// Writes the demo.
pub fn demo(request: &DemoRequest, job: Job<'_>) -> Report<DemoDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

/// Builds the character of a demo that was written before.
pub fn demo_build(details: &DemoDetails, force: bool, job: Job<'_>) -> Report<BuildDetails> {
    build(&details.build_request(force), job)
}

/// Writes the demo in full size.
pub fn full_size_demo(request: &FullSizeRequest, job: Job<'_>) -> Report<DemoDetails> {
    let mut recorder = Recorder::new(job);
    let result = run_full_size(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &DemoRequest, recorder: &mut Recorder<'_>) -> Result<DemoDetails, Stop> {
    let (mut details, mut outputs) = targets(&request.dir, &request.identity, request.force)?;
    let human = recorder.stage("data", |_, _| DemoHuman::load().map_err(synth_stop))?;
    let meshes = human.identity_meshes(&request.identity).map_err(|_| unknown_identity(&human, request))?;
    let joints = human.identity_joints(&request.identity).map_err(|_| unknown_identity(&human, request))?;
    let archetype = recorder.stage("archetype", |_, _| {
        demo_archetype(&human, &DemoOptions::default().with_orient(request.orient)).map_err(synth_stop)
    })?;
    recorder.stage("write", |_, job| {
        write(&mut details, &mut outputs, &archetype, &meshes, &joints, job)?;
        if request.people { add_people(&mut outputs, &human, &request.dir, job) } else { Ok(()) }
    })?;
    details.outputs = outputs.commit()?;
    Ok(details)
}

fn run_full_size(request: &FullSizeRequest, recorder: &mut Recorder<'_>) -> Result<DemoDetails, Stop> {
    let name = format!("full_size_{}", request.seed);
    let (mut details, mut outputs) = targets(&request.dir, &name, request.force)?;
    let human = recorder.stage("data", |_, _| DemoHuman::load().map_err(synth_stop))?;
    let options = FullOptions::default().with_seed(request.seed).with_orient(request.orient);
    let full = recorder.stage("archetype", |_, _| full_size(&human, &options).map_err(synth_stop))?;
    let joints: Vec<(&str, [f64; 3])> = full.truth.iter().map(|(name, at)| (name.as_str(), *at)).collect();
    recorder.stage("write", |_, job| {
        write(&mut details, &mut outputs, &full.archetype, &full.character, &joints, job)
    })?;
    details.outputs = outputs.commit()?;
    Ok(details)
}

/// Where everything goes, once it is clear that it may.
fn targets(dir: &Path, identity: &str, force: bool) -> Result<(DemoDetails, OutputSet), Stop> {
    let details = DemoDetails {
        archetype_dir: dir.join("archetype"),
        character_dir: dir.join("character"),
        truth: dir.join("truth").join("joints.csv"),
        identity: identity.to_owned(),
        outputs: Vec::new(),
    };
    let outputs = OutputSet::new(force);
    outputs.check_target(&details.truth)?;
    Ok((details, outputs))
}

fn write(
    details: &mut DemoDetails,
    outputs: &mut OutputSet,
    archetype: &MadeArchetype,
    meshes: &[(&'static str, Mesh)],
    joints: &[(&str, [f64; 3])],
    job: Job<'_>,
) -> Result<(), Stop> {
    for (name, bytes) in archetype.files().map_err(|error| fault(&error.to_string()))? {
        job.check()?;
        outputs.add(&details.archetype_dir.join(name), |file| file.write_all(&bytes))?;
    }
    let named: Vec<NamedMesh<'_>> =
        meshes.iter().map(|(name, mesh)| NamedMesh { name, mesh, normals: None }).collect();
    add_objs(outputs, &named, &details.character_dir, job)?;
    let mut text = Vec::new();
    write_ma(&mut text, &named, &MaWriteOptions::default()).map_err(scene_stop)?;
    add(outputs, &details.character_dir.join("scene.ma"), &text)?;
    add(outputs, &details.truth, joints_text(joints).as_bytes())?;
    job.check()?;
    Ok(())
}

/// Adds one OBJ file per mesh.
fn add_objs(
    outputs: &mut OutputSet,
    meshes: &[NamedMesh<'_>],
    folder: &Path,
    job: Job<'_>,
) -> Result<(), Stop> {
    for mesh in meshes {
        job.check()?;
        let mut text = Vec::new();
        write_obj(&mut text, std::slice::from_ref(mesh)).map_err(scene_stop)?;
        add(outputs, &folder.join(format!("{}.obj", mesh.name)), &text)?;
    }
    Ok(())
}

/// Adds a folder per person of the data, their true joints, and the manifest of a batch of them.
fn add_people(outputs: &mut OutputSet, human: &DemoHuman, dir: &Path, job: Job<'_>) -> Result<(), Stop> {
    let mut people = Vec::new();
    for identity in &human.identities {
        let name = &identity.name;
        let meshes = human.identity_meshes(name).map_err(synth_stop)?;
        let named: Vec<NamedMesh<'_>> =
            meshes.iter().map(|(name, mesh)| NamedMesh { name, mesh, normals: None }).collect();
        add_objs(outputs, &named, &dir.join("people").join(name), job)?;
        let truth = joints_text(&human.identity_joints(name).map_err(synth_stop)?);
        let truth_file = format!("truth/{name}.csv");
        add(outputs, &dir.join(&truth_file), truth.as_bytes())?;
        people.push(serde_json::json!({
            "name": name, "meshes": [format!("people/{name}")], "truth": truth_file,
        }));
    }
    outputs.add_json(&dir.join("people.json"), &serde_json::json!({ "people": people }))
}

fn joints_text(joints: &[(&str, [f64; 3])]) -> String {
    write_joints_csv(joints.iter().map(|(name, at)| (*name, at.map(|c| c as f32))))
}

fn add(outputs: &mut OutputSet, target: &Path, bytes: &[u8]) -> Result<(), Stop> {
    outputs.add(target, |file| file.write_all(bytes))
}

fn unknown_identity(human: &DemoHuman, request: &DemoRequest) -> Stop {
    let names: Vec<&str> = human.identities.iter().map(|identity| identity.name.as_str()).collect();
    let finding = Finding::new(
        "IDENTITY",
        Severity::Error,
        "--identity",
        "the demo human has no person of this name",
        "choose one of the names, or leave the option out",
    );
    Stop::Blamed(finding.with_values(names.join(", "), &request.identity), Blame::Usage)
}

fn synth_stop(error: SynthError) -> Stop {
    fault(&error.to_string())
}

fn scene_stop(error: SceneError) -> Stop {
    Stop::from(error.to_finding())
}

fn fault(message: &str) -> Stop {
    let remedy = "this is a fault of the program; please report it";
    Stop::Blamed(
        Finding::new("DEMO_DATA", Severity::Error, "demo human", message, remedy),
        Blame::Environment,
    )
}
