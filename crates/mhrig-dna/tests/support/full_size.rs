//! A head of full size without the program that makes one: counts of dna-format.md section 11 and mh4m.md 4.1, invented content.

use mhrig_dna::*;

/// Vertices of the 50 meshes of a head.
const VERTICES: [usize; 50] = [
    24049, 4246, 660, 770, 770, 552, 2144, 268, 386, 11977, 3028, 424, 362, 362, 330, 1560, 268, 338, 5999,
    1568, 232, 222, 222, 204, 664, 172, 2548, 415, 110, 110, 120, 374, 112, 1291, 219, 110, 110, 66, 564,
    140, 42, 42, 270, 47, 33, 33, 137, 24, 25, 25,
];
/// Meshes per LOD.
const MESHES: [usize; 8] = [9, 9, 8, 7, 5, 4, 4, 4];
const JOINTS: usize = 870;
const RAW: usize = 263;
const PSD: usize = 545;
const CHANNELS: usize = 782;
const TARGETS: usize = 858;
const TARGET_VERTICES: usize = 2430;
const GROUPS: usize = 122;

/// The same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % below.max(1)
    }

    fn float(&mut self) -> f32 {
        self.next(1 << 24) as f32 / (1 << 23) as f32 - 1.0
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.float()).collect()
    }

    fn vectors(&mut self, count: usize) -> Vectors3 {
        Vectors3 { xs: self.floats(count), ys: self.floats(count), zs: self.floats(count) }
    }

    fn indices(&mut self, count: usize, below: usize) -> Vec<u16> {
        (0..count).map(|_| self.next(below) as u16).collect()
    }
}

/// About 46 MB.
pub(crate) fn head() -> Dna {
    let mut numbers = Numbers(7);
    let mut dna = Dna::new(FileVersion::new(5));
    dna.descriptor.name = "Bench".into();
    dna.descriptor.db_name = "MH.6".into();
    dna.descriptor.lod_count = 8;
    let names = |prefix: &str, count: usize| (0..count).map(|i| format!("{prefix}_{i:03}").into()).collect();
    let all = |count: usize| LodMapping { lods: vec![0; 8], indices: vec![(0..count as u16).collect()] };
    let definition = &mut dna.definition;
    definition.lod_joint_mapping = all(JOINTS);
    definition.lod_blend_shape_mapping = all(CHANNELS);
    definition.lod_animated_map_mapping = all(82);
    let mut first = 0;
    for (lod, count) in MESHES.into_iter().enumerate() {
        definition.lod_mesh_mapping.lods.push(lod as u16);
        definition.lod_mesh_mapping.indices.push((first..first + count as u16).collect());
        first += count as u16;
    }
    definition.gui_control_names = names("CTRL_gui", 174);
    definition.raw_control_names = names("CTRL_expressions.raw", RAW);
    definition.joint_names = names("FACIAL_joint", JOINTS);
    definition.blend_shape_channel_names = names("head_channel", CHANNELS);
    definition.animated_map_names = names("head_map", 82);
    definition.mesh_names = names("mesh", VERTICES.len());
    definition.joint_hierarchy = (0..JOINTS).map(|joint| (joint / 3) as u16).collect();
    definition.neutral_joint_translations = numbers.vectors(JOINTS);
    definition.neutral_joint_rotations = numbers.vectors(JOINTS);

    let behavior = &mut dna.behavior;
    behavior.controls.psd_count = PSD as u16;
    behavior.controls.psds.rows = (0..PSD * 3).map(|cell| (RAW + cell / 3) as u16).collect();
    behavior.controls.psds.columns = numbers.indices(PSD * 3, RAW);
    behavior.controls.psds.values = vec![1.0; PSD * 3];
    behavior.joints.row_count = (9 * JOINTS) as u16;
    behavior.joints.col_count = (RAW + PSD) as u16;
    for group in 0..GROUPS {
        let joints: Vec<u16> = (0..7).map(|i| ((group * 7 + i) % JOINTS) as u16).collect();
        let output_indices: Vec<u16> =
            joints.iter().flat_map(|joint| (0..9).map(move |a| joint * 9 + a)).collect();
        let columns = 139;
        behavior.joints.joint_groups.push(JointGroup {
            lods: vec![output_indices.len() as u16; 8],
            input_indices: numbers.indices(columns, RAW + PSD),
            values: numbers.floats(output_indices.len() * columns),
            output_indices,
            joint_indices: joints,
        });
    }
    behavior.blend_shape_channels.lods = vec![CHANNELS as u16; 8];
    behavior.blend_shape_channels.input_indices = numbers.indices(CHANNELS, RAW + PSD);
    behavior.blend_shape_channels.output_indices = (0..CHANNELS as u16).collect();

    for (mesh, &count) in VERTICES.iter().enumerate() {
        let influences = if count > 200 { 8 } else { 4 };
        let layouts: Vec<u32> = (0..count as u32).collect();
        let mut targets = Vec::new();
        if mesh == 0 {
            for target in 0..TARGETS {
                let channel = (target % CHANNELS) as u16;
                dna.definition.mesh_blend_shape_channel_mapping.from.push(0);
                dna.definition.mesh_blend_shape_channel_mapping.to.push(channel);
                targets.push(BlendShapeTarget {
                    deltas: numbers.vectors(TARGET_VERTICES),
                    vertex_indices: (0..TARGET_VERTICES as u32).map(|vertex| vertex * 7).collect(),
                    blend_shape_channel_index: channel,
                });
            }
        }
        dna.geometry.meshes.push(Mesh {
            positions: numbers.vectors(count),
            texture_coordinates: TextureCoordinates { us: numbers.floats(count), vs: numbers.floats(count) },
            normals: numbers.vectors(count),
            layouts: VertexLayouts {
                positions: layouts.clone(),
                texture_coordinates: layouts.clone(),
                normals: layouts,
            },
            faces: (0..count).map(|_| (0..4).map(|_| numbers.next(count) as u32).collect()).collect(),
            maximum_influence_per_vertex: 12,
            skin_weights: (0..count)
                .map(|_| VertexSkinWeights {
                    weights: vec![1.0 / influences as f32; influences],
                    joint_indices: numbers.indices(influences, JOINTS),
                })
                .collect(),
            blend_shape_targets: targets,
        });
    }
    dna
}
