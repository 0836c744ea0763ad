//! Meshes with their skin clusters and blend shapes, LOD by LOD.

use std::collections::{BTreeMap, HashMap};

use mhrig_geom::{Mesh, Polygons};
use mhrig_report::{Finding, Severity};
use mhrig_scene::{
    BlendShape, CustomAttribute, DisplayLayer, LOD_ATTRIBUTE, LockedNormal, Material, RigMesh, ShapeTarget,
    SkinCluster, TransformNode,
};
use rayon::prelude::*;

use super::input::{RigPart, Turn};
use super::names::{Namespace, PartNames};
use super::seam::{angle_deg, unit};
use super::skeleton::Skeleton;
use crate::looks::Look;

/// What one part adds to a scene.
#[derive(Default)]
pub(super) struct Geometry {
    pub(super) groups: Vec<TransformNode>,
    pub(super) layers: Vec<DisplayLayer>,
    pub(super) materials: Vec<Material>,
    pub(super) meshes: Vec<RigMesh>,
    pub(super) blend_shapes: Vec<BlendShape>,
    pub(super) skin_clusters: Vec<SkinCluster>,
    /// Per part and mesh of its DNA, the number in `meshes`.
    pub(super) numbers: Vec<Vec<Option<usize>>>,
    /// Per part and blend shape channel, the weights that it drives: node, and number of the target.
    pub(super) channels: Vec<BTreeMap<usize, Vec<(usize, usize)>>>,
}

/// What becomes of one mesh.
struct Made {
    mesh: RigMesh,
    blend_shape: Option<(BlendShape, Vec<usize>)>,
    skin: SkinCluster,
}

impl Geometry {
    pub(super) fn of(
        parts: &[RigPart],
        skeleton: &Skeleton,
        turn: Turn,
        namespace: &Namespace,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut geometry = Self::default();
        for (number, part) in parts.iter().enumerate() {
            geometry.add_part(number, part, skeleton, turn, namespace, findings);
        }
        // The layers of the body come first; within a part the coarsest LOD does.
        geometry.layers.reverse();
        geometry
    }

    fn add_part(
        &mut self,
        number: usize,
        part: &RigPart,
        skeleton: &Skeleton,
        turn: Turn,
        namespace: &Namespace,
        findings: &mut Vec<Finding>,
    ) {
        let names = PartNames::of(part.kind);
        let deformer = part.deformer();
        let geometry_group = namespace.of(names.geometry);
        self.groups.push(TransformNode::group(geometry_group.clone(), Some(&namespace.of(names.top))));
        let mut lod_of_mesh: Vec<Option<usize>> = vec![None; deformer.meshes().len()];
        for lod in 0..deformer.lod_count() {
            let mut group = TransformNode::group(namespace.of(names.lod_group(lod)), Some(&geometry_group));
            group.attributes.push(CustomAttribute {
                name: LOD_ATTRIBUTE.to_owned(),
                value: lod as f64,
                limit: None,
                keyable: false,
            });
            self.layers.push(DisplayLayer {
                name: namespace.of(names.layer(lod)),
                members: vec![group.name.clone()],
                visible: lod == 0,
            });
            self.groups.push(group);
            for &mesh in deformer.meshes_of_lod(lod) {
                // A mesh that several LODs share is that of the finest.
                lod_of_mesh[mesh].get_or_insert(lod);
            }
        }
        let without: Vec<&str> = (0..lod_of_mesh.len())
            .filter(|&mesh| lod_of_mesh[mesh].is_none())
            .map(|mesh| deformer.meshes()[mesh].name())
            .collect();
        if !without.is_empty() {
            let message = format!("{} belong to no LOD and are left out", without.join(", "));
            let place = part.file().display().to_string();
            let remedy = "give each mesh an LOD in the DNA";
            findings.push(Finding::new("MESH_WITHOUT_LOD", Severity::Warning, place, message, remedy));
        }
        let materials: Vec<u32> = lod_of_mesh
            .iter()
            .enumerate()
            .map(|(mesh, lod)| if lod.is_some() { self.material(part, mesh, namespace) } else { 0 })
            .collect();
        let make = |mesh: usize| -> Option<Made> {
            let group = namespace.of(names.lod_group(lod_of_mesh[mesh]?));
            Some(make_mesh(part, number, mesh, group, materials[mesh], skeleton, turn, namespace))
        };
        let made: Vec<Option<Made>> = (0..lod_of_mesh.len()).into_par_iter().map(make).collect();
        let mut numbers = vec![None; made.len()];
        let mut channels: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (dna_mesh, made) in made.into_iter().enumerate() {
            let Some(mut made) = made else { continue };
            let scene_mesh = self.meshes.len();
            numbers[dna_mesh] = Some(scene_mesh);
            self.meshes.push(made.mesh);
            made.skin.mesh = scene_mesh as u32;
            self.skin_clusters.push(made.skin);
            if let Some((mut shape, of_targets)) = made.blend_shape {
                shape.mesh = scene_mesh as u32;
                for (target, channel) in of_targets.into_iter().enumerate() {
                    channels.entry(channel).or_default().push((self.blend_shapes.len(), target));
                }
                self.blend_shapes.push(shape);
            }
        }
        self.numbers.push(numbers);
        self.channels.push(channels);
    }

