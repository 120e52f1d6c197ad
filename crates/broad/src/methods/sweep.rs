//! A sweep along one axis inside cells of the other two.
//!
//! Boxes of similar size are put into columns of cells across the axis along which centres vary
//! most, and sorted along that axis in each column. A column is then swept with itself and with its
//! neighbours, eight boxes at a time: the sweep of step broad phases, whose cost has a
//! term that grows with all overlaps along the axis, without that term.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::{Aabb, chunks::fill_chunks};

use super::Method;
use super::blocks::Blocks;
use super::index::Index;
use super::sizes::{Lattice, Sizes, starts};
use super::tasks::{Flush, Work};
use crate::h8::join_level;
use crate::radix::{float_key, sort_by_key};
use crate::tuning::{BUILD_CHUNK, CELL_ROWS, SWEEP_COLUMN};

/// Boxes in the order of level, column and lower bound along the axis; open ones last.
#[derive(Debug, Default)]
pub(super) struct SweepIndex {
    /// The axis swept along.
    axis: usize,
    sizes: Sizes,
    lattices: Vec<Lattice>,
    blocks: Blocks,
    /// Where the boxes of each column of all levels begin; the last column is that of open boxes.
    starts: Vec<u32>,
    items: Vec<u64>,
    sorted: Vec<u32>,
    spare: Vec<u64>,
}

/// The boxes of a column that are being swept with others.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    b: Aabb,
    id: u32,
    place: usize,
    /// First and last column on the two axes.
    columns: [[u32; 2]; 2],
}

impl SweepIndex {
    /// Where the boxes without a level begin.
    fn open(&self) -> usize {
        self.sizes.closed()
    }

    fn across(&self) -> [usize; 2] {
        [(self.axis + 1) % 3, (self.axis + 2) % 3]
    }

    /// Sweeps task by task: columns are cut where tasks end, whoever runs them.
    #[inline(always)]
    fn sweep_tasks<S: Simd>(
        &self,
        simd: S,
        fixed: Option<&Self>,
        tasks: Range<usize>,
        work: &mut Work<Rows>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |chunk: &[[u32; 2]]| flush(chunk);
        for task in tasks {
            let places = task * CELL_ROWS..((task + 1) * CELL_ROWS).min(self.blocks.len);
            self.sweep(simd, fixed, places, work, &mut flush)?;
        }
        ControlFlow::Continue(())
    }

    /// The number of the column of a box in a level.
    #[inline(always)]
    fn column(&self, lattice: &Lattice, b: &Aabb) -> u32 {
        let [u, v] = self.across();
        lattice.base + lattice.cell(v, b.min[v]) * lattice.dims[u] + lattice.cell(u, b.min[u])
    }

    /// Pairs of the boxes at some places with the rest of the index, or with all of another one.
    #[inline(always)]
    fn sweep<S: Simd>(
        &self,
        simd: S,
        fixed: Option<&Self>,
        places: Range<usize>,
        work: &mut Work<Rows>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let other = fixed.unwrap_or(self);
        let mut place = places.start;
        let mut own = 0;
        let mut level_end = self.sizes.levels.first().map_or(0, |level| level.len);
        while place < places.end {
            while own < self.lattices.len() && place >= level_end {
                own += 1;
                level_end += self.sizes.levels.get(own).map_or(0, |level| level.len);
            }
            let Some(lattice) = self.lattices.get(own) else {
                break;
            };
            let column = self.column(lattice, &self.blocks.get(place)) as usize;
            let end = (self.starts[column + 1] as usize).min(places.end);
            let first_level = if fixed.is_some() { 0 } else { own };
            for (at, lattice) in other.lattices.iter().enumerate().skip(first_level) {
                let own_column = (fixed.is_none() && at == own).then_some(column);
                self.sweep_level(simd, (other, lattice), own_column, place..end, work, flush)?;
            }
            place = end;
        }
        // Every box with the open ones, and open ones with everything when there is another index.
        for place in places {
            let from = match fixed {
                None => other.open().max(place + 1),
                Some(_) if place >= self.open() => 0,
                Some(_) => other.open(),
            };
            let one = (self.blocks.id(place), &self.blocks.get(place));
            let out = (&mut work.buffer, &mut work.counters);
            other
                .blocks
                .meet(simd, one, from, other.blocks.len, out, flush)?;
        }
        ControlFlow::Continue(())
    }

