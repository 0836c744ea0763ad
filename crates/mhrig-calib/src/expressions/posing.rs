use mhrig_dna::{Dna, Mesh};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::columns::Columns;
use super::graph::Component;
use crate::CalibError;
use crate::check::{check_mesh, count, mesh_place};
use crate::joint_space::{LocalRotation, check_joints};
use crate::units::degrees_per_unit;
use mhrig_geom::{euler_xyz_from_rotation, rotation_from_euler_xyz};

/// A linear map and a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine {
    pub(crate) linear: Matrix3<f64>,
    pub(crate) shift: Vector3<f64>,
}

impl Affine {
    pub(crate) fn identity() -> Self {
        Self { linear: Matrix3::identity(), shift: Vector3::zeros() }
    }

    pub(crate) fn of(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.linear * point + self.shift
    }

    /// This map behind another.
    pub(crate) fn after(&self, first: &Self) -> Self {
        Self { linear: self.linear * first.linear, shift: self.linear * first.shift + self.shift }
    }

    /// The map that undoes this one; `None` where it is flat.
    pub(crate) fn inverse(&self) -> Option<Self> {
        let linear = self.linear.try_inverse()?;
        Some(Self { linear, shift: -(linear * self.shift) })
    }

    /// The point that the map takes to `image`; `None` where the map is flat.
    pub(crate) fn solve(&self, image: Vector3<f64>) -> Option<Vector3<f64>> {
        let inverse = self.linear.try_inverse()?;
        Some(inverse * (image - self.shift)).filter(|p| p.iter().all(|c| c.is_finite()))
    }
}

/// The joints of a file in the neutral pose, in the file's unit of length.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    parents: Vec<Option<usize>>,
    top_down: Vec<usize>,
    translations: Vec<Vector3<f64>>,
    rotations: Vec<Rotation3<f64>>,
    pub(crate) world_from_joint: Vec<Affine>,
    joint_from_world: Vec<Affine>,
    is_quaternion: Vec<bool>,
    pub(crate) radians_per_unit: f64,
}

impl Skeleton {
    pub(crate) fn from_dna(dna: &Dna) -> Result<Self, CalibError> {
        check_joints(dna)?;
        let definition = &dna.definition;
        let translations = definition.neutral_joint_translations.iter();
        Self::with_translations(dna, translations.map(|t| Vector3::from(t.map(f64::from))).collect())
    }

    /// Other neutral translations, in the file's unit, with the file's rotations.
    pub(crate) fn with_translations(dna: &Dna, translations: Vec<Vector3<f64>>) -> Result<Self, CalibError> {
        check_joints(dna)?;
        let local = LocalRotation::of_file(dna)?;
        let hierarchy = &dna.definition.joint_hierarchy;
        let joints = hierarchy.len();
        count(translations.len(), joints, || "joint translations".to_owned())?;
        let parents: Vec<Option<usize>> = hierarchy
            .iter()
            .enumerate()
            .map(|(joint, &parent)| Some(usize::from(parent)).filter(|&parent| parent != joint))
            .collect();
        let rotations: Vec<Rotation3<f64>> = (0..joints).map(|joint| local.get(dna, joint)).collect();
        let mut top_down: Vec<usize> = (0..joints).filter(|&joint| parents[joint].is_none()).collect();
        let mut children = vec![Vec::new(); joints];
        for (joint, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(joint);
            }
        }
        let mut next = 0;
        while let Some(&joint) = top_down.get(next) {
            top_down.extend_from_slice(&children[joint]);
            next += 1;
        }
        count(top_down.len(), joints, || "defn.jointHierarchy: joints that hang from a root".to_owned())?;
        let representations = &dna.joint_behavior_metadata.joint_representations;
        let mut skeleton = Self {
            parents,
            top_down,
            translations,
            rotations,
            world_from_joint: vec![Affine::identity(); joints],
            joint_from_world: vec![Affine::identity(); joints],
            is_quaternion: (0..joints)
                .map(|j| representations.get(j).is_some_and(|r| r.rotation == 1))
                .collect(),
            radians_per_unit: degrees_per_unit(&dna.descriptor).to_radians(),
        };
        for at in 0..joints {
            let joint = skeleton.top_down[at];
            let local =
                Affine { linear: *skeleton.rotations[joint].matrix(), shift: skeleton.translations[joint] };
            let world = match skeleton.parents[joint] {
                Some(parent) => skeleton.world_from_joint[parent].after(&local),
                None => local,
            };
            // Neutral joints are not scaled, so the inverse of the rotation is its transpose.
            let back = world.linear.transpose();
            skeleton.joint_from_world[joint] = Affine { linear: back, shift: -(back * world.shift) };
            skeleton.world_from_joint[joint] = world;
        }
        Ok(skeleton)
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(crate) fn parent(&self, joint: usize) -> Option<usize> {
        self.parents[joint]
    }

