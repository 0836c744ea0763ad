//! What is different between two DNA files.

use std::path::PathBuf;

use mhrig_dna::{DiffOptions, Dna, DnaDiff, MeshDiff};
use mhrig_report::{Finding, Job, Severity};
use serde::Serialize;

use crate::dna_file::read_whole;
use crate::inspect::translation_unit_name;
use crate::report::{Recorder, Report, Stop};

/// Asks what is different between two DNA files.
#[derive(Clone, Debug, Default)]
pub struct DiffRequest {
    /// The earlier file.
    pub before: PathBuf,
    /// The later file.
    pub after: PathBuf,
    /// Numbers that differ by no more than this are the same, in the unit of the file.
    pub tolerance: f32,
}

/// The differences between two DNA files; items are matched by their names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffDetails {
    /// The earlier file.
    pub before: PathBuf,
    /// The later file.
    pub after: PathBuf,
    /// Numbers that differ by no more than this count as the same.
    pub tolerance: f32,
    /// Whether there is a difference.
    pub differs: bool,
    /// Unit of distances: that of the earlier file.
    pub unit: String,
    /// Versions before and after, when they differ.
    pub version: Option<[String; 2]>,
    /// Layers that the later file does not have, or has empty.
    pub layers_lost: Vec<String>,
    /// Layers that only the later file has.
    pub layers_added: Vec<String>,
    /// Single values.
    pub values: Vec<ValueDifference>,
    /// Numbers of items.
    pub counts: Vec<CountDifference>,
    /// Names.
    pub names: Vec<NamesDifference>,
    /// The skeleton.
    pub joints: JointsDifference,
    /// Meshes that differ.
    pub meshes: Vec<MeshDifference>,
    /// What controls do.
    pub behavior: BehaviorDifference,
    /// What differs otherwise.
    pub other: Vec<LayerDifference>,
}

/// A single value that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct ValueDifference {
    pub path: String,
    pub before: String,
    pub after: String,
}

/// A number of items that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct CountDifference {
    pub what: &'static str,
    pub before: usize,
    pub after: usize,
}

/// A list of names that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamesDifference {
    /// Path of the list.
    pub path: &'static str,
    /// Names that only the earlier file has.
    pub lost: Vec<String>,
    /// Names that only the later file has.
    pub added: Vec<String>,
    /// Whether names that both have are in another order.
    pub reordered: bool,
}

/// How the skeletons differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JointsDifference {
    /// Joints that both files have.
    pub compared: usize,
    /// Mean distance of all of them in world space.
    pub mean_distance: f64,
    /// Joints that are elsewhere or turned: those that moved themselves before those that follow others, the farthest
    /// first.
    pub moved: Vec<JointDifference>,
    /// Joints with another parent: name, parent before, parent after.
    pub reparented: Vec<(String, String, String)>,
}

/// A joint that is elsewhere or turned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointDifference {
    /// Its name.
    pub name: String,
    /// Distance in world space.
    pub world_distance: f64,
    /// Distance relative to its parent.
    pub local_distance: f64,
    /// Greatest difference of its neutral angles, in the file's rotation unit.
    pub rotation: f64,
    /// Whether only joints above it have moved.
    pub follows: bool,
}

/// How a mesh differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshDifference {
    /// Its name.
    pub name: String,
    /// Number of vertices before and after, when they differ; vertices are not compared then.
    pub vertex_counts: Option<(usize, usize)>,
    /// Vertices compared.
    pub vertices: usize,
    /// Vertices that are elsewhere.
    pub moved: usize,
    /// Greatest distance.
    pub greatest_distance: f64,
    /// Mean distance of all vertices.
    pub mean_distance: f64,
    /// The vertex that is farthest from where it was.
    pub farthest_vertex: Option<usize>,
    /// Where that vertex was.
    pub farthest_position: Option<[f32; 3]>,
    /// The joint that holds that vertex most.
    pub farthest_joint: Option<String>,
    /// Faces with other corners.
    pub faces: usize,
    /// Texture coordinates that differ.
    pub texture_coordinates: usize,
    /// Normals that differ.
    pub normals: usize,
    /// Vertices with other skin weights.
    pub weights: usize,
    /// Greatest difference of a skin weight.
    pub greatest_weight_difference: f64,
    /// Cap of influences before and after, when it differs.
    pub influence_caps: Option<(u16, u16)>,
    /// Channels of targets that only the earlier file has.
    pub targets_lost: Vec<String>,
    /// Channels of targets that only the later file has.
    pub targets_added: Vec<String>,
    /// Targets that differ, the greatest difference first.
    pub targets: Vec<TargetDifference>,
}

/// A blend shape target that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TargetDifference {
    /// Its channel.
    pub channel: String,
    /// Vertices with another delta.
    pub vertices: usize,
    /// Greatest distance of deltas.
    pub greatest_distance: f64,
}

