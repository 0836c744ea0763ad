use mhrig::{InspectDetails, InspectRequest};

use super::{Outcome, shared, usage};
use crate::bridge::{Arguments, Host};
use crate::flags::CommandTable;
use crate::job;

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhInspectDna",
    summary: "Says what a DNA file holds.",
    objects: Some(("FILE", "a DNA file.")),
    returns: "lines of text: file version, layers, numbers of everything, meshes.",
    undo: "It changes nothing, and there is nothing to undo.",
    verb: "inspect",
    own: &[],
};

pub(super) fn run(host: &Host, arguments: &Arguments<'_>) -> Outcome {
    let objects = arguments.objects();
    let [file] = objects.as_slice() else {
        let finding = usage(TABLE.name, "one DNA file is inspected at a time", "name one file");
        return Err(finding.with_values("one file", objects.len()).into());
    };
    let threads = shared::threads(TABLE.name, arguments)?;
    let request = InspectRequest { file: file.into() };
    let report = job::run(host, "inspecting", 1, threads, |job| mhrig::inspect(&request, job));
    shared::finish(host, arguments, &report, lines)?;
    Ok(None)
}

fn lines(details: &InspectDetails) -> Vec<String> {
    let mut lines = vec![
        format!("file: {} ({} bytes)", details.file.display(), details.bytes),
        format!("version: {}", details.version),
        format!("character: {} ({})", details.name, details.db_name),
        format!("layers: {}", details.layers.join(" ")),
    ];
    lines.extend(details.counts.iter().map(|count| format!("{}: {}", count.what, count.count)));
    lines.extend(details.meshes.iter().map(|mesh| {
        let targets = mesh.blend_shape_targets;
        format!(
            "mesh {}: {} vertices, {} faces, {targets} blend shape targets",
            mesh.name, mesh.vertices, mesh.faces
        )
    }));
    lines
}
