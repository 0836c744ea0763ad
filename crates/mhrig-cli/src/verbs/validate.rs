use std::collections::BTreeMap;
use std::path::PathBuf;

use mhrig::{DnaTarget, Finding, KeptOfTemplate, Severity, ValidateRequest};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::{BOLD, Ui};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The DNA file.
    #[arg(value_name = "FILE.dna")]
    file: PathBuf,
    /// The program that the file is meant for; it adds its own demands.
    #[arg(long, value_enum, value_name = "PROGRAM")]
    target: Option<TargetArg>,
    /// The file that it was made from: counts, names, topology and expressions are compared with it.
    #[arg(long, value_name = "TEMPLATE.dna")]
    against: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TargetArg {
    /// Import into Unreal Engine.
    Ue,
    /// Assembly of a rig in Maya.
    Maya,
    /// The reference libraries.
    Lib,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let target = match self.target {
            None => DnaTarget::Any,
            Some(TargetArg::Ue) => DnaTarget::Unreal,
            Some(TargetArg::Maya) => DnaTarget::Maya,
            Some(TargetArg::Lib) => DnaTarget::Library,
        };
        let request = ValidateRequest { file: self.file, target, against: self.against };
        let report = mhrig::validate(&request, ui.job());
        ui.report(&report, |details| {
            let counts = details.counts;
            out!(
                "{BOLD}{}{BOLD:#} ({}): {}, {}, {}",
                details.file.display(),
                details.version,
                counted(counts.errors, "error"),
                counted(counts.warnings, "warning"),
                counted(counts.notes, "note")
            );
            codes(&report.findings);
            if let Some(retention) = &details.retention {
                let mut table =
                    Table::new(&["kept of the template", "template", "found", "share", "strength"]);
                let mut row = |what: &str, kept: &KeptOfTemplate| {
                    let shares = [kept.share, kept.strength].map(|share| format!("{:.1} %", share * 100.0));
                    let numbers = [kept.template.to_string(), kept.found.to_string()];
                    table.row([what.to_owned()].into_iter().chain(numbers).chain(shares));
                };
                row("blend shape deltas", &retention.blend_shape_deltas);
                row("joint values", &retention.joint_values);
                table.print();
            }
        })
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// One row per code: how often, and the first place.
fn codes(findings: &[Finding]) {
    let mut by_code: BTreeMap<(std::cmp::Reverse<Severity>, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        by_code.entry((std::cmp::Reverse(finding.severity), finding.code)).or_default().push(finding);
    }
    let mut table =
        Table::new(&["code", "severity", "findings", "Unreal's word", "first place"]).left(&[1, 3, 4]);
    for ((std::cmp::Reverse(severity), code), findings) in &by_code {
        let severity = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        };
        let Some(first) = findings.first() else { continue };
        let place = first.place.split_once(": ").map_or("", |(_, place)| place);
        let count = findings.len().to_string();
        table.row([code, severity, &count, first.unreal.unwrap_or("–"), place]);
    }
    table.print_with_rows();
}
