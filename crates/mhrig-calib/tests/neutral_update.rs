//! The neutral update: what is given arrives, what is not stays, and nothing is lost unseen.

mod common;

use common::{add_target, dna, grid, joined, mapped_lod0, update, with_job};
use mhrig_calib::{
    CalibError, CollapseLimits, Inventory, MeshPositions, MeshSource, NeutralInput, NeutralOptions,
    NeutralPlan, PruneThresholds, SeamPlan, regenerate_lods_by_uv,
};
use mhrig_dna::{Dna, Mesh, Vectors3};
use mhrig_testkit::{assert_same_bytes, shared_or_skip};

const PRUNING_OFF: NeutralOptions = NeutralOptions {
    regenerate_lods: true,
    recompute_normals: true,
    expressions: mhrig_calib::expressions::ExpressionMode::Recalculate,
    matching: None,
    weights: mhrig_calib::WeightPolicy::Template,
    prune: None,
    collapse: CollapseLimits { energy: 0.5 },
};

/// A curved patch, finely and coarsely sampled; the coarse one lies off the fine one's surface.
fn patch(columns: usize, rows: usize) -> Mesh {
    let place = |u: f64, v: f64| [u * 8.0, v * 6.0, (u * 3.0).sin() * 2.0 + v * v];
    grid(columns, rows, place, |u, v| [u, v])
}

/// Two eyes, mirrored about x = 0, whose halves share all texture coordinates.
fn eyes(columns: usize, rows: usize) -> Mesh {
    let eye = |side: f64| {
        let place = move |u: f64, v: f64| [side * (3.0 + u), v, (u * 3.0).sin()];
        grid(columns, rows, place, |u, v| [u, v])
    };
    joined(eye(1.0), &eye(-1.0))
}

fn model() -> Dna {
    let mut head = patch(12, 10);
    add_target(&mut head, [0.0, 1.0, 0.0]);
    dna(vec![
        vec![("head_lod0_mesh", head), ("eyes_lod0_mesh", eyes(6, 6)), ("edge_lod0_mesh", patch(3, 2))],
        vec![
            ("head_lod1_mesh", patch(5, 4)),
            ("eyes_lod1_mesh", eyes(3, 2)),
            ("edge_lod1_mesh", patch(3, 2)),
        ],
    ])
}

#[test]
fn the_archetype_gives_back_its_own_bytes() {
    let Some(folder) = shared_or_skip("the_archetype_gives_back_its_own_bytes", "vectors/dnacalib/inputs")
    else {
        return;
    };
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let template = Dna::from_bytes(&bytes).unwrap();
        let positions = mapped_lod0(&template, |p| p);
        let meshes: Vec<MeshPositions<'_>> =
            positions.iter().map(|(mesh, p)| MeshPositions { mesh: *mesh, positions_cm: p }).collect();
        let joints: Vec<[f64; 3]> =
            template.definition.neutral_joint_translations.iter().map(|t| t.map(f64::from)).collect();
        let input =
            NeutralInput { joint_translations_cm: Some(&joints), meshes: &meshes, ..NeutralInput::default() };
        let mut result = template.clone();
        let report = with_job(|job| {
            NeutralPlan::from_template(&template, job)?.apply(&mut result, &input, &PRUNING_OFF, job)
        });
        let report = report.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_same_bytes(&path.display().to_string(), &bytes, &result.to_bytes().unwrap());
        assert_eq!(report.retention.joint_values.share, 1.0);
        compared += 1;
    }
    assert!(compared > 20);
}

#[test]
fn given_positions_arrive_bit_by_bit_and_the_rest_is_told() {
    let template = model();
    let positions = mapped_lod0(&template, |[x, y, z]| [x * 1.1 + 0.3, y * 0.7, z + x]);
    let (result, report) = update(&template, &positions[..2], &NeutralOptions::default());
    for (mesh, expected) in &positions[..2] {
        assert_eq!(&result.geometry.meshes[*mesh].positions.to_vectors(), expected);
    }
    let sources: Vec<MeshSource> = report.meshes.iter().map(|mesh| mesh.source).collect();
    use MeshSource::{Given, Kept, Regenerated};
    assert_eq!(sources, [Given, Given, Kept, Regenerated, Regenerated, Regenerated]);
    assert_eq!(report.meshes[2].moved.moved, 0);
    assert_eq!(report.meshes[5].moved.moved, 0);
    assert!(report.meshes[3].moved.moved > 0);
    assert_eq!(result.definition, template.definition);
    assert_eq!(result.behavior, template.behavior);
}

