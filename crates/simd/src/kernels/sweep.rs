//! The loops that all kernels share: along the columns of one or two batches, to bits or to ids.
//!
//! A kernel says what is asked of the lanes of a vector and of a single element. The loops pick the
//! width: sixteen lanes at AVX-512, eight elsewhere, and the single test at the scalar level.

use fearless_simd::{Level, dispatch, f32x8, f32x16, prelude::*};

use crate::batch::{BLOCK, BitMask, Block, IdBuffer};

/// A question asked of every element of a batch, over `N` columns.
pub(crate) trait Kernel<const N: usize>: Copy {
    /// Whether lanes are never in doubt.
    const EXACT: bool;

    /// Number of elements.
    fn len(&self) -> usize;

    /// The columns, all of them of [`len`](Self::len) elements.
    fn columns(&self) -> [&[Block]; N];

    /// The lanes that are certainly hit, and those that certainly are not (ignored where lanes are
    /// never in doubt). A lane that is NaN is not hit, or in doubt.
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; N],
    ) -> (F::Mask, F::Mask);

    /// Whether element `i` is hit: the scalar twin, and the last word where a lane is in doubt.
    fn test(self, i: usize) -> bool;
}

/// Which elements are hit, as bits.
#[inline(always)]
pub(crate) fn to_mask<const N: usize, K: Kernel<N>>(kernel: K, out: &mut BitMask, level: Level) {
    out.clear_and_resize(kernel.len());
    let words = out.words_mut();
    dispatch!(level, simd => if simd.level().is_fallback() {
        mask_scalar(kernel, words);
    } else {
        mask_wide(simd, kernel, words);
    });
}

/// Which elements are hit, as ascending ids; `out` is cleared first.
#[inline(always)]
pub(crate) fn to_ids<const N: usize, K: Kernel<N>>(kernel: K, out: &mut Vec<u32>, level: Level) {
    out.clear();
    dispatch!(level, simd => if simd.level().is_fallback() {
        ids_scalar(kernel, out);
    } else {
        ids_wide(simd, kernel, out);
    });
}

#[inline(never)]
fn mask_scalar<const N: usize, K: Kernel<N>>(kernel: K, words: &mut [u64]) {
    for i in 0..kernel.len() {
        words[i / 64] |= u64::from(kernel.test(i)) << (i % 64);
    }
}

#[inline(never)]
fn ids_scalar<const N: usize, K: Kernel<N>>(kernel: K, out: &mut Vec<u32>) {
    for i in 0..kernel.len() {
        if kernel.test(i) {
            out.push(i as u32);
        }
    }
}

/// The columns cut to one length, which spares the loops the checks of each of them.
#[inline(always)]
fn cut<'a, const N: usize, K: Kernel<N>>(kernel: &'a K) -> (usize, [&'a [Block]; N]) {
    let blocks = kernel.len().div_ceil(BLOCK);
    let mut columns = kernel.columns();
    for column in &mut columns {
        *column = &column[..blocks];
    }
    (blocks, columns)
}

#[inline(always)]
pub(super) fn mask_wide<S: Simd, const N: usize, K: Kernel<N>>(
    simd: S,
    kernel: K,
    words: &mut [u64],
) {
    let (blocks, columns) = cut(&kernel);
    for (w, word) in words.iter_mut().enumerate() {
        let mut bits = 0;
        for quarter in 0..4 {
            let block = 4 * w + quarter;
            if block < blocks {
                bits |= u64::from(block_bits(simd, kernel, &columns, block)) << (BLOCK * quarter);
            }
        }
        *word = bits;
    }
}

#[inline(always)]
fn ids_wide<S: Simd, const N: usize, K: Kernel<N>>(simd: S, kernel: K, out: &mut Vec<u32>) {
    let (blocks, columns) = cut(&kernel);
    let mut ids = IdBuffer::new(out);
    for block in 0..blocks {
        let bits = block_bits(simd, kernel, &columns, block);
        let base = (BLOCK * block) as u32;
        ids.make_room(BLOCK);
        ids.add8(simd, base, bits);
        ids.add8(simd, base + 8, bits >> 8);
    }
    ids.flush();
}

/// The bits of a block, doubts settled.
#[inline(always)]
fn block_bits<S: Simd, const N: usize, K: Kernel<N>>(
    simd: S,
    kernel: K,
    columns: &[&[Block]; N],
    block: usize,
) -> u32 {
    let (hit, miss) = if is_avx512(simd.level()) {
        lanes_at::<S, f32x16<S>, N, K>(simd, kernel, columns, block, 0)
    } else {
        let low = lanes_at::<S, f32x8<S>, N, K>(simd, kernel, columns, block, 0);
        let high = lanes_at::<S, f32x8<S>, N, K>(simd, kernel, columns, block, 8);
        (low.0 | high.0 << 8, low.1 | high.1 << 8)
    };
    if !K::EXACT {
        let doubt = !(hit | miss) & 0xFFFF;
        if doubt != 0 {
            return hit | settle(kernel, BLOCK * block, doubt);
        }
    }
    hit
}

#[inline(always)]
fn lanes_at<S: Simd, F: SimdFloat<S, Element = f32>, const N: usize, K: Kernel<N>>(
    simd: S,
    kernel: K,
    columns: &[&[Block]; N],
    block: usize,
    lane: usize,
) -> (u32, u32) {
    let mut at = [F::splat(simd, 0.0); N];
    for (at, column) in at.iter_mut().zip(columns) {
        *at = F::from_slice(simd, &column[block].0[lane..lane + F::LEN]);
    }
    let (hit, miss) = kernel.lanes(simd, &at);
    let miss = if K::EXACT { 0 } else { miss.to_bitmask() };
    (hit.to_bitmask() as u32, miss as u32)
}

/// Which of the lanes in doubt are hit, one by one. Padding, which is NaN, is always in doubt.
#[cold]
#[inline(never)]
fn settle<const N: usize, K: Kernel<N>>(kernel: K, base: usize, mut doubt: u32) -> u32 {
    let mut hit = 0;
    while doubt != 0 {
        let lane = doubt.trailing_zeros();
        doubt &= doubt - 1;
        let i = base + lane as usize;
        if i < kernel.len() && kernel.test(i) {
            hit |= 1 << lane;
        }
    }
    hit
}

/// Whether a level compares into mask registers, sixteen lanes at a time.
#[inline(always)]
#[allow(
    unused_variables,
    reason = "no level of other machines has sixteen lanes"
)]
fn is_avx512(level: Level) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return matches!(level, Level::Avx512(_));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    false
}
