use mhrig_dna::{DnaError, FileVersion};
use mhrig_report::{Cancelled, Finding, Severity};

/// Why an edit was refused or came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalibError {
    /// An array has another length than it needs.
    #[error("{place}: {found} entries, expected {expected}")]
    Count {
        /// Path of the array.
        place: String,
        /// Length that it needs.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// A number that points outside its array.
    #[error("{place}[{at}]: {found} is not below {limit}")]
    Index {
        /// Path of the array that holds the number.
        place: String,
        /// Place in that array.
        at: usize,
        /// The number.
        found: usize,
        /// What it has to be below.
        limit: usize,
    },
    /// NaN or infinity where a length or an angle should be.
    #[error("{place}[{at}]: not a finite number")]
    NotFinite {
        /// Path of the array.
        place: String,
        /// Place in that array.
        at: usize,
    },
    /// A threshold or an option that makes no sense.
    #[error("{option}: {found} is not {expected}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        found: String,
        /// What it has to be.
        expected: &'static str,
    },
    /// The model is not the one that a plan was made from.
    #[error("{place} is not that of the template that the plan was made from")]
    OtherTemplate {
        /// What differs.
        place: String,
    },
    /// A number of items changed although no edit was to change it.
    #[error("{what}: {found} after the edit, {expected} before")]
    CountChanged {
        /// What was counted.
        what: String,
        /// Number before.
        expected: usize,
        /// Number after.
        found: usize,
    },
    /// A layer lost what it is made of.
    #[error("{layer} collapsed: {after} of {before} values are left, with {:.1} % of their energy", .energy * 100.0)]
    Collapsed {
        /// What collapsed.
        layer: String,
        /// Number of values before.
        before: usize,
        /// Number of values after.
        after: usize,
        /// Share of the sum of squares that is left, 0 to 1.
        energy: f64,
    },
    /// A command whose arguments do not fit together or the model, in one of the ways for which the reference library
    /// has a status.
    #[error("{place}: {status}: expected {expected}, found {found}")]
    Command {
        /// The reference library's status.
        status: CommandStatus,
        /// Command and argument.
        place: String,
        /// Count or limit that was expected.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A name that nothing has.
    #[error("{command}: there is nothing of the name {name:?}")]
    Name {
        /// The command.
        command: &'static str,
        /// The name.
        name: String,
    },
    /// A new name that something else has.
    #[error("{command}: the name {name:?} is taken")]
    NameTaken {
        /// The command.
        command: &'static str,
        /// The name.
        name: String,
    },
    /// LODs that cannot be selected.
    #[error("the LODs cannot be selected")]
    Lods(#[source] DnaError),
    /// Something that a file may have and this crate does not handle.
    #[error("{what} is not supported here")]
    Unsupported {
        /// What it is.
        what: &'static str,
    },
    /// Two files that do not fit together.
    #[error("{field}: {first} in one file, {second} in the other")]
    Mismatch {
        /// What differs.
        field: &'static str,
        /// Value in the first file.
        first: String,
        /// Value in the second file.
        second: String,
    },
    /// Something that an engine other than the native one does not have.
    #[error("{engine} has no {what}")]
    NotOfEngine {
        /// Name of the engine.
        engine: &'static str,
        /// A command, or an argument of one.
        what: String,
    },
    /// A file that is newer than what an engine reads.
    #[error("the file is of version {found}; {engine} reads files up to {newest}")]
    NewerFile {
        /// Name of the engine.
        engine: &'static str,
        /// Version of the file.
        found: FileVersion,
        /// The newest that it reads.
        newest: FileVersion,
    },
    /// A number in a file that points to nothing, and that an engine would follow.
    #[error("{engine} is not given a file with {path}: {message}, expected {expected}, found {found}")]
    Unsound {
        /// Name of the engine.
        engine: &'static str,
        /// Path of the number.
        path: String,
        /// What is wrong with it.
        message: String,
        /// What it has to be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// An error that the library behind an engine reports.
    #[error("{engine}: {place}: {message}{}", show_code(*code))]
    Library {
        /// Name of the engine.
        engine: &'static str,
        /// The command, or what else it was to do.
        place: String,
        /// The library's status; 0 where it threw an exception.
        code: i32,
        /// The library's message.
        message: String,
    },
    /// A model that cannot be handed to an engine as a file, or a file of the engine's that cannot be read.
    #[error("{engine}: {place}")]
    Handover {
        /// Name of the engine.
        engine: &'static str,
        /// What was to be done.
        place: &'static str,
        /// What is wrong with the file.
        source: DnaError,
    },
    /// The job was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn show_code(code: i32) -> String {
    if code == 0 { String::new() } else { format!(" (status {code})") }
}

impl CalibError {
    /// Stable, upper-case word for reports.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Count { .. } => "COUNT",
            Self::Index { .. } | Self::Unsound { .. } => "INDEX_RANGE",
            Self::NotFinite { .. } => "NOT_FINITE",
            Self::Option { .. } => "OPTION_VALUE",
            Self::OtherTemplate { .. } => "OTHER_TEMPLATE",
            Self::CountChanged { .. } => "COUNT_CHANGED",
            Self::Collapsed { .. } => "LAYER_COLLAPSED",
            Self::Command { status, .. } => status.name(),
            Self::Name { .. } => "UNKNOWN_NAME",
            Self::NameTaken { .. } => "NAME_TAKEN",
            Self::Lods(_) => "LODS",
            Self::Unsupported { .. } => "UNSUPPORTED",
            Self::Mismatch { .. } => "PAIR_MISMATCH",
            Self::NotOfEngine { .. } => "NOT_OF_ENGINE",
            Self::NewerFile { .. } => "NEWER_FILE",
            Self::Library { code, .. } => CommandStatus::from_code(*code).map_or("LIBRARY", |s| s.name()),
            Self::Handover { .. } => "HANDOVER",
            Self::Cancelled(_) => "CANCELLED",
        }
    }

    /// What the reader can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Count { .. } => "give as many entries as expected, or check the file with `mhrig inspect`",
            Self::Index { .. } => "give a number below the limit; `mhrig inspect` shows what the file holds",
            Self::NotFinite { .. } => "replace NaN and infinity by numbers",
            Self::Option { .. } => "correct the value",
            Self::OtherTemplate { .. } => "use the file that the plan was made from",
            Self::CountChanged { .. } => {
                "this is a fault of the program; please report it with the file and the command"
            }
            Self::Collapsed { .. } => "lower the pruning thresholds, or leave pruning out",
            Self::Command { .. } => "make the lists of the command fit together and the mesh",
            Self::Name { .. } => "check the spelling; names are compared byte by byte",
            Self::NameTaken { .. } => "choose another name, or rename the other one first",
            Self::Lods(_) => "name LODs that the file has; `mhrig inspect` shows how many there are",
            Self::Unsupported { .. } => "convert the file to the usual form, or leave the step out",
            Self::Mismatch { .. } => "use files that were exported together",
            Self::NotOfEngine { .. } => "use the native engine",
            Self::NewerFile { .. } => {
                "use the native engine, or make an older file first with `mhrig convert IN OUT --format-version 2.1`"
            }
            Self::Unsound { .. } => {
                "`mhrig validate` lists all such numbers; take the file from its source again"
            }
            Self::Library { .. } | Self::Handover { .. } => "follow the message, or use the native engine",
            Self::Cancelled(_) => "run it again",
        }
    }

    /// The error as a finding of a report.
    pub fn to_finding(&self, place: impl Into<String>) -> Finding {
        let cause = std::error::Error::source(self).map(|cause| format!(": {cause}")).unwrap_or_default();
        let message = format!("{self}{cause}");
        let finding = Finding::new(self.code(), Severity::Error, place, message, self.remedy());
        match self {
            Self::Count { expected, found, .. } | Self::Command { expected, found, .. } => {
                finding.with_values(expected, found)
            }
            Self::Index { found, limit, .. } => finding.with_values(format!("below {limit}"), found),
            Self::Option { found, expected, .. } => finding.with_values(expected, found),
            Self::NewerFile { newest, found, .. } => finding.with_values(format!("at most {newest}"), found),
            _ => finding,
        }
    }

    /// The reference library's status for this error, where it has one.
    pub fn status(&self) -> Option<CommandStatus> {
        match self {
            Self::Command { status, .. } => Some(*status),
            Self::Library { code, .. } => CommandStatus::from_code(*code),
            _ => None,
        }
    }
}

