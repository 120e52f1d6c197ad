//! One bit for each element of a batch.

/// Bits in a word.
const WORD: usize = u64::BITS as usize;

/// Which elements of a batch are hit: bit `i` of the mask is element `i`.
///
/// Bits past the last element are zero in every word, so that counting and iterating need no end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitMask {
    words: Vec<u64>,
    len: usize,
}

impl BitMask {
    /// A mask of no elements.
    pub const fn new() -> Self {
        Self {
            words: Vec::new(),
            len: 0,
        }
    }

    /// Number of elements, hit or not.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements at all.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes this a mask of `len` elements, none of them hit. Keeps the memory.
    pub fn clear_and_resize(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(WORD), 0);
        self.len = len;
    }

    /// Whether element `i` is hit; `false` past the end.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        self.words
            .get(i / WORD)
            .is_some_and(|word| word >> (i % WORD) & 1 != 0)
    }

    /// Marks element `i`. Elements past the end are left alone.
    #[inline]
    pub fn set(&mut self, i: usize, hit: bool) {
        if i < self.len {
            let bit = 1 << (i % WORD);
            let word = &mut self.words[i / WORD];
            *word = if hit { *word | bit } else { *word & !bit };
        }
    }

    /// Number of elements that are hit.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The elements that are hit, ascending.
    pub fn iter(&self) -> Ones<'_> {
        Ones {
            words: self.words.iter(),
            word: 0,
            next: 0,
        }
    }

    /// The bits, 64 elements a word, the first element lowest.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bits, to be written by a kernel, which keeps those past the last element zero.
    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

impl FromIterator<bool> for BitMask {
    fn from_iter<I: IntoIterator<Item = bool>>(hits: I) -> Self {
        let mut out = Self::new();
        for hit in hits {
            if out.len.is_multiple_of(WORD) {
                out.words.push(0);
            }
            out.len += 1;
            out.set(out.len - 1, hit);
        }
        out
    }
}

impl<'a> IntoIterator for &'a BitMask {
    type Item = usize;
    type IntoIter = Ones<'a>;

    fn into_iter(self) -> Ones<'a> {
        self.iter()
    }
}

/// The elements of a [`BitMask`] that are hit, ascending.
#[derive(Clone, Debug)]
pub struct Ones<'a> {
    words: core::slice::Iter<'a, u64>,
    /// What is left of the current word.
    word: u64,
    /// First element of the word after it.
    next: usize,
}

impl Iterator for Ones<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            self.word = *self.words.next()?;
            self.next += WORD;
        }
        let lane = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.next - WORD + lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_kept_counted_and_listed() {
        for len in [0, 1, 63, 64, 65, 200] {
            let hits: Vec<bool> = (0..len).map(|i| i % 3 == 0 || i % 64 == 63).collect();
            let mask: BitMask = hits.iter().copied().collect();
            assert_eq!((mask.len(), mask.is_empty()), (len, len == 0));
            assert!((0..len).all(|i| mask.get(i) == hits[i]));
            assert!(!mask.get(len) && !mask.get(len + 64));
            let listed: Vec<usize> = mask.iter().collect();
            let expected: Vec<usize> = (0..len).filter(|i| hits[*i]).collect();
            assert_eq!(listed, expected);
            assert_eq!(mask.count_ones(), expected.len());
            let mut changed = mask.clone();
            changed.set(len, true);
            assert_eq!(changed, mask, "past the end nothing is marked");
            if len > 0 {
                changed.set(0, false);
                assert!(!changed.get(0) && changed.count_ones() + 1 == mask.count_ones());
            }
            changed.clear_and_resize(len);
            assert_eq!((changed.len(), changed.count_ones()), (len, 0));
        }
    }
}
