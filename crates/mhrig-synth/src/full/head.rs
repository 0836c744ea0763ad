//! The DNA of a full-size head.

use mhrig_dna::{Dna, FileVersion, Text};
use nalgebra::{UnitQuaternion, Vector3};

use super::combinations::{Combination, combinations};
use super::effects::{Effects, Face, FullEffect, regions};
use super::gestures::Bump;
use super::tables::{Drive, TableControl, controls};
use crate::combinations::{channel_name, combination_name};
use crate::drivers::{Pose, push_driver};
use crate::expressions::Effect;
use crate::head::{Lods, descriptor, push_row, rows_per_lod, set_blend_shapes, set_skeleton};
use crate::joint_groups::{Column, joint_groups};
use crate::neck::{NECK_JOINTS, push_neck_solver};
use crate::skeleton::PartSkeleton;
use crate::{DemoHuman, SynthError};

/// Rig definition; a name of our own, since no table of a MetaHuman rig fits it.
const DB_NAME: &str = "MHRIG.FULL.HEAD";
/// Groups of joints.
const GROUPS: usize = 122;
/// Values in all groups together.
const JOINT_VALUES: usize = 1_070_000;
/// Blend shape channels, and targets of them.
const CHANNELS: usize = 782;
const TARGETS: usize = 858;

