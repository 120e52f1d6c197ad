//! Lists of neighbours from a grid.

use fearless_simd::{f32x8, prelude::*};

use super::grid::Grid;
use super::lists::{CHUNK, Lists, Slot};

/// What a search reads: all grains in cell order.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub grid: &'a Grid,
    /// Where each grain will be: centre and radius of a ball that it will not leave, radius of the grain included.
    /// One column an axis and one for the radius, with eight more lanes at the end that hold NaN.
    pub columns: [&'a [f32]; 4],
    /// Number of grains.
    pub count: usize,
    /// The index that each grain had before, `u32::MAX` for new ones.
    pub came_from: &'a [u32],
    /// The lists before.
    pub old: &'a [Lists],
    /// Whether rolling is resisted.
    pub rolling: bool,
}

/// Fills the lists of the grains from `first`, at most [`CHUNK`] of them.
#[inline(always)]
pub(super) fn fill<S: Simd>(simd: S, search: Search<'_>, first: usize, lists: &mut Lists) {
    let [xs, ys, zs, rs] = search.columns;
    let end = (first + CHUNK).min(search.count);
    lists.starts.clear();
    lists.slots.clear();
    lists.live.clear();
    lists.roll.clear();
    lists.starts.push(0);
    let nobody = search.count as u32;
    let mut found: Vec<u64> = Vec::with_capacity(64);
    let mut at = first;
    while at < end {
        let start = lists.slots.len();
        for lane in 0..(end - at).min(8) {
            let i = at + lane;
            found.clear();
            let (x, y, z, r) = (xs[i], ys[i], zs[i], rs[i]);
            near(simd, search, i, [x, y, z, r], &mut found);
            found.sort_unstable();
            while lists.slots.len() < start + found.len() {
                lists.slots.push(Slot {
                    other: [nobody; 8],
                    slide: [[0.0; 8]; 3],
                });
                lists.live.push(false);
                if search.rolling {
                    lists.roll.push([[0.0; 8]; 3]);
                }
            }
            let came_from = search.came_from[i];
            for (k, &entry) in found.iter().enumerate() {
                let other = entry as u32;
                let slot = start + k;
                lists.slots[slot].other[lane] = other;
                if came_from == u32::MAX {
                    continue;
                }
                let other_from = search.came_from[other as usize];
                let from = came_from as usize;
                if let Some(stretch) = search
                    .old
                    .get(from / CHUNK)
                    .and_then(|old| old.find(from % CHUNK, other_from))
                {
                    lists.set_stretch(slot, lane, stretch);
                    lists.live[slot] = true;
                }
            }
        }
        lists.starts.push(lists.slots.len() as u32);
        at += 8;
    }
}

/// Collects who comes near a grain: the bits of the squared distance and the index, so that sorting puts the
/// nearest first.
#[inline(always)]
fn near<S: Simd>(simd: S, search: Search<'_>, i: usize, own: [f32; 4], found: &mut Vec<u64>) {
    let [xs, ys, zs, rs] = search.columns;
    let (ranges, count) = search.grid.around(&own);
    for &[from, to] in &ranges[..count] {
        let (mut k, to) = (from as usize, to as usize);
        while k < to {
            let balls = [&xs[k..k + 8], &ys[k..k + 8], &zs[k..k + 8], &rs[k..k + 8]];
            let (squares, bits) = within(simd, balls, own);
            let mut bits = bits & ((1 << (to - k).min(8)) - 1);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let other = k + lane;
                if other != i {
                    found.push(u64::from(squares[lane].to_bits()) << 32 | other as u64);
                }
            }
            k += 8;
        }
    }
}

/// Squared distances to eight balls, and which of them overlap a ball, as bits.
#[inline(always)]
fn within<S: Simd>(simd: S, balls: [&[f32]; 4], own: [f32; 4]) -> ([f32; 8], u32) {
    let dx = f32x8::from_slice(simd, balls[0]) - f32x8::splat(simd, own[0]);
    let dy = f32x8::from_slice(simd, balls[1]) - f32x8::splat(simd, own[1]);
    let dz = f32x8::from_slice(simd, balls[2]) - f32x8::splat(simd, own[2]);
    let reach = f32x8::from_slice(simd, balls[3]) + f32x8::splat(simd, own[3]);
    let square = dx * dx + dy * dy + dz * dz;
    let mask = square.simd_le(reach * reach);
    (square.into(), mask.to_bitmask() as u32)
}
