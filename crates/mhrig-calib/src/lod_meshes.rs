use mhrig_dna::{Dna, Mesh, Vectors3};
use mhrig_geom::{TrianglePoint, TriangleTree};
use mhrig_report::{Finding, Job, Severity};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use serde::Serialize;

use crate::CalibError;
use crate::check::{check_mesh, check_meshes, mesh_place};
use crate::rings::{EdgeSums, Rings};
use crate::setters::Moved;
use crate::units::cm_per_unit;

/// How every vertex of the lower LOD meshes follows the surface of a LOD 0 mesh, found on a template.
///
/// **Binding.** A lower mesh belongs to the LOD 0 mesh whose name differs in the LOD number only. With the same number
/// of vertices and the same faces, vertices are paired by number. Otherwise a vertex is bound to a point of a source
/// triangle: of all source triangles that hold its texture coordinates (or, where none does, of the nearest ones) the
/// one whose surface is closest to the vertex *in space*, which tells mirrored halves apart that share their texture
/// coordinates. Should even that one be further away than the closest surface point by more than the length of the
/// vertex's own edges, then the layouts do not belong together there, and the closest surface point is taken.
///
/// **Following.** New position = the surface point on the new LOD 0 mesh + the template's offset from its own surface
/// point, turned and scaled as the LOD 0 mesh turned and stretched around that point (least squares over the edges
/// around the triangle). A vertex whose triangle did not move keeps its bits, so a template gives back its own lower
/// meshes, whatever made them.
#[derive(Clone, Debug)]
pub struct LodBindings {
    bindings: Vec<MeshBinding>,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
struct MeshBinding {
    mesh: usize,
    source: usize,
    is_same_topology: bool,
    vertices: Vec<VertexBinding>,
    template: Vectors3,
    source_template: Vectors3,
    source_rings: Rings,
    by_position: usize,
}

#[derive(Clone, Copy, Debug)]
struct VertexBinding {
    source_vertices: [u32; 3],
    weights: [f64; 3],
    /// Template position minus surface point, in the file's unit.
    offset: [f64; 3],
}

/// What regenerating one lower LOD mesh did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LodMeshReport {
    /// Name of the mesh.
    pub mesh: String,
    /// Name of the LOD 0 mesh that it follows.
    pub source: String,
    /// Whether both have the same vertices and faces, so that positions are those of the source.
    pub same_topology: bool,
    /// Vertices that did not go by their texture coordinates, because these lead nowhere near them.
    pub bound_by_position: usize,
    /// How far it moved.
    pub moved: Moved,
}

/// Texture coordinates that differ by less are the same place, in units of the layout.
const SAME_UV: f64 = 1e-4;
/// How far outside every triangle of a layout texture coordinates may be and still mean its border.
const UV_MARGIN: f64 = 0.02;

/// A mesh name without its LOD number: `head_lod1_mesh` and `head_lod0_mesh` both give `head_lod#_mesh`. `None` where
/// no part of the name is `lod` with a number.
pub fn lod_base_name(name: &str) -> Option<String> {
    let mut found = false;
    let parts = name.split('_').map(|part| {
        let number = part.get(..3).filter(|lod| lod.eq_ignore_ascii_case("lod")).map(|_| &part[3..]);
        if !found && number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
            found = true;
            "lod#"
        } else {
            part
        }
    });
    let base = parts.collect::<Vec<_>>().join("_");
    found.then_some(base)
}

