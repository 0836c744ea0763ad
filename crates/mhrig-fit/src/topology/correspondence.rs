//! Which input vertex stands for which template vertex, when the two meshes are not simply equal.

use std::collections::{BTreeSet, HashMap};

use mhrig_geom::Mesh;
use mhrig_report::Job;
use nalgebra::Vector3;

use super::faces::FaceRelation;
use super::propagation::{self, RoughFrame};
use super::uv;
use crate::template::vector;

/// Copies of one vertex further apart than this share of the mesh's size are different vertices.
const COPY_DISTANCE: f64 = 2e-3;

/// Vertices closer than this share of the mesh's size coincide.
const COINCIDENCE: f64 = 1e-6;

/// Texture coordinates that more vertices than this share say nothing.
const MOST_AT_ONE_UV: usize = 16;

/// A proven correspondence: every face of the template is there, whole or in triangles, and everything else in the
/// input hangs on no vertex that the template has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Correspondence {
    /// Input vertex per template vertex; of several copies the one with the lowest number.
    pub(crate) input_of: Vec<u32>,
    /// Input vertices that no face uses.
    pub(crate) loose: Vec<u32>,
    /// Other input vertices that stand for no template vertex.
    pub(crate) extra: Vec<u32>,
    /// Input vertices beyond one per template vertex.
    pub(crate) copies: usize,
    /// The first template vertex that has copies.
    pub(crate) first_copied: Option<u32>,
    /// Greatest distance between copies, cm.
    pub(crate) copy_distance_cm: f64,
    /// Whether copies occur only where the template's texture coordinates have a seam.
    pub(crate) copies_at_uv_seams: bool,
    /// Template faces that are there in pieces.
    pub(crate) split_faces: usize,
    /// Template vertices whose number is another, apart from what left-out and copied vertices shift.
    pub(crate) moved: usize,
    /// The first of them.
    pub(crate) first_moved: Option<u32>,
    /// Faces with the other winding.
    pub(crate) reversed: usize,
    /// The first template face of them.
    pub(crate) first_reversed: Option<u32>,
    /// Faces at another place in the list.
    pub(crate) faces_moved: usize,
}

impl Correspondence {
    /// Looks for a correspondence: cheap ways first. `rough` tells shells with the same faces apart. Finds nothing once
    /// the job was asked to stop.
    pub(crate) fn find(template: &Mesh, input: &Mesh, rough: &RoughFrame, job: Job<'_>) -> Option<Self> {
        if template.faces.is_empty() || input.faces.is_empty() {
            return None;
        }
        by_number(template, input)
            .and_then(|map| Self::prove(template, input, &map))
            .or_else(|| by_sequence(template, input).and_then(|map| Self::prove(template, input, &map)))
            .or_else(|| by_uv(template, input).and_then(|map| Self::prove(template, input, &map)))
            .or_else(|| {
                propagation::find(template, input, rough, job)
                    .and_then(|map| Self::prove(template, input, &map))
            })
            .or_else(|| {
                let (welded, welded_of) = weld(input);
                if welded.positions.len() == input.positions.len() {
                    return None;
                }
                let map = by_number(template, &welded)
                    .and_then(|map| Self::prove(template, &welded, &map).map(|_| map))
                    .or_else(|| propagation::find(template, &welded, rough, job))?;
                let map: Vec<_> = welded_of.iter().map(|&welded| map[welded as usize]).collect();
                Self::prove(template, input, &map)
            })
    }

    /// The input's positions in the template's order. Where copies differ, the first counts.
    pub(crate) fn positions(&self, input: &Mesh) -> Vec<[f32; 3]> {
        self.input_of.iter().map(|&vertex| input.positions[vertex as usize]).collect()
    }

    /// Whether vertices are simply the template's.
    pub(crate) fn keeps_vertices(&self) -> bool {
        self.loose.is_empty() && self.extra.is_empty() && self.copies == 0 && self.moved == 0
    }

