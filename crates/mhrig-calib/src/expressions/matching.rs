//! Joint matching: joint values that explain as much of a sculpt as joints can.
//!
//! Damped Gauss–Newton over the rigid motions of the joints that hold what the sculpt moves. Unknown per joint: the
//! shift of its place and a small turn about it, in the world; a joint that is not solved for goes with the nearest one
//! above it that is. Damping holds a joint to the motion of the joint above it, so that what the sculpt does not tell
//! stays as it was. The linear systems are sparse in blocks of six, one block for two joints that share vertices, and are
//! solved by conjugate gradients with the diagonal blocks as preconditioner. After each step the motions become joint
//! values of the expression's own control, top down, within their bounds.

use mhrig_report::{Cancelled, Job};
use nalgebra::{Matrix3, Matrix6, Rotation3, Vector3, Vector6};
use serde::Serialize;

use super::columns::Columns;
use super::graph::Expression;
use super::posing::{Affine, Pose, Skeleton, SkinTable};
use super::recalculate::active_in;

/// How joints are matched to sculpts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchOptions {
    /// Every expression; without it those whose sculpts are edited.
    pub all: bool,
    /// Largest translation value that a joint gets, cm; values that are larger already may stay so.
    pub translation_cm: f64,
    /// Largest rotation value that a joint gets, degrees; likewise.
    pub rotation_deg: f64,
    /// Steps at most.
    pub iterations: usize,
    /// What holds a joint to the motion of the one above it, as if so many vertices of its own said so.
    pub damping: f64,
}

impl Default for MatchOptions {
    fn default() -> Self {
        Self { all: true, translation_cm: 3.0, rotation_deg: 60.0, iterations: 8, damping: 0.01 }
    }
}

/// How much of one expression's sculpt joints explain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointMatch {
    /// Name of the expression.
    pub expression: String,
    /// Vertices that it moves.
    pub vertices: usize,
    /// How far it moves them, root of the mean square, cm.
    pub sculpt_rms_cm: f64,
    /// What of that joints left to blend shapes before, root of the mean square, cm.
    pub before_rms_cm: f64,
    /// What they leave now.
    pub after_rms_cm: f64,
    /// Joints whose values were solved for; 0 where the values stayed.
    pub joints: usize,
}

impl JointMatch {
    /// Share of the sculpt that joints explained before, 0 to 1.
    pub fn explained_before(&self) -> f64 {
        explained(self.before_rms_cm, self.sculpt_rms_cm)
    }

    /// Share of the sculpt that joints explain now, 0 to 1.
    pub fn explained_after(&self) -> f64 {
        explained(self.after_rms_cm, self.sculpt_rms_cm)
    }
}

fn explained(left: f64, whole: f64) -> f64 {
    if whole == 0.0 { 1.0 } else { (1.0 - left / whole).max(0.0) }
}

/// A vertex of LOD 0 in the pose of an expression, cm.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatchVertex {
    pub(super) mesh: usize,
    pub(super) vertex: usize,
    /// The unposed place: neutral with the blend shapes of everything but the expression itself.
    pub(super) base: Vector3<f64>,
    /// Where the sculpt has it.
    pub(super) target: Vector3<f64>,
    /// Whether the expression moves it.
    pub(super) is_moved: bool,
}

/// Vertices that an expression moves by less are not moved by it, cm.
pub(super) const STILL_CM: f64 = 1e-4;
/// A joint takes part when so much of all its skin weight is on vertices that move.
const LEAST_SHARE: f64 = 0.05;
/// Values that a joint did not have and that are smaller are not given to it: cm, degrees.
const NEGLIGIBLE: [f64; 2] = [1e-4, 1e-3];
/// A step that leaves more of the sum of squares is the last.
const ENOUGH: f64 = 0.97;
/// Steps of a linear solve at most, and the residual that is enough.
const LINEAR_STEPS: usize = 30;
const LINEAR_TOLERANCE: f64 = 1e-3;

/// Joint values of one control: attribute and value.
pub(super) type Column = Vec<(u16, f32)>;