impl LodBindings {
    /// Binds every mesh of the lower LODs of `dna` to its LOD 0 mesh. A mesh without one is left alone and reported,
    /// see [`LodBindings::findings`].
    ///
    /// # Errors
    /// [`CalibError::Count`] or [`CalibError::Index`] for inconsistent meshes, [`CalibError::Cancelled`].
    pub fn from_template(dna: &Dna, job: &Job<'_>) -> Result<Self, CalibError> {
        check_meshes(dna)?;
        let (pairs, findings) = lower_meshes(dna);
        job.progress.stage("bind lower LOD meshes", pairs.len());
        let mut sources: Vec<usize> = pairs.iter().map(|&(_, source)| source).collect();
        sources.sort_unstable();
        sources.dedup();
        let prepared: Vec<Source> = sources
            .par_iter()
            .map(|&source| {
                job.check()?;
                Ok(Source::new(&dna.geometry.meshes[source]))
            })
            .collect::<Result<_, CalibError>>()?;
        let bindings = pairs
            .par_iter()
            .map(|&(mesh, source)| {
                let prepared = &prepared[sources.partition_point(|&s| s < source)];
                let binding = MeshBinding::new(dna, mesh, source, prepared, job)?;
                job.progress.step();
                Ok(binding)
            })
            .collect::<Result<_, CalibError>>()?;
        Ok(Self { bindings, findings })
    }

    /// Lower LOD meshes that are bound to no LOD 0 mesh.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Moves the lower LOD meshes of `dna` to where its LOD 0 meshes now are. Meshes listed in `keep` are left alone.
    ///
    /// # Errors
    /// [`CalibError::OtherTemplate`] when `dna` has other meshes than the template, [`CalibError::Cancelled`].
    pub fn apply(
        &self,
        dna: &mut Dna,
        keep: &[usize],
        job: &Job<'_>,
    ) -> Result<Vec<LodMeshReport>, CalibError> {
        job.progress.stage("regenerate lower LOD meshes", self.bindings.len());
        let unit = cm_per_unit(&dna.descriptor);
        let mut made = Vec::new();
        for binding in self.bindings.iter().filter(|binding| !keep.contains(&binding.mesh)) {
            let new_source = check_mesh(dna, binding.source)?;
            let lower = check_mesh(dna, binding.mesh)?;
            for (mesh, found, expected) in [
                (binding.source, &new_source.positions, binding.source_template.len()),
                (binding.mesh, &lower.positions, binding.vertices.len()),
            ] {
                if found.len() != expected {
                    return Err(CalibError::OtherTemplate { place: mesh_place(dna, mesh) });
                }
            }
            let positions = binding.follow(&new_source.positions, job)?;
            let name = |mesh: usize| dna.definition.mesh_names[mesh].to_string();
            made.push((
                binding.mesh,
                positions,
                LodMeshReport {
                    mesh: name(binding.mesh),
                    source: name(binding.source),
                    same_topology: binding.is_same_topology,
                    bound_by_position: binding.by_position,
                    moved: Moved::default(),
                },
            ));
            job.progress.step();
        }
        let mut reports = Vec::with_capacity(made.len());
        for (mesh, positions, mut report) in made {
            let before = std::mem::replace(&mut dna.geometry.meshes[mesh].positions, positions);
            report.moved = Moved::between(&before, &dna.geometry.meshes[mesh].positions, unit);
            reports.push(report);
        }
        Ok(reports)
    }
}

