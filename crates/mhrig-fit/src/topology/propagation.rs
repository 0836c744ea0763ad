//! A correspondence from connectivity alone: rare places are matched, and their neighbourhoods spread the match.

use std::collections::HashMap;

use mhrig_geom::{Mesh, Polygons};
use mhrig_report::Job;
use nalgebra::Vector3;

use crate::template::vector;

/// Rounds in which a vertex learns about its surroundings, one ring of faces a round.
const ROUNDS: usize = 12;

/// Seeds that are tried for one shell before giving up on it: symmetric shells have many that fit.
const MOST_SEEDS: usize = 256;

/// Finds the template vertex of each input vertex, for meshes with the template's faces in any order, under any
/// numbers. Shells that the template does not have stay without. `None` when a shell of the template is not there.
///
/// Where several ways fit (an eyeball turns into itself, a face with its winding reversed into its mirror image), the
/// one nearest to the template's shape counts.
pub(super) fn find(
    template: &Mesh,
    input: &Mesh,
    rough: &RoughFrame,
    job: Job<'_>,
) -> Option<Vec<Option<u32>>> {
    if input.positions.len() < template.positions.len() || input.faces.len() < template.faces.len() {
        return None;
    }
    let mut reversed = Polygons::with_capacity(input.faces.len(), input.faces.corners().len());
    for face in input.faces.iter() {
        reversed.push(face.iter().rev().copied()).ok()?;
    }
    let ways = [&input.faces, &reversed].map(|faces| find_oriented(template, input, faces, rough, job));
    let [Some((misfit, _)), Some((reversed_misfit, _))] = &ways else {
        return ways.into_iter().flatten().next().map(|(_, template_of)| template_of);
    };
    let better = usize::from(reversed_misfit < misfit);
    ways.into_iter().nth(better).flatten().map(|(_, template_of)| template_of)
}

type Misfit = f64;

fn find_oriented(
    template: &Mesh,
    input: &Mesh,
    input_faces: &Polygons,
    rough: &RoughFrame,
    job: Job<'_>,
) -> Option<(Misfit, Vec<Option<u32>>)> {
    job.check().ok()?;
    let expected = Connectivity::new(template.positions.len(), &template.faces);
    let found = Connectivity::new(input.positions.len(), input_faces);
    let (expected_colors, found_colors) = (expected.colors(), found.colors());
    let mut places: HashMap<u64, Vec<u32>> = HashMap::new();
    for (vertex, &color) in found_colors.iter().enumerate().filter(|&(v, _)| found.first_corner[v].is_some())
    {
        places.entry(color).or_default().push(vertex as u32);
    }
    let mut template_of: Vec<Option<u32>> = vec![None; input.positions.len()];
    let mut total = 0.0;
    for shell in expected.shells() {
        // The rarest colour of the shell gives the fewest seeds.
        let seeds_of = |vertex: u32| places.get(&expected_colors[vertex as usize]).map_or(0, Vec::len);
        let seed = shell.iter().copied().min_by_key(|&vertex| (seeds_of(vertex), vertex))?;
        let candidates = places.get(&expected_colors[seed as usize])?;
        let candidates = candidates.iter().filter(|&&vertex| template_of[vertex as usize].is_none());
        let mut best: Option<(f64, Vec<(u32, u32)>)> = None;
        for &candidate in candidates.take(MOST_SEEDS) {
            job.check().ok()?;
            for pairs in spread(&expected, &found, seed, candidate, &template_of) {
                let misfit = rough.misfit(template, input, &pairs);
                if pairs.len() == shell.len() && best.as_ref().is_none_or(|(least, _)| misfit < *least) {
                    best = Some((misfit, pairs));
                }
            }
        }
        let (misfit, pairs) = best?;
        total += misfit;
        for (vertex, at) in pairs {
            template_of[at as usize] = Some(vertex);
        }
    }
    Some((total, template_of))
}

/// Faces and their neighbours across directed edges.
struct Connectivity<'a> {
    faces: &'a Polygons,
    /// Face and corner that a directed edge begins at; edges that occur twice are left out.
    edges: HashMap<(u32, u32), (u32, u32)>,
    /// Faces and corners around each vertex.
    corners: Vec<Vec<(u32, u32)>>,
    first_corner: Vec<Option<(u32, u32)>>,
}

impl<'a> Connectivity<'a> {
    fn new(vertices: usize, faces: &'a Polygons) -> Self {
        let mut edges: HashMap<(u32, u32), Option<(u32, u32)>> = HashMap::new();
        let mut corners = vec![Vec::new(); vertices];
        for (number, face) in faces.iter().enumerate() {
            for (corner, &from) in face.iter().enumerate() {
                let to = face[(corner + 1) % face.len()];
                let at = (number as u32, corner as u32);
                edges.entry((from, to)).and_modify(|known| *known = None).or_insert(Some(at));
                corners[from as usize].push(at);
            }
        }
        let edges = edges.into_iter().filter_map(|(edge, at)| Some((edge, at?))).collect();
        let first_corner = corners.iter().map(|corners: &Vec<_>| corners.first().copied()).collect();
        Self { faces, edges, corners, first_corner }
    }

