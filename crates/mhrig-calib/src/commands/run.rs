use mhrig_dna::{Dna, LodMapping};
use mhrig_report::{Finding, Job};

use super::{
    Command, CommandSequence, Condition, Conditional, blend_shapes, extra, lod_positions, lods, meshes,
};
use super::{remove, remove_joint, rename, transform};
use crate::CalibError;
use crate::check::index;

/// What a command or a sequence left behind besides the changed model.
#[derive(Debug, Default)]
pub struct Outcome {
    /// With an engine that goes on after an error as the reference library does: the error that its global status
    /// names in the end.
    pub status: Option<CalibError>,
    /// What needs attention.
    pub findings: Vec<Finding>,
}

/// Something that runs commands on a model: [`NativeEngine`], or a bridge to another library.
///
/// This trait is a contract between crates and does not change with what an engine can do. The caller reads the file,
/// writes the result and turns errors into findings ([`CalibError::to_finding`]); the engine only edits the model.
///
/// What an implementation keeps to:
/// - [`Command::is_of_library`] tells which commands the reference library has. An engine refuses the others with
///   [`CalibError::NotOfEngine`], and files that it cannot read with [`CalibError::NewerFile`], before it changes
///   anything.
/// - What the library reports becomes [`CalibError::Library`] with its status and message.
/// - An engine that goes on after a failed command, as the library does, returns `Ok` and names the error in
///   [`Outcome::status`]; the caller then decides whether the result may be written.
/// - The model that comes back is complete: an engine that works on bytes writes `dna` out and reads the result back.
/// - `job` is asked before each command and after each long step; [`CalibError::Cancelled`] ends the run.
pub trait Engine {
    /// Name in reports and on the command line, lower case: `native`, `dnacalib`.
    fn name(&self) -> &'static str;

    /// Runs `command` on `dna`.
    ///
    /// # Errors
    /// What is wrong with the command or the model. A command that fails changes nothing; of a sequence, the commands
    /// before the failed one have done their work. After an error the caller does not write the model.
    fn run(&self, dna: &mut Dna, command: &Command, job: &Job<'_>) -> Result<Outcome, CalibError>;
}

/// The engine of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NativeEngine {
    /// Whether to do what the reference library (DNACalib 1.3) does also where that is not right: wrong indices are
    /// accepted or ignored, a sequence goes on after an error, and the result is what the library would have written,
    /// byte for byte as far as its arithmetic allows. Where it crashes or throws there is an error.
    pub compat: bool,
}

impl Engine for NativeEngine {
    fn name(&self) -> &'static str {
        "native"
    }

    fn run(&self, dna: &mut Dna, command: &Command, job: &Job<'_>) -> Result<Outcome, CalibError> {
        let mut runner = Runner { compat: self.compat, outcome: Outcome::default(), job };
        runner.run(dna, command, &mut Memory::default())?;
        if self.compat {
            store_equal_lists_once(dna);
        }
        Ok(runner.outcome)
    }
}

/// What a command object keeps from one run to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Vertices that [`Command::SetBlendShapeTargetDeltas`] took from its target.
    pub(super) vertices: Option<Vec<u32>>,
    /// Of the commands of a sequence.
    commands: Vec<Memory>,
}

struct Runner<'a> {
    compat: bool,
    outcome: Outcome,
    job: &'a Job<'a>,
}

