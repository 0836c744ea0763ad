use mhrig_dna::{Dna, Vectors3};
use mhrig_report::{Finding, Job};
use rayon::prelude::*;
use serde::Serialize;

use crate::CalibError;
use crate::check::{check_meshes, mesh_place};
use crate::expressions::{
    ExpressionMode, ExpressionSettings, MatchOptions, RecalculateOptions, RecalculateReport, TransferPlan,
    TransferReport, make_up_for_pruned_joints, recalculate,
};
use crate::inventory::{CollapseLimits, Inventory, Retention};
use crate::lod_meshes::{LodBindings, LodMeshReport};
use crate::normals::{NormalChange, NormalPlan};
use crate::prune::{PruneReport, PruneThresholds, prune};
use crate::setters::{Moved, set_mesh_positions, set_neutral_joint_translations};
use crate::skin::{MeshWeights, WeightPolicy, WeightReport, apply_weights};
use crate::units::cm_per_unit;

/// What a new person gives to its DNA.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeutralInput<'a> {
    /// Local translation of every joint, in the parent's space, cm; `None` leaves the joints.
    pub joint_translations_cm: Option<&'a [[f64; 3]]>,
    /// New vertex positions per mesh, LOD 0 as a rule. A mesh of a lower LOD that is given is not regenerated.
    pub meshes: &'a [MeshPositions<'a>],
    /// Skin weights per mesh, for [`WeightPolicy::Scene`].
    pub weights: &'a [MeshWeights],
    /// What the DNA cannot say of its expressions.
    pub expressions: Option<&'a ExpressionSettings>,
}

/// New vertex positions of one mesh.
#[derive(Clone, Copy, Debug)]
pub struct MeshPositions<'a> {
    /// Number of the mesh in the DNA.
    pub mesh: usize,
    /// One position per vertex, cm, axes as in the DNA.
    pub positions_cm: &'a [[f32; 3]],
}

/// What a neutral update does besides setting what it was given.
#[derive(Clone, Copy, Debug)]
pub struct NeutralOptions {
    /// Move the meshes of the lower LODs along with LOD 0.
    pub regenerate_lods: bool,
    /// Compute normals anew where something moved.
    pub recompute_normals: bool,
    /// What becomes of the expressions.
    pub expressions: ExpressionMode,
    /// Give every expression joint values that explain as much of its sculpt as joints can; blend shapes hold the rest.
    /// `None` leaves the joint values.
    pub matching: Option<MatchOptions>,
    /// Where the skin weights come from.
    pub weights: WeightPolicy,
    /// Drop small expression deltas; `None` keeps all.
    pub prune: Option<PruneThresholds>,
    /// When a layer counts as lost.
    pub collapse: CollapseLimits,
}

impl Default for NeutralOptions {
    fn default() -> Self {
        Self {
            regenerate_lods: true,
            recompute_normals: true,
            expressions: ExpressionMode::default(),
            matching: None,
            weights: WeightPolicy::default(),
            prune: Some(PruneThresholds::default()),
            collapse: CollapseLimits::default(),
        }
    }
}

/// Where the positions of a mesh come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshSource {
    /// They were given.
    Given,
    /// They follow a mesh of LOD 0.
    Regenerated,
    /// They are the template's.
    Kept,
}

/// What became of one mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshReport {
    /// Name of the mesh.
    pub mesh: String,
    /// Where its positions come from.
    pub source: MeshSource,
    /// How far its vertices moved from the template.
    pub moved: Moved,
    /// What became of its normals.
    pub normals: NormalChange,
}

/// What became of the joints.
pub type JointReport = Moved;

