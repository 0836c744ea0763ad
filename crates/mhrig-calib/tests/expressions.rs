//! Expressions: sculpts are kept or given, everything else follows.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::sync::Arc;

use common::{dna, grid, with_job};
use mhrig_calib::expressions::{
    ExpressionEdit, ExpressionGraph, ExpressionMode, ExpressionRig, ExpressionSettings, MatchOptions,
    NewTargets, RecalculateOptions, RecalculateReport, TransferPlan, WholeSculpt, recalculate, sculpt_edits,
};
use mhrig_calib::{MeshPositions, NeutralInput, NeutralOptions, NeutralPlan, PruneThresholds};
use mhrig_dna::{BlendShapeTarget, Dna, IndexPairs, JointGroup, LodMapping, PsdMatrix, Text, Vectors3};
use mhrig_rig::{Instance, Rig, RigOptions};
use nalgebra::{Rotation3, Vector3};

const JAW: u16 = 0;
const SMILE: u16 = 1;
const BLINK: u16 = 2;
const JAW_SMILE: u16 = 3;
const ALL_THREE: u16 = 4;
const HEAD: usize = 0;
const TEETH: usize = 1;

fn target(mesh: &mut mhrig_dna::Mesh, channel: u16, shape: impl Fn([f32; 3]) -> [f32; 3]) {
    let deltas: Vec<[f32; 3]> = mesh.positions.iter().map(shape).collect();
    let moved = deltas.iter().enumerate().filter(|(_, d)| **d != [0.0; 3]);
    let (vertex_indices, deltas): (Vec<u32>, Vec<[f32; 3]>) = moved.map(|(v, &d)| (v as u32, d)).unzip();
    mesh.blend_shape_targets.push(BlendShapeTarget {
        deltas: Vectors3::from_vectors(&deltas),
        vertex_indices,
        blend_shape_channel_index: channel,
    });
}

/// A patch of skin with a jaw and a lip joint, teeth, three controls, a corrective of two and one of all three.
fn rig() -> Dna {
    let skin = |mesh: &mut mhrig_dna::Mesh| {
        let positions = mesh.positions.to_vectors();
        for (record, p) in mesh.skin_weights.iter_mut().zip(positions) {
            let low = (1.0 - p[1] / 6.0).clamp(0.0, 1.0);
            let middle = (0.5 - (p[0] / 8.0 - 0.5).abs()).max(0.0);
            record.joint_indices = vec![0, 1, 2];
            record.weights = vec![1.0 - low * (1.0 - middle) - middle, low * (1.0 - middle), middle];
        }
    };
    let mut head = grid(10, 8, |u, v| [u * 8.0, v * 6.0 + 150.0, (u * 3.0).sin()], |u, v| [u, v]);
    for p in &mut head.positions.ys {
        *p -= 150.0;
    }
    skin(&mut head);
    head.positions.ys.iter_mut().for_each(|y| *y += 150.0);
    let mut teeth = grid(4, 2, |u, v| [2.0 + u * 4.0, 151.0 + v, -1.0], |u, v| [u, v]);
    for record in &mut teeth.skin_weights {
        record.joint_indices = vec![1];
    }
    target(&mut head, 0, |p| [0.0, -0.1 * p[0], 0.05 * (p[1] - 150.0)]);
    target(&mut head, 1, |p| if p[0] < 4.0 { [0.3, 0.2, 0.0] } else { [0.0; 3] });
    target(&mut head, 2, |p| if p[1] > 154.0 { [0.0, -0.4, 0.1] } else { [0.0; 3] });
    target(&mut head, 3, |p| [0.0, 0.02 * p[0], -0.1]);
    target(&mut head, 4, |_| [0.05, 0.0, 0.02]);
    target(&mut teeth, 5, |_| [0.0, -0.2, 0.0]);
    let mut dna = dna(vec![vec![("head_lod0_mesh", head), ("teeth_lod0_mesh", teeth)]]);
    dna.descriptor.lod_count = 1;
    let definition = &mut dna.definition;
    definition.joint_names = ["root", "jaw", "lip"].map(Text::from).to_vec();
    definition.joint_hierarchy = vec![0, 0, 1];
    definition.neutral_joint_translations =
        Vectors3::from_vectors(&[[0.0, 150.0, 0.0], [4.0, 2.0, -3.0], [0.0, -1.0, 3.0]]);
    definition.neutral_joint_rotations =
        Vectors3::from_vectors(&[[0.0, 90.0, 0.0], [15.0, -80.0, 5.0], [30.0, 10.0, 70.0]]);
    definition.lod_joint_mapping.indices = vec![vec![0, 1, 2]];
    definition.raw_control_names =
        ["CTRL_expressions.jawOpen", "CTRL_expressions.smile", "CTRL_expressions.blink"]
            .map(Text::from)
            .to_vec();
    definition.blend_shape_channel_names =
        ["jaw", "smile", "blink", "jaw_smile", "all", "teeth_jaw"].map(Text::from).to_vec();
    definition.lod_blend_shape_mapping = LodMapping { lods: vec![0], indices: vec![(0..6).collect()] };
    definition.mesh_blend_shape_channel_mapping =
        IndexPairs { from: vec![0, 0, 0, 0, 0, 1], to: vec![0, 1, 2, 3, 4, 5] };
    let channels = &mut dna.behavior.blend_shape_channels;
    channels.lods = vec![6];
    channels.input_indices = vec![JAW, SMILE, BLINK, JAW_SMILE, ALL_THREE, JAW];
    channels.output_indices = (0..6).collect();
    let controls = &mut dna.behavior.controls;
    controls.psd_count = 2;
    controls.psds = PsdMatrix {
        rows: vec![3, 3, 4, 4, 4],
        columns: vec![JAW, SMILE, JAW, SMILE, BLINK],
        values: vec![1.0; 5],
    };
    dna.behavior.joints.col_count = 5;
    dna.behavior.joints.row_count = 27;
    dna.behavior.joints.joint_groups = vec![
        JointGroup {
            lods: vec![5],
            input_indices: vec![JAW, SMILE, JAW_SMILE],
            output_indices: vec![9, 10, 12, 14, 15],
            values: vec![
                0.1, 0.0, 0.0, // tx
                -0.2, 0.1, 0.05, // ty
                20.0, 0.0, 1.5, // rx
                0.0, 3.0, 0.0, // rz
                0.0, 0.1, 0.0, // sx
            ],
            joint_indices: vec![1],
        },
        JointGroup {
            lods: vec![2],
            input_indices: vec![SMILE, JAW_SMILE, ALL_THREE],
            output_indices: vec![18, 20],
            values: vec![0.4, 0.0, 0.05, 0.2, -0.1, 0.0],
            joint_indices: vec![2],
        },
    ];
    dna
}

