//! Trees along the Morton curve.
//!
//! C. Lauterbach, M. Garland, S. Sengupta, D. Luebke and D. Manocha, "Fast BVH construction on
//! GPUs", 2009: boxes are sorted by the interleaved bits of their centres, and a node is split
//! where the highest bit changes. One scale serves all axes, so that nearly flat scenes are not
//! cut across their height; boxes with equal codes are halved.

use fearless_simd::Level;
use jostle_geom::chunks::{both, fill_chunks};

use super::cluster::{self, Task, Within, cut, highest_split};
use super::emit::{self, Place, halvings};
use super::record::Record;
use crate::bvh::Bvh;
use crate::radix::{Keyed, LongKey, sort_by_key};
use crate::tuning::{BUILD_CHUNK, BUILD_TASK, HLBVH_BINS, HLBVH_CLUSTER};

/// An item made of a Morton code and an id.
pub(super) trait Code: Keyed {
    /// Bits an axis.
    const AXIS_BITS: u32;

    fn new(code: u64, id: u32) -> Self;
}

/// Ten bits an axis.
impl Code for u64 {
    const AXIS_BITS: u32 = 10;

    #[inline(always)]
    fn new(code: u64, id: u32) -> Self {
        (code << 32) | Self::from(id)
    }
}

/// 21 bits an axis.
impl Code for LongKey {
    const AXIS_BITS: u32 = 21;

    #[inline(always)]
    fn new(code: u64, id: u32) -> Self {
        Self { key: code, id }
    }
}

/// The linear tree of the records. Cost: O(n log n), the sort O(n).
pub(super) fn lbvh<T: Code>(records: &[Record]) -> Bvh {
    let (items, sorted) = sort::<T>(records);
    emit::tree(sorted.len(), |place| {
        grow(&items, &sorted, place);
    })
}

/// Linear trees of small clusters, and above them splits by the surface area heuristic.
pub(super) fn hlbvh(records: &[Record], level: Level) -> Bvh {
    let (items, mut sorted) = sort::<u64>(records);
    let starts = cut(&items, HLBVH_CLUSTER);
    let within = Linear { items: &items };
    cluster::build::<HLBVH_BINS, true>(&mut sorted, &starts, &within, level)
}

/// The records along the curve, and their codes.
fn sort<T: Code>(records: &[Record]) -> (Vec<T>, Vec<Record>) {
    let mut items = vec![T::default(); records.len()];
    let grid = Grid::of(records, T::AXIS_BITS);
    fill_chunks(&mut items, BUILD_CHUNK, |first, out| {
        for (out, record) in out.iter_mut().zip(&records[first..]) {
            *out = T::new(grid.code(record), record.id());
        }
    });
    sort_by_key(&mut items, &mut Vec::new());
    let mut sorted = vec![Record::EMPTY; records.len()];
    fill_chunks(&mut sorted, BUILD_CHUNK, |first, out| {
        for (out, item) in out.iter_mut().zip(&items[first..]) {
            *out = records[item.id() as usize];
        }
    });
    (items, sorted)
}

/// Cubic cells around all centres.
struct Grid {
    origin: [f64; 3],
    scale: f64,
    cells: f64,
}

impl Grid {
    fn of(records: &[Record], axis_bits: u32) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for record in records {
            for axis in 0..3 {
                let centre = record.centre2(axis);
                low[axis] = if centre < low[axis] {
                    centre
                } else {
                    low[axis]
                };
                high[axis] = if centre > high[axis] {
                    centre
                } else {
                    high[axis]
                };
            }
        }
        let origin = low.map(f64::from);
        let extent = (0..3).map(|axis| f64::from(high[axis]) - origin[axis]);
        let extent = extent.fold(0.0, f64::max);
        let cells = f64::from(1_u32 << axis_bits);
        Self {
            origin,
            scale: if extent > 0.0 { cells / extent } else { 0.0 },
            cells,
        }
    }

    #[inline(always)]
    fn code(&self, record: &Record) -> u64 {
        let cell = |axis: usize| {
            let at = (f64::from(record.centre2(axis)) - self.origin[axis]) * self.scale;
            at.min(self.cells - 1.0) as u32
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

/// Writes the linear tree of sorted records; returns its bounds. The recursion is as deep as a code
/// has bits, and as often as equal codes can be halved.
fn grow<T: Keyed>(items: &[T], records: &[Record], place: Place<'_>) -> Record {
    if let [record] = records {
        place.leaf(record);
        return *record;
    }
    let middle = if items[0].key() == items[items.len() - 1].key() {
        items.len() / 2
    } else {
        highest_split(items)
    };
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

/// Linear trees within clusters.
struct Linear<'a> {
    items: &'a [u64],
}

impl Within for Linear<'_> {
    fn levels(&self, largest: usize) -> usize {
        3 * <u64 as Code>::AXIS_BITS as usize + halvings(largest)
    }

    fn build(&self, tasks: &mut [Task<'_>], _: Level) {
        for task in tasks {
            let start = task.start as usize;
            let (records, place, _) = task.parts();
            grow(&self.items[start..start + records.len()], records, place);
        }
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
