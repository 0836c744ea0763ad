//! Evaluates a [`RigScene`]: what a host would compute from the nodes and connections as they are described. RigLogic
//! nodes go through `mhrig-rig`; everything else, from the sliders to the vertices, is the description's own.

use std::collections::HashMap;
use std::sync::Arc;

use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};
use mhrig_rig::{Instance, Rig};
use mhrig_scene::{
    BlendShape, Constraint, ConstraintKind, DrivenCurve, Joint, Plug, RigScene, TransformNode, UtilityKind,
    UtilityNode, parent_from_joint, parent_from_transform, place_of,
};
use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

use super::names::JOINT_ATTRIBUTES;

/// Why a description cannot be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum SceneEvaluationError {
    /// An attribute that depends on itself.
    #[error("{0} depends on itself")]
    Cycle(Plug),
    /// RigLogic refuses the values.
    #[error("{node}: {source}")]
    RigLogic {
        node: String,
        #[source]
        source: mhrig_rig::EvaluationError,
    },
}

/// A description, looked up by name.
pub(crate) struct Evaluator<'a> {
    scene: &'a RigScene,
    /// The rig of each RigLogic node.
    rigs: Vec<Arc<Rig>>,
    nodes: HashMap<&'a str, Node<'a>>,
    /// What leads into an attribute.
    sources: HashMap<(&'a str, &'a str), Source<'a>>,
    /// Per RigLogic node and kind of output, joint × 9 + attribute.
    outputs: Vec<[Vec<u16>; 3]>,
    /// Number of each joint.
    joints: HashMap<&'a str, usize>,
    /// Per joint, what leads into its nine attributes; `None` where nothing leads into any.
    joint_sources: Vec<Option<[Option<Source<'a>>; 9]>>,
    /// Per blend shape node and target, what leads into its weight.
    weight_sources: Vec<Vec<Option<Source<'a>>>>,
}

