//! Fewer vertices for the same surface: half-edge collapses ordered by quadric error (Garland and Heckbert, "Surface
//! simplification using quadric error metrics", 1997), without moving a vertex or inventing a texture coordinate.
//!
//! What is left is a subset of the vertices with their positions and texture coordinates, so that a coarse mesh lies on the
//! layout of the fine one exactly.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use mhrig_geom::Mesh;
use nalgebra::{Matrix3, Vector3};

/// A mesh of triangles that is being simplified. Vertices and texture coordinates keep their numbers.
#[derive(Clone, Debug)]
pub struct Decimation {
    positions: Vec<Vector3<f64>>,
    uvs: Vec<[f64; 2]>,
    triangles: Vec<Triangle>,
    /// Triangles around each vertex; may name dead ones.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    alive: Vec<bool>,
    alive_count: usize,
}

#[derive(Clone, Copy, Debug)]
struct Triangle {
    vertices: [u32; 3],
    uvs: [u32; 3],
    alive: bool,
}

/// What may happen to a vertex in [`Decimation::reduce`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes when it is its turn.
    Free,
    /// It stays.
    Kept,
    /// It goes before all others, whatever the error.
    Removed,
}

/// A sum of weighted squared distances to planes, `xᵀAx + 2bᵀx + c`.
#[derive(Clone, Copy, Debug)]
struct Quadric {
    a: Matrix3<f64>,
    b: Vector3<f64>,
    c: f64,
}

impl Quadric {
    const ZERO: Self =
        Self { a: Matrix3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.), b: Vector3::new(0., 0., 0.), c: 0. };

    fn plane(normal: Vector3<f64>, through: Vector3<f64>, weight: f64) -> Self {
        let offset = -normal.dot(&through);
        Self {
            a: normal * normal.transpose() * weight,
            b: normal * (offset * weight),
            c: offset * offset * weight,
        }
    }

    fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.c += other.c;
    }

    fn error(&self, at: Vector3<f64>) -> f64 {
        (at.dot(&(self.a * at)) + 2.0 * self.b.dot(&at) + self.c).max(0.0)
    }
}

/// Borders and seams are held this much more than the surface.
const BORDER_WEIGHT: f64 = 10.0;
/// A triangle may not turn by more than this in a collapse.
const LEAST_TURN_COS: f64 = 0.2;
/// Short edges go first where the error does not decide.
const EDGE_WEIGHT: f64 = 1e-4;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    cost: f64,
    from: u32,
    to: u32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    /// The cheapest is the greatest, for a heap; numbers break ties so that the order is fixed.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.from.cmp(&self.from)).then(other.to.cmp(&self.to))
    }
}

/// Collapses by cost, each at most once.
struct Queue {
    heap: BinaryHeap<Candidate>,
    /// Per vertex the ends that it may move to and the costs that wait in the heap.
    waiting: Vec<Vec<(u32, f64)>>,
}

impl Queue {
    fn new(vertex_count: usize) -> Self {
        Self { heap: BinaryHeap::new(), waiting: vec![Vec::new(); vertex_count] }
    }

    fn push(&mut self, candidate: Candidate) {
        let waiting = &mut self.waiting[candidate.from as usize];
        if !waiting.contains(&(candidate.to, candidate.cost)) {
            waiting.push((candidate.to, candidate.cost));
            self.heap.push(candidate);
        }
    }

    fn pop(&mut self) -> Option<Candidate> {
        let candidate = self.heap.pop()?;
        let waiting = &mut self.waiting[candidate.from as usize];
        if let Some(at) = waiting.iter().position(|&known| known == (candidate.to, candidate.cost)) {
            waiting.swap_remove(at);
        }
        Some(candidate)
    }
}

