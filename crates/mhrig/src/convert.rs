//! DNA files in another form: as JSON or back, in another version, in part.

use std::path::{Path, PathBuf};

use mhrig_dna::{
    Dna, DnaError, FileVersion, JsonStyle, LaterLayers, LayerKind, LayerSelection, LodMode, LodReport,
    LodSelection, VersionChange,
};
use mhrig_report::{Finding, Job, Severity};
use serde::Serialize;

use crate::dna_file::{describe, notes, read_json, read_whole};
use crate::files::OutputSet;
use crate::report::{Blame, Recorder, Report, Stop};

/// Asks for a DNA in another form. Which form a file has is told by its suffix: `.json` or `.dna`.
#[derive(Clone, Debug, Default)]
pub struct ConvertRequest {
    /// The file to read; every suffix but `.json` stands for a DNA.
    pub input: PathBuf,
    /// The file to write, `.dna` or `.json`.
    pub output: PathBuf,
    /// Version of the new file; that of the input when none is given.
    pub format_version: Option<FileVersion>,
    /// LODs to keep; all when none are given.
    pub lods: Option<Vec<u16>>,
    /// Layers to keep; all when none are given.
    pub layers: Option<LayerSelection>,
    /// Gives the bytes of the reference library, its oddities included: LOD lists and JSON as it writes them, later
    /// layers kept in files of lower versions.
    pub compat: bool,
    /// Whether an existing file is replaced.
    pub force: bool,
}

/// What a conversion has to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConvertDetails {
    /// The file that was read.
    pub input: PathBuf,
    /// Its version.
    pub from_version: String,
    /// Version of the new file.
    pub to_version: String,
    /// Content of the input that the new file does not have.
    pub lost: Vec<DroppedContent>,
    /// Layers that the new version has in addition, empty.
    pub added: Vec<String>,
    /// What became of the LODs, when some were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lods: Option<KeptLods>,
    /// Size of the new file.
    pub bytes: u64,
    /// The files that were written.
    pub outputs: Vec<PathBuf>,
}

/// Content that a conversion left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DroppedContent {
    /// The layer, such as `rbfb`, or the field, such as `dsce.faceWindingOrder`.
    pub name: String,
    /// What it held: `2 solvers, 5 poses`.
    pub content: String,
    /// Why: `version` or `layers`.
    pub due_to: &'static str,
}

/// What became of the LODs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptLods {
    /// Old numbers of the LODs that were kept.
    pub kept: Vec<u16>,
    /// Joints dropped.
    pub joints_dropped: usize,
    /// Meshes dropped.
    pub meshes_dropped: usize,
    /// Blend shape channels dropped.
    pub blend_shape_channels_dropped: usize,
    /// Animated maps dropped.
    pub animated_maps_dropped: usize,
    /// Neural networks dropped.
    pub neural_networks_dropped: usize,
    /// RBF solvers dropped.
    pub rbf_solvers_dropped: usize,
    /// Vertices that lost an influence because its joint was dropped; their other weights were scaled up.
    pub reweighted_vertices: usize,
}

/// The form of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Dna,
    Json,
}

/// Converts a DNA file. Whatever the new file does not have of the old one is named.
pub fn convert(request: &ConvertRequest, job: Job<'_>) -> Report<ConvertDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, false)
}