    /// Sweeps boxes of one column with the columns of a level that they reach; of the level of
    /// their own with `own` and what comes after it.
    #[inline(always)]
    fn sweep_level<S: Simd>(
        &self,
        simd: S,
        (other, lattice): (&Self, &Lattice),
        own: Option<usize>,
        places: Range<usize>,
        work: &mut Work<Rows>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let across = other.across();
        let mut rows = core::mem::take(&mut work.scratch.rows);
        rows.clear();
        let mut reached = [[u32::MAX, 0]; 2];
        for place in places {
            let b = self.blocks.get(place);
            let mut columns = [[0; 2]; 2];
            for ((columns, reached), axis) in columns.iter_mut().zip(&mut reached).zip(across) {
                let (first, last) = lattice.range(axis, &b);
                *columns = [first, last];
                *reached = [reached[0].min(first), reached[1].max(last)];
            }
            rows.push(Row {
                b,
                id: self.blocks.id(place),
                place,
                columns,
            });
        }
        if self.axis != other.axis {
            // Sorted along the axis of the other index, so that its columns are passed once.
            rows.sort_unstable_by(|a, b| a.b.min[other.axis].total_cmp(&b.b.min[other.axis]));
        }
        let [u, v] = across;
        for cell_v in reached[1][0]..=reached[1][1] {
            for cell_u in reached[0][0]..=reached[0][1] {
                let column = (lattice.base + cell_v * lattice.dims[u] + cell_u) as usize;
                debug_assert!(cell_v < lattice.dims[v]);
                if own.is_some_and(|own| column < own) {
                    continue;
                }
                let mut cursor = other.starts[column] as usize;
                let to = other.starts[column + 1] as usize;
                if cursor == to {
                    continue;
                }
                work.counters.nodes += 1;
                for row in &rows {
                    let [[u0, u1], [v0, v1]] = row.columns;
                    if cell_u < u0 || cell_u > u1 || cell_v < v0 || cell_v > v1 {
                        continue;
                    }
                    let begin = row.b.min[other.axis] - lattice.reach[other.axis];
                    cursor = other.skip(cursor, to, begin);
                    let mut from = cursor;
                    if own == Some(column) {
                        from = from.max(row.place + 1);
                    }
                    other.meet_sorted(simd, row, from, to, work, flush)?;
                }
            }
        }
        work.scratch.rows = rows;
        ControlFlow::Continue(())
    }

    /// The first place from `from` on whose box begins at or after `begin`: looks at the first
    /// boxes one by one, then doubles the steps.
    #[inline(always)]
    fn skip(&self, mut from: usize, to: usize, begin: f32) -> usize {
        let starts = |place: usize| self.blocks.boxes[place / 8].min[self.axis][place % 8];
        let mut step = 1;
        while from + step < to && starts(from + step) < begin {
            from += step;
            step *= 2;
        }
        // Between `from` and `from + step`.
        let mut end = (from + step).min(to);
        if from < end && starts(from) >= begin {
            return from;
        }
        while from + 1 < end {
            let middle = usize::midpoint(from, end);
            if starts(middle) < begin {
                from = middle;
            } else {
                end = middle;
            }
        }
        end
    }

