//! A [`RigScene`] as statements of MEL, for a host that builds it in its open scene.
//!
//! They make what [`write_rig_ma`](super::write_rig_ma) writes, but for bulk data, which a host has better ways for:
//! geometry, deltas of blend shapes, skin weights. Nodes are named in full in every statement, nothing is selected, and what a scene has
//! once (layers, shading) is made by the host's own commands.

use std::io::Write;

use mhrig_report::{Cancel, Job, Silent};

use super::rig_write::{Writer, meshes_of_materials, numbers, quoted, shading_group_of, shape_of};
use crate::error::SceneError;
use crate::rig_scene::{
    BlendShape, Connection, DrivenCurve, RigLogicKind, RigLogicNode, RigScene, TransformNode, UtilityNode,
};

/// A step of building a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RigStage {
    /// Groups, controls, holders of attributes.
    Groups,
    /// Joints.
    Skeleton,
    /// Transforms and empty shapes of meshes. Afterwards the host gives every mesh `m` its geometry, as the
    /// intermediate shape `mShapeOrig`.
    Meshes,
    /// Blend shapes with a weight for each target. Afterwards the host gives the targets their deltas.
    BlendShapes,
    /// Curves, small arithmetic, constraints, RigLogic nodes, and skin clusters without weights.
    Network,
    /// All connections. Afterwards the host sets the skin weights.
    Connections,
    /// Layers, materials, sets.
    Looks,
}

/// The statements of one stage, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RigStatements {
    /// Which stage.
    pub stage: RigStage,
    /// One statement each, with its semicolon.
    pub statements: Vec<String>,
}

/// Writes the statements of one stage.
type Statements<'a> = dyn FnMut(&mut Writer<'_, Vec<u8>>) -> Result<(), SceneError> + 'a;

/// The statements that build `scene`. `epic_flags` are the flags that the command of Epic's plug-in knows beyond those
/// that it always had (`-ijn`, `-cs`).
///
/// That command connects its node by patterns, which is not all that the description has, and more than that: after
/// [`RigStage::Connections`] the host has to compare with [`RigLogicNode::input_connections`] and
/// [`RigLogicNode::output_connections`].
///
/// # Errors
/// As [`write_rig_ma`](super::write_rig_ma).
pub fn rig_statements(
    scene: &RigScene,
    epic_flags: &[String],
    job: Job<'_>,
) -> Result<Vec<RigStatements>, SceneError> {
    let findings = scene.check();
    if !findings.is_empty() {
        return Err(SceneError::Rig { findings });
    }
    let mut stages = Vec::new();
    let mut stage = |stage, write: &mut Statements<'_>| {
        job.check()?;
        let mut writer = Writer { out: Vec::new(), scene, job };
        write(&mut writer)?;
        stages.push(RigStatements { stage, statements: split(&writer.out) });
        Ok::<(), SceneError>(())
    };
    stage(RigStage::Groups, &mut |writer| {
        scene.transforms.iter().try_for_each(|node| Ok(writer.transform(node)?))
    })?;
    stage(RigStage::Skeleton, &mut |writer| {
        scene.joints.iter().try_for_each(|joint| Ok(writer.joint(joint)?))
    })?;
    stage(RigStage::Meshes, &mut |writer| {
        for mesh in &scene.meshes {
            writer.create("transform", &mesh.name, Some(&mesh.parent))?;
            writer.create("mesh", &shape_of(&mesh.name), Some(&mesh.name))?;
            writer.set("vir", "yes")?;
            writer.set("vif", "yes")?;
        }
        Ok(())
    })?;
    stage(RigStage::BlendShapes, &mut |writer| {
        scene.blend_shapes.iter().try_for_each(|shape| blend_shape(writer, shape))
    })?;
    stage(RigStage::Network, &mut |writer| network(writer))?;
    stage(RigStage::Connections, &mut |writer| connections(writer, epic_flags))?;
    stage(RigStage::Looks, &mut |writer| looks(writer))?;
    Ok(stages)
}

/// The statements that make one transform, the same as those of [`rig_statements`]: for a node that comes later than
/// the others, or not at all.
///
/// # Errors
/// [`SceneError::Write`].
pub fn transform_statements(node: &TransformNode) -> Result<Vec<String>, SceneError> {
    alone(&mut |writer| Ok(writer.transform(node)?))
}

