use mhrig_geom::Polygons;
use rayon::prelude::*;

use crate::image::srgb;
use crate::raster::Triangle;
use crate::vector::{Vec3, add, cross, dot, mix, normalize, scale, sub};
use crate::{Camera, Image, Paint};

/// How faces catch light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Shading {
    /// By the vertices' normals.
    #[default]
    Smooth,
    /// Each face by its own plane.
    Flat,
}

/// One mesh of a picture.
#[derive(Clone, Copy, Debug)]
pub struct MeshView<'a> {
    /// Vertices in the world.
    pub positions: &'a [[f32; 3]],
    /// One unit normal per vertex, outwards; empty for flat shading.
    pub normals: &'a [[f32; 3]],
    /// Faces, counter-clockwise from outside; corners that are no vertex are left out with their face.
    pub faces: &'a Polygons,
    /// Colour.
    pub paint: Paint<'a>,
    /// Strength of the highlight, 0 to 1.
    pub gloss: f32,
}

/// Size and look of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Samples per pixel along each side, at least 1.
    pub samples: usize,
    /// How faces catch light.
    pub shading: Shading,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { width: 800, height: 1000, samples: 3, shading: Shading::Smooth }
    }
}

/// Draws meshes as `camera` sees them, lit from the camera's upper left.
pub fn render(meshes: &[MeshView], camera: &Camera, options: &RenderOptions) -> Image {
    let samples = options.samples.max(1);
    let (width, height) = (options.width * samples, options.height * samples);
    let scene: Vec<Drawable> =
        meshes.iter().flat_map(|mesh| drawables(mesh, camera, options.shading, width, height)).collect();
    let mut image = Image::new(options.width, options.height);
    if options.width == 0 {
        return image;
    }
    let bands: Vec<(usize, &mut [u8])> =
        image.rgb_mut().chunks_mut(options.width * 3 * BAND_ROWS).enumerate().collect();
    // Each band is drawn by itself, triangles in scene order, so that no thread count changes a pixel.
    bands.into_par_iter().for_each(|(band, pixels)| {
        let first_row = band * BAND_ROWS;
        let row_count = pixels.len() / (options.width * 3);
        let mut canvas = Canvas::new(width, first_row * samples, row_count * samples);
        for drawable in &scene {
            canvas.draw(drawable, camera);
        }
        for (row, pixels) in pixels.chunks_mut(options.width * 3).enumerate() {
            for (column, pixel) in pixels.chunks_mut(3).enumerate() {
                let background = background((first_row + row) as f32 / options.height as f32);
                let color = canvas.mean(column, row, samples, background);
                pixel.copy_from_slice(&color.map(srgb));
            }
        }
    });
    image
}

/// Rows of pixels that one task draws.
const BAND_ROWS: usize = 16;

/// A light grey that darkens downwards.
fn background(share: f32) -> Vec3 {
    mix([0.62, 0.64, 0.67], [0.36, 0.37, 0.39], share)
}

/// A triangle with what its samples need.
struct Drawable<'a> {
    mesh: &'a MeshView<'a>,
    triangle: Triangle,
    corners: [usize; 3],
    /// Set for flat shading.
    plane_normal: Option<Vec3>,
}

fn drawables<'a>(
    mesh: &'a MeshView<'a>,
    camera: &Camera,
    shading: Shading,
    width: usize,
    height: usize,
) -> Vec<Drawable<'a>> {
    let projected: Vec<Option<Vec3>> =
        mesh.positions.iter().map(|&position| camera.project(position, width, height)).collect();
    let is_smooth = shading == Shading::Smooth && mesh.normals.len() == mesh.positions.len();
    let mut result = Vec::new();
    for face in mesh.faces.iter() {
        for i in 1..face.len().saturating_sub(1) {
            let corners = [face[0], face[i], face[i + 1]].map(|corner| corner as usize);
            let place = |corner: usize| projected.get(corner).copied().flatten();
            let [Some(a), Some(b), Some(c)] = corners.map(place) else { continue };
            let Some(triangle) = Triangle::new([a, b, c]) else { continue };
            let [p, q, r] = corners.map(|corner| mesh.positions[corner]);
            let plane_normal = (!is_smooth).then(|| normalize(cross(sub(q, p), sub(r, p))));
            result.push(Drawable { mesh, triangle, corners, plane_normal });
        }
    }
    result
}

