//! Every vector of the reference library through both engines. What is linked decides: the real library runs all of
//! them, the stand-in those whose commands it has.
#![cfg(feature = "dnacalib")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;
#[path = "../../mhrig-calib/tests/common/vectors.rs"]
mod vectors;

use std::collections::BTreeMap;

use common::{is_stand_in, lacks_command, with_job};
use mhrig_calib::{CalibError, Command, Engine, NativeEngine, Outcome};
use mhrig_dna::Dna;
use mhrig_dnacalib::DnacalibEngine;
use mhrig_testkit::{shared_or_skip, skip};
use vectors::{Case, cases, differences, is_inexact, report};

fn run(case: &Case, engine: &dyn Engine) -> (Dna, Result<Outcome, CalibError>) {
    let command: Command = serde_json::from_value(case.run.clone()).unwrap();
    let mut dna = case.input.clone();
    let result = with_job(|job| engine.run(&mut dna, &command, job));
    (dna, result)
}

/// The library's status at the end of a run; 1 for any other error.
fn code(result: &Result<Outcome, CalibError>) -> u64 {
    let error = match result {
        Ok(outcome) => outcome.status.as_ref(),
        Err(error) => Some(error),
    };
    error.map_or(0, |error| error.status().map_or(1, |status| u64::from(status.code())))
}

/// All positions of a model, to say how far two of them are apart.
fn positions(dna: &Dna) -> Vec<f32> {
    let meshes = dna.geometry.meshes.iter().map(|mesh| &mesh.positions);
    meshes.flat_map(|p| p.xs.iter().chain(&p.ys).chain(&p.zs).copied()).collect()
}

#[test]
fn both_engines_give_the_same_for_every_vector() {
    let name = "both_engines_give_the_same_for_every_vector";
    let Some(folder) = shared_or_skip(name, "vectors/dnacalib") else { return };
    let cases = cases(&folder);
    let (mut failures, mut ran, mut lacking, mut same_bytes) = (Vec::new(), 0, BTreeMap::new(), 0);
    for case in &cases {
        let (theirs, their_result) = run(case, &DnacalibEngine { compat: true });
        if let Err(error) = &their_result
            && let Some(command) = lacks_command(error)
        {
            *lacking.entry(command).or_insert(0) += 1;
            continue;
        }
        ran += 1;
        let (ours, our_result) = run(case, &NativeEngine { compat: true });
        let mut found = Vec::new();
        if code(&their_result) != code(&our_result) {
            found.push(format!("the library says {their_result:?}, the native engine {our_result:?}"));
        }
        match &case.output {
            None if their_result.is_ok() => found.push("no error of the library".to_owned()),
            None => {}
            Some(expected) => {
                found.extend(differences(case, expected, &theirs, false));
                found.extend(differences(case, &theirs, &ours, false));
                let (their_bytes, our_bytes) = (theirs.to_bytes().unwrap(), ours.to_bytes().unwrap());
                if their_bytes == our_bytes {
                    same_bytes += 1;
                } else if !is_inexact(&case.run) {
                    found.push("the bytes differ although all fields are equal".to_owned());
                } else {
                    let (theirs, ours) = (positions(&theirs), positions(&ours));
                    let pairs = theirs.iter().zip(&ours);
                    let farthest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    eprintln!("{}: within the tolerance, positions up to {farthest:e} apart", case.name);
                }
                if !is_stand_in() && Some(&their_bytes) != case.output_bytes.as_ref() {
                    eprintln!("{}: other bytes than stored", case.name);
                }
            }
        }
        if !found.is_empty() {
            failures.push((case.name.clone(), found));
        }
    }
    eprintln!(
        "{ran} of {} vectors ran through both engines of {:?}, {same_bytes} with the same bytes",
        cases.len(),
        mhrig_dnacalib::library_version()
    );
    if is_stand_in() {
        skip(name, &format!("the stand-in has not all commands; left out: {lacking:?}"));
        assert!(ran > 60, "{ran}");
    } else {
        assert!(lacking.is_empty(), "{lacking:?}");
    }
    report(&failures, cases.len());
}

#[test]
fn without_compat_the_first_error_is_the_librarys() {
    let name = "without_compat_the_first_error_is_the_librarys";
    let Some(folder) = shared_or_skip(name, "vectors/dnacalib") else { return };
    let mut failures = Vec::new();
    let cases = cases(&folder);
    for case in &cases {
        let (dna, result) = run(case, &DnacalibEngine { compat: false });
        let mut found = Vec::new();
        match result {
            Err(error) if lacks_command(&error).is_some() => continue,
            Err(error) => {
                let status = error.status().map_or(1, |status| u64::from(status.code()));
                // The native engine stops at the same error, hidden ones included.
                let ours = code(&run(case, &NativeEngine { compat: false }).1);
                if case.output.is_some() && status != ours {
                    found.push(format!("{error}: status {status}, the native engine has {ours}"));
                }
                if dna != case.input {
                    found.push("the model changed in spite of the error".to_owned());
                }
            }
            Ok(outcome) => {
                assert!(outcome.status.is_none(), "{}", case.name);
                found.extend(differences(case, case.output.as_ref().unwrap(), &dna, false));
            }
        }
        if !found.is_empty() {
            failures.push((case.name.clone(), found));
        }
    }
    report(&failures, cases.len());
}