/// Moves every mesh of the lower LODs of `dna` onto its LOD 0 mesh as it is now, by texture coordinates alone: for a
/// file whose lower LODs are older than its LOD 0 and whose template is not at hand. Meshes with the vertices and faces
/// of their LOD 0 mesh get its positions; vertices whose texture coordinates meet no face of it stay, and a finding
/// counts them. With the template [`LodBindings`] does better: it keeps what lower meshes have of their own.
///
/// # Errors
/// [`CalibError::Count`] or [`CalibError::Index`] for inconsistent meshes, [`CalibError::Cancelled`]; `dna` is unchanged
/// then.
pub fn regenerate_lods_by_uv(
    dna: &mut Dna,
    job: &Job<'_>,
) -> Result<(Vec<LodMeshReport>, Vec<Finding>), CalibError> {
    check_meshes(dna)?;
    let (pairs, mut findings) = lower_meshes(dna);
    job.progress.stage("regenerate lower LOD meshes", pairs.len());
    let mut sources: Vec<usize> = pairs.iter().map(|&(_, source)| source).collect();
    sources.sort_unstable();
    sources.dedup();
    type Made = Vec<(usize, usize, bool, ByUv)>;
    let made: Vec<Made> = sources
        .par_iter()
        .map(|&source| {
            let upper = &dna.geometry.meshes[source];
            let prepared = Source::new(upper);
            let of_source = pairs.iter().filter(|pair| pair.1 == source);
            let moved = of_source.map(|&(mesh, _)| {
                job.check()?;
                let lower = &dna.geometry.meshes[mesh];
                let is_same = has_same_topology(lower, upper);
                let made = if is_same {
                    ByUv { positions: upper.positions.clone(), ..ByUv::default() }
                } else {
                    prepared.positions_by_uv(lower)
                };
                job.progress.step();
                Ok((mesh, source, is_same, made))
            });
            moved.collect()
        })
        .collect::<Result<_, CalibError>>()?;
    let unit = cm_per_unit(&dna.descriptor);
    let mut reports = Vec::with_capacity(pairs.len());
    for (mesh, source, same_topology, made) in made.into_iter().flatten() {
        let ByUv { positions, astray, lost } = made;
        let before = std::mem::replace(&mut dna.geometry.meshes[mesh].positions, positions);
        let name = |mesh: usize| dna.definition.mesh_names[mesh].to_string();
        let report = LodMeshReport {
            mesh: name(mesh),
            source: name(source),
            same_topology,
            bound_by_position: astray,
            moved: Moved::between(&before, &dna.geometry.meshes[mesh].positions, unit),
        };
        reports.push((mesh, report));
        if lost > 0 {
            findings.push(Finding::new(
                "LOD_UV_ISLAND",
                Severity::Warning,
                mesh_place(dna, mesh),
                format!("{lost} vertices have texture coordinates that meet no face of LOD 0 and stayed where they were"),
                "lay the lower LOD out like LOD 0, or name the archetype that the file was built with",
            ));
        }
    }
    reports.sort_by_key(|(mesh, _)| *mesh);
    Ok((reports.into_iter().map(|(_, report)| report).collect(), findings))
}

/// Three vertices and their weights.
pub(crate) type SurfacePoint = ([u32; 3], [f64; 3]);

/// For every vertex of mesh `mesh` the point of mesh `source` that it is bound to. A source without
/// faces gives weights of 0.
pub(crate) fn bind_to_surface(
    dna: &Dna,
    mesh: usize,
    source: usize,
    job: &Job<'_>,
) -> Result<Vec<SurfacePoint>, CalibError> {
    let prepared = Source::new(check_mesh(dna, source)?);
    check_mesh(dna, mesh)?;
    let binding = MeshBinding::new(dna, mesh, source, &prepared, job)?;
    Ok(binding.vertices.iter().map(|vertex| (vertex.source_vertices, vertex.weights)).collect())
}

/// Each mesh of a lower LOD with its LOD 0 mesh, by mesh number.
pub(crate) fn lower_meshes(dna: &Dna) -> (Vec<(usize, usize)>, Vec<Finding>) {
    let definition = &dna.definition;
    let names = &definition.mesh_names;
    let members = |lod| {
        let members = definition.lod_mesh_mapping.members(lod).iter().map(|&mesh| usize::from(mesh));
        members.filter(|&mesh| mesh < names.len())
    };
    let top: Vec<usize> = members(0).collect();
    let mut lower: Vec<usize> = (1..usize::from(dna.descriptor.lod_count))
        .flat_map(members)
        .filter(|mesh| !top.contains(mesh))
        .collect();
    lower.sort_unstable();
    lower.dedup();
    let mut pairs = Vec::new();
    let mut findings = Vec::new();
    for mesh in lower {
        let name = names[mesh].to_str();
        let base = lod_base_name(&name);
        let same = |&&other: &&usize| base.is_some() && lod_base_name(&names[other].to_str()) == base;
        match top.iter().find(same) {
            Some(&source) => pairs.push((mesh, source)),
            None => findings.push(Finding::new(
                "LOD_SOURCE",
                Severity::Warning,
                mesh_place(dna, mesh),
                "no mesh of LOD 0 has this name with another LOD number, so the mesh keeps the template's shape",
                "name the meshes of one part alike up to their LOD number, as head_lod0_mesh and head_lod1_mesh",
            )),
        }
    }
    (pairs, findings)
}