    /// Checks a guess: `template_of` has one entry per input vertex.
    fn prove(template: &Mesh, input: &Mesh, template_of: &[Option<u32>]) -> Option<Self> {
        let mut is_used = vec![false; input.positions.len()];
        input.faces.corners().iter().for_each(|&corner| is_used[corner as usize] = true);

        let mut copies_of: Vec<Vec<u32>> = vec![Vec::new(); template.positions.len()];
        let (mut loose, mut extra) = (Vec::new(), Vec::new());
        for (vertex, stands_for) in template_of.iter().enumerate() {
            match stands_for {
                Some(at) => copies_of.get_mut(*at as usize)?.push(vertex as u32),
                None if is_used[vertex] => extra.push(vertex as u32),
                None => loose.push(vertex as u32),
            }
        }
        if copies_of.iter().any(Vec::is_empty) {
            return None;
        }
        let pieces = Pieces::find(template, input, template_of)?;
        let (copy_distance_cm, copies_at_uv_seams) = examine_copies(template, input, &copies_of)?;
        let copied = copies_of.iter().position(|copies| copies.len() > 1);
        let input_of: Vec<u32> = copies_of.iter().map(|copies| copies[0]).collect();
        // Numbers may skip what is left out; they may not go back.
        let mut previous = None;
        let mut moved = Vec::new();
        for (vertex, &number) in input_of.iter().enumerate() {
            if previous.is_some_and(|previous| number < previous) {
                moved.push(vertex as u32);
            } else {
                previous = Some(number);
            }
        }
        if loose.is_empty() && extra.is_empty() && copied.is_none() {
            let is_moved = |(vertex, number): &(usize, &u32)| *vertex != **number as usize;
            moved = input_of.iter().enumerate().filter(is_moved).map(|(vertex, _)| vertex as u32).collect();
        }
        Some(Self {
            loose,
            extra,
            copies: copies_of.iter().map(|copies| copies.len() - 1).sum(),
            first_copied: copied.map(|vertex| vertex as u32),
            copy_distance_cm,
            copies_at_uv_seams,
            split_faces: pieces.split,
            moved: moved.len(),
            first_moved: moved.first().copied(),
            reversed: pieces.reversed,
            first_reversed: pieces.first_reversed,
            faces_moved: pieces.moved,
            input_of,
        })
    }
}

/// How the template's faces occur in the input.
struct Pieces {
    split: usize,
    reversed: usize,
    first_reversed: Option<u32>,
    moved: usize,
}

impl Pieces {
    /// `None` unless each template face is there once, and each other face is apart from the template's vertices.
    fn find(template: &Mesh, input: &Mesh, template_of: &[Option<u32>]) -> Option<Self> {
        let mut whole: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        let mut thirds: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
        for (number, face) in template.faces.iter().enumerate() {
            let mut key = face.to_vec();
            key.sort_unstable();
            if key.len() > 3 && key.len() <= 8 {
                for a in 0..key.len() {
                    for b in a + 1..key.len() {
                        for c in b + 1..key.len() {
                            thirds.entry([key[a], key[b], key[c]]).or_default().push(number as u32);
                        }
                    }
                }
            }
            whole.entry(key).or_default().push(number as u32);
        }
        let mut missing: Vec<usize> =
            template.faces.iter().map(|face| face.len().saturating_sub(2)).collect();
        let mut pieces = Self { split: 0, reversed: 0, first_reversed: None, moved: 0 };
        let mut is_split = vec![false; template.faces.len()];
        let mut previous = None;
        for face in input.faces.iter() {
            let known: Vec<u32> = face.iter().filter_map(|&corner| template_of[corner as usize]).collect();
            if known.is_empty() {
                continue;
            }
            if known.len() != face.len() {
                return None;
            }
            let mut key = known.clone();
            key.sort_unstable();
            let number = if let Some(number) = whole.get_mut(&key).and_then(Vec::pop) {
                missing[number as usize] = 0;
                match FaceRelation::of(template.faces.face(number as usize), &known) {
                    FaceRelation::Different => return None,
                    FaceRelation::Reversed => {
                        pieces.reversed += 1;
                        pieces.first_reversed.get_or_insert(number);
                    }
                    FaceRelation::Same | FaceRelation::Rotated => {}
                }
                number
            } else {
                let third: [u32; 3] = key.try_into().ok()?;
                let open = |number: &&u32| missing[**number as usize] > 0;
                let number = *thirds.get(&third)?.iter().find(open)?;
                missing[number as usize] -= 1;
                pieces.split += usize::from(!is_split[number as usize]);
                is_split[number as usize] = true;
                number
            };
            if previous.is_some_and(|previous| number < previous) {
                pieces.moved += 1;
            } else {
                previous = Some(number);
            }
        }
        missing.iter().all(|&missing| missing == 0).then_some(pieces)
    }
}

