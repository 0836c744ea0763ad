//! Writes a [`RigScene`] as a Maya ASCII scene.

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::io::{BufWriter, Write};

use mhrig_report::Job;
use rayon::prelude::*;

use super::write::{VERTICES_PER_STATEMENT, range, write_geometry};
use crate::error::SceneError;
use crate::number::{push_f32, push_f64};
use crate::read::UpAxis;
use crate::rig_scene::{
    BlendShape, Constraint, ConstraintKind, CurveOutput, CustomAttribute, DisplayLayer, DrivenCurve, Joint,
    RigLogicNode, RigMesh, RigScene, Shape, SkinCluster, TransformNode, UtilityNode,
};

/// Corners per `setAttr` of normals.
const NORMALS_PER_STATEMENT: usize = 166;
/// Vertices per `setAttr` of skin weights.
const WEIGHTS_PER_STATEMENT: usize = 500;
/// What Maya writes for a normal that is computed from the faces.
const UNLOCKED: &[u8] = b" 1e+20 1e+20 1e+20";
/// Full weight of a blend shape target, in Maya's numbering of in-between shapes.
const FULL_WEIGHT_ITEM: u32 = 6000;
/// Targets that are turned into text together.
const TARGETS_AT_A_TIME: usize = 64;

/// String attributes that keep the patterns of a RigLogic node, which it was wired by: short and long name.
pub(super) const PATTERN_ATTRIBUTES: [(&str, &str); 6] = [
    ("mhcn", "mhControlNaming"),
    ("mhijn", "mhInputJointNaming"),
    ("mhjn", "mhJointNaming"),
    ("mhbsn", "mhBlendShapeNaming"),
    ("mhamn", "mhAnimatedMapNaming"),
    ("mhcs", "mhCoordinateSystem"),
];

/// Writes `scene` as Maya ASCII. Meshes keep their shape in an intermediate node from which their blend shapes and
/// skin clusters work; blend shapes hold only the vertices that they move. Numbers are the shortest decimals that read
/// back to the same value.
///
/// # Errors
/// [`SceneError::Rig`] for a scene that [`RigScene::check`] complains about, [`SceneError::Write`], and
/// [`SceneError::Cancelled`].
pub fn write_rig_ma(out: impl Write, scene: &RigScene, job: Job<'_>) -> Result<(), SceneError> {
    let findings = scene.check();
    if !findings.is_empty() {
        return Err(SceneError::Rig { findings });
    }
    let mut writer = Writer { out: BufWriter::with_capacity(1 << 18, out), scene, job };
    writer.head()?;
    writer.nodes()?;
    writer.connections()?;
    writeln!(writer.out, "// End of scene")?;
    writer.out.flush()?;
    Ok(())
}

pub(super) struct Writer<'a, W: Write> {
    pub(super) out: W,
    pub(super) scene: &'a RigScene,
    pub(super) job: Job<'a>,
}

/// `text` between quotes, with MEL's escapes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn numbers(values: &[f64]) -> String {
    let mut text = Vec::new();
    for value in values {
        text.push(b' ');
        push_f64(&mut text, *value);
    }
    String::from_utf8(text).unwrap_or_default()
}

/// Name of the visible shape of a transform.
pub(super) fn shape_of(node: &str) -> String {
    format!("{node}Shape")
}

/// Name of the shape that a mesh is deformed from.
pub(super) fn original_of(node: &str) -> String {
    format!("{node}ShapeOrig")
}

/// Name of the shading group of a material.
pub(super) fn shading_group_of(material: &str) -> String {
    format!("{material}SG")
}

/// Short names of the ten attributes that can be locked.
pub(super) const SHORT_NAMES: [(&str, &str); 10] = [
    ("translateX", "tx"),
    ("translateY", "ty"),
    ("translateZ", "tz"),
    ("rotateX", "rx"),
    ("rotateY", "ry"),
    ("rotateZ", "rz"),
    ("scaleX", "sx"),
    ("scaleY", "sy"),
    ("scaleZ", "sz"),
    ("visibility", "v"),
];

