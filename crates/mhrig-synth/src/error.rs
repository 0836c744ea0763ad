/// Why an archetype could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SynthError {
    /// A pack of the assets is not one, or not whole.
    #[error("asset pack {pack}: {reason}")]
    Pack {
        /// Name of the pack.
        pack: String,
        /// What is wrong with it.
        reason: PackError,
    },
    /// A pack has no entry of that name and kind.
    #[error("asset pack {pack} has no entry {entry} of {kind}")]
    Entry {
        /// Name of the pack.
        pack: String,
        /// Name of the entry.
        entry: String,
        /// What its elements should be.
        kind: &'static str,
    },
    /// A table of the demo human has a line that does not fit.
    #[error("{table}, line {line}: {found:?} where {expected} was expected")]
    Table {
        /// Name of the table.
        table: String,
        /// Line number, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Two parts of the data do not agree.
    #[error("{what}: expected {expected}, found {found}")]
    Mismatch {
        /// What was counted or looked up.
        what: String,
        /// What it should have been.
        expected: String,
        /// What it was.
        found: String,
    },
    /// No person of that name.
    #[error("no identity {found:?}; there are {}", known.join(", "))]
    Identity {
        /// The name asked for.
        found: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A count that does not fit the numbers of a DNA file.
    #[error("{what}: {count} are more than a DNA file can number")]
    TooMany {
        /// What was counted.
        what: String,
        /// How many.
        count: usize,
    },
}

/// Why bytes are not an asset pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The first bytes are not those of a pack.
    #[error("not an asset pack")]
    Signature,
    /// The bytes end too early.
    #[error("ends within {0}")]
    Truncated(&'static str),
    /// The compressed part does not inflate to the size of its entries.
    #[error("the compressed part does not hold the {expected} bytes of its entries")]
    Inflate {
        /// Sum of the entries' sizes.
        expected: usize,
    },
    /// An entry's kind is none of the known ones.
    #[error("entry {entry} is of the unknown kind {kind}")]
    Kind {
        /// Name of the entry.
        entry: String,
        /// The number found.
        kind: u8,
    },
    /// The entries are larger than any asset may be.
    #[error("entries of {found} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Sum of the entries' sizes.
        found: u64,
        /// The limit.
        limit: u64,
    },
}
