use std::path::Path;

use mhrig_dna::{Dna, DnaError, ReadNote, ReadOptions};
use mhrig_report::{Finding, Severity};
use mhrig_rig::{Rig, RigError, RigOptions};

/// Reads a DNA file.
///
/// # Errors
/// A finding `DNA_UNREADABLE`.
pub(crate) fn read_dna(file: &Path) -> Result<(Dna, Vec<ReadNote>), Finding> {
    Dna::read_file(file, &ReadOptions::default()).map_err(|error| unreadable(file, &error))
}

/// The whole chain of a DNA error, as a finding.
pub(crate) fn unreadable(file: &Path, error: &DnaError) -> Finding {
    let inner = match error {
        DnaError::InFile { source, .. } => source,
        error => error,
    };
    let cause = std::error::Error::source(inner).map(|cause| format!(": {cause}")).unwrap_or_default();
    let remedy = error.remedy().unwrap_or("check the file");
    Finding::new(
        "DNA_UNREADABLE",
        Severity::Error,
        file.display().to_string(),
        format!("{inner}{cause}"),
        remedy,
    )
}

/// The rig of a DNA; what is odd in it goes to `findings`.
///
/// # Errors
/// Everything that keeps the DNA from being evaluated.
pub(crate) fn rig_of(
    file: &Path,
    dna: &Dna,
    options: &RigOptions,
    findings: &mut Vec<Finding>,
) -> Result<Rig, Vec<Finding>> {
    let in_file = |mut finding: Finding| {
        finding.place = format!("{}: {}", file.display(), finding.place);
        finding
    };
    match Rig::from_dna(dna, options) {
        Ok(rig) => {
            findings.extend(rig.findings().iter().cloned().map(in_file));
            Ok(rig)
        }
        Err(RigError::Invalid { findings }) => Err(findings.into_iter().map(in_file).collect()),
        Err(error) => {
            let code = if error == RigError::NoBehavior { "NO_BEHAVIOR" } else { "RIG_INVALID" };
            let remedy = "load the file with its behavior layers; `mhrig inspect` lists what it holds";
            let place = file.display().to_string();
            Err(vec![Finding::new(code, Severity::Error, place, error.to_string(), remedy)])
        }
    }
}