/// A LOD 0 mesh prepared for look-ups.
struct Source {
    positions: Vec<[f32; 3]>,
    /// Position numbers of each triangle.
    triangles: Vec<[u32; 3]>,
    in_space: TriangleTree,
    in_uv: Option<TriangleTree>,
    rings: Rings,
}

impl Source {
    fn new(mesh: &Mesh) -> Self {
        let positions = mesh.positions.to_vectors();
        let layouts = &mesh.layouts;
        let mut triangles = Vec::new();
        let mut uv_triangles = Vec::new();
        let has_uv = layouts.texture_coordinates.len() == layouts.positions.len();
        for face in &mesh.faces {
            for at in 1..face.len().saturating_sub(1) {
                let corners = [face[0], face[at], face[at + 1]].map(|layout| layout as usize);
                triangles.push(corners.map(|layout| layouts.positions[layout]));
                if has_uv {
                    uv_triangles.push(corners.map(|layout| layouts.texture_coordinates[layout]));
                }
            }
        }
        let coordinates = &mesh.texture_coordinates;
        let in_plane = coordinates.us.iter().zip(&coordinates.vs).map(|(&u, &v)| [u, v, 0.0]);
        let in_uv = (has_uv && !uv_triangles.is_empty())
            .then(|| TriangleTree::new(&in_plane.collect::<Vec<_>>(), &uv_triangles));
        Self {
            in_space: TriangleTree::new(&positions, &triangles),
            in_uv,
            rings: Rings::from_mesh(mesh),
            positions,
            triangles,
        }
    }

    fn surface_point(&self, point: &TrianglePoint) -> Vector3<f64> {
        let corners = self.triangles[point.triangle as usize];
        let mut sum = Vector3::zeros();
        for (corner, weight) in corners.into_iter().zip(point.weights) {
            sum += vector(self.positions[corner as usize]) * weight;
        }
        sum
    }

    /// The vertices of `lower` as points of this mesh that have their texture coordinates. Of several such points the one
    /// nearest to where the vertex was is taken, which tells mirrored halves apart.
    fn positions_by_uv(&self, lower: &Mesh) -> ByUv {
        let uvs = uvs_of_vertices(lower);
        let before = lower.positions.to_vectors();
        let mut places: Vec<Option<[f32; 3]>> = before
            .par_iter()
            .zip(&uvs)
            .map(|(&before, uvs)| {
                let point = self.nearest_of_uvs(vector(before), uvs, UV_MARGIN)?;
                let place: [f32; 3] = self.surface_point(&point.1).map(|c| c as f32).into();
                place.iter().all(|c| c.is_finite()).then_some(place)
            })
            .collect();
        let rings = Rings::from_mesh(lower);
        leave_other_side(&before, &mut places, &rings, &self.positions);
        let astray = bring_back_astray(&before, &mut places, &rings);
        let lost = places.iter().filter(|place| place.is_none()).count();
        let places = places.into_iter().zip(before).map(|(place, before)| place.unwrap_or(before));
        ByUv { positions: Vectors3::from_vectors(&places.collect::<Vec<_>>()), astray, lost }
    }