#[test]
fn identical_topology_gives_identical_positions() {
    let template = model();
    let positions = mapped_lod0(&template, |[x, y, z]| [x + y * y, y - z, z * 2.0]);
    let (result, report) = update(&template, &positions, &PRUNING_OFF);
    assert_eq!(result.geometry.meshes[5].positions, result.geometry.meshes[2].positions);
    assert!(report.lods[2].same_topology && !report.lods[0].same_topology);
}

#[test]
fn lower_lods_follow_a_turned_and_scaled_person_exactly() {
    let template = model();
    let turn = |[x, y, z]: [f64; 3]| [-1.5 * z + 4.0, 1.5 * y - 1.0, 1.5 * x];
    let (result, _) = update(&template, &mapped_lod0(&template, turn), &PRUNING_OFF);
    for mesh in 3..6 {
        let pairs = template.geometry.meshes[mesh].positions.iter();
        for (before, after) in pairs.zip(result.geometry.meshes[mesh].positions.iter()) {
            let expected = turn(before.map(f64::from));
            for axis in 0..3 {
                assert!((f64::from(after[axis]) - expected[axis]).abs() < 1e-4, "mesh {mesh}");
            }
        }
    }
    // Normals turn along: the template's flat +z becomes what the turned faces say, never zero or NaN.
    for mesh in &result.geometry.meshes {
        for normal in mesh.normals.iter() {
            let length: f32 = normal.iter().map(|c| c * c).sum::<f32>().sqrt();
            assert!((length - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn mirrored_halves_that_share_uvs_follow_their_own_side() {
    let template = model();
    // The left eye goes up, the right one down.
    let apart = |[x, y, z]: [f64; 3]| [x, if x > 0.0 { y + 10.0 } else { y - 10.0 }, z];
    let (result, _) = update(&template, &mapped_lod0(&template, apart), &PRUNING_OFF);
    let pairs = template.geometry.meshes[4].positions.iter();
    for (before, after) in pairs.zip(result.geometry.meshes[4].positions.iter()) {
        let expected = apart(before.map(f64::from));
        assert!((f64::from(after[1]) - expected[1]).abs() < 1e-4, "{before:?} went to {after:?}");
    }
}

type Spoil = fn(&mut Dna);

/// What a layout can be: meshes 1 and 4 are the eyes of LOD 0 and of LOD 1.
const HOSTILE: [(&str, Spoil); 6] = [
    ("no texture coordinates", |dna| {
        for mesh in &mut dna.geometry.meshes {
            mesh.layouts.texture_coordinates.clear();
        }
    }),
    ("lower LOD far outside the layout", |dna| {
        dna.geometry.meshes[4].texture_coordinates.us.iter_mut().for_each(|u| *u += 7.0);
    }),
    ("all at one point", |dna| {
        for mesh in [1, 4] {
            dna.geometry.meshes[mesh].texture_coordinates.us.fill(0.5);
            dna.geometry.meshes[mesh].texture_coordinates.vs.fill(0.5);
        }
    }),
    ("coordinates that are no number", |dna| {
        dna.geometry.meshes[1].texture_coordinates.us[3] = f32::NAN;
        dna.geometry.meshes[4].texture_coordinates.vs.fill(f32::NAN);
    }),
    ("the lower LOD uses the other half's coordinates", |dna| {
        let half = dna.geometry.meshes[1].positions.len() / 2;
        dna.geometry.meshes[1].texture_coordinates.us[half..].iter_mut().for_each(|u| *u += 1.0);
        let half = dna.geometry.meshes[4].positions.len() / 2;
        dna.geometry.meshes[4].texture_coordinates.us[..half].iter_mut().for_each(|u| *u += 1.0);
    }),
    ("triangles without area", |dna| {
        let faces = dna.geometry.meshes[1].faces.clone();
        dna.geometry.meshes[1].faces.extend(faces.iter().map(|face| vec![face[0], face[0], face[1]]));
        dna.geometry.meshes[1].faces.push(vec![0]);
    }),
];

/// The left eye goes up, the right one down.
fn eyes_apart([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, if x > 0.0 { y + 10.0 } else { y - 10.0 }, z]
}

#[test]
fn hostile_texture_coordinates_never_give_nan_or_the_other_eye() {
    for (name, spoil) in HOSTILE {
        let mut template = model();
        spoil(&mut template);
        let (result, _) = update(&template, &mapped_lod0(&template, eyes_apart), &PRUNING_OFF);
        let pairs = template.geometry.meshes[4].positions.iter();
        for (before, after) in pairs.zip(result.geometry.meshes[4].positions.iter()) {
            assert!(after.iter().all(|c| c.is_finite()), "{name}");
            let expected = eyes_apart(before.map(f64::from));
            assert!((f64::from(after[1]) - expected[1]).abs() < 1.5, "{name}: {before:?} went to {after:?}");
        }
    }
}

#[test]
fn hostile_texture_coordinates_without_a_template_never_give_nan_or_the_other_eye() {
    for (name, spoil) in HOSTILE {
        let mut file = model();
        spoil(&mut file);
        let before = file.geometry.meshes[4].positions.clone();
        for (mesh, positions) in mapped_lod0(&file, eyes_apart) {
            file.geometry.meshes[mesh].positions = Vectors3::from_vectors(&positions);
        }
        with_job(|job| regenerate_lods_by_uv(&mut file, job)).unwrap();
        let eyes = &file.geometry.meshes[4].positions;
        for (before, after) in before.iter().zip(eyes.iter()) {
            assert!(after.iter().all(|c| c.is_finite()), "{name}");
            // What the layout says nothing of stays; what it does say is on the eye of this side.
            let height = f64::from(after[1]) - eyes_apart(before.map(f64::from))[1];
            let stays = before == after;
            let side = before[0].signum() == after[0].signum() && height.abs() < 1.5;
            assert!(stays || side, "{name}: {before:?} went to {after:?}");
        }
        if name == "triangles without area" {
            assert!(before.iter().zip(eyes.iter()).all(|(before, after)| before != after), "{name}");
        }
    }
}

#[test]
fn a_lower_mesh_without_a_source_is_kept_and_reported() {
    let mut template = model();
    template.definition.mesh_names[3] = "hat_lod1_mesh".into();
    let (result, report) = update(&template, &mapped_lod0(&template, |p| p.map(|c| c * 2.0)), &PRUNING_OFF);
    assert_eq!(result.geometry.meshes[3].positions, template.geometry.meshes[3].positions);
    assert_eq!(report.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["LOD_SOURCE"]);
}

#[test]
fn the_same_update_gives_the_same_bytes_on_one_thread_and_on_three() {
    let template = model();
    let positions = mapped_lod0(&template, |[x, y, z]| [x * 1.3 + y, y * 0.9 - z * 0.2, z + x * x * 0.1]);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| update(&template, &positions, &NeutralOptions::default())).0
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn joints_get_local_translations_and_keep_their_rotations() {
    let template = model();
    let mut result = template.clone();
    let input = NeutralInput {
        joint_translations_cm: Some(&[[1.0, 2.0, 1.0 / 3.0]]),
        meshes: &[],
        ..NeutralInput::default()
    };
    with_job(|job| NeutralPlan::from_template(&template, job)?.apply(&mut result, &input, &PRUNING_OFF, job))
        .unwrap();
    assert_eq!(result.definition.neutral_joint_translations.to_vectors(), [[1.0, 2.0, 1.0f32 / 3.0]]);
    assert_eq!(result.definition.neutral_joint_rotations, template.definition.neutral_joint_rotations);
}

#[test]
fn a_file_in_metres_takes_and_gives_centimetres() {
    let mut template = model();
    template.descriptor.translation_unit = mhrig_dna::translation_unit::M;
    let in_cm = mapped_lod0(&template, |p| p.map(|c| c * 100.0));
    let (result, report) = update(&template, &in_cm, &PRUNING_OFF);
    assert!(report.meshes[0].moved.largest_cm < 1e-3);
    assert_eq!(result.geometry.meshes[0].positions.xs.len(), template.geometry.meshes[0].positions.xs.len());
}

#[test]
fn wrong_counts_and_numbers_are_refused() {
    let template = model();
    let apply = |input: NeutralInput<'_>| {
        let mut result = template.clone();
        with_job(|job| {
            NeutralPlan::from_template(&template, job)?.apply(&mut result, &input, &PRUNING_OFF, job)
        })
        .unwrap_err()
    };
    let mut positions = template.geometry.meshes[0].positions.to_vectors();
    positions[7][1] = f32::INFINITY;
    let joints =
        |joints| NeutralInput { joint_translations_cm: Some(joints), meshes: &[], ..NeutralInput::default() };
    let given = |mesh, positions_cm| {
        let meshes = [MeshPositions { mesh, positions_cm }];
        apply(NeutralInput { joint_translations_cm: None, meshes: &meshes, ..NeutralInput::default() })
    };
    assert!(matches!(given(0, &positions), CalibError::NotFinite { at: 7, .. }));
    assert!(matches!(given(0, &positions[..5]), CalibError::Count { expected: 143, found: 5, .. }));
    assert!(matches!(given(9, &positions), CalibError::Index { found: 9, limit: 6, .. }));
    assert!(matches!(apply(joints(&[[0.0; 3]; 2])), CalibError::Count { expected: 1, found: 2, .. }));
    assert!(matches!(apply(joints(&[[f64::NAN; 3]])), CalibError::NotFinite { at: 0, .. }));

    let mut broken = template.clone();
    broken.geometry.meshes[0].faces[3][1] = 5000;
    let error = with_job(|job| NeutralPlan::from_template(&broken, job)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "geom.meshes[0] (head_lod0_mesh).faces[3].layoutIndices[1]: 5000 is not below 143"
    );

    let plan = with_job(|job| NeutralPlan::from_template(&template, job)).unwrap();
    let mut other = template.clone();
    other.geometry.meshes.swap(3, 4);
    let error =
        with_job(|job| plan.apply(&mut other, &NeutralInput::default(), &PRUNING_OFF, job)).unwrap_err();
    assert!(matches!(error, CalibError::OtherTemplate { .. }));
}

#[test]
fn a_raised_flag_stops_the_update() {
    let template = model();
    let plan = with_job(|job| NeutralPlan::from_template(&template, job)).unwrap();
    let cancel = mhrig_report::Cancel::default();
    cancel.cancel();
    let job = mhrig_report::Job { progress: &mhrig_report::Silent, cancel: &cancel };
    let positions = mapped_lod0(&template, |p| p);
    let meshes = [MeshPositions { mesh: 0, positions_cm: &positions[0].1 }];
    let input = NeutralInput { joint_translations_cm: None, meshes: &meshes, ..NeutralInput::default() };
    let result = plan.apply(&mut template.clone(), &input, &PRUNING_OFF, &job);
    assert!(matches!(result, Err(CalibError::Cancelled(_))));
}

#[test]
fn a_layer_that_collapses_stops_the_write_and_pruned_dust_does_not() {
    let mut template = model();
    let before = Inventory::from_dna(&template);
    let limits = CollapseLimits::default();
    let pruned = PruneThresholds::default();

    let mut dust = template.clone();
    add_target(&mut dust.geometry.meshes[1], [0.0, 0.0015, 0.0]);
    let with_dust = Inventory::from_dna(&dust);
    mhrig_calib::prune(&mut dust, &pruned).unwrap();
    let after = Inventory::from_dna(&dust);
    assert!(with_dust.compare(&after, Some(&pruned), limits).is_ok());
    assert!(matches!(with_dust.compare(&after, None, limits), Err(CalibError::Collapsed { .. })));

    template.geometry.meshes[0].blend_shape_targets[0].deltas.ys.fill(0.0);
    let error = before.compare(&Inventory::from_dna(&template), Some(&pruned), limits).unwrap_err();
    assert!(error.to_string().starts_with("blend shape deltas collapsed: 0 of 143"), "{error}");

    let mut template = model();
    template.behavior.joints.joint_groups[0].values[0] = 0.0;
    assert!(before.compare(&Inventory::from_dna(&template), None, limits).is_err());

    let mut template = model();
    template.geometry.meshes[2].faces.pop();
    let error = before.compare(&Inventory::from_dna(&template), None, limits).unwrap_err();
    assert_eq!(error.to_string(), "faces of edge_lod0_mesh: 5 after the edit, 6 before");

    let mut template = model();
    template.geometry.meshes[2].positions.xs[0] = f32::NAN;
    assert!(before.compare(&Inventory::from_dna(&template), None, limits).is_err());
}

/// Head and body patches that meet at y = 0, two LODs of the head, one of the body.
fn neck() -> (Dna, Dna) {
    let head = |columns, rows| grid(columns, rows, |u, v| [u * 4.0, v * 3.0, u * u], |u, v| [u, v]);
    let body = grid(4, 3, |u, v| [u * 4.0, v * -3.0, u * u], |u, v| [u, v]);
    let head = dna(vec![
        vec![("head_lod0_mesh", head(4, 3))],
        vec![("head_lod1_mesh", head(2, 2))],
        vec![("head_lod2_mesh", head(1, 1))],
    ]);
    (head, dna(vec![vec![("body_lod0_mesh", body.clone())], vec![("body_lod1_mesh", body)]]))
}

#[test]
fn the_seam_gets_one_position_and_one_normal_lod_by_lod() {
    let (head, body) = neck();
    let plan = SeamPlan::from_templates(&head, &body, 1e-3).unwrap();
    assert_eq!(plan.pair_counts().collect::<Vec<_>>(), [5, 3, 2]);

    let mut untouched = (head.clone(), body.clone());
    plan.apply(&mut untouched.0, &mut untouched.1, 0.1).unwrap();
    assert_eq!(untouched, (head.clone(), body.clone()));

    let bend = |[x, y, z]: [f64; 3]| [x, y, z + (x * 1.7).sin() * 0.4 + 0.1 * y * x];
    let (mut head, _) = update(&head, &mapped_lod0(&head, bend), &PRUNING_OFF);
    let off = |p: [f64; 3]| bend(p).map(|c| c + 0.01);
    let (mut body, _) = update(&body, &mapped_lod0(&body, off), &PRUNING_OFF);
    let (reports, findings) = plan.apply(&mut head, &mut body, 0.3).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(
        reports.iter().map(|r| (r.head_lod, r.body_lod)).collect::<Vec<_>>(),
        [(0, 0), (1, 0), (2, 1)]
    );
    for report in &reports {
        assert!(report.gap_before_cm > 0.01 && report.gap_after_cm == 0.0, "{report:?}");
    }
    for (mesh, step) in [(0usize, 1usize), (1, 2)] {
        let columns = 4 / step;
        for column in 0..=columns {
            let (of_head, of_body) = (&head.geometry.meshes[mesh], &body.geometry.meshes[0]);
            assert_eq!(of_head.positions.get(column), of_body.positions.get(column * step));
            assert_eq!(of_head.normals.get(column), of_body.normals.get(column * step));
        }
    }
}

#[test]
fn both_sides_of_the_seam_get_the_bodys_weights_on_joints_of_both() {
    let (mut head, mut body) = neck();
    let plan = SeamPlan::from_templates(&head, &body, 1e-3).unwrap();
    head.definition.joint_names = ["neck", "FACIAL"].map(Into::into).to_vec();
    head.definition.joint_hierarchy = vec![0, 0];
    body.definition.joint_names = ["spine", "neck", "clavicle", "spare"].map(Into::into).to_vec();
    body.definition.joint_hierarchy = vec![0, 0, 1, 2];
    let skin = |pairs: &[(u16, f32)]| mhrig_dna::VertexSkinWeights {
        joint_indices: pairs.iter().map(|pair| pair.0).collect(),
        weights: pairs.iter().map(|pair| pair.1).collect(),
    };
    for mesh in &mut head.geometry.meshes {
        mesh.maximum_influence_per_vertex = 4;
        mesh.skin_weights = vec![skin(&[(0, 0.25), (1, 0.75)]); mesh.positions.len()];
    }
    for mesh in &mut body.geometry.meshes {
        mesh.maximum_influence_per_vertex = 4;
        mesh.skin_weights = vec![skin(&[(1, 0.5), (2, 0.25), (3, 0.25)]); mesh.positions.len()];
    }
    let changed = plan.share_weights(&mut head, &mut body).unwrap();
    assert!(changed > 0);
    for lod in plan.lods() {
        for [(head_mesh, head_vertex), (body_mesh, body_vertex)] in lod.pairs() {
            assert_eq!(head.geometry.meshes[head_mesh].skin_weights[head_vertex], skin(&[(0, 1.0)]));
            assert_eq!(body.geometry.meshes[body_mesh].skin_weights[body_vertex], skin(&[(1, 1.0)]));
        }
    }
    assert_eq!(
        plan.share_weights(&mut head, &mut body).unwrap(),
        0,
        "the second time there is nothing to do"
    );
}

#[test]
fn parts_that_do_not_meet_are_left_and_reported() {
    let (head, body) = neck();
    let plan = SeamPlan::from_templates(&head, &body, 1e-3).unwrap();
    let far = |[x, y, z]: [f64; 3]| [x, y + 5.0, z];
    let (mut head, _) = update(&head, &mapped_lod0(&head, far), &PRUNING_OFF);
    let before = head.clone();
    let mut body = body;
    let (_, findings) = plan.apply(&mut head, &mut body, 0.1).unwrap();
    assert_eq!(head, before);
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["SEAM_OPEN"; 3]);
}

#[test]
fn reports_serialize_with_their_numbers() {
    let template = model();
    let (_, report) = update(&template, &mapped_lod0(&template, |p| p), &NeutralOptions::default());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["meshes"][0]["source"], "given");
    assert_eq!(json["retention"]["blend_shape_deltas"]["share"], 1.0);
    assert_eq!(json["pruned"]["blend_shape_deltas"]["before"], 143);
    let _: Vectors3 = template.geometry.meshes[0].positions.clone();
}
