//! Commands as the library has them, made from those of [`mhrig_calib`].

use std::pin::Pin;

use mhrig_calib::commands::{
    CommandSequence, Condition, Conditional, JointValues, Number, Operation, Removal, Renaming,
    SetBlendShapeTargetDeltas, SetLods, SetSkinWeights, SetVertexPositions, Vector,
};
use mhrig_calib::{CalibError, Command};

use crate::ENGINE;
use crate::bridge::{self, Blend, Item, Program, Question, RemovalSetter, RenamingSetter, Vectors};

/// A program under construction.
pub(crate) struct Builder<'a> {
    pub(crate) program: Pin<&'a mut Program>,
    /// Where each command of the program stands in the list that was given.
    places: Vec<String>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(program: Pin<&'a mut Program>) -> Self {
        Self { program, places: Vec::new() }
    }

    /// Where command number `command` stands.
    pub(crate) fn place(&self, command: usize) -> String {
        self.places.get(command).cloned().unwrap_or_default()
    }

    /// Adds a command with all that it runs, and returns its number.
    pub(crate) fn add(&mut self, command: &Command, prefix: &str) -> Result<usize, CalibError> {
        let place = format!("{prefix}{}", command.name());
        let number = match command {
            Command::CommandSequence(args) => self.sequence(args, prefix),
            Command::Conditional(args) => self.conditional(args, prefix),
            _ => self.leaf(command, &place),
        }?;
        if self.places.len() <= number {
            self.places.resize(number + 1, String::new());
        }
        self.places[number] = place;
        Ok(number)
    }

    fn leaf(&mut self, command: &Command, place: &str) -> Result<usize, CalibError> {
        let program = self.program.as_mut();
        let made = match command {
            Command::CalculateMeshLowerLods(args) => {
                program.calculate_mesh_lower_lods(short(place, "mesh", 0, args.mesh)?)
            }
            Command::SetVertexPositions(args) => return set_positions(program, args, place),
            Command::SetNeutralJointTranslations(JointValues { values }) => {
                program.set_neutral_joint_translations(&columns(values))
            }
            Command::SetNeutralJointRotations(JointValues { values }) => {
                program.set_neutral_joint_rotations(&columns(values))
            }
            Command::SetSkinWeights(args) => return set_skin_weights(program, args, place),
            Command::SetBlendShapeTargetDeltas(args) => return set_deltas(program, args, place),
            Command::PruneBlendShapeTargets(args) => program.prune_blend_shape_targets(args.threshold.0),
            Command::ClearBlendShapes(_) => program.clear_blend_shapes(),
            Command::RemoveBlendShape(args) => program.remove(Item::BlendShape, &removal(args, place)?),
            Command::RemoveAnimatedMap(args) => program.remove(Item::AnimatedMap, &removal(args, place)?),
            Command::RemoveMesh(args) => program.remove(Item::Mesh, &removal(args, place)?),
            Command::RemoveJoint(args) => program.remove(Item::Joint, &removal(args, place)?),
            Command::RemoveJointAnimation(args) => {
                program.remove(Item::JointAnimation, &removal(args, place)?)
            }
            Command::RenameJoint(args) => program.rename(Item::Joint, &renaming(args, place)?),
            Command::RenameMesh(args) => program.rename(Item::Mesh, &renaming(args, place)?),
            Command::RenameBlendShape(args) => program.rename(Item::BlendShape, &renaming(args, place)?),
            Command::RenameAnimatedMap(args) => program.rename(Item::AnimatedMap, &renaming(args, place)?),
            Command::Rotate(args) => {
                let [x, y, z] = floats(args.degrees);
                program.rotate(x, y, z, args.origin.map(floats).as_ref().map_or(&[], |origin| origin))
            }
            Command::Scale(args) => {
                let origin = args.origin.map(floats);
                program.scale(args.factor.0, origin.as_ref().map_or(&[], |origin| origin))
            }
            Command::Translate(args) => {
                let [x, y, z] = floats(args.vector);
                program.translate(x, y, z)
            }
            Command::SetLods(SetLods { renumber_maps: true, .. }) => {
                return Err(not_of_library(format!("argument renumberMaps of {place}")));
            }
            Command::SetLods(SetLods { lods, .. }) => program.set_lods(lods),
            _ => return Err(not_of_library(format!("command {place}"))),
        };
        made.map_err(|error| thrown(place, &error))
    }

    fn sequence(&mut self, args: &CommandSequence, prefix: &str) -> Result<usize, CalibError> {
        let mut members = Vec::with_capacity(args.commands.len() + args.repeat.len());
        for (at, command) in args.commands.iter().enumerate() {
            members.push(self.add(command, &format!("{prefix}commands[{at}]."))?);
        }
        for (at, &repeated) in args.repeat.iter().enumerate() {
            let place = format!("{prefix}repeat");
            let command = members[..args.commands.len()].get(repeated).copied();
            members.push(command.ok_or_else(|| index(place, at, repeated, args.commands.len()))?);
        }
        for (at, &removed) in args.removed.iter().enumerate() {
            if removed >= members.len() {
                return Err(index(format!("{prefix}removed"), at, removed, members.len()));
            }
        }
        let made = self.program.as_mut().sequence(&members, &args.removed);
        made.map_err(|error| thrown(&format!("{prefix}CommandSequence"), &error))
    }

    fn conditional(&mut self, args: &Conditional, prefix: &str) -> Result<usize, CalibError> {
        let then = self.add(&args.then, &format!("{prefix}then."))?;
        let (question, count, joint) = match &args.condition {
            Condition::Always => (Question::Always, 0, ""),
            Condition::Never => (Question::Never, 0, ""),
            Condition::MeshCountAtLeast(count) => (Question::MeshCountAtLeast, *count, ""),
            Condition::LodCountAtLeast(count) => (Question::LodCountAtLeast, *count, ""),
            Condition::JointExists(name) => (Question::JointExists, 0, name.as_str()),
        };
        let made = self.program.as_mut().conditional(question, count, joint, then);
        made.map_err(|error| thrown(&format!("{prefix}Conditional"), &error))
    }
}

