use std::collections::{BTreeMap, BTreeSet, HashMap};

use mhrig_dna::{Dna, Mesh, VertexSkinWeights};
use mhrig_report::{Finding, Severity};
use serde::Serialize;

use crate::CalibError;
use crate::check::{check_mesh, check_meshes, mesh_place};
use crate::lod_meshes::vector;
use crate::normals::unit;
use crate::rings::on_border;
use crate::units::{cm_per_unit, file_length};

/// Which vertices of a head and a body DNA lie on each other along the neck, found on their templates LOD by LOD:
/// head LOD n meets body LOD min(⌊n / 2⌋, last).
#[derive(Clone, Debug)]
pub struct SeamPlan {
    lods: Vec<LodSeam>,
}

#[derive(Clone, Debug)]
struct LodSeam {
    head_lod: usize,
    body_lod: usize,
    pairs: Vec<Pair>,
}

#[derive(Clone, Debug)]
struct Pair {
    head: Place,
    body: Place,
}

/// Pairs of one LOD of the head and the LOD of the body that it meets.
#[derive(Clone, Copy, Debug)]
pub struct SeamLod<'a> {
    /// LOD of the head.
    pub head_lod: usize,
    /// LOD of the body.
    pub body_lod: usize,
    lod: &'a LodSeam,
}

impl SeamLod<'_> {
    /// Vertices of the head and of the body that lie on each other, as mesh and vertex.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [(usize, usize); 2]> {
        self.lod.pairs.iter().map(|pair| [&pair.head, &pair.body].map(|place| (place.mesh, place.vertex)))
    }
}

/// A border vertex with its normals and what they were on the template.
#[derive(Clone, Debug)]
struct Place {
    mesh: usize,
    vertex: usize,
    normals: Vec<u32>,
    template: Vec<[u32; 3]>,
}

/// What closing the seam did in one pair of LODs.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct SeamReport {
    /// LOD of the head.
    pub head_lod: usize,
    /// LOD of the body that it meets.
    pub body_lod: usize,
    /// Pairs of border vertices.
    pub pairs: usize,
    /// Largest gap before, cm.
    pub gap_before_cm: f64,
    /// Largest gap after, cm.
    pub gap_after_cm: f64,
    /// Head vertices that were moved onto the body.
    pub moved: usize,
}

impl SeamPlan {
    /// Pairs border vertices of the two templates that are at most `tolerance_cm` apart (0.001 is usual).
    ///
    /// # Errors
    /// [`CalibError::Count`] or [`CalibError::Index`] for inconsistent meshes; [`CalibError::Mismatch`] when the two
    /// files have different axes.
    pub fn from_templates(head: &Dna, body: &Dna, tolerance_cm: f64) -> Result<Self, CalibError> {
        check_meshes(head)?;
        check_meshes(body)?;
        let (first, second) = (head.descriptor.coordinate_system, body.descriptor.coordinate_system);
        if first != second {
            return Err(CalibError::Mismatch {
                field: "desc.coordinateSystem",
                first: format!("{first:?}"),
                second: format!("{second:?}"),
            });
        }
        let mut lods = Vec::new();
        let body_lods = usize::from(body.descriptor.lod_count);
        for head_lod in 0..usize::from(head.descriptor.lod_count) {
            let Some(last) = body_lods.checked_sub(1) else { break };
            let body_lod = (head_lod / 2).min(last);
            let mut head_border = border(head, head_lod);
            let mut body_border = border(body, body_lod);
            // The nearest body vertex of each head vertex, by a sweep along x.
            head_border.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
            body_border.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
            let mut pairs = Vec::new();
            for (at, mesh, vertex) in &head_border {
                let start = body_border.partition_point(|(other, ..)| other.x < at.x - tolerance_cm);
                let near =
                    body_border[start..].iter().take_while(|(other, ..)| other.x <= at.x + tolerance_cm);
                let near = near.map(|(other, mesh, vertex)| ((other - at).norm(), *mesh, *vertex));
                let nearest = near
                    .filter(|(distance, ..)| *distance <= tolerance_cm)
                    .min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
                if let Some((_, body_mesh, body_vertex)) = nearest {
                    pairs.push(((*mesh, *vertex), (body_mesh, body_vertex)));
                }
            }
            pairs.sort_unstable();
            let (heads, bodies): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            let places = places(head, &heads).into_iter().zip(places(body, &bodies));
            let pairs = places.map(|(head, body)| Pair { head, body }).collect();
            lods.push(LodSeam { head_lod, body_lod, pairs });
        }
        Ok(Self { lods })
    }

