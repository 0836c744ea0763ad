//! Reads the DNA files of a character, finds out which is which, and refuses what does not belong together.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mhrig_archetype::{Archetype, PartKind};
use mhrig_dna::{CoordinateSystem, Dna, direction};
use mhrig_report::{Finding, Job, Refused, Severity};
use mhrig_rig::{Deformer, Rig, RigOptions};
use mhrig_scene::UpAxis;
use nalgebra::Matrix3;
use rayon::prelude::*;

use crate::dna_file::{read_dna, rig_of};
use crate::posing::PosedPart;
use crate::report::Stop;

/// A part of the character that is assembled.
pub(crate) struct RigPart {
    pub(crate) kind: PartKind,
    pub(crate) dna: Dna,
    /// File, rig and meshes, ready to be moved.
    posed: PosedPart,
    /// SHA-256 of the file.
    pub(crate) hash: String,
}

impl Borrow<PosedPart> for RigPart {
    fn borrow(&self) -> &PosedPart {
        &self.posed
    }
}

impl RigPart {
    pub(crate) fn file(&self) -> &Path {
        &self.posed.file
    }

    /// Absent in a part that nothing drives.
    pub(crate) fn rig(&self) -> Option<&Arc<Rig>> {
        self.posed.rig.as_ref()
    }

    pub(crate) fn deformer(&self) -> &Deformer {
        &self.posed.deformer
    }

    pub(crate) fn joint_names(&self) -> &[String] {
        self.posed.deformer.skeleton().hierarchy().names()
    }
}

/// Reads all files, head first, and checks them.
pub(crate) fn read_parts(
    files: &[PathBuf],
    archetype: Option<&Archetype>,
    findings: &mut Vec<Finding>,
    job: Job<'_>,
) -> Result<Vec<RigPart>, Stop> {
    let read: Vec<_> = files.par_iter().map(|file| read_part(file, archetype, job)).collect();
    let mut parts = Vec::new();
    let mut problems = Vec::new();
    for part in read {
        match part {
            Ok((part, noticed)) => {
                findings.extend(noticed);
                parts.push(part);
            }
            Err(Stop::Refused(refused)) => problems.extend(refused.findings),
            Err(stop) => return Err(stop),
        }
    }
    if problems.is_empty() {
        problems = check_parts(&parts, archetype);
    }
    if problems.is_empty() { Ok(parts) } else { Err(Stop::Refused(Refused { findings: problems })) }
}

fn read_part(
    file: &Path,
    archetype: Option<&Archetype>,
    job: Job<'_>,
) -> Result<(RigPart, Vec<Finding>), Stop> {
    let mut findings = Vec::new();
    job.check()?;
    let (dna, _) = read_dna(file)?;
    job.check()?;
    let hash = mhrig_archetype::hash_file(file)
        .map_err(|error| refusal("FILE_READ", file, format!("cannot be read: {error}"), "check the path"))?;
    let rig = match rig_of(file, &dna, &RigOptions::default(), &mut findings) {
        Ok(rig) => Some(Arc::new(rig)),
        Err(problems) if problems.iter().all(|problem| problem.code == "NO_BEHAVIOR") => {
            findings.extend(problems.into_iter().map(|problem| Finding {
                severity: Severity::Warning,
                message:
                    "nothing in the DNA reacts to a control: its joints and meshes stand still".to_owned(),
                ..problem
            }));
            None
        }
        Err(problems) => return Err(Stop::Refused(Refused { findings: problems })),
    };
    job.check()?;
    let posed = PosedPart::new(file, &dna, rig, &mut findings)?;
    let kind = kind_of(&dna, archetype);
    Ok((RigPart { kind, dna, posed, hash }, findings))
}

/// Head or body: the part of the archetype that it shares more joints with. An archetype of one part alone says whether
/// it is that part; without any, what has a face board or blend shapes is a head.
fn kind_of(dna: &Dna, archetype: Option<&Archetype>) -> PartKind {
    let names = &dna.definition.joint_names;
    let likeness = |kind: PartKind| -> f64 {
        let part = archetype.and_then(|archetype| match kind {
            PartKind::Head => archetype.head.as_ref(),
            PartKind::Body => archetype.body.as_ref(),
        });
        let Some(part) = part else { return 0.0 };
        let theirs = part.neutral.hierarchy.names();
        let own: std::collections::HashSet<String> = names.iter().map(ToString::to_string).collect();
        let common = theirs.iter().filter(|name| own.contains(*name)).count();
        common as f64 / (own.len() + theirs.len() - common).max(1) as f64
    };
    /// Most of the joints of both are the same.
    const ALIKE: f64 = 0.5;
    let (head, body) = (likeness(PartKind::Head), likeness(PartKind::Body));
    match archetype.map(|archetype| (archetype.head.is_some(), archetype.body.is_some())) {
        Some((true, true)) if head > body => return PartKind::Head,
        Some((true, true)) if body > head => return PartKind::Body,
        Some((true, false)) => return if head >= ALIKE { PartKind::Head } else { PartKind::Body },
        Some((false, true)) => return if body >= ALIKE { PartKind::Body } else { PartKind::Head },
        _ => {}
    }
    let has_face =
        !dna.definition.gui_control_names.is_empty() || !dna.definition.blend_shape_channel_names.is_empty();
    if has_face { PartKind::Head } else { PartKind::Body }
}

