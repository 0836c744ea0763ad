//! The data of the demo human as it is in the assets.

use mhrig_archetype::{MappingTable, SeamPair, parse_mapping, parse_seam};
use mhrig_geom::{JointId, Mesh, Polygons, SkinWeights, UvSet};

use crate::SynthError;
use crate::coarse::CoarsePart;
use crate::pack::{Content, Pack};

const TEMPLATE: &[u8] = include_bytes!("../../../assets/demo-human/template.pack");
const IDENTITIES: &[u8] = include_bytes!("../../../assets/demo-human/identities.pack");
const EXPRESSIONS: &[u8] = include_bytes!("../../../assets/demo-human/expressions.pack");
const LODS: &[u8] = include_bytes!("../../../assets/demo-human/lods.pack");

const PARTS: [&str; 10] = [
    "head_lod0_mesh",
    "teeth_lod0_mesh",
    "saliva_lod0_mesh",
    "eyeLeft_lod0_mesh",
    "eyeRight_lod0_mesh",
    "eyeshell_lod0_mesh",
    "eyelashes_lod0_mesh",
    "eyeEdge_lod0_mesh",
    "cartilage_lod0_mesh",
    "body_lod0_mesh",
];

/// Number of vertices per LOD and part, in the order of [`human_parts`]: in proportion to those of a MetaHuman, where small
/// parts vanish from coarse LODs. Equal numbers in a row are one and the same mesh.
const LOD_VERTICES: [&[usize]; 10] = [
    &[4368, 2176, 1090, 464, 236, 128, 84, 56],
    &[362, 258, 134, 72, 52, 40, 30, 24],
    &[70, 46, 26],
    &[72, 48, 36, 26, 26, 18, 14, 12],
    &[72, 48, 36, 26, 26, 18, 14, 12],
    &[280, 168, 104, 62, 36],
    &[250, 182, 80, 46],
    &[224, 224, 144, 94],
    &[60, 52],
    &[9054, 4520, 2030, 812],
];

/// Number of vertices of the neck seam per LOD of the body.
pub const SEAM_VERTICES: [usize; 4] = [42, 28, 18, 12];

/// Vertices that part `part` of [`human_parts`] is meant to have in each of its LODs.
pub fn lod_vertices(part: usize) -> &'static [usize] {
    LOD_VERTICES.get(part).copied().unwrap_or(&[])
}

/// The LOD of the body whose neck meets LOD `head_lod` of the head.
pub fn body_lod_at(head_lod: usize) -> usize {
    (head_lod / 2).min(SEAM_VERTICES.len() - 1)
}

/// The name of a part's mesh at a LOD: `head_lod0_mesh` at 2 is `head_lod2_mesh`.
pub fn lod_mesh_name(part: &str, lod: usize) -> String {
    part.replace("lod0", &format!("lod{lod}"))
}

/// The meshes of the demo human in the order of a MetaHuman head; the body is last.
pub fn human_parts() -> &'static [&'static str] {
    &PARTS
}

/// Which skeleton a joint belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointSet {
    /// Only the head's.
    Head,
    /// Only the body's.
    Body,
    /// Both.
    Shared,
}

/// One joint at rest. All rest orientations of the data are the identity.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanJoint {
    /// Name.
    pub name: String,
    /// Number of the parent, which is smaller than the joint's own; `None` for the root.
    pub parent: Option<usize>,
    /// World position, cm, Y up.
    pub position: [f64; 3],
    /// Skeletons that have it.
    pub set: JointSet,
}

/// One mesh with its skin weights.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanPart {
    /// Name, such as `head_lod0_mesh`.
    pub name: &'static str,
    /// The mesh at rest.
    pub mesh: Mesh,
    /// Influences per vertex: numbers of [`DemoHuman::joints`], sums 1.
    pub skin: SkinWeights,
}

/// A coarser version of a part: some of its vertices, other faces.
#[derive(Clone, Debug, PartialEq)]
pub struct PartLod {
    /// The vertices of the LOD 0 mesh that it has, ascending.
    pub vertices: Vec<u32>,
    /// The mesh.
    pub mesh: Mesh,
}

