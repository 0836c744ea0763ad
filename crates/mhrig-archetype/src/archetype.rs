use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use mhrig_dna::Dna;
use mhrig_geom::JointId;
use mhrig_report::{Finding, Refused, Severity, worst};
use mhrig_rig::Neutral;
use sha2::{Digest, Sha256};

use crate::settings::{ArchetypeSettings, PartSettings};
use crate::{
    EXPRESSIONS_FILE, MAPPING_FOLDER, MappingTable, SETTINGS_FILE, SeamPair, consistency, parse_mapping,
    parse_seam,
};

/// Head or body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// The head with its face.
    Head,
    /// The body.
    Body,
}

impl fmt::Display for PartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Head => "head",
            Self::Body => "body",
        })
    }
}

/// One part of an archetype.
#[derive(Clone, Debug)]
pub struct Part {
    /// Head or body.
    pub kind: PartKind,
    /// Where its DNA was read.
    pub dna_file: PathBuf,
    /// The template DNA.
    pub dna: Dna,
    /// The template's neutral pose as geometry, Y up whatever the file's axes.
    pub neutral: Neutral,
    /// What `rig.json` says of it.
    pub settings: PartSettings,
    /// The mapping tables of its meshes, by mesh name.
    pub mapping: Vec<MappingTable>,
}

/// An archetype in memory; see the crate documentation for its folder.
#[derive(Clone, Debug)]
pub struct Archetype {
    /// The folder.
    pub dir: PathBuf,
    /// The settings.
    pub settings: ArchetypeSettings,
    /// The head.
    pub head: Option<Part>,
    /// The body.
    pub body: Option<Part>,
    /// Coinciding vertices of head and body.
    pub seam: Vec<SeamPair>,
    /// The content of `expressions.json`, where there is one.
    pub expressions: Option<serde_json::Value>,
    /// SHA-256 over names and contents of all its files, lower-case hexadecimal.
    pub hash: String,
    /// What was noticed while loading, none of it an error.
    pub findings: Vec<Finding>,
}

impl Archetype {
    /// Reads and checks the archetype in folder `dir`.
    ///
    /// # Errors
    /// [`Refused`] with all findings when a file cannot be read or the parts do not fit together.
    pub fn load(dir: &Path) -> Result<Self, Refused> {
        let mut loader = Loader { dir, hash: Sha256::new(), findings: Vec::new() };
        let settings = loader.settings()?;
        let expressions = loader.expressions();
        let mut tables = loader.mapping_tables();
        let seam = settings.seam.as_ref().map(|seam| loader.seam(&seam.file)).unwrap_or_default();
        let head = settings.head.as_ref().and_then(|part| loader.part(PartKind::Head, part, &mut tables));
        let body = settings.body.as_ref().and_then(|part| loader.part(PartKind::Body, part, &mut tables));
        for table in &tables {
            loader.report(Finding::new(
                "MAPPING_MESH",
                Severity::Warning,
                dir.join(MAPPING_FOLDER).join(format!("{}.csv", table.mesh)).display().to_string(),
                format!("no part of the archetype has a mesh {}; the table is not used", table.mesh),
                "name the table like a LOD 0 mesh, or remove it",
            ));
        }
        if head.is_none() && body.is_none() && worst(&loader.findings) != Some(Severity::Error) {
            loader.report(Finding::new(
                "ARCHETYPE_EMPTY",
                Severity::Error,
                dir.join(SETTINGS_FILE).display().to_string(),
                "the archetype has neither a head nor a body",
                "name a DNA under \"head\" or \"body\"",
            ));
        }
        let hash = hexadecimal(&loader.hash.finalize());
        let findings = loader.findings;
        let mut archetype =
            Self { dir: dir.to_owned(), settings, head, body, seam, expressions, hash, findings };
        let inconsistent = consistency::check(&archetype);
        archetype.findings.extend(inconsistent);
        match worst(&archetype.findings) {
            Some(Severity::Error) => Err(Refused { findings: archetype.findings }),
            _ => Ok(archetype),
        }
    }

