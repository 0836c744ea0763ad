//! Epic's command connects its node by patterns: it reaches joints that others lead, and releases without `-ijn` leave
//! the inputs that joints drive. What it did is compared with the description and mended.

use std::collections::{HashMap, HashSet};

use mhrig::{Connection, Finding, Plug, RigLogicKind, RigLogicNode, Severity};

use crate::assembly::{Builder, LISTED, Unbuilt};
use crate::bridge::Host;
use crate::names::quoted;

/// What a node has at its inputs and outputs in the scene.
#[derive(Debug, Default)]
struct Found {
    /// Source of each input, by the plug of the input.
    inputs: HashMap<Plug, Plug>,
    outputs: Vec<Connection>,
}

/// How that differs from the description.
#[derive(Debug, Default, PartialEq)]
struct Difference {
    /// Outputs at attributes of joints that the description leaves to others.
    surplus: Vec<Connection>,
    /// Inputs that nothing drives.
    inputs: Vec<Connection>,
    /// Outputs that do not reach where they have to.
    outputs: Vec<Connection>,
    /// Inputs that something else drives, outputs to something else than joints.
    others: Vec<Connection>,
}

impl Difference {
    fn of(node: &RigLogicNode, found: &Found, is_joint: impl Fn(&str) -> bool) -> Self {
        let mut difference = Self::default();
        for described in node.input_connections() {
            match found.inputs.get(&described.to) {
                None => difference.inputs.push(described),
                Some(from) if *from == described.from => {}
                Some(from) => difference.others.push(Connection { from: from.clone(), to: described.to }),
            }
        }
        let described: Vec<Connection> = node.output_connections().collect();
        let key = |connection: &Connection| (connection.from.clone(), connection.to.clone());
        let wanted: HashSet<_> = described.iter().map(key).collect();
        let made: HashSet<_> = found.outputs.iter().map(key).collect();
        for connection in found.outputs.iter().filter(|own| !wanted.contains(&key(own))) {
            let is_surplus = is_joint(&connection.to.node);
            let list = if is_surplus { &mut difference.surplus } else { &mut difference.others };
            list.push(connection.clone());
        }
        difference.outputs = described.into_iter().filter(|own| !made.contains(&key(own))).collect();
        difference
    }
}

/// A plug as the description names it: names of a rig are unique in its scene, so that a path says no more.
pub(crate) fn plug(name: &str) -> Option<Plug> {
    let (node, attribute) = name.split_once('.')?;
    let node = node.rsplit('|').next().unwrap_or(node);
    Some(Plug::new(node.strip_prefix(':').unwrap_or(node), attribute))
}

/// Connections of a whole node: its own plug and the one at the other end.
fn ends(host: &Host, node: &str, direction: &str) -> Vec<[Plug; 2]> {
    let list = format!("listConnections {direction} -c 1 -p 1 -scn 1 {}", quoted(node));
    let names = host.mel_texts(&list).unwrap_or_default();
    let pairs = names.as_chunks::<2>().0.iter();
    pairs.filter_map(|[own, other]| Some([plug(own)?, plug(other)?])).collect()
}

fn found(host: &Host, node: &RigLogicNode) -> Found {
    let attributes: Vec<String> =
        node.outputs().iter().map(|(attribute, _)| format!("{attribute}[")).collect();
    let is_output = |plug: &Plug| attributes.iter().any(|own| plug.attribute.starts_with(own));
    let inputs = ends(host, &node.name, "-s 1 -d 0").into_iter().map(|[own, other]| (own, other));
    let outputs = ends(host, &node.name, "-s 0 -d 1").into_iter();
    Found {
        inputs: inputs.collect(),
        outputs: outputs
            .filter(|[own, _]| is_output(own))
            .map(|[from, to]| Connection { from, to })
            .collect(),
    }
}

