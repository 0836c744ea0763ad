//! What validation finds, and what it does not.
#![allow(clippy::unwrap_used)]

use mhrig_dna::*;
use mhrig_testkit::shared_or_skip;

mod support;
use support::{small_rig, small_rig_28};

fn findings(dna: &Dna) -> Vec<DnaFinding> {
    dna.validate(&ValidateOptions::default())
}

fn serious(dna: &Dna, target: Target) -> Vec<String> {
    let findings = dna.validate(&ValidateOptions::default().with_target(target));
    findings
        .iter()
        .filter(|finding| finding.severity > DnaSeverity::Info)
        .map(DnaFinding::to_string)
        .collect()
}

#[test]
fn a_good_rig_has_no_findings() {
    for dna in [small_rig(), small_rig_28()] {
        assert_eq!(serious(&dna, Target::Any), [""; 0]);
        assert_eq!(serious(&dna, Target::Maya), [""; 0]);
        assert_eq!(serious(&dna, Target::Library), [""; 0]);
    }
}

type Damage = fn(&mut Dna);

/// Each of these is put into a good rig: the code and path of the finding that has to come, and what is done.
const DAMAGES: &[(&str, &str, Damage)] = &[
    ("AXES", "desc.coordinateSystem", |dna| dna.descriptor.coordinate_system.y_axis = direction::DOWN + 2),
    ("ENUM_VALUE", "desc.translationUnit", |dna| dna.descriptor.translation_unit = 9),
    ("ENUM_VALUE", "desc.gender", |dna| dna.descriptor.gender = 3),
    ("LOD_COUNT", "desc.lodCount", |dna| dna.descriptor.lod_count = 0),
    ("NAME_REPEATED", "desc.metadata[1]", |dna| {
        dna.descriptor.metadata.push(("archetype".into(), "B".into()))
    }),
    ("INDEX_RANGE", "defn.lodJointMapping.lods[1]", |dna| dna.definition.lod_joint_mapping.lods[1] = 3),
    ("INDEX_RANGE", "defn.lodMeshMapping.indices[0][1]", |dna| {
        dna.definition.lod_mesh_mapping.indices[0][1] = 4
    }),
    ("LOD_LIST", "defn.lodMeshMapping.lods", |dna| {
        dna.definition.lod_mesh_mapping.lods.pop();
    }),
    ("LOD_REPEATED", "defn.lodJointMapping.indices[2]", |dna| {
        dna.definition.lod_joint_mapping.indices[2].push(0)
    }),
    ("NAME_REPEATED", "defn.jointNames[4]", |dna| dna.definition.joint_names[4] = "root".into()),
    ("NAME_REPEATED", "defn.meshNames[1]", |dna| dna.definition.mesh_names[1] = "a_lod0_mesh".into()),
    ("NAME_EMPTY", "defn.rawControlNames[0]", |dna| dna.definition.raw_control_names[0] = "".into()),
    ("NAME_BYTES", "defn.jointNames[2]", |dna| dna.definition.joint_names[2] = "vol\0ume".into()),
    ("LENGTH_MISMATCH", "defn.meshBlendShapeChannelMapping", |dna| {
        dna.definition.mesh_blend_shape_channel_mapping.to.push(0);
    }),
    ("INDEX_RANGE", "defn.meshBlendShapeChannelMapping.to[2]", |dna| {
        dna.definition.mesh_blend_shape_channel_mapping.to[2] = 3;
    }),
    ("INDEX_RANGE", "defn.jointHierarchy[3]", |dna| dna.definition.joint_hierarchy[3] = 6),
    ("ROOT_COUNT", "defn.jointHierarchy", |dna| dna.definition.joint_hierarchy[5] = 5),
    ("ROOT_COUNT", "defn.jointHierarchy", |dna| dna.definition.joint_hierarchy[0] = 1),
    ("HIERARCHY_CYCLE", "defn.jointHierarchy[3]", |dna| dna.definition.joint_hierarchy[3] = 4),
    ("LENGTH_MISMATCH", "defn.neutralJointTranslations", |dna| {
        dna.definition.neutral_joint_translations.zs.pop();
    }),
    ("NOT_FINITE", "defn.neutralJointRotations.ys[2]", |dna| {
        dna.definition.neutral_joint_rotations.ys[2] = f32::NAN;
    }),
    ("LENGTH_MISMATCH", "bhvr.controls.conditionals", |dna| {
        dna.behavior.controls.conditionals.cut_values.clear()
    }),
    ("INDEX_RANGE", "bhvr.controls.conditionals.inputIndices[1]", |dna| {
        dna.behavior.controls.conditionals.input_indices[1] = 2;
    }),
    ("INDEX_RANGE", "bhvr.controls.conditionals.outputIndices[0]", |dna| {
        dna.behavior.controls.conditionals.output_indices[0] = 6;
    }),
    ("ROW_RANGE", "bhvr.controls.conditionals.fromValues[1]", |dna| {
        dna.behavior.controls.conditionals.from_values[1] = 0.5;
    }),
    ("INDEX_RANGE", "bhvr.controls.psds.rows[1]", |dna| dna.behavior.controls.psds.rows[1] = 7),
    ("PSD_ROW", "bhvr.controls.psds.rows[0]", |dna| dna.behavior.controls.psds.rows[0] = 5),
    ("PSD_EMPTY", "bhvr.controls.psds", |dna| dna.behavior.controls.psds = PsdMatrix::default()),
    ("PSD_REPEATED", "bhvr.controls.psds", |dna| dna.behavior.controls.psds.columns[1] = 4),
    ("PSD_LAG", "bhvr.controls.psds.columns", |dna| dna.behavior.controls.psds.columns[1] = 6),
    ("ROW_COUNT", "bhvr.joints.rowCount", |dna| dna.behavior.joints.row_count = 45),
    ("INDEX_RANGE", "bhvr.joints.jointGroups[1].inputIndices[0]", |dna| {
        dna.behavior.joints.joint_groups[1].input_indices[0] = 10;
    }),
    ("INDEX_RANGE", "bhvr.joints.jointGroups[0].outputIndices[3]", |dna| {
        dna.behavior.joints.joint_groups[0].output_indices[3] = 54;
    }),
    ("INDEX_RANGE", "bhvr.joints.jointGroups[2].jointIndices[0]", |dna| {
        dna.behavior.joints.joint_groups[2].joint_indices[0] = 6;
    }),
    ("GROUP_SIZE", "bhvr.joints.jointGroups[0].values", |dna| {
        dna.behavior.joints.joint_groups[0].values.pop();
    }),
    ("GROUP_JOINTS", "bhvr.joints.jointGroups[0].jointIndices", |dna| {
        dna.behavior.joints.joint_groups[0].joint_indices.pop();
    }),
    ("GROUP_REPEATED", "bhvr.joints.jointGroups[0].outputIndices", |dna| {
        dna.behavior.joints.joint_groups[0].output_indices[1] = 9;
    }),
    ("GROUP_LOD", "bhvr.joints.jointGroups[0].lods[2]", |dna| {
        dna.behavior.joints.joint_groups[0].lods[2] = 4
    }),
    ("ROW_LODS", "bhvr.joints.jointGroups[0].lods", |dna| {
        dna.behavior.joints.joint_groups[0].lods.pop();
    }),
    ("ROW_LODS_RANGE", "bhvr.joints.jointGroups[0].lods[0]", |dna| {
        dna.behavior.joints.joint_groups[0].lods[0] = 7
    }),
    ("NOT_FINITE", "bhvr.joints.jointGroups[1].values[2]", |dna| {
        dna.behavior.joints.joint_groups[1].values[2] = f32::INFINITY;
    }),
    ("LENGTH_MISMATCH", "bhvr.blendShapeChannels", |dna| {
        dna.behavior.blend_shape_channels.input_indices.clear()
    }),
    ("INDEX_RANGE", "bhvr.blendShapeChannels.outputIndices[2]", |dna| {
        dna.behavior.blend_shape_channels.output_indices[2] = 3;
    }),
    ("CHANNEL_UNDRIVEN", "bhvr.blendShapeChannels", |dna| {
        dna.behavior.blend_shape_channels.output_indices[2] = 0;
    }),
    ("ROW_LODS_RANGE", "bhvr.animatedMaps.lods[0]", |dna| dna.behavior.animated_maps.lods[0] = 3),
    ("INDEX_RANGE", "bhvr.animatedMaps.conditionals.outputIndices[0]", |dna| {
        dna.behavior.animated_maps.conditionals.output_indices[0] = 2;
    }),
    ("MESH_COUNT", "geom.meshes", |dna| {
        dna.geometry.meshes.pop();
    }),
    ("INDEX_RANGE", "geom.meshes[0].layouts.positions[5]", |dna| {
        dna.geometry.meshes[0].layouts.positions[5] = 6
    }),
    ("INDEX_RANGE", "geom.meshes[0].layouts.normals[0]", |dna| dna.geometry.meshes[0].layouts.normals[0] = 1),
    ("INDEX_RANGE", "geom.meshes[0].layouts.textureCoordinates[1]", |dna| {
        dna.geometry.meshes[0].layouts.texture_coordinates[1] = 99;
    }),
    ("INDEX_RANGE", "geom.meshes[1].faces[2].layoutIndices[3]", |dna| dna.geometry.meshes[1].faces[2][3] = 6),
    ("FACE_CORNERS", "geom.meshes[0].faces[1]", |dna| dna.geometry.meshes[0].faces[1].truncate(2)),
    ("FACE_REPEATED", "geom.meshes[0].faces[1]", |dna| dna.geometry.meshes[0].faces[1][2] = 0),
    ("UV_AREA", "geom.meshes[0].faces[0]", |dna| dna.geometry.meshes[0].texture_coordinates.us.fill(0.5)),
    ("NOT_FINITE", "geom.meshes[3].positions.xs[0]", |dna| dna.geometry.meshes[3].positions.xs[0] = f32::NAN),
    ("LENGTH_MISMATCH", "geom.meshes[3].normals", |dna| dna.geometry.meshes[3].normals.xs.push(0.0)),
    ("SKIN_COUNT", "geom.meshes[0].skinWeights", |dna| {
        dna.geometry.meshes[0].skin_weights.pop();
    }),
    ("SKIN_MISSING", "geom.meshes[0].skinWeights", |dna| dna.geometry.meshes[0].skin_weights.clear()),
    ("INDEX_RANGE", "geom.meshes[0].skinWeights[2].jointIndices[1]", |dna| {
        dna.geometry.meshes[0].skin_weights[2].joint_indices[1] = 6;
    }),
    ("WEIGHT_SUM", "geom.meshes[0].skinWeights[4]", |dna| {
        dna.geometry.meshes[0].skin_weights[3].weights[0] = 0.7;
        dna.geometry.meshes[0].skin_weights[4].weights[0] = 0.5;
    }),
    ("WEIGHT_NEGATIVE", "geom.meshes[0].skinWeights[1]", |dna| {
        dna.geometry.meshes[0].skin_weights[1].weights = vec![1.25, -0.25];
    }),
    ("NOT_FINITE", "geom.meshes[0].skinWeights[5]", |dna| {
        dna.geometry.meshes[0].skin_weights[5].weights[0] = f32::NAN;
    }),
    ("LENGTH_MISMATCH", "geom.meshes[0].skinWeights[1]", |dna| {
        dna.geometry.meshes[0].skin_weights[1].joint_indices.pop();
    }),
    ("WEIGHT_REPEATED", "geom.meshes[0].skinWeights[1]", |dna| {
        dna.geometry.meshes[0].skin_weights[1].joint_indices = vec![1, 1];
    }),
    ("INFLUENCE_MAXIMUM", "geom.meshes[0].skinWeights[0]", |dna| {
        dna.geometry.meshes[0].maximum_influence_per_vertex = 1;
    }),
    ("INFLUENCE_CAP", "geom.meshes[0].skinWeights[2]", |dna| {
        dna.definition.mesh_names[0] = "head_lod0_mesh".into();
        dna.geometry.meshes[0].maximum_influence_per_vertex = 13;
        dna.geometry.meshes[0].skin_weights[2] =
            VertexSkinWeights { weights: vec![1.0 / 13.0; 13], joint_indices: vec![0; 13] };
    }),
    ("WEIGHT_LOD", "geom.meshes[3].skinWeights[0]", |dna| {
        dna.geometry.meshes[3].skin_weights[0].joint_indices[1] = 4;
    }),
    ("INDEX_RANGE", "geom.meshes[0].blendShapeTargets[1].vertexIndices[1]", |dna| {
        dna.geometry.meshes[0].blend_shape_targets[1].vertex_indices[1] = 6;
    }),
    ("INDEX_RANGE", "geom.meshes[0].blendShapeTargets[1].blendShapeChannelIndex", |dna| {
        dna.geometry.meshes[0].blend_shape_targets[1].blend_shape_channel_index = 3;
    }),
    ("LENGTH_MISMATCH", "geom.meshes[0].blendShapeTargets[0]", |dna| {
        dna.geometry.meshes[0].blend_shape_targets[0].deltas.xs.pop();
    }),
    ("TARGET_UNMAPPED", "geom.meshes[3].blendShapeTargets[0]", |dna| {
        let target = dna.geometry.meshes[0].blend_shape_targets[0].clone();
        dna.geometry.meshes[3].blend_shape_targets.push(target);
    }),
    ("TARGET_MISSING", "geom.meshes[1].blendShapeTargets", |dna| {
        dna.geometry.meshes[1].blend_shape_targets.clear();
    }),
    ("CHANNEL_EMPTY", "defn.blendShapeChannelNames[2]", |dna| {
        dna.geometry.meshes[1].blend_shape_targets.clear();
    }),
    ("TARGET_EMPTY", "geom.meshes[0].blendShapeTargets[0]", |dna| {
        dna.geometry.meshes[0].blend_shape_targets[0].deltas = Vectors3::default();
        dna.geometry.meshes[0].blend_shape_targets[0].vertex_indices.clear();
    }),
    ("TARGET_REPEATED", "geom.meshes[0].blendShapeTargets", |dna| {
        dna.geometry.meshes[0].blend_shape_targets[1].blend_shape_channel_index = 0;
    }),
    ("TARGET_REPEATED", "geom.meshes[0].blendShapeTargets[0].vertexIndices", |dna| {
        dna.geometry.meshes[0].blend_shape_targets[0].vertex_indices = vec![4, 4];
    }),
    ("INDEX_RANGE", "mlbh.neuralNetworkToMeshRegion.indices[1][0][1]", |dna| {
        dna.machine_learned_behavior.neural_network_to_mesh_region.indices[1][0][1] = 2;
    }),
    ("REGION_MESHES", "mlbh.neuralNetworkToMeshRegion", |dna| {
        dna.machine_learned_behavior.neural_network_to_mesh_region.indices.pop();
        dna.machine_learned_behavior.neural_network_to_mesh_region.region_names.pop();
    }),
    ("NETWORK_OUTPUT", "mlbh.neuralNetworks[1].outputIndices", |dna| {
        dna.machine_learned_behavior.neural_networks[1].output_indices[0] = 6;
    }),
    ("NETWORK_SIZE", "mlbh.neuralNetworks[0].layers[0].weights", |dna| {
        dna.machine_learned_behavior.neural_networks[0].layers[0].weights.pop();
    }),
    ("NETWORK_SIZE", "mlbh.neuralNetworks[0].outputIndices", |dna| {
        dna.machine_learned_behavior.neural_networks[0].output_indices.push(7);
    }),
    ("NETWORK_PARAMETERS", "mlbh.neuralNetworks[0].layers[0].activationFunction.parameters", |dna| {
        dna.machine_learned_behavior.neural_networks[0].layers[0].activation_parameters.clear();
    }),
    ("INDEX_RANGE", "rbfb.solvers[1].poseIndices[1]", |dna| dna.rbf_behavior.solvers[1].pose_indices[1] = 2),
    ("INDEX_RANGE", "rbfb.solvers[0].rawControlIndices[0]", |dna| {
        dna.rbf_behavior.solvers[0].raw_control_indices[0] = 6;
    }),
    ("RBF_SIZE", "rbfb.solvers[1].rawControlValues", |dna| {
        dna.rbf_behavior.solvers[1].raw_control_values.pop();
    }),
    ("RBF_SIZE", "rbfb.solvers[1].rawControlIndices", |dna| {
        dna.rbf_behavior.solvers[1].raw_control_indices.pop();
    }),
    ("RBF_RADIUS", "rbfb.solvers[0].radius", |dna| dna.rbf_behavior.solvers[0].radius = 0.0),
    ("RBF_EMPTY", "rbfb.solvers[0]", |dna| dna.rbf_behavior.solvers[0].pose_indices.clear()),
    ("NOT_FINITE", "rbfb.poses[1].scale[0]", |dna| dna.rbf_behavior.poses[1].scale = f32::NAN),
    ("LENGTH_MISMATCH", "rbfe.poses", |dna| {
        dna.rbf_behavior_ext.poses.pop();
    }),
    ("INDEX_RANGE", "rbfe.poses[1].outputControlIndices[0]", |dna| {
        dna.rbf_behavior_ext.poses[1].output_control_indices[0] = 10;
    }),
    ("POSE_OUTPUT", "rbfe.poses[0].outputControlIndices", |dna| {
        dna.rbf_behavior_ext.poses[0].output_control_indices[0] = 7;
    }),
    ("JOINT_METADATA", "jbmd.jointRepresentations", |dna| {
        dna.joint_behavior_metadata.joint_representations.pop();
    }),
    ("ENUM_VALUE", "jbmd.jointRepresentations[0].rotation", |dna| {
        dna.joint_behavior_metadata.joint_representations[0].rotation = 2;
    }),
    ("INDEX_RANGE", "twsw.swings[0].swingOutputJointIndices[0]", |dna| {
        dna.twist_swing_behavior.swings[0].output_joint_indices[0] = 6;
    }),
    ("LENGTH_MISMATCH", "twsw.twists[0]", |dna| {
        dna.twist_swing_behavior.twists[0].blend_weights.pop();
    }),
    ("QUATERNION_INPUT", "twsw.twists[0]", |dna| {
        dna.twist_swing_behavior.twists[0].input_control_indices.pop();
    }),
    ("INDEX_RANGE", "mlbe.mlbTypeData.operations[1][0].mlOperationDependencyIndices[1]", |dna| {
        dna.machine_learned_behavior_ext.operations.operations[1][0].operation_dependency_indices[1] = 2;
    }),
    ("INDEX_RANGE", "mlbe.mlbTypeData.operations[1][0].mlOperationSetDependencyIndices[0]", |dna| {
        dna.machine_learned_behavior_ext.operations.operations[1][0].set_dependency_indices[0] = 1;
    }),
    ("INDEX_RANGE", "mlbe.mlbJoints.outputIndices[1]", |dna| {
        dna.machine_learned_behavior_ext.joints.output_indices[1] = 60;
    }),
    ("ML_JOINTS", "mlbe.mlbJoints", |dna| {
        dna.machine_learned_behavior_ext.joints.parameter_keys.clear();
        dna.machine_learned_behavior_ext.joints.parameter_values.clear();
    }),
    ("ROTATION_SIGN", "dsce.rotationSign.z", |dna| dna.descriptor_ext.rotation_sign.z = 0),
    ("ENUM_VALUE", "dsce.rotationSequence", |dna| dna.descriptor_ext.rotation_sequence = 6),
    ("LAYER_MISSING", "index", |dna| {
        dna.layers.remove(0);
    }),
    ("LAYER_ORDER", "index.entries[2]", |dna| dna.layers.swap(1, 2)),
    ("LAYER_NEWER", "index.entries[10]", |dna| dna.version = FileVersion::new(6)),
    ("LAYER_UNKNOWN", "index.entries[11]", |dna| dna.layers.push(Layer::raw(*b"zzzz", 1, 0, vec![]))),
    ("VERSION_NEWER", "version", |dna| dna.version = FileVersion::new(9)),
];

