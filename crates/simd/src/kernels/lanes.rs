//! How kernels load lanes of columns.

use fearless_simd::prelude::*;
use glam::Vec3;

use crate::batch::{BLOCK, BitMask, Block};

/// As many lanes of three columns as the level is wide, from lane `first` of a block on.
#[inline(always)]
pub(super) fn lanes<S: Simd>(
    simd: S,
    columns: &[&[Block]; 3],
    block: usize,
    first: usize,
) -> [S::f32s; 3] {
    let end = first + S::f32s::LEN;
    [
        S::f32s::from_slice(simd, &columns[0][block].0[first..end]),
        S::f32s::from_slice(simd, &columns[1][block].0[first..end]),
        S::f32s::from_slice(simd, &columns[2][block].0[first..end]),
    ]
}

/// One point in all lanes.
#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, point: Vec3) -> [S::f32s; 3] {
    [
        S::f32s::splat(simd, point.x),
        S::f32s::splat(simd, point.y),
        S::f32s::splat(simd, point.z),
    ]
}

/// The lanes of a block that hold elements, as bits.
#[inline(always)]
pub(super) fn valid(block: usize, len: usize) -> u32 {
    let elements = (len - block * BLOCK).min(BLOCK);
    (1 << elements) - 1
}

/// Sets the bits of a block in a mask, which must be zero.
#[inline(always)]
pub(super) fn put(mask: &mut BitMask, block: usize, bits: u32) {
    const PER_WORD: usize = 64 / BLOCK;
    if let Some(word) = mask.words_mut().get_mut(block / PER_WORD) {
        *word |= u64::from(bits) << (block % PER_WORD * BLOCK);
    }
}