fn expression_rig(dna: &Dna) -> ExpressionRig {
    with_job(|job| ExpressionRig::from_dna(dna, &ExpressionSettings::default(), job)).unwrap()
}

fn sculpts(dna: &Dna) -> Vec<Vec<Vec<[f64; 3]>>> {
    let rig = expression_rig(dna);
    let count = rig.graph().expressions().len();
    (0..count).map(|e| (0..2).map(|mesh| rig.sculpt(dna, e, mesh).unwrap()).collect()).collect()
}

fn largest_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (Vector3::from(*a) - Vector3::from(*b)).norm()).fold(0.0, f64::max)
}

fn change(
    dna: &Dna,
    joints: Option<&[[f64; 3]]>,
    edits: &[ExpressionEdit],
    options: &RecalculateOptions,
) -> (Dna, RecalculateReport) {
    let mut changed = dna.clone();
    let settings = ExpressionSettings::default();
    let report = with_job(|job| recalculate(&mut changed, joints, edits, &settings, options, job));
    (changed, report.unwrap())
}

fn neutral_translations(dna: &Dna) -> Vec<[f64; 3]> {
    dna.definition.neutral_joint_translations.iter().map(|t| t.map(f64::from)).collect()
}

/// Vertices as an evaluator of its own poses them: the run time's joints and weights, and textbook skinning.
fn evaluated(dna: &Dna, raw: &[f32], mesh: usize) -> Vec<[f64; 3]> {
    let rig = Arc::new(Rig::from_dna(dna, &RigOptions::default()).unwrap());
    let mut instance = Instance::new(rig);
    instance.set_raw_controls(raw).unwrap();
    instance.calculate().unwrap();
    let d = &dna.definition;
    let matrix = |t: [f64; 3], neutral: [f64; 3], delta: [f64; 3], scale: [f64; 3]| {
        let euler = |r: [f64; 3]| {
            let [x, y, z] = r.map(f64::to_radians);
            Rotation3::from_euler_angles(x, y, z).to_homogeneous()
        };
        nalgebra::Matrix4::new_translation(&Vector3::from(t))
            * euler(neutral)
            * euler(delta)
            * nalgebra::Matrix4::new_nonuniform_scaling(&Vector3::from(scale))
    };
    let world = |deltas: &dyn Fn(usize) -> [f64; 9]| {
        let mut world: Vec<nalgebra::Matrix4<f64>> = Vec::new();
        for joint in 0..d.joint_names.len() {
            let v = deltas(joint);
            let t = d.neutral_joint_translations.get(joint).unwrap().map(f64::from);
            let t = [t[0] + v[0], t[1] + v[1], t[2] + v[2]];
            let r = d.neutral_joint_rotations.get(joint).unwrap().map(f64::from);
            let local = matrix(t, r, [v[3], v[4], v[5]], [1.0 + v[6], 1.0 + v[7], 1.0 + v[8]]);
            let parent = usize::from(d.joint_hierarchy[joint]);
            let parent = if parent == joint { nalgebra::Matrix4::identity() } else { world[parent] };
            world.push(parent * local);
        }
        world
    };
    let outputs: Vec<f64> = instance.joints().iter().map(|&v| f64::from(v)).collect();
    let posed = world(&|joint| outputs[joint * 9..joint * 9 + 9].try_into().unwrap());
    let rest = world(&|_| [0.0; 9]);
    let mesh = &dna.geometry.meshes[mesh];
    let mut positions: Vec<Vector3<f64>> =
        mesh.positions.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
    for target in &mesh.blend_shape_targets {
        let weight = f64::from(instance.blend_shapes()[usize::from(target.blend_shape_channel_index)]);
        for (&vertex, delta) in target.vertex_indices.iter().zip(target.deltas.iter()) {
            positions[vertex as usize] += Vector3::from(delta.map(f64::from)) * weight;
        }
    }
    let skinned = positions.iter().zip(&mesh.skin_weights).map(|(p, record)| {
        let mut sum = Vector3::zeros();
        for (&joint, &weight) in record.joint_indices.iter().zip(&record.weights) {
            let joint = usize::from(joint);
            let skin = posed[joint] * rest[joint].try_inverse().unwrap();
            sum += skin.transform_point(&(*p).into()).coords * f64::from(weight);
        }
        sum.into()
    });
    skinned.collect()
}

