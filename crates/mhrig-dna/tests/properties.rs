//! What holds for any model.
#![allow(clippy::unwrap_used)]

use std::io::Cursor;

use mhrig_dna::*;
use proptest::prelude::*;

mod support;

/// Makes models of any content, from a seed.
struct Maker {
    state: u64,
    /// Longest list.
    most: usize,
}

impl Maker {
    fn number(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 32) as u32
    }

    fn below(&mut self, limit: usize) -> usize {
        self.number() as usize % limit
    }

    fn list<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(self.most + 1);
        (0..count).map(|_| make(self)).collect()
    }

    fn u16(&mut self) -> u16 {
        // Mostly small, so that some of them mean something.
        if self.below(4) == 0 { self.number() as u16 } else { self.below(8) as u16 }
    }

    fn u32(&mut self) -> u32 {
        if self.below(4) == 0 { self.number() } else { self.below(8) as u32 }
    }

    fn f32(&mut self) -> f32 {
        // Any bits: NaN with any payload, infinities, subnormals.
        if self.below(2) == 0 { f32::from_bits(self.number()) } else { self.below(1000) as f32 / 8.0 }
    }

    fn text(&mut self) -> Text {
        let any = self.below(4) == 0;
        Text(self.list(|maker| if any { maker.number() as u8 } else { b'a' + maker.below(26) as u8 }))
    }

    fn u16s(&mut self) -> Vec<u16> {
        self.list(Self::u16)
    }

    fn u32s(&mut self) -> Vec<u32> {
        self.list(Self::u32)
    }

    fn f32s(&mut self) -> Vec<f32> {
        self.list(Self::f32)
    }

    fn texts(&mut self) -> Vec<Text> {
        self.list(Self::text)
    }

    fn mapping(&mut self) -> LodMapping {
        LodMapping { lods: self.u16s(), indices: self.list(Self::u16s) }
    }

    fn vectors(&mut self) -> Vectors3 {
        Vectors3 { xs: self.f32s(), ys: self.f32s(), zs: self.f32s() }
    }

    fn table(&mut self) -> ConditionalTable {
        ConditionalTable {
            input_indices: self.u16s(),
            output_indices: self.u16s(),
            from_values: self.f32s(),
            to_values: self.f32s(),
            slope_values: self.f32s(),
            cut_values: self.f32s(),
        }
    }

    fn mesh(&mut self) -> Mesh {
        Mesh {
            positions: self.vectors(),
            texture_coordinates: TextureCoordinates { us: self.f32s(), vs: self.f32s() },
            normals: self.vectors(),
            layouts: VertexLayouts {
                positions: self.u32s(),
                texture_coordinates: self.u32s(),
                normals: self.u32s(),
            },
            faces: self.list(Self::u32s),
            maximum_influence_per_vertex: self.u16(),
            skin_weights: self
                .list(|maker| VertexSkinWeights { weights: maker.f32s(), joint_indices: maker.u16s() }),
            blend_shape_targets: self.list(|maker| BlendShapeTarget {
                deltas: maker.vectors(),
                vertex_indices: maker.u32s(),
                blend_shape_channel_index: maker.u16(),
            }),
        }
    }

    fn twist_swing(&mut self) -> TwistSwing {
        TwistSwing {
            blend_weights: self.f32s(),
            output_joint_indices: self.u16s(),
            input_control_indices: self.u16s(),
            twist_axis: self.u16(),
        }
    }

    fn dna(&mut self, version: u16) -> Dna {
        let mut dna = Dna::new(FileVersion::new(version));
        dna.descriptor = Descriptor {
            name: self.text(),
            archetype: self.u16(),
            gender: self.u16(),
            age: self.u16(),
            metadata: self.list(|maker| (maker.text(), maker.text())),
            translation_unit: self.u16(),
            rotation_unit: self.u16(),
            coordinate_system: CoordinateSystem {
                x_axis: self.u16(),
                y_axis: self.u16(),
                z_axis: self.u16(),
            },
            lod_count: self.below(34) as u16,
            max_lod: self.u16(),
            complexity: self.text(),
            db_name: self.text(),
        };
        dna.definition = Definition {
            lod_joint_mapping: self.mapping(),
            lod_blend_shape_mapping: self.mapping(),
            lod_animated_map_mapping: self.mapping(),
            lod_mesh_mapping: self.mapping(),
            gui_control_names: self.texts(),
            raw_control_names: self.texts(),
            joint_names: self.texts(),
            blend_shape_channel_names: self.texts(),
            animated_map_names: self.texts(),
            mesh_names: self.texts(),
            mesh_blend_shape_channel_mapping: IndexPairs { from: self.u16s(), to: self.u16s() },
            joint_hierarchy: self.u16s(),
            neutral_joint_translations: self.vectors(),
            neutral_joint_rotations: self.vectors(),
        };
        dna.behavior = Behavior {
            controls: Controls {
                psd_count: self.u16(),
                conditionals: self.table(),
                psds: PsdMatrix { rows: self.u16s(), columns: self.u16s(), values: self.f32s() },
            },
            joints: Joints {
                row_count: self.u16(),
                col_count: self.u16(),
                joint_groups: self.list(|maker| JointGroup {
                    lods: maker.u16s(),
                    input_indices: maker.u16s(),
                    output_indices: maker.u16s(),
                    values: maker.f32s(),
                    joint_indices: maker.u16s(),
                }),
            },
            blend_shape_channels: BlendShapeChannels {
                lods: self.u16s(),
                input_indices: self.u16s(),
                output_indices: self.u16s(),
            },
            animated_maps: AnimatedMaps { lods: self.u16s(), conditionals: self.table() },
        };
        dna.geometry = Geometry { meshes: self.list(Self::mesh) };
        if version >= 3 {
            dna.machine_learned_behavior = MachineLearnedBehavior {
                ml_control_names: self.texts(),
                lod_neural_network_mapping: self.mapping(),
                neural_network_to_mesh_region: MeshRegions {
                    region_names: self.list(Self::texts),
                    indices: self.list(|maker| maker.list(Self::u16s)),
                },
                neural_networks: self.list(|maker| NeuralNetwork {
                    output_indices: maker.u16s(),
                    input_indices: maker.u16s(),
                    layers: maker.list(|maker| NeuralNetworkLayer {
                        biases: maker.f32s(),
                        weights: maker.f32s(),
                        activation_function: maker.u16(),
                        activation_parameters: maker.f32s(),
                    }),
                }),
            };
        }
        if version >= 4 {
            dna.rbf_behavior = RbfBehavior {
                lod_solver_mapping: self.mapping(),
                solvers: self.list(|maker| RbfSolver {
                    name: maker.text(),
                    raw_control_indices: maker.u16s(),
                    pose_indices: maker.u16s(),
                    raw_control_values: maker.f32s(),
                    radius: maker.f32(),
                    weight_threshold: maker.f32(),
                    solver_type: maker.u16(),
                    automatic_radius: maker.u16(),
                    distance_method: maker.u16(),
                    normalize_method: maker.u16(),
                    function_type: maker.u16(),
                    twist_axis: maker.u16(),
                }),
                poses: self.list(|maker| RbfPose { name: maker.text(), scale: maker.f32() }),
            };
            dna.joint_behavior_metadata.joint_representations = self.list(|maker| JointRepresentation {
                translation: maker.u16(),
                rotation: maker.u16(),
                scale: maker.u16(),
            });
            dna.twist_swing_behavior = TwistSwingBehavior {
                twists: self.list(Self::twist_swing),
                swings: self.list(Self::twist_swing),
            };
        }
        if version >= 5 {
            dna.rbf_behavior_ext = RbfBehaviorExt {
                pose_control_names: self.texts(),
                poses: self.list(|maker| RbfPoseControls {
                    input_control_indices: maker.u16s(),
                    output_control_indices: maker.u16s(),
                    output_control_weights: maker.f32s(),
                }),
            };
        }
        if version >= 6 {
            dna.ensure_layer(LayerKind::MachineLearnedBehaviorExt);
            dna.machine_learned_behavior_ext = MachineLearnedBehaviorExt {
                operations: MlOperations {
                    lod_operation_mappings: self.list(Self::mapping),
                    operations: self.list(|maker| {
                        maker.list(|maker| MlOperation {
                            parameters: maker.u32s(),
                            set_dependency_indices: maker.u16s(),
                            operation_dependency_indices: maker.u16s(),
                            operation_type: maker.u16(),
                        })
                    }),
                },
                joints: MlJoints {
                    parameter_keys: self.u16s(),
                    parameter_values: self.u16s(),
                    input_indices: self.u16s(),
                    output_indices: self.u16s(),
                },
            };
        }
        if version >= 7 {
            dna.ensure_layer(LayerKind::DescriptorExt);
            dna.descriptor_ext = DescriptorExt {
                rotation_sequence: self.number() as i32,
                rotation_sign: RotationSign {
                    x: self.number() as i32,
                    y: self.number() as i32,
                    z: self.number() as i32,
                },
                face_winding_order: if version >= 8 { self.number() as u8 } else { 0 },
            };
        }
        if version > 1 {
            if self.below(2) == 0 {
                let id = self.number().to_be_bytes();
                let bytes = self.list(|maker| maker.number() as u8);
                let (major, minor) = (self.u16(), self.u16());
                let at = self.below(dna.layers.len() + 1);
                dna.layers.insert(at, Layer::raw(id, major, minor, bytes));
            }
            let at = self.below(dna.layers.len());
            // `mlbe` and `dsce` are typed only when they fill their body.
            if dna.layers[at].kind().is_some_and(|kind| kind.since() <= 5) {
                dna.layers[at].surplus = self.list(|maker| maker.number() as u8);
            }
        }
        dna
    }
}

