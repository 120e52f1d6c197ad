//! Sine and cosine over lanes.

use jostle_simd::lanes::Real;

/// π/2 in three parts (Cody and Waite, *Software Manual for the Elementary Functions*, 1980): the first has 8 bits and
/// the second 12, so that whole multiples of them are exact without a fused operation.
const HALF_PI: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];

/// (sin z^½ − z^½) / z^(3/2) on [0, (π/4)²], by least squares weighted towards equal errors: off by 2e-9.
const SINE: [f32; 3] = [-0.166_666_51, 0.008_331_973, -0.000_194_949_5];

/// (cos z^½ − 1 + z/2) / z² on [0, (π/4)²], likewise: off by 1e-10.
const COSINE: [f32; 3] = [0.041_666_646, -0.001_388_736_2, 0.000_024_437_73];

/// Sine and cosine of radians, off by at most 2e-7 up to 4,000 rad and by 1e-5 up to 100,000 rad; beyond that only
/// between −1.01 and 1.01, as the argument itself is no longer known to a radian.
#[inline(always)]
pub(super) fn sin_cos<R: Real>(x: R) -> (R, R) {
    let one = x.all(1.0);
    let quarter = (x * x.all(core::f32::consts::FRAC_2_PI) + x.all(0.5)).floored();
    let r = x - quarter * x.all(HALF_PI[0]);
    let r = r - quarter * x.all(HALF_PI[1]);
    let r = r - quarter * x.all(HALF_PI[2]);
    // Rounding leaves it near [−π/4, π/4] for all arguments that mean something.
    let r = r.between(-one, one);
    let z = r * r;
    let s = r + r * z * (x.all(SINE[0]) + z * (x.all(SINE[1]) + z * x.all(SINE[2])));
    let c = one - z * x.all(0.5)
        + z * z * (x.all(COSINE[0]) + z * (x.all(COSINE[1]) + z * x.all(COSINE[2])));
    // The quadrant by halves: 2 h is its number modulo 2, 4 f its number modulo 4.
    let h = quarter * x.all(0.5);
    let f = quarter * x.all(0.25);
    let h = h - h.floored();
    let f = f - f.floored();
    let swap = x.all(0.25).below(h);
    let (sin, cos) = (R::choose(swap, c, s), R::choose(swap, s, c));
    let down = x.all(0.5).at_most(f);
    // The cosine is negative in the second and third quadrant.
    let left = R::both(x.all(0.25).at_most(f), f.at_most(x.all(0.5)));
    (R::choose(down, -sin, sin), R::choose(left, -cos, cos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_as_close_as_promised() {
        for (reach, bound) in [(4.0, 2e-7), (4_000.0, 2e-7), (100_000.0, 1e-5)] {
            for i in -20_000..=20_000 {
                let x = (f64::from(i) / 20_000.0 * reach) as f32;
                let (s, c) = sin_cos(x);
                let off = (f64::from(s) - libm::sin(f64::from(x)))
                    .abs()
                    .max((f64::from(c) - libm::cos(f64::from(x))).abs());
                assert!(off <= bound, "{x}: {off}");
            }
        }
        for x in [f32::NAN, f32::INFINITY, 1e30, -3e38, 1e7] {
            let (s, c) = sin_cos(x);
            assert!(s.abs() <= 1.01 && c.abs() <= 1.01, "{x}: {s} {c}");
        }
    }
}