    /// The point with some of the texture coordinates that is nearest to `position`, and its distance. Texture
    /// coordinates that are further than `margin` from every triangle do not count.
    fn nearest_of_uvs(
        &self,
        position: Vector3<f64>,
        uvs: &[[f32; 2]],
        margin: f64,
    ) -> Option<(f64, TrianglePoint)> {
        let tree = self.in_uv.as_ref()?;
        let mut best: Option<(f64, TrianglePoint)> = None;
        for uv in uvs {
            let at = Vector3::new(f64::from(uv[0]), f64::from(uv[1]), 0.0);
            let Some(nearest) = tree.closest(at) else { continue };
            let reach = nearest.distance_squared.sqrt();
            if reach > margin {
                continue;
            }
            for point in tree.within(at, reach + SAME_UV) {
                let distance = (self.surface_point(&point) - position).norm();
                if distance.is_finite() && best.is_none_or(|(best, _)| distance < best) {
                    best = Some((distance, point));
                }
            }
        }
        best
    }

    /// The best place for a vertex at `position` with texture coordinates `uvs`, and whether its texture coordinates
    /// had no say.
    fn bind(&self, position: Vector3<f64>, uvs: &[[f32; 2]], edge: f64) -> (Option<TrianglePoint>, bool) {
        let best = self.nearest_of_uvs(position, uvs, f64::INFINITY);
        if let Some((distance, point)) = best
            && distance <= edge
        {
            return (Some(point), false);
        }
        let closest = self.in_space.closest(position);
        match (best, closest) {
            (Some((distance, point)), Some(closest))
                if distance <= closest.distance_squared.sqrt() + edge =>
            {
                (Some(point), false)
            }
            (_, closest) => (closest, true),
        }
    }
}

/// What texture coordinates alone come to.
#[derive(Default)]
struct ByUv {
    positions: Vectors3,
    /// Vertices that their texture coordinates led away from their neighbours, and that went with these.
    astray: usize,
    /// Vertices whose texture coordinates meet nothing.
    lost: usize,
}

/// Takes the places from vertices of a mesh of several parts (two eyes) whose texture coordinates mean the other side.
fn leave_other_side(
    before: &[[f32; 3]],
    places: &mut [Option<[f32; 3]>],
    rings: &Rings,
    source: &[[f32; 3]],
) {
    if rings.parts().len() < 2 {
        return;
    }
    let (middle, width) = span(before);
    let (new_middle, new_width) = span(source);
    for (before, place) in before.iter().zip(places) {
        let Some(found) = *place else { continue };
        let (was, is) = (f64::from(before[0]) - middle, f64::from(found[0]) - new_middle);
        let is_aside = was.abs() > SIDE * width && is.abs() > SIDE * new_width;
        if is_aside && was.signum() != is.signum() {
            *place = None;
        }
    }
}

/// The middle between the leftmost and the rightmost vertex, and how far these are apart.
fn span(positions: &[[f32; 3]]) -> (f64, f64) {
    let xs = positions.iter().map(|p| p[0]).filter(|x| x.is_finite());
    let (low, high) = xs.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
    (0.5 * (f64::from(low) + f64::from(high)), f64::from(high) - f64::from(low))
}

/// A vertex is on one side when it is so far from the middle of its mesh, in widths of the mesh.
const SIDE: f64 = 0.1;

/// Moves vertices that went another way than their neighbours, by more than two of their edges, with these instead: their
/// texture coordinates mean another part. Gives back how many.
fn bring_back_astray(before: &[[f32; 3]], places: &mut [Option<[f32; 3]>], rings: &Rings) -> usize {
    let moves: Vec<Option<Vector3<f64>>> =
        places.iter().zip(before).map(|(place, &before)| Some(vector((*place)?) - vector(before))).collect();
    let mut astray = 0;
    for vertex in 0..places.len() {
        let Some(own) = moves[vertex] else { continue };
        let ring = rings.of(vertex);
        let around: Vec<Vector3<f64>> = ring.iter().filter_map(|&n| moves[n as usize]).collect();
        if around.len() < 3 {
            continue;
        }
        let usual = Vector3::from_fn(|axis, _| {
            let mut all: Vec<f64> = around.iter().map(|step| step[axis]).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        });
        let edges = ring.iter().map(|&n| (vector(before[n as usize]) - vector(before[vertex])).norm());
        let edge = edges.sum::<f64>() / ring.len() as f64;
        if (own - usual).norm() > 2.0 * edge {
            places[vertex] = Some((vector(before[vertex]) + usual).map(|c| c as f32).into());
            astray += 1;
        }
    }
    astray
}

