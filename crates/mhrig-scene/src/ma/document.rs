//! Every statement of a Maya ASCII file that says something of a node, as it stands there.
//!
//! Meshes are read by a reader of their own, which keeps only what matters to them and streams; this one is for scenes
//! that are to be understood whole: rigs of our own, and the check of what they refer to.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use mhrig_report::Job;

use super::lexer::{Lexer, Token, unended};
use super::scene::root_relative;
use super::statements::{excerpt, flag_takes_value};
use crate::error::{Place, SceneError};
use crate::number::{parse_f64, parse_number};

/// What a Maya ASCII file says.
#[derive(Debug, Default)]
pub(super) struct MaDocument {
    /// The year after `requires maya`.
    pub(super) maya_version: Option<String>,
    pub(super) plugins: Vec<Required>,
    pub(super) nodes: Vec<MaNode>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) connections: Vec<MaConnection>,
    /// In the order of the file.
    pub(super) orphans: Vec<Orphan>,
}

#[derive(Debug, Default)]
pub(super) struct Required {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) node_types: Vec<String>,
}

#[derive(Debug)]
pub(super) struct MaNode {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) parent: Option<String>,
    pub(super) line: u64,
    pub(super) added: Vec<Added>,
    pub(super) sets: Vec<MaSet>,
}

/// An attribute that a file gives a node.
#[derive(Debug, Default)]
pub(super) struct Added {
    pub(super) short: String,
    pub(super) long: String,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    /// A string; a number otherwise.
    pub(super) is_text: bool,
}

/// One `setAttr`.
#[derive(Debug)]
pub(super) struct MaSet {
    /// After the dot: `t`, `vt[0:165]`, `it[0].itg[3].iti[6000].ipt`.
    pub(super) path: String,
    pub(super) line: u64,
    pub(super) locked: Option<bool>,
    pub(super) keyable: Option<bool>,
    pub(super) value: MaValue,
}

/// What a `setAttr` sets.
#[derive(Debug, PartialEq)]
pub(super) enum MaValue {
    /// Only flags or a size.
    Nothing,
    /// Numbers; yes and no are 1 and 0.
    Numbers(Vec<f64>),
    /// Words and strings, where not all are numbers.
    Words(Vec<String>),
}

#[derive(Debug)]
pub(super) struct MaConnection {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) line: u64,
}

/// An attribute that is set or added where the file has not made the node.
#[derive(Debug)]
pub(super) struct Orphan {
    /// The node, as it was named; empty where no node stands before.
    pub(super) name: Arc<str>,
    /// As in [`MaSet`].
    pub(super) path: String,
    pub(super) line: u64,
}

/// What a statement is about.
#[derive(Clone)]
enum Subject {
    Node(usize),
    /// A node that every scene has without making it, as in `select -ne :time1`.
    MayasOwn,
    /// No node of the file; the name as it stands there.
    Missing(Arc<str>),
}

/// Attributes that hold `f32`: their numbers are rounded once, to that.
fn is_single(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or(path);
    let name = last.split('[').next().unwrap_or(last);
    matches!(name, "vt" | "n" | "uvsp" | "ipt" | "w")
}

/// Reads all statements of `input`, the content of `file`.
pub(super) fn read_document(file: &Path, input: impl Read, job: Job<'_>) -> Result<MaDocument, SceneError> {
    let current = Subject::Missing("".into());
    let mut reader = Reader { file, lexer: Lexer::new(input, job), document: MaDocument::default(), current };
    reader.run()?;
    Ok(reader.document)
}

struct Reader<'a, R> {
    file: &'a Path,
    lexer: Lexer<'a, R>,
    document: MaDocument,
    current: Subject,
}

/// A word of a statement.
struct Word {
    text: String,
    is_quoted: bool,
}

impl Word {
    fn flag(&self) -> Option<&str> {
        let is_flag = !self.is_quoted
            && matches!(self.text.as_bytes(), [b'-', letter, ..] if letter.is_ascii_alphabetic())
            && parse_f64(self.text.as_bytes()).is_none();
        is_flag.then_some(self.text.as_str())
    }
}

