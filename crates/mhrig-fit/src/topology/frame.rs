//! Size, up axis, orientation and place of meshes whose vertices are known.

use mhrig_geom::{Similarity, SimilarityKind, fit_similarity, rotation_angle};
use mhrig_report::{Finding, Severity};
use nalgebra::{Matrix3, Rotation3, Vector3};

use super::{Expected, Fix, InputMesh, Source, posture, stray};
use crate::MeshRole;
use crate::template::vector;

/// Factors between units that scenes are made in, with the mistake that they stand for.
const UNIT_FACTORS: [(f64, &str); 8] = [
    (0.01, "metres read as centimetres"),
    (0.1, "decimetres read as centimetres, or centimetres as millimetres' tenfold"),
    (1.0 / 30.48, "feet read as centimetres"),
    (1.0 / 2.54, "inches read as centimetres"),
    (2.54, "centimetres read as inches"),
    (10.0, "millimetres read as centimetres"),
    (30.48, "centimetres read as feet"),
    (100.0, "centimetres read as metres"),
];

/// People differ from a template by no more than this factor, up or down.
const HUMAN_RANGE: f64 = 1.8;

/// A size within this factor of a unit factor counts as that mistake. Twice and half the template's size are those of
/// giants and dwarfs, not of inches.
const UNIT_RANGE: f64 = 1.25;

/// Rotations below this are those of faces that differ, rad.
const ORDINARY_ROTATION_RAD: f64 = 0.35;

/// Within this of a right angle, a rotation counts as one, rad.
const AXIS_TOLERANCE_RAD: f64 = 0.35;

/// Further than this share of its part's radius from the place of a person of its size, a mesh stands aside.
const ASIDE: f64 = 0.3;

/// A mirrored mesh fits this much better when mirrored back.
const MIRROR_GAIN: f64 = 4.0;

/// What happened to one mesh as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    /// From the template to the input (mirrored back before, where it is mirrored).
    pub(crate) similarity: Similarity,
    /// Whether left and right are swapped.
    pub(crate) is_mirrored: bool,
    /// Whether the mesh alone tells; of a flat one its mirror image is as good.
    pub(crate) is_certain: bool,
}

/// The common name of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    None,
    /// Z is up: the template's Y went to Z.
    ZUp,
    /// The template's Y went to −Z.
    ZDown,
    /// The front went to −Z.
    Backwards,
    /// The front went to ±X.
    Sideways,
    /// The template's Y went to −Y.
    UpsideDown,
    /// Y went to ±X.
    XUp,
    Other,
}

impl Frame {
    /// The frame of `found` positions relative to the template's, without the vertices `stray`; `None` for meshes too
    /// flat or small to tell.
    pub(crate) fn of(template: &[[f32; 3]], found: &[[f32; 3]], stray: &[u32]) -> Option<Self> {
        let weights: Option<Vec<f64>> = (!stray.is_empty()).then(|| {
            (0..template.len() as u32).map(|vertex| f64::from(u8::from(!stray.contains(&vertex)))).collect()
        });
        let weight = |vertex: usize| weights.as_ref().map_or(1.0, |weights| weights[vertex]);
        let source: Vec<_> = template.iter().map(|&p| vector(p)).collect();
        let target: Vec<_> = found.iter().map(|&p| vector(p)).collect();
        let mirrored: Vec<_> = target.iter().map(|p| Vector3::new(-p.x, p.y, p.z)).collect();
        let plain = fit_similarity(&source, &target, weights.as_deref(), SimilarityKind::Similar);
        let flipped = fit_similarity(&source, &mirrored, weights.as_deref(), SimilarityKind::Similar);
        let error = |fit: &Similarity, to: &[Vector3<f64>]| {
            let pairs = source.iter().zip(to).enumerate();
            let squares = pairs.map(|(v, (a, b))| weight(v) * (fit.point(a) - b).norm_squared());
            squares.sum::<f64>().sqrt() / fit.scale
        };
        match (plain, flipped) {
            (Some(plain), Some(flipped)) => {
                let (as_it_is, turned) = (error(&plain, &target), error(&flipped, &mirrored));
                let is_mirrored = turned * MIRROR_GAIN < as_it_is;
                let is_certain = is_mirrored || as_it_is * MIRROR_GAIN < turned;
                Some(Self { similarity: if is_mirrored { flipped } else { plain }, is_mirrored, is_certain })
            }
            (Some(similarity), None) => Some(Self { similarity, is_mirrored: false, is_certain: false }),
            (None, Some(similarity)) => Some(Self { similarity, is_mirrored: true, is_certain: false }),
            (None, None) => None,
        }
    }

