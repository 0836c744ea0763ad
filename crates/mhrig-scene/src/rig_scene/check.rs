use std::collections::{HashMap, HashSet};

use mhrig_report::{Finding, Severity};

use super::{CustomAttribute, RigScene, Shape};
use crate::ma::built_in_attributes;
use crate::read::UpAxis;
use crate::scene_mesh::NamedMesh;

/// Nodes of an empty scene of Maya. A node of the same name would get another one, or make every path to it ambiguous.
const NODES_OF_MAYA: [&str; 32] = [
    "persp",
    "top",
    "front",
    "side",
    "perspShape",
    "topShape",
    "frontShape",
    "sideShape",
    "time1",
    "sequenceManager1",
    "lambert1",
    "standardSurface1",
    "particleCloud1",
    "shaderGlow1",
    "initialShadingGroup",
    "initialParticleSE",
    "initialMaterialInfo",
    "renderPartition",
    "characterPartition",
    "lightLinker1",
    "lightList1",
    "layerManager",
    "defaultLayer",
    "renderLayerManager",
    "defaultRenderLayer",
    "defaultLightSet",
    "defaultObjectSet",
    "defaultShaderList1",
    "dynController1",
    "globalCacheControl",
    "ikSystem",
    "hardwareRenderGlobals",
];