    /// Rotation and translation of a joint in its parent.
    pub(crate) fn local(&self, joint: usize) -> (&Rotation3<f64>, &Vector3<f64>) {
        (&self.rotations[joint], &self.translations[joint])
    }

    pub(crate) fn is_quaternion(&self, joint: usize) -> bool {
        self.is_quaternion[joint]
    }

    pub(crate) fn top_down(&self) -> &[usize] {
        &self.top_down
    }

    /// What `active` controls do to the skin around each joint: posed world × inverse of neutral world.
    ///
    /// Local transform: translation + delta, neutral rotation × delta rotation, scale 1 + delta. Deltas of several
    /// controls add up; rotations of quaternion joints are multiplied, each new one on the left.
    pub(crate) fn pose(&self, columns: &Columns, active: &[Component]) -> Pose {
        let joints = self.len();
        let mut deltas: Vec<Option<Box<[f64; 9]>>> = vec![None; joints];
        let mut quaternions: Vec<(usize, u32, UnitQuaternion<f64>)> = Vec::new();
        for component in active {
            let column = columns.of(component.control);
            let value = f64::from(component.value);
            for of_joint in column.chunk_by(|a, b| a.0 / 9 == b.0 / 9) {
                let joint = usize::from(of_joint[0].0 / 9);
                let mut angles = [0.0; 3];
                for &(output, stored) in of_joint {
                    let attribute = usize::from(output % 9);
                    if self.is_quaternion[joint] && (3..6).contains(&attribute) {
                        angles[attribute - 3] = f64::from(stored);
                    } else {
                        deltas[joint].get_or_insert_default()[attribute] += value * f64::from(stored);
                    }
                }
                if angles != [0.0; 3] {
                    let full = self.rotation(angles);
                    let full = UnitQuaternion::from_rotation_matrix(&full);
                    // The run time's way from the identity: a normalised mean, the short way round.
                    let identity = if full.w >= 0.0 { 1.0 } else { -1.0 };
                    let mean = nalgebra::Quaternion::new(
                        full.w * value + identity * (1.0 - value),
                        full.i * value,
                        full.j * value,
                        full.k * value,
                    );
                    let part = UnitQuaternion::from_quaternion(mean);
                    quaternions.push((joint, columns.order(component.control), part));
                    deltas[joint].get_or_insert_default();
                }
            }
        }
        quaternions.sort_by_key(|&(joint, order, _)| (joint, order));
        let mut skin = vec![None; joints];
        let mut posed: Vec<Option<Affine>> = vec![None; joints];
        for &joint in &self.top_down {
            let parent = self.parents[joint];
            let parent_posed = parent.and_then(|parent| posed[parent]);
            if deltas[joint].is_none() && parent_posed.is_none() {
                continue;
            }
            let delta = deltas[joint].as_deref().copied().unwrap_or_default();
            let mut turn = self.rotation([delta[3], delta[4], delta[5]]);
            if self.is_quaternion[joint] {
                let own = quaternions.iter().filter(|(other, ..)| *other == joint);
                let product = own.fold(UnitQuaternion::identity(), |product, (_, _, part)| part * product);
                turn = product.to_rotation_matrix();
            }
            let scale = Matrix3::from_diagonal(&Vector3::new(1.0 + delta[6], 1.0 + delta[7], 1.0 + delta[8]));
            let local = Affine {
                linear: self.rotations[joint].matrix() * turn.matrix() * scale,
                shift: self.translations[joint] + Vector3::new(delta[0], delta[1], delta[2]),
            };
            let world = match parent {
                Some(parent) => parent_posed.unwrap_or(self.world_from_joint[parent]).after(&local),
                None => local,
            };
            posed[joint] = Some(world);
            skin[joint] = Some(world.after(&self.joint_from_world[joint]));
        }
        Pose { skin }
    }

    /// The rotation of stored angles.
    pub(crate) fn rotation(&self, angles: [f64; 3]) -> Rotation3<f64> {
        rotation_from_euler_xyz(angles.map(|angle| angle * self.radians_per_unit))
    }

