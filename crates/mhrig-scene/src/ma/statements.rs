//! Reads the statements of a Maya ASCII file into a [`Scene`].

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use mhrig_report::{Finding, Job, Severity};

use super::attribute::AttributePath;
use super::lexer::{Lexer, Token, unended};
use super::scene::{Link, NodeId, NodeKind, Reference, Scene, root_relative};
use super::values::is_transform_attribute;
use crate::error::{Place, SceneError};
use crate::number::parse_number;
use crate::read::{ReadOptions, UpAxis};

/// What the statements after a `createNode` or `select` are about.
#[derive(Clone, Copy, PartialEq)]
enum Current {
    /// A node that does not matter.
    Nothing,
    Node(NodeId),
    /// A script node that some exporters set the up axis with.
    UpAxisScript,
}

/// What can go wrong in a statement.
pub(super) enum Stop {
    /// The file cannot be read on.
    Fatal(SceneError),
    /// The values of one node are wrong; the rest of the file is fine.
    Bad { expected: String, found: String },
}

impl From<SceneError> for Stop {
    fn from(error: SceneError) -> Self {
        Self::Fatal(error)
    }
}

/// Node types that other nodes can be below of.
fn is_transform(kind: &str) -> bool {
    matches!(
        kind,
        "transform"
            | "joint"
            | "dagContainer"
            | "lodGroup"
            | "fosterParent"
            | "unknownTransform"
            | "ikHandle"
            | "place3dTexture"
            | "hikFKJoint"
            | "hikIKEffector"
            | "hikGroundPlane"
            | "assemblyDefinition"
            | "assemblyReference"
            | "ikEffector"
            | "instancer"
            | "softMod"
            | "softModHandle"
    )
}

/// Frequent node types below transforms that nothing else is below of and that hold no polygons.
fn is_other_shape(kind: &str) -> bool {
    matches!(
        kind,
        "camera"
            | "nurbsCurve"
            | "nurbsSurface"
            | "bezierCurve"
            | "locator"
            | "lattice"
            | "baseLattice"
            | "clusterHandle"
            | "follicle"
            | "imagePlane"
            | "annotationShape"
            | "subdiv"
            | "stroke"
            | "particle"
            | "nParticle"
            | "nCloth"
            | "nRigid"
            | "hairSystem"
            | "fluidShape"
            | "distanceDimShape"
    ) || kind.ends_with("Light")
        || kind.ends_with("Constraint")
}

/// Reads all statements of `input`, the content of `file`.
pub(super) fn read_statements(
    file: &Path,
    input: impl Read,
    options: &ReadOptions,
    job: Job<'_>,
) -> Result<Scene, SceneError> {
    let mut reader = Reader {
        file,
        lexer: Lexer::new(input, job),
        scene: Scene::default(),
        current: Current::Nothing,
        unit_cm: options.unit_cm.unwrap_or(1.0),
        unit_is_given: options.unit_cm.is_some(),
        angle_rad: 1f64.to_radians(),
        statement_line: 1,
        at_end: false,
        values: Vec::new(),
        words: Default::default(),
        known: 0,
        unknown: None,
    };
    match reader.run() {
        // a text of another kind has no semicolons
        Err(SceneError::Truncated { .. }) if reader.known == 0 && reader.unknown.is_some() => {}
        result => result?,
    }
    if reader.known == 0 {
        let (line, word) = reader.unknown.unwrap_or((1, "comments only".into()));
        return Err(SceneError::Malformed {
            place: Place::line(file, line),
            expected: "statements of a Maya ASCII scene (createNode, setAttr …)".into(),
            found: word,
        });
    }
    if reader.unit_is_given || reader.scene.unit_cm.is_some() {
        reader.scene.unit_cm = Some(reader.unit_cm);
    }
    Ok(reader.scene)
}

