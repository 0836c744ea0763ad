//! Printing that neither panics nor loses what it could not print.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static LOST: AtomicBool = AtomicBool::new(false);

/// Notes a failed write to stdout, unless the reader just closed the pipe: it has seen what it wanted.
pub(crate) fn note(result: io::Result<()>) {
    if result.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether something could not be written to stdout.
pub(crate) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

pub(crate) fn line_to_stdout(line: fmt::Arguments<'_>) {
    note(writeln!(anstream::stdout().lock(), "{line}"));
}

pub(crate) fn line_to_stderr(line: fmt::Arguments<'_>) {
    // There is nowhere left to complain.
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// As `println!`, through [`line_to_stdout`].
macro_rules! out {
    () => { $crate::output::line_to_stdout(format_args!("")) };
    ($($argument:tt)*) => { $crate::output::line_to_stdout(format_args!($($argument)*)) };
}

/// As `eprintln!`, through [`line_to_stderr`].
macro_rules! err {
    ($($argument:tt)*) => { $crate::output::line_to_stderr(format_args!($($argument)*)) };
}

pub(crate) use {err, out};
