//! A sweep along one axis inside cells of the other two.
//!
//! Boxes of similar size are put into columns of cells across the axis along which centres vary
//! most, and sorted along that axis in each column. A column is then swept with itself and with its
//! neighbours, eight boxes at a time: the sweep of step broad phases, whose cost has a
//! term that grows with all overlaps along the axis, without that term.

use core::ops::{ControlFlow, Range};

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::Aabb;

use super::Method;
use super::cells::Cells;
use super::index::Index;
use super::sizes::Lattice;
use super::tasks::{Flush, Work};
use crate::h8::join_level;
use crate::radix::float_key;
use crate::tuning::SWEEP_COLUMN;

/// Boxes in the order of level, column and lower bound along the axis; open ones last.
#[derive(Debug, Default)]
pub(super) struct SweepIndex {
    /// The axis swept along.
    axis: usize,
    lattices: Vec<Lattice>,
    /// Cells are columns.
    cells: Cells,
    sorted: Vec<u32>,
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
    fn across(&self) -> [usize; 2] {
        across(self.axis)
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
            let places = self.cells.places(&(task..task + 1));
            self.sweep(simd, fixed, places, work, &mut flush)?;
        }
        ControlFlow::Continue(())
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
        let mut level_end = self.cells.levels().first().map_or(0, |level| level.len);
        while place < places.end {
            while own < self.lattices.len() && place >= level_end {
                own += 1;
                level_end += self.cells.levels().get(own).map_or(0, |level| level.len);
            }
            let Some(lattice) = self.lattices.get(own) else {
                break;
            };
            let column = column(self.axis, lattice, &self.cells.blocks.get(place)) as usize;
            let end = self.cells.cell(column).end.min(places.end);
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
                None => other.cells.open().max(place + 1),
                Some(_) if place >= self.cells.open() => 0,
                Some(_) => other.cells.open(),
            };
            let one = (self.cells.blocks.id(place), &self.cells.blocks.get(place));
            let out = (&mut work.buffer, &mut work.counters);
            let blocks = &other.cells.blocks;
            blocks.meet(simd, one, from, blocks.len, out, flush)?;
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
            let b = self.cells.blocks.get(place);
            let mut columns = [[0; 2]; 2];
            for ((columns, reached), axis) in columns.iter_mut().zip(&mut reached).zip(across) {
                let (first, last) = lattice.range(axis, &b);
                *columns = [first, last];
                *reached = [reached[0].min(first), reached[1].max(last)];
            }
            rows.push(Row {
                b,
                id: self.cells.blocks.id(place),
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
                let Range {
                    start: mut cursor,
                    end: to,
                } = other.cells.cell(column);
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
        let starts = |place: usize| self.cells.blocks.boxes[place / 8].min[self.axis][place % 8];
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
            let block = &self.cells.blocks.boxes[at];
            if at == last {
                lanes &= 0xFF >> (8 * last + 8 - to);
            }
            let bits = u32::from(block.overlaps_one(simd, &row.b)) & lanes;
            lanes = 0xFF;
            work.counters.tests += 8;
            if bits != 0 {
                work.buffer.reserve(8, flush)?;
                work.buffer
                    .push_row::<true, S>(simd, bits, row.id, &self.cells.blocks.ids[at]);
            }
            if block.min[self.axis][7] > end {
                break;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The other two axes.
#[inline(always)]
fn across(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

/// The number of the column along `axis` of a box in a level.
#[inline(always)]
fn column(axis: usize, lattice: &Lattice, b: &Aabb) -> u32 {
    let [u, v] = across(axis);
    lattice.base + lattice.cell(v, b.min[v]) * lattice.dims[u] + lattice.cell(u, b.min[u])
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
        self.cells.measure(boxes);
        self.axis = widest_axis(boxes);
        let axis = self.axis;
        self.lattices.clear();
        let mut columns = 0;
        for level in self.cells.levels() {
            let mut across = [true; 3];
            across[axis] = false;
            let lattice = Lattice::new(level, across, columns, level.len / SWEEP_COLUMN);
            columns += lattice.count();
            self.lattices.push(lattice);
        }
        // Zeros of both signs are one bound.
        let bound = |index: usize| float_key(boxes[index].min[axis] + 0.0);
        self.cells.sort(boxes.len(), |_, index| bound(index));
        self.sorted.clear();
        self.sorted.extend(self.cells.order());
        let (sorted, lattices) = (&self.sorted, &self.lattices);
        self.cells.sort(boxes.len(), |sizes, rank| {
            let index = sorted[rank] as usize;
            let lattice = lattices.get(sizes.level_of(index));
            lattice.map_or(columns, |l| column(axis, l, &boxes[index]))
        });
        self.cells
            .file(boxes, first, columns + 1, |rank| sorted[rank as usize]);
    }

    fn task_count(&self) -> usize {
        self.cells.task_count()
    }

    fn join(
        &self,
        fixed: Option<&Self>,
        tasks: Range<usize>,
        level: Level,
        work: &mut Work<Rows>,
        flush: &mut Flush<'_>,
    ) -> ControlFlow<()> {
        dispatch!(join_level(level), simd => self.sweep_tasks(simd, fixed, tasks, work, flush))
    }

    fn memory_bytes(&self) -> usize {
        self.cells.memory_bytes()
            + self.lattices.capacity() * size_of::<Lattice>()
            + self.sorted.capacity() * size_of::<u32>()
    }
}
