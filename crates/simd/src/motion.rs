//! Boxes around points that move in a straight line.

use bytemuck::cast_slice;
use fearless_simd::{Level, dispatch, f32x8, f64x4, i32x8, mask64x4, prelude::*};
use glam::DVec3;

use crate::{Aabb, rounding};

/// How much of a step a box covers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reach {
    /// Nothing but the start.
    Start,
    /// The start and the given part.
    Part(f64),
    /// All of it.
    Whole,
}

impl Reach {
    fn new(t_end: f64) -> Self {
        if t_end <= 0.0 {
            Self::Start
        } else if t_end < 1.0 {
            Self::Part(t_end)
        } else {
            Self::Whole
        }
    }
}

/// Bound of the rounding of `p0 + t (p1 − p0)` in units of |q| + |m|, where `m` is the computed
/// product and `q` the computed sum; see [`motion_boxes`].
const PART_ERROR: f64 = 4.0 * (f64::EPSILON / 2.0);

/// Writes the smallest `f32` box around each point's way over `[0, t_end]`, grown by `inflation`
/// on every side.
///
/// "Smallest": each bound is the nearest float outside of the exact value. For `t_end ≥ 1` the end
/// is `t1` itself; a `t_end` between 0 and 1 gives the computed end of the part, widened by its
/// rounding bound but never beyond the box of the whole step; `t_end ≤ 0` gives the start. A
/// `t_end` that is NaN counts as 1, an inflation that is negative or NaN as 0. Zeros are positive.
///
/// # Rounding bound of a part
/// With u = 2⁻⁵³, computed d = fl(p1 − p0), m = fl(t d), q = fl(p0 + m): the difference adds at
/// most u |d| t ≤ u |m| (1 + u), the product u |m| + 2⁻¹⁰⁷⁵, the sum u |q|, and the widening
/// fl(q ± e) another u (|q| + e). Together at most 2 u |q| + 2 u |m| up to terms of second order,
/// so e = 4 u (|q| + |m|) + 2⁻¹⁰²² is enough.
///
/// Positions must be finite and within the range of `f32`; an inflation may take a bound to
/// infinity.
///
/// # Panics
/// When the slices differ in length.
pub fn motion_boxes(
    t0: &[DVec3],
    t1: &[DVec3],
    t_end: f64,
    inflation: f64,
    out: &mut [Aabb],
    level: Level,
) {
    assert!(t0.len() == t1.len() && t0.len() == out.len());
    let reach = Reach::new(t_end);
    let inflation = if inflation > 0.0 { inflation } else { 0.0 };
    dispatch!(level, simd => wide(simd, t0, t1, reach, inflation, out));
}

/// One coordinate of one point: the scalar twin.
#[inline(always)]
fn narrow(p0: f64, p1: f64, reach: Reach, inflation: f64) -> (f32, f32) {
    let order = |a: f64, b: f64| if b < a { (b, a) } else { (a, b) };
    let (lo, hi) = match reach {
        Reach::Start => (p0, p0),
        Reach::Whole => order(p0, p1),
        Reach::Part(t) => {
            let m = t * (p1 - p0);
            let q = p0 + m;
            let e = PART_ERROR * (q.abs() + m.abs()) + f64::MIN_POSITIVE;
            let (whole_lo, whole_hi) = order(p0, p1);
            (
                order(p0, order(q - e, whole_lo).1).0,
                order(p0, order(q + e, whole_hi).0).1,
            )
        }
    };
    let ((lo, lo_error), (hi, hi_error)) = (two_sum(lo, -inflation), two_sum(hi, inflation));
    (
        rounding::down_sum(lo, lo_error) + 0.0,
        rounding::up_sum(hi, hi_error) + 0.0,
    )
}

/// The rounded sum and its exact error (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

#[inline(always)]
fn wide<S: Simd>(
    simd: S,
    t0: &[DVec3],
    t1: &[DVec3],
    reach: Reach,
    inflation: f64,
    out: &mut [Aabb],
) {
    let (groups0, rest0) = t0.as_chunks::<8>();
    let (groups1, rest1) = t1.as_chunks::<8>();
    let (out_groups, out_rest) = out.as_chunks_mut::<8>();
    for ((p0, p1), out) in groups0.iter().zip(groups1).zip(out_groups) {
        let (p0, p1): (&[f64], &[f64]) = (cast_slice(p0), cast_slice(p1));
        let mut lo = [0.0; 24];
        let mut hi = [0.0; 24];
        for at in [0, 8, 16] {
            let first = extent(simd, load(simd, p0, at), load(simd, p1, at), reach);
            let second = extent(simd, load(simd, p0, at + 4), load(simd, p1, at + 4), reach);
            let down = round(simd, [first.0, second.0], -inflation, Side::Low);
            let up = round(simd, [first.1, second.1], inflation, Side::High);
            down.store_slice(&mut lo[at..at + 8]);
            up.store_slice(&mut hi[at..at + 8]);
        }
        for (lane, out) in out.iter_mut().enumerate() {
            let at = 3 * lane;
            out.min = [lo[at], lo[at + 1], lo[at + 2]].into();
            out.max = [hi[at], hi[at + 1], hi[at + 2]].into();
        }
    }
    for ((p0, p1), out) in rest0.iter().zip(rest1).zip(out_rest) {
        for axis in 0..3 {
            (out.min[axis], out.max[axis]) = narrow(p0[axis], p1[axis], reach, inflation);
        }
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f64], at: usize) -> f64x4<S> {
    f64x4::from_slice(simd, &values[at..at + 4])
}

