use std::fmt;

use mhrig_report::{Finding, Severity};
use serde::Serialize;

use super::{Expected, Fix};
use crate::MeshRole;

/// A number that should have been another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The template's.
    pub expected: usize,
    /// The input's, where there is one.
    pub found: Option<usize>,
}

/// What the check says of one template mesh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshCheck {
    /// Name of the mesh.
    pub mesh: String,
    /// What it is needed for.
    pub role: MeshRole,
    /// Number of the input of that name, `None` when it is missing or there are several.
    pub input: Option<usize>,
    /// Where that input comes from.
    pub place: Option<String>,
    /// Vertices.
    pub vertices: Count,
    /// Faces.
    pub faces: Count,
    /// Whether every vertex and face is the template's, so that the mesh can be used.
    pub matches: bool,
    /// Whether the texture coordinates are the template's; the output keeps the template's either way.
    pub uv_matches: bool,
    /// What would make the mesh usable, as far as that is known.
    pub fixes: Vec<Fix>,
}

impl MeshCheck {
    pub(super) fn missing(wanted: &Expected<'_>) -> Self {
        let count = |expected| Count { expected, found: None };
        Self {
            mesh: wanted.name.to_owned(),
            role: wanted.evidence.role,
            input: None,
            place: None,
            vertices: count(wanted.mesh.positions.len()),
            faces: count(wanted.mesh.faces.len()),
            matches: false,
            uv_matches: false,
            fixes: Vec::new(),
        }
    }
}

/// What the check says of all meshes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopologyReport {
    /// One entry per template mesh, in the order of the templates.
    pub meshes: Vec<MeshCheck>,
    /// Everything that was noticed.
    pub findings: Vec<Finding>,
}

impl TopologyReport {
    /// Whether nothing stands in the way of a fit: there is no finding of severity error.
    pub fn is_usable(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity < Severity::Error)
    }
}

impl fmt::Display for TopologyReport {
    /// A table with one line per mesh.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24}{:<10}{:>9}{:>9}{:>9}{:>9}  {:<6}state",
            "mesh", "role", "vertices", "", "faces", "", "uv"
        )?;
        for check in &self.meshes {
            let found = |count: &Count| count.found.map_or("-".into(), |found| found.to_string());
            let role = match check.role {
                MeshRole::Required => "required",
                MeshRole::Eye => "eye",
                MeshRole::Fillable => "fillable",
            };
            let state = match (check.input, check.matches, check.fixes.is_empty()) {
                (None, ..) => "missing",
                (Some(_), true, true) => "ok",
                (Some(_), _, false) => "repairable",
                (Some(_), false, true) => "differs",
            };
            let uv = if !check.matches {
                "-"
            } else if check.uv_matches {
                "same"
            } else {
                "other"
            };
            writeln!(
                f,
                "{:<24}{role:<10}{:>9}{:>9}{:>9}{:>9}  {uv:<6}{state}",
                check.mesh,
                check.vertices.expected,
                found(&check.vertices),
                check.faces.expected,
                found(&check.faces),
            )?;
        }
        Ok(())
    }
}