fn set_positions(
    program: Pin<&mut Program>,
    args: &SetVertexPositions,
    place: &str,
) -> Result<usize, CalibError> {
    let mesh = short(place, "mesh", 0, args.mesh)?;
    let blend = blend(args.operation, args.masks.as_deref());
    let made = program.set_vertex_positions(mesh, &columns(&args.positions), &blend);
    made.map_err(|error| thrown(place, &error))
}

fn set_skin_weights(
    program: Pin<&mut Program>,
    args: &SetSkinWeights,
    place: &str,
) -> Result<usize, CalibError> {
    let mesh = short(place, "mesh", 0, args.mesh)?;
    let vertex = u32::try_from(args.vertex)
        .map_err(|_| index(format!("{place}.vertex"), 0, args.vertex, u32::MAX as usize))?;
    let joints = shorts(place, "joints", &args.joints)?;
    let made = program.set_skin_weights(mesh, vertex, &numbers(&args.weights), &joints);
    made.map_err(|error| thrown(place, &error))
}

fn set_deltas(
    program: Pin<&mut Program>,
    args: &SetBlendShapeTargetDeltas,
    place: &str,
) -> Result<usize, CalibError> {
    let mesh = short(place, "mesh", 0, args.mesh)?;
    let target = short(place, "target", 0, args.target)?;
    let vertices = args.vertices.as_deref().unwrap_or_default();
    let blend = blend(args.operation, args.masks.as_deref());
    let deltas = columns(&args.deltas);
    let made = program.set_blend_shape_target_deltas(mesh, target, &deltas, vertices, &blend);
    made.map_err(|error| thrown(place, &error))
}

/// The calls of the setters in their order.
fn removal(args: &Removal, place: &str) -> Result<Vec<RemovalSetter>, CalibError> {
    if args.weights.is_some() {
        return Err(not_of_library(format!("argument weights of {place}")));
    }
    let single = [(args.index, &args.indices)];
    let several: Vec<_> = args.setters.iter().map(|setter| (setter.index, &setter.indices)).collect();
    let has_single = args.index.is_some() || args.indices.is_some();
    let calls = match (has_single, several.is_empty()) {
        (true, true) => &single[..],
        (false, false) => &several,
        _ => return Err(not_one_of(place, "exactly one of index, indices and setters")),
    };
    let call = |&(index, indices): &(Option<usize>, &Option<Vec<usize>>)| match (index, indices) {
        (Some(one), None) => {
            Ok(RemovalSetter { indices: vec![short(place, "index", 0, one)?], is_list: false })
        }
        (None, Some(list)) => Ok(RemovalSetter { indices: shorts(place, "indices", list)?, is_list: true }),
        _ => Err(not_one_of(place, "exactly one of index and indices")),
    };
    calls.iter().map(call).collect()
}