pub(super) struct Reader<'a, R> {
    pub(super) file: &'a Path,
    pub(super) lexer: Lexer<'a, R>,
    pub(super) scene: Scene,
    current: Current,
    /// cm per length unit of the numbers that follow.
    pub(super) unit_cm: f64,
    unit_is_given: bool,
    /// Radians per angle unit.
    pub(super) angle_rad: f64,
    statement_line: u64,
    /// Whether the semicolon of the statement has passed.
    at_end: bool,
    /// Numbers of the statement, kept to reuse the memory.
    pub(super) values: Vec<f64>,
    /// Words of the statement, likewise.
    words: [Vec<u8>; 3],
    /// Statements with a known command.
    known: u64,
    /// The first other one.
    unknown: Option<(u64, String)>,
}

impl<R: Read> Reader<'_, R> {
    fn run(&mut self) -> Result<(), SceneError> {
        loop {
            match self.token()? {
                Token::Eof => return Ok(()),
                Token::End => continue,
                Token::Text => {
                    self.statement_line = self.lexer.line();
                    self.at_end = false;
                    self.note_unknown();
                    self.skip()?;
                    continue;
                }
                Token::Word => {}
            }
            self.statement_line = self.lexer.line();
            self.at_end = false;
            self.known += 1;
            let result = match self.lexer.token() {
                b"setAttr" => self.set_attr(),
                b"createNode" => self.create_node(),
                b"connectAttr" => self.connect_attr(),
                b"select" => self.select(),
                b"parent" => self.parent(),
                b"currentUnit" => self.current_unit(),
                b"file" => self.file_statement(),
                b"upAxis" => self.up_axis(),
                b"requires" | b"fileInfo" | b"addAttr" | b"rename" | b"lockNode" | b"relationship"
                | b"disconnectAttr" | b"deleteAttr" | b"namespace" | b"dataStructure" | b"applyMetadata"
                | b"workspace" | b"evaluator" => self.skip().map_err(Stop::Fatal),
                _ => {
                    self.known -= 1;
                    self.note_unknown();
                    self.skip().map_err(Stop::Fatal)
                }
            };
            match result {
                Ok(()) => {}
                Err(Stop::Fatal(error)) => return Err(error),
                Err(Stop::Bad { expected, found }) => {
                    self.note_bad(expected, found);
                    self.skip()?;
                }
            }
        }
    }

    fn note_unknown(&mut self) {
        let word = format!("`{}`", excerpt(self.lexer.token()));
        self.unknown.get_or_insert((self.statement_line, word));
    }

    /// Keeps what is wrong with the values of the current node.
    fn note_bad(&mut self, expected: String, found: String) {
        let Current::Node(id) = self.current else { return };
        let node = &mut self.scene.nodes[id];
        // an attribute of a node of another type may only share its name with one of a transform
        if matches!(node.kind, NodeKind::Transform { is_known: false, .. }) {
            return;
        }
        let error = SceneError::Malformed {
            place: Place::line(self.file, self.statement_line).in_part(&node.name),
            expected,
            found,
        };
        node.problem.get_or_insert_with(|| error.to_finding());
    }

    fn token(&mut self) -> Result<Token, SceneError> {
        self.lexer.next_in(self.file)
    }

    /// The next token of the statement, `None` at its end.
    pub(super) fn argument(&mut self) -> Result<Option<Token>, SceneError> {
        match self.token()? {
            Token::End => {
                self.at_end = true;
                Ok(None)
            }
            Token::Eof => Err(unended(self.file, self.statement_line)),
            token => Ok(Some(token)),
        }
    }

    /// Passes what is left of the statement.
    pub(super) fn skip(&mut self) -> Result<(), SceneError> {
        if std::mem::replace(&mut self.at_end, true) {
            return Ok(());
        }
        self.lexer.skip_statement_in(self.file, self.statement_line)
    }

    pub(super) fn token_text(&self) -> String {
        String::from_utf8_lossy(self.lexer.token()).into_owned()
    }

    /// Whether the last token, a word, is a flag; negative numbers are none.
    pub(super) fn is_flag(&self) -> bool {
        matches!(self.lexer.token(), [b'-', letter, ..] if letter.is_ascii_alphabetic())
            && parse_number(self.lexer.token()).is_none()
    }

    /// All strings and plain words of the statement, each with the flag before it.
    pub(super) fn arguments(&mut self) -> Result<Vec<(Option<String>, String)>, SceneError> {
        const MOST: usize = 4096;
        let mut arguments = Vec::new();
        let mut flag = None;
        while let Some(token) = self.argument()? {
            if token == Token::Word && self.is_flag() {
                flag = Some(self.token_text());
            } else if arguments.len() < MOST {
                arguments.push((flag.take(), self.token_text()));
            }
        }
        Ok(arguments)
    }

    fn create_node(&mut self) -> Result<(), Stop> {
        self.current = Current::Nothing;
        let line = self.statement_line;
        let [mut kind, mut name, mut parent] = std::mem::take(&mut self.words);
        kind.clear();
        name.clear();
        parent.clear();
        while let Some(token) = self.argument()? {
            if token == Token::Text || !self.is_flag() {
                if kind.is_empty() {
                    kind.extend_from_slice(self.lexer.token());
                }
                continue;
            }
            let value = match self.lexer.token() {
                b"-n" | b"-name" => &mut name,
                b"-p" | b"-parent" => &mut parent,
                _ => continue,
            };
            if self.argument()?.is_none() {
                break;
            }
            value.clear();
            value.extend_from_slice(self.lexer.token());
        }
        self.add_node(&kind, &name, &parent, line);
        self.words = [kind, name, parent];
        Ok(())
    }

    /// Keeps a node of a type that matters, and makes it the current one.
    fn add_node(&mut self, kind: &[u8], name: &[u8], parent: &[u8], line: u64) {
        let kind = String::from_utf8_lossy(kind);
        let kind = kind.as_ref();
        let new_name = || match String::from_utf8_lossy(name) {
            name if name.is_empty() => format!("{kind}1"),
            name => root_relative(&name).to_owned(),
        };
        let node_kind = match kind {
            "mesh" => NodeKind::Mesh(Box::default()),
            "tweak" => NodeKind::Tweak(HashMap::new()),
            "script" => {
                if name.starts_with(b"upAxis") {
                    self.current = Current::UpAxisScript;
                }
                return;
            }
            _ if is_transform(kind) || (!parent.is_empty() && !is_other_shape(kind)) => {
                NodeKind::Transform { is_joint: kind == "joint", is_known: is_transform(kind), values: None }
            }
            _ => {
                if kind.starts_with("poly") {
                    self.scene.modelling_nodes.insert(new_name(), kind.to_owned());
                }
                return;
            }
        };
        let parent = String::from_utf8_lossy(parent);
        let parent = (!parent.is_empty()).then_some(&*parent);
        self.current = Current::Node(self.scene.add(new_name(), parent, line, node_kind));
    }

    fn select(&mut self) -> Result<(), Stop> {
        self.current = Current::Nothing;
        for (_, name) in self.arguments()? {
            if let Some(node) = self.scene.find(&name) {
                self.current = Current::Node(node);
            }
        }
        Ok(())
    }

    fn current_unit(&mut self) -> Result<(), Stop> {
        for (flag, value) in self.arguments()? {
            match flag.as_deref() {
                Some("-l" | "-linear") => match cm_per_unit(&value) {
                    Some(_) if self.unit_is_given => {}
                    Some(cm) => {
                        self.unit_cm = cm;
                        self.scene.unit_cm = Some(cm);
                    }
                    None => self
                        .warn("UNIT_UNKNOWN", format!("the length unit `{value}` is not known; cm is taken")),
                },
                Some("-a" | "-angle") => match value.as_str() {
                    "deg" | "degree" => self.angle_rad = 1f64.to_radians(),
                    "rad" | "radian" => self.angle_rad = 1.0,
                    "min" | "minute" => self.angle_rad = 1f64.to_radians() / 60.0,
                    "sec" | "second" => self.angle_rad = 1f64.to_radians() / 3600.0,
                    _ => self.warn(
                        "UNIT_UNKNOWN",
                        format!("the angle unit `{value}` is not known; degrees are taken"),
                    ),
                },
                _ => {}
            }
        }
        Ok(())
    }

    fn warn(&mut self, code: &'static str, message: String) {
        let place = Place::line(self.file, self.statement_line).to_string();
        let remedy = "set the working units in Maya's preferences and save the scene again";
        self.scene.findings.push(Finding::new(code, Severity::Warning, place, message, remedy));
    }

    fn up_axis(&mut self) -> Result<(), Stop> {
        for (flag, value) in self.arguments()? {
            if matches!(flag.as_deref(), Some("-ax" | "-axis")) {
                match value.as_str() {
                    "y" => self.scene.up_axis = Some(UpAxis::Y),
                    "z" => self.scene.up_axis = Some(UpAxis::Z),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn file_statement(&mut self) -> Result<(), Stop> {
        let line = self.statement_line;
        let (mut is_reference, mut namespace, mut file) = (false, String::new(), String::new());
        while let Some(token) = self.argument()? {
            if token == Token::Word && self.is_flag() {
                match self.lexer.token() {
                    b"-r" | b"-reference" => is_reference = true,
                    b"-ns" | b"-namespace" | b"-rpr" | b"-renamingPrefix" => {
                        if self.argument()?.is_none() {
                            break;
                        }
                        namespace = self.token_text();
                    }
                    _ => {}
                }
            } else {
                // the path is the last string
                file = self.token_text();
            }
        }
        if is_reference {
            self.scene.references.push(Reference { file, namespace, line });
        }
        Ok(())
    }

    /// `parent -s -nc -r -add "|box|boxShape" "box1"`: the shape is below `box1` too.
    fn parent(&mut self) -> Result<(), Stop> {
        let (mut adds, mut is_relative, mut names) = (false, false, Vec::new());
        while let Some(token) = self.argument()? {
            if token == Token::Word && self.is_flag() {
                match self.lexer.token() {
                    b"-add" | b"-addObject" => adds = true,
                    b"-r" | b"-relative" | b"-s" | b"-shape" => is_relative = true,
                    _ => {}
                }
            } else {
                names.push(self.token_text());
            }
        }
        let Some((parent, children)) = names.split_last() else { return Ok(()) };
        let parent = self.scene.find(parent);
        for child in children {
            let (Some(child), Some(parent)) = (self.scene.find(child), parent) else { continue };
            self.scene.place_below(child, parent, adds);
            if !adds && !is_relative {
                let message = format!(
                    "`{}` is moved to another parent; its place in the world may differ",
                    self.scene.nodes[child].name
                );
                self.warn("PARENT_NOT_RELATIVE", message);
            }
        }
        Ok(())
    }

    fn connect_attr(&mut self) -> Result<(), Stop> {
        let [mut source, mut target, spare] = std::mem::take(&mut self.words);
        source.clear();
        target.clear();
        while let Some(token) = self.argument()? {
            if token == Token::Word && self.is_flag() {
                continue;
            }
            let plug = match (source.is_empty(), target.is_empty()) {
                (true, _) => &mut source,
                (false, true) => &mut target,
                _ => continue,
            };
            plug.extend_from_slice(self.lexer.token());
        }
        // a scene has more connections than anything else, and few of them matter
        if is_watched_input(&target) {
            self.connect(&String::from_utf8_lossy(&source), &String::from_utf8_lossy(&target));
        }
        self.words = [source, target, spare];
        Ok(())
    }

    fn connect(&mut self, source: &str, target: &str) {
        let (Some(source), Some(target)) = (AttributePath::parse(source), AttributePath::parse(target))
        else {
            return;
        };
        let (Some(source_node), Some(target_node)) = (source.node, target.node) else { return };
        let Some(last) = target.steps.last() else { return };
        let node = self.scene.find(target_node);
        if is_transform_attribute(last.name) {
            if let Some(node) = node {
                self.scene.nodes[node].driven.get_or_insert_with(|| last.name.to_owned());
            }
            return;
        }
        // `i` is an input of many nodes that no geometry flows through
        if last.name == "i" && node.is_none_or(|node| self.scene.mesh(node).is_none()) {
            return;
        }
        let index = |path: &AttributePath<'_>| {
            path.steps.iter().rev().find_map(|step| step.range).map(|range| range.0)
        };
        let link = Link { source_node: source_node.to_owned(), source_index: index(&source) };
        self.scene.links.entry(target_node.to_owned()).or_default().add(index(&target), link);
    }

    fn set_attr(&mut self) -> Result<(), Stop> {
        loop {
            let Some(token) = self.argument()? else { return Ok(()) };
            if token == Token::Word && self.is_flag() {
                if flag_takes_value(self.lexer.token()) && self.argument()?.is_none() {
                    return Ok(());
                }
                continue;
            }
            break;
        }
        // most statements are about nodes that do not matter: look no further
        if self.current == Current::Nothing && self.lexer.token().first() == Some(&b'.') {
            return Ok(self.skip()?);
        }
        let text = self.token_text();
        let Some(path) = AttributePath::parse(&text) else { return Ok(self.skip()?) };
        let target = match path.node {
            None => self.current,
            Some(name) => self.scene.find(name).map_or(Current::Nothing, Current::Node),
        };
        let id = match target {
            Current::Nothing => return Ok(self.skip()?),
            Current::UpAxisScript => return self.up_axis_script(),
            Current::Node(id) => id,
        };
        // problems belong to the node that the statement names
        let before = std::mem::replace(&mut self.current, target);
        let result = match self.scene.nodes[id].kind {
            NodeKind::Transform { .. } => self.set_transform(id, &path),
            NodeKind::Mesh(_) => self.set_mesh(id, &path),
            NodeKind::Tweak(_) => self.set_tweak(id, &path),
        };
        let result = match result {
            Err(Stop::Bad { expected, found }) => {
                self.note_bad(expected, found);
                self.skip().map_err(Stop::Fatal)
            }
            result => result,
        };
        self.current = before;
        result
    }
}

/// Whether `plug` names an attribute whose connection matters: an input of geometry, or a place in the world.
fn is_watched_input(plug: &[u8]) -> bool {
    let last = memchr::memrchr(b'.', plug).and_then(|at| plug.get(at + 1..)).unwrap_or_default();
    let name = last.split(|&b| b == b'[').next().unwrap_or_default();
    matches!(name, b"i" | b"inMesh" | b"ig" | b"inputGeometry" | b"ip" | b"inputPolymesh")
        || std::str::from_utf8(name).is_ok_and(is_transform_attribute)
}

/// Whether a flag of `setAttr` is followed by a value.
pub(super) fn flag_takes_value(flag: &[u8]) -> bool {
    !matches!(flag, b"-av" | b"-alteredValue" | b"-c" | b"-clamp")
}

/// Centimetres in a length unit, by the names that `currentUnit` knows.
fn cm_per_unit(name: &str) -> Option<f64> {
    Some(match name {
        "mm" | "millimeter" => 0.1,
        "cm" | "centimeter" => 1.0,
        "m" | "meter" => 100.0,
        "km" | "kilometer" => 100_000.0,
        "in" | "inch" => 2.54,
        "ft" | "foot" => 30.48,
        "yd" | "yard" => 91.44,
        "mi" | "mile" => 160_934.4,
        _ => return None,
    })
}

/// The beginning of `bytes`, to be shown in a message.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}
