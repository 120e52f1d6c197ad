//! Where pairs are collected before they are handed on.

use core::ops::ControlFlow;

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
        self.pairs.resize(CHUNK, [0; 2]);
        self.len = 0;
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

    /// Appends the pairs whose bits are set, bit `8 i + j` for `a[i]` and `b[j]`; room for 64 must
    /// have been made. Sorted pairs have the smaller id first.
    #[inline(always)]
    pub(crate) fn push_bits<const SORTED: bool>(
        &mut self,
        mut bits: u64,
        a: &[u32; 8],
        b: &[u32; 8],
    ) {
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            let (a, b) = (a[bit >> 3], b[bit & 7]);
            self.push(if SORTED { [a.min(b), a.max(b)] } else { [a, b] });
            bits &= bits - 1;
        }
    }
}
