//! Doubles as integers times powers of two, and back with a stated direction of rounding.

use dashu::base::BitTest;
use dashu::integer::{IBig, UBig};

/// The sign of an integer: -1, 0 or 1.
pub(super) fn sign(x: &IBig) -> i32 {
    if x.is_zero() {
        0
    } else if x.sign() == dashu::base::Sign::Positive {
        1
    } else {
        -1
    }
}

/// A finite double as `mantissa · 2^exponent`, the mantissa odd or zero.
pub(super) fn decode(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (magnitude, exponent) = if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | (1 << 52), field - 1075)
    };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let odd = (magnitude >> zeros) as i64;
    (
        if x.is_sign_negative() { -odd } else { odd },
        exponent + zeros as i32,
    )
}

/// The largest double that is not above `x · 2^exponent`, and whether it is equal.
pub(super) fn floor_to_f64(x: &UBig, exponent: i64) -> (f64, bool) {
    if x.is_zero() {
        return (0.0, true);
    }
    // The exponent of the last place of the result: 53 digits, or the subnormal grid.
    let last = (exponent + x.bit_len() as i64 - 53).max(-1074);
    let shift = last - exponent;
    let (digits, equal) = if shift <= 0 {
        (x << (-shift) as usize, true)
    } else {
        let zeros = x.trailing_zeros().unwrap_or(0) as i64;
        (x >> shift as usize, zeros >= shift)
    };
    let Ok(digits) = u64::try_from(digits) else {
        return (f64::MAX, false); // not reached: at most 53 digits are left
    };
    if digits < 1 << 52 {
        return (f64::from_bits(digits), equal); // subnormal: last = -1074
    }
    let field = last + 1075;
    if field > 2046 {
        return (f64::MAX, false);
    }
    let bits = ((field as u64) << 52) | (digits & ((1 << 52) - 1));
    (f64::from_bits(bits), equal)
}

/// The largest double that is not above `numerator / denominator` (positive).
pub(super) fn floor_ratio_to_f64(numerator: &UBig, denominator: &UBig) -> f64 {
    // At least 64 digits in the quotient, so that its last place is below that of the double.
    let shift = (64 + denominator.bit_len()).saturating_sub(numerator.bit_len()) + 1;
    floor_to_f64(&((numerator << shift) / denominator), -(shift as i64)).0
}

/// An integer over a power of two: `n / 2^k`, not negative. `float` is the same value as a double
/// when it was made from one.
#[derive(Clone, Debug)]
pub(super) struct Dyadic {
    pub(super) n: IBig,
    pub(super) k: usize,
    pub(super) float: Option<f64>,
}

impl Dyadic {
    /// A finite double that is not negative.
    pub(super) fn from_f64(t: f64) -> Self {
        let (mantissa, exponent) = decode(t);
        let mantissa = IBig::from(mantissa);
        let (n, k) = if exponent >= 0 {
            (mantissa << exponent as usize, 0)
        } else {
            (mantissa, (-exponent) as usize)
        };
        Self {
            n,
            k,
            float: Some(t),
        }
    }

    /// Both numerators over the larger of the two powers of two.
    pub(super) fn common(a: &Self, b: &Self) -> (IBig, IBig, usize) {
        let k = a.k.max(b.k);
        (&a.n << (k - a.k), &b.n << (k - b.k), k)
    }

    /// A point strictly between two points.
    ///
    /// Between doubles that are not neighbours it is a double: the mean, or, while the magnitude is
    /// unknown, the one in the middle of their *order*, so that a hundred halvings suffice for a
    /// root of any magnitude. Else it is the exact mean.
    pub(super) fn between(lo: &Self, hi: &Self) -> Self {
        if let (Some(a), Some(b)) = (lo.float, hi.float)
            && b.to_bits() > a.to_bits() + 1
        {
            let mean = a + (b - a) / 2.0;
            let known = b > 1e-9 || b / 4.0 <= a;
            return Self::from_f64(if known && a < mean && mean < b {
                mean
            } else {
                f64::from_bits(a.to_bits() + (b.to_bits() - a.to_bits()) / 2)
            });
        }
        let (a, b, k) = Self::common(lo, hi);
        Self {
            n: a + b,
            k: k + 1,
            float: None,
        }
    }

    /// The largest double that is not above this.
    pub(super) fn floor(&self) -> f64 {
        self.float.unwrap_or_else(|| {
            let magnitude = dashu::base::UnsignedAbs::unsigned_abs(&self.n);
            floor_to_f64(&magnitude, -(self.k as i64)).0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 9] = [
        0.0,
        5e-324,
        2.2e-308,
        f64::MIN_POSITIVE,
        1e-9,
        1.0,
        0.1,
        1e300,
        f64::MAX,
    ];

    #[test]
    fn doubles_survive_the_way_there_and_back() {
        for x in SAMPLES {
            let (m, e) = decode(x);
            assert_eq!(decode(-x), (-m, e));
            let m = UBig::try_from(m).unwrap();
            assert_eq!(floor_to_f64(&m, i64::from(e)), (x, true));
            // A little more is cut off again.
            let finer = (m << 60usize) + UBig::ONE;
            let (floor, equal) = floor_to_f64(&finer, i64::from(e) - 60);
            assert!(x == 0.0 || (floor == x && !equal), "{x}");
        }
        assert_eq!(floor_to_f64(&UBig::ONE, 1024), (f64::MAX, false));
        assert_eq!(floor_to_f64(&UBig::ONE, -1075), (0.0, false));
    }

    #[test]
    fn ratios_are_rounded_down() {
        let ratio = |a: u32, b: u32| floor_ratio_to_f64(&UBig::from(a), &UBig::from(b));
        assert_eq!(ratio(1, 2), 0.5);
        assert_eq!(ratio(1, 3), 1.0 / 3.0); // the double is below the third
        assert_eq!(ratio(1, 10), 0.1_f64.next_down()); // 0.1 is above the tenth
        let tiny = floor_ratio_to_f64(&UBig::ONE, &(UBig::from(3u8) << 1075usize));
        assert_eq!(tiny, 0.0);
    }

    #[test]
    fn halving_reaches_neighbours_of_any_magnitude() {
        for target in [5e-324, 1e-200, 0.3, 1.0_f64.next_down()] {
            let (mut lo, mut hi) = (Dyadic::from_f64(0.0), Dyadic::from_f64(1.0));
            for _ in 0..150 {
                let mid = Dyadic::between(&lo, &hi);
                match mid.float {
                    Some(m) if m <= target => lo = mid,
                    Some(_) => hi = mid,
                    None => break,
                }
            }
            assert_eq!(lo.float, Some(target));
            assert_eq!(hi.float, Some(target.next_up()));
        }
    }
}