/// Samples of a band of the picture.
struct Canvas {
    width: usize,
    first_row: usize,
    row_count: usize,
    /// One over the distance of what is seen; 0 where there is nothing.
    depths: Vec<f32>,
    colors: Vec<Vec3>,
}

impl Canvas {
    fn new(width: usize, first_row: usize, row_count: usize) -> Self {
        let count = width * row_count;
        Self { width, first_row, row_count, depths: vec![0.0; count], colors: vec![[0.0; 3]; count] }
    }

    fn draw(&mut self, drawable: &Drawable, camera: &Camera) {
        let (first, last) = drawable.triangle.rows();
        let first = first.max(self.first_row as i64);
        let last = last.min((self.first_row + self.row_count) as i64 - 1);
        for y in first..=last {
            let start = (y as usize - self.first_row) * self.width;
            let (depths, colors, width) = (&mut self.depths, &mut self.colors, self.width);
            drawable.triangle.row(y, width, |hit| {
                let sample = start + hit.x;
                if hit.inverse_depth > depths[sample] {
                    depths[sample] = hit.inverse_depth;
                    colors[sample] = drawable.color(hit.weights, camera);
                }
            });
        }
    }

    /// Mean of the samples of a pixel of the band.
    fn mean(&self, column: usize, row: usize, samples: usize, background: Vec3) -> Vec3 {
        let mut sum = [0.0; 3];
        for y in row * samples..(row + 1) * samples {
            for x in column * samples..(column + 1) * samples {
                let sample = y * self.width + x;
                sum = add(sum, if self.depths[sample] > 0.0 { self.colors[sample] } else { background });
            }
        }
        scale(sum, 1.0 / (samples * samples) as f32)
    }
}

impl Drawable<'_> {
    /// Mean of the corners' values.
    fn blend(&self, values: &[Vec3], weights: Vec3) -> Vec3 {
        let value = |i: usize| values.get(self.corners[i]).copied().unwrap_or_default();
        let parts: [Vec3; 3] = std::array::from_fn(|i| scale(value(i), weights[i]));
        add(add(parts[0], parts[1]), parts[2])
    }

    fn color(&self, weights: Vec3, camera: &Camera) -> Vec3 {
        let place = self.blend(self.mesh.positions, weights);
        let to_eye = normalize(sub(camera.eye(), place));
        let normal = match self.plane_normal {
            Some(normal) => normal,
            None => normalize(self.blend(self.mesh.normals, weights)),
        };
        let is_front = self.triangle.is_front();
        let normal = if is_front { normal } else { scale(normal, -1.0) };
        let paint = match self.mesh.paint {
            Paint::Uniform(color) => color,
            Paint::PerVertex(colors) => self.blend(colors, weights),
            Paint::Eye(look) => look.color(self.blend(look.rest, weights)),
        };
        // The inside of a surface gets little light.
        let shade = if is_front { 1.0 } else { 0.35 };
        let key = camera.direction(-0.55, 0.6, 0.75);
        let fill = camera.direction(0.8, 0.1, 0.5);
        let rim = camera.direction(0.6, 0.5, -0.6);
        let wrapped = |light: Vec3, wrap: f32| ((dot(normal, light) + wrap) / (1.0 + wrap)).max(0.0);
        let sky = mix([0.13, 0.115, 0.105], [0.25, 0.26, 0.28], normal[1].mul_add(0.5, 0.5));
        let mut light = sky;
        light = add(light, scale([0.80, 0.76, 0.70], wrapped(key, 0.15)));
        light = add(light, scale([0.13, 0.15, 0.18], wrapped(fill, 0.3)));
        light = add(light, scale([0.16, 0.17, 0.18], wrapped(rim, 0.0)));
        let half = normalize(add(key, to_eye));
        // What shines more shines more sharply.
        let sharpness = 16.0 + 300.0 * self.mesh.gloss * self.mesh.gloss;
        let highlight = dot(normal, half).max(0.0).powf(sharpness) * self.mesh.gloss;
        std::array::from_fn(|i| (paint[i] * light[i] + highlight) * shade)
    }
}
