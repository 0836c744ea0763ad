//! The border of head and body: how well it closes, and one normal for both sides.

use std::collections::{BTreeMap, HashMap};

use mhrig_archetype::Archetype;
use mhrig_calib::SeamPlan;
use mhrig_dna::Dna;
use mhrig_report::{Finding, Severity};
use mhrig_scene::{LockedNormal, RigMesh};
use serde::Serialize;

use super::input::{RigPart, Turn};

/// How near border vertices of head and body have to be, cm.
pub(super) const SEAM_TOLERANCE_CM: f64 = 1e-3;

/// The border of one LOD of the head with the LOD of the body that it meets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeamLine {
    /// LOD of the head.
    pub head_lod: usize,
    /// LOD of the body.
    pub body_lod: usize,
    /// Pairs of border vertices.
    pub pairs: usize,
    /// Largest gap between the two of a pair, cm.
    pub gap_cm: f64,
    /// Largest angle between their normals in the DNA files, degrees.
    pub angle_before_deg: f64,
    /// Largest angle between the normals that the two of a pair got. A vertex that is in several pairs has the normal of
    /// the first.
    pub angle_deg: f64,
    /// Pairs that got no normal, since a DNA has none there; a host makes one for each side then.
    pub without_normal: usize,
}

/// A pair of vertices, as numbers of meshes of the scene and of their vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeamPair {
    pub(crate) head: (usize, usize),
    pub(crate) body: (usize, usize),
    pub(crate) head_lod: usize,
}

/// The seam of a scene.
#[derive(Default)]
pub(super) struct Seam {
    pub(super) lines: Vec<SeamLine>,
    pub(super) pairs: Vec<SeamPair>,
}

/// Finds the seam, and locks one normal at both vertices of each pair.
pub(super) fn close_seam(
    parts: &[RigPart],
    archetype: Option<&Archetype>,
    numbers: &[Vec<Option<usize>>],
    meshes: &mut [RigMesh],
    turn: Turn,
    findings: &mut Vec<Finding>,
) -> Result<Seam, Finding> {
    let [head, body] = parts else { return Ok(Seam::default()) };
    // The archetype says which vertices belong together; without it those that coincide do.
    let templates = archetype.and_then(|a| Some((&a.head.as_ref()?.dna, &a.body.as_ref()?.dna)));
    let (head_template, body_template) = templates.unwrap_or((&head.dna, &body.dna));
    let plan =
        SeamPlan::from_templates(head_template, body_template, SEAM_TOLERANCE_CM).map_err(|error| {
            let remedy = "check both files with `mhrig validate`";
            Finding::new("PAIR_MISMATCH", Severity::Error, "head and body", error.to_string(), remedy)
        })?;
    let mut seam = Seam::default();
    let mut locks = Locks::default();
    let mut normals = [VertexNormals::new(&head.dna, turn), VertexNormals::new(&body.dna, turn)];
    for lod in plan.lods() {
        let mut line = SeamLine {
            head_lod: lod.head_lod,
            body_lod: lod.body_lod,
            pairs: 0,
            gap_cm: 0.0,
            angle_before_deg: 0.0,
            angle_deg: 0.0,
            without_normal: 0,
        };
        for [(head_mesh, head_vertex), (body_mesh, body_vertex)] in lod.pairs() {
            let scene = |part: usize, mesh: usize| numbers[part].get(mesh).copied().flatten();
            let (Some(head_scene), Some(body_scene)) = (scene(0, head_mesh), scene(1, body_mesh)) else {
                continue;
            };
            let position = |mesh: usize, vertex: usize| meshes[mesh].mesh.positions.get(vertex).copied();
            let (Some(a), Some(b)) = (position(head_scene, head_vertex), position(body_scene, body_vertex))
            else {
                continue;
            };
            line.pairs += 1;
            line.gap_cm = line.gap_cm.max(distance(a, b));
            let own = normals[0].mean(head_mesh, head_vertex);
            let theirs = normals[1].mean(body_mesh, body_vertex);
            let pair = [(head_scene, head_vertex), (body_scene, body_vertex)];
            let mean = own.zip(theirs).and_then(|(own, theirs)| {
                line.angle_before_deg = line.angle_before_deg.max(angle_deg(own, theirs));
                unit([own[0] + theirs[0], own[1] + theirs[1], own[2] + theirs[2]])
            });
            match pair.iter().find_map(|at| locks.get(*at)).or(mean) {
                Some(normal) => {
                    let [a, b] = pair.map(|at| locks.settle(at, normal));
                    line.angle_deg = line.angle_deg.max(angle_deg(a, b));
                }
                None => line.without_normal += 1,
            }
            let [head, body] = pair;
            seam.pairs.push(SeamPair { head, body, head_lod: lod.head_lod });
        }
        findings.extend(open_seam(&line, parts));
        findings.extend(bare_seam(&line));
        seam.lines.push(line);
    }
    if seam.pairs.is_empty() {
        let message = "no border vertex of the head lies on one of the body";
        let remedy =
            "give the archetype of both with --archetype, or a head and a body that were built together";
        findings.push(Finding::new("SEAM_NOT_FOUND", Severity::Warning, "seam", message, remedy));
    }
    locks.apply(meshes);
    Ok(seam)
}

