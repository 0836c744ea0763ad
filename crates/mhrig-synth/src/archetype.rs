use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use mhrig_archetype::{
    ArchetypeSettings, ChainRule, EXPRESSIONS_FILE, EyeRule, MAPPING_FOLDER, MappingTable, PartSettings,
    Pruning, SETTINGS_FILE, SeamPair, SeamSettings, write_mapping, write_seam,
};
use mhrig_dna::{Dna, DnaError};
use serde_json::{Map, Value, json};

use crate::body::body_dna;
use crate::combinations::{combination_name, combinations};
use crate::controls::{Side, Source, main_controls};
use crate::head::head_dna;
use crate::lods::part_lods;
use crate::seam::with_shared_seam;
use crate::skeleton::{Orient, part_skeletons};
use crate::{DemoHuman, SynthError};

/// What the demo archetype is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DemoOptions {
    /// How neutral rotations are chosen.
    pub orient: Orient,
}

impl DemoOptions {
    /// These options with another choice of neutral rotations.
    #[must_use]
    pub fn with_orient(mut self, orient: Orient) -> Self {
        self.orient = orient;
        self
    }
}

/// An archetype that was made here and is not on disk yet.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeArchetype {
    /// The content of `rig.json`.
    pub settings: ArchetypeSettings,
    /// Template DNA of the head.
    pub head: Dna,
    /// Template DNA of the body.
    pub body: Dna,
    /// Mapping tables.
    pub mappings: Vec<MappingTable>,
    /// Vertices where head and body meet.
    pub seam: Vec<SeamPair>,
    /// The content of `expressions.json`, where there is something to say.
    pub expressions: Option<Value>,
}

