//! What a picture shows.
#![allow(clippy::unwrap_used)]

use mhrig_geom::Polygons;
use mhrig_view::{Bounds, Camera, Image, MeshView, Paint, RenderOptions, Shading, View, render};

const RED: [f32; 3] = [0.8, 0.05, 0.05];
const GREEN: [f32; 3] = [0.05, 0.8, 0.05];

/// A cube of two cm around `center`, faces counter-clockwise from outside.
fn cube(center: [f32; 3]) -> (Vec<[f32; 3]>, Polygons) {
    let corner =
        |i: usize| std::array::from_fn(|axis| center[axis] + if i >> axis & 1 == 0 { -1.0 } else { 1.0 });
    let mut faces = Polygons::default();
    for face in [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]] {
        faces.push(face).unwrap();
    }
    ((0..8).map(corner).collect(), faces)
}

fn view<'a>(mesh: &'a (Vec<[f32; 3]>, Polygons), color: [f32; 3]) -> MeshView<'a> {
    MeshView { positions: &mesh.0, normals: &[], faces: &mesh.1, paint: Paint::Uniform(color), gloss: 0.0 }
}

fn options() -> RenderOptions {
    RenderOptions { width: 60, height: 60, samples: 2, shading: Shading::Flat }
}

fn is_mostly(image: &Image, x: usize, y: usize, channel: usize) -> bool {
    let pixel = image.pixel(x, y).unwrap();
    (0..3).filter(|&other| other != channel).all(|other| pixel[channel] > 2 * pixel[other])
}

#[test]
fn the_nearer_mesh_hides_the_farther_one_whatever_the_order() {
    let (near, far) = (cube([0.0, 0.0, 3.0]), cube([0.0; 3]));
    let bounds = Bounds::of(near.0.iter().chain(&far.0).copied()).unwrap();
    let front = Camera::framing(View::Front, &bounds, 60, 60);
    let back = Camera::framing(View::Back, &bounds, 60, 60);
    for scene in [[view(&near, RED), view(&far, GREEN)], [view(&far, GREEN), view(&near, RED)]] {
        assert!(is_mostly(&render(&scene, &front, &options()), 30, 30, 0));
        assert!(is_mostly(&render(&scene, &back, &options()), 30, 30, 1));
    }
}

#[test]
fn the_side_view_looks_from_the_characters_left() {
    let (left, right) = (cube([4.0, 0.0, 0.0]), cube([-4.0, 0.0, 0.0]));
    let bounds = Bounds::of(left.0.iter().chain(&right.0).copied()).unwrap();
    let camera = Camera::framing(View::Side, &bounds, 60, 60);
    assert!(is_mostly(&render(&[view(&left, RED), view(&right, GREEN)], &camera, &options()), 30, 30, 0));
}

#[test]
fn one_thread_and_many_give_the_same_bytes() {
    let meshes = [cube([0.3, 0.2, 0.1]), cube([1.0, 1.5, -0.5])];
    let bounds = Bounds { min: [-2.0; 3], max: [3.0; 3] };
    let camera = Camera::framing(View::ThreeQuarter, &bounds, 61, 47);
    let options = RenderOptions { width: 61, height: 47, samples: 3, shading: Shading::Flat };
    let draw = || render(&[view(&meshes[0], RED), view(&meshes[1], GREEN)], &camera, &options);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, many) = (pool(1).install(draw), pool(5).install(draw));
    assert_eq!(one.to_png().unwrap(), many.to_png().unwrap());
}

#[test]
fn smooth_shading_has_no_facets_where_normals_agree() {
    // Two triangles that meet at an angle, with one normal for all vertices: no step at the common edge.
    let positions = [[-1.0, -1.0, 0.0], [0.0, -1.0, 0.5], [0.0, 1.0, 0.5], [1.0, -1.0, 0.0]];
    let mut faces = Polygons::default();
    faces.push([0, 1, 2]).unwrap();
    faces.push([1, 3, 2]).unwrap();
    let normals = [[0.0, 0.0, 1.0]; 4];
    let mesh = MeshView {
        positions: &positions,
        normals: &normals,
        faces: &faces,
        paint: Paint::Uniform([0.5; 3]),
        gloss: 0.0,
    };
    let camera = Camera::framing(View::Front, &Bounds::of(positions).unwrap(), 60, 60);
    let step = |shading| {
        let image = render(&[mesh], &camera, &RenderOptions { shading, ..options() });
        let (left, right) = (image.pixel(26, 45).unwrap()[0], image.pixel(33, 45).unwrap()[0]);
        left.abs_diff(right)
    };
    assert!(step(Shading::Smooth) <= 1, "{}", step(Shading::Smooth));
    assert!(step(Shading::Flat) > 10, "{}", step(Shading::Flat));
}

#[test]
fn corners_that_are_no_vertices_and_places_that_are_no_numbers_are_left_out() {
    let mut mesh = cube([0.0; 3]);
    mesh.1.push([0, 1, 99]).unwrap();
    mesh.0[7] = [f32::NAN; 3];
    let bounds = Bounds::of(mesh.0.iter().copied()).unwrap();
    let camera = Camera::framing(View::Front, &bounds, 60, 60);
    let image = render(&[view(&mesh, RED)], &camera, &options());
    assert_eq!(image.rgb().len(), 60 * 60 * 3);
    assert_eq!(render(&[], &camera, &RenderOptions { width: 0, ..options() }).rgb().len(), 0);
}
