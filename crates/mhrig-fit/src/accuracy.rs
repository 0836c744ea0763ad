use std::fmt;

use nalgebra::Vector3;
use serde::Serialize;

use crate::{FitTemplate, Placement, Strategy};

/// Summary of errors in cm.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Statistics {
    /// How many there are; all figures are 0 when there are none.
    pub joints: usize,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// 95th percentile, linear between the neighbouring values.
    pub p95: f64,
    /// Greatest.
    pub max: f64,
}

impl Statistics {
    /// The summary of `errors`.
    pub fn of(errors: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = errors.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let Some(&max) = sorted.last() else { return Self::default() };
        let percentile = |share: f64| {
            let at = share * (sorted.len() - 1) as f64;
            let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
            below + (above - below) * at.fract()
        };
        Self {
            joints: sorted.len(),
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            median: percentile(0.5),
            p95: percentile(0.95),
            max,
        }
    }
}

/// The errors of the joints that one strategy placed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccuracyRow {
    /// The strategy's name with its priority.
    pub strategy: String,
    /// The errors.
    #[serde(flatten)]
    pub errors: Statistics,
}

/// A joint far off its true place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstJoint {
    /// Its name.
    pub joint: String,
    /// What placed it.
    pub strategy: String,
    /// Distance to the true place, cm.
    pub error_cm: f64,
}

/// A fit against the truth: distances of joints to their true places, cm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccuracyTable {
    /// One row per strategy that placed a joint, in order of priority.
    pub strategies: Vec<AccuracyRow>,
    /// All joints.
    pub total: Statistics,
    /// All joints, had there been no constraints from the other part; filled in by who ran that fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_without_shared_constraint: Option<Statistics>,
    /// All joints, had they stayed where the template has them.
    pub no_fit: Statistics,
    /// The worst joints, worst first.
    pub worst: Vec<WorstJoint>,
    /// The error of every joint by number, cm; `None` where no truth is known.
    #[serde(skip)]
    pub errors_cm: Vec<Option<f64>>,
}

/// How many joints [`AccuracyTable::worst`] lists.
const WORST_JOINTS: usize = 6;

/// Compares a fit with the truth: `truth` has one entry per joint, `None` where it is not known.
pub fn measure_accuracy(
    template: &FitTemplate,
    placement: &Placement,
    truth: &[Option<Vector3<f64>>],
) -> AccuracyTable {
    let errors = placement.joints.iter().zip(truth).enumerate().filter_map(|(joint, (placed, truth))| {
        truth.map(|truth| (joint, placed.strategy(), (placed.position - truth).norm()))
    });
    let errors: Vec<(usize, Strategy, f64)> = errors.collect();
    let mut strategies: Vec<Strategy> = errors.iter().map(|&(_, strategy, _)| strategy).collect();
    strategies.sort_unstable();
    strategies.dedup();
    let row = |strategy: Strategy| AccuracyRow {
        strategy: strategy.label().to_owned(),
        errors: Statistics::of(errors.iter().filter(|e| e.1 == strategy).map(|e| e.2)),
    };
    let no_fit = template.rest.iter().zip(truth).filter_map(|(rest, truth)| Some((rest - (*truth)?).norm()));
    let mut worst: Vec<_> = errors.iter().collect();
    worst.sort_by(|a, b| b.2.total_cmp(&a.2));
    let worst = worst.into_iter().take(WORST_JOINTS).map(|&(joint, strategy, error_cm)| WorstJoint {
        joint: template.hierarchy.names()[joint].clone(),
        strategy: strategy.label().to_owned(),
        error_cm,
    });
    let mut errors_cm = vec![None; placement.joints.len()];
    for &(joint, _, error) in &errors {
        errors_cm[joint] = Some(error);
    }
    AccuracyTable {
        strategies: strategies.into_iter().map(row).collect(),
        total: Statistics::of(errors.iter().map(|e| e.2)),
        total_without_shared_constraint: None,
        no_fit: Statistics::of(no_fit),
        worst: worst.collect(),
        errors_cm,
    }
}

impl fmt::Display for AccuracyTable {
    /// A table with one line per strategy, totals below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["strategy", "joints", "mean", "median", "p95", "max"];
        let [name, joints, rest @ ..] = header;
        write!(f, "{name:<32}{joints:>7}")?;
        rest.iter().try_for_each(|column| write!(f, "{column:>9}"))?;
        writeln!(f)?;
        let mut line = |name: &str, s: &Statistics| {
            writeln!(
                f,
                "{name:<32}{:>7}{:>9.4}{:>9.4}{:>9.4}{:>9.4}",
                s.joints, s.mean, s.median, s.p95, s.max
            )
        };
        for row in &self.strategies {
            line(&row.strategy, &row.errors)?;
        }
        line("total", &self.total)?;
        if let Some(total) = &self.total_without_shared_constraint {
            line("total without shared constraint", total)?;
        }
        line("no fit", &self.no_fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_linear_between_values() {
        let statistics = Statistics::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!(
            (statistics.joints, statistics.mean, statistics.median, statistics.max),
            (4, 2.5, 2.5, 4.0)
        );
        // 0.95 of the way over three gaps: 2.85.
        assert!((statistics.p95 - 3.85).abs() < 1e-12);
        assert_eq!(Statistics::of([]), Statistics::default());
        assert_eq!(Statistics::of([7.0]).p95, 7.0);
    }
}
