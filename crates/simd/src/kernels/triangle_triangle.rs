//! Triangles against triangles: one against many, and triangle i against triangle i. Exact: touching
//! counts, whatever the position, and triangles without area or in one plane are nothing special.
//!
//! The twin, [`meet`], evaluates signs of volumes in double precision with a bound of their error, and
//! asks [`exact`](crate::exact) where one of them is in doubt. The wide kernels do the same in single
//! precision, leave groups of lanes in which nothing is left to decide, and ask the twin about lanes in
//! doubt: next to none in general position, and all in which a corner lies in the other's plane or edges
//! touch. All answers are those of exact arithmetic, so they are the same at every level.
//!
//! Triangles with a coordinate that is NaN or infinite meet nothing.

mod single;
mod wide;

use fearless_simd::{Level, dispatch, prelude::*};

use super::KernelError;
use super::lanes::{lanes, splat, valid};
use crate::Triangle;
use crate::batch::{BLOCK, BitMask, TriangleBatch};

pub use single::meet;
use wide::{Plane, filter};

/// What becomes of the triangles that meet, block by block.
trait Sink {
    fn block(&mut self, block: usize, met: u32);
}

impl Sink for &mut BitMask {
    #[inline(always)]
    fn block(&mut self, block: usize, met: u32) {
        super::lanes::put(self, block, met);
    }
}

impl Sink for &mut Vec<u32> {
    #[inline(always)]
    fn block(&mut self, block: usize, mut met: u32) {
        while met != 0 {
            self.push((block * BLOCK) as u32 + met.trailing_zeros());
            met &= met - 1;
        }
    }
}

/// Which triangles meet one; bit i is triangle i. Cost: O(n).
pub fn one_many(one: &Triangle, many: &TriangleBatch, out: &mut BitMask, level: Level) {
    out.clear_and_resize(many.len());
    let mut sink = out;
    one_to_many(one, many, level, &mut sink);
}

/// The indices of the triangles that meet one, ascending. `out` is cleared first. Cost: O(n).
pub fn one_many_ids(one: &Triangle, many: &TriangleBatch, out: &mut Vec<u32>, level: Level) {
    out.clear();
    let mut sink = out;
    one_to_many(one, many, level, &mut sink);
}

/// For which i the triangles i of two batches meet, bit by bit. Cost: O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when one batch is longer.
pub fn pairwise(
    left: &TriangleBatch,
    right: &TriangleBatch,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(left.len(), right.len())?;
    out.clear_and_resize(left.len());
    let mut sink = out;
    pairs(left, right, level, &mut sink);
    Ok(())
}

/// For which i the triangles i of two batches meet, ascending. `out` is cleared first. Cost: O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when one batch is longer.
pub fn pairwise_ids(
    left: &TriangleBatch,
    right: &TriangleBatch,
    out: &mut Vec<u32>,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(left.len(), right.len())?;
    out.clear();
    let mut sink = out;
    pairs(left, right, level, &mut sink);
    Ok(())
}

fn one_to_many<K: Sink>(one: &Triangle, many: &TriangleBatch, level: Level, sink: &mut K) {
    dispatch!(level, simd => one_to_many_wide(simd, one, many, sink));
}

#[inline(always)]
fn one_to_many_wide<S: Simd, K: Sink>(simd: S, one: &Triangle, many: &TriangleBatch, sink: &mut K) {
    if simd.level().is_fallback() {
        return one_to_many_twin(one, many, sink);
    }
    let corners = [
        splat::<S>(simd, one.a),
        splat::<S>(simd, one.b),
        splat::<S>(simd, one.c),
    ];
    let plane = Plane::<S>::new(simd, &corners);
    let [a, b, c] = many.blocks();
    for block in 0..a[0].len() {
        let (mut met, mut doubt) = (0, 0);
        let mut first = 0;
        while first < BLOCK {
            let others = [
                lanes::<S>(simd, &a, block, first),
                lanes::<S>(simd, &b, block, first),
                lanes::<S>(simd, &c, block, first),
            ];
            let [sure, unsure] = filter::<S>(simd, &corners, &plane, &others);
            met |= (sure as u32) << first;
            doubt |= (unsure as u32) << first;
            first += S::f32s::LEN;
        }
        doubt &= valid(block, many.len());
        while doubt != 0 {
            let lane = doubt.trailing_zeros();
            let other = many.at(block * BLOCK + lane as usize);
            met |= u32::from(meet(one, &other)) << lane;
            doubt &= doubt - 1;
        }
        sink.block(block, met);
    }
}

