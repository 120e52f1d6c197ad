//! Boxes sorted by the cell that they are filed under, level by level of their sizes.

use core::ops::Range;

use jostle_geom::{Aabb, chunks::fill_chunks};

use super::blocks::Blocks;
use super::sizes::{SizeLevel, Sizes};
use crate::radix::sort_by_key;
use crate::tuning::{BUILD_CHUNK, CELL_ROWS};

/// Boxes in the order of their cells; the last cell is that of open boxes, which have no level.
///
/// To fill it: [`measure`](Self::measure), [`sort`](Self::sort), perhaps by a second key, and
/// [`file`](Self::file).
#[derive(Debug, Default)]
pub(super) struct Cells {
    sizes: Sizes,
    pub(super) blocks: Blocks,
    /// Where the boxes of each cell begin, and where the last ones end.
    starts: Vec<u32>,
    items: Vec<u64>,
    spare: Vec<u64>,
}

impl Cells {
    /// Finds the levels of these boxes.
    pub(super) fn measure(&mut self, boxes: &[Aabb]) {
        self.sizes.fill(boxes);
    }

    /// The levels, in the order in which their boxes come.
    pub(super) fn levels(&self) -> &[SizeLevel] {
        &self.sizes.levels
    }

    /// Sorts `count` items, which are numbers from 0 on, by `key(sizes, number)`; those with equal
    /// keys keep their order.
    pub(super) fn sort(&mut self, count: usize, key: impl Fn(&Sizes, usize) -> u32 + Sync) {
        let sizes = &self.sizes;
        self.items.resize(count, 0);
        fill_chunks(&mut self.items, BUILD_CHUNK, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let number = first + i;
                *out = (u64::from(key(sizes, number)) << 32) | number as u64;
            }
        });
        sort_by_key(&mut self.items, &mut self.spare);
    }

    /// The items as they were sorted last.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> + '_ {
        self.items.iter().map(|&item| item as u32)
    }

    /// Takes the boxes in the order in which the items were sorted last, by cells `0..cells`; `index`
    /// says which box an item is. Ids count from `first` on.
    pub(super) fn file(
        &mut self,
        boxes: &[Aabb],
        first: u32,
        cells: u32,
        index: impl Fn(u32) -> u32 + Sync,
    ) {
        let items = &self.items;
        starts(items, cells as usize, &mut self.starts);
        self.blocks
            .fill(boxes, first, |place| index(items[place] as u32));
    }

    /// The places of the boxes of a cell.
    #[inline(always)]
    pub(super) fn cell(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// The places of the boxes of cells that follow each other, the last one included.
    #[inline(always)]
    pub(super) fn run(&self, first: usize, last: usize) -> Range<usize> {
        self.starts[first] as usize..self.starts[last + 1] as usize
    }

    /// Where the boxes without a level begin.
    pub(super) fn open(&self) -> usize {
        self.sizes.closed()
    }

    /// Number of tasks.
    pub(super) fn task_count(&self) -> usize {
        self.blocks.len.div_ceil(CELL_ROWS)
    }

    /// The places of the boxes of some tasks.
    pub(super) fn places(&self, tasks: &Range<usize>) -> Range<usize> {
        tasks.start * CELL_ROWS..(tasks.end * CELL_ROWS).min(self.blocks.len)
    }

    /// Bytes held.
    pub(super) fn memory_bytes(&self) -> usize {
        self.sizes.memory_bytes()
            + self.blocks.memory_bytes()
            + self.starts.capacity() * size_of::<u32>()
            + (self.items.capacity() + self.spare.capacity()) * size_of::<u64>()
    }
}

/// Where each of `cells` begins in a list sorted by `cell << 32 | …`, and where the last one ends.
fn starts(items: &[u64], cells: usize, out: &mut Vec<u32>) {
    out.clear();
    out.reserve(cells + 1);
    for (at, &item) in items.iter().enumerate() {
        let cell = (item >> 32) as usize;
        while out.len() <= cell {
            out.push(at as u32);
        }
    }
    out.resize(cells + 1, items.len() as u32);
}