#[derive(Clone, Copy)]
enum Node<'a> {
    Transform(&'a TransformNode),
    Joint(&'a Joint),
    Curve(&'a DrivenCurve),
    Utility(&'a UtilityNode),
    Constraint(&'a Constraint),
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Plug(&'a Plug),
    /// Node, kind of output and number.
    RigLogic(usize, Output, u32),
}

#[derive(Clone, Copy, PartialEq)]
enum Output {
    /// 0 translation, 1 rotation, 2 scale.
    Joint(usize),
    BlendShape,
    Map,
}

/// What is set before an evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct SceneSettings {
    /// Attributes and their values, in place of what leads into them; angles in degrees.
    pub(crate) values: Vec<(Plug, f64)>,
    /// The LOD of each RigLogic node; what the node says where there is none.
    pub(crate) lods: Vec<usize>,
}

/// Joints and weights of an evaluated description.
pub(crate) struct ScenePose {
    /// `world_from_joint` per joint.
    pub(crate) joints: Vec<Matrix4<f64>>,
    /// Weights of the targets of each blend shape node.
    pub(crate) weights: Vec<Vec<f32>>,
}

impl<'a> Evaluator<'a> {
    /// `rigs` are those of the RigLogic nodes, in their order.
    pub(crate) fn new(scene: &'a RigScene, rigs: Vec<Arc<Rig>>) -> Self {
        let mut nodes = HashMap::new();
        nodes.extend(scene.transforms.iter().map(|node| (node.name.as_str(), Node::Transform(node))));
        nodes.extend(scene.joints.iter().map(|node| (node.name.as_str(), Node::Joint(node))));
        nodes.extend(scene.curves.iter().map(|node| (node.name.as_str(), Node::Curve(node))));
        nodes.extend(scene.utilities.iter().map(|node| (node.name.as_str(), Node::Utility(node))));
        nodes.extend(scene.constraints.iter().map(|node| (node.name.as_str(), Node::Constraint(node))));
        let key = |plug: &'a Plug| (plug.node.as_str(), plug.attribute.as_str());
        let mut sources: HashMap<(&str, &str), Source<'_>> = HashMap::new();
        for connection in &scene.connections {
            sources.insert(key(&connection.to), Source::Plug(&connection.from));
        }
        for (number, node) in scene.rig_logic.iter().enumerate() {
            let wires = [
                (Output::Joint(0), &node.translations),
                (Output::Joint(1), &node.rotations),
                (Output::Joint(2), &node.scales),
                (Output::BlendShape, &node.blend_shapes),
                (Output::Map, &node.animated_maps),
            ];
            for (kind, wires) in wires {
                for wire in wires {
                    sources.insert(key(&wire.plug), Source::RigLogic(number, kind, wire.index));
                }
            }
        }
        let outputs = rigs.iter().map(|rig| {
            let all = rig.variable_joint_attributes_of_all_lods();
            [0, 1, 2].map(|kind| {
                let of_kind = all.iter().filter(|&&attribute| attribute % 9 / 3 == kind);
                of_kind.copied().collect::<Vec<u16>>()
            })
        });
        let outputs = outputs.collect();
        let source = |node: &'a str, attribute: &'a str| sources.get(&(node, attribute)).copied();
        let of_joint = |joint: &'a Joint| {
            let own = JOINT_ATTRIBUTES.map(|attribute| source(&joint.name, attribute));
            own.iter().any(Option::is_some).then_some(own)
        };
        let joint_sources = scene.joints.iter().map(of_joint).collect();
        let of_shape = |shape: &'a BlendShape| {
            shape.targets.iter().map(|target| source(&shape.name, &target.name)).collect()
        };
        let weight_sources = scene.blend_shapes.iter().map(of_shape).collect();
        let joints = scene.joints.iter().enumerate().map(|(number, joint)| (joint.name.as_str(), number));
        let joints = joints.collect();
        Self { scene, rigs, nodes, sources, outputs, joints, joint_sources, weight_sources }
    }

    /// Evaluates everything.
    pub(crate) fn evaluate(&self, settings: &SceneSettings) -> Result<ScenePose, SceneEvaluationError> {
        let mut run = self.run(settings);
        let joints = (0..self.scene.joints.len()).map(|joint| run.joint_world(joint));
        let joints = joints.collect::<Result<_, _>>()?;
        let mut weights = Vec::new();
        for (shape, sources) in self.scene.blend_shapes.iter().zip(&self.weight_sources) {
            let is_set = run.is_set(&shape.name);
            let of_shape = shape.targets.iter().zip(sources).map(|(target, source)| {
                let weight = match source {
                    Some(source) if !is_set => run.value_of(*source),
                    _ => run.value(&shape.name, &target.name),
                };
                weight.map(|weight| weight as f32)
            });
            weights.push(of_shape.collect::<Result<_, _>>()?);
        }
        Ok(ScenePose { joints, weights })
    }

    fn run<'e>(&'e self, settings: &'e SceneSettings) -> Run<'e, 'a> {
        let set = settings.values.iter();
        Run {
            evaluator: self,
            set: set.map(|(plug, value)| ((plug.node.as_str(), plug.attribute.as_str()), *value)).collect(),
            lods: &settings.lods,
            values: HashMap::new(),
            worlds: HashMap::new(),
            joint_worlds: vec![None; self.scene.joints.len()],
            constrained: HashMap::new(),
            instances: vec![None; self.rigs.len()],
        }
    }

    /// Whether anything deforms mesh `mesh` otherwise in `pose` than in `other`.
    pub(crate) fn differs(&self, mesh: usize, pose: &ScenePose, other: &ScenePose) -> bool {
        let shapes = self.scene.blend_shapes.iter().zip(pose.weights.iter().zip(&other.weights));
        let mut of_mesh = shapes.filter(|(shape, _)| shape.mesh as usize == mesh);
        of_mesh.any(|(_, (own, others))| own != others)
            || self.skin_of(mesh).is_some_and(|skin| {
                let mut joints = self.scene.skin_clusters[skin].influences.iter();
                joints.any(|&joint| pose.joints[joint as usize] != other.joints[joint as usize])
            })
    }

    /// The value of one attribute.
    #[cfg(test)]
    pub(crate) fn attribute(
        &self,
        settings: &SceneSettings,
        plug: &Plug,
    ) -> Result<f64, SceneEvaluationError> {
        self.run(settings).value(&plug.node, &plug.attribute)
    }

    /// What each influence of a skin cluster does to a vertex: rows of `world_from_joint · joint_from_bind`.
    fn skin_maps(&self, skin: usize, pose: &ScenePose) -> Vec<[[f32; 4]; 3]> {
        let skin = &self.scene.skin_clusters[skin];
        let maps = skin.influences.iter().zip(&skin.bind_pre).map(|(&joint, bind)| {
            let map = pose.joints[joint as usize] * Matrix4::from_column_slice(bind);
            std::array::from_fn(|row| std::array::from_fn(|column| map[(row, column)] as f32))
        });
        maps.collect()
    }

    /// Vertices of mesh `mesh` in `pose`: blend shapes, then skin.
    pub(crate) fn deform(&self, mesh: usize, pose: &ScenePose) -> Vec<[f32; 3]> {
        let mut positions = self.scene.meshes[mesh].mesh.positions.clone();
        let shapes = self.scene.blend_shapes.iter().zip(&pose.weights);
        for (shape, weights) in shapes.filter(|(shape, _)| shape.mesh as usize == mesh) {
            for (target, &weight) in shape.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                for (&vertex, delta) in target.vertices.iter().zip(&target.deltas) {
                    let position = &mut positions[vertex as usize];
                    *position = std::array::from_fn(|axis| position[axis] + delta[axis] * weight);
                }
            }
        }
        if let Some(number) = self.skin_of(mesh) {
            let skin = &self.scene.skin_clusters[number];
            let maps = self.skin_maps(number, pose);
            for (vertex, position) in positions.iter_mut().enumerate() {
                let blend = blend(&maps, skin.weights_of(vertex));
                let [x, y, z] = *position;
                *position = blend.map(|row| row[0] * x + row[1] * y + row[2] * z + row[3]);
            }
        }
        positions
    }

    fn skin_of(&self, mesh: usize) -> Option<usize> {
        self.scene.skin_clusters.iter().position(|skin| skin.mesh as usize == mesh)
    }

    /// How the skin turns directions at some vertices of a mesh: the linear part of each blend.
    pub(crate) fn turns(&self, mesh: usize, pose: &ScenePose, vertices: &[usize]) -> Vec<Matrix3<f64>> {
        let Some(number) = self.skin_of(mesh) else { return vec![Matrix3::identity(); vertices.len()] };
        let maps = self.skin_maps(number, pose);
        let skin = &self.scene.skin_clusters[number];
        let turn = |&vertex: &usize| {
            let blend = blend(&maps, skin.weights_of(vertex));
            Matrix3::from_fn(|row, column| f64::from(blend[row][column]))
        };
        vertices.iter().map(turn).collect()
    }
}

