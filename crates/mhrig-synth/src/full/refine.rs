//! More vertices for the same surface: whole rings of quads are split, the widest first, until the number of vertices is
//! the wanted one. The mesh stays one of quads but for the last few vertices, which go into the middle of a quad each.
//!
//! Vertices keep their numbers; new ones are appended and are fixed linear combinations of the old ones (the four-point
//! scheme of Dyn, Levin and Gregory, 1987, along the edges), so that whatever is known of the old vertices (other people,
//! expressions, skin) carries over.

use std::collections::{HashMap, HashSet};

use mhrig_geom::{Mesh, Polygons, SkinWeights, UvSet};
use nalgebra::Vector3;

use crate::expressions::NUMERICAL_ZERO_CM;
use crate::posing::vector;
use crate::{SparseShape, SynthError};

/// Rings that are narrower than this share of the widest wait for the next pass.
const NARROWEST: f64 = 0.6;
/// Weight of the vertices beyond the ends of an edge in the four-point scheme.
const BEYOND: f64 = -1.0 / 16.0;

/// A mesh with more vertices than the one that it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Refined {
    /// Per vertex the vertices of the first mesh that it is a combination of, ascending; the shares have the sum 1.
    stencils: Vec<Vec<(u32, f64)>>,
    /// Positions as the rings were chosen by.
    positions: Vec<Vector3<f64>>,
    uvs: Vec<[f32; 2]>,
    faces: Vec<Face>,
    /// Edges that are left as they are.
    frozen: HashSet<(u32, u32)>,
}

/// A quad, or a triangle, whose last entries then repeat.
#[derive(Clone, Copy, Debug)]
struct Face {
    vertices: [u32; 4],
    uvs: [u32; 4],
    is_quad: bool,
}

impl Face {
    fn quad(corners: [(u32, u32); 4]) -> Self {
        Self { vertices: corners.map(|c| c.0), uvs: corners.map(|c| c.1), is_quad: true }
    }

    fn corner(&self, at: usize) -> (u32, u32) {
        (self.vertices[at % 4], self.uvs[at % 4])
    }

    fn len(&self) -> usize {
        if self.is_quad { 4 } else { 3 }
    }
}

