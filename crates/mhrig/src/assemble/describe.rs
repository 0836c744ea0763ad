//! From DNA files to a [`RigScene`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mhrig_archetype::Archetype;
use mhrig_report::{Finding, Job, Severity};
use mhrig_scene::{
    Limit, ObjectSet, Plug, PluginRequirement, RigLogicKind, RigScene, Shape, TransformNode, UpAxis,
};
use nalgebra::{Matrix3, Vector3};

use super::board::{BoardControl, add_board};
use super::eyes::{EyePlaces, EyePlug, add_eyes, follow_head, settle_offsets};
use super::geometry::Geometry;
use super::input::{RigPart, Turn, up_axis};
use super::names::{self, Namespace, PartNames, SIDES, long_attribute};
use super::origins::add_origins;
use super::raw_drives::{DriveNetwork, RawDrive};
use super::rig_logic::{RawControls, Wiring, map_attribute, split_name, unit_attribute};
use super::rows;
use super::seam::{Seam, close_seam};
use super::skeleton::Skeleton;
use crate::report::{Stop, TOOL};

/// Height of the face board, cm.
const BOARD_HEIGHT_CM: f64 = 60.0;
/// How far beside the character the board stands, cm.
const BOARD_GAP_CM: f64 = 10.0;

/// How a character is described.
#[derive(Clone, Debug)]
pub(super) struct DescribeOptions {
    pub(super) namespace: Option<String>,
    pub(super) up_axis: Option<UpAxis>,
    pub(super) maya_version: u16,
    pub(super) rig_logic: RigLogicKind,
    /// What each node reads, in the order of the parts.
    pub(super) dna_paths: Vec<String>,
    /// Whether the face board comes from elsewhere: then the scene has only the holders of raw controls and maps.
    pub(super) is_board_external: bool,
    pub(super) metadata: Vec<(String, String)>,
}

/// A described character, and what later stages want to know of how it was made.
pub(crate) struct Described {
    pub(crate) scene: RigScene,
    /// Per part and mesh of its DNA, the number in the scene.
    pub(crate) meshes: Vec<Vec<Option<usize>>>,
    pub(super) seam: Seam,
    pub(super) shared_joints: usize,
    pub(super) shared_gap_cm: f64,
    pub(super) board_controls: usize,
    /// What the sliders of an external board do; empty for a board of our own, whose curves are in the scene.
    pub(super) drives: Vec<RawDrive>,
    /// Names of the joints that both parts have.
    pub(super) shared_names: Vec<String>,
}

/// Describes `parts`, head first.
pub(super) fn describe(
    parts: &[RigPart],
    archetype: Option<&Archetype>,
    options: &DescribeOptions,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<Described, Stop> {
    let namespace = Namespace::new(options.namespace.as_deref());
    // All parts have the axes of the first: that was checked.
    let file_up = parts.first().and_then(|part| up_axis(&part.dna.descriptor.coordinate_system));
    let file_up = file_up.unwrap_or_default();
    let scene_up = options.up_axis.unwrap_or(file_up);
    let turn = Turn::between(file_up, scene_up);
    let mut scene = RigScene {
        up_axis: scene_up,
        maya_version: options.maya_version,
        metadata: options.metadata.clone(),
        ..RigScene::default()
    };
    let joints_group = add_groups(&mut scene, parts, &namespace);
    let skeleton = Skeleton::merge(parts, turn, &joints_group, &namespace)
        .map_err(|findings| Stop::Refused(mhrig_report::Refused { findings }))?;
    scene.joints = skeleton.joints.clone();
    check_sliders(parts)?;
    job.check()?;
    let mut geometry = Geometry::of(parts, &skeleton, turn, &namespace, findings);
    job.check()?;
    let numbers = geometry.numbers.clone();
    let seam = close_seam(parts, archetype, &numbers, &mut geometry.meshes, turn, findings)?;
    job.check()?;
    scene.transforms.append(&mut geometry.groups);

    let upright = upright(scene_up);
    let mut builder = Builder {
        scene,
        parts,
        skeleton: &skeleton,
        namespace: &namespace,
        upright,
        board_controls: 0,
        drives: Vec::new(),
    };
    if options.is_board_external {
        builder.leave_room_for_board(findings);
    } else {
        builder.add_controls(&geometry, findings);
    }
    let wiring = Wiring {
        skeleton: &skeleton,
        geometry: &geometry,
        namespace: &namespace,
        kind: options.rig_logic,
        turn,
    };
    let mut nodes = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let raw = builder.add_raw_controls(part, findings);
        let path = options.dna_paths.get(number).cloned().unwrap_or_default();
        nodes.extend(wiring.node(number, part, &raw, path, findings));
    }
    builder.add_root_attributes();
    let (mut scene, board_controls, drives) = (builder.scene, builder.board_controls, builder.drives);
    scene.rig_logic = nodes;
    scene.display_layers = std::mem::take(&mut geometry.layers);
    scene.materials = std::mem::take(&mut geometry.materials);
    scene.meshes = std::mem::take(&mut geometry.meshes);
    scene.blend_shapes = std::mem::take(&mut geometry.blend_shapes);
    scene.skin_clusters = std::mem::take(&mut geometry.skin_clusters);
    settle_offsets(&mut scene);
    scene.plugins = plugins(&scene);
    let mut problems = scene.check();
    if !problems.is_empty() {
        add_origins(&mut problems, parts, &namespace);
        return Err(Stop::Refused(mhrig_report::Refused { findings: problems }));
    }
    Ok(Described {
        scene,
        meshes: numbers,
        seam,
        shared_joints: skeleton.shared,
        shared_gap_cm: skeleton.shared_gap_cm,
        board_controls,
        drives,
        shared_names: shared_names(&skeleton, parts),
    })
}