fn any_dna() -> impl Strategy<Value = Dna> {
    (1u16..=9, any::<u64>(), 0usize..7).prop_map(|(version, state, most)| Maker { state, most }.dna(version))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_model_survives_bytes_streams_and_json(dna in any_dna()) {
        let bytes = dna.to_bytes().unwrap();
        prop_assert_eq!(dna.file_size(), bytes.len() as u64);
        let mut streamed = Vec::new();
        dna.write_to(&mut streamed).unwrap();
        prop_assert!(streamed == bytes);
        let back = Dna::from_bytes(&bytes).unwrap();
        prop_assert!(back.to_bytes().unwrap() == bytes);
        prop_assert_eq!(&back.layers, &dna.layers);
        let back = Dna::read_from(Cursor::new(&bytes), &ReadOptions::default()).unwrap();
        prop_assert!(back.to_bytes().unwrap() == bytes);
        let text = dna.to_json(JsonStyle::Exact).unwrap();
        let back = Dna::from_json(&text).unwrap();
        prop_assert!(back.to_bytes().unwrap() == bytes);
        let valid: Result<serde_json::Value, _> = serde_json::from_slice(&text);
        prop_assert!(valid.is_ok());
        let view = DnaView::open(&bytes).unwrap();
        let meshes: Vec<Mesh> = view.geometry().unwrap().meshes.iter().map(Mesh::from).collect();
        let seen = Dna { geometry: Geometry { meshes }, ..dna.clone() };
        prop_assert!(seen.to_bytes().unwrap() == bytes);
    }

    #[test]
    fn any_model_can_be_looked_at_and_cut(dna in any_dna(), lods in proptest::collection::vec(0u16..5, 0..4)) {
        let options = ValidateOptions::default();
        for target in [Target::Any, Target::Unreal, Target::Maya, Target::Library] {
            dna.validate(&options.with_target(target));
        }
        let read = Dna::from_bytes_with(&dna.to_bytes().unwrap(), &ReadOptions::default().with_checked_indices());
        let has_bad_index = dna.validate(&options).iter().any(|finding| finding.code == "INDEX_RANGE");
        prop_assert_eq!(read.is_err(), has_bad_index);
        prop_assert!(dna.diff(&dna, &DiffOptions::default()).is_empty());
        dna.diff(&support::small_rig(), &DiffOptions::default());
        dna.validate_against(&support::small_rig(), &AgainstOptions::default());
        for info in dna.controls() {
            dna.control_effects(info.index);
        }
        for mode in [LodMode::Correct, LodMode::Compat] {
            if let Ok((cut, report)) = dna.clone().select_lods(&LodSelection::List(lods.clone()), mode) {
                prop_assert!(cut.to_bytes().is_ok());
                prop_assert!(report.lods.is_sorted());
            }
        }
    }

    #[test]
    fn a_version_that_was_raised_and_lowered_is_what_it_was(dna in any_dna(), to in 1u16..=8) {
        let from = dna.version;
        prop_assume!(to >= from.version && from.version != 9);
        let mut there = dna.clone();
        let raised = there.set_version(FileVersion::new(to), LaterLayers::Drop);
        prop_assert!(raised.lost.is_empty());
        prop_assert!(there.to_bytes().is_ok());
        there.set_version(from, LaterLayers::Drop);
        prop_assert!(there.to_bytes().unwrap() == dna.to_bytes().unwrap());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400), version in 0u16..9) {
        let mut file = b"DNA\0\x02".to_vec();
        file.extend(version.to_be_bytes());
        file.extend(&bytes);
        for bytes in [&bytes, &file] {
            if let Ok(dna) = Dna::from_bytes(bytes) {
                prop_assert!(dna.to_bytes().is_ok());
            }
            let _ = Dna::from_json(bytes);
            let _ = DnaView::open(bytes).map(|view| view.geometry().map(|geometry| geometry.meshes.len()));
        }
    }
}
