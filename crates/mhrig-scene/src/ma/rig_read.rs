//! Reads a [`RigScene`] from a Maya ASCII scene that this project wrote.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::Path;

use mhrig_geom::Mesh;
use mhrig_report::Job;

use super::document::{Added, LastSets, MaDocument, MaNode, MaSet, MaValue, read_document};
use super::mesh_node::{FaceList, MeshNode, UvSetNode};
use super::rig_write::{
    PATTERN_ATTRIBUTES, SHORT_NAMES, curve_type, original_of, shading_group_of, shape_of,
};
use super::values::axis_of_script;
use crate::error::{Place, SceneError};
use crate::rig_scene::{
    BlendShape, Connection, Constraint, ConstraintKind, ConstraintTarget, CurveOutput, CustomAttribute,
    DisplayLayer, DrivenCurve, Joint, Limit, LockedNormal, Material, NamingPatterns, ObjectSet, Plug,
    PluginRequirement, RigLogicKind, RigLogicNode, RigMesh, RigScene, Shape, ShapeTarget, SkinCluster,
    TransformNode, UtilityKind, UtilityNode, Wire,
};

/// Reads the rig of the Maya ASCII scene `file`, which [`crate::write_rig_ma`] wrote: the same description comes back.
///
/// # Errors
/// [`SceneError`] for a file that cannot be read or is no rig of this form, with the line of what is not.
pub fn read_rig_ma(file: &Path, job: Job<'_>) -> Result<RigScene, SceneError> {
    let input =
        File::open(file).map_err(|source| SceneError::Unreadable { file: file.to_owned(), source })?;
    let document = read_document(file, input, job)?;
    rig_of(file, &document)
}

/// The same for content in memory; `file` is the name in messages.
///
/// # Errors
/// As [`read_rig_ma`].
pub fn read_rig_ma_bytes(file: &Path, bytes: &[u8], job: Job<'_>) -> Result<RigScene, SceneError> {
    let document = read_document(file, bytes, job)?;
    rig_of(file, &document)
}

fn rig_of(file: &Path, document: &MaDocument) -> Result<RigScene, SceneError> {
    let mut reader = RigReader { file, document, scene: RigScene::default(), children: HashMap::new() };
    for (number, node) in document.nodes.iter().enumerate() {
        if let Some(parent) = &node.parent {
            reader.children.entry(parent).or_default().push(number);
        }
    }
    reader.head()?;
    if let Some(orphan) = document.orphans.first() {
        let plug = orphan.plug();
        return Err(reader.malformed(orphan.line, &plug, "a node made before", format!("`{}`", orphan.name)));
    }
    let flow = Flow::of(document);
    reader.nodes(&flow)?;
    reader.connections(&flow)?;
    let findings = reader.scene.check();
    if findings.is_empty() { Ok(reader.scene) } else { Err(SceneError::Rig { findings }) }
}

struct RigReader<'a> {
    file: &'a Path,
    document: &'a MaDocument,
    scene: RigScene,
    children: HashMap<&'a str, Vec<usize>>,
}

/// Connections of the file, sorted by what they are.
#[derive(Default)]
struct Flow<'a> {
    /// Node and attribute that lead into an attribute of a node.
    into: HashMap<(&'a str, &'a str), (&'a str, &'a str)>,
    /// By target node: everything that leads into it, in the order of the file.
    by_target: HashMap<&'a str, Vec<Edge<'a>>>,
}

#[derive(Clone, Copy)]
struct Edge<'a> {
    from: (&'a str, &'a str),
    attribute: &'a str,
}

/// Attributes that a node was given.
fn custom_attributes(node: &MaNode, last: &LastSets<'_>) -> Vec<CustomAttribute> {
    let attribute = |added: &Added| CustomAttribute {
        name: added.long.clone(),
        value: last.number(&added.short).unwrap_or(0.0),
        limit: added.min.zip(added.max).map(|(min, max)| Limit { min, max }),
        keyable: last.set(&added.short).is_some_and(|set| set.keyable == Some(true)),
    };
    node.added.iter().filter(|added| !added.is_text).map(attribute).collect()
}

fn split_plug(plug: &str) -> Option<(&str, &str)> {
    plug.split_once('.')
}

/// `ma[3]` → `ma` and 3.
fn indexed(attribute: &str) -> Option<(&str, u32)> {
    let (name, index) = attribute.strip_suffix(']')?.split_once('[')?;
    Some((name, index.parse().ok()?))
}

