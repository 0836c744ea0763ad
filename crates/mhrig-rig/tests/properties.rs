//! What holds for every rig.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use mhrig_dna::*;
use mhrig_report::{Cancel, Job, Silent};
use mhrig_rig::{
    Deformer, Frame, FrameControls, Instance, Moving, Rig, RigError, RigOptions, RotationOutput, Semantics,
    evaluate_clips,
};
use proptest::prelude::*;

const RAW: usize = 6;
const PSDS: usize = 3;
const JOINTS: usize = 4;
const CHANNELS: usize = 3;
const MAPS: usize = 2;

fn names(prefix: &str, count: usize) -> Vec<Text> {
    (0..count).map(|i| Text::from(format!("{prefix}{i}"))).collect()
}

/// A rig with everything but networks and RBF solvers; `values` fill its joint groups.
fn small_rig(values: &[f32]) -> Dna {
    let mut dna = Dna::default();
    dna.descriptor.lod_count = 2;
    dna.descriptor.coordinate_system = CoordinateSystem { x_axis: 0, y_axis: 2, z_axis: 4 };
    let definition = &mut dna.definition;
    definition.raw_control_names = names("CTRL.c", RAW);
    definition.gui_control_names = names("GUI.g", 2);
    definition.joint_names = names("joint", JOINTS);
    definition.joint_hierarchy = vec![0, 0, 1, 2];
    definition.neutral_joint_translations = Vectors3::from_vectors(&[[0.0, 10.0, 0.5]; JOINTS]);
    definition.neutral_joint_rotations = Vectors3::from_vectors(&[[10.0, 20.0, -30.0]; JOINTS]);
    definition.blend_shape_channel_names = names("channel", CHANNELS);
    definition.animated_map_names = names("map", MAPS);
    definition.mesh_names = names("mesh", 1);
    definition.lod_mesh_mapping = LodMapping { lods: vec![0, 0], indices: vec![vec![0]] };
    let behavior = &mut dna.behavior;
    behavior.controls.psd_count = PSDS as u16;
    behavior.controls.conditionals = ConditionalTable {
        input_indices: vec![0, 0, 1],
        output_indices: vec![0, 1, 2],
        from_values: vec![0.0, -1.0, 0.0],
        to_values: vec![1.0, 0.0, 1.0],
        slope_values: vec![1.0, -1.0, 0.5],
        cut_values: vec![0.0, 0.0, 0.0],
    };
    // The last corrective reads the first.
    let first = RAW as u16;
    behavior.controls.psds = PsdMatrix {
        rows: vec![first, first, first + 1, first + 1, first + 2, first + 2],
        columns: vec![0, 1, 2, 3, first, 4],
        values: vec![1.0, 1.0, 2.0, -1.0, 1.0, 1.0],
    };
    let inputs: Vec<u16> = (0..(RAW + PSDS) as u16).collect();
    for (group, joints) in [[0usize, 1], [2, 3]].into_iter().enumerate() {
        let outputs: Vec<u16> =
            joints.iter().flat_map(|&joint| (0..9).map(move |a| (joint * 9 + a) as u16)).collect();
        let value = |i: usize| values[(i + group * 17) % values.len()];
        behavior.joints.joint_groups.push(JointGroup {
            lods: vec![18, 9],
            values: (0..outputs.len() * inputs.len()).map(value).collect(),
            input_indices: inputs.clone(),
            output_indices: outputs,
            joint_indices: joints.iter().map(|&joint| joint as u16).collect(),
        });
    }
    dna.joint_behavior_metadata.joint_representations = (0..JOINTS)
        .map(|joint| JointRepresentation { rotation: (joint % 2) as u16, ..Default::default() })
        .collect();
    behavior.blend_shape_channels = BlendShapeChannels {
        lods: vec![3, 1],
        input_indices: vec![0, first, 5],
        output_indices: vec![0, 1, 2],
    };
    behavior.animated_maps.lods = vec![2, 1];
    behavior.animated_maps.conditionals = ConditionalTable {
        input_indices: vec![0, first + 1],
        output_indices: vec![0, 1],
        from_values: vec![0.0, 0.0],
        to_values: vec![1.0, 1.0],
        slope_values: vec![1.0, 0.5],
        cut_values: vec![0.0, 0.0],
    };
    let vertices = [[0.0, 10.0, 0.0], [1.0, 20.0, 0.0], [2.0, 30.0, 1.0], [0.5, 40.0, 2.0]];
    let weights = |vertex: usize| VertexSkinWeights {
        weights: vec![0.75, 0.25],
        joint_indices: vec![vertex as u16, 0],
    };
    dna.geometry.meshes.push(Mesh {
        positions: Vectors3::from_vectors(&vertices),
        layouts: VertexLayouts { positions: vec![0, 1, 2, 3], ..Default::default() },
        faces: vec![vec![0, 1, 2], vec![1, 3, 2]],
        skin_weights: (0..4).map(weights).collect(),
        blend_shape_targets: vec![BlendShapeTarget {
            deltas: Vectors3::from_vectors(&[[0.0, 0.5, 0.0], [0.25, 0.0, 0.0]]),
            vertex_indices: vec![1, 3],
            blend_shape_channel_index: 1,
        }],
        ..Default::default()
    });
    dna
}

