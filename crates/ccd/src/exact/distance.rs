//! Enclosures of exact distances and times.

use dashu::base::{BitTest, SquareRoot, UnsignedAbs};
use dashu::integer::{IBig, UBig};

use super::Scaled;
use super::number::{floor_ratio_to_f64, floor_to_f64};
use crate::Query;

/// Doubles around the exact distance (metres) at time `t` (taken exactly, ≥ 0): equal when the
/// distance is a double, else neighbours. The upper one is infinite beyond the largest double.
pub fn distance_bounds_at(query: &Query, t: f64) -> (f64, f64) {
    let fixed = Scaled::new(query, 0.0).at(t);
    let (num, den) = fixed.squared_distance();
    let (root, places, exact) = square_root(&num.unsigned_abs(), &den.unsigned_abs());
    let (lo, equal) = floor_to_f64(&root, fixed.exponent - places as i64);
    (lo, if exact && equal { lo } else { lo.next_up() })
}

/// A time in `(0, 1]` up to and including which the distance stays above `min_separation` (metres):
/// the exact distance at the start less the minimum separation, over a bound of the relative speed,
/// rounded down. It is 0 when the distance at the start is not above the minimum separation, or when the
/// time is below the smallest positive double.
pub fn positive_start_bound(query: &Query, min_separation: f64) -> f64 {
    let scaled = Scaled::new(query, min_separation);
    let start = scaled.at(0.0);
    let (num, den) = start.squared_distance();
    let m = &scaled.min_separation;
    // d - m = (d² - m²) / (d + m): an upper bound of d below keeps this a positive lower bound.
    let excess = &num - &den * m * m;
    if excess <= IBig::ZERO {
        return 0.0;
    }
    let Some(speed) = speed_bound(&scaled) else {
        return 1.0;
    };
    let den = den.unsigned_abs();
    let (root, places, _) = square_root(&num.unsigned_abs(), &den);
    let distance_and_m = root + UBig::ONE + (m.unsigned_abs() << places);
    let numerator = excess.unsigned_abs() << (places + SPEED_PLACES);
    floor_ratio_to_f64(&numerator, &(den * distance_and_m * speed)).min(1.0)
}

const SPEED_PLACES: usize = 64;

/// An upper bound of the speed of every corner difference, times `2^SPEED_PLACES`; `None` when
/// nothing moves relative to anything.
///
/// Whatever the weights, the point of the hull of the corner differences that has them moves no
/// faster, and neither then does the distance of the hull from the origin change.
fn speed_bound(scaled: &Scaled) -> Option<UBig> {
    let split = match scaled.kind {
        jostle_geom::PairKind::VertexFace => 1,
        jostle_geom::PairKind::EdgeEdge => 2,
    };
    let velocity = |point: usize, axis: usize| &scaled.t1[point][axis] - &scaled.t0[point][axis];
    let mut fastest = IBig::ZERO;
    for a in 0..split {
        for b in split..4 {
            let square: IBig = (0..3)
                .map(|axis| {
                    let d = velocity(a, axis) - velocity(b, axis);
                    &d * &d
                })
                .sum();
            fastest = fastest.max(square);
        }
    }
    if fastest.is_zero() {
        return None;
    }
    let (root, places, _) = square_root(&fastest.unsigned_abs(), &UBig::ONE);
    let bound = root + UBig::ONE;
    Some(if places >= SPEED_PLACES {
        (bound >> (places - SPEED_PLACES)) + UBig::ONE
    } else {
        bound << (SPEED_PLACES - places)
    })
}

/// `(r, places, exact)` with `r = ⌊√(num / den) · 2^places⌋` of at least 64 digits (unless `num` is
/// zero), and whether nothing was cut off.
fn square_root(num: &UBig, den: &UBig) -> (UBig, usize, bool) {
    let places = 65 + den.bit_len().saturating_sub(num.bit_len()) / 2;
    let scaled = num << (2 * places);
    let root = (&scaled / den).sqrt();
    let exact = &root * &root * den == scaled;
    (root, places, exact)
}