fn run(request: &ConvertRequest, recorder: &mut Recorder<'_>) -> Result<ConvertDetails, Stop> {
    let (input, output) = (request.input.as_path(), request.output.as_path());
    let form = output_form(output)?;
    let mut files = OutputSet::new(request.force);
    files.check_target(output)?;

    let mut dna = recorder.stage("read", |findings, _| {
        if suffix(input) == "json" {
            return Ok(read_json(input)?);
        }
        let (dna, read_notes) = read_whole(input)?;
        let mut found = notes(input, &read_notes);
        for (finding, note) in found.iter_mut().zip(&read_notes) {
            if note.is_lost_on_rewrite() {
                finding.code = "REWRITE";
                finding.remedy = "nothing to do where the input's bytes need not be kept".to_owned();
            }
        }
        findings.extend(found);
        Ok(dna)
    })?;

    let from_version = dna.version;
    let mut lost = Vec::new();
    let mut added = Vec::new();
    let mut lods = None;
    recorder.stage("convert", |findings, job| {
        if let Some(selection) = request.layers {
            lost.extend(select_layers(&mut dna, selection));
        }
        if let Some(chosen) = &request.lods {
            let mode = if request.compat { LodMode::Compat } else { LodMode::Correct };
            let selected = std::mem::take(&mut dna).select_lods(&LodSelection::List(chosen.clone()), mode);
            let (selected, report) = selected.map_err(|error| refused(input, &error))?;
            dna = selected;
            lods = Some(KeptLods::from(report));
        }
        job.check()?;
        if let Some(version) = request.format_version {
            let later = if request.compat { LaterLayers::Keep } else { LaterLayers::Drop };
            let change = dna.set_version(version, later);
            findings.extend(version_findings(input, &change));
            added = change.added;
            lost.extend(change.lost.into_iter().map(|lost| DroppedContent {
                name: lost.name,
                content: lost.content,
                due_to: "version",
            }));
        }
        let emptied = lost.iter().filter(|lost| lost.due_to == "layers").map(|lost| {
            let message = format!("{} was left out, as asked: {}", lost.name, lost.content);
            let place = input.display().to_string();
            Finding::new("LAYER_LEFT_OUT", Severity::Info, place, message, "")
        });
        findings.extend(emptied);
        if form == Form::Json && request.compat {
            let message = "the JSON has six digits, as the reference library writes it, and does not give the same \
                           file back";
            let remedy = "leave --compat out for JSON that does";
            findings.push(Finding::new("JSON_ROUNDED", Severity::Info, output.display().to_string(), message, remedy));
        }
        Ok(())
    })?;

    let (bytes, outputs) = recorder.stage("write", |_, job| {
        // What cannot be written is known before anything is.
        let size = dna.file_size();
        let mut failure: Option<DnaError> = None;
        let written = files.add(output, |stream| {
            let result = match form {
                Form::Dna => dna.write_to(&mut *stream),
                Form::Json => {
                    let style = if request.compat { JsonStyle::Reference } else { JsonStyle::Exact };
                    dna.write_json_to(&mut *stream, style)
                }
            };
            result.map_err(|error| match error {
                DnaError::Io(error) => error,
                error => {
                    failure = Some(error);
                    std::io::Error::other("the model cannot be written")
                }
            })
        });
        if let Some(error) = failure {
            return Err(refused(input, &error).into());
        }
        written?;
        job.check()?;
        let outputs = files.commit()?;
        let bytes = std::fs::metadata(output).map_or(size, |metadata| metadata.len());
        Ok((bytes, outputs))
    })?;
    Ok(ConvertDetails {
        input: input.to_owned(),
        from_version: from_version.to_string(),
        to_version: dna.version.to_string(),
        lost,
        added,
        lods,
        bytes,
        outputs,
    })
}