/// Why an archetype could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A file or folder could not be written.
    #[error("{path}")]
    Io {
        /// The file or folder.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A DNA does not fit its format.
    #[error("{file}")]
    Dna {
        /// File name.
        file: String,
        /// Why.
        #[source]
        source: DnaError,
    },
    /// The settings could not be made into JSON.
    #[error("{file}")]
    Json {
        /// File name.
        file: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// Makes the archetype of the demo human. The same options give the same archetype.
///
/// # Errors
/// When the data of the human contradicts itself, which a build's own assets never do.
pub fn demo_archetype(human: &DemoHuman, options: &DemoOptions) -> Result<MadeArchetype, SynthError> {
    let human = &with_shared_seam(human);
    let (head_skeleton, body_skeleton) = part_skeletons(&human.joints, options.orient);
    let (head_lods, body_lods) = part_lods(human, &head_skeleton, &body_skeleton);
    Ok(MadeArchetype {
        settings: settings("demo human"),
        head: head_dna(human, &head_skeleton, &head_lods)?,
        body: body_dna(human, &body_skeleton, &body_lods)?,
        mappings: human.mappings.clone(),
        seam: human.seam.clone(),
        expressions: Some(demo_expression_settings()),
    })
}

/// How far from the middle plane one side of a split expression fades into the other, cm; about what the skin weights of
/// the lips do.
const SPLIT_BAND_CM: f64 = 2.0;

/// The content of `expressions.json` of the demo human.
fn demo_expression_settings() -> Value {
    let controls = main_controls().into_iter();
    let swallow = controls.filter(|control| matches!(control.source, Source::Swallow(_)));
    let phases = BTreeMap::from([("neckSwallow", swallow.map(|control| control.name).collect())]);
    let targets = combinations().into_iter();
    let targets = targets.map(|of| (combination_name(&of.components), of.components));
    expression_settings(&phases, targets)
}

/// The content of `expressions.json`: which controls are the sides of one sculpt, which are phases of one slider, and
/// what each corrective is called and made of.
pub(crate) fn expression_settings(
    phases: &BTreeMap<&str, Vec<String>>,
    targets: impl Iterator<Item = (String, Vec<String>)>,
) -> Value {
    let controls = main_controls();
    let control_of = |shape: &str, wanted: Side| {
        controls.iter().find_map(|control| match &control.source {
            Source::Shape { name, side, half: None } if name == shape && *side == Some(wanted) => {
                Some(&control.name)
            }
            _ => None,
        })
    };
    let mut splits = Map::new();
    for control in &controls {
        if let Source::Shape { name, .. } = &control.source
            && !splits.contains_key(name)
            && let Some((left, right)) = control_of(name, Side::Left).zip(control_of(name, Side::Right))
        {
            let split = json!({ "left": left, "right": right, "band_cm": SPLIT_BAND_CM });
            splits.insert(name.clone(), split);
        }
    }
    let targets: Map<String, Value> = targets.map(|(name, components)| (name, json!(components))).collect();
    json!({ "splits": splits, "phases": phases, "targets": targets })
}

/// The settings of an archetype called `name`.
pub(crate) fn settings(name: &str) -> ArchetypeSettings {
    let eye = |mesh: &str, joint: &str| EyeRule { mesh: mesh.to_owned(), joint: joint.to_owned() };
    let jaw = |joint: &str| ChainRule {
        joint: joint.to_owned(),
        from: "head".to_owned(),
        to: "FACIAL_C_Chin2".to_owned(),
    };
    let part = |dna: &str| PartSettings { dna: dna.to_owned(), ..PartSettings::default() };
    // Both are placed by hand in a MetaHuman rig too; the chain is where they start from.
    let by_hand = ["FACIAL_C_Jaw", "FACIAL_C_LowerLipRotation"];
    ArchetypeSettings {
        format: 1,
        name: name.to_owned(),
        head: Some(PartSettings {
            eyes: vec![eye("eyeLeft_lod0_mesh", "FACIAL_L_Eye"), eye("eyeRight_lod0_mesh", "FACIAL_R_Eye")],
            chains: by_hand.iter().map(|joint| jaw(joint)).collect(),
            ..part("head.dna")
        }),
        body: Some(part("body.dna")),
        user_defined_joints: by_hand.map(str::to_owned).to_vec(),
        pruning: Pruning {
            joint_translation_cm: 0.001,
            joint_rotation_deg: 0.01,
            joint_scale: 0.0005,
            ..Pruning::default()
        },
        seam: Some(SeamSettings {
            head_mesh: "head_lod0_mesh".to_owned(),
            body_mesh: "body_lod0_mesh".to_owned(),
            file: "neck_seam.csv".to_owned(),
        }),
        other: Map::new(),
    }
}

impl MadeArchetype {
    /// The files of the archetype: names relative to its folder, and contents.
    ///
    /// # Errors
    /// The first file that cannot be made.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, WriteError> {
        let mut files = Vec::new();
        for (part, dna) in [(&self.settings.head, &self.head), (&self.settings.body, &self.body)] {
            if let Some(part) = part {
                let to_bytes = dna.to_bytes();
                let bytes = to_bytes.map_err(|source| WriteError::Dna { file: part.dna.clone(), source })?;
                files.push((part.dna.clone(), bytes));
            }
        }
        for table in &self.mappings {
            let file = format!("{MAPPING_FOLDER}/{}.csv", table.mesh);
            files.push((file, write_mapping(&table.rows).into_bytes()));
        }
        if let Some(seam) = &self.settings.seam {
            files.push((seam.file.clone(), write_seam(&self.seam).into_bytes()));
        }
        if let Some(expressions) = &self.expressions {
            files.push((EXPRESSIONS_FILE.to_owned(), json(EXPRESSIONS_FILE, expressions)?));
        }
        files.push((SETTINGS_FILE.to_owned(), json(SETTINGS_FILE, &self.settings)?));
        Ok(files)
    }

    /// Writes the archetype folder `dir`, which is created where it does not exist; files of the same names are
    /// replaced.
    ///
    /// # Errors
    /// The first file that could not be made or written.
    pub fn write(&self, dir: &Path) -> Result<(), WriteError> {
        let mapping_folder = dir.join(MAPPING_FOLDER);
        fs::create_dir_all(&mapping_folder)
            .map_err(|source| WriteError::Io { path: mapping_folder.display().to_string(), source })?;
        for (name, bytes) in self.files()? {
            let path = dir.join(name);
            fs::write(&path, bytes)
                .map_err(|source| WriteError::Io { path: path.display().to_string(), source })?;
        }
        Ok(())
    }
}

fn json(file: &str, value: &impl serde::Serialize) -> Result<Vec<u8>, WriteError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|source| WriteError::Json { file: file.to_owned(), source })?;
    text.push('\n');
    Ok(text.into_bytes())
}
