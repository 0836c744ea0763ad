use mhrig_dna::{Dna, Mesh, Text};

use super::Renaming;
use crate::CalibError;
use crate::check::index;

/// Puts the new name into `names`; gives back whether the list grew.
fn rename(
    names: &mut Vec<Text>,
    args: &Renaming,
    command: &'static str,
    compat: bool,
) -> Result<bool, CalibError> {
    let (by_index, by_name, new_name) = match args.setters.last() {
        Some(setter) => (setter.index, setter.old_name.as_deref(), Some(setter.new_name.as_str())),
        None => (args.index, args.old_name.as_deref(), args.new_name.as_deref()),
    };
    let is_mixed = !args.setters.is_empty()
        && (args.index.is_some() || args.old_name.is_some() || args.new_name.is_some());
    let wrong = |found: &str| CalibError::Option {
        option: command,
        found: found.to_owned(),
        expected: "newName with either index or oldName, or setters of that form",
    };
    let new_name = new_name.filter(|_| !is_mixed).ok_or_else(|| wrong("a mixture"))?;
    let at = match (by_index, by_name) {
        (Some(index), None) => index,
        (None, Some(name)) => match names.iter().position(|known| *known == name) {
            Some(at) => at,
            None if compat => return Ok(false),
            None => return Err(CalibError::Name { command, name: name.to_owned() }),
        },
        (Some(_), Some(_)) => return Err(wrong("both")),
        (None, None) => return Err(wrong("neither")),
    };
    if !compat {
        index(command, 0, at, names.len())?;
        if new_name.is_empty() {
            return Err(CalibError::Option {
                option: command,
                found: "an empty newName".to_owned(),
                expected: "a name",
            });
        }
        if names.iter().enumerate().any(|(other, name)| other != at && *name == new_name) {
            return Err(CalibError::NameTaken { command, name: new_name.to_owned() });
        }
    }
    let grows = at >= names.len();
    if grows {
        index(command, 0, at, usize::from(u16::MAX))?;
        names.resize_with(at + 1, Text::default);
    }
    names[at] = Text::from(new_name);
    Ok(grows)
}

pub(super) fn joint(dna: &mut Dna, args: &Renaming, compat: bool) -> Result<(), CalibError> {
    let definition = &mut dna.definition;
    if rename(&mut definition.joint_names, args, "RenameJoint", compat)? {
        let count = definition.joint_names.len();
        // What the library writes for joints that have a name and nothing else.
        definition.joint_hierarchy.resize(count, u16::MAX);
        for vectors in [&mut definition.neutral_joint_translations, &mut definition.neutral_joint_rotations] {
            for coordinates in [&mut vectors.xs, &mut vectors.ys, &mut vectors.zs] {
                coordinates.resize(count, 0.0);
            }
        }
    }
    Ok(())
}

pub(super) fn mesh(dna: &mut Dna, args: &Renaming, compat: bool) -> Result<(), CalibError> {
    if rename(&mut dna.definition.mesh_names, args, "RenameMesh", compat)? {
        dna.geometry.meshes.resize_with(dna.definition.mesh_names.len(), Mesh::default);
    }
    Ok(())
}

pub(super) fn blend_shape(dna: &mut Dna, args: &Renaming, compat: bool) -> Result<(), CalibError> {
    rename(&mut dna.definition.blend_shape_channel_names, args, "RenameBlendShape", compat).map(|_| ())
}

pub(super) fn animated_map(dna: &mut Dna, args: &Renaming, compat: bool) -> Result<(), CalibError> {
    rename(&mut dna.definition.animated_map_names, args, "RenameAnimatedMap", compat).map(|_| ())
}