impl<R: Read> Reader<'_, R> {
    fn run(&mut self) -> Result<(), SceneError> {
        loop {
            match self.token()? {
                Token::Eof => return Ok(()),
                Token::End => continue,
                Token::Text => {
                    let found = excerpt(self.lexer.token());
                    return Err(self.malformed("a command", format!("\"{found}\"")));
                }
                Token::Word => {}
            }
            let line = self.lexer.line();
            match self.lexer.token() {
                b"setAttr" => self.set_attr(line)?,
                b"createNode" => self.create_node(line)?,
                b"addAttr" => self.add_attr(line)?,
                b"connectAttr" => self.connect_attr(line)?,
                b"select" => self.select()?,
                b"requires" => self.requires()?,
                _ => self.lexer.skip_statement_in(self.file, line)?,
            }
        }
    }

    fn token(&mut self) -> Result<Token, SceneError> {
        self.lexer.next_in(self.file)
    }

    fn malformed(&mut self, expected: &str, found: String) -> SceneError {
        let place = Place::line(self.file, self.lexer.line());
        SceneError::Malformed { place, expected: expected.to_owned(), found }
    }

    fn word(&mut self, line: u64) -> Result<Option<Word>, SceneError> {
        let is_quoted = match self.token()? {
            Token::End => return Ok(None),
            Token::Eof => return Err(unended(self.file, line)),
            token => token == Token::Text,
        };
        let text = String::from_utf8_lossy(self.lexer.token()).into_owned();
        Ok(Some(Word { text, is_quoted }))
    }

    fn words(&mut self) -> Result<Vec<Word>, SceneError> {
        let line = self.lexer.line();
        let mut words = Vec::new();
        while let Some(word) = self.word(line)? {
            words.push(word);
        }
        Ok(words)
    }

    fn create_node(&mut self, line: u64) -> Result<(), SceneError> {
        let words = self.words()?;
        let (mut kind, mut name, mut parent) = (None, None, None);
        let mut rest = words.into_iter();
        while let Some(word) = rest.next() {
            match word.flag() {
                Some("-n" | "-name") => name = rest.next().map(|word| word.text),
                Some("-p" | "-parent") => parent = rest.next().map(|word| word.text),
                Some(_) => {}
                None => kind = Some(word.text),
            }
        }
        let Some(kind) = kind else {
            return Err(self.malformed("a node type", "nothing".to_owned()));
        };
        let name = name.unwrap_or_else(|| format!("{kind}1"));
        let number = self.document.nodes.len();
        if self.document.by_name.insert(name.clone(), number).is_some() {
            return Err(self.malformed("a name that no other node has", format!("`{name}`")));
        }
        let (added, sets) = (Vec::new(), Vec::new());
        self.document.nodes.push(MaNode { kind, name, parent, line, added, sets });
        self.current = Subject::Node(number);
        Ok(())
    }

    fn select(&mut self) -> Result<(), SceneError> {
        let words = self.words()?;
        let name = words.iter().rev().find(|word| word.flag().is_none());
        self.current = self.document.find(name.map_or("", |name| &name.text));
        Ok(())
    }

    fn add_attr(&mut self, line: u64) -> Result<(), SceneError> {
        let words = self.words()?;
        let mut added = Added::default();
        let mut rest = words.into_iter();
        while let Some(word) = rest.next() {
            let Some(flag) = word.flag().map(str::to_owned) else { continue };
            let mut value = || rest.next().map(|word| word.text).unwrap_or_default();
            match flag.as_str() {
                "-sn" | "-shortName" => added.short = value(),
                "-ln" | "-longName" => added.long = value(),
                "-min" | "-minValue" => added.min = parse_f64(value().as_bytes()),
                "-max" | "-maxValue" => added.max = parse_f64(value().as_bytes()),
                "-dt" | "-dataType" => added.is_text = value() == "string",
                _ => {}
            }
        }
        match &self.current {
            Subject::Node(node) => self.document.nodes[*node].added.push(added),
            Subject::MayasOwn => {}
            Subject::Missing(name) => {
                let path = if added.long.is_empty() { added.short } else { added.long };
                self.document.orphans.push(Orphan { name: Arc::clone(name), path, line });
            }
        }
        Ok(())
    }

    fn set_attr(&mut self, line: u64) -> Result<(), SceneError> {
        let mut set =
            MaSet { path: String::new(), line, locked: None, keyable: None, value: MaValue::Nothing };
        let mut node = self.current.clone();
        // Flags come before and after the name of the attribute, then values.
        loop {
            let Some(word) = self.word(line)? else {
                self.keep(node, set);
                return Ok(());
            };
            let Some(flag) = word.flag().map(str::to_owned) else {
                if set.path.is_empty() {
                    let (of_node, path) = word.text.split_once('.').unwrap_or(("", &word.text));
                    if !of_node.is_empty() {
                        node = self.document.find(of_node);
                    }
                    set.path = path.to_owned();
                    match self.values(line, is_single(&set.path), &mut set)? {
                        MaValue::Nothing => {}
                        value => set.value = value,
                    }
                    self.keep(node, set);
                    return Ok(());
                }
                continue;
            };
            if flag_takes_value(flag.as_bytes()) {
                let value = self.word(line)?.map(|word| word.text).unwrap_or_default();
                note_flag(&mut set, &flag, &value);
            }
        }
    }

    /// The values up to the end of the statement.
    fn values(&mut self, line: u64, is_single: bool, set: &mut MaSet) -> Result<MaValue, SceneError> {
        let parse = if is_single { parse_number } else { parse_f64 };
        let mut numbers: Vec<f64> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        loop {
            if words.is_empty()
                && let Some(number) = self.lexer.next_parsed(parse)
            {
                numbers.push(number);
                continue;
            }
            let Some(word) = self.word(line)? else { break };
            if let Some(flag) = word.flag().map(str::to_owned) {
                if flag_takes_value(flag.as_bytes()) {
                    let value = self.word(line)?.map(|word| word.text).unwrap_or_default();
                    note_flag(set, &flag, &value);
                }
                continue;
            }
            let number = match word.text.as_str() {
                _ if word.is_quoted => None,
                "yes" | "on" | "true" => Some(1.0),
                "no" | "off" | "false" => Some(0.0),
                text => parse(text.as_bytes()),
            };
            match number {
                Some(number) if words.is_empty() => numbers.push(number),
                _ => {
                    if words.is_empty() {
                        words.extend(numbers.drain(..).map(|number| number.to_string()));
                    }
                    words.push(word.text);
                }
            }
        }
        Ok(if !words.is_empty() {
            MaValue::Words(words)
        } else if !numbers.is_empty() {
            MaValue::Numbers(numbers)
        } else {
            MaValue::Nothing
        })
    }

    fn keep(&mut self, node: Subject, set: MaSet) {
        match node {
            Subject::Node(node) => self.document.nodes[node].sets.push(set),
            Subject::MayasOwn => {}
            Subject::Missing(name) => {
                self.document.orphans.push(Orphan { name, path: set.path, line: set.line });
            }
        }
    }

    fn connect_attr(&mut self, line: u64) -> Result<(), SceneError> {
        let words = self.words()?;
        let mut plugs = words.into_iter().filter(|word| word.flag().is_none()).map(|word| word.text);
        let (Some(from), Some(to)) = (plugs.next(), plugs.next()) else {
            return Err(self.malformed("two attributes", "less".to_owned()));
        };
        self.document.connections.push(MaConnection { from, to, line });
        Ok(())
    }

    fn requires(&mut self) -> Result<(), SceneError> {
        let words = self.words()?;
        let mut required = Required::default();
        let mut names = Vec::new();
        let mut rest = words.into_iter();
        while let Some(word) = rest.next() {
            match word.flag() {
                Some("-nodeType") => required.node_types.extend(rest.next().map(|word| word.text)),
                Some("-dataType") => drop(rest.next()),
                Some(_) => {}
                None => names.push(word.text),
            }
        }
        let mut names = names.into_iter();
        required.name = names.next().unwrap_or_default();
        required.version = names.next().unwrap_or_default();
        if required.name == "maya" {
            self.document.maya_version = Some(required.version);
        } else {
            self.document.plugins.push(required);
        }
        Ok(())
    }
}