    /// A number per vertex that is the same for vertices with the same surroundings.
    fn colors(&self) -> Vec<u64> {
        let mut colors: Vec<u64> = (self.corners.iter())
            .map(|corners| {
                let sizes = corners.iter().map(|&(face, _)| self.faces.face(face as usize).len() as u64);
                mix_unordered(sizes)
            })
            .collect();
        for _ in 0..ROUNDS {
            colors = (self.corners.iter())
                .enumerate()
                .map(|(vertex, corners)| {
                    let around = corners.iter().map(|&(face, corner)| {
                        let face = self.faces.face(face as usize);
                        // In winding order, so that left and right differ.
                        let ring = (1..face.len())
                            .map(|step| colors[face[(corner as usize + step) % face.len()] as usize]);
                        ring.fold(face.len() as u64, |hash, color| mix(hash ^ color))
                    });
                    mix(colors[vertex] ^ mix_unordered(around))
                })
                .collect();
        }
        colors
    }

    /// Vertices by shell, in order of their lowest number; without loose vertices.
    fn shells(&self) -> Vec<Vec<u32>> {
        let mut is_seen = vec![false; self.corners.len()];
        let mut shells = Vec::new();
        for start in 0..self.corners.len() {
            if is_seen[start] || self.corners[start].is_empty() {
                continue;
            }
            is_seen[start] = true;
            let mut shell = vec![start as u32];
            let mut next = 0;
            while next < shell.len() {
                for &(face, _) in &self.corners[shell[next] as usize] {
                    for &corner in self.faces.face(face as usize) {
                        if !std::mem::replace(&mut is_seen[corner as usize], true) {
                            shell.push(corner);
                        }
                    }
                }
                next += 1;
            }
            shells.push(shell);
        }
        shells
    }
}

/// Every way to spread the match of two vertices over their shells, as pairs (template, input).
fn spread(
    expected: &Connectivity<'_>,
    found: &Connectivity<'_>,
    seed: u32,
    candidate: u32,
    taken: &[Option<u32>],
) -> Vec<Vec<(u32, u32)>> {
    let Some((face, corner)) = expected.first_corner[seed as usize] else { return Vec::new() };
    let starts = found.corners[candidate as usize].iter();
    starts.filter_map(|&start| spread_from(expected, found, (face, corner), start, taken)).collect()
}

fn spread_from(
    expected: &Connectivity<'_>,
    found: &Connectivity<'_>,
    from: (u32, u32),
    to: (u32, u32),
    taken: &[Option<u32>],
) -> Option<Vec<(u32, u32)>> {
    let mut input_of: HashMap<u32, u32> = HashMap::new();
    let mut template_of: HashMap<u32, u32> = HashMap::new();
    let mut face_of: HashMap<u32, u32> = HashMap::new();
    let mut pairs = Vec::new();
    let mut open = vec![(from, to)];
    while let Some(((face, corner), (other, start))) = open.pop() {
        if let Some(&known) = face_of.get(&face) {
            if known != other {
                return None;
            }
            continue;
        }
        let (a, b) = (expected.faces.face(face as usize), found.faces.face(other as usize));
        if a.len() != b.len() {
            return None;
        }
        face_of.insert(face, other);
        let count = a.len();
        for step in 0..count {
            let vertex = a[(corner as usize + step) % count];
            let at = b[(start as usize + step) % count];
            match (input_of.insert(vertex, at), template_of.insert(at, vertex)) {
                (None, None) if taken[at as usize].is_none() => pairs.push((vertex, at)),
                (Some(known), Some(back)) if known == at && back == vertex => {}
                _ => return None,
            }
        }
        for step in 0..count {
            let edge = |face: &[u32], first: u32| {
                let at = (first as usize + step) % count;
                (face[(at + 1) % count], face[at])
            };
            match (expected.edges.get(&edge(a, corner)), found.edges.get(&edge(b, start))) {
                (Some(&next), Some(&other)) => open.push((next, other)),
                (None, None) => {}
                // A border on one side only. An edge of several faces ends the spread on either side.
                _ => return None,
            }
        }
    }
    Some(pairs)
}

/// Place and size of two meshes, without regard to which vertex is which.
pub(crate) struct RoughFrame {
    expected: Vector3<f64>,
    found: Vector3<f64>,
    scale: f64,
}

/// The middle one of `values`, 0 where there is none.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

impl RoughFrame {
    /// For a mesh that stands where the template's does.
    pub(crate) fn in_place() -> Self {
        Self { expected: Vector3::zeros(), found: Vector3::zeros(), scale: 1.0 }
    }

    /// For a mesh that is all of the template's, wherever it stands.
    pub(crate) fn of(template: &Mesh, input: &Mesh) -> Self {
        // Medians: a vertex that strayed to the ends of the world must not turn a face into its mirror image.
        let center = |mesh: &Mesh| {
            let axis = |axis: usize| median(mesh.positions.iter().map(|p| f64::from(p[axis])).collect());
            let center = Vector3::new(axis(0), axis(1), axis(2));
            let radius = median(mesh.positions.iter().map(|&p| (vector(p) - center).norm()).collect());
            (center, radius)
        };
        let ((expected, from), (found, to)) = (center(template), center(input));
        Self { expected, found, scale: if from > 0.0 { to / from } else { 1.0 } }
    }

    fn misfit(&self, template: &Mesh, input: &Mesh, pairs: &[(u32, u32)]) -> f64 {
        let distance = |&(vertex, at): &(u32, u32)| {
            let expected = (vector(template.positions[vertex as usize]) - self.expected) * self.scale;
            (vector(input.positions[at as usize]) - self.found - expected).norm_squared()
        };
        pairs.iter().map(distance).sum()
    }
}

/// A well-spread number for another (the finaliser of SplitMix64).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// One number for several, whatever their order.
fn mix_unordered(values: impl Iterator<Item = u64>) -> u64 {
    let (count, sum) =
        values.fold((0u64, 0u64), |(count, sum), value| (count + 1, sum.wrapping_add(mix(value))));
    mix(sum ^ count)
}
