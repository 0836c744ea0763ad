//! A small rig with every layer and without faults.
#![allow(dead_code)]

use mhrig_dna::*;

fn names(prefix: &str, count: usize) -> Vec<Text> {
    (0..count).map(|number| format!("{prefix}{number}").into()).collect()
}

fn mapping(rows: &[&[u16]]) -> LodMapping {
    LodMapping {
        lods: (0..rows.len() as u16).collect(),
        indices: rows.iter().map(|row| row.to_vec()).collect(),
    }
}

fn vectors(vectors: &[[f32; 3]]) -> Vectors3 {
    Vectors3::from_vectors(vectors)
}

/// A square of `size` cm in two triangles and a quad beside it, skinned to `joints`.
fn mesh(size: f32, joints: &[u16], channels: &[u16]) -> Mesh {
    let positions = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
    ];
    let positions = positions.map(|p| p.map(|c: f32| c * size));
    let weights = |vertex: usize| {
        let first = joints[vertex % joints.len()];
        let second = joints[(vertex + 1) % joints.len()];
        if first == second {
            VertexSkinWeights { weights: vec![1.0], joint_indices: vec![first] }
        } else {
            VertexSkinWeights { weights: vec![0.75, 0.25], joint_indices: vec![first, second] }
        }
    };
    Mesh {
        texture_coordinates: TextureCoordinates {
            us: positions.iter().map(|p| p[0] / size / 2.0).collect(),
            vs: positions.iter().map(|p| p[1] / size).collect(),
        },
        positions: vectors(&positions),
        normals: vectors(&[[0.0, 0.0, 1.0]]),
        layouts: VertexLayouts {
            positions: (0..6).collect(),
            texture_coordinates: (0..6).collect(),
            normals: vec![0; 6],
        },
        faces: vec![vec![0, 1, 2], vec![0, 2, 3], vec![1, 4, 5, 2]],
        maximum_influence_per_vertex: 4,
        skin_weights: (0..6).map(weights).collect(),
        blend_shape_targets: channels
            .iter()
            .map(|&channel| BlendShapeTarget {
                deltas: vectors(&[[0.0, 0.0, 0.5], [0.25, 0.0, f32::from(channel)]]),
                vertex_indices: vec![1, 4],
                blend_shape_channel_index: channel,
            })
            .collect(),
    }
}

fn group(lods: &[u16], inputs: &[u16], joints: &[u16], attributes: &[u16]) -> JointGroup {
    let output_indices: Vec<u16> = joints
        .iter()
        .flat_map(|&joint| attributes.iter().map(move |&attribute| joint * 9 + attribute))
        .collect();
    let values = (0..output_indices.len() * inputs.len()).map(|number| number as f32 * 0.125 - 1.0).collect();
    JointGroup {
        lods: lods.to_vec(),
        input_indices: inputs.to_vec(),
        output_indices,
        values,
        joint_indices: joints.to_vec(),
    }
}