    /// The pairs of each LOD of the head.
    pub fn lods(&self) -> impl Iterator<Item = SeamLod<'_>> {
        self.lods.iter().map(|lod| SeamLod { head_lod: lod.head_lod, body_lod: lod.body_lod, lod })
    }

    /// Pairs border vertices of two files that are to meet as they are, without a template: [`SeamPlan::apply`] then
    /// closes every pair.
    ///
    /// # Errors
    /// As [`SeamPlan::from_templates`].
    pub fn from_parts(head: &Dna, body: &Dna, tolerance_cm: f64) -> Result<Self, CalibError> {
        let mut plan = Self::from_templates(head, body, tolerance_cm)?;
        for pair in plan.lods.iter_mut().flat_map(|lod| &mut lod.pairs) {
            pair.head.template.clear();
            pair.body.template.clear();
        }
        Ok(plan)
    }

    /// Number of pairs in each LOD of the head.
    pub fn pair_counts(&self) -> impl Iterator<Item = usize> {
        self.lods.iter().map(|lod| lod.pairs.len())
    }

    /// Gives the border vertices of each pair one position, the body's, and one normal, the mean of both. Pairs that
    /// are still as on the template are left alone. Where the two are more than `limit_cm` apart, nothing is moved: that
    /// is no gap to close but two parts that do not belong together, and a finding says so.
    ///
    /// # Errors
    /// [`CalibError::OtherTemplate`] when a file has other meshes than the template.
    pub fn apply(
        &self,
        head: &mut Dna,
        body: &mut Dna,
        limit_cm: f64,
    ) -> Result<(Vec<SeamReport>, Vec<Finding>), CalibError> {
        self.check(head, body)?;
        let units = (cm_per_unit(&head.descriptor), cm_per_unit(&body.descriptor));
        let mut reports = Vec::new();
        let mut findings = Vec::new();
        let mut settled = BTreeSet::new();
        for lod in &self.lods {
            let mut report = SeamReport {
                head_lod: lod.head_lod,
                body_lod: lod.body_lod,
                pairs: lod.pairs.len(),
                ..SeamReport::default()
            };
            let mut apart = 0;
            for Pair { head: at_head, body: at_body } in &lod.pairs {
                let target = at_body.position(body).map(|c| f64::from(c) * units.1);
                let gap = distance(at_head.position(head).map(|c| f64::from(c) * units.0), target);
                report.gap_before_cm = report.gap_before_cm.max(gap);
                let is_as_before =
                    at_head.values(head) == at_head.template && at_body.values(body) == at_body.template;
                if is_as_before {
                    report.gap_after_cm = report.gap_after_cm.max(gap);
                    continue;
                }
                if gap > limit_cm {
                    apart += 1;
                    report.gap_after_cm = report.gap_after_cm.max(gap);
                    continue;
                }
                let position = target.map(|c| file_length(c, units.0));
                let mesh = &mut head.geometry.meshes[at_head.mesh];
                if mesh.positions.get(at_head.vertex) != Some(position) {
                    mesh.positions.xs[at_head.vertex] = position[0];
                    mesh.positions.ys[at_head.vertex] = position[1];
                    mesh.positions.zs[at_head.vertex] = position[2];
                    report.moved += 1;
                }
                let after = at_head.position(head).map(|c| f64::from(c) * units.0);
                report.gap_after_cm = report.gap_after_cm.max(distance(after, target));

                // A body vertex that meets several LODs of the head settles its normal with the first.
                let key = (at_body.mesh, at_body.vertex);
                let body_normal = at_body.mean_normal(body);
                let normal = if !settled.insert(key) {
                    body_normal
                } else {
                    match (at_head.mean_normal(head), body_normal) {
                        (Some(a), Some(b)) => unit([a[0] + b[0], a[1] + b[1], a[2] + b[2]]),
                        (a, b) => a.or(b),
                    }
                };
                if let Some(normal) = normal {
                    at_head.set_normals(head, normal);
                    at_body.set_normals(body, normal);
                }
            }
            if apart > 0 {
                findings.push(
                    Finding::new(
                        "SEAM_OPEN",
                        Severity::Warning,
                        format!("seam of head LOD {} and body LOD {}", lod.head_lod, lod.body_lod),
                        format!("{apart} of {} border vertices do not meet and were left apart", report.pairs),
                        "give the head and the body of one person, with the borders of both necks at one place",
                    )
                    .with_values(
                        format!("at most {limit_cm} cm apart"),
                        format!("{:.4} cm", report.gap_after_cm),
                    ),
                );
            }
            reports.push(report);
        }
        Ok((reports, findings))
    }

    /// Gives the vertices of each pair one set of skin weights, the body's, so that the seam stays closed when the
    /// character moves. Joints that the head does not have leave their weight to the nearest ancestor that it has; a
    /// body vertex that meets several LODs of the head, and all that it meets, keep as many influences as the smallest
    /// cap among them allows. Weights that agree already stay as they are, to the bit. Returns how many vertices got
    /// other weights.
    ///
    /// # Errors
    /// As [`SeamPlan::apply`].
    pub fn share_weights(&self, head: &mut Dna, body: &mut Dna) -> Result<usize, CalibError> {
        self.check(head, body)?;
        let in_head = joints_in_both(head, body);
        let mut caps: BTreeMap<(usize, usize), u16> = BTreeMap::new();
        for Pair { head: at_head, body: at_body } in self.lods.iter().flat_map(|lod| &lod.pairs) {
            let cap = at_head.mesh(head).maximum_influence_per_vertex;
            let own = at_body.mesh(body).maximum_influence_per_vertex;
            let known = caps.entry((at_body.mesh, at_body.vertex)).or_insert(own);
            *known = (*known).min(cap);
        }
        let mut changed = 0;
        for Pair { head: at_head, body: at_body } in self.lods.iter().flat_map(|lod| &lod.pairs) {
            let cap = caps.get(&(at_body.mesh, at_body.vertex)).copied().unwrap_or(0);
            let Some(record) = at_body.mesh(body).skin_weights.get(at_body.vertex) else { continue };
            let influences = record.joint_indices.iter().zip(&record.weights);
            let shared = influences.filter_map(|(&joint, &weight)| {
                let (in_body, in_head) = in_head.get(usize::from(joint)).copied().flatten()?;
                Some((in_body, in_head, weight))
            });
            let shared = capped(shared.collect(), usize::from(cap));
            if shared.is_empty() {
                continue;
            }
            let agrees = |dna: &Dna, place: &Place, side: usize| {
                place
                    .mesh(dna)
                    .skin_weights
                    .get(place.vertex)
                    .is_none_or(|stored| says(stored, &shared, side))
            };
            if agrees(body, at_body, 0) && agrees(head, at_head, 1) {
                continue;
            }
            let sides = [(&mut *body, at_body, 0), (&mut *head, at_head, 1)];
            for (dna, place, side) in sides {
                let mut influences: Vec<(u16, f32)> =
                    shared.iter().map(|&(joints, weight)| (joints[side], weight)).collect();
                influences.sort_unstable_by_key(|(joint, _)| *joint);
                let (joint_indices, weights) = influences.into_iter().unzip();
                if let Some(stored) = dna.geometry.meshes[place.mesh].skin_weights.get_mut(place.vertex) {
                    *stored = VertexSkinWeights { weights, joint_indices };
                    changed += 1;
                }
            }
        }
        Ok(changed)
    }

    fn check(&self, head: &Dna, body: &Dna) -> Result<(), CalibError> {
        let check = |dna: &Dna, place: &Place| -> Result<(), CalibError> {
            let mesh = dna.geometry.meshes.get(place.mesh);
            let fits = mesh.is_some_and(|mesh| {
                place.vertex < mesh.positions.len()
                    && place.normals.iter().all(|&normal| (normal as usize) < mesh.normals.len())
            });
            if fits { Ok(()) } else { Err(CalibError::OtherTemplate { place: mesh_place(dna, place.mesh) }) }
        };
        let mut meshes: Vec<usize> = Vec::new();
        for pair in self.lods.iter().flat_map(|lod| &lod.pairs) {
            if !meshes.contains(&pair.head.mesh) {
                check_mesh(head, pair.head.mesh)?;
                meshes.push(pair.head.mesh);
            }
            check(head, &pair.head)?;
            check(body, &pair.body)?;
        }
        Ok(())
    }
}

