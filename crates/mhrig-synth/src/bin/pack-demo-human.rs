//! Packs the human benchmark data into the assets of the demo human.
//!
//! ```text
//! cargo run --release -p mhrig-synth --bin pack-demo-human -- ../shared/data/human assets/demo-human
//! ```
//!
//! Needed only when the data changes; the same data gives the same bytes.

use std::error::Error;
use std::path::Path;

use mhrig_synth::coarse::coarse_parts;
use mhrig_synth::human::{SEAM_VERTICES, lod_mesh_name, lod_vertices, template_parts};
use mhrig_synth::human_parts;
use mhrig_synth::pack::{Content, Pack};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = arguments.as_slice() else {
        return Err("usage: pack-demo-human SOURCE_FOLDER TARGET_FOLDER".into());
    };
    let (source, target) = (Path::new(source), Path::new(target));
    std::fs::create_dir_all(target)?;
    let template = template(source)?;
    write(&target.join("template.pack"), &template)?;
    write(&target.join("lods.pack"), &lods(template)?)?;
    write(&target.join("identities.pack"), &identities(source)?)?;
    write(&target.join("expressions.pack"), &expressions(source)?)?;
    Ok(())
}

fn write(path: &Path, pack: &Pack) -> Outcome<()> {
    std::fs::write(path, pack.to_bytes()).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

fn read_text(path: &Path) -> Outcome<String> {
    Ok(String::from_utf8(read(path)?)?)
}

/// Little-endian `f32` triples as all x, then all y, then all z.
fn read_positions(path: &Path) -> Outcome<Vec<f32>> {
    let bytes = read(path)?;
    if !bytes.len().is_multiple_of(12) {
        return Err(format!("{}: {} bytes are not triples of f32", path.display(), bytes.len()).into());
    }
    let numbers: Vec<f32> = numbers(&bytes).map(f32::from_bits).collect();
    Ok((0..3).flat_map(|axis| numbers.iter().skip(axis).step_by(3).copied()).collect())
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]))
}

fn template(source: &Path) -> Outcome<Pack> {
    let mut pack = Pack::default();
    for table in ["joints.csv", "neck_seam.csv"] {
        pack.push(table, Content::Bytes(read(&source.join(table))?));
    }
    let folder = source.join("vertex_joint_mapping");
    let mut tables: Vec<_> = std::fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    tables.sort_by_key(std::fs::DirEntry::file_name);
    for table in tables {
        let name = table.file_name().to_string_lossy().into_owned();
        pack.push(format!("vertex_joint_mapping/{name}"), Content::Bytes(read(&table.path())?));
    }
    for part in human_parts() {
        let positions = read_positions(&source.join("template").join(format!("{part}.f32")))?;
        let vertex_count = positions.len() / 3;
        pack.push(format!("{part}/positions"), Content::F32(positions));

        let path = source.join("template").join(format!("{part}.obj"));
        let obj = read_obj(&path)?;
        if obj.vertex_count != vertex_count {
            return Err(format!(
                "{}: {} vertices, the .f32 file has {vertex_count}",
                path.display(),
                obj.vertex_count
            )
            .into());
        }
        pack.push(format!("{part}/quads"), Content::U16(obj.corners));
        pack.push(format!("{part}/uv"), Content::F32(obj.us.into_iter().chain(obj.vs).collect()));
        pack.push(format!("{part}/uv_quads"), Content::U16(obj.uv_corners));

        let weights = read_weights(&source.join("weights").join(format!("{part}.csv")), vertex_count)?;
        pack.push(format!("{part}/influence_counts"), Content::U16(weights.counts));
        pack.push(format!("{part}/influence_joints"), Content::U16(weights.joints));
        pack.push(format!("{part}/influence_weights"), Content::F32(weights.weights));
    }
    Ok(pack)
}

/// The coarser versions of each part.
fn lods(template: Pack) -> Outcome<Pack> {
    let (parts, seam) = template_parts(template)?;
    let counts: Vec<Vec<usize>> = (0..parts.len()).map(|part| lod_vertices(part).to_vec()).collect();
    let coarse = coarse_parts(&parts, &seam, &counts, &SEAM_VERTICES);
    let mut pack = Pack::default();
    for (part, lods) in parts.iter().zip(coarse) {
        for (before, lod) in lods.into_iter().enumerate() {
            let Some(lod) = lod else { continue };
            let name = lod_mesh_name(part.name, before + 1);
            for (field, numbers) in
                [("vertices", lod.vertices), ("triangles", lod.corners), ("uv_triangles", lod.uv_corners)]
            {
                let numbers = numbers.into_iter().map(u16::try_from).collect::<Result<_, _>>()?;
                pack.push(format!("{name}/{field}"), Content::U16(numbers));
            }
        }
    }
    Ok(pack)
}

#[derive(Default)]
struct Obj {
    vertex_count: usize,
    us: Vec<f32>,
    vs: Vec<f32>,
    corners: Vec<u16>,
    uv_corners: Vec<u16>,
}

