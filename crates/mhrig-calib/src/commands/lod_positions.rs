//! `CalculateMeshLowerLODs`: vertices of lower LOD meshes as points of a mesh with the same texture coordinates.
//!
//! This is the reference library's method, with its results for all that lies inside or outside the layout. Every triple of a polygon's corners counts as a triangle. A texture
//! coordinate takes the first triangle that holds it strictly inside; failing that, of the triangles whose box (larger
//! by [`BOX_MARGIN`]) meets the box of a face of the lower mesh around it, the one whose box is nearest, and the point
//! is extrapolated. A vertex with several texture coordinates gets the mean. A mesh whose two halves share their
//! texture coordinates (recognised by the order of its arrays) has the second half moved by one in u. What is better than
//! in the library: coordinates on an edge or corner between faces get the point of that edge, triangles without area do
//! not count, parts that share a place of the layout are told apart by where the vertex was, and vertices that find no
//! place stay where they are.
//!
//! [`crate::LodBindings`] is the better tool for a new person; this command is what pipelines written for the library
//! expect.

use mhrig_dna::{Dna, Mesh, Vectors3};
use mhrig_report::{Finding, Job, Severity};
use rayon::prelude::*;

use super::OfMesh;
use crate::CalibError;
use crate::check::{check_mesh, index, mesh_place};
use crate::lod_meshes::lod_base_name;

/// How much the box of a triangle is enlarged on each side, in units of the layout.
const BOX_MARGIN: f32 = 0.0003;
/// Up to which difference the texture coordinates of two halves are the same.
const SAME_HALF: f32 = 2e-4;
/// Up to which barycentric weight a point is on the edge.
const ON_EDGE: f32 = 1e-6;
/// How many texture coordinates of each half are compared.
const SAMPLES: usize = 5;

pub(super) fn calculate(
    dna: &mut Dna,
    args: &OfMesh,
    compat: bool,
    findings: &mut Vec<Finding>,
    job: &Job<'_>,
) -> Result<(), CalibError> {
    // The library crashes on a mesh that does not exist, so this holds for both modes.
    index("CalculateMeshLowerLODs.mesh", 0, args.mesh, dna.geometry.meshes.len())?;
    index("CalculateMeshLowerLODs.mesh", 0, args.mesh, dna.definition.mesh_names.len())?;
    let lower = lower_meshes(dna, args.mesh, compat);
    let source = Source::new(check_mesh(dna, args.mesh)?, compat);
    let mut results = Vec::new();
    for mesh in lower {
        job.check()?;
        let (positions, lost) = source.positions_of(check_mesh(dna, mesh)?, compat, job)?;
        if lost > 0 {
            findings.push(Finding::new(
                "LOD_UV_ISLAND",
                Severity::Warning,
                mesh_place(dna, mesh),
                format!("{lost} vertices have texture coordinates that meet no face of the source and stayed where they were"),
                "lay the lower LOD out like the source, or set these vertices by hand",
            ));
        }
        results.push((mesh, positions));
    }
    for (mesh, positions) in results {
        dna.geometry.meshes[mesh].positions = positions;
    }
    Ok(())
}

/// The mesh of the same part in every lower LOD.
fn lower_meshes(dna: &Dna, mesh: usize, compat: bool) -> Vec<usize> {
    let definition = &dna.definition;
    let names = &definition.mesh_names;
    let lods = 0..usize::from(dna.descriptor.lod_count);
    let members = |lod| definition.lod_mesh_mapping.members(lod).iter().map(|&mesh| usize::from(mesh));
    let Some(own_lod) = lods.clone().find(|&lod| members(lod).any(|member| member == mesh)) else {
        return Vec::new();
    };
    let part = |mesh: usize| {
        let name = names.get(mesh).map(|name| name.to_str()).unwrap_or_default().into_owned();
        let prefix = name.split('_').next().unwrap_or_default().to_owned();
        if compat { prefix } else { lod_base_name(&name).unwrap_or(prefix) }
    };
    let own_part = part(mesh);
    let mut found = Vec::new();
    for lod in own_lod + 1..lods.end {
        let same = members(lod).find(|&member| member < names.len() && part(member) == own_part);
        if let Some(same) = same.filter(|same| *same != mesh && !found.contains(same)) {
            found.push(same);
        }
    }
    found
}