/// Greatest distance between copies and whether they are where texture seams are; `None` when copies are so far apart
/// that they are none.
fn examine_copies(template: &Mesh, input: &Mesh, copies_of: &[Vec<u32>]) -> Option<(f64, bool)> {
    let mut coordinates: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); template.positions.len()];
    if let Some(uv) = &template.uv {
        for (&corner, &coordinate) in template.faces.corners().iter().zip(&uv.corners) {
            coordinates[corner as usize].insert(coordinate);
        }
    }
    let limit = size(&input.positions) * COPY_DISTANCE;
    let (mut farthest, mut at_seams) = (0.0f64, true);
    for (vertex, copies) in copies_of.iter().enumerate().filter(|(_, copies)| copies.len() > 1) {
        at_seams &= copies.len() <= coordinates[vertex].len();
        let first = vector(input.positions[copies[0] as usize]);
        for &copy in &copies[1..] {
            farthest = farthest.max((vector(input.positions[copy as usize]) - first).norm());
        }
    }
    (farthest <= limit).then_some((farthest, at_seams))
}

/// Diagonal of the bounding box.
pub(crate) fn size(positions: &[[f32; 3]]) -> f64 {
    let mut low = Vector3::repeat(f64::INFINITY);
    let mut high = -low;
    for &position in positions {
        low = low.inf(&vector(position));
        high = high.sup(&vector(position));
    }
    if positions.is_empty() { 0.0 } else { (high - low).norm() }
}

/// Every vertex keeps its number; numbers beyond the template's are extra.
fn by_number(template: &Mesh, input: &Mesh) -> Option<Vec<Option<u32>>> {
    let count = template.positions.len();
    let number = |vertex: usize| (vertex < count).then_some(vertex as u32);
    (input.positions.len() >= count).then(|| (0..input.positions.len()).map(number).collect())
}

/// Faces keep their order and their corners: each corner says which vertex it is. Faces after the template's last one
/// are taken for extra.
fn by_sequence(template: &Mesh, input: &Mesh) -> Option<Vec<Option<u32>>> {
    if input.faces.len() < template.faces.len()
        || template.faces.iter().zip(input.faces.iter()).any(|(a, b)| a.len() != b.len())
    {
        return None;
    }
    type Turn = fn(usize, usize) -> usize;
    // As is, and the two ways in which programs reverse a face.
    let turns: [Turn; 3] = [|at, _| at, |at, count| count - 1 - at, |at, count| (count - at) % count];
    turns.into_iter().find_map(|turn| {
        let mut template_of: Vec<Option<u32>> = vec![None; input.positions.len()];
        for (expected, found) in template.faces.iter().zip(input.faces.iter()) {
            for (at, &corner) in found.iter().enumerate() {
                let vertex = expected[turn(at, found.len())];
                if *template_of[corner as usize].get_or_insert(vertex) != vertex {
                    return None;
                }
            }
        }
        Some(template_of)
    })
}