#[test]
fn a_sculpt_is_what_the_rig_shows_in_the_expressions_pose() {
    let dna = rig();
    let sculpts = sculpts(&dna);
    let poses: [(u16, [f32; 3]); 5] = [
        (JAW, [1.0, 0.0, 0.0]),
        (SMILE, [0.0, 1.0, 0.0]),
        (BLINK, [0.0, 0.0, 1.0]),
        (JAW_SMILE, [1.0, 1.0, 0.0]),
        (ALL_THREE, [1.0, 1.0, 1.0]),
    ];
    for (expression, raw) in poses {
        for mesh in [HEAD, TEETH] {
            let shown = evaluated(&dna, &raw, mesh);
            let difference = largest_difference(&sculpts[usize::from(expression)][mesh], &shown);
            assert!(difference < 2e-5, "expression {expression}, mesh {mesh}: {difference}");
        }
    }
}

#[test]
fn a_joint_edit_keeps_the_sculpts_and_changes_the_blend_shapes() {
    let before = rig();
    let mut joints = neutral_translations(&before);
    joints[1] = [4.5, 2.25, -3.5];
    joints[2][1] = -0.75;
    let options = RecalculateOptions::default();
    let (after, report) = change(&before, Some(&joints), &[], &options);
    assert_eq!(neutral_translations(&after), joints);
    assert_eq!(after.behavior.joints, before.behavior.joints);
    let (old, new) = (sculpts(&before), sculpts(&after));
    for (expression, (old, new)) in old.iter().zip(&new).enumerate() {
        for mesh in [HEAD, TEETH] {
            let difference = largest_difference(&old[mesh], &new[mesh]);
            assert!(difference < 1e-5, "expression {expression}, mesh {mesh}: {difference}");
        }
    }
    let deltas = |dna: &Dna| dna.geometry.meshes[HEAD].blend_shape_targets.clone();
    assert_ne!(deltas(&before)[0], deltas(&after)[0]);
    assert_eq!(deltas(&before)[2], deltas(&after)[2], "blink has no joints");
    assert!(report.largest_change_cm > 0.05, "{report:?}");
    // Smile moves the teeth by the jaw alone: only a new target can hold their sculpt.
    assert!(report.new_targets > 0);

    let options = RecalculateOptions { new_targets: NewTargets::Never, ..options };
    let (after, report) = change(&before, Some(&joints), &[], &options);
    assert_eq!(report.new_targets, 0);
    assert_eq!(after.geometry.meshes[TEETH].blend_shape_targets.len(), 1);
}

#[test]
fn nothing_changed_changes_nothing() {
    let before = rig();
    let joints = neutral_translations(&before);
    let (after, report) = change(&before, Some(&joints), &[], &RecalculateOptions::default());
    assert_eq!(after, before);
    assert_eq!((report.changed_shapes, report.largest_change_cm), (0, 0.0));
    let same = ExpressionEdit {
        control: SMILE,
        joints: Some(expression_rig(&before).joint_values(SMILE).to_vec()),
        sculpts: vec![(HEAD, rounded(&sculpts(&before)[usize::from(SMILE)][HEAD]))],
    };
    assert_eq!(change(&before, None, &[same], &RecalculateOptions::default()).0, before);
}