/// How the behavior differs: numbers of rows or values that differ or that only one file has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BehaviorDifference {
    /// Rows from GUI to raw controls.
    pub gui_rows: usize,
    /// Cells of correctives.
    pub corrective_cells: usize,
    /// Deltas of joints, wherever the groups hold them.
    pub joint_values: usize,
    /// Greatest difference of a joint delta.
    pub greatest_joint_difference: f64,
    /// Control, joint and attribute of that difference.
    pub greatest_joint_place: String,
    /// Whether deltas are distributed to groups, rows or LODs in another way.
    pub groups_changed: bool,
    /// Blend shape channels that other controls drive.
    pub blend_shape_rows: usize,
    /// Rows of animated maps.
    pub animated_map_rows: usize,
    /// Whether blend shape or animated map rows are in use in other LODs.
    pub row_lods_changed: bool,
}

/// A difference in a layer without a section of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayerDifference {
    /// Layer id.
    pub layer: String,
    /// What differs.
    pub what: String,
}

/// Compares two DNA files. A difference makes the status [`crate::Status::Findings`].
pub fn diff(request: &DiffRequest, job: Job<'_>) -> Report<DiffDetails> {
    let mut recorder = Recorder::new(job);
    let result = run(request, &mut recorder);
    recorder.finish(result, true)
}

fn run(request: &DiffRequest, recorder: &mut Recorder<'_>) -> Result<DiffDetails, Stop> {
    if !(request.tolerance >= 0.0 && request.tolerance.is_finite()) {
        let finding = Finding::new(
            "USAGE",
            Severity::Error,
            "--tolerance",
            "a tolerance is a number that is not negative",
            "give 0 or more",
        );
        return Err(Stop::Blamed(finding, crate::report::Blame::Usage));
    }
    let (before, after) =
        recorder.stage("read", |_, _| Ok((read_whole(&request.before)?.0, read_whole(&request.after)?.0)))?;
    recorder.stage("compare", |findings, _| {
        let options = DiffOptions::default().with_tolerance(request.tolerance);
        let diff = before.diff(&after, &options);
        let details = details(request, &before, diff);
        if details.differs {
            let place = format!("{} → {}", request.before.display(), request.after.display());
            let message = format!("the files differ: {}", summary(&details));
            findings.push(Finding::new("FILES_DIFFER", Severity::Warning, place, message, ""));
        }
        Ok(details)
    })
}

fn details(request: &DiffRequest, before: &Dna, diff: DnaDiff) -> DiffDetails {
    let differs = !diff.is_empty();
    let behavior = diff.behavior;
    let is_within = |difference: f64| difference <= f64::from(request.tolerance);
    let mut details = DiffDetails {
        before: request.before.clone(),
        after: request.after.clone(),
        tolerance: request.tolerance,
        differs,
        unit: translation_unit_name(before.descriptor.translation_unit),
        version: diff.version.map(|(before, after)| [before.to_string(), after.to_string()]),
        layers_lost: diff.layers_lost,
        layers_added: diff.layers_added,
        values: diff
            .values
            .into_iter()
            .map(|value| ValueDifference { path: value.path, before: value.before, after: value.after })
            .collect(),
        counts: diff
            .counts
            .into_iter()
            .map(|count| CountDifference { what: count.what, before: count.before, after: count.after })
            .collect(),
        names: diff
            .names
            .into_iter()
            .map(|names| NamesDifference {
                path: names.path,
                lost: names.lost,
                added: names.added,
                reordered: names.reordered,
            })
            .collect(),
        joints: JointsDifference {
            compared: diff.joints.compared,
            mean_distance: diff.joints.mean_distance,
            moved: diff
                .joints
                .moved
                .into_iter()
                .map(|joint| JointDifference {
                    name: joint.name,
                    world_distance: joint.world_distance,
                    local_distance: joint.local_distance,
                    rotation: joint.rotation,
                    follows: [joint.local_distance, joint.rotation].into_iter().all(is_within),
                })
                .collect(),
            reparented: diff.joints.reparented,
        },
        meshes: diff.meshes.into_iter().map(|mesh| mesh_difference(before, mesh)).collect(),
        behavior: BehaviorDifference {
            gui_rows: behavior.gui_rows,
            corrective_cells: behavior.corrective_cells,
            joint_values: behavior.joint_values,
            greatest_joint_difference: behavior.greatest_joint_difference,
            greatest_joint_place: behavior.greatest_joint_place,
            groups_changed: behavior.groups_changed,
            blend_shape_rows: behavior.blend_shape_rows,
            animated_map_rows: behavior.animated_map_rows,
            row_lods_changed: behavior.row_lods_changed,
        },
        other: diff
            .other
            .into_iter()
            .map(|other| LayerDifference { layer: other.layer, what: other.what })
            .collect(),
    };
    // Stable: within both kinds the farthest stays first.
    details.joints.moved.sort_by_key(|joint| joint.follows);
    details
}

