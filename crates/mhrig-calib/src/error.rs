use mhrig_report::Cancelled;

/// Why an edit was refused or came to nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// The job was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
