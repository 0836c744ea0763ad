//! What the plug-in adds to the facade, in the stand-in host: `cargo bench -p mhrig-e2e --bench plugin`.
//!
//! Prints medians and ranges of wall-clock times over repeats that take turns, so that load on the machine falls on
//! both sides alike.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a bench prints")]

use std::time::Instant;

use fake_maya::mel_string;
use mhrig::{BuildRequest, Cancel, Job, MeshSource, Silent, Status};
use mhrig_e2e::{Demo, Session, plugins};

const REPEATS: usize = 15;

fn summary(name: &str, mut ms: Vec<f64>) -> f64 {
    ms.sort_by(f64::total_cmp);
    let median = ms[ms.len() / 2];
    println!("{name:<58} median {median:8.2} ms, range {:.2} to {:.2} ms", ms[0], ms[ms.len() - 1]);
    median
}

fn main() {
    let plugin = plugins().pop().unwrap();
    let Some(mut session) = Session::start("bench", &plugin, false) else { return };
    let demo = Demo::get();
    session.load_character(demo);
    let vertices: usize = demo.meshes.iter().map(|(_, mesh)| mesh.points.len() / 3).sum();
    println!("{} meshes, {vertices} vertices; {REPEATS} repeats", demo.meshes.len());
    let archetype = mel_string(&demo.archetype.display().to_string());

    let (mut whole, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let start = Instant::now();
        let report = session.json(&format!("mhCheckTopology -json -archetype {archetype}"));
        let wall = start.elapsed().as_secs_f64() * 1e3;
        let stages = report["stages"].as_array().unwrap();
        let stage = |name: &str| {
            let found = stages.iter().filter(|stage| stage["name"] == name);
            found.map(|stage| stage["ms"].as_f64().unwrap()).sum::<f64>()
        };
        whole.push(wall);
        // Without what a check of files has to do as well before it looks at a mesh.
        ours.push(wall - stage("archetype") - stage("prepare"));
    }
    summary("mhCheckTopology, all of it", whole);
    summary("  reading all parts from the scene and checking them", ours);

    let dir = tempfile::tempdir().unwrap();
    let (mut through, mut facade) = (Vec::new(), Vec::new());
    for repeat in 0..REPEATS {
        let out = dir.path().join(format!("plugin{repeat}"));
        let out = mel_string(&out.display().to_string());
        let start = Instant::now();
        session.ok(&format!("mhBuildDna -archetype {archetype} -outDir {out} -name mary"));
        through.push(start.elapsed().as_secs_f64() * 1e3);

        let request = BuildRequest {
            archetype: demo.archetype.clone(),
            meshes: MeshSource::files([&demo.character]),
            out_dir: dir.path().join(format!("files{repeat}")),
            name: "mary".to_owned(),
            ..BuildRequest::default()
        };
        let start = Instant::now();
        let report = mhrig::build(&request, Job { progress: &Silent, cancel: &Cancel::default() });
        facade.push(start.elapsed().as_secs_f64() * 1e3);
        assert_eq!(report.status, Status::Ok);
    }
    let through = summary("mhBuildDna from the scene", through);
    let facade = summary("mhrig build from the character's files, without the process", facade);
    println!("the plug-in takes {:+.1} % of the build from files", (through / facade - 1.0) * 100.0);
}