/// Number of vertices between two looks at the cancel flag.
const CHUNK: usize = 512;

impl MeshBinding {
    fn new(
        dna: &Dna,
        mesh: usize,
        source: usize,
        prepared: &Source,
        job: &Job<'_>,
    ) -> Result<Self, CalibError> {
        let lower = &dna.geometry.meshes[mesh];
        let upper = &dna.geometry.meshes[source];
        let is_same_topology = has_same_topology(lower, upper);
        let count = lower.positions.len();
        let mut by_position = 0;
        let vertices = if is_same_topology {
            let own = |vertex: usize| {
                let offset = vector(lower.positions.get(vertex).unwrap_or_default())
                    - vector(prepared.positions[vertex]);
                VertexBinding {
                    source_vertices: [vertex as u32; 3],
                    weights: [1.0, 0.0, 0.0],
                    offset: offset.into(),
                }
            };
            (0..count).map(own).collect()
        } else {
            let uvs = uvs_of_vertices(lower);
            let rings = Rings::from_mesh(lower);
            let starts: Vec<usize> = (0..count).step_by(CHUNK).collect();
            let chunks: Vec<Vec<(VertexBinding, bool)>> = starts
                .par_iter()
                .map(|&start| {
                    job.check()?;
                    let chunk = start..count.min(start + CHUNK);
                    Ok(chunk.map(|vertex| bind_vertex(lower, vertex, &uvs, &rings, prepared)).collect())
                })
                .collect::<Result<_, CalibError>>()?;
            by_position = chunks.iter().flatten().filter(|(_, by_position)| *by_position).count();
            chunks.into_iter().flatten().map(|(vertex, _)| vertex).collect()
        };
        Ok(Self {
            mesh,
            source,
            is_same_topology,
            vertices,
            template: lower.positions.clone(),
            source_template: upper.positions.clone(),
            source_rings: prepared.rings.clone(),
            by_position,
        })
    }

    fn follow(&self, new_source: &Vectors3, job: &Job<'_>) -> Result<Vectors3, CalibError> {
        let old: Vec<[f32; 3]> = self.source_template.to_vectors();
        let new: Vec<[f32; 3]> = new_source.to_vectors();
        let count = self.vertices.len();
        let starts: Vec<usize> = (0..count).step_by(CHUNK).collect();
        let chunks: Vec<Vec<[f32; 3]>> = starts
            .par_iter()
            .map(|&start| {
                job.check()?;
                let chunk = start..count.min(start + CHUNK);
                Ok(chunk.map(|vertex| self.follow_vertex(vertex, &old, &new)).collect())
            })
            .collect::<Result<_, CalibError>>()?;
        Ok(Vectors3::from_vectors(&chunks.concat()))
    }

    fn follow_vertex(&self, vertex: usize, old: &[[f32; 3]], new: &[[f32; 3]]) -> [f32; 3] {
        let binding = &self.vertices[vertex];
        let corners = binding.source_vertices.map(|corner| corner as usize);
        let is_still = |&corner: &usize| old[corner].map(f32::to_bits) == new[corner].map(f32::to_bits);
        let template = self.template.get(vertex).unwrap_or_default();
        if corners.iter().zip(binding.weights).all(|(corner, weight)| weight == 0.0 || is_still(corner)) {
            return template;
        }
        let offset = Vector3::from(binding.offset);
        if self.is_same_topology && binding.offset == [0.0; 3] {
            return new[corners[0]];
        }
        let mut position = Vector3::zeros();
        for (&corner, weight) in corners.iter().zip(binding.weights) {
            position += vector(new[corner]) * weight;
        }
        if binding.offset != [0.0; 3] {
            position += similarity_around(&corners, &self.source_rings, old, new) * offset;
        }
        let stored: [f32; 3] = position.map(|c| c as f32).into();
        if stored.iter().all(|c| c.is_finite()) { stored } else { template }
    }
}

