use mhrig_dna::Dna;
use mhrig_report::{Finding, Job};

use super::OfMesh;
use crate::CalibError;

pub(super) fn calculate(
    _dna: &mut Dna,
    _args: &OfMesh,
    _compat: bool,
    _findings: &mut Vec<Finding>,
    _job: &Job<'_>,
) -> Result<(), CalibError> {
    Err(CalibError::Unsupported { what: "CalculateMeshLowerLODs" })
}