#[inline(never)]
fn one_to_many_twin<K: Sink>(one: &Triangle, many: &TriangleBatch, sink: &mut K) {
    for block in 0..many.len().div_ceil(BLOCK) {
        let mut met = 0;
        for index in block * BLOCK..many.len().min((block + 1) * BLOCK) {
            met |= u32::from(meet(one, &many.at(index))) << (index % BLOCK);
        }
        sink.block(block, met);
    }
}

fn pairs<K: Sink>(left: &TriangleBatch, right: &TriangleBatch, level: Level, sink: &mut K) {
    dispatch!(level, simd => pairs_wide(simd, left, right, sink));
}

#[inline(always)]
fn pairs_wide<S: Simd, K: Sink>(
    simd: S,
    left: &TriangleBatch,
    right: &TriangleBatch,
    sink: &mut K,
) {
    if simd.level().is_fallback() {
        return pairs_twin(left, right, sink);
    }
    let [a, b, c] = left.blocks();
    let [d, e, f] = right.blocks();
    for block in 0..a[0].len() {
        let (mut met, mut doubt) = (0, 0);
        let mut first = 0;
        while first < BLOCK {
            let corners = [
                lanes::<S>(simd, &a, block, first),
                lanes::<S>(simd, &b, block, first),
                lanes::<S>(simd, &c, block, first),
            ];
            let others = [
                lanes::<S>(simd, &d, block, first),
                lanes::<S>(simd, &e, block, first),
                lanes::<S>(simd, &f, block, first),
            ];
            let plane = Plane::<S>::new(simd, &corners);
            let [sure, unsure] = filter::<S>(simd, &corners, &plane, &others);
            met |= (sure as u32) << first;
            doubt |= (unsure as u32) << first;
            first += S::f32s::LEN;
        }
        doubt &= valid(block, left.len());
        while doubt != 0 {
            let lane = doubt.trailing_zeros();
            let index = block * BLOCK + lane as usize;
            met |= u32::from(meet(&left.at(index), &right.at(index))) << lane;
            doubt &= doubt - 1;
        }
        sink.block(block, met);
    }
}

#[inline(never)]
fn pairs_twin<K: Sink>(left: &TriangleBatch, right: &TriangleBatch, sink: &mut K) {
    for block in 0..left.len().div_ceil(BLOCK) {
        let mut met = 0;
        for index in block * BLOCK..left.len().min((block + 1) * BLOCK) {
            let found = meet(&left.at(index), &right.at(index));
            met |= u32::from(found) << (index % BLOCK);
        }
        sink.block(block, met);
    }
}

/// What the kernels are measured against; not for use.
pub mod baseline {
    use super::meet;
    use crate::Triangle;

    /// The triangles that meet one by the twin, one after the other.
    #[inline(never)]
    pub fn one_many_aos(one: &Triangle, many: &[Triangle], out: &mut Vec<u32>) {
        out.clear();
        for (id, other) in (0_u32..).zip(many) {
            if meet(one, other) {
                out.push(id);
            }
        }
    }

    /// For which i triangles i meet by the twin, one after the other up to the shorter slice.
    #[inline(never)]
    pub fn pairwise_aos(left: &[Triangle], right: &[Triangle], out: &mut Vec<u32>) {
        out.clear();
        for (id, (left, right)) in (0_u32..).zip(left.iter().zip(right)) {
            if meet(left, right) {
                out.push(id);
            }
        }
    }
}
