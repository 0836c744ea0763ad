use mhrig::{CheckDetails, CheckRequest, MeshRole};

use crate::exit::Exit;
use crate::table::Table;
use crate::ui::Ui;
use crate::verbs::inputs::Person;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    person: Person,
}

impl Args {
    pub(crate) fn run(self, ui: &Ui) -> Exit {
        let request = CheckRequest {
            archetype: self.person.archetype.clone(),
            meshes: self.person.meshes(),
            parts: self.person.parts(),
        };
        let report = mhrig::check(&request, ui.job());
        ui.report(&report, show)
    }
}

fn show(details: &CheckDetails) {
    let header = ["mesh", "role", "vertices", "found", "faces", "found", "uv", "state"];
    let mut table = Table::new(&header).left(&[1, 6, 7]);
    for mesh in &details.meshes {
        let role = match mesh.role {
            MeshRole::Required => "required",
            MeshRole::Eye => "eye",
            MeshRole::Fillable => "fillable",
        };
        let found = |found: Option<usize>| found.map_or_else(|| "–".to_owned(), |found| found.to_string());
        let (uv, state) = match (mesh.input, mesh.matches) {
            (None, _) => ("", "missing"),
            (Some(_), false) => ("", "differs"),
            (Some(_), true) if mesh.uv_matches => ("same", "ok"),
            (Some(_), true) => ("other", "ok"),
        };
        table.row([
            mesh.mesh.as_str(),
            role,
            &mesh.vertices.expected.to_string(),
            &found(mesh.vertices.found),
            &mesh.faces.expected.to_string(),
            &found(mesh.faces.found),
            uv,
            state,
        ]);
    }
    table.print();
}