/// A status of the reference library's commands; the numbers are its codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandStatus {
    /// A delta for a vertex that the mesh does not have.
    #[error("vertex out of range")]
    VertexIndexOutOfRange = 3101,
    /// No vertices were given, and the target has another number of deltas.
    #[error("no vertices for the deltas")]
    NoVertexIndices = 3102,
    /// Other number of vertices than of deltas.
    #[error("number of vertices")]
    DeltaVertexCount = 3103,
    /// Other number of masks than of deltas.
    #[error("number of masks")]
    DeltaMaskCount = 3104,
    /// Other number of masks than of positions.
    #[error("number of masks of positions")]
    PositionMaskCount = 3201,
}

impl CommandStatus {
    const ALL: [Self; 5] = [
        Self::VertexIndexOutOfRange,
        Self::NoVertexIndices,
        Self::DeltaVertexCount,
        Self::DeltaMaskCount,
        Self::PositionMaskCount,
    ];

    /// The status of that code.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|status| i32::from(status.code()) == code)
    }

    /// Stable, upper-case word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::VertexIndexOutOfRange => "VERTEX_INDEX_OUT_OF_RANGE",
            Self::NoVertexIndices => "NO_VERTEX_INDICES",
            Self::DeltaVertexCount => "DELTA_VERTEX_COUNT",
            Self::DeltaMaskCount => "DELTA_MASK_COUNT",
            Self::PositionMaskCount => "POSITION_MASK_COUNT",
        }
    }

    /// The code.
    pub fn code(self) -> u16 {
        self as u16
    }
}
