//! The human benchmark pack (CC0, MakeHuman) as fit templates, people and truth.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use mhrig_fit::{
    ChainRule, Constraint, ConstraintKind, EyeRule, FitOptions, FitTemplate, MappingRow, MappingTable,
    Placement, Targets, TemplateMesh, TemplateSettings, fit, shared_joints,
};
use mhrig_geom::{JointHierarchy, JointId, JointPose, Mesh, Polygons, SkinWeights, UvSet};
use mhrig_report::{Cancel, Job, Silent};
use mhrig_testkit::{read_f32x3, shared_or_skip};
use nalgebra::{Rotation3, Vector3};

pub const HEAD_MESHES: [&str; 9] = [
    "head_lod0_mesh",
    "teeth_lod0_mesh",
    "saliva_lod0_mesh",
    "eyeLeft_lod0_mesh",
    "eyeRight_lod0_mesh",
    "eyeshell_lod0_mesh",
    "eyelashes_lod0_mesh",
    "eyeEdge_lod0_mesh",
    "cartilage_lod0_mesh",
];
pub const BODY_MESHES: [&str; 1] = ["body_lod0_mesh"];

/// One joint of `joints.csv`.
pub struct PackJoint {
    pub name: String,
    pub parent: String,
    pub position: Vector3<f64>,
    pub set: String,
}

pub struct Pack {
    pub dir: PathBuf,
    pub joints: Vec<PackJoint>,
}

pub struct Person {
    pub name: String,
    pub meshes: HashMap<String, Vec<[f32; 3]>>,
    pub truth: HashMap<String, Vector3<f64>>,
}

fn numbers(fields: &[&str]) -> Vector3<f64> {
    Vector3::from_iterator(fields.iter().map(|f| f.parse::<f64>().unwrap()))
}

impl Pack {
    pub fn load_or_skip(test: &str) -> Option<Self> {
        let dir = shared_or_skip(test, "data/human")?;
        let text = fs::read_to_string(dir.join("joints.csv")).unwrap();
        let joint = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, parent] = [fields[0], fields[1]].map(str::to_owned);
            PackJoint { name, parent, position: numbers(&fields[2..5]), set: fields[5].trim().to_owned() }
        };
        let joints = text.lines().skip(1).map(joint).collect();
        Some(Self { dir, joints })
    }

    pub fn people(&self) -> Vec<Person> {
        self.folders("identities")
    }

    pub fn linear_maps(&self) -> Vec<Person> {
        self.folders("synthetic")
    }

    fn folders(&self, kind: &str) -> Vec<Person> {
        let entries = fs::read_dir(self.dir.join(kind)).unwrap();
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        folders.iter().map(|folder| self.person(folder)).collect()
    }

    fn person(&self, folder: &Path) -> Person {
        let names = HEAD_MESHES.iter().chain(&BODY_MESHES);
        let text = fs::read_to_string(folder.join("joints_truth.csv")).unwrap();
        let truth = text.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            (fields[0].to_owned(), numbers(&fields[1..4]))
        });
        Person {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            meshes: names
                .map(|name| ((*name).to_owned(), read_f32x3(&folder.join(format!("{name}.f32")))))
                .collect(),
            truth: truth.collect(),
        }
    }

    /// The template itself as a person.
    pub fn archetype(&self) -> Person {
        let names = HEAD_MESHES.iter().chain(&BODY_MESHES);
        Person {
            name: "template".into(),
            meshes: names
                .map(|name| ((*name).to_owned(), read_f32x3(&self.dir.join(format!("template/{name}.f32")))))
                .collect(),
            truth: self.joints.iter().map(|joint| (joint.name.clone(), joint.position)).collect(),
        }
    }

    fn skeleton(&self, sets: [&str; 2]) -> (JointHierarchy, Vec<Vector3<f64>>, HashMap<usize, JointId>) {
        let members: Vec<usize> =
            (0..self.joints.len()).filter(|&j| sets.contains(&self.joints[j].set.as_str())).collect();
        let ids: HashMap<usize, JointId> =
            members.iter().enumerate().map(|(at, &joint)| (joint, JointId(at as u16))).collect();
        let by_name: HashMap<&str, JointId> =
            members.iter().map(|&joint| (self.joints[joint].name.as_str(), ids[&joint])).collect();
        let parents = members.iter().map(|&j| by_name.get(self.joints[j].parent.as_str()).copied()).collect();
        let names = members.iter().map(|&j| self.joints[j].name.clone()).collect();
        let rest = members.iter().map(|&j| self.joints[j].position).collect();
        (JointHierarchy::new(names, parents).unwrap(), rest, ids)
    }

    fn mesh(&self, name: &str, ids: &HashMap<usize, JointId>) -> TemplateMesh {
        let positions = read_f32x3(&self.dir.join(format!("template/{name}.f32")));
        let obj = fs::read_to_string(self.dir.join(format!("template/{name}.obj"))).unwrap();
        let mut faces = Polygons::default();
        let mut uv = UvSet::default();
        for line in obj.lines() {
            if let Some(rest) = line.strip_prefix("f ") {
                let corner =
                    |text: &str, at: usize| text.split('/').nth(at).unwrap().parse::<u32>().unwrap() - 1;
                faces.push(rest.split_whitespace().map(|text| corner(text, 0))).unwrap();
                uv.corners.extend(rest.split_whitespace().map(|text| corner(text, 1)));
            } else if let Some(rest) = line.strip_prefix("vt ") {
                let mut values = rest.split_whitespace().map(|text| text.parse::<f32>().unwrap());
                uv.coords.push([values.next().unwrap(), values.next().unwrap()]);
            }
        }
        let weights = fs::read_to_string(self.dir.join(format!("weights/{name}.csv"))).unwrap();
        let mut influences = vec![Vec::new(); positions.len()];
        for line in weights.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let joint = ids[&fields[1].parse::<usize>().unwrap()];
            influences[fields[0].parse::<usize>().unwrap()].push((joint, fields[2].parse::<f32>().unwrap()));
        }
        let mut skin = SkinWeights::default();
        influences.into_iter().for_each(|vertex| skin.push(vertex));
        TemplateMesh { name: name.to_owned(), mesh: Mesh { positions, faces, uv: Some(uv) }, skin }
    }

    fn mapping(&self) -> Vec<MappingTable> {
        let table = |mesh: &str| {
            let text = fs::read_to_string(self.dir.join(format!("vertex_joint_mapping/{mesh}.csv"))).unwrap();
            let row = |line: &str| {
                let fields: Vec<&str> = line.split_whitespace().collect();
                MappingRow {
                    joint: fields[0].to_owned(),
                    vertex: fields[1].parse().unwrap(),
                    offset_cm: (fields.len() == 5).then(|| numbers(&fields[2..5]).into()),
                }
            };
            MappingTable { mesh: mesh.to_owned(), rows: text.lines().map(row).collect() }
        };
        ["head_lod0_mesh", "teeth_lod0_mesh"].map(table).to_vec()
    }

    /// The head's rules as the archetype states them.
    pub fn head_settings(&self) -> TemplateSettings {
        let chain = |joint: &str| ChainRule {
            joint: joint.to_owned(),
            from: "head".to_owned(),
            to: "FACIAL_C_Chin2".to_owned(),
        };
        let eye = |side: &str, mesh: &str| EyeRule {
            mesh: format!("{mesh}_lod0_mesh"),
            joint: format!("FACIAL_{side}_Eye"),
        };
        let shared = self.joints.iter().filter(|joint| joint.set == "shared");
        TemplateSettings {
            mapping: self.mapping(),
            eyes: vec![eye("L", "eyeLeft"), eye("R", "eyeRight")],
            chains: vec![chain("FACIAL_C_Jaw"), chain("FACIAL_C_LowerLipRotation")],
            foreign_joints: shared.map(|joint| joint.name.clone()).collect(),
        }
    }

    /// The head's template; `rotation` gives each joint its neutral local rotation by joint number.
    pub fn head(&self, rotation: impl Fn(usize) -> Rotation3<f64>) -> FitTemplate {
        self.template(["head", "shared"], &HEAD_MESHES, &self.head_settings(), rotation)
    }

    /// The body's template.
    pub fn body(&self, rotation: impl Fn(usize) -> Rotation3<f64>) -> FitTemplate {
        self.template(["body", "shared"], &BODY_MESHES, &TemplateSettings::default(), rotation)
    }

    fn template(
        &self,
        sets: [&str; 2],
        meshes: &[&str],
        settings: &TemplateSettings,
        rotation: impl Fn(usize) -> Rotation3<f64>,
    ) -> FitTemplate {
        let (hierarchy, rest, ids) = self.skeleton(sets);
        let rotations: Vec<_> = (0..hierarchy.len()).map(rotation).collect();
        let pose = pose_from_world(&hierarchy, &rest, rotations);
        let meshes = meshes.iter().map(|name| self.mesh(name, &ids)).collect();
        FitTemplate::new(hierarchy, &pose, meshes, settings).unwrap()
    }
}