/// Texture coordinates say which vertex a corner is; where several have the same, the faces around decide.
fn by_uv(template: &Mesh, input: &Mesh) -> Option<Vec<Option<u32>>> {
    let (expected, found) = (template.uv.as_ref()?, input.uv.as_ref()?);
    if found.corners.len() != input.faces.corners().len()
        || expected.corners.len() != template.faces.corners().len()
    {
        return None;
    }
    let cell = |[u, v]: [f32; 2]| {
        [u, v].map(|c| (f64::from(c) / f64::from(uv::UV_TOLERANCE)).floor().clamp(-1e15, 1e15) as i64)
    };
    let mut cells: HashMap<[i64; 2], Vec<([f32; 2], u32)>> = HashMap::new();
    for (corner, &vertex) in template.faces.corners().iter().enumerate() {
        let at = uv::at(expected, corner)?;
        let list = cells.entry(cell(at)).or_default();
        if !list.contains(&(at, vertex)) {
            list.push((at, vertex));
        }
        if list.len() > MOST_AT_ONE_UV {
            return None;
        }
    }
    let candidates = |at: [f32; 2]| {
        let [u, v] = cell(at);
        let mut near = Vec::new();
        for (du, dv) in (-1..=1).flat_map(|du| (-1..=1).map(move |dv| (du, dv))) {
            for &(other, vertex) in cells.get(&[u + du, v + dv]).into_iter().flatten() {
                let is_near = (0..2).all(|c| (other[c] - at[c]).abs() <= uv::UV_TOLERANCE);
                if is_near && !near.contains(&vertex) {
                    near.push(vertex);
                }
            }
        }
        near
    };
    let mut options: Vec<Option<Vec<u32>>> = vec![None; input.positions.len()];
    for (corner, &vertex) in input.faces.corners().iter().enumerate() {
        let here = candidates(uv::at(found, corner)?);
        let option = &mut options[vertex as usize];
        match option {
            None => *option = Some(here),
            Some(known) => known.retain(|vertex| here.contains(vertex)),
        }
    }
    decide_by_faces(template, input, &mut options);
    // More than one left: the first; the proof will tell whether that was right.
    let template_of: Vec<Option<u32>> =
        options.into_iter().map(|options| options.and_then(|options| options.first().copied())).collect();
    let known = template_of.iter().flatten().count();
    (known * 2 > template.positions.len()).then_some(template_of)
}

/// Narrows options down to vertices that share a face with those that are certain.
fn decide_by_faces(template: &Mesh, input: &Mesh, options: &mut [Option<Vec<u32>>]) {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); template.positions.len()];
    for face in template.faces.iter() {
        for &a in face {
            neighbours[a as usize].extend(face.iter().copied().filter(|&b| b != a));
        }
    }
    loop {
        let mut has_changed = false;
        for face in input.faces.iter() {
            let certain: Vec<u32> = face
                .iter()
                .filter_map(|&corner| {
                    options[corner as usize].as_deref().and_then(|o| (o.len() == 1).then(|| o[0]))
                })
                .collect();
            if certain.is_empty() || certain.len() == face.len() {
                continue;
            }
            for &corner in face {
                let Some(option) = options[corner as usize].as_mut().filter(|option| option.len() > 1) else {
                    continue;
                };
                let fits = |vertex: &u32| certain.iter().all(|c| neighbours[*c as usize].contains(vertex));
                if option.iter().any(&fits) {
                    let before = option.len();
                    option.retain(fits);
                    has_changed |= option.len() < before;
                }
            }
        }
        if !has_changed {
            return;
        }
    }
}

/// The mesh with coinciding vertices merged, and the merged vertex of each vertex. Faces that lose corners go.
pub(crate) fn weld(mesh: &Mesh) -> (Mesh, Vec<u32>) {
    let tolerance = (size(&mesh.positions) * COINCIDENCE).max(f64::MIN_POSITIVE);
    // Far from the ends of the numbers, so that neighbouring cells have numbers, too.
    let cell = |p: Vector3<f64>| [p.x, p.y, p.z].map(|c| (c / tolerance).floor().clamp(-1e15, 1e15) as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut welded = Mesh::default();
    let mut welded_of = Vec::with_capacity(mesh.positions.len());
    for &position in &mesh.positions {
        let p = vector(position);
        let [x, y, z] = cell(p);
        let around = (0..27).map(|n| [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1]);
        let near = around.filter_map(|at| cells.get(&at)).flatten();
        let same =
            near.copied().filter(|&v| (vector(welded.positions[v as usize]) - p).norm() <= tolerance).min();
        welded_of.push(same.unwrap_or_else(|| {
            let number = welded.positions.len() as u32;
            cells.entry([x, y, z]).or_default().push(number);
            welded.positions.push(position);
            number
        }));
    }
    for face in mesh.faces.iter() {
        let mut corners: Vec<u32> = face.iter().map(|&corner| welded_of[corner as usize]).collect();
        corners.dedup();
        if corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        if corners.len() > 2 && welded.faces.push(corners).is_err() {
            break;
        }
    }
    (welded, welded_of)
}