/// Reads the OBJ files of the data and nothing else: quads whose corners are `v/vt`.
fn read_obj(path: &Path) -> Outcome<Obj> {
    let text = read_text(path)?;
    let mut obj = Obj::default();
    for (number, line) in text.lines().enumerate() {
        let bad = || format!("{}, line {}: {line}", path.display(), number + 1);
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        match fields.as_slice() {
            ["v", ..] => obj.vertex_count += 1,
            ["vt", u, v] => {
                obj.us.push(u.parse().map_err(|_| bad())?);
                obj.vs.push(v.parse().map_err(|_| bad())?);
            }
            ["f", corners @ ..] if corners.len() == 4 => {
                for corner in corners {
                    let (position, uv) = corner.split_once('/').ok_or_else(bad)?;
                    let from_one = |text: &str| text.parse::<u16>().ok()?.checked_sub(1);
                    obj.corners.push(from_one(position).ok_or_else(bad)?);
                    obj.uv_corners.push(from_one(uv).ok_or_else(bad)?);
                }
            }
            ["f", ..] => return Err(bad().into()),
            _ => {}
        }
    }
    Ok(obj)
}

#[derive(Default)]
struct Weights {
    counts: Vec<u16>,
    joints: Vec<u16>,
    weights: Vec<f32>,
}

/// Reads rows `vertex,joint,weight`, ascending by vertex.
fn read_weights(path: &Path, vertex_count: usize) -> Outcome<Weights> {
    let text = read_text(path)?;
    let mut weights = Weights { counts: vec![0; vertex_count], ..Weights::default() };
    let mut last = 0;
    for (number, line) in text.lines().enumerate().skip(1) {
        let bad = || format!("{}, line {}: {line}", path.display(), number + 1);
        let fields: Vec<&str> = line.split(',').collect();
        let [vertex, joint, weight] = fields.as_slice() else { return Err(bad().into()) };
        let vertex: usize = vertex.parse().map_err(|_| bad())?;
        if vertex < last {
            return Err(format!("{}: vertices are not ascending", bad()).into());
        }
        last = vertex;
        *weights.counts.get_mut(vertex).ok_or_else(bad)? += 1;
        weights.joints.push(joint.parse().map_err(|_| bad())?);
        weights.weights.push(weight.parse().map_err(|_| bad())?);
    }
    Ok(weights)
}

fn identities(source: &Path) -> Outcome<Pack> {
    let mut pack = Pack::default();
    let mut folders: Vec<_> = std::fs::read_dir(source.join("identities"))?.collect::<Result<_, _>>()?;
    folders.sort_by_key(std::fs::DirEntry::file_name);
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let joints = read(&folder.path().join("joints_truth.csv"))?;
        pack.push(format!("{name}/joints.csv"), Content::Bytes(joints));
        for part in human_parts() {
            let positions = read_positions(&folder.path().join(format!("{part}.f32")))?;
            pack.push(format!("{name}/{part}"), Content::F32(positions));
        }
    }
    Ok(pack)
}

fn expressions(source: &Path) -> Outcome<Pack> {
    let folder = source.join("expressions");
    let mut pack = Pack::default();
    for table in ["names.txt", "joint_deltas.csv"] {
        pack.push(table, Content::Bytes(read(&folder.join(table))?));
    }
    for part in human_parts() {
        let path = folder.join(format!("{part}.full.bin"));
        if path.exists() {
            push_shapes(&mut pack, part, &read(&path)?)
                .ok_or_else(|| format!("{}: ends early or goes on too long", path.display()))?;
        }
    }
    Ok(pack)
}

/// Splits `u32 shapes, { u32 k, u32 vertex[k], f32 delta[k][3] }` into three arrays.
fn push_shapes(pack: &mut Pack, part: &str, bytes: &[u8]) -> Option<()> {
    let words: Vec<u32> = numbers(bytes).collect();
    let mut rest = words.as_slice();
    let mut take = |count: usize| {
        let (taken, after) = rest.split_at_checked(count)?;
        rest = after;
        Some(taken)
    };
    let shape_count = take(1)?[0];
    let (mut counts, mut vertices, mut deltas) = (Vec::new(), Vec::new(), vec![Vec::new(); 3]);
    for _ in 0..shape_count {
        let count = take(1)?[0];
        counts.push(count);
        for &vertex in take(count as usize)? {
            vertices.push(u16::try_from(vertex).ok()?);
        }
        for delta in take(count as usize * 3)?.chunks_exact(3) {
            for (axis, &bits) in delta.iter().enumerate() {
                deltas[axis].push(f32::from_bits(bits));
            }
        }
    }
    let is_whole = rest.is_empty() && bytes.len().is_multiple_of(4);
    pack.push(format!("{part}/vertex_counts"), Content::U32(counts));
    pack.push(format!("{part}/vertices"), Content::U16(vertices));
    pack.push(format!("{part}/deltas"), Content::F32(deltas.concat()));
    is_whole.then_some(())
}
