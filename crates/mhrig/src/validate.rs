//! Everything that is wrong with a DNA file.

use std::path::{Path, PathBuf};

use mhrig_dna::{AgainstOptions, Dna, DnaFinding, DnaSeverity, Retained, Retention, Target, ValidateOptions};
use mhrig_report::{Finding, Job, Severity};
use serde::Serialize;

use crate::dna_file::{notes, read_whole};
use crate::report::{Recorder, Report, Stop};

/// Asks what is wrong with a DNA file.
#[derive(Clone, Debug, Default)]
pub struct ValidateRequest {
    /// The file.
    pub file: PathBuf,
    /// The program that the file is meant for; it adds its own demands.
    pub target: Target,
    /// The file that it was made from, to compare counts, names, topology and expressions with.
    pub against: Option<PathBuf>,
}

/// What a validation has to say besides its findings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValidateDetails {
    /// The file.
    pub file: PathBuf,
    /// Its version.
    pub version: String,
    /// The program that it is meant for: `any`, `ue`, `maya` or `lib`.
    pub target: &'static str,
    /// The file that it was compared with.
    pub against: Option<PathBuf>,
    /// How many findings there are.
    pub counts: FindingCounts,
    /// How much of the template's expressions it has kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<TemplateRetention>,
}

/// Numbers of findings by their severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingCounts {
    /// A program that uses the file gives wrong results or refuses it.
    pub errors: usize,
    /// Something does not work as well as it could.
    pub warnings: usize,
    /// Worth knowing.
    pub notes: usize,
}

/// How much of the template's expressions a file has kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TemplateRetention {
    /// Deltas of blend shape targets.
    pub blend_shape_deltas: KeptOfTemplate,
    /// Values of joint groups.
    pub joint_values: KeptOfTemplate,
}

/// How much of one kind of delta a file has kept of its template.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KeptOfTemplate {
    /// Deltas of the template that are not zero.
    pub template: usize,
    /// Deltas of the file that are not zero.
    pub found: usize,
    /// `found / template`.
    pub share: f64,
    /// Root of the sum of squares of the file's deltas over that of the template's.
    pub strength: f64,
}

impl From<Retained> for KeptOfTemplate {
    fn from(retained: Retained) -> Self {
        Self {
            template: retained.template,
            found: retained.found,
            share: retained.share(),
            strength: retained.strength,
        }
    }
}

impl From<Retention> for TemplateRetention {
    fn from(retention: Retention) -> Self {
        Self {
            blend_shape_deltas: retention.blend_shape_deltas.into(),
            joint_values: retention.joint_values.into(),
        }
    }
}

/// Looks for everything that is wrong with a DNA file. Findings of severity warning or error make the status
/// [`crate::Status::Findings`]; a file that cannot be read is refused.
pub fn validate(request: &ValidateRequest, job: Job<'_>) -> Report<ValidateDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, true)
}

fn run(request: &ValidateRequest, recorder: &mut Recorder<'_>) -> Result<ValidateDetails, Stop> {
    let file = request.file.as_path();
    let dna = recorder.stage("read", |findings, _| {
        let (dna, read_notes) = read_whole(file)?;
        findings.extend(notes(file, &read_notes));
        Ok(dna)
    })?;
    let has_unreal_words = matches!(request.target, Target::Any | Target::Unreal);
    let in_file = |finding: DnaFinding| as_finding(file, &dna, finding, has_unreal_words);
    recorder.stage("validate", |findings, _| {
        let options = ValidateOptions::default().with_target(request.target);
        let found = dna.validate(&options).into_iter().map(in_file);
        // What the reader has said already is not said twice.
        let known: Vec<&'static str> = findings.iter().map(|finding| finding.code).collect();
        findings.extend(found.filter(|finding| {
            !(["LAYER_UNKNOWN", "VERSION_NEWER"].contains(&finding.code) && known.contains(&finding.code))
        }));
        Ok(())
    })?;
    let mut retention = None;
    if let Some(against) = &request.against {
        recorder.stage("against", |findings, _| {
            let (template, _) = read_whole(against)?;
            let (found, kept) = dna.validate_against(&template, &AgainstOptions::default());
            findings.extend(found.into_iter().map(in_file));
            retention = Some(kept.into());
            Ok(())
        })?;
    }
    let count = |severity| recorder.findings.iter().filter(|finding| finding.severity == severity).count();
    Ok(ValidateDetails {
        file: file.to_owned(),
        version: dna.version.to_string(),
        target: target_name(request.target),
        against: request.against.clone(),
        counts: FindingCounts {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Info),
        },
        retention,
    })
}

