use std::path::Path;

use mhrig_dna::{Dna, DnaError, InputKind, LayerSelection, ReadNote, ReadOptions};
use mhrig_report::{Finding, Refused, Severity};
use mhrig_rig::{Rig, RigError, RigOptions};

use crate::files::OutputSet;
use crate::report::Stop;

/// Reads a DNA file.
///
/// # Errors
/// A finding `DNA_UNREADABLE`.
pub(crate) fn read_dna(file: &Path) -> Result<(Dna, Vec<ReadNote>), Finding> {
    Dna::read_file(file, &ReadOptions::default()).map_err(|error| unreadable(file, &error))
}

/// Reads a DNA file for a job that is about the file: what is damaged is said layer by layer.
///
/// # Errors
/// Findings `DNA_UNREADABLE`, one per layer that cannot be read.
pub(crate) fn read_whole(file: &Path) -> Result<(Dna, Vec<ReadNote>), Stop> {
    let error = match Dna::read_file(file, &ReadOptions::default()) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    let (_, mut findings) = readable_layers(file);
    if findings.is_empty() {
        findings.push(unreadable(file, &error));
    }
    Err(Stop::Refused(Refused { findings }))
}

/// Reads as much of a DNA file as can be read when its version is newer than the known ones; what cannot be read
/// goes to `findings`. Files of known versions are read whole or not at all.
///
/// # Errors
/// As for [`read_whole`].
pub(crate) fn read_what_is_known(
    file: &Path,
    findings: &mut Vec<Finding>,
) -> Result<(Dna, Vec<ReadNote>), Stop> {
    let refused = match read_whole(file) {
        Ok(read) => return Ok(read),
        Err(refused) => refused,
    };
    let (Some(layers), unread) = readable_layers(file) else { return Err(refused) };
    match Dna::read_file(file, &ReadOptions::default().with_layers(layers)) {
        Ok((dna, notes)) if !dna.version.is_known() => {
            let less_severe = |mut finding: Finding| {
                finding.severity = Severity::Warning;
                finding
            };
            findings.extend(unread.into_iter().map(less_severe));
            Ok((dna, notes))
        }
        _ => Err(refused),
    }
}

/// Which layers can be read each for itself, and what is wrong with the others.
fn readable_layers(file: &Path) -> (Option<LayerSelection>, Vec<Finding>) {
    let mut readable: Option<LayerSelection> = None;
    let mut findings: Vec<Finding> = Vec::new();
    for (_, selection) in LayerSelection::NAMES {
        if selection == LayerSelection::ALL {
            continue;
        }
        match Dna::read_file(file, &ReadOptions::default().with_layers(selection)) {
            Ok(_) => readable = Some(readable.map_or(selection, |layers| layers | selection)),
            Err(error) => {
                let finding = unreadable(file, &error);
                // A layer that others build on is read with each of them.
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
    }
    (readable, findings)
}

/// Reads the JSON form of a DNA.
///
/// # Errors
/// A finding `JSON_UNREADABLE`.
pub(crate) fn read_json(file: &Path) -> Result<Dna, Finding> {
    let refused = |message: String, remedy: &str| {
        Finding::new("JSON_UNREADABLE", Severity::Error, file.display().to_string(), message, remedy)
    };
    if file.is_dir() {
        return Err(refused(DnaError::Directory.to_string(), "give the path of a .json file"));
    }
    let text = std::fs::read(file).map_err(|error| {
        let error = DnaError::from(error);
        refused(describe(&error), error.remedy().unwrap_or("check the file"))
    })?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if text.starts_with(b"DNA") {
        return Err(refused("this is a DNA file, not its JSON form".to_owned(), "name it .dna"));
    }
    match InputKind::of(text) {
        InputKind::Json => {}
        kind => {
            let name = kind.name().unwrap_or("something else");
            let remedy = match kind {
                InputKind::Text | InputKind::Unknown => {
                    "give JSON as `mhrig convert FILE.dna FILE.json` writes it"
                }
                kind => kind.remedy(),
            };
            return Err(refused(format!("not the JSON form of a DNA but {name}"), remedy));
        }
    }
    Dna::from_json(text)
        .map_err(|error| refused(describe(&error), error.remedy().unwrap_or("check the file")))
}

/// What there is to say about a file that could be read. Warnings are what a rewrite loses.
pub(crate) fn notes(file: &Path, notes: &[ReadNote]) -> Vec<Finding> {
    let finding = |note: &ReadNote| {
        let (code, severity, remedy) = match note {
            ReadNote::NewerVersion { .. } => {
                ("VERSION_NEWER", Severity::Warning, "use a later release of this program for all of it")
            }
            ReadNote::UnknownLayer { .. } | ReadNote::Surplus { .. } => {
                ("LAYER_UNKNOWN", Severity::Info, "nothing to do: it survives a rewrite")
            }
            _ => ("DNA_NOTE", Severity::Info, "nothing to do; know it before a rewrite"),
        };
        Finding::new(code, severity, file.display().to_string(), note.to_string(), remedy)
    };
    notes.iter().map(finding).collect()
}

/// A DNA error as a finding about the file.
pub(crate) fn unreadable(file: &Path, error: &DnaError) -> Finding {
    let remedy = error.remedy().unwrap_or("check the file");
    Finding::new("DNA_UNREADABLE", Severity::Error, file.display().to_string(), describe(error), remedy)
}

/// What is wrong, without the name of the file.
pub(crate) fn describe(error: &DnaError) -> String {
    match error {
        DnaError::InFile { source, .. } => describe(source),
        DnaError::Io(error) => format!("cannot be read: {error}"),
        error => error.to_string(),
    }
}

/// Adds a DNA file to what will be written.
///
/// # Errors
/// A finding `DNA_UNWRITABLE` for a model that no file can hold; those of [`OutputSet::add`].
pub(crate) fn write_dna(outputs: &mut OutputSet, file: &Path, dna: &Dna) -> Result<(), Stop> {
    let bytes = dna.to_bytes().map_err(|error| {
        let place = file.display().to_string();
        let remedy = error.remedy().unwrap_or("undo the edit that made the model too big or inconsistent");
        Stop::from(Finding::new("DNA_UNWRITABLE", Severity::Error, place, describe(&error), remedy))
    })?;
    outputs.add(file, |file| file.write_all(&bytes))
}

/// The rig of a DNA; what is odd in it goes to `findings`.
///
/// # Errors
/// Everything that keeps the DNA from being evaluated.
pub(crate) fn rig_of(
    file: &Path,
    dna: &Dna,
    options: &RigOptions,
    findings: &mut Vec<Finding>,
) -> Result<Rig, Vec<Finding>> {
    let in_file = |mut finding: Finding| {
        finding.place = format!("{}: {}", file.display(), finding.place);
        finding
    };
    match Rig::from_dna(dna, options) {
        Ok(rig) => {
            findings.extend(rig.findings().iter().cloned().map(in_file));
            Ok(rig)
        }
        Err(RigError::Invalid { findings }) => Err(findings.into_iter().map(in_file).collect()),
        Err(error) => {
            let code = if error == RigError::NoBehavior { "NO_BEHAVIOR" } else { "RIG_INVALID" };
            let remedy = "load the file with its behavior layers; `mhrig inspect` lists what it holds";
            let place = file.display().to_string();
            Err(vec![Finding::new(code, Severity::Error, place, error.to_string(), remedy)])
        }
    }
}
