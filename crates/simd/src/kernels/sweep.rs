//! The loops that all kernels share: along the columns of one or two batches, to bits or to ids.
//!
//! A kernel says what is asked of the lanes of a vector and of a single element. The loops pick the
//! width: sixteen lanes at AVX-512, eight elsewhere, and the single test at the scalar level.

use fearless_simd::{Level, dispatch, f32x8, f32x16, prelude::*};

use crate::batch::{BLOCK, BitMask, Block, IdBuffer};

/// A question asked of every element of a batch, over `N` columns.
///
/// A kernel implements [`lanes`](Self::lanes), or [`near`](Self::near) and [`sure`](Self::sure).
pub(crate) trait Kernel<const N: usize>: Copy {
    /// Whether lanes are never in doubt.
    const EXACT: bool;

    /// Number of elements.
    fn len(&self) -> usize;

    /// The columns, all of them of [`len`](Self::len) elements.
    fn columns(&self) -> [&[Block]; N];

    /// The lanes that are certainly hit, and those that certainly are not (ignored where lanes are
    /// never in doubt). A lane that is NaN is not hit, or in doubt.
    #[inline(always)]
    fn lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        self,
        simd: S,
        at: &[F; N],
    ) -> (F::Mask, F::Mask) {
        (self.sure(simd, at), !self.near(simd, at))
    }

    /// The lanes that may be hit: all others are not. Where lanes are never in doubt, those that are.
    #[inline(always)]
    fn near<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; N]) -> F::Mask {
        let (hit, miss) = self.lanes(simd, at);
        if Self::EXACT { hit } else { !miss }
    }

    /// The lanes among those near that are hit without doubt.
    #[inline(always)]
    fn sure<S: Simd, F: SimdFloat<S, Element = f32>>(self, simd: S, at: &[F; N]) -> F::Mask {
        self.lanes(simd, at).0
    }

    /// Whether element `i`, whose values are `at`, is hit: the scalar twin, and the last word where a
    /// lane is in doubt.
    fn test(self, i: usize, at: &[f32; N]) -> bool;
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
    let (_, columns) = cut(&kernel);
    for (w, word) in words.iter_mut().enumerate() {
        let first = 64 * w;
        let mut bits = 0;
        for lane in 0..(kernel.len() - first).min(64) {
            let hit = kernel.test(first + lane, &values_at(&columns, first + lane));
            bits |= u64::from(hit) << lane;
        }
        *word = bits;
    }
}

#[inline(never)]
fn ids_scalar<const N: usize, K: Kernel<N>>(kernel: K, out: &mut Vec<u32>) {
    let (_, columns) = cut(&kernel);
    for i in 0..kernel.len() {
        if kernel.test(i, &values_at(&columns, i)) {
            out.push(i as u32);
        }
    }
}

/// The values of element `i`.
#[inline(always)]
fn values_at<const N: usize>(columns: &[&[Block]; N], i: usize) -> [f32; N] {
    let mut at = [0.0; N];
    for (at, column) in at.iter_mut().zip(columns) {
        *at = column[i / BLOCK].0[i % BLOCK];
    }
    at
}

/// The columns cut to one length, which spares the loops the checks of each of them.
#[inline(always)]
fn cut<const N: usize, K: Kernel<N>>(kernel: &K) -> (usize, [&[Block]; N]) {
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
    // What is handed to the cold path has an address; the loop's own copies stay in registers.
    let (cold, cold_columns) = (kernel, columns);
    for (w, word) in words.iter_mut().enumerate() {
        let mut bits = 0;
        for quarter in 0..4 {
            let block = 4 * w + quarter;
            if block < blocks {
                let (sure, doubt) = block_bits(simd, kernel, &columns, block);
                let mut hit = sure;
                if !K::EXACT && doubt != 0 {
                    hit |= settle(&cold, &cold_columns, block, doubt);
                }
                bits |= u64::from(hit) << (BLOCK * quarter);
            }
        }
        *word = bits;
    }
}