/// For each joint of the body, itself or its nearest ancestor that the head has too: its number in the body and in the
/// head.
fn joints_in_both(head: &Dna, body: &Dna) -> Vec<Option<(u16, u16)>> {
    let numbers: HashMap<_, u16> = head.definition.joint_names.iter().zip(0..).collect();
    let parents = &body.definition.joint_hierarchy;
    let count = body.definition.joint_names.len();
    let above = |joint: usize| {
        let mut at = joint;
        for _ in 0..count {
            if let Some(&in_head) = body.definition.joint_names.get(at).and_then(|name| numbers.get(name)) {
                return Some((at as u16, in_head));
            }
            at = usize::from(*parents.get(at)?);
        }
        None
    };
    (0..count).map(above).collect()
}

/// Influences with one entry per joint, the largest `cap` of them (0: all), with the sum 1.
fn capped(influences: Vec<(u16, u16, f32)>, cap: usize) -> Vec<([u16; 2], f32)> {
    let mut merged: BTreeMap<u16, (u16, f64)> = BTreeMap::new();
    for (in_body, in_head, weight) in influences.into_iter().filter(|(.., weight)| *weight > 0.0) {
        merged.entry(in_body).or_insert((in_head, 0.0)).1 += f64::from(weight);
    }
    let mut all: Vec<([u16; 2], f64)> =
        merged.into_iter().map(|(in_body, (in_head, weight))| ([in_body, in_head], weight)).collect();
    if cap > 0 && all.len() > cap {
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(cap);
    }
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    all.into_iter().map(|(joints, weight)| (joints, (weight / sum) as f32)).collect()
}