    /// The parts that exist, head first.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.head.iter().chain(&self.body)
    }

    /// Joints that head and body have in common, as (head's, body's) numbers in the head's order.
    pub fn shared_joints(&self) -> Vec<(JointId, JointId)> {
        let (Some(head), Some(body)) = (&self.head, &self.body) else { return Vec::new() };
        let names = head.neutral.hierarchy.names().iter().enumerate();
        names
            .filter_map(|(joint, name)| Some((JointId(joint as u16), body.neutral.hierarchy.find(name)?)))
            .collect()
    }
}

impl Part {
    /// Numbers of the LOD 0 meshes in the DNA's order.
    pub fn lod0_meshes(&self) -> &[usize] {
        self.neutral.lods.first().map_or(&[], Vec::as_slice)
    }
}

/// SHA-256 of the content of `file`, lower-case hexadecimal.
///
/// # Errors
/// When the file cannot be read.
pub fn hash_file(file: &Path) -> io::Result<String> {
    Ok(hexadecimal(&Sha256::digest(fs::read(file)?)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Loader<'a> {
    dir: &'a Path,
    hash: Sha256,
    findings: Vec<Finding>,
}

impl Loader<'_> {
    fn report(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn read(&mut self, file: &Path) -> Result<Vec<u8>, Finding> {
        match fs::read(file) {
            Ok(bytes) => {
                let name = file.strip_prefix(self.dir).unwrap_or(file).to_string_lossy().replace('\\', "/");
                self.hash.update((name.len() as u64).to_le_bytes());
                self.hash.update(name.as_bytes());
                self.hash.update((bytes.len() as u64).to_le_bytes());
                self.hash.update(&bytes);
                Ok(bytes)
            }
            Err(error) => Err(unreadable(file, &error)),
        }
    }

    fn settings(&mut self) -> Result<ArchetypeSettings, Refused> {
        let file = self.dir.join(SETTINGS_FILE);
        let bytes = self.read(&file).map_err(Refused::because)?;
        let settings: ArchetypeSettings = serde_json::from_slice(&bytes).map_err(|error| {
            Refused::because(Finding::new(
                "ARCHETYPE_SETTINGS",
                Severity::Error,
                format!("{}: line {}", file.display(), error.line()),
                format!("the settings cannot be understood: {error}"),
                "correct the file, or write a fresh archetype and compare",
            ))
        })?;
        if settings.format != 1 {
            return Err(Refused::because(
                Finding::new(
                    "ARCHETYPE_FORMAT",
                    Severity::Error,
                    file.display().to_string(),
                    "the archetype has a format that this version does not know",
                    "use a newer version of the program",
                )
                .with_values(1, settings.format),
            ));
        }
        let parts = [("head.", &settings.head), ("body.", &settings.body)];
        let keys = parts
            .iter()
            .flat_map(|(name, part)| part.iter().flat_map(move |p| p.other.keys().map(move |k| (*name, k))));
        for (part, key) in settings.other.keys().map(|key| ("", key)).chain(keys) {
            self.findings.push(Finding::new(
                "ARCHETYPE_KEY",
                Severity::Warning,
                format!("{}: {part}{key}", file.display()),
                "this key is not known and has no effect",
                "check its spelling; a newer version of the program may know it",
            ));
        }
        Ok(settings)
    }

    fn expressions(&mut self) -> Option<serde_json::Value> {
        let file = self.dir.join(EXPRESSIONS_FILE);
        if !file.exists() {
            return None;
        }
        let bytes = self.read(&file).map_err(|finding| self.report(finding)).ok()?;
        let parsed = serde_json::from_slice(&bytes).map_err(|error| {
            self.report(Finding::new(
                "ARCHETYPE_EXPRESSIONS",
                Severity::Error,
                format!("{}: line {}", file.display(), error.line()),
                format!("the file cannot be understood: {error}"),
                "correct the file, or remove it",
            ));
        });
        parsed.ok()
    }

    fn mapping_tables(&mut self) -> Vec<MappingTable> {
        let folder = self.dir.join(MAPPING_FOLDER);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (message, remedy) = (
                    "the folder is missing: no joint is placed by the vertices around it",
                    "take the folder from the archetype's source again, if it has one",
                );
                let place = folder.display().to_string();
                self.report(Finding::new("MAPPING_MISSING", Severity::Warning, place, message, remedy));
                return Vec::new();
            }
            Err(error) => {
                self.report(unreadable(&folder, &error));
                return Vec::new();
            }
        };
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("csv")));
        files.sort();
        let mut tables = Vec::new();
        for file in files {
            let Some(mesh) = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()) else {
                continue;
            };
            let Some(text) = self.text(&file) else { continue };
            let (rows, findings) = parse_mapping(&file.display().to_string(), &text);
            self.findings.extend(findings);
            if rows.is_empty() {
                self.report(empty_table(
                    "MAPPING_EMPTY",
                    &file,
                    "no joint is placed by this mesh's vertices",
                ));
            }
            tables.push(MappingTable { mesh, rows });
        }
        tables
    }

    fn seam(&mut self, name: &str) -> Vec<SeamPair> {
        let file = self.dir.join(name);
        let Some(text) = self.text(&file) else { return Vec::new() };
        let (pairs, findings) = parse_seam(&file.display().to_string(), &text);
        self.findings.extend(findings);
        if pairs.is_empty() {
            self.report(empty_table("SEAM_EMPTY", &file, "the border is found by coincidence instead"));
        }
        pairs
    }

    fn text(&mut self, file: &Path) -> Option<String> {
        let bytes = self.read(file).map_err(|finding| self.report(finding)).ok()?;
        let text = String::from_utf8(bytes).map_err(|_| {
            self.report(Finding::new(
                "ARCHETYPE_TEXT",
                Severity::Error,
                file.display().to_string(),
                "the file is not UTF-8 text",
                "save it as plain text",
            ));
        });
        text.ok()
    }

    fn part(
        &mut self,
        kind: PartKind,
        settings: &PartSettings,
        tables: &mut Vec<MappingTable>,
    ) -> Option<Part> {
        let file = self.dir.join(&settings.dna);
        let is_inside =
            Path::new(&settings.dna).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            let message = "the template DNA is no file of the archetype's folder";
            let remedy = "name a file in that folder, or check the path given with --archetype";
            let place = format!("{}: {kind}.dna", self.dir.join(SETTINGS_FILE).display());
            let finding = Finding::new("ARCHETYPE_FILE", Severity::Error, place, message, remedy);
            self.report(finding.with_values("a file name", &settings.dna));
            return None;
        }
        let bytes = self.read(&file).map_err(|finding| self.report(finding)).ok()?;
        let dna = match Dna::from_bytes(&bytes) {
            Ok(dna) => dna,
            Err(error) => {
                self.report(Finding::new(
                    "DNA_INVALID",
                    Severity::Error,
                    file.display().to_string(),
                    error.to_string(),
                    "take the template DNA from its source again",
                ));
                return None;
            }
        };
        drop(bytes);
        let system = &dna.descriptor.coordinate_system;
        let neutral = match Neutral::from_dna(&dna).map(|neutral| neutral.upright(system)) {
            Ok(neutral) => neutral,
            Err(error) => {
                let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
                self.report(Finding::new(
                    "DNA_NEUTRAL",
                    Severity::Error,
                    file.display().to_string(),
                    format!("{error}{}", source.unwrap_or_default()),
                    "take the template DNA from its source again",
                ));
                return None;
            }
        };
        let is_ours = |table: &MappingTable| neutral.meshes.iter().any(|mesh| mesh.name == table.mesh);
        let (mapping, rest) = std::mem::take(tables).into_iter().partition(is_ours);
        *tables = rest;
        Some(Part { kind, dna_file: file, dna, neutral, settings: settings.clone(), mapping })
    }
}

fn empty_table(code: &'static str, file: &Path, effect: &str) -> Finding {
    let message = format!("the table has no row: {effect}");
    let remedy = "take the table from the archetype's source again, or remove it";
    Finding::new(code, Severity::Warning, file.display().to_string(), message, remedy)
}

fn unreadable(file: &Path, error: &io::Error) -> Finding {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => {
            "check the path given with --archetype; `mhrig demo DIR` writes a complete archetype"
        }
        io::ErrorKind::PermissionDenied => "grant read permission",
        _ => "check the path and the disk",
    };
    Finding::new(
        "FILE_READ",
        Severity::Error,
        file.display().to_string(),
        format!("cannot be read: {error}"),
        remedy,
    )
}
