//! Parts of reports that several verbs show.

use std::collections::BTreeMap;

use mhrig::{AccuracyTable, JointLine, JointMatch, Report, Statistics, StrategyCount};

use crate::output::out;
use crate::table::Table;
use crate::ui::{BOLD, DIM};

/// Joints per strategy, by part.
pub(crate) fn strategies(by_part: &BTreeMap<&'static str, Vec<StrategyCount>>) {
    let mut table = Table::new(&["part", "strategy", "joints"]).left(&[1]);
    for (part, counts) in by_part.iter().rev() {
        for count in counts {
            table.row([part, count.strategy, &count.joints.to_string()]);
        }
    }
    table.print();
}

/// How much of the sculpts of `whose` expressions joints explain, all vertices together.
pub(crate) fn matched(whose: &str, matches: &[JointMatch]) {
    if matches.is_empty() {
        return;
    }
    let rms = |of: fn(&JointMatch) -> f64| {
        let squares = matches.iter().map(|found| of(found).powi(2) * found.vertices as f64).sum::<f64>();
        let vertices: usize = matches.iter().map(|found| found.vertices).sum();
        (squares / vertices.max(1) as f64).sqrt()
    };
    let whole = rms(|found| found.sculpt_rms_cm);
    let [before, after] = [rms(|found| found.before_rms_cm), rms(|found| found.after_rms_cm)];
    let share = |left: f64| if whole > 0.0 { (1.0 - left / whole).max(0.0) * 100.0 } else { 100.0 };
    out!(
        "joints: {} {whose} expressions move {whole:.4} cm (root mean square), joints explain {:.1} %, {:.1} % before",
        matches.len(),
        share(after),
        share(before)
    );
}

/// Errors against the truth: a table per part.
pub(crate) fn accuracy(by_part: &BTreeMap<&'static str, AccuracyTable>) {
    for (part, accuracy) in by_part.iter().rev() {
        let title = format!("{part}: distance to the true joints, cm");
        let mut table = Table::new(&[&title, "joints", "mean", "median", "p95", "max"]);
        let mut row = |name: &str, errors: &Statistics| {
            let figures =
                [errors.mean, errors.median, errors.p95, errors.max].map(|figure| format!("{figure:.4}"));
            table.row([name.to_owned(), errors.joints.to_string()].into_iter().chain(figures));
        };
        for strategy in &accuracy.strategies {
            row(&strategy.strategy, &strategy.errors);
        }
        row("total", &accuracy.total);
        if let Some(total) = &accuracy.total_without_shared_constraint {
            row("total without shared constraint", total);
        }
        row("no fit", &accuracy.no_fit);
        table.print();
        let worst = accuracy.worst.iter().map(|joint| format!("{} {:.2}", joint.joint, joint.error_cm));
        out!("{DIM}worst: {}{DIM:#}\n", worst.collect::<Vec<_>>().join(", "));
    }
}

/// Joints that the archetype leaves to artists, and how sure their places are.
pub(crate) fn placed_by_hand(joints: &[JointLine]) {
    let estimated = joints.iter().filter(|joint| joint.placed_by_hand && joint.confidence < 1.0);
    let names: Vec<String> =
        estimated.map(|joint| format!("{} ({:.2})", joint.name, joint.confidence)).collect();
    if !names.is_empty() {
        out!(
            "estimated, with confidence, where the archetype expects an artist (--place): {}",
            names.join(", ")
        );
    }
}

/// The stages with their times.
pub(crate) fn stages<D>(report: &Report<D>) {
    let stages = report.stages.iter().map(|stage| format!("{} {:.1}", stage.name, stage.ms));
    let total: f64 = report.stages.iter().map(|stage| stage.ms).sum();
    out!("{BOLD}stages, ms{BOLD:#}: {}; total {total:.1}", stages.collect::<Vec<_>>().join(", "));
}
