//! Where the joints of full-size skeletons are. Those that the demo human has stand where it has them; the others are put on
//! the skin between their namesakes, or beside the bone that they belong to.

use mhrig_archetype::MappingRow;
use nalgebra::Vector3;

use super::tables::{TableJoint, body_joints, head_joints};
use crate::posing::vector;
use crate::skeleton::{is_left, is_right};
use crate::{DemoHuman, JointSet, SynthError};

/// Where a joint is, as a rule that gives its place in any person.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// A joint of the demo human.
    Known(usize),
    /// A vertex of the head mesh.
    OnSkin { vertex: u32 },
    /// Off a vertex of the head mesh, cm.
    BelowSkin { vertex: u32, offset_cm: [f64; 3] },
    /// Off its parent, cm.
    OffParent { offset_cm: [f64; 3] },
    /// Beside the bone from one joint of the demo human to another: this share of the bone along it, and this share of its
    /// length across it, towards a direction.
    BesideBone { from: usize, to: usize, along: f64, across: f64, towards: [f64; 3] },
}

/// A joint of the head, the body, or both.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FullJoint {
    pub(crate) name: &'static str,
    /// Place of the parent in the list, which is above.
    pub(crate) parent: Option<usize>,
    pub(crate) set: JointSet,
    pub(crate) place: Place,
    /// Whether the mapping table of the head has a row for it.
    pub(crate) has_row: bool,
}

/// The joints of both skeletons.
#[derive(Clone, Debug)]
pub(crate) struct FullJoints {
    pub(crate) joints: Vec<FullJoint>,
    /// Places of the head's joints, in the head's order.
    pub(crate) head: Vec<usize>,
    /// Places of the body's joints, in the body's order.
    pub(crate) body: Vec<usize>,
}

/// Joints between lips and in lids that lie under the skin, and how deep, cm.
const BELOW_SKIN: [(&str, f64); 4] =
    [("MouthInterior", 0.3), ("EyelidUpperFurrow", 0.25), ("LipUpper3", 0.2), ("LipLower3", 0.2)];
/// One more, so that the table has as many such rows as a MetaHuman's.
const ADAMS_APPLE: &str = "FACIAL_C_12IPV_AdamsA1";
const ADAMS_APPLE_DEPTH_CM: f64 = 0.4;
/// Where the joints of the tongue and of the lashes are, off their parents; for the left side, cm.
const OFF_PARENT: [(&str, [f64; 3]); 9] = [
    ("TongueUpper1", [0.0, 0.35, 0.0]),
    ("TongueUpper2", [0.0, 0.3, 0.0]),
    ("TongueUpper3", [0.0, 0.25, 0.0]),
    ("TongueLower3", [0.0, -0.2, 0.1]),
    ("TongueSide1", [0.6, 0.0, 0.0]),
    ("EyelashesUpperA1", [0.0, 0.1, 0.45]),
    ("EyelashesUpperA2", [0.0, 0.1, 0.5]),
    ("EyelashesUpperA3", [0.1, 0.1, 0.45]),
    ("EyelashesCornerOuter1", [0.2, 0.05, 0.35]),
];
/// On the skin, but without a row.
const NO_ROW: &str = "FACIAL_C_Jawline";
/// Names have to begin alike by so many letters for their joints to be neighbours.
const ALIKE_LETTERS: usize = 4;
/// Vertices among which a joint finds its place, per joint.
const CANDIDATES: usize = 12;
/// Vertices nearer to the middle plane belong to it, cm.
const MIDDLE_CM: f64 = 0.05;

