//! What every control of a full-size head does.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::combinations::{Combination, Extent, is_of_tongue};
use super::gestures::{Bump, GESTURES, MOVES, PUPILS};
use super::random::Random;
use super::tables::TableControl;
use crate::controls::main_controls;
use crate::expressions::{Effect, clean, head_parts, main_effects, shares_off_seam, sparse};
use crate::posing::{JointDeltas, vector};
use crate::skeleton::{PartSkeleton, is_left, is_right};
use crate::{DemoHuman, HumanPart, SparseShape, SynthError};

/// Places of the parts that have blend shapes.
const HEAD: usize = 0;
const TEETH: usize = 1;
const EYES: [usize; 2] = [3, 4];
const CARTILAGE: usize = 8;

/// Targets of the cartilage: the head has 858 targets, of them 737 on the skin and 45 on tongue and pupils.
const CARTILAGE_TARGETS: usize = 76;
/// Deltas of a head's targets, together.
const DELTAS: usize = 2_170_000;
/// Deltas below this are left out, cm.
const LEAST_DELTA_CM: f64 = 5e-4;
/// Share of a bump that is done by joints; blend shapes do the rest.
const JOINT_SHARE: f64 = 0.5;
/// The blend shape of a gesture reaches so many radii.
const GESTURE_REACH: f64 = 1.7;
/// Beyond so many radii a bump moves no joint.
const JOINT_REACH: f64 = 5.0;
/// A corrective has a delta at so many vertices, as a share of all vertices.
const CORRECTIVE_SHARE: (f64, f64) = (0.01, 0.4);

/// Controls that move joints alone.
const JOINTS_ONLY: [&str; 5] = ["teeth", "eyelashes", "mouthSticky", "eyeParallel", "jawBack"];

/// What a control does, and of which joints it does so by itself and not as part of a bump.
pub(crate) struct FullEffect {
    pub(crate) effect: Effect,
    pub(crate) exact: Vec<bool>,
}

/// How the face is put together, for bumps.
pub(crate) struct Face<'a> {
    human: &'a DemoHuman,
    skeleton: &'a PartSkeleton,
    off_seam: Vec<f64>,
    roles: Vec<Role>,
    positions: Vec<Vector3<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Shared with the body, or the root of others: no bump moves it.
    Fixed,
    /// Turns with bumps, since others hang on it.
    Group,
    /// Goes along with bumps.
    Leaf,
    /// A leaf of the tongue.
    Tongue,
}

/// Joints that only moves and the demo human's expressions move.
const FIXED: [&str; 13] = [
    "FacialRoot",
    "Neck1Root",
    "Neck2Root",
    "Skull",
    "Jaw",
    "LowerLipRotation",
    "MouthUpper",
    "MouthLower",
    "TeethUpper",
    "TeethLower",
    "Eye",
    "EyeParallel",
    "Pupil",
];

impl<'a> Face<'a> {
    pub(crate) fn new(human: &'a DemoHuman, skeleton: &'a PartSkeleton) -> Self {
        let mut has_child = vec![false; skeleton.names.len()];
        for parent in skeleton.parents.iter().flatten() {
            has_child[*parent] = true;
        }
        let role = |(joint, name): (usize, &String)| {
            let Some(own) = name.strip_prefix("FACIAL_").and_then(|name| name.get(2..)) else {
                return Role::Fixed;
            };
            match (FIXED.contains(&own), own.starts_with("Tongue"), has_child[joint]) {
                (true, ..) | (false, true, true) => Role::Fixed,
                (false, true, false) => Role::Tongue,
                (false, false, true) => Role::Group,
                (false, false, false) => Role::Leaf,
            }
        };
        Self {
            human,
            skeleton,
            off_seam: shares_off_seam(human),
            roles: skeleton.names.iter().enumerate().map(role).collect(),
            positions: skeleton.world_from_joint.iter().map(|joint| joint.translation.vector).collect(),
        }
    }

    fn joint(&self, name: &str) -> Result<usize, SynthError> {
        self.skeleton.find(name).ok_or_else(|| SynthError::Mismatch {
            what: "joint of the head".to_owned(),
            expected: name.to_owned(),
            found: "nothing".to_owned(),
        })
    }

