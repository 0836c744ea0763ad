//! Time of each stage of calibration and of a whole build, at a MetaHuman's size, and the memory that they take.
//!
//! `cargo bench -p mhrig --bench stages`. Per stage the best of three runs, wall clock and processor time: on a machine
//! with other work the second tells more. With names of stages as arguments, those alone (`-- match`).
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::time::Instant;

use mhrig::{BuildRequest, Cancel, Job, MeshSource, Silent};
use mhrig_calib::expressions::{
    ExpressionSettings, MatchOptions, RecalculateOptions, RecalculateReport, recalculate,
};
use mhrig_calib::{
    Command, Engine, LodBindings, NativeEngine, NeutralInput, NeutralOptions, NeutralPlan, PruneThresholds,
    prune, regenerate_lods_by_uv,
};
use mhrig_dna::Dna;
use serde_json::json;

const RUNS: usize = 3;

fn with_job<T>(run: impl FnOnce(Job<'_>) -> T) -> T {
    run(Job { progress: &Silent, cancel: &Cancel::default() })
}

/// Processor time of this process in seconds, user and system; 0 where the system does not say.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// The most memory that this process ever had, MB; 0 where the system does not say.
fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

struct Bench {
    wanted: Vec<String>,
}

impl Bench {
    /// Measures `run` on what `prepare` makes, which is not measured.
    fn stage<P, T>(
        &self,
        name: &str,
        goal_seconds: f64,
        prepare: impl Fn() -> P,
        run: impl Fn(&mut P) -> T,
    ) -> Option<T> {
        if !self.wanted.is_empty() && !self.wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            return None;
        }
        let (mut wall, mut processor, mut last) = (f64::MAX, f64::MAX, None);
        for _ in 0..if goal_seconds > 10.0 { 1 } else { RUNS } {
            let mut prepared = prepare();
            let (start, before) = (Instant::now(), processor_seconds());
            last = Some(run(&mut prepared));
            wall = wall.min(start.elapsed().as_secs_f64());
            processor = processor.min(processor_seconds() - before);
        }
        println!(
            "| {name} | {wall:.3} s | {processor:.2} s | {goal_seconds} s | {:.0} MB |",
            peak_megabytes()
        );
        last
    }
}

fn read(file: &Path) -> Dna {
    Dna::from_bytes(&fs::read(file).unwrap()).unwrap()
}

fn run_command(dna: &mut Dna, command: &serde_json::Value) {
    let command: Command = serde_json::from_value(command.clone()).unwrap();
    with_job(|job| NativeEngine { compat: false }.run(dna, &command, &job)).unwrap();
}

fn moved_joints(dna: &Dna) -> Vec<[f64; 3]> {
    let translations = dna.definition.neutral_joint_translations.iter();
    translations.map(|t| t.map(|c| f64::from(c) * 1.01)).collect()
}

fn main() {
    let wanted = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let bench = Bench { wanted };
    let demo = mhrig_testkit::full_size_demo().unwrap();
    let archetype = demo.join("archetype");
    let (head, body) = (read(&archetype.join("head.dna")), read(&archetype.join("body.dna")));
    println!("| stage | wall clock | processor | goal | memory so far |\n| --- | --- | --- | --- | --- |");

    let joints = moved_joints(&head);
    let recalculated =
        |dna: &mut Dna, options: &RecalculateOptions, joints: Option<&[[f64; 3]]>| -> RecalculateReport {
            let settings = ExpressionSettings::default();
            with_job(|job| recalculate(dna, joints, &[], &settings, options, &job)).unwrap()
        };
    bench.stage(
        "materialise, recalculate and prune (head)",
        2.0,
        || head.clone(),
        |dna| {
            recalculated(dna, &RecalculateOptions::default(), Some(&joints));
            prune(dna, &PruneThresholds::default()).unwrap()
        },
    );
    bench.stage(
        "neutral update (head)",
        2.0,
        || head.clone(),
        |dna| {
            let input = NeutralInput { joint_translations_cm: Some(&joints), ..NeutralInput::default() };
            with_job(|job| {
                NeutralPlan::from_template(&head, &job)?.apply(dna, &input, &NeutralOptions::default(), &job)
            })
            .unwrap()
        },
    );
    bench.stage(
        "LODs anew, all parts, by template",
        0.3,
        || (head.clone(), body.clone()),
        |(new_head, new_body)| {
            for (template, dna) in [(&head, new_head), (&body, new_body)] {
                for mesh in dna.definition.lod_mesh_mapping.members(0).to_vec() {
                    dna.geometry.meshes[usize::from(mesh)].positions.xs.iter_mut().for_each(|x| *x *= 1.1);
                }
                with_job(|job| LodBindings::from_template(template, &job)?.apply(dna, &[], &job)).unwrap();
            }
        },
    );
    bench.stage(
        "LODs anew, all parts, by texture coordinates",
        0.3,
        || (head.clone(), body.clone()),
        |(head, body)| {
            for dna in [head, body] {
                with_job(|job| regenerate_lods_by_uv(dna, &job)).unwrap();
            }
        },
    );
    bench.stage(
        "remove a joint (head)",
        0.1,
        || head.clone(),
        |dna| {
            run_command(dna, &json!({"command": "RemoveJoint", "index": 400}));
        },
    );
    bench.stage(
        "filter LODs (head)",
        0.1,
        || head.clone(),
        |dna| {
            run_command(dna, &json!({"command": "SetLODs", "lods": [0, 2]}));
        },
    );
    let matched = bench.stage(
        "match joints of all expressions (head)",
        60.0,
        || head.clone(),
        |dna| {
            let options = RecalculateOptions {
                matching: Some(MatchOptions::default()),
                ..RecalculateOptions::default()
            };
            recalculated(dna, &options, None)
        },
    );
    if let Some(report) = matched {
        let rms = |of: fn(&mhrig::JointMatch) -> f64| {
            let squares: f64 =
                report.matched.iter().map(|found| of(found).powi(2) * found.vertices as f64).sum();
            squares.sqrt()
        };
        let whole = rms(|found| found.sculpt_rms_cm);
        println!(
            "{} expressions: joints explain {:.1} % before, {:.1} % after",
            report.matched.len(),
            (1.0 - rms(|found| found.before_rms_cm) / whole) * 100.0,
            (1.0 - rms(|found| found.after_rms_cm) / whole) * 100.0
        );
    }
    bench.stage(
        "build of head and body",
        4.0,
        || tempfile::tempdir().unwrap(),
        |out| {
            let request = BuildRequest {
                archetype: archetype.clone(),
                meshes: MeshSource::files([demo.join("character")]),
                out_dir: out.path().to_owned(),
                name: "x".to_owned(),
                ..BuildRequest::default()
            };
            let report = with_job(|job| mhrig::build(&request, job));
            assert!(report.details.is_some(), "{:?}", report.findings);
            println!(
                "{:?}",
                report.stages.iter().map(|stage| (stage.name, stage.ms.round())).collect::<Vec<_>>()
            );
        },
    );
}
