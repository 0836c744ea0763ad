use mhrig::{InspectDetails, InspectRequest, InspectView};

use super::{Outcome, shared, usage};
use crate::bridge::{Arguments, Host};
use crate::flags::{CommandTable, Flag, Kind, flag};
use crate::job;

const JOINTS: Flag =
    flag("-jn", "-joints", Kind::Switch, "", "The tree of joints with world and local positions.")
        .as_cli("joints");
const MESHES: Flag = flag("-m", "-meshes", Kind::Switch, "", "The meshes.").as_cli("meshes");
const CONTROLS: Flag = flag(
    "-c",
    "-controls",
    Kind::Switch,
    "",
    "The controls: gui, psd, rbf, ml, direct or unused, with who drives each and what it drives.",
)
.as_cli("controls");
const EXPRESSION: Flag = flag(
    "-ex",
    "-expression",
    Kind::Text,
    "NAME",
    "All that a control does: joints, blend shape channels, maps and correctives.",
)
.as_cli("expression");
const CORRECTIVES: Flag = flag(
    "-psd",
    "-correctives",
    Kind::Switch,
    "",
    "The correctives (pose space deformation), with their inputs and what they drive.",
)
.as_cli("psd");
const SOLVERS: Flag =
    flag("-rbf", "-rbfSolvers", Kind::Switch, "", "The RBF solvers with their poses.").as_cli("rbf");
const LODS: Flag = flag("-l", "-lods", Kind::Switch, "", "What belongs to each LOD.").as_cli("lods");
const SIZES: Flag = flag("-s", "-sizes", Kind::Switch, "", "Bytes per layer.").as_cli("sizes");

pub(crate) const TABLE: CommandTable = CommandTable {
    name: "mhInspectDna",
    summary: "Says what a DNA file holds.",
    objects: Some(("FILE", "a DNA file.")),
    returns: "lines of text: file version, layers, numbers of everything, meshes; with flags the tables they name.",
    undo: "It changes nothing, and there is nothing to undo.",
    verb: "inspect",
    own: &[JOINTS, MESHES, CONTROLS, EXPRESSION, CORRECTIVES, SOLVERS, LODS, SIZES],
};

pub(super) fn run(host: &Host, arguments: &Arguments<'_>) -> Outcome {
    let objects = arguments.objects();
    let [file] = objects.as_slice() else {
        let finding = usage(TABLE.name, "one DNA file is inspected at a time", "name one file");
        return Err(finding.with_values("one file", objects.len()).into());
    };
    let threads = shared::threads(TABLE.name, arguments)?;
    let views = [
        (LODS, InspectView::Lods),
        (MESHES, InspectView::Meshes),
        (JOINTS, InspectView::Joints),
        (CONTROLS, InspectView::Controls),
        (CORRECTIVES, InspectView::Psd),
        (SOLVERS, InspectView::Rbf),
        (SIZES, InspectView::Sizes),
    ];
    let views = views.into_iter().filter(|(flag, _)| arguments.is_set(flag.long)).map(|(_, view)| view);
    let request = InspectRequest {
        file: file.into(),
        views: views.collect(),
        expressions: arguments.text(EXPRESSION.long).into_iter().filter(|name| !name.is_empty()).collect(),
    };
    let is_overview = request.views.is_empty() && request.expressions.is_empty();
    let report = job::run(host, "inspecting", 2, threads, |job| mhrig::inspect(&request, job));
    shared::finish(host, arguments, &report, |details| {
        if is_overview {
            lines(details)
        } else {
            details.tables().iter().flat_map(mhrig::TextTable::lines).collect()
        }
    })?;
    Ok(None)
}

fn lines(details: &InspectDetails) -> Vec<String> {
    let mut lines = vec![
        format!("file: {} ({} bytes)", details.file.display(), details.bytes),
        format!("version: {}", details.version),
        format!("character: {} ({})", details.name, details.db_name),
        format!("units: {}, {}", details.translation_unit, details.rotation_unit),
        format!("axes: x {}, y {}, z {}", details.axes[0], details.axes[1], details.axes[2]),
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
