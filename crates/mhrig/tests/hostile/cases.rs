//! The table of scenes.

use mhrig::{Fix, Mesh};

use super::{
    BODY, Case, Fbx, HEAD, Kit, LASHES, LEFT_EYE, TEETH, at_shape, at_transform, fbx, glb, ma, moved, obj,
    scaled, text,
};
use crate::spoil;

const PLAIN: Case = Case {
    entry: "",
    name: "",
    format: "obj",
    files: |_| Vec::new(),
    without: &[],
    codes: &[],
    fixes: &[],
    after: &[],
    build: None,
};

const PASSES: &[&str] = &[];

/// One mesh, spoilt, as OBJ.
fn one(kit: &Kit, name: &str, spoil: impl Fn(&Mesh) -> Mesh) -> Vec<super::File> {
    vec![obj(name, &spoil(kit.mesh(name)))]
}

fn replace(file: super::File, from: &str, to: &str) -> Vec<super::File> {
    let name = file.0.clone();
    vec![(name, text(file).replacen(from, to, 1).into_bytes())]
}

fn raise_an_arm(mesh: &Mesh) -> Mesh {
    // The left arm of the template's pose goes up about the shoulder.
    let (shoulder, above_the_feet) = ([17.0f32, 136.0], 60.0);
    moved(mesh, |p| {
        let beyond = ((p[0] - shoulder[0]) / 6.0).clamp(0.0, 1.0);
        let angle = beyond * 60f32.to_radians();
        let (x, y) = (p[0] - shoulder[0], p[1] - shoulder[1]);
        let turned = [
            x * angle.cos() - y * angle.sin() + shoulder[0],
            x * angle.sin() + y * angle.cos() + shoulder[1],
            p[2],
        ];
        if p[0] > shoulder[0] && p[1] > above_the_feet { turned } else { p }
    })
}

