use serde::Serialize;

/// How much a [`Finding`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing needs to be done.
    Info,
    /// The job goes on, its result is worse than it could be.
    Warning,
    /// The job cannot give a right result.
    Error,
}

/// One thing that a check, a fit or a build noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable, language-neutral, upper-case word such as `VERTEX_COUNT`.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Where it is: file, part and index, from the outside in (`head.obj: head_lod0_mesh: face 12`).
    #[serde(rename = "where")]
    pub place: String,
    /// What is the matter, in one sentence without a full stop.
    pub message: String,
    /// What should have been there, where that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What the reader can do about it.
    pub remedy: String,
    /// The word for it in Unreal's import, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreal: Option<&'static str>,
}

impl Finding {
    /// A finding without `expected` and `found`.
    pub fn new(
        code: &'static str,
        severity: Severity,
        place: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            place: place.into(),
            message: message.into(),
            expected: None,
            found: None,
            remedy: remedy.into(),
            unreal: None,
        }
    }

    /// Says what was expected and what was found.
    #[must_use]
    pub fn with_values(mut self, expected: impl ToString, found: impl ToString) -> Self {
        self.expected = Some(expected.to_string());
        self.found = Some(found.to_string());
        self
    }
}

/// The highest severity among `findings`, `None` when there are none.
pub fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max()
}

/// The error of a job that cannot give a right result; its findings say why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("refused: {}", summary(.findings))]
pub struct Refused {
    /// Everything that was noticed, at least one of it an error.
    pub findings: Vec<Finding>,
}

impl Refused {
    /// A refusal for one reason.
    pub fn because(finding: Finding) -> Self {
        Self { findings: vec![finding] }
    }
}

fn summary(findings: &[Finding]) -> String {
    let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let Some(first) = errors.next() else { return String::from("no reason was given") };
    match errors.count() {
        0 => format!("{}: {}", first.place, first.message),
        more => format!("{}: {} (and {more} more)", first.place, first.message),
    }
}
