//! Trees along the Morton curve.
//!
//! C. Lauterbach, M. Garland, S. Sengupta, D. Luebke and D. Manocha, "Fast BVH construction on
//! GPUs", 2009: boxes are sorted by the interleaved bits of their centres, and a node is split
//! where the highest bit changes. One scale serves all axes, so that nearly flat scenes are not
//! cut across their height; boxes with equal codes are halved.

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;
use jostle_geom::chunks::{both, fill_chunks};
use jostle_simd::{HILBERT_BITS, morton_keys};

use super::cluster::{self, Task, Within, cut, gathered, highest_split, sorted};
use super::emit::{self, Place, halvings};
use super::record::{self, Record, Scale};
use super::sah;
use super::small::{Nodes, write_small};
use crate::bvh::{Bvh, Node};
use crate::radix::{Keyed, LongKey, sort_by_key};
use crate::tuning::{BUILD_CHUNK, BUILD_TASK, SAH_BINS};

/// The linear tree of 30-bit codes. Cost: O(n log n), the sort O(n).
pub(super) fn lbvh(boxes: &[Aabb], scale: Scale, level: Level) -> Bvh {
    let (items, records) = sorted(boxes, scale, morton_keys, level);
    emit::tree(records.len(), |place| {
        grow(&items, &records, place);
    })
}

/// The linear tree of 63-bit codes over the whole extent of the centres.
pub(super) fn lbvh63(boxes: &[Aabb], scale: Scale) -> Bvh {
    let records = scale.records(boxes);
    let grid = Grid::of(&records);
    let mut items = vec![LongKey::default(); records.len()];
    fill_chunks(&mut items, BUILD_CHUNK, |first, out| {
        for (out, record) in out.iter_mut().zip(&records[first..]) {
            *out = LongKey {
                key: grid.code(record),
                id: record.id(),
            };
        }
    });
    drop(records);
    sort_by_key(&mut items, &mut Vec::new());
    let records = gathered(boxes, scale, &items);
    emit::tree(records.len(), |place| {
        grow(&items, &records, place);
    })
}

/// Linear trees of clusters of at most `largest` boxes, and above them splits by the surface area
/// heuristic with `BINS` bins on three axes.
pub(super) fn hlbvh<const BINS: usize>(
    boxes: &[Aabb],
    scale: Scale,
    largest: usize,
    level: Level,
) -> Bvh {
    let (items, mut records) = sorted(boxes, scale, morton_keys, level);
    let starts = cut(&items, largest);
    let within = Linear {
        items: &items,
        largest,
    };
    cluster::build::<BINS, true>(&mut records, &starts, &within, level)
}

/// Cubic cells around all centres, 2²¹ along the longest axis.
struct Grid {
    origin: [f64; 3],
    scale: f64,
}

const CELLS: f64 = (1 << 21) as f64;

impl Grid {
    fn of(records: &[Record]) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for record in records {
            for axis in 0..3 {
                let centre = record.centre2(axis);
                low[axis] = low[axis].min(centre);
                high[axis] = high[axis].max(centre);
            }
        }
        let origin = low.map(f64::from);
        let extent = (0..3).map(|axis| f64::from(high[axis]) - origin[axis]);
        let extent = extent.fold(0.0, f64::max);
        let scale = if extent > 0.0 { CELLS / extent } else { 0.0 };
        Self { origin, scale }
    }

    #[inline(always)]
    fn code(&self, record: &Record) -> u64 {
        let cell = |axis: usize| {
            let at = (f64::from(record.centre2(axis)) - self.origin[axis]) * self.scale;
            at.min(CELLS - 1.0) as u32
        };
        (spread(cell(0)) << 2) | (spread(cell(1)) << 1) | spread(cell(2))
    }
}

/// Puts two zero bits between the 21 low bits.
#[inline(always)]
fn spread(v: u32) -> u64 {
    let mut v = u64::from(v);
    v = (v | (v << 32)) & 0x001F_0000_0000_FFFF;
    v = (v | (v << 16)) & 0x001F_0000_FF00_00FF;
    v = (v | (v << 8)) & 0x100F_00F0_0F00_F00F;
    v = (v | (v << 4)) & 0x10C3_0C30_C30C_30C3;
    (v | (v << 2)) & 0x1249_2492_4924_9249
}

