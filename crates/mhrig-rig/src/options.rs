use mhrig_dna::DescriptorExt;

/// Which generation of the reference evaluator decides where the two known ones differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Semantics {
    /// Version 10.3, for files up to 2.5.
    #[default]
    V10_3,
    /// Version 13.5: masks per mesh region, unwound twist angles in RBF distances, more start values of 1, operations
    /// between networks and joints that networks move (layer `mlbe`), Euler angles by layer `dsce`.
    V13_5,
}

/// The form of joint rotations in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RotationOutput {
    /// Nine numbers per joint: tx ty tz rx ry rz sx sy sz, angles in the DNA's rotation unit.
    #[default]
    Euler,
    /// Ten numbers per joint: tx ty tz qx qy qz qw sx sy sz.
    Quaternion,
}

impl RotationOutput {
    /// Numbers per joint.
    pub const fn stride(self) -> usize {
        match self {
            Self::Euler => 9,
            Self::Quaternion => 10,
        }
    }
}

/// Order of the three elementary rotations, named as in Maya: `Xyz` turns about x first, that is `qz · qy · qx`
/// on column vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum RotationOrder {
    #[default]
    Xyz,
    Xzy,
    Yxz,
    Yzx,
    Zxy,
    Zyx,
}

/// Order and signs (1 or -1) of Euler angles as layer `dsce` has them; `None` for numbers that it does not define.
pub fn rotation_convention(layer: &DescriptorExt) -> Option<(RotationOrder, [f32; 3])> {
    use RotationOrder::{Xyz, Xzy, Yxz, Yzx, Zxy, Zyx};
    let sequence = usize::try_from(layer.rotation_sequence).ok()?;
    let order = *[Xyz, Xzy, Yxz, Yzx, Zxy, Zyx].get(sequence)?;
    let sign = |value: i32| match value {
        1 => Some(1.0),
        -1 => Some(-1.0),
        _ => None,
    };
    let signs = layer.rotation_sign;
    Some((order, [sign(signs.x)?, sign(signs.y)?, sign(signs.z)?]))
}

/// Largest magnitude of a joint value that counts as zero when a rig is made; in the units of the file.
///
/// Rows and columns without a larger value are dropped. All zero by default, which drops nothing that matters.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub struct PruneThresholds {
    pub translation: f32,
    pub rotation: f32,
    pub scale: f32,
}

/// How [`Rig::from_dna`](crate::Rig::from_dna) reads a DNA.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RigOptions {
    /// Whose rules hold where the known generations differ.
    pub semantics: Semantics,
    /// Form of joint rotations in the output.
    pub rotation_output: RotationOutput,
    /// Order of Euler angles in the file and in the output.
    pub rotation_order: RotationOrder,
    /// Dead values of joint groups.
    pub prune: PruneThresholds,
    /// Bug-for-bug agreement with the reference, for comparisons with its output.
    ///
    /// Off: a driver quaternion of zero length counts as the identity, each evaluation starts from rest, an LOD
    /// that the rig does not have and a value that is not a number are errors. On: the reference's NaN, its
    /// stale rotation slots and its clamped LOD.
    pub compat: bool,
}

impl RigOptions {
    /// With another form of joint rotations.
    #[must_use]
    pub fn with_rotation_output(mut self, rotation_output: RotationOutput) -> Self {
        self.rotation_output = rotation_output;
        self
    }

    /// With or without bug-for-bug agreement.
    #[must_use]
    pub fn with_compat(mut self, compat: bool) -> Self {
        self.compat = compat;
        self
    }

    /// With the rules of another generation.
    #[must_use]
    pub fn with_semantics(mut self, semantics: Semantics) -> Self {
        self.semantics = semantics;
        self
    }
}
