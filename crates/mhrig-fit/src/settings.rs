use serde::{Deserialize, Serialize};

/// A joint's place relative to a vertex of the mesh that the table is named for.
#[derive(Clone, Debug, PartialEq)]
pub struct MappingRow {
    /// The joint's name.
    pub joint: String,
    /// The vertex number.
    pub vertex: u32,
    /// `joint − vertex` in the template's world space, cm (a volumetric row); `None` for a surface row, which
    /// puts the joint on the vertex.
    pub offset_cm: Option<[f64; 3]>,
}

/// The mapping rows of one mesh, in file order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MappingTable {
    /// Name of the mesh.
    pub mesh: String,
    /// The rows.
    pub rows: Vec<MappingRow>,
}

/// A joint that keeps its offset to the centre of an eyeball.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EyeRule {
    /// Name of the eyeball's mesh.
    pub mesh: String,
    /// Name of the joint.
    pub joint: String,
}

/// A joint that keeps its place along the line between two others, and its offset from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainRule {
    /// Name of the joint.
    pub joint: String,
    /// Name of the joint where the line begins.
    pub from: String,
    /// Name of the joint where the line ends.
    pub to: String,
}

/// What an archetype says about placing the joints of one part.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TemplateSettings {
    /// Mapping tables in the order in which they are applied (that of the folder).
    pub mapping: Vec<MappingTable>,
    /// Joints at the centres of eyeballs.
    pub eyes: Vec<EyeRule>,
    /// Chain joints that the detection cannot find, or should not find its own way.
    pub chains: Vec<ChainRule>,
    /// Joints that another part places better (the head's, of the body): no chain is looked for among them.
    /// They get the part's own evidence where no constraint comes.
    pub foreign_joints: Vec<String>,
}

/// Which set of strategies places the joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StrategySet {
    /// Constraint, mapping, eye sphere, chain, skin transfer, subtree similarity, rigid follow.
    Seed,
    /// Constraint, surface rows, eye sphere, exact chains, and for all other joints the affine map of the patch of
    /// surface around them (see [`crate::Character`]).
    #[default]
    Best,
}

/// What a mapping row that is applied later does to the joints below it.
///
/// Rows always have the precedence of MetaHumanForMaya: tables in order, in each first the volumetric rows, then
/// the surface rows, a later row replacing an earlier one of the same joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MappingEffect {
    /// Nothing: every mapped joint ends where its own row puts it, whatever the order.
    #[default]
    OwnRow,
    /// It carries them along, as moving a joint in a scene does. A mapped joint whose ancestor is written after
    /// it does not end where its own row says.
    CarriesChildren,
}

/// The map that stands for the change of a subtree.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum SubtreeFit {
    /// Rotation and shift.
    Rigid,
    /// Rotation, one scale, and shift.
    #[default]
    Similarity,
    /// A linear map and shift, drawn towards the similarity by this ridge (see [`mhrig_geom::fit_affine`]).
    Affine {
        /// Weight of the similarity relative to the mean spread of the joints.
        ridge: f64,
    },
}

/// How [`crate::fit`] works; by default as [`FitOptions::best`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// The strategies.
    pub strategy_set: StrategySet,
    /// What mapping rows do to the joints below.
    pub mapping_effect: MappingEffect,
    /// The map of a subtree.
    pub subtree: SubtreeFit,
    /// Treats world anchors (roots at the origin) like any other joint. They are no part of the anatomy, and moving
    /// them spoils the fit; this exists to show by how much.
    pub moves_anchors: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self::best()
    }
}

impl FitOptions {
    /// The seed's rules as they are.
    pub fn seed() -> Self {
        Self {
            strategy_set: StrategySet::Seed,
            mapping_effect: MappingEffect::OwnRow,
            subtree: SubtreeFit::Similarity,
            moves_anchors: false,
        }
    }

    /// The strategies that place joints best: [`StrategySet::Best`], with affine maps of subtrees.
    pub fn best() -> Self {
        let subtree = SubtreeFit::Affine { ridge: 0.03 };
        Self { strategy_set: StrategySet::Best, subtree, ..Self::seed() }
    }
}