/// Words in the names of joints beside the bones of arms, legs and fingers: share along the bone, share across it, and where
/// to, for the left side: outwards, up, front. The first that a name contains counts.
const BESIDE_BONE: [(&str, f64, f64, [f64; 3]); 29] = [
    ("_pip_", 0.05, 0.2, [0.0, 1.0, 0.0]),
    ("_dip_", 0.9, 0.2, [0.0, 1.0, 0.0]),
    ("_mcp_", 0.05, 0.25, [0.0, 1.0, 0.0]),
    ("_half_", 0.0, 0.0, [0.0, 1.0, 0.0]),
    ("_bulge_", 0.45, 0.22, [0.0, -1.0, 0.0]),
    ("_side_inn_", 0.15, 0.2, [0.0, 0.0, 1.0]),
    ("_side_out_", 0.15, 0.2, [0.0, 0.0, -1.0]),
    ("_palmMid_", 0.35, 0.2, [0.0, -1.0, 0.0]),
    ("_palm_", 0.05, 0.25, [0.0, -1.0, 0.0]),
    ("_slide_", 0.85, 0.1, [0.0, 1.0, 0.0]),
    ("_twistCor_", 0.1, 0.12, [0.0, 0.0, -1.0]),
    ("_tricep_", 0.2, 0.35, [0.0, 0.0, -1.0]),
    ("wrist_inner_", 0.1, 0.25, [0.0, 0.0, 1.0]),
    ("wrist_outer_", 0.1, 0.25, [0.0, 0.0, -1.0]),
    ("lowerarm_out_", 0.02, 0.13, [0.0, 1.0, 0.0]),
    ("lowerarm_fwd_", 0.02, 0.13, [0.0, 0.0, 1.0]),
    ("lowerarm_bck_", 0.02, 0.13, [0.0, 0.0, -1.0]),
    ("thigh_bck_lwr_", 0.2, 0.2, [0.0, 0.0, -1.0]),
    ("thigh_bck_", 0.05, 0.2, [0.0, 0.0, -1.0]),
    ("thigh_fwd_", 0.05, 0.18, [0.0, 0.0, 1.0]),
    ("thigh_out_", 0.05, 0.18, [1.0, 0.0, 0.0]),
    ("thigh_in_", 0.1, 0.12, [-1.0, 0.0, 0.0]),
    ("calf_kneeBack_", 0.0, 0.12, [0.0, 0.0, -1.0]),
    ("calf_knee_", 0.0, 0.13, [0.0, 0.0, 1.0]),
    ("ankle_fwd_", 0.15, 0.25, [0.0, 1.0, 0.0]),
    ("ankle_bck_", 0.0, 0.3, [0.0, 0.0, -1.0]),
    ("_03_in_", 0.1, 0.15, [0.0, -1.0, 0.0]),
    ("_02_in_", 0.05, 0.15, [0.0, -1.0, 0.0]),
    ("_in_", 0.05, 0.15, [0.0, -1.0, 0.0]),
];

impl FullJoints {
    /// Joints of the tables; `head` are the vertices of the head mesh of the demo human's template, refined, and `normals`
    /// point out of it.
    pub(crate) fn new(
        human: &DemoHuman,
        head: &[[f32; 3]],
        normals: &[Vector3<f64>],
    ) -> Result<Self, SynthError> {
        let (head_table, body_table) = (head_joints()?, body_joints()?);
        let mut full = Self { joints: Vec::new(), head: Vec::new(), body: Vec::new() };
        let in_head = |name: &str| head_table.iter().any(|joint| joint.name == name);
        for joint in &body_table {
            let set = if in_head(joint.name) { JointSet::Shared } else { JointSet::Body };
            let parent = joint.parent.map(|parent| full.body[parent]);
            let place = match human.joint(joint.name) {
                Some(known) => Place::Known(known),
                None => beside_bone(human, joint, &body_table)?,
            };
            full.body.push(full.joints.len());
            full.joints.push(FullJoint { name: joint.name, parent, set, place, has_row: false });
        }
        let mut skin = SkinPlaces::new(human, head);
        for joint in &head_table {
            if let Some(at) = full.find(joint.name) {
                full.head.push(at);
                continue;
            }
            let parent = joint.parent.map(|parent| full.head[parent]);
            let known = human.joint(joint.name);
            let place = match (known, off_parent(joint.name)) {
                (Some(known), _) => Place::Known(known),
                (None, Some(offset_cm)) => Place::OffParent { offset_cm },
                (None, None) => {
                    skin.wanted.push((full.joints.len(), joint.name, parent.map(|at| full.joints[at].name)));
                    Place::OnSkin { vertex: 0 }
                }
            };
            full.head.push(full.joints.len());
            let has_row = known.is_none() && matches!(place, Place::OnSkin { .. }) && joint.name != NO_ROW;
            full.joints.push(FullJoint { name: joint.name, parent, set: JointSet::Head, place, has_row });
        }
        for (at, vertex) in skin.place() {
            let normal = normals.get(vertex as usize).copied().unwrap_or_default();
            full.joints[at].place = match depth(full.joints[at].name) {
                Some(depth) => BelowSkinOffset(normal, depth).place(vertex),
                None => Place::OnSkin { vertex },
            };
        }
        Ok(full)
    }

