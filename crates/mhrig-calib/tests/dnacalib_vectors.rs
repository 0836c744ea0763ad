//! Every command against what the reference library (DNACalib 1.3) made of it; how to compare is said in
//! vectors/dnacalib/README.md.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
#[path = "common/vectors.rs"]
mod vectors;

use common::with_job;
use mhrig_calib::{CalibError, Command, Engine, NativeEngine, Outcome};
use mhrig_dna::Dna;
use mhrig_testkit::shared_or_skip;
use vectors::{Case, cases, differences, is_inexact, report};

fn run(case: &Case, compat: bool) -> (Dna, Result<Outcome, CalibError>) {
    let name = &case.name;
    let command: Command =
        serde_json::from_value(case.run.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut dna = case.input.clone();
    let result = with_job(|job| NativeEngine { compat }.run(&mut dna, &command, job));
    (dna, result)
}

#[test]
fn what_the_library_does_right_is_done_alike() {
    let Some(folder) = shared_or_skip("what_the_library_does_right_is_done_alike", "vectors/dnacalib") else {
        return;
    };
    let cases = cases(&folder);
    let mut failures = Vec::new();
    for case in &cases {
        if case.is_incomparable() {
            continue;
        }
        let (found, result) = run(case, false);
        let mut differences = match &case.output {
            Some(expected) => differences(case, expected, &found, true),
            None => vec!["the library gave no output".to_owned()],
        };
        let code = match &result {
            Ok(_) => 0,
            Err(error) => error.status().map_or(1, |status| u64::from(status.code())),
        };
        if case.quirk_parts.is_empty() && code != case.code {
            differences.push(format!("expected status {}, found {code}: {result:?}", case.code));
        }
        if !differences.is_empty() {
            failures.push((case.name.clone(), differences));
        }
    }
    report(&failures, cases.len());
}

#[test]
fn with_compat_every_output_is_the_librarys() {
    let Some(folder) = shared_or_skip("with_compat_every_output_is_the_librarys", "vectors/dnacalib") else {
        return;
    };
    let cases = cases(&folder);
    let mut failures = Vec::new();
    for case in &cases {
        let (found, result) = run(case, true);
        let mut differences = match (&case.output, &result) {
            (Some(expected), _) => differences(case, expected, &found, false),
            (None, Err(_)) => Vec::new(),
            (None, Ok(_)) => vec!["the library crashed or threw; no error here".to_owned()],
        };
        if case.output.is_some() {
            match &result {
                Ok(outcome) => {
                    let status = outcome.status.as_ref().and_then(CalibError::status);
                    let code = status.map_or(0, |status| u64::from(status.code()));
                    if code != case.code {
                        differences.push(format!("expected status {}, found {code}", case.code));
                    }
                }
                Err(error) => differences.push(format!("unexpected error: {error}")),
            }
        }
        let bytes = found.to_bytes().ok();
        if differences.is_empty()
            && case.output.is_some()
            && !is_inexact(&case.run)
            && bytes != case.output_bytes
        {
            differences.push("the bytes differ although all fields are equal".to_owned());
        }
        if !differences.is_empty() {
            failures.push((case.name.clone(), differences));
        }
    }
    report(&failures, cases.len());
}
