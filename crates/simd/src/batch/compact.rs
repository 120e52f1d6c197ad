//! Hits as ids: from bits to numbers, eight at a time.
//!
//! For each of the 256 masks of eight lanes a table holds the numbers of the lanes that are set, in
//! ascending order. Added to the id of lane zero they are the ids; all eight are stored and the end is
//! moved on by the number of bits, so that the next store overwrites what was too much. There is
//! no branch on the bits, and the cost does not depend on how many are set. AVX-512 has an instruction
//! for the table, and takes sixteen at a time.

use fearless_simd::{mask32x16, prelude::*, u32x8, u32x16};

use super::BitMask;

/// Lanes set in each mask of eight, ascending.
static LANES: [[u32; 8]; 256] = lanes();

const fn lanes() -> [[u32; 8]; 256] {
    let mut out = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 != 0 {
                out[mask][at] = lane;
                at += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    out
}

/// The lanes of a vector of sixteen.
const FIRST: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Ids on their way to a caller's buffer, which thus needs no room for stores past its end.
///
/// How many are held is the caller's to know: were it kept here, next to what [`flush`](Self::flush)
/// is handed by address, every step would go through memory.
pub(crate) struct IdBuffer([u32; IdBuffer::LEN + 16]);

impl IdBuffer {
    /// Ids held back before they go to the caller's buffer.
    pub(crate) const LEN: usize = 512;

    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self([0; Self::LEN + 16])
    }

    /// Adds `base + lane` for each of the lowest eight bits that is set, after `len` ids, and
    /// returns how many there are then.
    #[inline(always)]
    pub(crate) fn add8<S: Simd>(&mut self, simd: S, len: usize, base: u32, bits: u32) -> usize {
        let bits = bits & 0xFF;
        let ids = u32x8::load_array_ref(simd, &LANES[bits as usize]) + u32x8::splat(simd, base);
        if let Some(to) = self.0.get_mut(len..len + 8) {
            ids.store_slice(to);
        }
        len + bits.count_ones() as usize
    }

    /// [`add8`](Self::add8) for sixteen bits, by the instruction where there is one.
    #[inline(always)]
    pub(crate) fn add16<S: Simd>(&mut self, simd: S, len: usize, base: u32, bits: u32) -> usize {
        let ids = u32x16::load_array_ref(simd, &FIRST) + u32x16::splat(simd, base);
        let hit = mask32x16::from_bitmask(simd, u64::from(bits & 0xFFFF));
        if let Some(to) = self.0.get_mut(len..len + 16) {
            ids.compress(hit).store_slice(to);
        }
        len + (bits & 0xFFFF).count_ones() as usize
    }

    /// Hands `len` ids over.
    #[inline(never)]
    pub(crate) fn flush(&self, len: usize, out: &mut Vec<u32>) {
        out.extend_from_slice(&self.0[..len.min(Self::LEN)]);
    }
}

/// Appends the ids of the bits set in `words`, where bit 0 of the first word is id 0.
#[inline(always)]
fn append_ids<S: Simd>(simd: S, words: &[u64], out: &mut Vec<u32>) {
    let mut held = IdBuffer::new();
    let mut len = 0;
    for (i, word) in words.iter().enumerate() {
        if *word != 0 {
            if len + 64 > IdBuffer::LEN {
                held.flush(len, out);
                len = 0;
            }
            let base = 64 * i as u32;
            for byte in 0..8 {
                len = held.add8(simd, len, base + 8 * byte, (word >> (8 * byte)) as u32);
            }
        }
    }
    held.flush(len, out);
}

/// One row of bits for each element of a batch: bit `j` of row `i` says whether the pair of element
/// `i` of the one batch and element `j` of the other is hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaskMatrix {
    words: Vec<u64>,
    rows: usize,
    columns: usize,
}

impl MaskMatrix {
    /// A matrix without rows.
    pub const fn new() -> Self {
        Self {
            words: Vec::new(),
            rows: 0,
            columns: 0,
        }
    }