/// Whether a record holds these influences, in any order; weights may differ by what normalising them rounds.
fn says(record: &VertexSkinWeights, influences: &[([u16; 2], f32)], side: usize) -> bool {
    const ROUNDING: f32 = 1e-6;
    let is_held = |(joints, weight): &([u16; 2], f32)| {
        let at = record.joint_indices.iter().position(|joint| *joint == joints[side]);
        let stored = at.and_then(|at| record.weights.get(at));
        stored.is_some_and(|stored| (stored - weight).abs() <= ROUNDING)
    };
    record.weights.len() == influences.len() && influences.iter().all(is_held)
}

/// Border vertices of the meshes of one LOD: position in cm, mesh, vertex.
fn border(dna: &Dna, lod: usize) -> Vec<(nalgebra::Vector3<f64>, usize, usize)> {
    let unit = cm_per_unit(&dna.descriptor);
    let mut found = Vec::new();
    for &mesh in dna.definition.lod_mesh_mapping.members(lod) {
        let Some(members) = dna.geometry.meshes.get(usize::from(mesh)) else { continue };
        let is_border = on_border(members);
        for (vertex, position) in
            members.positions.iter().enumerate().filter(|&(vertex, _)| is_border[vertex])
        {
            found.push((vector(position) * unit, usize::from(mesh), vertex));
        }
    }
    found
}

/// The places of some vertices, given as mesh and vertex.
fn places(dna: &Dna, vertices: &[(usize, usize)]) -> Vec<Place> {
    let new =
        |&(mesh, vertex): &(usize, usize)| Place { mesh, vertex, normals: Vec::new(), template: Vec::new() };
    let mut places: Vec<Place> = vertices.iter().map(new).collect();
    let mut by_vertex: Vec<usize> = (0..places.len()).collect();
    by_vertex.sort_by_key(|&at| (vertices[at], at));
    let meshes: BTreeSet<usize> = vertices.iter().map(|&(mesh, _)| mesh).collect();
    for mesh in meshes {
        let layouts = &dna.geometry.meshes[mesh].layouts;
        for (&position, &normal) in layouts.positions.iter().zip(&layouts.normals) {
            let key = (mesh, position as usize);
            let start = by_vertex.partition_point(|&at| vertices[at] < key);
            for &at in by_vertex[start..].iter().take_while(|&&at| vertices[at] == key) {
                if !places[at].normals.contains(&normal) {
                    places[at].normals.push(normal);
                }
            }
        }
    }
    for place in &mut places {
        place.template = place.values(dna);
    }
    places
}

impl Place {
    fn mesh<'a>(&self, dna: &'a Dna) -> &'a Mesh {
        &dna.geometry.meshes[self.mesh]
    }

    fn position(&self, dna: &Dna) -> [f32; 3] {
        self.mesh(dna).positions.get(self.vertex).unwrap_or_default()
    }

    /// The bits of position and normals.
    fn values(&self, dna: &Dna) -> Vec<[u32; 3]> {
        let normals = self.normals.iter().filter_map(|&normal| self.mesh(dna).normals.get(normal as usize));
        std::iter::once(self.position(dna)).chain(normals).map(|v| v.map(f32::to_bits)).collect()
    }

    fn mean_normal(&self, dna: &Dna) -> Option<[f64; 3]> {
        let mut sum = [0.0; 3];
        for &normal in &self.normals {
            let normal = self.mesh(dna).normals.get(normal as usize).unwrap_or_default();
            for axis in 0..3 {
                sum[axis] += f64::from(normal[axis]);
            }
        }
        unit(sum)
    }

    fn set_normals(&self, dna: &mut Dna, normal: [f64; 3]) {
        let normals = &mut dna.geometry.meshes[self.mesh].normals;
        for &at in &self.normals {
            normals.xs[at as usize] = normal[0] as f32;
            normals.ys[at as usize] = normal[1] as f32;
            normals.zs[at as usize] = normal[2] as f32;
        }
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + (a[2] - b[2]).powi(2)).sqrt()
}
