//! What an archetype says of its expressions beyond its DNA.

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
    let settings = ExpressionSettings::from_json(content).map_err(|error| {
        Stop::from(Finding::new(
            "ARCHETYPE_EXPRESSIONS",
            Severity::Error,
            place.clone(),
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
