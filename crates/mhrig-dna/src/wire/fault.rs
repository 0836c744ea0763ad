use std::fmt::Write as _;
use std::io;

use crate::{DnaError, Place};

/// A failed read on its way up; each level adds its part of the path, so that success costs nothing.
#[derive(Debug)]
pub(crate) struct Fault(Box<FaultParts>);

#[derive(Debug)]
struct FaultParts {
    kind: FaultKind,
    offset: u64,
    /// Innermost first.
    path: Vec<Segment>,
}

#[derive(Debug)]
pub(crate) enum FaultKind {
    Io(io::Error),
    Short { needed: u64, left: u64 },
    Count { count: u64, needed: u64, left: u64 },
    Surplus { surplus: u64 },
    EndBeforeStart { end: u64 },
    LodCount { found: u16 },
}

/// One step of a field path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    Field(&'static str),
    Index(usize),
}

impl Fault {
    #[cold]
    pub(crate) fn new(kind: FaultKind, offset: u64) -> Self {
        Self(Box::new(FaultParts { kind, offset, path: Vec::new() }))
    }

    #[cold]
    pub(crate) fn in_field(mut self, name: &'static str) -> Self {
        self.0.path.push(Segment::Field(name));
        self
    }

    #[cold]
    pub(crate) fn at_index(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// The public error, with the name of the section that was being read.
    pub(crate) fn in_section(self, section: &str) -> DnaError {
        let FaultParts { kind, offset, path } = *self.0;
        let place = Place { section: section.to_owned(), path: path_text(path.iter().rev()), offset };
        match kind {
            FaultKind::Io(error) => DnaError::Io(error),
            FaultKind::Short { needed, left } => DnaError::Short { place, needed, left },
            FaultKind::Count { count, needed, left } => DnaError::Count { place, count, needed, left },
            FaultKind::Surplus { surplus } => DnaError::Surplus { place, surplus },
            FaultKind::EndBeforeStart { end } => DnaError::EndBeforeStart { place, end },
            FaultKind::LodCount { found } => DnaError::LodCount { place, found },
        }
    }
}

/// `a.b[3].c` from its steps, outermost first.
pub(crate) fn path_text<'a>(path: impl Iterator<Item = &'a Segment>) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Field(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(name);
            }
            Segment::Index(index) => {
                // Writing to a string cannot fail.
                let _ = write!(text, "[{index}]");
            }
        }
    }
    text
}