    /// The number of the material of a mesh, made when it is new.
    fn material(&mut self, part: &RigPart, mesh: usize, namespace: &Namespace) -> u32 {
        let mesh_name = part.deformer().meshes()[mesh].name();
        let stem = mesh_name.split("_lod").next().unwrap_or(mesh_name);
        let name = namespace.of(format!("shader_{stem}_shader"));
        if let Some(known) = self.materials.iter().position(|material| material.name == name) {
            return known as u32;
        }
        const EYE_WHITE: [f64; 3] = [0.8, 0.78, 0.76];
        const THIN: f64 = 0.9;
        let (color, transparency) = match Look::of(mesh_name, &[]) {
            Look::Plain { color, .. } => (color.map(|c| f64::from((c * 1000.0).round()) / 1000.0), 0.0),
            Look::Eye { .. } => (EYE_WHITE, 0.0),
            Look::Hidden => (EYE_WHITE, THIN),
        };
        let is_eye = stem.starts_with("eyeLeft") || stem.starts_with("eyeRight");
        let color = if is_eye { EYE_WHITE } else { color };
        self.materials.push(Material { name, color, transparency });
        self.materials.len() as u32 - 1
    }
}

#[allow(clippy::too_many_arguments, reason = "one call, and a struct of them would be built for it alone")]
fn make_mesh(
    part: &RigPart,
    part_number: usize,
    mesh: usize,
    group: String,
    material: u32,
    skeleton: &Skeleton,
    turn: Turn,
    namespace: &Namespace,
) -> Made {
    let source = &part.deformer().meshes()[mesh];
    let name = namespace.of(source.name());
    let positions = source.neutral().iter().map(|&p| turn.apply(p)).collect();
    let faces: Polygons = source.faces().clone();
    let skin = skin_cluster(part, part_number, mesh, &name, skeleton);
    let blend_shape = blend_shape(part, mesh, &name, turn);
    let locked_normals = part.dna.geometry.meshes.get(mesh).map(|own| split_normals(own, &faces, turn));
    Made {
        mesh: RigMesh {
            name,
            parent: group,
            mesh: Mesh { positions, faces, uv: source.uv().cloned() },
            locked_normals: locked_normals.unwrap_or_default(),
            material,
        },
        blend_shape,
        skin,
    }
}

/// Normals of the vertices that are meant to have an edge: those with several normals. All others are what a host makes
/// of the faces, and so they follow every shape.
fn split_normals(mesh: &mhrig_dna::Mesh, faces: &Polygons, turn: Turn) -> Vec<LockedNormal> {
    /// Normals of one vertex that differ by less are one.
    const SAME_DEG: f64 = 1.0;
    let normal_of = |layout: u32| {
        let normal = mesh.normals.get(*mesh.layouts.normals.get(layout as usize)? as usize)?;
        unit(turn.apply(normal).map(f64::from))
    };
    let layouts: Vec<u32> = mesh.faces.iter().flatten().copied().collect();
    let vertex_of = |layout: u32| mesh.layouts.positions.get(layout as usize).copied();
    if !layouts.iter().map(|&layout| vertex_of(layout)).eq(faces.corners().iter().map(|&v| Some(v))) {
        return Vec::new();
    }
    let mut first: Vec<Option<[f64; 3]>> = vec![None; mesh.positions.len()];
    let mut is_split = vec![false; mesh.positions.len()];
    let corners = || faces.corners().iter().map(|&vertex| vertex as usize).zip(&layouts).enumerate();
    for (_, (vertex, &layout)) in corners() {
        match (normal_of(layout), first[vertex]) {
            (Some(normal), Some(first)) => is_split[vertex] |= angle_deg(first, normal) > SAME_DEG,
            (Some(normal), None) => first[vertex] = Some(normal),
            (None, _) => {}
        }
    }
    let locked =
        corners().filter(|&(_, (vertex, _))| is_split[vertex]).filter_map(|(corner, (_, &layout))| {
            let normal = normal_of(layout)?.map(|c| c as f32);
            Some(LockedNormal { corner: corner as u32, normal })
        });
    locked.collect()
}

