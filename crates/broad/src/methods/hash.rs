//! Spatial hashes, one for each size of boxes.
//!
//! Cells are named by their integer coordinates, without bounds, and found through a table of about
//! as many buckets as boxes. After M. Teschner and co-authors, "Optimized spatial hashing for
//! collision detection of deformable objects", VMV 2003; boxes are filed once, under their smallest
//! corner, and sorted by bucket instead of chained.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;

use super::Method;
use super::cells::Cells;
use super::index::Index;
use super::sizes::SizeLevel;
use super::tasks::{Flush, Work};
use crate::h8::join_level;

/// Boxes in the order of their buckets, level by level, and open ones last.
#[derive(Debug, Default)]
pub(super) struct HashIndex {
    tables: Vec<Table>,
    cells: Cells,
}

/// The buckets of a level.
#[derive(Clone, Copy, Debug)]
struct Table {
    /// Cells a metre.
    scale: f64,
    reach: [f32; 3],
    /// Number of the first bucket among those of all levels.
    base: u32,
    /// Number of buckets less one, which is a power of two.
    mask: u32,
    /// Places of the boxes of the level.
    first: usize,
    end: usize,
}

impl Table {
    fn new(level: &SizeLevel, base: u32, first: usize) -> Self {
        Self {
            scale: 1.0 / f64::from(level.cell),
            reach: level.reach,
            base,
            mask: level.len.min(MOST_BUCKETS).next_power_of_two() as u32 - 1,
            first,
            end: first + level.len,
        }
    }

    /// The cell of a coordinate. Ascends with it, and stays below 2³⁰ for boxes of the level.
    #[inline(always)]
    fn cell(&self, x: f32) -> i64 {
        // Not `floor`, which is a function call where there is no instruction for it.
        let scaled = f64::from(x) * self.scale;
        let whole = scaled as i64;
        whole.saturating_sub(i64::from((whole as f64) > scaled))
    }

    #[inline(always)]
    fn corner(&self, b: &Aabb) -> [i64; 3] {
        [self.cell(b.min.x), self.cell(b.min.y), self.cell(b.min.z)]
    }

    /// The cells in which boxes of the level that meet `b` have their smallest corner; see
    /// [`Lattice::range`](super::sizes::Lattice::range).
    #[inline(always)]
    fn range(&self, axis: usize, b: &Aabb) -> (i64, i64) {
        (
            self.cell(b.min[axis] - self.reach[axis]),
            self.cell(b.max[axis]),
        )
    }

    /// Neighbours along x have neighbouring buckets: rows of cells, met one after the other, are
    /// rows in memory.
    #[inline(always)]
    fn bucket(&self, [x, y, z]: [i64; 3]) -> u32 {
        let row = (y as u32).wrapping_mul(0x9E37_79B1) ^ (z as u32).wrapping_mul(0x85EB_CA77);
        self.base + (row.wrapping_add(x as u32) & self.mask)
    }
}

/// Most buckets of a level, so that the buckets of all levels have numbers of 32 bits.
const MOST_BUCKETS: usize = 1 << 23;

impl HashIndex {
    /// Pairs of the boxes at some places with those that come after them, or with all of another
    /// index.
    #[inline(always)]
    fn join_at<S: Simd>(
        &self,
        simd: S,
        fixed: Option<&Self>,
        places: Range<usize>,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |chunk: &[[u32; 2]]| flush(chunk);
        let other = fixed.unwrap_or(self);
        for place in places {
            let one = (self.cells.blocks.id(place), &self.cells.blocks.get(place));
            let mut from = 0;
            if place < self.cells.open() {
                for table in &other.tables {
                    if fixed.is_some() || place < table.first {
                        other.meet(simd, one, table, None, work, &mut flush)?;
                    } else if place < table.end {
                        other.meet(simd, one, table, Some(place), work, &mut flush)?;
                    }
                }
                from = other.cells.open();
            }
            if fixed.is_none() {
                from = from.max(place + 1);
            }
            let out = (&mut work.buffer, &mut work.counters);
            let blocks = &other.cells.blocks;
            blocks.meet(simd, one, from, blocks.len, out, &mut flush)?;
        }
        ControlFlow::Continue(())
    }

