//! A step by sorting along one axis and sweeping.
//!
//! The boxes of each kind are sorted by their lower bound on the axis along which vertices vary
//! most, in flat arrays, one a bound. A row is then compared, eight at a time, with the boxes that
//! begin within it. Edges sweep their own list. A vertex meets the faces that begin within it, a
//! face the vertices that begin within it: no pair of one list is ever tested, and the pairs that
//! begin together belong to the vertex.
//!
//! After D. Belgrod and co-authors, "Time of impact dataset for continuous collision detection and
//! a scalable conservative algorithm", 2023. Its cost has a term that grows with all overlaps
//! along the axis, which is why it is not the default.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, f32x8, prelude::*, u32x8};
use jostle_geom::chunks::both;
use jostle_geom::{Aabb, MovingBoxes, PairKind, Topology};

use super::Sink;
use super::sample::{Chosen, boxes_of};
use crate::pair_buffer::PairBuffer;
use crate::radix::{float_key, sort_by_key};
use crate::tuning::SWEEP_ROWS;

#[derive(Debug)]
pub(super) struct SweepStep {
    axis: usize,
    vertices: Sorted<1>,
    edges: Sorted<2>,
    faces: Sorted<3>,
}

/// The sorted lists of a sample.
pub(super) struct SweepSample {
    vertices: Sorted<1>,
    edges: Sorted<2>,
}

/// Boxes sorted along an axis, with the `N` vertices of their primitives. Eight lanes of NaN at the
/// end, so that loads of eight never run out.
#[derive(Debug)]
struct Sorted<const N: usize> {
    len: usize,
    ids: Vec<u32>,
    /// Lower bounds, the axis of the sort first.
    min: [Vec<f32>; 3],
    /// Upper bounds, the axis of the sort first.
    max: [Vec<f32>; 3],
    corners: [Vec<u32>; N],
}

/// One box against the others.
#[derive(Clone, Copy)]
struct Row<const N: usize> {
    id: u32,
    min: [f32; 3],
    max: [f32; 3],
    corners: [u32; N],
}

impl<const N: usize> Sorted<N> {
    fn new(boxes: &[Aabb], ids: &[u32], corners: impl Fn(u32) -> [u32; N], axis: usize) -> Self {
        let mut items: Vec<u64> = boxes
            .iter()
            .enumerate()
            .map(|(i, b)| (u64::from(float_key(b.min[axis])) << 32) | i as u64)
            .collect();
        sort_by_key(&mut items, &mut Vec::new());
        let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        let order = || items.iter().map(|&item| item as u32 as usize);
        let bounds = |get: &dyn Fn(&Aabb) -> f32| {
            let padding = core::iter::repeat_n(f32::NAN, 8);
            order().map(|i| get(&boxes[i])).chain(padding).collect()
        };
        let id = |i: usize| ids.get(i).copied().unwrap_or(i as u32);
        let padding = || core::iter::repeat_n(u32::MAX, 8);
        Self {
            len: boxes.len(),
            ids: order().map(id).chain(padding()).collect(),
            min: axes.map(|axis| bounds(&move |b| b.min[axis])),
            max: axes.map(|axis| bounds(&move |b| b.max[axis])),
            corners: core::array::from_fn(|corner| {
                order()
                    .map(|i| corners(id(i))[corner])
                    .chain(padding())
                    .collect()
            }),
        }
    }

    fn row(&self, at: usize) -> Row<N> {
        Row {
            id: self.ids[at],
            min: [0, 1, 2].map(|axis| self.min[axis][at]),
            max: [0, 1, 2].map(|axis| self.max[axis][at]),
            corners: core::array::from_fn(|corner| self.corners[corner][at]),
        }
    }

    fn tasks(&self) -> usize {
        self.len.div_ceil(SWEEP_ROWS)
    }

    fn rows(&self, task: usize) -> core::ops::Range<usize> {
        task * SWEEP_ROWS..self.len.min((task + 1) * SWEEP_ROWS)
    }

    fn memory_bytes(&self) -> usize {
        let words = self.ids.capacity()
            + self
                .min
                .iter()
                .chain(&self.max)
                .map(Vec::capacity)
                .sum::<usize>()
            + self.corners.iter().map(Vec::capacity).sum::<usize>();
        words * size_of::<u32>()
    }

