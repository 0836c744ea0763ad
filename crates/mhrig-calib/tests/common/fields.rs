//! A model as a flat list of fields, named as in the vectors: `geom.meshes[].normals.xs`.

#![allow(unreachable_pub)]

use mhrig_dna::{ConditionalTable, Dna, LodMapping, Text, Vectors3};

#[derive(Clone, Debug)]
pub enum Value {
    Integers(Vec<u64>),
    Floats(Vec<f32>),
    Texts(Vec<Text>),
}

pub type Fields = Vec<(String, Value)>;

fn ints<T: Copy + Into<u64>>(fields: &mut Fields, name: &str, values: &[T]) {
    fields.push((name.to_owned(), Value::Integers(values.iter().map(|&v| v.into()).collect())));
}

fn floats(fields: &mut Fields, name: &str, values: &[f32]) {
    fields.push((name.to_owned(), Value::Floats(values.to_vec())));
}

fn vectors(fields: &mut Fields, name: &str, values: &Vectors3) {
    floats(fields, &format!("{name}.xs"), &values.xs);
    floats(fields, &format!("{name}.ys"), &values.ys);
    floats(fields, &format!("{name}.zs"), &values.zs);
}

/// Lists per LOD, not rows: rows are numbered differently by different writers.
fn lods(fields: &mut Fields, name: &str, mapping: &LodMapping) {
    for lod in 0..mapping.lods.len() {
        ints(fields, &format!("{name}.indices[{lod}]"), mapping.members(lod));
    }
    ints(fields, &format!("{name}.lods.count"), &[mapping.lods.len() as u64]);
}

fn table(fields: &mut Fields, name: &str, table: &ConditionalTable) {
    ints(fields, &format!("{name}.inputIndices"), &table.input_indices);
    ints(fields, &format!("{name}.outputIndices"), &table.output_indices);
    floats(fields, &format!("{name}.fromValues"), &table.from_values);
    floats(fields, &format!("{name}.toValues"), &table.to_values);
    floats(fields, &format!("{name}.slopeValues"), &table.slope_values);
    floats(fields, &format!("{name}.cutValues"), &table.cut_values);
}

pub fn of(dna: &Dna) -> Fields {
    let mut fields = Fields::new();
    let f = &mut fields;
    ints(f, "desc.lodCount", &[dna.descriptor.lod_count]);
    ints(f, "desc.maxLOD", &[dna.descriptor.max_lod]);
    let d = &dna.definition;
    lods(f, "defn.lodJointMapping", &d.lod_joint_mapping);
    lods(f, "defn.lodBlendShapeMapping", &d.lod_blend_shape_mapping);
    lods(f, "defn.lodAnimatedMapMapping", &d.lod_animated_map_mapping);
    lods(f, "defn.lodMeshMapping", &d.lod_mesh_mapping);
    for (name, names) in [
        ("guiControlNames", &d.gui_control_names),
        ("rawControlNames", &d.raw_control_names),
        ("jointNames", &d.joint_names),
        ("blendShapeChannelNames", &d.blend_shape_channel_names),
        ("animatedMapNames", &d.animated_map_names),
        ("meshNames", &d.mesh_names),
    ] {
        f.push((format!("defn.{name}"), Value::Texts(names.clone())));
    }
    ints(f, "defn.meshBlendShapeChannelMapping.from", &d.mesh_blend_shape_channel_mapping.from);
    ints(f, "defn.meshBlendShapeChannelMapping.to", &d.mesh_blend_shape_channel_mapping.to);
    ints(f, "defn.jointHierarchy", &d.joint_hierarchy);
    vectors(f, "defn.neutralJointTranslations", &d.neutral_joint_translations);
    vectors(f, "defn.neutralJointRotations", &d.neutral_joint_rotations);
    let b = &dna.behavior;
    ints(f, "bhvr.controls.psdCount", &[b.controls.psd_count]);
    table(f, "bhvr.controls.conditionals", &b.controls.conditionals);
    ints(f, "bhvr.controls.psds.rows", &b.controls.psds.rows);
    ints(f, "bhvr.controls.psds.columns", &b.controls.psds.columns);
    floats(f, "bhvr.controls.psds.values", &b.controls.psds.values);
    ints(f, "bhvr.joints.rowCount", &[b.joints.row_count]);
    ints(f, "bhvr.joints.colCount", &[b.joints.col_count]);
    for (at, group) in b.joints.joint_groups.iter().enumerate() {
        let name = |field: &str| format!("bhvr.joints.jointGroups[{at}].{field}");
        ints(f, &name("lods"), &group.lods);
        ints(f, &name("inputIndices"), &group.input_indices);
        ints(f, &name("outputIndices"), &group.output_indices);
        floats(f, &name("values"), &group.values);
        ints(f, &name("jointIndices"), &group.joint_indices);
    }
    ints(f, "bhvr.blendShapeChannels.lods", &b.blend_shape_channels.lods);
    ints(f, "bhvr.blendShapeChannels.inputIndices", &b.blend_shape_channels.input_indices);
    ints(f, "bhvr.blendShapeChannels.outputIndices", &b.blend_shape_channels.output_indices);
    ints(f, "bhvr.animatedMaps.lods", &b.animated_maps.lods);
    table(f, "bhvr.animatedMaps.conditionals", &b.animated_maps.conditionals);
    ints(f, "geom.meshes.count", &[dna.geometry.meshes.len() as u64]);
    for (at, mesh) in dna.geometry.meshes.iter().enumerate() {
        let name = |field: &str| format!("geom.meshes[{at}].{field}");
        vectors(f, &name("positions"), &mesh.positions);
        floats(f, &name("textureCoordinates.us"), &mesh.texture_coordinates.us);
        floats(f, &name("textureCoordinates.vs"), &mesh.texture_coordinates.vs);
        vectors(f, &name("normals"), &mesh.normals);
        ints(f, &name("layouts.positions"), &mesh.layouts.positions);
        ints(f, &name("layouts.textureCoordinates"), &mesh.layouts.texture_coordinates);
        ints(f, &name("layouts.normals"), &mesh.layouts.normals);
        for (face, corners) in mesh.faces.iter().enumerate() {
            ints(f, &name(&format!("faces[{face}].layoutIndices")), corners);
        }
        ints(f, &name("faces.count"), &[mesh.faces.len() as u64]);
        ints(f, &name("maximumInfluencePerVertex"), &[mesh.maximum_influence_per_vertex]);
        ints(f, &name("skinWeights.count"), &[mesh.skin_weights.len() as u64]);
        for (vertex, record) in mesh.skin_weights.iter().enumerate() {
            floats(f, &name(&format!("skinWeights[{vertex}].weights")), &record.weights);
            ints(f, &name(&format!("skinWeights[{vertex}].jointIndices")), &record.joint_indices);
        }
        ints(f, &name("blendShapeTargets.count"), &[mesh.blend_shape_targets.len() as u64]);
        for (target, shape) in mesh.blend_shape_targets.iter().enumerate() {
            let name = |field: &str| name(&format!("blendShapeTargets[{target}].{field}"));
            vectors(f, &name("deltas"), &shape.deltas);
            ints(f, &name("vertexIndices"), &shape.vertex_indices);
            ints(f, &name("blendShapeChannelIndex"), &[shape.blend_shape_channel_index]);
        }
    }
    fields
}

/// The name with every index left out: `geom.meshes[].positions.xs`.
pub fn without_indices(name: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in name.chars() {
        if c == ']' {
            inside = false;
        }
        if !inside {
            out.push(c);
        }
        if c == '[' {
            inside = true;
        }
    }
    out
}