/// Where in an array of texture coordinates the second half begins that shares those of the first.
fn shared_half(mesh: &Mesh) -> Option<usize> {
    let (us, vs) = (&mesh.texture_coordinates.us, &mesh.texture_coordinates.vs);
    let half = us.len() / 2;
    let same =
        |at: usize| (us[at] - us[at + half]).abs() < SAME_HALF && (vs[at] - vs[at + half]).abs() < SAME_HALF;
    (half > 0 && us.len() % 2 == 0 && (0..SAMPLES.min(half)).all(same)).then_some(half)
}

/// Texture coordinates with those from `half` on moved by one in u.
fn uvs_of(mesh: &Mesh, half: Option<usize>) -> Vec<[f32; 2]> {
    let coordinates = mesh.texture_coordinates.us.iter().zip(&mesh.texture_coordinates.vs).enumerate();
    let move_half = |at: usize, u: f32| if half.is_some_and(|half| at >= half) { u + 1.0 } else { u };
    coordinates.map(|(at, (&u, &v))| [move_half(at, u), v]).collect()
}

#[derive(Clone, Copy)]
struct UvBox {
    min: [f32; 2],
    max: [f32; 2],
}

impl UvBox {
    fn around(points: impl Iterator<Item = [f32; 2]>, compat: bool) -> Self {
        // The library starts the maximum at the smallest positive number, so boxes of negative coordinates reach to 0.
        let lowest = if compat { f32::MIN_POSITIVE } else { f32::NEG_INFINITY };
        let mut around = Self { min: [f32::INFINITY; 2], max: [lowest; 2] };
        for point in points {
            for (axis, c) in point.into_iter().enumerate() {
                around.min[axis] = around.min[axis].min(c);
                around.max[axis] = around.max[axis].max(c);
            }
        }
        around
    }

    fn enlarged(self) -> Self {
        Self { min: self.min.map(|c| c - BOX_MARGIN), max: self.max.map(|c| c + BOX_MARGIN) }
    }

    fn meets(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    fn distance_squared(&self, point: [f32; 2]) -> f32 {
        let outside = |axis: usize| (self.min[axis] - point[axis]).max(point[axis] - self.max[axis]).max(0.0);
        outside(0) * outside(0) + outside(1) * outside(1)
    }
}

struct Triangle {
    uvs: [[f32; 2]; 3],
    vertices: [u32; 3],
    bounds: UvBox,
}

struct Source<'a> {
    mesh: &'a Mesh,
    half: Option<usize>,
    triangles: Vec<Triangle>,
    grid: Grid,
    border: UvBorder,
}

impl<'a> Source<'a> {
    fn new(mesh: &'a Mesh, compat: bool) -> Self {
        let half = shared_half(mesh);
        let uvs = uvs_of(mesh, half);
        let layouts = &mesh.layouts;
        let uv = |layout: u32| layouts.texture_coordinates.get(layout as usize).map(|&uv| uvs[uv as usize]);
        let mut triangles = Vec::new();
        for face in &mesh.faces {
            for first in 0..face.len() {
                for second in first + 1..face.len() {
                    for third in second + 1..face.len() {
                        let corners = [face[first], face[second], face[third]];
                        let [Some(a), Some(b), Some(c)] = corners.map(uv) else { continue };
                        if !compat && doubled_area(&[a, b, c]) == 0.0 {
                            continue;
                        }
                        triangles.push(Triangle {
                            uvs: [a, b, c],
                            vertices: corners.map(|layout| layouts.positions[layout as usize]),
                            bounds: UvBox::around([a, b, c].into_iter(), compat).enlarged(),
                        });
                    }
                }
            }
        }
        let grid = Grid::new(&triangles);
        Self { mesh, half, triangles, grid, border: UvBorder::new(mesh, &uvs) }
    }

