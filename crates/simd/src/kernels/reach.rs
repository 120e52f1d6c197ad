//! Whether a squared distance is within a squared reach, certainly or not at all.
//!
//! Kernels of balls ask d² ≤ s², where d² is a sum of three squares of differences of stored numbers
//! and s a radius or the sum of two. In single precision, with u = 2⁻²⁴, each difference has a relative
//! error of at most u, its square one of (1 + u)³ − 1, the sum of the squares one of (1 + u)⁵ − 1;
//! s² has at most (1 + u)³ − 1. What underflows in a product is at most 2⁻¹⁵⁰, four times in all. So
//! with k = 16 u and t = 2⁻¹²⁶
//!
//! - d² (1 + k) + t < s², as computed, implies d² < s² exactly: the left side is rounded twice more,
//!   1 + 16 u − 5 u − 2 u exceeds 1 + 3 u by 6 u, which the terms in u² do not reach, and t exceeds
//!   what underflowed;
//! - d² > s² (1 + k) + t, as computed, implies d² > s² exactly, in the same way;
//! - neither holds where a side overflows that matters: the comparisons are strict, and the side that
//!   is made larger overflows first. Nor does either where a side is NaN, which comes of NaN and of
//!   infinite centres alone, and is no hit: lanes leave it out.
//!
//! What is neither is *in doubt*: about one random pair in a million, and all that touch. It is asked
//! again in double precision, whose error is bounded in the same way with u = 2⁻⁵³ (no square of a
//! single-precision number under- or overflows there), and if that is in doubt as well, exactly: every
//! square of a difference is a sum of three products of stored numbers, (a − b)² = a² − 2 a b + b²,
//! and the product of two single-precision numbers is exact in double precision.
//!
//! So the answer is that of exact arithmetic on the numbers stored, at every level.

use fearless_simd::prelude::*;

use crate::Aabb;
use crate::batch::Ball;
use crate::exact::sign_of_sum;

/// 1 + k.
const FACTOR: f32 = 1.0 + 16.0 * (f32::EPSILON / 2.0);
/// t.
const SLACK: f32 = f32::MIN_POSITIVE;

/// The lanes in which d² may be within s²: in all others it certainly is not.
#[inline(always)]
pub(super) fn may_reach<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    distance2: F,
    reach2: F,
) -> F::Mask {
    let limit = reach2 * F::splat(simd, FACTOR) + F::splat(simd, SLACK);
    distance2.simd_le(limit)
}

/// The lanes in which d² is certainly within s².
#[inline(always)]
pub(super) fn surely_reaches<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    distance2: F,
    reach2: F,
) -> F::Mask {
    let least = distance2 * F::splat(simd, FACTOR) + F::splat(simd, SLACK);
    least.simd_lt(reach2)
}

/// The same of one; `None` where in doubt.
#[inline(always)]
fn surely(distance2: f32, reach2: f32) -> Option<bool> {
    if distance2 * FACTOR + SLACK < reach2 {
        Some(true)
    } else if distance2 > reach2 * FACTOR + SLACK {
        Some(false)
    } else {
        None
    }
}

/// s |s|: a negative reach reaches nothing.
#[inline(always)]
pub(super) fn signed_square<S: Simd, F: SimdFloat<S, Element = f32>>(reach: F) -> F {
    reach * reach.abs()
}

/// The sum of three squares, in the order that all levels share.
#[inline(always)]
pub(super) fn squares<S: Simd, F: SimdFloat<S, Element = f32>>(d: [F; 3]) -> F {
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// The terms of a sum, and how many of them are set; the rest are zero.
struct Terms {
    all: [f64; 12],
    len: usize,
}

impl Terms {
    /// ± (a + b)², as three exact products.
    fn add_square(&mut self, sign: f64, a: f64, b: f64) {
        for term in [a * a, 2.0 * a * b, b * b] {
            self.all[self.len] = sign * term;
            self.len += 1;
        }
    }
}

/// Whether Σ (a + b)² over three pairs ≤ (s + t)², s + t ≥ 0, exactly.
#[cold]
#[inline(never)]
fn within_exactly(pairs: [(f32, f32); 3], reach: (f32, f32)) -> bool {
    let (s, t) = (f64::from(reach.0), f64::from(reach.1));
    // The sign of a rounded sum is that of the sum. NaN and what is infinitely far is not hit.
    let finite = pairs.iter().all(|(a, b)| a.is_finite() && b.is_finite());
    if !finite || s + t < 0.0 || (s + t).is_nan() {
        return false;
    }
    if s + t == f64::INFINITY {
        return true;
    }
    let mut d2 = 0.0;
    for (a, b) in pairs {
        let d = f64::from(a) + f64::from(b);
        d2 += d * d;
    }
    let s2 = (s + t) * (s + t);
    let bound = 16.0 * (f64::EPSILON / 2.0) * s2;
    if (d2 - s2).abs() > bound {
        return d2 < s2;
    }
    let mut terms = Terms {
        all: [0.0; 12],
        len: 0,
    };
    for (a, b) in pairs {
        terms.add_square(1.0, f64::from(a), f64::from(b));
    }
    terms.add_square(-1.0, s, t);
    sign_of_sum(&terms.all) <= 0
}

impl Ball {
    /// Whether the closed balls share a point: whether their centres are no further apart than the sum of
    /// the radii, in exact arithmetic. Touching counts. A ball that is NaN or infinitely far away
    /// shares none; one of infinite radius shares points with all others.
    ///
    /// The radii are added with their signs: a negative one takes from the other.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        let d = self.centre - other.centre;
        let d2 = d.x * d.x + d.y * d.y + d.z * d.z;
        let s = self.radius + other.radius;
        surely(d2, s * s.abs()).unwrap_or_else(|| {
            let (a, b) = (self.centre, -other.centre);
            within_exactly(
                [(a.x, b.x), (a.y, b.y), (a.z, b.z)],
                (self.radius, other.radius),
            )
        })
    }

    /// Whether the closed ball shares a point with a closed box, in exact arithmetic. Touching counts. A
    /// ball that is NaN, a box that is NaN or inverted, and what is infinitely far away share none; a
    /// box may be infinite, and so may the radius.
    #[inline]
    pub fn overlaps_box(&self, aabb: &Aabb) -> bool {
        if !aabb.min.cmple(aabb.max).all() {
            return false;
        }
        let mut d2 = 0.0;
        for axis in 0..3 {
            let c = self.centre[axis];
            let gap = c - c.max(aabb.min[axis]).min(aabb.max[axis]);
            d2 += gap * gap;
        }
        surely(d2, self.radius * self.radius.abs()).unwrap_or_else(|| {
            within_exactly(
                [self.gap(aabb, 0), self.gap(aabb, 1), self.gap(aabb, 2)],
                (self.radius, 0.0),
            )
        })
    }

    /// The two numbers whose sum is how far the centre is outside of a box on an axis.
    #[inline(always)]
    fn gap(&self, aabb: &Aabb, axis: usize) -> (f32, f32) {
        let c = self.centre[axis];
        if c < aabb.min[axis] {
            (aabb.min[axis], -c)
        } else if c > aabb.max[axis] {
            (c, -aabb.max[axis])
        } else {
            // Nothing, or what is not finite for a centre that is not.
            (c, -c)
        }
    }
}