    /// Tests a box against those of a column, sorted along the axis, as far as they begin in it.
    #[inline(always)]
    fn meet_sorted<S: Simd>(
        &self,
        simd: S,
        row: &Row,
        from: usize,
        to: usize,
        work: &mut Work<Rows>,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if from >= to {
            return ControlFlow::Continue(());
        }
        let end = row.b.max[self.axis];
        let mut lanes = 0xFF << (from % 8);
        let last = (to - 1) / 8;
        for at in from / 8..=last {
            let block = &self.blocks.boxes[at];
            if at == last {
                lanes &= 0xFF >> (8 * last + 8 - to);
            }
            let bits = u32::from(block.overlaps_one(simd, &row.b)) & lanes;
            lanes = 0xFF;
            work.counters.tests += 8;
            if bits != 0 {
                work.buffer.reserve(8, flush)?;
                work.buffer
                    .push_row::<true, S>(simd, bits, row.id, &self.blocks.ids[at]);
            }
            if block.min[self.axis][7] > end {
                break;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The axis along which the centres of the boxes vary most, by a sample.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let stride = boxes.len().div_ceil(1024).max(1);
    let (mut sum, mut squares, mut n) = ([0.0_f64; 3], [0.0_f64; 3], 0.0);
    for b in boxes.iter().step_by(stride) {
        n += 1.0;
        for axis in 0..3 {
            let limit = f64::from(f32::MAX);
            let bound = |x: f32| f64::from(x).clamp(-limit, limit) * 0.5;
            let x = bound(b.min[axis]) + bound(b.max[axis]);
            sum[axis] += x;
            squares[axis] += x * x;
        }
    }
    let variance = |axis: usize| squares[axis] - sum[axis] * sum[axis] / n;
    let wider = |best, axis| {
        if variance(axis) > variance(best) {
            axis
        } else {
            best
        }
    };
    (1..3).fold(0, wider)
}

impl Index for SweepIndex {
    const METHOD: Method = Method::Sweep;
    type Scratch = Rows;

    fn fill(&mut self, boxes: &[Aabb], first: u32, _: Level) {
        self.sizes.fill(boxes);
        self.axis = widest_axis(boxes);
        let axis = self.axis;
        self.lattices.clear();
        let mut columns = 0;
        for level in &self.sizes.levels {
            let mut across = [true; 3];
            across[axis] = false;
            let lattice = Lattice::new(level, across, columns, level.len / SWEEP_COLUMN);
            columns += lattice.count();
            self.lattices.push(lattice);
        }
        self.items.resize(boxes.len(), 0);
        fill_chunks(&mut self.items, BUILD_CHUNK, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                // Zeros of both signs are one bound.
                let key = float_key(boxes[first + i].min[axis] + 0.0);
                *out = (u64::from(key) << 32) | (first + i) as u64;
            }
        });
        sort_by_key(&mut self.items, &mut self.spare);
        let mut sorted = core::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(self.items.iter().map(|&item| item as u32));
        let mut items = core::mem::take(&mut self.items);
        fill_chunks(&mut items, BUILD_CHUNK, |first, out| {
            for (i, out) in out.iter_mut().enumerate() {
                let index = sorted[first + i] as usize;
                let lattice = self.lattices.get(self.sizes.level_of(index));
                let column = lattice.map_or(columns, |l| self.column(l, &boxes[index]));
                *out = (u64::from(column) << 32) | (first + i) as u64;
            }
        });
        sort_by_key(&mut items, &mut self.spare);
        starts(&items, columns as usize + 1, &mut self.starts);
        self.blocks
            .fill(boxes, first, |place| sorted[items[place] as u32 as usize]);
        (self.items, self.sorted) = (items, sorted);
    }

    fn task_count(&self) -> usize {
        self.blocks.len.div_ceil(CELL_ROWS)
    }

    fn join_self(
        &self,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<Rows>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        dispatch!(join_level(level), simd => self.sweep_tasks(simd, None, tasks, work, flush))
    }

    fn join_fixed(
        &self,
        fixed: &Self,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<Rows>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        dispatch!(join_level(level), simd =>
            self.sweep_tasks(simd, Some(fixed), tasks, work, flush))
    }

    fn memory_bytes(&self) -> usize {
        self.sizes.memory_bytes()
            + self.lattices.capacity() * size_of::<Lattice>()
            + self.blocks.memory_bytes()
            + (self.starts.capacity() + self.sorted.capacity()) * size_of::<u32>()
            + (self.items.capacity() + self.spare.capacity()) * size_of::<u64>()
    }
}
