//! Settings such as `jawOpen=1` or `lowerarm_l.rz=90` applied to one or two DNAs that move together.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mhrig_dna::Dna;
use mhrig_geom::rotation_from_euler_xyz;
use mhrig_report::{Finding, Refused, Severity};
use mhrig_rig::{DeformError, Deformer, Instance, JointEdits, Rig, RigOptions, SkeletonPose};
use nalgebra::{Rotation3, UnitQuaternion};

use crate::dna_file::{read_dna, rig_of};
use crate::report::Stop;

/// A DNA that is to be posed.
pub(crate) struct PosedPart {
    pub(crate) file: PathBuf,
    pub(crate) deformer: Deformer,
    /// Absent in a part that only follows.
    pub(crate) rig: Option<Arc<Rig>>,
    axes: mhrig_dna::CoordinateSystem,
}

/// Where a part is in a pose.
pub(crate) struct PartPose {
    pub(crate) pose: SkeletonPose,
    pub(crate) channels: Vec<f32>,
    pub(crate) lod: usize,
}

impl PosedPart {
    /// Reads a DNA; `may_be_still` allows one without behaviour.
    pub(crate) fn read(
        file: &Path,
        options: &RigOptions,
        may_be_still: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Stop> {
        let (dna, _) = read_dna(file)?;
        let rig = match rig_of(file, &dna, options, findings) {
            Ok(rig) => Some(Arc::new(rig)),
            Err(problems) => {
                let is_still = problems.iter().all(|problem| problem.code == "NO_BEHAVIOR");
                if !(may_be_still && is_still) {
                    return Err(Stop::Refused(Refused { findings: problems }));
                }
                findings.extend(problems.into_iter().map(|problem| Finding {
                    severity: Severity::Warning,
                    message: "the dna has no behavior: it only follows the joints that are turned".to_owned(),
                    ..problem
                }));
                None
            }
        };
        Self::new(file, &dna, rig, findings).map_err(Stop::from)
    }

    /// A part that was read elsewhere.
    pub(crate) fn new(
        file: &Path,
        dna: &Dna,
        rig: Option<Arc<Rig>>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Finding> {
        let deformer = deformer_of(file, dna, findings)?;
        Ok(Self { file: file.to_owned(), deformer, rig, axes: dna.descriptor.coordinate_system })
    }
}

/// The meshes of a DNA, ready to be moved.
pub(crate) fn deformer_of(file: &Path, dna: &Dna, findings: &mut Vec<Finding>) -> Result<Deformer, Finding> {
    let deformer = Deformer::from_dna(dna).map_err(|error| {
        let inner: &dyn std::error::Error = match &error {
            DeformError::Neutral(neutral) => neutral,
            error => error,
        };
        let cause = inner.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        let remedy = "see `mhrig validate` for all of it";
        let place = file.display().to_string();
        Finding::new("DNA_NEUTRAL", Severity::Error, place, format!("{inner}{cause}"), remedy)
    })?;
    findings.extend(deformer.findings().iter().cloned().map(|mut finding| {
        finding.place = format!("{}: {}", file.display(), finding.place);
        finding
    }));
    Ok(deformer)
}

/// Settings, resolved against the names of all parts.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// Per part: control and value.
    raw: Vec<Vec<(usize, f32)>>,
    gui: Vec<Vec<(usize, f32)>>,
    /// Joint names, and turns about x, y, z inside the neutral orientation, in degrees.
    turns: BTreeMap<String, [f64; 3]>,
}

impl Settings {
    /// Reads `NAME=VALUE` words. A name is that of a raw control, of a GUI control, or `JOINT.rx`, `.ry`, `.rz` in
    /// degrees; a setting goes to every part that knows the name.
    pub(crate) fn read<P: Borrow<PosedPart>>(words: &[String], parts: &[P]) -> Result<Self, Stop> {
        let parts: Vec<&PosedPart> = parts.iter().map(Borrow::borrow).collect();
        let mut settings = Self {
            raw: vec![Vec::new(); parts.len()],
            gui: vec![Vec::new(); parts.len()],
            turns: BTreeMap::new(),
        };
        let mut problems = Vec::new();
        for word in words {
            if let Err(problem) = settings.set(word, &parts) {
                problems.push(problem);
            }
        }
        if problems.is_empty() { Ok(settings) } else { Err(Stop::Refused(Refused { findings: problems })) }
    }

