//! Uniform grids, one for each size of boxes.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::{Aabb, chunks::fill_chunks};

use super::Method;
use super::blocks::Blocks;
use super::index::Index;
use super::sizes::{Lattice, Sizes, starts};
use super::tasks::{Flush, Work};
use crate::h8::join_level;
use crate::radix::sort_by_key;
use crate::tuning::{BUILD_CHUNK, CELL_ROWS};

/// Boxes in the order of their cells, level by level, and open ones last.
///
/// A level has at most twice as many cells as boxes, whatever its extent. Cells that follow each
/// other on the first axis are one run of boxes, tested eight at a time.
#[derive(Debug, Default)]
pub(super) struct GridIndex {
    sizes: Sizes,
    lattices: Vec<Lattice>,
    blocks: Blocks,
    /// Where the boxes of each cell of all levels begin; the last cell is that of open boxes.
    starts: Vec<u32>,
    items: Vec<u64>,
    spare: Vec<u64>,
}

impl GridIndex {
    /// Where the boxes without a level begin.
    fn open(&self) -> usize {
        self.sizes.closed()
    }

    fn places(&self, tasks: &Range<usize>) -> Range<usize> {
        tasks.start * CELL_ROWS..(tasks.end * CELL_ROWS).min(self.blocks.len)
    }

    /// Pairs of the boxes at some places with those that come after them.
    #[inline(always)]
    fn with_self<S: Simd>(
        &self,
        simd: S,
        places: Range<usize>,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |chunk: &[[u32; 2]]| flush(chunk);
        let (mut own, mut end) = (0, 0);
        for place in places {
            while own < self.lattices.len() {
                let level = end + self.sizes.levels[own].len;
                if place < level {
                    break;
                }
                (own, end) = (own + 1, level);
            }
            let one = (self.blocks.id(place), &self.blocks.get(place));
            for (at, lattice) in self.lattices.iter().enumerate().skip(own) {
                let after = if at == own { place + 1 } else { 0 };
                self.meet(simd, one, lattice, after, work, &mut flush)?;
            }
            let from = self.open().max(place + 1);
            let out = (&mut work.buffer, &mut work.counters);
            self.blocks
                .meet(simd, one, from, self.blocks.len, out, &mut flush)?;
        }
        ControlFlow::Continue(())
    }

    /// Pairs of the boxes at some places with all of `fixed`.
    #[inline(always)]
    fn with_fixed<S: Simd>(
        &self,
        simd: S,
        fixed: &Self,
        places: Range<usize>,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |chunk: &[[u32; 2]]| flush(chunk);
        for place in places {
            let one = (self.blocks.id(place), &self.blocks.get(place));
            let mut from = 0;
            if place < self.open() {
                for lattice in &fixed.lattices {
                    fixed.meet(simd, one, lattice, 0, work, &mut flush)?;
                }
                from = fixed.open();
            }
            let out = (&mut work.buffer, &mut work.counters);
            fixed
                .blocks
                .meet(simd, one, from, fixed.blocks.len, out, &mut flush)?;
        }
        ControlFlow::Continue(())
    }

    /// Tests a box against those of a level from the place `after` on.
    #[inline(always)]
    fn meet<S: Simd>(
        &self,
        simd: S,
        (id, b): (u32, &Aabb),
        lattice: &Lattice,
        after: usize,
        work: &mut Work<()>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (x0, x1) = lattice.range(0, b);
        let (y0, y1) = lattice.range(1, b);
        let (mut z0, z1) = lattice.range(2, b);
        if after > 0 {
            // Boxes of the same level in lower layers come before this one.
            z0 = lattice.cell(2, b.min.z);
        }
        for z in z0..=z1 {
            for y in y0..=y1 {
                let row = lattice.base + (z * lattice.dims[1] + y) * lattice.dims[0];
                let from = self.starts[(row + x0) as usize] as usize;
                let to = self.starts[(row + x1 + 1) as usize] as usize;
                work.counters.nodes += 1;
                let out = (&mut work.buffer, &mut work.counters);
                self.blocks
                    .meet(simd, (id, b), from.max(after), to, out, flush)?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Index for GridIndex {
    const METHOD: Method = Method::Grid;
    type Scratch = ();

    fn fill(&mut self, boxes: &[Aabb], first: u32, _: Level) {
        self.sizes.fill(boxes);
        self.lattices.clear();
        let mut cells = 0;
        for level in &self.sizes.levels {
            let lattice = Lattice::new(level, [true; 3], cells, 2 * level.len);
            cells += lattice.count();
            self.lattices.push(lattice);
        }
        let (sizes, lattices) = (&self.sizes, &self.lattices);
        self.items.resize(boxes.len(), 0);
        fill_chunks(&mut self.items, BUILD_CHUNK, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let index = first + i;
                let cell = if let Some(lattice) = lattices.get(sizes.level_of(index)) {
                    let [x, y, z] = [0, 1, 2].map(|a| lattice.cell(a, boxes[index].min[a]));
                    lattice.base + (z * lattice.dims[1] + y) * lattice.dims[0] + x
                } else {
                    cells
                };
                *out = (u64::from(cell) << 32) | index as u64;
            }
        });
        sort_by_key(&mut self.items, &mut self.spare);
        starts(&self.items, cells as usize + 1, &mut self.starts);
        let items = &self.items;
        self.blocks.fill(boxes, first, |place| items[place] as u32);
    }

    fn task_count(&self) -> usize {
        self.blocks.len.div_ceil(CELL_ROWS)
    }

    fn join_self(
        &self,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let places = self.places(&tasks);
        dispatch!(join_level(level), simd => self.with_self(simd, places, work, flush))
    }

    fn join_fixed(
        &self,
        fixed: &Self,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<()>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let places = self.places(&tasks);
        dispatch!(join_level(level), simd => self.with_fixed(simd, fixed, places, work, flush))
    }

    fn memory_bytes(&self) -> usize {
        self.sizes.memory_bytes()
            + self.lattices.capacity() * size_of::<Lattice>()
            + self.blocks.memory_bytes()
            + self.starts.capacity() * size_of::<u32>()
            + (self.items.capacity() + self.spare.capacity()) * size_of::<u64>()
    }
}
