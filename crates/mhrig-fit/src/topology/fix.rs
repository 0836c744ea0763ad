use serde::Serialize;

/// One thing that can be repaired in a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fix {
    /// Takes parts out of a mesh that several were combined into.
    SplitCombined,
    /// Gives a mesh the name of the template mesh that it is.
    Rename,
    /// Leaves out vertices and shells that the template does not have.
    DropExtras,
    /// Takes back a subdivision step.
    Unsubdivide,
    /// Merges vertices that stand for the same one.
    Weld,
    /// Joins triangles to the template's faces.
    Untriangulate,
    /// Brings vertices and faces into the template's order.
    Reorder,
    /// Turns faces the right way round.
    Reverse,
    /// Multiplies positions by the factor of a unit.
    Unit,
    /// Turns the mesh to Y up, facing +Z.
    Axis,
    /// Swaps left and right back.
    Mirror,
}

impl Fix {
    /// All of them, in the order in which they are applied.
    pub const ALL: [Self; 11] = [
        Self::SplitCombined,
        Self::Rename,
        Self::DropExtras,
        Self::Unsubdivide,
        Self::Weld,
        Self::Untriangulate,
        Self::Reorder,
        Self::Reverse,
        Self::Unit,
        Self::Axis,
        Self::Mirror,
    ];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::SplitCombined => "split-combined",
            Self::Rename => "rename",
            Self::DropExtras => "drop-extras",
            Self::Unsubdivide => "unsubdivide",
            Self::Weld => "weld",
            Self::Untriangulate => "untriangulate",
            Self::Reorder => "reorder",
            Self::Reverse => "reverse",
            Self::Unit => "unit",
            Self::Axis => "axis",
            Self::Mirror => "mirror",
        }
    }

    /// The fix of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fix| fix.name() == name)
    }

    /// Whether every position that it keeps stays the same bits. (Welding is lossless only where the merged vertices
    /// coincide; [`crate::Repair`] knows.)
    pub fn is_lossless(self) -> bool {
        !matches!(self, Self::Unsubdivide | Self::Unit | Self::Axis | Self::Mirror)
    }
}
