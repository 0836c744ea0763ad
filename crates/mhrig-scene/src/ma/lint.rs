//! Whether everything that a Maya ASCII scene refers to is there: nodes, and attributes of their types.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::path::Path;

use mhrig_report::{Finding, Job, Severity};

use super::document::{MaDocument, MaNode, MaValue, read_document};
use crate::error::{Place, SceneError};

/// Node types and their attributes.
const NODE_TYPES: &str = include_str!("node_types.txt");

/// Nodes that every scene has, by the name that files give them, and their types.
const BUILT_IN: [(&str, &str); 3] = [
    (":renderPartition", "partition"),
    (":defaultShaderList1", "defaultShaderList"),
    (":lightLinker1", "lightLinker"),
];

/// Checks the Maya ASCII scene `file`: every parent, every attribute that is set, with its node, and both ends of every
/// connection have to exist, in the file itself or in the table of node types that this crate carries; no attribute may have two sources;
/// node types of a plug-in need a `requires`. One finding for each thing that does not hold.
///
/// # Errors
/// [`SceneError`] when the file cannot be read.
pub fn lint_ma(file: &Path, job: Job<'_>) -> Result<Vec<Finding>, SceneError> {
    let input =
        File::open(file).map_err(|source| SceneError::Unreadable { file: file.to_owned(), source })?;
    let document = read_document(file, input, job)?;
    let mut lint = Lint { file, types: node_types(), findings: Vec::new() };
    lint.check(&document);
    Ok(lint.findings)
}

/// Attribute names of a node type, short and long, those of the types that it extends included.
fn node_types() -> BTreeMap<&'static str, HashSet<&'static str>> {
    let mut types: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for line in NODE_TYPES.lines().filter(|line| !line.starts_with('#')) {
        let Some((head, attributes)) = line.split_once(':') else { continue };
        let (name, base) = head.split_once('<').unwrap_or((head, ""));
        let mut own = types.get(base.trim()).cloned().unwrap_or_default();
        own.extend(attributes.split_whitespace().flat_map(|pair| pair.split('/')));
        types.insert(name.trim(), own);
    }
    types
}

/// Attributes that every node of the type `kind` has, as far as scenes of this project use them.
pub(crate) fn built_in_attributes(kind: &str) -> HashSet<&'static str> {
    node_types().remove(kind).unwrap_or_default()
}

struct Lint<'a> {
    file: &'a Path,
    types: BTreeMap<&'static str, HashSet<&'static str>>,
    findings: Vec<Finding>,
}