    /// The place of the joint called `name`.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// World positions of a person with the joints `known` of the demo human and the vertices `head` of the head mesh.
    pub(crate) fn positions(&self, known: &[[f64; 3]], head: &[[f32; 3]]) -> Vec<[f64; 3]> {
        let known = |joint: usize| Vector3::from(known[joint]);
        let on_skin = |vertex: u32| vector(head[vertex as usize]);
        let mut positions: Vec<Vector3<f64>> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            positions.push(match joint.place {
                Place::Known(joint) => known(joint),
                Place::OnSkin { vertex } => on_skin(vertex),
                Place::BelowSkin { vertex, offset_cm } => on_skin(vertex) + Vector3::from(offset_cm),
                Place::OffParent { offset_cm } => {
                    joint.parent.map_or(Vector3::zeros(), |at| positions[at]) + Vector3::from(offset_cm)
                }
                Place::BesideBone { from, to, along, across, towards } => {
                    let bone = known(to) - known(from);
                    let length = bone.norm();
                    let towards = Vector3::from(towards);
                    let square = towards - bone * (towards.dot(&bone) / (length * length).max(1e-12));
                    // A direction along the bone has no part across it; up and front are never both along it.
                    let square = square.try_normalize(0.1).unwrap_or_else(|| {
                        let other = Vector3::new(0.0, towards.z.abs(), towards.y.abs());
                        (other - bone * (other.dot(&bone) / (length * length).max(1e-12))).normalize()
                    });
                    known(from) + bone * along + square * (length * across)
                }
            });
        }
        positions.into_iter().map(Into::into).collect()
    }

    /// The rows of the head's joints that the demo human does not have.
    pub(crate) fn new_rows(&self) -> impl Iterator<Item = MappingRow> + '_ {
        let joints = self.head.iter().map(|&at| &self.joints[at]).filter(|joint| joint.has_row);
        joints.filter_map(|joint| {
            let (vertex, offset_cm) = match joint.place {
                Place::OnSkin { vertex } => (vertex, None),
                Place::BelowSkin { vertex, offset_cm } => (vertex, Some(offset_cm)),
                _ => return None,
            };
            Some(MappingRow { joint: joint.name.to_owned(), vertex, offset_cm })
        })
    }
}

/// Offset against the normal.
struct BelowSkinOffset(Vector3<f64>, f64);

impl BelowSkinOffset {
    /// Offsets have the five decimals that mapping tables have.
    fn place(self, vertex: u32) -> Place {
        let offset = self.0 * -self.1;
        Place::BelowSkin { vertex, offset_cm: offset.map(|c| (c * 1e5).round() / 1e5 + 0.0).into() }
    }
}

fn depth(name: &str) -> Option<f64> {
    if name == ADAMS_APPLE {
        return Some(ADAMS_APPLE_DEPTH_CM);
    }
    let stem = without_side(name);
    let known = BELOW_SKIN.iter().find(|(word, _)| match *word {
        "MouthInterior" => stem.contains(word),
        word => stem == word && !name.contains("12IPV"),
    });
    known.map(|&(_, depth)| depth)
}

/// A head joint's name without `FACIAL_`, side, and mark.
fn without_side(name: &str) -> &str {
    let name = name.strip_prefix("FACIAL_").unwrap_or(name);
    let name = name.get(2..).unwrap_or(name);
    name.strip_prefix("12IPV_").unwrap_or(name)
}

