use std::fmt;
use std::path::{Path, PathBuf};

use mhrig_report::{Cancelled, Finding, Severity};

use crate::format::FileKind;

/// A place in a scene file, as precise as the reader knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1; `None` in files without lines.
    pub line: Option<u64>,
    /// The part of the scene: a mesh, a node, an accessor.
    pub part: Option<String>,
}

impl Place {
    /// The file as a whole.
    pub fn file(file: &Path) -> Self {
        Self { file: file.to_owned(), line: None, part: None }
    }

    /// A line of `file`.
    pub fn line(file: &Path, line: u64) -> Self {
        Self { file: file.to_owned(), line: Some(line), part: None }
    }

    /// The same place, naming the part of the scene it belongs to.
    #[must_use]
    pub fn in_part(mut self, part: impl Into<String>) -> Self {
        self.part = Some(part.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match &self.part {
            Some(part) => write!(f, ": {part}"),
            None => Ok(()),
        }
    }
}

/// Why a scene file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The operating system refuses the file.
    #[error("{}: cannot be read", file.display())]
    Unreadable {
        /// The file or folder.
        file: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The file has no bytes.
    #[error("{}: the file is empty", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A folder without a file that could be read.
    #[error("{}: the folder has no .obj file", folder.display())]
    FolderWithoutMeshes {
        /// The folder.
        folder: PathBuf,
        /// Scene files of other kinds in it.
        others: Vec<String>,
    },
    /// The content is of another kind than the file's suffix says, or of a kind that no reader exists for.
    #[error("{}: {expected} expected, found {found}", file.display())]
    WrongKind {
        /// The file.
        file: PathBuf,
        /// What would have been read.
        expected: &'static str,
        /// What the first bytes say it is.
        found: FileKind,
    },
    /// No reader exists for this suffix.
    #[error("{}: no reader for `{suffix}` files", file.display())]
    UnknownSuffix {
        /// The file.
        file: PathBuf,
        /// Its suffix, with the dot; empty where there is none.
        suffix: String,
    },
    /// The text does not follow its format.
    #[error("{place}: {expected} expected, found {found}")]
    Malformed {
        /// Where.
        place: Place,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// An index that points at nothing.
    #[error("{place}: {what} {index} does not exist, there are {count}")]
    IndexOutOfRange {
        /// Where.
        place: Place,
        /// What is indexed: `vertex`, `texture coordinate`, `edge` …
        what: &'static str,
        /// The index as the file has it.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// The file ends in the middle of something.
    #[error("{place}: the file ends inside {inside}")]
    Truncated {
        /// Where the unfinished thing begins.
        place: Place,
        /// What is unfinished.
        inside: String,
    },
    /// The file holds no polygon mesh.
    #[error("{}: no mesh with faces in it", file.display())]
    NoMesh {
        /// The file.
        file: PathBuf,
    },
    /// More of something than this program handles.
    #[error("{place}: more than {limit} {what}")]
    TooMany {
        /// Where.
        place: Place,
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Something that the format allows and this reader does not.
    #[error("{place}: {what} is not supported")]
    Unsupported {
        /// Where.
        place: Place,
        /// The feature.
        what: String,
        /// What the user can do.
        remedy: &'static str,
    },
    /// A name that cannot be written.
    #[error("`{name}` is not a name that {format} can hold")]
    Name {
        /// The name.
        name: String,
        /// The format.
        format: &'static str,
    },
    /// A mesh that cannot be written: an index points past its own arrays, or a number is not finite.
    #[error("mesh `{mesh}` cannot be written: {why}")]
    BadMesh {
        /// The mesh.
        mesh: String,
        /// What is wrong with it.
        why: String,
    },
    /// A description that is no scene.
    #[error("the rig cannot be written: {}", findings.first().map_or("", |finding| finding.message.as_str()))]
    Rig {
        /// What is wrong with it.
        findings: Vec<Finding>,
    },
    /// Writing failed.
    #[error("cannot be written")]
    Write(#[from] std::io::Error),
    /// The job was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SceneError {
    /// The stable word of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "FILE_UNREADABLE",
            Self::Empty { .. } => "FILE_EMPTY",
            Self::FolderWithoutMeshes { .. } => "FOLDER_WITHOUT_MESHES",
            Self::WrongKind { .. } | Self::UnknownSuffix { .. } => "FILE_KIND",
            Self::Malformed { .. } => "FILE_MALFORMED",
            Self::IndexOutOfRange { .. } => "INDEX_OUT_OF_RANGE",
            Self::Truncated { .. } => "FILE_TRUNCATED",
            Self::NoMesh { .. } => "NO_MESH",
            Self::TooMany { .. } => "TOO_MANY",
            Self::Unsupported { .. } => "UNSUPPORTED",
            Self::Name { .. } => "BAD_NAME",
            Self::BadMesh { .. } => "BAD_MESH",
            Self::Rig { .. } => "RIG_INCONSISTENT",
            Self::Write(_) => "WRITE_FAILED",
            Self::Cancelled(_) => "CANCELLED",
        }
    }

    /// What the user can do about it.
    pub fn remedy(&self) -> String {
        match self {
            Self::Unreadable { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => "check the path: no such file exists".into(),
                std::io::ErrorKind::PermissionDenied => "make the file readable for this user".into(),
                _ => "check the path and the drive".into(),
            },
            Self::Empty { .. } => {
                "export the mesh again; the exporter was interrupted or the disk was full".into()
            }
            Self::FolderWithoutMeshes { others, .. } if others.is_empty() => {
                "export the meshes as .obj files into this folder, or name the files".into()
            }
            Self::FolderWithoutMeshes { others, .. } => {
                format!("name the scene file itself: {}", others.join(", "))
            }
            Self::WrongKind { found, .. } => found.remedy().into(),
            Self::UnknownSuffix { .. } => format!("export as one of {}", crate::format::SUFFIXES.join(" ")),
            Self::Malformed { .. } => "export the file again, or correct that line in a text editor".into(),
            Self::IndexOutOfRange { .. } => {
                "export the file again; a part of it is missing or it was edited by hand".into()
            }
            Self::Truncated { .. } => "export or copy the file again, its end is missing".into(),
            Self::NoMesh { .. } => {
                "export the polygon meshes, not curves, points or references to other files".into()
            }
            Self::TooMany { .. } => "export only the meshes of the character".into(),
            Self::Unsupported { remedy, .. } => (*remedy).into(),
            Self::Name { .. } => {
                "rename the mesh: letters, digits and underscores, not beginning with a digit".into()
            }
            Self::BadMesh { .. } => "repair the mesh before writing it".into(),
            Self::Rig { .. } => "check the DNA files with `mhrig validate`".into(),
            Self::Write(_) => "check the free space and the rights of the output folder".into(),
            Self::Cancelled(_) => "run it again".into(),
        }
    }

    /// Where it happened.
    pub fn place(&self) -> String {
        match self {
            Self::Unreadable { file, .. }
            | Self::Empty { file }
            | Self::FolderWithoutMeshes { folder: file, .. }
            | Self::WrongKind { file, .. }
            | Self::UnknownSuffix { file, .. }
            | Self::NoMesh { file } => file.display().to_string(),
            Self::Malformed { place, .. }
            | Self::IndexOutOfRange { place, .. }
            | Self::Truncated { place, .. }
            | Self::TooMany { place, .. }
            | Self::Unsupported { place, .. } => place.to_string(),
            Self::Name { name: part, .. } | Self::BadMesh { mesh: part, .. } => part.clone(),
            Self::Rig { findings } => {
                findings.first().map(|finding| finding.place.clone()).unwrap_or_default()
            }
            Self::Write(_) | Self::Cancelled(_) => String::new(),
        }
    }

    /// The same facts as a finding of severity [`Severity::Error`].
    pub fn to_finding(&self) -> Finding {
        let place = self.place();
        let full = self.to_string();
        let mut message =
            full.strip_prefix(&place).and_then(|m| m.strip_prefix(": ")).unwrap_or(&full).to_owned();
        if let Some(source) = std::error::Error::source(self) {
            message = format!("{message}: {source}");
        }
        let finding = Finding::new(self.code(), Severity::Error, place, message, self.remedy());
        match self {
            Self::WrongKind { expected, found, .. } => finding.with_values(expected, found),
            Self::Malformed { expected, found, .. } => finding.with_values(expected, found),
            Self::IndexOutOfRange { index, count, what, .. } => {
                finding.with_values(format!("a {what} among {count}"), index)
            }
            _ => finding,
        }
    }
}