    /// Tests a box against those of a level; when it is one of them itself, at the place `own`,
    /// against later ones in its cell and those of cells that come after it.
    #[inline(always)]
    fn meet<S: Simd>(
        &self,
        simd: S,
        (id, b): (u32, &Aabb),
        table: &Table,
        own: Option<usize>,
        work: &mut Work<()>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (x0, x1) = table.range(0, b);
        let (y0, y1) = table.range(1, b);
        let (z0, z1) = table.range(2, b);
        let edge = |lo: i64, hi: i64| hi.saturating_sub(lo).saturating_add(1);
        let cells = edge(x0, x1)
            .saturating_mul(edge(y0, y1))
            .saturating_mul(edge(z0, z1));
        // Boxes of the level itself reach a few cells only.
        if own.is_none() && cells > (table.end - table.first) as i64 {
            // More cells than boxes: all boxes, then.
            let (from, to) = (table.first, table.end);
            let out = (&mut work.buffer, &mut work.counters);
            return self.cells.blocks.meet(simd, (id, b), from, to, out, flush);
        }
        let home = table.corner(b);
        for z in z0..=z1 {
            for y in y0..=y1 {
                for x in x0..=x1 {
                    let mut after = 0;
                    if let Some(place) = own {
                        if [z, y, x] < [home[2], home[1], home[0]] {
                            continue;
                        }
                        if [x, y, z] == home {
                            after = place + 1;
                        }
                    }
                    self.meet_cell(simd, (id, b), table, [x, y, z], after, work, flush)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Tests a box against those of a cell from the place `after` on.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "inlined into one caller")]
    fn meet_cell<S: Simd>(
        &self,
        simd: S,
        (id, b): (u32, &Aabb),
        table: &Table,
        cell: [i64; 3],
        after: usize,
        work: &mut Work<()>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bucket = self.cells.cell(table.bucket(cell) as usize);
        let (from, to) = (bucket.start.max(after), bucket.end);
        work.counters.nodes += 1;
        if from >= to {
            return ControlFlow::Continue(());
        }
        let mut lanes = 0xFF << (from % 8);
        let last = (to - 1) / 8;
        for at in from / 8..=last {
            let block = &self.cells.blocks.boxes[at];
            if at == last {
                lanes &= 0xFF >> (8 * last + 8 - to);
            }
            let mut hits = u32::from(block.overlaps_one(simd, b)) & lanes;
            lanes = 0xFF;
            work.counters.tests += 8;
            if hits == 0 {
                continue;
            }
            work.buffer.reserve(8, flush)?;
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                // Other cells share the bucket; their boxes are met there.
                if table.corner(&block.get(lane)) == cell {
                    let other = self.cells.blocks.ids[at][lane];
                    work.buffer.push([id.min(other), id.max(other)]);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Index for HashIndex {
    const METHOD: Method = Method::Hash;
    type Scratch = ();

    fn fill(&mut self, boxes: &[Aabb], first: u32, _: Level) {
        self.cells.measure(boxes);
        self.tables.clear();
        let (mut buckets, mut place) = (0, 0);
        for level in self.cells.levels() {
            let table = Table::new(level, buckets, place);
            buckets += table.mask + 1;
            place = table.end;
            self.tables.push(table);
        }
        let tables = &self.tables;
        self.cells.sort(boxes.len(), |sizes, index| {
            let table = tables.get(sizes.level_of(index));
            table.map_or(buckets, |t| t.bucket(t.corner(&boxes[index])))
        });
        self.cells.file(boxes, first, buckets + 1, |index| index);
    }

    fn task_count(&self) -> usize {
        self.cells.task_count()
    }

    fn join(
        &self,
        fixed: Option<&Self>,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let places = self.cells.places(&tasks);
        dispatch!(join_level(level), simd => self.join_at(simd, fixed, places, work, flush))
    }

    fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes() + self.tables.capacity() * size_of::<Table>()
    }
}
