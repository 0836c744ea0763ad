//! Findings, progress and cancellation: the vocabulary shared by every job.
//!
//! A check, a fit or a build never stops at its first complaint: it collects [`Finding`]s, each with a stable
//! code, a place, what was expected, what was found and what to do about it. Long jobs take a [`Job`], through
//! which they say where they are and ask whether they should stop.
#![forbid(unsafe_code)]

mod finding;
mod job;

pub use finding::{Finding, Refused, Severity, worst};
pub use job::{Cancel, Cancelled, Job, Progress, Silent};