fn target_name(target: Target) -> &'static str {
    match target {
        Target::Unreal => "ue",
        Target::Maya => "maya",
        Target::Library => "lib",
        _ => "any",
    }
}

fn as_finding(file: &Path, dna: &Dna, found: DnaFinding, has_unreal_words: bool) -> Finding {
    let severity = match found.severity {
        DnaSeverity::Info => Severity::Info,
        DnaSeverity::Warning => Severity::Warning,
        DnaSeverity::Error => Severity::Error,
    };
    let mut message = found.message;
    if found.count > 1 {
        message += &format!(" (this and {} more)", found.count - 1);
    }
    let named = item_name(dna, &found.path).map(|name| format!(" ({name})")).unwrap_or_default();
    let place = format!("{}: {}{named}", file.display(), found.path);
    let mut finding = Finding::new(found.code, severity, place, message, found.remedy);
    finding.expected = found.expected;
    finding.found = found.found;
    finding.unreal = found.unreal.filter(|_| has_unreal_words && severity > Severity::Info);
    finding
}

/// Name of the mesh, joint, channel, control or map that a path leads to.
fn item_name(dna: &Dna, path: &str) -> Option<String> {
    let definition = &dna.definition;
    let lists = [
        ("geom.meshes[", &definition.mesh_names),
        ("defn.jointHierarchy[", &definition.joint_names),
        ("defn.neutralJointTranslations[", &definition.joint_names),
        ("defn.neutralJointRotations[", &definition.joint_names),
        ("jbmd.jointRepresentations[", &definition.joint_names),
        ("defn.jointNames[", &definition.joint_names),
        ("defn.meshNames[", &definition.mesh_names),
        ("defn.rawControlNames[", &definition.raw_control_names),
        ("defn.guiControlNames[", &definition.gui_control_names),
        ("defn.blendShapeChannelNames[", &definition.blend_shape_channel_names),
        ("defn.animatedMapNames[", &definition.animated_map_names),
    ];
    let (rest, names) =
        lists.into_iter().find_map(|(start, names)| path.strip_prefix(start).map(|rest| (rest, names)))?;
    let number: usize = rest.split(']').next()?.parse().ok()?;
    names.get(number).map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use mhrig_dna::FileVersion;
    use mhrig_report::{Cancel, Silent};

    use super::*;
    use crate::report::Status;

    fn validated(request: &ValidateRequest) -> Report<ValidateDetails> {
        validate(request, Job { progress: &Silent, cancel: &Cancel::default() })
    }

    #[test]
    fn findings_name_file_path_item_and_unreals_word() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dna");
        let mut dna = Dna::new(FileVersion::new(5));
        dna.definition.joint_names = vec!["root".into()];
        dna.definition.joint_hierarchy = vec![9];
        std::fs::write(&file, dna.to_bytes().unwrap()).unwrap();
        let request = ValidateRequest { file, ..ValidateRequest::default() };
        let report = validated(&request);
        assert_eq!(report.status, Status::Findings);
        let finding = report.findings.iter().find(|finding| finding.code == "INDEX_RANGE").unwrap();
        assert!(finding.place.ends_with("a.dna: defn.jointHierarchy[0] (root)"), "{}", finding.place);
        assert_eq!(finding.unreal, Some("InvalidInputBones"));
        let counts = report.details.unwrap().counts;
        assert_eq!(counts.errors + counts.warnings + counts.notes, report.findings.len());

        let report = validated(&ValidateRequest { target: Target::Maya, ..request });
        assert!(report.findings.iter().all(|finding| finding.unreal.is_none()));
    }

    #[test]
    fn every_layer_that_cannot_be_read_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dna");
        let mut dna = Dna::new(FileVersion::new(5));
        dna.rbf_behavior.poses.push(mhrig_dna::RbfPose::default());
        dna.twist_swing_behavior.twists.push(mhrig_dna::TwistSwing::default());
        let mut bytes = dna.to_bytes().unwrap();
        let view = mhrig_dna::DnaView::open(&bytes).unwrap();
        let starts: Vec<usize> = view
            .layers()
            .filter(|layer| ["geom1.1", "twsw1.0"].contains(&layer.name.as_str()))
            .map(|layer| layer.offset as usize)
            .collect();
        drop(view);
        for start in starts {
            bytes[start..start + 4].fill(0xff);
        }
        std::fs::write(&file, &bytes).unwrap();
        let report = validated(&ValidateRequest { file, ..ValidateRequest::default() });
        assert_eq!(report.status, Status::Refused);
        let messages: Vec<&str> = report.findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].contains("geom") && messages[1].contains("twsw"), "{messages:?}");
    }
}
