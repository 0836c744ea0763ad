//! Pairs of points with weights, as fits have them.

use nalgebra::Vector3;

/// Two clouds whose points pair up.
pub(crate) struct Pairs<'a> {
    weights: Option<&'a [f64]>,
    /// Sum of all weights.
    pub(crate) total: f64,
    /// Weighted means.
    pub(crate) source_mean: Vector3<f64>,
    pub(crate) target_mean: Vector3<f64>,
}

impl<'a> Pairs<'a> {
    /// `None` when the slices do not pair up, or the weights have no positive sum. Without `weights` all are 1.
    pub(crate) fn of(
        source: &[Vector3<f64>],
        target: &[Vector3<f64>],
        weights: Option<&'a [f64]>,
    ) -> Option<Self> {
        if source.len() != target.len() {
            return None;
        }
        let zero = Vector3::zeros();
        let mut pairs = Self { weights, total: 0.0, source_mean: zero, target_mean: zero };
        pairs.total = (0..source.len()).map(|i| pairs.weight(i)).sum();
        if !(pairs.total.is_finite() && pairs.total > 0.0) {
            return None;
        }
        for (i, (from, to)) in source.iter().zip(target).enumerate() {
            let share = pairs.weight(i) / pairs.total;
            pairs.source_mean += from * share;
            pairs.target_mean += to * share;
        }
        Some(pairs)
    }

    /// Weight of a pair.
    pub(crate) fn weight(&self, pair: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights.get(pair).copied().unwrap_or(0.0))
    }
}
