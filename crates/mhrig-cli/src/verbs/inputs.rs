//! Options that several verbs share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mhrig::{ExpressionMode, FitOptions, MeshSource, Parts, ReadOptions, UserJoints, WeightPolicy};

/// A person's meshes and the archetype that they are made after.
#[derive(Debug, Args)]
pub(crate) struct Person {
    /// The archetype folder (`mhrig demo DIR` writes one).
    #[arg(long, value_name = "DIR")]
    pub(crate) archetype: PathBuf,
    /// Mesh files (.obj, .ma, .glb, .gltf, .fbx), or folders of OBJ files; a mesh is known by its name.
    #[arg(required = true, value_name = "MESHES")]
    meshes: Vec<PathBuf>,
    /// Take this mesh where several have the name: a path in the scene such as '|group|head_lod0_mesh'.
    #[arg(long, value_name = "PATH")]
    pick: Vec<String>,
    #[command(flatten)]
    parts: PartArgs,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct PartArgs {
    /// The head alone.
    #[arg(long)]
    head_only: bool,
    /// The body alone.
    #[arg(long)]
    body_only: bool,
}

impl Person {
    pub(crate) fn meshes(&self) -> MeshSource {
        let options = ReadOptions { pick: self.pick.clone(), ..ReadOptions::default() };
        MeshSource::Files { paths: self.meshes.clone(), options }
    }

    pub(crate) fn parts(&self) -> Parts {
        self.parts.parts()
    }
}

impl PartArgs {
    pub(crate) fn parts(&self) -> Parts {
        match (self.head_only, self.body_only) {
            (true, _) => Parts::HeadOnly,
            (_, true) => Parts::BodyOnly,
            _ => Parts::All,
        }
    }
}

/// What becomes of the parts of a DNA that the meshes do not say.
#[derive(Debug, Args)]
pub(crate) struct Update {
    /// What becomes of the expressions.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    expressions: Expressions,
    /// Give every expression joint values that explain as much of its sculpt as joints can; blend shapes hold the rest.
    #[arg(long)]
    match_joints: bool,
    /// Where the skin weights come from.
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    weights: Weights,
    /// Keep even the smallest expression deltas.
    #[arg(long)]
    no_prune: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Expressions {
    /// Deltas are kept, small ones pruned.
    Carry,
    /// As carry; and blend shapes make up for joint values that pruning takes, so that every sculpt stays.
    #[default]
    Recalculate,
    /// Deltas are turned and scaled as the surface around them was, small ones pruned.
    Transfer,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Weights {
    /// They are the template's.
    #[default]
    Template,
    /// Meshes of a Maya ASCII or FBX scene that are bound bring theirs; lower LODs follow.
    Scene,
    /// Lower LODs get theirs from LOD 0.
    Transfer,
}

impl Update {
    pub(crate) fn expressions(&self) -> ExpressionMode {
        match self.expressions {
            Expressions::Carry => ExpressionMode::Carry,
            Expressions::Recalculate => ExpressionMode::Recalculate,
            Expressions::Transfer => ExpressionMode::Transfer,
        }
    }

    pub(crate) fn match_joints(&self) -> bool {
        self.match_joints
    }

    pub(crate) fn weights(&self) -> WeightPolicy {
        match self.weights {
            Weights::Template => WeightPolicy::Template,
            Weights::Scene => WeightPolicy::Scene,
            Weights::Transfer => WeightPolicy::Transfer,
        }
    }

    pub(crate) fn prune(&self) -> bool {
        !self.no_prune
    }
}

/// How joints are placed.
#[derive(Debug, Args)]
pub(crate) struct Placing {
    /// The rules by which joints are placed.
    #[arg(long, value_enum, default_value_t, value_name = "SET")]
    strategy_set: Strategies,
    /// Fit the head without the joints that the body shares with it, to see what they are worth.
    #[arg(long)]
    pub(crate) no_shared_constraint: bool,
}

/// Joints that the user places.
#[derive(Debug, Args)]
pub(crate) struct Held {
    /// Leave this joint where the files given with --from have it, or the archetype without them; a name that ends in
    /// * stands for all that begin so.
    #[arg(long, value_name = "JOINT")]
    lock: Vec<String>,
    /// Put this joint there: world position in cm, Y up.
    #[arg(long, value_name = "JOINT=X,Y,Z", value_parser = parse_place, allow_hyphen_values = true)]
    place: Vec<(String, [f64; 3])>,
    /// A DNA file of an earlier build of this person, whose locked joints stay (head and body: give it twice).
    #[arg(long, value_name = "FILE.dna", requires = "lock")]
    from: Vec<PathBuf>,
}

impl Held {
    pub(crate) fn joints(&self) -> UserJoints {
        UserJoints { lock: self.lock.clone(), place: self.place.clone(), from: self.from.clone() }
    }
}

fn parse_place(text: &str) -> Result<(String, [f64; 3]), String> {
    mhrig::parse_place(text).ok_or_else(|| "expected JOINT=X,Y,Z such as FACIAL_C_Jaw=0,151.2,3.5".to_owned())
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Strategies {
    /// Vertex mapping, eye spheres, chains, skin weights, similarity of subtrees.
    Seed,
    /// The affine map of the surface around each joint, head and body together; a smooth warp for missing meshes.
    #[default]
    Best,
}

impl Placing {
    pub(crate) fn fit(&self) -> FitOptions {
        match self.strategy_set {
            Strategies::Seed => FitOptions::seed(),
            Strategies::Best => FitOptions::best(),
        }
    }
}