/// The name without number.
fn stem(name: &str) -> &str {
    without_side(name).trim_end_matches(|c: char| c.is_ascii_digit())
}

fn off_parent(name: &str) -> Option<[f64; 3]> {
    let (_, [x, y, z]) = OFF_PARENT.iter().find(|(word, _)| without_side(name) == *word)?;
    Some([if is_right(name) { -x } else { *x }, *y, *z])
}

fn beside_bone(human: &DemoHuman, joint: &TableJoint, table: &[TableJoint]) -> Result<Place, SynthError> {
    let unknown = || SynthError::Mismatch {
        what: "joint of the body".to_owned(),
        expected: "one beside a bone of the demo human".to_owned(),
        found: joint.name.to_owned(),
    };
    let (_, along, across, towards) =
        *BESIDE_BONE.iter().find(|(word, ..)| joint.name.contains(word)).ok_or_else(unknown)?;
    let mut parent = joint.parent.map(|at| table[at].name).ok_or_else(unknown)?;
    // These stand where their parent stands and have no bone of their own.
    if parent.contains("_correctiveRoot_") {
        let above = table.iter().find(|other| other.name == parent).and_then(|other| other.parent);
        parent = above.map(|at| table[at].name).ok_or_else(unknown)?;
    }
    let from = human.joint(parent).ok_or_else(unknown)?;
    let position = |at: usize| Vector3::from(human.joints[at].position);
    let children = (0..human.joints.len()).filter(|&child| human.joints[child].parent == Some(from));
    let length = |child: usize| (position(child) - position(from)).norm();
    let to = children.max_by(|&a, &b| length(a).total_cmp(&length(b)).then(b.cmp(&a)));
    let side = if is_right(joint.name) { -1.0 } else { 1.0 };
    let towards = [towards[0] * side, towards[1], towards[2]];
    Ok(match (to.filter(|&to| length(to) > 0.5), human.joints[from].parent) {
        (Some(to), _) => Place::BesideBone { from, to, along, across, towards },
        // The last of a chain: the bone before it, seen from its end.
        (None, Some(above)) => {
            Place::BesideBone { from: above, to: from, along: 1.0 + along, across, towards }
        }
        (None, None) => return Err(unknown()),
    })
}

/// Finds places on the skin.
struct SkinPlaces<'a> {
    human: &'a DemoHuman,
    head: &'a [[f32; 3]],
    is_used: Vec<bool>,
    /// Number, name, and name of the parent of joints that have no place yet.
    wanted: Vec<(usize, &'static str, Option<&'static str>)>,
}

/// Joints that find their places together.
struct Neighbours {
    /// Joints of the demo human near which they are.
    anchors: Vec<usize>,
    is_centre: bool,
    members: Vec<(usize, &'static str)>,
}

impl<'a> SkinPlaces<'a> {
    fn new(human: &'a DemoHuman, head: &'a [[f32; 3]]) -> Self {
        let mut is_used = vec![false; head.len()];
        for row in human.mappings.iter().filter(|table| table.mesh == "head_lod0_mesh").flat_map(|t| &t.rows)
        {
            if let Some(used) = is_used.get_mut(row.vertex as usize) {
                *used = true;
            }
        }
        Self { human, head, is_used, wanted: Vec::new() }
    }

