//! Several parts in one mesh.

use mhrig_geom::{Mesh, Polygons};
use mhrig_report::Job;

use super::Expected;
use super::correspondence::Correspondence;
use super::propagation::RoughFrame;

/// How many ways to put parts one after another are looked at.
const MOST_STEPS: usize = 20_000;

/// One part within a combined mesh.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CombinedPart {
    /// Number of the template mesh.
    pub(crate) expected: usize,
    /// The part's positions in the template's order.
    pub(crate) positions: Vec<[f32; 3]>,
}

/// The parts that follow one another in `input`, vertices and faces in the order of the template's, as modelling
/// programs combine meshes. At least two.
pub(crate) fn split_by_ranges(expected: &[Expected<'_>], input: &Mesh) -> Option<Vec<CombinedPart>> {
    let mut steps = 0;
    let mut taken = Vec::new();
    find_ranges(expected, input, 0, 0, &mut taken, &mut steps).filter(|parts| parts.len() > 1)
}

fn find_ranges(
    expected: &[Expected<'_>],
    input: &Mesh,
    vertex: usize,
    face: usize,
    taken: &mut Vec<usize>,
    steps: &mut usize,
) -> Option<Vec<CombinedPart>> {
    if vertex == input.positions.len() && face == input.faces.len() {
        return Some(Vec::new());
    }
    for (number, part) in expected.iter().enumerate() {
        *steps += 1;
        let (vertices, faces) = (part.mesh.positions.len(), part.mesh.faces.len());
        if *steps > MOST_STEPS || vertices == 0 || taken.contains(&number) {
            continue;
        }
        let ends_inside = vertex + vertices <= input.positions.len() && face + faces <= input.faces.len();
        let is_same = |at: usize| {
            let (expected, found) = (part.mesh.faces.face(at), input.faces.face(face + at));
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(&a, &b)| a as usize + vertex == b as usize)
        };
        if ends_inside && (0..faces).all(is_same) {
            taken.push(number);
            if let Some(mut rest) =
                find_ranges(expected, input, vertex + vertices, face + faces, taken, steps)
            {
                let positions = input.positions[vertex..vertex + vertices].to_vec();
                rest.insert(0, CombinedPart { expected: number, positions });
                return Some(rest);
            }
            taken.pop();
        }
    }
    None
}

/// The parts whose shells are in `input`, in any order and under any numbers: at least two, and together all of it.
/// The parts of `input` are taken out one by one, the largest first.
pub(crate) fn split_by_shells(
    expected: &[Expected<'_>],
    input: &Mesh,
    job: Job<'_>,
) -> Option<Vec<CombinedPart>> {
    let mut order: Vec<usize> = (0..expected.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(expected[number].mesh.positions.len()));
    let total: usize = input.positions.len();
    let mut left = input.clone();
    let mut parts = Vec::new();
    let mut covered = 0;
    for number in order {
        let template = expected[number].mesh;
        if template.positions.len() > left.positions.len() || template.positions.is_empty() {
            continue;
        }
        let Some(found) = Correspondence::find(template, &left, &RoughFrame::in_place(), job) else {
            continue;
        };
        if found.copies > 0 {
            continue;
        }
        covered += template.positions.len() + found.loose.len();
        parts.push(CombinedPart { expected: number, positions: found.positions(&left) });
        left = without(&left, &found.input_of)?;
    }
    // Loose vertices stay in what is left and are counted once.
    (parts.len() > 1 && left.faces.is_empty() && covered >= total - left.positions.len()).then_some(parts)
}

/// The mesh without some vertices and the faces at them.
fn without(mesh: &Mesh, vertices: &[u32]) -> Option<Mesh> {
    let mut is_out = vec![false; mesh.positions.len()];
    vertices.iter().for_each(|&vertex| is_out[vertex as usize] = true);
    let mut number = vec![0u32; mesh.positions.len()];
    let mut rest = Mesh { positions: Vec::new(), faces: Polygons::default(), uv: None };
    for (vertex, &position) in mesh.positions.iter().enumerate() {
        number[vertex] = rest.positions.len() as u32;
        if !is_out[vertex] {
            rest.positions.push(position);
        }
    }
    for face in mesh.faces.iter() {
        if face.iter().all(|&corner| !is_out[corner as usize]) {
            rest.faces.push(face.iter().map(|&corner| number[corner as usize])).ok()?;
        }
    }
    Some(rest)
}