impl<'a> Flow<'a> {
    fn of(document: &'a MaDocument) -> Self {
        let mut flow = Self::default();
        for connection in &document.connections {
            let (Some(from), Some(to)) = (split_plug(&connection.from), split_plug(&connection.to)) else {
                continue;
            };
            flow.into.insert(to, from);
            flow.by_target.entry(to.0).or_default().push(Edge { from, attribute: to.1 });
        }
        flow
    }

    fn edges_into(&self, node: &str) -> &[Edge<'a>] {
        self.by_target.get(node).map_or(&[], Vec::as_slice)
    }
}

impl<'a> RigReader<'a> {
    fn malformed(&self, line: u64, part: &str, expected: &str, found: impl Into<String>) -> SceneError {
        SceneError::Malformed {
            place: Place::line(self.file, line).in_part(part),
            expected: expected.to_owned(),
            found: found.into(),
        }
    }

    fn missing(&self, node: &MaNode, expected: &str) -> SceneError {
        self.malformed(node.line, &node.name, expected, "nothing of the kind")
    }

    fn head(&mut self) -> Result<(), SceneError> {
        let document = self.document;
        let year = document.maya_version.as_deref().unwrap_or_default();
        self.scene.maya_version =
            year.parse().map_err(|_| self.malformed(1, "requires maya", "a year", format!("`{year}`")))?;
        let plugins = document.plugins.iter().map(|plugin| PluginRequirement {
            name: plugin.name.clone(),
            version: plugin.version.clone(),
            node_types: plugin.node_types.clone(),
        });
        self.scene.plugins = plugins.collect();
        Ok(())
    }

    fn nodes(&mut self, flow: &Flow<'a>) -> Result<(), SceneError> {
        for node in &self.document.nodes {
            match node.kind.as_str() {
                "transform" => self.transform_or_mesh(node)?,
                "joint" => self.joint(node)?,
                "lambert" => self.material(node)?,
                "displayLayer" => self.layer(node),
                "blendShape" => self.blend_shape(node)?,
                "skinCluster" => self.skin_cluster(node, flow)?,
                "objectSet" => {
                    self.scene.sets.push(ObjectSet { name: node.name.clone(), members: Vec::new() })
                }
                "script" => {
                    if let Some(axis) = node.text("b").as_deref().and_then(axis_of_script) {
                        self.scene.up_axis = axis;
                    }
                }
                "parentConstraint" | "aimConstraint" => self.constraint(node, flow)?,
                "mesh"
                | "nurbsCurve"
                | "locator"
                | "annotationShape"
                | "shadingEngine"
                | "materialInfo"
                | "displayLayerManager" => {}
                kind => self.computing_node(node, kind)?,
            }
        }
        self.bind_deformers(flow)?;
        self.assign_materials(flow)
    }

    fn computing_node(&mut self, node: &MaNode, kind: &str) -> Result<(), SceneError> {
        const OUTPUTS: [CurveOutput; 3] = [CurveOutput::Number, CurveOutput::Length, CurveOutput::Angle];
        if let Some(output) = OUTPUTS.into_iter().find(|output| curve_type(*output) == kind) {
            let keys = self.elements(node, "ktv", 2)?;
            let keys = keys.as_chunks::<2>().0.to_vec();
            self.scene.curves.push(DrivenCurve { name: node.name.clone(), output, keys });
        } else if let Some(kind) = UtilityKind::ALL.into_iter().find(|own| own.node_type() == kind) {
            let values = node.sets.iter().filter_map(|set| match &set.value {
                MaValue::Numbers(numbers) => Some((set.path.clone(), *numbers.first()?)),
                _ => None,
            });
            let values = values.collect();
            self.scene.utilities.push(UtilityNode { name: node.name.clone(), kind, values });
        } else if let Some(kind) = RigLogicKind::ALL.into_iter().find(|own| own.node_type() == kind) {
            self.rig_logic(node, kind)?;
        } else {
            return Err(SceneError::Unsupported {
                place: Place::line(self.file, node.line).in_part(&node.name),
                what: format!("a node of type `{kind}` in a rig"),
                remedy: "read scenes that `mhrig assemble` wrote",
            });
        }
        Ok(())
    }

    fn transform_or_mesh(&mut self, node: &'a MaNode) -> Result<(), SceneError> {
        let shape = shape_of(&node.name);
        let own = self.document.by_name.get(&shape).map(|&number| &self.document.nodes[number]);
        let own = own.filter(|shape| shape.parent.as_deref() == Some(&node.name));
        match own {
            Some(shape) if shape.kind == "mesh" => self.mesh(node),
            shape => self.transform(node, shape),
        }
    }