fn blend(maps: &[[[f32; 4]; 3]], weights: &[(u16, f32)]) -> [[f32; 4]; 3] {
    let mut blend = [[0.0f32; 4]; 3];
    for &(influence, weight) in weights {
        for (row, map) in blend.iter_mut().zip(&maps[usize::from(influence)]) {
            for (value, map) in row.iter_mut().zip(map) {
                *value += map * weight;
            }
        }
    }
    blend
}

/// Whether values of an attribute are angles, which this evaluation keeps in degrees.
fn is_angle(attribute: &str) -> bool {
    ["rotate", "constraintRotate", "outRotate", "inRotate"].iter().any(|angle| attribute.starts_with(angle))
}

/// One evaluation.
struct Run<'e, 'a> {
    evaluator: &'e Evaluator<'a>,
    set: HashMap<(&'e str, &'e str), f64>,
    lods: &'e [usize],
    /// `None` while it is being computed.
    values: HashMap<(String, String), Option<f64>>,
    worlds: HashMap<String, Matrix4<f64>>,
    /// The same of joints, by number.
    joint_worlds: Vec<Option<Matrix4<f64>>>,
    /// Outputs of constraints: translation and rotation.
    constrained: HashMap<String, [f64; 6]>,
    instances: Vec<Option<Box<Instance>>>,
}

type Evaluated<T> = Result<T, SceneEvaluationError>;

impl Run<'_, '_> {
    /// The value of an attribute.
    fn value(&mut self, node: &str, attribute: &str) -> Evaluated<f64> {
        let key = (node.to_owned(), attribute.to_owned());
        match self.values.get(&key) {
            Some(Some(value)) => return Ok(*value),
            Some(None) => return Err(SceneEvaluationError::Cycle(Plug::new(node, attribute))),
            None => {}
        }
        if let Some(value) = self.set.get(&(node, attribute)) {
            return Ok(*value);
        }
        self.values.insert(key.clone(), None);
        let value = match self.evaluator.sources.get(&(node, attribute)).copied() {
            Some(source) => self.value_of(source)?,
            None => self.own_value(node, attribute)?,
        };
        self.values.insert(key, Some(value));
        Ok(value)
    }

