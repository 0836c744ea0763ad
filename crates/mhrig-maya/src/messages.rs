//! How messages read in Maya: one prefix, the severity, a language-neutral code, then the finding.

use mhrig::{Finding, Severity};

use crate::bridge::{Host, Level};
use crate::commands::COMMANDS;

const PREFIX: &str = "MhRigCreator";

/// A finding as one line: `MhRigCreator: error[CODE]: place: message; expected …, found …; remedy`.
pub(crate) fn line(finding: &Finding) -> String {
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let mut text = format!("{PREFIX}: {word}[{}]: {}: {}", finding.code, finding.place, finding.message);
    match (&finding.expected, &finding.found) {
        (Some(expected), Some(found)) => text += &format!("; expected {expected}, found {found}"),
        (Some(expected), None) => text += &format!("; expected {expected}"),
        (None, Some(found)) => text += &format!("; found {found}"),
        (None, None) => {}
    }
    if !finding.remedy.is_empty() {
        text += &format!("; {}", finding.remedy);
    }
    in_maya_terms(&text)
}

/// Options of the command line in a text become flags of the commands.
fn in_maya_terms(text: &str) -> String {
    let mut text = text.to_owned();
    let mut options: Vec<(&str, &str)> = COMMANDS
        .iter()
        .flat_map(|table| table.flags())
        .filter_map(|flag| flag.cli.map(|option| (option, flag.long)))
        .collect();
    options.push(("no-fill", "-fillMissing off"));
    // The longest first: an option may begin like another.
    options.sort_by_key(|(option, _)| std::cmp::Reverse(option.len()));
    for (option, flag) in options {
        text = text.replace(&format!("--{option}"), flag);
    }
    text
}

/// A message that is no finding: an error of our own.
pub(crate) fn internal(call: &str, what: &str) -> String {
    format!("{PREFIX}: error[INTERNAL]: {call}: {what}; the scene is as it was; please report this message")
}

/// Says what was done.
pub(crate) fn done(host: &Host, text: &str) {
    host.display(Level::Info, &format!("{PREFIX}: {text}"));
}

/// How many findings of one command are shown before the rest is only counted.
const SHOWN: usize = 10;

/// Shows warnings and notes of a job; errors are for whoever decides that the command failed.
pub(crate) fn show(host: &Host, findings: &[Finding]) {
    let mut shown: Vec<&Finding> =
        findings.iter().filter(|finding| finding.severity < Severity::Error).collect();
    shown.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    for finding in shown.iter().take(SHOWN) {
        let level = if finding.severity == Severity::Warning { Level::Warning } else { Level::Info };
        host.display(level, &line(finding));
    }
    if shown.len() > SHOWN {
        done(host, &format!("… and {} more (all of them with -json)", shown.len() - SHOWN));
    }
}

/// The errors of a job that did not do its work, as many as are shown.
pub(crate) fn errors(findings: &[Finding]) -> Vec<String> {
    let errors: Vec<&Finding> =
        findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    let mut lines: Vec<String> = errors.iter().take(SHOWN).map(|finding| line(finding)).collect();
    if errors.len() > SHOWN {
        lines.push(format!("{PREFIX}: … and {} more errors (all of them with -json)", errors.len() - SHOWN));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_code_place_values_and_remedy_in_flags_of_maya() {
        let finding = Finding::new(
            "OUTPUT_EXISTS",
            Severity::Error,
            "/out/a_head.dna",
            "exists already",
            "give --force to replace it, leave --no-fill and --strategy-set out",
        )
        .with_values(1, 2);
        assert_eq!(
            line(&finding),
            "MhRigCreator: error[OUTPUT_EXISTS]: /out/a_head.dna: exists already; expected 1, found 2; \
             give -force to replace it, leave -fillMissing off and -strategySet out"
        );
    }
}