/// One expression to be matched.
pub(super) struct MatchTask<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) columns: &'a Columns,
    pub(super) skins: &'a [SkinTable],
    pub(super) expression: &'a Expression,
    pub(super) cm_per_unit: f64,
    pub(super) options: &'a MatchOptions,
    /// Skin weight of each joint at LOD 0, all vertices together.
    pub(super) mass: &'a [f64],
    /// Joint values of the control to begin with; the best of them is taken.
    pub(super) starts: Vec<Column>,
    pub(super) vertices: Vec<MatchVertex>,
    /// Sum of squares of what the expression moves, cm².
    pub(super) sculpt_squares: f64,
    /// Sum of squares of what joints left before, cm².
    pub(super) before_squares: f64,
}

impl MatchTask<'_> {
    /// New joint values of the expression's control with what they explain; `None` for an expression that moves
    /// nothing. Where nothing better is found, the values are the best of those to begin with.
    pub(super) fn solve(&self, job: &Job<'_>) -> Result<Option<(Column, JointMatch)>, Cancelled> {
        let moved = self.vertices.iter().filter(|vertex| vertex.is_moved).count();
        if moved == 0 {
            return Ok(None);
        }
        let active = active_in(self.expression);
        let mut columns = self.columns.only(&active);
        let mut posed = |column: &Column| {
            columns.set(self.expression.control, column.clone());
            self.skeleton.pose(&columns, &active)
        };
        let poses = self.starts.iter().map(|column| {
            let pose = posed(column);
            (self.residual(&pose), column, pose)
        });
        let start = poses.min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((start_squares, old, start)) = start else { return Ok(None) };
        let rms = |squares: f64| (squares / moved as f64).sqrt();
        let found = |squares: f64, joints: usize| JointMatch {
            expression: self.expression.name.clone(),
            vertices: moved,
            sculpt_rms_cm: rms(self.sculpt_squares),
            before_rms_cm: rms(self.before_squares),
            after_rms_cm: rms(squares),
            joints,
        };
        let nothing_better = || Ok(Some((old.clone(), found(start_squares, 0))));
        let solved = self.candidates();
        if solved.is_empty() || start_squares == 0.0 {
            return nothing_better();
        }
        let mut system = System::new(self, &start, &solved);
        let mut squares = system.linearise();
        let mut damping = self.options.damping;
        let mut best: Option<(Column, Pose)> = None;
        for _ in 0..self.options.iterations {
            job.check()?;
            let step = system.step(damping);
            system.apply(&step);
            // What the joints really do: within their bounds, and with their scales.
            let column = self.column(&system, &start, old, &solved);
            let pose = posed(&column);
            system.pose(&pose);
            let next = system.linearise();
            if next >= squares {
                // Too far: once more from where it was, with shorter steps.
                damping *= 30.0;
                system.pose(best.as_ref().map_or(&start, |(_, pose)| pose));
                system.linearise();
                continue;
            }
            best = Some((column, pose));
            let is_done = next > ENOUGH * squares;
            squares = next;
            if is_done {
                break;
            }
        }
        let Some((column, pose)) = best else { return nothing_better() };
        let squares = self.residual(&pose);
        if squares >= start_squares {
            return nothing_better();
        }
        Ok(Some((column, found(squares, solved.len()))))
    }

    /// Sum of squares of what joints in `pose` leave of the sculpt, cm².
    fn residual(&self, pose: &Pose) -> f64 {
        let squares = self.vertices.iter().map(|vertex| {
            let base = vertex.base / self.cm_per_unit;
            let blend = self.skins[vertex.mesh].blend(vertex.vertex, pose);
            let posed = blend.map_or(base, |blend| blend.of(base)) * self.cm_per_unit;
            (vertex.target - posed).norm_squared()
        });
        squares.sum()
    }

    /// The joints that hold what the sculpt moves, top down.
    fn candidates(&self) -> Vec<usize> {
        let mut on_moved = vec![0.0; self.skeleton.len()];
        for vertex in self.vertices.iter().filter(|vertex| vertex.is_moved) {
            for (joint, weight) in self.skins[vertex.mesh].of(vertex.vertex) {
                on_moved[joint] += weight;
            }
        }
        let takes_part = |&&joint: &&usize| {
            let (moved, all) = (on_moved[joint], self.mass[joint]);
            moved > LEAST_SHARE && moved >= LEAST_SHARE * all && !self.skeleton.is_quaternion(joint)
        };
        self.skeleton.top_down().iter().filter(takes_part).copied().collect()
    }

    /// The joint values that give the solved motions, as far as their bounds let them.
    fn column(&self, system: &System<'_>, start: &Pose, old: &Column, solved: &[usize]) -> Column {
        let joints = self.skeleton.len();
        let activation = f64::from(self.expression.activation);
        // What other controls of the pose give, and what the control itself gives now.
        let mut others = vec![[0.0f64; 9]; joints];
        for component in &self.expression.complex {
            for &(output, value) in self.columns.of(component.control) {
                let share = f64::from(component.value) * f64::from(value);
                others[usize::from(output / 9)][usize::from(output % 9)] += share;
            }
        }
        let mut own = vec![[0.0f64; 9]; joints];
        for &(output, value) in old {
            own[usize::from(output / 9)][usize::from(output % 9)] = f64::from(value);
        }
        let mut is_solved = vec![false; joints];
        solved.iter().for_each(|&joint| is_solved[joint] = true);
        let full_turn = std::f64::consts::TAU / self.skeleton.radians_per_unit;
        let bounds = [
            self.options.translation_cm / self.cm_per_unit,
            self.options.rotation_deg.to_radians() / self.skeleton.radians_per_unit,
        ];
        let negligible =
            [NEGLIGIBLE[0] / self.cm_per_unit, NEGLIGIBLE[1].to_radians() / self.skeleton.radians_per_unit];
        let neutral = &self.skeleton.world_from_joint;
        let at_start = |joint: usize| match &start.skin[joint] {
            Some(skin) => skin.after(&neutral[joint]),
            None => neutral[joint],
        };
        let mut world: Vec<Affine> = (0..joints).map(at_start).collect();
        for &joint in self.skeleton.top_down() {
            let parent = self.skeleton.parent(joint);
            let (rotation, translation) = self.skeleton.local(joint);
            if !is_solved[joint] {
                let Some(parent) = parent else { continue };
                let before = at_start(parent);
                if before != world[parent]
                    && let Some(inverse) = before.inverse()
                {
                    world[joint] = world[parent].after(&inverse.after(&at_start(joint)));
                }
                continue;
            }
            let mut skin = system.skins[joint];
            skin.shift /= self.cm_per_unit;
            let wanted = skin.after(&neutral[joint]);
            let parent_world = parent.map_or_else(Affine::identity, |parent| world[parent]);
            let Some(inverse) = parent_world.inverse() else { continue };
            let local = inverse.after(&wanted);
            let total = |attribute: usize| others[joint][attribute] + activation * own[joint][attribute];
            let scale = Vector3::new(1.0 + total(6), 1.0 + total(7), 1.0 + total(8));
            if scale.iter().any(|factor| factor.abs() < 1e-3) {
                continue;
            }
            let unscaled = Matrix3::from_diagonal(&scale.map(|factor| 1.0 / factor));
            let turn = rotation.matrix().transpose() * local.linear * unscaled;
            let guess = self.skeleton.rotation([total(3), total(4), total(5)]);
            let turn = Rotation3::from_matrix_eps(&turn, 1e-12, 100, guess);
            let angles =
                nearest_angles(self.skeleton.angles(&turn), [total(3), total(4), total(5)], full_turn);
            let shift = local.shift - translation;
            for attribute in 0..6 {
                let whole = if attribute < 3 { shift[attribute] } else { angles[attribute - 3] };
                let had = own[joint][attribute];
                let bound = bounds[attribute / 3].max(had.abs());
                let value = ((whole - others[joint][attribute]) / activation).clamp(-bound, bound);
                let is_nothing = had == 0.0 && value.abs() < negligible[attribute / 3];
                own[joint][attribute] = if is_nothing { 0.0 } else { f64::from(value as f32) };
            }
            let total = |attribute: usize| others[joint][attribute] + activation * own[joint][attribute];
            let turn = self.skeleton.rotation([total(3), total(4), total(5)]);
            let local = Affine {
                linear: rotation.matrix() * turn.matrix() * Matrix3::from_diagonal(&scale),
                shift: translation + Vector3::new(total(0), total(1), total(2)),
            };
            world[joint] = parent_world.after(&local);
        }
        let values = own.iter().enumerate().flat_map(|(joint, values)| {
            let pair =
                move |(attribute, &value): (usize, &f64)| ((joint * 9 + attribute) as u16, value as f32);
            values.iter().enumerate().map(pair)
        });
        values.filter(|(_, value)| *value != 0.0).collect()
    }
}

