//! What the hostile scenes are made of: one person of the demo human, and writers of the formats with their quirks.
#![allow(unreachable_pub, clippy::unwrap_used)]

pub mod cases;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use mhrig::{Cancel, DemoRequest, Fix, Job, Mesh, Silent};
use mhrig_scene::{MaWriteOptions, NamedMesh, write_glb, write_ma, write_obj};
use mhrig_synth::DemoHuman;
use tempfile::TempDir;

pub const HEAD: &str = "head_lod0_mesh";
pub const TEETH: &str = "teeth_lod0_mesh";
pub const BODY: &str = "body_lod0_mesh";
pub const LEFT_EYE: &str = "eyeLeft_lod0_mesh";
pub const LASHES: &str = "eyelashes_lod0_mesh";

/// One scene: who reported the like of it, what it is, what is said of it.
pub struct Case {
    /// Entry of the collection of public reports.
    pub entry: &'static str,
    pub name: &'static str,
    pub format: &'static str,
    /// The files that differ from the good person's; a file named like a mesh replaces it.
    pub files: fn(&Kit) -> Vec<File>,
    /// Meshes of the good person that are left out.
    pub without: &'static [&'static str],
    pub codes: &'static [&'static str],
    pub fixes: &'static [Fix],
    /// Codes after the repair.
    pub after: &'static [&'static str],
    /// Codes of a build, where one is made.
    pub build: Option<&'static [&'static str]>,
}

/// A file's name and content.
pub type File = (String, Vec<u8>);

pub struct Kit {
    pub archetype: PathBuf,
    pub meshes: Vec<(&'static str, Mesh)>,
    good: Vec<File>,
    _dir: TempDir,
}

impl Kit {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let request =
            DemoRequest { identity: "dev06_asym_face".into(), ..DemoRequest::new(dir.path().join("demo")) };
        let cancel = Cancel::default();
        let report = mhrig::demo(&request, Job { progress: &Silent, cancel: &cancel });
        let archetype = report.details.unwrap().archetype_dir;
        let meshes = DemoHuman::load().unwrap().identity_meshes("dev06_asym_face").unwrap();
        let good = meshes.iter().map(|(name, mesh)| obj(name, mesh)).collect();
        Self { archetype, meshes, good, _dir: dir }
    }