    fn none(&self) -> Effect {
        Effect {
            joints: JointDeltas::zero(self.skeleton.names.len()),
            targets: vec![SparseShape::default(); head_parts(self.human).len()],
        }
    }

    /// What a bump does to joints: those near it go along, and turn as the surface does.
    fn bump_joints(&self, bump: &Bump, of_tongue: bool, joints: &mut JointDeltas) {
        let reach = JOINT_REACH * bump.radius_cm;
        for (joint, role) in self.roles.iter().enumerate() {
            let is_meant = match role {
                Role::Fixed => false,
                Role::Tongue => of_tongue,
                Role::Group | Role::Leaf => !of_tongue,
            };
            let arm = self.positions[joint] - bump.centre;
            let distance = arm.norm();
            if !is_meant || distance > reach {
                continue;
            }
            let ratio = distance / bump.radius_cm;
            let kernel = (1.0 + ratio * ratio).powi(-2);
            // The rotation of a field is half its curl; that of a bump lies across the way to its centre.
            let turn = arm.cross(&bump.path) * (2.0 * kernel / (bump.radius_cm * bump.radius_cm));
            let turn = turn + bump.path * (0.2 * kernel / bump.radius_cm);
            let rest = self.skeleton.world_from_joint[joint].rotation;
            let parent = self.skeleton.parents[joint];
            let parent = parent.map(|parent| self.skeleton.world_from_joint[parent].rotation);
            let delta = &mut joints.0[joint];
            let share = if *role == Role::Group { 0.2 } else { 1.0 };
            let turn = rest.inverse() * turn * (share * JOINT_SHARE);
            for axis in 0..3 {
                delta[3 + axis] += clean(turn[axis].to_degrees());
            }
            if *role == Role::Group {
                continue;
            }
            let shift = bump.path * (JOINT_SHARE * kernel);
            let shift = parent.map_or(shift, |parent| parent.inverse() * shift);
            for axis in 0..3 {
                delta[axis] += clean(shift[axis]);
            }
            if joint % 3 == 0 {
                for axis in 0..3 {
                    delta[6 + axis] += clean(0.02 * kernel * if axis == 0 { 1.0 } else { -0.5 });
                }
            }
        }
    }

    /// What a bump does to the skin within `reach` of it.
    fn bump_shape(&self, bump: &Bump, reach: f64) -> SparseShape {
        let positions = self.human.parts[HEAD].mesh.positions.iter().zip(&self.off_seam);
        shape(positions.map(|(&position, off_seam)| bump_at(bump, reach, vector(position)) * *off_seam))
    }

    /// The same for the `count` nearest vertices.
    fn bump_shape_of(&self, bump: &Bump, count: usize) -> SparseShape {
        let positions = &self.human.parts[HEAD].mesh.positions;
        let mut distances: Vec<f64> =
            positions.iter().map(|&position| (vector(position) - bump.centre).norm_squared()).collect();
        let last = count.clamp(1, distances.len()) - 1;
        let (_, reach, _) = distances.select_nth_unstable_by(last, f64::total_cmp);
        self.bump_shape(bump, reach.sqrt())
    }