/// Of all angles about x, y, z that mean the same rotation, those nearest to `near`.
fn nearest_angles(angles: [f64; 3], near: [f64; 3], full_turn: f64) -> [f64; 3] {
    let unwrap = |angles: [f64; 3]| {
        let near = |axis: usize| angles[axis] - ((angles[axis] - near[axis]) / full_turn).round() * full_turn;
        [near(0), near(1), near(2)]
    };
    let half = full_turn / 2.0;
    let other = unwrap([angles[0] + half, half - angles[1], angles[2] + half]);
    let angles = unwrap(angles);
    let distance = |a: &[f64; 3]| (0..3).map(|axis| (a[axis] - near[axis]).abs()).sum::<f64>();
    if distance(&other) < distance(&angles) { other } else { angles }
}

/// How a vertex goes with one solved joint, linearised.
#[derive(Clone, Copy)]
struct Lever {
    slot: u32,
    weight: f64,
    /// Weight × (place of the vertex as this joint has it − place of the joint), summed over what goes with the joint.
    arm: Vector3<f64>,
}

/// The solved joints of one expression and the vertices that they move; lengths in cm.
struct System<'a> {
    task: &'a MatchTask<'a>,
    /// What each joint does to the skin.
    skins: Vec<Affine>,
    /// Per joint, the solved joint with which it goes.
    carrier: Vec<Option<u32>>,
    /// Per solved joint.
    joints: Vec<usize>,
    parents: Vec<Option<usize>>,
    centres: Vec<Vector3<f64>>,
    /// Per vertex that a solved joint moves.
    vertices: Vec<usize>,
    residuals: Vec<Vector3<f64>>,
    offsets: Vec<usize>,
    levers: Vec<Lever>,
    /// Solved joints that move some vertex together, the lower number first; all with themselves.
    pairs: Vec<(u32, u32)>,
    /// Number of each pair, `first × joints + second`.
    pair_numbers: Vec<u32>,
}