#[test]
fn each_damage_is_found_with_its_path() {
    for (code, path, damage) in DAMAGES {
        let mut dna = small_rig_28();
        let before = findings(&dna);
        damage(&mut dna);
        let after = findings(&dna);
        let is_it = |finding: &&DnaFinding| (finding.code, finding.path.as_str()) == (*code, *path);
        assert!(!before.iter().any(|finding| is_it(&finding)), "{code} {path} is there before the damage");
        let texts: Vec<String> = after.iter().map(DnaFinding::to_string).collect();
        assert!(after.iter().any(|finding| is_it(&finding)), "{code} {path} is not among {texts:#?}");
    }
}

#[test]
fn an_index_that_points_to_nothing_is_refused_on_reading_if_asked_for() {
    let options = ReadOptions::default().with_checked_indices();
    let good = small_rig_28().to_bytes().unwrap();
    assert!(Dna::from_bytes_with(&good, &options).is_ok());
    let mut checked = 0;
    for (code, path, damage) in DAMAGES.iter().filter(|(code, ..)| *code == "INDEX_RANGE") {
        let mut dna = small_rig_28();
        damage(&mut dna);
        let bytes = dna.to_bytes().unwrap();
        assert!(Dna::from_bytes(&bytes).is_ok(), "{path}");
        let error = Dna::from_bytes_with(&bytes, &options).unwrap_err();
        let DnaError::Index { place, found, .. } = &error else { panic!("{code} {path}: {error}") };
        assert_eq!(format!("{}.{}", place.section, place.path), **path);
        // The offset is that of the number.
        let found: u64 = found.parse().unwrap();
        let at = place.offset as usize;
        let is_wide = path.contains("layouts") || path.contains("faces") || path.contains("vertexIndices");
        let stored = if is_wide {
            u64::from(u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
        } else {
            u64::from(u16::from_be_bytes(bytes[at..at + 2].try_into().unwrap()))
        };
        assert_eq!(stored, found, "{path} at {at}");
        // And that number is what was changed.
        assert_ne!(bytes[at..at + 4], good[at..at + 4], "{path}");
        checked += 1;
    }
    assert!(checked > 20);
}

#[test]
fn offsets_of_indices_are_right_in_2_1_files_too() {
    let mut dna = small_rig();
    dna.set_version(FileVersion::new(1), LaterLayers::Drop);
    dna.behavior.joints.joint_groups.truncate(1);
    dna.behavior.joints.joint_groups[0].input_indices = vec![4, 6, 600];
    let error =
        Dna::from_bytes_with(&dna.to_bytes().unwrap(), &ReadOptions::default().with_checked_indices());
    let Err(DnaError::Index { place, .. }) = error else { panic!("{error:?}") };
    assert_eq!(place.path, "joints.jointGroups[0].inputIndices[2]");
    let at = place.offset as usize;
    assert_eq!(dna.to_bytes().unwrap()[at..at + 2], 600u16.to_be_bytes());
}

#[test]
fn what_is_legal_is_not_found() {
    // Zero blend shape channels: the archetype in the engine.
    let mut dna = small_rig();
    dna.definition.blend_shape_channel_names.clear();
    dna.definition.lod_blend_shape_mapping.indices.iter_mut().for_each(Vec::clear);
    dna.definition.mesh_blend_shape_channel_mapping = IndexPairs::default();
    dna.behavior.blend_shape_channels =
        BlendShapeChannels { lods: vec![0, 0, 0], ..BlendShapeChannels::default() };
    dna.geometry.meshes.iter_mut().for_each(|mesh| mesh.blend_shape_targets.clear());
    assert_eq!(serious(&dna, Target::Any), [""; 0]);
    // A raw control that no GUI control, but a pose drives, or nothing; joint lists that are not nested.
    let mut dna = small_rig();
    dna.behavior.controls.conditionals = ConditionalTable::default();
    assert_eq!(serious(&dna, Target::Any), [""; 0]);
    // No geometry, no behavior.
    let inputs = LayerSelection::MACHINE_LEARNED_BEHAVIOR | LayerSelection::RBF_BEHAVIOR;
    for selection in [LayerSelection::BEHAVIOR | inputs, LayerSelection::GEOMETRY] {
        let mut dna = small_rig();
        dna.select_layers(selection);
        assert_eq!(serious(&dna, Target::Any), [""; 0], "{selection:?}");
    }
    // A file without `rbfe`: pose controls are implied.
    let mut dna = small_rig();
    dna.set_version(FileVersion::new(4), LaterLayers::Drop);
    assert_eq!(serious(&dna, Target::Any), [""; 0]);
}

#[test]
fn unreal_has_demands_of_its_own() {
    let mut dna = small_rig();
    dna.descriptor.translation_unit = translation_unit::M;
    dna.definition.mesh_names[0] = "head_lod0_mesh".into();
    dna.geometry.meshes[0].positions.xs[0] = f32::NAN;
    let found = dna.validate(&ValidateOptions::default().with_target(Target::Unreal));
    let has = |code: &str, unreal: &str| {
        found.iter().any(|finding| finding.code == code && finding.unreal == Some(unreal))
    };
    for (code, unreal) in [
        ("UNITS", "InvalidInputData"),
        ("LOD_MISSING", "MissingLOD"),
        ("EYES_MISSING", "NoEyeMeshesPresent"),
        ("TEETH_MISSING", "NoTeethMeshPresent"),
        ("NOT_FINITE", "InvalidHeadMesh"),
        ("TARGET_LOD", "InvalidInputData"),
    ] {
        assert!(has(code, unreal), "{code} {unreal}: {found:#?}");
    }
    dna.definition.mesh_names[1] = "body_lod0_mesh".into();
    let found = dna.validate(&ValidateOptions::default().with_target(Target::Unreal));
    assert!(found.iter().any(|finding| finding.unreal == Some("CombinedBodyCannotBeImportedAsWholeRig")));
}

#[test]
fn maya_wants_names_it_does_not_change() {
    let mut dna = small_rig();
    dna.definition.joint_names[2] = "vol-ume".into();
    dna.definition.mesh_names[3] = "arm".into();
    let found = dna.validate(&ValidateOptions::default().with_target(Target::Maya));
    let paths: Vec<(&str, &str)> = found
        .iter()
        .filter(|finding| finding.severity == DnaSeverity::Error)
        .map(|finding| (finding.code, finding.path.as_str()))
        .collect();
    assert_eq!(paths, [("NAME_MAYA", "defn.jointNames[2]"), ("NAME_CLASH", "defn.meshNames[3]")]);
}

#[test]
fn a_file_is_compared_with_its_template() {
    let template = small_rig();
    let (found, retention) = template.validate_against(&template, &AgainstOptions::default());
    assert_eq!(found, []);
    assert_eq!(retention.blend_shape_deltas.share(), 1.0);
    assert_eq!(retention.joint_values.strength, 1.0);

    let mut dna = small_rig();
    dna.definition.joint_names[2] = "other".into();
    dna.definition.joint_hierarchy[4] = 1;
    dna.definition.neutral_joint_rotations.xs[3] = 1.0;
    dna.behavior.controls.psd_count = 2;
    dna.geometry.meshes[0].faces[1].swap(0, 1);
    dna.geometry.meshes[2].positions.xs.pop();
    for mesh in &mut dna.geometry.meshes {
        for target in &mut mesh.blend_shape_targets {
            target.deltas = Vectors3::from_vectors(&vec![[0.0; 3]; target.vertex_indices.len()]);
        }
    }
    dna.twist_swing_behavior = TwistSwingBehavior::default();
    // Pruning what is tiny is no collapse.
    for value in dna.behavior.joints.joint_groups.iter_mut().flat_map(|group| &mut group.values) {
        *value = if value.abs() < 0.25 { 0.0 } else { *value };
    }
    let (found, retention) = dna.validate_against(&template, &AgainstOptions::default());
    let codes: Vec<(&str, &str)> =
        found.iter().map(|finding| (finding.code, finding.path.as_str())).collect();
    assert_eq!(
        codes,
        [
            ("COUNT_CHANGED", "bhvr.controls.psdCount"),
            ("COUNT_CHANGED", "geom.meshes"),
            ("COUNT_CHANGED", "twsw.twists"),
            ("COUNT_CHANGED", "twsw.swings"),
            ("NAME_CHANGED", "defn.jointNames[2]"),
            ("PARENT_CHANGED", "defn.jointHierarchy[4]"),
            ("ROTATION_CHANGED", "defn.neutralJointRotations[3]"),
            ("FACE_CHANGED", "geom.meshes[0].faces[1]"),
            ("VERTEX_COUNT", "geom.meshes[2].positions"),
            ("LAYER_COLLAPSED", "geom"),
            ("LAYER_LOST", "twsw"),
        ]
    );
    assert_eq!(retention.blend_shape_deltas.found, 0);
    assert!(retention.joint_values.share() < 1.0 && retention.joint_values.strength > 0.9);
}

#[test]
fn validation_of_damaged_files_never_panics() {
    let Some(folder) = shared_or_skip("validation of damaged vectors", "vectors/dna") else { return };
    for name in ["minix25.dna", "mini21.dna", "full25.dna"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            let Ok(dna) = Dna::from_bytes(&changed) else { continue };
            for target in [Target::Unreal, Target::Maya, Target::Library] {
                dna.validate(&ValidateOptions::default().with_target(target));
            }
            dna.validate_against(&small_rig(), &AgainstOptions::default());
            for mode in [LodMode::Correct, LodMode::Compat] {
                let _ = dna.clone().select_lods(&LodSelection::List(vec![1]), mode);
            }
        }
    }
}
