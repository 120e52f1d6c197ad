//! Stable sorts by integer keys, in parallel where there are threads to spare.
//!
//! A stable sort has one right result, so how the work is cut cannot show.

use crate::tuning::{RADIX_CHUNK, RADIX_FROM};

const DIGIT_BITS: u32 = 11;
const BUCKETS: usize = 1 << DIGIT_BITS;

/// An item with an integer key.
pub(crate) trait Keyed: Copy + Default + Ord + Send + Sync {
    /// Bits of a key.
    const KEY_BITS: u32;

    /// The key.
    fn key(self) -> u64;

    /// The id beside it, which orders items with equal keys.
    fn id(self) -> u32;
}

/// `key << 32 | id`.
impl Keyed for u64 {
    const KEY_BITS: u32 = 32;

    #[inline(always)]
    fn key(self) -> u64 {
        self >> 32
    }

    #[inline(always)]
    fn id(self) -> u32 {
        self as u32
    }
}

/// A key of 64 bits and an id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LongKey {
    pub(crate) key: u64,
    pub(crate) id: u32,
}

impl Keyed for LongKey {
    const KEY_BITS: u32 = 64;

    #[inline(always)]
    fn key(self) -> u64 {
        self.key
    }

    #[inline(always)]
    fn id(self) -> u32 {
        self.id
    }
}

/// Sorts by the key; items with equal keys keep their order. Ids must ascend on entry.
///
/// Least significant digit first, eleven bits a pass; a pass in which all items fall into one
/// bucket is left out. With several threads each counts and moves the items of one chunk, into
/// slots of its own. Cost: O(n).
pub(crate) fn sort_by_key<T: Keyed>(items: &mut Vec<T>, spare: &mut Vec<T>) {
    if items.len() < RADIX_FROM {
        items.sort_unstable();
        return;
    }
    let chunks = threads().min(items.len() / RADIX_CHUNK).max(1);
    // Bits in which keys differ: the others need no pass.
    let (ones, zeros) = seen_bits(items, chunks);
    let differ = ones & zeros;
    spare.resize(items.len(), T::default());
    for pass in 0..T::KEY_BITS.div_ceil(DIGIT_BITS) {
        if differ >> (DIGIT_BITS * pass) & (BUCKETS as u64 - 1) == 0 {
            continue;
        }
        if chunks == 1 {
            sort_pass(items, spare, pass);
        } else {
            parallel_pass(items, spare, pass, chunks);
        }
        core::mem::swap(items, spare);
    }
}

/// The bits that are set in some key, and those that are not in some.
fn seen_bits<T: Keyed>(items: &[T], chunks: usize) -> (u64, u64) {
    let seen = |items: &[T]| {
        let (mut ones, mut zeros) = (0, 0);
        for &item in items {
            ones |= item.key();
            zeros |= !item.key();
        }
        (ones, zeros)
    };
    #[cfg(feature = "parallel")]
    if chunks > 1 {
        use rayon::prelude::*;
        let chunks = items.par_chunks(items.len().div_ceil(chunks)).map(seen);
        return chunks.reduce(|| (0, 0), |a, b| (a.0 | b.0, a.1 | b.1));
    }
    let _ = chunks;
    seen(items)
}

fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

#[inline(always)]
fn digit<T: Keyed>(item: T, pass: u32) -> usize {
    (item.key() >> (DIGIT_BITS * pass)) as usize & (BUCKETS - 1)
}

fn count<T: Keyed>(items: &[T], pass: u32) -> [u32; BUCKETS] {
    let mut counts = [0; BUCKETS];
    for &item in items {
        counts[digit(item, pass)] += 1;
    }
    counts
}

fn sort_pass<T: Keyed>(items: &[T], out: &mut [T], pass: u32) {
    let mut slots = count(items, pass);
    let mut at = 0;
    for slot in &mut slots {
        at += core::mem::replace(slot, at);
    }
    for &item in items {
        let slot = &mut slots[digit(item, pass)];
        out[*slot as usize] = item;
        *slot += 1;
    }
}

/// Chunk by chunk in each bucket, `out` is cut into the slots that each chunk will fill.
#[cfg(feature = "parallel")]
fn parallel_pass<T: Keyed>(items: &[T], out: &mut [T], pass: u32, chunks: usize) {
    use rayon::prelude::*;

    let chunk = items.len().div_ceil(chunks);
    let counts: Vec<_> = items
        .par_chunks(chunk)
        .map(|items| count(items, pass))
        .collect();
    let mut slots: Vec<Vec<_>> = counts.iter().map(|_| Vec::with_capacity(BUCKETS)).collect();
    let mut rest = out;
    for bucket in 0..BUCKETS {
        for (counts, slots) in counts.iter().zip(&mut slots) {
            let (here, after) = rest.split_at_mut(counts[bucket] as usize);
            slots.push(here.iter_mut());
            rest = after;
        }
    }
    items
        .par_chunks(chunk)
        .zip(&mut slots)
        .for_each(|(items, slots)| {
            for &item in items {
                if let Some(slot) = slots[digit(item, pass)].next() {
                    *slot = item;
                }
            }
        });
}

#[cfg(not(feature = "parallel"))]
fn parallel_pass<T: Keyed>(items: &[T], out: &mut [T], pass: u32, _chunks: usize) {
    sort_pass(items, out, pass);
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

    fn draw(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        *state ^ (*state >> 29)
    }

    #[test]
    fn sorts_stably_for_any_key_width() {
        let sizes = [
            (0, 0),
            (1, 0),
            (200, 3),
            (5000, 0),
            (5000, 20),
            (5000, 31),
            (3 * RADIX_CHUNK, 4),
        ];
        for (n, shift) in sizes {
            let mut state = 9_u64;
            let mut items: Vec<u64> = (0..n as u64)
                .map(|id| (((draw(&mut state) >> 32) >> shift) << 32) | id)
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by_key(&mut items, &mut Vec::new());
            assert_eq!(items, expected);
        }
    }

    #[test]
    fn long_keys_are_sorted_by_all_their_bits() {
        for (n, shift) in [(100, 0), (4000, 0), (4000, 60), (3 * RADIX_CHUNK, 2)] {
            let mut state = 5_u64;
            let mut items: Vec<_> = (0..n as u32)
                .map(|id| LongKey {
                    key: draw(&mut state) >> shift,
                    id,
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by_key(&mut items, &mut Vec::new());
            assert_eq!(items, expected);
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn threads_do_not_show() {
        let mut state = 3_u64;
        let items: Vec<u64> = (0..4 * RADIX_CHUNK as u64 + 17)
            .map(|id| ((draw(&mut state) >> 37) << 32) | id)
            .collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        for threads in [1, 2, 3, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let mut sorted = items.clone();
            pool.unwrap()
                .install(|| sort_by_key(&mut sorted, &mut Vec::new()));
            assert_eq!(sorted, expected, "{threads} threads");
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