fn open_seam(line: &SeamLine, parts: &[RigPart]) -> Option<Finding> {
    if line.gap_cm <= SEAM_TOLERANCE_CM {
        return None;
    }
    let place = format!(
        "{}: seam of head LOD {} and body LOD {}",
        parts[0].file().display(),
        line.head_lod,
        line.body_lod
    );
    let message = "border vertices of head and body do not meet";
    let remedy = "build head and body together, so that the body leads the border of the neck";
    let finding = Finding::new("SEAM_OPEN", Severity::Warning, place, message, remedy);
    Some(finding.with_values(format!("at most {SEAM_TOLERANCE_CM} cm"), format!("{:.4} cm", line.gap_cm)))
}

fn bare_seam(line: &SeamLine) -> Option<Finding> {
    if line.without_normal == 0 {
        return None;
    }
    let place = format!("seam of head LOD {} and body LOD {}", line.head_lod, line.body_lod);
    let message = format!("{} pairs of border vertices have no normal in the DNA files", line.without_normal);
    let remedy = "build head and body together: both sides of the neck then have one normal";
    Some(Finding::new("SEAM_WITHOUT_NORMALS", Severity::Warning, place, message, remedy))
}

/// Normals to be locked, by mesh and vertex.
#[derive(Default)]
struct Locks(BTreeMap<usize, HashMap<usize, [f64; 3]>>);

impl Locks {
    fn get(&self, (mesh, vertex): (usize, usize)) -> Option<[f64; 3]> {
        self.0.get(&mesh)?.get(&vertex).copied()
    }

    /// Locks a normal where none is yet; returns the one that is locked.
    fn settle(&mut self, (mesh, vertex): (usize, usize), normal: [f64; 3]) -> [f64; 3] {
        *self.0.entry(mesh).or_default().entry(vertex).or_insert(normal)
    }

    fn apply(self, meshes: &mut [RigMesh]) {
        for (mesh, normals) in self.0 {
            let RigMesh { mesh, locked_normals, .. } = &mut meshes[mesh];
            let corners = mesh.faces.corners();
            // Edges elsewhere stay.
            locked_normals.retain(|own| !normals.contains_key(&(corners[own.corner as usize] as usize)));
            locked_normals.extend(corners.iter().enumerate().filter_map(|(corner, &vertex)| {
                let normal = normals.get(&(vertex as usize))?.map(|c| c as f32);
                Some(LockedNormal { corner: corner as u32, normal })
            }));
            locked_normals.sort_by_key(|own| own.corner);
        }
    }
}

/// Normals of vertices, the mean of those that a DNA has at a vertex; made mesh by mesh.
struct VertexNormals<'a> {
    dna: &'a Dna,
    turn: Turn,
    of_mesh: HashMap<usize, Vec<[f64; 3]>>,
}

impl<'a> VertexNormals<'a> {
    fn new(dna: &'a Dna, turn: Turn) -> Self {
        Self { dna, turn, of_mesh: HashMap::new() }
    }

    fn mean(&mut self, mesh: usize, vertex: usize) -> Option<[f64; 3]> {
        let (dna, turn) = (self.dna, self.turn);
        let sums = self.of_mesh.entry(mesh).or_insert_with(|| {
            let Some(mesh) = dna.geometry.meshes.get(mesh) else { return Vec::new() };
            let mut sums = vec![[0.0; 3]; mesh.positions.len()];
            for (&position, &normal) in mesh.layouts.positions.iter().zip(&mesh.layouts.normals) {
                let normal = mesh.normals.get(normal as usize).map(|normal| turn.apply(normal));
                if let (Some(sum), Some(normal)) = (sums.get_mut(position as usize), normal) {
                    *sum = std::array::from_fn(|axis| sum[axis] + f64::from(normal[axis]));
                }
            }
            sums
        });
        sums.get(vertex).copied().and_then(unit)
    }
}

pub(super) fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    (length > 1e-12 && length.is_finite()).then(|| v.map(|c| c / length))
}

/// The angle between two directions of length one.
pub(super) fn angle_deg(a: [f64; 3], b: [f64; 3]) -> f64 {
    let chord = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    (2.0 * (chord / 2.0).min(1.0).asin()).to_degrees()
}

pub(super) fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    let square = |(a, b): (f32, f32)| (f64::from(a) - f64::from(b)).powi(2);
    a.into_iter().zip(b).map(square).sum::<f64>().sqrt()
}