/// A head and what its correctives are made of.
pub(crate) struct FullHead {
    pub(crate) dna: Dna,
    /// Names of channels of correctives and their controls.
    pub(crate) correctives: Vec<(String, Vec<&'static str>)>,
}

/// Makes the head.
pub(crate) fn head_dna(
    human: &DemoHuman,
    skeleton: &PartSkeleton,
    lods: &Lods,
    (seed, detail): (u64, f64),
) -> Result<FullHead, SynthError> {
    let controls = controls()?;
    let face = Face::new(human, skeleton);
    let mut effects = Effects::mains(&face, &controls)?;
    let combinations = combinations(&controls, &effects.extents)?;
    let turns = turn_bumps(skeleton)?;
    let mut correctives = effects.correctives(&face, &controls, &combinations, &turns, (seed, detail))?;
    let mut all: Vec<&mut FullEffect> = effects.mains.iter_mut().chain(&mut correctives).collect();
    face.move_cartilage(&mut all);

    let mut dna = Dna {
        descriptor: descriptor("FullSizeHead", DB_NAME, lods.meshes.len() as u16),
        ..Dna::new(FileVersion { generation: 2, version: 5 })
    };
    set_skeleton(&mut dna.definition, skeleton, lods);
    set_controls(&mut dna, &controls);
    for joint in NECK_JOINTS {
        push_driver(&mut dna, joint);
    }
    set_correctives(&mut dna, &combinations);
    set_neck_solver(&mut dna, skeleton, lods.meshes.len())?;
    set_animated_maps(&mut dna, &controls)?;

    let names = corrective_names(&controls, &combinations);
    let first_corrective = dna.definition.raw_control_names.len();
    let numbers = (0..controls.len()).chain(first_corrective..first_corrective + correctives.len());
    let channel_names = controls.iter().map(|control| channel_name(control.name));
    let channel_names =
        channel_names.chain(names.iter().cloned()).chain(turn_names().map(|name| channel_name(&name)));
    let mut all: Vec<(String, u16, FullEffect)> = channel_names
        .zip(numbers.zip(effects.mains.into_iter().chain(correctives)))
        .map(|(name, (number, effect))| (name, number as u16, effect))
        .collect();
    let channels: Vec<(String, u16, &Effect)> =
        all.iter().map(|(name, number, full)| (name.clone(), *number, &full.effect)).collect();
    set_blend_shapes(&mut dna, lods, &channels);
    expect("blend shape channels", CHANNELS, dna.definition.blend_shape_channel_names.len())?;
    let targets = dna.geometry.meshes.iter().map(|mesh| mesh.blend_shape_targets.len());
    expect("blend shape targets", TARGETS, targets.sum())?;

    let values = (JOINT_VALUES as f64 * detail.max(0.1)) as usize;
    let blocks = choose_columns(skeleton, &mut all, values);
    let columns: Vec<Column<'_>> = all
        .iter()
        .map(|(_, control, full)| Column { control: *control, deltas: &full.effect.joints })
        .collect();
    dna.behavior.joints.row_count = (skeleton.names.len() * 9) as u16;
    dna.behavior.joints.col_count = (first_corrective + names.len() + turns.len()) as u16;
    dna.behavior.joints.joint_groups =
        joint_groups(&columns, &blocks, &lods.lod_count_of_joint, lods.meshes.len());
    expect("joint groups", GROUPS, dna.behavior.joints.joint_groups.len())?;
    let components = combinations.iter().map(|of| of.iter().map(|&at| controls[at].name).collect());
    Ok(FullHead { dna, correctives: names.into_iter().zip(components).collect() })
}

fn expect(what: &str, expected: usize, found: usize) -> Result<(), SynthError> {
    if expected == found {
        return Ok(());
    }
    Err(SynthError::Mismatch {
        what: what.to_owned(),
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

fn set_controls(dna: &mut Dna, controls: &[TableControl]) {
    let definition = &mut dna.definition;
    let table = &mut dna.behavior.controls.conditionals;
    for (number, control) in controls.iter().enumerate() {
        definition.raw_control_names.push(format!("CTRL_expressions.{}", control.name).into());
        let gui = Text::from(control.gui);
        let input = definition.gui_control_names.iter().position(|name| *name == gui).unwrap_or_else(|| {
            definition.gui_control_names.push(gui);
            definition.gui_control_names.len() - 1
        });
        let mut push = |row: [f32; 4]| push_row(table, input as u16, number as u16, row);
        match control.drive {
            Drive::Rising => push([0.0, 1.0, 1.0, 0.0]),
            Drive::Falling => push([-1.0, 0.0, -1.0, 0.0]),
            Drive::Phase { phase, steps } => {
                let slope = f32::from(steps);
                let [before, peak, after] = [phase - 1, phase, phase + 1].map(|step| f32::from(step) / slope);
                push([before, peak, slope, -f32::from(phase - 1)]);
                if phase < steps {
                    push([peak, after, -slope, f32::from(phase + 1)]);
                }
            }
        }
    }
}

fn set_correctives(dna: &mut Dna, combinations: &[Combination]) {
    let first = dna.definition.raw_control_names.len();
    dna.behavior.controls.psd_count = combinations.len() as u16;
    let psds = &mut dna.behavior.controls.psds;
    for (at, combination) in combinations.iter().enumerate() {
        for &control in combination {
            psds.rows.push((first + at) as u16);
            psds.columns.push(control as u16);
            psds.values.push(1.0);
        }
    }
}

/// Names of the correctives' channels; of two that are called alike the second has a number.
fn corrective_names(controls: &[TableControl], combinations: &[Combination]) -> Vec<String> {
    let mut names: Vec<String> = controls.iter().map(|control| channel_name(control.name)).collect();
    let first = names.len();
    for combination in combinations {
        let components: Vec<String> = combination.iter().map(|&at| controls[at].name.to_owned()).collect();
        let name = combination_name(&components);
        let mut unique = name.clone();
        let mut number = 2;
        while names.contains(&unique) {
            unique = format!("{name}__{number}");
            number += 1;
        }
        names.push(unique);
    }
    names.split_off(first)
}

/// Ways to turn the head: name, world axis (the head turns right-handed about it), largest angle in degrees, and where on the
/// neck it shows.
const TURNS: [(&str, [f64; 3], f64, [f64; 3]); 6] = [
    ("headTurnUp", [-1.0, 0.0, 0.0], 36.0, [0.0, 0.0, 1.0]),
    ("headTurnDown", [1.0, 0.0, 0.0], 40.0, [0.0, 0.0, -1.0]),
    ("headTurnLeft", [0.0, 1.0, 0.0], 60.0, [-0.8, 0.0, 0.6]),
    ("headTurnRight", [0.0, -1.0, 0.0], 60.0, [0.8, 0.0, 0.6]),
    ("headTiltLeft", [0.0, 0.0, -1.0], 36.0, [-1.0, 0.0, 0.0]),
    ("headTiltRight", [0.0, 0.0, 1.0], 36.0, [1.0, 0.0, 0.0]),
];

/// Levels of the neck: its joint, and the shares of the three joints in a turn that shows there.
const LEVELS: [(&str, [f64; 3]); 3] =
    [("U", [0.15, 0.25, 0.6]), ("M", [0.25, 0.5, 0.25]), ("D", [0.6, 0.25, 0.15])];
const LEVEL_JOINTS: [&str; 3] = ["head", "neck_02", "neck_01"];
/// Size of the skin's bump in a turn, and its reach, cm.
const TURN_CM: (f64, f64) = (0.35, 3.5);

fn turn_names() -> impl Iterator<Item = String> {
    TURNS.iter().flat_map(|(name, ..)| LEVELS.iter().map(move |(level, _)| format!("{name}{level}")))
}

fn turn_bumps(skeleton: &PartSkeleton) -> Result<Vec<Bump>, SynthError> {
    let mut bumps = Vec::new();
    for (_, _, _, towards) in TURNS {
        for joint in LEVEL_JOINTS {
            let towards = Vector3::from(towards);
            let centre = position(skeleton, joint)? + towards * 5.0;
            bumps.push(Bump { centre, path: towards * TURN_CM.0, radius_cm: TURN_CM.1 });
        }
    }
    Ok(bumps)
}

fn neck_joint(skeleton: &PartSkeleton, name: &str) -> Result<usize, SynthError> {
    skeleton.find(name).ok_or_else(|| SynthError::Mismatch {
        what: "joint of the neck".to_owned(),
        expected: name.to_owned(),
        found: "nothing".to_owned(),
    })
}

fn position(skeleton: &PartSkeleton, name: &str) -> Result<Vector3<f64>, SynthError> {
    Ok(skeleton.world_from_joint[neck_joint(skeleton, name)?].translation.vector)
}

/// One solver over the three joints of the neck: the rest pose, each turn at each level at half and at full angle, and the
/// head pushed forward.
fn set_neck_solver(dna: &mut Dna, skeleton: &PartSkeleton, lod_count: usize) -> Result<(), SynthError> {
    dna.rbf_behavior_ext.pose_control_names =
        turn_names().map(|name| format!("CTRL_expressions.{name}").into()).collect();
    let joints: Vec<usize> =
        NECK_JOINTS.iter().map(|name| neck_joint(skeleton, name)).collect::<Result<_, _>>()?;
    let turned = |axis: [f64; 3], angles_deg: [f64; 3]| -> Vec<UnitQuaternion<f64>> {
        let own = joints.iter().map(|&joint| skeleton.world_from_joint[joint].rotation);
        own.zip(angles_deg)
            .map(|(own, angle)| {
                let turn = UnitQuaternion::from_scaled_axis(Vector3::from(axis) * angle.to_radians());
                own.inverse() * turn * own
            })
            .collect()
    };
    let pose = |name: String, turns, outputs| Pose { name, turns, outputs };
    let mut poses = vec![pose("default".to_owned(), turned([1.0, 0.0, 0.0], [0.0; 3]), Vec::new())];
    for (turn, (name, axis, angle, _)) in TURNS.iter().enumerate() {
        for (level, (letter, shares)) in LEVELS.iter().enumerate() {
            for share in [0.5, 1.0] {
                let angles = shares.map(|of_joint| of_joint * angle * share);
                let outputs = vec![(turn * LEVELS.len() + level, share as f32)];
                poses.push(pose(
                    format!("{name}{letter}_{:.0}", angle * share),
                    turned(*axis, angles),
                    outputs,
                ));
            }
        }
    }
    poses.push(pose("fwd".to_owned(), turned([1.0, 0.0, 0.0], [22.0, 0.0, -22.0]), vec![(5, 0.3), (0, 0.3)]));
    push_neck_solver(dna, poses, lod_count);
    Ok(())
}

/// Controls of the left side that show in a colour map or in a wrinkle map as well; both sides of all are 82 maps.
const COLOUR_MAPS: [&str; 27] = [
    "browDown",
    "browRaiseIn",
    "browRaiseOuter",
    "mouthCornerPull",
    "eyeBlink",
    "eyeSquintInner",
    "noseWrinkle",
    "eyeCheekRaise",
    "mouthStretch",
    "mouthLipsPurseU",
    "mouthLipsPurseD",
    "mouthFunnelU",
    "mouthFunnelD",
    "browLateral",
    "eyeFaceScrunch",
    "mouthDimple",
    "mouthCornerDepress",
    "mouthUpperLipRaise",
    "mouthLowerLipDepress",
    "jawChinRaiseD",
    "jawChinRaiseU",
    "neckStretch",
    "noseNasolabialDeepen",
    "mouthPressU",
    "mouthPressD",
    "mouthCheekBlow",
    "mouthSharpCornerPull",
];
const WRINKLE_MAPS: [&str; 14] = [
    "browDown",
    "browRaiseIn",
    "browRaiseOuter",
    "mouthCornerPull",
    "eyeSquintInner",
    "noseWrinkle",
    "eyeCheekRaise",
    "mouthStretch",
    "mouthLipsPurseU",
    "mouthLipsPurseD",
    "jawChinRaiseD",
    "neckStretch",
    "noseNasolabialDeepen",
    "mouthCheekBlow",
];
/// Leading maps that each LOD has; beyond the last one, none.
const MAPS_PER_LOD: [usize; 6] = [82, 82, 54, 54, 26, 14];
/// A map is full at this value of its control.
const FULL_AT: f32 = 0.9;

fn set_animated_maps(dna: &mut Dna, controls: &[TableControl]) -> Result<(), SynthError> {
    let colour = COLOUR_MAPS.iter().enumerate().map(|(at, stem)| (at % 3 + 1, "cm", "color", *stem));
    let wrinkle = WRINKLE_MAPS.iter().enumerate().map(|(at, stem)| (at % 3 + 1, "wm", "normal", *stem));
    for (number, kind, of, stem) in colour.chain(wrinkle) {
        for side in ["L", "R"] {
            let control = super::combinations::find(controls, &format!("{stem}{side}"))?;
            let output = dna.definition.animated_map_names.len() as u16;
            let name = format!("head_{kind}{number}_{of}.head_wm{number}_{stem}_{side}");
            dna.definition.animated_map_names.push(name.into());
            let table = &mut dna.behavior.animated_maps.conditionals;
            push_row(table, control as u16, output, [0.0, FULL_AT, 1.0 / FULL_AT, 0.0]);
            push_row(table, control as u16, output, [FULL_AT, 1.0, 0.0, 1.0]);
        }
    }
    let lod_count = usize::from(dna.descriptor.lod_count);
    let maps = |lod: usize| MAPS_PER_LOD.get(lod).copied().unwrap_or(0);
    dna.behavior.animated_maps.lods = (0..lod_count).map(|lod| 2 * maps(lod) as u16).collect();
    dna.definition.lod_animated_map_mapping =
        rows_per_lod((0..lod_count).map(|lod| (0..maps(lod) as u16).collect()));
    Ok(())
}

/// Groups the joints, and leaves to each group those controls that matter most there, so that the groups have about `values`
/// values; what is exact is kept. Gives the group of each joint.
fn choose_columns(
    skeleton: &PartSkeleton,
    effects: &mut [(String, u16, FullEffect)],
    values: usize,
) -> Vec<usize> {
    let count = skeleton.names.len();
    let mut is_used = vec![[false; 9]; count];
    for (_, _, full) in effects.iter() {
        for (used, delta) in is_used.iter_mut().zip(&full.effect.joints.0) {
            used.iter_mut().zip(delta).for_each(|(used, value)| *used |= *value != 0.0);
        }
    }
    let moving: Vec<bool> = is_used.iter().map(|used| used.contains(&true)).collect();
    let blocks = regions(skeleton, &moving, GROUPS);
    let mut rows = vec![0; GROUPS];
    for (used, &block) in is_used.iter().zip(&blocks) {
        rows[block] += used.iter().filter(|used| **used).count();
    }
    // What a control does in a group: the largest motion of one of its joints, a degree as much as half a millimetre.
    let mut candidates: Vec<(f32, usize, usize)> = Vec::new();
    let mut is_kept = vec![vec![false; GROUPS]; effects.len()];
    let mut total = 0;
    for (at, (_, _, full)) in effects.iter().enumerate() {
        let mut most = [0.0f32; GROUPS];
        for (joint, delta) in full.effect.joints.0.iter().enumerate() {
            let block = blocks[joint];
            is_kept[at][block] |= full.exact[joint];
            let norm = |values: &[f32]| values.iter().map(|value| value * value).sum::<f32>().sqrt();
            most[block] = most[block].max(norm(&delta[..3]) + 0.05 * norm(&delta[3..6]));
        }
        // Large effects are no more important to a group than small ones.
        let largest = most.iter().copied().fold(1e-9, f32::max);
        for block in 0..GROUPS {
            if is_kept[at][block] {
                total += rows[block];
            } else if most[block] > 0.0 {
                candidates.push((most[block] / largest, at, block));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    // Every group has at least the control that matters most to it.
    let mut has_column: Vec<bool> = (0..GROUPS).map(|block| is_kept.iter().any(|kept| kept[block])).collect();
    for &(_, at, block) in &candidates {
        if !std::mem::replace(&mut has_column[block], true) {
            total += rows[block];
            is_kept[at][block] = true;
        }
    }
    for (_, at, block) in candidates {
        if is_kept[at][block] {
            continue;
        }
        if total + rows[block] > values {
            break;
        }
        total += rows[block];
        is_kept[at][block] = true;
    }
    for ((_, _, full), kept) in effects.iter_mut().zip(&is_kept) {
        for (delta, &block) in full.effect.joints.0.iter_mut().zip(&blocks) {
            if !kept[block] {
                *delta = [0.0; 9];
            }
        }
    }
    blocks
}