    pub fn mesh(&self, name: &str) -> &Mesh {
        &self.meshes.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// All meshes, changed.
    pub fn all(&self, change: impl Fn(&Mesh) -> Mesh) -> Vec<File> {
        self.meshes.iter().map(|(name, mesh)| obj(name, &change(mesh))).collect()
    }

    /// Writes the person with the files of the case.
    pub fn write(&self, folder: &Path, case: &Case) {
        fs::create_dir_all(folder).unwrap();
        let files = (case.files)(self);
        let is_replaced = |name: &str| {
            let stem = name.trim_end_matches(".obj");
            case.without.contains(&stem) || files.iter().any(|(file, _)| file.starts_with(stem))
        };
        let good = self.good.iter().filter(|(name, _)| !is_replaced(name));
        for (name, bytes) in good.chain(&files) {
            fs::write(folder.join(name), bytes).unwrap();
        }
    }

    /// What is given to the program: every file.
    pub fn inputs(folder: &Path) -> Vec<PathBuf> {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

pub fn moved(mesh: &Mesh, change: impl Fn([f32; 3]) -> [f32; 3]) -> Mesh {
    Mesh { positions: mesh.positions.iter().map(|&p| change(p)).collect(), ..mesh.clone() }
}

pub fn scaled(mesh: &Mesh, by: f32) -> Mesh {
    moved(mesh, |p| p.map(|c| c * by))
}

fn named<'a>(name: &'a str, mesh: &'a Mesh) -> NamedMesh<'a> {
    NamedMesh { name, mesh, normals: None }
}

/// `NAME.obj`.
pub fn obj(name: &str, mesh: &Mesh) -> File {
    let mut bytes = Vec::new();
    write_obj(&mut bytes, &[named(name, mesh)]).unwrap();
    (format!("{name}.obj"), bytes)
}

pub fn text(file: File) -> String {
    String::from_utf8(file.1).unwrap()
}

/// `NAME.glb`, as this program writes it: triangles, split at texture seams, metres.
pub fn glb(name: &str, mesh: &Mesh) -> File {
    let mut bytes = Vec::new();
    write_glb(&mut bytes, &[named(name, mesh)]).unwrap();
    (format!("{name}.glb"), bytes)
}

/// `NAME.ma`, with `edit` done to its text.
pub fn ma(name: &str, mesh: &Mesh, edit: impl Fn(String) -> String) -> File {
    let mut bytes = Vec::new();
    write_ma(&mut bytes, &[named(name, mesh)], &MaWriteOptions::default()).unwrap();
    let edited = edit(String::from_utf8(bytes).unwrap());
    (format!("{name}.ma"), edited.into_bytes())
}

/// Puts `lines` behind the statement that creates the transform.
pub fn at_transform(scene: String, lines: &str) -> String {
    let at = scene.find("createNode transform").unwrap();
    let end = at + scene[at..].find(";\n").unwrap() + 2;
    format!("{}{lines}{}", &scene[..end], &scene[end..])
}

/// Puts `lines` at the end of the shape's attributes.
pub fn at_shape(scene: String, lines: &str) -> String {
    let at = scene.find("createNode mesh").unwrap();
    let end = at + scene[at..].find(";\n").unwrap() + 2;
    format!("{}{lines}{}", &scene[..end], &scene[end..])
}

/// How an FBX file says its lengths and axes, and where the mesh stands.
pub struct Fbx {
    pub unit_cm: f64,
    pub z_up: bool,
    /// Properties of the model, lines of `P: …`.
    pub properties: &'static str,
}

impl Default for Fbx {
    fn default() -> Self {
        Self { unit_cm: 1.0, z_up: false, properties: "" }
    }
}

/// `NAME.fbx` as text.
pub fn fbx(name: &str, mesh: &Mesh, how: &Fbx) -> File {
    let list =
        |numbers: Vec<String>| format!("*{} {{\n\t\t\ta: {}\n\t\t}}", numbers.len(), numbers.join(","));
    let vertices = list(mesh.positions.iter().flatten().map(f32::to_string).collect());
    let corners = mesh.faces.iter().flat_map(|face| {
        let last = face.len() - 1;
        face.iter()
            .enumerate()
            .map(move |(at, &c)| if at == last { -i64::from(c) - 1 } else { i64::from(c) }.to_string())
    });
    let corners = list(corners.collect());
    let uv = mesh.uv.as_ref().map_or_else(String::new, |uv| {
        format!(
            "\t\tLayerElementUV: 0 {{\n\t\tVersion: 101\n\t\tName: \"map1\"\n\t\tMappingInformationType: \"ByPolygonVertex\"\n\
             \t\tReferenceInformationType: \"IndexToDirect\"\n\t\tUV: {}\n\t\tUVIndex: {}\n\t\t}}\n\
             \t\tLayer: 0 {{\n\t\tVersion: 100\n\t\tLayerElement:  {{\n\t\tType: \"LayerElementUV\"\n\t\tTypedIndex: 0\n\t\t}}\n\t\t}}\n",
            list(uv.coords.iter().flatten().map(f32::to_string).collect()),
            list(uv.corners.iter().map(u32::to_string).collect()),
        )
    });
    let (up, front, sign) = if how.z_up { (2, 1, -1) } else { (1, 2, 1) };
    let mut out = String::from(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n",
    );
    write!(
        out,
        "GlobalSettings:  {{\n\tVersion: 1000\n\tProperties70:  {{\n\
         \t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",{up}\n\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n\
         \t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",{front}\n\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",{sign}\n\
         \t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n\
         \t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\n\t}}\n}}\n\
         Objects:  {{\n\tGeometry: 10, \"Geometry::{name}Shape\", \"Mesh\" {{\n\t\tVertices: {vertices}\n\
         \t\tPolygonVertexIndex: {corners}\n\t\tGeometryVersion: 124\n{uv}\t}}\n\
         \tModel: 20, \"Model::{name}\", \"Mesh\" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n{}\t\t}}\n\t}}\n}}\n\
         Connections:  {{\n\tC: \"OO\",20,0\n\tC: \"OO\",10,20\n}}\n",
        how.unit_cm, how.properties
    )
    .unwrap();
    (format!("{name}.fbx"), out.into_bytes())
}
