use std::path::{Path, PathBuf};

use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{MaWriteOptions, NamedMesh, SceneError, write_ma, write_obj};
use mhrig_synth::{DemoHuman, DemoOptions, Orient, SynthError, demo_archetype};
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

fn run(request: &DemoRequest, recorder: &mut Recorder<'_>) -> Result<DemoDetails, Stop> {
    let mut details = DemoDetails {
        archetype_dir: request.dir.join("archetype"),
        character_dir: request.dir.join("character"),
        truth: request.dir.join("truth").join("joints.csv"),
        identity: request.identity.clone(),
        outputs: Vec::new(),
    };
    let mut outputs = OutputSet::new(request.force);
    outputs.check_target(&details.truth)?;
    let human = recorder.stage("data", |_, _| DemoHuman::load().map_err(synth_stop))?;
    let meshes = human.identity_meshes(&request.identity).map_err(|_| unknown_identity(&human, request))?;
    let joints = human.identity_joints(&request.identity).map_err(|_| unknown_identity(&human, request))?;
    let archetype = recorder.stage("archetype", |_, _| {
        let made = demo_archetype(&human, &DemoOptions::default().with_orient(request.orient))
            .map_err(synth_stop)?;
        made.files().map_err(|error| fault(&error.to_string()))
    })?;
    recorder.stage("write", |_, job| {
        for (name, bytes) in &archetype {
            job.check()?;
            outputs.add(&details.archetype_dir.join(name), |file| file.write_all(bytes))?;
        }
        let named: Vec<NamedMesh<'_>> =
            meshes.iter().map(|(name, mesh)| NamedMesh { name, mesh, normals: None }).collect();
        for mesh in &named {
            job.check()?;
            let mut text = Vec::new();
            write_obj(&mut text, std::slice::from_ref(mesh)).map_err(scene_stop)?;
            add(&mut outputs, &details.character_dir.join(format!("{}.obj", mesh.name)), &text)?;
        }
        let mut text = Vec::new();
        write_ma(&mut text, &named, &MaWriteOptions::default()).map_err(scene_stop)?;
        add(&mut outputs, &details.character_dir.join("scene.ma"), &text)?;
        let truth = write_joints_csv(joints.iter().map(|(name, at)| (*name, at.map(|c| c as f32))));
        add(&mut outputs, &details.truth, truth.as_bytes())?;
        job.check()?;
        details.outputs = outputs.commit()?;
        Ok(())
    })?;
    Ok(details)
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