/// The statements that make curves, small arithmetic, and connections, for what is added to a rig in the scene.
///
/// # Errors
/// [`SceneError::Write`].
pub fn network_statements(
    curves: &[DrivenCurve],
    utilities: &[UtilityNode],
    connections: &[Connection],
) -> Result<Vec<String>, SceneError> {
    alone(&mut |writer| {
        curves.iter().try_for_each(|curve| writer.curve(curve))?;
        utilities.iter().try_for_each(|utility| writer.utility(utility))?;
        connections.iter().try_for_each(|connection| writer.connect(&connection.from, &connection.to))?;
        Ok(())
    })
}

/// Statements of what needs no scene around it.
fn alone(write: &mut Statements<'_>) -> Result<Vec<String>, SceneError> {
    let job = Job { progress: &Silent, cancel: &Cancel::default() };
    let mut writer = Writer { out: Vec::new(), scene: &RigScene::default(), job };
    write(&mut writer)?;
    Ok(split(&writer.out))
}

fn blend_shape(writer: &mut Writer<'_, Vec<u8>>, shape: &BlendShape) -> Result<(), SceneError> {
    writer.create("blendShape", &shape.name, None)?;
    for (number, target) in shape.targets.iter().enumerate() {
        writer.set(&format!("w[{number}]"), 0)?;
        writeln!(writer.out, "aliasAttr \"{}\" \"{}.w[{number}]\";", target.name, shape.name)?;
        writer.job.check()?;
    }
    Ok(())
}

fn network(writer: &mut Writer<'_, Vec<u8>>) -> Result<(), SceneError> {
    let scene = writer.scene;
    for skin in &scene.skin_clusters {
        writer.create("skinCluster", &skin.name, None)?;
        writer.skin_settings(skin)?;
    }
    for curve in &scene.curves {
        writer.curve(curve)?;
    }
    for utility in &scene.utilities {
        writer.utility(utility)?;
    }
    for constraint in &scene.constraints {
        writer.constraint(constraint)?;
    }
    for node in scene.rig_logic.iter().filter(|node| node.kind == RigLogicKind::MhRigLogic) {
        writer.rig_logic(node)?;
    }
    Ok(())
}

fn connections(writer: &mut Writer<'_, Vec<u8>>, epic_flags: &[String]) -> Result<(), SceneError> {
    let scene = writer.scene;
    writer.deformation()?;
    writer.constraints_inputs()?;
    for connection in &scene.connections {
        writer.connect(&connection.from, &connection.to)?;
    }
    for node in &scene.rig_logic {
        match node.kind {
            RigLogicKind::MhRigLogic => writer.wires(node)?,
            RigLogicKind::EmbeddedNodeRl4 => epic_node(writer, node, epic_flags)?,
        }
    }
    Ok(())
}

/// Epic's command makes the node and connects it by patterns. They do not say which joints others lead, and releases
/// without `-ijn` read no joints: whoever runs the statements has to compare the connections with those of the
/// [`RigLogicNode`], and mend them.
fn epic_node(
    writer: &mut Writer<'_, Vec<u8>>,
    node: &RigLogicNode,
    known: &[String],
) -> Result<(), SceneError> {
    write!(writer.out, "createEmbeddedNodeRL4")?;
    let naming = &node.naming;
    for (flag, value) in [
        ("-n", &node.name),
        ("-dfp", &node.dna_file_path),
        ("-cn", &naming.control),
        ("-jn", &naming.joint),
        ("-bsn", &naming.blend_shape),
        ("-amn", &naming.animated_map),
        ("-ijn", &naming.input_joint),
        ("-cs", &node.coordinate_system),
    ] {
        let is_new = flag == "-ijn" || flag == "-cs";
        if !is_new || known.iter().any(|known| known == flag) {
            write!(writer.out, " {flag} {}", quoted(value))?;
        }
    }
    writeln!(writer.out, ";")?;
    Ok(())
}