fn key(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The edges of a mesh of quads, and which of them are opposite each other.
struct Rings {
    /// Ends of each edge, the smaller first.
    edges: Vec<(u32, u32)>,
    /// Per face the edges from each corner to the next.
    of_face: Vec<[usize; 4]>,
    /// Number of faces at each edge.
    faces_at: Vec<u32>,
    /// Ring of each edge.
    ring: Vec<usize>,
    rings: Vec<Ring>,
}

#[derive(Clone, Debug, Default)]
struct Ring {
    edges: usize,
    length: f64,
    is_frozen: bool,
    /// Quads that it runs through.
    quads: Vec<usize>,
}

impl Ring {
    fn width(&self) -> f64 {
        self.length / self.edges as f64
    }
}

fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

impl Refined {
    /// Starts with `mesh`, which has quads alone; edges of `frozen` are split by [`Refined::split_frozen`] and by nothing else.
    pub(crate) fn new(mesh: &Mesh, frozen: impl IntoIterator<Item = (u32, u32)>) -> Result<Self, SynthError> {
        let mismatch = |expected: &str, found: String| SynthError::Mismatch {
            what: "mesh to refine".to_owned(),
            expected: expected.to_owned(),
            found,
        };
        let Some(uv) = &mesh.uv else { return Err(mismatch("texture coordinates", "none".to_owned())) };
        let mut faces = Vec::with_capacity(mesh.faces.len());
        for face in 0..mesh.faces.len() {
            let range = mesh.faces.corner_range(face);
            let corners = <[u32; 4]>::try_from(mesh.faces.face(face)).ok();
            let uvs = uv.corners.get(range.clone()).and_then(|uvs| <[u32; 4]>::try_from(uvs).ok());
            let (Some(vertices), Some(uvs)) = (corners, uvs) else {
                return Err(mismatch("quads", format!("a face of {} corners", range.len())));
            };
            faces.push(Face { vertices, uvs, is_quad: true });
        }
        Ok(Self {
            stencils: (0..mesh.positions.len() as u32).map(|vertex| vec![(vertex, 1.0)]).collect(),
            positions: mesh.positions.iter().map(|&position| vector(position)).collect(),
            uvs: uv.coords.clone(),
            faces,
            frozen: frozen.into_iter().map(|(a, b)| key(a, b)).collect(),
        })
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.stencils.len()
    }

    fn rings(&self) -> Rings {
        let mut number: HashMap<(u32, u32), usize> = HashMap::with_capacity(self.faces.len() * 2);
        let mut edges = Vec::new();
        let mut faces_at = Vec::new();
        let mut of_face = Vec::with_capacity(self.faces.len());
        for face in &self.faces {
            let mut own = [usize::MAX; 4];
            for (at, own) in own.iter_mut().enumerate().take(face.len()) {
                let ends = key(face.vertices[at], face.vertices[(at + 1) % face.len()]);
                let edge = *number.entry(ends).or_insert_with(|| {
                    edges.push(ends);
                    faces_at.push(0);
                    edges.len() - 1
                });
                faces_at[edge] += 1;
                *own = edge;
            }
            of_face.push(own);
        }
        let mut parents: Vec<usize> = (0..edges.len()).collect();
        for (face, own) in self.faces.iter().zip(&of_face) {
            if face.is_quad {
                for at in 0..2 {
                    let (a, b) = (root(&mut parents, own[at]), root(&mut parents, own[at + 2]));
                    parents[a.max(b)] = a.min(b);
                }
            }
        }
        let mut rings: Vec<Ring> = Vec::new();
        let mut place = vec![usize::MAX; edges.len()];
        let mut ring = Vec::with_capacity(edges.len());
        for (edge, &(a, b)) in edges.iter().enumerate() {
            let first = root(&mut parents, edge);
            if place[first] == usize::MAX {
                place[first] = rings.len();
                rings.push(Ring::default());
            }
            let own = &mut rings[place[first]];
            own.edges += 1;
            own.length += (self.positions[a as usize] - self.positions[b as usize]).norm();
            // A triangle at an edge has no opposite edge to split with it.
            own.is_frozen |= self.frozen.contains(&(a, b));
            ring.push(place[first]);
        }
        for (at, (face, own)) in self.faces.iter().zip(&of_face).enumerate() {
            if face.is_quad {
                for direction in 0..2 {
                    rings[ring[own[direction]]].quads.push(at);
                }
            } else {
                for &edge in &own[..3] {
                    rings[ring[edge]].is_frozen = true;
                }
            }
        }
        Rings { edges, of_face, faces_at, ring, rings }
    }

    /// Number of vertices that splitting all rings of frozen edges adds.
    pub(crate) fn frozen_cost(&self) -> usize {
        let rings = self.rings();
        let mut marked = vec![false; rings.rings.len()];
        let mut cost = 0;
        for at in 0..marked.len() {
            if rings.rings[at].is_frozen {
                cost += rings.cost(at, &mut marked);
            }
        }
        cost
    }

    /// Splits all rings of frozen edges; their halves are frozen then. Gives each such edge with its new middle.
    pub(crate) fn split_frozen(&mut self) -> Vec<((u32, u32), u32)> {
        let rings = self.rings();
        let marked: Vec<bool> = rings.rings.iter().map(|ring| ring.is_frozen).collect();
        let middles = self.split(&rings, &marked);
        let mut split: Vec<((u32, u32), u32)> = Vec::new();
        for (edge, &ends) in rings.edges.iter().enumerate() {
            if let Some(middle) = middles[edge].filter(|_| self.frozen.remove(&ends)) {
                self.frozen.insert(key(ends.0, middle));
                self.frozen.insert(key(ends.1, middle));
                split.push((ends, middle));
            }
        }
        split
    }

    /// Adds vertices until there are `target`.
    pub(crate) fn refine(&mut self, target: usize) {
        while self.vertex_count() < target {
            let rings = self.rings();
            let mut order: Vec<usize> =
                (0..rings.rings.len()).filter(|&ring| !rings.rings[ring].is_frozen).collect();
            order.sort_by(|&a, &b| rings.rings[b].width().total_cmp(&rings.rings[a].width()).then(a.cmp(&b)));
            let widest = order.first().map_or(0.0, |&ring| rings.rings[ring].width());
            let mut marked = vec![false; rings.rings.len()];
            let mut left = target - self.vertex_count();
            for least in [NARROWEST * widest, 0.0] {
                for &ring in order.iter().take_while(|&&ring| rings.rings[ring].width() >= least) {
                    let cost = rings.cost(ring, &mut marked);
                    if cost > left {
                        marked[ring] = false;
                    } else {
                        left -= cost;
                    }
                }
                if marked.contains(&true) {
                    break;
                }
            }
            if !marked.contains(&true) {
                break;
            }
            self.split(&rings, &marked);
        }
        self.poke(target);
    }

    /// Puts a vertex into the middle of each of the largest quads until there are `target` vertices.
    fn poke(&mut self, target: usize) {
        let count = target.saturating_sub(self.vertex_count());
        let size = |face: &Face| {
            let [a, b, c, d] = face.vertices.map(|vertex| self.positions[vertex as usize]);
            (c - a).cross(&(d - b)).norm()
        };
        let mut quads: Vec<(usize, f64)> = Vec::new();
        if count > 0 {
            let of_quads = self.faces.iter().enumerate().filter(|(_, face)| face.is_quad);
            quads.extend(of_quads.map(|(at, face)| (at, size(face))));
            quads.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        for &(at, _) in quads.iter().take(count) {
            let face = self.faces[at];
            let middle = self.push(&face.vertices.map(|vertex| (vertex, 0.25)));
            let uv = self.middle_uv(&face);
            for corner in 0..4 {
                let corners = [face.corner(corner), face.corner(corner + 1), (middle, uv), (middle, uv)];
                let triangle = Face { is_quad: false, ..Face::quad(corners) };
                if corner == 0 {
                    self.faces[at] = triangle;
                } else {
                    self.faces.push(triangle);
                }
            }
        }
    }

    fn push(&mut self, parts: &[(u32, f64)]) -> u32 {
        let mut stencil: Vec<(u32, f64)> = Vec::new();
        for &(vertex, share) in parts {
            let own = &self.stencils[vertex as usize];
            stencil.extend(own.iter().map(|&(base, weight)| (base, weight * share)));
        }
        stencil.sort_by_key(|&(base, _)| base);
        stencil.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        let position = parts.iter().map(|&(vertex, share)| self.positions[vertex as usize] * share).sum();
        self.stencils.push(stencil);
        self.positions.push(position);
        (self.stencils.len() - 1) as u32
    }

    fn middle_uv(&mut self, face: &Face) -> u32 {
        let [u, v] = [0, 1]
            .map(|axis| face.uvs.iter().map(|&uv| f64::from(self.uvs[uv as usize][axis])).sum::<f64>() / 4.0);
        self.uvs.push([u as f32, v as f32]);
        (self.uvs.len() - 1) as u32
    }

    /// Splits the marked rings; gives the new vertex of each edge.
    fn split(&mut self, rings: &Rings, marked: &[bool]) -> Vec<Option<u32>> {
        let beyond = Beyond::new(self, rings);
        let mut middles: Vec<Option<u32>> = vec![None; rings.edges.len()];
        for (edge, &(a, b)) in rings.edges.iter().enumerate() {
            if !marked[rings.ring[edge]] {
                continue;
            }
            let is_border = rings.faces_at[edge] == 1;
            let mut parts = vec![(a, 0.5 - BEYOND), (b, 0.5 - BEYOND)];
            for (end, other) in [(a, b), (b, a)] {
                let next = beyond.along(end, other, is_border);
                if next.is_empty() {
                    // Nothing continues the edge: the straight line does.
                    parts.extend([(end, 2.0 * BEYOND), (other, -BEYOND)]);
                }
                let share = BEYOND / next.len().max(1) as f64;
                parts.extend(next.into_iter().map(|vertex| (vertex, share)));
            }
            middles[edge] = Some(self.push(&parts));
        }
        let mut uv_middles: HashMap<(u32, u32), u32> = HashMap::new();
        let faces = std::mem::take(&mut self.faces);
        self.faces.reserve(faces.len() * 2);
        for (face, own) in faces.iter().zip(&rings.of_face) {
            if !face.is_quad {
                self.faces.push(*face);
                continue;
            }
            let mids = own.map(|edge| middles[edge]);
            let mut uv = |at: usize| -> u32 {
                let (a, b) = (face.uvs[at], face.uvs[(at + 1) % 4]);
                *uv_middles.entry(key(a, b)).or_insert_with(|| {
                    let [a, b] = [a, b].map(|uv| self.uvs[uv as usize]);
                    self.uvs.push([(a[0] + b[0]) * 0.5, (a[1] + b[1]) * 0.5]);
                    (self.uvs.len() - 1) as u32
                })
            };
            let c = [0, 1, 2, 3].map(|at| face.corner(at));
            match mids {
                [Some(m0), Some(m1), Some(m2), Some(m3)] => {
                    let m = [(m0, uv(0)), (m1, uv(1)), (m2, uv(2)), (m3, uv(3))];
                    // A Coons patch: half the sum of the middles less a quarter of that of the corners.
                    let parts: Vec<(u32, f64)> = m.iter().map(|m| (m.0, 0.5)).collect();
                    let corners = c.iter().map(|c| (c.0, -0.25));
                    let parts: Vec<(u32, f64)> = parts.into_iter().chain(corners).collect();
                    let middle = self.push(&parts);
                    let x = (middle, self.middle_uv(face));
                    self.faces.extend([
                        Face::quad([c[0], m[0], x, m[3]]),
                        Face::quad([m[0], c[1], m[1], x]),
                        Face::quad([x, m[1], c[2], m[2]]),
                        Face::quad([m[3], x, m[2], c[3]]),
                    ]);
                }
                [Some(m0), _, Some(m2), _] => {
                    let (m0, m2) = ((m0, uv(0)), (m2, uv(2)));
                    self.faces.push(Face::quad([c[0], m0, m2, c[3]]));
                    self.faces.push(Face::quad([m0, c[1], c[2], m2]));
                }
                [_, Some(m1), _, Some(m3)] => {
                    let (m1, m3) = ((m1, uv(1)), (m3, uv(3)));
                    self.faces.push(Face::quad([c[0], c[1], m1, m3]));
                    self.faces.push(Face::quad([m3, m1, c[2], c[3]]));
                }
                _ => self.faces.push(*face),
            }
        }
        middles
    }

    /// The mesh with the vertices where `base` puts those of the first mesh.
    pub(crate) fn mesh(&self, base: &[[f32; 3]]) -> Result<Mesh, SynthError> {
        let corners = self.faces.iter().map(Face::len).sum();
        let mut faces = Polygons::with_capacity(self.faces.len(), corners);
        let mut uv = UvSet { coords: self.uvs.clone(), corners: Vec::with_capacity(corners) };
        for face in &self.faces {
            faces.push(face.vertices[..face.len()].iter().copied()).map_err(|_| SynthError::TooMany {
                what: "corners of a refined mesh".to_owned(),
                count: corners,
            })?;
            uv.corners.extend_from_slice(&face.uvs[..face.len()]);
        }
        Ok(Mesh { positions: self.positions(base), faces, uv: Some(uv) })
    }

    /// Where the vertices are when those of the first mesh are at `base`.
    pub(crate) fn positions(&self, base: &[[f32; 3]]) -> Vec<[f32; 3]> {
        let at = |stencil: &Vec<(u32, f64)>| -> [f32; 3] {
            let sum: Vector3<f64> =
                stencil.iter().map(|&(vertex, share)| vector(base[vertex as usize]) * share).sum();
            sum.map(|c| c as f32).into()
        };
        self.stencils.iter().map(at).collect()
    }

    /// A displacement of the first mesh as one of this mesh.
    pub(crate) fn shape(&self, base: &SparseShape) -> SparseShape {
        let mut dense: Vec<Option<Vector3<f64>>> = vec![None; self.positions.len()];
        for (&vertex, &delta) in base.vertices.iter().zip(&base.deltas) {
            dense[vertex as usize] = Some(vector(delta));
        }
        let mut shape = SparseShape::default();
        for (vertex, stencil) in self.stencils.iter().enumerate() {
            let parts = stencil.iter().filter_map(|&(base, share)| Some(dense[base as usize]? * share));
            let sum: Vector3<f64> = parts.sum();
            if sum.norm() > NUMERICAL_ZERO_CM {
                shape.vertices.push(vertex as u32);
                shape.deltas.push(sum.map(|c| c as f32).into());
            }
        }
        shape
    }

    /// Skin weights of the first mesh as weights of this mesh, not yet capped; sums 1.
    pub(crate) fn skin(&self, base: &SkinWeights) -> Vec<Vec<(u16, f64)>> {
        let of_vertex = |stencil: &Vec<(u32, f64)>| {
            let mut sum: Vec<(u16, f64)> = Vec::new();
            for &(vertex, share) in stencil {
                for (joint, weight) in base.influences(vertex as usize) {
                    let weight = share * f64::from(weight);
                    match sum.iter_mut().find(|(known, _)| *known == joint.0) {
                        Some((_, sum)) => *sum += weight,
                        None => sum.push((joint.0, weight)),
                    }
                }
            }
            // The shares of vertices beyond an edge are negative.
            sum.retain(|&(_, weight)| weight > 1e-4);
            let total: f64 = sum.iter().map(|(_, weight)| weight).sum();
            sum.iter_mut().for_each(|(_, weight)| *weight /= total);
            sum.sort_unstable_by_key(|&(joint, _)| joint);
            sum
        };
        self.stencils.iter().map(of_vertex).collect()
    }
}

impl Rings {
    /// Number of vertices that splitting `ring` adds on top of those marked, and marks it.
    fn cost(&self, ring: usize, marked: &mut [bool]) -> usize {
        let was_marked = std::mem::replace(&mut marked[ring], true);
        if was_marked {
            return 0;
        }
        let is_crossed = |quad: usize| {
            let [a, b, ..] = self.of_face[quad];
            marked[self.ring[a]] && marked[self.ring[b]]
        };
        // A ring that crosses itself in a quad runs through it twice.
        let mut crossed: Vec<usize> =
            self.rings[ring].quads.iter().copied().filter(|&quad| is_crossed(quad)).collect();
        crossed.sort_unstable();
        crossed.dedup();
        self.rings[ring].edges + crossed.len()
    }
}

/// Which vertices continue an edge beyond its ends.
struct Beyond {
    neighbours: Vec<Vec<u32>>,
    border: HashSet<(u32, u32)>,
    /// Vertices that share a face with both ends of an edge.
    beside: HashMap<(u32, u32), Vec<u32>>,
}

impl Beyond {
    fn new(mesh: &Refined, rings: &Rings) -> Self {
        let mut neighbours = vec![Vec::new(); mesh.positions.len()];
        let mut border = HashSet::new();
        for (&(a, b), &faces) in rings.edges.iter().zip(&rings.faces_at) {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
            if faces == 1 {
                border.insert((a, b));
            }
        }
        let mut beside: HashMap<(u32, u32), Vec<u32>> = HashMap::with_capacity(rings.edges.len());
        for (face, own) in mesh.faces.iter().zip(&rings.of_face) {
            for &edge in &own[..face.len()] {
                let vertices = beside.entry(rings.edges[edge]).or_default();
                vertices.extend_from_slice(&face.vertices[..face.len()]);
            }
        }
        Self { neighbours, border, beside }
    }

    /// The neighbours of `end` that continue the edge from `other` to it.
    fn along(&self, end: u32, other: u32, is_border: bool) -> Vec<u32> {
        let neighbours = self.neighbours[end as usize].iter().copied();
        if is_border {
            // A border is a curve of its own, so that both sides of a seam get the same one.
            let next: Vec<u32> =
                neighbours.filter(|&next| next != other && self.border.contains(&key(end, next))).collect();
            return if next.len() == 1 { next } else { Vec::new() };
        }
        let beside = self.beside.get(&key(end, other)).map_or(&[][..], Vec::as_slice);
        neighbours.filter(|next| !beside.contains(next)).collect()
    }
}