/// What an expression does to one joint: relative to rest, in axes parallel to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HumanJointDelta {
    /// Number of the joint.
    pub joint: usize,
    /// Translation in the parent's frame, cm.
    pub translation: [f64; 3],
    /// Angles about x, y, z, degrees (`Rz · Ry · Rx`).
    pub rotation_deg: [f64; 3],
}

/// A sparse displacement of one mesh.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SparseShape {
    /// Vertices, ascending.
    pub vertices: Vec<u32>,
    /// One displacement each, cm.
    pub deltas: Vec<[f32; 3]>,
}

/// One of the 52 expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanExpression {
    /// ARKit name.
    pub name: String,
    /// Joints that move.
    pub joints: Vec<HumanJointDelta>,
    /// Whole displacement per part, in the order of [`human_parts`]; joints and blend shapes together.
    pub full: Vec<SparseShape>,
}

/// Name of the person that the archetype is made of, among the people.
pub const TEMPLATE_IDENTITY: &str = "template";

/// One of the people.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// Name.
    pub name: String,
    /// Vertex positions per part, in the order of [`human_parts`].
    pub positions: Vec<Vec<[f32; 3]>>,
    /// True world positions in the order of [`DemoHuman::joints`].
    pub joints: Vec<[f64; 3]>,
}

/// The data of the demo human: a template person, eight others, 52 expressions. Lengths in cm, Y up, facing +Z.
#[derive(Clone, Debug, PartialEq)]
pub struct DemoHuman {
    /// Joints of head and body together, parents first.
    pub joints: Vec<HumanJoint>,
    /// The meshes, in the order of [`human_parts`].
    pub parts: Vec<HumanPart>,
    /// LODs 1 and up of each part, in the order of [`human_parts`].
    pub lods: Vec<Vec<PartLod>>,
    /// Mapping tables of the head.
    pub mappings: Vec<MappingTable>,
    /// Vertices where head and body meet.
    pub seam: Vec<SeamPair>,
    /// The expressions.
    pub expressions: Vec<HumanExpression>,
    /// The people, the one that the archetype is made of last.
    pub identities: Vec<Identity>,
}

impl DemoHuman {
    /// Unpacks the assets.
    ///
    /// # Errors
    /// When the assets of this build are damaged.
    pub fn load() -> Result<Self, SynthError> {
        let template = open("template", TEMPLATE)?;
        let joints = parse_joints(template.text("joints.csv")?)?;
        let parts = read_parts(&template, joints.len())?;
        let lods = read_lods(&open("lods", LODS)?, &parts)?;
        let mut mappings = Vec::new();
        for (entry, _) in template.pack.entries() {
            let stem = entry.strip_prefix("vertex_joint_mapping/").and_then(|name| name.strip_suffix(".csv"));
            if let Some(mesh) = stem {
                let (rows, findings) = parse_mapping(entry, template.text(entry)?);
                all_rows(entry, &findings)?;
                mappings.push(MappingTable { mesh: mesh.to_owned(), rows });
            }
        }
        let (seam, findings) = parse_seam("neck_seam.csv", template.text("neck_seam.csv")?);
        all_rows("neck_seam.csv", &findings)?;
        let expressions = read_expressions(&open("expressions", EXPRESSIONS)?, &joints, &parts)?;
        let mut identities = read_identities(&open("identities", IDENTITIES)?, &joints, &parts)?;
        identities.push(Identity {
            name: TEMPLATE_IDENTITY.to_owned(),
            positions: parts.iter().map(|part| part.mesh.positions.clone()).collect(),
            joints: joints.iter().map(|joint| joint.position).collect(),
        });
        Ok(Self { joints, parts, lods, mappings, seam, expressions, identities })
    }

    /// The number that vertex `vertex` of a part's LOD 0 mesh has at LOD `lod`; `None` where that LOD lacks it.
    pub(crate) fn place_in_lod(&self, part: usize, lod: usize, vertex: u32) -> Option<usize> {
        match lod.checked_sub(1) {
            None => Some(vertex as usize),
            Some(at) => self.lods[part].get(at)?.vertices.binary_search(&vertex).ok(),
        }
    }

