use mhrig_report::{Finding, Severity};

use crate::scene_mesh::{SceneMesh, SceneMeshes};

/// The meshes that a caller asked for by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved<'a> {
    /// One entry per wanted name, in the order asked: the mesh, or `None` where there is none or more than one.
    pub meshes: Vec<Option<&'a SceneMesh>>,
    /// What is to be said about the wanted meshes: ambiguous and broken ones, and the findings of the chosen ones.
    pub findings: Vec<Finding>,
}

impl SceneMeshes {
    /// Finds meshes by their names without namespace. A mesh called so comes before one whose shape, file or name
    /// before export is called so. Names that fit several meshes are findings that list the candidates.
    pub fn resolve<'a>(&'a self, wanted: &[&str]) -> Resolved<'a> {
        let mut meshes: Vec<Option<usize>> = vec![None; wanted.len()];
        let mut findings = Vec::new();
        let mut ambiguous = vec![false; wanted.len()];
        for (slot, name) in wanted.iter().enumerate() {
            let named: Vec<usize> =
                (0..self.meshes.len()).filter(|&i| self.meshes[i].name == *name).collect();
            match named.as_slice() {
                [] => {}
                [only] => meshes[slot] = Some(*only),
                several => {
                    ambiguous[slot] = true;
                    findings.push(self.ambiguity(name, several));
                }
            }
        }
        for (slot, name) in wanted.iter().enumerate() {
            if meshes[slot].is_some() || ambiguous[slot] {
                continue;
            }
            if let Some(broken) = self.broken.iter().find(|broken| broken.name == *name) {
                findings.push(broken.finding.clone());
                continue;
            }
            // a mesh that is wanted under its own name is not also another one
            let other: Vec<usize> = (0..self.meshes.len())
                .filter(|&i| !wanted.contains(&self.meshes[i].name.as_str()))
                .filter(|&i| self.meshes[i].other_names.iter().any(|other| other == name))
                .collect();
            match other.as_slice() {
                [] => {}
                [only] => meshes[slot] = Some(*only),
                several => findings.push(self.ambiguity(name, several)),
            }
        }
        for mesh in meshes.iter().flatten() {
            findings.extend(self.meshes[*mesh].findings.iter().cloned());
        }
        let meshes = meshes.into_iter().map(|mesh| mesh.map(|i| &self.meshes[i])).collect();
        Resolved { meshes, findings }
    }

    fn ambiguity(&self, name: &str, candidates: &[usize]) -> Finding {
        const SHOWN: usize = 8;
        let mut paths: Vec<_> = candidates.iter().take(SHOWN).map(|&i| self.meshes[i].full_path()).collect();
        if candidates.len() > SHOWN {
            paths.push(format!("and {} more", candidates.len() - SHOWN));
        }
        Finding::new(
            "MESH_AMBIGUOUS",
            Severity::Error,
            name,
            format!("{} meshes are called `{name}`", candidates.len()),
            "choose one with --pick PATH, or remove the others from the scene",
        )
        .with_values("one mesh", paths.join(", "))
    }
}

/// Whether `pick` is the whole path of `mesh` or the end of it, cut at a node or folder border; with or without
/// namespaces.
pub(crate) fn path_matches(mesh: &SceneMesh, pick: &str) -> bool {
    let full = mesh.full_path();
    let ends = |full: &str| {
        !pick.is_empty()
            && full.strip_suffix(pick).is_some_and(|before| {
                before.is_empty() || pick.starts_with('|') || before.ends_with(['|', '/', '\\'])
            })
            // a path that begins at the root is the whole path of the node
            && (!pick.starts_with('|') || full.len() - pick.len() == mesh.file.display().to_string().len())
    };
    ends(&full) || {
        let plain: Vec<&str> = mesh.path.split('|').map(crate::names::without_namespace).collect();
        let plain = crate::scene_mesh::full_path(&mesh.file, &plain.join("|"));
        ends(&plain)
    }
}