pub fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case { entry: "–", name: "nothing is wrong", ..PLAIN },
        // 24
        Case {
            entry: "24",
            name: "all ten parts combined into one mesh",
            files: |kit| {
                let all: Vec<&Mesh> = kit.meshes.iter().map(|(_, mesh)| mesh).collect();
                vec![obj("Combined", &spoil::combine(&all))]
            },
            without: ALL_PARTS,
            codes: &["COMBINED_PARTS"],
            fixes: &[Fix::SplitCombined],
            ..PLAIN
        },
        Case {
            entry: "24",
            name: "face and teeth combined under the head's name",
            format: "ma",
            files: |kit| vec![ma(HEAD, &spoil::combine(&[kit.mesh(HEAD), kit.mesh(TEETH)]), |s| s)],
            without: &[TEETH],
            codes: &["COMBINED_PARTS"],
            fixes: &[Fix::SplitCombined],
            ..PLAIN
        },
        Case {
            entry: "24",
            name: "eyes combined in another order, vertices mixed",
            format: "fbx",
            files: |kit| {
                let both = spoil::combine(&[kit.mesh("eyeRight_lod0_mesh"), kit.mesh(LEFT_EYE)]);
                vec![fbx("eyes", &spoil::shuffle_vertices(&both), &Fbx::default())]
            },
            without: &[LEFT_EYE, "eyeRight_lod0_mesh"],
            codes: &["COMBINED_PARTS"],
            fixes: &[Fix::SplitCombined],
            ..PLAIN
        },
        // 25
        Case {
            entry: "25",
            name: "three loose vertices above the head",
            files: |kit| one(kit, HEAD, |mesh| spoil::add_loose(mesh, 0, 3)),
            codes: &["EXTRA_VERTICES"],
            fixes: &[Fix::DropExtras],
            ..PLAIN
        },
        Case {
            entry: "25",
            name: "a mesh of props joined to the body",
            files: |kit| one(kit, BODY, |mesh| spoil::combine(&[mesh, &cube()])),
            codes: &["EXTRA_VERTICES"],
            fixes: &[Fix::DropExtras],
            ..PLAIN
        },
        Case {
            entry: "25",
            name: "one vertex pulled out into a spike",
            files: |kit| {
                one(kit, HEAD, |mesh| {
                    let mut mesh = mesh.clone();
                    mesh.positions[100][1] += 80.0;
                    mesh
                })
            },
            codes: &["VERTEX_STRAY"],
            ..PLAIN
        },
        Case {
            entry: "25",
            name: "one loose vertex at the end of the world, order lost",
            files: |kit| {
                one(kit, HEAD, |mesh| {
                    let mut mesh = spoil::without_uv(&spoil::shuffle_vertices(mesh));
                    mesh.positions.push([5e4, -3e5, 0.0]);
                    mesh
                })
            },
            codes: &["EXTRA_VERTICES", "VERTEX_ORDER"],
            fixes: &[Fix::DropExtras, Fix::Reorder],
            ..PLAIN
        },
        // 26
        Case {
            entry: "26",
            name: "texture shells shifted by one tile",
            files: |kit| one(kit, HEAD, |mesh| uv(mesh, |[u, v]| [u + 1.0, v])),
            codes: &["UV_SHIFTED"],
            ..PLAIN
        },
        Case {
            entry: "26",
            name: "another texture layout",
            files: |kit| one(kit, HEAD, |mesh| uv(mesh, |[u, v]| [v * 0.5, u * 0.5])),
            codes: &["UV_CHANGED"],
            ..PLAIN
        },
        Case {
            entry: "26",
            name: "texture coordinates upside down",
            files: |kit| one(kit, TEETH, |mesh| uv(mesh, |[u, v]| [u, 1.0 - v])),
            codes: &["UV_FLIPPED"],
            ..PLAIN
        },
        Case {
            entry: "26",
            name: "no texture coordinates at all",
            files: |kit| one(kit, BODY, spoil::without_uv),
            ..PLAIN
        },
        Case {
            entry: "26",
            name: "a second texture set is the active one",
            format: "ma",
            files: |kit| {
                let second = "\tsetAttr \".uvst[1].uvsn\" -type \"string\" \"lightmap\";\n\tsetAttr \".cuvs\" -type \"string\" \"lightmap\";\n";
                vec![ma(TEETH, kit.mesh(TEETH), |s| {
                    s.replace("\tsetAttr \".cuvs\" -type \"string\" \"map1\";\n", second)
                })]
            },
            ..PLAIN
        },
        // 27, 28
        Case {
            entry: "27",
            name: "split along texture seams, vertices renumbered",
            files: |kit| one(kit, HEAD, spoil::split_at_uv_seams),
            codes: &["SPLIT_AT_UV_SEAMS", "VERTEX_ORDER"],
            fixes: &[Fix::Weld, Fix::Reorder],
            ..PLAIN
        },
        Case {
            entry: "27",
            name: "from a game engine: triangles, split, metres",
            format: "glb",
            files: |kit| vec![glb(HEAD, kit.mesh(HEAD))],
            codes: &["SPLIT_AT_UV_SEAMS", "TRIANGULATED", "VERTEX_ORDER"],
            fixes: &[Fix::Weld, Fix::Untriangulate, Fix::Reorder],
            ..PLAIN
        },
        Case {
            entry: "27",
            name: "the same faces under other vertex numbers",
            files: |kit| one(kit, BODY, spoil::shuffle_vertices),
            codes: &["VERTEX_ORDER"],
            fixes: &[Fix::Reorder],
            ..PLAIN
        },
        Case {
            entry: "27",
            name: "other vertex numbers and no texture coordinates",
            format: "fbx",
            files: |kit| {
                vec![fbx(HEAD, &spoil::without_uv(&spoil::shuffle_vertices(kit.mesh(HEAD))), &Fbx::default())]
            },
            codes: &["VERTEX_ORDER"],
            fixes: &[Fix::Reorder],
            ..PLAIN
        },
        Case {
            entry: "28",
            name: "triangulated by the exporter",
            files: |kit| one(kit, HEAD, spoil::triangulate),
            codes: &["TRIANGULATED"],
            fixes: &[Fix::Untriangulate],
            ..PLAIN
        },
        Case {
            entry: "28",
            name: "faces sorted anew",
            files: |kit| one(kit, TEETH, spoil::shuffle_faces),
            codes: &["FACE_ORDER"],
            ..PLAIN
        },
        Case {
            entry: "28",
            name: "vertices and faces sorted anew",
            files: |kit| one(kit, TEETH, |mesh| spoil::shuffle_faces(&spoil::shuffle_vertices(mesh))),
            codes: &["VERTEX_ORDER"],
            fixes: &[Fix::Reorder],
            ..PLAIN
        },
        // 29
        Case {
            entry: "29",
            name: "smooth preview is on in the scene",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, kit.mesh(HEAD), |s| {
                    at_shape(s, "\tsetAttr \".dsm\" 2;\n\tsetAttr \".smoothLevel\" 2;\n")
                })]
            },
            ..PLAIN
        },
        Case {
            entry: "29",
            name: "exported with smooth preview",
            files: |kit| one(kit, HEAD, spoil::subdivide),
            codes: &["SUBDIVIDED"],
            fixes: &[Fix::Unsubdivide],
            after: &[],
            ..PLAIN
        },
        Case {
            entry: "29",
            name: "exported with smooth preview, order lost",
            files: |kit| one(kit, TEETH, |mesh| spoil::shuffle_vertices(&spoil::subdivide(mesh))),
            codes: &["SUBDIVIDED"],
            fixes: &[Fix::Unsubdivide],
            ..PLAIN
        },
        // 30, 31
        Case {
            entry: "30",
            name: "metres read as centimetres",
            files: |kit| kit.all(|mesh| scaled(mesh, 0.01)),
            codes: &["UNIT_FACTOR"],
            fixes: &[Fix::Unit],
            ..PLAIN
        },
        Case {
            entry: "30",
            name: "centimetres read as metres",
            files: |kit| kit.all(|mesh| scaled(mesh, 100.0)),
            codes: &["UNIT_FACTOR"],
            fixes: &[Fix::Unit],
            ..PLAIN
        },
        Case {
            entry: "30",
            name: "inches read as centimetres",
            files: |kit| kit.all(|mesh| scaled(mesh, 1.0 / 2.54)),
            codes: &["UNIT_FACTOR"],
            fixes: &[Fix::Unit],
            ..PLAIN
        },
        Case {
            entry: "30",
            name: "millimetres read as centimetres",
            files: |kit| kit.all(|mesh| scaled(mesh, 10.0)),
            codes: &["UNIT_FACTOR"],
            fixes: &[Fix::Unit],
            ..PLAIN
        },
        Case {
            entry: "31",
            name: "a scene in inches that says so",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, &scaled(kit.mesh(HEAD), 1.0 / 2.54), |s| {
                    s.replace("currentUnit -l centimeter", "currentUnit -l inch")
                })]
            },
            ..PLAIN
        },
        Case {
            entry: "31",
            name: "a scene in metres that says so",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, &scaled(kit.mesh(HEAD), 0.01), |s| {
                    s.replace("currentUnit -l centimeter", "currentUnit -l meter")
                })]
            },
            ..PLAIN
        },
        Case {
            entry: "31",
            name: "an FBX in inches that says so",
            format: "fbx",
            files: |kit| {
                vec![fbx(HEAD, &scaled(kit.mesh(HEAD), 1.0 / 2.54), &Fbx { unit_cm: 2.54, ..Fbx::default() })]
            },
            ..PLAIN
        },
        // 32
        Case {
            entry: "32",
            name: "an unfrozen transform with a pivot puts it right",
            format: "ma",
            files: |kit| {
                let mesh = moved(kit.mesh(HEAD), |p| [p[0] - 5.0, p[1], p[2]]);
                let lines = "\tsetAttr \".t\" -type \"double3\" 5 0 0;\n\tsetAttr \".rp\" -type \"double3\" 3 90 1;\n\tsetAttr \".sp\" -type \"double3\" 3 90 1;\n";
                vec![ma(HEAD, &mesh, |s| at_transform(s, lines))]
            },
            ..PLAIN
        },
        Case {
            entry: "32",
            name: "the character stands 2 m aside",
            files: |kit| kit.all(|mesh| moved(mesh, |p| [p[0] + 200.0, p[1], p[2]])),
            codes: &["OFFSET"],
            ..PLAIN
        },
        // 33
        Case { entry: "33", name: "3 % taller", files: |kit| kit.all(|mesh| scaled(mesh, 1.03)), ..PLAIN },
        Case {
            entry: "33",
            name: "half the size",
            files: |kit| kit.all(|mesh| scaled(mesh, 0.5)),
            codes: &["SIZE_UNUSUAL"],
            ..PLAIN
        },
        Case {
            entry: "33",
            name: "twice the size",
            files: |kit| kit.all(|mesh| scaled(mesh, 2.0)),
            codes: &["SIZE_UNUSUAL"],
            ..PLAIN
        },
        // 34
        Case {
            entry: "34",
            name: "all faces reversed",
            files: |kit| one(kit, HEAD, |mesh| spoil::reverse_faces(mesh, |_| true)),
            codes: &["FACE_REVERSED"],
            fixes: &[Fix::Reverse],
            ..PLAIN
        },
        Case {
            entry: "34",
            name: "ten faces reversed",
            files: |kit| one(kit, HEAD, |mesh| spoil::reverse_faces(mesh, |face| face % 430 == 7)),
            codes: &["FACE_REVERSED"],
            fixes: &[Fix::Reverse],
            ..PLAIN
        },
        Case {
            entry: "34",
            name: "a transform with scale −1 in x",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, kit.mesh(HEAD), |s| {
                    at_transform(s, "\tsetAttr \".s\" -type \"double3\" -1 1 1;\n")
                })]
            },
            codes: &["MIRRORED", "MIRRORED_TRANSFORM"],
            fixes: &[Fix::Mirror],
            ..PLAIN
        },
        Case {
            entry: "34",
            name: "all parts mirrored",
            files: |kit| kit.all(|mesh| moved(mesh, |p| [-p[0], p[1], p[2]])),
            codes: &["MIRRORED"],
            fixes: &[Fix::Mirror],
            ..PLAIN
        },
        Case {
            entry: "34",
            name: "the opposite flag is set",
            format: "ma",
            files: |kit| vec![ma(HEAD, kit.mesh(HEAD), |s| at_shape(s, "\tsetAttr \".op\" yes;\n"))],
            ..PLAIN
        },
        Case {
            entry: "34",
            name: "the teeth alone mirrored",
            files: |kit| one(kit, TEETH, |mesh| moved(mesh, |p| [-p[0], p[1], p[2]])),
            codes: &["MIRRORED"],
            fixes: &[Fix::Mirror],
            ..PLAIN
        },
        // 35, 47, 49: normals in the input decide nothing
        Case {
            entry: "35, 47",
            name: "normals that disagree along the neck and the seams",
            files: |kit| {
                let (name, bytes) = obj(HEAD, kit.mesh(HEAD));
                let text = String::from_utf8(bytes).unwrap();
                let text = text.replacen("\nf ", "\nvn 0 1 0\nvn 0.2 0.9 0\nf ", 1);
                vec![(name, text.into_bytes())]
            },
            build: Some(&[]),
            ..PLAIN
        },
        Case {
            entry: "49",
            name: "locked normals and a skin cluster with dual quaternions",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, kit.mesh(HEAD), |s| {
                    let normals = "\tsetAttr \".vn\" -type \"float3\" 0 1 0;\n\tsetAttr -s 3 \".n[0:2]\" -type \"float3\" 0 1 0 0 1 0 0 1 0;\n";
                    at_shape(s, normals)
                        + "createNode skinCluster -n \"skinCluster1\";\n\tsetAttr \".skm\" 1;\n"
                })]
            },
            ..PLAIN
        },
        // 38, 39, 43
        Case {
            entry: "38",
            name: "the face 5 mm wider, the eyes left behind",
            files: |kit| {
                one(kit, HEAD, |mesh| {
                    // The neck stays on the body.
                    moved(mesh, |p| {
                        let share = (p[0].abs() / 4.0).min(1.0) * ((p[1] - 145.0) / 3.0).clamp(0.0, 1.0);
                        [p[0] + p[0].signum() * 0.5 * share, p[1], p[2]]
                    })
                })
            },
            build: Some(&["PART_DISTANCE"]),
            ..PLAIN
        },
        Case {
            entry: "39",
            name: "an eyeball half as large again",
            files: |kit| {
                one(kit, LEFT_EYE, |mesh| {
                    let count = mesh.positions.len() as f32;
                    let center = [0, 1, 2].map(|c| mesh.positions.iter().map(|p| p[c]).sum::<f32>() / count);
                    moved(mesh, |p| [0, 1, 2].map(|c| center[c] + (p[c] - center[c]) * 1.5))
                })
            },
            build: Some(&["PART_DISTANCE"]),
            ..PLAIN
        },
        Case {
            entry: "43",
            name: "lashes left behind after a sculpt",
            files: |kit| one(kit, LASHES, |mesh| moved(mesh, |p| [p[0], p[1] - 0.8, p[2] + 0.8])),
            build: Some(&["PART_DISTANCE"]),
            ..PLAIN
        },
        // 40, 45, 46: weights come from the template
        Case {
            entry: "40",
            name: "painted skin weights in the scene",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, kit.mesh(HEAD), |s| {
                    s + "createNode skinCluster -n \"skinCluster1\";\n\tsetAttr -s 2 \".wl\";\n\tsetAttr \".wl[0].w[0]\" 1;\n\tsetAttr \".wl[1].w[3]\" 0.765;\n"
                })]
            },
            ..PLAIN
        },
        // 44
        Case {
            entry: "44",
            name: "a wrap whose vertices were never merged",
            files: |kit| one(kit, HEAD, spoil::split_all),
            codes: &["UNWELDED", "VERTEX_ORDER"],
            fixes: &[Fix::Weld, Fix::Reorder],
            ..PLAIN
        },
        Case {
            entry: "44",
            name: "cut along one loop, the second half behind",
            format: "fbx",
            files: |kit| vec![fbx(BODY, &cut(kit.mesh(BODY), 90.0), &Fbx::default())],
            codes: &["UNWELDED"],
            fixes: &[Fix::Weld],
            ..PLAIN
        },
        // 48, 50
        Case {
            entry: "48",
            name: "a blend shape that was never evaluated",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, kit.mesh(HEAD), |s| {
                    s + "createNode blendShape -n \"blendShape1\";\n\tsetAttr -s 2 \".w[0:1]\"  0 0;\n\tsetAttr \".it[0].itg[0].iti[6000].ipt\" -type \"pointArray\" 1 0 1 0 1;\n"
                })]
            },
            ..PLAIN
        },
        Case {
            entry: "50",
            name: "only head, teeth and eyes are there",
            without: &[
                "saliva_lod0_mesh",
                "eyeshell_lod0_mesh",
                LASHES,
                "eyeEdge_lod0_mesh",
                "cartilage_lod0_mesh",
            ],
            codes: &["MESH_MISSING"],
            ..PLAIN
        },
        Case {
            entry: "50",
            name: "the teeth are missing",
            without: &[TEETH],
            codes: &["MESH_MISSING"],
            ..PLAIN
        },
        Case {
            entry: "50",
            name: "the eyes under names of another pipeline",
            files: |kit| {
                vec![obj("L_eye_geo", kit.mesh(LEFT_EYE)), obj("R_eye_geo", kit.mesh("eyeRight_lod0_mesh"))]
            },
            without: &[LEFT_EYE, "eyeRight_lod0_mesh"],
            codes: &["MESH_NAME"],
            fixes: &[Fix::Rename],
            ..PLAIN
        },
        // More of the kind
        Case {
            entry: "27",
            name: "the mesh of another part under the head's name",
            files: |kit| vec![obj(HEAD, kit.mesh(BODY))],
            codes: &["OTHER_PART"],
            ..PLAIN
        },
        Case {
            entry: "30",
            name: "Z up, unsaid",
            files: |kit| kit.all(|mesh| moved(mesh, |[x, y, z]| [x, -z, y])),
            codes: &["UP_AXIS"],
            fixes: &[Fix::Axis],
            ..PLAIN
        },
        Case {
            entry: "30",
            name: "Z up, said by the file",
            format: "fbx",
            files: |kit| {
                vec![fbx(
                    HEAD,
                    &moved(kit.mesh(HEAD), |[x, y, z]| [x, -z, y]),
                    &Fbx { z_up: true, ..Fbx::default() },
                )]
            },
            ..PLAIN
        },
        Case {
            entry: "30",
            name: "facing backwards",
            files: |kit| kit.all(|mesh| moved(mesh, |[x, y, z]| [-x, y, -z])),
            codes: &["ORIENTATION"],
            fixes: &[Fix::Axis],
            ..PLAIN
        },
        Case {
            entry: "41",
            name: "an arm raised by 60 degrees",
            files: |kit| one(kit, BODY, raise_an_arm),
            codes: &["POSED"],
            ..PLAIN
        },
        Case {
            entry: "37",
            name: "namespaces around the names",
            format: "ma",
            files: |kit| {
                vec![ma(HEAD, kit.mesh(HEAD), |s| s.replace("\"head_lod0_mesh", "\"mary:v2:head_lod0_mesh"))]
            },
            ..PLAIN
        },
        Case {
            entry: "50",
            name: "two heads of one name",
            format: "obj, ma",
            files: |kit| vec![obj(HEAD, kit.mesh(HEAD)), ma(HEAD, kit.mesh(HEAD), |s| s)],
            codes: &["MESH_AMBIGUOUS"],
            ..PLAIN
        },
        Case {
            entry: "44",
            name: "one face was deleted",
            files: |kit| {
                let (name, bytes) = obj(HEAD, kit.mesh(HEAD));
                let text = String::from_utf8(bytes).unwrap();
                let cut = text.rfind("\nf ").unwrap();
                vec![(name, format!("{}\n", &text[..cut]).into_bytes())]
            },
            codes: &["FACE_COUNT"],
            ..PLAIN
        },
        Case {
            entry: "45",
            name: "a position that is no number",
            files: |kit| replace(obj(HEAD, kit.mesh(HEAD)), "\nv ", "\nv nan 0 0\n#"),
            codes: &["NOT_FINITE"],
            ..PLAIN
        },
        Case {
            entry: "45",
            name: "a texture coordinate that is no number",
            files: |kit| replace(obj(HEAD, kit.mesh(HEAD)), "\nvt ", "\nvt nan 0\n#"),
            codes: &["UV_NOT_FINITE"],
            ..PLAIN
        },
        Case {
            entry: "–",
            name: "a pointer of Git LFS instead of the file",
            files: |_| {
                vec![(
                    format!("{HEAD}.obj"),
                    b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".to_vec(),
                )]
            },
            codes: &["FILE_KIND"],
            ..PLAIN
        },
        Case {
            entry: "–",
            name: "an empty file",
            files: |_| vec![(format!("{HEAD}.obj"), Vec::new())],
            codes: &["FILE_EMPTY"],
            ..PLAIN
        },
        Case {
            entry: "–",
            name: "a Maya binary named .ma",
            format: "ma",
            files: |_| vec![(format!("{HEAD}.ma"), b"FOR8\0\0\0\0\0\0\0\x10Maya".to_vec())],
            codes: &["FILE_KIND"],
            ..PLAIN
        },
        Case {
            entry: "–",
            name: "a file that breaks off",
            format: "glb",
            files: |kit| {
                let (name, bytes) = glb(HEAD, kit.mesh(HEAD));
                let half = bytes.len() / 2;
                vec![(name, bytes[..half].to_vec())]
            },
            codes: &["FILE_TRUNCATED"],
            ..PLAIN
        },
        Case {
            entry: "–",
            name: "a face that names a vertex too many",
            files: |kit| replace(obj(HEAD, kit.mesh(HEAD)), "\nf ", "\nf 999999 1 2\nf "),
            codes: &["INDEX_OUT_OF_RANGE"],
            ..PLAIN
        },
    ];
    for case in &mut cases {
        if !case.fixes.is_empty() && case.after.is_empty() {
            case.after = PASSES;
        }
    }
    cases
}