fn suffix(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn output_form(output: &Path) -> Result<Form, Stop> {
    match suffix(output).as_str() {
        "dna" => Ok(Form::Dna),
        "json" => Ok(Form::Json),
        _ => {
            let message = "the suffix of the output says what it is";
            let remedy = "name the output .dna or .json";
            let finding =
                Finding::new("USAGE", Severity::Error, output.display().to_string(), message, remedy);
            Err(Stop::Blamed(finding, Blame::Usage))
        }
    }
}

/// Empties the layers that were not chosen and says what they held.
fn select_layers(dna: &mut Dna, selection: LayerSelection) -> Vec<DroppedContent> {
    let summaries: Vec<(LayerKind, String)> =
        LayerKind::ALL.into_iter().map(|kind| (kind, dna.layer_summary(kind))).collect();
    let targets =
        |dna: &Dna| -> usize { dna.geometry.meshes.iter().map(|mesh| mesh.blend_shape_targets.len()).sum() };
    let targets_before = targets(dna);
    let emptied = dna.select_layers(selection);
    let mut dropped: Vec<DroppedContent> = summaries
        .into_iter()
        .filter(|(kind, _)| emptied.contains(kind))
        .map(|(kind, content)| DroppedContent { name: kind.name().to_owned(), content, due_to: "layers" })
        .collect();
    if !emptied.contains(&LayerKind::Geometry) && targets(dna) < targets_before {
        let content = format!("{targets_before} blend shape targets");
        dropped.push(DroppedContent {
            name: "geom.meshes.blendShapeTargets".to_owned(),
            content,
            due_to: "layers",
        });
    }
    dropped
}

impl From<LodReport> for KeptLods {
    fn from(report: LodReport) -> Self {
        Self {
            kept: report.lods,
            joints_dropped: report.joints,
            meshes_dropped: report.meshes,
            blend_shape_channels_dropped: report.blend_shape_channels,
            animated_maps_dropped: report.animated_maps,
            neural_networks_dropped: report.neural_networks,
            rbf_solvers_dropped: report.rbf_solvers,
            reweighted_vertices: report.reweighted_vertices,
        }
    }
}

fn version_findings(input: &Path, change: &VersionChange) -> Vec<Finding> {
    let to = change.to;
    let finding = |lost: &mhrig_dna::Lost| {
        let message = format!(
            "a {to} file has no place for {}: {} ({} bytes) were lost",
            lost.name, lost.content, lost.bytes
        );
        let remedy = "write a later version to keep it";
        Finding::new("VERSION_LOSS", Severity::Warning, input.display().to_string(), message, remedy)
    };
    change.lost.iter().map(finding).collect()
}

fn refused(input: &Path, error: &DnaError) -> Finding {
    let code = match error {
        DnaError::NoSuchLod { .. } | DnaError::NoLodChosen => "LOD_RANGE",
        DnaError::Inconsistent { .. } => "DNA_INCONSISTENT",
        _ => "DNA_UNWRITABLE",
    };
    let remedy = error.remedy().unwrap_or("see `mhrig validate` for what is wrong with the file");
    Finding::new(code, Severity::Error, input.display().to_string(), describe(error), remedy)
}

#[cfg(test)]
mod tests {
    use mhrig_report::{Cancel, Silent};

    use super::*;
    use crate::report::Status;

    fn converted(request: &ConvertRequest) -> Report<ConvertDetails> {
        convert(request, Job { progress: &Silent, cancel: &Cancel::default() })
    }

    #[test]
    fn what_a_lower_version_loses_is_named_and_nothing_is_written_over_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let (input, output) = (dir.path().join("a.dna"), dir.path().join("b.DNA"));
        let mut dna = Dna::new(FileVersion::new(5));
        dna.rbf_behavior.poses.push(mhrig_dna::RbfPose::default());
        std::fs::write(&input, dna.to_bytes().unwrap()).unwrap();
        let request = ConvertRequest {
            input,
            output: output.clone(),
            format_version: Some(FileVersion::new(1)),
            ..ConvertRequest::default()
        };
        let report = converted(&request);
        assert_eq!(report.status, Status::Ok);
        assert!(report.findings.iter().any(|finding| {
            finding.code == "VERSION_LOSS" && finding.message.contains("rbfb: 0 solvers, 1 pose")
        }));
        let details = report.details.unwrap();
        assert_eq!((details.to_version.as_str(), details.lost[0].due_to), ("2.1", "version"));
        assert_eq!(details.bytes, std::fs::metadata(&output).unwrap().len());

        let report = converted(&request);
        assert_eq!(report.status, Status::Refused);
        assert_eq!(report.findings[0].code, "OUTPUT_EXISTS");
    }

    #[test]
    fn an_output_without_a_known_suffix_and_a_missing_lod_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let input = dir.path().join("a.dna");
        std::fs::write(&input, Dna::new(FileVersion::new(5)).to_bytes().unwrap()).unwrap();
        let request = ConvertRequest { input, output: dir.path().join("b.txt"), ..ConvertRequest::default() };
        let report = converted(&request);
        assert_eq!((report.status, report.blame), (Status::Refused, Some(Blame::Usage)));
        let output = dir.path().join("b.dna");
        let request = ConvertRequest { output: output.clone(), lods: Some(vec![0]), ..request };
        let report = converted(&request);
        assert_eq!(report.findings[0].code, "LOD_RANGE");
        assert!(!output.exists());
    }
}
