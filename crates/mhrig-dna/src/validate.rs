//! What is wrong with a file whose structure is right: everything, each with its path.

mod against;
mod behavior;
mod definition;
mod geometry;
mod networks;
mod rbf;
mod targets;

use std::fmt;

use crate::{Dna, FileVersion, LayerKind};

pub use against::{AgainstOptions, Retained, Retention};

/// One thing that [`Dna::validate`] noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DnaFinding {
    /// Stable upper-case word such as `INDEX_RANGE`.
    pub code: &'static str,
    /// How much it matters.
    pub severity: DnaSeverity,
    /// Where it is, layer first, names as in the JSON form: `bhvr.joints.jointGroups[3].outputIndices[12]`.
    pub path: String,
    /// What is the matter, without a full stop.
    pub message: String,
    /// What should be there, where that can be said.
    pub expected: Option<String>,
    /// What is there.
    pub found: Option<String>,
    /// How many places of the list (or mesh) have this; `path` is the first or the worst of them.
    pub count: usize,
    /// What to do.
    pub remedy: &'static str,
    /// The word for it in Unreal's import, where there is one.
    pub unreal: Option<&'static str>,
}

/// How much a [`DnaFinding`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DnaSeverity {
    /// Worth knowing.
    Info,
    /// Something does not work as well as it could.
    Warning,
    /// A program that uses the file gives wrong results or refuses it.
    Error,
}

impl fmt::Display for DnaSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for DnaFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}: {}", self.severity, self.code, self.path, self.message)?;
        if let Some(found) = &self.found {
            write!(f, ", found {found}")?;
        }
        if let Some(expected) = &self.expected {
            write!(f, ", expected {expected}")?;
        }
        if self.count > 1 {
            write!(f, " (and {} more like it)", self.count - 1)?;
        }
        Ok(())
    }
}

/// Program that a file is meant for; it adds its own demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Target {
    /// None in particular.
    #[default]
    Any,
    /// Import into Unreal Engine.
    Unreal,
    /// Assembly of a rig in Maya.
    Maya,
    /// The reference libraries (DNACalib, RigLogic).
    Library,
}

/// How to validate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// The program that the file is meant for.
    pub target: Target,
    /// How far the weights of a vertex may be from a sum of 1.
    pub weight_tolerance: f32,
}

impl Default for ValidateOptions {
    /// No target; a weight tolerance of 0.001.
    fn default() -> Self {
        Self { target: Target::Any, weight_tolerance: 1e-3 }
    }
}

impl ValidateOptions {
    /// These options for another target.
    pub fn with_target(mut self, target: Target) -> Self {
        self.target = target;
        self
    }
}

/// What is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    /// Indices alone.
    Indices,
}

pub(crate) const INDEX_RANGE: &str = "INDEX_RANGE";

impl Dna {
    /// Everything that is wrong with the file, in the order of its layers.
    ///
    /// ```
    /// use mhrig_dna::{Dna, FileVersion, ValidateOptions};
    ///
    /// let mut dna = Dna::new(FileVersion::new(5));
    /// dna.definition.joint_names.push("root".into());
    /// dna.definition.joint_hierarchy.push(7);
    /// let findings = dna.validate(&ValidateOptions::default());
    /// assert!(findings.iter().any(|finding| finding.path == "defn.jointHierarchy[0]"));
    /// ```
    pub fn validate(&self, options: &ValidateOptions) -> Vec<DnaFinding> {
        Check::new(self, *options, Scope::All).run()
    }

    /// The first index that points to nothing.
    pub(crate) fn first_bad_index(&self) -> Option<DnaFinding> {
        Check::new(self, ValidateOptions::default(), Scope::Indices).run().into_iter().next()
    }

    /// Number of controls that can be an input: raw, corrective, machine-learned and pose controls, in this order
    /// (dna-format.md, section 6.12).
    pub fn control_count(&self) -> usize {
        let pose_controls = if self.rbf_behavior_ext.poses.is_empty() {
            // Each pose has one control then, see `Dna::fill_pose_controls`.
            self.rbf_behavior.poses.len()
        } else {
            self.rbf_behavior_ext.pose_control_names.len()
        };
        self.first_pose_control() + pose_controls
    }

    fn first_ml_control(&self) -> usize {
        self.definition.raw_control_names.len() + usize::from(self.behavior.controls.psd_count)
    }

    fn first_pose_control(&self) -> usize {
        self.first_ml_control() + self.machine_learned_behavior.ml_control_names.len()
    }
}

/// A validation under way.
struct Check<'a> {
    dna: &'a Dna,
    options: ValidateOptions,
    scope: Scope,
    lod_count: usize,
    control_count: usize,
    findings: Vec<DnaFinding>,
}

/// The parts of a finding that have no default.
struct Fact {
    code: &'static str,
    severity: DnaSeverity,
    path: String,
    message: String,
    remedy: &'static str,
}

impl<'a> Check<'a> {
    fn new(dna: &'a Dna, options: ValidateOptions, scope: Scope) -> Self {
        let lod_count = usize::from(dna.descriptor.lod_count);
        Self { dna, options, scope, lod_count, control_count: dna.control_count(), findings: Vec::new() }
    }

    fn run(mut self) -> Vec<DnaFinding> {
        self.layers();
        self.descriptor();
        self.definition();
        self.behavior();
        self.geometry();
        self.networks();
        self.rbf();
        self.joint_metadata();
        self.twists_and_swings();
        self.operations();
        if self.scope == Scope::All {
            self.descriptor_ext();
            self.target();
        }
        self.findings
    }