    /// The person called `name`.
    ///
    /// # Errors
    /// [`SynthError::Identity`] with the names there are.
    pub fn identity(&self, name: &str) -> Result<&Identity, SynthError> {
        self.identities.iter().find(|identity| identity.name == name).ok_or_else(|| SynthError::Identity {
            found: name.to_owned(),
            known: self.identities.iter().map(|identity| identity.name.clone()).collect(),
        })
    }

    /// The meshes of one person: the topology of the template, that person's positions.
    ///
    /// # Errors
    /// [`SynthError::Identity`] when there is no such person.
    pub fn identity_meshes(&self, name: &str) -> Result<Vec<(&'static str, Mesh)>, SynthError> {
        let identity = self.identity(name)?;
        let meshes = self.parts.iter().zip(&identity.positions);
        Ok(meshes
            .map(|(part, positions)| (part.name, Mesh { positions: positions.clone(), ..part.mesh.clone() }))
            .collect())
    }

    /// The true joints of one person, `(name, world position in cm)`, head and body together.
    ///
    /// # Errors
    /// [`SynthError::Identity`] when there is no such person.
    pub fn identity_joints(&self, name: &str) -> Result<Vec<(&str, [f64; 3])>, SynthError> {
        let identity = self.identity(name)?;
        Ok(self.joints.iter().map(|joint| joint.name.as_str()).zip(identity.joints.iter().copied()).collect())
    }

    /// The number of the joint called `name`.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}

/// Parts and neck seam of a template pack, for the program that makes the other packs.
///
/// # Errors
/// When the pack lacks an entry or its entries disagree.
pub fn template_parts(template: Pack) -> Result<(Vec<HumanPart>, Vec<SeamPair>), SynthError> {
    let template = NamedPack { name: "template", pack: template };
    let joints = parse_joints(template.text("joints.csv")?)?;
    let (seam, findings) = parse_seam("neck_seam.csv", template.text("neck_seam.csv")?);
    all_rows("neck_seam.csv", &findings)?;
    Ok((read_parts(&template, joints.len())?, seam))
}

fn read_parts(template: &NamedPack, joint_count: usize) -> Result<Vec<HumanPart>, SynthError> {
    PARTS.iter().map(|part| read_part(template, part, joint_count)).collect()
}

fn read_lods(pack: &NamedPack, parts: &[HumanPart]) -> Result<Vec<Vec<PartLod>>, SynthError> {
    let mut lods = Vec::with_capacity(parts.len());
    for (part, counts) in parts.iter().zip(LOD_VERTICES) {
        let mut of_part: Vec<PartLod> = Vec::new();
        for lod in 1..counts.len() {
            let same_as_before = counts[lod] == counts[lod - 1];
            of_part.push(match of_part.last() {
                Some(before) if same_as_before => before.clone(),
                None if same_as_before => PartLod {
                    vertices: (0..part.mesh.positions.len() as u32).collect(),
                    mesh: part.mesh.clone(),
                },
                _ => read_lod(pack, part, lod)?,
            });
        }
        lods.push(of_part);
    }
    Ok(lods)
}

fn read_lod(pack: &NamedPack, part: &HumanPart, lod: usize) -> Result<PartLod, SynthError> {
    let entry = |field: &str| format!("{}/{field}", lod_mesh_name(part.name, lod));
    let vertices = pack.u16s(&entry("vertices"))?;
    let corners = pack.u16s(&entry("triangles"))?;
    let uv_corners = pack.u16s(&entry("uv_triangles"))?;
    let coords = part.mesh.uv.as_ref().map_or(&[][..], |uv| &uv.coords);
    expect_count(&entry("triangles"), corners.len() / 3 * 3, corners.len())?;
    expect_count(&entry("uv_triangles"), corners.len(), uv_corners.len())?;
    expect_below(&entry("vertices"), part.mesh.positions.len(), vertices.iter().copied())?;
    expect_below(&entry("triangles"), vertices.len(), corners.iter().copied())?;
    expect_below(&entry("uv_triangles"), coords.len(), uv_corners.iter().copied())?;
    let wide = |numbers: &[u16]| numbers.iter().copied().map(u32::from).collect();
    let coarse =
        CoarsePart { vertices: wide(vertices), corners: wide(corners), uv_corners: wide(uv_corners) };
    part_lod(part, &coarse)
}

/// A coarser version of a part as a mesh. Texture coordinates keep the order of LOD 0.
pub(crate) fn part_lod(part: &HumanPart, coarse: &CoarsePart) -> Result<PartLod, SynthError> {
    let coords = part.mesh.uv.as_ref().map_or(&[][..], |uv| &uv.coords);
    let mut used = coarse.uv_corners.clone();
    used.sort_unstable();
    used.dedup();
    let uv = UvSet {
        coords: used.iter().map(|&uv| coords[uv as usize]).collect(),
        corners: coarse.uv_corners.iter().map(|uv| used.partition_point(|known| known < uv) as u32).collect(),
    };
    let mut faces = Polygons::with_capacity(coarse.corners.len() / 3, coarse.corners.len());
    for triangle in coarse.corners.chunks_exact(3) {
        faces.push(triangle.iter().copied()).map_err(|error| SynthError::Mismatch {
            what: part.name.to_owned(),
            expected: "faces that can be held".to_owned(),
            found: error.to_string(),
        })?;
    }
    let positions = coarse.vertices.iter().map(|&vertex| part.mesh.positions[vertex as usize]).collect();
    Ok(PartLod { vertices: coarse.vertices.clone(), mesh: Mesh { positions, faces, uv: Some(uv) } })
}

struct NamedPack {
    name: &'static str,
    pack: Pack,
}

fn open(name: &'static str, bytes: &[u8]) -> Result<NamedPack, SynthError> {
    match Pack::from_bytes(bytes) {
        Ok(pack) => Ok(NamedPack { name, pack }),
        Err(reason) => Err(SynthError::Pack { pack: name.to_owned(), reason }),
    }
}

impl NamedPack {
    fn missing(&self, entry: &str, kind: &'static str) -> SynthError {
        SynthError::Entry { pack: self.name.to_owned(), entry: entry.to_owned(), kind }
    }

