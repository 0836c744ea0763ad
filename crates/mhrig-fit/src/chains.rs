use mhrig_geom::{JointHierarchy, JointId};
use nalgebra::Vector3;

/// Joints closer than this to their parent count as coinciding with it, cm.
const COINCIDENCE_CM: f64 = 0.01;

/// How far off the line a chain joint may lie: this, and [`LINE_TOLERANCE_RELATIVE`] of the line's length, cm.
const LINE_TOLERANCE_CM: f64 = 0.01;

/// See [`LINE_TOLERANCE_CM`].
const LINE_TOLERANCE_RELATIVE: f64 = 0.01;

/// By which share of its length a line has changed when the offset of a joint near it is gone.
const FADE_RELATIVE: f64 = 0.05;

/// A joint constructed on a line is off it by rounding only: this, and [`EXACT_RELATIVE`] of its length, cm.
const EXACT_CM: f64 = 0.005;

/// See [`EXACT_CM`].
const EXACT_RELATIVE: f64 = 0.0005;

/// A joint's place along the line between two others: `from + weight · (to − from) + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chain {
    pub(crate) from: JointId,
    /// The same as `from` for a joint that coincides with its parent.
    pub(crate) to: JointId,
    pub(crate) weight: f64,
    /// From the line to where the rule puts the joint.
    pub(crate) offset: Vector3<f64>,
    /// How far off the line the joint is at rest, cm.
    pub(crate) distance_cm: f64,
    /// Length of the line at rest, cm.
    pub(crate) length_cm: f64,
    /// The line at rest, where the offset fades as the line changes; `None` where it stays.
    pub(crate) fades_with: Option<Vector3<f64>>,
}

impl Chain {
    /// The chain of a joint that coincides with another.
    pub(crate) fn coincidence(with: JointId) -> Self {
        let offset = Vector3::zeros();
        Self { from: with, to: with, weight: 0.0, offset, distance_cm: 0.0, length_cm: 0.0, fades_with: None }
    }

    /// The same with an offset that fades as the line changes.
    fn fading(self, rest: &[Vector3<f64>]) -> Self {
        Self { fades_with: Some(rest[self.to.index()] - rest[self.from.index()]), ..self }
    }

    /// Whether the joint is on the line so exactly that it must be a construction.
    pub(crate) fn is_exact(&self) -> bool {
        self.distance_cm <= EXACT_CM + EXACT_RELATIVE * self.length_cm
    }

    /// The joint's position, given those of the ends.
    pub(crate) fn position(&self, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
        let along = to - from;
        from + along * self.weight + self.faded_offset(&along)
    }

    /// A joint that is merely near a line belongs on it, yet the template has to give back its own joints: so its
    /// offset is whole while the line is as at rest, and gone once that changed by [`FADE_RELATIVE`].
    fn faded_offset(&self, along: &Vector3<f64>) -> Vector3<f64> {
        let Some(rest) = &self.fades_with else { return self.offset };
        let change = (along - rest).norm() / (FADE_RELATIVE * self.length_cm);
        self.offset * (1.0 - change).max(0.0)
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
            return Some(Chain::coincidence(parent));
        }
        let siblings = || children[parent.index()].iter().copied().filter(move |&other| other != joint);
        let nephews = siblings().flat_map(|sibling| children[sibling.index()].iter().copied());
        let ends = children[index].iter().copied().chain(siblings()).chain(nephews);
        let mut best: Option<(f64, Chain)> = None;
        for to in ends {
            let Some(chain) = resolve_chain(joint, parent, to, rest) else { continue };
            let distance = chain.distance_cm;
            // An end that coincides with the joint says nothing of its place, and would wait for it in turn.
            let is_inside = chain.weight > 0.0
                && chain.weight < 1.0
                && (rest[to.index()] - rest[index]).norm() >= COINCIDENCE_CM;
            let is_on_line =
                is_inside && distance <= LINE_TOLERANCE_CM + LINE_TOLERANCE_RELATIVE * chain.length_cm;
            if is_on_line && best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, chain.fading(rest)));
            }
        }
        best.map(|(_, chain)| chain)
    };
    (0..hierarchy.len()).map(find).collect()
}

