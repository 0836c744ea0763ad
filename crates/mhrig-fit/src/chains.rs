use mhrig_geom::{JointHierarchy, JointId};
use nalgebra::Vector3;

/// Joints closer than this to their parent count as coinciding with it, cm.
const COINCIDENCE_CM: f64 = 0.01;

/// How far off the line a chain joint may lie: this, and [`LINE_TOLERANCE_RELATIVE`] of the line's length, cm.
const LINE_TOLERANCE_CM: f64 = 0.01;

/// See [`LINE_TOLERANCE_CM`].
const LINE_TOLERANCE_RELATIVE: f64 = 0.01;

/// A joint's place along the line between two others: `from + weight · (to − from) + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chain {
    pub(crate) from: JointId,
    /// The same as `from` for a joint that coincides with its parent.
    pub(crate) to: JointId,
    pub(crate) weight: f64,
    pub(crate) offset: Vector3<f64>,
}

impl Chain {
    /// The joint's position, given those of the ends.
    pub(crate) fn position(&self, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
        from + (to - from) * self.weight + self.offset
    }
}

/// Solves chain weights from the rest positions: a joint without a rule of its own that coincides with its parent
/// (weight 0), or lies within the line from its parent to one of its children, siblings or siblings' children, the
/// nearest such line counting.
pub(crate) fn find_chains(
    hierarchy: &JointHierarchy,
    rest: &[Vector3<f64>],
    children: &[Vec<JointId>],
    has_own_rule: &[bool],
) -> Vec<Option<Chain>> {
    let find = |index: usize| {
        let joint = JointId(index as u16);
        let parent = hierarchy.parent(joint).filter(|_| !has_own_rule[index])?;
        if (rest[index] - rest[parent.index()]).norm() < COINCIDENCE_CM {
            return Some(Chain { from: parent, to: parent, weight: 0.0, offset: Vector3::zeros() });
        }
        let siblings = || children[parent.index()].iter().copied().filter(move |&other| other != joint);
        let nephews = siblings().flat_map(|sibling| children[sibling.index()].iter().copied());
        let ends = children[index].iter().copied().chain(siblings()).chain(nephews);
        let mut best: Option<(f64, Chain)> = None;
        for to in ends {
            let Some(chain) = resolve_chain(joint, parent, to, rest) else { continue };
            let length = (rest[to.index()] - rest[parent.index()]).norm();
            let distance = chain.offset.norm();
            let is_on_line = chain.weight > 0.0
                && chain.weight < 1.0
                && distance <= LINE_TOLERANCE_CM + LINE_TOLERANCE_RELATIVE * length;
            if is_on_line && best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, Chain { offset: Vector3::zeros(), ..chain }));
            }
        }
        best.map(|(_, chain)| chain)
    };
    (0..hierarchy.len()).map(find).collect()
}

/// The chain of `joint` between `from` and `to` with its rest offset from the line; `None` when the ends coincide
/// or one of them is the joint.
pub(crate) fn resolve_chain(
    joint: JointId,
    from: JointId,
    to: JointId,
    rest: &[Vector3<f64>],
) -> Option<Chain> {
    let along = rest[to.index()] - rest[from.index()];
    let from_start = rest[joint.index()] - rest[from.index()];
    let length_squared = along.norm_squared();
    if joint == from || joint == to || length_squared < COINCIDENCE_CM * COINCIDENCE_CM {
        return None;
    }
    let weight = from_start.dot(&along) / length_squared;
    Some(Chain { from, to, weight, offset: from_start - along * weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twist_joints_and_coinciding_joints_are_chains_and_bent_ones_are_not() {
        let names = ["upper", "twist", "root", "lower", "bent"].map(String::from).to_vec();
        let parents =
            [None, Some(0), Some(0), Some(0), Some(0)].map(|p: Option<u16>| p.map(JointId)).to_vec();
        let hierarchy = JointHierarchy::new(names, parents).unwrap();
        let rest = [[0.0, 0.0, 0.0], [2.5, 0.0, 0.0], [0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [5.0, 0.2, 0.0]]
            .map(Vector3::from);
        let mut children = vec![Vec::new(); 5];
        children[0] = (1..5).map(JointId).collect();
        let chains = find_chains(&hierarchy, &rest, &children, &[false; 5]);
        let twist = chains[1].unwrap();
        assert_eq!((twist.from, twist.to), (JointId(0), JointId(3)));
        assert!((twist.weight - 0.25).abs() < 1e-12);
        assert_eq!(chains[2].unwrap().weight, 0.0);
        assert_eq!([chains[0], chains[3], chains[4]], [None; 3]);
        assert_eq!(find_chains(&hierarchy, &rest, &children, &[true; 5]), [None; 5]);
    }

    #[test]
    fn an_explicit_chain_keeps_its_offset_from_the_line() {
        let rest = [[0.0, 0.0, 0.0], [4.0, 3.0, 0.0], [10.0, 0.0, 0.0]].map(Vector3::from);
        let chain = resolve_chain(JointId(1), JointId(0), JointId(2), &rest).unwrap();
        let moved = chain.position(&Vector3::new(0.0, 1.0, 0.0), &Vector3::new(20.0, 1.0, 0.0));
        assert!((moved - Vector3::new(8.0, 4.0, 0.0)).norm() < 1e-12);
        assert_eq!(resolve_chain(JointId(1), JointId(1), JointId(2), &rest), None);
    }
}
