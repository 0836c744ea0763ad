use mhrig_dna::{Dna, Vectors3};
use serde::Serialize;

use crate::CalibError;
use crate::check::{count, mesh_place};
use crate::units::{cm_per_unit, file_length};

/// How far an edit moved points.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Moved {
    /// Number of points.
    pub count: usize,
    /// How many of them have other values than before.
    pub moved: usize,
    /// Mean distance over all points, cm.
    pub mean_cm: f64,
    /// Largest distance, cm.
    pub largest_cm: f64,
}

impl Moved {
    /// Compares two lists of points of equal length, in units of `cm_per_unit` cm.
    pub(crate) fn between(before: &Vectors3, after: &Vectors3, cm_per_unit: f64) -> Self {
        let mut report = Self { count: after.len(), ..Self::default() };
        let mut sum = 0.0;
        for (a, b) in before.iter().zip(after.iter()) {
            if a.map(f32::to_bits) != b.map(f32::to_bits) {
                report.moved += 1;
            }
            let squared: f64 = a.iter().zip(b).map(|(&a, b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
            let distance = squared.sqrt() * cm_per_unit;
            sum += distance;
            report.largest_cm = report.largest_cm.max(distance);
        }
        if report.count > 0 {
            report.mean_cm = sum / report.count as f64;
        }
        report
    }
}

/// Sets the local translation of every joint in the neutral pose; rotations stay, since expressions are relative to
/// them.
///
/// `translations_cm`: one per joint, in the parent's space, cm. They are stored in the file's unit; a file in cm gets
/// the nearest `f32`.
///
/// # Errors
/// [`CalibError::Count`] when there are more or fewer than joints, [`CalibError::NotFinite`].
pub fn set_neutral_joint_translations(
    dna: &mut Dna,
    translations_cm: &[[f64; 3]],
) -> Result<Moved, CalibError> {
    let place = || "joint translations".to_owned();
    count(translations_cm.len(), dna.definition.joint_names.len(), place)?;
    let unit = cm_per_unit(&dna.descriptor);
    let mut vectors = Vec::with_capacity(translations_cm.len());
    for (at, translation) in translations_cm.iter().enumerate() {
        let stored = translation.map(|c| file_length(c, unit));
        if !stored.iter().all(|c| c.is_finite()) {
            return Err(CalibError::NotFinite { place: place(), at });
        }
        vectors.push(stored);
    }
    let after = Vectors3::from_vectors(&vectors);
    let before = std::mem::replace(&mut dna.definition.neutral_joint_translations, after);
    Ok(Moved::between(&before, &dna.definition.neutral_joint_translations, unit))
}

/// Sets all vertex positions of one mesh.
///
/// `positions_cm`: one per vertex of the mesh, cm, axes as in the file. A file in cm gets the very bits that are given.
///
/// # Errors
/// [`CalibError::Index`] for a mesh that does not exist, [`CalibError::Count`] when there are more or fewer positions
/// than vertices, [`CalibError::NotFinite`].
pub fn set_mesh_positions(
    dna: &mut Dna,
    mesh: usize,
    positions_cm: &[[f32; 3]],
) -> Result<Moved, CalibError> {
    let place = mesh_place(dna, mesh);
    let limit = dna.geometry.meshes.len();
    let unit = cm_per_unit(&dna.descriptor);
    let Some(found) = dna.geometry.meshes.get_mut(mesh) else {
        return Err(CalibError::Index { place: "geom.meshes".to_owned(), at: mesh, found: mesh, limit });
    };
    let positions = || format!("{place}: new positions");
    count(positions_cm.len(), found.positions.len(), positions)?;
    if let Some(at) = positions_cm.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        return Err(CalibError::NotFinite { place: positions(), at });
    }
    let after = if unit == 1.0 {
        Vectors3::from_vectors(positions_cm)
    } else {
        let stored: Vec<_> =
            positions_cm.iter().map(|p| p.map(|c| file_length(f64::from(c), unit))).collect();
        Vectors3::from_vectors(&stored)
    };
    let before = std::mem::replace(&mut found.positions, after);
    Ok(Moved::between(&before, &found.positions, unit))
}
