//! What the sliders of a part do, at LOD 0: rows to raw controls, correctives, joints, blend shape channels, maps.

use std::collections::{BTreeMap, BTreeSet};

use mhrig_dna::ConditionalTable;
use mhrig_rig::{Instance, Rig, RotationOrder};
use serde_json::{Value, json};

use super::data::Data;
use crate::assemble::board::region_of;
use crate::assemble::input::RigPart;
use crate::assemble::rows;

/// The behaviour of `part`. `rest`: an evaluation at rest, for what no slider reaches. Joints in `led` are left to
/// another part.
pub(super) fn face(data: &mut Data, part: &RigPart, rig: &Rig, rest: &Instance, led: &[bool]) -> Value {
    let (dna, layout) = (&part.dna, rig.layout());
    let names = rig.names();
    let ranges = rows::ranges(&dna.behavior.controls.conditionals, names.gui_controls.len());
    let sliders: Vec<Value> = names
        .gui_controls
        .iter()
        .zip(ranges)
        .map(|(name, range)| {
            let (min, max) = range.unwrap_or((0.0, 1.0));
            let (region, side) = region_of(name.split('.').next().unwrap_or(name));
            json!({ "name": name, "min": min, "max": max, "region": region, "side": side })
        })
        .collect();
    let mut held: BTreeMap<usize, f32> = BTreeMap::new();
    for control in layout.ml().chain(layout.rbf()) {
        held.insert(control, rest.controls()[control]);
    }
    let drivers = rig.drivers().into_iter().flat_map(|driver| driver.controls).map(usize::from);
    held.extend(drivers.map(|control| (control, rest.controls()[control])));
    json!({
        "sliders": sliders,
        "raw": names.raw_controls,
        "controls": layout.len(),
        "rows": table(data, &dna.behavior.controls.conditionals, usize::MAX),
        "heldControls": data.array(held.keys().map(|&control| control as u16)),
        "heldValues": data.array(held.values().copied()),
        "correctives": correctives(data, part, layout.psds().start, layout.psds().len()),
        "joints": joints(data, part, rig, led),
        "channels": channels(data, part),
        "maps": {
            "names": names.animated_maps,
            "rows": table(
                data,
                &dna.behavior.animated_maps.conditionals,
                of_lod_0(&dna.behavior.animated_maps.lods, usize::MAX),
            ),
        },
    })
}

/// How many leading rows LOD 0 uses.
fn of_lod_0(lods: &[u16], all: usize) -> usize {
    lods.first().map_or(all, |&count| usize::from(count))
}

fn table(data: &mut Data, table: &ConditionalTable, most: usize) -> Value {
    let count = table.input_indices.len().min(most);
    json!({
        "inputs": data.array(table.input_indices[..count].iter().copied()),
        "outputs": data.array(table.output_indices[..count].iter().copied()),
        "from": data.array(table.from_values[..count].iter().copied()),
        "to": data.array(table.to_values[..count].iter().copied()),
        "slopes": data.array(table.slope_values[..count].iter().copied()),
        "cuts": data.array(table.cut_values[..count].iter().copied()),
    })
}

fn correctives(data: &mut Data, part: &RigPart, first: usize, count: usize) -> Value {
    let psds = &part.dna.behavior.controls.psds;
    let mut all: Vec<(f32, Vec<u16>)> = vec![(1.0, Vec::new()); count];
    for ((&row, &column), &value) in psds.rows.iter().zip(&psds.columns).zip(&psds.values) {
        if let Some((weight, inputs)) = usize::from(row).checked_sub(first).and_then(|at| all.get_mut(at)) {
            *weight *= value;
            inputs.push(column);
        }
    }
    let mut end = 0;
    let ends: Vec<u32> = all
        .iter()
        .map(|(_, inputs)| {
            end += inputs.len() as u32;
            end
        })
        .collect();
    let active = part.rig().map(|rig| rig.active_psds(0)).unwrap_or_default();
    let weights = all.iter().enumerate().map(|(at, (weight, inputs))| {
        let is_active = active.binary_search(&(first + at)).is_ok();
        if inputs.is_empty() || !is_active { 0.0 } else { *weight }
    });
    json!({
        "first": first,
        "ends": data.array(ends),
        "inputs": data.array(all.iter().flat_map(|(_, inputs)| inputs).copied()),
        "weights": data.array(weights),
    })
}

