use nalgebra::Vector3;

/// Numbers without a pattern, the same for the same seed on every machine (SplitMix64, Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Numbers of seed `seed` for the use `purpose`; different uses have different numbers.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut random = Self(seed);
        for byte in purpose.bytes() {
            random.0 = random.next() ^ u64::from(byte);
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// At least 0, less than 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// At least `from`, less than `to`.
    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// A vector of length 1.
    pub(crate) fn direction(&mut self) -> Vector3<f64> {
        loop {
            let vector = Vector3::from_fn(|_, _| self.between(-1.0, 1.0));
            let norm = vector.norm();
            if norm > 0.1 && norm < 1.0 {
                return vector / norm;
            }
        }
    }
}
