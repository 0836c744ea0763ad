//! Scenes as users really have them: what the check says of each, and the repair that makes it pass. The table is
//! docs/hostile-scenes.md; `MHRIG_BLESS=1` writes it.
#![allow(clippy::unwrap_used)]

#[path = "../../mhrig-fit/tests/spoil/mod.rs"]
mod spoil;

mod hostile;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hostile::cases::cases;
use hostile::{Case, Kit};
use mhrig::{
    BuildRequest, Cancel, CheckRequest, Finding, Job, MeshSource, Parts, RepairRequest, Report, Severity,
    Silent, Status,
};

/// Codes of warnings and errors, each once; notes are for reading.
fn codes(findings: &[Finding]) -> Vec<&'static str> {
    let of_weight = findings.iter().filter(|finding| finding.severity > Severity::Info);
    of_weight.map(|finding| finding.code).collect::<BTreeSet<_>>().into_iter().collect()
}

fn with_job<D>(run: impl FnOnce(Job<'_>) -> Report<D>) -> Report<D> {
    let cancel = Cancel::default();
    run(Job { progress: &Silent, cancel: &cancel })
}

fn check(kit: &Kit, files: &Path) -> Vec<Finding> {
    let request = CheckRequest {
        archetype: kit.archetype.clone(),
        meshes: MeshSource::files(Kit::inputs(files)),
        parts: Parts::All,
    };
    with_job(|job| mhrig::check(&request, job)).findings
}

/// Runs a case; returns what is wrong with it.
fn run(kit: &Kit, case: &Case) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let (scene, repaired) = (dir.path().join("scene"), dir.path().join("repaired"));
    kit.write(&scene, case);
    let findings = check(kit, &scene);
    let mut wrong = Vec::new();
    let mut differ = |what: &str, expected: &[&str], found: &[&str], findings: &[Finding]| {
        if expected != found {
            wrong.push(format!(
                "{}: {what}: expected {expected:?}, found {found:?}\n{findings:#?}",
                case.name
            ));
        }
    };
    let mut expected = case.codes.to_vec();
    expected.sort_unstable();
    differ("check", &expected, &codes(&findings), &findings);
    // A finding helps only when it says where, and what to do.
    let vague = findings.iter().filter(|finding| finding.place.is_empty() || finding.remedy.is_empty());
    let vague: Vec<&str> = vague.map(|finding| finding.code).collect();
    differ("findings without place or remedy", &[], &vague, &findings);
    if !case.fixes.is_empty() {
        let request = RepairRequest {
            archetype: kit.archetype.clone(),
            meshes: MeshSource::files(Kit::inputs(&scene)),
            fixes: case.fixes.to_vec(),
            out_dir: repaired.clone(),
            ..RepairRequest::default()
        };
        let report = with_job(|job| mhrig::repair(&request, job));
        assert!(report.details.is_some(), "{}: {:?}", case.name, report.findings);
        let after = check(kit, &repaired);
        differ("after the repair", case.after, &codes(&after), &after);
    }
    if let Some(expected) = case.build {
        let request = BuildRequest {
            archetype: kit.archetype.clone(),
            meshes: MeshSource::files(Kit::inputs(&scene)),
            out_dir: dir.path().join("out"),
            name: "x".into(),
            ..BuildRequest::default()
        };
        let report = with_job(|job| mhrig::build(&request, job));
        assert_eq!(report.status, Status::Ok, "{}: {:?}", case.name, report.findings);
        differ("build", expected, &codes(&report.findings), &report.findings);
    }
    wrong
}

#[test]
fn every_hostile_scene_is_told_by_its_code_and_repaired_where_it_can_be() {
    let kit = Kit::new();
    let cases = cases();
    assert!(cases.len() >= 40);
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "names are used twice");
    let only = std::env::var("ONLY").ok();
    let chosen = cases.iter().filter(|case| only.as_deref().is_none_or(|only| case.name.contains(only)));
    let wrong: Vec<String> = chosen.flat_map(|case| run(&kit, case)).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_table_in_the_documentation_is_the_one_that_is_tested() {
    let mut text = String::from(
        "# Hostile scenes\n\nMeshes as users really have them, after public reports about the tools of this field, and what \
         `mhrig check` says of each: codes of warnings and errors, and the fixes of `mhrig repair` that make it pass. \
         Every line is a test: `cargo test -p mhrig --test hostile_scenes`; `MHRIG_BLESS=1` before it writes this file. \
         The numbers are those of a collection of such reports; 36, 42, 46 and 51 \
         are about rigs, not about meshes that come in.\n\n\
         | report | scene | format | finding | repair | then |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for case in cases() {
        let list = |codes: &[&str], none: &str| match codes {
            [] => none.to_owned(),
            codes => codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(" "),
        };
        let fixes: Vec<&str> = case.fixes.iter().map(|fix| fix.name()).collect();
        let then = match (case.fixes, case.build) {
            ([], None) => String::new(),
            ([], Some(build)) => format!("build: {}", list(build, "passes")),
            _ => list(case.after, "passes"),
        };
        text += &format!(
            "| {} | {} | {} | {} | {} | {then} |\n",
            case.entry,
            case.name,
            case.format,
            list(case.codes, "none: usable as it is"),
            fixes.join(", ")
        );
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hostile-scenes.md");
    if std::env::var_os("MHRIG_BLESS").is_some() {
        fs::write(&file, &text).unwrap();
    }
    assert!(
        fs::read_to_string(file).unwrap_or_default() == text,
        "MHRIG_BLESS=1 writes docs/hostile-scenes.md"
    );
}