fn refusal(code: &'static str, file: &Path, message: impl Into<String>, remedy: &str) -> Finding {
    Finding::new(code, Severity::Error, file.display().to_string(), message, remedy)
}

fn check_parts(parts: &[RigPart], archetype: Option<&Archetype>) -> Vec<Finding> {
    let mut problems = Vec::new();
    for part in parts {
        if up_axis(&part.dna.descriptor.coordinate_system).is_none() {
            let found = axes_in_words(&part.dna.descriptor.coordinate_system);
            let message = "a scene cannot have these axes";
            let remedy = "export the DNA with Y up (left,up,front) or Z up (left,back,up)";
            problems.push(
                refusal("AXES_UNSUPPORTED", part.file(), message, remedy)
                    .with_values("left,up,front or left,back,up", found),
            );
        }
    }
    if let [head, body] = parts {
        problems.extend(check_pair(head, body, archetype));
    }
    if problems.is_empty()
        && let Some(archetype) = archetype
    {
        problems.extend(parts.iter().filter_map(|part| check_against(part, archetype)));
    }
    problems
}

fn check_pair(head: &RigPart, body: &RigPart, archetype: Option<&Archetype>) -> Vec<Finding> {
    match (head.kind, body.kind) {
        (PartKind::Head, PartKind::Body) => {}
        (PartKind::Body, PartKind::Head) => {
            let (message, remedy) =
                ("this is a body, and the other file a head", "give the head first, then the body");
            return vec![
                refusal("PARTS_SWAPPED", head.file(), message, remedy)
                    .with_values("head, body", "body, head"),
            ];
        }
        (kind, _) => {
            let place = if kind == PartKind::Head { body.file() } else { head.file() };
            let expected = if kind == PartKind::Head { PartKind::Body } else { PartKind::Head };
            let message = format!("both files are a {kind}");
            let remedy = match archetype {
                Some(_) => "give one head and one body of the same person",
                None => "give one head and one body of the same person, and --archetype where they are alike",
            };
            return vec![refusal("PARTS_SAME", place, message, remedy).with_values(expected, kind)];
        }
    }
    let mut problems = Vec::new();
    let (a, b) = (&head.dna.descriptor, &body.dna.descriptor);
    let mut differ = |code, what: &str, remedy: &str, head_value: String, body_value: String| {
        if head_value != body_value {
            let message = format!("{what} of the body are not those of the head");
            let finding = refusal(code, body.file(), message, remedy);
            problems.push(finding.with_values(format!("{head_value}, as the head"), body_value));
        }
    };
    let axes = |system| axes_in_words(system);
    let same = "export both with the same settings";
    differ("AXES", "the axes", same, axes(&a.coordinate_system), axes(&b.coordinate_system));
    let unit = |unit: u16, names: [&str; 2]| {
        names.get(usize::from(unit)).map_or_else(|| unit.to_string(), |&name| name.to_owned())
    };
    let lengths = |u| unit(u, ["cm", "m"]);
    differ("UNITS", "the length units", same, lengths(a.translation_unit), lengths(b.translation_unit));
    let angles = |u| unit(u, ["degrees", "radians"]);
    differ("UNITS", "the angle units", same, angles(a.rotation_unit), angles(b.rotation_unit));
    let generation = |dna: &Dna| format!("generation {}", dna.version.generation);
    differ("VERSIONS", "the file versions", same, generation(&head.dna), generation(&body.dna));
    problems.extend(check_shared(head, body, archetype));
    problems
}

/// The head's root, and every joint that the archetype's parts share, have to be in the body.
fn check_shared(head: &RigPart, body: &RigPart, archetype: Option<&Archetype>) -> Option<Finding> {
    let own = head.deformer().skeleton().hierarchy();
    let mut wanted: Vec<&str> = match archetype {
        Some(archetype) => {
            let names = archetype.head.as_ref().map(|head| head.neutral.hierarchy.names());
            let shared = archetype.shared_joints();
            let name = |joint: mhrig_geom::JointId| names.and_then(|names| names.get(joint.index()));
            shared.iter().filter_map(|(joint, _)| name(*joint)).map(String::as_str).collect()
        }
        None => Vec::new(),
    };
    let roots = own.top_down().iter().take_while(|&&joint| own.parent(joint).is_none());
    wanted.extend(roots.map(|&joint| own.name(joint)));
    let theirs = body.deformer().skeleton().hierarchy();
    let missing: Vec<&str> = wanted.into_iter().filter(|name| theirs.find(name).is_none()).collect();
    let first = missing.first()?;
    let message =
        format!("{} joints that head and body share are not in the body, such as {first}", missing.len());
    let remedy = "give the body that belongs to this head";
    Some(refusal("SHARED_JOINTS", body.file(), message, remedy))
}

