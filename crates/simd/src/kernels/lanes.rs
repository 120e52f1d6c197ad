//! How kernels load lanes of columns.

use fearless_simd::prelude::*;
use glam::Vec3;

use crate::batch::{BLOCK, Block};

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