/// What a neutral update did, layer by layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NeutralReport {
    /// Local translations of joints.
    pub joints: JointReport,
    /// Every mesh, in the order of the DNA.
    pub meshes: Vec<MeshReport>,
    /// How each lower LOD mesh was made.
    pub lods: Vec<LodMeshReport>,
    /// What became of the skin weights that were set; the others are the template's.
    pub weights: Vec<WeightReport>,
    /// What computing expressions anew did; `None` when there was nothing to compute.
    pub recalculated: Option<RecalculateReport>,
    /// What transferring expressions did.
    pub transferred: Option<TransferReport>,
    /// What matching joints did; `None` when it was off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<RecalculateReport>,
    /// What pruning took; `None` when it was off.
    pub pruned: Option<PruneReport>,
    /// How much of the expressions is left.
    pub retention: Retention,
    /// What the template holds, and what joint matching added: nothing of it may be lost.
    #[serde(skip)]
    pub held: Inventory,
    /// What needs attention.
    pub findings: Vec<Finding>,
}

/// All that a neutral update has to know of its template. It can be applied to any number of copies of that template.
#[derive(Clone, Debug)]
pub struct NeutralPlan {
    inventory: Inventory,
    lods: LodBindings,
    normals: Vec<NormalPlan>,
    positions: Vec<Vectors3>,
    joints: usize,
}

impl NeutralPlan {
    /// Looks at the template.
    ///
    /// # Errors
    /// [`CalibError::Count`] or [`CalibError::Index`] for a template whose meshes are inconsistent,
    /// [`CalibError::Cancelled`].
    pub fn from_template(dna: &Dna, job: &Job<'_>) -> Result<Self, CalibError> {
        check_meshes(dna)?;
        job.progress.stage("read the template", 0);
        let (lods, (normals, inventory)) = rayon::join(
            || LodBindings::from_template(dna, job),
            || {
                let normals = dna.geometry.meshes.par_iter().map(NormalPlan::from_template).collect();
                (normals, Inventory::from_dna(dna))
            },
        );
        job.check()?;
        Ok(Self {
            inventory,
            lods: lods?,
            normals,
            positions: dna.geometry.meshes.iter().map(|mesh| mesh.positions.clone()).collect(),
            joints: dna.definition.joint_names.len(),
        })
    }

    /// What the template holds.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// How lower LOD meshes follow LOD 0.
    pub fn lod_bindings(&self) -> &LodBindings {
        &self.lods
    }