    /// The unit factor that the size speaks for.
    pub(crate) fn unit(&self) -> Option<(f64, &'static str)> {
        let scale = self.similarity.scale;
        if (1.0 / HUMAN_RANGE..=HUMAN_RANGE).contains(&scale) {
            return None;
        }
        let off = |factor: f64| (scale / factor).ln().abs();
        let nearest = UNIT_FACTORS.into_iter().min_by(|a, b| off(a.0).total_cmp(&off(b.0)))?;
        (off(nearest.0) <= UNIT_RANGE.ln()).then_some(nearest)
    }

    pub(crate) fn turn(&self) -> Turn {
        let rotation = &self.similarity.rotation;
        if rotation_angle(rotation) < ORDINARY_ROTATION_RAD {
            return Turn::None;
        }
        let near = |v: Vector3<f64>, to: Vector3<f64>| v.dot(&to) > AXIS_TOLERANCE_RAD.cos();
        let (up, front) = (rotation * Vector3::y(), rotation * Vector3::z());
        if near(up, Vector3::z()) {
            Turn::ZUp
        } else if near(up, -Vector3::z()) {
            Turn::ZDown
        } else if near(up, -Vector3::y()) {
            Turn::UpsideDown
        } else if near(up, Vector3::x()) || near(up, -Vector3::x()) {
            Turn::XUp
        } else if near(up, Vector3::y()) && near(front, -Vector3::z()) {
            Turn::Backwards
        } else if near(up, Vector3::y()) && (near(front, Vector3::x()) || near(front, -Vector3::x())) {
            Turn::Sideways
        } else {
            Turn::Other
        }
    }
}

impl Turn {
    /// The rotation by right angles that takes the input back, for turns that have one.
    pub(crate) fn undo(self, frame: &Frame) -> Option<Rotation3<f64>> {
        if matches!(self, Self::None | Self::Other) {
            return None;
        }
        // The nearest rotation whose axes are axes.
        let inverse = frame.similarity.rotation.inverse();
        let mut best = None;
        for x in 0..6 {
            for y in 0..6 {
                let axis = |n: usize| Vector3::ith(n % 3, if n < 3 { 1.0 } else { -1.0 });
                if x % 3 != y % 3 {
                    let (x, y) = (axis(x), axis(y));
                    let candidate = Matrix3::from_columns(&[x, y, x.cross(&y)]);
                    let score = candidate.component_mul(inverse.matrix()).sum();
                    if best.is_none_or(|(highest, _)| score > highest) {
                        best = Some((score, Rotation3::from_matrix_unchecked(candidate)));
                    }
                }
            }
        }
        best.map(|(_, rotation)| rotation)
    }

    fn code_and_message(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::None => return None,
            Self::ZUp => ("UP_AXIS", "the up axis is Z, not Y"),
            Self::ZDown => ("UP_AXIS", "the up axis is −Z, not Y"),
            Self::XUp => ("UP_AXIS", "the up axis is X, not Y"),
            Self::UpsideDown => ("UP_AXIS", "the character stands on its head"),
            Self::Backwards => ("ORIENTATION", "the character faces −Z, not +Z"),
            Self::Sideways => ("ORIENTATION", "the character faces sideways, not +Z"),
            Self::Other => ("ORIENTATION", "the mesh is turned against the template"),
        })
    }
}

