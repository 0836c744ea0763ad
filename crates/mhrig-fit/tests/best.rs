//! The best strategies on the human benchmark pack, beside the seed's.
#![allow(clippy::unwrap_used)]

mod human_pack;

use std::time::Instant;

use human_pack::{Pack, Person, no_rotation, run, shared_constraints};
use mhrig_fit::{Character, FitOptions, FitTemplate, MeshRole, Placement, Statistics, Strategy};
use mhrig_report::{Cancel, Job, Silent};
use nalgebra::Rotation3;

/// Body, then head with the shared joints of the body.
fn fit_best(character: &Character<'_>, person: &Person, left_out: &[&str]) -> [Placement; 2] {
    let [body, head] = [character.parts()[0], character.parts()[1]];
    let targets = [person.targets(body, &[]), person.targets(head, left_out)];
    let targets = [&targets[0], &targets[1]];
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    let body_fit = character.fit_part(0, &targets, &[], &FitOptions::best(), job).unwrap();
    let shared = shared_constraints(body, &body_fit, head);
    let head_fit = character.fit_part(1, &targets, &shared, &FitOptions::best(), job).unwrap();
    [body_fit, head_fit]
}

fn fit_seed([body, head]: [&FitTemplate; 2], person: &Person) -> [Placement; 2] {
    let body_fit = run(body, &person.targets(body, &[]), &[], &FitOptions::seed());
    let shared = shared_constraints(body, &body_fit, head);
    let head_fit = run(head, &person.targets(head, &[]), &shared, &FitOptions::seed());
    [body_fit, head_fit]
}

/// Name and error of each of the 409 joints, shared ones once.
fn errors(parts: [&FitTemplate; 2], fits: &[Placement; 2], person: &Person) -> Vec<(String, f64, Strategy)> {
    let mut errors: Vec<(String, f64, Strategy)> = Vec::new();
    for (template, placement) in parts.into_iter().zip(fits) {
        for (name, joint) in template.hierarchy().names().iter().zip(&placement.joints) {
            if !errors.iter().any(|(known, ..)| known == name) {
                let error = (joint.position - person.truth[name]).norm();
                errors.push((name.clone(), error, joint.strategy()));
            }
        }
    }
    errors
}

/// People whose worst joint is further off than the seed's worst. A thigh that was shortened to a third of the leg
/// (dev03) and a belly that grew to the front alone (dev04) bend the space around knee and spine; the affine map that
/// is right for the surface there goes past the joint inside, and the mean shift of the skin happens to end nearer.
const ABOVE_THE_SEEDS_MAXIMUM: [&str; 2] = ["dev03_short_stylised", "dev04_heavy"];

fn is_hand(name: &str) -> bool {
    ["hand_", "thumb_", "index_", "middle_", "ring_", "pinky_"].iter().any(|start| name.starts_with(start))
}

#[test]
fn best_beats_the_seed_on_every_person_and_is_exact_for_linear_maps() {
    let Some(pack) = Pack::load_or_skip("best_beats_the_seed_on_every_person_and_is_exact_for_linear_maps")
    else {
        return;
    };
    let (head, body) = (pack.head(no_rotation), pack.body(no_rotation));
    let parts = [&body, &head];
    let character = Character::new(parts.to_vec());
    let (mut all, mut all_seed, mut hands) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    fit_best(&character, &pack.archetype(), &[]);
    println!("first fit {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    for person in pack.people() {
        let start = Instant::now();
        let fits = fit_best(&character, &person, &[]);
        let ms = start.elapsed().as_secs_f64() * 1e3;
        let best = errors(parts, &fits, &person);
        let seed = errors(parts, &fit_seed(parts, &person), &person);
        assert_eq!(best.len(), 409);
        let [b, s] = [&best, &seed].map(|errors| Statistics::of(errors.iter().map(|e| e.1)));
        println!(
            "{:<22} {ms:5.1} ms  best {:.4} {:.4} {:.4}   seed {:.4} {:.4} {:.4}",
            person.name, b.mean, b.p95, b.max, s.mean, s.p95, s.max
        );
        assert!(b.mean <= s.mean, "{}", person.name);
        if b.max > s.max {
            let mut worst: Vec<_> = best.iter().filter(|e| e.1 > s.max).collect();
            worst.sort_by(|a, b| b.1.total_cmp(&a.1));
            println!("    above the seed's maximum: {worst:?}");
            assert!(ABOVE_THE_SEEDS_MAXIMUM.contains(&person.name.as_str()), "{}", person.name);
        }
        hands.extend(best.iter().filter(|e| is_hand(&e.0)).map(|e| e.1));
        all.extend(best.iter().map(|e| e.1));
        all_seed.extend(seed.iter().map(|e| e.1));
    }
    let [best, seed, hands] = [all, all_seed, hands].map(Statistics::of);
    println!("best {best:?}\nseed {seed:?}\nhands {hands:?}");
    assert!(best.mean <= 0.175 && best.p95 <= 0.95, "{best:?}");
    assert!(hands.mean <= 0.06, "{hands:?}");

    for map in pack.linear_maps() {
        let errors = errors(parts, &fit_best(&character, &map, &[]), &map);
        let (worst, error, strategy) = errors.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        println!("{}: at most {error:.5} ({worst}, {strategy:?})", map.name);
        assert!(*error <= 0.01, "{worst} {error}");
    }
}