fn shared_names(skeleton: &Skeleton, parts: &[RigPart]) -> Vec<String> {
    let Some((last, others)) = parts.split_last() else { return Vec::new() };
    let of_others: BTreeSet<&String> = others.iter().flat_map(|part| part.joint_names()).collect();
    let shared = last.joint_names().iter().filter(|name| of_others.contains(name));
    shared.filter_map(|name| Some(skeleton.joints[skeleton.find(name)?].name.clone())).collect()
}

/// Groups of all parts; returns the one that the skeleton hangs below.
fn add_groups(scene: &mut RigScene, parts: &[RigPart], namespace: &Namespace) -> String {
    let is_pair = parts.len() > 1;
    let rig = namespace.of(names::RIG);
    if is_pair {
        scene.transforms.push(TransformNode::group(rig.clone(), None));
    }
    let mut joints = None;
    for part in parts {
        let names = PartNames::of(part.kind);
        let top = namespace.of(names.top);
        scene.transforms.push(TransformNode::group(top.clone(), is_pair.then_some(rig.as_str())));
        scene.transforms.push(TransformNode::group(namespace.of(names.rig), Some(&top)));
        joints.get_or_insert(top);
    }
    if is_pair {
        let group = namespace.of(names::JOINTS);
        scene.transforms.push(TransformNode::group(group.clone(), Some(&rig)));
        joints = Some(group);
    }
    joints.unwrap_or_default()
}

/// What turns the scene's axes upright.
fn upright(up: UpAxis) -> Matrix3<f64> {
    Turn::between(up, UpAxis::Y).matrix()
}

/// The control and the long attribute that the name of a GUI control means.
fn slider_name(name: &str) -> (&str, &str) {
    let (object, attribute) = split_name(name).unwrap_or((name, "value"));
    (object, long_attribute(attribute))
}

/// Every slider is an attribute of its own, and one that is at rest at 0 and no angle.
fn check_sliders(parts: &[RigPart]) -> Result<(), Stop> {
    let mut problems = Vec::new();
    for part in parts {
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (number, name) in part.dna.definition.gui_control_names.iter().enumerate() {
            let name = name.to_string();
            let (object, attribute) = slider_name(&name);
            let place = format!("{}: defn.guiControlNames[{number}]", part.file().display());
            if attribute.starts_with("rotate") || attribute.starts_with("scale") {
                let message = format!("`{name}` turns or scales a control, and sliders are moved");
                let remedy = "name it by an axis (CTRL_name.tx, .ty, .tz) or by an attribute of its own";
                problems.push(Finding::new("CONTROL_ATTRIBUTE", Severity::Error, place, message, remedy));
            } else if let Some(first) = known.insert((object.to_owned(), attribute.to_owned()), number) {
                let message = format!("`{name}` is the same slider as GUI control {first}");
                let remedy = "give each GUI control a name of its own in the DNA";
                problems.push(Finding::new("CONTROL_TWICE", Severity::Error, place, message, remedy));
            }
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Stop::Refused(mhrig_report::Refused { findings: problems }))
    }
}

