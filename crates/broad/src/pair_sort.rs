//! Sorts pairs of ids.

use crate::radix::{Keyed, sort_by_key};
use crate::tuning::PAIR_RADIX_FROM;

/// `a << bits of an id | b`: as few passes as the ids have bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PairKey(u64);

impl Keyed for PairKey {
    const KEY_BITS: u32 = 64;

    #[inline(always)]
    fn key(self) -> u64 {
        self.0
    }

    #[inline(always)]
    fn id(self) -> u32 {
        // Equal keys are equal pairs.
        0
    }
}

/// Sorts pairs of ids below `ids`. Cost: O(pairs), and 16 bytes a pair while it lasts.
pub(crate) fn sort_pairs(pairs: &mut [[u32; 2]], ids: usize) {
    if pairs.len() < PAIR_RADIX_FROM {
        pairs.sort_unstable();
        return;
    }
    let bits = usize::BITS - ids.leading_zeros();
    let mut keys: Vec<_> = pairs
        .iter()
        .map(|&[a, b]| PairKey((u64::from(a) << bits) | u64::from(b)))
        .collect();
    sort_by_key(&mut keys, &mut Vec::new());
    let low = (1 << bits) - 1;
    for (pair, PairKey(key)) in pairs.iter_mut().zip(keys) {
        *pair = [(key >> bits) as u32, (key & low) as u32];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_comparisons() {
        for (ids, n) in [
            (1_usize, 0),
            (3, 2),
            (1000, 5000),
            (1 << 20, 9000),
            (u32::MAX as usize, 9000),
        ] {
            let mut state = 1_u64;
            let mut draw = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                ((state >> 33) as usize * 2 % ids) as u32
            };
            let mut pairs: Vec<_> = (0..n).map(|_| [draw(), draw()]).collect();
            let mut right = pairs.clone();
            right.sort_unstable();
            sort_pairs(&mut pairs, ids);
            assert_eq!(pairs, right);
        }
    }
}