fn looks(writer: &mut Writer<'_, Vec<u8>>) -> Result<(), SceneError> {
    let scene = writer.scene;
    for layer in &scene.display_layers {
        let name = quoted(&layer.name);
        writeln!(writer.out, "createDisplayLayer -empty -name {name};")?;
        if !layer.visible {
            writeln!(writer.out, "setAttr \"{}.visibility\" 0;", layer.name)?;
        }
        write!(writer.out, "editDisplayLayerMembers -noRecurse {name}")?;
        members(writer, layer.members.iter().map(String::as_str))?;
    }
    let of_material = meshes_of_materials(scene);
    for (number, material) in scene.materials.iter().enumerate() {
        let (name, group) = (&material.name, shading_group_of(&material.name));
        writeln!(writer.out, "shadingNode -asShader -skipSelect lambert -name \"{name}\";")?;
        writeln!(writer.out, "setAttr \"{name}.color\" -type \"float3\"{};", numbers(&material.color))?;
        let transparency = numbers(&[material.transparency; 3]);
        writeln!(writer.out, "setAttr \"{name}.transparency\" -type \"float3\"{transparency};")?;
        writeln!(writer.out, "sets -renderable true -noSurfaceShader true -empty -name \"{group}\";")?;
        writer.connect(format_args!("{name}.outColor"), format_args!("{group}.surfaceShader"))?;
        let meshes = of_material.get(&number).into_iter().flatten();
        let shapes: Vec<String> = meshes.map(|mesh| shape_of(&mesh.name)).collect();
        if !shapes.is_empty() {
            write!(writer.out, "sets -edit -forceElement \"{group}\"")?;
            members(writer, shapes.iter().map(String::as_str))?;
        }
    }
    for set in &scene.sets {
        write!(writer.out, "sets -name \"{}\"", set.name)?;
        if set.members.is_empty() {
            write!(writer.out, " -empty")?;
        }
        members(writer, set.members.iter().map(String::as_str))?;
    }
    Ok(())
}

fn members<'a>(
    writer: &mut Writer<'_, Vec<u8>>,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), SceneError> {
    for name in names {
        write!(writer.out, " \"{name}\"")?;
    }
    writeln!(writer.out, ";")?;
    Ok(())
}

/// Statements of a text in which each ends a line, every attribute with the node that the file leaves to be the last
/// one made.
fn split(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let mut statements = Vec::new();
    let mut node = "";
    let mut open = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("createNode ") {
            node = rest.split('"').nth(1).unwrap_or_default();
            open = format!("createNode -ss {rest}");
        } else {
            open.push_str(line);
        }
        if !open.ends_with(';') {
            open.push(' ');
            continue;
        }
        let statement = open.trim_start();
        statements.push(if statement.starts_with("setAttr") {
            statement.replacen("\".", &format!("\"{node}."), 1)
        } else if let Some(declaration) =
            statement.strip_prefix("addAttr").and_then(|rest| rest.strip_suffix(';'))
        {
            format!("addAttr{declaration} \"{node}\";")
        } else {
            statement.to_owned()
        });
        open.clear();
    }
    statements
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig_scene::{CurveOutput, CustomAttribute, Plug};

    #[test]
    fn statements_name_their_node_and_select_nothing() {
        let text = b"createNode joint -n \"a:j\" -p \"a:g\";\n\taddAttr -ln \"x\" -at \"double\";\n\tsetAttr -k on \".x\" 1;\n\tsetAttr \".t\" -type \"double3\"\n\t\t1 2\n\t\t3;\nconnectAttr \"a:j.x\" \"b.y\";\n";
        assert_eq!(
            split(text),
            [
                "createNode -ss joint -n \"a:j\" -p \"a:g\";",
                "addAttr -ln \"x\" -at \"double\" \"a:j\";",
                "setAttr -k on \"a:j.x\" 1;",
                "setAttr \"a:j.t\" -type \"double3\" \t\t1 2 \t\t3;",
                "connectAttr \"a:j.x\" \"b.y\";",
            ]
        );
    }

    #[test]
    fn one_transform_and_a_network_are_what_the_rig_would_have() {
        let limit = Some(crate::rig_scene::Limit { min: 0.0, max: 1.0 });
        let attribute = CustomAttribute { name: "x".into(), value: 0.0, limit, keyable: true };
        let holder = TransformNode {
            attributes: vec![attribute],
            ..TransformNode::group("h", None).with_locked(["visibility"])
        };
        let scene = RigScene { transforms: vec![holder.clone()], ..RigScene::default() };
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let whole = rig_statements(&scene, &[], job).unwrap();
        let alone = transform_statements(&holder).unwrap();
        assert_eq!(whole[0].statements, alone);
        assert_eq!(alone[0], "createNode -ss transform -n \"h\";");
        let curve = DrivenCurve { name: "c".into(), output: CurveOutput::Number, keys: vec![[0.0, 1.0]] };
        let connection = Connection { from: Plug::new("c", "output"), to: Plug::new("h", "x") };
        let network = network_statements(&[curve], &[], &[connection]).unwrap();
        assert_eq!(network.first().unwrap(), "createNode -ss animCurveUU -n \"c\";");
        assert_eq!(network.last().unwrap(), "connectAttr \"c.output\" \"h.x\";");
    }
}