/// Sums over the vertices that two joints a and b move together, of which their block of the normal equations is made:
/// with w the weights and m the arms, Σ w_a w_b, Σ w_a m_b, Σ w_b m_a and Σ m_b m_aᵀ.
#[derive(Clone, Copy)]
struct PairSums {
    weights: f64,
    second_arms: Vector3<f64>,
    first_arms: Vector3<f64>,
    arms: Matrix3<f64>,
}

impl PairSums {
    const NONE: Self = Self {
        weights: 0.0,
        second_arms: Vector3::new(0.0, 0.0, 0.0),
        first_arms: Vector3::new(0.0, 0.0, 0.0),
        arms: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn add(&mut self, a: &Lever, b: &Lever) {
        self.weights += a.weight * b.weight;
        self.second_arms += b.arm * a.weight;
        self.first_arms += a.arm * b.weight;
        self.arms += b.arm * a.arm.transpose();
    }

    /// A vertex goes w shift + turn × m = [w, −m×] (shift, turn): the block is that of a, transposed, times that of b.
    fn block(&self) -> Matrix6<f64> {
        let mut block = Matrix6::zeros();
        let mut corner = block.fixed_view_mut::<3, 3>(0, 0);
        corner.copy_from(&(Matrix3::identity() * self.weights));
        let mut corner = block.fixed_view_mut::<3, 3>(0, 3);
        corner.copy_from(&-self.second_arms.cross_matrix());
        let mut corner = block.fixed_view_mut::<3, 3>(3, 0);
        corner.copy_from(&self.first_arms.cross_matrix());
        let mut corner = block.fixed_view_mut::<3, 3>(3, 3);
        corner.copy_from(&(Matrix3::identity() * self.arms.trace() - self.arms));
        block
    }
}

type Motions = Vec<Vector6<f64>>;

impl<'a> System<'a> {
    fn new(task: &'a MatchTask<'a>, start: &Pose, solved: &[usize]) -> Self {
        let mut carrier: Vec<Option<u32>> = vec![None; task.skeleton.len()];
        for (slot, &joint) in solved.iter().enumerate() {
            carrier[joint] = Some(slot as u32);
        }
        let mut parents = vec![None; solved.len()];
        for &joint in task.skeleton.top_down() {
            let above = task.skeleton.parent(joint).and_then(|parent| carrier[parent]);
            match carrier[joint] {
                Some(slot) => parents[slot as usize] = above.map(|slot| slot as usize),
                None => carrier[joint] = above,
            }
        }
        let is_moved = |vertex: &MatchVertex| {
            let mut joints = task.skins[vertex.mesh].of(vertex.vertex);
            joints.any(|(joint, _)| carrier[joint].is_some())
        };
        let vertices = task.vertices.iter().enumerate().filter(|(_, vertex)| is_moved(vertex));
        let vertices: Vec<usize> = vertices.map(|(at, _)| at).collect();
        let mut system = Self {
            task,
            skins: Vec::new(),
            carrier,
            joints: solved.to_vec(),
            parents,
            centres: vec![Vector3::zeros(); solved.len()],
            vertices,
            residuals: Vec::new(),
            offsets: Vec::new(),
            levers: Vec::new(),
            pairs: Vec::new(),
            pair_numbers: vec![u32::MAX; solved.len() * solved.len()],
        };
        (0..solved.len() as u32).for_each(|slot| system.add_pair(slot, slot));
        for at in 0..system.vertices.len() {
            let vertex = &task.vertices[system.vertices[at]];
            let joints = task.skins[vertex.mesh].of(vertex.vertex);
            let slots: Vec<u32> = joints.filter_map(|(joint, _)| system.carrier[joint]).collect();
            for (at, &a) in slots.iter().enumerate() {
                slots[at + 1..].iter().for_each(|&b| system.add_pair(a.min(b), a.max(b)));
            }
        }
        system.pose(start);
        system
    }

