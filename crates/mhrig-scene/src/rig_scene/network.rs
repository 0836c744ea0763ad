//! Nodes that compute: driven curves, small arithmetic, constraints, RigLogic.

use super::nodes::{Connection, Plug};

/// A curve from one number to another: straight between its keys, constant before the first and after the last.
/// Input `input`, output `output`.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenCurve {
    /// Its name, with namespace.
    pub name: String,
    /// What its output is.
    pub output: CurveOutput,
    /// Input and output of each key, inputs ascending; angles in degrees.
    pub keys: Vec<[f64; 2]>,
}

/// What the output of a [`DrivenCurve`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveOutput {
    /// A number.
    Number,
    /// A length.
    Length,
    /// An angle.
    Angle,
}

impl DrivenCurve {
    /// The output for `input`; degrees for an angle.
    pub fn evaluate(&self, input: f64) -> f64 {
        let next = self.keys.partition_point(|key| key[0] <= input);
        match (next.checked_sub(1).and_then(|before| self.keys.get(before)), self.keys.get(next)) {
            (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * ((input - a[0]) / (b[0] - a[0])),
            (Some(only), None) | (None, Some(only)) => only[1],
            (None, None) => 0.0,
        }
    }
}

/// A node of a kind that every Maya has, with the values that are not its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct UtilityNode {
    /// Its name, with namespace.
    pub name: String,
    /// What it computes.
    pub kind: UtilityKind,
    /// Long names of attributes, and their values.
    pub values: Vec<(String, f64)>,
}

impl UtilityNode {
    /// The value of an attribute, `default` where none was given.
    pub fn value(&self, attribute: &str, default: f64) -> f64 {
        self.values.iter().find(|(name, _)| name == attribute).map_or(default, |(_, value)| *value)
    }
}

/// What a [`UtilityNode`] computes. Attributes have their long names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UtilityKind {
    /// `output = input · conversionFactor`.
    UnitConversion,
    /// `output = Σ input[i] · weight[i]`; weights are 1.
    BlendWeighted,
    /// `outputR = inputR` kept within `minR` and `maxR`.
    Clamp,
    /// `outputX = 1 - inputX`.
    Reverse,
    /// `outRotate = (1 - weight) · inRotate1 + weight · inRotate2`, angle by angle.
    PairBlend,
    /// `outputQuat` is the rotation of `inputRotate`, x first.
    EulerToQuat,
}

impl UtilityKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::UnitConversion,
        Self::BlendWeighted,
        Self::Clamp,
        Self::Reverse,
        Self::PairBlend,
        Self::EulerToQuat,
    ];

    /// Maya's name of the node type.
    pub fn node_type(self) -> &'static str {
        match self {
            Self::UnitConversion => "unitConversion",
            Self::BlendWeighted => "blendWeighted",
            Self::Clamp => "clamp",
            Self::Reverse => "reverse",
            Self::PairBlend => "pairBlend",
            Self::EulerToQuat => "eulerToQuat",
        }
    }

    /// The plug-in, shipped with Maya, that has the node type; `None` for Maya itself.
    pub fn plugin(self) -> Option<&'static str> {
        matches!(self, Self::EulerToQuat).then_some("quatNodes")
    }
}

/// A constraint. It computes where its node has to be; connections take that to the node.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its name, with namespace.
    pub name: String,
    /// The node that it is for, below which it hangs.
    pub node: String,
    /// What it computes.
    pub kind: ConstraintKind,
    /// What it looks at.
    pub targets: Vec<ConstraintTarget>,
}

/// What a [`Constraint`] computes.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// `constraintTranslate` and `constraintRotate` put the node where the weighted mean of its targets, each with its
    /// offset, has it; angles are blended one by one.
    Parent,
    /// `constraintRotate` turns `aim` of the node towards the target, and `up` towards the object `up_object`.
    Aim {
        /// The axis of the node that points at the target.
        aim: [f64; 3],
        /// The axis of the node that points up.
        up: [f64; 3],
        /// The transform that is up.
        up_object: String,
    },
}

/// A target of a [`Constraint`]. Its weight is the attribute that [`Constraint::weight_attribute`] names.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintTarget {
    /// The transform or joint.
    pub node: String,
    /// Its weight.
    pub weight: f64,
    /// Where the node is in the target's space, cm (parent constraints).
    pub offset_translate: [f64; 3],
    /// How the node is turned in the target's space, degrees (parent constraints).
    pub offset_rotate: [f64; 3],
}

impl Constraint {
    /// Name of the weight of target number `target`: the target's name without namespace, `W`, its number.
    pub fn weight_attribute(&self, target: usize) -> String {
        let node = self.targets.get(target).map_or("", |target| target.node.as_str());
        let short = node.rsplit(':').next().unwrap_or(node);
        format!("{short}W{target}")
    }

    /// Maya's name of the node type.
    pub fn node_type(&self) -> &'static str {
        match self.kind {
            ConstraintKind::Parent => "parentConstraint",
            ConstraintKind::Aim { .. } => "aimConstraint",
        }
    }
}

/// Which node evaluates a DNA in the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RigLogicKind {
    /// `mhRigLogic` of this project's plug-in.
    #[default]
    MhRigLogic,
    /// `embeddedNodeRL4` of Epic's plug-in.
    EmbeddedNodeRl4,
}