impl Decimation {
    /// Takes a mesh apart into triangles; polygons are split along the shorter diagonal of each quad. A mesh without
    /// texture coordinates gets one.
    pub fn new(mesh: &Mesh) -> Self {
        let positions: Vec<Vector3<f64>> =
            mesh.positions.iter().map(|position| Vector3::from(position.map(f64::from))).collect();
        let uvs = mesh
            .uv
            .as_ref()
            .map_or(vec![[0.0; 2]], |uv| uv.coords.iter().map(|coord| coord.map(f64::from)).collect());
        let mut triangles = Vec::new();
        for face in 0..mesh.faces.len() {
            let range = mesh.faces.corner_range(face);
            let vertices = mesh.faces.face(face);
            let uv_of = |corner: usize| mesh.uv.as_ref().map_or(0, |uv| uv.corners[range.start + corner]);
            let mut triangle = |corners: [usize; 3]| {
                triangles.push(Triangle {
                    vertices: corners.map(|corner| vertices[corner]),
                    uvs: corners.map(uv_of),
                    alive: true,
                });
            };
            let at = |corner: usize| positions[vertices[corner] as usize];
            if vertices.len() == 4 && (at(1) - at(3)).norm() < (at(0) - at(2)).norm() {
                triangle([0, 1, 3]);
                triangle([1, 2, 3]);
            } else {
                for corner in 1..vertices.len().saturating_sub(1) {
                    triangle([0, corner, corner + 1]);
                }
            }
        }
        let mut around = vec![Vec::new(); positions.len()];
        for (number, triangle) in triangles.iter().enumerate() {
            for vertex in triangle.vertices {
                around[vertex as usize].push(number as u32);
            }
        }
        let alive: Vec<bool> = around.iter().map(|around| !around.is_empty()).collect();
        let alive_count = alive.iter().filter(|alive| **alive).count();
        let mut decimation = Self {
            quadrics: vec![Quadric::ZERO; positions.len()],
            positions,
            uvs,
            triangles,
            around,
            alive,
            alive_count,
        };
        decimation.set_quadrics();
        decimation
    }

    /// Number of vertices left.
    pub fn vertex_count(&self) -> usize {
        self.alive_count
    }

    /// Whether `vertex` is left.
    pub fn is_alive(&self, vertex: usize) -> bool {
        self.alive.get(vertex).copied().unwrap_or(false)
    }