    /// Where the boxes begin that a row starting at `min` meets.
    fn first(&self, min: f32, begin: Begin) -> usize {
        self.min[0][..self.len].partition_point(|&other| match begin {
            Begin::With => other < min,
            Begin::After => other <= min,
        })
    }

    /// Tests a row against the boxes from place `at` on, as far as they begin within it.
    #[inline(always)]
    fn meet<S: Simd, const M: usize>(
        &self,
        simd: S,
        row: &Row<M>,
        mut at: usize,
        buffer: &mut PairBuffer,
        flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
        pair: impl Fn(u32, u32) -> [u32; 2],
    ) -> ControlFlow<()> {
        let ids = [row.id; 8];
        while self.min[0][at] <= row.max[0] {
            let mut mask = load(simd, &self.min[0], at).simd_le(f32x8::splat(simd, row.max[0]));
            for axis in 1..3 {
                mask &= load(simd, &self.min[axis], at).simd_le(f32x8::splat(simd, row.max[axis]));
                mask &= f32x8::splat(simd, row.min[axis]).simd_le(load(simd, &self.max[axis], at));
            }
            let mut bits = mask.to_bitmask();
            if bits != 0 {
                for theirs in &self.corners {
                    let theirs = u32x8::from_slice(simd, &theirs[at..at + 8]);
                    for &ours in &row.corners {
                        bits &= !theirs.simd_eq(u32x8::splat(simd, ours)).to_bitmask();
                    }
                }
                buffer.reserve(8, flush)?;
                while bits != 0 {
                    let lane = bits.trailing_zeros() as usize;
                    buffer.push(pair(ids[lane], self.ids[at + lane]));
                    bits &= bits - 1;
                }
            }
            at += 8;
        }
        ControlFlow::Continue(())
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, values: &[f32], at: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &values[at..at + 8])
}

/// Whether a row meets the boxes that begin exactly where it does.
#[derive(Clone, Copy)]
enum Begin {
    With,
    After,
}

impl SweepStep {
    pub(super) fn build(topology: &Topology, boxes: &MovingBoxes) -> Self {
        let axis = widest_axis(&boxes.vertices);
        let (edges, faces) = (topology.edges(), topology.faces());
        let (edges, (vertices, faces)) = both(
            || Sorted::new(&boxes.edges, &[], |e| edges[e as usize], axis),
            || {
                (
                    Sorted::new(&boxes.vertices, &[], |v| [v], axis),
                    Sorted::new(&boxes.faces, &[], |f| faces[f as usize], axis),
                )
            },
        );
        Self {
            axis,
            vertices,
            edges,
            faces,
        }
    }

    /// The sorted lists of the chosen primitives.
    pub(super) fn choose(
        &self,
        topology: &Topology,
        boxes: &MovingBoxes,
        chosen: &Chosen,
    ) -> SweepSample {
        let edges = topology.edges();
        SweepSample {
            vertices: Sorted::new(
                &boxes_of(&chosen.vertices, &boxes.vertices),
                &chosen.vertices,
                |v| [v],
                self.axis,
            ),
            edges: Sorted::new(
                &boxes_of(&chosen.edges, &boxes.edges),
                &chosen.edges,
                |e| edges[e as usize],
                self.axis,
            ),
        }
    }

    pub(super) fn task_count(&self) -> usize {
        self.vertices.tasks() + self.faces.tasks() + self.edges.tasks()
    }

