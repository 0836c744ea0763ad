//! What an archetype says of its expressions beyond its DNA.

use std::path::Path;

use mhrig_archetype::{Archetype, EXPRESSIONS_FILE};
use mhrig_calib::expressions::ExpressionSettings;
use mhrig_report::{Finding, Refused, Severity};

use crate::report::Stop;

/// The content of the archetype's `expressions.json`; the default where it has none.
pub(crate) fn expression_settings(
    archetype: &Archetype,
    findings: &mut Vec<Finding>,
) -> Result<ExpressionSettings, Stop> {
    let Some(content) = &archetype.expressions else { return Ok(ExpressionSettings::default()) };
    let place = archetype.dir.join(EXPRESSIONS_FILE).display().to_string();
    let settings = understood(content, &place, findings)?;
    let unknown = settings.entries_for_none_of(archetype.parts().map(|part| &part.dna));
    if !unknown.is_empty() {
        let finding = |entry: String| {
            Finding::new(
                "ARCHETYPE_EXPRESSIONS",
                Severity::Error,
                format!("{place}: {entry}"),
                "no part of the archetype has all controls that this names",
                "name raw controls as in the template DNA; `mhrig inspect` lists them",
            )
        };
        return Err(Stop::Refused(Refused { findings: unknown.into_iter().map(finding).collect() }));
    }
    Ok(settings)
}

/// The content of a file in the form of an archetype's `expressions.json`.
pub(crate) fn read_expressions(file: &Path, findings: &mut Vec<Finding>) -> Result<ExpressionSettings, Stop> {
    let place = file.display().to_string();
    let refused = |message: String| {
        let remedy = "give a JSON file in the form of an archetype's expressions.json";
        Finding::new("FILE_READ", Severity::Error, place.clone(), message, remedy)
    };
    let bytes = std::fs::read(file).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let content = serde_json::from_slice(&bytes).map_err(|error| refused(format!("no JSON: {error}")))?;
    understood(&content, &place, findings)
}

fn understood(
    content: &serde_json::Value,
    place: &str,
    findings: &mut Vec<Finding>,
) -> Result<ExpressionSettings, Stop> {
    let settings = ExpressionSettings::from_json(content).map_err(|error| {
        Stop::from(Finding::new(
            "ARCHETYPE_EXPRESSIONS",
            Severity::Error,
            place,
            format!("the file cannot be understood: {error}"),
            "correct the file, or remove it",
        ))
    })?;
    for key in settings.other.keys() {
        findings.push(Finding::new(
            "ARCHETYPE_KEY",
            Severity::Warning,
            format!("{place}: {key}"),
            "this key is not known and has no effect",
            "check its spelling; a newer version of the program may know it",
        ));
    }
    Ok(settings)
}
