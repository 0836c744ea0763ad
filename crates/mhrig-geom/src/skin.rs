use crate::JointId;

/// Skin weights of one mesh: per vertex a list of influences, stored flat.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinWeights {
    offsets: Vec<u32>,
    joints: Vec<u16>,
    weights: Vec<f32>,
}

impl Default for SkinWeights {
    fn default() -> Self {
        Self { offsets: vec![0], joints: Vec::new(), weights: Vec::new() }
    }
}

impl SkinWeights {
    /// Appends the influences of the next vertex.
    pub fn push(&mut self, influences: impl IntoIterator<Item = (JointId, f32)>) {
        for (joint, weight) in influences {
            self.joints.push(joint.0);
            self.weights.push(weight);
        }
        self.offsets.push(u32::try_from(self.joints.len()).unwrap_or(u32::MAX));
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The influences of vertex `vertex`.
    ///
    /// # Panics
    /// When `vertex` is not below [`SkinWeights::vertex_count`].
    pub fn influences(&self, vertex: usize) -> impl ExactSizeIterator<Item = (JointId, f32)> + Clone {
        let range = self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize;
        let joints = &self.joints[range.clone()];
        joints.iter().zip(&self.weights[range]).map(|(&joint, &weight)| (JointId(joint), weight))
    }
}
