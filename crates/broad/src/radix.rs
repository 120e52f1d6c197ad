//! Stable sort of `key << 32 | id` by the key.

use crate::tuning::RADIX_FROM;

const DIGIT_BITS: u32 = 11;
const BUCKETS: usize = 1 << DIGIT_BITS;
const PASSES: usize = 3;

/// Sorts by the upper 32 bits; items with equal keys keep their order. Ids must ascend on entry.
///
/// Least significant digit first, three passes of eleven bits; a pass in which all items fall into
/// one bucket is left out. Cost: O(n).
pub(crate) fn sort_by_key(items: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if items.len() < RADIX_FROM {
        items.sort_unstable();
        return;
    }
    let mut counts = vec![[0_u32; BUCKETS]; PASSES];
    for &item in &*items {
        for (pass, counts) in counts.iter_mut().enumerate() {
            counts[digit(item, pass)] += 1;
        }
    }
    spare.resize(items.len(), 0);
    for (pass, counts) in counts.iter_mut().enumerate() {
        if counts[digit(items[0], pass)] as usize == items.len() {
            continue;
        }
        let mut at = 0;
        for count in counts.iter_mut() {
            at += core::mem::replace(count, at);
        }
        for &item in &*items {
            let slot = &mut counts[digit(item, pass)];
            spare[*slot as usize] = item;
            *slot += 1;
        }
        core::mem::swap(items, spare);
    }
}

#[inline(always)]
fn digit(item: u64, pass: usize) -> usize {
    (item >> (32 + DIGIT_BITS * pass as u32)) as usize & (BUCKETS - 1)
}

/// An integer whose order is that of the floats. NaN has no place in it.
#[inline(always)]
pub(crate) fn float_key(x: f32) -> u32 {
    let bits = x.to_bits();
    let flip = ((bits as i32 >> 31) as u32) | 0x8000_0000;
    bits ^ flip
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_stably_for_any_key_width() {
        for (n, shift) in [(0, 0), (1, 0), (200, 3), (5000, 0), (5000, 20), (5000, 31)] {
            let mut state = 9_u64;
            let mut items: Vec<u64> = (0..n)
                .map(|id| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                    (((state >> 32) >> shift) << 32) | id
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by_key(&mut items, &mut Vec::new());
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn float_keys_ascend() {
        let values = [
            f32::NEG_INFINITY,
            -f32::MAX,
            -1.0,
            -1e-45,
            -0.0,
            0.0,
            1e-45,
            2.5,
            f32::INFINITY,
        ];
        assert!(values.is_sorted_by_key(|&v| float_key(v)));
    }
}
