use mhrig_dna::{CoordinateSystem, Dna, rotation_unit, translation_unit};
use mhrig_geom::{
    HierarchyError, JointHierarchy, JointId, JointPose, Mesh, Polygons, PolygonsError, SkinWeights, UvSet,
    rotation_from_euler_xyz,
};
use nalgebra::{Rotation3, Vector3};

use crate::axes::Axes;
use crate::skeleton::rotation_from_euler;
use crate::{RotationOrder, rotation_convention};

/// The neutral pose of a DNA as geometry: lengths in cm, angles in radians, axes as in the file.
#[derive(Clone, Debug)]
pub struct Neutral {
    /// The joints.
    pub hierarchy: JointHierarchy,
    /// Their local transforms.
    pub pose: JointPose,
    /// All meshes, in the DNA's order.
    pub meshes: Vec<NeutralMesh>,
    /// Mesh numbers per LOD.
    pub lods: Vec<Vec<usize>>,
}

/// One mesh of a [`Neutral`].
#[derive(Clone, Debug)]
pub struct NeutralMesh {
    /// Name in the DNA.
    pub name: String,
    /// Vertices, faces and texture coordinates; corners are position numbers.
    pub mesh: Mesh,
    /// One list of influences per vertex.
    pub skin: SkinWeights,
}

/// Why a DNA has no usable neutral pose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NeutralError {
    /// The joints are not a hierarchy.
    #[error("the joints of the definition are not a hierarchy")]
    Hierarchy(#[source] HierarchyError),
    /// An array of the definition has another length than there are joints or meshes.
    #[error("{field}: {found} entries, expected {expected}")]
    Length {
        /// Path of the array.
        field: &'static str,
        /// Number of joints or meshes.
        expected: usize,
        /// Its length.
        found: usize,
    },
    /// A number in a mesh that points outside its array.
    #[error("mesh {mesh}, {field}[{at}]: {found} is not below {limit}")]
    Index {
        /// Name of the mesh.
        mesh: String,
        /// Array within the mesh.
        field: &'static str,
        /// Place in that array.
        at: usize,
        /// The number.
        found: usize,
        /// What it has to be below.
        limit: usize,
    },
    /// Faces that cannot be held.
    #[error("mesh {mesh}")]
    Polygons {
        /// Name of the mesh.
        mesh: String,
        /// What is wrong with them.
        #[source]
        source: PolygonsError,
    },
}

impl Neutral {
    /// Reads the neutral pose out of `dna`.
    ///
    /// # Errors
    /// See [`NeutralError`]: everything that makes the definition or a mesh inconsistent.
    pub fn from_dna(dna: &Dna) -> Result<Self, NeutralError> {
        let definition = &dna.definition;
        let names: Vec<String> = definition.joint_names.iter().map(|n| n.to_str().into_owned()).collect();
        let joints = names.len();
        check_length("defn.jointHierarchy", joints, definition.joint_hierarchy.len())?;
        let translations = &definition.neutral_joint_translations;
        let rotations = &definition.neutral_joint_rotations;
        check_length("defn.neutralJointTranslations", joints, translations.len())?;
        check_length("defn.neutralJointRotations", joints, rotations.len())?;
        check_length("geom.meshes", definition.mesh_names.len(), dna.geometry.meshes.len())?;

        let parents = definition.joint_hierarchy.iter().enumerate();
        let parents = parents
            .map(|(joint, &parent)| (usize::from(parent) != joint).then_some(JointId(parent)))
            .collect();
        let hierarchy = JointHierarchy::new(names, parents).map_err(NeutralError::Hierarchy)?;

        let cm = if dna.descriptor.translation_unit == translation_unit::M { 100.0 } else { 1.0 };
        let is_radians = dna.descriptor.rotation_unit == rotation_unit::RADIANS;
        let radians = if is_radians { 1.0 } else { std::f64::consts::PI / 180.0 };
        let (order, signs) =
            rotation_convention(&dna.descriptor_ext).unwrap_or((RotationOrder::Xyz, [1.0; 3]));
        let pose = JointPose {
            translations: translations.iter().map(|t| Vector3::from(t.map(f64::from)) * cm).collect(),
            rotations: rotations
                .iter()
                .map(|r| {
                    let angle = |axis: usize| f64::from(r[axis]) * f64::from(signs[axis]) * radians;
                    let angles_rad = [angle(0), angle(1), angle(2)];
                    match order {
                        RotationOrder::Xyz => rotation_from_euler_xyz(angles_rad),
                        other => rotation_from_euler(angles_rad, other),
                    }
                })
                .collect(),
        };

        let named = definition.mesh_names.iter().zip(&dna.geometry.meshes);
        let meshes = named.map(|(name, mesh)| NeutralMesh::from_dna(&name.to_str(), mesh, joints, cm as f32));
        let lod_count = usize::from(dna.descriptor.lod_count);
        let members =
            |lod| definition.lod_mesh_mapping.members(lod).iter().map(|&mesh| usize::from(mesh)).collect();
        Ok(Self {
            hierarchy,
            pose,
            meshes: meshes.collect::<Result<_, _>>()?,
            lods: (0..lod_count).map(members).collect(),
        })
    }

