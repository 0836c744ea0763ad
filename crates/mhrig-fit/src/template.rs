use std::collections::HashMap;

use mhrig_geom::{
    HierarchyError, JointHierarchy, JointId, JointPose, Mesh, SkinWeights, VertexId, fit_sphere,
};
use mhrig_report::{Finding, Severity};
use nalgebra::{Rotation3, Vector3};

use crate::TemplateSettings;
use crate::chains::{Chain, exact_chains, find_chains, resolve_chain};

/// A root this close to the origin stands for the world, not for the anatomy, cm.
const ANCHOR_TOLERANCE_CM: f64 = 1e-3;

/// One skinned LOD 0 mesh of the template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateMesh {
    /// Its name.
    pub name: String,
    /// Vertices, faces, texture coordinates.
    pub mesh: Mesh,
    /// One list of influences per vertex; joint numbers of the part's skeleton.
    pub skin: SkinWeights,
}

/// One way in which skeleton, meshes and rules of a template disagree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateProblem {
    /// The joints are no hierarchy.
    #[error("the joints are no hierarchy: {0}")]
    Hierarchy(HierarchyError),
    /// The pose has another number of joints than the hierarchy.
    #[error("{found} {what}, expected {expected}")]
    PoseLength {
        /// Translations or rotations.
        what: &'static str,
        /// Number of joints.
        expected: usize,
        /// Length of the list.
        found: usize,
    },
    /// A joint's rest position is not a number.
    #[error("the rest position of joint {joint} is not finite")]
    JointNotFinite {
        /// Name of the joint.
        joint: String,
    },
    /// A vertex position is not a number.
    #[error("mesh {mesh}: the position of vertex {vertex} is not finite")]
    VertexNotFinite {
        /// Name of the mesh.
        mesh: String,
        /// The first such vertex.
        vertex: usize,
    },
    /// A face names a vertex that the mesh does not have.
    #[error("mesh {mesh}, face {face}: vertex {vertex}, but the mesh has {count} vertices")]
    FaceIndex {
        /// Name of the mesh.
        mesh: String,
        /// The face.
        face: usize,
        /// The number.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// Two meshes have the same name.
    #[error("two meshes are called {mesh}")]
    MeshTwice {
        /// The name.
        mesh: String,
    },
    /// The skin has another number of vertices than the mesh.
    #[error("mesh {mesh}: skin weights for {found} vertices, expected {expected}")]
    SkinLength {
        /// Name of the mesh.
        mesh: String,
        /// Number of vertices.
        expected: usize,
        /// Number of vertices with weights.
        found: usize,
    },
    /// A skin weight of a joint that does not exist, or that is no number.
    #[error("mesh {mesh}, vertex {vertex}: weight {weight} of joint {joint}; there are {joints} joints")]
    SkinWeight {
        /// Name of the mesh.
        mesh: String,
        /// The vertex.
        vertex: usize,
        /// Number of the joint.
        joint: usize,
        /// The weight.
        weight: f32,
        /// Number of joints.
        joints: usize,
    },
    /// A rule names a joint that the skeleton does not have.
    #[error("{rule} names the joint {joint}, which the skeleton does not have")]
    NoSuchJoint {
        /// Which rule.
        rule: String,
        /// The name.
        joint: String,
    },
    /// A rule names a mesh that the part does not have.
    #[error("{rule} names the mesh {mesh}, which the part does not have")]
    NoSuchMesh {
        /// Which rule.
        rule: String,
        /// The name.
        mesh: String,
    },
    /// A mapping row names a vertex that the mesh does not have.
    #[error("{rule}: vertex {vertex}, but the mesh has {count} vertices")]
    NoSuchVertex {
        /// Which rule.
        rule: String,
        /// The number.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// The eyeball mesh is no sphere.
    #[error("the vertices of {mesh} determine no sphere")]
    NoSphere {
        /// Name of the mesh.
        mesh: String,
    },
    /// The ends of a chain coincide in the template, or one of them is the joint itself.
    #[error("the chain of {joint} from {from} to {to} has no direction")]
    NoChain {
        /// The joint.
        joint: String,
        /// Its line's begin.
        from: String,
        /// Its line's end.
        to: String,
    },
}

/// A template whose parts disagree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the template's parts disagree in {} places", .problems.len())]
pub struct InvalidTemplate {
    /// Everything that was found.
    pub problems: Vec<TemplateProblem>,
}

impl InvalidTemplate {
    /// One finding per problem; `place` names the archetype's part.
    pub fn findings(&self, place: &str) -> Vec<Finding> {
        let remedy = "use archetype files that belong together, or correct the named entry";
        let finding = |problem: &TemplateProblem| {
            Finding::new("ARCHETYPE_DISAGREES", Severity::Error, place, problem.to_string(), remedy)
        };
        self.problems.iter().map(finding).collect()
    }
}

/// A mapping row with names resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) joint: JointId,
    pub(crate) mesh: usize,
    pub(crate) vertex: VertexId,
    pub(crate) offset: Option<Vector3<f64>>,
}

