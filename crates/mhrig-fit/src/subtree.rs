use mhrig_geom::{JointId, SimilarityKind, determines_rotation, fit_affine, fit_similarity};
use nalgebra::{Matrix3, Vector3};

use crate::{FitOptions, FitTemplate, SubtreeFit};

/// The change of a joint's placed surroundings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubtreeMap {
    pub(crate) linear: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
    pub(crate) scale: f64,
    /// How many joints it was fitted to.
    pub(crate) evidence: usize,
    /// Root mean square of what it leaves, cm.
    pub(crate) residual_cm: f64,
}

/// Maps of subtrees, each fitted at most once.
pub(crate) struct SubtreeMaps<'a> {
    template: &'a FitTemplate,
    /// Positions of the joints that count as evidence.
    evidence: &'a [Option<Vector3<f64>>],
    options: &'a FitOptions,
    fitted: Vec<Option<Option<SubtreeMap>>>,
}

impl<'a> SubtreeMaps<'a> {
    pub(crate) fn new(
        template: &'a FitTemplate,
        evidence: &'a [Option<Vector3<f64>>],
        options: &'a FitOptions,
    ) -> Self {
        Self { template, evidence, options, fitted: vec![None; evidence.len()] }
    }

    /// The map over the placed joints of the subtree of `joint`, itself included; `None` unless there are three
    /// that are not on a line.
    pub(crate) fn own(&mut self, joint: JointId) -> Option<SubtreeMap> {
        if let Some(known) = self.fitted[joint.index()] {
            return known;
        }
        let (mut source, mut target) = (Vec::new(), Vec::new());
        let mut below = vec![joint];
        while let Some(next) = below.pop() {
            if let Some(position) = self.evidence[next.index()] {
                source.push(self.template.rest[next.index()]);
                target.push(position);
            }
            below.extend_from_slice(&self.template.children[next.index()]);
        }
        let map = fit_map(&source, &target, self.options.subtree);
        self.fitted[joint.index()] = Some(map);
        map
    }

    /// The own map of `joint`, or else of the nearest ancestor that has one, with that ancestor. Anchors have none.
    pub(crate) fn nearest(&mut self, joint: JointId) -> Option<(JointId, SubtreeMap)> {
        let mut at = Some(joint);
        while let Some(next) = at {
            let is_anchor = self.template.is_anchor[next.index()] && !self.options.moves_anchors;
            if !is_anchor && let Some(map) = self.own(next) {
                return Some((next, map));
            }
            at = self.template.hierarchy.parent(next);
        }
        None
    }
}

fn fit_map(source: &[Vector3<f64>], target: &[Vector3<f64>], kind: SubtreeFit) -> Option<SubtreeMap> {
    if !determines_rotation(source) {
        return None;
    }
    let freedom = match kind {
        SubtreeFit::Rigid => SimilarityKind::Rigid,
        SubtreeFit::Similarity | SubtreeFit::Affine { .. } => SimilarityKind::Similar,
    };
    let similarity = fit_similarity(source, target, None, freedom)?;
    let (linear, translation) = match kind {
        SubtreeFit::Rigid | SubtreeFit::Similarity => (similarity.linear(), similarity.translation),
        SubtreeFit::Affine { ridge } => {
            let affine = fit_affine(source, target, None, &similarity.linear(), ridge)?;
            (affine.linear, affine.translation)
        }
    };
    let errors =
        source.iter().zip(target).map(|(from, to)| (linear * from + translation - to).norm_squared());
    let residual_cm = (errors.sum::<f64>() / source.len() as f64).sqrt();
    let scale = linear.determinant().abs().cbrt();
    Some(SubtreeMap { linear, translation, scale, evidence: source.len(), residual_cm })
}