impl Runner<'_> {
    fn run(&mut self, dna: &mut Dna, command: &Command, memory: &mut Memory) -> Result<(), CalibError> {
        self.job.check()?;
        let compat = self.compat;
        let findings = &mut self.outcome.findings;
        match command {
            Command::CalculateMeshLowerLods(args) => {
                lod_positions::calculate(dna, args, compat, findings, self.job)
            }
            Command::SetVertexPositions(args) => {
                let result = meshes::set_vertex_positions(dna, args, compat);
                self.set_status(result)
            }
            Command::SetNeutralJointTranslations(args) => meshes::set_joint_translations(dna, args, compat),
            Command::SetNeutralJointRotations(args) => meshes::set_joint_rotations(dna, args, compat),
            Command::SetSkinWeights(args) => meshes::set_skin_weights(dna, args, compat, findings),
            Command::SetBlendShapeTargetDeltas(args) => {
                let result = blend_shapes::set_deltas(dna, args, compat, memory);
                self.set_status(result)
            }
            Command::PruneBlendShapeTargets(args) => blend_shapes::prune(dna, args, compat),
            Command::ClearBlendShapes(_) => {
                blend_shapes::clear(dna);
                Ok(())
            }
            Command::RemoveBlendShape(args) => remove::blend_shapes(dna, args, compat),
            Command::RemoveAnimatedMap(args) => remove::animated_maps(dna, args, compat),
            Command::RemoveMesh(args) => remove::meshes(dna, args, compat),
            Command::RemoveJoint(args) => remove_joint::joints(dna, args, compat),
            Command::RemoveJointAnimation(args) => remove_joint::animation(dna, args, compat),
            Command::RenameJoint(args) => rename::joint(dna, args, compat),
            Command::RenameMesh(args) => rename::mesh(dna, args, compat),
            Command::RenameBlendShape(args) => rename::blend_shape(dna, args, compat),
            Command::RenameAnimatedMap(args) => rename::animated_map(dna, args, compat),
            Command::Rotate(args) => transform::rotate(dna, args, compat),
            Command::Scale(args) => transform::scale(dna, args, compat),
            Command::Translate(args) => transform::translate(dna, args, compat),
            Command::SetLods(args) => {
                let result = lods::set(dna, args, compat, findings);
                self.set_status(result)
            }
            Command::SetBlendShapeTarget(args) => extra::set_target(dna, args),
            Command::RemoveBlendShapeTarget(args) => extra::remove_target(dna, args),
            Command::SetTextureCoordinates(args) => extra::set_texture_coordinates(dna, args),
            Command::SetNormals(args) => extra::set_normals(dna, args),
            Command::RecalculateNormals(args) => extra::recalculate_normals(dna, args),
            Command::SetMeshSkinWeights(args) => extra::set_skin_weights(dna, args, findings),
            Command::TransferSkinWeights(args) => extra::transfer_weights(dna, args, findings, self.job),
            Command::SetJointParent(args) => extra::set_joint_parent(dna, args),
            Command::PruneJointValues(args) => extra::prune_joint_values(dna, args),
            Command::CommandSequence(args) => self.run_sequence(dna, args, memory),
            Command::Conditional(args) => self.run_conditional(dna, args, memory),
        }
    }

    /// The reference library has one status for all: a command that sets it goes on where ours returns an error.
    fn set_status(&mut self, result: Result<(), CalibError>) -> Result<(), CalibError> {
        match result {
            Err(error) if self.compat && error.status().is_some() => {
                self.outcome.status = Some(error);
                Ok(())
            }
            Ok(()) => {
                self.outcome.status = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn run_sequence(
        &mut self,
        dna: &mut Dna,
        args: &CommandSequence,
        memory: &mut Memory,
    ) -> Result<(), CalibError> {
        let count = args.commands.len();
        let mut order: Vec<usize> = (0..count).collect();
        for (at, &repeated) in args.repeat.iter().enumerate() {
            index("CommandSequence.repeat", at, repeated, count)?;
            order.push(repeated);
        }
        for (at, &removed) in args.removed.iter().enumerate() {
            index("CommandSequence.removed", at, removed, order.len())?;
        }
        memory.commands.resize_with(count, Memory::default);
        for (at, &command) in order.iter().enumerate() {
            if !args.removed.contains(&at) {
                self.run(dna, &args.commands[command], &mut memory.commands[command])?;
            }
            self.job.progress.step();
        }
        Ok(())
    }

    fn run_conditional(
        &mut self,
        dna: &mut Dna,
        args: &Conditional,
        memory: &mut Memory,
    ) -> Result<(), CalibError> {
        let definition = &dna.definition;
        let holds = match &args.condition {
            Condition::Always => true,
            Condition::Never => false,
            Condition::MeshCountAtLeast(count) => definition.mesh_names.len() >= *count,
            Condition::LodCountAtLeast(count) => usize::from(dna.descriptor.lod_count) >= *count,
            Condition::JointExists(name) => definition.joint_names.iter().any(|n| *n == name.as_str()),
        };
        memory.commands.resize_with(1, Memory::default);
        if holds { self.run(dna, &args.then, &mut memory.commands[0]) } else { Ok(()) }
    }
}

/// Equal lists of a mapping are one row, and rows are numbered in order of first use: so the reference library stores
/// them on every copy.
fn store_equal_lists_once(dna: &mut Dna) {
    let lods = usize::from(dna.descriptor.lod_count);
    let definition = &mut dna.definition;
    for mapping in [
        &mut definition.lod_joint_mapping,
        &mut definition.lod_blend_shape_mapping,
        &mut definition.lod_animated_map_mapping,
        &mut definition.lod_mesh_mapping,
    ] {
        let mut stored = LodMapping::default();
        for lod in 0..lods {
            let members = mapping.members(lod);
            let row = stored.indices.iter().position(|row| row == members).unwrap_or_else(|| {
                stored.indices.push(members.to_vec());
                stored.indices.len() - 1
            });
            stored.lods.push(row as u16);
        }
        *mapping = stored;
    }
}
