//! What a transform or joint node does to what is below it.

use nalgebra::{Matrix4, Vector3};

/// The attributes of a transform or joint; lengths in cm, angles in radians.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transform {
    pub(super) translate: [f64; 3],
    pub(super) rotate: [f64; 3],
    /// Maya's number of the rotate order.
    pub(super) rotate_order: u8,
    pub(super) scale: [f64; 3],
    pub(super) shear: [f64; 3],
    pub(super) rotate_pivot: [f64; 3],
    pub(super) rotate_pivot_translate: [f64; 3],
    pub(super) scale_pivot: [f64; 3],
    pub(super) scale_pivot_translate: [f64; 3],
    pub(super) rotate_axis: [f64; 3],
    pub(super) joint_orient: [f64; 3],
    pub(super) inherits_transform: bool,
    pub(super) segment_scale_compensate: bool,
    /// Column vectors; Maya's files have row vectors.
    pub(super) offset_parent_matrix: Matrix4<f64>,
}

impl Default for Transform {
    fn default() -> Self {
        Self {
            translate: [0.0; 3],
            rotate: [0.0; 3],
            rotate_order: 0,
            scale: [1.0; 3],
            shear: [0.0; 3],
            rotate_pivot: [0.0; 3],
            rotate_pivot_translate: [0.0; 3],
            scale_pivot: [0.0; 3],
            scale_pivot_translate: [0.0; 3],
            rotate_axis: [0.0; 3],
            joint_orient: [0.0; 3],
            inherits_transform: true,
            segment_scale_compensate: true,
            offset_parent_matrix: Matrix4::identity(),
        }
    }
}

/// The six rotate orders in Maya's numbering: the axis that turns first comes first.
const ROTATE_ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];

impl Transform {
    /// The transform from below the node to its parent, offset parent matrix included.
    ///
    /// `parent_joint_scale` is the scale of the parent when both are joints.
    pub(super) fn parent_from_node(
        &self,
        is_joint: bool,
        parent_joint_scale: Option<[f64; 3]>,
    ) -> Matrix4<f64> {
        // the order is that of the node documentation of `transform` and `joint`, reversed for column vectors
        let order = ROTATE_ORDERS.get(usize::from(self.rotate_order)).unwrap_or(&ROTATE_ORDERS[0]);
        let rotate = rotation(self.rotate, order);
        let rotate_axis = rotation(self.rotate_axis, &ROTATE_ORDERS[0]);
        let scale = Matrix4::new_nonuniform_scaling(&Vector3::from(self.scale));
        let local = if is_joint {
            let inverse_scale = match parent_joint_scale {
                Some(s) if self.segment_scale_compensate && s.iter().all(|c| *c != 0.0) => {
                    Matrix4::new_nonuniform_scaling(&Vector3::from(s.map(|c| 1.0 / c)))
                }
                _ => Matrix4::identity(),
            };
            let orient = rotation(self.joint_orient, &ROTATE_ORDERS[0]);
            translation(self.translate)
                * inverse_scale
                * orient
                * rotate
                * rotate_axis
                * self.shear_matrix()
                * scale
        } else {
            translation(self.translate)
                * translation(self.rotate_pivot_translate)
                * translation(self.rotate_pivot)
                * rotate
                * rotate_axis
                * translation(self.rotate_pivot.map(|c| -c))
                * translation(self.scale_pivot_translate)
                * translation(self.scale_pivot)
                * self.shear_matrix()
                * scale
                * translation(self.scale_pivot.map(|c| -c))
        };
        self.offset_parent_matrix * local
    }

    #[rustfmt::skip]
    fn shear_matrix(&self) -> Matrix4<f64> {
        let [xy, xz, yz] = self.shear;
        Matrix4::new(
            1.0,  xy,  xz, 0.0,
            0.0, 1.0,  yz, 0.0,
            0.0, 0.0, 1.0, 0.0,
            0.0, 0.0, 0.0, 1.0,
        )
    }
}

fn translation(by: [f64; 3]) -> Matrix4<f64> {
    Matrix4::new_translation(&Vector3::from(by))
}

/// The rotation by `angles_rad` about x, y, z in the order given.
fn rotation(angles_rad: [f64; 3], order: &[usize; 3]) -> Matrix4<f64> {
    order.iter().fold(Matrix4::identity(), |before, &axis| axis_rotation(axis, angles_rad[axis]) * before)
}

fn axis_rotation(axis: usize, angle_rad: f64) -> Matrix4<f64> {
    let (sin, cos) = angle_rad.sin_cos();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut m = Matrix4::identity();
    m[(a, a)] = cos;
    m[(a, b)] = -sin;
    m[(b, a)] = sin;
    m[(b, b)] = cos;
    m
}
