use super::{Check, Scope, Target};
use crate::Mesh;

/// Most influences of a vertex that Unreal allows on a head, by LOD.
pub(super) const fn influence_cap(lod: usize) -> usize {
    match lod {
        0..=2 => 12,
        3..=5 => 8,
        _ => 4,
    }
}

impl Check<'_> {
    pub(super) fn geometry(&mut self) {
        let dna = self.dna;
        let meshes = &dna.geometry.meshes;
        let names = &dna.definition.mesh_names;
        if meshes.len() != names.len() && !meshes.is_empty() {
            self.error("MESH_COUNT", "geom.meshes", "not one mesh per mesh name", "store one mesh per name")
                .values(names.len(), meshes.len());
        }
        let in_lod = self.joints_by_lod();
        let lods = self.lods_of_meshes();
        let pairs = &dna.definition.mesh_blend_shape_channel_mapping;
        let mut pairs: Vec<(u16, u16)> = pairs.from.iter().copied().zip(pairs.to.iter().copied()).collect();
        pairs.sort_unstable();
        for (number, mesh) in meshes.iter().enumerate() {
            let path = format!("geom.meshes[{number}]");
            self.mesh_indices(&path, mesh);
            if self.scope == Scope::Indices {
                continue;
            }
            self.mesh_arrays(&path, mesh);
            self.faces(&path, mesh);
            let lod = lods.get(number).copied().flatten();
            self.skin(&path, mesh, lod.and_then(|lod| in_lod.get(lod)), lod);
            let first = pairs.partition_point(|&(from, _)| usize::from(from) < number);
            let mapped = pairs.iter().skip(first).take_while(|&&(from, _)| usize::from(from) == number);
            let mapped: Vec<u16> = mapped.map(|&(_, channel)| channel).collect();
            self.targets_of_mesh(&path, &mapped, mesh, lod);
        }
        if self.scope == Scope::All {
            self.channels_and_targets();
        }
    }

    /// The most detailed LOD of each mesh.
    fn lods_of_meshes(&self) -> Vec<Option<usize>> {
        let mut lods = vec![None; self.dna.geometry.meshes.len()];
        for lod in (0..self.lod_count).rev() {
            for &mesh in self.dna.definition.lod_mesh_mapping.members(lod) {
                if let Some(entry) = lods.get_mut(usize::from(mesh)) {
                    *entry = Some(lod);
                }
            }
        }
        lods
    }

    fn mesh_indices(&mut self, path: &str, mesh: &Mesh) {
        let joints = self.dna.definition.joint_names.len();
        let channels = self.dna.definition.blend_shape_channel_names.len();
        let layouts = &mesh.layouts;
        let positions = mesh.positions.len();
        self.indices(&format!("{path}.layouts.positions"), &layouts.positions, positions, "position");
        let coordinates = mesh.texture_coordinates.us.len().min(mesh.texture_coordinates.vs.len());
        let path_of_layouts = format!("{path}.layouts.textureCoordinates");
        self.indices(&path_of_layouts, &layouts.texture_coordinates, coordinates, "texture coordinate");
        self.indices(&format!("{path}.layouts.normals"), &layouts.normals, mesh.normals.len(), "normal");
        let count = layouts.positions.len();
        let mut bad_faces = mesh
            .faces
            .iter()
            .enumerate()
            .filter(|(_, face)| face.iter().any(|&corner| corner as usize >= count));
        if let Some((face, corners)) = bad_faces.next() {
            self.indices(&format!("{path}.faces[{face}].layoutIndices"), corners, count, "layout");
            self.count_last(1 + bad_faces.count());
        }
        let mut bad = mesh
            .skin_weights
            .iter()
            .enumerate()
            .filter(|(_, skin)| skin.joint_indices.iter().any(|&joint| usize::from(joint) >= joints));
        if let Some((vertex, skin)) = bad.next() {
            self.indices(
                &format!("{path}.skinWeights[{vertex}].jointIndices"),
                &skin.joint_indices,
                joints,
                "joint",
            );
            self.count_last(1 + bad.count());
        }
        for (number, target) in mesh.blend_shape_targets.iter().enumerate() {
            let path = format!("{path}.blendShapeTargets[{number}]");
            self.indices(&format!("{path}.vertexIndices"), &target.vertex_indices, positions, "vertex");
            if usize::from(target.blend_shape_channel_index) >= channels {
                let message = "number of a blend shape channel that does not exist";
                let remedy = "correct the number or add what it names";
                self.error(super::INDEX_RANGE, format!("{path}.blendShapeChannelIndex"), message, remedy)
                    .values(format!("below {channels}"), target.blend_shape_channel_index);
            }
        }
    }

    fn count_last(&mut self, count: usize) {
        if let Some(finding) = self.findings.last_mut() {
            finding.count = count;
        }
    }

    fn mesh_arrays(&mut self, path: &str, mesh: &Mesh) {
        for (name, vectors) in [("positions", &mesh.positions), ("normals", &mesh.normals)] {
            let path = format!("{path}.{name}");
            let lengths = [("xs", vectors.xs.len()), ("ys", vectors.ys.len()), ("zs", vectors.zs.len())];
            self.equal_lengths(&path, &lengths);
            self.finite_vectors(&path, vectors);
        }
        let coordinates = &mesh.texture_coordinates;
        let path_of_uvs = format!("{path}.textureCoordinates");
        self.equal_lengths(&path_of_uvs, &[("us", coordinates.us.len()), ("vs", coordinates.vs.len())]);
        self.finite(&format!("{path_of_uvs}.us"), &coordinates.us);
        self.finite(&format!("{path_of_uvs}.vs"), &coordinates.vs);
        let layouts = &mesh.layouts;
        let lengths = [
            ("positions", layouts.positions.len()),
            ("textureCoordinates", layouts.texture_coordinates.len()),
            ("normals", layouts.normals.len()),
        ];
        self.equal_lengths(&format!("{path}.layouts"), &lengths);
        if mesh.positions.is_empty() {
            self.warning(
                "MESH_EMPTY",
                path,
                "a mesh without vertices",
                "store its geometry, or remove the mesh",
            );
        }
    }

    fn faces(&mut self, path: &str, mesh: &Mesh) {
        let mut few = (None, 0);
        let mut repeated = (None, 0);
        let mut flat = (None, 0);
        let note = |entry: &mut (Option<usize>, usize), face: usize| {
            entry.0.get_or_insert(face);
            entry.1 += 1;
        };
        let uv = |corner: u32| {
            let at = *mesh.layouts.texture_coordinates.get(corner as usize)? as usize;
            let (&u, &v) = (mesh.texture_coordinates.us.get(at)?, mesh.texture_coordinates.vs.get(at)?);
            Some([f64::from(u), f64::from(v)])
        };
        let mut corners: Vec<u32> = Vec::new();
        for (number, face) in mesh.faces.iter().enumerate() {
            if face.len() < 3 {
                note(&mut few, number);
                continue;
            }
            corners.clear();
            corners.extend(
                face.iter().filter_map(|&corner| mesh.layouts.positions.get(corner as usize)).copied(),
            );
            corners.sort_unstable();
            if corners.windows(2).any(|pair| pair[0] == pair[1]) {
                note(&mut repeated, number);
            }
            let uvs: Option<Vec<[f64; 2]>> = face.iter().map(|&corner| uv(corner)).collect();
            if uvs.is_some_and(|uvs| area(&uvs) == 0.0) {
                note(&mut flat, number);
            }
        }
        let faces = |face: usize| format!("{path}.faces[{face}]");
        if let (Some(face), count) = few {
            self.error("FACE_CORNERS", faces(face), "a face of less than three corners", "remove the face")
                .count(count);
        }
        if let (Some(face), count) = repeated {
            self.warning(
                "FACE_REPEATED",
                faces(face),
                "a face that uses a vertex twice",
                "clean the mesh up",
            )
            .count(count);
        }
        if let (Some(face), count) = flat {
            let message = "a face without area in texture space; tangents cannot be computed there";
            self.warning("UV_AREA", faces(face), message, "give the face an area in the UV layout")
                .count(count);
        }
    }

    fn skin(&mut self, path: &str, mesh: &Mesh, in_lod: Option<&Vec<bool>>, lod: Option<usize>) {
        let vertices = mesh.positions.len();
        let records = mesh.skin_weights.len();
        let path_of_skin = format!("{path}.skinWeights");
        if records != vertices && records > 0 {
            self.error(
                "SKIN_COUNT",
                path_of_skin.clone(),
                "not one record per vertex",
                "store one record per vertex",
            )
            .values(vertices, records);
        } else if records == 0 && vertices > 0 {
            let remedy = "store skin weights";
            self.warning(
                "SKIN_MISSING",
                path_of_skin.clone(),
                "a mesh without skin weights does not move",
                remedy,
            );
        }
        let tolerance = f64::from(self.options.weight_tolerance);
        let maximum = usize::from(mesh.maximum_influence_per_vertex);
        let cap = lod.filter(|_| self.is_head()).map(influence_cap);
        let mut sum = Worst::default();
        let mut negative = Worst::default();
        let mut not_finite = Worst::default();
        let mut lengths = Worst::default();
        let mut repeated = Worst::default();
        let mut many = Worst::default();
        let mut capped = Worst::default();
        let mut foreign = Worst::default();
        let mut sorted = Vec::new();
        for (vertex, skin) in mesh.skin_weights.iter().enumerate() {
            let count = skin.joint_indices.len();
            if skin.weights.len() != count {
                lengths.note(vertex, 1.0, || format!("{} weights, {count} joints", skin.weights.len()));
            }
            if skin.weights.iter().any(|weight| !weight.is_finite()) {
                not_finite.note(vertex, 1.0, || format!("{:?}", skin.weights));
                continue;
            }
            let total: f64 = skin.weights.iter().map(|&weight| f64::from(weight)).sum();
            if (total - 1.0).abs() > tolerance {
                sum.note(vertex, (total - 1.0).abs(), || format!("{total:.6}"));
            }
            let least = skin.weights.iter().copied().fold(0.0, f32::min);
            if least < 0.0 {
                negative.note(vertex, f64::from(-least), || least.to_string());
            }
            sorted.clear();
            sorted.extend_from_slice(&skin.joint_indices);
            sorted.sort_unstable();
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                repeated.note(vertex, 1.0, || format!("{:?}", skin.joint_indices));
            }
            if count > maximum {
                many.note(vertex, count as f64, || count.to_string());
            }
            if cap.is_some_and(|cap| count > cap) {
                capped.note(vertex, count as f64, || count.to_string());
            }
            let is_foreign = |&&joint: &&u16| {
                in_lod.is_some_and(|members| members.get(usize::from(joint)) == Some(&false))
            };
            if let Some(&joint) = skin.joint_indices.iter().find(is_foreign) {
                foreign.note(vertex, 1.0, || format!("joint {}", self.joint_name(usize::from(joint))));
            }
        }
        let at = |vertex: usize| format!("{path_of_skin}[{vertex}]");
        if let Some((vertex, found, count)) = lengths.take() {
            self.error(
                "LENGTH_MISMATCH",
                at(vertex),
                "not one weight per joint",
                "store one weight per joint",
            )
            .found(found)
            .count(count);
        }
        if let Some((vertex, found, count)) = not_finite.take() {
            self.error(
                "NOT_FINITE",
                at(vertex),
                "a weight is not a finite number",
                "paint the weights again",
            )
            .found(found)
            .count(count);
        }
        if let Some((vertex, found, count)) = sum.take() {
            self.error("WEIGHT_SUM", at(vertex), "the weights do not add up to 1", "normalize the weights")
                .values(1, found)
                .count(count);
        }
        if let Some((vertex, found, count)) = negative.take() {
            self.error("WEIGHT_NEGATIVE", at(vertex), "a weight is negative", "paint the weights again")
                .values("0 to 1", found)
                .count(count);
        }
        if let Some((vertex, found, count)) = repeated.take() {
            self.warning("WEIGHT_REPEATED", at(vertex), "a joint has two weights", "add them up")
                .found(found)
                .count(count);
        }
        if let Some((vertex, found, count)) = many.take() {
            let message = "more influences than the mesh says it has at most";
            self.warning(
                "INFLUENCE_MAXIMUM",
                at(vertex),
                message,
                "raise maximumInfluencePerVertex, or prune weights",
            )
            .values(format!("at most {maximum}"), found)
            .count(count);
        }
        if let (Some((vertex, found, count)), Some(cap)) = (capped.take(), cap) {
            let message = format!("more influences than a head has in LOD {}", lod.unwrap_or(0));
            self.warning("INFLUENCE_CAP", at(vertex), message, "prune the smallest weights and normalize")
                .values(format!("at most {cap}"), found)
                .count(count);
        }
        if let Some((vertex, found, count)) = foreign.take() {
            let message = format!("weights to a joint that is not in LOD {}", lod.unwrap_or(0));
            self.warning(
                "WEIGHT_LOD",
                at(vertex),
                message,
                "move the weight to a joint of the LOD, or add the joint to it",
            )
            .found(found)
            .count(count);
        }
    }

    /// `mapped`: channels that the definition says the mesh has targets of, sorted.
    fn targets_of_mesh(&mut self, path: &str, mapped: &[u16], mesh: &Mesh, lod: Option<usize>) {
        let mut unmapped = (None, 0);
        let mut empty = (None, 0);
        let mut seen = Vec::new();
        for (at, target) in mesh.blend_shape_targets.iter().enumerate() {
            let path = format!("{path}.blendShapeTargets[{at}]");
            let deltas = &target.deltas;
            let lengths = [
                ("xs", deltas.xs.len()),
                ("ys", deltas.ys.len()),
                ("zs", deltas.zs.len()),
                ("vertexIndices", target.vertex_indices.len()),
            ];
            self.equal_lengths(&path, &lengths);
            self.finite_vectors(&format!("{path}.deltas"), deltas);
            let mut vertices = target.vertex_indices.clone();
            vertices.sort_unstable();
            let repeated = vertices.windows(2).filter(|pair| pair[0] == pair[1]).count();
            if repeated > 0 {
                let path = format!("{path}.vertexIndices");
                self.warning("TARGET_REPEATED", path, "a vertex has two deltas", "add them up")
                    .count(repeated);
            }
            if mapped.binary_search(&target.blend_shape_channel_index).is_err() {
                unmapped.0.get_or_insert(at);
                unmapped.1 += 1;
            }
            if target.vertex_indices.is_empty() {
                empty.0.get_or_insert(at);
                empty.1 += 1;
            }
            seen.push(target.blend_shape_channel_index);
        }
        if let (Some(at), count) = unmapped {
            let message = "a target that is missing in defn.meshBlendShapeChannelMapping";
            self.warning(
                "TARGET_UNMAPPED",
                format!("{path}.blendShapeTargets[{at}]"),
                message,
                "add the pair",
            )
            .count(count);
        }
        if let (Some(at), count) = empty {
            let remedy = "remove the target, or lower the pruning threshold";
            self.info(
                "TARGET_EMPTY",
                format!("{path}.blendShapeTargets[{at}]"),
                "a target that moves nothing",
                remedy,
            )
            .count(count);
        }
        seen.sort_unstable();
        let repeated = seen.windows(2).filter(|pair| pair[0] == pair[1]).count();
        if repeated > 0 {
            let message = "two targets of one channel";
            self.warning("TARGET_REPEATED", format!("{path}.blendShapeTargets"), message, "add them up")
                .count(repeated);
        }
        let absent = mapped.iter().filter(|channel| seen.binary_search(channel).is_err());
        let count = absent.clone().count();
        if let Some(&channel) = absent.clone().next() {
            let message = format!(
                "channel {} is mapped to the mesh, but has no target there",
                self.channel_name(channel)
            );
            self.warning(
                "TARGET_MISSING",
                format!("{path}.blendShapeTargets"),
                message,
                "add the target, or remove the pair",
            )
            .count(count);
        }
        if let (Some(lod @ 1..), Target::Unreal, false) =
            (lod, self.options.target, mesh.blend_shape_targets.is_empty())
        {
            let message = format!("Unreal ignores blend shapes of LOD {lod}");
            self.warning(
                "TARGET_LOD",
                format!("{path}.blendShapeTargets"),
                message,
                "keep them in LOD 0 alone",
            );
        }
    }

    pub(super) fn channel_name(&self, channel: u16) -> String {
        match self.dna.definition.blend_shape_channel_names.get(usize::from(channel)) {
            Some(name) => format!("`{name}`"),
            None => channel.to_string(),
        }
    }

    /// Channels without targets; files without any geometry do not have them anyway.
    fn channels_and_targets(&mut self) {
        if self.dna.geometry.meshes.is_empty() {
            return;
        }
        let mut has_target = vec![false; self.dna.definition.blend_shape_channel_names.len()];
        for target in self.dna.geometry.meshes.iter().flat_map(|mesh| &mesh.blend_shape_targets) {
            if let Some(flag) = has_target.get_mut(usize::from(target.blend_shape_channel_index)) {
                *flag = true;
            }
        }
        let without = has_target.iter().filter(|&&flag| !flag).count();
        if let Some(channel) = has_target.iter().position(|&flag| !flag) {
            let path = format!("defn.blendShapeChannelNames[{channel}]");
            let message = "a blend shape channel without targets";
            let name = self.channel_name(channel as u16);
            self.warning("CHANNEL_EMPTY", path, message, "add targets, or remove the channel")
                .found(name)
                .count(without);
        }
    }
}

/// Twice the area of a polygon.
fn area(corners: &[[f64; 2]]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>().abs()
}

/// The worst of several findings of one kind.
#[derive(Default)]
struct Worst {
    vertex: usize,
    amount: f64,
    found: String,
    count: usize,
}

impl Worst {
    fn note(&mut self, vertex: usize, amount: f64, found: impl FnOnce() -> String) {
        self.count += 1;
        if self.count == 1 || amount > self.amount {
            (self.vertex, self.amount, self.found) = (vertex, amount, found());
        }
    }

    fn take(self) -> Option<(usize, String, usize)> {
        (self.count > 0).then_some((self.vertex, self.found, self.count))
    }
}