    /// Triangles left, as (vertices, texture coordinates) by their original numbers.
    pub fn triangles(&self) -> impl Iterator<Item = ([u32; 3], [u32; 3])> + '_ {
        self.triangles
            .iter()
            .filter(|triangle| triangle.alive)
            .map(|triangle| (triangle.vertices, triangle.uvs))
    }

    fn set_quadrics(&mut self) {
        for number in 0..self.triangles.len() {
            let triangle = self.triangles[number];
            let [a, b, c] = triangle.vertices.map(|vertex| self.positions[vertex as usize]);
            let cross = (b - a).cross(&(c - a));
            let Some(normal) = cross.try_normalize(1e-30) else { continue };
            let plane = Quadric::plane(normal, a, cross.norm() / 6.0);
            for vertex in triangle.vertices {
                self.quadrics[vertex as usize].add(&plane);
            }
            for corner in 0..3 {
                let (from, to) = (corner, (corner + 1) % 3);
                let ends = [triangle.vertices[from], triangle.vertices[to]];
                let opposite = self.faces_of_edge(ends[0], ends[1]).find(|&other| other as usize != number);
                let is_open = match opposite {
                    None => true,
                    Some(other) => {
                        let other = &self.triangles[other as usize];
                        ends.iter().any(|&end| other.uv_at(end) != triangle.uv_at(end))
                    }
                };
                if is_open {
                    let edge = self.positions[ends[1] as usize] - self.positions[ends[0] as usize];
                    let Some(side) = edge.cross(&normal).try_normalize(1e-30) else { continue };
                    let weight = edge.norm_squared() * BORDER_WEIGHT;
                    let plane = Quadric::plane(side, self.positions[ends[0] as usize], weight);
                    for end in ends {
                        self.quadrics[end as usize].add(&plane);
                    }
                }
            }
        }
    }

    fn faces_of(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.around[vertex as usize].iter().copied().filter(|&face| self.triangles[face as usize].alive)
    }

    fn faces_of_edge(&self, a: u32, b: u32) -> impl Iterator<Item = u32> + '_ {
        self.faces_of(a).filter(move |&face| self.triangles[face as usize].vertices.contains(&b))
    }

    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let corners = self.faces_of(vertex).flat_map(|face| self.triangles[face as usize].vertices);
        let mut neighbours: Vec<u32> = corners.filter(|&other| other != vertex).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        neighbours
    }

    fn is_border_edge(&self, a: u32, b: u32) -> bool {
        self.faces_of_edge(a, b).count() == 1
    }

    fn is_border(&self, vertex: u32) -> bool {
        self.neighbours(vertex).iter().any(|&other| self.is_border_edge(vertex, other))
    }

    /// Removes vertices until `target` are left or no more can go. `fates` has one entry per vertex of the mesh.
    ///
    /// Vertices that are to be removed go even where that turns a triangle over, but never where it would tear the surface or
    /// a layout.
    pub fn reduce(&mut self, target: usize, fates: &[Fate]) {
        let fate = |vertex: u32| fates.get(vertex as usize).copied().unwrap_or(Fate::Free);
        for careful in [true, false] {
            let mut queue = Queue::new(self.positions.len());
            // Without care nothing goes but what has to.
            let may_go = |vertex: u32| careful || fate(vertex) == Fate::Removed;
            for vertex in (0..self.positions.len() as u32).filter(|&vertex| self.alive[vertex as usize]) {
                self.push_candidates(vertex, &mut queue, &fate, &may_go);
            }
            while let Some(candidate) = queue.pop() {
                let Candidate { cost, from, to } = candidate;
                let is_removed = fate(from) == Fate::Removed;
                if !is_removed && (self.alive_count <= target || !careful) {
                    // Removals come first; after them only the count matters.
                    break;
                }
                let is_stale = !self.alive[from as usize]
                    || !self.alive[to as usize]
                    || self.cost(from, to, &fate).is_none_or(|now| now != cost);
                if is_stale || !self.may_collapse(from, to, careful) {
                    continue;
                }
                self.collapse(from, to);
                let mut again = self.neighbours(to);
                again.push(to);
                for vertex in again {
                    self.push_candidates(vertex, &mut queue, &fate, &may_go);
                }
            }
        }
    }

    fn push_candidates(
        &self,
        vertex: u32,
        queue: &mut Queue,
        fate: &impl Fn(u32) -> Fate,
        may_go: &impl Fn(u32) -> bool,
    ) {
        for other in self.neighbours(vertex) {
            for (from, to) in [(vertex, other), (other, vertex)] {
                if may_go(from)
                    && let Some(cost) = self.cost(from, to, fate)
                {
                    queue.push(Candidate { cost, from, to });
                }
            }
        }
    }

    /// The cost of moving `from` to `to`; `None` when `from` has to stay. Negative for vertices that have to go.
    fn cost(&self, from: u32, to: u32, fate: &impl Fn(u32) -> Fate) -> Option<f64> {
        let at = self.positions[to as usize];
        let mut quadric = self.quadrics[from as usize];
        quadric.add(&self.quadrics[to as usize]);
        let edge = (at - self.positions[from as usize]).norm_squared();
        let error = quadric.error(at) + EDGE_WEIGHT * edge * edge;
        match fate(from) {
            Fate::Kept => None,
            Fate::Free => Some(error),
            Fate::Removed => Some(-1.0 / (1e-6 + error)),
        }
    }

    fn may_collapse(&self, from: u32, to: u32, careful: bool) -> bool {
        let shared: Vec<u32> = self.faces_of_edge(from, to).collect();
        if shared.is_empty() || shared.len() > 2 {
            return false;
        }
        // Topology: the ends may have no common neighbour besides the tips of the triangles between them, and a border may
        // only be followed.
        let (of_from, of_to) = (self.neighbours(from), self.neighbours(to));
        let common = of_from.iter().filter(|other| of_to.binary_search(other).is_ok()).count();
        if common != shared.len() {
            return false;
        }
        // No vertex may be left without a triangle.
        let is_only_here = |vertex: u32| self.faces_of(vertex).all(|face| shared.contains(&face));
        let corners = shared.iter().flat_map(|&face| self.triangles[face as usize].vertices);
        if corners.filter(|&vertex| vertex != from && vertex != to).any(is_only_here)
            || (is_only_here(from) && is_only_here(to))
        {
            return false;
        }
        let is_border_edge = shared.len() == 1;
        if self.is_border(from) && !is_border_edge {
            return false;
        }
        if of_to.len() + of_from.len() < 6 + shared.len() && !is_border_edge {
            // A closed piece of four vertices would become flat.
            return false;
        }
        let Some(uv_of) = self.uv_map(from, to, &shared) else { return false };
        let at = self.positions[to as usize];
        for face in self.faces_of(from).filter(|face| !shared.contains(face)) {
            let triangle = &self.triangles[face as usize];
            let corners = triangle.vertices.map(|vertex| self.positions[vertex as usize]);
            let moved =
                [0, 1, 2].map(|corner| if triangle.vertices[corner] == from { at } else { corners[corner] });
            let Some(uv) = triangle.uv_at(from).and_then(&uv_of) else { return false };
            if !careful {
                continue;
            }
            let (before, after) = (normal(corners), normal(moved));
            if after.norm() < 1e-12 || before.dot(&after) < LEAST_TURN_COS * before.norm() * after.norm() {
                return false;
            }
            let coords = triangle.uvs.map(|uv| self.uvs[uv as usize]);
            let moved = [0, 1, 2].map(|corner| {
                if triangle.vertices[corner] == from { self.uvs[uv as usize] } else { coords[corner] }
            });
            if area(coords) * area(moved) < 0.0 || (area(moved) == 0.0 && area(coords) != 0.0) {
                return false;
            }
        }
        true
    }

    /// Which texture coordinate of `to` takes the place of one of `from`, read off the triangles that have both ends; `None`
    /// when one would have to become two.
    fn uv_map(&self, from: u32, to: u32, shared: &[u32]) -> Option<impl Fn(u32) -> Option<u32> + use<>> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for &face in shared {
            let triangle = &self.triangles[face as usize];
            let (old, new) = (triangle.uv_at(from)?, triangle.uv_at(to)?);
            match pairs.iter().find(|(known, _)| *known == old) {
                Some(&(_, known)) if known != new => return None,
                Some(_) => {}
                None => pairs.push((old, new)),
            }
        }
        Some(move |uv| pairs.iter().find(|(old, _)| *old == uv).map(|&(_, new)| new))
    }

    fn collapse(&mut self, from: u32, to: u32) {
        let shared: Vec<u32> = self.faces_of_edge(from, to).collect();
        let Some(uv_of) = self.uv_map(from, to, &shared) else { return };
        for &face in &shared {
            self.triangles[face as usize].alive = false;
        }
        let moved: Vec<u32> = self.faces_of(from).collect();
        for &face in &moved {
            let triangle = &mut self.triangles[face as usize];
            for corner in 0..3 {
                if triangle.vertices[corner] == from {
                    triangle.vertices[corner] = to;
                    triangle.uvs[corner] = uv_of(triangle.uvs[corner]).unwrap_or(triangle.uvs[corner]);
                }
            }
        }
        self.around[to as usize].extend(moved);
        let triangles = &self.triangles;
        self.around[to as usize].retain(|&face| triangles[face as usize].alive);
        self.around[from as usize].clear();
        let quadric = self.quadrics[from as usize];
        self.quadrics[to as usize].add(&quadric);
        self.alive[from as usize] = false;
        self.alive_count -= 1;
    }
}

