use std::collections::HashMap;

use mhrig_geom::{JointHierarchy, JointId};
use nalgebra::{Rotation3, Vector3};

/// Local translations, as stored in `f32`, that bring the joints to world positions `world` while all rotations stay.
///
/// `local_rotations` and `world` have one entry per joint. `pinned` has one per joint or is empty: where it holds a
/// translation, exactly those bits are used (for joints that two skeletons share). Each joint makes up for what
/// rounding did to its parents, so errors do not add up along a chain.
///
/// # Panics
/// When a slice does not fit the hierarchy.
pub fn local_translations(
    hierarchy: &JointHierarchy,
    local_rotations: &[Rotation3<f64>],
    world: &[Vector3<f64>],
    pinned: &[Option<[f32; 3]>],
) -> Vec<[f32; 3]> {
    assert_eq!(local_rotations.len(), hierarchy.len(), "one rotation per joint");
    assert_eq!(world.len(), hierarchy.len(), "one position per joint");
    assert!(pinned.is_empty() || pinned.len() == hierarchy.len(), "one pin per joint or none");
    let mut rotations = vec![Rotation3::identity(); world.len()];
    let mut reached = vec![Vector3::zeros(); world.len()];
    let mut local = vec![[0.0f32; 3]; world.len()];
    for &joint in hierarchy.top_down() {
        let index = joint.index();
        let (origin, frame) = match hierarchy.parent(joint) {
            Some(parent) => (reached[parent.index()], rotations[parent.index()]),
            None => (Vector3::zeros(), Rotation3::identity()),
        };
        local[index] = pinned.get(index).copied().flatten().unwrap_or_else(|| {
            let translation: [f64; 3] = frame.inverse_transform_vector(&(world[index] - origin)).into();
            translation.map(|c| c as f32)
        });
        reached[index] = origin + frame * Vector3::from(local[index].map(f64::from));
        rotations[index] = frame * local_rotations[index];
    }
    local
}

/// World positions of the joints for stored local translations, cm.
///
/// # Panics
/// When a slice does not fit the hierarchy.
pub fn world_positions(
    hierarchy: &JointHierarchy,
    local_rotations: &[Rotation3<f64>],
    local: &[[f32; 3]],
) -> Vec<Vector3<f64>> {
    assert_eq!(local_rotations.len(), hierarchy.len(), "one rotation per joint");
    assert_eq!(local.len(), hierarchy.len(), "one translation per joint");
    let mut rotations = vec![Rotation3::identity(); local.len()];
    let mut world = vec![Vector3::zeros(); local.len()];
    for &joint in hierarchy.top_down() {
        let index = joint.index();
        let (origin, frame) = match hierarchy.parent(joint) {
            Some(parent) => (world[parent.index()], rotations[parent.index()]),
            None => (Vector3::zeros(), Rotation3::identity()),
        };
        world[index] = origin + frame * Vector3::from(local[index].map(f64::from));
        rotations[index] = frame * local_rotations[index];
    }
    world
}

/// The joints of the same name in two skeletons, as pairs in the order of `first`.
pub fn shared_joints(first: &JointHierarchy, second: &JointHierarchy) -> Vec<(JointId, JointId)> {
    let mut by_name = HashMap::new();
    for (joint, name) in second.names().iter().enumerate() {
        by_name.entry(name.as_str()).or_insert(JointId(joint as u16));
    }
    let first = first.names().iter().enumerate();
    first.filter_map(|(joint, name)| Some((JointId(joint as u16), *by_name.get(name.as_str())?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chain(length: u16) -> JointHierarchy {
        let names = (0..length).map(|i| format!("j{i}")).collect();
        let parents = (0..length).map(|i| i.checked_sub(1).map(JointId)).collect();
        JointHierarchy::new(names, parents).unwrap()
    }

    proptest! {
        #[test]
        fn rounding_does_not_add_up_along_a_chain(
            angles in proptest::collection::vec((-3.0f64..3.0, -1.5f64..1.5, -3.0f64..3.0), 40),
            steps in proptest::collection::vec((-9.0f64..9.0, -9.0f64..9.0, -9.0f64..9.0), 40),
        ) {
            let hierarchy = chain(40);
            let rotations: Vec<_> = angles.iter().map(|&(x, y, z)| Rotation3::from_euler_angles(x, y, z)).collect();
            let mut at = Vector3::new(0.0, 120.0, 0.0);
            let world: Vec<_> = steps.iter().map(|&(x, y, z)| { at += Vector3::new(x, y, z); at }).collect();
            let local = local_translations(&hierarchy, &rotations, &world, &[]);
            let again = world_positions(&hierarchy, &rotations, &local);
            for (a, b) in world.iter().zip(&again) {
                // Half an ulp of the root's height, 8e-6; the steps are shorter.
                prop_assert!((a - b).norm() < 1e-5, "{}", (a - b).norm());
            }
        }
    }

    #[test]
    fn pinned_translations_keep_their_bits_and_the_next_joint_makes_up() {
        let hierarchy = chain(3);
        let rotations = [Rotation3::from_euler_angles(0.3, -0.2, 1.0); 3];
        let world = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]].map(Vector3::from);
        let pin = [0.1f32, 4.2, -0.7];
        let local = local_translations(&hierarchy, &rotations, &world, &[None, Some(pin), None]);
        assert_eq!(local[1].map(f32::to_bits), pin.map(f32::to_bits));
        let again = world_positions(&hierarchy, &rotations, &local);
        assert!((again[2] - world[2]).norm() < 2e-6);
    }

    #[test]
    fn shared_joints_are_found_by_name() {
        let named = |names: &[&str]| {
            let parents = vec![None; names.len()];
            JointHierarchy::new(names.iter().map(|n| (*n).to_owned()).collect(), parents).unwrap()
        };
        let pairs = shared_joints(&named(&["root", "spine", "neck"]), &named(&["neck", "jaw", "spine"]));
        assert_eq!(pairs, [(JointId(1), JointId(2)), (JointId(2), JointId(0))]);
    }
}