impl Lint<'_> {
    fn note(&mut self, code: &'static str, line: u64, part: &str, message: String) {
        const MOST: usize = 1000;
        if self.findings.len() < MOST {
            let place = Place::line(self.file, line).in_part(part).to_string();
            let remedy = "write the scene again; if this stays, report it";
            self.findings.push(Finding::new(code, Severity::Error, place, message, remedy));
        }
    }

    fn check(&mut self, document: &MaDocument) {
        let required: HashSet<&str> =
            document.plugins.iter().flat_map(|plugin| plugin.node_types.iter().map(String::as_str)).collect();
        for node in &document.nodes {
            let kind = node.kind.as_str();
            if !self.types.contains_key(kind) {
                self.note("NODE_TYPE", node.line, &node.name, format!("`{kind}` is no known type of node"));
                continue;
            }
            let needs_plugin = matches!(kind, "mhRigLogic" | "embeddedNodeRL4" | "eulerToQuat");
            if needs_plugin && !required.contains(kind) {
                let message = format!("no `requires` names the plug-in that has `{kind}`");
                self.note("PLUGIN_MISSING", node.line, &node.name, message);
            }
            if let Some(parent) = &node.parent
                && !document.by_name.contains_key(parent)
            {
                self.note(
                    "NODE_MISSING",
                    node.line,
                    &node.name,
                    format!("its parent `{parent}` is not there"),
                );
            }
            let own = own_names(node);
            for set in &node.sets {
                if let Some(unknown) = self.unknown(node, &set.path, &own) {
                    let message = format!("`{kind}` has no attribute `{unknown}`");
                    self.note("ATTRIBUTE_MISSING", set.line, &node.name, message);
                }
            }
        }
        for orphan in &document.orphans {
            let message = match &*orphan.name {
                "" => "no node stands before it".to_owned(),
                name => format!("the node `{name}` is not there"),
            };
            self.note("NODE_MISSING", orphan.line, &orphan.plug(), message);
        }
        self.connections(document);
    }

    fn connections(&mut self, document: &MaDocument) {
        let mut sources: HashMap<&str, &str> = HashMap::new();
        let mut own_of: HashMap<&str, HashSet<Cow<'_, str>>> = HashMap::new();
        for connection in &document.connections {
            for plug in [&connection.from, &connection.to] {
                let Some((name, path)) = plug.split_once('.') else {
                    self.note("PLUG", connection.line, plug, "this is no attribute of a node".to_owned());
                    continue;
                };
                if let Some((_, kind)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
                    let known = self.types.get(kind).is_some_and(|names| names.contains(path));
                    if !known {
                        let message = format!("`{kind}` has no attribute `{path}`");
                        self.note("ATTRIBUTE_MISSING", connection.line, name, message);
                    }
                    continue;
                }
                let Some(node) = document.by_name.get(name).map(|&number| &document.nodes[number]) else {
                    let message = "the node is not there".to_owned();
                    self.note("NODE_MISSING", connection.line, plug, message);
                    continue;
                };
                let own = own_of.entry(name).or_insert_with(|| own_names(node));
                if let Some(unknown) = self.unknown(node, path, own) {
                    let message = format!("`{}` has no attribute `{unknown}`", node.kind);
                    self.note("ATTRIBUTE_MISSING", connection.line, plug, message);
                }
            }
            // `-na` finds a free element: those arrays are targets as often as they like
            let is_next = connection.to.ends_with(".dsm") || connection.to.starts_with(':');
            if !is_next && let Some(other) = sources.insert(&connection.to, &connection.from) {
                let message = format!("`{other}` and `{}` both lead into it", connection.from);
                self.note("TWO_SOURCES", connection.line, &connection.to, message);
            }
        }
    }

    /// The first step of `path` that neither the type nor the file, in the names that are the node's `own`, knows.
    fn unknown(&self, node: &MaNode, path: &str, own: &HashSet<Cow<'_, str>>) -> Option<String> {
        let names = self.types.get(node.kind.as_str())?;
        let steps = path.split('.').map(|step| step.split('[').next().unwrap_or(step));
        for (depth, step) in steps.enumerate() {
            let is_own = depth == 0 && own.contains(step);
            if !is_own && !names.contains(step) {
                return Some(step.to_owned());
            }
        }
        None
    }
}

/// Names of the attributes that a node was given, and those that it gives to elements of its arrays.
fn own_names(node: &MaNode) -> HashSet<Cow<'_, str>> {
    let added = node.added.iter().flat_map(|added| [added.short.as_str(), added.long.as_str()]);
    let mut names: HashSet<Cow<'_, str>> = added.map(Cow::Borrowed).collect();
    let set = node.sets.iter().find(|set| set.path == "aal");
    if let Some(MaValue::Words(words)) = set.map(|set| &set.value) {
        let text = words.concat();
        let pairs = text.trim_matches(['{', '}']).split(',').step_by(2);
        names.extend(pairs.map(|name| Cow::Owned(name.trim_matches('"').to_owned())));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_know_the_attributes_of_what_they_extend() {
        let types = node_types();
        assert!(types["joint"].contains("jo") && types["joint"].contains("translateX"));
        assert!(types["mhRigLogic"].contains("bsOutputs"));
        assert!(!types["transform"].contains("jo"));
    }

    #[test]
    fn every_base_is_in_the_table_before_it_is_used() {
        let mut known = HashSet::new();
        for line in NODE_TYPES.lines().filter(|line| !line.starts_with('#')) {
            let (head, _) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
            let (name, base) = head.split_once('<').unwrap_or((head, ""));
            assert!(base.trim().is_empty() || known.contains(base.trim()), "{line}");
            known.insert(name.trim());
        }
    }
}