    /// Angles as stored for a rotation.
    pub(crate) fn angles(&self, rotation: &Rotation3<f64>) -> [f64; 3] {
        euler_xyz_from_rotation(rotation).map(|angle| angle / self.radians_per_unit)
    }
}

/// What a pose does to the skin: per joint a map, `None` for joints that stay.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pose {
    pub(crate) skin: Vec<Option<Affine>>,
}

impl Pose {
    /// Joints that move.
    pub(crate) fn moved(&self) -> impl Iterator<Item = usize> + '_ {
        self.skin.iter().enumerate().filter(|(_, skin)| skin.is_some()).map(|(joint, _)| joint)
    }
}

/// Skin weights of one mesh, stored flat and scaled to a sum of 1, with the vertices of each joint.
#[derive(Clone, Debug)]
pub(crate) struct SkinTable {
    offsets: Vec<u32>,
    joints: Vec<u16>,
    weights: Vec<f32>,
    vertex_offsets: Vec<u32>,
    vertices: Vec<u32>,
}

impl SkinTable {
    pub(crate) fn new(dna: &Dna, mesh: usize) -> Result<Self, CalibError> {
        let found: &Mesh = check_mesh(dna, mesh)?;
        let vertices = found.positions.len();
        count(found.skin_weights.len(), vertices, || format!("{}.skinWeights", mesh_place(dna, mesh)))?;
        let mut table = Self {
            offsets: Vec::with_capacity(vertices + 1),
            joints: Vec::new(),
            weights: Vec::new(),
            vertex_offsets: Vec::new(),
            vertices: Vec::new(),
        };
        table.offsets.push(0);
        let mut pairs = Vec::new();
        for (vertex, record) in found.skin_weights.iter().enumerate() {
            let sum: f64 = record.weights.iter().map(|&weight| f64::from(weight)).sum();
            for (&joint, &weight) in record.joint_indices.iter().zip(&record.weights) {
                if weight != 0.0 && sum != 0.0 {
                    table.joints.push(joint);
                    table.weights.push((f64::from(weight) / sum) as f32);
                    pairs.push((joint, vertex as u32));
                }
            }
            table.offsets.push(table.joints.len() as u32);
        }
        pairs.sort_unstable();
        table.vertex_offsets = vec![0; dna.definition.joint_names.len() + 1];
        for &(joint, _) in &pairs {
            table.vertex_offsets[usize::from(joint) + 1] += 1;
        }
        for at in 1..table.vertex_offsets.len() {
            table.vertex_offsets[at] += table.vertex_offsets[at - 1];
        }
        table.vertices = pairs.into_iter().map(|(_, vertex)| vertex).collect();
        Ok(table)
    }

    /// Vertices with a weight on `joint`.
    pub(crate) fn vertices_of(&self, joint: usize) -> &[u32] {
        &self.vertices[self.vertex_offsets[joint] as usize..self.vertex_offsets[joint + 1] as usize]
    }

    /// Adds the weights of all vertices to their joints.
    pub(crate) fn add_mass(&self, mass: &mut [f64]) {
        for (&joint, &weight) in self.joints.iter().zip(&self.weights) {
            mass[usize::from(joint)] += f64::from(weight);
        }
    }

    /// Joints and weights of a vertex.
    pub(crate) fn of(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        let weights = self.weights[range.clone()].iter();
        self.joints[range]
            .iter()
            .zip(weights)
            .map(|(&joint, &weight)| (usize::from(joint), f64::from(weight)))
    }

    /// The blended map of a vertex, `None` when none of its joints moves.
    pub(crate) fn blend(&self, vertex: usize, pose: &Pose) -> Option<Affine> {
        let mut blended = Affine { linear: Matrix3::zeros(), shift: Vector3::zeros() };
        let (mut sum, mut moved) = (0.0, false);
        for (joint, weight) in self.of(vertex) {
            sum += weight;
            if let Some(skin) = &pose.skin[joint] {
                blended.linear += skin.linear * weight;
                blended.shift += skin.shift * weight;
                moved = true;
            } else {
                for axis in 0..3 {
                    blended.linear[(axis, axis)] += weight;
                }
            }
        }
        if !moved {
            return None;
        }
        // Weights were rounded after they were scaled.
        blended.linear /= sum;
        blended.shift /= sum;
        Some(blended)
    }
}
