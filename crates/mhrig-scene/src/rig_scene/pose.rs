use std::collections::HashMap;

use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};
use nalgebra::{Matrix3, Matrix4, Rotation3, Vector3};

use super::RigScene;

/// `parent_from_node` of a transform: scale, then rotation (degrees, x first), then translation; column vectors.
pub fn parent_from_transform(translate: [f64; 3], rotate_deg: [f64; 3], scale: [f64; 3]) -> Matrix4<f64> {
    parent_from_joint(translate, [0.0; 3], rotate_deg, scale)
}

/// `parent_from_joint`: scale, then rotation, then orient, then translation. The scale of the parent is inherited.
pub fn parent_from_joint(
    translate: [f64; 3],
    orient_deg: [f64; 3],
    rotate_deg: [f64; 3],
    scale: [f64; 3],
) -> Matrix4<f64> {
    let rotation = |degrees: [f64; 3]| -> Matrix3<f64> {
        if degrees == [0.0; 3] {
            return Matrix3::identity();
        }
        rotation_from_euler_xyz(degrees.map(f64::to_radians)).into_inner()
    };
    let linear = rotation(orient_deg) * rotation(rotate_deg) * Matrix3::from_diagonal(&Vector3::from(scale));
    let mut matrix = Matrix4::identity();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::from(translate));
    matrix
}

/// Translation and rotation (degrees, x first) of a matrix without shear.
pub fn place_of(matrix: &Matrix4<f64>) -> ([f64; 3], [f64; 3]) {
    let mut linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    for mut column in linear.column_iter_mut() {
        let length = column.norm();
        if length > 0.0 {
            column /= length;
        }
    }
    let angles = euler_xyz_from_rotation(&Rotation3::from_matrix_unchecked(linear)).map(f64::to_degrees);
    let translate: Vector3<f64> = matrix.fixed_view::<3, 1>(0, 3).into_owned();
    (translate.into(), angles)
}

impl RigScene {
    /// `world_from_node` of all transforms and joints at rest, by name.
    pub fn rest_world(&self) -> HashMap<&str, Matrix4<f64>> {
        let mut world: HashMap<&str, Matrix4<f64>> = HashMap::new();
        let mut add = |name, parent: &Option<String>, local: Matrix4<f64>| {
            let above = parent.as_deref().and_then(|parent| world.get(parent)).copied();
            world.insert(name, above.map_or(local, |above| above * local));
        };
        for node in &self.transforms {
            let local = parent_from_transform(node.translate, node.rotate, node.scale);
            add(node.name.as_str(), &node.parent, local);
        }
        for joint in &self.joints {
            let local = parent_from_joint(joint.translate, joint.orient, [0.0; 3], [1.0; 3]);
            add(joint.name.as_str(), &joint.parent, local);
        }
        world
    }
}