/// Smallest and largest coordinate over the reach, in `f64`.
#[inline(always)]
fn extent<S: Simd>(simd: S, p0: f64x4<S>, p1: f64x4<S>, reach: Reach) -> (f64x4<S>, f64x4<S>) {
    match reach {
        Reach::Start => (p0, p0),
        Reach::Whole => (p0.min(p1), p0.max(p1)),
        Reach::Part(t) => {
            let m = f64x4::splat(simd, t) * (p1 - p0);
            let q = p0 + m;
            let e = f64x4::splat(simd, PART_ERROR) * (q.abs() + m.abs())
                + f64x4::splat(simd, f64::MIN_POSITIVE);
            let lo = (q - e).max(p0.min(p1));
            let hi = (q + e).min(p0.max(p1));
            (p0.min(lo), p0.max(hi))
        }
    }
}

/// [`two_sum`], four at a time.
#[inline(always)]
fn two_sum_wide<S: Simd>(a: f64x4<S>, b: f64x4<S>) -> (f64x4<S>, f64x4<S>) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Where rounding `sum` to `back` moved the exact sum inward.
#[inline(always)]
fn inward<S: Simd>(
    simd: S,
    back: f64x4<S>,
    sum: f64x4<S>,
    error: f64x4<S>,
    side: Side,
) -> mask64x4<S> {
    let zero = f64x4::splat(simd, 0.0);
    match side {
        Side::Low => sum.simd_lt(back) | (sum.simd_eq(back) & error.simd_lt(zero)),
        Side::High => back.simd_lt(sum) | (sum.simd_eq(back) & zero.simd_lt(error)),
    }
}

/// Turns around the bits of negative floats, or turns them back.
#[inline(always)]
fn turned<S: Simd>(simd: S, bits: i32x8<S>) -> i32x8<S> {
    bits ^ ((bits >> 31) & i32x8::splat(simd, i32::MAX))
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Low,
    High,
}

/// Adds the signed inflation and rounds outward; see [`rounding::down_sum`].
#[inline(always)]
fn round<S: Simd>(simd: S, values: [f64x4<S>; 2], inflation: f64, side: Side) -> f32x8<S> {
    let inflation = f64x4::splat(simd, inflation);
    let (sum0, error0) = two_sum_wide(values[0], inflation);
    let (sum1, error1) = two_sum_wide(values[1], inflation);
    let nearest = sum0.narrow(sum1);
    let (back0, back1) = nearest.widen();
    let moves =
        inward(simd, back0, sum0, error0, side).narrow(inward(simd, back1, sum1, error1, side));
    // Floats in the order of their values are integers in the order of their bits once the bits of
    // negative ones are turned around; the neighbour is then one step away.
    let step = i32x8::splat(simd, if side == Side::Low { -1 } else { 1 });
    let place = turned(simd, nearest.bitcast()) + step;
    let neighbour: f32x8<S> = turned(simd, place).bitcast();
    moves.select(neighbour, nearest) + f32x8::splat(simd, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;

    fn hard_points() -> Vec<DVec3> {
        let values = [
            0.0,
            -0.0,
            0.1,
            -0.1,
            1e-46,
            -1e-46,
            5e-324,
            -5e-324,
            16777217.0,
            -16777217.0,
            f64::from(f32::MAX),
            -f64::from(f32::MAX),
            1.0 + f64::EPSILON,
            -1e-40,
            1e38,
            -3.0,
            7e-39,
        ];
        let n = values.len();
        (0..n * n)
            .map(|i| DVec3::new(values[i % n], values[i / n], values[(i + i / n) % n]))
            .collect()
    }

    #[test]
    fn every_level_gives_the_bits_of_the_scalar_twin() {
        let t0 = hard_points();
        let t1: Vec<_> = t0.iter().rev().map(|p| DVec3::new(p.z, p.x, p.y)).collect();
        for t_end in [-1.0, 0.0, 1e-300, 0.3, 0.999, 1.0, 2.0, f64::NAN] {
            for inflation in [0.0, 1e-320, 1e-9, 0.25, 1e38] {
                for level in SimdLevel::available() {
                    let mut out = vec![Aabb::EMPTY; t0.len()];
                    let token = level.token().unwrap();
                    motion_boxes(&t0, &t1, t_end, inflation, &mut out, token);
                    for (i, found) in out.iter().enumerate() {
                        for axis in 0..3 {
                            let reach = Reach::new(t_end);
                            let twin = narrow(t0[i][axis], t1[i][axis], reach, inflation);
                            let found = (found.min[axis], found.max[axis]);
                            assert_eq!(
                                (found.0.to_bits(), found.1.to_bits()),
                                (twin.0.to_bits(), twin.1.to_bits()),
                                "{level} {t_end} {inflation} {} {}: {found:?} {twin:?}",
                                t0[i][axis],
                                t1[i][axis],
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_zero_is_negative() {
        let points = [DVec3::splat(-0.0); 9];
        let mut out = [Aabb::EMPTY; 9];
        motion_boxes(&points, &points, 1.0, 0.0, &mut out, Level::new());
        for found in out {
            for axis in 0..3 {
                assert_eq!(found.min[axis].to_bits(), 0);
                assert_eq!(found.max[axis].to_bits(), 0);
            }
        }
    }
}
