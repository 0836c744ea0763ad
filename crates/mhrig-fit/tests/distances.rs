//! Distances between the parts of a face.
#![allow(clippy::unwrap_used)]

mod human_pack;

use human_pack::{Pack, Person, no_rotation};
use mhrig_fit::{FitTemplate, PartDistance, part_distances};
use mhrig_report::{Cancel, Finding, Job, Silent};

fn measure(head: &FitTemplate, person: &Person) -> (Vec<PartDistance>, Vec<Finding>) {
    let cancel = Cancel::default();
    let job = Job { progress: &Silent, cancel: &cancel };
    let distances = part_distances(head, &person.targets(head, &[]), job).unwrap();
    let findings = distances.iter().filter_map(PartDistance::finding).collect();
    (distances, findings)
}

#[test]
fn people_whose_parts_were_made_for_each_other_stay_within_the_range() {
    let test = "people_whose_parts_were_made_for_each_other_stay_within_the_range";
    let Some(pack) = Pack::load_or_skip(test) else { return };
    let head = pack.head(no_rotation);
    let (at_rest, findings) = measure(&head, &pack.archetype());
    assert!(findings.is_empty() && at_rest.len() > 10);
    assert!(at_rest.iter().all(|d| d.largest_change_cm.abs() < 1e-6));
    let lids = at_rest.iter().find(|d| d.mesh == "head_lod0_mesh" && d.to == "eyeLeft_lod0_mesh").unwrap();
    assert!(lids.vertices > 20, "{lids:?}");
    for person in pack.people().iter().chain(&pack.linear_maps()) {
        let (distances, findings) = measure(&head, person);
        let greatest = |figure: &dyn Fn(&PartDistance) -> f64| {
            distances
                .iter()
                .max_by(|a, b| figure(a).total_cmp(&figure(b)))
                .map(|d| format!("{} to {} {:+.3}", d.mesh, d.to, figure(d)))
                .unwrap()
        };
        println!(
            "{:<22} largest {}, mean {}",
            person.name,
            greatest(&|d| d.largest_change_cm.abs()),
            greatest(&|d| d.mean_change_cm().abs())
        );
        assert!(findings.is_empty(), "{}: {findings:#?}", person.name);
    }
}

#[test]
fn parts_that_were_left_behind_or_scaled_apart_are_warned_about() {
    let Some(pack) = Pack::load_or_skip("parts_that_were_left_behind_or_scaled_apart_are_warned_about")
    else {
        return;
    };
    let head = pack.head(no_rotation);
    let spoilt = |mesh: &str, change: &dyn Fn([f32; 3]) -> [f32; 3]| {
        let mut person = pack.people().swap_remove(5);
        person.meshes.get_mut(mesh).unwrap().iter_mut().for_each(|p| *p = change(*p));
        let (_, findings) = measure(&head, &person);
        assert!(findings.iter().all(|finding| finding.code == "PART_DISTANCE"));
        findings.iter().map(|f| format!("{}: {}", f.place, f.message)).collect::<Vec<_>>().join("\n")
    };
    let lashes = spoilt("eyelashes_lod0_mesh", &|[x, y, z]| [x, y, z + 0.4]);
    assert!(lashes.contains("eyelashes_lod0_mesh: vertex "), "{lashes}");
    let teeth = spoilt("teeth_lod0_mesh", &|[x, y, z]| [x, y - 1.0, z]);
    assert!(teeth.contains("teeth_lod0_mesh"), "{teeth}");

    let center =
        head.rest_positions()[head.hierarchy().find("FACIAL_L_Eye").unwrap().index()].map(|c| c as f32);
    let grown = spoilt("eyeLeft_lod0_mesh", &|p| [0, 1, 2].map(|c| center[c] + (p[c] - center[c]) * 1.2));
    assert!(grown.contains("closer to"), "{grown}");
    assert!(!grown.contains("eyeRight"), "{grown}");
}