    fn set(&mut self, word: &str, parts: &[&PosedPart]) -> Result<(), Finding> {
        let place = || format!("--set {word}");
        let Some((name, text)) = word.rsplit_once('=') else {
            let (message, remedy) = ("this is not a setting", "write NAME=VALUE, such as jawOpen=1");
            return Err(Finding::new("SET_FORM", Severity::Error, place(), message, remedy));
        };
        let value = text.trim().parse::<f32>().ok().filter(|value| value.is_finite()).ok_or_else(|| {
            let (message, remedy) = ("the value is not a number", "write a decimal such as 0.5");
            Finding::new("SET_VALUE", Severity::Error, place(), message, remedy).with_values("a number", text)
        })?;
        let name = name.trim();
        let rigs = || parts.iter().enumerate().filter_map(|(part, posed)| Some((part, posed.rig.as_ref()?)));
        let mut is_known = false;
        for (part, rig) in rigs() {
            if let Ok(control) = rig.raw_control(name) {
                self.raw[part].push((control, value));
                is_known = true;
            }
        }
        let is_raw = is_known;
        for (part, rig) in rigs().filter(|_| !is_raw) {
            if let Ok(control) = rig.gui_control(name) {
                self.gui[part].push((control, value));
                is_known = true;
            }
        }
        if !is_known
            && let Some((joint, attribute)) = name.rsplit_once('.')
            && let Some(axis) = ["rx", "ry", "rz"].iter().position(|&name| name == attribute)
            && parts.iter().any(|part| part.deformer.skeleton().hierarchy().find(joint).is_some())
        {
            self.turns.entry(joint.to_owned()).or_default()[axis] = f64::from(value);
            is_known = true;
        }
        if is_known { Ok(()) } else { Err(unknown(name, place(), parts)) }
    }

    /// Evaluates all parts at LOD `lod` of the first. The last part leads the joints that it shares with others.
    pub(crate) fn apply<P: Borrow<PosedPart>>(&self, parts: &[P], lod: usize) -> Result<Vec<PartPose>, Stop> {
        let parts: Vec<&PosedPart> = parts.iter().map(Borrow::borrow).collect();
        let turns: Vec<(&str, Rotation3<f64>)> = self
            .turns
            .iter()
            .map(|(joint, degrees)| (joint.as_str(), rotation_from_euler_xyz(degrees.map(f64::to_radians))))
            .collect();
        let first_lods = parts.first().map_or(1, |part| part.deformer.lod_count()).max(1);
        let mut poses: Vec<PartPose> = Vec::new();
        for (number, part) in parts.iter().enumerate().rev() {
            let lods = part.deformer.lod_count().max(1);
            let own_lod = if number == 0 { lod } else { (lod * lods / first_lods).min(lods - 1) };
            let skeleton = part.deformer.skeleton();
            let mut edits = JointEdits::default();
            for (joint, turn) in &turns {
                edits.turns.extend(skeleton.hierarchy().find(joint).map(|joint| (joint, *turn)));
            }
            if let Some(leader) = poses.last() {
                let leading = parts[number + 1].deformer.skeleton();
                let names = leading.hierarchy().names().iter().enumerate();
                edits.led = names
                    .filter_map(|(index, name)| {
                        let own = skeleton.hierarchy().find(name)?;
                        let joint = mhrig_geom::JointId(index as u16);
                        Some((own, leading.displacement(&leader.pose, joint)))
                    })
                    .collect();
            }
            let mut pose = skeleton.rest();
            let mut channels = Vec::new();
            match &part.rig {
                Some(rig) => {
                    let instance = self.evaluate(number, part, rig, own_lod, &turns)?;
                    skeleton.update(&instance, &edits, &mut pose);
                    channels.extend_from_slice(instance.blend_shapes());
                }
                None => skeleton.update_neutral(&edits, &mut pose),
            }
            poses.push(PartPose { pose, channels, lod: own_lod });
        }
        poses.reverse();
        Ok(poses)
    }