    fn transform(&mut self, node: &MaNode, shape: Option<&MaNode>) -> Result<(), SceneError> {
        let mut transform = TransformNode::group(node.name.clone(), node.parent.as_deref());
        transform.translate = node.vector("t").unwrap_or([0.0; 3]);
        transform.rotate = node.vector("r").unwrap_or([0.0; 3]);
        transform.scale = node.vector("s").unwrap_or([1.0; 3]);
        transform.visible = node.number("v") != Some(0.0);
        transform.color = self.whole(node, "ovc")?;
        transform.is_template = node.number("ovdt") == Some(1.0);
        if let (Some(min), Some(max)) = (node.vector("mntl"), node.vector("mxtl")) {
            for (axis, name) in ["mtxe", "mtye", "mtze"].into_iter().enumerate() {
                if node.number(name) == Some(1.0) {
                    transform.limits[axis] = Some(Limit { min: min[axis], max: max[axis] });
                }
            }
        }
        let long = |short: &str| SHORT_NAMES.iter().find(|(_, own)| *own == short).map(|(long, _)| *long);
        let locked = node.sets.iter().filter(|set| set.locked == Some(true));
        transform.locked = locked.filter_map(|set| long(&set.path)).map(str::to_owned).collect();
        let last = LastSets::of(node);
        transform.attributes = custom_attributes(node, &last);
        let is_top = self.scene.transforms.is_empty();
        for added in node.added.iter().filter(|added| added.is_text) {
            if !is_top {
                let expected = "attributes of text on the top group alone";
                return Err(self.malformed(node.line, &node.name, expected, format!("`{}`", added.long)));
            }
            let value = last.text(&added.short).unwrap_or_default();
            self.scene.metadata.push((added.long.clone(), value.to_owned()));
        }
        if let Some(shape) = shape {
            transform.shape = self.shape(shape)?;
        }
        self.scene.transforms.push(transform);
        Ok(())
    }

    fn shape(&self, node: &MaNode) -> Result<Shape, SceneError> {
        match node.kind.as_str() {
            "locator" => {
                let size = node.vector("los").ok_or_else(|| self.missing(node, "a size `los`"))?;
                Ok(Shape::Locator { size: size[0] })
            }
            "annotationShape" => Ok(Shape::Label { text: node.text("txt").unwrap_or_default() }),
            "nurbsCurve" => {
                let bad = || self.missing(node, "a curve `cc`");
                let set = node.sets.iter().find(|set| set.path == "cc").ok_or_else(bad)?;
                let MaValue::Numbers(numbers) = &set.value else { return Err(bad()) };
                // degree, spans, form, rational, dimension, count of knots, knots, count of points, points
                let knots: u32 = numbers.get(5).copied().and_then(whole).ok_or_else(bad)?;
                let (head, rest) =
                    numbers.split_at_checked(7usize.saturating_add(knots as usize)).ok_or_else(bad)?;
                let (points, []) = rest.as_chunks::<3>() else { return Err(bad()) };
                if head.last().copied().and_then(whole) != u32::try_from(points.len()).ok() {
                    return Err(bad());
                }
                Ok(Shape::Curve { points: points.to_vec() })
            }
            _ => Err(self.missing(node, "a locator, a curve or a label")),
        }
    }

    fn joint(&mut self, node: &MaNode) -> Result<(), SceneError> {
        if let Some(added) = node.added.iter().find(|added| added.is_text) {
            let expected = "attributes of text on the top group alone";
            return Err(self.malformed(node.line, &node.name, expected, format!("`{}`", added.long)));
        }
        if node.number("ssc") != Some(0.0) {
            return Err(self.missing(node, "`ssc` off"));
        }
        if node.vector("r").is_some_and(|rotate| rotate != [0.0; 3]) {
            return Err(self.malformed(node.line, &node.name, "no rotation of its own", "`r` is set"));
        }
        self.scene.joints.push(Joint {
            name: node.name.clone(),
            parent: node.parent.clone(),
            translate: node.vector("t").unwrap_or([0.0; 3]),
            orient: node.vector("jo").unwrap_or([0.0; 3]),
            radius: node.number("radi").unwrap_or(1.0),
            color: self.whole(node, "ovc")?,
            attributes: custom_attributes(node, &LastSets::of(node)),
        });
        Ok(())
    }