    /// Adds a finding; the reference allows to add what is optional.
    fn add(&mut self, fact: Fact) -> Entry<'_> {
        let Fact { code, severity, path, message, remedy } = fact;
        if self.scope == Scope::Indices && code != INDEX_RANGE {
            return Entry(None);
        }
        let unreal = self.unreal_word(code, &path);
        self.findings.push(DnaFinding {
            code,
            severity,
            path,
            message,
            expected: None,
            found: None,
            count: 1,
            remedy,
            unreal,
        });
        Entry(self.findings.last_mut())
    }

    fn error(
        &mut self,
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: &'static str,
    ) -> Entry<'_> {
        self.add(Fact {
            code,
            severity: DnaSeverity::Error,
            path: path.into(),
            message: message.into(),
            remedy,
        })
    }

    fn warning(
        &mut self,
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: &'static str,
    ) -> Entry<'_> {
        self.add(Fact {
            code,
            severity: DnaSeverity::Warning,
            path: path.into(),
            message: message.into(),
            remedy,
        })
    }

    fn info(
        &mut self,
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
        remedy: &'static str,
    ) -> Entry<'_> {
        self.add(Fact {
            code,
            severity: DnaSeverity::Info,
            path: path.into(),
            message: message.into(),
            remedy,
        })
    }

    /// Checks that all of `indices` are below `limit`, the number of `what`.
    fn indices<T: Copy + Into<u64>>(&mut self, path: &str, indices: &[T], limit: usize, what: &str) {
        let mut wrong = indices.iter().enumerate().filter(|&(_, &index)| index.into() >= limit as u64);
        let Some((at, &index)) = wrong.next() else { return };
        let count = 1 + wrong.count();
        let message = format!("number of a {what} that does not exist");
        self.error(INDEX_RANGE, format!("{path}[{at}]"), message, "correct the number or add what it names")
            .values(format!("below {limit}"), index.into())
            .count(count);
    }

    /// Checks that parallel arrays are equally long.
    fn equal_lengths(&mut self, path: &str, lengths: &[(&str, usize)]) {
        let Some(&(_, first)) = lengths.first() else { return };
        if lengths.iter().all(|&(_, length)| length == first) {
            return;
        }
        let found: Vec<String> = lengths.iter().map(|(name, length)| format!("{name} {length}")).collect();
        let message = "lists that belong together differ in length";
        self.error("LENGTH_MISMATCH", path, message, "bring the lists to one length")
            .values("one length", found.join(", "));
    }

    fn finite(&mut self, path: &str, values: &[f32]) {
        if self.scope == Scope::Indices {
            return;
        }
        let mut wrong = values.iter().enumerate().filter(|(_, value)| !value.is_finite());
        let Some((at, &value)) = wrong.next() else { return };
        let count = 1 + wrong.count();
        self.error("NOT_FINITE", format!("{path}[{at}]"), "not a finite number", "compute the value again")
            .found(value)
            .count(count);
    }

    /// Checks an enumeration with values 0 to `last`.
    fn enumeration(&mut self, path: impl Into<String>, value: u16, last: u16) {
        if value > last {
            self.warning("ENUM_VALUE", path, "value without a known meaning", "use one of the known values")
                .values(format!("0 to {last}"), value);
        }
    }

    fn layers(&mut self) {
        let dna = self.dna;
        if dna.version.has_sections() || self.scope == Scope::Indices {
            return;
        }
        let position = |kind: LayerKind| dna.layers.iter().position(|layer| layer.kind() == Some(kind));
        for kind in [LayerKind::Descriptor, LayerKind::Definition] {
            match position(kind) {
                None => {
                    let message = format!("layer {} is missing", kind.name());
                    self.error("LAYER_MISSING", "index", message, "add the layer");
                }
                // Readers that select LODs need both before the rest.
                Some(at) if at > 1 => {
                    let message = format!("layer {} comes after layers that need it", kind.name());
                    let remedy = "put desc and defn first in the index";
                    self.warning("LAYER_ORDER", format!("index.entries[{at}]"), message, remedy);
                }
                Some(_) => {}
            }
        }
        for (at, layer) in dna.layers.iter().enumerate() {
            let path = format!("index.entries[{at}]");
            match layer.kind() {
                Some(kind) if kind.since() > dna.version.version => {
                    let message = format!("layer {} is newer than the file version", kind.name());
                    let since = FileVersion::new(kind.since());
                    self.info("LAYER_NEWER", path, message, "raise the file version")
                        .values(format!("version {since} or later"), dna.version);
                }
                None => {
                    let message = format!("layer {} is not known and kept as it is", layer.name());
                    self.info("LAYER_UNKNOWN", path, message, "none needed");
                }
                Some(_) => {}
            }
        }
        if !dna.version.is_known() {
            let remedy = "use a later release of this program for all of it";
            self.info("VERSION_NEWER", "version", "version is newer than what is supported", remedy)
                .values("2.1 to 2.8", dna.version);
        }
    }
}

/// Adds to the finding that was made last, or to nothing.
struct Entry<'a>(Option<&'a mut DnaFinding>);

impl Entry<'_> {
    fn values(self, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        self.expected(expected).found(found)
    }

    fn expected(mut self, expected: impl fmt::Display) -> Self {
        if let Some(finding) = &mut self.0 {
            finding.expected = Some(expected.to_string());
        }
        self
    }

    fn found(mut self, found: impl fmt::Display) -> Self {
        if let Some(finding) = &mut self.0 {
            finding.found = Some(found.to_string());
        }
        self
    }

    fn count(mut self, count: usize) -> Self {
        if let Some(finding) = &mut self.0 {
            finding.count = count;
        }
        self
    }
}