    fn gesture(&self, control: &TableControl) -> Result<Option<FullEffect>, SynthError> {
        let mut effect = self.none();
        let mut exact = vec![false; self.skeleton.names.len()];
        let mut is_known = false;
        for gesture in &GESTURES {
            let Some(fill) = Fill::of(gesture.control, control.name) else { continue };
            is_known = true;
            let bump =
                self.bump(gesture.joints, fill, gesture.towards, gesture.size_cm, gesture.radius_cm)?;
            self.bump_joints(&bump, false, &mut effect.joints);
            if control.name.starts_with("eyelashes") {
                self.shift_lashes(&bump, &mut effect.joints, &mut exact);
            }
            if !JOINTS_ONLY.iter().any(|word| control.name.starts_with(word)) {
                effect.targets[HEAD] = self.bump_shape(&bump, GESTURE_REACH * gesture.radius_cm);
            }
        }
        for of in MOVES.iter().filter(|of| of.control == control.name) {
            is_known = true;
            for name in of.joints {
                let joint = self.joint(name)?;
                self.turn(joint, of.shift_cm, of.turn_deg, &mut effect.joints);
                exact[joint] = true;
                let other = name.replace("_L_", "_R_");
                if is_left(name) && is_of_tongue(control.name) {
                    let joint = self.joint(&other)?;
                    let [x, y, z] = of.shift_cm;
                    self.turn(joint, [-x, y, z], of.turn_deg, &mut effect.joints);
                    exact[joint] = true;
                }
            }
        }
        for (pattern, growth) in PUPILS {
            if let Some(fill) = Fill::of(pattern, control.name) {
                is_known = true;
                let pupil = self.joint(&fill.joint("FACIAL_@_Pupil"))?;
                let part = EYES[usize::from(fill.is_right)];
                effect.targets[part] = self.pupil(part, pupil, growth);
            }
        }
        Ok(is_known.then_some(FullEffect { effect, exact }))
    }

    fn bump(
        &self,
        joints: &[&str],
        fill: Fill,
        towards: [f64; 3],
        size_cm: f64,
        radius_cm: f64,
    ) -> Result<Bump, SynthError> {
        let mut centre = Vector3::zeros();
        for name in joints {
            centre += self.positions[self.joint(&fill.joint(name))?] / joints.len() as f64;
        }
        let [x, y, z] = towards;
        let towards = Vector3::new(if fill.is_right { -x } else { x }, y, z);
        Ok(Bump { centre, path: towards.normalize() * size_cm, radius_cm })
    }

    /// The lash joints of the bump go the whole way.
    fn shift_lashes(&self, bump: &Bump, joints: &mut JointDeltas, exact: &mut [bool]) {
        for (joint, name) in self.skeleton.names.iter().enumerate() {
            if name.contains("Eyelashes")
                && (self.positions[joint] - bump.centre).norm() < 2.0 * bump.radius_cm
            {
                self.turn(joint, bump.path.into(), [0.0; 3], joints);
                exact[joint] = true;
            }
        }
    }

    /// Adds a translation and a small turn along the axes of the world.
    fn turn(&self, joint: usize, shift_cm: [f64; 3], turn_deg: [f64; 3], joints: &mut JointDeltas) {
        let rest = self.skeleton.world_from_joint[joint].rotation;
        let parent = self.skeleton.parents[joint];
        let parent = parent.map(|parent| self.skeleton.world_from_joint[parent].rotation);
        let shift = Vector3::from(shift_cm);
        let shift = parent.map_or(shift, |parent| parent.inverse() * shift);
        let turn = rest.inverse() * Vector3::from(turn_deg);
        for axis in 0..3 {
            joints.0[joint][axis] += clean(shift[axis]);
            joints.0[joint][3 + axis] += clean(turn[axis]);
        }
    }

    /// The pupil's skin grows about the axis of the eye.
    fn pupil(&self, part: usize, pupil: usize, growth: f64) -> SparseShape {
        let part = &self.human.parts[part];
        let centre = self.positions[pupil];
        shape(part.mesh.positions.iter().enumerate().map(|(vertex, &position)| {
            let own = self.weight(part, vertex, |joint| joint == pupil);
            let arm = vector(position) - centre;
            Vector3::new(arm.x, arm.y, 0.0) * (own * growth)
        }))
    }

    /// What a bump does to the tongue.
    fn tongue_shape(&self, bump: &Bump) -> SparseShape {
        let part = &self.human.parts[TEETH];
        let is_tongue = |joint: usize| self.skeleton.names[joint].contains("Tongue");
        shape(part.mesh.positions.iter().enumerate().map(|(vertex, &position)| {
            let own = self.weight(part, vertex, is_tongue);
            bump_at(bump, 3.0 * bump.radius_cm, vector(position)) * own
        }))
    }

