//! Uniform grids, one for each size of boxes.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;

use super::Method;
use super::cells::Cells;
use super::index::Index;
use super::sizes::Lattice;
use super::tasks::{Flush, Work};
use crate::h8::join_level;

/// Boxes in the order of their cells, level by level, and open ones last.
///
/// A level has at most twice as many cells as boxes, whatever its extent. Cells that follow each
/// other on the first axis are one run of boxes, tested eight at a time.
#[derive(Debug, Default)]
pub(super) struct GridIndex {
    lattices: Vec<Lattice>,
    cells: Cells,
}

impl GridIndex {
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
                let level = end + self.cells.levels()[own].len;
                if place < level {
                    break;
                }
                (own, end) = (own + 1, level);
            }
            let one = (self.cells.blocks.id(place), &self.cells.blocks.get(place));
            for (at, lattice) in self.lattices.iter().enumerate().skip(own) {
                let after = if at == own { place + 1 } else { 0 };
                self.meet(simd, one, lattice, after, work, &mut flush)?;
            }
            let from = self.cells.open().max(place + 1);
            let out = (&mut work.buffer, &mut work.counters);
            self.cells
                .blocks
                .meet(simd, one, from, self.cells.blocks.len, out, &mut flush)?;
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
            let one = (self.cells.blocks.id(place), &self.cells.blocks.get(place));
            let mut from = 0;
            if place < self.cells.open() {
                for lattice in &fixed.lattices {
                    fixed.meet(simd, one, lattice, 0, work, &mut flush)?;
                }
                from = fixed.cells.open();
            }
            let out = (&mut work.buffer, &mut work.counters);
            let blocks = &fixed.cells.blocks;
            blocks.meet(simd, one, from, blocks.len, out, &mut flush)?;
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
                let run = self.cells.run((row + x0) as usize, (row + x1) as usize);
                let (from, to) = (run.start.max(after), run.end);
                work.counters.nodes += 1;
                let out = (&mut work.buffer, &mut work.counters);
                self.cells
                    .blocks
                    .meet(simd, (id, b), from, to, out, flush)?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Index for GridIndex {
    const METHOD: Method = Method::Grid;
    type Scratch = ();

    fn fill(&mut self, boxes: &[Aabb], first: u32, _: Level) {
        self.cells.measure(boxes);
        self.lattices.clear();
        let mut cells = 0;
        for level in self.cells.levels() {
            let lattice = Lattice::new(level, [true; 3], cells, 2 * level.len);
            cells += lattice.count();
            self.lattices.push(lattice);
        }
        let lattices = &self.lattices;
        self.cells.sort(boxes.len(), |sizes, index| {
            lattices
                .get(sizes.level_of(index))
                .map_or(cells, |lattice| {
                    let [x, y, z] = [0, 1, 2].map(|a| lattice.cell(a, boxes[index].min[a]));
                    lattice.base + (z * lattice.dims[1] + y) * lattice.dims[0] + x
                })
        });
        self.cells.file(boxes, first, cells + 1, |index| index);
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
        let level = join_level(level);
        if let Some(fixed) = fixed {
            dispatch!(level, simd => self.with_fixed(simd, fixed, places, work, flush))
        } else {
            dispatch!(level, simd => self.with_self(simd, places, work, flush))
        }
    }

    fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes() + self.lattices.capacity() * size_of::<Lattice>()
    }
}
