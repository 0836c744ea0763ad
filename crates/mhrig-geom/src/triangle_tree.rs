use nalgebra::Vector3;

/// Triangles in a bounding volume hierarchy, for closest-point queries in space or, with one coordinate zero, in a
/// plane such as that of texture coordinates.
///
/// Answers depend on the input alone: of equally close triangles the one with the lowest number wins. Triangles
/// without area are treated as the segments or points that they are.
#[derive(Clone, Debug)]
pub struct TriangleTree {
    corners: Vec<[Vector3<f64>; 3]>,
    order: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    min: [f64; 3],
    max: [f64; 3],
    /// Leaf: range of `order`. Inner node: the children are the next node and `first`, and `count` is 0.
    first: u32,
    count: u32,
}

/// A point of a triangle of a [`TriangleTree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrianglePoint {
    /// Number of the triangle.
    pub triangle: u32,
    /// Barycentric weights of its corners: none negative, sum 1.
    pub weights: [f64; 3],
    /// Squared distance to the point that was asked for.
    pub distance_squared: f64,
}

const LEAF_SIZE: usize = 4;

impl TriangleTree {
    /// Builds the hierarchy. `triangles` are corner numbers into `points`; triangles that name a missing point or
    /// have a coordinate that is not finite are never found.
    pub fn new(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut corners = Vec::with_capacity(triangles.len());
        let mut order = Vec::with_capacity(triangles.len());
        for (number, triangle) in triangles.iter().enumerate() {
            let point = |corner: u32| {
                points.get(corner as usize).filter(|p| p.iter().all(|c| c.is_finite())).copied()
            };
            let found = (point(triangle[0]), point(triangle[1]), point(triangle[2]));
            if let (Some(a), Some(b), Some(c)) = found {
                order.push(number as u32);
                corners.push([a, b, c].map(|p| Vector3::from(p.map(f64::from))));
            } else {
                corners.push([Vector3::zeros(); 3]);
            }
        }
        let mut tree = Self { corners, order: Vec::new(), nodes: Vec::new() };
        if !order.is_empty() {
            let end = order.len();
            tree.build(&mut order, 0, end);
        }
        tree.order = order;
        tree
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// The point of the surface that is closest to `point`; `None` when there is no triangle or `point` is not
    /// finite.
    pub fn closest(&self, point: Vector3<f64>) -> Option<TrianglePoint> {
        let mut best: Option<TrianglePoint> = None;
        if self.nodes.is_empty() || !point.iter().all(|c| c.is_finite()) {
            return None;
        }
        let mut stack = vec![(0usize, self.nodes[0].distance_squared(point))];
        while let Some((at, distance)) = stack.pop() {
            if best.is_some_and(|best| distance > best.distance_squared) {
                continue;
            }
            let node = self.nodes[at];
            if node.count == 0 {
                let (near, far) = (at + 1, node.first as usize);
                let to = |child: usize| (child, self.nodes[child].distance_squared(point));
                let (mut near, mut far) = (to(near), to(far));
                if far.1 < near.1 {
                    std::mem::swap(&mut near, &mut far);
                }
                stack.push(far);
                stack.push(near);
                continue;
            }
            for &triangle in &self.order[node.first as usize..(node.first + node.count) as usize] {
                let found = self.on_triangle(triangle, point);
                let better = best.is_none_or(|best| {
                    found.distance_squared < best.distance_squared
                        || (found.distance_squared == best.distance_squared && triangle < best.triangle)
                });
                if better {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The closest point of every triangle within `radius` of `point`, by triangle number.
    pub fn within(&self, point: Vector3<f64>, radius: f64) -> Vec<TrianglePoint> {
        let mut found = Vec::new();
        if self.nodes.is_empty() {
            return found;
        }
        let limit = radius * radius;
        let mut stack = vec![0usize];
        while let Some(at) = stack.pop() {
            let node = self.nodes[at];
            if node.distance_squared(point) > limit {
                continue;
            }
            if node.count == 0 {
                stack.push(node.first as usize);
                stack.push(at + 1);
                continue;
            }
            for &triangle in &self.order[node.first as usize..(node.first + node.count) as usize] {
                let candidate = self.on_triangle(triangle, point);
                if candidate.distance_squared <= limit {
                    found.push(candidate);
                }
            }
        }
        found.sort_unstable_by_key(|candidate| candidate.triangle);
        found
    }

    fn on_triangle(&self, triangle: u32, point: Vector3<f64>) -> TrianglePoint {
        let corners = &self.corners[triangle as usize];
        let weights = closest_on_triangle(point, corners);
        let on = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
        TrianglePoint { triangle, weights, distance_squared: (on - point).norm_squared() }
    }

    fn build(&mut self, order: &mut [u32], start: usize, end: usize) {
        let mut node = Node { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3], first: 0, count: 0 };
        let mut middles = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &triangle in &order[start..end] {
            let corners = &self.corners[triangle as usize];
            let middle = middle_of(corners);
            for axis in 0..3 {
                for corner in corners {
                    node.min[axis] = node.min[axis].min(corner[axis]);
                    node.max[axis] = node.max[axis].max(corner[axis]);
                }
                middles.0[axis] = middles.0[axis].min(middle[axis]);
                middles.1[axis] = middles.1[axis].max(middle[axis]);
            }
        }
        let at = self.nodes.len();
        self.nodes.push(node);
        if end - start <= LEAF_SIZE {
            self.nodes[at].first = start as u32;
            self.nodes[at].count = (end - start) as u32;
            return;
        }
        let extent = |axis: usize| middles.1[axis] - middles.0[axis];
        let axis = (0..3).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best });
        let half = start + (end - start) / 2;
        let corners = &self.corners;
        order[start..end].select_nth_unstable_by(half - start, |&a, &b| {
            let middle = |t: u32| middle_of(&corners[t as usize])[axis];
            middle(a).total_cmp(&middle(b)).then(a.cmp(&b))
        });
        self.build(order, start, half);
        self.nodes[at].first = self.nodes.len() as u32;
        self.build(order, half, end);
    }
}

impl Node {
    fn distance_squared(&self, point: Vector3<f64>) -> f64 {
        let mut sum = 0.0;
        for axis in 0..3 {
            let outside = (self.min[axis] - point[axis]).max(point[axis] - self.max[axis]).max(0.0);
            sum += outside * outside;
        }
        sum
    }
}

fn middle_of(corners: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (corners[0] + corners[1] + corners[2]) / 3.0
}

/// Barycentric weights of the point of a triangle that is closest to `point`: none negative, sum 1, also for
/// triangles without area.
///
/// By regions, after Ericson, Real-Time Collision Detection, 5.1.5.
pub fn closest_on_triangle(point: Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let from_a = point - a;
    let (d1, d2) = (ab.dot(&from_a), ac.dot(&from_a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let from_b = point - b;
    let (d3, d4) = (ab.dot(&from_b), ac.dot(&from_b));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let from_c = point - c;
    let (d5, d6) = (ab.dot(&from_c), ac.dot(&from_c));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let size = ab.norm_squared().max(ac.norm_squared());
    if ab.cross(&ac).norm_squared() <= 1e-24 * size * size {
        return closest_on_edges(point, [a, b, c]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    [1.0 - v - w, v, w]
}

fn closest_on_edges(point: Vector3<f64>, corners: [&Vector3<f64>; 3]) -> [f64; 3] {
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let edge = corners[to] - corners[from];
        let length_squared = edge.norm_squared();
        let along = if length_squared > 0.0 {
            (edge.dot(&(point - corners[from])) / length_squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let distance = (corners[from] + edge * along - point).norm_squared();
        if distance < best.1 {
            let mut weights = [0.0; 3];
            weights[from] = 1.0 - along;
            weights[to] = along;
            best = (weights, distance);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<[f32; 3]>> {
        // A coarse grid makes degenerate and coinciding triangles likely.
        let coordinate = (-4i8..5).prop_map(|c| f32::from(c) * 0.5);
        let coordinate = proptest::array::uniform3(coordinate);
        proptest::collection::vec(coordinate, 3..40)
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_brute_force_finds(
            points in points(),
            corners in proptest::collection::vec(proptest::array::uniform3(0u32..40), 1..60),
            at in proptest::array::uniform3(-3.0f64..3.0),
        ) {
            let count = points.len() as u32;
            let triangles: Vec<[u32; 3]> = corners.iter().map(|t| t.map(|c| c % count)).collect();
            let tree = TriangleTree::new(&points, &triangles);
            let at = Vector3::from(at);
            let brute = (0..triangles.len() as u32).map(|t| tree.on_triangle(t, at));
            let brute = brute.min_by(|a, b| a.distance_squared.total_cmp(&b.distance_squared));
            prop_assert_eq!(tree.closest(at), brute);
            let near = tree.within(at, 1.0);
            let expected = (0..triangles.len() as u32)
                .map(|t| tree.on_triangle(t, at))
                .filter(|found| found.distance_squared <= 1.0);
            prop_assert_eq!(near, expected.collect::<Vec<_>>());
        }

        #[test]
        fn weights_are_a_convex_combination_and_no_sample_is_closer(
            corners in proptest::array::uniform3(proptest::array::uniform3(-2.0f64..2.0)),
            at in proptest::array::uniform3(-3.0f64..3.0),
            squash in 0u8..3,
        ) {
            let mut corners = corners.map(Vector3::from);
            if squash == 1 {
                corners[2] = corners[0] * 0.25 + corners[1] * 0.75;
            } else if squash == 2 {
                corners[2] = corners[1];
            }
            let at = Vector3::from(at);
            let weights = closest_on_triangle(at, &corners);
            prop_assert!(weights.iter().all(|&w| w >= -1e-12), "{weights:?}");
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let on = |w: [f64; 3]| corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
            let distance = (on(weights) - at).norm();
            for i in 0..=10 {
                for j in 0..=(10 - i) {
                    let w = [f64::from(i) / 10.0, f64::from(j) / 10.0, f64::from(10 - i - j) / 10.0];
                    prop_assert!((on(w) - at).norm() >= distance - 1e-9);
                }
            }
        }
    }

    #[test]
    fn broken_triangles_and_points_are_never_found() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, f32::NAN, 0.0]];
        let tree = TriangleTree::new(&points, &[[0, 1, 2], [0, 1, 9]]);
        assert_eq!(tree.closest(Vector3::zeros()), None);
        let tree = TriangleTree::new(&points, &[[0, 1, 1]]);
        assert_eq!(tree.closest(Vector3::new(f64::NAN, 0.0, 0.0)), None);
        assert_eq!(tree.closest(Vector3::new(0.25, 1.0, 0.0)).map(|found| found.distance_squared), Some(1.0));
    }
}
