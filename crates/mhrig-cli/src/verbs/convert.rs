use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use mhrig::{ConvertDetails, ConvertRequest, FileVersion, LayerSelection};

use crate::exit::Exit;
use crate::output::out;
use crate::table::Table;
use crate::ui::Ui;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to read: .dna or .json.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write: .dna or .json.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Version of the new file; what it has no place for is named.
    #[arg(long, value_name = "VERSION", value_parser = version_parser())]
    format_version: Option<FileVersion>,
    /// LODs to keep, such as 0,2.
    #[arg(long, value_delimiter = ',', value_name = "LODS")]
    lods: Option<Vec<u16>>,
    /// Layers to keep; each brings the ones that it builds on.
    #[arg(long, value_delimiter = ',', value_name = "LAYERS", value_parser = layer_parser())]
    layers: Option<Vec<LayerSelection>>,
    /// Give the bytes of the reference library, its oddities included.
    #[arg(long)]
    compat: bool,
    /// Replace an existing file; the old one is kept as .bak.
    #[arg(long)]
    force: bool,
}

fn version_parser() -> impl TypedValueParser<Value = FileVersion> {
    let known = || (1..=FileVersion::NEWEST.version).map(FileVersion::new);
    PossibleValuesParser::new(known().map(|version| version.to_string()))
        .try_map(move |name| known().find(|version| version.to_string() == name).ok_or("no such version"))
}

fn layer_parser() -> impl TypedValueParser<Value = LayerSelection> {
    PossibleValuesParser::new(LayerSelection::NAMES.map(|(name, _)| name))
        .try_map(|name| LayerSelection::from_name(&name).ok_or("no such layer"))
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = ConvertRequest {
            input: self.input,
            output: self.output,
            format_version: self.format_version,
            lods: self.lods,
            layers: self.layers.and_then(|layers| layers.into_iter().reduce(|a, b| a | b)),
            compat: self.compat,
            force: self.force,
        };
        let report = mhrig::convert(&request, ui.job());
        let exit = ui.report(&report, show);
        if let Some(details) = &report.details {
            let outputs: Vec<_> = details.outputs.iter().map(|path| path.display().to_string()).collect();
            ui.done(&format!("{}, {} bytes", outputs.join(", "), details.bytes));
        }
        exit
    }
}

fn show(details: &ConvertDetails) {
    if details.from_version != details.to_version {
        out!("version {} → {}", details.from_version, details.to_version);
    }
    if !details.added.is_empty() {
        out!("layers added, empty: {}", details.added.join(" "));
    }
    if let Some(lods) = &details.lods {
        let kept: Vec<String> = lods.kept.iter().map(ToString::to_string).collect();
        out!("LODs kept: {}", if kept.is_empty() { "none".to_owned() } else { kept.join(", ") });
        let mut table = Table::new(&["dropped with the others", "count"]);
        for (what, count) in [
            ("joints", lods.joints_dropped),
            ("meshes", lods.meshes_dropped),
            ("blend shape channels", lods.blend_shape_channels_dropped),
            ("animated maps", lods.animated_maps_dropped),
            ("neural networks", lods.neural_networks_dropped),
            ("RBF solvers", lods.rbf_solvers_dropped),
        ] {
            if count > 0 {
                table.row([what.to_owned(), count.to_string()]);
            }
        }
        table.print_with_rows();
        if lods.reweighted_vertices > 0 {
            out!(
                "{} vertices lost an influence; their other weights were scaled up",
                lods.reweighted_vertices
            );
        }
    }
    let mut table = Table::new(&["lost", "what it held", "because of"]).left(&[1, 2]);
    for lost in &details.lost {
        table.row([lost.name.as_str(), &lost.content, lost.due_to]);
    }
    table.print_with_rows();
}