/// An eye rule with names resolved and the rest sphere measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eye {
    pub(crate) joint: JointId,
    pub(crate) mesh: usize,
    /// Joint minus sphere centre at rest.
    pub(crate) offset: Vector3<f64>,
    /// Of the rest sphere.
    pub(crate) radius: f64,
}

/// One part of an archetype, prepared for fitting: skeleton at rest, skinned meshes, and the rules that lead from
/// meshes to joints.
#[derive(Clone, Debug)]
pub struct FitTemplate {
    pub(crate) hierarchy: JointHierarchy,
    pub(crate) rest: Vec<Vector3<f64>>,
    pub(crate) rest_rotations: Vec<Rotation3<f64>>,
    pub(crate) local_rotations: Vec<Rotation3<f64>>,
    pub(crate) children: Vec<Vec<JointId>>,
    pub(crate) is_anchor: Vec<bool>,
    pub(crate) meshes: Vec<TemplateMesh>,
    /// Rows in the order of MetaHumanForMaya, the last one of a joint counting.
    pub(crate) rows: Vec<Row>,
    pub(crate) eyes: Vec<Eye>,
    pub(crate) chains: Vec<Option<Chain>>,
    /// The chains that are constructions, and joints that coincide with a sibling.
    pub(crate) exact_chains: Vec<Option<Chain>>,
}

