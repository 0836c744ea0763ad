//! RigLogic nodes: which attribute of the scene each number of a DNA is.

use std::collections::{BTreeMap, HashMap, HashSet};

use mhrig_report::{Finding, Severity};
use mhrig_scene::{
    Connection, CustomAttribute, Limit, NamingPatterns, Plug, RigLogicKind, RigLogicNode, RigScene,
    UtilityKind, UtilityNode, Wire,
};

use super::geometry::Geometry;
use super::input::{RigPart, Turn, axes_in_words};
use super::names::{self, JOINT_ATTRIBUTES, Namespace, PartNames};
use super::skeleton::Skeleton;

/// What is the same for the nodes of all parts.
pub(super) struct Wiring<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) geometry: &'a Geometry,
    pub(super) namespace: &'a Namespace,
    pub(super) kind: RigLogicKind,
    pub(super) turn: Turn,
}

/// The patterns of a character: what `createEmbeddedNodeRL4` is given.
pub(super) fn patterns(namespace: &Namespace) -> NamingPatterns {
    let n = namespace.prefix();
    NamingPatterns {
        control: format!("{n}<objName>.<attrName>"),
        input_joint: format!("{n}<objName>.<attrName>"),
        joint: format!("{n}<objName>.<attrName>"),
        blend_shape: format!("{n}<objName>_blendShapes.<attrName>"),
        animated_map: format!("{n}{}.<objName>_<attrName>", names::MAP_MULTIPLIERS),
    }
}

/// The parts of a DNA's name before and after its dot.
pub(super) fn split_name(name: &str) -> Option<(&str, &str)> {
    name.split_once('.').filter(|(object, attribute)| !object.is_empty() && !attribute.is_empty())
}

/// Raw controls that are attributes: holder and attribute by number; the others are driven by joints.
pub(super) struct RawControls {
    /// Per raw control, its plug.
    pub(super) plugs: Vec<Plug>,
    /// Attributes of each holder, in the order of the DNA.
    pub(super) held: BTreeMap<String, Vec<CustomAttribute>>,
}

impl RawControls {
    /// Finds the plug of each raw control, and adds what turns a joint into the four controls that it drives.
    pub(super) fn add(
        scene: &mut RigScene,
        part: &RigPart,
        skeleton: &Skeleton,
        namespace: &Namespace,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let names = &part.dna.definition.raw_control_names;
        let mut plugs: Vec<Option<Plug>> = vec![None; names.len()];
        // components of rotations that no joint of the scene has
        let mut components = HashMap::new();
        if let Some(rig) = part.rig() {
            for driver in rig.drivers() {
                let joint = driver.joint.map(|joint| rig.names().joints[joint.index()].as_str());
                let Some(number) = joint.and_then(|joint| skeleton.find(joint)) else {
                    components.extend(driver.controls.map(usize::from).into_iter().zip([0.0, 0.0, 0.0, 1.0]));
                    continue;
                };
                let joint = skeleton.joints[number].name.clone();
                let node = format!("{joint}_eulerToQuat");
                if !scene.utilities.iter().any(|utility| utility.name == node) {
                    for axis in ["X", "Y", "Z"] {
                        scene.connections.push(Connection {
                            from: Plug::new(&*joint, format!("rotate{axis}")),
                            to: Plug::new(&*node, format!("inputRotate{axis}")),
                        });
                    }
                    scene.utilities.push(UtilityNode {
                        name: node.clone(),
                        kind: UtilityKind::EulerToQuat,
                        values: Vec::new(),
                    });
                }
                for (control, component) in driver.controls.into_iter().zip(["X", "Y", "Z", "W"]) {
                    if let Some(plug) = plugs.get_mut(usize::from(control)) {
                        *plug = Some(Plug::new(&*node, format!("outputQuat{component}")));
                    }
                }
            }
        }
        let mut held: BTreeMap<String, Vec<CustomAttribute>> = BTreeMap::new();
        let plugs = plugs.into_iter().enumerate().map(|(number, plug)| {
            plug.unwrap_or_else(|| {
                let name = names[number].to_string();
                let (object, attribute) = split_name(&name).unwrap_or((names::EXPRESSIONS, &name));
                let mut own = unit_attribute(attribute, 0.0);
                if let Some(&value) = components.get(&number) {
                    (own.value, own.limit) = (value, Some(Limit { min: -1.0, max: 1.0 }));
                }
                held.entry(object.to_owned()).or_default().push(own);
                Plug::new(namespace.of(object), attribute)
            })
        });
        let plugs = plugs.collect();
        let odd: Vec<&String> = held.keys().filter(|object| *object != names::EXPRESSIONS).collect();
        if !odd.is_empty() {
            let message =
                format!("raw controls of {odd:?} belong to no joint; they are attributes of groups");
            let remedy = "drive these attributes yourself";
            let place = part.file().display().to_string();
            findings.push(Finding::new("RAW_CONTROL_HOLDER", Severity::Info, place, message, remedy));
        }
        Self { plugs, held }
    }
}

