//! What a mesh node stores, and the polygons that it means.

use std::collections::BTreeMap;

use mhrig_geom::{Polygons, UvSet};

use crate::scene_mesh::NamedUvSet;

/// No texture coordinate at a corner.
pub(super) const NO_UV: u32 = u32::MAX;
/// More texture coordinate sets than any mesh has; a limit against files made to eat memory.
pub(super) const MOST_UV_SETS: usize = 64;

/// The values of a mesh node, as the statements of the file gave them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MeshNode {
    pub(super) is_intermediate: bool,
    /// cm.
    pub(super) vertices: Vec<[f64; 3]>,
    pub(super) tweaks: Tweaks,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) faces: FaceList,
    pub(super) uv_sets: BTreeMap<u32, UvSetNode>,
    pub(super) current_uv_set: Option<String>,
}

/// A texture coordinate set of a mesh node.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UvSetNode {
    pub(super) name: Option<String>,
    pub(super) coords: Vec<[f32; 2]>,
}

/// Offsets of single vertices, cm. A later one replaces an earlier one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tweaks(Vec<(u32, [Option<f64>; 3])>);

impl Tweaks {
    pub(super) fn set(&mut self, vertex: u32, offset: [Option<f64>; 3]) {
        self.0.push((vertex, offset));
    }

    pub(super) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    /// Adds the offsets to `vertices`; returns how many belong to no vertex.
    pub(super) fn add_to(&self, vertices: &mut [[f64; 3]]) -> usize {
        let mut offsets: BTreeMap<u32, [f64; 3]> = BTreeMap::new();
        for (vertex, offset) in &self.0 {
            let sum = offsets.entry(*vertex).or_default();
            for (axis, value) in sum.iter_mut().zip(offset) {
                *axis = value.unwrap_or(*axis);
            }
        }
        let mut lost = 0;
        for (vertex, offset) in offsets {
            match vertices.get_mut(vertex as usize) {
                // adding 0 would turn -0 into 0
                Some(position) => {
                    for (axis, by) in position.iter_mut().zip(offset).filter(|(_, by)| *by != 0.0) {
                        *axis += by;
                    }
                }
                None => lost += usize::from(offset != [0.0; 3]),
            }
        }
        lost
    }
}

/// Faces as a mesh node stores them: signed edges, and texture coordinates per set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FaceList {
    /// Edge references of all outer loops: `e` for edge `e` as stored, `-e - 1` for its reverse.
    pub(super) edge_refs: Vec<i32>,
    /// Ends of the faces in `edge_refs`.
    pub(super) ends: Vec<u32>,
    /// For each set, texture coordinates aligned with `edge_refs`; possibly shorter.
    pub(super) uv_corners: BTreeMap<u32, Vec<u32>>,
    pub(super) hole_count: usize,
    pub(super) first_face_with_hole: Option<usize>,
}

impl FaceList {
    /// Number of faces.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Corners of the last face.
    pub(super) fn last_face(&self) -> std::ops::Range<usize> {
        let end = |back: usize| self.ends.len().checked_sub(back).and_then(|at| self.ends.get(at)).copied();
        end(2).unwrap_or(0) as usize..end(1).unwrap_or(0) as usize
    }
}

/// Polygons and texture coordinates of a mesh node, in the node's own space.
#[derive(Clone)]
pub(super) struct Geometry {
    pub(super) faces: Polygons,
    pub(super) first_uv: Option<NamedUvSet>,
    pub(super) more_uv_sets: Vec<NamedUvSet>,
    /// Sets that some faces have coordinates in and others not.
    pub(super) partial_uv_sets: Vec<(String, usize)>,
}

/// Why the values of a mesh node are no mesh.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MeshProblem {
    /// An index that points at nothing: in which face, what it indexes, the index, how many there are.
    Index { face: Option<usize>, what: &'static str, index: i64, count: usize },
    /// An edge of `face` that does not begin where the one before it ends.
    OpenFace { face: usize, corner: usize },
    /// More corners than indices can count.
    TooMany,
}

impl MeshNode {
    /// Whether the node stores polygons of its own.
    pub(super) fn has_geometry(&self) -> bool {
        !self.vertices.is_empty() && self.faces.len() > 0
    }