    fn value_of(&mut self, source: Source<'_>) -> Evaluated<f64> {
        match source {
            Source::Plug(plug) => self.value(&plug.node, &plug.attribute),
            Source::RigLogic(number, output, index) => self.rig_logic(number, output, index),
        }
    }

    /// Whether an attribute of the node was set.
    fn is_set(&self, node: &str) -> bool {
        self.set.keys().any(|(set, _)| *set == node)
    }

    /// The value of an attribute that nothing leads into: computed by its node, set, or at rest.
    fn own_value(&mut self, name: &str, attribute: &str) -> Evaluated<f64> {
        let Some(node) = self.evaluator.nodes.get(name).copied() else { return Ok(0.0) };
        Ok(match node {
            Node::Transform(node) => {
                let places = [node.translate, node.rotate, node.scale];
                let at_rest = vector_attribute(attribute).map(|(vector, axis)| places[vector][axis]);
                let own = || node.attributes.iter().find(|own| own.name == attribute);
                at_rest.or_else(|| own().map(|own| own.value)).unwrap_or(0.0)
            }
            Node::Joint(joint) => {
                let places = [joint.translate, [0.0; 3], [1.0; 3]];
                vector_attribute(attribute).map_or(0.0, |(vector, axis)| places[vector][axis])
            }
            Node::Curve(curve) if attribute == "output" => curve.evaluate(self.value(name, "input")?),
            Node::Curve(_) => 0.0,
            Node::Utility(node) => self.utility(node, attribute)?,
            Node::Constraint(constraint) => self.constraint(constraint, attribute)?,
        })
    }

    fn utility(&mut self, node: &UtilityNode, attribute: &str) -> Evaluated<f64> {
        let name = node.name.as_str();
        Ok(match (node.kind, attribute) {
            (UtilityKind::UnitConversion, "output") => {
                let input = self.value(name, "input")?;
                // Inside a host angles are radians, and the factor is meant for those.
                let from = self.evaluator.sources.get(&(name, "input"));
                let from_angle = matches!(from, Some(Source::Plug(plug)) if is_angle(&plug.attribute));
                let input = if from_angle { input.to_radians() } else { input };
                input * node.value("conversionFactor", 1.0)
            }
            (UtilityKind::BlendWeighted, "output") => {
                let mut sum = 0.0;
                for number in 0.. {
                    let input = format!("input[{number}]");
                    if !self.evaluator.sources.contains_key(&(name, input.as_str())) {
                        break;
                    }
                    sum += self.value(name, &input)?;
                }
                sum
            }
            (UtilityKind::Clamp, "outputR") => {
                let (min, max) = (node.value("minR", 0.0), node.value("maxR", 0.0));
                self.value(name, "inputR")?.max(min).min(max)
            }
            (UtilityKind::Reverse, "outputX") => 1.0 - self.value(name, "inputX")?,
            (UtilityKind::PairBlend, output) => {
                let Some(axis) = output.strip_prefix("outRotate") else {
                    return Ok(node.value(output, if output == "weight" { 1.0 } else { 0.0 }));
                };
                let weight = self.value(name, "weight")?;
                let first = self.value(name, &format!("inRotate{axis}1"))?;
                let second = self.value(name, &format!("inRotate{axis}2"))?;
                first * (1.0 - weight) + second * weight
            }
            (UtilityKind::EulerToQuat, output) => {
                let Some(component) = output.strip_prefix("outputQuat") else {
                    return Ok(node.value(output, 0.0));
                };
                let mut angles = [0.0; 3];
                for (angle, axis) in angles.iter_mut().zip(["X", "Y", "Z"]) {
                    *angle = self.value(name, &format!("inputRotate{axis}"))?.to_radians();
                }
                let quaternion = UnitQuaternion::from_rotation_matrix(&rotation_from_euler_xyz(angles));
                let sign = if quaternion.w < 0.0 { -1.0 } else { 1.0 };
                sign * match component {
                    "X" => quaternion.i,
                    "Y" => quaternion.j,
                    "Z" => quaternion.k,
                    _ => quaternion.w,
                }
            }
            (_, other) => node.value(other, 0.0),
        })
    }

