//! Where pairs are collected before they are handed on.

use core::ops::ControlFlow;

use fearless_simd::{mask32x8, prelude::*, u32x8};

use crate::tuning::FEW_BITS;

/// How many pairs a chunk holds at most.
pub const CHUNK: usize = 4096;

/// A chunk being filled. The memory is reused; a full chunk is handed to `flush` in the methods
/// that need room.
#[derive(Debug, Default)]
pub(crate) struct PairBuffer {
    pairs: Vec<[u32; 2]>,
    len: usize,
}

impl PairBuffer {
    /// Forgets what it holds.
    pub(crate) fn clear(&mut self) {
        // Rows are stored whole: room for eight beyond a full chunk.
        self.pairs.resize(CHUNK + 8, [0; 2]);
        self.len = 0;
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<[u32; 2]>()
    }

    /// Makes room for `count ≤ CHUNK` more pairs.
    #[inline(always)]
    pub(crate) fn reserve(
        &mut self,
        count: usize,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.len + count > CHUNK {
            return self.finish(flush);
        }
        ControlFlow::Continue(())
    }

    /// Hands on what is left.
    #[inline(always)]
    pub(crate) fn finish(
        &mut self,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let len = core::mem::take(&mut self.len);
        if len == 0 {
            return ControlFlow::Continue(());
        }
        flush(&self.pairs[..len])
    }

    /// Appends a pair; room must have been made.
    #[inline(always)]
    pub(crate) fn push(&mut self, pair: [u32; 2]) {
        self.pairs[self.len] = pair;
        self.len += 1;
    }

    /// Appends the pairs of `a` with the `b[j]` whose bits are set; room for eight must have been
    /// made. Sorted pairs have the smaller id first.
    ///
    /// Without branches: the ids are moved to the front through a permutation, all eight lanes are
    /// stored, and the length grows by as many as were set; the next row overwrites the rest.
    #[inline(always)]
    pub(crate) fn push_row<const SORTED: bool, S: Simd>(
        &mut self,
        simd: S,
        bits: u32,
        a: u32,
        b: &[u32; 8],
    ) {
        if simd.level().is_fallback() {
            return self.push_row_scalar::<SORTED>(bits, a, b);
        }
        let a = u32x8::splat(simd, a);
        let b = u32x8::load_array_ref(simd, b).compress(mask32x8::from_bitmask(simd, bits.into()));
        let (first, second) = if SORTED { (a.min(b), a.max(b)) } else { (a, b) };
        let (low, high) = first.interleave(second);
        let room = self.pairs[self.len..self.len + 8].as_flattened_mut();
        low.store_slice(&mut room[..8]);
        high.store_slice(&mut room[8..]);
        self.len += bits.count_ones() as usize;
    }

    /// The scalar twin of [`push_row`](Self::push_row).
    #[inline(never)]
    fn push_row_scalar<const SORTED: bool>(&mut self, mut bits: u32, a: u32, b: &[u32; 8]) {
        while bits != 0 {
            let b = b[bits.trailing_zeros() as usize];
            self.push(if SORTED { [a.min(b), a.max(b)] } else { [a, b] });
            bits &= bits - 1;
        }
    }

    /// As [`push_row`](Self::push_row) for eight rows: bit `8 i + j` for `a[i]` and `b[j]`; room
    /// for 64 must have been made.
    #[inline(always)]
    pub(crate) fn push_rows<const SORTED: bool, S: Simd>(
        &mut self,
        simd: S,
        mut bits: u64,
        a: &[u32; 8],
        b: &[u32; 8],
    ) {
        if bits.count_ones() <= FEW_BITS || simd.level().is_fallback() {
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                let (a, b) = (a[bit >> 3], b[bit & 7]);
                self.push(if SORTED { [a.min(b), a.max(b)] } else { [a, b] });
                bits &= bits - 1;
            }
            return;
        }
        let b = u32x8::load_array_ref(simd, b);
        for (lane, &a) in a.iter().enumerate() {
            let row = (bits >> (8 * lane)) & 0xFF;
            let a = u32x8::splat(simd, a);
            let b = b.compress(mask32x8::from_bitmask(simd, row));
            let (first, second) = if SORTED { (a.min(b), a.max(b)) } else { (a, b) };
            let (low, high) = first.interleave(second);
            let room = self.pairs[self.len..self.len + 8].as_flattened_mut();
            low.store_slice(&mut room[..8]);
            high.store_slice(&mut room[8..]);
            self.len += row.count_ones() as usize;
        }
    }
}