#[test]
fn warped_fills_beat_those_from_the_skin() {
    let Some(pack) = Pack::load_or_skip("warped_fills_beat_those_from_the_skin") else { return };
    let head = pack.head(no_rotation);
    let character = Character::new(vec![&head]);
    let evidence = head.mesh_evidence();
    let fillable: Vec<usize> =
        (0..evidence.len()).filter(|&mesh| evidence[mesh].role == MeshRole::Fillable).collect();
    let names: Vec<&str> = fillable.iter().map(|&mesh| evidence[mesh].mesh.as_str()).collect();
    for (&mesh, name) in fillable.iter().zip(&names) {
        let mut errors = Vec::new();
        for person in pack.people() {
            let fill = character.fill_by_warp(0, mesh, &person.targets(&head, &names)).unwrap();
            let truth = &person.meshes[*name];
            assert_eq!(fill.positions.len(), truth.len());
            errors.extend(
                fill.positions
                    .iter()
                    .zip(truth)
                    .map(|(a, b)| (0..3).map(|c| f64::from(a[c] - b[c]).powi(2)).sum::<f64>().sqrt()),
            );
        }
        let errors = Statistics::of(errors);
        println!("{name:<24} mean {:.4}  p95 {:.4}  max {:.4}", errors.mean, errors.p95, errors.max);
        let bound = match *name {
            "eyelashes_lod0_mesh" => 0.07,
            "saliva_lod0_mesh" => 0.055,
            _ => 0.03,
        };
        assert!(errors.mean <= bound, "{name}: {errors:?}");
    }
    assert!(character.fill_by_warp(0, fillable[0], &head.targets([]).unwrap()).is_none());
    assert!(character.fill_by_warp(1, 0, &head.targets([]).unwrap()).is_none());
}

#[test]
fn best_places_the_template_on_itself_whatever_its_rotations() {
    let Some(pack) = Pack::load_or_skip("best_places_the_template_on_itself_whatever_its_rotations") else {
        return;
    };
    let turned = |joint: usize| Rotation3::from_euler_angles(joint as f64, 0.4, -0.3 * joint as f64);
    let (head, body) = (pack.head(turned), pack.body(turned));
    let character = Character::new(vec![&body, &head]);
    let archetype = pack.archetype();
    for (template, placement) in [&body, &head].into_iter().zip(fit_best(&character, &archetype, &[])) {
        for (joint, rest) in placement.joints.iter().zip(template.rest_positions()) {
            // Rows put joints on vertices, which have five digits in the table of the joints.
            assert!((joint.position - rest).norm() < 1e-4, "{}", joint.rule.describe(template));
        }
    }
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let Some(pack) = Pack::load_or_skip("the_number_of_threads_makes_no_difference") else { return };
    let (head, body) = (pack.head(no_rotation), pack.body(no_rotation));
    let person = &pack.people()[2];
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit_best(&Character::new(vec![&body, &head]), person, &[]))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn missing_eyes_and_decorations_still_leave_evidence_for_every_joint() {
    let Some(pack) = Pack::load_or_skip("missing_eyes_and_decorations_still_leave_evidence_for_every_joint")
    else {
        return;
    };
    let (head, body) = (pack.head(no_rotation), pack.body(no_rotation));
    let parts = [&body, &head];
    let character = Character::new(parts.to_vec());
    let evidence = head.mesh_evidence();
    let with_role =
        |role| evidence.iter().filter(move |e| e.role == role).map(|e| e.mesh.as_str()).collect::<Vec<_>>();
    for person in pack.people() {
        let mean =
            |fits: &[Placement; 2]| Statistics::of(errors(parts, fits, &person).iter().map(|e| e.1)).mean;
        let all = fit_best(&character, &person, &[]);
        let bare = fit_best(&character, &person, &with_role(MeshRole::Fillable));
        let blind = fit_best(&character, &person, &with_role(MeshRole::Eye));
        // Decorative meshes are no evidence at all.
        assert_eq!(all, bare);
        println!("{}: all {:.4}, without eyes {:.4}", person.name, mean(&all), mean(&blind));
        assert!(mean(&blind) - mean(&all) < 0.005);
        assert!(
            blind
                .iter()
                .flat_map(|fit| &fit.joints)
                .all(|joint| joint.strategy() <= Strategy::Patch || joint.strategy() == Strategy::Anchor)
        );
    }
}