fn rounded(positions: &[[f64; 3]]) -> Vec<[f32; 3]> {
    positions.iter().map(|p| p.map(|c| c as f32)).collect()
}

#[test]
fn an_edited_main_changes_the_correctives_above_it_and_their_targets_stay() {
    let before = rig();
    let old = sculpts(&before);
    let mut sculpt = rounded(&old[usize::from(SMILE)][HEAD]);
    for p in &mut sculpt {
        p[2] += 0.3 * (p[0] - 2.0);
    }
    let mut joints = expression_rig(&before).joint_values(SMILE).to_vec();
    joints[0].1 += 0.25;
    let edit = ExpressionEdit { control: SMILE, joints: Some(joints), sculpts: vec![(HEAD, sculpt.clone())] };
    let (after, report) = change(&before, None, &[edit], &RecalculateOptions::default());
    let new = sculpts(&after);
    let given: Vec<[f64; 3]> = sculpt.iter().map(|p| p.map(f64::from)).collect();
    assert!(largest_difference(&new[usize::from(SMILE)][HEAD], &given) < 1e-5);
    for expression in [JAW, BLINK, JAW_SMILE, ALL_THREE] {
        let at = usize::from(expression);
        for mesh in [HEAD, TEETH] {
            let difference = largest_difference(&old[at][mesh], &new[at][mesh]);
            assert!(difference < 1e-4, "expression {expression}, mesh {mesh}: {difference}");
        }
    }
    // The run time agrees: complex pose + corrective is the stored target.
    let shown = evaluated(&after, &[1.0, 1.0, 0.0], HEAD);
    assert!(largest_difference(&shown, &old[usize::from(JAW_SMILE)][HEAD]) < 1e-4);

    let target = |dna: &Dna, at: usize| dna.geometry.meshes[HEAD].blend_shape_targets[at].clone();
    for changed in [1, 3] {
        assert_ne!(target(&before, changed), target(&after, changed));
    }
    for same in [0, 2] {
        assert_eq!(target(&before, same), target(&after, same));
    }
    let values = |dna: &Dna| expression_rig(dna).joint_values(JAW_SMILE).to_vec();
    let sum = |dna: &Dna| {
        let find =
            |control: u16| expression_rig(dna).joint_values(control).iter().find(|v| v.0 == 10).unwrap().1;
        find(SMILE) + find(JAW_SMILE)
    };
    assert_ne!(values(&before), values(&after));
    assert!((sum(&before) - sum(&after)).abs() < 1e-6);
    assert_eq!(
        report.changed_joints, 1,
        "the upper corrective has the lower one in its pose: nothing is left to do"
    );
}

#[test]
fn mixed_meshes_keep_the_corrective_and_move_the_target() {
    let mut before = rig();
    // Smile deforms the head alone, the corrective of jaw and smile the teeth alone, jaw nothing.
    let head = &mut before.geometry.meshes[HEAD];
    head.blend_shape_targets.retain(|target| target.blend_shape_channel_index == 1);
    let teeth = &mut before.geometry.meshes[TEETH];
    teeth.blend_shape_targets[0].blend_shape_channel_index = 3;
    before.definition.mesh_blend_shape_channel_mapping = IndexPairs { from: vec![0, 1], to: vec![1, 3] };
    before.behavior.joints.joint_groups.clear();
    let old = sculpts(&before);
    let mut sculpt = rounded(&old[usize::from(SMILE)][HEAD]);
    sculpt.iter_mut().for_each(|p| p[1] += 0.5);
    let edit = ExpressionEdit { control: SMILE, joints: None, sculpts: vec![(HEAD, sculpt)] };
    let (after, report) = change(&before, None, std::slice::from_ref(&edit), &RecalculateOptions::default());
    assert_eq!(report.kept_correctives, ["jawOpen+smile"]);
    assert_eq!(after.geometry.meshes[TEETH], before.geometry.meshes[TEETH]);
    let new = sculpts(&after);
    // target = complex + corrective: the head of it moved by the edit's half centimetre, the teeth stayed.
    let target = usize::from(JAW_SMILE);
    for (old, new) in old[target][HEAD].iter().zip(&new[target][HEAD]) {
        assert!((new[1] - old[1] - 0.5).abs() < 2e-5 && (new[0] - old[0]).abs() < 2e-5);
    }
    assert_eq!(old[target][TEETH], new[target][TEETH]);

    let options = RecalculateOptions { keep_mixed_correctives: false, ..RecalculateOptions::default() };
    let (after, report) = change(&before, None, &[edit], &options);
    let new = sculpts(&after);
    assert!(largest_difference(&old[target][HEAD], &new[target][HEAD]) < 1e-5);
    assert_eq!(report.new_targets, 1);
    assert_eq!(after.definition.mesh_blend_shape_channel_mapping.to, [1, 3, 3]);
}