impl RigLogicKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::MhRigLogic, Self::EmbeddedNodeRl4];

    /// Name of the node type.
    pub fn node_type(self) -> &'static str {
        match self {
            Self::MhRigLogic => "mhRigLogic",
            Self::EmbeddedNodeRl4 => "embeddedNodeRL4",
        }
    }

    /// Name of the plug-in that has it.
    pub fn plugin(self) -> &'static str {
        match self {
            Self::MhRigLogic => "mhrigcreator",
            Self::EmbeddedNodeRl4 => "embeddedRL4",
        }
    }
}

/// A node that evaluates a DNA: raw controls in; joints, blend shape weights and animated maps out.
///
/// `translate` outputs are neutral + delta in cm, `rotate` outputs the delta in degrees, `scale` outputs 1 + delta.
/// Joint outputs are numbered per kind over the attributes that can move at any LOD, ascending by joint and attribute;
/// one that is not connected (the joint belongs to another part) keeps its number.
#[derive(Clone, Debug, PartialEq)]
pub struct RigLogicNode {
    /// Its name, with namespace.
    pub name: String,
    /// Which node type.
    pub kind: RigLogicKind,
    /// The DNA file, with forward slashes; relative to the scene's folder, or absolute.
    pub dna_file_path: String,
    /// The patterns by which names of the DNA become attributes of the scene.
    pub naming: NamingPatterns,
    /// Axes in full words: `left,up,front`.
    pub coordinate_system: String,
    /// The LOD that is evaluated.
    pub lod: u32,
    /// Raw control number `index` is read from a plug.
    pub inputs: Vec<Wire>,
    /// `jntTranslationOutputs[index]` goes to a plug.
    pub translations: Vec<Wire>,
    /// `jntRotationOutputs[index]` goes to a plug.
    pub rotations: Vec<Wire>,
    /// `jntScaleOutputs[index]` goes to a plug.
    pub scales: Vec<Wire>,
    /// `bsOutputs[index]`, the weight of a channel, goes to a plug; several plugs may have one channel.
    pub blend_shapes: Vec<Wire>,
    /// `amOutputs[index]` goes to a plug.
    pub animated_maps: Vec<Wire>,
}

impl RigLogicNode {
    /// Array attributes of the outputs, and what they go to.
    pub fn outputs(&self) -> [(&'static str, &[Wire]); 5] {
        [
            ("jntTranslationOutputs", &self.translations),
            ("jntRotationOutputs", &self.rotations),
            ("jntScaleOutputs", &self.scales),
            ("bsOutputs", &self.blend_shapes),
            ("amOutputs", &self.animated_maps),
        ]
    }

    /// What the node reads: `to` are elements of its `inputs`.
    pub fn input_connections(&self) -> impl Iterator<Item = Connection> {
        self.inputs.iter().map(|Wire { index, plug }| Connection {
            from: plug.clone(),
            to: Plug::new(&*self.name, format!("inputs[{index}]")),
        })
    }

    /// What the node drives: `from` are elements of its [outputs](Self::outputs).
    pub fn output_connections(&self) -> impl Iterator<Item = Connection> {
        self.outputs().into_iter().flat_map(move |(attribute, wires)| {
            wires.iter().map(move |Wire { index, plug }| Connection {
                from: Plug::new(&*self.name, format!("{attribute}[{index}]")),
                to: plug.clone(),
            })
        })
    }
}

/// One element of an array attribute of a [`RigLogicNode`], and the plug at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Number of the element.
    pub index: u32,
    /// The plug.
    pub plug: Plug,
}

/// The patterns of `createEmbeddedNodeRL4`: `<objName>` and `<attrName>` are the parts of a DNA's name before and
/// after the dot.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NamingPatterns {
    /// Raw controls.
    pub control: String,
    /// Joints whose rotation is an input.
    pub input_joint: String,
    /// Joints that are outputs.
    pub joint: String,
    /// Blend shape channels.
    pub blend_shape: String,
    /// Animated maps.
    pub animated_map: String,
}

impl NamingPatterns {
    /// `pattern` with the two parts filled in.
    pub fn fill(pattern: &str, object: &str, attribute: &str) -> String {
        pattern.replace("<objName>", object).replace("<attrName>", attribute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_straight_between_keys_and_constant_outside() {
        let curve = DrivenCurve {
            name: "c".into(),
            output: CurveOutput::Number,
            keys: vec![[0.2, 0.0], [0.4, 1.0], [0.6, 0.0]],
        };
        for (input, output) in [(-1.0, 0.0), (0.2, 0.0), (0.3, 0.5), (0.4, 1.0), (0.5, 0.5), (9.0, 0.0)] {
            assert!((curve.evaluate(input) - output).abs() < 1e-12, "{input}");
        }
        assert_eq!(DrivenCurve { keys: Vec::new(), ..curve }.evaluate(1.0), 0.0);
    }

    #[test]
    fn weights_of_a_constraint_are_named_after_targets_without_namespace() {
        let target = |node: &str| ConstraintTarget {
            node: node.into(),
            weight: 1.0,
            offset_translate: [0.0; 3],
            offset_rotate: [0.0; 3],
        };
        let constraint = Constraint {
            name: "a:c".into(),
            node: "a:n".into(),
            kind: ConstraintKind::Parent,
            targets: vec![target("a:head"), target("a:LOC_world")],
        };
        assert_eq!(constraint.weight_attribute(0), "headW0");
        assert_eq!(constraint.weight_attribute(1), "LOC_worldW1");
    }
}