const ALL_PARTS: &[&str] = &[
    HEAD,
    TEETH,
    "saliva_lod0_mesh",
    LEFT_EYE,
    "eyeRight_lod0_mesh",
    "eyeshell_lod0_mesh",
    LASHES,
    "eyeEdge_lod0_mesh",
    "cartilage_lod0_mesh",
    BODY,
];

fn uv(mesh: &Mesh, change: impl Fn([f32; 2]) -> [f32; 2]) -> Mesh {
    let mut mesh = mesh.clone();
    if let Some(uv) = &mut mesh.uv {
        uv.coords.iter_mut().for_each(|at| *at = change(*at));
    }
    mesh
}

fn cube() -> Mesh {
    let corner = |n: u32| [n & 1, n >> 1 & 1, n >> 2 & 1].map(|c| 30.0 + c as f32);
    let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let faces: Vec<Vec<(u32, u32)>> =
        faces.iter().map(|face| face.iter().map(|&v| (v, 0)).collect()).collect();
    spoil::build((0..8).map(corner).collect(), vec![[0.0, 0.0]], &faces)
}

/// Cuts the mesh at a height: faces above it get vertices of their own, behind all others.
fn cut(mesh: &Mesh, height: f32) -> Mesh {
    let mut faces = spoil::corners(mesh);
    let mut positions = mesh.positions.clone();
    let is_above =
        |face: &Vec<(u32, u32)>| face.iter().any(|corner| mesh.positions[corner.0 as usize][1] > height);
    let mut is_below = vec![false; positions.len()];
    faces
        .iter()
        .filter(|face| !is_above(face))
        .flatten()
        .for_each(|corner| is_below[corner.0 as usize] = true);
    let mut copy = vec![None; positions.len()];
    for face in faces.iter_mut().filter(|face| is_above(face)) {
        for corner in face.iter_mut().filter(|corner| is_below[corner.0 as usize]) {
            let vertex = corner.0 as usize;
            corner.0 = *copy[vertex].get_or_insert_with(|| {
                positions.push(mesh.positions[vertex]);
                positions.len() as u32 - 1
            });
        }
    }
    spoil::build(positions, spoil::coords(mesh), &faces)
}