    /// Positions of the vertices of `lower`, and how many of them found no place.
    fn positions_of(
        &self,
        lower: &Mesh,
        compat: bool,
        job: &Job<'_>,
    ) -> Result<(Vectors3, usize), CalibError> {
        let layouts = &lower.layouts;
        let own_half = shared_half(lower);
        let half = match (self.half, own_half) {
            (None, _) => None,
            (Some(_), Some(half)) => Some(half),
            // The library takes every coordinate for one of the second half then.
            (Some(_), None) if compat => Some(0),
            (Some(_), None) => None,
        };
        let by_side = !compat && self.half.is_some() && own_half.is_none();
        let uvs = uvs_of(lower, half);
        let uv = |layout: usize| layouts.texture_coordinates.get(layout).map(|&uv| uvs[uv as usize]);
        let mut faces_of_layout: Vec<Vec<UvBox>> = vec![Vec::new(); layouts.positions.len()];
        for face in &lower.faces {
            let corners = face.iter().filter_map(|&corner| uv(corner as usize));
            let bounds = UvBox::around(corners, compat);
            face.iter().for_each(|&corner| faces_of_layout[corner as usize].push(bounds));
        }
        let points: Vec<Option<[f32; 3]>> = (0..layouts.positions.len())
            .into_par_iter()
            .map(|layout| {
                if layout % 256 == 0 {
                    job.check()?;
                }
                let Some(uv) = uv(layout) else { return Ok(None) };
                let before = lower.positions.get(layouts.positions[layout] as usize).unwrap_or_default();
                let faces = &faces_of_layout[layout];
                let place = |uv| self.place(uv, faces, before, compat);
                Ok(if by_side {
                    let both = [place(uv), place([uv[0] + 1.0, uv[1]])];
                    let found = both.into_iter().flatten();
                    found.min_by(|a, b| distance_squared(*a, before).total_cmp(&distance_squared(*b, before)))
                } else {
                    place(uv)
                })
            })
            .collect::<Result<_, CalibError>>()?;
        if compat {
            return Ok((running_means(lower, &points), 0));
        }
        let mut sums = vec![([0.0f64; 3], 0u32); lower.positions.len()];
        for (&vertex, point) in layouts.positions.iter().zip(&points) {
            if let Some(point) = point.filter(|point| point.iter().all(|c| c.is_finite())) {
                let (sum, count) = &mut sums[vertex as usize];
                sum.iter_mut().zip(point).for_each(|(sum, c)| *sum += f64::from(c));
                *count += 1;
            }
        }
        let lost = sums.iter().filter(|(_, count)| *count == 0).count();
        let means = sums.iter().zip(lower.positions.iter()).map(|(&(sum, count), before)| {
            if count == 0 { before } else { sum.map(|c| (c / f64::from(count)) as f32) }
        });
        Ok((Vectors3::from_vectors(&means.collect::<Vec<_>>()), lost))
    }

    /// The point of the surface for a texture coordinate.
    fn place(&self, uv: [f32; 2], faces: &[UvBox], before: [f32; 3], compat: bool) -> Option<[f32; 3]> {
        let inside = self.grid.at(uv).iter().filter_map(|&number| {
            let triangle = &self.triangles[number as usize];
            let weights = weights_of(&triangle.uvs, uv);
            weights.iter().all(|&weight| weight > 0.0).then_some((triangle, weights))
        });
        if compat {
            if let Some((triangle, weights)) = inside.clone().next() {
                return Some(self.point(triangle, weights));
            }
        } else {
            // Several parts of the source may share this place of the layout: the first triangle of the part that is
            // nearest to where the vertex was.
            let points: Vec<([f32; 3], f32)> = inside
                .map(|(triangle, weights)| (self.point(triangle, weights), self.longest_edge(triangle)))
                .collect();
            let distance = |point: [f32; 3]| distance_squared(point, before).sqrt();
            let nearest = points.iter().map(|&(point, _)| distance(point)).fold(f32::INFINITY, f32::min);
            let first = points.iter().find(|&&(point, edge)| distance(point) <= nearest + edge);
            if let Some(&(point, _)) = first.or(points.first()) {
                return Some(point);
            }
            if let Some(point) = self.on_inner_edge(uv, before) {
                return Some(point);
            }
        }
        let mut best: Option<(f32, &Triangle)> = None;
        for number in self.grid.meeting(faces) {
            let triangle = &self.triangles[number as usize];
            if !faces.iter().any(|face| triangle.bounds.meets(face)) {
                continue;
            }
            let distance = triangle.bounds.distance_squared(uv);
            if best.is_none_or(|(best, _)| distance < best) {
                best = Some((distance, triangle));
            }
        }
        best.map(|(_, triangle)| self.point(triangle, weights_of(&triangle.uvs, uv)))
    }