/// Whether Maya takes a name: letters, digits, underscores, not beginning with a digit; namespaces end in a colon.
pub fn is_node_name(name: &str) -> bool {
    name.split(':').all(|part| {
        let mut bytes = part.bytes();
        bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// Whether Maya takes a name of an attribute: that of a node without namespace.
fn is_attribute_name(name: &str) -> bool {
    !name.contains(':') && is_node_name(name)
}

impl RigScene {
    /// Names of all nodes with their kind, in the order of the lists.
    pub fn node_names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let transforms = self.transforms.iter().map(|node| ("transform", node.name.as_str()));
        let joints = self.joints.iter().map(|node| ("joint", node.name.as_str()));
        let materials = self.materials.iter().map(|node| ("material", node.name.as_str()));
        let meshes = self.meshes.iter().map(|node| ("mesh", node.name.as_str()));
        let shapes = self.blend_shapes.iter().map(|node| ("blendShape", node.name.as_str()));
        let skins = self.skin_clusters.iter().map(|node| ("skinCluster", node.name.as_str()));
        let layers = self.display_layers.iter().map(|node| ("displayLayer", node.name.as_str()));
        let curves = self.curves.iter().map(|node| ("animCurve", node.name.as_str()));
        let utilities = self.utilities.iter().map(|node| (node.kind.node_type(), node.name.as_str()));
        let constraints = self.constraints.iter().map(|node| (node.node_type(), node.name.as_str()));
        let rig_logic = self.rig_logic.iter().map(|node| (node.kind.node_type(), node.name.as_str()));
        let sets = self.sets.iter().map(|node| ("objectSet", node.name.as_str()));
        transforms
            .chain(joints)
            .chain(materials)
            .chain(meshes)
            .chain(shapes)
            .chain(skins)
            .chain(layers)
            .chain(curves)
            .chain(utilities)
            .chain(constraints)
            .chain(rig_logic)
            .chain(sets)
    }

    /// Names of the nodes that a host makes along with those of the lists, and what each is.
    fn names_of_companions(&self) -> impl Iterator<Item = (&'static str, String)> {
        let shapes = self.transforms.iter().filter(|node| node.shape != Shape::None);
        let shapes = shapes.map(|node| ("a control's shape", format!("{}Shape", node.name)));
        let meshes = self.meshes.iter().flat_map(|mesh| {
            ["Shape", "ShapeOrig"].map(|own| ("a mesh's shape", format!("{}{own}", mesh.name)))
        });
        let looks = self.materials.iter().flat_map(|material| {
            ["SG", "_info"].map(|own| ("what belongs to a material", format!("{}{own}", material.name)))
        });
        let script =
            (self.up_axis == UpAxis::Z).then(|| ("the script of the up axis", "upAxis_script".to_owned()));
        let own = NODES_OF_MAYA.map(|name| ("a node of every scene of Maya", name.to_owned()));
        shapes.chain(meshes).chain(looks).chain(script).chain(own)
    }

    /// What keeps the description from being a scene: names that a host does not take or that two nodes have, parents
    /// and members that do not exist, numbers out of range or not finite. Empty when all is well.
    pub fn check(&self) -> Vec<Finding> {
        let mut checks = Checks { findings: Vec::new() };
        let kinds = checks.names(self);
        checks.attributes(self);
        checks.metadata(self);
        checks.hierarchy(self);
        checks.members(self, &kinds);
        checks.meshes(self);
        checks.deformers(self);
        checks.network(self, &kinds);
        checks.findings
    }
}

struct Checks {
    findings: Vec<Finding>,
}

/// After this many findings of a kind the rest says nothing new.
const MOST: usize = 100;

impl Checks {
    fn error(&mut self, code: &'static str, place: &str, message: impl Into<String>, remedy: &str) {
        if self.findings.len() < MOST {
            self.findings.push(Finding::new(code, Severity::Error, place, message, remedy));
        }
    }

    /// Something about the name `found`, which is that of the node `place` or of an attribute of it.
    fn bad_name(&mut self, place: &str, found: &str, message: String) {
        const EXPECTED: &str = "letters, digits and underscores, not beginning with a digit";
        self.about_name("BAD_NAME", place, found, EXPECTED, message, "rename it in the DNA");
    }

    fn name_clash(&mut self, place: &str, found: &str, message: String, remedy: &str) {
        self.about_name("NAME_CLASH", place, found, "a name that nothing else has", message, remedy);
    }

    fn about_name(
        &mut self,
        code: &'static str,
        place: &str,
        found: &str,
        expected: &str,
        message: String,
        remedy: &str,
    ) {
        if self.findings.len() < MOST {
            let finding = Finding::new(code, Severity::Error, place, message, remedy);
            self.findings.push(finding.with_values(expected, found));
        }
    }

    fn dangling(&mut self, place: &str, what: &str, name: &str) {
        let message = format!("its {what} `{name}` does not exist");
        self.error(
            "NODE_MISSING",
            place,
            message,
            "this is a fault of the program that made the description",
        );
    }

    fn broken(&mut self, place: &str, message: impl Into<String>) {
        let remedy = "check the DNA with `mhrig validate`";
        self.error("RIG_INCONSISTENT", place, message, remedy);
    }

    /// Every name once; returns kinds by name.
    fn names<'a>(&mut self, scene: &'a RigScene) -> HashMap<&'a str, &'static str> {
        let mut kinds: HashMap<&str, &'static str> = HashMap::new();
        for (kind, name) in scene.node_names() {
            if !is_node_name(name) {
                let message = format!("{kind} `{name}` has a name that Maya does not take");
                self.bad_name(name, name, message);
            }
            if let Some(other) = kinds.insert(name, kind) {
                let message = format!("two nodes have this name: {other} and {kind}");
                self.name_clash(name, name, message, "rename one of them in its DNA");
            }
        }
        for (what, name) in scene.names_of_companions() {
            if let Some(kind) = kinds.get(name.as_str()) {
                let message = format!("{kind} `{name}` has the name of {what}");
                self.name_clash(&name, &name, message, "rename it in its DNA");
            }
        }
        kinds
    }

    /// Attributes and targets have names that Maya takes, each once, and none that the node has anyway.
    fn attributes(&mut self, scene: &RigScene) {
        fn names(attributes: &[CustomAttribute]) -> Vec<&str> {
            attributes.iter().map(|attribute| attribute.name.as_str()).collect()
        }
        let transforms =
            scene.transforms.iter().map(|node| ("transform", &node.name, names(&node.attributes)));
        let joints = scene.joints.iter().map(|node| ("joint", &node.name, names(&node.attributes)));
        let shapes = scene.blend_shapes.iter().map(|node| {
            ("blendShape", &node.name, node.targets.iter().map(|target| target.name.as_str()).collect())
        });
        let kinds = ["transform", "joint", "blendShape"].map(|kind| (kind, built_in_attributes(kind)));
        for (kind, node, names) in transforms.chain(joints).chain(shapes) {
            let mut taken: HashSet<&str> = HashSet::new();
            for name in names {
                let remedy =
                    "rename it in the DNA: what is behind the dot of a control, or the whole of a channel";
                if !is_attribute_name(name) {
                    let message = format!("`{name}` is no name of an attribute in Maya");
                    self.bad_name(node, name, message);
                } else if kinds.iter().any(|(of, built_in)| *of == kind && built_in.contains(name)) {
                    let message = format!("every {kind} has an attribute `{name}` already");
                    self.name_clash(node, name, message, remedy);
                } else if !taken.insert(name) {
                    let message = format!("two of its attributes have the name `{name}`");
                    self.name_clash(node, name, message, remedy);
                }
            }
        }
    }

    /// The top group has a text attribute for each key.
    fn metadata(&mut self, scene: &RigScene) {
        let Some(top) = scene.top_group() else {
            if !scene.metadata.is_empty() {
                self.broken("scene", "what it was made from has no top group to stand on");
            }
            return;
        };
        let mut taken: HashSet<&str> = top.attributes.iter().map(|own| own.name.as_str()).collect();
        for (key, _) in &scene.metadata {
            if !is_attribute_name(key) || !taken.insert(key) {
                let message = format!("`{key}` is no name of one more attribute");
                let remedy = "this is a fault of the program that made the description";
                self.error("BAD_NAME", &top.name, message, remedy);
            }
        }
    }

    /// Parents exist and come first.
    fn hierarchy(&mut self, scene: &RigScene) {
        let mut known: HashSet<&str> = HashSet::new();
        let transforms = scene.transforms.iter().map(|node| (&node.name, &node.parent));
        let joints = scene.joints.iter().map(|node| (&node.name, &node.parent));
        for (name, parent) in transforms.chain(joints) {
            if let Some(parent) = parent.as_deref().filter(|&parent| !known.contains(parent)) {
                self.dangling(name, "parent, which has to come first,", parent);
            }
            known.insert(name);
        }
        for mesh in &scene.meshes {
            if !known.contains(mesh.parent.as_str()) {
                self.dangling(&mesh.name, "parent", &mesh.parent);
            }
        }
        for node in &scene.transforms {
            let curve: &[[f64; 3]] = if let Shape::Curve { points } = &node.shape { points } else { &[] };
            let numbers = [node.translate, node.rotate, node.scale];
            if numbers.iter().chain(curve).flatten().any(|c| !c.is_finite()) {
                self.broken(&node.name, "its place has a number that is not finite");
            }
        }
        for joint in &scene.joints {
            if joint.translate.iter().chain(&joint.orient).any(|c| !c.is_finite()) {
                self.broken(&joint.name, "its place has a number that is not finite");
            }
        }
    }

    fn members(&mut self, scene: &RigScene, kinds: &HashMap<&str, &'static str>) {
        let layers = scene.display_layers.iter().map(|layer| (&layer.name, &layer.members));
        let sets = scene.sets.iter().map(|set| (&set.name, &set.members));
        for (name, members) in layers.chain(sets) {
            for member in members.iter().filter(|member| !kinds.contains_key(member.as_str())) {
                self.dangling(name, "member", member);
            }
        }
    }

    fn meshes(&mut self, scene: &RigScene) {
        for rig_mesh in &scene.meshes {
            let named = NamedMesh { name: &rig_mesh.name, mesh: &rig_mesh.mesh, normals: None };
            if let Err(error) = named.check() {
                self.findings.push(error.to_finding());
            }
            if let Some(face) = rig_mesh.mesh.faces.iter().position(|face| face.len() < 3) {
                self.broken(&rig_mesh.name, format!("face {face} has fewer than 3 corners"));
            }
            if rig_mesh.material as usize >= scene.materials.len() {
                self.dangling(&rig_mesh.name, "material", &rig_mesh.material.to_string());
            }
            let corners = rig_mesh.mesh.faces.corners().len();
            let is_bad = |locked: &super::LockedNormal| {
                locked.corner as usize >= corners || locked.normal.iter().any(|c| !c.is_finite())
            };
            if rig_mesh.locked_normals.iter().any(is_bad) {
                self.broken(&rig_mesh.name, "a locked normal is not finite or belongs to no corner");
            }
        }
    }

    fn deformers(&mut self, scene: &RigScene) {
        let vertices = |mesh: u32| scene.meshes.get(mesh as usize).map(|mesh| mesh.mesh.positions.len());
        let mut deformed = HashSet::new();
        for shape in &scene.blend_shapes {
            let Some(count) = vertices(shape.mesh).filter(|_| deformed.insert(shape.mesh)) else {
                self.broken(&shape.name, "it has no mesh of its own");
                continue;
            };
            for target in &shape.targets {
                let is_sound = target.vertices.len() == target.deltas.len()
                    && target.vertices.is_sorted_by(|a, b| a < b)
                    && target.vertices.last().is_none_or(|&last| (last as usize) < count)
                    && target.deltas.iter().flatten().all(|c| c.is_finite());
                if !is_sound {
                    let message = format!(
                        "the deltas of `{}` are not one finite delta per vertex of {count}, ascending",
                        target.name
                    );
                    self.broken(&shape.name, message);
                }
            }
        }
        deformed.clear();
        for skin in &scene.skin_clusters {
            let Some(count) = vertices(skin.mesh).filter(|_| deformed.insert(skin.mesh)) else {
                self.broken(&skin.name, "it has no mesh of its own");
                continue;
            };
            let joints = scene.joints.len();
            let is_sound = skin.offsets.len() == count + 1
                && skin.offsets.first() == Some(&0)
                && skin.offsets.is_sorted()
                && skin.offsets.last().is_some_and(|&last| last as usize == skin.weights.len())
                && skin.bind_pre.len() == skin.influences.len()
                && skin.influences.is_sorted_by(|a, b| a < b)
                && skin.influences.last().is_none_or(|&last| (last as usize) < joints)
                && skin.weights.iter().all(|(influence, weight)| {
                    usize::from(*influence) < skin.influences.len() && weight.is_finite()
                })
                && skin.bind_pre.iter().flatten().all(|c| c.is_finite());
            if !is_sound {
                let message = format!("its weights are not those of {count} vertices and {joints} joints");
                self.broken(&skin.name, message);
            }
        }
    }

    fn network(&mut self, scene: &RigScene, kinds: &HashMap<&str, &'static str>) {
        for curve in &scene.curves {
            let is_sound = curve.keys.is_sorted_by(|a, b| a[0] < b[0])
                && !curve.keys.is_empty()
                && curve.keys.iter().flatten().all(|c| c.is_finite());
            if !is_sound {
                self.broken(&curve.name, "its keys are not finite and ascending");
            }
        }
        for constraint in &scene.constraints {
            let targets = constraint.targets.iter().map(|target| &target.node);
            for node in targets.chain([&constraint.node]) {
                if !kinds.contains_key(node.as_str()) {
                    self.dangling(&constraint.name, "node", node);
                }
            }
        }
        let mut driven: HashSet<&super::Plug> = HashSet::new();
        let wires = scene.rig_logic.iter().flat_map(|node| {
            let outputs =
                [&node.translations, &node.rotations, &node.scales, &node.blend_shapes, &node.animated_maps];
            outputs.into_iter().flatten().map(|wire| &wire.plug)
        });
        for plug in scene.connections.iter().map(|connection| &connection.to).chain(wires) {
            if !driven.insert(plug) {
                self.broken(&plug.to_string(), "two connections drive it");
            }
        }
        let inputs = scene.rig_logic.iter().flat_map(|node| node.inputs.iter().map(|wire| &wire.plug));
        let sources = scene.connections.iter().map(|connection| &connection.from).chain(inputs);
        for plug in sources.chain(driven.iter().copied()) {
            if !kinds.contains_key(plug.node.as_str()) {
                self.dangling(&plug.to_string(), "node", &plug.node);
            }
        }
    }
}