fn note_flag(set: &mut MaSet, flag: &str, value: &str) {
    let on = Some(matches!(value, "on" | "yes" | "true" | "1"));
    match flag {
        "-l" | "-lock" => set.locked = on,
        "-k" | "-keyable" => set.keyable = on,
        _ => {}
    }
}

impl MaDocument {
    /// The node that a statement calls `name`. One without namespace behind a colon that the file does not make is one
    /// of those that every scene has.
    fn find(&self, name: &str) -> Subject {
        let from_root = root_relative(name);
        let number = self.by_name.get(name).or_else(|| self.by_name.get(from_root));
        match number {
            Some(&number) => Subject::Node(number),
            None if from_root.len() < name.len() && !from_root.contains([':', '|']) => Subject::MayasOwn,
            None => Subject::Missing(name.into()),
        }
    }
}

impl Orphan {
    /// As it is to be shown.
    pub(super) fn plug(&self) -> String {
        format!("{}.{}", self.name, self.path)
    }
}

/// The last `setAttr` of each attribute of a node, for whoever asks for many.
#[derive(Default)]
pub(super) struct LastSets<'a> {
    /// Whatever it sets.
    any: HashMap<&'a str, &'a MaSet>,
    numbers: HashMap<&'a str, &'a [f64]>,
    texts: HashMap<&'a str, &'a str>,
}