    fn weight(&self, part: &HumanPart, vertex: usize, is_meant: impl Fn(usize) -> bool) -> f64 {
        let influences = part.skin.influences(vertex).filter_map(|(joint, weight)| {
            let joint = usize::from(self.skeleton.number[joint.index()]?);
            is_meant(joint).then_some(f64::from(weight))
        });
        influences.sum()
    }

    /// Where an effect shows: the mean of the joints that it shifts and the vertices that it moves, weighted by how far.
    fn extent(&self, effect: &Effect) -> (Extent, Vector3<f64>) {
        let mut moves: Vec<(Vector3<f64>, Vector3<f64>, f64)> = Vec::new();
        for (joint, delta) in effect.joints.0.iter().enumerate() {
            let shift = Vector3::new(delta[0], delta[1], delta[2]).cast::<f64>();
            let parent = self.skeleton.parents[joint];
            let parent = parent.map(|parent| self.skeleton.world_from_joint[parent].rotation);
            moves.push((self.positions[joint], parent.map_or(shift, |parent| parent * shift), 1.0));
        }
        for (part, target) in head_parts(self.human).iter().zip(&effect.targets) {
            // A joint counts for about as many vertices.
            let share = 0.05 * 4368.0 / self.human.parts[HEAD].mesh.positions.len() as f64;
            let deltas = target.vertices.iter().zip(&target.deltas);
            moves.extend(deltas.map(|(&vertex, &delta)| {
                (vector(part.mesh.positions[vertex as usize]), vector(delta), share)
            }));
        }
        let mut total = 1e-9;
        let (mut centre, mut path) = (Vector3::zeros(), Vector3::zeros());
        for (position, shift, share) in &moves {
            let weight = shift.norm() * share;
            total += weight;
            centre += position * weight;
            path += shift * *share;
        }
        centre /= total;
        let spread = moves.iter().map(|(position, shift, share)| {
            (position - centre).norm_squared() * shift.norm() * share / total
        });
        let radius_cm = spread.sum::<f64>().sqrt().clamp(0.8, 6.0);
        let largest = moves.iter().map(|(_, shift, _)| shift.norm()).fold(0.0, f64::max);
        let path = path.try_normalize(1e-9).unwrap_or_else(Vector3::z) * largest;
        (Extent { centre, radius_cm }, path)
    }
}

/// The effects of a head.
pub(crate) struct Effects {
    pub(crate) mains: Vec<FullEffect>,
    pub(crate) extents: Vec<Extent>,
    paths: Vec<Vector3<f64>>,
}

impl Effects {
    /// What each of `controls` does.
    pub(crate) fn mains(face: &Face<'_>, controls: &[TableControl]) -> Result<Self, SynthError> {
        let demo = main_controls();
        let known = main_effects(face.human, face.skeleton, &demo)?;
        let known: Vec<Option<Effect>> = known.into_iter().map(Some).collect();
        let mut mains: Vec<FullEffect> = Vec::with_capacity(controls.len());
        let made: Vec<Option<FullEffect>> =
            controls.par_iter().map(|control| face.gesture(control)).collect::<Result<_, _>>()?;
        let mut known = known;
        for (control, made) in controls.iter().zip(made) {
            let of_demo = demo.iter().position(|of| of.name == control.name);
            let of_demo = of_demo.and_then(|at| known[at].take());
            let full = match (of_demo, made) {
                (Some(effect), _) => face.adopted(effect, control),
                (None, Some(made)) => made,
                (None, None) => {
                    return Err(SynthError::Mismatch {
                        what: "gestures".to_owned(),
                        expected: control.name.to_owned(),
                        found: "nothing".to_owned(),
                    });
                }
            };
            mains.push(full);
        }
        for (control, main) in controls.iter().zip(&mut mains) {
            if is_of_tongue(control.name) {
                let bump = face.tongue_bump(&mut Random::new(7, control.name))?;
                main.effect.targets[TEETH] = face.tongue_shape(&bump);
            }
        }
        let extents: Vec<(Extent, Vector3<f64>)> =
            mains.par_iter().map(|main| face.extent(&main.effect)).collect();
        let (extents, paths) = extents.into_iter().unzip();
        Ok(Self { mains, extents, paths })
    }

