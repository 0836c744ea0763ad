use mhrig_dna::{Mesh, Vectors3};
use serde::Serialize;

/// What recomputing the normals of a mesh did.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct NormalChange {
    /// Number of normals.
    pub count: usize,
    /// How many were computed anew; the others belong to faces that did not move.
    pub recomputed: usize,
    /// How many kept the old value because the faces around them have no area.
    pub without_area: usize,
}

/// How the normals of a mesh hang together, found on its template: which of them are one smooth normal that is stored
/// several times, and on which side of its faces they stand.
///
/// A normal is the sum of the unit normals of the faces around it, weighted by the angle of the face's corner. All
/// corners that share a normal number get one normal. Normals of one vertex that were equal on the template (within
/// half a degree) are one as well, so that the seams of a UV layout do not show; those that differed stay apart, so a
/// hard edge stays hard.
#[derive(Clone, Debug)]
pub struct NormalPlan {
    group_of_normal: Vec<u32>,
    group_count: usize,
    sign: f64,
}

/// Cosine of the angle up to which two normals of one vertex are the same.
const SAME_NORMAL_COS: f64 = 0.999_961_9;

impl NormalPlan {
    /// Looks at a template mesh, whose numbers must have been checked with [`crate::check_mesh`].
    pub fn from_template(mesh: &Mesh) -> Self {
        let normals = &mesh.normals;
        let layouts = &mesh.layouts;
        let mut parents: Vec<u32> = (0..normals.len() as u32).collect();
        let mut pairs: Vec<(u32, u32)> = layouts
            .positions
            .iter()
            .zip(&layouts.normals)
            .map(|(&position, &normal)| (position, normal))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        for of_vertex in pairs.chunk_by(|a, b| a.0 == b.0) {
            for (at, &(_, first)) in of_vertex.iter().enumerate() {
                for &(_, second) in &of_vertex[at + 1..] {
                    if same_direction(normals, first, second) {
                        unite(&mut parents, first, second);
                    }
                }
            }
        }
        let mut group_of_normal = vec![u32::MAX; normals.len()];
        let mut group_count = 0;
        for normal in 0..normals.len() as u32 {
            let root = root_of(&mut parents, normal) as usize;
            if group_of_normal[root] == u32::MAX {
                group_of_normal[root] = group_count;
                group_count += 1;
            }
            group_of_normal[normal as usize] = group_of_normal[root];
        }
        let mut plan = Self { group_of_normal, group_count: group_count as usize, sign: 1.0 };
        let sums = plan.sums(mesh, None).0;
        let agreement: f64 = normals
            .iter()
            .zip(&plan.group_of_normal)
            .map(|(normal, &group)| {
                dot(normal.map(f64::from), unit(sums[group as usize]).unwrap_or_default())
            })
            .sum();
        if agreement < 0.0 {
            plan.sign = -1.0;
        }
        plan
    }

    /// Number of normals of the template.
    pub(crate) fn len(&self) -> usize {
        self.group_of_normal.len()
    }

    /// Recomputes the normals of `mesh` around the vertices that moved.
    ///
    /// `moved`: one flag per vertex; `None` recomputes all normals. The mesh must be the template with other
    /// positions.
    pub fn apply(&self, mesh: &mut Mesh, moved: Option<&[bool]>) -> NormalChange {
        let count = mesh.normals.len();
        let mut change = NormalChange { count, ..NormalChange::default() };
        if count != self.group_of_normal.len() {
            return change;
        }
        let (sums, touched) = self.sums(mesh, moved);
        for (normal, &group) in self.group_of_normal.iter().enumerate() {
            if !touched[group as usize] {
                continue;
            }
            match unit(sums[group as usize]) {
                Some(direction) => {
                    mesh.normals.xs[normal] = (direction[0] * self.sign) as f32;
                    mesh.normals.ys[normal] = (direction[1] * self.sign) as f32;
                    mesh.normals.zs[normal] = (direction[2] * self.sign) as f32;
                    change.recomputed += 1;
                }
                None => change.without_area += 1,
            }
        }
        change
    }

    /// Angle-weighted sums of face normals per group, and which groups have a face with a moved vertex.
    fn sums(&self, mesh: &Mesh, moved: Option<&[bool]>) -> (Vec<[f64; 3]>, Vec<bool>) {
        let mut sums = vec![[0.0; 3]; self.group_count];
        let mut touched = vec![false; self.group_count];
        let layouts = &mesh.layouts;
        if layouts.normals.len() != layouts.positions.len() {
            return (sums, touched);
        }
        let mut corners = Vec::new();
        for face in &mesh.faces {
            corners.clear();
            let vertices = face.iter().map(|&layout| layouts.positions[layout as usize] as usize);
            corners.extend(vertices.clone().filter_map(|v| mesh.positions.get(v)).map(|p| p.map(f64::from)));
            if corners.len() != face.len() || corners.len() < 3 {
                continue;
            }
            if moved.is_none_or(|moved| vertices.clone().any(|v| moved[v])) {
                for &layout in face {
                    touched[self.group_of_normal[layouts.normals[layout as usize] as usize] as usize] = true;
                }
            }
            let Some(face_normal) = unit(polygon_normal(&corners)) else { continue };
            for (at, &layout) in face.iter().enumerate() {
                let next = sub(corners[(at + 1) % corners.len()], corners[at]);
                let previous = sub(corners[(at + corners.len() - 1) % corners.len()], corners[at]);
                let angle = length(cross(next, previous)).atan2(dot(next, previous));
                let sum = &mut sums[self.group_of_normal[layouts.normals[layout as usize] as usize] as usize];
                for axis in 0..3 {
                    sum[axis] += angle * face_normal[axis];
                }
            }
        }
        (sums, touched)
    }
}