/// Takes out of the lists what is connected after all, under another name of the same plug.
fn without_aliases(host: &Host, difference: &mut Difference) {
    let is_there = |connection: &Connection| {
        let (from, to) = (quoted(&connection.from.to_string()), quoted(&connection.to.to_string()));
        host.mel_int(&format!("isConnected -iuc {from} {to}")) == Some(1)
    };
    let (there, lacking) = std::mem::take(&mut difference.outputs).into_iter().partition(is_there);
    difference.outputs = lacking;
    let there: Vec<Connection> = there;
    let is_alias =
        |own: &Connection| there.iter().any(|other| own.from == other.from && own.to.node == other.to.node);
    difference.others.retain(|own| !is_alias(own));
}

fn connect(connection: &Connection) -> String {
    let (from, to) = (connection.from.to_string(), connection.to.to_string());
    format!("connectAttr -f {} {};", quoted(&from), quoted(&to))
}

/// The array that an element belongs to.
fn array_of(plug: &Plug) -> &str {
    plug.attribute.split('[').next().unwrap_or_default()
}

/// What leads into an attribute itself, a node that converts units included.
fn direct_source(host: &Host, plug: &Plug) -> Option<String> {
    let list = format!("listConnections -s 1 -d 0 -p 1 {}", quoted(&plug.to_string()));
    host.mel_texts(&list).into_iter().flatten().next()
}