    /// What each of `combinations` adds, and after them each of `turns`; blend shapes are as large as makes the number of
    /// deltas of a head, times `detail`.
    pub(crate) fn correctives(
        &self,
        face: &Face<'_>,
        controls: &[TableControl],
        combinations: &[Combination],
        turns: &[Bump],
        (seed, detail): (u64, f64),
    ) -> Result<Vec<FullEffect>, SynthError> {
        let of_tongue = |of: &Combination| of.iter().all(|&control| is_of_tongue(controls[control].name));
        let mut bumps: Vec<(Bump, bool)> = Vec::with_capacity(combinations.len() + turns.len());
        for (at, combination) in combinations.iter().enumerate() {
            let mut random = Random::new(seed, &format!("corrective {at}"));
            let of_tongue = of_tongue(combination);
            let bump = if of_tongue {
                face.tongue_bump(&mut random)?
            } else {
                self.corrective_bump(combination, &mut random)
            };
            bumps.push((bump, of_tongue));
        }
        bumps.extend(turns.iter().map(|turn| (turn.clone(), false)));

        let targets = self.mains.iter().flat_map(|main| &main.effect.targets);
        let used: usize = targets.map(|target| target.vertices.len()).sum();
        let left = ((DELTAS as f64 * detail) as usize).saturating_sub(used) as f64;
        let area = |bump: &Bump| bump.radius_cm * bump.radius_cm;
        let total: f64 = bumps.iter().filter(|(_, of_tongue)| !of_tongue).map(|(bump, _)| area(bump)).sum();
        let vertices = face.human.parts[HEAD].mesh.positions.len() as f64;
        let (least, most) = CORRECTIVE_SHARE;
        let of_bump = |(bump, of_tongue): &(Bump, bool)| {
            let mut effect = face.none();
            face.bump_joints(bump, *of_tongue, &mut effect.joints);
            if *of_tongue {
                effect.targets[TEETH] = face.tongue_shape(bump);
            } else {
                let count = (left * area(bump) / total).clamp(least * vertices, most * vertices);
                effect.targets[HEAD] = face.bump_shape_of(bump, count as usize);
            }
            FullEffect { effect, exact: vec![false; face.roles.len()] }
        };
        Ok(bumps.par_iter().map(of_bump).collect())
    }

    /// A corrective is a bump where its components meet, a part of the smallest of them in size, in a direction of its own.
    fn corrective_bump(&self, combination: &Combination, random: &mut Random) -> Bump {
        let mut centre = Vector3::zeros();
        let mut total = 0.0;
        let (mut radius_cm, mut size) = (f64::INFINITY, f64::INFINITY);
        let mut path = Vector3::zeros();
        for &control in combination {
            let extent = &self.extents[control];
            let weight = 1.0 / (extent.radius_cm * extent.radius_cm);
            centre += extent.centre * weight;
            total += weight;
            radius_cm = radius_cm.min(extent.radius_cm);
            size = size.min(self.paths[control].norm());
            path += self.paths[control].try_normalize(1e-9).unwrap_or_default();
        }
        let path = path + random.direction() * random.between(0.5, 1.5);
        let size = (size * random.between(0.15, 0.4)).clamp(0.05, 0.3);
        Bump {
            centre: centre / total,
            path: path.try_normalize(1e-9).unwrap_or_else(Vector3::z) * size,
            radius_cm: radius_cm.clamp(1.0, 3.5),
        }
    }
}

