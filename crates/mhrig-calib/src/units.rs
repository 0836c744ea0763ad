use mhrig_dna::{Descriptor, rotation_unit, translation_unit};

/// How many cm the file's unit of length is.
pub(crate) fn cm_per_unit(descriptor: &Descriptor) -> f64 {
    if descriptor.translation_unit == translation_unit::M { 100.0 } else { 1.0 }
}

/// How many degrees the file's unit of angle is.
pub(crate) fn degrees_per_unit(descriptor: &Descriptor) -> f64 {
    if descriptor.rotation_unit == rotation_unit::RADIANS { 180.0 / std::f64::consts::PI } else { 1.0 }
}

/// A length in cm as the file stores it. Lengths of a file in cm keep their bits.
pub(crate) fn file_length(cm: f64, cm_per_unit: f64) -> f32 {
    (cm / cm_per_unit) as f32
}
