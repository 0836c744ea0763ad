//! Which share of a whole expression belongs to a side of the face or a half of the mouth.
//!
//! A split must not tear the skin, and its parts must add up to the whole. Both follow when it is read from the rig: each
//! joint has a share (left joints 1 of the left side, right joints 0, centre ones one half), and a vertex has the mean
//! share of its joints by skin weight. Blend shape deltas are multiplied by the vertex's share, joint deltas by the
//! joint's.

use mhrig_geom::SkinWeights;

use crate::controls::{Half, Side};
use crate::skeleton::{PartSkeleton, is_left, is_right};

/// Subtrees of the lower half of the mouth and of the upper one.
const LOWER_ROOTS: [&str; 2] = ["FACIAL_C_Jaw", "FACIAL_C_LowerLipRotation"];

/// The share of each joint: 0 to 1.
pub(crate) fn joint_shares(skeleton: &PartSkeleton, side: Option<Side>, half: Option<Half>) -> Vec<f64> {
    let mut is_lower = vec![false; skeleton.names.len()];
    let mut shares = Vec::with_capacity(skeleton.names.len());
    for (joint, name) in skeleton.names.iter().enumerate() {
        is_lower[joint] = LOWER_ROOTS.contains(&name.as_str())
            || skeleton.parents[joint].is_some_and(|parent| is_lower[parent]);
        let left = if is_left(name) {
            1.0
        } else if is_right(name) {
            0.0
        } else {
            0.5
        };
        let lower = if is_lower[joint] {
            1.0
        } else if name.contains("LipCorner") {
            0.5
        } else {
            0.0
        };
        let of_side = match side {
            None => 1.0,
            Some(Side::Left) => left,
            Some(Side::Right) => 1.0 - left,
        };
        let of_half = match half {
            None => 1.0,
            Some(Half::Lower) => lower,
            Some(Half::Upper) => 1.0 - lower,
        };
        shares.push(of_side * of_half);
    }
    shares
}

/// The share of each vertex: the mean of its joints' shares by skin weight.
///
/// Shares of a quarter are the product of the two halves' shares per joint, so the four of them still add up to 1.
pub(crate) fn vertex_shares(skin: &SkinWeights, number: &[Option<u16>], joint_shares: &[f64]) -> Vec<f64> {
    (0..skin.vertex_count())
        .map(|vertex| {
            let influences = skin.influences(vertex);
            let shares = influences.filter_map(|(joint, weight)| {
                Some((joint_shares[usize::from(number[joint.index()]?)], f64::from(weight)))
            });
            let (sum, total) = shares
                .fold((0.0, 0.0), |(sum, total), (share, weight)| (sum + share * weight, total + weight));
            if total > 0.0 { sum / total } else { 0.0 }
        })
        .collect()
}