#[test]
fn pruned_joint_values_are_made_up_for_by_blend_shapes() {
    let template = rig();
    let positions = template.geometry.meshes[HEAD].positions.to_vectors();
    let run = |expressions| {
        let meshes = [MeshPositions { mesh: HEAD, positions_cm: &positions }];
        let input = NeutralInput { joint_translations_cm: None, meshes: &meshes, ..NeutralInput::default() };
        let prune = PruneThresholds {
            blend_shape_cm: 1e-6,
            joint_translation_cm: 0.1,
            joint_rotation_deg: 3.0,
            ..PruneThresholds::default()
        };
        let options = NeutralOptions { expressions, prune: Some(prune), ..NeutralOptions::default() };
        let mut dna = template.clone();
        let report = with_job(|job| {
            NeutralPlan::from_template(&template, job)?.apply(&mut dna, &input, &options, job)
        });
        (dna, report.unwrap())
    };
    let old = sculpts(&template);
    let (carried, _) = run(ExpressionMode::Carry);
    let (recalculated, report) = run(ExpressionMode::Recalculate);
    assert_eq!(carried.behavior.joints, recalculated.behavior.joints);
    assert!(report.pruned.unwrap().joint_translations.pruned > 0);
    for expression in [JAW, SMILE, JAW_SMILE, ALL_THREE] {
        let at = usize::from(expression);
        let lost = largest_difference(&old[at][HEAD], &sculpts(&carried)[at][HEAD]);
        let kept = largest_difference(&old[at][HEAD], &sculpts(&recalculated)[at][HEAD]);
        assert!(lost > 0.01 && kept < 1e-5, "expression {expression}: {lost} {kept}");
    }
}

