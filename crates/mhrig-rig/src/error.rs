use mhrig_report::Finding;

/// Why a DNA is not a rig that can be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// Nothing in the DNA reacts to a control: the behaviour layers are absent or were not loaded.
    #[error("the dna has no behavior: no control moves anything in it")]
    NoBehavior,
    /// The DNA contradicts itself.
    #[error("{} in the behavior of the dna, first {}: {}", count(.findings.len()), first(.findings).0, first(.findings).1)]
    Invalid {
        /// Everything that was found, in file order, each with its path in the file.
        findings: Vec<Finding>,
    },
}

fn count(problems: usize) -> String {
    if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") }
}

fn first(findings: &[Finding]) -> (String, String) {
    let Some(finding) = findings.first() else { return Default::default() };
    let mut message = finding.message.clone();
    if let (Some(expected), Some(found)) = (&finding.expected, &finding.found) {
        message += &format!(" (expected {expected}, found {found})");
    }
    (finding.place.clone(), message)
}

/// Why an input was refused or an evaluation has no usable result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A list of control values has another length than there are controls.
    #[error("{found} values for {expected} {what}")]
    Length {
        /// Which list.
        what: &'static str,
        /// Number of controls.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// A control that the rig does not have.
    #[error("{what} {found}, but the rig has {limit}")]
    Index {
        /// What was addressed.
        what: &'static str,
        /// The number.
        found: usize,
        /// What it has to be below.
        limit: usize,
    },
    /// A value that is not a finite number.
    #[error("{control} is {value}, which is not a finite number")]
    NotFinite {
        /// Name of the control.
        control: String,
        /// The value.
        value: f32,
    },
    /// An LOD that the rig does not have.
    #[error("LOD {found} does not exist: the rig has LODs 0 to {}", .count.saturating_sub(1))]
    Lod {
        /// The LOD that was asked for.
        found: usize,
        /// Number of LODs.
        count: usize,
    },
    /// Finite inputs led to outputs that are not.
    #[error("{count} outputs are not finite numbers, first {first}")]
    NotFiniteOutput {
        /// Name of the first one.
        first: String,
        /// How many there are.
        count: usize,
    },
}

/// A name that is not in the rig.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {what} is called {name}{}", suggestion(.nearest))]
pub struct UnknownName {
    /// What was looked for, such as "raw control".
    pub what: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// Up to three names that come near, nearest first.
    pub nearest: Vec<String>,
}

fn suggestion(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; nearest: {}", nearest.join(", ")) }
}