fn bind_vertex(
    lower: &Mesh,
    vertex: usize,
    uvs: &[Vec<[f32; 2]>],
    rings: &Rings,
    source: &Source,
) -> (VertexBinding, bool) {
    let position = vector(lower.positions.get(vertex).unwrap_or_default());
    let ring = rings.of(vertex);
    let edges = ring.iter().filter_map(|&n| lower.positions.get(n as usize));
    let edge = edges.map(|p| (vector(p) - position).norm()).sum::<f64>() / ring.len().max(1) as f64;
    let (point, by_position) = source.bind(position, &uvs[vertex], edge);
    let binding = match point {
        Some(point) => VertexBinding {
            source_vertices: source.triangles[point.triangle as usize],
            weights: point.weights,
            offset: (position - source.surface_point(&point)).into(),
        },
        // A source without a triangle: nothing to follow but a vertex, or nothing at all.
        None => VertexBinding { source_vertices: [0; 3], weights: [0.0; 3], offset: [0.0; 3] },
    };
    (binding, by_position)
}

/// Rotation and uniform scale that best take the old edges around some vertices to the new ones.
fn similarity_around(corners: &[usize], rings: &Rings, old: &[[f32; 3]], new: &[[f32; 3]]) -> Matrix3<f64> {
    let mut edges = EdgeSums::default();
    for &corner in corners {
        edges.add_ring(corner, rings, old, new, 1.0);
    }
    edges.similarity().map_or(Matrix3::identity(), |(rotation, scale)| rotation * scale)
}

fn has_same_topology(a: &Mesh, b: &Mesh) -> bool {
    let corners = |mesh: &Mesh, face: usize| -> Vec<u32> {
        mesh.faces[face].iter().map(|&layout| mesh.layouts.positions[layout as usize]).collect()
    };
    a.positions.len() == b.positions.len()
        && a.faces.len() == b.faces.len()
        && (0..a.faces.len()).all(|face| corners(a, face) == corners(b, face))
}

fn uvs_of_vertices(mesh: &Mesh) -> Vec<Vec<[f32; 2]>> {
    let mut uvs: Vec<Vec<[f32; 2]>> = vec![Vec::new(); mesh.positions.len()];
    let coordinates = &mesh.texture_coordinates;
    for (&position, &uv) in mesh.layouts.positions.iter().zip(&mesh.layouts.texture_coordinates) {
        let uv = [coordinates.us[uv as usize], coordinates.vs[uv as usize]];
        let of_vertex = &mut uvs[position as usize];
        if !of_vertex.contains(&uv) {
            of_vertex.push(uv);
        }
    }
    uvs
}

pub(crate) fn vector(p: [f32; 3]) -> Vector3<f64> {
    Vector3::from(p.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::lod_base_name;

    #[test]
    fn names_of_one_part_have_one_base() {
        assert_eq!(lod_base_name("head_lod0_mesh"), lod_base_name("head_lod12_mesh"));
        assert_ne!(lod_base_name("head_lod0_mesh"), lod_base_name("teeth_lod0_mesh"));
        assert_eq!(lod_base_name("eye_LOD3"), Some("eye_lod#".to_owned()));
        assert_eq!(lod_base_name("eye_mesh"), None);
        assert_eq!(lod_base_name("lödhead_löd1"), None);
    }
}