/// Local translations in `f64` for world positions and local rotations.
pub fn pose_from_world(
    hierarchy: &JointHierarchy,
    world: &[Vector3<f64>],
    rotations: Vec<Rotation3<f64>>,
) -> JointPose {
    let mut frames = vec![Rotation3::identity(); world.len()];
    let mut translations = vec![Vector3::zeros(); world.len()];
    for &joint in hierarchy.top_down() {
        let index = joint.index();
        let (origin, frame) = match hierarchy.parent(joint) {
            Some(parent) => (world[parent.index()], frames[parent.index()]),
            None => (Vector3::zeros(), Rotation3::identity()),
        };
        translations[index] = frame.inverse_transform_vector(&(world[index] - origin));
        frames[index] = frame * rotations[index];
    }
    JointPose { translations, rotations }
}

impl Person {
    /// The person's meshes for `template`, those in `left_out` missing.
    pub fn targets(&self, template: &FitTemplate, left_out: &[&str]) -> Targets<'_> {
        let meshes = self.meshes.iter().filter(|(name, _)| !left_out.contains(&name.as_str()));
        template.targets(meshes.map(|(name, positions)| (name.as_str(), positions.as_slice()))).unwrap()
    }

    pub fn truth(&self, template: &FitTemplate) -> Vec<Option<Vector3<f64>>> {
        template.hierarchy().names().iter().map(|name| self.truth.get(name).copied()).collect()
    }
}

pub fn run(
    template: &FitTemplate,
    targets: &Targets<'_>,
    constraints: &[Constraint],
    options: &FitOptions,
) -> Placement {
    let cancel = Cancel::default();
    fit(template, targets, constraints, options, Job { progress: &Silent, cancel: &cancel }).unwrap()
}

/// The shared joints of a body fit as constraints of the head.
pub fn shared_constraints(body: &FitTemplate, fitted: &Placement, head: &FitTemplate) -> Vec<Constraint> {
    let pairs = shared_joints(body.hierarchy(), head.hierarchy());
    let constraint = |&(body, head): &(JointId, JointId)| Constraint {
        joint: head,
        position: fitted.joints[body.index()].position,
        kind: ConstraintKind::Shared,
    };
    pairs.iter().map(constraint).collect()
}

pub fn no_rotation(_: usize) -> Rotation3<f64> {
    Rotation3::identity()
}
