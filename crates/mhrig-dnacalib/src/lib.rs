//! The other engine of calibration: Epic's dnacalib library runs the commands.
//!
//! The library is not part of this program. With the cargo feature `dnacalib` the crate is built against an unpacked
//! copy of its public repository, which `DNACALIB_ROOT` names; without it [`engine`] says why there is none.

use mhrig_calib::Engine;

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
    let _ = compat;
    Err(NotBuilt)
}