/// How many of sorted items come below the first child.
#[inline(always)]
fn split_place<T: Keyed>(items: &[T]) -> usize {
    if items[0].key() == items[items.len() - 1].key() {
        items.len() / 2
    } else {
        highest_split(items)
    }
}

/// Writes the linear tree of sorted records; returns its bounds. The recursion is as deep as a code
/// has bits, and as often as equal codes can be halved.
fn grow<T: Keyed>(items: &[T], records: &[Record], place: Place<'_>) -> Record {
    if let [record] = records {
        place.leaf(record);
        return *record;
    }
    let middle = split_place(items);
    let (node, first, second) = place.inner(&records[0].bounds(), middle);
    let (items_a, items_b) = items.split_at(middle);
    let (records_a, records_b) = records.split_at(middle);
    let (a, b) = if items.len() > BUILD_TASK {
        both(
            || grow(items_a, records_a, first),
            || grow(items_b, records_b, second),
        )
    } else {
        (
            grow(items_a, records_a, first),
            grow(items_b, records_b, second),
        )
    };
    let union = a.union(&b);
    node.set_bounds(&union.bounds());
    union
}

/// Linear trees within clusters, the best of all trees where four boxes or fewer are left.
struct Linear<'a> {
    items: &'a [u64],
    largest: usize,
}

impl Within for Linear<'_> {
    fn levels(&self, largest: usize) -> usize {
        HILBERT_BITS as usize + halvings(largest)
    }

    fn build(&self, tasks: &mut [Task<'_>], level: Level) {
        for task in tasks
            .iter_mut()
            .filter(|task| task.records.len() > self.largest)
        {
            // All keys are equal: they do not tell how to split.
            let (records, place, depth) = task.parts();
            let mut spare = record::room(records.len());
            sah::build::<SAH_BINS, true>(records, &mut spare, place, depth, level);
        }
        let mut stack = Vec::new();
        dispatch!(level, simd => {
            for task in &mut *tasks {
                if task.records.len() <= self.largest {
                    let start = task.start as usize;
                    let (records, place, _) = task.parts();
                    let items = &self.items[start..start + records.len()];
                    linear(simd, items, records, place, &mut stack);
                }
            }
        });
    }
}

/// A subtree that waits to be built: its boxes, its root, the parent, the first pair.
struct Job {
    first: usize,
    end: usize,
    at: u32,
    parent: u32,
    pair: u32,
}

/// Writes the linear tree of few sorted records. `stack` is empty before and after.
#[inline(always)]
fn linear<S: Simd>(
    simd: S,
    items: &[u64],
    records: &[Record],
    place: Place<'_>,
    stack: &mut Vec<Job>,
) {
    stack.push(Job {
        first: 0,
        end: records.len(),
        at: place.at,
        parent: place.parent,
        pair: place.first_pair,
    });
    let mut nodes = Nodes::new(place);
    while let Some(job) = stack.pop() {
        let here = &records[job.first..job.end];
        if here.len() <= 4 {
            write_small(simd, here, &mut nodes, job.at, job.parent, job.pair);
            continue;
        }
        let left = split_place(&items[job.first..job.end]);
        let mut union = here[0].load(simd);
        for record in here {
            union = union.min(record.load(simd));
        }
        let bounds = Record(union.into()).bounds();
        nodes.put(job.at, Node::inner(&bounds, job.pair, job.parent));
        let child = 2 * job.pair + 1;
        stack.push(Job {
            first: job.first + left,
            at: child + 1,
            parent: job.at,
            pair: job.pair + left as u32,
            ..job
        });
        stack.push(Job {
            end: job.first + left,
            at: child,
            parent: job.at,
            pair: job.pair + 1,
            ..job
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_three_apart() {
        for bit in 0..21 {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
        assert_eq!(spread((1 << 21) - 1), 0x1249_2492_4924_9249);
    }
}