impl FitTemplate {
    /// Prepares a part.
    ///
    /// `pose` are the neutral local transforms; rotations may be anything, they are kept and never fitted.
    ///
    /// # Errors
    /// [`InvalidTemplate`] with everything in which skeleton, meshes and rules disagree.
    pub fn new(
        hierarchy: JointHierarchy,
        pose: &JointPose,
        meshes: Vec<TemplateMesh>,
        settings: &TemplateSettings,
    ) -> Result<Self, InvalidTemplate> {
        let mut problems = Vec::new();
        let joints = hierarchy.len();
        for (what, found) in [("translations", pose.translations.len()), ("rotations", pose.rotations.len())]
        {
            if found != joints {
                problems.push(TemplateProblem::PoseLength { what, expected: joints, found });
            }
        }
        if !problems.is_empty() {
            return Err(InvalidTemplate { problems });
        }
        let world = pose.world(&hierarchy);
        let rest: Vec<_> = world.iter().map(|w| w.translation.vector).collect();
        for (position, name) in rest.iter().zip(hierarchy.names()) {
            if !position.iter().all(|c| c.is_finite()) {
                problems.push(TemplateProblem::JointNotFinite { joint: name.clone() });
            }
        }
        check_meshes(&meshes, joints, &mut problems);

        let names = Names::new(&hierarchy, &meshes);
        let rows = resolve_rows(settings, &names, &meshes, &mut problems);
        let eyes = resolve_eyes(settings, &names, &meshes, &rest, &mut problems);

        let mut children = vec![Vec::new(); joints];
        for (joint, parent) in hierarchy.parents().iter().enumerate() {
            if let Some(parent) = parent {
                children[parent.index()].push(JointId(joint as u16));
            }
        }
        let is_anchor: Vec<bool> = (hierarchy.parents().iter().zip(&rest))
            .map(|(parent, position)| parent.is_none() && position.norm() <= ANCHOR_TOLERANCE_CM)
            .collect();

        let mut has_own_rule = is_anchor.clone();
        for name in &settings.foreign_joints {
            if let Some(&joint) = names.joints.get(name.as_str()) {
                has_own_rule[joint.index()] = true;
            }
        }
        for joint in rows.iter().map(|row| row.joint).chain(eyes.iter().map(|eye| eye.joint)) {
            has_own_rule[joint.index()] = true;
        }
        let mut chains = find_chains(&hierarchy, &rest, &children, &has_own_rule);
        for chain in &settings.chains {
            let rule = format!("the chain of {}", chain.joint);
            let ends =
                [&chain.joint, &chain.from, &chain.to].map(|name| names.joint(&rule, name, &mut problems));
            if let [Some(joint), Some(from), Some(to)] = ends {
                match resolve_chain(joint, from, to, &rest) {
                    Some(resolved) => chains[joint.index()] = Some(resolved),
                    None => problems.push(TemplateProblem::NoChain {
                        joint: chain.joint.clone(),
                        from: chain.from.clone(),
                        to: chain.to.clone(),
                    }),
                }
            }
        }
        if !problems.is_empty() {
            return Err(InvalidTemplate { problems });
        }
        let mut has_surface_or_eye = is_anchor.clone();
        let surface_rows = rows.iter().filter(|row| row.offset.is_none());
        for joint in surface_rows.map(|row| row.joint).chain(eyes.iter().map(|eye| eye.joint)) {
            has_surface_or_eye[joint.index()] = true;
        }
        let exact_chains = exact_chains(&chains, &rest, &children, &has_surface_or_eye);
        Ok(Self {
            exact_chains,
            rest_rotations: world.iter().map(|w| w.rotation.to_rotation_matrix()).collect(),
            local_rotations: pose.rotations.clone(),
            hierarchy,
            rest,
            children,
            is_anchor,
            meshes,
            rows,
            eyes,
            chains,
        })
    }

    /// The skeleton's names and parents.
    pub fn hierarchy(&self) -> &JointHierarchy {
        &self.hierarchy
    }

    /// World positions of the joints at rest, cm.
    pub fn rest_positions(&self) -> &[Vector3<f64>] {
        &self.rest
    }

    /// Neutral local rotations, never changed by a fit.
    pub fn local_rotations(&self) -> &[Rotation3<f64>] {
        &self.local_rotations
    }

    /// World rotations of the joints at rest, which are those of the fitted skeleton as well.
    pub fn world_rotations(&self) -> &[Rotation3<f64>] {
        &self.rest_rotations
    }

    /// The meshes, in the order of [`Targets`].
    pub fn meshes(&self) -> &[TemplateMesh] {
        &self.meshes
    }

    /// Whether `joint` is a world anchor: a root at the origin, which takes no part in any fit.
    ///
    /// # Panics
    /// When `joint` is not of this skeleton.
    pub fn is_anchor(&self, joint: JointId) -> bool {
        self.is_anchor[joint.index()]
    }

    /// Joints that lie on a line between two others, as found in the template or said by the archetype.
    pub fn chain_joints(&self) -> impl Iterator<Item = JointId> {
        let chains = self.chains.iter().enumerate();
        chains.filter(|(_, chain)| chain.is_some()).map(|(joint, _)| JointId(joint as u16))
    }

    /// Mapped joints that [`crate::MappingEffect::CarriesChildren`] moves away from their own row, because a row of
    /// a joint above them comes later.
    pub fn rows_changed_by_carrying(&self) -> Vec<JointId> {
        let mut turn = vec![None; self.rest.len()];
        for (number, row) in self.rows.iter().enumerate() {
            turn[row.joint.index()] = Some(number);
        }
        let is_changed = |&joint: &JointId| {
            let own = turn[joint.index()];
            let mut above = self.hierarchy.parent(joint);
            while let Some(next) = above {
                if own.is_some() && turn[next.index()] > own {
                    return true;
                }
                above = self.hierarchy.parent(next);
            }
            false
        };
        (0..self.rest.len()).map(|joint| JointId(joint as u16)).filter(is_changed).collect()
    }