    fn mesh(&mut self, node: &MaNode) -> Result<(), SceneError> {
        let original = original_of(&node.name);
        let number = self.document.by_name.get(&original);
        let original = number.map(|&number| &self.document.nodes[number]);
        let original = original.ok_or_else(|| self.missing(node, "an original shape"))?;
        let parent = node.parent.clone().ok_or_else(|| self.missing(node, "a group"))?;
        let mesh_node = self.mesh_node(original)?;
        let geometry = mesh_node.geometry().map_err(|problem| {
            self.malformed(original.line, &original.name, "sound faces", format!("{problem:?}"))
        })?;
        let mesh = Mesh {
            positions: mesh_node.vertices.iter().map(|p| p.map(|c| c as f32)).collect(),
            faces: geometry.faces,
            uv: geometry.first_uv.map(|set| set.uv),
        };
        let normals = self.elements(original, "n", 3)?;
        let locked = normals.as_chunks::<3>().0.iter().enumerate();
        let locked_normals = locked
            .filter(|(_, normal)| normal.iter().all(|c| c.abs() < 1e19))
            .map(|(corner, normal)| LockedNormal { corner: corner as u32, normal: normal.map(|c| c as f32) })
            .collect();
        let name = node.name.clone();
        self.scene.meshes.push(RigMesh { name, parent, mesh, locked_normals, material: u32::MAX });
        Ok(())
    }

    fn mesh_node(&self, node: &MaNode) -> Result<MeshNode, SceneError> {
        let mut mesh = MeshNode {
            vertices: self.elements(node, "vt", 3)?.as_chunks::<3>().0.to_vec(),
            ..MeshNode::default()
        };
        for [from, to, _] in self.elements(node, "ed", 3)?.as_chunks::<3>().0 {
            let ends = whole(*from).zip(whole(*to)).ok_or_else(|| self.missing(node, "ends of edges"))?;
            mesh.edges.push(ends.into());
        }
        let coords = self.elements(node, "uvst[0].uvsp", 2)?;
        let coords = coords.as_chunks::<2>().0.iter().map(|uv| uv.map(|c| c as f32)).collect();
        mesh.uv_sets.insert(0, UvSetNode { name: Some("map1".to_owned()), coords });
        for set in node.sets.iter().filter(|set| set.path.starts_with("fc[")) {
            if set.value != MaValue::Nothing {
                self.faces(node, set, &mut mesh.faces)?;
            }
        }
        Ok(mesh)
    }

