//! Demands of the programs that files are made for.

use std::collections::BTreeMap;

use super::{Check, Target};
use crate::{LayerKind, Text, direction, rotation_unit, translation_unit};

impl Check<'_> {
    /// Whether this is a head: a mesh is named as heads name it.
    pub(super) fn is_head(&self) -> bool {
        self.dna.definition.mesh_names.iter().any(|name| name.0.starts_with(b"head_lod"))
    }

    fn is_body(&self) -> bool {
        self.dna.definition.mesh_names.iter().any(|name| name.0.starts_with(b"body_lod"))
    }

    pub(super) fn target(&mut self) {
        match self.options.target {
            Target::Any => {}
            Target::Unreal => self.unreal(),
            Target::Maya => self.maya(),
            Target::Library => self.library(),
        }
    }

    /// Unreal's word for a finding.
    pub(super) fn unreal_word(&self, code: &'static str, path: &str) -> Option<&'static str> {
        let fixed = match code {
            "HEAD_MISSING" => Some("NoHeadMeshPresent"),
            "EYES_MISSING" => Some("NoEyeMeshesPresent"),
            "TEETH_MISSING" => Some("NoTeethMeshPresent"),
            "LOD_MISSING" => Some("MissingLOD"),
            "LOD_MESHES" => Some("MissingMeshInfo"),
            "COMBINED" => Some("CombinedBodyCannotBeImportedAsWholeRig"),
            "VERTEX_COUNT" => Some("MismatchNumVertices"),
            _ => None,
        };
        if fixed.is_some() {
            return fixed;
        }
        if let Some(rest) = path.strip_prefix("geom.meshes[") {
            let number = rest.split(']').next().and_then(|number| number.parse::<usize>().ok());
            let name = number.and_then(|number| self.dna.definition.mesh_names.get(number));
            return Some(match name {
                Some(name) if name.0.starts_with(b"head_lod") => "InvalidHeadMesh",
                Some(name) if name.0.starts_with(b"eyeLeft_lod") => "InvalidLeftEyeMesh",
                Some(name) if name.0.starts_with(b"eyeRight_lod") => "InvalidRightEyeMesh",
                Some(name) if name.0.starts_with(b"teeth_lod") => "InvalidTeethMesh",
                _ => "InvalidInputData",
            });
        }
        let is_of_joints = path.starts_with("defn.joint") || path.starts_with("defn.neutral");
        Some(if is_of_joints { "InvalidInputBones" } else { "InvalidInputData" })
    }

    fn unreal(&mut self) {
        let dna = self.dna;
        let descriptor = &dna.descriptor;
        if descriptor.translation_unit != translation_unit::CM {
            let remedy = "convert translations and positions to centimetres";
            self.error("UNITS", "desc.translationUnit", "Unreal works in centimetres", remedy)
                .values("0 (cm)", descriptor.translation_unit);
        }
        if descriptor.rotation_unit != rotation_unit::DEGREES {
            self.warning(
                "UNITS",
                "desc.rotationUnit",
                "MetaHuman files use degrees",
                "convert rotations to degrees",
            )
            .values("0 (degrees)", descriptor.rotation_unit);
        }
        let axes = &descriptor.coordinate_system;
        let found = [axes.x_axis, axes.y_axis, axes.z_axis];
        if found != [direction::LEFT, direction::UP, direction::FRONT] {
            let message = "axes that MetaHuman files do not have";
            self.warning("AXES_UNUSUAL", "desc.coordinateSystem", message, "use x left, y up, z front")
                .values("[0, 2, 4]", format!("{found:?}"));
        }
        let lod_count = self.lod_count;
        let lods = match (self.is_head(), self.is_body()) {
            (true, true) => {
                let message = "head and body in one file cannot be imported as a whole rig";
                self.error("COMBINED", "defn.meshNames", message, "give head and body as two files");
                None
            }
            (true, false) => Some(8),
            (false, true) => Some(4),
            (false, false) => None,
        };
        if let Some(lods) = lods.filter(|&lods| self.lod_count < lods) {
            let message = "fewer LODs than Unreal's assets have";
            self.warning("LOD_MISSING", "desc.lodCount", message, "add the lower LODs")
                .values(lods, lod_count);
        }
        for lod in 0..self.lod_count {
            if dna.definition.lod_mesh_mapping.members(lod).is_empty()
                && !dna.definition.mesh_names.is_empty()
            {
                let message = format!("LOD {lod} has no mesh");
                self.warning("LOD_MESHES", "defn.lodMeshMapping", message, "add a mesh to the LOD");
            }
        }
        let has = |prefix: &[u8]| dna.definition.mesh_names.iter().any(|name| name.0.starts_with(prefix));
        if self.is_head() {
            if !has(b"eyeLeft_lod0") || !has(b"eyeRight_lod0") {
                self.warning(
                    "EYES_MISSING",
                    "defn.meshNames",
                    "a head without both eyes",
                    "add the eye meshes",
                );
            }
            if !has(b"teeth_lod0") {
                self.warning("TEETH_MISSING", "defn.meshNames", "a head without teeth", "add the teeth mesh");
            }
        } else if !self.is_body() && !dna.definition.mesh_names.is_empty() {
            let message = "no mesh is named as a head or a body";
            self.warning(
                "HEAD_MISSING",
                "defn.meshNames",
                message,
                "name the meshes head_lod0_mesh and so on",
            );
        }
        if !dna.geometry.meshes.is_empty() && dna.is_layer_empty(LayerKind::Behavior) {
            self.warning(
                "BEHAVIOR_EMPTY",
                "bhvr",
                "a rig without behavior does not move",
                "add the behavior layer",
            );
        }
    }

    fn maya(&mut self) {
        let dna = self.dna;
        let definition = &dna.definition;
        let is_word = |name: &[u8]| {
            let first = name.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_');
            first && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let is_node_name = |name: &Text| is_word(&name.0);
        // An animated map is called `<map>.<mask>` and becomes the attribute `<map>_<mask>`.
        let is_map_name = |name: &Text| {
            let parts: Vec<&[u8]> = name.0.split(|&byte| byte == b'.').collect();
            parts.len() <= 2 && parts.into_iter().all(is_word)
        };
        for (path, names) in [
            ("defn.jointNames", &definition.joint_names),
            ("defn.meshNames", &definition.mesh_names),
            ("defn.blendShapeChannelNames", &definition.blend_shape_channel_names),
            ("defn.animatedMapNames", &definition.animated_map_names),
        ] {
            let is_map = path == "defn.animatedMapNames";
            let is_fine = |name: &Text| if is_map { is_map_name(name) } else { is_node_name(name) };
            let mut wrong = names.iter().enumerate().filter(|(_, name)| !is_fine(name));
            if let Some((at, name)) = wrong.next() {
                let count = 1 + wrong.count();
                let message = "Maya would change this name";
                self.error("NAME_MAYA", format!("{path}[{at}]"), message, "use letters, digits and _ alone")
                    .found(format!("`{name}`"))
                    .count(count);
            }
        }
        let mut nodes: BTreeMap<&Text, &str> =
            definition.joint_names.iter().map(|name| (name, "joint")).collect();
        for (at, name) in definition.mesh_names.iter().enumerate() {
            if let Some(other) = nodes.insert(name, "mesh").filter(|&other| other == "joint") {
                let message = format!("a mesh has the name of a {other}");
                self.error("NAME_CLASH", format!("defn.meshNames[{at}]"), message, "rename one of them")
                    .found(format!("`{name}`"));
            }
        }
        if dna.descriptor.rotation_unit != rotation_unit::DEGREES {
            let message = "rotations are in radians; a rig in degrees is what Maya's rig node expects";
            self.warning("UNITS", "desc.rotationUnit", message, "convert rotations to degrees")
                .values("0 (degrees)", dna.descriptor.rotation_unit);
        }
        if dna.geometry.meshes.is_empty() {
            let message = "no geometry: a rig of joints alone can be assembled";
            self.info("GEOMETRY_EMPTY", "geom", message, "use a DNA with geometry for a character");
        }
    }

    fn library(&mut self) {
        let lod_count = self.lod_count;
        const MOST: usize = 65535;
        let dna = self.dna;
        let definition = &dna.definition;
        let lists = [
            ("defn.guiControlNames", definition.gui_control_names.len()),
            ("defn.rawControlNames", definition.raw_control_names.len()),
            ("defn.jointNames", definition.joint_names.len()),
            ("defn.blendShapeChannelNames", definition.blend_shape_channel_names.len()),
            ("defn.animatedMapNames", definition.animated_map_names.len()),
            ("defn.meshNames", definition.mesh_names.len()),
            ("bhvr.joints.jointGroups", dna.behavior.joints.joint_groups.len()),
            ("rbfb.solvers", dna.rbf_behavior.solvers.len()),
            ("rbfb.poses", dna.rbf_behavior.poses.len()),
        ];
        for (path, length) in lists {
            if length > MOST {
                self.error("LIST_LENGTH", path, "the library counts lists in 16 bits", "split the rig")
                    .values(format!("at most {MOST}"), length);
            }
        }
        // 9 outputs per joint have to fit into 16 bits.
        const MOST_JOINTS: usize = 7281;
        if definition.joint_names.len() > MOST_JOINTS {
            let message = "joint attributes are numbered in 16 bits";
            self.error("LIST_LENGTH", "defn.jointNames", message, "split the rig")
                .values(format!("at most {MOST_JOINTS}"), definition.joint_names.len());
        }
        for (number, group) in dna.behavior.joints.joint_groups.iter().enumerate() {
            if !group.lods.is_empty() && group.lods.len() != self.lod_count {
                let path = format!("bhvr.joints.jointGroups[{number}].lods");
                let message = "RigLogic 13 refuses a group without one row count per LOD";
                self.error("GROUP_LODS", path, message, "store one number per LOD")
                    .values(lod_count, group.lods.len());
            }
        }
        let message = match dna.version.version {
            1 => "read by all releases of the library",
            2..=5 => "read by DNA libraries from RigLogic 10 (Unreal 5.6) on, not by DNACalib 1",
            _ => "read by DNA libraries from RigLogic 13 on",
        };
        self.info("VERSION_SUPPORT", "version", message, "lower the version for older programs")
            .found(dna.version);
    }
}