    /// The point for a texture coordinate on an edge or corner of triangles that is not on the border of the layout.
    fn on_inner_edge(&self, uv: [f32; 2], before: [f32; 3]) -> Option<[f32; 3]> {
        let mut best: Option<(f32, [f32; 3])> = None;
        for &number in self.grid.at(uv) {
            let triangle = &self.triangles[number as usize];
            let weights = weights_of(&triangle.uvs, uv);
            if !weights.iter().all(|&weight| weight >= -ON_EDGE) {
                continue;
            }
            let keys = triangle.uvs.map(key);
            let is_on_border = match weights.map(|weight| weight <= ON_EDGE) {
                [false, true, true] => self.border.has_corner(keys[0]),
                [true, false, true] => self.border.has_corner(keys[1]),
                [true, true, false] => self.border.has_corner(keys[2]),
                [true, false, false] => self.border.has_edge(keys[1], keys[2]),
                [false, true, false] => self.border.has_edge(keys[2], keys[0]),
                [false, false, true] => self.border.has_edge(keys[0], keys[1]),
                _ => false,
            };
            if is_on_border {
                continue;
            }
            let corner = weights.iter().position(|&weight| weight >= 1.0 - ON_EDGE);
            let point = match corner {
                Some(corner) => self.corners(triangle)[corner],
                None => self.point(triangle, weights),
            };
            let distance = distance_squared(point, before);
            if best.is_none_or(|(best, _)| distance < best) {
                best = Some((distance, point));
            }
        }
        best.map(|(_, point)| point)
    }

    fn corners(&self, triangle: &Triangle) -> [[f32; 3]; 3] {
        triangle.vertices.map(|vertex| self.mesh.positions.get(vertex as usize).unwrap_or_default())
    }

    fn point(&self, triangle: &Triangle, weights: [f32; 3]) -> [f32; 3] {
        let [a, b, c] = self.corners(triangle);
        std::array::from_fn(|axis| a[axis] * weights[0] + b[axis] * weights[1] + c[axis] * weights[2])
    }

    fn longest_edge(&self, triangle: &Triangle) -> f32 {
        let [a, b, c] = self.corners(triangle);
        distance_squared(a, b).max(distance_squared(b, c)).max(distance_squared(c, a)).sqrt()
    }
}