    /// `f 4 0 1 2 -4 mu 0 4 0 1 2 3` and so on.
    fn faces(&self, node: &MaNode, set: &MaSet, faces: &mut FaceList) -> Result<(), SceneError> {
        let wrong = |expected: &str, found: &str| {
            self.malformed(set.line, &node.name, expected, format!("`{found}`"))
        };
        let bad = |found: &str| wrong("faces", found);
        let before = faces.len();
        let range =
            set.path.strip_prefix("fc[").and_then(|rest| rest.strip_suffix(']')).and_then(element_range);
        let (MaValue::Words(words), Some((_, count))) =
            (&set.value, range.filter(|(first, _)| *first == before))
        else {
            return Err(wrong(&format!("the faces after {before}"), &set.path));
        };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut number = || -> Result<i64, SceneError> {
                let word = rest.next().map_or("", String::as_str);
                word.parse().map_err(|_| bad(word))
            };
            let size = |number: i64| u32::try_from(number).map_err(|_| bad(&number.to_string()));
            match word.as_str() {
                "f" => {
                    for _ in 0..size(number()?)? {
                        let reference = number()?;
                        faces.edge_refs.push(i32::try_from(reference).map_err(|_| bad("f"))?);
                    }
                    faces.ends.push(faces.edge_refs.len() as u32);
                }
                "mu" => {
                    let uv_set = u32::try_from(number()?).map_err(|_| bad("mu"))?;
                    for _ in 0..size(number()?)? {
                        let uv = u32::try_from(number()?).map_err(|_| bad("mu"))?;
                        faces.uv_corners.entry(uv_set).or_default().push(uv);
                    }
                }
                word => return Err(bad(word)),
            }
        }
        let read = faces.len().saturating_sub(before);
        if read == count { Ok(()) } else { Err(wrong(&format!("{count} faces"), &read.to_string())) }
    }

    /// All elements of an array attribute that the file sets in pieces: they have to follow each other without a gap.
    fn elements(&self, node: &MaNode, attribute: &str, width: usize) -> Result<Vec<f64>, SceneError> {
        let mut values = Vec::new();
        for set in &node.sets {
            let Some(index) = set.path.strip_prefix(attribute).and_then(|rest| rest.strip_prefix('[')) else {
                continue;
            };
            let Some(index) = index.strip_suffix(']') else { continue };
            let numbers = match &set.value {
                MaValue::Numbers(numbers) => numbers.as_slice(),
                // words are not what is next
                MaValue::Words(_) => &[],
                MaValue::Nothing => continue,
            };
            // what does not fit into a `usize` is not next either
            let is_next = element_range(index).is_some_and(|(first, count)| {
                first.checked_mul(width) == Some(values.len())
                    && count.checked_mul(width) == Some(numbers.len())
            });
            if !is_next {
                let expected = format!("{width} numbers for each element after {}", values.len() / width);
                return Err(self.malformed(set.line, &node.name, &expected, format!("`{}`", set.path)));
            }
            values.extend_from_slice(numbers);
        }
        Ok(values)
    }

    fn material(&mut self, node: &MaNode) -> Result<(), SceneError> {
        let color = node.vector("c").ok_or_else(|| self.missing(node, "a colour `c`"))?;
        let transparency = node.vector("it").map_or(0.0, |it| it[0]);
        self.scene.materials.push(Material { name: node.name.clone(), color, transparency });
        Ok(())
    }

    fn layer(&mut self, node: &MaNode) {
        let visible = node.number("v") != Some(0.0);
        self.scene.display_layers.push(DisplayLayer {
            name: node.name.clone(),
            members: Vec::new(),
            visible,
        });
    }

    fn blend_shape(&mut self, node: &MaNode) -> Result<(), SceneError> {
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        if let Some(set) = node.sets.iter().find(|set| set.path == "aal") {
            let MaValue::Words(words) = &set.value else {
                return Err(self.missing(node, "names of weights"));
            };
            let text = words.concat();
            let list = text.trim_matches(['{', '}']);
            let list: Vec<&str> = list.split(',').collect();
            for pair in list.as_chunks::<2>().0 {
                let index = indexed(pair[1].trim_matches('"')).map(|(_, index)| index);
                let index = index.ok_or_else(|| self.missing(node, "numbers of weights"))?;
                names.insert(index, pair[0].trim_matches('"').to_owned());
            }
        }
        let mut deltas: BTreeMap<u32, (Vec<[f32; 3]>, Vec<u32>)> = BTreeMap::new();
        for set in &node.sets {
            let Some(rest) = set.path.strip_prefix("it[0].itg[") else { continue };
            let Some((number, item)) = rest.split_once(']') else { continue };
            let number: u32 = number.parse().map_err(|_| self.missing(node, "numbers of targets"))?;
            let entry = deltas.entry(number).or_default();
            match (item.rsplit('.').next(), &set.value) {
                (Some("ipt"), MaValue::Numbers(numbers)) => {
                    let points = numbers.get(1..).unwrap_or_default().as_chunks::<4>().0;
                    if Some(points.len() as f64) != numbers.first().copied() {
                        return Err(self.malformed(
                            set.line,
                            &node.name,
                            "as many deltas as it says",
                            &set.path,
                        ));
                    }
                    entry.0 = points.iter().map(|&[x, y, z, _]| [x, y, z].map(|c| c as f32)).collect();
                }
                (Some("ict"), MaValue::Words(words)) => {
                    for word in words.get(1..).unwrap_or_default() {
                        let range = component(word).filter(|(first, last)| {
                            // no more vertices than deltas, however many the file claims
                            let free = entry.0.len().saturating_sub(entry.1.len());
                            ((last - first) as usize) < free
                        });
                        let (first, last) = range.ok_or_else(|| {
                            self.malformed(set.line, &node.name, "a vertex for each delta", word.clone())
                        })?;
                        entry.1.extend(first..=last);
                    }
                }
                _ => {}
            }
        }
        let mut targets = Vec::new();
        for (number, name) in names {
            let (deltas, vertices) = deltas.remove(&number).unwrap_or_default();
            if number as usize != targets.len() || deltas.len() != vertices.len() {
                return Err(self.missing(node, "targets one after the other, a vertex for each delta"));
            }
            targets.push(ShapeTarget { name, vertices, deltas });
        }
        self.scene.blend_shapes.push(BlendShape { name: node.name.clone(), mesh: u32::MAX, targets });
        Ok(())
    }

    fn skin_cluster(&mut self, node: &MaNode, flow: &Flow<'_>) -> Result<(), SceneError> {
        let mut skin = SkinCluster {
            name: node.name.clone(),
            mesh: u32::MAX,
            influences: Vec::new(),
            bind_pre: Vec::new(),
            offsets: vec![0],
            weights: Vec::new(),
            max_influences: self.whole(node, "mi")?.unwrap_or(0),
        };
        for set in node.sets.iter().filter(|set| set.value != MaValue::Nothing) {
            if let Some(index) = set.path.strip_prefix("wl[") {
                self.weights(node, set, index, &mut skin)?;
            } else if let Some(index) = set.path.strip_prefix("pm[") {
                let is_next =
                    index.strip_suffix(']').and_then(element_range) == Some((skin.bind_pre.len(), 1));
                let matrix = match &set.value {
                    MaValue::Numbers(numbers) if is_next => numbers.as_slice().try_into().ok(),
                    _ => None,
                };
                let expected = format!("16 numbers for element {}", skin.bind_pre.len());
                let wrong = || self.malformed(set.line, &node.name, &expected, format!("`{}`", set.path));
                skin.bind_pre.push(matrix.ok_or_else(wrong)?);
            }
        }
        let joints: HashMap<&str, u32> = self
            .scene
            .joints
            .iter()
            .enumerate()
            .map(|(at, joint)| (joint.name.as_str(), at as u32))
            .collect();
        for edge in flow.edges_into(&node.name) {
            let Some(("ma", index)) = indexed(edge.attribute) else { continue };
            let joint = joints.get(edge.from.0).filter(|_| index as usize == skin.influences.len());
            let joint = joint.ok_or_else(|| self.missing(node, "joints one after the other"))?;
            skin.influences.push(*joint);
        }
        self.scene.skin_clusters.push(skin);
        Ok(())
    }

    /// `wl[3:7].w`, `index` being what is behind its first bracket: for each vertex the number of its influences, then
    /// pairs of influence and weight. The vertices have to follow those that are there.
    fn weights(
        &self,
        node: &MaNode,
        set: &MaSet,
        index: &str,
        skin: &mut SkinCluster,
    ) -> Result<(), SceneError> {
        let wrong = |expected: &str, found: String| self.malformed(set.line, &node.name, expected, found);
        let vertices = skin.offsets.len().saturating_sub(1);
        let range = index.strip_suffix("].w").and_then(element_range);
        let (MaValue::Numbers(numbers), Some((_, count))) =
            (&set.value, range.filter(|(first, _)| *first == vertices))
        else {
            return Err(wrong(
                &format!("weights of the vertices after {vertices}"),
                format!("`{}`", set.path),
            ));
        };
        let mut rest = numbers.iter();
        let mut read = 0;
        while let Some(&of_vertex) = rest.next() {
            let pairs: u16 =
                whole(of_vertex).ok_or_else(|| wrong("a number of influences", of_vertex.to_string()))?;
            for _ in 0..pairs {
                let (Some(&influence), Some(&weight)) = (rest.next(), rest.next()) else {
                    return Err(wrong("pairs of influence and weight", "less".to_owned()));
                };
                let influence =
                    whole(influence).ok_or_else(|| wrong("an influence", influence.to_string()))?;
                skin.weights.push((influence, weight as f32));
            }
            skin.offsets.push(skin.weights.len() as u32);
            read += 1;
        }
        if read == count {
            Ok(())
        } else {
            Err(wrong(&format!("weights of {count} vertices"), read.to_string()))
        }
    }

    /// A whole number that an attribute is set to.
    fn whole<T: TryFrom<u32>>(&self, node: &MaNode, name: &str) -> Result<Option<T>, SceneError> {
        let set = node.sets.iter().rev().find(|set| set.path == name && set.value != MaValue::Nothing);
        let Some(set) = set else { return Ok(None) };
        let number = match &set.value {
            MaValue::Numbers(numbers) => numbers.first().copied().and_then(whole),
            _ => None,
        };
        let wrong =
            || self.malformed(set.line, &node.name, &format!("a whole number for `{name}`"), "another value");
        number.map(Some).ok_or_else(wrong)
    }

    /// Which mesh each deformer deforms: the one whose visible shape its output leads to.
    fn bind_deformers(&mut self, flow: &Flow<'_>) -> Result<(), SceneError> {
        let mut of_deformer: HashMap<String, u32> = HashMap::new();
        for (number, mesh) in self.scene.meshes.iter().enumerate() {
            let original = original_of(&mesh.name);
            let shape = shape_of(&mesh.name);
            let mut at = flow.into.get(&(shape.as_str(), "i")).copied();
            // original, blend shape, skin cluster: no more than two deformers
            for _ in 0..3 {
                match at {
                    Some((node, "w")) if node == original => break,
                    Some((node, "og[0]")) => {
                        of_deformer.insert(node.to_owned(), number as u32);
                        at = flow.into.get(&(node, "ip[0].ig")).copied();
                    }
                    _ => break,
                }
            }
            if !matches!(at, Some((node, "w")) if node == original) {
                let line = self.document.by_name.get(&mesh.name).map_or(0, |&n| self.document.nodes[n].line);
                return Err(self.malformed(
                    line,
                    &mesh.name,
                    "a shape that its original leads to",
                    "another",
                ));
            }
        }
        let find = |name: &str| of_deformer.get(name).copied().unwrap_or(u32::MAX);
        for shape in &mut self.scene.blend_shapes {
            shape.mesh = find(&shape.name);
        }
        for skin in &mut self.scene.skin_clusters {
            skin.mesh = find(&skin.name);
        }
        Ok(())
    }

    fn assign_materials(&mut self, flow: &Flow<'_>) -> Result<(), SceneError> {
        let mut of_shape: HashMap<&str, u32> = HashMap::new();
        for (number, material) in self.scene.materials.iter().enumerate() {
            for edge in flow.edges_into(&shading_group_of(&material.name)) {
                if edge.attribute == "dsm" {
                    of_shape.insert(edge.from.0, number as u32);
                }
            }
        }
        for mesh in &mut self.scene.meshes {
            mesh.material = of_shape.get(shape_of(&mesh.name).as_str()).copied().unwrap_or(u32::MAX);
        }
        Ok(())
    }

    fn constraint(&mut self, node: &MaNode, flow: &Flow<'_>) -> Result<(), SceneError> {
        let into = flow.edges_into(&node.name);
        let constrained =
            node.parent.clone().ok_or_else(|| self.missing(node, "a node that it is below of"))?;
        let mut targets = Vec::new();
        let last = LastSets::of(node);
        for edge in into.iter().filter(|edge| edge.attribute.ends_with("].tt")) {
            let number = targets.len();
            if edge.attribute != format!("tg[{number}].tt") {
                return Err(self.missing(node, "targets one after the other"));
            }
            let vector = |name: &str| last.vector(&format!("tg[{number}].{name}")).unwrap_or([0.0; 3]);
            targets.push(ConstraintTarget {
                node: edge.from.0.to_owned(),
                weight: last.number(&format!("w{number}")).unwrap_or(1.0),
                offset_translate: vector("tot"),
                offset_rotate: vector("tor"),
            });
        }
        let kind = if node.kind == "parentConstraint" {
            ConstraintKind::Parent
        } else {
            let up = into.iter().find(|edge| edge.attribute == "wum");
            let up_object = up.ok_or_else(|| self.missing(node, "an object that is up"))?.from.0.to_owned();
            let vector = |name| node.vector(name).ok_or_else(|| self.missing(node, "an axis"));
            ConstraintKind::Aim { aim: vector("a")?, up: vector("u")?, up_object }
        };
        self.scene.constraints.push(Constraint { name: node.name.clone(), node: constrained, kind, targets });
        Ok(())
    }

    fn rig_logic(&mut self, node: &MaNode, kind: RigLogicKind) -> Result<(), SceneError> {
        let [control, input_joint, joint, blend_shape, animated_map, coordinate_system] =
            PATTERN_ATTRIBUTES.map(|(short, _)| node.text(short).unwrap_or_default());
        self.scene.rig_logic.push(RigLogicNode {
            name: node.name.clone(),
            kind,
            dna_file_path: node.text("dnaFilePath").unwrap_or_default(),
            naming: NamingPatterns { control, input_joint, joint, blend_shape, animated_map },
            coordinate_system,
            lod: self.whole(node, "lod")?.unwrap_or(0),
            inputs: Vec::new(),
            translations: Vec::new(),
            rotations: Vec::new(),
            scales: Vec::new(),
            blend_shapes: Vec::new(),
            animated_maps: Vec::new(),
        });
        Ok(())
    }

    /// Connections that are not part of what a node is.
    fn connections(&mut self, flow: &Flow<'a>) -> Result<(), SceneError> {
        let kind_of = |name: &str| {
            self.document.by_name.get(name).map_or("", |&number| self.document.nodes[number].kind.as_str())
        };
        let rig_logic: HashMap<String, usize> =
            self.scene.rig_logic.iter().enumerate().map(|(at, node)| (node.name.clone(), at)).collect();
        let mut others = Vec::new();
        for connection in &self.document.connections {
            let (Some(from), Some(to)) = (split_plug(&connection.from), split_plug(&connection.to)) else {
                return Err(self.malformed(connection.line, &connection.to, "node.attribute", "none"));
            };
            let plug = |(node, attribute): (&str, &str)| Plug::new(node, attribute);
            if let Some(&node) = rig_logic.get(to.0) {
                if let Some(("inputs", index)) = indexed(to.1) {
                    self.scene.rig_logic[node].inputs.push(Wire { index, plug: plug(from) });
                }
            } else if let Some(&node) = rig_logic.get(from.0) {
                let node = &mut self.scene.rig_logic[node];
                let wires = match indexed(from.1) {
                    Some(("jntTranslationOutputs", index)) => Some((&mut node.translations, index)),
                    Some(("jntRotationOutputs", index)) => Some((&mut node.rotations, index)),
                    Some(("jntScaleOutputs", index)) => Some((&mut node.scales, index)),
                    Some(("bsOutputs", index)) => Some((&mut node.blend_shapes, index)),
                    Some(("amOutputs", index)) => Some((&mut node.animated_maps, index)),
                    _ => None,
                };
                if let Some((wires, index)) = wires {
                    wires.push(Wire { index, plug: plug(to) });
                }
            } else if !is_structural(from, to, kind_of(from.0), kind_of(to.0)) {
                others.push(Connection { from: plug(from), to: plug(to) });
            }
        }
        self.scene.connections = others;
        let mut of_layer: HashMap<&str, Vec<String>> = HashMap::new();
        for connection in &self.document.connections {
            if let (Some((layer, "di")), Some((member, _))) =
                (split_plug(&connection.from), split_plug(&connection.to))
            {
                of_layer.entry(layer).or_default().push(member.to_owned());
            }
        }
        for layer in &mut self.scene.display_layers {
            layer.members = of_layer.remove(layer.name.as_str()).unwrap_or_default();
        }
        for set in &mut self.scene.sets {
            let into = flow.edges_into(&set.name).iter().filter(|edge| edge.attribute == "dsm");
            set.members = into.map(|edge| edge.from.0.to_owned()).collect();
        }
        Ok(())
    }
}