/// An attribute that holds a raw control or an animated map.
pub(super) fn unit_attribute(name: &str, value: f64) -> CustomAttribute {
    CustomAttribute { name: name.to_owned(), value, limit: Some(Limit { min: 0.0, max: 1.0 }), keyable: true }
}

/// The attribute of an animated map: `head_cm1_color.head_wm1_jawOpen` → `head_cm1_color_head_wm1_jawOpen`.
pub(super) fn map_attribute(name: &str) -> String {
    name.replacen('.', "_", 1)
}

impl Wiring<'_> {
    /// The node of one part; what it would drive but must not is counted in `findings`.
    pub(super) fn node(
        &self,
        part_number: usize,
        part: &RigPart,
        raw: &RawControls,
        dna_file_path: String,
        findings: &mut Vec<Finding>,
    ) -> Option<RigLogicNode> {
        let rig = part.rig()?;
        let mut node = RigLogicNode {
            name: self.namespace.of(PartNames::of(part.kind).rig_logic),
            kind: self.kind,
            dna_file_path,
            naming: patterns(self.namespace),
            coordinate_system: axes_in_words(&part.dna.descriptor.coordinate_system),
            lod: 0,
            inputs: Vec::new(),
            translations: Vec::new(),
            rotations: Vec::new(),
            scales: Vec::new(),
            blend_shapes: Vec::new(),
            animated_maps: Vec::new(),
        };
        let wire = |index: usize, plug: Plug| Wire { index: index as u32, plug };
        node.inputs = raw.plugs.iter().cloned().enumerate().map(|(index, plug)| wire(index, plug)).collect();
        self.wire_joints(part_number, part, &mut node, findings);
        for (&channel, weights) in &self.geometry.channels[part_number] {
            for &(shape, target) in weights {
                let shape = &self.geometry.blend_shapes[shape];
                node.blend_shapes.push(wire(channel, Plug::new(&*shape.name, &*shape.targets[target].name)));
            }
        }
        let holder = self.namespace.of(names::MAP_MULTIPLIERS);
        for (index, name) in rig.names().animated_maps.iter().enumerate() {
            node.animated_maps.push(wire(index, Plug::new(&*holder, map_attribute(name))));
        }
        Some(node)
    }

    fn wire_joints(
        &self,
        part_number: usize,
        part: &RigPart,
        node: &mut RigLogicNode,
        findings: &mut Vec<Finding>,
    ) {
        let Some(rig) = part.rig() else { return };
        let drivers: HashSet<usize> =
            rig.drivers().iter().filter_map(|driver| Some(driver.joint?.index())).collect();
        let mut counts = [0u32; 3];
        let (mut shared, mut driving, mut rooted) = (0, 0, 0);
        for attribute in rig.variable_joint_attributes_of_all_lods() {
            let (joint, attribute) = (usize::from(attribute / 9), usize::from(attribute % 9));
            let kind = attribute / 3;
            let index = counts[kind];
            counts[kind] += 1;
            let Some(&number) = self.skeleton.numbers[part_number].get(joint) else { continue };
            if self.skeleton.owners[number] != part_number {
                shared += 1;
                continue;
            }
            if drivers.contains(&joint) {
                driving += 1;
                continue;
            }
            let is_root = part.deformer().skeleton().hierarchy().parents()[joint].is_none();
            if is_root && self.turn != Turn::None {
                rooted += 1;
                continue;
            }
            let plug = Plug::new(&*self.skeleton.joints[number].name, JOINT_ATTRIBUTES[attribute]);
            let wires = [&mut node.translations, &mut node.rotations, &mut node.scales];
            wires
                .into_iter()
                .nth(kind)
                .into_iter()
                .for_each(|wires| wires.push(Wire { index, plug: plug.clone() }));
        }
        let place = part.file().display().to_string();
        let mut note = |code, severity, count: u32, message: &str, remedy: &str| {
            if count > 0 {
                let message = format!("{count} {message}");
                findings.push(Finding::new(code, severity, place.clone(), message, remedy));
            }
        };
        note(
            "SHARED_JOINT_OUTPUTS",
            Severity::Info,
            shared,
            "outputs for joints that the body has too are not connected: the body leads them",
            "nothing to do",
        );
        note(
            "DRIVER_OUTPUTS",
            Severity::Info,
            driving,
            "outputs for joints whose rotation is an input are not connected: they are posed by hand",
            "nothing to do",
        );
        note(
            "ROOT_OUTPUTS",
            Severity::Warning,
            rooted,
            "outputs for the root are not connected, since the root was turned to the scene's up axis",
            "assemble with the up axis of the DNA",
        );
    }
}
