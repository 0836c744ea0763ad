//! The other engine of calibration: Epic's dnacalib library runs the commands.
//!
//! The library is not part of this program. With the cargo feature `dnacalib` the crate is built against an unpacked
//! copy of its public repository, which `DNACALIB_ROOT` names; without it [`engine`] says why there is none.
//!
//! What the engine does, the library does, its mistakes included; the native engine with `compat` is the one to compare
//! with. The bridge adds what a program in the same process needs:
//!
//! * the library's global status is read after every command. The first error ends the run, with the library's code
//!   and message; with `compat` the run goes on, and the status that is left in the end comes back with the result;
//! * exceptions of any kind become errors, and a command that is known to crash is refused;
//! * a job can be cancelled between two commands, and one run at a time uses the library;
//! * files newer than 2.1, commands and arguments of [`mhrig_calib`]'s own, and names with zero bytes are refused: the
//!   library does not have them.
#![cfg_attr(not(feature = "dnacalib"), forbid(unsafe_code))]

#[cfg(feature = "dnacalib")]
mod bridge;
#[cfg(feature = "dnacalib")]
mod commands;
#[cfg(feature = "dnacalib")]
mod engine;

#[cfg(feature = "dnacalib")]
pub use engine::DnacalibEngine;

use mhrig_calib::Engine;

/// Name of the engine on the command line and in reports.
pub const ENGINE: &str = "dnacalib";

/// Why there is no engine: the program was built without the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this program was built without dnacalib")]
pub struct NotBuilt;

impl NotBuilt {
    /// What to do about it.
    pub const REMEDY: &str = "use the native engine, or build with `--features dnacalib` and DNACALIB_ROOT set to a copy of \
         the public repository MetaHuman-DNA-Calibration";
}

/// The engine. With `compat` it goes on after an error and gives back what the library then has, with the error that
/// the library's status names in the end; without it the first error stops the run.
///
/// # Errors
/// When this program was built without the feature `dnacalib`.
pub fn engine(compat: bool) -> Result<Box<dyn Engine + Send + Sync>, NotBuilt> {
    #[cfg(feature = "dnacalib")]
    return Ok(Box::new(DnacalibEngine { compat }));
    #[cfg(not(feature = "dnacalib"))]
    {
        let _ = compat;
        Err(NotBuilt)
    }
}

/// The version of the linked library; `None` where there is none.
pub fn library_version() -> Option<String> {
    #[cfg(feature = "dnacalib")]
    return bridge::library_version().ok();
    #[cfg(not(feature = "dnacalib"))]
    None
}