    fn rig_logic(&mut self, number: usize, output: Output, index: u32) -> Evaluated<f64> {
        if self.instances[number].is_none() {
            let instance = self.run_rig_logic(number)?;
            self.instances[number] = Some(Box::new(instance));
        }
        let Some(instance) = &self.instances[number] else { return Ok(0.0) };
        let index = index as usize;
        let rig = instance.rig();
        Ok(match output {
            Output::BlendShape => instance.blend_shapes().get(index).copied().map_or(0.0, f64::from),
            Output::Map => instance.animated_maps().get(index).copied().map_or(0.0, f64::from),
            Output::Joint(kind) => {
                let Some(&attribute) = self.evaluator.outputs[number][kind].get(index) else {
                    return Ok(0.0);
                };
                let slot = usize::from(attribute);
                let delta = f64::from(instance.joints()[slot]);
                match kind {
                    0 => (f64::from(rig.neutral()[slot]) + delta) * rig.cm_per_unit(),
                    1 if rig.is_radians() => delta.to_degrees(),
                    1 => delta,
                    _ => 1.0 + delta,
                }
            }
        })
    }

    fn run_rig_logic(&mut self, number: usize) -> Evaluated<Instance> {
        let node = &self.evaluator.scene.rig_logic[number];
        let refused = |source| SceneEvaluationError::RigLogic { node: node.name.clone(), source };
        let mut instance = Instance::new(Arc::clone(&self.evaluator.rigs[number]));
        let lod = self.lods.get(number).copied().unwrap_or(node.lod as usize);
        instance.set_lod(lod).map_err(refused)?;
        for wire in &node.inputs {
            let value = self.value(&wire.plug.node, &wire.plug.attribute)? as f32;
            instance.set_raw_control(wire.index as usize, value).map_err(refused)?;
        }
        instance.settle().map_err(refused)?;
        Ok(instance)
    }

    fn vector(&mut self, name: &str, attribute: &str) -> Evaluated<[f64; 3]> {
        let mut vector = [0.0; 3];
        for (value, axis) in vector.iter_mut().zip(["X", "Y", "Z"]) {
            *value = self.value(name, &format!("{attribute}{axis}"))?;
        }
        Ok(vector)
    }

    /// `world_from_joint` of joint number `number`. Most joints stand still or are led by RigLogic alone, and there are
    /// many of them: their attributes are not looked up by name.
    fn joint_world(&mut self, number: usize) -> Evaluated<Matrix4<f64>> {
        if let Some(world) = self.joint_worlds[number] {
            return Ok(world);
        }
        let joint = &self.evaluator.scene.joints[number];
        let mut places = [joint.translate, [0.0; 3], [1.0; 3]];
        if self.is_set(&joint.name) {
            for (vector, name) in places.iter_mut().zip(["translate", "rotate", "scale"]) {
                *vector = self.vector(&joint.name, name)?;
            }
        } else if let Some(sources) = &self.evaluator.joint_sources[number] {
            for (attribute, source) in sources.iter().enumerate() {
                if let Some(source) = source {
                    places[attribute / 3][attribute % 3] = self.value_of(*source)?;
                }
            }
        }
        let [translate, rotate, scale] = places;
        let local = parent_from_joint(translate, joint.orient, rotate, scale);
        let world = self.parent_world(&joint.name)? * local;
        self.joint_worlds[number] = Some(world);
        Ok(world)
    }

    /// `world_from_node` of a transform or joint.
    fn world(&mut self, name: &str) -> Evaluated<Matrix4<f64>> {
        if let Some(&joint) = self.evaluator.joints.get(name) {
            return self.joint_world(joint);
        }
        if let Some(world) = self.worlds.get(name) {
            return Ok(*world);
        }
        let translate = self.vector(name, "translate")?;
        let rotate = self.vector(name, "rotate")?;
        let scale = self.vector(name, "scale")?;
        let world = self.parent_world(name)? * parent_from_transform(translate, rotate, scale);
        self.worlds.insert(name.to_owned(), world);
        Ok(world)
    }

    fn parent_world(&mut self, name: &str) -> Evaluated<Matrix4<f64>> {
        let parent = match self.evaluator.nodes.get(name) {
            Some(Node::Joint(joint)) => joint.parent.as_deref(),
            Some(Node::Transform(node)) => node.parent.as_deref(),
            _ => None,
        };
        match parent {
            Some(parent) => self.world(parent),
            None => Ok(Matrix4::identity()),
        }
    }