    /// Resolves edges to vertices and checks every index.
    pub(super) fn geometry(&self) -> Result<Geometry, MeshProblem> {
        let vertex_count = self.vertices.len();
        if let Some(&end) = self.edges.iter().flatten().find(|&&end| end as usize >= vertex_count) {
            return Err(MeshProblem::Index {
                face: None,
                what: "vertex",
                index: i64::from(end),
                count: vertex_count,
            });
        }
        let mut faces = Polygons::with_capacity(self.faces.len(), self.faces.edge_refs.len());
        let mut start = 0;
        let mut corners = Vec::new();
        for (face, &end) in self.faces.ends.iter().enumerate() {
            let refs = self.faces.edge_refs.get(start..end as usize).unwrap_or_default();
            start = end as usize;
            corners.clear();
            let mut previous_end = None;
            let mut first_start = None;
            for (corner, &reference) in refs.iter().enumerate() {
                let (edge, reversed) = if reference < 0 { (!reference, true) } else { (reference, false) };
                let ends = self.edges.get(edge as usize).ok_or(MeshProblem::Index {
                    face: Some(face),
                    what: "edge",
                    index: i64::from(edge),
                    count: self.edges.len(),
                })?;
                let (from, to) = if reversed { (ends[1], ends[0]) } else { (ends[0], ends[1]) };
                if previous_end.is_some_and(|previous| previous != from) {
                    return Err(MeshProblem::OpenFace { face, corner });
                }
                first_start.get_or_insert(from);
                previous_end = Some(to);
                corners.push(from);
            }
            if previous_end != first_start {
                return Err(MeshProblem::OpenFace { face, corner: 0 });
            }
            faces.push(corners.iter().copied()).map_err(|_| MeshProblem::TooMany)?;
        }
        let mut geometry =
            Geometry { faces, first_uv: None, more_uv_sets: Vec::new(), partial_uv_sets: Vec::new() };
        for (&set, corners) in &self.faces.uv_corners {
            self.add_uv_set(set, corners, &mut geometry)?;
        }
        Ok(geometry)
    }

    fn add_uv_set(&self, set: u32, corners: &[u32], geometry: &mut Geometry) -> Result<(), MeshProblem> {
        let none = UvSetNode::default();
        let node = self.uv_sets.get(&set).unwrap_or(&none);
        let name = node.name.clone().unwrap_or_else(|| format!("map{}", u64::from(set) + 1));
        let mapped = corners.iter().filter(|&&uv| uv != NO_UV).count();
        if mapped == 0 {
            return Ok(());
        }
        if mapped < geometry.faces.corners().len() {
            geometry.partial_uv_sets.push((name, geometry.faces.corners().len() - mapped));
            return Ok(());
        }
        if let Some(corner) = corners.iter().position(|&uv| uv as usize >= node.coords.len()) {
            let face = self.faces.ends.partition_point(|&end| end as usize <= corner);
            return Err(MeshProblem::Index {
                face: Some(face),
                what: "texture coordinate",
                index: i64::from(corners[corner]),
                count: node.coords.len(),
            });
        }
        let uv = UvSet { coords: node.coords.clone(), corners: corners.to_vec() };
        let set = NamedUvSet { name, uv };
        if geometry.first_uv.is_none() {
            geometry.first_uv = Some(set)
        } else {
            geometry.more_uv_sets.push(set)
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> MeshNode {
        MeshNode {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            edges: vec![[0, 1], [2, 1], [2, 3], [0, 3]],
            faces: FaceList { edge_refs: vec![0, -2, 2, -4], ends: vec![4], ..FaceList::default() },
            ..MeshNode::default()
        }
    }

    #[test]
    fn signed_edges_become_vertices() {
        assert_eq!(square().geometry().unwrap().faces.face(0), [0, 1, 2, 3]);
    }

    #[test]
    fn an_edge_that_does_not_follow_is_refused() {
        let mut node = square();
        node.faces.edge_refs[1] = 1;
        assert_eq!(node.geometry().err(), Some(MeshProblem::OpenFace { face: 0, corner: 1 }));
        let mut node = square();
        node.edges[3] = [1, 3];
        assert_eq!(node.geometry().err(), Some(MeshProblem::OpenFace { face: 0, corner: 0 }));
    }

    #[test]
    fn edge_minus_two_to_the_31_is_out_of_range_not_an_overflow() {
        let mut node = square();
        node.faces.edge_refs[0] = i32::MIN;
        let expected =
            MeshProblem::Index { face: Some(0), what: "edge", index: i64::from(i32::MAX), count: 4 };
        assert_eq!(node.geometry().err(), Some(expected));
    }

    #[test]
    fn later_tweaks_replace_earlier_ones_axis_by_axis() {
        let mut tweaks = Tweaks::default();
        tweaks.set(1, [Some(1.0), Some(2.0), Some(3.0)]);
        tweaks.set(1, [None, Some(0.5), None]);
        tweaks.set(9, [Some(1.0), None, None]);
        let mut vertices = vec![[-0.0; 3], [10.0; 3]];
        assert_eq!(tweaks.add_to(&mut vertices), 1);
        assert_eq!(vertices[1], [11.0, 10.5, 13.0]);
        assert!(vertices[0][0].is_sign_negative());
    }
}