/// What brings a mesh into the template's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FrameFixes {
    /// Factor that takes the unit back.
    pub(crate) unit: Option<f64>,
    /// Rotation by right angles that takes the mesh back.
    pub(crate) turn: Option<Rotation3<f64>>,
    /// Whether x has to be negated, before anything else.
    pub(crate) mirror: bool,
}

impl FrameFixes {
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Fix> {
        let kinds =
            [self.unit.map(|_| Fix::Unit), self.turn.map(|_| Fix::Axis), self.mirror.then_some(Fix::Mirror)];
        kinds.into_iter().flatten()
    }

    /// The position in the template's frame.
    pub(crate) fn apply(&self, position: [f32; 3]) -> [f32; 3] {
        if *self == Self::default() {
            return position;
        }
        let mut p = vector(position);
        if self.mirror {
            p.x = -p.x;
        }
        if let Some(turn) = self.turn {
            p = turn * p;
        }
        let p: [f64; 3] = (p * self.unit.unwrap_or(1.0)).into();
        p.map(|c| c as f32)
    }
}

/// What [`check`] has to say.
pub(super) struct FrameChecks {
    pub(super) findings: Vec<Finding>,
    /// By template mesh.
    pub(super) fixes: Vec<FrameFixes>,
}

/// Checks meshes whose vertices are known. Meshes with the same trouble share a finding.
pub(super) fn check(
    expected: &[Expected<'_>],
    sources: &[Option<Source<'_>>],
    inputs: &[InputMesh<'_>],
) -> FrameChecks {
    let mut grouped: Vec<(Finding, usize)> = Vec::new();
    let mut add = |finding: Finding| match grouped
        .iter_mut()
        .find(|(known, _)| known.code == finding.code && known.message == finding.message)
    {
        Some((_, more)) => *more += 1,
        None => grouped.push((finding, 0)),
    };
    let strays: Vec<Vec<u32>> = (expected.iter().zip(sources))
        .map(|(wanted, source)| {
            source.as_ref().map_or_else(Vec::new, |s| stray::find(wanted.mesh, &s.positions))
        })
        .collect();
    let frames: Vec<Option<Frame>> = (expected.iter().zip(sources).zip(&strays))
        .map(|((wanted, source), stray)| {
            Frame::of(&wanted.mesh.positions, &source.as_ref()?.positions, stray)
        })
        .collect();
    for ((wanted, source), stray) in expected.iter().zip(sources).zip(&strays) {
        let Some(source) = source else { continue };
        let finding = stray::finding(stray, wanted, &source.positions, &inputs[source.input]);
        finding.into_iter().for_each(&mut add);
    }
    let mut fixes = vec![FrameFixes::default(); expected.len()];
    for (number, wanted) in expected.iter().enumerate() {
        let (Some(frame), Some(source)) = (frames[number], &sources[number]) else { continue };
        let input = &inputs[source.input];
        // Small parts differ a lot from person to person; the part's main mesh says what is ordinary.
        let main = (0..expected.len())
            .filter(|&n| std::ptr::eq(expected[n].template, wanted.template) && frames[n].is_some())
            .max_by_key(|&n| (expected[n].mesh.positions.len(), std::cmp::Reverse(n)));
        let (main, main_frame) = main.and_then(|n| Some((n, frames[n]?))).unwrap_or((number, frame));
        let judged = if is_ordinary(frame.similarity.scale / main_frame.similarity.scale) {
            main_frame
        } else {
            frame
        };
        fixes[number] = FrameFixes {
            unit: judged.unit().map(|(factor, _)| 1.0 / factor),
            turn: main_frame.turn().undo(&main_frame),
            // A mesh that is mirrored on its own is the one to be mirrored back; one that cannot be told goes with the main one.
            mirror: match wanted.evidence.role {
                MeshRole::Required if frame.is_certain => frame.is_mirrored,
                _ => main_frame.is_mirrored && (frame.is_mirrored || !frame.is_certain),
            },
        };
        check_size(&frame, &judged, input).into_iter().for_each(&mut add);
        // Eyeballs may look anywhere, and what can be filled is too small to judge by.
        if wanted.evidence.role != MeshRole::Required {
            continue;
        }
        if frame.is_mirrored {
            let message = "left and right are swapped: the mesh is the mirror image of what its vertices say";
            let remedy = "undo the negative scale, or mirror the mesh (fix: mirror)";
            add(Finding::new("MIRRORED", Severity::Error, input.label(), message, remedy));
        }
        // The smaller meshes of a part turn with the features of a face.
        let turn = frame.turn();
        let turn = if turn == Turn::Other && main != number { Turn::None } else { turn };
        if let Some((code, message)) = turn.code_and_message() {
            let angle = rotation_angle(&frame.similarity.rotation).to_degrees();
            let remedy = "turn the mesh to Y up, facing +Z, or say which axis is up (fix: axis)";
            let finding = Finding::new(code, Severity::Error, input.label(), message, remedy);
            add(finding.with_values("Y up, facing +Z", format!("turned by {angle:.0} degrees")));
        } else {
            if !frame.is_mirrored {
                posture::check(&frame, wanted, &source.positions, &strays[number], input)
                    .into_iter()
                    .for_each(&mut add);
            }
            let size = sources[main].as_ref().map_or(0.0, |main| radius(&main.positions));
            check_place(&frame, size, wanted, input).into_iter().for_each(&mut add);
        }
    }
    let share = |(mut finding, more): (Finding, usize)| {
        if more > 0 {
            finding.place += &format!(" and {more} more");
        }
        finding
    };
    FrameChecks { findings: grouped.into_iter().map(share).collect(), fixes }
}

fn is_ordinary(scale: f64) -> bool {
    (1.0 / HUMAN_RANGE..=HUMAN_RANGE).contains(&scale)
}

/// `judged` is the frame of the mesh, or of its part's main mesh where the two go together.
fn check_size(frame: &Frame, judged: &Frame, input: &InputMesh<'_>) -> Option<Finding> {
    let scale = frame.similarity.scale;
    if let Some((factor, mistake)) = judged.unit() {
        let message = format!("the mesh is about {} times the template's size: {mistake}", short(factor));
        let remedy = format!("multiply by {}, or set the unit of the file (fix: unit)", short(1.0 / factor));
        let finding = Finding::new("UNIT_FACTOR", Severity::Error, input.label(), message, remedy);
        return Some(finding.with_values("1", format!("{scale:.4}")));
    }
    if is_ordinary(judged.similarity.scale) {
        return None;
    }
    let which = if scale > 1.0 { "larger" } else { "smaller" };
    let message = format!("the mesh is far {which} than the template's");
    let remedy = "make sure that the unit is centimetres; any size can be fitted";
    let finding = Finding::new("SIZE_UNUSUAL", Severity::Warning, input.label(), message, remedy);
    Some(finding.with_values("1", format!("{scale:.3}")))
}

/// `size` is the radius of the part's main mesh.
fn check_place(frame: &Frame, size: f64, wanted: &Expected<'_>, input: &InputMesh<'_>) -> Option<Finding> {
    let mean = mean(&wanted.mesh.positions);
    let moved = frame.similarity.point(&mean) - mean * frame.similarity.scale;
    if moved.x.abs().max(moved.z.abs()) <= ASIDE * size {
        return None;
    }
    let message = "the mesh stands aside from where the template has it";
    let remedy = "move the character to the origin (its joints follow the mesh wherever it stands)";
    let finding = Finding::new("OFFSET", Severity::Warning, input.label(), message, remedy);
    Some(finding.with_values("x 0, z 0", format!("x {:.2}, z {:.2} cm", moved.x, moved.z)))
}

fn mean(points: &[[f32; 3]]) -> Vector3<f64> {
    points.iter().map(|&p| vector(p)).sum::<Vector3<f64>>() / points.len().max(1) as f64
}

fn radius(points: &[[f32; 3]]) -> f64 {
    let mean = mean(points);
    points.iter().map(|&p| (vector(p) - mean).norm()).fold(0.0, f64::max)
}

fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