    fn text(&self, entry: &str) -> Result<&str, SynthError> {
        let bytes = match self.pack.get(entry) {
            Some(Content::Bytes(bytes)) => std::str::from_utf8(bytes).ok(),
            _ => None,
        };
        bytes.ok_or_else(|| self.missing(entry, "text"))
    }

    fn u16s(&self, entry: &str) -> Result<&[u16], SynthError> {
        match self.pack.get(entry) {
            Some(Content::U16(values)) => Ok(values),
            _ => Err(self.missing(entry, "u16")),
        }
    }

    fn u32s(&self, entry: &str) -> Result<&[u32], SynthError> {
        match self.pack.get(entry) {
            Some(Content::U32(values)) => Ok(values),
            _ => Err(self.missing(entry, "u32")),
        }
    }

    fn f32s(&self, entry: &str) -> Result<&[f32], SynthError> {
        match self.pack.get(entry) {
            Some(Content::F32(values)) => Ok(values),
            _ => Err(self.missing(entry, "f32")),
        }
    }

    /// Vectors stored as all x, then all y, then all z.
    fn vectors(&self, entry: &str) -> Result<Vec<[f32; 3]>, SynthError> {
        let values = self.f32s(entry)?;
        let count = values.len() / 3;
        expect_count(entry, count * 3, values.len())?;
        let (xs, rest) = values.split_at(count);
        let (ys, zs) = rest.split_at(count);
        Ok(xs.iter().zip(ys).zip(zs).map(|((&x, &y), &z)| [x, y, z]).collect())
    }
}

fn expect_count(what: &str, expected: usize, found: usize) -> Result<(), SynthError> {
    if expected == found {
        return Ok(());
    }
    Err(SynthError::Mismatch {
        what: what.to_owned(),
        expected: expected.to_string(),
        found: found.to_string(),
    })
}

fn expect_below(what: &str, limit: usize, found: impl IntoIterator<Item = u16>) -> Result<(), SynthError> {
    match found.into_iter().find(|&number| usize::from(number) >= limit) {
        None => Ok(()),
        Some(number) => Err(SynthError::Mismatch {
            what: what.to_owned(),
            expected: format!("numbers below {limit}"),
            found: number.to_string(),
        }),
    }
}

fn all_rows(table: &str, findings: &[mhrig_report::Finding]) -> Result<(), SynthError> {
    match findings.first() {
        None => Ok(()),
        Some(finding) => Err(SynthError::Mismatch {
            what: table.to_owned(),
            expected: finding.expected.clone().unwrap_or_default(),
            found: finding.found.clone().unwrap_or_default(),
        }),
    }
}

fn table_error(table: &str, line: usize, expected: &'static str, found: &str) -> SynthError {
    SynthError::Table { table: table.to_owned(), line: line + 1, expected, found: found.to_owned() }
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

fn parse_joints(text: &str) -> Result<Vec<HumanJoint>, SynthError> {
    let table = "joints.csv";
    let mut joints: Vec<HumanJoint> = Vec::new();
    for (at, line) in text.lines().enumerate().skip(1) {
        let bad = |expected| table_error(table, at, expected, line);
        let fields: Vec<&str> = line.split(',').collect();
        let [name, parent, x, y, z, set] = fields.as_slice() else {
            return Err(bad("name,parent,x,y,z,set"));
        };
        let parent = match *parent {
            "" => None,
            parent => {
                let found = joints.iter().position(|joint| joint.name == parent);
                Some(found.ok_or_else(|| bad("a parent above its child"))?)
            }
        };
        let coordinate = |text| number(text).ok_or_else(|| bad("a number"));
        let set = match *set {
            "head" => JointSet::Head,
            "body" => JointSet::Body,
            "shared" => JointSet::Shared,
            _ => return Err(bad("head, body or shared")),
        };
        let position = [coordinate(x)?, coordinate(y)?, coordinate(z)?];
        joints.push(HumanJoint { name: (*name).to_owned(), parent, position, set });
    }
    Ok(joints)
}

fn read_part(pack: &NamedPack, part: &'static str, joint_count: usize) -> Result<HumanPart, SynthError> {
    let entry = |field: &str| format!("{part}/{field}");
    let positions = pack.vectors(&entry("positions"))?;
    let corners = pack.u16s(&entry("quads"))?;
    let uv_corners = pack.u16s(&entry("uv_quads"))?;
    let uvs = pack.f32s(&entry("uv"))?;
    let (us, vs) = uvs.split_at(uvs.len() / 2);
    expect_count(&entry("uv"), us.len(), vs.len())?;
    expect_count(&entry("uv_quads"), corners.len(), uv_corners.len())?;
    expect_count(&entry("quads"), corners.len() / 4 * 4, corners.len())?;
    expect_below(&entry("quads"), positions.len(), corners.iter().copied())?;
    expect_below(&entry("uv_quads"), us.len(), uv_corners.iter().copied())?;
    let mut faces = Polygons::with_capacity(corners.len() / 4, corners.len());
    for quad in corners.chunks_exact(4) {
        faces.push(quad.iter().map(|&vertex| u32::from(vertex))).map_err(|error| SynthError::Mismatch {
            what: entry("quads"),
            expected: "faces that can be held".to_owned(),
            found: error.to_string(),
        })?;
    }
    let uv = UvSet {
        coords: us.iter().zip(vs).map(|(&u, &v)| [u, v]).collect(),
        corners: uv_corners.iter().map(|&uv| u32::from(uv)).collect(),
    };

    let counts = pack.u16s(&entry("influence_counts"))?;
    let joints = pack.u16s(&entry("influence_joints"))?;
    let weights = pack.f32s(&entry("influence_weights"))?;
    expect_count(&entry("influence_counts"), positions.len(), counts.len())?;
    expect_count(&entry("influence_joints"), counts.iter().map(|&c| usize::from(c)).sum(), joints.len())?;
    expect_count(&entry("influence_weights"), joints.len(), weights.len())?;
    expect_below(&entry("influence_joints"), joint_count, joints.iter().copied())?;
    let mut skin = SkinWeights::default();
    let mut at = 0;
    for &count in counts {
        let range = at..at + usize::from(count);
        at = range.end;
        let sum: f64 = weights[range.clone()].iter().map(|&weight| f64::from(weight)).sum();
        let influences = joints[range.clone()].iter().zip(&weights[range]);
        skin.push(influences.map(|(&joint, &weight)| (JointId(joint), (f64::from(weight) / sum) as f32)));
    }
    let mesh = Mesh { positions, faces, uv: Some(uv) };
    Ok(HumanPart { name: part, mesh, skin })
}

fn read_expressions(
    pack: &NamedPack,
    joints: &[HumanJoint],
    parts: &[HumanPart],
) -> Result<Vec<HumanExpression>, SynthError> {
    let mut expressions: Vec<HumanExpression> = pack
        .text("names.txt")?
        .lines()
        .map(|name| HumanExpression { name: name.to_owned(), joints: Vec::new(), full: Vec::new() })
        .collect();

    let table = "joint_deltas.csv";
    for (at, line) in pack.text(table)?.lines().enumerate().skip(1) {
        let bad = |expected| table_error(table, at, expected, line);
        let fields: Vec<&str> = line.split(',').collect();
        let [name, joint, numbers @ ..] = fields.as_slice() else { return Err(bad("eight fields")) };
        let numbers: Option<Vec<f64>> = numbers.iter().map(|text| number(text)).collect();
        let Some([tx, ty, tz, rx, ry, rz]) = numbers.as_deref() else { return Err(bad("six numbers")) };
        let joint = joints.iter().position(|known| known.name == *joint);
        let joint = joint.ok_or_else(|| bad("a joint of joints.csv"))?;
        let expression = expressions.iter_mut().find(|expression| expression.name == *name);
        let expression = expression.ok_or_else(|| bad("an expression of names.txt"))?;
        expression.joints.push(HumanJointDelta {
            joint,
            translation: [*tx, *ty, *tz],
            rotation_deg: [*rx, *ry, *rz],
        });
    }

    for part in parts {
        let entry = |field: &str| format!("{}/{field}", part.name);
        if pack.pack.get(&entry("vertex_counts")).is_none() {
            // The body does not move in expressions.
            for expression in &mut expressions {
                expression.full.push(SparseShape::default());
            }
            continue;
        }
        let counts = pack.u32s(&entry("vertex_counts"))?;
        let vertices = pack.u16s(&entry("vertices"))?;
        let deltas = pack.vectors(&entry("deltas"))?;
        expect_count(&entry("vertex_counts"), expressions.len(), counts.len())?;
        expect_count(&entry("vertices"), counts.iter().map(|&c| c as usize).sum(), vertices.len())?;
        expect_count(&entry("deltas"), vertices.len(), deltas.len())?;
        expect_below(&entry("vertices"), part.mesh.positions.len(), vertices.iter().copied())?;
        let mut at = 0;
        for (expression, &count) in expressions.iter_mut().zip(counts) {
            let range = at..at + count as usize;
            at = range.end;
            expression.full.push(SparseShape {
                vertices: vertices[range.clone()].iter().map(|&vertex| u32::from(vertex)).collect(),
                deltas: deltas[range].to_vec(),
            });
        }
    }
    Ok(expressions)
}

fn read_identities(
    pack: &NamedPack,
    joints: &[HumanJoint],
    parts: &[HumanPart],
) -> Result<Vec<Identity>, SynthError> {
    let names = pack.pack.entries().iter().filter_map(|(entry, _)| entry.strip_suffix("/joints.csv"));
    let mut identities = Vec::new();
    for name in names {
        let mut positions = Vec::new();
        for part in parts {
            let entry = format!("{name}/{}", part.name);
            let vertices = pack.vectors(&entry)?;
            expect_count(&entry, part.mesh.positions.len(), vertices.len())?;
            positions.push(vertices);
        }
        let table = format!("{name}/joints.csv");
        let mut truth = Vec::new();
        for (at, line) in pack.text(&table)?.lines().enumerate().skip(1) {
            let bad = |expected| table_error(&table, at, expected, line);
            let fields: Vec<&str> = line.split(',').collect();
            let [joint, x, y, z] = fields.as_slice() else { return Err(bad("name,x,y,z")) };
            if joints.get(truth.len()).is_none_or(|known| known.name != *joint) {
                return Err(bad("the joints of joints.csv in their order"));
            }
            let coordinate = |text| number(text).ok_or_else(|| bad("a number"));
            truth.push([coordinate(x)?, coordinate(y)?, coordinate(z)?]);
        }
        expect_count(&table, joints.len(), truth.len())?;
        identities.push(Identity { name: name.to_owned(), positions, joints: truth });
    }
    Ok(identities)
}