/// Three LODs whose joint lists are not nested:
///
/// | joint | hangs from | LODs |
/// | --- | --- | --- |
/// | root 0 | itself | 0 1 2 |
/// | arm 1 | root | 0 1 2 |
/// | volume 2 | arm | 1 2 |
/// | finger 3 | arm | 0 |
/// | tip 4 | finger | 0 1 |
/// | loose 5 | root | none |
///
/// Controls: 4 raw `q` (a quaternion), 2 raw, 1 corrective (6), 1 machine-learned (7), 2 of poses (8, 9).
pub(crate) fn small_rig() -> Dna {
    let mut dna = Dna::new(FileVersion::new(5));
    let descriptor = &mut dna.descriptor;
    descriptor.name = "Small".into();
    descriptor.archetype = 5;
    descriptor.gender = 1;
    descriptor.age = 30;
    descriptor.metadata = vec![("archetype".into(), "Test".into())];
    descriptor.coordinate_system =
        CoordinateSystem { x_axis: direction::LEFT, y_axis: direction::UP, z_axis: direction::FRONT };
    descriptor.lod_count = 3;
    descriptor.complexity = "A".into();
    descriptor.db_name = "TEST.1".into();

    let definition = &mut dna.definition;
    definition.lod_joint_mapping = mapping(&[&[0, 1, 3, 4], &[0, 1, 2, 4], &[0, 1, 2]]);
    definition.lod_blend_shape_mapping = mapping(&[&[0, 1, 2], &[1], &[]]);
    definition.lod_animated_map_mapping = mapping(&[&[0, 1], &[1], &[]]);
    definition.lod_mesh_mapping = mapping(&[&[0, 1], &[2], &[3]]);
    definition.gui_control_names = names("CTRL_gui", 2);
    definition.raw_control_names =
        ["arm.qx", "arm.qy", "arm.qz", "arm.qw", "CTRL_expressions.bend", "CTRL_expressions.twist"]
            .map(Text::from)
            .to_vec();
    definition.joint_names = ["root", "arm", "volume", "finger", "tip", "loose"].map(Text::from).to_vec();
    definition.blend_shape_channel_names = names("shape", 3);
    definition.animated_map_names = names("map", 2);
    definition.mesh_names =
        ["a_lod0_mesh", "b_lod0_mesh", "a_lod1_mesh", "a_lod2_mesh"].map(Text::from).to_vec();
    definition.mesh_blend_shape_channel_mapping = IndexPairs { from: vec![0, 0, 1, 2], to: vec![0, 1, 2, 1] };
    definition.joint_hierarchy = vec![0, 0, 1, 1, 3, 0];
    definition.neutral_joint_translations = vectors(&[
        [0.0, 0.0, 0.0],
        [1.0, 2.0, 0.0],
        [0.5, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
    ]);
    definition.neutral_joint_rotations = vectors(&[
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 90.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, -90.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ]);

    let behavior = &mut dna.behavior;
    behavior.controls = Controls {
        psd_count: 1,
        conditionals: ConditionalTable {
            input_indices: vec![0, 1],
            output_indices: vec![4, 5],
            from_values: vec![0.0, -1.0],
            to_values: vec![1.0, 0.0],
            slope_values: vec![1.0, -1.0],
            cut_values: vec![0.0, 0.0],
        },
        psds: PsdMatrix { rows: vec![6, 6], columns: vec![4, 5], values: vec![1.0, 1.0] },
    };
    behavior.joints = Joints {
        row_count: 54,
        col_count: 10,
        joint_groups: vec![
            // Joint 1 in all LODs, then joint 4 in LOD 0 and 1, then joint 3 in LOD 0.
            group(&[6, 4, 2], &[4, 6, 8], &[1, 4, 3], &[0, 5]),
            group(&[0, 2, 2], &[5, 7], &[2], &[1, 6]),
            group(&[], &[9], &[5], &[0]),
        ],
    };
    behavior.blend_shape_channels = BlendShapeChannels {
        lods: vec![3, 1, 0],
        input_indices: vec![5, 4, 6],
        output_indices: vec![1, 0, 2],
    };
    behavior.animated_maps = AnimatedMaps {
        lods: vec![2, 1, 0],
        conditionals: ConditionalTable {
            input_indices: vec![4, 6],
            output_indices: vec![1, 0],
            from_values: vec![0.0, 0.0],
            to_values: vec![1.0, 1.0],
            slope_values: vec![1.0, 0.5],
            cut_values: vec![0.0, 0.0],
        },
    };

    dna.geometry.meshes = vec![
        mesh(1.0, &[0, 1, 3, 4], &[0, 1]),
        mesh(2.0, &[4], &[2]),
        mesh(1.0, &[0, 1, 2, 4], &[1]),
        mesh(1.0, &[0, 1], &[]),
    ];

    dna.machine_learned_behavior = MachineLearnedBehavior {
        ml_control_names: vec!["CTRL_ML.fold".into()],
        lod_neural_network_mapping: mapping(&[&[0, 1], &[1], &[]]),
        neural_network_to_mesh_region: MeshRegions {
            region_names: vec![
                vec!["cheek".into(), "brow".into()],
                vec!["lid".into()],
                vec!["cheek".into()],
                vec![],
            ],
            indices: vec![vec![vec![0], vec![1]], vec![vec![0, 1]], vec![vec![1]], vec![]],
        },
        neural_networks: (0..2)
            .map(|number| NeuralNetwork {
                output_indices: vec![7],
                input_indices: vec![4, 5],
                layers: vec![NeuralNetworkLayer {
                    biases: vec![0.5],
                    weights: vec![2.0, number as f32],
                    activation_function: 2,
                    activation_parameters: vec![0.125],
                }],
            })
            .collect(),
    };
    let solver = |name: &str, poses: &[u16]| RbfSolver {
        name: name.into(),
        raw_control_indices: vec![0, 1, 2, 3],
        pose_indices: poses.to_vec(),
        raw_control_values: (0..poses.len())
            .flat_map(|pose| [0.0, 0.0, [0.0, 0.6][pose % 2], [1.0, 0.8][pose % 2]])
            .collect(),
        radius: 45.0,
        weight_threshold: 0.01,
        solver_type: 1,
        automatic_radius: 1,
        distance_method: 1,
        normalize_method: 0,
        function_type: 0,
        twist_axis: 0,
    };
    dna.rbf_behavior = RbfBehavior {
        lod_solver_mapping: mapping(&[&[0, 1], &[1], &[1]]),
        solvers: vec![solver("arm_fine", &[0]), solver("arm", &[0, 1])],
        poses: vec![
            RbfPose { name: "default".into(), scale: 1.0 },
            RbfPose { name: "bent".into(), scale: 1.0 },
        ],
    };
    dna.rbf_behavior_ext = RbfBehaviorExt {
        pose_control_names: vec!["default".into(), "bent".into()],
        poses: (8..10)
            .map(|control| RbfPoseControls {
                input_control_indices: vec![],
                output_control_indices: vec![control],
                output_control_weights: vec![1.0],
            })
            .collect(),
    };
    dna.joint_behavior_metadata.joint_representations = (0..6)
        .map(|joint| JointRepresentation { rotation: u16::from(joint == 4), ..Default::default() })
        .collect();
    dna.twist_swing_behavior = TwistSwingBehavior {
        twists: vec![TwistSwing {
            blend_weights: vec![0.25, 0.75],
            output_joint_indices: vec![3, 2],
            input_control_indices: vec![0, 1, 2, 3],
            twist_axis: 0,
        }],
        swings: vec![TwistSwing {
            blend_weights: vec![0.5],
            output_joint_indices: vec![3],
            input_control_indices: vec![0, 1, 2, 3],
            twist_axis: 0,
        }],
    };
    dna
}

/// [`small_rig`] as version 2.8 with `dsce` and `mlbe`.
pub(crate) fn small_rig_28() -> Dna {
    let mut dna = small_rig();
    dna.set_version(FileVersion::new(8), LaterLayers::Keep);
    dna.ensure_layer(LayerKind::MachineLearnedBehaviorExt);
    dna.ensure_layer(LayerKind::DescriptorExt);
    dna.descriptor_ext = DescriptorExt {
        rotation_sequence: 5,
        rotation_sign: RotationSign { x: 1, y: -1, z: 1 },
        face_winding_order: 1,
    };
    let operation = |operation_type: u16, parameters: &[u32], dependencies: &[(u16, u16)]| MlOperation {
        parameters: parameters.to_vec(),
        set_dependency_indices: dependencies.iter().map(|&(set, _)| set).collect(),
        operation_dependency_indices: dependencies.iter().map(|&(_, operation)| operation).collect(),
        operation_type,
    };
    dna.machine_learned_behavior_ext = MachineLearnedBehaviorExt {
        operations: MlOperations {
            lod_operation_mappings: vec![mapping(&[&[0, 1], &[1], &[1]]), mapping(&[&[0], &[0], &[0]])],
            operations: vec![
                vec![operation(1, &[4, 5], &[]), operation(1, &[5], &[])],
                vec![operation(2, &[7], &[(0, 0), (0, 1)])],
            ],
        },
        joints: MlJoints {
            parameter_keys: vec![0, 1, 2],
            parameter_values: vec![0, 1, 0],
            input_indices: vec![7, 7],
            output_indices: vec![10, 33],
        },
    };
    dna
}