    fn evaluate(
        &self,
        number: usize,
        part: &PosedPart,
        rig: &Arc<Rig>,
        lod: usize,
        turns: &[(&str, Rotation3<f64>)],
    ) -> Result<Instance, Stop> {
        let mut instance = Instance::new(Arc::clone(rig));
        let outcome = (|| {
            instance.set_lod(lod)?;
            for &(control, value) in &self.gui[number] {
                instance.set_gui_control(control, value)?;
            }
            if !self.gui[number].is_empty() {
                instance.map_gui_to_raw();
            }
            for driver in rig.drivers() {
                let joint = driver.joint.map(|joint| rig.names().joints[joint.index()].as_str());
                let turn = turns.iter().find(|(name, _)| Some(*name) == joint);
                let quaternion = turn.map_or(UnitQuaternion::identity(), |(_, rotation)| {
                    UnitQuaternion::from_rotation_matrix(rotation)
                });
                // Both signs are the same rotation; a rig at rest has w = 1.
                let sign = if quaternion.w < 0.0 { -1.0 } else { 1.0 };
                let parts = [quaternion.i, quaternion.j, quaternion.k, quaternion.w];
                instance.set_driver(&driver, parts.map(|c| (c * sign) as f32))?;
            }
            for &(control, value) in &self.raw[number] {
                instance.set_raw_control(control, value)?;
            }
            instance.settle()
        })();
        outcome.map_err(|error| {
            let remedy = "change the settings; `mhrig inspect` lists LODs and controls";
            let place = part.file.display().to_string();
            let code = match error {
                mhrig_rig::EvaluationError::Lod { .. } => "LOD_RANGE",
                _ => "EVALUATION",
            };
            Finding::new(code, Severity::Error, place, error.to_string(), remedy)
        })?;
        Ok(instance)
    }
}

/// Refuses parts whose axes differ, since one could not lead the other.
pub(crate) fn check_axes(parts: &[PosedPart]) -> Result<(), Finding> {
    match parts {
        [head, body] if head.axes != body.axes => {
            let (message, remedy) = (
                "the axes of this file are not those of the other",
                "export both with the same coordinate system",
            );
            Err(Finding::new("AXES", Severity::Error, body.file.display().to_string(), message, remedy))
        }
        _ => Ok(()),
    }
}

fn unknown(name: &str, place: String, parts: &[&PosedPart]) -> Finding {
    let mut nearest: Vec<String> = Vec::new();
    for rig in parts.iter().filter_map(|part| part.rig.as_ref()) {
        for candidates in [rig.raw_control(name), rig.gui_control(name)].into_iter().filter_map(Result::err) {
            nearest.extend(candidates.nearest.into_iter().take(3));
        }
    }
    let mut seen = Vec::new();
    nearest.retain(|name| {
        let is_new = !seen.contains(name);
        if is_new {
            seen.push(name.clone());
        }
        is_new
    });
    nearest.truncate(4);
    let remedy = if nearest.is_empty() {
        "name a control of the DNA, or turn a joint with JOINT.rx, .ry or .rz in degrees".to_owned()
    } else {
        format!("did you mean {}? A joint turns with JOINT.rx, .ry or .rz in degrees", nearest.join(", "))
    };
    let message = format!("no control and no joint attribute is called {name}");
    Finding::new("UNKNOWN_CONTROL", Severity::Error, place, message, remedy)
}
