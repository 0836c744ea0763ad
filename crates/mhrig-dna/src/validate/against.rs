//! Comparison with the template that a file was made from.

use super::{DnaFinding, DnaSeverity};
use crate::counts::JOINT_VALUES;
use crate::{Dna, LayerKind, Text};

/// How to compare with a template.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgainstOptions {
    /// Least share of a layer's strength (root of the sum of squares of its deltas) that has to be left; below, the
    /// layer counts as collapsed.
    pub least_strength: f64,
}

impl Default for AgainstOptions {
    /// Half.
    fn default() -> Self {
        Self { least_strength: 0.5 }
    }
}

/// How much of one kind of delta a file has kept of its template.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Retained {
    /// Deltas of the template that are not zero.
    pub template: usize,
    /// Deltas of the file that are not zero.
    pub found: usize,
    /// Strength of the file's deltas over that of the template's; 1 when the template has none. Pruning of tiny
    /// deltas leaves it near 1.
    pub strength: f64,
}

impl Retained {
    /// `found / template`, 1 when the template has none.
    pub fn share(&self) -> f64 {
        if self.template == 0 { 1.0 } else { self.found as f64 / self.template as f64 }
    }
}

/// What [`Dna::validate_against`] measured.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Retention {
    /// Deltas of blend shape targets.
    pub blend_shape_deltas: Retained,
    /// Values of joint groups.
    pub joint_values: Retained,
}

/// Count and sum of squares of what is not zero.
#[derive(Clone, Copy, Default)]
struct Amount {
    count: usize,
    squares: f64,
}

impl Amount {
    fn add(&mut self, squared: f64) {
        self.count += usize::from(squared != 0.0);
        self.squares += squared;
    }
}

