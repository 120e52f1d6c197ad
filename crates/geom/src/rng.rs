//! Random numbers that can be asked for by name.

use glam::DVec3;

/// 2⁶⁴ divided by the golden ratio, made odd: the increment of `SplitMix64`.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of `SplitMix64` (Steele, Lea, Flood: *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014): a bijection whose output bits each depend on all input bits.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A counter-based generator: value `i` of stream `s` of a seed is a function of the three alone.
///
/// Streams make a scene independent of the order in which its parts are generated: each body
/// draws from the stream of its own index. Not for cryptography.
#[derive(Clone, Debug)]
pub struct Rng {
    key: u64,
    counter: u64,
}

impl Rng {
    /// The start of a stream.
    pub const fn new(seed: u64, stream: u64) -> Self {
        Self {
            key: mix(mix(seed.wrapping_add(GOLDEN)) ^ stream.wrapping_mul(GOLDEN)),
            counter: 0,
        }
    }

    /// 64 uniform bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(1);
        mix(self.key.wrapping_add(self.counter.wrapping_mul(GOLDEN)))
    }

    /// Uniform in [0, 1): a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * SCALE
    }

    /// Uniform between `low` (possible) and `high` (possible only by rounding).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// An index below `count`; 0 when `count` is 0. The bias is below `count` · 2⁻⁶⁴.
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.next_u64()) * count as u128) >> 64) as usize
    }

    /// A uniform point of the cube [−1, 1)³.
    pub fn cube(&mut self) -> DVec3 {
        DVec3::new(
            self.range(-1.0, 1.0),
            self.range(-1.0, 1.0),
            self.range(-1.0, 1.0),
        )
    }

    /// A uniform unit vector, by rejection from the cube: no trigonometry, so no platform.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let p = self.cube();
            let squared = p.length_squared();
            if (1e-4..=1.0).contains(&squared) {
                return p / squared.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let draw = |seed, stream| {
            let mut rng = Rng::new(seed, stream);
            [rng.next_u64(), rng.next_u64()]
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
        assert_ne!(draw(1, 2)[0], draw(1, 2)[1]);
    }

    #[test]
    fn values_stay_in_range() {
        let mut rng = Rng::new(3, 0);
        let mut mean = 0.0;
        for _ in 0..10_000 {
            let x = rng.unit();
            assert!((0.0..1.0).contains(&x));
            mean += x / 10_000.0;
            assert!(rng.index(7) < 7);
            assert!((rng.direction().length() - 1.0).abs() < 1e-15);
        }
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert_eq!(rng.index(0), 0);
    }
}
