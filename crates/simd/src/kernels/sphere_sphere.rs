//! Which balls overlap: closed balls, so that touching counts.
//!
//! # Exactness
//! Lanes compare d² with (r₁ + r₂)² in single precision and settle what rounding leaves in doubt as
//! [`Ball::overlaps`], the scalar twin, does: the answer is that of exact arithmetic on the stored
//! numbers. Numbers that are rounded when they are stored may touch or not where those meant did.
//! Coincident balls and balls within others overlap like all that share a point.
//!
//! Balls that touch exactly, such as those of a lattice, are all in doubt: they cost some 50 ns each.

use fearless_simd::{Level, prelude::*};

use glam::Vec3;

use super::KernelError;
use super::aabb_aabb::splat3;
use super::reach::{may_reach, signed_square, squares, surely_reaches};
use super::sweep::{Kernel, to_ids, to_mask};
use crate::batch::{Ball, BitMask, Block, SphereBatch};

/// Which balls of a batch overlap a ball. O(n).
pub fn one_many(one: &Ball, many: &SphereBatch, out: &mut BitMask, level: Level) {
    to_mask(OneMany { one: *one, many }, out, level);
}

/// The ids of the balls of a batch that overlap a ball, ascending; `out` is cleared first. O(n).
pub fn one_many_ids(one: &Ball, many: &SphereBatch, out: &mut Vec<u32>, level: Level) {
    to_ids(OneMany { one: *one, many }, out, level);
}

/// Whether ball `i` of the one batch overlaps ball `i` of the other, for every `i`. O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when the batches are not of one length.
pub fn pairwise(
    left: &SphereBatch,
    right: &SphereBatch,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(left.len(), right.len())?;
    to_mask(Pairwise { left, right }, out, level);
    Ok(())
}

/// The squared distances of centres, and the squared sums of radii.
#[inline(always)]
fn sides<S: Simd, F: SimdFloat<S, Element = f32>>(
    [ax, ay, az, ar]: [F; 4],
    [bx, by, bz, br]: [F; 4],
) -> (F, F) {
    let distance2 = squares([ax - bx, ay - by, az - bz]);
    (distance2, signed_square(ar + br))
}

/// The ball of four values.
#[inline(always)]
pub(super) fn ball_of([x, y, z, radius]: [f32; 4]) -> Ball {
    Ball::new(Vec3::new(x, y, z), radius)
}

/// A ball in all lanes.
#[inline(always)]
fn splat4<S: Simd, F: SimdFloat<S, Element = f32>>(simd: S, ball: Ball) -> [F; 4] {
    let [x, y, z] = splat3(simd, ball.centre);
    [x, y, z, F::splat(simd, ball.radius)]
}

#[derive(Clone, Copy)]
struct OneMany<'a> {
    one: Ball,
    many: &'a SphereBatch,
}

impl Kernel<4> for OneMany<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.many.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 4] {
        self.many.blocks()
    }

    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 4]) -> F::Mask {
        let (d2, s2) = sides(*at, splat4(simd, self.one));
        may_reach(simd, d2, s2)
    }

    #[inline(always)]
    fn sure<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 4]) -> F::Mask {
        let (d2, s2) = sides(*at, splat4(simd, self.one));
        surely_reaches(simd, d2, s2)
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 4]) -> bool {
        ball_of(*at).overlaps(&self.one)
    }
}

#[derive(Clone, Copy)]
struct Pairwise<'a> {
    left: &'a SphereBatch,
    right: &'a SphereBatch,
}

impl Kernel<8> for Pairwise<'_> {
    const EXACT: bool = false;

    #[inline(always)]
    fn len(&self) -> usize {
        self.left.len()
    }

    #[inline(always)]
    fn columns(&self) -> [&[Block]; 8] {
        let [a, b, c, d] = self.left.blocks();
        let [e, f, g, h] = self.right.blocks();
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 8]) -> F::Mask {
        let [a, b, c, d, e, f, g, h] = *at;
        let (d2, s2) = sides([a, b, c, d], [e, f, g, h]);
        may_reach(simd, d2, s2)
    }

    #[inline(always)]
    fn sure<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; 8]) -> F::Mask {
        let [a, b, c, d, e, f, g, h] = *at;
        let (d2, s2) = sides([a, b, c, d], [e, f, g, h]);
        surely_reaches(simd, d2, s2)
    }

    #[inline(always)]
    fn test(self, _: usize, at: &[f32; 8]) -> bool {
        let [a, b, c, d, e, f, g, h] = *at;
        ball_of([a, b, c, d]).overlaps(&ball_of([e, f, g, h]))
    }
}

/// References for measurement: how the same is written without a kernel. They compare in single
/// precision and are wrong where rounding decides.
pub mod baseline {
    use super::{Ball, SphereBatch};

    /// The test as it is commonly written.
    #[inline(always)]
    fn overlaps(a: &Ball, b: &Ball) -> bool {
        let (d, s) = (a.centre - b.centre, a.radius + b.radius);
        d.length_squared() <= s * s
    }

    /// The test over an array of structs; `out` is cleared first.
    #[inline(never)]
    pub fn one_many_aos(one: &Ball, many: &[Ball], out: &mut Vec<u32>) {
        out.clear();
        for (i, other) in many.iter().enumerate() {
            if overlaps(one, other) {
                out.push(i as u32);
            }
        }
    }

    /// The test over two arrays of structs, one byte a pair; as many as the shortest of the three has.
    #[inline(never)]
    pub fn pairwise_aos(left: &[Ball], right: &[Ball], out: &mut [u8]) {
        for ((a, b), out) in left.iter().zip(right).zip(out) {
            *out = u8::from(overlaps(a, b));
        }
    }

    /// A plain loop over columns, one byte an element, which the compiler turns into vector code; as many
    /// as the shorter one has.
    #[inline(never)]
    pub fn one_many_soa(one: &Ball, many: &SphereBatch, out: &mut [u8]) {
        let n = many.len().min(out.len());
        let [x, y, z] = many.centre().map(|c| &c.as_slice()[..n]);
        let r = &many.radius().as_slice()[..n];
        let out = &mut out[..n];
        let c = one.centre;
        for i in 0..n {
            let (dx, dy, dz, s) = (x[i] - c.x, y[i] - c.y, z[i] - c.z, r[i] + one.radius);
            out[i] = u8::from(dx * dx + dy * dy + dz * dz <= s * s);
        }
    }

    /// [`one_many_soa`] for pairs.
    #[inline(never)]
    pub fn pairwise_soa(left: &SphereBatch, right: &SphereBatch, out: &mut [u8]) {
        let n = left.len().min(right.len()).min(out.len());
        let [ax, ay, az] = left.centre().map(|c| &c.as_slice()[..n]);
        let [bx, by, bz] = right.centre().map(|c| &c.as_slice()[..n]);
        let (ar, br) = (
            &left.radius().as_slice()[..n],
            &right.radius().as_slice()[..n],
        );
        let out = &mut out[..n];
        for i in 0..n {
            let (dx, dy, dz) = (ax[i] - bx[i], ay[i] - by[i], az[i] - bz[i]);
            let s = ar[i] + br[i];
            out[i] = u8::from(dx * dx + dy * dy + dz * dz <= s * s);
        }
    }
}