impl Triangle {
    fn uv_at(&self, vertex: u32) -> Option<u32> {
        self.vertices.iter().position(|&corner| corner == vertex).map(|corner| self.uvs[corner])
    }
}

fn normal([a, b, c]: [Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use mhrig_geom::UvSet;

    /// A bumpy sheet of `n × n` quads whose layout is cut in two along its middle column; the right half of the layout is
    /// 100 further to the right.
    fn sheet(n: u32) -> Mesh {
        let side = n + 1;
        let middle = n / 2;
        let mut mesh = Mesh::default();
        let mut uv = UvSet::default();
        for half in 0..2 {
            for y in 0..side {
                for x in 0..side {
                    if half == 0 {
                        let height = (x as f32 * 0.7).sin() * (y as f32 * 0.5).cos();
                        mesh.positions.push([x as f32, y as f32, height]);
                    }
                    uv.coords.push([x as f32 + 100.0 * half as f32, y as f32]);
                }
            }
        }
        for y in 0..n {
            for x in 0..n {
                let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| y * side + x);
                mesh.faces.push(corners).expect("few");
                let half = if x < middle { 0 } else { side * side };
                uv.corners.extend(corners.map(|corner| corner + half));
            }
        }
        mesh.uv = Some(uv);
        mesh
    }

    fn edges(decimation: &Decimation) -> std::collections::BTreeMap<(u32, u32), usize> {
        let mut edges = std::collections::BTreeMap::new();
        for (vertices, _) in decimation.triangles() {
            for corner in 0..3 {
                let (a, b) = (vertices[corner], vertices[(corner + 1) % 3]);
                *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
            }
        }
        edges
    }

    #[test]
    fn a_sheet_stays_a_sheet_with_the_layout_it_had() {
        let mesh = sheet(12);
        let mut decimation = Decimation::new(&mesh);
        let uv = mesh.uv.as_ref().unwrap();
        let mut pairs: Vec<(u32, u32)> =
            mesh.faces.corners().iter().copied().zip(uv.corners.iter().copied()).collect();
        pairs.sort_unstable();
        for target in [100, 60, 30] {
            decimation.reduce(target, &[]);
            assert_eq!(decimation.vertex_count(), target);
            let edges = edges(&decimation);
            let faces = decimation.triangles().count();
            assert_eq!(target as i64 - edges.len() as i64 + faces as i64, 1, "Euler number of a disc");
            assert!(edges.values().all(|&count| count <= 2));
            for (vertices, uvs) in decimation.triangles() {
                for corner in 0..3 {
                    assert!(pairs.binary_search(&(vertices[corner], uvs[corner])).is_ok());
                }
                // No triangle of the layout reaches over the cut or is turned over.
                let coords = uvs.map(|uv| decimation.uvs[uv as usize]);
                assert!(area(coords) > 0.0, "{coords:?}");
                assert!(coords.iter().all(|c| (c[0] < 50.0) == (coords[0][0] < 50.0)), "{coords:?}");
            }
        }
    }

    #[test]
    fn vertices_to_keep_are_kept_and_those_to_remove_are_removed() {
        let mesh = sheet(12);
        let mut fates = vec![Fate::Free; mesh.positions.len()];
        for (x, fate) in fates.iter_mut().enumerate().take(13) {
            *fate = if x % 2 == 0 { Fate::Kept } else { Fate::Removed };
        }
        let mut decimation = Decimation::new(&mesh);
        decimation.reduce(160, &fates);
        for x in 0..13 {
            assert_eq!(decimation.is_alive(x), x % 2 == 0, "border vertex {x}");
        }
        decimation.reduce(1, &fates);
        assert!((0..13).step_by(2).all(|x| decimation.is_alive(x)));
        assert_eq!(edges(&decimation).values().filter(|&&count| count > 2).count(), 0);
    }
}
