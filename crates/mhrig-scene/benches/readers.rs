//! Reading scenes: a `.ma` of many nodes that do not matter and one big mesh, and the mesh as OBJ and GLB.
// The macros of criterion make undocumented functions.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mhrig_geom::{Mesh, Polygons, UvSet};
use mhrig_report::{Cancel, Job, Silent};
use mhrig_scene::{MaWriteOptions, NamedMesh, ReadOptions, read_meshes, write_glb, write_ma, write_obj};

/// Vertices along a side of the big mesh.
const SIDE: u32 = 512;

/// A wavy square of quads, with numbers as long as those of a real mesh.
fn big_mesh() -> Mesh {
    let place = |at: u32| {
        let (x, z) = ((at % SIDE) as f32 * 0.173, (at / SIDE) as f32 * 0.191);
        [x, 140.0 + (x * 0.7).sin() * (z * 0.3).cos(), z]
    };
    let coord = |at: u32| [(at % SIDE) as f32 / SIDE as f32, (at / SIDE) as f32 / SIDE as f32 * 0.997];
    let mut faces = Polygons::default();
    for row in 0..SIDE - 1 {
        for column in 0..SIDE - 1 {
            let first = row * SIDE + column;
            faces.push([first, first + 1, first + SIDE + 1, first + SIDE]).unwrap();
        }
    }
    let corners = faces.corners().to_vec();
    let uv = UvSet { coords: (0..SIDE * SIDE).map(coord).collect(), corners };
    Mesh { positions: (0..SIDE * SIDE).map(place).collect(), faces, uv: Some(uv) }
}

/// Statements about nodes that no mesh depends on, in about the proportions of a production scene: animation, weights,
/// shading, connections.
fn other_nodes(megabytes: usize) -> String {
    let mut text = String::new();
    let mut node = 0;
    while text.len() < megabytes << 20 {
        node += 1;
        write!(
            text,
            "createNode animCurveTL -n \"hand_translateX{node}\";\n\trename -uid \"9D4B{node:04X}-0000-7A26-0010-{node:012X}\";\n\
             \tsetAttr \".tan\" 18;\n\tsetAttr \".wgt\" no;\n\tsetAttr -s 240 \".ktv[0:239]\" "
        )
        .unwrap();
        for key in 0..240 {
            let sep = if key % 8 == 7 { "\n\t\t" } else { "" };
            write!(text, " {key} {}{sep}", f64::from(key) * 0.0137 - 1.25).unwrap();
        }
        text += ";\n";
        if node % 4 == 0 {
            writeln!(text, "createNode skinCluster -n \"skinCluster{node}\";\n\tsetAttr -s 400 \".wl\";")
                .unwrap();
            for first in (0..400).step_by(100) {
                write!(text, "\tsetAttr \".wl[{first}:{}].w\"", first + 99).unwrap();
                for vertex in 0..100 {
                    write!(
                        text,
                        "\n\t\t3 {} 0.30000001192092896 {} 0.5 {} 0.19999998807907104",
                        vertex % 7,
                        vertex % 7 + 8,
                        vertex % 7 + 16
                    )
                    .unwrap();
                }
                text += ";\n";
            }
        }
        writeln!(
            text,
            "createNode lambert -n \"lambert{node}\";\n\tsetAttr \".c\" -type \"float3\" 0.5 0.25 0.125 ;\n\
             createNode transform -n \"prop{node}\";\n\tsetAttr \".t\" -type \"double3\" {node} 2.5 -3 ;\n\
             createNode nurbsCurve -n \"prop{node}Shape\" -p \"prop{node}\";\n\tsetAttr -k off \".v\";\n\
             \tsetAttr \".cc\" -type \"nurbsCurve\" \n\t\t1 3 0 no 3\n\t\t4 0 1 2 3\n\t\t4\n\t\t0 0 0\n\t\t0 1 0\n\t\t1 1 0\n\t\t1 0 0\n\t\t;\n\
             connectAttr \"hand_translateX{node}.o\" \"prop{node}.aim\";\n\
             connectAttr \"lambert{node}.oc\" \"lambertSG{node}.ss\";"
        )
        .unwrap();
    }
    text
}

/// `mesh` in a `.ma`, with `others` between the head of the file and its nodes.
fn scene(mesh: &[NamedMesh<'_>], others: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_ma(&mut bytes, mesh, &MaWriteOptions::default()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let at = text.find("createNode").unwrap_or(text.len());
    [&text[..at], others, &text[at..]].concat().into_bytes()
}

fn readers(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let mesh = big_mesh();
    let named = [NamedMesh { name: "head_lod0_mesh", mesh: &mesh, normals: None }];
    let others = other_nodes(48);
    let (mut obj, mut glb) = (Vec::new(), Vec::new());
    write_obj(&mut obj, &named).unwrap();
    write_glb(&mut glb, &named).unwrap();
    let mut group = criterion.benchmark_group("read");
    group.sample_size(10);
    for (what, file, bytes, meshes) in [
        ("a mesh among many nodes", "all.ma", scene(&named, &others), 1),
        ("the mesh alone", "mesh.ma", scene(&named, ""), 1),
        ("the mesh", "mesh.obj", obj, 1),
        ("the mesh", "mesh.glb", glb, 1),
    ] {
        let path = dir.path().join(file);
        fs::write(&path, &bytes).unwrap();
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        let read = |path: &Path| {
            let cancel = Cancel::default();
            let job = Job { progress: &Silent, cancel: &cancel };
            let scene = read_meshes(path, &ReadOptions::default(), job).unwrap();
            assert_eq!(scene.meshes.len(), meshes);
            scene
        };
        group.bench_function(BenchmarkId::new(what, file), |bencher| bencher.iter(|| read(&path)));
    }
    group.finish();
}

criterion_group!(benches, readers);
criterion_main!(benches);