fn same_direction(normals: &Vectors3, first: u32, second: u32) -> bool {
    let normal = |at: u32| normals.get(at as usize).and_then(|n| unit(n.map(f64::from)));
    match (normal(first), normal(second)) {
        (Some(a), Some(b)) => dot(a, b) >= SAME_NORMAL_COS,
        (None, None) => true,
        _ => false,
    }
}

fn root_of(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

fn unite(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root_of(parents, a), root_of(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

/// Twice the vector area of a polygon (Newell's method), also for polygons that are not flat.
fn polygon_normal(corners: &[[f64; 3]]) -> [f64; 3] {
    let origin = corners[0];
    let mut sum = [0.0; 3];
    for at in 1..corners.len() - 1 {
        let part = cross(sub(corners[at], origin), sub(corners[at + 1], origin));
        for axis in 0..3 {
            sum[axis] += part[axis];
        }
    }
    sum
}

pub(crate) fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = length(v);
    (length > 1e-30 && length.is_finite()).then(|| v.map(|c| c / length))
}

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use mhrig_dna::VertexLayouts;

    /// Two quads that share the edge 1-4, folded about it; layouts of the second quad are its own.
    fn folded(normals: &[[f32; 3]], layout_normals: &[u32]) -> Mesh {
        let positions = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
            [2.0, 1.0, 0.0],
        ];
        Mesh {
            positions: Vectors3::from_vectors(&positions),
            normals: Vectors3::from_vectors(normals),
            layouts: VertexLayouts {
                positions: vec![0, 1, 4, 3, 1, 2, 5, 4],
                texture_coordinates: Vec::new(),
                normals: layout_normals.to_vec(),
            },
            faces: vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]],
            ..Mesh::default()
        }
    }

    fn fold(mesh: &mut Mesh) {
        mesh.positions.zs = vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
    }

    #[test]
    fn equal_normals_of_a_uv_seam_stay_equal() {
        let mut mesh = folded(&[[0.0, 0.0, 1.0]; 8], &[0, 1, 2, 3, 4, 5, 6, 7]);
        let plan = NormalPlan::from_template(&mesh);
        fold(&mut mesh);
        let change = plan.apply(&mut mesh, None);
        assert_eq!(change, NormalChange { count: 8, recomputed: 8, without_area: 0 });
        assert_eq!(mesh.normals.get(1), mesh.normals.get(4));
        assert_eq!(mesh.normals.get(1), Some([0.0, 0.0, 1.0]));
    }

    #[test]
    fn a_hard_edge_stays_hard() {
        let tilt = 0.5f32.sqrt();
        let (left, right) = ([tilt, 0.0, tilt], [-tilt, 0.0, tilt]);
        let mut mesh =
            folded(&[left, left, left, left, right, right, right, right], &[0, 1, 2, 3, 4, 5, 6, 7]);
        fold(&mut mesh);
        let plan = NormalPlan::from_template(&mesh);
        mesh.positions.zs = vec![2.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        plan.apply(&mut mesh, None);
        let expected = [2.0 / 5.0f32.sqrt(), 0.0, 1.0 / 5.0f32.sqrt()];
        for (found, expected) in mesh.normals.get(1).unwrap().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6);
        }
        assert_eq!(mesh.normals.get(4), Some([0.0, 0.0, 1.0]));
    }

    #[test]
    fn a_file_with_the_other_winding_keeps_its_side() {
        let mut mesh = folded(&[[0.0, 0.0, -1.0]; 6], &[0, 1, 4, 3, 1, 2, 5, 4]);
        let plan = NormalPlan::from_template(&mesh);
        mesh.positions.ys = mesh.positions.ys.iter().map(|y| y * 2.0).collect();
        plan.apply(&mut mesh, None);
        assert!(mesh.normals.iter().all(|n| n == [0.0, 0.0, -1.0]));
    }

    #[test]
    fn normals_away_from_what_moved_and_without_area_stay() {
        let odd = [0.6, 0.0, 0.8];
        let mut mesh = folded(&[odd; 6], &[0, 1, 4, 3, 1, 2, 5, 4]);
        let plan = NormalPlan::from_template(&mesh);
        mesh.positions.zs[0] = 0.5;
        let moved = [true, false, false, false, false, false];
        let change = plan.apply(&mut mesh, Some(&moved));
        assert_eq!(change.recomputed, 4);
        assert_eq!(mesh.normals.get(2), Some(odd));
        assert_eq!(mesh.normals.get(5), Some(odd));
        mesh.positions = Vectors3::from_vectors(&[[1.0; 3]; 6]);
        let before = mesh.normals.clone();
        assert_eq!(plan.apply(&mut mesh, None).without_area, 6);
        assert_eq!(mesh.normals, before);
    }
}