    pub(super) fn run_task(
        &self,
        task: usize,
        level: Level,
        buffer: &mut PairBuffer,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let (v, f) = (self.vertices.tasks(), self.faces.tasks());
        if task < v {
            let rows = self.vertices.rows(task);
            let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::VertexFace, pairs);
            two_lists(
                (&self.vertices, rows, &self.faces, Begin::With),
                level,
                buffer,
                &mut flush,
                |vertex, face| [vertex, face],
            )
        } else if task < v + f {
            let rows = self.faces.rows(task - v);
            let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::VertexFace, pairs);
            two_lists(
                (&self.faces, rows, &self.vertices, Begin::After),
                level,
                buffer,
                &mut flush,
                |face, vertex| [vertex, face],
            )
        } else {
            let rows = self.edges.rows(task - v - f);
            let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::EdgeEdge, pairs);
            dispatch!(level, simd => one_list(simd, &self.edges, rows, buffer, &mut flush))?;
            buffer.finish(&mut flush)
        }
    }

    pub(super) fn sample(
        &self,
        sample: &SweepSample,
        level: Level,
        buffer: &mut PairBuffer,
        sink: Sink<'_>,
    ) -> ControlFlow<()> {
        let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::VertexFace, pairs);
        let (vertices, faces) = (&sample.vertices, &self.faces);
        let rows = 0..vertices.len;
        two_lists(
            (vertices, rows, faces, Begin::With),
            level,
            buffer,
            &mut flush,
            |vertex, face| [vertex, face],
        )?;
        let rows = 0..faces.len;
        two_lists(
            (faces, rows, vertices, Begin::After),
            level,
            buffer,
            &mut flush,
            |face, vertex| [vertex, face],
        )?;
        let mut flush = |pairs: &[[u32; 2]]| sink(PairKind::EdgeEdge, pairs);
        let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
        let (few, all) = (&sample.edges, &self.edges);
        let rows = 0..few.len;
        two_lists(
            (few, rows, all, Begin::With),
            level,
            buffer,
            &mut flush,
            sorted,
        )?;
        let rows = 0..all.len;
        two_lists(
            (all, rows, few, Begin::After),
            level,
            buffer,
            &mut flush,
            sorted,
        )
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.vertices.memory_bytes() + self.edges.memory_bytes() + self.faces.memory_bytes()
    }
}

/// The axis along which the centres of the boxes vary most.
fn widest_axis(boxes: &[Aabb]) -> usize {
    let mut sum = [0.0_f64; 3];
    let mut squares = [0.0_f64; 3];
    let start = boxes.first().map_or([0.0; 3], |b| b.centre().to_array());
    for b in boxes {
        for axis in 0..3 {
            let x = f64::from(b.min[axis]) * 0.5 + f64::from(b.max[axis]) * 0.5;
            let x = x - f64::from(start[axis]);
            sum[axis] += x;
            squares[axis] += x * x;
        }
    }
    let n = boxes.len().max(1) as f64;
    let variance = |axis: usize| squares[axis] - sum[axis] * sum[axis] / n;
    (0..3).fold(0, |best, axis| {
        if variance(axis) > variance(best) {
            axis
        } else {
            best
        }
    })
}

/// Pairs of `rows` of the first list with the boxes of the second that begin within them.
fn two_lists<const N: usize, const M: usize>(
    (ours, rows, theirs, begin): (&Sorted<N>, core::ops::Range<usize>, &Sorted<M>, Begin),
    level: Level,
    buffer: &mut PairBuffer,
    flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    pair: impl Fn(u32, u32) -> [u32; 2] + Copy,
) -> ControlFlow<()> {
    dispatch!(level, simd =>
        two_lists_wide(simd, (ours, rows, theirs, begin), buffer, flush, pair))?;
    buffer.finish(flush)
}

#[inline(always)]
fn two_lists_wide<S: Simd, const N: usize, const M: usize>(
    simd: S,
    (ours, rows, theirs, begin): (&Sorted<N>, core::ops::Range<usize>, &Sorted<M>, Begin),
    buffer: &mut PairBuffer,
    flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
    pair: impl Fn(u32, u32) -> [u32; 2] + Copy,
) -> ControlFlow<()> {
    for at in rows {
        let row = ours.row(at);
        let first = theirs.first(row.min[0], begin);
        theirs.meet(simd, &row, first, buffer, flush, pair)?;
    }
    ControlFlow::Continue(())
}

/// Pairs of `rows` with the boxes of the same list that come after them.
#[inline(always)]
fn one_list<S: Simd, const N: usize>(
    simd: S,
    list: &Sorted<N>,
    rows: core::ops::Range<usize>,
    buffer: &mut PairBuffer,
    flush: &mut impl FnMut(&[[u32; 2]]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for at in rows {
        let row = list.row(at);
        list.meet(simd, &row, at + 1, buffer, flush, |a, b| {
            [a.min(b), a.max(b)]
        })?;
    }
    ControlFlow::Continue(())
}