impl Face<'_> {
    fn tongue_bump(&self, random: &mut Random) -> Result<Bump, SynthError> {
        let centre = self.positions[self.joint("FACIAL_C_Tongue3")?];
        let size = random.between(0.05, 0.15);
        Ok(Bump { centre, path: random.direction() * size, radius_cm: random.between(0.9, 1.6) })
    }

    /// An effect of the demo human with blend shapes where a full-size head has them.
    fn adopted(&self, mut effect: Effect, control: &TableControl) -> FullEffect {
        let head = std::mem::take(&mut effect.targets[HEAD]);
        effect.targets.iter_mut().for_each(|target| *target = SparseShape::default());
        if !is_of_tongue(control.name) {
            let kept = head.vertices.into_iter().zip(head.deltas);
            let kept = kept.filter(|(_, delta)| vector(*delta).norm() >= LEAST_DELTA_CM);
            (effect.targets[HEAD].vertices, effect.targets[HEAD].deltas) = kept.unzip();
        }
        let exact = effect.joints.0.iter().map(|delta| *delta != [0.0; 9]).collect();
        FullEffect { effect, exact }
    }

    /// Gives the cartilage of the eyes targets of the effects nearest to it.
    pub(crate) fn move_cartilage(&self, effects: &mut [&mut FullEffect]) {
        let part = &self.human.parts[CARTILAGE];
        let nearest = |centre: &Vector3<f64>| {
            let distances = part.mesh.positions.iter().map(|&at| (vector(at) - centre).norm());
            distances.fold(f64::INFINITY, f64::min)
        };
        let mut order: Vec<(f64, usize, Extent, Vector3<f64>)> = Vec::new();
        for (at, full) in effects.iter().enumerate() {
            if !full.effect.targets[HEAD].vertices.is_empty() {
                let (extent, path) = self.extent(&full.effect);
                order.push((nearest(&extent.centre), at, extent, path));
            }
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (distance, at, extent, path) in order.into_iter().take(CARTILAGE_TARGETS) {
            let bump = Bump { centre: extent.centre, path: path * 0.5, radius_cm: extent.radius_cm };
            let reach = 1.5 * distance + 2.0;
            let positions = part.mesh.positions.iter();
            effects[at].effect.targets[CARTILAGE] =
                shape(positions.map(|&position| bump_at(&bump, reach, vector(position))));
        }
    }
}

/// The part of a bump that blend shapes do, at a place.
fn bump_at(bump: &Bump, reach: f64, position: Vector3<f64>) -> Vector3<f64> {
    let ratio = (position - bump.centre).norm_squared() / (reach * reach);
    if ratio >= 1.0 { Vector3::zeros() } else { bump.path * ((1.0 - JOINT_SHARE) * (1.0 - ratio).powi(2)) }
}

fn shape(displacements: impl Iterator<Item = Vector3<f64>>) -> SparseShape {
    sparse(displacements.map(|delta| if delta.norm() < LEAST_DELTA_CM { Vector3::zeros() } else { delta }))
}

/// What stands for `@`, `%` and `^` in a pattern that fits a control's name.
#[derive(Clone, Copy)]
struct Fill {
    is_right: bool,
    is_lower: bool,
}

impl Fill {
    fn of(pattern: &str, control: &str) -> Option<Self> {
        let all = [(false, false), (true, false), (false, true), (true, true)];
        let mut fills = all.map(|(is_right, is_lower)| Self { is_right, is_lower }).into_iter();
        fills.find(|fill| fill.control(pattern) == control)
    }

    fn control(self, pattern: &str) -> String {
        pattern
            .replace('@', if self.is_right { "R" } else { "L" })
            .replace('%', if self.is_lower { "D" } else { "U" })
    }

    fn joint(self, pattern: &str) -> String {
        pattern
            .replace('@', if self.is_right { "R" } else { "L" })
            .replace('^', if self.is_lower { "Lower" } else { "Upper" })
    }
}

/// Joints in blocks of about equal size, sides apart, so that each is one region of the face; `moving` says which are in one.
pub(crate) fn regions(skeleton: &PartSkeleton, moving: &[bool], count: usize) -> Vec<usize> {
    let side = |joint: usize| match &skeleton.names[joint] {
        name if is_left(name) => 0,
        name if is_right(name) => 1,
        _ => 2,
    };
    let mut joints: Vec<usize> = (0..moving.len()).filter(|&joint| moving[joint]).collect();
    joints.sort_by_key(|&joint| (side(joint), joint));
    let mut blocks = vec![0; moving.len()];
    for (at, &joint) in joints.iter().enumerate() {
        blocks[joint] = at * count / joints.len();
    }
    blocks
}