/// The calls of the setter in their order.
fn renaming(args: &Renaming, place: &str) -> Result<Vec<RenamingSetter>, CalibError> {
    let expected = "newName with either index or oldName, or setters of that form";
    let several: Vec<_> = args
        .setters
        .iter()
        .map(|setter| (setter.index, setter.old_name.as_deref(), Some(setter.new_name.as_str())))
        .collect();
    let single = [(args.index, args.old_name.as_deref(), args.new_name.as_deref())];
    let has_single = args.index.is_some() || args.old_name.is_some() || args.new_name.is_some();
    let calls = match (has_single, several.is_empty()) {
        (true, true) => &single[..],
        (false, false) => &several,
        _ => return Err(not_one_of(place, expected)),
    };
    let call = |&(index, old_name, new_name): &(Option<usize>, Option<&str>, Option<&str>)| {
        let new_name = text(place, new_name.ok_or_else(|| not_one_of(place, expected))?)?;
        match (index, old_name) {
            (Some(index), None) => Ok(RenamingSetter {
                is_by_name: false,
                index: short(place, "index", 0, index)?,
                old_name: String::new(),
                new_name,
            }),
            (None, Some(old_name)) => {
                Ok(RenamingSetter { is_by_name: true, index: 0, old_name: text(place, old_name)?, new_name })
            }
            _ => Err(not_one_of(place, expected)),
        }
    };
    calls.iter().map(call).collect()
}

fn blend(operation: Operation, masks: Option<&[Number]>) -> Blend {
    let operation = match operation {
        Operation::Interpolate => bridge::Operation::Interpolate,
        Operation::Add => bridge::Operation::Add,
        Operation::Subtract => bridge::Operation::Subtract,
        Operation::Multiply => bridge::Operation::Multiply,
    };
    Blend { operation, has_masks: masks.is_some(), masks: masks.map(numbers).unwrap_or_default() }
}

fn floats(vector: Vector) -> [f32; 3] {
    vector.map(f32::from)
}

fn numbers(values: &[Number]) -> Vec<f32> {
    values.iter().map(|&value| value.into()).collect()
}

fn columns(vectors: &[Vector]) -> Vectors {
    let [xs, ys, zs] = [0, 1, 2].map(|axis| vectors.iter().map(|vector| vector[axis].into()).collect());
    Vectors { xs, ys, zs }
}

/// The library's numbers of things have 16 bits.
fn short(place: &str, argument: &str, at: usize, value: usize) -> Result<u16, CalibError> {
    u16::try_from(value).map_err(|_| index(format!("{place}.{argument}"), at, value, 1 << 16))
}

fn shorts(place: &str, argument: &str, values: &[usize]) -> Result<Vec<u16>, CalibError> {
    values.iter().enumerate().map(|(at, &value)| short(place, argument, at, value)).collect()
}

/// The library takes texts that end at a zero byte.
fn text(place: &str, text: &str) -> Result<String, CalibError> {
    if text.contains('\0') {
        return Err(not_of_library(format!("name with a zero byte in it, as given to {place}")));
    }
    Ok(text.to_owned())
}

fn index(place: String, at: usize, found: usize, limit: usize) -> CalibError {
    CalibError::Index { place, at, found, limit }
}

fn not_one_of(place: &str, expected: &'static str) -> CalibError {
    CalibError::Option { option: "dnacalib", found: place.to_owned(), expected }
}

fn not_of_library(what: String) -> CalibError {
    CalibError::NotOfEngine { engine: ENGINE, what }
}

pub(crate) fn thrown(place: &str, error: &cxx::Exception) -> CalibError {
    failed(place, 0, error.what().to_owned())
}

pub(crate) fn failed(place: &str, code: i32, message: String) -> CalibError {
    CalibError::Library { engine: ENGINE, place: place.to_owned(), code, message }
}