fn mesh_difference(before: &Dna, mesh: MeshDiff) -> MeshDifference {
    let number = before.definition.mesh_names.iter().position(|name| *name == mesh.name.as_str());
    let old = number.and_then(|number| before.geometry.meshes.get(number));
    let farthest = (mesh.moved > 0).then_some(mesh.farthest_vertex);
    let joint = |vertex: usize| {
        let skin = old?.skin_weights.get(vertex)?;
        let weights = skin.weights.iter().zip(&skin.joint_indices);
        let (_, &joint) = weights.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
        before.definition.joint_names.get(usize::from(joint)).map(ToString::to_string)
    };
    MeshDifference {
        name: mesh.name,
        vertex_counts: mesh.vertex_counts,
        vertices: mesh.vertices,
        moved: mesh.moved,
        greatest_distance: mesh.greatest_distance,
        mean_distance: mesh.mean_distance,
        farthest_vertex: farthest,
        farthest_position: farthest.and_then(|vertex| old?.positions.get(vertex)),
        farthest_joint: farthest.and_then(joint),
        faces: mesh.faces,
        texture_coordinates: mesh.texture_coordinates,
        normals: mesh.normals,
        weights: mesh.weights,
        greatest_weight_difference: mesh.greatest_weight_difference,
        influence_caps: mesh.influence_caps,
        targets_lost: mesh.targets_lost,
        targets_added: mesh.targets_added,
        targets: mesh
            .targets
            .into_iter()
            .map(|target| TargetDifference {
                channel: target.channel,
                vertices: target.vertices,
                greatest_distance: target.greatest_distance,
            })
            .collect(),
    }
}

/// The differences in one line.
fn summary(details: &DiffDetails) -> String {
    let mut parts = Vec::new();
    let mut part = |count: usize, one: &str, many: &str| {
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    part(usize::from(details.version.is_some()), "version", "versions");
    part(details.layers_lost.len(), "layer lost", "layers lost");
    part(details.layers_added.len(), "layer added", "layers added");
    part(details.values.len(), "value", "values");
    part(details.names.len(), "list of names", "lists of names");
    part(details.joints.moved.len(), "joint moved", "joints moved");
    part(details.joints.reparented.len(), "joint with another parent", "joints with another parent");
    let meshes = &details.meshes;
    part(meshes.iter().map(|mesh| mesh.moved).sum(), "vertex moved", "vertices moved");
    part(
        meshes.iter().map(|mesh| mesh.weights).sum(),
        "vertex with other weights",
        "vertices with other weights",
    );
    part(meshes.iter().map(|mesh| mesh.targets.len()).sum(), "target changed", "targets changed");
    part(meshes.iter().map(|mesh| mesh.targets_lost.len()).sum(), "target lost", "targets lost");
    part(meshes.iter().map(|mesh| mesh.targets_added.len()).sum(), "target added", "targets added");
    part(details.behavior.joint_values, "joint delta changed", "joint deltas changed");
    let rows = &details.behavior;
    let rows = rows.gui_rows + rows.corrective_cells + rows.blend_shape_rows + rows.animated_map_rows;
    part(rows, "row of the behavior changed", "rows of the behavior changed");
    part(details.other.len(), "other difference", "other differences");
    if parts.is_empty() { "in their structure".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use mhrig_dna::{FileVersion, Vectors3};

    use super::*;
    use crate::report::Status;

    fn skeleton(x: f32) -> Dna {
        let mut dna = Dna::new(FileVersion::new(5));
        dna.definition.joint_names = vec!["root".into(), "jaw".into()];
        dna.definition.joint_hierarchy = vec![0, 0];
        dna.definition.neutral_joint_translations = Vectors3::from_vectors(&[[0.0; 3], [x, 0.0, 0.0]]);
        dna.definition.neutral_joint_rotations = Vectors3::from_vectors(&[[0.0; 3]; 2]);
        dna
    }

    #[test]
    fn a_moved_joint_is_a_finding_unless_it_is_within_the_tolerance() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.dna"), dir.path().join("b.dna"));
        std::fs::write(&a, skeleton(1.0).to_bytes().unwrap()).unwrap();
        std::fs::write(&b, skeleton(1.5).to_bytes().unwrap()).unwrap();
        let job = Job { progress: &mhrig_report::Silent, cancel: &mhrig_report::Cancel::default() };
        let same = DiffRequest { before: a.clone(), after: a.clone(), tolerance: 0.0 };
        let report = diff(&same, job);
        assert!(report.status == Status::Ok && report.findings.is_empty());
        let request = DiffRequest { before: a, after: b, tolerance: 0.0 };
        let report = diff(&request, job);
        assert_eq!(report.status, Status::Findings);
        assert!(report.findings[0].message.contains("1 joint moved"), "{:?}", report.findings);
        let joints = report.details.unwrap().joints;
        assert_eq!((joints.moved[0].name.as_str(), joints.moved[0].world_distance), ("jaw", 0.5));
        assert_eq!(diff(&DiffRequest { tolerance: 0.5, ..request.clone() }, job).status, Status::Ok);
        for tolerance in [-1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(diff(&DiffRequest { tolerance, ..request.clone() }, job).status, Status::Refused);
        }
    }
}