    /// A vertex for each wanted joint. Those of the left side and of the middle spread out among the vertices near their
    /// namesakes, as far from each other and from other joints as they can; those of the right mirror the left.
    fn place(mut self) -> Vec<(usize, u32)> {
        let mut groups: Vec<Neighbours> = Vec::new();
        for &(at, name, parent) in self.wanted.iter().filter(|wanted| !is_right(wanted.1)) {
            let anchors = self.anchors(name, parent);
            let is_centre = !is_left(name);
            match groups.iter_mut().find(|group| group.anchors == anchors && group.is_centre == is_centre) {
                Some(group) => group.members.push((at, name)),
                None => groups.push(Neighbours { anchors, is_centre, members: vec![(at, name)] }),
            }
        }
        let joints = self.human.joints.iter().filter(|joint| joint.name.starts_with("FACIAL_"));
        let mut taken: Vec<Vector3<f64>> = joints.map(|joint| joint.position.into()).collect();
        let mut placed: Vec<(usize, u32)> = Vec::new();
        let mut by_name: Vec<(&str, u32)> = Vec::new();
        for group in &groups {
            let vertices = self.spread(group, &taken);
            for (&(at, name), vertex) in group.members.iter().zip(vertices) {
                self.is_used[vertex as usize] = true;
                taken.push(vector(self.head[vertex as usize]));
                placed.push((at, vertex));
                by_name.push((name, vertex));
            }
        }
        let wanted = std::mem::take(&mut self.wanted);
        for &(at, name, _) in wanted.iter().filter(|wanted| is_right(wanted.1)) {
            let left = name.replace("_R_", "_L_");
            let Some(&(_, vertex)) = by_name.iter().find(|(known, _)| *known == left) else { continue };
            let mut mirrored = vector(self.head[vertex as usize]);
            mirrored.x = -mirrored.x;
            let free = (0..self.head.len()).filter(|&vertex| !self.is_used[vertex]);
            let distance = |vertex: usize| (vector(self.head[vertex]) - mirrored).norm_squared();
            if let Some(vertex) = free.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b))) {
                self.is_used[vertex] = true;
                placed.push((at, vertex as u32));
            }
        }
        placed
    }

    /// Joints of the demo human whose names begin most like `name`, those of the same family first.
    fn anchors(&self, name: &str, parent: Option<&str>) -> Vec<usize> {
        let own = stem(name);
        let parent = parent.and_then(|parent| self.human.joint(parent));
        let alike = |other: &str| own.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let joints = self.human.joints.iter().enumerate();
        let mut found: Vec<(usize, usize)> = joints
            .filter(|(_, joint)| joint.name.starts_with("FACIAL_") && !is_right(&joint.name))
            .filter(|(_, joint)| is_left(name) || !is_left(&joint.name))
            .map(|(at, joint)| (alike(stem(&joint.name)), at))
            .collect();
        let most = found.iter().map(|(letters, _)| *letters).max().unwrap_or(0);
        if most < ALIKE_LETTERS {
            return parent.into_iter().collect();
        }
        found.retain(|(letters, _)| *letters == most);
        let is_family =
            |at: usize| parent.is_some() && (parent == Some(at) || self.human.joints[at].parent == parent);
        if found.iter().any(|&(_, at)| is_family(at)) {
            found.retain(|&(_, at)| is_family(at));
        }
        found.into_iter().map(|(_, at)| at).collect()
    }

    fn spread(&self, group: &Neighbours, taken: &[Vector3<f64>]) -> Vec<u32> {
        let anchors: Vec<Vector3<f64>> =
            group.anchors.iter().map(|&at| self.human.joints[at].position.into()).collect();
        let is_there = |x: f64| if group.is_centre { x.abs() <= MIDDLE_CM } else { x > MIDDLE_CM };
        let nearest = |position: &Vector3<f64>, others: &[Vector3<f64>]| {
            others.iter().map(|other| (position - other).norm_squared()).fold(f64::INFINITY, f64::min)
        };
        let mut candidates: Vec<(f64, u32)> = Vec::new();
        for (vertex, &position) in self.head.iter().enumerate() {
            let position = vector(position);
            if !self.is_used[vertex] && is_there(position.x) {
                candidates.push((nearest(&position, &anchors), vertex as u32));
            }
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        candidates.truncate(CANDIDATES * group.members.len());
        let position = |vertex: u32| vector(self.head[vertex as usize]);
        let mut free: Vec<(f64, u32)> =
            candidates.iter().map(|&(_, vertex)| (nearest(&position(vertex), taken), vertex)).collect();
        let mut found = Vec::new();
        while found.len() < group.members.len() && !free.is_empty() {
            let at = (1..free.len()).fold(0, |best, at| if free[at].0 > free[best].0 { at } else { best });
            let (_, vertex) = free.swap_remove(at);
            for (distance, other) in &mut free {
                *distance = distance.min((position(*other) - position(vertex)).norm_squared());
            }
            found.push(vertex);
        }
        found
    }
}