    /// The pose turned from the axes of a file, `system`, into the world: x left, y up, z front (see [`Axes::turned`]).
    /// Only roots and vertices change.
    #[must_use]
    pub fn upright(mut self, system: &CoordinateSystem) -> Self {
        let axes = Axes::turned(system);
        if axes.is_world() {
            return self;
        }
        let turn = Rotation3::from_matrix_unchecked(axes.world_from_file());
        for joint in 0..self.hierarchy.len() {
            if self.hierarchy.parent(JointId(joint as u16)).is_none() {
                self.pose.translations[joint] = turn * self.pose.translations[joint];
                self.pose.rotations[joint] = turn * self.pose.rotations[joint];
            }
        }
        for mesh in &mut self.meshes {
            mesh.mesh.positions.iter_mut().for_each(|position| *position = axes.apply(*position));
        }
        self
    }
}

impl NeutralMesh {
    fn from_dna(name: &str, mesh: &mhrig_dna::Mesh, joints: usize, cm: f32) -> Result<Self, NeutralError> {
        let layouts = &mesh.layouts;
        let below = |field, at, found: u32, limit: usize| {
            if (found as usize) < limit {
                Ok(found)
            } else {
                let found = found as usize;
                Err(NeutralError::Index { mesh: name.to_owned(), field, at, found, limit })
            }
        };
        let vertex_count = mesh.positions.len();
        for (at, &position) in layouts.positions.iter().enumerate() {
            below("layouts.positions", at, position, vertex_count)?;
        }
        let coordinates = &mesh.texture_coordinates;
        let coords: Vec<[f32; 2]> =
            coordinates.us.iter().zip(&coordinates.vs).map(|(&u, &v)| [u, v]).collect();
        for (at, &uv) in layouts.texture_coordinates.iter().enumerate() {
            below("layouts.textureCoordinates", at, uv, coords.len())?;
        }
        let has_uv = !coords.is_empty() && layouts.texture_coordinates.len() == layouts.positions.len();

        let corner_count = mesh.faces.iter().map(Vec::len).sum();
        let mut faces = Polygons::with_capacity(mesh.faces.len(), corner_count);
        let mut uv_corners = Vec::with_capacity(if has_uv { corner_count } else { 0 });
        for (at, face) in mesh.faces.iter().enumerate() {
            for &layout in face {
                below("faces", at, layout, layouts.positions.len())?;
            }
            faces
                .push(face.iter().map(|&layout| layouts.positions[layout as usize]))
                .map_err(|source| NeutralError::Polygons { mesh: name.to_owned(), source })?;
            if has_uv {
                uv_corners.extend(face.iter().map(|&layout| layouts.texture_coordinates[layout as usize]));
            }
        }

        let mut skin = SkinWeights::default();
        for (at, vertex) in mesh.skin_weights.iter().enumerate() {
            for &joint in &vertex.joint_indices {
                below("skinWeights", at, u32::from(joint), joints)?;
            }
            let influences = vertex.joint_indices.iter().zip(&vertex.weights);
            skin.push(influences.map(|(&joint, &weight)| (JointId(joint), weight)));
        }
        Ok(Self {
            name: name.to_owned(),
            mesh: Mesh {
                positions: mesh
                    .positions
                    .iter()
                    .map(|p| if cm == 1.0 { p } else { p.map(|c| c * cm) })
                    .collect(),
                faces,
                uv: has_uv.then_some(UvSet { coords, corners: uv_corners }),
            },
            skin,
        })
    }
}

fn check_length(field: &'static str, expected: usize, found: usize) -> Result<(), NeutralError> {
    if expected == found { Ok(()) } else { Err(NeutralError::Length { field, expected, found }) }
}