impl<W: Write> Writer<'_, W> {
    pub(super) fn create(&mut self, kind: &str, name: &str, parent: Option<&str>) -> std::io::Result<()> {
        match parent {
            Some(parent) => writeln!(self.out, "createNode {kind} -n \"{name}\" -p \"{parent}\";"),
            None => writeln!(self.out, "createNode {kind} -n \"{name}\";"),
        }
    }

    pub(super) fn set(&mut self, attribute: &str, value: impl Display) -> std::io::Result<()> {
        writeln!(self.out, "\tsetAttr \".{attribute}\" {value};")
    }

    fn set_double3(&mut self, attribute: &str, value: [f64; 3], default: f64) -> std::io::Result<()> {
        // bit by bit: -0 is no default
        if value.map(f64::to_bits) == [default.to_bits(); 3] {
            return Ok(());
        }
        writeln!(self.out, "\tsetAttr \".{attribute}\" -type \"double3\"{};", numbers(&value))
    }

    fn set_string(&mut self, attribute: &str, value: &str) -> std::io::Result<()> {
        writeln!(self.out, "\tsetAttr \".{attribute}\" -type \"string\" {};", quoted(value))
    }

    pub(super) fn connect(&mut self, from: impl Display, to: impl Display) -> std::io::Result<()> {
        writeln!(self.out, "connectAttr \"{from}\" \"{to}\";")
    }

    /// A connection to the next free element of an array.
    fn connect_next(&mut self, from: impl Display, to: impl Display) -> std::io::Result<()> {
        writeln!(self.out, "connectAttr \"{from}\" \"{to}\" -na;")
    }

    fn head(&mut self) -> std::io::Result<()> {
        let scene = self.scene;
        let year = scene.maya_version;
        writeln!(self.out, "//Maya ASCII {year} scene")?;
        writeln!(self.out, "//Codeset: UTF-8")?;
        writeln!(self.out, "requires maya \"{year}\";")?;
        for plugin in &scene.plugins {
            write!(self.out, "requires")?;
            for node_type in &plugin.node_types {
                write!(self.out, " -nodeType {}", quoted(node_type))?;
            }
            writeln!(self.out, " {} {};", quoted(&plugin.name), quoted(&plugin.version))?;
        }
        writeln!(self.out, "currentUnit -l centimeter -a degree -t film;")?;
        writeln!(self.out, "fileInfo \"application\" \"MhRigCreator\";")?;
        if scene.up_axis == UpAxis::Z {
            self.create("script", "upAxis_script", None)?;
            self.set_string("b", "upAxis -ax z;")?;
            self.set("st", 1)?;
        }
        Ok(())
    }

    fn nodes(&mut self) -> Result<(), SceneError> {
        let scene = self.scene;
        for node in &scene.transforms {
            self.transform(node)?;
        }
        for joint in &scene.joints {
            self.joint(joint)?;
        }
        for mesh in &scene.meshes {
            self.job.check()?;
            self.mesh(mesh)?;
        }
        for constraint in &scene.constraints {
            self.constraint(constraint)?;
        }
        for material in &scene.materials {
            self.create("lambert", &material.name, None)?;
            writeln!(self.out, "\tsetAttr \".c\" -type \"float3\"{};", numbers(&material.color))?;
            let transparency = [material.transparency; 3];
            writeln!(self.out, "\tsetAttr \".it\" -type \"float3\"{};", numbers(&transparency))?;
            self.create("shadingEngine", &shading_group_of(&material.name), None)?;
            self.set("ihi", 0)?;
            self.set("ro", "yes")?;
            self.create("materialInfo", &format!("{}_info", material.name), None)?;
        }
        self.create("displayLayerManager", "layerManager", None)?;
        for (number, layer) in scene.display_layers.iter().enumerate() {
            self.layer(number, layer)?;
        }
        for shape in &scene.blend_shapes {
            self.job.check()?;
            self.blend_shape(shape)?;
        }
        for skin in &scene.skin_clusters {
            self.job.check()?;
            self.skin_cluster(skin)?;
        }
        for curve in &scene.curves {
            self.curve(curve)?;
        }
        for utility in &scene.utilities {
            self.utility(utility)?;
        }
        for node in &scene.rig_logic {
            self.rig_logic(node)?;
        }
        for set in &scene.sets {
            self.create("objectSet", &set.name, None)?;
            self.set("ihi", 0)?;
        }
        Ok(())
    }

    pub(super) fn transform(&mut self, node: &TransformNode) -> std::io::Result<()> {
        self.create("transform", &node.name, node.parent.as_deref())?;
        for attribute in &node.attributes {
            self.declare(attribute)?;
        }
        let is_top = self.scene.top_group().is_some_and(|top| top.name == node.name);
        let metadata: &[(String, String)] = if is_top { &self.scene.metadata } else { &[] };
        for (key, _) in metadata {
            writeln!(self.out, "\taddAttr -ci true -sn \"{key}\" -ln \"{key}\" -dt \"string\";")?;
        }
        if !node.visible {
            self.set("v", "no")?;
        }
        self.draw_override(node.color, node.is_template)?;
        self.set_double3("t", node.translate, 0.0)?;
        self.set_double3("r", node.rotate, 0.0)?;
        self.set_double3("s", node.scale, 1.0)?;
        if node.limits.iter().any(Option::is_some) {
            let min = node.limits.map(|limit| limit.map_or(-1.0, |limit| limit.min));
            let max = node.limits.map(|limit| limit.map_or(1.0, |limit| limit.max));
            writeln!(self.out, "\tsetAttr \".mntl\" -type \"double3\"{};", numbers(&min))?;
            writeln!(self.out, "\tsetAttr \".mxtl\" -type \"double3\"{};", numbers(&max))?;
            for (limit, axis) in node.limits.iter().zip(["x", "y", "z"]) {
                if limit.is_some() {
                    self.set(&format!("mt{axis}e"), "yes")?;
                    self.set(&format!("xt{axis}e"), "yes")?;
                }
            }
        }
        for attribute in &node.attributes {
            self.custom(attribute)?;
        }
        for (key, value) in metadata {
            self.set_string(key, value)?;
        }
        for locked in &node.locked {
            let short = SHORT_NAMES.iter().find(|(long, _)| long == locked).map_or(&**locked, |(_, s)| s);
            writeln!(self.out, "\tsetAttr -l on -k off \".{short}\";")?;
        }
        self.shape(node)
    }

    fn declare(&mut self, attribute: &CustomAttribute) -> std::io::Result<()> {
        let name = &attribute.name;
        write!(self.out, "\taddAttr -ci true -sn \"{name}\" -ln \"{name}\"")?;
        if let Some(limit) = attribute.limit {
            write!(self.out, " -min{} -max{}", numbers(&[limit.min]), numbers(&[limit.max]))?;
        }
        writeln!(self.out, " -at \"double\";")
    }

    fn custom(&mut self, attribute: &CustomAttribute) -> std::io::Result<()> {
        let state = if attribute.keyable { "-k on " } else { "" };
        writeln!(self.out, "\tsetAttr {state}\".{}\"{};", attribute.name, numbers(&[attribute.value]))
    }

    fn draw_override(&mut self, color: Option<u8>, is_template: bool) -> std::io::Result<()> {
        if color.is_some() || is_template {
            self.set("ove", "yes")?;
        }
        if is_template {
            self.set("ovdt", 1)?;
        }
        if let Some(color) = color {
            self.set("ovc", color)?;
        }
        Ok(())
    }

    fn shape(&mut self, node: &TransformNode) -> std::io::Result<()> {
        let name = shape_of(&node.name);
        match &node.shape {
            Shape::None => {}
            Shape::Locator { size } => {
                self.create("locator", &name, Some(&node.name))?;
                writeln!(self.out, "\tsetAttr -k off \".v\";")?;
                writeln!(self.out, "\tsetAttr \".los\" -type \"double3\"{};", numbers(&[*size; 3]))?;
            }
            Shape::Curve { points } => {
                self.create("nurbsCurve", &name, Some(&node.name))?;
                writeln!(self.out, "\tsetAttr -k off \".v\";")?;
                let count = points.len();
                writeln!(self.out, "\tsetAttr \".cc\" -type \"nurbsCurve\"")?;
                writeln!(self.out, "\t\t1 {} 0 no 3", count.saturating_sub(1))?;
                write!(self.out, "\t\t{count}")?;
                for knot in 0..count {
                    write!(self.out, " {knot}")?;
                }
                write!(self.out, "\n\t\t{count}")?;
                for point in points {
                    write!(self.out, "\n\t\t{}", numbers(point).trim_start())?;
                }
                writeln!(self.out, ";")?;
            }
            Shape::Label { text } => {
                self.create("annotationShape", &name, Some(&node.name))?;
                writeln!(self.out, "\tsetAttr -k off \".v\";")?;
                self.set_string("txt", text)?;
                self.set("daro", "no")?;
            }
        }
        Ok(())
    }

    pub(super) fn joint(&mut self, joint: &Joint) -> std::io::Result<()> {
        self.create("joint", &joint.name, joint.parent.as_deref())?;
        for attribute in &joint.attributes {
            self.declare(attribute)?;
        }
        self.draw_override(joint.color, false)?;
        self.set_double3("t", joint.translate, 0.0)?;
        self.set_double3("jo", joint.orient, 0.0)?;
        self.set("ssc", "no")?;
        writeln!(self.out, "\tsetAttr \".radi\"{};", numbers(&[joint.radius]))?;
        joint.attributes.iter().try_for_each(|attribute| self.custom(attribute))
    }

    fn mesh(&mut self, mesh: &RigMesh) -> Result<(), SceneError> {
        self.create("transform", &mesh.name, Some(&mesh.parent))?;
        self.create("mesh", &shape_of(&mesh.name), Some(&mesh.name))?;
        for (attribute, value) in [("vir", "yes"), ("vif", "yes")] {
            self.set(attribute, value)?;
        }
        self.create("mesh", &original_of(&mesh.name), Some(&mesh.name))?;
        self.set("io", "yes")?;
        write_geometry(&mut self.out, &mesh.mesh)?;
        self.normals(mesh)?;
        Ok(())
    }

    /// All corners of a mesh where some normals are locked.
    fn normals(&mut self, mesh: &RigMesh) -> std::io::Result<()> {
        if mesh.locked_normals.is_empty() {
            return Ok(());
        }
        let corners = mesh.mesh.faces.corners().len();
        writeln!(self.out, "\tsetAttr -s {corners} \".n\";")?;
        let mut locked = mesh.locked_normals.iter().peekable();
        let mut text = Vec::new();
        for first in (0..corners).step_by(NORMALS_PER_STATEMENT) {
            let last = (first + NORMALS_PER_STATEMENT).min(corners);
            text.clear();
            for corner in first..last {
                match locked.next_if(|normal| normal.corner as usize == corner) {
                    Some(normal) => push_all(&mut text, &normal.normal),
                    None => text.extend_from_slice(UNLOCKED),
                }
            }
            write!(self.out, "\tsetAttr \".n{}\" -type \"float3\" ", range(first, last - first))?;
            self.out.write_all(&text)?;
            writeln!(self.out, ";")?;
        }
        Ok(())
    }

    fn layer(&mut self, number: usize, layer: &DisplayLayer) -> std::io::Result<()> {
        self.create("displayLayer", &layer.name, None)?;
        if !layer.visible {
            self.set("v", "no")?;
        }
        self.set("do", number + 1)
    }

    fn blend_shape(&mut self, shape: &BlendShape) -> Result<(), SceneError> {
        self.create("blendShape", &shape.name, None)?;
        writeln!(
            self.out,
            "\taddAttr -ci true -h true -sn \"aal\" -ln \"attributeAliasList\" -dt \"attributeAlias\";"
        )?;
        let count = shape.targets.len();
        if count == 0 {
            return Ok(());
        }
        writeln!(self.out, "\tsetAttr -s {count} \".w\";")?;
        write!(self.out, "\tsetAttr \".w{}\" ", range(0, count))?;
        for _ in 0..count {
            write!(self.out, " 0")?;
        }
        writeln!(self.out, ";")?;
        writeln!(self.out, "\tsetAttr -s {count} \".it[0].itg\";")?;
        for (chunk_number, chunk) in shape.targets.chunks(TARGETS_AT_A_TIME).enumerate() {
            self.job.check()?;
            let first = chunk_number * TARGETS_AT_A_TIME;
            let texts: Vec<Vec<u8>> = chunk
                .par_iter()
                .enumerate()
                .map(|(number, target)| target_text(first + number, &target.vertices, &target.deltas))
                .collect();
            for text in texts {
                self.out.write_all(&text)?;
            }
        }
        write!(self.out, "\tsetAttr \".aal\" -type \"attributeAlias\" {{")?;
        for (number, target) in shape.targets.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            write!(self.out, "{comma}\"{}\",\"weight[{number}]\"", target.name)?;
        }
        writeln!(self.out, "}} ;")?;
        Ok(())
    }

    fn skin_cluster(&mut self, skin: &SkinCluster) -> std::io::Result<()> {
        self.create("skinCluster", &skin.name, None)?;
        let vertices = skin.offsets.len().saturating_sub(1);
        writeln!(self.out, "\tsetAttr -s {vertices} \".wl\";")?;
        let mut text = Vec::new();
        for first in (0..vertices).step_by(WEIGHTS_PER_STATEMENT) {
            let last = (first + WEIGHTS_PER_STATEMENT).min(vertices);
            text.clear();
            for vertex in first..last {
                let weights = skin.weights_of(vertex);
                text.extend_from_slice(b"\n\t\t");
                push_integer(&mut text, weights.len() as u64);
                for (influence, weight) in weights {
                    text.push(b' ');
                    push_integer(&mut text, u64::from(*influence));
                    text.push(b' ');
                    push_f32(&mut text, *weight);
                }
            }
            write!(self.out, "\tsetAttr \".wl{}.w\"", range(first, last - first))?;
            self.out.write_all(&text)?;
            writeln!(self.out, ";")?;
        }
        self.skin_settings(skin)
    }

    /// All of a skin cluster but its weights.
    pub(super) fn skin_settings(&mut self, skin: &SkinCluster) -> std::io::Result<()> {
        writeln!(self.out, "\tsetAttr -s {} \".pm\";", skin.influences.len())?;
        for (number, matrix) in skin.bind_pre.iter().enumerate() {
            writeln!(self.out, "\tsetAttr \".pm[{number}]\" -type \"matrix\"{};", numbers(matrix))?;
        }
        writeln!(self.out, "\tsetAttr -s {} \".ma\";", skin.influences.len())?;
        self.set("mmi", "yes")?;
        self.set("mi", skin.max_influences)?;
        self.set("nw", 1)?;
        self.set("skm", 0)
    }

    pub(super) fn curve(&mut self, curve: &DrivenCurve) -> std::io::Result<()> {
        self.create(curve_type(curve.output), &curve.name, None)?;
        // linear tangents
        self.set("tan", 2)?;
        self.set("wgt", "no")?;
        let keys: Vec<f64> = curve.keys.iter().flatten().copied().collect();
        let count = curve.keys.len();
        if count == 0 {
            return Ok(());
        }
        writeln!(self.out, "\tsetAttr -s {count} \".ktv{}\" {};", range(0, count), numbers(&keys))
    }

    pub(super) fn utility(&mut self, utility: &UtilityNode) -> std::io::Result<()> {
        self.create(utility.kind.node_type(), &utility.name, None)?;
        for (attribute, value) in &utility.values {
            self.set(attribute, numbers(&[*value]).trim_start())?;
        }
        Ok(())
    }

    pub(super) fn constraint(&mut self, constraint: &Constraint) -> std::io::Result<()> {
        self.create(constraint.node_type(), &constraint.name, Some(&constraint.node))?;
        for (number, target) in constraint.targets.iter().enumerate() {
            let name = constraint.weight_attribute(number);
            writeln!(
                self.out,
                "\taddAttr -ci true -k true -sn \"w{number}\" -ln \"{name}\" -dv 1 -min 0 -at \"double\";"
            )?;
            writeln!(self.out, "\tsetAttr -k on \".w{number}\"{};", numbers(&[target.weight]))?;
        }
        match &constraint.kind {
            ConstraintKind::Parent => {
                self.set("int", 0)?;
                for (number, target) in constraint.targets.iter().enumerate() {
                    let offset = numbers(&target.offset_translate);
                    writeln!(self.out, "\tsetAttr \".tg[{number}].tot\" -type \"double3\"{offset};")?;
                    let offset = numbers(&target.offset_rotate);
                    writeln!(self.out, "\tsetAttr \".tg[{number}].tor\" -type \"double3\"{offset};")?;
                }
            }
            ConstraintKind::Aim { aim, up, .. } => {
                writeln!(self.out, "\tsetAttr \".a\" -type \"double3\"{};", numbers(aim))?;
                writeln!(self.out, "\tsetAttr \".u\" -type \"double3\"{};", numbers(up))?;
                // the up object's position is what is up
                self.set("wut", 1)?;
            }
        }
        Ok(())
    }

    pub(super) fn rig_logic(&mut self, node: &RigLogicNode) -> std::io::Result<()> {
        self.create(node.kind.node_type(), &node.name, None)?;
        for (short, long) in PATTERN_ATTRIBUTES {
            writeln!(self.out, "\taddAttr -ci true -sn \"{short}\" -ln \"{long}\" -dt \"string\";")?;
        }
        self.set_string("dnaFilePath", &node.dna_file_path)?;
        self.set("lod", node.lod)?;
        let patterns = [
            &node.naming.control,
            &node.naming.input_joint,
            &node.naming.joint,
            &node.naming.blend_shape,
            &node.naming.animated_map,
            &node.coordinate_system,
        ];
        for ((short, _), value) in PATTERN_ATTRIBUTES.into_iter().zip(patterns) {
            self.set_string(short, value)?;
        }
        Ok(())
    }

    fn connections(&mut self) -> Result<(), SceneError> {
        let scene = self.scene;
        for (number, layer) in scene.display_layers.iter().enumerate() {
            self.connect(
                format_args!("layerManager.dli[{}]", number + 1),
                format_args!("{}.id", layer.name),
            )?;
            for member in &layer.members {
                self.connect(format_args!("{}.di", layer.name), format_args!("{member}.do"))?;
            }
        }
        self.job.check()?;
        self.deformation()?;
        self.shading()?;
        self.constraints_inputs()?;
        for connection in &scene.connections {
            self.connect(&connection.from, &connection.to)?;
        }
        for node in &scene.rig_logic {
            self.wires(node)?;
        }
        for set in &scene.sets {
            for member in &set.members {
                self.connect_next(format_args!("{member}.iog"), format_args!("{}.dsm", set.name))?;
            }
        }
        Ok(())
    }

    /// What a RigLogic node reads and drives.
    pub(super) fn wires(&mut self, node: &RigLogicNode) -> std::io::Result<()> {
        let mut connections = node.input_connections().chain(node.output_connections());
        connections.try_for_each(|connection| self.connect(&connection.from, &connection.to))
    }

    /// Original shape, blend shape, skin cluster, visible shape; joints and skin clusters.
    pub(super) fn deformation(&mut self) -> std::io::Result<()> {
        let scene = self.scene;
        // the first of a mesh counts
        let shapes = scene.blend_shapes.iter().rev().map(|shape| (shape.mesh as usize, &shape.name));
        let shape_of_mesh: HashMap<usize, &String> = shapes.collect();
        let skins = scene.skin_clusters.iter().rev().map(|skin| (skin.mesh as usize, &skin.name));
        let skin_of_mesh: HashMap<usize, &String> = skins.collect();
        for (number, mesh) in scene.meshes.iter().enumerate() {
            let original = original_of(&mesh.name);
            let mut output = format!("{original}.w");
            for deformer in [&shape_of_mesh, &skin_of_mesh].into_iter().filter_map(|of| of.get(&number)) {
                self.connect(&output, format_args!("{deformer}.ip[0].ig"))?;
                self.connect(format_args!("{original}.o"), format_args!("{deformer}.orggeom[0]"))?;
                output = format!("{deformer}.og[0]");
            }
            self.connect(&output, format_args!("{}.i", shape_of(&mesh.name)))?;
        }
        for skin in &scene.skin_clusters {
            for (influence, &joint) in skin.influences.iter().enumerate() {
                let Some(joint) = scene.joints.get(joint as usize) else { continue };
                self.connect(
                    format_args!("{}.wm", joint.name),
                    format_args!("{}.ma[{influence}]", skin.name),
                )?;
            }
        }
        Ok(())
    }

    fn shading(&mut self) -> std::io::Result<()> {
        let scene = self.scene;
        let of_material = meshes_of_materials(scene);
        for (number, material) in scene.materials.iter().enumerate() {
            let group = shading_group_of(&material.name);
            self.connect(format_args!("{}.oc", material.name), format_args!("{group}.ss"))?;
            for mesh in of_material.get(&number).into_iter().flatten() {
                self.connect_next(format_args!("{}.iog", shape_of(&mesh.name)), format_args!("{group}.dsm"))?;
            }
            let info = format!("{}_info", material.name);
            self.connect(format_args!("{group}.msg"), format_args!("{info}.sg"))?;
            self.connect(format_args!("{}.msg", material.name), format_args!("{info}.m"))?;
            let lights = "\":defaultLightSet.message\"";
            writeln!(self.out, "relationship \"link\" \":lightLinker1\" \"{group}.message\" {lights};")?;
            writeln!(
                self.out,
                "relationship \"shadowLink\" \":lightLinker1\" \"{group}.message\" {lights};"
            )?;
            self.connect_next(format_args!("{group}.pa"), ":renderPartition.st")?;
            self.connect_next(format_args!("{}.msg", material.name), ":defaultShaderList1.s")?;
        }
        Ok(())
    }

    /// What all constraints read.
    pub(super) fn constraints_inputs(&mut self) -> std::io::Result<()> {
        let scene = self.scene;
        let joints: HashSet<&str> = scene.joints.iter().map(|joint| joint.name.as_str()).collect();
        scene.constraints.iter().try_for_each(|constraint| self.constraint_inputs(constraint, &joints))
    }

    fn constraint_inputs(&mut self, constraint: &Constraint, joints: &HashSet<&str>) -> std::io::Result<()> {
        let name = &constraint.name;
        let node = &constraint.node;
        for (from, to) in [("pim", "cpim"), ("ro", "cro"), ("rp", "crp"), ("rpt", "crt")] {
            self.connect(format_args!("{node}.{from}"), format_args!("{name}.{to}"))?;
        }
        for (number, target) in constraint.targets.iter().enumerate() {
            let mut inputs = vec![("t", "tt"), ("rp", "trp"), ("rpt", "trt"), ("pm", "tpm")];
            if constraint.kind == ConstraintKind::Parent {
                inputs.extend([("r", "tr"), ("ro", "tro"), ("s", "ts")]);
                if joints.contains(target.node.as_str()) {
                    inputs.extend([("jo", "tjo"), ("ssc", "tsc"), ("is", "tis")]);
                }
            }
            for (from, to) in inputs {
                let to = format_args!("{name}.tg[{number}].{to}");
                self.connect(format_args!("{}.{from}", target.node), to)?;
            }
            self.connect(format_args!("{name}.w{number}"), format_args!("{name}.tg[{number}].tw"))?;
        }
        if let ConstraintKind::Aim { up_object, .. } = &constraint.kind {
            // it aims from where its node is
            self.connect(format_args!("{node}.t"), format_args!("{name}.ct"))?;
            self.connect(format_args!("{up_object}.wm"), format_args!("{name}.wum"))?;
        }
        Ok(())
    }
}

