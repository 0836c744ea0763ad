use mhrig_archetype::{MappingTable, SeamPair, parse_mapping, parse_seam};
use mhrig_geom::{JointId, Mesh, Polygons, SkinWeights, UvSet};

use crate::SynthError;
use crate::pack::{Content, Pack};

const TEMPLATE: &[u8] = include_bytes!("../../../assets/demo-human/template.pack");
const IDENTITIES: &[u8] = include_bytes!("../../../assets/demo-human/identities.pack");
const EXPRESSIONS: &[u8] = include_bytes!("../../../assets/demo-human/expressions.pack");

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
    /// Mapping tables of the head.
    pub mappings: Vec<MappingTable>,
    /// Vertices where head and body meet.
    pub seam: Vec<SeamPair>,
    /// The expressions.
    pub expressions: Vec<HumanExpression>,
    /// The people.
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
        let parts: Vec<HumanPart> =
            PARTS.iter().map(|part| read_part(&template, part, joints.len())).collect::<Result<_, _>>()?;
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
        let identities = read_identities(&open("identities", IDENTITIES)?, &joints, &parts)?;
        Ok(Self { joints, parts, mappings, seam, expressions, identities })
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
