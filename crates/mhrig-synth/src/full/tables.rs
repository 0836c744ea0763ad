//! The tables of the assets: names, hierarchy and counts.

use crate::SynthError;

const HEAD_JOINTS: &str = include_str!("../../assets/full-size/head_joints.txt");
const BODY_JOINTS: &str = include_str!("../../assets/full-size/body_joints.txt");
const MESHES: &str = include_str!("../../assets/full-size/meshes.txt");
const CONTROLS: &str = include_str!("../../assets/full-size/controls.txt");

/// A joint of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableJoint {
    pub(crate) name: &'static str,
    /// Place of the parent in the table, which is above.
    pub(crate) parent: Option<usize>,
}

/// The joints of a head, root first.
pub(crate) fn head_joints() -> Result<Vec<TableJoint>, SynthError> {
    joints("head_joints.txt", HEAD_JOINTS)
}

/// The joints of a body, root first.
pub(crate) fn body_joints() -> Result<Vec<TableJoint>, SynthError> {
    joints("body_joints.txt", BODY_JOINTS)
}

fn lines(text: &'static str) -> impl Iterator<Item = (usize, &'static str)> {
    text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'))
}

fn bad(table: &str, line: usize, expected: &'static str, found: &str) -> SynthError {
    SynthError::Table { table: table.to_owned(), line: line + 1, expected, found: found.to_owned() }
}

fn joints(table: &str, text: &'static str) -> Result<Vec<TableJoint>, SynthError> {
    let mut joints: Vec<TableJoint> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for (at, line) in lines(text) {
        let name = line.trim_start();
        let depth = line.len() - name.len();
        if depth > above.len() || name.is_empty() {
            return Err(bad(table, at, "a joint below one of the lines before", line));
        }
        above.truncate(depth);
        let parent = above.last().copied();
        above.push(joints.len());
        joints.push(TableJoint { name, parent });
    }
    Ok(joints)
}

/// Vertices of a part per LOD: `(part, counts)`, parts called as in `head_lod0_mesh`.
pub(crate) fn mesh_counts() -> Result<Vec<(&'static str, Vec<usize>)>, SynthError> {
    let parts = lines(MESHES).map(|(at, line)| {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next().ok_or_else(|| bad("meshes.txt", at, "a part", line))?;
        let counts: Option<Vec<usize>> = fields.map(|field| field.parse().ok()).collect();
        let counts = counts.filter(|counts| !counts.is_empty());
        Ok((name, counts.ok_or_else(|| bad("meshes.txt", at, "numbers of vertices", line))?))
    });
    parts.collect()
}

/// How an input of the face board drives a raw control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drive {
    /// From 0 to 1.
    Rising,
    /// From 0 to -1.
    Falling,
    /// Up to `phase / steps` and down to the next phase, if there is one.
    Phase { phase: u8, steps: u8 },
}

/// A raw control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableControl {
    /// Name after `CTRL_expressions.`.
    pub(crate) name: &'static str,
    /// Input that drives it.
    pub(crate) gui: &'static str,
    pub(crate) drive: Drive,
}

/// The raw controls of a head that show an expression.
pub(crate) fn controls() -> Result<Vec<TableControl>, SynthError> {
    let controls = lines(CONTROLS).map(|(at, line)| {
        let bad = || bad("controls.txt", at, "name, input, and +, - or phase/steps", line);
        let fields: Vec<&'static str> = line.split_ascii_whitespace().collect();
        let [name, gui, drive] = *fields.as_slice() else { return Err(bad()) };
        let drive = match drive {
            "+" => Drive::Rising,
            "-" => Drive::Falling,
            phase => {
                let (phase, steps) = phase.split_once('/').ok_or_else(bad)?;
                let number = |text: &str| text.parse().map_err(|_| bad());
                Drive::Phase { phase: number(phase)?, steps: number(steps)? }
            }
        };
        Ok(TableControl { name, gui, drive })
    });
    controls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_the_counts_of_a_metahuman() {
        let (head, body) = (head_joints().expect("a table"), body_joints().expect("a table"));
        assert_eq!((head.len(), body.len()), (870, 342));
        let shared = head.iter().filter(|joint| body.iter().any(|other| other.name == joint.name));
        assert_eq!(shared.count(), 27);
        let parent = |joints: &[TableJoint], name: &str| {
            let joint = joints.iter().find(|joint| joint.name == name).expect("a joint");
            joint.parent.map(|parent| joints[parent].name)
        };
        assert_eq!(parent(&head, "spine_04"), None);
        assert_eq!(parent(&head, "FACIAL_L_Pupil"), Some("FACIAL_L_EyeParallel"));
        assert_eq!(parent(&body, "pinky_03_half_r"), Some("pinky_03_r"));

        let meshes = mesh_counts().expect("a table");
        let head_meshes: usize = meshes.iter().filter(|part| part.0 != "body").map(|part| part.1.len()).sum();
        assert_eq!(head_meshes, 50);

        let controls = controls().expect("a table");
        let mut inputs: Vec<&str> = controls.iter().map(|control| control.gui).collect();
        inputs.sort_unstable();
        inputs.dedup();
        assert_eq!((controls.len(), inputs.len()), (251, 174));
    }
}