/// The chains that are constructions, for rules that have something better than a line that is merely near: exact
/// ones of `chains`, and joints that coincide with a sibling. Of such siblings one that `is_known` (has a rule of its
/// own) leads, else the first that is no chain itself.
pub(crate) fn exact_chains(
    chains: &[Option<Chain>],
    rest: &[Vector3<f64>],
    children: &[Vec<JointId>],
    is_known: &[bool],
) -> Vec<Option<Chain>> {
    let mut exact: Vec<Option<Chain>> = chains.iter().map(|chain| chain.filter(Chain::is_exact)).collect();
    for siblings in children {
        for (at, &joint) in siblings.iter().enumerate() {
            let index = joint.index();
            if is_known[index] || exact[index].is_some() {
                continue;
            }
            let coincides = |other: &&JointId| {
                **other != joint && (rest[other.index()] - rest[index]).norm() < COINCIDENCE_CM
            };
            let known = siblings.iter().filter(coincides).find(|other| is_known[other.index()]);
            let leader = known.or_else(|| {
                siblings[..at].iter().filter(coincides).find(|other| exact[other.index()].is_none())
            });
            exact[index] = leader.map(|&leader| Chain::coincidence(leader));
        }
    }
    exact
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
    let offset = from_start - along * weight;
    let (distance_cm, length_cm) = (offset.norm(), length_squared.sqrt());
    Some(Chain { from, to, weight, offset, distance_cm, length_cm, fades_with: None })
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
    fn a_joint_is_no_chain_to_a_child_that_coincides_with_it_but_for_rounding() {
        let names = ["upper", "lower", "root"].map(String::from).to_vec();
        let parents = [None, Some(0), Some(1)].map(|p: Option<u16>| p.map(JointId)).to_vec();
        let hierarchy = JointHierarchy::new(names, parents).unwrap();
        let rest = [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0 + 1e-7, 0.0, 0.0]].map(Vector3::from);
        let children = [vec![JointId(1)], vec![JointId(2)], vec![]];
        let chains = find_chains(&hierarchy, &rest, &children, &[false; 3]);
        assert_eq!(chains[1], None);
        assert_eq!(chains[2].map(|chain| chain.from), Some(JointId(1)));
    }

    #[test]
    fn a_joint_near_a_line_is_at_rest_on_the_template_and_on_the_line_for_another_person() {
        let names = ["from", "near", "to"].map(String::from).to_vec();
        let parents = [None, Some(0), Some(0)].map(|p: Option<u16>| p.map(JointId)).to_vec();
        let hierarchy = JointHierarchy::new(names, parents).unwrap();
        let rest = [[0.0, 0.0, 0.0], [5.0, 0.08, 0.0], [10.0, 0.0, 0.0]].map(Vector3::from);
        let children = [vec![JointId(1), JointId(2)], vec![], vec![]];
        let chain = find_chains(&hierarchy, &rest, &children, &[false; 3])[1].unwrap();
        assert!((chain.position(&rest[0], &rest[2]) - rest[1]).norm() < 1e-12);
        let longer = chain.position(&rest[0], &Vector3::new(11.0, 0.0, 0.0));
        assert!((longer - Vector3::new(5.5, 0.0, 0.0)).norm() < 1e-12);
        let a_little = chain.position(&rest[0], &Vector3::new(10.001, 0.0, 0.0));
        assert!((a_little - rest[1]).norm() < 1e-3);
    }

    #[test]
    fn an_explicit_chain_keeps_its_offset_from_the_line() {
        let rest = [[0.0, 0.0, 0.0], [4.0, 3.0, 0.0], [10.0, 0.0, 0.0]].map(Vector3::from);
        let chain = resolve_chain(JointId(1), JointId(0), JointId(2), &rest).unwrap();
        let moved = chain.position(&Vector3::new(0.0, 1.0, 0.0), &Vector3::new(20.0, 1.0, 0.0));
        assert!((moved - Vector3::new(8.0, 4.0, 0.0)).norm() < 1e-12);
        assert_eq!(resolve_chain(JointId(1), JointId(1), JointId(2), &rest), None);
    }

    #[test]
    fn exact_chains_leave_out_what_is_merely_near_and_join_siblings_that_coincide() {
        let rest = [
            [0.0; 3],
            [5.0, 0.04, 0.0],
            [10.0, 0.0, 0.0],
            [3.0, 3.0, 0.0],
            [3.0, 3.0, 0.0],
            [3.0, 3.0, 0.001],
        ]
        .map(Vector3::from);
        let mut children = vec![Vec::new(); 6];
        children[0] = (1..6).map(JointId).collect();
        let mut chains = vec![None; 6];
        chains[1] = resolve_chain(JointId(1), JointId(0), JointId(2), &rest);
        let leaders = |known: &[usize]| {
            let is_known: Vec<bool> = (0..6).map(|joint| known.contains(&joint)).collect();
            let exact = exact_chains(&chains, &rest, &children, &is_known);
            exact.iter().map(|chain| chain.map(|chain| chain.from.0)).collect::<Vec<_>>()
        };
        assert_eq!(leaders(&[]), [None, None, None, None, Some(3), Some(3)]);
        assert_eq!(leaders(&[5]), [None, None, None, Some(5), Some(5), None]);
    }
}
