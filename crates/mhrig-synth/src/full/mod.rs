//! A synthetic archetype of full size: as many joints, meshes, vertices, controls, correctives, blend shapes and solvers as a
//! MetaHuman has, on the surface of the demo human.
//!
//! Names and counts are those of the convention (`assets/full-size`); every shape and every number is ours, made from the
//! demo human and a seed.

mod body;
mod combinations;
mod effects;
mod gestures;
mod head;
mod joints;
mod person;
mod random;
mod refine;
mod skin;
mod tables;

use std::collections::BTreeMap;

use mhrig_geom::Mesh;

use crate::archetype::{MadeArchetype, expression_settings, settings};
use crate::lods::part_lods;
use crate::skeleton::ordered_skeletons;
use crate::{DemoHuman, Orient, SynthError};
use person::{CHARACTER, FullHuman};

/// What the archetype of full size is to be like.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FullOptions {
    /// How neutral rotations are chosen.
    pub orient: Orient,
    /// Sets the shapes of archetype and character, and sizes and directions of what moves.
    pub seed: u64,
    /// How much of full size the meshes and the expressions have: 1 is all, and 0 the vertices of the demo human. Joints,
    /// controls and solvers are all there in any case.
    pub detail: f64,
}

impl Default for FullOptions {
    fn default() -> Self {
        Self { orient: Orient::default(), seed: 1, detail: 1.0 }
    }
}

impl FullOptions {
    /// These options with another choice of neutral rotations.
    #[must_use]
    pub fn with_orient(mut self, orient: Orient) -> Self {
        self.orient = orient;
        self
    }

    /// These options with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// These options with smaller meshes, see [`FullOptions::detail`].
    #[must_use]
    pub fn with_detail(mut self, detail: f64) -> Self {
        self.detail = detail;
        self
    }
}

/// An archetype of full size, and a character in its topology.
#[derive(Clone, Debug, PartialEq)]
pub struct FullSize {
    /// The archetype.
    pub archetype: MadeArchetype,
    /// The character's meshes by name, in the order of [`crate::human_parts`].
    pub character: Vec<(&'static str, Mesh)>,
    /// The true joints of the character: name, and world position in cm; head and body together.
    pub truth: Vec<(String, [f64; 3])>,
}

/// Makes an archetype of full size and a character. The same options give the same bytes, on any number of threads.
///
/// # Errors
/// When the data of the human does not suffice for the counts, which a build's own assets always do.
pub fn full_size(human: &DemoHuman, options: &FullOptions) -> Result<FullSize, SynthError> {
    let person = FullHuman::new(human, options.seed, options.detail.clamp(0.0, 1.0))?;
    let human = &person.human;
    let (head_skeleton, body_skeleton) =
        ordered_skeletons(&human.joints, options.orient, (&person.head, &person.body));
    let (head_lods, body_lods) = part_lods(human, &head_skeleton, &body_skeleton);
    let amount = (options.seed, options.detail.clamp(0.0, 1.0));
    let (head, body) = rayon::join(
        || head::head_dna(human, &head_skeleton, &head_lods, amount),
        || body::body_dna(&body_skeleton, &body_lods),
    );
    let head = head?;
    let phases = |stem: &str, count: usize| {
        (stem.to_owned(), (1..=count).map(|phase| format!("{stem}Ph{phase}")).collect::<Vec<String>>())
    };
    let phases = [phases("neckSwallow", 4), phases("mouthLipsStickyL", 3), phases("mouthLipsStickyR", 3)];
    let phases: BTreeMap<&str, Vec<String>> =
        phases.iter().map(|(stem, phases)| (stem.as_str(), phases.clone())).collect();
    let targets = head.correctives.into_iter();
    let targets = targets.map(|(name, of)| (name, of.into_iter().map(str::to_owned).collect()));
    let character = human.identity_meshes(CHARACTER)?;
    let truth = human.identity_joints(CHARACTER)?;
    let truth = truth.into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
    Ok(FullSize {
        archetype: MadeArchetype {
            settings: settings("full-size synthetic human"),
            head: head.dna,
            body: body?,
            mappings: human.mappings.clone(),
            seam: human.seam.clone(),
            expressions: Some(expression_settings(&phases, targets)),
        },
        character,
        truth,
    })
}