#[inline(always)]
fn ids_wide<S: Simd, const N: usize, K: Kernel<N>>(simd: S, kernel: K, out: &mut Vec<u32>) {
    let (blocks, columns) = cut(&kernel);
    let (cold, cold_columns) = (kernel, columns);
    let mut held = IdBuffer::new();
    let mut len = 0;
    for block in 0..blocks {
        let (mut hit, doubt) = block_bits(simd, kernel, &columns, block);
        if !K::EXACT && doubt != 0 {
            hit |= settle(&cold, &cold_columns, block, doubt);
        }
        let base = (BLOCK * block) as u32;
        if len + BLOCK > IdBuffer::LEN {
            held.flush(len, out);
            len = 0;
        }
        if is_avx512(simd.level()) {
            len = held.add16(simd, len, base, hit);
        } else {
            len = held.add8(simd, len, base, hit);
            len = held.add8(simd, len, base + 8, hit >> 8);
        }
    }
    held.flush(len, out);
}

/// The bits of the lanes of a block that are hit without doubt, and of those in doubt.
///
/// Both are computed always: to ask first whether anything is near is quicker for a query asked over
/// and over, but where one lane in twenty is near the branch costs twice what it spares.
#[inline(always)]
fn block_bits<S: Simd, const N: usize, K: Kernel<N>>(
    simd: S,
    kernel: K,
    columns: &[&[Block]; N],
    block: usize,
) -> (u32, u32) {
    if is_avx512(simd.level()) {
        let at = load::<S, f32x16<S>, N>(simd, columns, block, 0);
        if K::EXACT {
            return (kernel.near(simd, &at).to_bitmask() as u32, 0);
        }
        let (sure, miss) = kernel.lanes(simd, &at);
        let doubt = !(sure | miss);
        (sure.to_bitmask() as u32, doubt.to_bitmask() as u32)
    } else {
        let low = load::<S, f32x8<S>, N>(simd, columns, block, 0);
        let high = load::<S, f32x8<S>, N>(simd, columns, block, 8);
        if K::EXACT {
            let near = (kernel.near(simd, &low), kernel.near(simd, &high));
            return (bits_of::<S, f32x8<S>>(near.0, near.1), 0);
        }
        let (low, high) = (kernel.lanes(simd, &low), kernel.lanes(simd, &high));
        let sure = (low.0, high.0);
        let doubt = (!(low.0 | low.1), !(high.0 | high.1));
        let in_doubt = if (doubt.0 | doubt.1).any_true() {
            bits_of::<S, f32x8<S>>(doubt.0, doubt.1)
        } else {
            0
        };
        (bits_of::<S, f32x8<S>>(sure.0, sure.1), in_doubt)
    }
}

/// The bits of two masks of eight lanes.
#[inline(always)]
fn bits_of<S: Simd, F: SimdFloat<S, Element = f32>>(low: F::Mask, high: F::Mask) -> u32 {
    (low.to_bitmask() | high.to_bitmask() << 8) as u32
}

/// The lanes of all columns from lane `lane` of a block on.
#[inline(always)]
fn load<S: Simd, F: SimdFloat<S, Element = f32>, const N: usize>(
    simd: S,
    columns: &[&[Block]; N],
    block: usize,
    lane: usize,
) -> [F; N] {
    let mut at = [F::splat(simd, 0.0); N];
    for (at, column) in at.iter_mut().zip(columns) {
        *at = F::from_slice(simd, &column[block].0[lane..lane + F::LEN]);
    }
    at
}

/// Which of the lanes in doubt are hit, one by one; padding may be among them.
#[cold]
#[inline(never)]
fn settle<const N: usize, K: Kernel<N>>(
    kernel: &K,
    columns: &[&[Block]; N],
    block: usize,
    mut doubt: u32,
) -> u32 {
    let mut hit = 0;
    while doubt != 0 {
        let lane = doubt.trailing_zeros();
        doubt &= doubt - 1;
        let i = BLOCK * block + lane as usize;
        if i < kernel.len() {
            let at = values_at(columns, i);
            hit |= u32::from(kernel.test(i, &at)) << lane;
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
