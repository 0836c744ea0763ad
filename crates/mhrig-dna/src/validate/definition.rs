use std::collections::BTreeMap;

use super::{Check, DnaSeverity, Fact, Scope};
use crate::{LodMapping, MAX_LOD_COUNT, Text, Vectors3};

impl Check<'_> {
    pub(super) fn descriptor(&mut self) {
        if self.scope == Scope::Indices {
            return;
        }
        let descriptor = &self.dna.descriptor;
        self.enumeration("desc.archetype", descriptor.archetype, 5);
        self.enumeration("desc.gender", descriptor.gender, 2);
        self.enumeration("desc.translationUnit", descriptor.translation_unit, 1);
        self.enumeration("desc.rotationUnit", descriptor.rotation_unit, 1);
        let axes = &descriptor.coordinate_system;
        let directions = [axes.x_axis, axes.y_axis, axes.z_axis];
        // Left and right are 0 and 1, up and down 2 and 3, front and back 4 and 5: halves are the lines.
        let mut lines = directions.map(|direction| direction / 2);
        lines.sort_unstable();
        if lines != [0, 1, 2] {
            let remedy = "give each axis a direction of its own, such as left, up, front";
            self.error("AXES", "desc.coordinateSystem", "the axes do not span space", remedy)
                .values("one of left/right, one of up/down, one of front/back", format!("{directions:?}"));
        }
        if descriptor.lod_count > MAX_LOD_COUNT {
            let remedy = "use no more LODs than the format has room for";
            self.error("LOD_COUNT", "desc.lodCount", "too many LODs", remedy)
                .values(format!("at most {MAX_LOD_COUNT}"), descriptor.lod_count);
        } else if descriptor.lod_count == 0 && !self.dna.definition.joint_names.is_empty() {
            self.error(
                "LOD_COUNT",
                "desc.lodCount",
                "no LOD, so nothing is ever used",
                "set the number of LODs",
            )
            .values("at least 1", 0);
        }
        let keys: Vec<&Text> = descriptor.metadata.iter().map(|(key, _)| key).collect();
        self.unique("desc.metadata", keys.into_iter(), "metadata key", DnaSeverity::Warning);
    }

    pub(super) fn descriptor_ext(&mut self) {
        let ext = &self.dna.descriptor_ext;
        if !(0..=5).contains(&ext.rotation_sequence) {
            let remedy = "use one of the known values";
            self.warning("ENUM_VALUE", "dsce.rotationSequence", "value without a known meaning", remedy)
                .values("0 to 5", ext.rotation_sequence);
        }
        let sign = &ext.rotation_sign;
        for (axis, value) in [("x", sign.x), ("y", sign.y), ("z", sign.z)] {
            if value != 1 && value != -1 {
                let path = format!("dsce.rotationSign.{axis}");
                self.error("ROTATION_SIGN", path, "not a sign", "use 1 or -1").values("1 or -1", value);
            }
        }
        self.enumeration("dsce.faceWindingOrder", u16::from(ext.face_winding_order), 1);
    }

    pub(super) fn definition(&mut self) {
        let definition = &self.dna.definition;
        let joints = definition.joint_names.len();
        let channels = definition.blend_shape_channel_names.len();
        let meshes = definition.mesh_names.len();
        self.lods("defn.lodJointMapping", &definition.lod_joint_mapping, joints, "joint");
        self.lods(
            "defn.lodBlendShapeMapping",
            &definition.lod_blend_shape_mapping,
            channels,
            "blend shape channel",
        );
        let maps = definition.animated_map_names.len();
        self.lods("defn.lodAnimatedMapMapping", &definition.lod_animated_map_mapping, maps, "animated map");
        self.lods("defn.lodMeshMapping", &definition.lod_mesh_mapping, meshes, "mesh");

        // Programs look joints up by name; the rest is mostly looked up by number.
        self.names(
            "defn.guiControlNames",
            &definition.gui_control_names,
            "GUI control",
            DnaSeverity::Warning,
        );
        self.names(
            "defn.rawControlNames",
            &definition.raw_control_names,
            "raw control",
            DnaSeverity::Warning,
        );
        self.names("defn.jointNames", &definition.joint_names, "joint", DnaSeverity::Error);
        let names = &definition.blend_shape_channel_names;
        self.names("defn.blendShapeChannelNames", names, "blend shape channel", DnaSeverity::Warning);
        self.names(
            "defn.animatedMapNames",
            &definition.animated_map_names,
            "animated map",
            DnaSeverity::Warning,
        );
        self.names("defn.meshNames", &definition.mesh_names, "mesh", DnaSeverity::Error);

        let pairs = &definition.mesh_blend_shape_channel_mapping;
        let path = "defn.meshBlendShapeChannelMapping";
        self.equal_lengths(path, &[("from", pairs.from.len()), ("to", pairs.to.len())]);
        self.indices(&format!("{path}.from"), &pairs.from, meshes, "mesh");
        self.indices(&format!("{path}.to"), &pairs.to, channels, "blend shape channel");

        self.hierarchy();
        for (path, vectors) in [
            ("defn.neutralJointTranslations", &definition.neutral_joint_translations),
            ("defn.neutralJointRotations", &definition.neutral_joint_rotations),
        ] {
            let Vectors3 { xs, ys, zs } = vectors;
            self.equal_lengths(
                path,
                &[("xs", xs.len()), ("ys", ys.len()), ("zs", zs.len()), ("joints", joints)],
            );
            self.finite_vectors(path, vectors);
        }
    }

    fn hierarchy(&mut self) {
        let definition = &self.dna.definition;
        let hierarchy = &definition.joint_hierarchy;
        let joints = definition.joint_names.len();
        let path = "defn.jointHierarchy";
        self.equal_lengths(path, &[("parents", hierarchy.len()), ("joints", joints)]);
        self.indices(path, hierarchy, hierarchy.len(), "joint");
        if hierarchy.is_empty() || self.scope == Scope::Indices {
            return;
        }
        let roots: Vec<usize> =
            (0..hierarchy.len()).filter(|&joint| usize::from(hierarchy[joint]) == joint).collect();
        if roots.len() != 1 {
            let names: Vec<String> = roots.iter().take(4).map(|&root| self.joint_name(root)).collect();
            let found = if roots.is_empty() {
                "none".to_owned()
            } else {
                format!("{} ({})", roots.len(), names.join(", "))
            };
            let remedy = "hang all joints under one that names itself as its parent";
            self.error("ROOT_COUNT", path, "a skeleton has one root", remedy).values("1 root", found);
        }
        // 0 not seen, otherwise the number of the walk that saw the joint.
        let mut seen = vec![0usize; hierarchy.len()];
        let mut in_cycle = Vec::new();
        for start in 0..hierarchy.len() {
            let mut joint = start;
            while seen[joint] == 0 {
                seen[joint] = start + 1;
                match hierarchy.get(joint).map(|&parent| usize::from(parent)) {
                    Some(parent) if parent != joint && parent < seen.len() => joint = parent,
                    _ => break,
                }
            }
            let is_root = hierarchy.get(joint).is_some_and(|&parent| usize::from(parent) == joint);
            let has_parent = hierarchy.get(joint).is_some_and(|&parent| usize::from(parent) < seen.len());
            // Back at a joint of the same walk without having met a root.
            if seen[joint] == start + 1 && !is_root && has_parent && (joint != start || hierarchy.len() > 1) {
                in_cycle.push(joint);
            }
        }
        if let Some(&joint) = in_cycle.first() {
            let message = format!("joint {} is its own ancestor", self.joint_name(joint));
            self.error("HIERARCHY_CYCLE", format!("{path}[{joint}]"), message, "correct the parents")
                .count(in_cycle.len());
        }
    }

    /// Name of a joint for messages.
    pub(super) fn joint_name(&self, joint: usize) -> String {
        match self.dna.definition.joint_names.get(joint) {
            Some(name) => format!("`{name}`"),
            None => format!("{joint}"),
        }
    }

    /// Checks a LOD mapping of `count` items.
    pub(super) fn lods(&mut self, path: &str, mapping: &LodMapping, count: usize, what: &str) {
        let rows = mapping.indices.len();
        self.indices(&format!("{path}.lods"), &mapping.lods, rows, "row");
        for (number, row) in mapping.indices.iter().enumerate() {
            self.indices(&format!("{path}.indices[{number}]"), row, count, what);
        }
        if self.scope == Scope::Indices {
            return;
        }
        let (lods, lod_count) = (mapping.lods.len(), self.lod_count);
        if lods > self.lod_count {
            let remedy = "remove the rows of LODs that do not exist";
            self.warning("LOD_LIST", format!("{path}.lods"), "more LODs than the descriptor has", remedy)
                .values(lod_count, lods);
        } else if lods < self.lod_count && count > 0 {
            let message = format!("the last LODs have no list of members, so no {what} at all");
            self.warning("LOD_LIST", format!("{path}.lods"), message, "name a row for each LOD")
                .values(lod_count, lods);
        }
        for (number, row) in mapping.indices.iter().enumerate() {
            let mut sorted = row.clone();
            sorted.sort_unstable();
            let repeated = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
            if repeated > 0 {
                let message = format!("a {what} is listed twice");
                self.warning("LOD_REPEATED", format!("{path}.indices[{number}]"), message, "list it once")
                    .count(repeated);
            }
        }
        let mut is_named = vec![false; rows];
        for &row in &mapping.lods {
            if let Some(named) = is_named.get_mut(usize::from(row)) {
                *named = true;
            }
        }
        if let Some(row) = is_named.iter().position(|&named| !named) {
            let remedy = "remove the row, or name it in lods";
            self.info("LOD_ROW_UNUSED", format!("{path}.indices[{row}]"), "row of no LOD", remedy);
        }
        let mut used = vec![false; count];
        for &member in mapping.indices.iter().flatten() {
            if let Some(used) = used.get_mut(usize::from(member)) {
                *used = true;
            }
        }
        let in_no_lod = used.iter().filter(|&&used| !used).count();
        if in_no_lod > 0 && count > 0 {
            let message = format!("{what}s that are in no LOD, so never used");
            self.info("IN_NO_LOD", path, message, "add them to a LOD, or remove them")
                .found(format!("{in_no_lod} of {count}"));
        }
    }

    fn names(&mut self, path: &str, names: &[Text], what: &str, severity: DnaSeverity) {
        if self.scope == Scope::Indices {
            return;
        }
        self.unique(path, names.iter(), what, severity);
        let mut empty = names.iter().enumerate().filter(|(_, name)| name.0.is_empty());
        if let Some((at, _)) = empty.next() {
            let count = 1 + empty.count();
            let message = format!("a {what} without a name");
            self.warning("NAME_EMPTY", format!("{path}[{at}]"), message, "give it a name").count(count);
        }
        let is_odd = |name: &Text| {
            name.0.iter().any(|&byte| byte < 0x20 || byte == 0x7f) || std::str::from_utf8(&name.0).is_err()
        };
        let mut odd = names.iter().enumerate().filter(|(_, name)| is_odd(name));
        if let Some((at, name)) = odd.next() {
            let found = format!("`{}`", name.0.escape_ascii());
            let count = 1 + odd.count();
            let message = "name with bytes that are no text; the reference library cuts names at a zero byte";
            self.warning("NAME_BYTES", format!("{path}[{at}]"), message, "rename it")
                .found(found)
                .count(count);
        }
    }

    fn unique<'t>(
        &mut self,
        path: &str,
        names: impl Iterator<Item = &'t Text>,
        what: &str,
        severity: DnaSeverity,
    ) {
        let mut first: BTreeMap<&Text, usize> = BTreeMap::new();
        let mut repeated = Vec::new();
        for (at, name) in names.enumerate() {
            match first.get(name) {
                // Lack of a name is another finding.
                Some(&earlier) if !name.0.is_empty() => repeated.push((at, earlier, name)),
                Some(_) => {}
                None => {
                    first.insert(name, at);
                }
            }
        }
        let Some(&(at, earlier, name)) = repeated.first() else { return };
        let message = format!("{what} `{name}` is the name of number {earlier} too");
        let (path, remedy) = (format!("{path}[{at}]"), "rename one of them");
        self.add(Fact { code: "NAME_REPEATED", severity, path, message, remedy }).count(repeated.len());
    }

    pub(super) fn finite_vectors(&mut self, path: &str, vectors: &Vectors3) {
        self.finite(&format!("{path}.xs"), &vectors.xs);
        self.finite(&format!("{path}.ys"), &vectors.ys);
        self.finite(&format!("{path}.zs"), &vectors.zs);
    }
}
