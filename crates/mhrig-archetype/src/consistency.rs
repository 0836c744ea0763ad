//! Whether the files of an archetype fit together.

use mhrig_geom::JointId;
use mhrig_report::{Finding, Severity};
use nalgebra::Vector3;

use crate::archetype::{Archetype, Part};
use crate::{MAPPING_FOLDER, SETTINGS_FILE};

/// How far the template's head and body may disagree on a shared joint or a seam vertex, cm. Files of one
/// character agree to 3.5e-5 cm; a pair of two characters is off by millimetres at least.
const SAME_PLACE_CM: f64 = 1e-2;

pub(crate) fn check(archetype: &Archetype) -> Vec<Finding> {
    let mut findings = Vec::new();
    for part in archetype.parts() {
        part_findings(archetype, part, &mut findings);
    }
    if let (Some(head), Some(body)) = (&archetype.head, &archetype.body) {
        pair_findings(archetype, head, body, &mut findings);
        seam_findings(archetype, head, body, &mut findings);
    }
    let rig = archetype.dir.join(SETTINGS_FILE).display().to_string();
    for joint in &archetype.settings.user_defined_joints {
        if !archetype.parts().any(|part| part.neutral.hierarchy.find(joint).is_some()) {
            findings.push(unknown_joint(&rig, "user_defined_joints", joint, Severity::Warning));
        }
    }
    findings
}

fn part_findings(archetype: &Archetype, part: &Part, findings: &mut Vec<Finding>) {
    let rig = archetype.dir.join(SETTINGS_FILE).display().to_string();
    let hierarchy = &part.neutral.hierarchy;
    let has_mesh = |name: &str| part.neutral.meshes.iter().any(|mesh| mesh.name == name);
    let dna_file = part.dna_file.display().to_string();

    if part.lod0_meshes().is_empty() {
        findings.push(Finding::new(
            "ARCHETYPE_MESHES",
            Severity::Error,
            &dna_file,
            "the template has no mesh at LOD 0",
            "use a DNA that was saved with its geometry",
        ));
    }
    for (number, mesh) in part.neutral.meshes.iter().enumerate() {
        let vertices = mesh.mesh.positions.len();
        if mesh.skin.vertex_count() != vertices {
            let place = format!("{dna_file}: mesh {} ({number})", mesh.name);
            let message = "the mesh has not one record of skin weights per vertex";
            findings.push(
                Finding::new("SKIN_COUNT", Severity::Error, place, message, "use an undamaged template DNA")
                    .with_values(vertices, mesh.skin.vertex_count()),
            );
        }
    }
    for eye in &part.settings.eyes {
        if !has_mesh(&eye.mesh) {
            findings.push(unknown_mesh(&rig, &format!("{}.eyes", part.kind), &eye.mesh));
        }
        if hierarchy.find(&eye.joint).is_none() {
            findings.push(unknown_joint(&rig, &format!("{}.eyes", part.kind), &eye.joint, Severity::Error));
        }
    }
    for chain in &part.settings.chains {
        for joint in [&chain.joint, &chain.from, &chain.to] {
            if hierarchy.find(joint).is_none() {
                findings.push(unknown_joint(&rig, &format!("{}.chains", part.kind), joint, Severity::Error));
            }
        }
    }
    for table in &part.mapping {
        let file =
            archetype.dir.join(MAPPING_FOLDER).join(format!("{}.csv", table.mesh)).display().to_string();
        let vertices = part.neutral.meshes.iter().find(|mesh| mesh.name == table.mesh);
        let vertices = vertices.map_or(0, |mesh| mesh.mesh.positions.len());
        for (number, row) in table.rows.iter().enumerate() {
            let place = format!("{file}: row {} ({})", number + 1, row.joint);
            if hierarchy.find(&row.joint).is_none() {
                findings.push(unknown_joint(&place, "the row", &row.joint, Severity::Error));
            }
            if row.vertex as usize >= vertices {
                let message = format!("{} has no such vertex", table.mesh);
                findings.push(
                    Finding::new(
                        "MAPPING_VERTEX",
                        Severity::Error,
                        place,
                        message,
                        "use the table of this template",
                    )
                    .with_values(format!("below {vertices}"), row.vertex),
                );
            }
        }
    }
}