    fn add_pair(&mut self, first: u32, second: u32) {
        let number = &mut self.pair_numbers[first as usize * self.joints.len() + second as usize];
        if *number == u32::MAX {
            *number = self.pairs.len() as u32;
            self.pairs.push((first, second));
        }
    }

    /// Takes the motions of a pose.
    fn pose(&mut self, pose: &Pose) {
        let unit = self.task.cm_per_unit;
        self.skins.clear();
        self.skins.extend(pose.skin.iter().map(|skin| match skin {
            Some(skin) => Affine { linear: skin.linear, shift: skin.shift * unit },
            None => Affine::identity(),
        }));
    }

    /// Linearises about the present motions; gives the sum of squares of what is left, cm².
    fn linearise(&mut self) -> f64 {
        let unit = self.task.cm_per_unit;
        for (slot, &joint) in self.joints.iter().enumerate() {
            let place = self.task.skeleton.world_from_joint[joint].shift * unit;
            self.centres[slot] = self.skins[joint].of(place);
        }
        self.residuals.clear();
        self.levers.clear();
        self.offsets.clear();
        self.offsets.push(0);
        let mut squares = 0.0;
        for &at in &self.vertices {
            let vertex = &self.task.vertices[at];
            let first = self.levers.len();
            let (mut posed, mut sum) = (Vector3::zeros(), 0.0);
            for (joint, weight) in self.task.skins[vertex.mesh].of(vertex.vertex) {
                let place = self.skins[joint].of(vertex.base);
                posed += place * weight;
                sum += weight;
                let Some(slot) = self.carrier[joint] else { continue };
                let arm = (place - self.centres[slot as usize]) * weight;
                match self.levers[first..].iter_mut().find(|lever| lever.slot == slot) {
                    Some(lever) => {
                        lever.weight += weight;
                        lever.arm += arm;
                    }
                    None => self.levers.push(Lever { slot, weight, arm }),
                }
            }
            let residual = vertex.target - posed / sum;
            squares += residual.norm_squared();
            self.residuals.push(residual);
            self.offsets.push(self.levers.len());
        }
        squares
    }

    fn of_vertices(&self) -> impl Iterator<Item = (&[Lever], &Vector3<f64>)> {
        let levers = self.offsets.windows(2).map(|range| &self.levers[range[0]..range[1]]);
        levers.zip(&self.residuals)
    }