    /// Pairs a person's vertex positions with the template's meshes by name.
    ///
    /// Meshes that the template does not have are left out; of two with one name the first counts. A mesh that
    /// is not given is missing from the targets.
    ///
    /// # Errors
    /// A finding per mesh whose vertex count differs or that has a position that is not finite.
    pub fn targets<'a>(
        &self,
        meshes: impl IntoIterator<Item = (&'a str, &'a [[f32; 3]])>,
    ) -> Result<Targets<'a>, Vec<Finding>> {
        let mut positions = vec![None; self.meshes.len()];
        let mut findings = Vec::new();
        for (name, given) in meshes {
            let Some(mesh) = self.meshes.iter().position(|mesh| mesh.name == name) else { continue };
            let expected = self.meshes[mesh].mesh.positions.len();
            if given.len() != expected {
                let remedy =
                    "check the topology first; only meshes with the template's vertices can be fitted";
                let message = "the mesh has another number of vertices than the template's";
                findings.push(
                    Finding::new("VERTEX_COUNT", Severity::Error, name, message, remedy)
                        .with_values(expected, given.len()),
                );
            } else if let Some(at) = given.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
                let remedy = "repair the vertex in the modelling program";
                let message = "a position is not a finite number";
                let place = format!("{name}: vertex {at}");
                let found = format!("{:?}", given[at]);
                findings.push(
                    Finding::new("NOT_FINITE", Severity::Error, place, message, remedy)
                        .with_values("finite numbers", found),
                );
            } else if positions[mesh].is_none() {
                positions[mesh] = Some(given);
            }
        }
        if findings.is_empty() { Ok(Targets { positions }) } else { Err(findings) }
    }
}

/// A person's vertex positions per template mesh; made by [`FitTemplate::targets`].
#[derive(Clone, Debug)]
pub struct Targets<'a> {
    positions: Vec<Option<&'a [[f32; 3]]>>,
}

impl<'a> Targets<'a> {
    /// The positions of mesh `mesh` (world space, cm, Y up, template vertex order), `None` when it is missing.
    pub fn positions(&self, mesh: usize) -> Option<&'a [[f32; 3]]> {
        self.positions.get(mesh).copied().flatten()
    }

    /// Numbers of the template meshes that are missing.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let positions = self.positions.iter().enumerate();
        positions.filter(|(_, given)| given.is_none()).map(|(mesh, _)| mesh)
    }
}

/// A stored position as a vector in `f64`.
pub(crate) fn vector(position: [f32; 3]) -> Vector3<f64> {
    Vector3::from(position.map(f64::from))
}

/// Joints and meshes by name.
struct Names<'a> {
    joints: HashMap<&'a str, JointId>,
    meshes: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn new(hierarchy: &'a JointHierarchy, meshes: &'a [TemplateMesh]) -> Self {
        let mut names = Self { joints: HashMap::new(), meshes: HashMap::new() };
        for (joint, name) in hierarchy.names().iter().enumerate() {
            names.joints.entry(name).or_insert(JointId(joint as u16));
        }
        for (mesh, named) in meshes.iter().enumerate() {
            names.meshes.entry(&named.name).or_insert(mesh);
        }
        names
    }

    fn joint(&self, rule: &str, name: &str, problems: &mut Vec<TemplateProblem>) -> Option<JointId> {
        let joint = self.joints.get(name).copied();
        if joint.is_none() {
            problems.push(TemplateProblem::NoSuchJoint { rule: rule.to_owned(), joint: name.to_owned() });
        }
        joint
    }

    fn mesh(&self, rule: &str, name: &str, problems: &mut Vec<TemplateProblem>) -> Option<usize> {
        let mesh = self.meshes.get(name).copied();
        if mesh.is_none() {
            problems.push(TemplateProblem::NoSuchMesh { rule: rule.to_owned(), mesh: name.to_owned() });
        }
        mesh
    }
}