    /// Number of rows: elements of the left batch.
    #[inline]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns: elements of the right batch.
    #[inline]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Words of a row.
    #[inline]
    pub const fn row_words(&self) -> usize {
        self.columns.div_ceil(64)
    }

    /// Makes this a matrix of `rows` rows of `columns` bits, none of them set. Keeps the memory.
    pub fn clear_and_resize(&mut self, rows: usize, columns: usize) {
        (self.rows, self.columns) = (rows, columns);
        self.words.clear();
        self.words.resize(rows * self.row_words(), 0);
    }

    /// Whether pair (`row`, `column`) is hit; `false` outside.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> bool {
        row < self.rows
            && column < self.columns
            && self
                .words
                .get(row * self.row_words() + column / 64)
                .is_some_and(|word| word >> (column % 64) & 1 != 0)
    }

    /// Number of pairs that are hit.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// All words, row after row; bits past the last column are zero.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

/// For each element of a batch the ids of the elements of another one that it hits, ascending.
///
/// All lists lie in one array, each with its start: no allocation per list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdLists {
    /// Where each list ends; the next one starts there.
    ends: Vec<usize>,
    ids: Vec<u32>,
}

impl IdLists {
    /// No lists.
    pub const fn new() -> Self {
        Self {
            ends: Vec::new(),
            ids: Vec::new(),
        }
    }

    /// Number of lists: elements of the left batch.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The ids that element `i` of the left batch hits; empty where there is no such element.
    #[inline]
    pub fn get(&self, i: usize) -> &[u32] {
        let Some(end) = self.ends.get(i) else {
            return &[];
        };
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.ids[start..*end]
    }

    /// The ids of all lists, one list after the other: as many as there are pairs.
    #[inline]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// All pairs (left, right), sorted.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.len()).flat_map(move |i| self.get(i).iter().map(move |right| (i as u32, *right)))
    }

    /// Forgets all lists and keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.ids.clear();
    }

    /// Adds the list of the next element: the ids of the bits set in `words`.
    #[inline(always)]
    pub(crate) fn push_row<S: Simd>(&mut self, simd: S, words: &[u64]) {
        append_ids(simd, words, &mut self.ids);
        self.ends.push(self.ids.len());
    }
}

impl BitMask {
    /// Writes the elements that are hit, ascending, to `out`, which is cleared first.
    pub fn write_ids(&self, out: &mut Vec<u32>) {
        out.clear();
        out.extend(self.iter().map(|i| i as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use fearless_simd::dispatch;

    /// Rows so far outside that their first word has no number are no hits either.
    #[test]
    fn nothing_is_hit_outside_a_matrix() {
        let mut matrix = MaskMatrix::default();
        matrix.clear_and_resize(2, 100);
        matrix.words_mut().fill(u64::MAX);
        assert!(matrix.get(1, 99));
        for (row, column) in [
            (2, 0),
            (0, 100),
            (usize::MAX / 2 + 1, 0),
            (usize::MAX, usize::MAX),
        ] {
            assert!(!matrix.get(row, column), "{row} {column}");
        }
    }

    #[test]
    fn ids_are_those_of_the_bits_at_every_level() {
        let words: Vec<u64> = (0..40_u64)
            .map(|i| match i % 4 {
                0 => 0,
                1 => u64::MAX,
                _ => i.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            })
            .collect();
        let expected: Vec<u32> = (0..2560)
            .filter(|i| words[*i / 64] >> (i % 64) & 1 != 0)
            .map(|i| i as u32)
            .collect();
        for level in SimdLevel::available() {
            let mut out = vec![7];
            dispatch!(level.token().unwrap(), simd => append_ids(simd, &words, &mut out));
            assert_eq!(out[0], 7, "ids are appended");
            assert_eq!(out[1..], expected, "{level}");
        }
    }
}