fn pair_findings(archetype: &Archetype, head: &Part, body: &Part, findings: &mut Vec<Finding>) {
    let place = format!("{} / {}", head.dna_file.display(), body.dna_file.display());
    let (ours, theirs) = (&head.dna.descriptor, &body.dna.descriptor);
    let units = |d: &mhrig_dna::Descriptor| (d.translation_unit, d.rotation_unit);
    if units(ours) != units(theirs) || ours.coordinate_system != theirs.coordinate_system {
        let describe = |d: &mhrig_dna::Descriptor| {
            let axes = d.coordinate_system;
            format!("units {:?}, axes {} {} {}", units(d), axes.x_axis, axes.y_axis, axes.z_axis)
        };
        findings.push(
            Finding::new(
                "PAIR_UNITS",
                Severity::Error,
                &place,
                "head and body differ in units or axes",
                "use a head and a body that were exported together",
            )
            .with_values(describe(ours), describe(theirs)),
        );
        return;
    }
    let shared = archetype.shared_joints();
    if shared.is_empty() {
        findings.push(Finding::new(
            "PAIR_JOINTS",
            Severity::Error,
            &place,
            "head and body have no joint in common",
            "use a head and a body of one character",
        ));
        return;
    }
    let head_world = head.neutral.pose.world(&head.neutral.hierarchy);
    let body_world = body.neutral.pose.world(&body.neutral.hierarchy);
    let distance = |&(in_head, in_body): &(JointId, JointId)| {
        let to = body_world[in_body.index()].translation.vector;
        (head_world[in_head.index()].translation.vector - to).norm()
    };
    let apart: Vec<_> = shared.iter().filter(|pair| distance(pair) > SAME_PLACE_CM).collect();
    if let Some(worst) = apart.iter().max_by(|a, b| distance(a).total_cmp(&distance(b))) {
        let message = format!(
            "{} of {} shared joints stand in different places, {} the most",
            apart.len(),
            shared.len(),
            head.neutral.hierarchy.name(worst.0)
        );
        findings.push(
            Finding::new(
                "PAIR_APART",
                Severity::Error,
                &place,
                message,
                "use a head and a body of one character",
            )
            .with_values(format!("at most {SAME_PLACE_CM} cm"), format!("{:.4} cm", distance(worst))),
        );
    }
}

fn seam_findings(archetype: &Archetype, head: &Part, body: &Part, findings: &mut Vec<Finding>) {
    let Some(settings) = &archetype.settings.seam else { return };
    let rig = archetype.dir.join(SETTINGS_FILE).display().to_string();
    let mesh = |part: &Part, name: &str| {
        part.neutral.meshes.iter().find(|mesh| mesh.name == name).map(|mesh| mesh.mesh.positions.clone())
    };
    let (Some(head_positions), Some(body_positions)) =
        (mesh(head, &settings.head_mesh), mesh(body, &settings.body_mesh))
    else {
        let missing =
            if mesh(head, &settings.head_mesh).is_none() { &settings.head_mesh } else { &settings.body_mesh };
        findings.push(unknown_mesh(&rig, "seam", missing));
        return;
    };
    let file = archetype.dir.join(&settings.file).display().to_string();
    for (number, pair) in archetype.seam.iter().enumerate() {
        let place = format!("{file}: pair {}", number + 1);
        let ends =
            head_positions.get(pair.head_vertex as usize).zip(body_positions.get(pair.body_vertex as usize));
        let Some((a, b)) = ends else {
            findings.push(
                Finding::new(
                    "SEAM_VERTEX",
                    Severity::Error,
                    place,
                    "the pair names a vertex that does not exist",
                    "use the seam file of this template",
                )
                .with_values(
                    format!("below {} and {}", head_positions.len(), body_positions.len()),
                    format!("{} and {}", pair.head_vertex, pair.body_vertex),
                ),
            );
            continue;
        };
        let gap = (Vector3::from(a.map(f64::from)) - Vector3::from(b.map(f64::from))).norm();
        if gap > SAME_PLACE_CM {
            findings.push(
                Finding::new(
                    "SEAM_APART",
                    Severity::Error,
                    place,
                    "the two vertices of the pair stand in different places",
                    "use the seam file of this template",
                )
                .with_values(format!("at most {SAME_PLACE_CM} cm"), format!("{gap:.4} cm")),
            );
        }
    }
}

fn unknown_mesh(place: &str, key: &str, mesh: &str) -> Finding {
    let message = format!("{key} names a mesh that the template has not: {mesh}");
    Finding::new("ARCHETYPE_MESH", Severity::Error, place, message, "name a mesh of the template DNA")
}

fn unknown_joint(place: &str, key: &str, joint: &str, severity: Severity) -> Finding {
    let message = format!("{key} names a joint that the template has not: {joint}");
    Finding::new("ARCHETYPE_JOINT", severity, place, message, "name a joint of the template DNA")
}