    /// What moves the joints most directly towards the sculpt.
    fn step(&self, damping: f64) -> Motions {
        let count = self.joints.len();
        let mut residual: Motions = vec![Vector6::zeros(); count];
        let mut sums = vec![PairSums::NONE; self.pairs.len()];
        for (levers, left) in self.of_vertices() {
            for (at, lever) in levers.iter().enumerate() {
                add(&mut residual[lever.slot as usize], left * lever.weight, lever.arm.cross(left));
                for other in &levers[at..] {
                    let (a, b) = if lever.slot <= other.slot { (lever, other) } else { (other, lever) };
                    let number = self.pair_numbers[a.slot as usize * count + b.slot as usize];
                    sums[number as usize].add(a, b);
                }
            }
        }
        let blocks: Vec<Matrix6<f64>> = sums.iter().map(PairSums::block).collect();
        // The first pairs are those of a joint with itself.
        let mut inverses: Vec<Matrix6<f64>> =
            blocks[..count].iter().map(|block| block + Matrix6::identity() * damping).collect();
        for parent in self.parents.iter().flatten() {
            inverses[*parent] += Matrix6::identity() * damping;
        }
        for block in &mut inverses {
            *block = block.try_inverse().unwrap_or_else(|| Matrix6::identity() / damping);
        }
        let precondition =
            |r: &Motions| -> Motions { r.iter().zip(&inverses).map(|(r, inverse)| inverse * r).collect() };
        let dot = |a: &Motions, b: &Motions| -> f64 { a.iter().zip(b).map(|(a, b)| a.dot(b)).sum() };
        let mut solution: Motions = vec![Vector6::zeros(); count];
        let mut z = precondition(&residual);
        let mut direction = z.clone();
        let mut rz = dot(&residual, &z);
        let enough = rz * LINEAR_TOLERANCE * LINEAR_TOLERANCE;
        for _ in 0..LINEAR_STEPS {
            if !(rz > enough && rz > 0.0) {
                break;
            }
            let image = self.normal(&blocks, &direction, damping);
            let alpha = rz / dot(&direction, &image);
            if !alpha.is_finite() {
                break;
            }
            for at in 0..count {
                solution[at] += direction[at] * alpha;
                residual[at] -= image[at] * alpha;
            }
            z = precondition(&residual);
            let next = dot(&residual, &z);
            let beta = next / rz;
            rz = next;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + *d * beta);
        }
        solution
    }

    /// The normal equations' matrix, whose part from vertices is `blocks`, on some motions.
    fn normal(&self, blocks: &[Matrix6<f64>], motions: &Motions, damping: f64) -> Motions {
        let mut image: Motions = vec![Vector6::zeros(); motions.len()];
        for (block, &(first, second)) in blocks.iter().zip(&self.pairs) {
            let (first, second) = (first as usize, second as usize);
            image[first] += block * motions[second];
            if first != second {
                image[second] += block.tr_mul(&motions[first]);
            }
        }
        for (slot, parent) in self.parents.iter().enumerate() {
            let (mut shift, mut turn) = parts(&motions[slot]);
            let arm = parent.map(|parent| self.centres[slot] - self.centres[parent]);
            if let (Some(parent), Some(arm)) = (parent, arm) {
                let (above, about) = parts(&motions[*parent]);
                shift -= above + about.cross(&arm);
                turn -= about;
            }
            shift *= damping;
            turn *= damping;
            add(&mut image[slot], shift, turn);
            if let (Some(parent), Some(arm)) = (parent, arm) {
                add(&mut image[*parent], -shift, -turn - arm.cross(&shift));
            }
        }
        image
    }

    /// Moves the joints, and what goes with them.
    fn apply(&mut self, step: &Motions) {
        let moves: Vec<Affine> = step
            .iter()
            .zip(&self.centres)
            .map(|(motion, centre)| {
                let (shift, turn) = parts(motion);
                let turn = if turn.norm() > LARGEST_TURN { turn.normalize() * LARGEST_TURN } else { turn };
                let linear = Rotation3::new(turn).into_inner();
                Affine { linear, shift: centre + shift - linear * centre }
            })
            .collect();
        for (skin, carrier) in self.skins.iter_mut().zip(&self.carrier) {
            if let Some(slot) = carrier {
                *skin = moves[*slot as usize].after(skin);
            }
        }
    }
}

/// Turn of a joint in one step at most, radians: further out its linearisation says little.
const LARGEST_TURN: f64 = 0.5;

fn parts(motion: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (motion.fixed_rows::<3>(0).into_owned(), motion.fixed_rows::<3>(3).into_owned())
}

fn add(motion: &mut Vector6<f64>, shift: Vector3<f64>, turn: Vector3<f64>) {
    for axis in 0..3 {
        motion[axis] += shift[axis];
        motion[axis + 3] += turn[axis];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_stay_near_those_that_were() {
        let near = nearest_angles([-179.0, 10.0, 0.0], [181.0, 10.0, 0.0], 360.0);
        assert_eq!(near, [181.0, 10.0, 0.0]);
        assert_eq!(nearest_angles([180.0, 80.0, 180.0], [0.0, 100.0, 0.0], 360.0), [0.0, 100.0, 0.0]);
    }
}