fn doubled_area([a, b, c]: &[[f32; 2]; 3]) -> f32 {
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

/// Barycentric weights; not finite for a triangle without area.
///
/// Scalar products in f64 and the rest in f32: of the usual formulas this is the one that, for coordinates next to an
/// edge, falls on the library's side in all vectors.
fn weights_of(corners: &[[f32; 2]; 3], uv: [f32; 2]) -> [f32; 3] {
    let [a, b, c] = corners;
    let from_a = |p: &[f32; 2]| [p[0] - a[0], p[1] - a[1]];
    let dot = |p: [f32; 2], q: [f32; 2]| {
        (f64::from(p[0]) * f64::from(q[0]) + f64::from(p[1]) * f64::from(q[1])) as f32
    };
    let (b, c, p) = (from_a(b), from_a(c), from_a(&uv));
    let (bb, bc, cc, pb, pc) = (dot(b, b), dot(b, c), dot(c, c), dot(p, b), dot(p, c));
    let area = bb * cc - bc * bc;
    let second = (cc * pb - bc * pc) / area;
    let third = (bb * pc - bc * pb) / area;
    [1.0 - second - third, second, third]
}

/// A texture coordinate as something to sort and compare.
type Key = [u32; 2];

fn key(uv: [f32; 2]) -> Key {
    // Adding 0 turns −0 into 0.
    uv.map(|c| (c + 0.0).to_bits())
}

/// Edges of the layout that belong to one face only.
struct UvBorder {
    edges: Vec<(Key, Key)>,
    corners: Vec<Key>,
}

impl UvBorder {
    fn new(mesh: &Mesh, uvs: &[[f32; 2]]) -> Self {
        let layouts = &mesh.layouts.texture_coordinates;
        let mut edges = Vec::new();
        for face in &mesh.faces {
            let corner = |at: usize| {
                let layout = face[at % face.len()] as usize;
                layouts.get(layout).map(|&uv| key(uvs[uv as usize]))
            };
            for at in 0..face.len() {
                if let (Some(a), Some(b)) = (corner(at), corner(at + 1)) {
                    edges.push((a.min(b), a.max(b)));
                }
            }
        }
        edges.sort_unstable();
        let edges: Vec<_> =
            edges.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).map(|run| run[0]).collect();
        let mut corners: Vec<Key> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
        corners.sort_unstable();
        corners.dedup();
        Self { edges, corners }
    }

    fn has_edge(&self, a: Key, b: Key) -> bool {
        self.edges.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    fn has_corner(&self, corner: Key) -> bool {
        self.corners.binary_search(&corner).is_ok()
    }
}

fn distance_squared(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Means as the library takes them: one after the other, with a counter of eight bits that starts anew after 255 and
/// divides by zero in between; vertices without a point go to the origin.
fn running_means(lower: &Mesh, points: &[Option<[f32; 3]>]) -> Vectors3 {
    let mut means = vec![([0.0f32; 3], 0u8); lower.positions.len()];
    for (&vertex, point) in lower.layouts.positions.iter().zip(points) {
        if let Some(point) = point {
            let (mean, count) = &mut means[vertex as usize];
            let before = f32::from(*count);
            *count = count.wrapping_add(1);
            for (mean, c) in mean.iter_mut().zip(point) {
                *mean = (*mean * before + c) / f32::from(*count);
            }
        }
    }
    Vectors3::from_vectors(&means.into_iter().map(|(mean, _)| mean).collect::<Vec<_>>())
}

/// Triangle numbers by cell of the layout, so that not every triangle is asked for every coordinate.
struct Grid {
    origin: [f32; 2],
    cells_per_unit: [f32; 2],
    size: [usize; 2],
    cells: Vec<Vec<u32>>,
}

impl Grid {
    fn new(triangles: &[Triangle]) -> Self {
        let mut all = UvBox { min: [f32::INFINITY; 2], max: [f32::NEG_INFINITY; 2] };
        for bounds in triangles.iter().map(|triangle| &triangle.bounds) {
            for axis in 0..2 {
                if bounds.min[axis].is_finite() && bounds.max[axis].is_finite() {
                    all.min[axis] = all.min[axis].min(bounds.min[axis]);
                    all.max[axis] = all.max[axis].max(bounds.max[axis]);
                }
            }
        }
        let side = ((triangles.len() as f64).sqrt() as usize).clamp(1, 512);
        let cells_per_unit = [0, 1].map(|axis| {
            let extent = all.max[axis] - all.min[axis];
            if extent.is_finite() && extent > 0.0 { side as f32 / extent } else { 0.0 }
        });
        let origin = all.min.map(|c| if c.is_finite() { c } else { 0.0 });
        let mut grid = Self { origin, cells_per_unit, size: [side; 2], cells: vec![Vec::new(); side * side] };
        for (number, triangle) in triangles.iter().enumerate() {
            let [columns, rows] = grid.range(&triangle.bounds);
            for row in rows {
                for column in columns.clone() {
                    grid.cells[row * side + column].push(number as u32);
                }
            }
        }
        grid
    }

    fn cell(&self, c: f32, axis: usize) -> usize {
        // Casts of what is out of range, or no number, end at the border cells.
        (((c - self.origin[axis]) * self.cells_per_unit[axis]) as usize).min(self.size[axis] - 1)
    }

    fn range(&self, bounds: &UvBox) -> [std::ops::RangeInclusive<usize>; 2] {
        [0, 1].map(|axis| self.cell(bounds.min[axis], axis)..=self.cell(bounds.max[axis], axis))
    }

    /// Triangles whose box may hold `uv`, ascending.
    fn at(&self, uv: [f32; 2]) -> &[u32] {
        &self.cells[self.cell(uv[1], 1) * self.size[0] + self.cell(uv[0], 0)]
    }

    /// Triangles whose box may meet one of `boxes`, ascending.
    fn meeting(&self, boxes: &[UvBox]) -> Vec<u32> {
        let mut found = Vec::new();
        for bounds in boxes {
            let [columns, rows] = self.range(bounds);
            for row in rows {
                for column in columns.clone() {
                    found.extend_from_slice(&self.cells[row * self.size[0] + column]);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