/// The template moved by `map`, joints along, without expressions being touched.
fn moved(template: &Dna, map: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Dna {
    let mut dna = template.clone();
    for mesh in &mut dna.geometry.meshes {
        let positions: Vec<[f32; 3]> = mesh
            .positions
            .iter()
            .map(|p| map(Vector3::from(p.map(f64::from))).map(|c| c as f32).into())
            .collect();
        mesh.positions = Vectors3::from_vectors(&positions);
    }
    let neutral = mhrig_rig::Neutral::from_dna(template).unwrap();
    let world = neutral.pose.world(&neutral.hierarchy);
    let mut new_world = Vec::new();
    for (joint, bind) in world.iter().enumerate() {
        let position = map(bind.translation.vector);
        new_world.push(position);
        let parent = usize::from(template.definition.joint_hierarchy[joint]);
        let local = if parent == joint {
            position
        } else {
            // Neutral rotations stay, so the parent's frame is built from unchanged rotations.
            world[parent].rotation.inverse() * (position - new_world[parent])
        };
        let translations = &mut dna.definition.neutral_joint_translations;
        translations.xs[joint] = local.x as f32;
        translations.ys[joint] = local.y as f32;
        translations.zs[joint] = local.z as f32;
    }
    dna
}

fn transferred(template: &Dna, moved: &Dna) -> Dna {
    let mut result = moved.clone();
    with_job(|job| TransferPlan::from_template(template, job)?.apply(&mut result, job)).unwrap();
    result
}

#[test]
fn a_person_of_another_size_moves_by_that_much_more() {
    let template = rig();
    for scale in [0.5, 1.0, 1.7] {
        let bigger = moved(&template, |p| p * scale);
        let result = transferred(&template, &bigger);
        for (before, after) in template.geometry.meshes.iter().zip(&result.geometry.meshes) {
            for (before, after) in before.blend_shape_targets.iter().zip(&after.blend_shape_targets) {
                for (before, after) in before.deltas.iter().zip(after.deltas.iter()) {
                    for axis in 0..3 {
                        let expected = f64::from(before[axis]) * scale;
                        assert!((f64::from(after[axis]) - expected).abs() < 1e-4 * scale.max(1.0));
                    }
                }
            }
        }
        let (old, new) = (sculpts(&template), sculpts(&result));
        for (old, new) in old.iter().flatten().zip(new.iter().flatten()) {
            let scaled: Vec<[f64; 3]> = old.iter().map(|p| p.map(|c| c * scale)).collect();
            let difference = largest_difference(&scaled, new);
            assert!(difference < 5e-4 * scale, "scale {scale}: {difference}");
        }
        if scale == 1.0 {
            assert_eq!(result, bigger);
        }
    }
}

#[test]
fn a_turned_person_moves_in_the_turned_direction() {
    let mut template = rig();
    // A scale is along the joint's own axes, which do not turn with the person.
    template.behavior.joints.joint_groups[0].values[13] = 0.0;
    let turn = Rotation3::from_euler_angles(0.0, std::f64::consts::FRAC_PI_2, 0.0);
    let turned = moved(&template, |p| turn * p);
    let result = transferred(&template, &turned);
    assert_eq!(result.definition.neutral_joint_rotations, template.definition.neutral_joint_rotations);
    let (old, new) = (sculpts(&template), sculpts(&result));
    // Single controls: sums of Euler angles are no sums of rotations, so correctives are another matter.
    for expression in [JAW, SMILE, BLINK] {
        for mesh in [HEAD, TEETH] {
            let old = &old[usize::from(expression)][mesh];
            let expected: Vec<[f64; 3]> = old.iter().map(|p| (turn * Vector3::from(*p)).into()).collect();
            let difference = largest_difference(&expected, &new[usize::from(expression)][mesh]);
            assert!(difference < 1e-3, "expression {expression}, mesh {mesh}: {difference}");
        }
    }
}

#[test]
fn the_modes_of_a_neutral_update_do_what_they_say() {
    let template = rig();
    let bigger = moved(&template, |p| p * 2.0);
    let joints = neutral_translations(&bigger);
    let meshes: Vec<MeshPositions<'_>> = Vec::new();
    let positions: Vec<Vec<[f32; 3]>> =
        bigger.geometry.meshes.iter().map(|mesh| mesh.positions.to_vectors()).collect();
    let given: Vec<MeshPositions<'_>> = positions
        .iter()
        .enumerate()
        .map(|(mesh, positions_cm)| MeshPositions { mesh, positions_cm })
        .chain(meshes)
        .collect();
    let input =
        NeutralInput { joint_translations_cm: Some(&joints), meshes: &given, ..NeutralInput::default() };
    let run = |expressions| {
        let options = NeutralOptions { expressions, prune: None, ..NeutralOptions::default() };
        let mut dna = template.clone();
        with_job(|job| NeutralPlan::from_template(&template, job)?.apply(&mut dna, &input, &options, job))
            .unwrap();
        dna
    };
    let delta = |dna: &Dna| dna.geometry.meshes[HEAD].blend_shape_targets[1].deltas.get(0).unwrap();
    assert_eq!(delta(&run(ExpressionMode::Carry)), [0.3, 0.2, 0.0]);
    assert_eq!(delta(&run(ExpressionMode::Recalculate)), [0.3, 0.2, 0.0]);
    let transferred = delta(&run(ExpressionMode::Transfer));
    assert!((transferred[0] - 0.6).abs() < 1e-4 && (transferred[1] - 0.4).abs() < 1e-4);
}

#[test]
fn carrying_leaves_every_delta_whatever_becomes_of_the_person() {
    let template = rig();
    let turn = Rotation3::from_euler_angles(0.0, std::f64::consts::FRAC_PI_2, 0.0);
    let maps: [&dyn Fn(Vector3<f64>) -> Vector3<f64>; 2] = [&|p| p * 1.7, &|p| turn * p];
    for map in maps {
        let person = moved(&template, map);
        let joints = neutral_translations(&person);
        let positions: Vec<Vec<[f32; 3]>> =
            person.geometry.meshes.iter().map(|mesh| mesh.positions.to_vectors()).collect();
        let given = positions.iter().enumerate();
        let given: Vec<MeshPositions<'_>> =
            given.map(|(mesh, positions_cm)| MeshPositions { mesh, positions_cm }).collect();
        let input =
            NeutralInput { joint_translations_cm: Some(&joints), meshes: &given, ..NeutralInput::default() };
        let options =
            NeutralOptions { expressions: ExpressionMode::Carry, prune: None, ..NeutralOptions::default() };
        let mut dna = template.clone();
        with_job(|job| NeutralPlan::from_template(&template, job)?.apply(&mut dna, &input, &options, job))
            .unwrap();
        assert_eq!(dna.behavior, template.behavior);
        for (before, after) in template.geometry.meshes.iter().zip(&dna.geometry.meshes) {
            assert_eq!(before.blend_shape_targets, after.blend_shape_targets);
            assert_ne!(before.positions, after.positions);
        }
    }
}

#[test]
fn one_thread_and_three_give_the_same_bytes() {
    let before = rig();
    let mut joints = neutral_translations(&before);
    joints[1][0] += 0.7;
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (changed, _) = change(&before, Some(&joints), &[], &RecalculateOptions::default());
            transferred(&before, &moved(&changed, |p| p * 1.3))
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    let dna = rig();
    let refused = |edit: ExpressionEdit| {
        let mut changed = dna.clone();
        let settings = ExpressionSettings::default();
        let options = RecalculateOptions::default();
        let error = with_job(|job| recalculate(&mut changed, None, &[edit], &settings, &options, job));
        assert_eq!(changed, dna);
        error.unwrap_err().to_string()
    };
    let edit = |control| ExpressionEdit { control, ..ExpressionEdit::default() };
    assert!(refused(edit(77)).contains("77 is not below 5"));
    assert!(
        refused(ExpressionEdit { joints: Some(vec![(27, 1.0)]), ..edit(0) }).contains("27 is not below 27")
    );
    let sculpts = vec![(HEAD, vec![[0.0; 3]; 4])];
    assert!(refused(ExpressionEdit { sculpts, ..edit(0) }).contains("4 entries, expected 99"));
    let graph = ExpressionGraph::from_dna(&dna, &ExpressionSettings::default()).unwrap();
    assert_eq!(graph.layers(), [vec![0, 1, 2], vec![3], vec![4]]);
}

fn matching(all: bool) -> RecalculateOptions {
    let matching = MatchOptions { all, ..MatchOptions::default() };
    RecalculateOptions { matching: Some(matching), ..RecalculateOptions::default() }
}

#[test]
fn a_sculpt_made_by_joints_alone_is_explained_by_joints_alone() {
    let before = rig();
    // Smile as other joint values give it, without a blend shape.
    let mut posed = before.clone();
    posed.geometry.meshes[HEAD].blend_shape_targets[1].deltas.xs.fill(0.0);
    posed.geometry.meshes[HEAD].blend_shape_targets[1].deltas.ys.fill(0.0);
    let joints =
        vec![(9, 0.3), (10, -0.2), (12, 6.0), (13, -9.0), (15, 0.1), (18, 0.6), (19, 0.2), (22, 11.0)];
    let edit = ExpressionEdit { control: SMILE, joints: Some(joints), sculpts: Vec::new() };
    // The joint edit keeps the sculpt by a blend shape; without that it is the joints' own.
    let (mut posed, _) = change(&posed, None, &[edit], &RecalculateOptions::default());
    for mesh in &mut posed.geometry.meshes {
        for target in &mut mesh.blend_shape_targets {
            for values in [&mut target.deltas.xs, &mut target.deltas.ys, &mut target.deltas.zs] {
                values.fill(0.0);
            }
        }
    }
    let wanted = sculpts(&posed)[usize::from(SMILE)].clone();
    let sculpt = |mesh: usize| (mesh, rounded(&wanted[mesh]));
    let edit = ExpressionEdit { control: SMILE, joints: None, sculpts: vec![sculpt(HEAD), sculpt(TEETH)] };
    let (after, report) = change(&before, None, &[edit], &matching(false));
    println!("{:?}", report.matched);
    assert_eq!(report.matched.len(), 1);
    let matched = &report.matched[0];
    assert!(matched.sculpt_rms_cm > 0.2 && matched.before_rms_cm > 0.1, "{matched:?}");
    assert!(matched.after_rms_cm < 1e-3 * matched.sculpt_rms_cm, "{matched:?}");
    assert!(matched.explained_after() > 0.999 && matched.explained_before() < 0.6);
    let new = sculpts(&after);
    for mesh in [HEAD, TEETH] {
        let difference = largest_difference(&wanted[mesh], &new[usize::from(SMILE)][mesh]);
        assert!(difference < 1e-4, "mesh {mesh}: {difference}");
    }
    // What is above keeps its sculpt.
    for expression in [JAW, BLINK, JAW_SMILE, ALL_THREE] {
        let at = usize::from(expression);
        for (old, new) in sculpts(&before)[at].iter().zip(&new[at]) {
            assert!(largest_difference(old, new) < 1e-4, "expression {expression}");
        }
    }
}

#[test]
fn joints_matched_to_every_expression_explain_more_and_no_sculpt_changes() {
    let before = rig();
    let (after, report) = change(&before, None, &[], &matching(true));
    let (old, new) = (sculpts(&before), sculpts(&after));
    for (expression, (old, new)) in old.iter().zip(&new).enumerate() {
        for mesh in [HEAD, TEETH] {
            let difference = largest_difference(&old[mesh], &new[mesh]);
            assert!(difference < 1e-4, "expression {expression}, mesh {mesh}: {difference}");
        }
    }
    assert_eq!(report.matched.len(), 5);
    for matched in &report.matched {
        assert!(matched.after_rms_cm <= matched.before_rms_cm * 1.001, "{matched:?}");
    }
    let sum =
        |of: fn(&mhrig_calib::expressions::JointMatch) -> f64| report.matched.iter().map(of).sum::<f64>();
    assert!(sum(|m| m.after_rms_cm) < 0.8 * sum(|m| m.before_rms_cm), "{:?}", report.matched);
    // The evaluator agrees.
    let shown = evaluated(&after, &[1.0, 1.0, 0.0], HEAD);
    assert!(largest_difference(&shown, &old[usize::from(JAW_SMILE)][HEAD]) < 1e-4);
}

#[test]
fn matched_values_keep_within_their_bounds_and_do_not_depend_on_the_number_of_threads() {
    let before = rig();
    let bounds = MatchOptions { translation_cm: 0.05, rotation_deg: 1.0, ..MatchOptions::default() };
    let options = RecalculateOptions { matching: Some(bounds), ..RecalculateOptions::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| change(&before, None, &[], &options))
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    let (old, new) = (expression_rig(&before), expression_rig(&one.0));
    for control in [JAW, SMILE, BLINK] {
        for &(output, value) in new.joint_values(control) {
            let had = old.joint_values(control).iter().find(|(other, _)| *other == output);
            let had = had.map_or(0.0, |(_, value)| value.abs());
            let bound = [0.05f32, 1.0, 1.0][usize::from(output % 9) / 3].max(had);
            assert!(value.abs() <= bound * 1.0001, "control {control}, output {output}: {value}");
        }
    }
}

#[test]
fn a_sculpt_of_a_split_is_divided_among_its_parts_and_that_of_phases_reaches_all_of_them() {
    let mut before = rig();
    before.behavior.joints.joint_groups.clear();
    // The middle of the face is at 4 cm.
    for mesh in &mut before.geometry.meshes {
        mesh.positions.xs.iter_mut().for_each(|x| *x -= 4.0);
    }
    let settings = ExpressionSettings::from_json(&serde_json::json!({
        "splits": {"grin": {"left": "smile", "right": "blink", "band_cm": 2.0}},
        "phases": {"slow": ["smile", "blink"]},
    }))
    .unwrap();
    let rig = expression_rig(&before);
    let neutral = before.geometry.meshes[HEAD].positions.to_vectors();
    let whole: Vec<[f32; 3]> = neutral.iter().map(|p| [p[0], p[1] + 0.2, p[2] + 0.5]).collect();
    let sculpted = |name: &str| {
        let sculpt = WholeSculpt { expression: name.to_owned(), sculpts: vec![(HEAD, whole.clone())] };
        let edits = sculpt_edits(&before, &rig, &settings, &[sculpt]).unwrap();
        let (after, _) = change(&before, None, &edits, &RecalculateOptions::default());
        sculpts(&after)
    };
    let (old, new) = (sculpts(&before), sculpted("grin"));
    for (vertex, p) in neutral.iter().enumerate() {
        let moved = |control: u16| new[usize::from(control)][HEAD][vertex][2] - f64::from(p[2]);
        let (left, right) = (moved(SMILE), moved(BLINK));
        assert!((left + right - 0.5).abs() < 1e-4, "{left} {right}");
        if p[0] >= 1.0 {
            assert!((left - 0.5).abs() < 1e-4 && right.abs() < 1e-4);
        }
        if p[0] <= -1.0 {
            assert!((right - 0.5).abs() < 1e-4 && left.abs() < 1e-4);
        }
    }
    let new = sculpted("slow");
    for vertex in 0..neutral.len() {
        let change = |control: u16| {
            let at = usize::from(control);
            new[at][HEAD][vertex][1] - old[at][HEAD][vertex][1]
        };
        assert!((change(SMILE) - 0.5 * change(BLINK)).abs() < 1e-4);
        assert!((new[usize::from(BLINK)][HEAD][vertex][1] - f64::from(whole[vertex][1])).abs() < 1e-4);
    }
    let one = sculpted("slow_ph1");
    assert!(largest_difference(&one[usize::from(BLINK)][HEAD], &old[usize::from(BLINK)][HEAD]) < 1e-5);
    assert!((one[usize::from(SMILE)][HEAD][0][2] - f64::from(whole[0][2])).abs() < 1e-4);
    // What is above a part keeps its sculpt.
    let at = usize::from(JAW_SMILE);
    assert!(largest_difference(&old[at][HEAD], &one[at][HEAD]) < 1e-4);
    let unknown = WholeSculpt { expression: "slow_ph9".to_owned(), sculpts: Vec::new() };
    assert!(sculpt_edits(&before, &rig, &settings, &[unknown]).is_err());
}