fn listed<'a>(plugs: impl ExactSizeIterator<Item = &'a Plug>) -> String {
    let more = plugs.len().saturating_sub(LISTED);
    let names: Vec<String> = plugs.take(LISTED).map(Plug::to_string).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

fn note(code: &'static str, severity: Severity, node: &str, message: String, remedy: &str) -> Finding {
    Finding::new(code, severity, node, message, remedy)
}

/// What is said about what was mended.
fn mended(node: &RigLogicNode, difference: &Difference, findings: &mut Vec<Finding>) {
    let mut add = |code, severity, message: String, remedy: &str| {
        findings.push(note(code, severity, &node.name, message, remedy));
    };
    let Difference { surplus, inputs, outputs, others } = difference;
    if !surplus.is_empty() {
        let message = format!(
            "{} outputs that the command of Epic's node connected to joints which others lead were disconnected: {}",
            surplus.len(),
            listed(surplus.iter().map(|own| &own.to))
        );
        add("EPIC_NODE_SURPLUS", Severity::Info, message, "nothing to do");
    }
    if !inputs.is_empty() {
        let message = format!(
            "{} inputs that the command of Epic's node left out were connected: from {}",
            inputs.len(),
            listed(inputs.iter().map(|own| &own.from))
        );
        add("EPIC_NODE_INPUTS", Severity::Info, message, "nothing to do");
    }
    if !outputs.is_empty() {
        let all = node.output_connections().count();
        let message = format!(
            "{} of {all} outputs that the command of Epic's node left out were connected: to {}",
            outputs.len(),
            listed(outputs.iter().map(|own| &own.to))
        );
        let remedy = "see whether the node evaluates: the command may not have read the DNA file; -rigLogic mh does without it";
        add("EPIC_NODE_OUTPUTS", Severity::Warning, message, remedy);
    }
    if !others.is_empty() {
        let message = format!(
            "{} connections of Epic's node are others than described, and left as they are: to {}",
            others.len(),
            listed(others.iter().map(|own| &own.to))
        );
        // How the command reads joints is its own affair, as long as it does.
        let are_inputs = others.iter().all(|own| own.to.node == node.name);
        let severity = if are_inputs { Severity::Info } else { Severity::Warning };
        let remedy = "compare the rig's motion with that of -rigLogic mh";
        add("EPIC_NODE_OTHERS", severity, message, remedy);
    }
}

impl Builder<'_> {
    fn difference(&self, node: &RigLogicNode, joints: &HashSet<&str>) -> Difference {
        let found = found(self.host, node);
        let mut difference = Difference::of(node, &found, |name| joints.contains(name));
        without_aliases(self.host, &mut difference);
        difference
    }

    /// Gives Epic's nodes the connections of the description, and says what was different.
    pub(crate) fn mend_epic_nodes(&mut self, title: &str) -> Result<(), Unbuilt> {
        let scene = self.scene();
        let is_there = |node: &&RigLogicNode| self.host.node(&node.name).is_some();
        let nodes = scene.rig_logic.iter().filter(|node| node.kind == RigLogicKind::EmbeddedNodeRl4);
        let nodes: Vec<&RigLogicNode> = nodes.filter(is_there).collect();
        if nodes.is_empty() {
            return Ok(());
        }
        self.poll(title)?;
        let joints: HashSet<&str> = scene.joints.iter().map(|joint| joint.name.as_str()).collect();
        // All nodes give back what is not theirs before one of them is completed: it may belong to another of them.
        let mut surplus = Vec::new();
        for node in &nodes {
            let taken = Difference::of(node, &found(self.host, node), |name| joints.contains(name)).surplus;
            let breaks: Vec<String> = taken.iter().filter_map(|own| self.disconnect(&own.to)).collect();
            self.statements(title, &breaks)?;
            let given_back: HashSet<&Plug> = taken.iter().map(|own| &own.to).collect();
            let owned = scene.connections.iter().filter(|own| given_back.contains(&own.to));
            let restored: Vec<String> = owned.map(connect).collect();
            self.statements(title, &restored)?;
            surplus.push(taken);
        }
        for (node, surplus) in nodes.into_iter().zip(surplus) {
            let mut difference = self.difference(node, &joints);
            difference.surplus = surplus;
            // A release whose node lacks an array is no reason to have no rig: what stays open is told below.
            let lacks = self.lacking_arrays(node);
            difference.inputs.retain(|own| !lacks.contains(array_of(&own.to)));
            difference.outputs.retain(|own| !lacks.contains(array_of(&own.from)));
            let lacking = difference.inputs.iter().chain(&difference.outputs);
            let connects: Vec<String> = lacking.map(connect).collect();
            self.statements(title, &connects)?;
            mended(node, &difference, &mut self.findings);
            let left = self.difference(node, &joints);
            let left: Vec<&Plug> =
                left.surplus.iter().chain(&left.inputs).chain(&left.outputs).map(|own| &own.to).collect();
            if !left.is_empty() {
                let message = format!(
                    "{} connections of Epic's node are still not those of the description: {}",
                    left.len(),
                    listed(left.into_iter())
                );
                let remedy = "assemble with -rigLogic mh";
                self.findings.push(note("EPIC_NODE_WIRES", Severity::Warning, &node.name, message, remedy));
            }
        }
        Ok(())
    }

    /// Array attributes of the description that Epic's node does not have.
    fn lacking_arrays(&self, node: &RigLogicNode) -> HashSet<&'static str> {
        let arrays = node.outputs().map(|(attribute, _)| attribute).into_iter().chain(["inputs"]);
        let is_there = |array: &&str| {
            let plug = quoted(&format!("{}.{array}", node.name));
            self.host.mel_int(&format!("objExists {plug}")) == Some(1)
        };
        arrays.filter(|array| !is_there(array)).collect()
    }

    fn disconnect(&self, plug: &Plug) -> Option<String> {
        let source = direct_source(self.host, plug)?;
        Some(format!("disconnectAttr {} {};", quoted(&source), quoted(&plug.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mhrig::{NamingPatterns, Wire};

    fn wire(index: u32, node: &str, attribute: &str) -> Wire {
        Wire { index, plug: Plug::new(node, attribute) }
    }

    fn node() -> RigLogicNode {
        RigLogicNode {
            name: "a:body".into(),
            kind: RigLogicKind::EmbeddedNodeRl4,
            dna_file_path: String::new(),
            naming: NamingPatterns::default(),
            coordinate_system: String::new(),
            lod: 0,
            inputs: vec![
                wire(0, "a:CTRL", "x"),
                wire(1, "a:q", "outputQuatX"),
                wire(2, "a:q", "outputQuatY"),
            ],
            translations: vec![wire(4, "a:j", "translateX")],
            rotations: vec![wire(7, "a:j", "rotateX")],
            scales: Vec::new(),
            blend_shapes: vec![wire(0, "a:m_blendShapes", "smile")],
            animated_maps: Vec::new(),
        }
    }

    fn connection(from: &str, to: &str) -> Connection {
        Connection { from: plug(from).unwrap(), to: plug(to).unwrap() }
    }

    fn found(inputs: &[[&str; 2]], outputs: &[[&str; 2]]) -> Found {
        Found {
            inputs: inputs.iter().map(|[own, from]| (plug(own).unwrap(), plug(from).unwrap())).collect(),
            outputs: outputs.iter().map(|[from, to]| connection(from, to)).collect(),
        }
    }

    #[test]
    fn what_a_command_left_out_took_and_did_otherwise_is_told_apart() {
        let found = found(
            &[["a:body.inputs[0]", "a:CTRL.x"], ["a:body.inputs[2]", "a:other.x"]],
            &[
                ["a:body.jntTranslationOutputs[4]", "|rig|a:j.translateX"],
                ["a:body.jntRotationOutputs[0]", "|rig|a:root|a:head.rotateX"],
                ["a:body.bsOutputs[1]", "a:m_blendShapes.frown"],
            ],
        );
        let difference = Difference::of(&node(), &found, |name| name == "a:j" || name == "a:head");
        assert_eq!(
            difference,
            Difference {
                surplus: vec![connection("a:body.jntRotationOutputs[0]", "a:head.rotateX")],
                inputs: vec![connection("a:q.outputQuatX", "a:body.inputs[1]")],
                outputs: vec![
                    connection("a:body.jntRotationOutputs[7]", "a:j.rotateX"),
                    connection("a:body.bsOutputs[0]", "a:m_blendShapes.smile"),
                ],
                others: vec![
                    connection("a:other.x", "a:body.inputs[2]"),
                    connection("a:body.bsOutputs[1]", "a:m_blendShapes.frown"),
                ],
            }
        );
        let mut findings = Vec::new();
        mended(&node(), &difference, &mut findings);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["EPIC_NODE_SURPLUS", "EPIC_NODE_INPUTS", "EPIC_NODE_OUTPUTS", "EPIC_NODE_OTHERS"]);
        assert_eq!(findings[3].severity, Severity::Warning);
        assert!(findings[0].message.contains("1 outputs") && findings[0].message.contains("a:head.rotateX"));
        assert!(findings[1].message.contains("a:q.outputQuatX"), "{}", findings[1].message);
    }

    #[test]
    fn inputs_that_the_command_reads_in_its_own_way_are_no_warning() {
        let from_elsewhere = connection("a:other.x", "a:body.inputs[2]");
        let difference = Difference { others: vec![from_elsewhere], ..Difference::default() };
        let mut findings = Vec::new();
        mended(&node(), &difference, &mut findings);
        assert_eq!((findings.len(), findings[0].severity), (1, Severity::Info));
    }

    #[test]
    fn a_node_as_described_differs_in_nothing() {
        let node = node();
        let found = Found {
            inputs: node.input_connections().map(|own| (own.to, own.from)).collect(),
            outputs: node.output_connections().collect(),
        };
        let difference = Difference::of(&node, &found, |_| true);
        assert_eq!(difference, Difference::default());
        let mut findings = Vec::new();
        mended(&node, &difference, &mut findings);
        assert!(findings.is_empty());
    }

    #[test]
    fn a_list_of_names_ends_with_how_many_more_there_are() {
        let plugs: Vec<Plug> = (0..7).map(|number| Plug::new("j", format!("a{number}"))).collect();
        assert_eq!(listed(plugs.iter()), "j.a0, j.a1, j.a2, j.a3, j.a4 and 2 more");
    }
}