impl Dna {
    /// Compares with the template that this file was made from: same counts, names, hierarchy, neutral rotations and
    /// topology, and enough of the expressions left.
    pub fn validate_against(&self, template: &Dna, options: &AgainstOptions) -> (Vec<DnaFinding>, Retention) {
        let mut findings = Vec::new();
        let mut add = |code, severity, path: String, message: String, expected: String, found: String| {
            let unreal = match code {
                "VERTEX_COUNT" => Some("MismatchNumVertices"),
                "LOD_COUNT_CHANGED" => Some("MissingLOD"),
                _ => None,
            };
            findings.push(DnaFinding {
                code,
                severity,
                path,
                message,
                expected: Some(expected),
                found: Some(found),
                count: 1,
                remedy: "build the file from the template again",
                unreal,
            });
        };
        let error = DnaSeverity::Error;

        let counts = template.counts();
        for (ours, theirs) in self.counts().iter().zip(&counts) {
            // Pruning takes rows of zeros out of the joint groups; what is left of their values is measured below.
            if ours.count != theirs.count && ours.what != JOINT_VALUES {
                let message = format!("the number of {} is not that of the template", ours.what);
                let code = if ours.what == "LODs" { "LOD_COUNT_CHANGED" } else { "COUNT_CHANGED" };
                add(
                    code,
                    error,
                    ours.path.to_owned(),
                    message,
                    theirs.count.to_string(),
                    ours.count.to_string(),
                );
            }
        }
        for ((path, ours), (_, theirs)) in self.name_lists().iter().zip(template.name_lists()) {
            if ours.len() != theirs.len() {
                continue;
            }
            let mut changed = ours.iter().zip(theirs).enumerate().filter(|(_, (our, their))| our != their);
            if let Some((at, (our, their))) = changed.next() {
                let message = format!("{} names are not those of the template", 1 + changed.count());
                add(
                    "NAME_CHANGED",
                    error,
                    format!("{path}[{at}]"),
                    message,
                    their.to_string(),
                    our.to_string(),
                );
            }
        }
        let (ours, theirs) = (&self.definition, &template.definition);
        let mut parents = ours.joint_hierarchy.iter().zip(&theirs.joint_hierarchy).enumerate();
        if let Some((at, (our, their))) = parents.find(|(_, (our, their))| our != their) {
            let path = format!("defn.jointHierarchy[{at}]");
            add(
                "PARENT_CHANGED",
                error,
                path,
                "a joint has another parent".to_owned(),
                their.to_string(),
                our.to_string(),
            );
        }
        let rotations = ours.neutral_joint_rotations.iter().zip(theirs.neutral_joint_rotations.iter());
        let bits = |rotation: [f32; 3]| rotation.map(f32::to_bits);
        let mut turned = rotations.enumerate().filter(|(_, (our, their))| bits(*our) != bits(*their));
        if let Some((at, (our, their))) = turned.next() {
            let message =
                format!("{} neutral rotations differ; expressions are relative to them", 1 + turned.count());
            let path = format!("defn.neutralJointRotations[{at}]");
            add("ROTATION_CHANGED", error, path, message, format!("{their:?}"), format!("{our:?}"));
        }
        for (number, (our, their)) in self.geometry.meshes.iter().zip(&template.geometry.meshes).enumerate() {
            let path = format!("geom.meshes[{number}]");
            if our.positions.len() != their.positions.len() {
                let message = "the mesh has another number of vertices".to_owned();
                let (found, expected) = (our.positions.len().to_string(), their.positions.len().to_string());
                add("VERTEX_COUNT", error, format!("{path}.positions"), message, expected, found);
                continue;
            }
            let face = |mesh: &crate::Mesh, face: usize| -> Option<Vec<u32>> {
                let corners = mesh.faces.get(face)?;
                corners.iter().map(|&corner| mesh.layouts.positions.get(corner as usize).copied()).collect()
            };
            let faces = our.faces.len().max(their.faces.len());
            if let Some(at) = (0..faces).find(|&at| face(our, at) != face(their, at)) {
                let message = "the faces are not those of the template".to_owned();
                let show = |face: Option<Vec<u32>>| {
                    face.map_or_else(|| "no face".to_owned(), |face| format!("{face:?}"))
                };
                let (found, expected) = (show(face(our, at)), show(face(their, at)));
                add("FACE_CHANGED", error, format!("{path}.faces[{at}]"), message, expected, found);
            }
            if our.texture_coordinates != their.texture_coordinates {
                let message = "the texture coordinates are not those of the template".to_owned();
                let path = format!("{path}.textureCoordinates");
                add(
                    "UV_CHANGED",
                    DnaSeverity::Warning,
                    path,
                    message,
                    "the same".to_owned(),
                    "others".to_owned(),
                );
            }
        }

        let retained = |ours: Amount, theirs: Amount| Retained {
            template: theirs.count,
            found: ours.count,
            strength: if theirs.squares == 0.0 { 1.0 } else { (ours.squares / theirs.squares).sqrt() },
        };
        let retention = Retention {
            blend_shape_deltas: retained(self.target_amount(), template.target_amount()),
            joint_values: retained(self.joint_amount(), template.joint_amount()),
        };
        for (path, what, retained) in [
            ("geom", "blend shape deltas", retention.blend_shape_deltas),
            ("bhvr.joints", "joint deltas", retention.joint_values),
        ] {
            // Not a number counts as collapsed.
            if retained.strength.is_nan() || retained.strength < options.least_strength {
                let message = format!("the {what} have collapsed");
                let expected =
                    format!("at least {:.0} % of the template's strength", options.least_strength * 100.0);
                let found = format!(
                    "{:.0} % ({} of {} deltas)",
                    retained.strength * 100.0,
                    retained.found,
                    retained.template
                );
                add("LAYER_COLLAPSED", error, path.to_owned(), message, expected, found);
            }
        }
        for kind in LayerKind::ALL {
            if self.is_layer_empty(kind) && !template.is_layer_empty(kind) {
                let message = format!("layer {} is empty", kind.name());
                let expected = template.layer_summary(kind);
                add("LAYER_LOST", error, kind.name().to_owned(), message, expected, "nothing".to_owned());
            }
        }
        (findings, retention)
    }

    fn target_amount(&self) -> Amount {
        let mut amount = Amount::default();
        for target in self.geometry.meshes.iter().flat_map(|mesh| &mesh.blend_shape_targets) {
            for delta in target.deltas.iter() {
                amount.add(delta.iter().map(|&c| f64::from(c) * f64::from(c)).sum());
            }
        }
        amount
    }

    fn joint_amount(&self) -> Amount {
        let mut amount = Amount::default();
        for value in self.behavior.joints.joint_groups.iter().flat_map(|group| &group.values) {
            amount.add(f64::from(*value) * f64::from(*value));
        }
        amount
    }

    /// All lists of names, with their paths.
    pub(crate) fn name_lists(&self) -> [(&'static str, &[Text]); 8] {
        let definition = &self.definition;
        [
            ("defn.guiControlNames", &definition.gui_control_names),
            ("defn.rawControlNames", &definition.raw_control_names),
            ("defn.jointNames", &definition.joint_names),
            ("defn.blendShapeChannelNames", &definition.blend_shape_channel_names),
            ("defn.animatedMapNames", &definition.animated_map_names),
            ("defn.meshNames", &definition.mesh_names),
            ("mlbh.mlControlNames", &self.machine_learned_behavior.ml_control_names),
            ("rbfe.poseControlNames", &self.rbf_behavior_ext.pose_control_names),
        ]
    }
}
