//! A seeded source of random numbers.

/// `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The same seed gives the same numbers everywhere.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`, a multiple of 2⁻⁵³.
    pub const fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in `[-1, 1)`.
    pub const fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform among the integers `from..=to`.
    pub const fn integer(&mut self, from: i64, to: i64) -> i64 {
        from + (self.bits() % (to - from + 1) as u64) as i64
    }

    /// True once in `n`.
    pub const fn one_in(&mut self, n: u64) -> bool {
        self.bits().is_multiple_of(n)
    }
}