/// A part has to be of the archetype's rig: same rig definition, joints and meshes.
fn check_against(part: &RigPart, archetype: &Archetype) -> Option<Finding> {
    let template = match part.kind {
        PartKind::Head => archetype.head.as_ref(),
        PartKind::Body => archetype.body.as_ref(),
    }?;
    let remedy = "give the archetype that the character was built on";
    let (expected, found) = (&template.dna.descriptor.db_name, &part.dna.descriptor.db_name);
    if expected != found {
        let message = format!("the {} is of another rig than the archetype's", part.kind);
        return Some(refusal("RIG_VERSION", part.file(), message, remedy).with_values(expected, found));
    }
    let joints = part.joint_names();
    let theirs = template.neutral.hierarchy.names();
    if joints != theirs {
        let message = format!("the {} has other joints than the archetype's", part.kind);
        let at = joints.iter().zip(theirs).position(|(own, their)| own != their);
        let name = |names: &[String]| match at {
            Some(at) => names[at].clone(),
            None => format!("{} joints", names.len()),
        };
        let finding = refusal("ARCHETYPE_MISMATCH", part.file(), message, remedy);
        return Some(finding.with_values(name(theirs), name(joints)));
    }
    let own: Vec<(&str, usize)> =
        part.deformer().meshes().iter().map(|mesh| (mesh.name(), mesh.vertex_count())).collect();
    let meshes = template.neutral.meshes.iter();
    let theirs: Vec<(&str, usize)> =
        meshes.map(|mesh| (mesh.name.as_str(), mesh.mesh.positions.len())).collect();
    if own != theirs {
        let message = format!("the {} has other meshes than the archetype's", part.kind);
        let at = own.iter().zip(&theirs).position(|(own, their)| own != their);
        let words = |meshes: &[(&str, usize)]| match at {
            Some(at) => format!("{} with {} vertices", meshes[at].0, meshes[at].1),
            None => format!("{} meshes", meshes.len()),
        };
        let finding = refusal("ARCHETYPE_MISMATCH", part.file(), message, remedy);
        return Some(finding.with_values(words(&theirs), words(&own)));
    }
    None
}

/// The up axis of a file; `None` for axes that a scene cannot have.
pub(crate) fn up_axis(system: &CoordinateSystem) -> Option<UpAxis> {
    use direction::{BACK, FRONT, LEFT, UP};
    match [system.x_axis, system.y_axis, system.z_axis] {
        [LEFT, UP, FRONT] => Some(UpAxis::Y),
        [LEFT, BACK, UP] => Some(UpAxis::Z),
        _ => None,
    }
}

/// The axes in full words, as Epic's plug-in wants them: `left,up,front`.
pub(crate) fn axes_in_words(system: &CoordinateSystem) -> String {
    let word = |axis: u16| match axis {
        direction::LEFT => "left",
        direction::RIGHT => "right",
        direction::UP => "up",
        direction::DOWN => "down",
        direction::FRONT => "front",
        direction::BACK => "back",
        _ => "unknown",
    };
    [system.x_axis, system.y_axis, system.z_axis].map(word).join(",")
}

/// What takes the axes of the files to those of the scene: a quarter turn about x, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    None,
    /// From Y up to Z up: +90°.
    ToZUp,
    /// From Z up to Y up: -90°.
    ToYUp,
}

impl Turn {
    pub(crate) fn between(file: UpAxis, scene: UpAxis) -> Self {
        match (file, scene) {
            (UpAxis::Y, UpAxis::Z) => Self::ToZUp,
            (UpAxis::Z, UpAxis::Y) => Self::ToYUp,
            _ => Self::None,
        }
    }

    pub(crate) fn apply(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Self::None => [x, y, z],
            Self::ToZUp => [x, -z, y],
            Self::ToYUp => [x, z, -y],
        }
    }

    #[rustfmt::skip]
    pub(crate) fn matrix(self) -> Matrix3<f64> {
        match self {
            Self::None => Matrix3::identity(),
            Self::ToZUp => Matrix3::new(
                1.0, 0.0,  0.0,
                0.0, 0.0, -1.0,
                0.0, 1.0,  0.0,
            ),
            Self::ToYUp => Matrix3::new(
                1.0,  0.0, 0.0,
                0.0,  0.0, 1.0,
                0.0, -1.0, 0.0,
            ),
        }
    }
}