/// A slider of a DNA.
struct Slider {
    plug: Plug,
    range: Option<(f64, f64)>,
}

/// The sliders of one part, in the order of its DNA.
struct PartSliders<'a> {
    part: &'a RigPart,
    sliders: Vec<Slider>,
    /// Per slider, the range of its rows.
    ranges: Vec<Option<(f64, f64)>>,
}

struct Builder<'a> {
    scene: RigScene,
    parts: &'a [RigPart],
    skeleton: &'a Skeleton,
    namespace: &'a Namespace,
    /// `upright_from_world`.
    upright: Matrix3<f64>,
    board_controls: usize,
    drives: Vec<RawDrive>,
}

impl<'a> Builder<'a> {
    /// Where a joint is at rest, in upright axes.
    fn upright_place(&self, joint: usize) -> Vector3<f64> {
        self.upright * self.skeleton.world[joint].translation
    }

    /// The sliders of each part that has any.
    fn sliders(&self) -> Vec<PartSliders<'a>> {
        let with_sliders = self.parts.iter().filter(|part| !part.dna.definition.gui_control_names.is_empty());
        with_sliders.map(|part| self.sliders_of(part)).collect()
    }

    fn sliders_of(&self, part: &'a RigPart) -> PartSliders<'a> {
        let gui_names = &part.dna.definition.gui_control_names;
        let ranges = rows::ranges(&part.dna.behavior.controls.conditionals, gui_names.len());
        let slider = |(name, range): (_, &Option<(f64, f64)>)| {
            let name = ToString::to_string(name);
            let (object, attribute) = slider_name(&name);
            let plug = Plug::new(self.namespace.of(object), attribute);
            Slider { plug, range: *range }
        };
        PartSliders { part, sliders: gui_names.iter().zip(&ranges).map(slider).collect(), ranges }
    }

    /// Holders alone: board, eyes and what goes with the head come from elsewhere, and so do the nodes that drive raw
    /// controls, unless that leaves some out.
    fn leave_room_for_board(&mut self, findings: &mut Vec<Finding>) {
        self.drives = self.raw_drives(&self.sliders(), names::OWN_PREFIX, findings);
        let group = self.parts.first().map(|part| self.namespace.of(PartNames::of(part.kind).rig));
        self.add_holders(group.as_deref());
    }

    /// Board, eye setup, holders of raw controls and maps, and the rows between them.
    fn add_controls(&mut self, geometry: &Geometry, findings: &mut Vec<Finding>) {
        let of_parts = self.sliders();
        let Some(part) = of_parts.first().map(|own| own.part) else { return self.add_holders(None) };
        let sliders: Vec<&Slider> = of_parts.iter().flat_map(|own| &own.sliders).collect();
        let rigging = self.namespace.of(names::RIGGING);
        let rig_group = self.namespace.of(PartNames::of(part.kind).rig);
        // Below the rigging group up is +Y whatever the scene's axis is.
        let mut group = TransformNode::group(rigging.clone(), Some(&rig_group));
        if self.scene.up_axis == UpAxis::Z {
            group.rotate[0] = 90.0;
        }
        self.scene.transforms.push(group);
        let gui = self.namespace.of(names::GUI);
        self.scene.transforms.push(TransformNode::group(gui.clone(), Some(&rigging)));

        let eyes = of_parts.iter().find_map(|own| self.eye_places(own));
        let head = self.skeleton.find(names::HEAD_JOINT);
        let controls = self.board(&sliders, eyes.is_some(), head.is_some());
        self.board_controls = controls.len();
        let anchor = self.board_anchor(geometry);
        add_board(&mut self.scene.transforms, &controls, &gui, self.namespace, anchor, BOARD_HEIGHT_CM);
        self.add_holders(Some(&gui));
        let mut members: Vec<String> = controls.iter().map(|c| self.namespace.of(&c.name)).collect();

        let mut stand_ins = Vec::new();
        if eyes.is_some() || head.is_some() {
            let setup = self.namespace.of(names::EYES_SETUP);
            self.scene.transforms.push(TransformNode::group(setup.clone(), Some(&rigging)));
            if let Some(places) = eyes {
                let has_both = controls.iter().any(|c| c.name == names::BOTH_EYES)
                    && !sliders.iter().any(|slider| slider.plug.node == self.namespace.of(names::BOTH_EYES));
                stand_ins = add_eyes(&mut self.scene, &places, &setup, self.namespace, has_both);
                members.push(self.namespace.of(names::EYES_AIM_CONTROL));
                members.extend(SIDES.map(|side| self.namespace.of(format!("CTRL_{side}_eyeAim"))));
            }
            if let Some(head) = head {
                self.follow_head(head, &rigging, !stand_ins.is_empty());
            }
        }
        let drives = self.raw_drives(&of_parts, "", findings);
        self.connect_rows(drives, &stand_ins);
        let name = self.namespace.of(names::CONTROL_SET);
        self.scene.sets.push(ObjectSet { name, members });
    }

    fn follow_head(&mut self, head: usize, rigging: &str, has_eyes: bool) {
        let world = TransformNode::group(self.namespace.of(names::WORLD), Some(rigging))
            .with_shape(Shape::Locator { size: 1.0 });
        self.scene.transforms.push(world);
        let head = self.skeleton.joints[head].name.clone();
        let board = self.namespace.of(names::BOARD);
        follow_head(&mut self.scene, &board, &head, names::BOARD_FOLLOWS_HEAD, self.namespace);
        if has_eyes {
            let aims = self.namespace.of(names::EYES_AIM);
            follow_head(&mut self.scene, &aims, &head, names::EYES_AIM_FOLLOWS_HEAD, self.namespace);
        }
    }

    /// Holders of raw controls and animated maps; attributes come later.
    fn add_holders(&mut self, gui: Option<&str>) {
        let maps: Vec<String> = self
            .parts
            .iter()
            .flat_map(|part| &part.dna.definition.animated_map_names)
            .map(|name| map_attribute(&name.to_str()))
            .collect();
        let fallback = self.parts.first().map(|part| self.namespace.of(PartNames::of(part.kind).rig));
        let parent = gui.map(str::to_owned).or(fallback);
        if gui.is_some() {
            let holder = TransformNode::group(self.namespace.of(names::EXPRESSIONS), parent.as_deref());
            self.scene.transforms.push(holder.with_locked(["visibility"]));
        }
        if !maps.is_empty() {
            let mut holder =
                TransformNode::group(self.namespace.of(names::MAP_MULTIPLIERS), parent.as_deref());
            let mut known = BTreeSet::new();
            for map in maps {
                if known.insert(map.clone()) {
                    holder.attributes.push(unit_attribute(&map, 0.0));
                }
            }
            self.scene.transforms.push(holder);
        }
    }

    /// Gives the holders the raw controls of `part`.
    fn add_raw_controls(&mut self, part: &RigPart, findings: &mut Vec<Finding>) -> RawControls {
        let raw = RawControls::add(&mut self.scene, part, self.skeleton, self.namespace, findings);
        for (object, attributes) in &raw.held {
            let name = self.namespace.of(object);
            let known = self.scene.transforms.iter().position(|node| node.name == name);
            let holder = known.unwrap_or_else(|| {
                let parent = self.namespace.of(PartNames::of(part.kind).rig);
                self.scene.transforms.push(TransformNode::group(name, Some(&parent)));
                self.scene.transforms.len() - 1
            });
            let holder = &mut self.scene.transforms[holder].attributes;
            for attribute in attributes {
                if !holder.iter().any(|known| known.name == attribute.name) {
                    holder.push(attribute.clone());
                }
            }
        }
        raw
    }

    /// Gives the facial root what raw controls and animated maps are called: exporters make curves of a joint's
    /// attributes. Nothing drives them; they would close a circle by way of the eyes.
    fn add_root_attributes(&mut self) {
        let Some(root) = self.skeleton.find(names::FACIAL_ROOT) else { return };
        let holders = [names::EXPRESSIONS, names::MAP_MULTIPLIERS].map(|holder| self.namespace.of(holder));
        let named = self.scene.transforms.iter().filter(|node| holders.contains(&node.name));
        let mut known = BTreeSet::new();
        let of_holders = named.flat_map(|node| &node.attributes);
        // a raw control and a map of one name are one curve
        let attributes = of_holders.filter(|own| known.insert(own.name.as_str())).cloned().collect();
        self.scene.joints[root].attributes = attributes;
    }

    /// The controls of the board: those of the DNA's sliders, and switches.
    fn board(&self, sliders: &[&Slider], has_eyes: bool, has_head: bool) -> Vec<BoardControl> {
        let mut order: Vec<String> = Vec::new();
        let mut attributes: BTreeMap<String, BTreeMap<String, Limit>> = BTreeMap::new();
        let mut add = |name: &str, attribute: &str, limit: Limit| {
            if !attributes.contains_key(name) {
                order.push(name.to_owned());
            }
            let own = attributes.entry(name.to_owned()).or_default();
            let known = own.entry(attribute.to_owned()).or_insert(limit);
            (known.min, known.max) = (known.min.min(limit.min), known.max.max(limit.max));
        };
        let unit = Limit { min: 0.0, max: 1.0 };
        let both = Limit { min: -1.0, max: 1.0 };
        for slider in sliders {
            let (min, max) = slider.range.unwrap_or((0.0, 1.0));
            let name = slider.plug.node.strip_prefix(self.namespace.prefix()).unwrap_or(&slider.plug.node);
            add(name, &slider.plug.attribute, Limit { min, max });
        }
        if has_eyes {
            add(names::BOTH_EYES, "translateX", both);
            add(names::BOTH_EYES, "translateY", both);
            add(names::LOOK_AT_SWITCH, "translateY", unit);
            add(names::CONVERGENCE_SWITCH, "translateY", unit);
        }
        if has_head {
            add(names::BOARD_FOLLOWS_HEAD, "translateY", unit);
            if has_eyes {
                add(names::EYES_AIM_FOLLOWS_HEAD, "translateY", unit);
            }
        }
        let controls = order.into_iter().map(|name| {
            let attributes = attributes.remove(&name).unwrap_or_default();
            BoardControl { name, attributes }
        });
        controls.collect()
    }

    /// Where the board begins: beside the character's left, its eyes' control at the height of the eyes.
    fn board_anchor(&self, geometry: &Geometry) -> [f64; 3] {
        let positions = geometry.meshes.iter().flat_map(|mesh| &mesh.mesh.positions);
        let side = positions.fold(0.0f32, |most, p| most.max(p[0]));
        let eye = self.skeleton.find(&names::eye_joint(SIDES[0]));
        let eye =
            eye.or_else(|| self.skeleton.find(names::HEAD_JOINT)).map(|joint| self.upright_place(joint));
        let eye = eye.unwrap_or_else(|| Vector3::new(0.0, BOARD_HEIGHT_CM, 0.0));
        let beside = f64::from(side) + BOARD_GAP_CM;
        [beside, eye.y, eye.z].map(|c| (c * 1e4).round() / 1e4)
    }

    /// Where the eyes are; `None` when the rig has no eye joints, or no slider for each of their directions.
    fn eye_places(&self, PartSliders { part, sliders, .. }: &PartSliders<'_>) -> Option<EyePlaces> {
        for side in SIDES {
            for attribute in ["translateX", "translateY"] {
                let plug = Plug::new(self.namespace.of(names::eye_control(side)), attribute);
                sliders.iter().find(|slider| slider.plug == plug)?;
            }
        }
        let [left, right] = SIDES.map(|side| self.skeleton.find(&names::eye_joint(side)));
        let (left, right) = (left?, right?);
        // The drivers must not hang on a joint that they move: the nearest one above that RigLogic leaves alone.
        let moved = part.rig()?.variable_joint_attributes_of_all_lods();
        let hierarchy = part.deformer().skeleton().hierarchy();
        let mut leader = hierarchy.find(names::FACIAL_ROOT).or_else(|| hierarchy.find(names::HEAD_JOINT))?;
        while moved.iter().any(|&attribute| usize::from(attribute / 9) == leader.index()) {
            leader = hierarchy.parent(leader)?;
        }
        let leader = self.skeleton.find(hierarchy.name(leader))?;
        Some(EyePlaces {
            leader: self.skeleton.joints[leader].name.clone(),
            leader_at: self.upright_place(leader),
            eyes: [left, right].map(|joint| self.upright_place(joint)),
        })
    }

    /// What the sliders do to the raw controls, by the rows of all parts. Names of nodes in between begin with `prefix`.
    fn raw_drives(
        &self,
        of_parts: &[PartSliders<'_>],
        prefix: &str,
        findings: &mut Vec<Finding>,
    ) -> Vec<RawDrive> {
        let mut drives: Vec<RawDrive> = Vec::new();
        let mut known: HashMap<Plug, usize> = HashMap::new();
        for own in of_parts {
            for drive in self.raw_drives_of(own, prefix, findings) {
                match known.get(&drive.target).map(|&number| &drives[number]) {
                    None => {
                        known.insert(drive.target.clone(), drives.len());
                        drives.push(drive);
                    }
                    Some(same) if same.sources == drive.sources => {}
                    Some(_) => {
                        let place = format!("{}: {}", own.part.file().display(), drive.target);
                        let message = "the sliders drive this raw control otherwise than in the head";
                        let remedy =
                            "give both files the same rows, or the raw control another name in one of them";
                        findings.push(Finding::new("ROWS_DIFFER", Severity::Error, place, message, remedy));
                    }
                }
            }
        }
        drives
    }

    fn raw_drives_of(
        &self,
        PartSliders { part, sliders, ranges }: &PartSliders<'_>,
        prefix: &str,
        findings: &mut Vec<Finding>,
    ) -> Vec<RawDrive> {
        let raw_names = &part.dna.definition.raw_control_names;
        let drives = rows::drives(&part.dna.behavior.controls.conditionals, ranges);
        let jumps = drives.iter().filter(|drive| drive.jumps).count();
        if jumps > 0 {
            let message =
                format!("{jumps} rows from sliders to raw controls jump; their curves are steep instead");
            let place = part.file().display().to_string();
            let remedy = "nothing to do, unless a slider stands exactly at such a place";
            findings.push(Finding::new("ROW_JUMPS", Severity::Info, place, message, remedy));
        }
        let mut raw_drives = Vec::new();
        for of_output in drives.chunk_by(|a, b| a.output == b.output) {
            let Some(raw) = of_output.first().and_then(|drive| raw_names.get(drive.output)) else { continue };
            let raw = raw.to_string();
            let (object, attribute) = split_name(&raw).unwrap_or((names::EXPRESSIONS, &raw));
            let source = |drive: &rows::Drive| {
                let slider = sliders.get(drive.input)?;
                Some((slider.plug.clone(), drive.keys.clone()))
            };
            raw_drives.push(RawDrive {
                target: Plug::new(self.namespace.of(object), attribute),
                stem: self.namespace.of(format!("{prefix}{object}_{attribute}")),
                sources: of_output.iter().filter_map(source).collect(),
            });
        }
        raw_drives
    }

    /// Curves from sliders, or what stands in for them, to raw controls.
    fn connect_rows(&mut self, mut drives: Vec<RawDrive>, stand_ins: &[EyePlug]) {
        let mut network = DriveNetwork::default();
        for drive in &mut drives {
            for (slider, _) in &mut drive.sources {
                if let Some(eye) = stand_ins.iter().find(|eye| eye.slider == *slider) {
                    *slider = eye.plug.clone();
                }
            }
            network.add(drive);
        }
        self.scene.curves.append(&mut network.curves);
        self.scene.utilities.append(&mut network.utilities);
        self.scene.connections.append(&mut network.connections);
    }
}

/// What the scene needs beyond Maya itself.
fn plugins(scene: &RigScene) -> Vec<PluginRequirement> {
    let mut wanted: BTreeMap<&str, (&str, BTreeSet<&str>)> = BTreeMap::new();
    for utility in &scene.utilities {
        if let Some(plugin) = utility.kind.plugin() {
            wanted.entry(plugin).or_insert(("1.0", BTreeSet::new())).1.insert(utility.kind.node_type());
        }
    }
    for node in &scene.rig_logic {
        let version = if node.kind == RigLogicKind::MhRigLogic { TOOL.version } else { "1.0" };
        wanted
            .entry(node.kind.plugin())
            .or_insert((version, BTreeSet::new()))
            .1
            .insert(node.kind.node_type());
    }
    let requirement = |(name, (version, types)): (&str, (&str, BTreeSet<&str>))| PluginRequirement {
        name: name.to_owned(),
        version: version.to_owned(),
        node_types: types.into_iter().map(str::to_owned).collect(),
    };
    wanted.into_iter().map(requirement).collect()
}