    /// Makes `dna`, which must be (a copy of) the template, the DNA of a new person: joints, meshes, lower LODs,
    /// normals, expressions, pruning, and the check that nothing was lost.
    ///
    /// After an error `dna` may be half changed and is not to be written.
    ///
    /// # Errors
    /// Those of the steps; [`CalibError::OtherTemplate`] when `dna` is not the template;
    /// [`CalibError::CountChanged`], [`CalibError::Collapsed`] or [`CalibError::NotFinite`] when the result is not
    /// sound.
    pub fn apply(
        &self,
        dna: &mut Dna,
        input: &NeutralInput<'_>,
        options: &NeutralOptions,
        job: &Job<'_>,
    ) -> Result<NeutralReport, CalibError> {
        self.check(dna)?;
        // Lower LODs take weights from LOD 0 where both still have the template's shape.
        let weights = apply_weights(dna, options.weights, input.weights, job)?;
        job.progress.stage("set joints and meshes", input.meshes.len() + 1);
        let joints = match input.joint_translations_cm {
            Some(translations) => set_neutral_joint_translations(dna, translations)?,
            None => Moved { count: self.joints, ..Moved::default() },
        };
        job.progress.step();
        for given in input.meshes {
            job.check()?;
            set_mesh_positions(dna, given.mesh, given.positions_cm)?;
            job.progress.step();
        }
        let given: Vec<usize> = input.meshes.iter().map(|given| given.mesh).collect();
        let lods = if options.regenerate_lods { self.lods.apply(dna, &given, job)? } else { Vec::new() };
        let normals = if options.recompute_normals {
            self.recompute_normals(dna, job)?
        } else {
            let keep = |plan: &NormalPlan| NormalChange { count: plan.len(), ..NormalChange::default() };
            self.normals.iter().map(keep).collect()
        };
        job.check()?;
        let transferred = match options.expressions {
            ExpressionMode::Transfer => {
                let positions = self.positions.iter().map(Vectors3::to_vectors).collect();
                Some(TransferPlan::with_positions(dna, positions, job)?.apply(dna, job)?)
            }
            _ => None,
        };
        let matched = match &options.matching {
            Some(matching) => {
                let settings = input.expressions.cloned().unwrap_or_default();
                let options = RecalculateOptions {
                    matching: Some(MatchOptions { all: true, ..*matching }),
                    ..RecalculateOptions::default()
                };
                Some(recalculate(dna, None, &[], &settings, &options, job)?)
            }
            None => None,
        };
        // A transfer changes sizes and matching changes who does what: what pruning takes is measured from what they gave.
        let before_pruning = (transferred.is_some() || matched.is_some()).then(|| Inventory::from_dna(dna));
        if let Some(before) = &before_pruning {
            self.inventory.check_grown(before)?;
        }
        let recalculated = match (&options.prune, options.expressions) {
            (Some(thresholds), ExpressionMode::Recalculate) => {
                let settings = input.expressions.cloned().unwrap_or_default();
                make_up_for_pruned_joints(dna, thresholds, &settings, job)?
            }
            _ => None,
        };
        let pruned = match &options.prune {
            Some(thresholds) => {
                job.progress.stage("prune expressions", 0);
                Some(prune(dna, thresholds)?)
            }
            None => None,
        };
        job.check()?;
        job.progress.stage("verify", 0);
        let after = Inventory::from_dna(dna);
        let retention = match &before_pruning {
            Some(before) => before.compare(&after, options.prune.as_ref(), options.collapse)?,
            None => self.inventory.compare(&after, options.prune.as_ref(), options.collapse)?,
        };
        let unit = cm_per_unit(&dna.descriptor);
        let meshes = dna.geometry.meshes.iter().enumerate().map(|(at, mesh)| {
            let name = dna.definition.mesh_names[at].to_string();
            let source = if given.contains(&at) {
                MeshSource::Given
            } else if lods.iter().any(|lod| lod.mesh == name) {
                MeshSource::Regenerated
            } else {
                MeshSource::Kept
            };
            let moved = Moved::between(&self.positions[at], &mesh.positions, unit);
            MeshReport { mesh: name, source, moved, normals: normals[at] }
        });
        let meshes = meshes.collect();
        let findings = if options.regenerate_lods { self.lods.findings().to_vec() } else { Vec::new() };
        Ok(NeutralReport {
            joints,
            meshes,
            lods,
            weights,
            recalculated,
            transferred,
            matched,
            pruned,
            retention,
            held: before_pruning.unwrap_or_else(|| self.inventory.clone()),
            findings,
        })
    }

    fn recompute_normals(&self, dna: &mut Dna, job: &Job<'_>) -> Result<Vec<NormalChange>, CalibError> {
        job.progress.stage("recompute normals", self.normals.len());
        dna.geometry
            .meshes
            .par_iter_mut()
            .zip(&self.normals)
            .zip(&self.positions)
            .map(|((mesh, plan), template)| {
                job.check()?;
                let pairs = mesh.positions.iter().zip(template.iter());
                let moved: Vec<bool> =
                    pairs.map(|(a, b)| a.map(f32::to_bits) != b.map(f32::to_bits)).collect();
                let change = plan.apply(mesh, Some(&moved));
                job.progress.step();
                Ok(change)
            })
            .collect()
    }

    fn check(&self, dna: &Dna) -> Result<(), CalibError> {
        check_meshes(dna)?;
        let other = |place: String| Err(CalibError::OtherTemplate { place });
        if dna.geometry.meshes.len() != self.positions.len() {
            return other("the number of meshes".to_owned());
        }
        if dna.definition.joint_names.len() != self.joints {
            return other("the number of joints".to_owned());
        }
        for (at, mesh) in dna.geometry.meshes.iter().enumerate() {
            let fits = mesh.positions.len() == self.positions[at].len()
                && mesh.normals.len() == self.normals[at].len();
            if !fits {
                return other(mesh_place(dna, at));
            }
        }
        Ok(())
    }
}
