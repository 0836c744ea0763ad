//! What the user sees: progress and findings on stderr, results on stdout.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mhrig::{Cancel, Finding, Job, Progress, Report, Severity, Status};
use serde::Serialize;

use crate::args::{ColorChoice, Global};
use crate::exit::{self, Exit};
use crate::interrupt;
use crate::output::{self, err, out};

/// How many findings are shown before the rest is only counted.
const FINDINGS_SHOWN: usize = 10;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();

/// Output settings and the cancel flag of one run.
pub(crate) struct Ui {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: u8,
    /// Whether everything is listed, however long it gets.
    pub(crate) all: bool,
    cancel: Cancel,
    progress: Bar,
}

impl Ui {
    pub(crate) fn new(global: &Global) -> Self {
        match global.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        let show_progress = !global.quiet && std::io::stderr().is_terminal();
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose,
            all: global.all,
            cancel: interrupt::cancel_on_ctrl_c(),
            progress: Bar::new(show_progress),
        }
    }

    /// What a job of the facade takes.
    pub(crate) fn job(&self) -> Job<'_> {
        Job { progress: &self.progress, cancel: &self.cancel }
    }

    /// Shows a finished report: as JSON on stdout with `--json`; otherwise its findings on stderr and what `show`
    /// prints on stdout. Returns the exit code.
    pub(crate) fn report<D: Serialize>(&self, report: &Report<D>, show: impl FnOnce(&D)) -> Exit {
        self.progress.finish();
        if self.json {
            print_json(report);
            return exit::of_report(report);
        }
        if let Some(details) = &report.details
            && !self.quiet
        {
            show(details);
        }
        self.findings(&report.findings);
        match report.status {
            Status::Cancelled if report.details.is_some() => {
                err!("{YELLOW}interrupted{YELLOW:#}: what was finished is kept, --resume does the rest");
            }
            Status::Cancelled => err!("{YELLOW}interrupted{YELLOW:#}: nothing was written"),
            Status::Refused => err!("{RED}refused{RED:#}: nothing was written"),
            Status::Ok | Status::Findings => {}
        }
        exit::of_report(report)
    }

    fn findings(&self, findings: &[Finding]) {
        let least = if self.quiet { Severity::Error } else { Severity::Info };
        let mut shown: Vec<&Finding> = findings.iter().filter(|finding| finding.severity >= least).collect();
        shown.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let limit = if self.all { shown.len() } else { FINDINGS_SHOWN };
        for finding in shown.iter().take(limit) {
            show_finding(finding);
        }
        if shown.len() > limit {
            err!("… and {} more (--all)", shown.len() - limit);
        }
    }

    /// One line on stdout that says what was done, unless `--quiet`.
    pub(crate) fn done(&self, text: &str) {
        if !self.quiet && !self.json {
            out!("{GREEN}done{GREEN:#}: {text}");
        }
    }
}

/// Prints a report as JSON on stdout.
pub(crate) fn print_json<D: Serialize>(report: &Report<D>) {
    let mut text = serde_json::to_vec_pretty(report).unwrap_or_default();
    text.push(b'\n');
    let mut stdout = std::io::stdout().lock();
    output::note(stdout.write_all(&text).and_then(|()| stdout.flush()));
}

fn show_finding(finding: &Finding) {
    let (style, word) = match finding.severity {
        Severity::Error => (RED, "error"),
        Severity::Warning => (YELLOW, "warning"),
        Severity::Info => (CYAN, "note"),
    };
    let unreal = finding.unreal.map(|word| format!(", Unreal: {word}")).unwrap_or_default();
    err!("{style}{word}{style:#}[{}{unreal}]: {}: {}", finding.code, finding.place, finding.message);
    match (&finding.expected, &finding.found) {
        (Some(expected), Some(found)) => err!("  expected {expected}, found {found}"),
        (Some(expected), None) => err!("  expected {expected}"),
        (None, Some(found)) => err!("  found {found}"),
        (None, None) => {}
    }
    if !finding.remedy.is_empty() {
        err!("  {DIM}what to do:{DIM:#} {}", finding.remedy);
    }
}

/// Progress on a terminal; silent elsewhere.
struct Bar {
    bar: Mutex<Option<ProgressBar>>,
    shown: bool,
}

impl Bar {
    fn new(shown: bool) -> Self {
        Self { bar: Mutex::new(None), shown }
    }

    fn finish(&self) {
        if let Ok(mut bar) = self.bar.lock()
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, steps: usize) {
        if !self.shown {
            return;
        }
        self.finish();
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target((steps > 0).then_some(steps as u64), target);
        let template =
            if steps > 0 { "{msg} {wide_bar} {pos}/{len} {eta}" } else { "{spinner} {msg} {elapsed}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        if let Ok(mut slot) = self.bar.lock() {
            *slot = Some(bar);
        }
    }

    fn step(&self) {
        if let Ok(slot) = self.bar.lock()
            && let Some(bar) = slot.as_ref()
        {
            bar.inc(1);
        }
    }
}