fn options() -> impl Strategy<Value = RigOptions> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(quaternions, compat, newer)| {
        RigOptions::default()
            .with_rotation_output(if quaternions {
                RotationOutput::Quaternion
            } else {
                RotationOutput::Euler
            })
            .with_compat(compat)
            .with_semantics(if newer { Semantics::V13_5 } else { Semantics::V10_3 })
    })
}

fn values() -> impl Strategy<Value = Vec<f32>> {
    proptest::collection::vec(prop_oneof![Just(0.0f32), -20.0f32..20.0], 23)
}

fn controls() -> impl Strategy<Value = Vec<f32>> {
    proptest::collection::vec(prop_oneof![Just(0.0f32), -0.3f32..1.3], RAW)
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn zero_controls_leave_everything_at_rest(values in values(), options in options()) {
        let dna = small_rig(&values);
        let rig = Arc::new(Rig::from_dna(&dna, &options).unwrap());
        let deformer = Deformer::from_dna(&dna).unwrap();
        let fresh = Instance::new(Arc::clone(&rig));
        for lod in 0..2 {
            let instance = Moving { rig: &rig, deformer: &deformer }.at_rest(lod).unwrap();
            prop_assert_eq!(instance.joints(), fresh.joints());
            prop_assert!(instance.blend_shapes().iter().chain(instance.animated_maps()).all(|&v| v == 0.0));
            prop_assert!(instance.psds().iter().all(|&v| v == 0.0));
        }
        for motion in (Moving { rig: &rig, deformer: &deformer }).check_rest().unwrap() {
            prop_assert!(motion.max_cm < 1e-4, "{}", motion.max_cm);
        }
    }

    #[test]
    fn an_lod_switch_there_and_back_gives_the_same_after_two_evaluations(
        values in values(), controls in controls(), other in controls(), options in options(),
    ) {
        // The reference's stale rotation slots are state that no switch clears.
        let options = options.with_compat(false);
        let rig = Arc::new(Rig::from_dna(&small_rig(&values), &options).unwrap());
        let mut instance = Instance::new(rig);
        let settle = |instance: &mut Instance, controls: &[f32]| {
            instance.set_raw_controls(controls).unwrap();
            instance.calculate().unwrap();
            instance.calculate().unwrap();
        };
        settle(&mut instance, &controls);
        let before = (bits(instance.joints()), bits(instance.blend_shapes()), bits(instance.animated_maps()));
        instance.set_lod(1).unwrap();
        settle(&mut instance, &other);
        instance.set_lod(0).unwrap();
        settle(&mut instance, &controls);
        let after = (bits(instance.joints()), bits(instance.blend_shapes()), bits(instance.animated_maps()));
        prop_assert_eq!(before, after);
    }

    #[test]
    fn a_new_instance_and_a_reset_one_give_the_same(values in values(), a in controls(), b in controls(), options in options()) {
        let rig = Arc::new(Rig::from_dna(&small_rig(&values), &options).unwrap());
        let mut used = Instance::new(Arc::clone(&rig));
        let mut fresh = Instance::new(rig);
        used.set_raw_controls(&a).unwrap();
        used.calculate().unwrap();
        used.reset();
        for instance in [&mut used, &mut fresh] {
            instance.set_raw_controls(&b).unwrap();
            instance.calculate().unwrap();
        }
        prop_assert_eq!(bits(used.joints()), bits(fresh.joints()));
        prop_assert_eq!(bits(used.controls()), bits(fresh.controls()));
    }

    #[test]
    fn parallel_clips_equal_sequential_ones_bit_for_bit(
        values in values(),
        clips in proptest::collection::vec(proptest::collection::vec(controls(), 1..4), 1..6),
        options in options(),
    ) {
        let rig = Arc::new(Rig::from_dna(&small_rig(&values), &options).unwrap());
        let frame = |values: &Vec<f32>| Frame { values: values.clone(), ..Default::default() };
        let clips: Vec<Vec<Frame>> = clips.iter().map(|clip| clip.iter().map(frame).collect()).collect();
        let take = |instance: &Instance| (bits(instance.controls()), bits(instance.joints()));
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let job = Job { progress: &Silent, cancel: &Cancel::default() };
            pool.install(|| evaluate_clips(&rig, &clips, FrameControls::Raw, &job, take)).unwrap()
        };
        let sequential: Vec<Vec<_>> = clips
            .iter()
            .map(|clip| {
                let mut instance = Instance::new(Arc::clone(&rig));
                let frames = clip.iter().map(|frame| {
                    instance.evaluate_frame(frame, FrameControls::Raw).unwrap();
                    take(&instance)
                });
                frames.collect()
            })
            .collect();
        prop_assert_eq!(&run(3), &sequential);
        prop_assert_eq!(&run(1), &sequential);
    }

    #[test]
    fn euler_and_quaternion_outputs_move_vertices_to_the_same_places(values in values(), controls in controls()) {
        let dna = small_rig(&values);
        let deformer = Deformer::from_dna(&dna).unwrap();
        let place = |rotation_output| {
            let options = RigOptions::default().with_rotation_output(rotation_output);
            let mut instance = Instance::new(Arc::new(Rig::from_dna(&dna, &options).unwrap()));
            instance.set_raw_controls(&controls).unwrap();
            instance.settle().unwrap();
            deformer.deform_lod(0, &instance).remove(0).1
        };
        let (euler, quaternion) = (place(RotationOutput::Euler), place(RotationOutput::Quaternion));
        // Scales multiply along the chain, so that positions may be far out: angles from quaternions to 1e-6 rad.
        let far = euler.as_flattened().iter().fold(100.0f32, |far, c| far.max(c.abs()));
        for (a, b) in euler.iter().zip(&quaternion) {
            for axis in 0..3 {
                prop_assert!((a[axis] - b[axis]).abs() < 2e-5 * far, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn gui_values_come_back_through_raw_controls(a in -1.0f32..1.0, b in 0.0f32..1.0) {
        let rig = Arc::new(Rig::from_dna(&small_rig(&[1.0]), &RigOptions::default()).unwrap());
        let mut instance = Instance::new(rig);
        instance.set_gui_controls(&[a, b]).unwrap();
        instance.map_gui_to_raw();
        instance.map_raw_to_gui();
        for (found, expected) in instance.gui_controls().iter().zip([a, b]) {
            prop_assert!((found - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn no_change_of_a_number_in_the_behavior_makes_construction_panic(
        place in 0usize..14, at in 0usize..40, index in any::<u16>(), value in any::<f32>(), options in options(),
    ) {
        let mut dna = small_rig(&[1.0, -0.5, 0.0, 3.0]);
        let behavior = &mut dna.behavior;
        fn set<T>(values: &mut [T], at: usize, value: T) {
            if let Some(slot) = values.len().checked_sub(1).and_then(|last| values.get_mut(at.min(last))) {
                *slot = value;
            }
        }
        let group = &mut behavior.joints.joint_groups[0];
        match place {
            0 => set(&mut group.input_indices, at, index),
            1 => set(&mut group.output_indices, at, index),
            2 => set(&mut group.lods, at, index),
            3 => set(&mut group.values, at, value),
            4 => { group.values.pop(); }
            5 => set(&mut behavior.controls.psds.rows, at, index),
            6 => set(&mut behavior.controls.psds.columns, at, index),
            7 => set(&mut behavior.controls.psds.values, at, value),
            8 => set(&mut behavior.controls.conditionals.output_indices, at, index),
            9 => set(&mut behavior.controls.conditionals.from_values, at, value),
            10 => set(&mut behavior.blend_shape_channels.output_indices, at, index),
            11 => set(&mut behavior.animated_maps.lods, at, index),
            12 => dna.descriptor.lod_count = index % 34,
            _ => behavior.controls.psd_count = index,
        }
        if let Ok(rig) = Rig::from_dna(&dna, &options) {
            let mut instance = Instance::new(Arc::new(rig));
            instance.set_raw_controls(&[1.0; RAW]).unwrap();
            // Huge values may overflow; that is an error, not a panic.
            let _ = instance.calculate();
        }
    }
}

#[test]
fn a_dna_without_behavior_is_refused() {
    let mut dna = small_rig(&[1.0]);
    dna.behavior = Behavior::default();
    dna.joint_behavior_metadata = JointBehaviorMetadata::default();
    assert_eq!(Rig::from_dna(&dna, &RigOptions::default()).unwrap_err(), RigError::NoBehavior);
}

#[test]
fn every_wrong_number_is_named_with_its_place() {
    let mut dna = small_rig(&[1.0]);
    dna.behavior.joints.joint_groups[1].output_indices[4] = 36;
    dna.behavior.blend_shape_channels.input_indices[2] = 9;
    dna.behavior.controls.psds.values[1] = f32::NAN;
    let Err(RigError::Invalid { findings }) = Rig::from_dna(&dna, &RigOptions::default()) else { panic!() };
    let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
    assert_eq!(
        places,
        [
            "bhvr.controls.psds.values[1]",
            "bhvr.blendShapeChannels.inputIndices[2]",
            "bhvr.joints.jointGroups[1].outputIndices[4]"
        ]
    );
    assert!(findings.iter().all(|finding| finding.expected.is_some() && !finding.remedy.is_empty()));
}
