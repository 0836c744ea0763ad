use mhrig_dna::Dna;

use super::SetLods;
use crate::CalibError;

pub(super) fn set(_dna: &mut Dna, _args: &SetLods, _compat: bool) -> Result<(), CalibError> {
    Err(CalibError::Unsupported { what: "SetLODs" })
}