fn check_meshes(meshes: &[TemplateMesh], joints: usize, problems: &mut Vec<TemplateProblem>) {
    let mut seen = HashMap::new();
    for TemplateMesh { name, mesh, skin } in meshes {
        if seen.insert(name.as_str(), ()).is_some() {
            problems.push(TemplateProblem::MeshTwice { mesh: name.clone() });
        }
        if let Some(vertex) = mesh.positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            problems.push(TemplateProblem::VertexNotFinite { mesh: name.clone(), vertex });
        }
        let count = mesh.positions.len();
        for (face, corners) in mesh.faces.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&corner| corner as usize >= count) {
                problems.push(TemplateProblem::FaceIndex { mesh: name.clone(), face, vertex, count });
                break;
            }
        }
        let (expected, found) = (count, skin.vertex_count());
        if expected != found {
            problems.push(TemplateProblem::SkinLength { mesh: name.clone(), expected, found });
        }
        let weights = (0..found).flat_map(|vertex| skin.influences(vertex).map(move |(j, w)| (vertex, j, w)));
        let is_wrong = |&(_, joint, weight): &(usize, JointId, f32)| {
            joint.index() >= joints || !weight.is_finite() || weight < 0.0
        };
        if let Some((vertex, joint, weight)) = weights.into_iter().find(is_wrong) {
            let (mesh, joint) = (name.clone(), joint.index());
            problems.push(TemplateProblem::SkinWeight { mesh, vertex, joint, weight, joints });
        }
    }
}

/// The rows in the order of MetaHumanForMaya: tables in order, in each first the volumetric rows, then the surface
/// rows; a duplicate within a kind replaces the earlier row but keeps its turn.
fn resolve_rows(
    settings: &TemplateSettings,
    names: &Names<'_>,
    meshes: &[TemplateMesh],
    problems: &mut Vec<TemplateProblem>,
) -> Vec<Row> {
    let mut resolved = Vec::new();
    for table in &settings.mapping {
        let rule = format!("the mapping table of {}", table.mesh);
        let Some(mesh) = names.mesh(&rule, &table.mesh, problems) else { continue };
        let count = meshes[mesh].mesh.positions.len();
        let mut kinds = [Vec::<Row>::new(), Vec::new()];
        for (number, row) in table.rows.iter().enumerate() {
            let rule = format!("row {} of the mapping table of {}", number + 1, table.mesh);
            let Some(joint) = names.joint(&rule, &row.joint, problems) else { continue };
            if row.vertex as usize >= count {
                problems.push(TemplateProblem::NoSuchVertex { rule, vertex: row.vertex, count });
                continue;
            }
            let row =
                Row { joint, mesh, vertex: VertexId(row.vertex), offset: row.offset_cm.map(Vector3::from) };
            let kind = &mut kinds[usize::from(row.offset.is_none())];
            match kind.iter_mut().find(|other| other.joint == joint) {
                Some(earlier) => *earlier = row,
                None => kind.push(row),
            }
        }
        resolved.extend(kinds.into_iter().flatten());
    }
    resolved
}

fn resolve_eyes(
    settings: &TemplateSettings,
    names: &Names<'_>,
    meshes: &[TemplateMesh],
    rest: &[Vector3<f64>],
    problems: &mut Vec<TemplateProblem>,
) -> Vec<Eye> {
    let mut eyes = Vec::new();
    for eye in &settings.eyes {
        let rule = format!("the eye sphere of {}", eye.joint);
        let joint = names.joint(&rule, &eye.joint, problems);
        let mesh = names.mesh(&rule, &eye.mesh, problems);
        let (Some(joint), Some(mesh)) = (joint, mesh) else { continue };
        let points: Vec<_> = meshes[mesh].mesh.positions.iter().map(|&p| vector(p)).collect();
        match fit_sphere(&points) {
            Some(sphere) => {
                let offset = rest[joint.index()] - sphere.center;
                eyes.push(Eye { joint, mesh, offset, radius: sphere.radius });
            }
            None => problems.push(TemplateProblem::NoSphere { mesh: eye.mesh.clone() }),
        }
    }
    eyes
}