/// Whether a connection follows from what its nodes are.
fn is_structural(from: (&str, &str), to: (&str, &str), from_kind: &str, to_kind: &str) -> bool {
    let is_deformer = |kind: &str| matches!(kind, "blendShape" | "skinCluster");
    if to.0.starts_with(':') || to_kind == "materialInfo" || to_kind == "shadingEngine" {
        return true;
    }
    match to_kind {
        "displayLayer" => to.1 == "id",
        "transform" => from_kind == "displayLayer" && to.1 == "do",
        "objectSet" => to.1 == "dsm",
        "mesh" => to.1 == "i",
        "parentConstraint" | "aimConstraint" => {
            let is_own = from.0 == to.0;
            is_own || matches!(to.1, "cpim" | "cro" | "crp" | "crt" | "ct" | "wum") || to.1.starts_with("tg[")
        }
        kind if is_deformer(kind) => {
            to.1.starts_with("ip[") || to.1.starts_with("orggeom[") || to.1.starts_with("ma[")
        }
        _ => false,
    }
}

/// `value` as a whole number; `None` for one that is none or does not fit.
fn whole<T: TryFrom<u32>>(value: f64) -> Option<T> {
    let is_whole = (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0;
    is_whole.then_some(value as u32).and_then(|whole| T::try_from(whole).ok())
}

/// `3:7` → 3 and 5: the first element and how many there are.
fn element_range(index: &str) -> Option<(usize, usize)> {
    let (first, last) = index.split_once(':').unwrap_or((index, index));
    let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
    Some((first, last.checked_sub(first)?.checked_add(1)?))
}

/// `vtx[3:7]` → 3 and 7.
fn component(word: &str) -> Option<(u32, u32)> {
    let index = word.strip_prefix("vtx[")?.strip_suffix(']')?;
    let (first, last) = index.split_once(':').unwrap_or((index, index));
    let range: (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    (range.0 <= range.1).then_some(range)
}