fn channels(data: &mut Data, part: &RigPart) -> Value {
    let rows = &part.dna.behavior.blend_shape_channels;
    let count = of_lod_0(&rows.lods, rows.input_indices.len()).min(rows.input_indices.len());
    json!({
        "count": part.dna.definition.blend_shape_channel_names.len(),
        "inputs": data.array(rows.input_indices[..count].iter().copied()),
        "outputs": data.array(rows.output_indices[..count].iter().copied()),
    })
}

/// Rows of joint groups, one list of cells per attribute that moves, in cm and degrees; and joints of quaternions.
fn joints(data: &mut Data, part: &RigPart, rig: &Rig, led: &[bool]) -> Value {
    let dna = &part.dna;
    let representations = &dna.joint_behavior_metadata.joint_representations;
    let is_led = |joint: usize| led.get(joint).copied().unwrap_or(false);
    // What twists and swings turn stands as its driver does, which is at rest.
    let behavior = &dna.twist_swing_behavior;
    let turned: BTreeSet<u16> = behavior
        .twists
        .iter()
        .chain(&behavior.swings)
        .flat_map(|setup| setup.output_joint_indices.iter().copied())
        .collect();
    let mut cells: BTreeMap<u16, Vec<(u16, f32)>> = BTreeMap::new();
    for group in &dna.behavior.joints.joint_groups {
        let width = group.input_indices.len();
        let rows = of_lod_0(&group.lods, group.output_indices.len());
        for (&output, values) in group.output_indices.iter().zip(group.values.chunks(width.max(1))).take(rows)
        {
            let (joint, kind) = (usize::from(output / 9), output % 9 / 3);
            let is_quaternion = representations.get(joint).is_some_and(|own| own.rotation == 1);
            let is_elsewhere = kind == 1 && (is_quaternion || turned.contains(&(output / 9)));
            if is_led(joint) || is_elsewhere || values.iter().all(|value| *value == 0.0) {
                continue;
            }
            let unit = match kind {
                0 => rig.cm_per_unit() as f32,
                1 if rig.is_radians() => 1f32.to_degrees(),
                _ => 1.0,
            };
            let row = group.input_indices.iter().copied().zip(values.iter().map(|value| value * unit));
            // A later group's row stands for those before it.
            cells.insert(output, row.filter(|(_, value)| *value != 0.0).collect());
        }
    }
    let mut end = 0;
    let ends: Vec<u32> = cells
        .values()
        .map(|row| {
            end += row.len() as u32;
            end
        })
        .collect();
    let quaternions: Vec<Value> = rig
        .quaternion_joints(0)
        .into_iter()
        .filter(|own| !is_led(own.joint) && !turned.contains(&(own.joint as u16)))
        .map(|own| {
            json!({
                "joint": own.joint,
                "inputs": data.array(own.factors.iter().map(|(input, _)| *input)),
                "factors": data.array(own.factors.iter().flat_map(|(_, factor)| *factor)),
            })
        })
        .collect();
    // Axes in the order in which they turn.
    let order = match rig.rotation_order() {
        RotationOrder::Xyz => "xyz",
        RotationOrder::Xzy => "xzy",
        RotationOrder::Yxz => "yxz",
        RotationOrder::Yzx => "yzx",
        RotationOrder::Zxy => "zxy",
        RotationOrder::Zyx => "zyx",
    };
    json!({
        "order": order,
        "signs": rig.rotation_signs(),
        "outputs": data.array(cells.keys().copied()),
        "ends": data.array(ends),
        "inputs": data.array(cells.values().flatten().map(|(input, _)| *input)),
        "values": data.array(cells.values().flatten().map(|(_, value)| *value)),
        "quaternions": quaternions,
    })
}
