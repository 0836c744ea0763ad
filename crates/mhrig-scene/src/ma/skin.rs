use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use mhrig_report::Job;

use super::document::{MaDocument, MaNode, MaValue, read_document};
use crate::error::{Place, SceneError};
use crate::names::without_namespace;
use crate::skin::SceneSkin;

/// A skin of more vertices is refused.
const MOST_VERTICES: usize = 1 << 24;
/// Longest way from a skin cluster to its mesh.
const MOST_NODES: usize = 64;

/// Reads the skin clusters of a Maya ASCII scene.
pub(crate) fn read_skins(file: &Path, input: impl Read, job: Job<'_>) -> Result<Vec<SceneSkin>, SceneError> {
    let document = read_document(file, input, job)?;
    let mut outgoing: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    let mut incoming: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for connection in &document.connections {
        let (Some((from, from_attribute)), Some((to, to_attribute))) =
            (connection.from.split_once('.'), connection.to.split_once('.'))
        else {
            continue;
        };
        if is_geometry(from_attribute) {
            outgoing.entry(from).or_default().push((to, to_attribute));
        }
        incoming.entry(to).or_default().push((from, to_attribute));
    }
    let mut skins = Vec::new();
    for node in document.nodes.iter().filter(|node| node.kind == "skinCluster") {
        job.check()?;
        let Some(mesh) = mesh_of(&document, &outgoing, &node.name) else { continue };
        let mut skin = SceneSkin {
            mesh: without_namespace(last(mesh)).to_owned(),
            joints: Vec::new(),
            influences: influences_of(file, node)?,
        };
        for (from, attribute) in incoming.get(node.name.as_str()).into_iter().flatten() {
            let number = attribute.strip_prefix("ma[").or_else(|| attribute.strip_prefix("matrix["));
            let number = number.and_then(|rest| rest.strip_suffix(']')?.parse::<u16>().ok());
            if let Some(number) = number.map(usize::from) {
                if skin.joints.len() <= number {
                    skin.joints.resize(number + 1, String::new());
                }
                skin.joints[number] = without_namespace(last(from)).to_owned();
            }
        }
        skins.push(skin);
    }
    Ok(skins)
}

/// Whether an attribute carries a mesh from node to node.
fn is_geometry(attribute: &str) -> bool {
    let name = attribute.split(['[', '.']).next().unwrap_or(attribute);
    matches!(name, "og" | "outputGeometry" | "o" | "out" | "output" | "w" | "worldMesh" | "outMesh")
}

/// A name without the path before it.
fn last(name: &str) -> &str {
    name.rsplit('|').next().unwrap_or(name)
}

/// The transform above the visible shape that a deformer's output leads to.
fn mesh_of<'a>(
    document: &'a MaDocument,
    outgoing: &HashMap<&str, Vec<(&'a str, &'a str)>>,
    deformer: &'a str,
) -> Option<&'a str> {
    let mut at = deformer;
    for _ in 0..MOST_NODES {
        let (next, attribute) = *outgoing.get(at)?.first()?;
        let node = document.by_name.get(next).and_then(|&number| document.nodes.get(number));
        match node {
            Some(node) if node.kind == "mesh" && matches!(attribute, "i" | "inMesh") => {
                return Some(node.parent.as_deref().unwrap_or(&node.name));
            }
            _ => at = next,
        }
    }
    None
}

/// `wl[3:7]`, `wl[3]` or `weightList[3:7]` and what follows.
fn vertices(path: &str) -> Option<(usize, usize, &str)> {
    let rest = path.strip_prefix("wl[").or_else(|| path.strip_prefix("weightList["))?;
    let (range, rest) = rest.split_once(']')?;
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last, rest))
}

/// Weights per vertex. A list of vertices has, per vertex, the number of influences and then pairs of influence and
/// weight; one vertex may also have its weights under `w[2:5]`, one after the other.
fn influences_of(file: &Path, node: &MaNode) -> Result<Vec<Vec<(u16, f32)>>, SceneError> {
    let mut influences: Vec<Vec<(u16, f32)>> = Vec::new();
    for set in &node.sets {
        let (Some((first, last, rest)), MaValue::Numbers(numbers)) = (vertices(&set.path), &set.value) else {
            continue;
        };
        let malformed = |found: &str| SceneError::Malformed {
            place: Place::line(file, set.line).in_part(&node.name),
            expected: "weights of vertices".into(),
            found: found.to_owned(),
        };
        if last >= MOST_VERTICES {
            return Err(SceneError::TooMany {
                place: Place::line(file, set.line).in_part(&node.name),
                what: "vertices",
                limit: MOST_VERTICES,
            });
        }
        if influences.len() <= last {
            influences.resize_with(last + 1, Vec::new);
        }
        let single = rest.strip_prefix(".w[").or_else(|| rest.strip_prefix(".weights["));
        if let Some(range) = single.and_then(|rest| rest.strip_suffix(']')) {
            let start = range.split(':').next().and_then(|first| first.parse::<u16>().ok());
            let start = start.ok_or_else(|| malformed("another range"))?;
            for (at, &weight) in numbers.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                let joint = usize::from(start).checked_add(at).and_then(|joint| u16::try_from(joint).ok());
                let joint = joint.ok_or_else(|| malformed("an influence that cannot be"))?;
                influences[first].push((joint, weight as f32));
            }
            continue;
        }
        let mut rest = numbers.iter();
        for vertex in &mut influences[first..=last] {
            let count = *rest.next().ok_or_else(|| malformed("fewer vertices"))?;
            for _ in 0..count as usize {
                let (Some(&joint), Some(&weight)) = (rest.next(), rest.next()) else {
                    return Err(malformed("half a pair"));
                };
                if !(0.0..65536.0).contains(&joint) {
                    return Err(malformed("an influence that cannot be"));
                }
                vertex.push((joint as u16, weight as f32));
            }
        }
    }
    Ok(influences)
}
