use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use mhrig_dna::{Dna, ReadOptions};
use mhrig_rig::{Rig, RigOptions};

use crate::session::must;

const COMPONENTS: [&str; 4] = ["X", "Y", "Z", "W"];
const ATTRIBUTES: [&str; 9] = ["tx", "ty", "tz", "rx", "ry", "rz", "sx", "sy", "sz"];

fn read(file: &Path) -> Dna {
    must(Dna::read_file(file, &ReadOptions::default())).0
}

/// Writes the names of a DNA file beside it, in the order of its numbers, for what stands in for Epic's plug-in.
///
/// # Panics
/// When the file is no rig, or there is no place for the names.
pub fn write_epic_names(file: &Path) {
    let dna = read(file);
    let rig = must(Rig::from_dna(&dna, &RigOptions::default()));
    let names = rig.names();
    let mut lines = String::new();
    let mut line = |kind: &str, name: &str, more: &str| {
        let _ = writeln!(lines, "{kind} {name} {more}");
    };
    let drivers = rig.drivers();
    for (number, name) in names.raw_controls.iter().enumerate() {
        let driver = drivers.iter().filter(|driver| driver.joint.is_some());
        let mut components = driver.flat_map(|driver| driver.controls.into_iter().zip(COMPONENTS));
        match components.find(|(control, _)| usize::from(*control) == number) {
            Some((_, component)) => line("driver", name, component),
            None => line("control", name, ""),
        }
    }
    for output in rig.variable_joint_attributes_of_all_lods() {
        let (joint, attribute) = (usize::from(output / 9), ATTRIBUTES[usize::from(output % 9)]);
        line("joint", &format!("{}.{attribute}", names.joints[joint]), "");
    }
    for (number, channel) in dna.definition.blend_shape_channel_names.iter().enumerate() {
        let has = |mesh: &mhrig_dna::Mesh| {
            let mut targets = mesh.blend_shape_targets.iter();
            targets.any(|target| usize::from(target.blend_shape_channel_index) == number)
        };
        let meshes = dna.definition.mesh_names.iter().zip(&dna.geometry.meshes);
        let meshes: Vec<String> =
            meshes.filter(|(_, own)| has(own)).map(|(name, _)| name.to_string()).collect();
        line("channel", &channel.to_string(), &meshes.join(","));
    }
    for name in &names.animated_maps {
        line("map", name, "");
    }
    let mut beside = file.as_os_str().to_owned();
    beside.push(".names");
    must(std::fs::write(beside, lines));
}

/// Writes a copy of a DNA file in which a control moves a joint that nothing moved before, in x and all three angles.
/// The control is the first one of the first joint group.
///
/// # Panics
/// When the file has no such joint or no joint group.
pub fn drive_joint(file: &Path, copy: &Path, joint: &str) {
    let mut dna = read(file);
    let names = &dna.definition.joint_names;
    let Some(number) = names.iter().position(|name| *name == joint) else { panic!("no joint {joint}") };
    let rows: BTreeSet<u16> =
        [0, 3, 4, 5].into_iter().map(|attribute| number as u16 * 9 + attribute).collect();
    let groups = &mut dna.behavior.joints.joint_groups;
    assert!(groups.iter().all(|group| !group.output_indices.iter().any(|own| rows.contains(own))), "{joint}");
    let Some(group) = groups.first_mut() else { panic!("{} has no joint group", file.display()) };
    let columns = group.input_indices.len();
    let values = rows.iter().flat_map(|_| (0..columns).map(|column| if column == 0 { 0.5 } else { 0.0 }));
    group.values.splice(0..0, values);
    group.output_indices.splice(0..0, rows.iter().copied());
    group.lods.iter_mut().for_each(|count| *count += rows.len() as u16);
    group.joint_indices.push(number as u16);
    must(std::fs::write(copy, must(dna.to_bytes())));
}

/// Lets a slider of a DNA file drive a raw control, beside what drives it already.
///
/// # Panics
/// When the file has no such slider or raw control.
pub fn drive_raw_control(file: &Path, slider: &str, raw: &str) {
    let mut dna = read(file);
    let number = |names: &[mhrig_dna::Text], name: &str| match names.iter().position(|own| *own == name) {
        Some(number) => number as u16,
        None => panic!("no {name}"),
    };
    let definition = &dna.definition;
    let input = number(&definition.gui_control_names, slider);
    let output = number(&definition.raw_control_names, raw);
    let table = &mut dna.behavior.controls.conditionals;
    table.input_indices.push(input);
    table.output_indices.push(output);
    for (column, value) in [
        (&mut table.from_values, 0.0),
        (&mut table.to_values, 1.0),
        (&mut table.slope_values, 1.0),
        (&mut table.cut_values, 0.0),
    ] {
        column.push(value);
    }
    must(std::fs::write(file, must(dna.to_bytes())));
}