fn skin_cluster(
    part: &RigPart,
    part_number: usize,
    mesh: usize,
    name: &str,
    skeleton: &Skeleton,
) -> SkinCluster {
    let source = &part.deformer().meshes()[mesh];
    let numbers = &skeleton.numbers[part_number];
    let vertices = source.vertex_count();
    let mut is_used = vec![false; skeleton.joints.len()];
    let mut most = 0;
    for vertex in 0..vertices {
        let own = source.influences(vertex);
        most = most.max(own.len());
        for (joint, _) in own {
            is_used[numbers[usize::from(*joint)]] = true;
        }
    }
    let influences: Vec<u32> = (0..is_used.len()).filter(|&j| is_used[j]).map(|j| j as u32).collect();
    let local: HashMap<usize, u16> =
        influences.iter().enumerate().map(|(at, &joint)| (joint as usize, at as u16)).collect();
    let mut offsets = Vec::with_capacity(vertices + 1);
    let mut weights: Vec<(u16, f32)> = Vec::new();
    offsets.push(0);
    for vertex in 0..vertices {
        let start = weights.len();
        for &(joint, weight) in source.influences(vertex) {
            let Some(&influence) = local.get(&numbers[usize::from(joint)]) else { continue };
            match weights[start..].iter_mut().find(|(other, _)| *other == influence) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((influence, weight)),
            }
        }
        weights[start..].sort_by_key(|(influence, _)| *influence);
        offsets.push(weights.len() as u32);
    }
    let cap = part.dna.geometry.meshes.get(mesh).map_or(0, |mesh| mesh.maximum_influence_per_vertex);
    SkinCluster {
        name: format!("{name}_skinCluster"),
        mesh: 0,
        bind_pre: influences.iter().map(|&joint| skeleton.bind_pre(joint as usize)).collect(),
        influences,
        offsets,
        weights,
        max_influences: cap.max(most as u16).max(1),
    }
}

/// The blend shape node of a mesh, and the channel of each target; `None` for a mesh without targets.
fn blend_shape(part: &RigPart, mesh: usize, name: &str, turn: Turn) -> Option<(BlendShape, Vec<usize>)> {
    let source = &part.deformer().meshes()[mesh];
    let names = &part.dna.definition.blend_shape_channel_names;
    // Targets of one channel are one shape.
    let mut by_channel: BTreeMap<usize, Vec<(u32, [f32; 3])>> = BTreeMap::new();
    for (channel, deltas) in source.targets() {
        by_channel.entry(channel).or_default().extend(deltas);
    }
    if by_channel.is_empty() {
        return None;
    }
    let (mut targets, mut channels) = (Vec::new(), Vec::new());
    for (channel, mut deltas) in by_channel {
        if !deltas.is_sorted_by(|a, b| a.0 < b.0) {
            deltas.sort_by_key(|(vertex, _)| *vertex);
            deltas.dedup_by(|later, first| {
                let is_same = later.0 == first.0;
                if is_same {
                    first.1 = std::array::from_fn(|axis| first.1[axis] + later.1[axis]);
                }
                is_same
            });
        }
        targets.push(ShapeTarget {
            name: names.get(channel).map(ToString::to_string).unwrap_or_default(),
            vertices: deltas.iter().map(|(vertex, _)| *vertex).collect(),
            deltas: deltas.iter().map(|(_, delta)| turn.apply(*delta)).collect(),
        });
        channels.push(channel);
    }
    Some((BlendShape { name: format!("{name}_blendShapes"), mesh: 0, targets }, channels))
}