impl<'a> LastSets<'a> {
    pub(super) fn of(node: &'a MaNode) -> Self {
        let mut last = Self::default();
        for set in &node.sets {
            let path = set.path.as_str();
            last.any.insert(path, set);
            match &set.value {
                MaValue::Numbers(numbers) => drop(last.numbers.insert(path, numbers)),
                MaValue::Words(words) => {
                    if let Some(word) = words.first() {
                        last.texts.insert(path, word);
                    }
                }
                MaValue::Nothing => {}
            }
        }
        last
    }

    pub(super) fn set(&self, name: &str) -> Option<&'a MaSet> {
        self.any.get(name).copied()
    }

    /// As [`MaNode::number`].
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).and_then(|numbers| numbers.first()).copied()
    }

    /// As [`MaNode::vector`].
    pub(super) fn vector(&self, name: &str) -> Option<[f64; 3]> {
        self.numbers.get(name).and_then(|numbers| (*numbers).try_into().ok())
    }

    /// As [`MaNode::text`].
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.texts.get(name).copied()
    }
}

impl MaNode {
    /// The numbers of the attribute with one of these names, where the file sets it whole; the last one counts.
    pub(super) fn numbers(&self, names: &[&str]) -> Option<&[f64]> {
        self.sets.iter().rev().find_map(|set| match &set.value {
            MaValue::Numbers(numbers) if names.contains(&set.path.as_str()) => Some(numbers.as_slice()),
            _ => None,
        })
    }

    /// One number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.numbers(&[name]).and_then(|numbers| numbers.first()).copied()
    }

    /// Three numbers.
    pub(super) fn vector(&self, name: &str) -> Option<[f64; 3]> {
        self.numbers(&[name]).and_then(|numbers| numbers.try_into().ok())
    }

    /// A string; one that happens to be a number is one too.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.sets.iter().rev().filter(|set| set.path == name).find_map(|set| match &set.value {
            MaValue::Words(words) => words.first().cloned(),
            _ => None,
        })
    }
}