    fn constraint(&mut self, constraint: &Constraint, attribute: &str) -> Evaluated<f64> {
        let output = attribute.strip_prefix("constraint").and_then(|output| {
            let lower = format!("{}{}", output.get(..1)?.to_lowercase(), output.get(1..)?);
            vector_attribute(&lower)
        });
        let Some((vector @ (0 | 1), axis)) = output else {
            // A weight that nothing drives.
            let own = (0..constraint.targets.len()).find(|&t| constraint.weight_attribute(t) == attribute);
            return Ok(own.map_or(0.0, |target| constraint.targets[target].weight));
        };
        if !self.constrained.contains_key(&constraint.name) {
            let place = match &constraint.kind {
                ConstraintKind::Parent => self.parent_constraint(constraint)?,
                ConstraintKind::Aim { aim, up, up_object } => {
                    self.aim_constraint(constraint, *aim, *up, up_object)?
                }
            };
            self.constrained.insert(constraint.name.clone(), place);
        }
        Ok(self.constrained[&constraint.name][vector * 3 + axis])
    }

    fn parent_constraint(&mut self, constraint: &Constraint) -> Evaluated<[f64; 6]> {
        let parent = self.parent_world(&constraint.node)?;
        let from_world = parent.try_inverse().unwrap_or_else(Matrix4::identity);
        let mut sum = [0.0; 6];
        let mut total = 0.0;
        for (number, target) in constraint.targets.iter().enumerate() {
            let weight = self.value(&constraint.name, &constraint.weight_attribute(number))?;
            if weight == 0.0 {
                continue;
            }
            let offset = parent_from_transform(target.offset_translate, target.offset_rotate, [1.0; 3]);
            let (translate, rotate) = place_of(&(from_world * self.world(&target.node)? * offset));
            for (sum, value) in sum.iter_mut().zip(translate.into_iter().chain(rotate)) {
                *sum += value * weight;
            }
            total += weight;
        }
        if total > 0.0 {
            return Ok(sum.map(|value| value / total));
        }
        let rest = match self.evaluator.nodes.get(constraint.node.as_str()) {
            Some(Node::Transform(node)) => (node.translate, node.rotate),
            _ => ([0.0; 3], [0.0; 3]),
        };
        Ok([rest.0[0], rest.0[1], rest.0[2], rest.1[0], rest.1[1], rest.1[2]])
    }

    fn aim_constraint(
        &mut self,
        constraint: &Constraint,
        aim: [f64; 3],
        up: [f64; 3],
        up_object: &str,
    ) -> Evaluated<[f64; 6]> {
        let Some(target) = constraint.targets.first() else { return Ok([0.0; 6]) };
        let parent = self.parent_world(&constraint.node)?;
        let from_world = parent.try_inverse().unwrap_or_else(Matrix4::identity);
        let own = Vector3::from(self.vector(&constraint.node, "translate")?);
        let mut place = |name: &str| -> Evaluated<Vector3<f64>> {
            Ok((from_world * self.world(name)?).fixed_view::<3, 1>(0, 3).into_owned() - own)
        };
        let (towards, above) = (place(&target.node)?, place(up_object)?);
        let frame = |first: Vector3<f64>, second: Vector3<f64>| -> Option<Matrix3<f64>> {
            let x = first.try_normalize(1e-12)?;
            let z = x.cross(&second).try_normalize(1e-12)?;
            Some(Matrix3::from_columns(&[x, z.cross(&x), z]))
        };
        let turned = frame(towards, above).zip(frame(Vector3::from(aim), Vector3::from(up)));
        let Some((to, from)) = turned else { return Ok([0.0; 6]) };
        let rotation = Rotation3::from_matrix_unchecked(to * from.transpose());
        let [x, y, z] = euler_xyz_from_rotation(&rotation).map(f64::to_degrees);
        Ok([0.0, 0.0, 0.0, x, y, z])
    }
}

/// `rotateY` is component 1 of vector 1 of translation, rotation and scale.
fn vector_attribute(attribute: &str) -> Option<(usize, usize)> {
    let vector = ["translate", "rotate", "scale"].iter().position(|name| attribute.starts_with(name))?;
    let axis = ["X", "Y", "Z"].iter().position(|axis| attribute.ends_with(axis))?;
    let length = ["translate", "rotate", "scale"][vector].len() + 1;
    (attribute.len() == length).then_some((vector, axis))
}