/// The meshes of each material that has any, in their order.
pub(super) fn meshes_of_materials(scene: &RigScene) -> HashMap<usize, Vec<&RigMesh>> {
    let mut meshes: HashMap<usize, Vec<&RigMesh>> = HashMap::new();
    for mesh in &scene.meshes {
        meshes.entry(mesh.material as usize).or_default().push(mesh);
    }
    meshes
}

/// Maya's node type of a driven curve.
pub(super) fn curve_type(output: CurveOutput) -> &'static str {
    match output {
        CurveOutput::Number => "animCurveUU",
        CurveOutput::Length => "animCurveUL",
        CurveOutput::Angle => "animCurveUA",
    }
}

fn push_integer(text: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

fn push_all(text: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        text.push(b' ');
        push_f32(text, *value);
    }
}

/// The statements of one target: its deltas and the vertices that they belong to, runs of them together.
fn target_text(number: usize, vertices: &[u32], deltas: &[[f32; 3]]) -> Vec<u8> {
    let mut text = Vec::with_capacity(64 + deltas.len() * 36);
    let item = format!(".it[0].itg[{number}].iti[{FULL_WEIGHT_ITEM}]");
    text.extend_from_slice(
        format!("\tsetAttr \"{item}.ipt\" -type \"pointArray\" {}", deltas.len()).as_bytes(),
    );
    for (at, delta) in deltas.iter().enumerate() {
        if at % VERTICES_PER_STATEMENT == 0 {
            text.extend_from_slice(b"\n\t\t");
        }
        push_all(&mut text, delta);
        text.extend_from_slice(b" 1");
    }
    text.extend_from_slice(b";\n");
    let runs: Vec<&[u32]> = vertices.chunk_by(|a, b| *a + 1 == *b).collect();
    text.extend_from_slice(
        format!("\tsetAttr \"{item}.ict\" -type \"componentList\" {}", runs.len()).as_bytes(),
    );
    for (at, run) in runs.iter().enumerate() {
        text.extend_from_slice(if at % 16 == 15 { b"\n\t\t\"vtx[" } else { b" \"vtx[" });
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            push_integer(&mut text, u64::from(*first));
            if last > first {
                text.push(b':');
                push_integer(&mut text, u64::from(*last));
            }
        }
        text.extend_from_slice(b"]\"");
    }
    text.extend_from_slice(b";\n");
    text
}
