//! Splits by the surface area heuristic with bins.
//!
//! I. Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007: centres are
//! sorted into bins along an axis, and the best of the planes between bins splits the node.
//! Differences: a record is one register and moves whole, to and fro between two buffers; sets of
//! at most four boxes get the best of all trees; where no plane splits, boxes are halved by centre
//! and size.

use fearless_simd::{Level, dispatch, f32x4, f32x8, i32x4, prelude::*};
use jostle_geom::{Aabb, chunks::both};

use super::emit::{Place, must_halve};
use super::record::{Record, centre2_of, half_area_of};
use super::small::{Nodes, write_small};
use crate::bvh::Node;
use crate::tuning::{BUILD_TASK, SMALL_BINS};

/// Builds the tree of the records at a place. `spare` has their number of records and any content.
///
/// `BINS` bins on all three axes, or on the one on which centres spread most. Cost: O(n log n).
pub(super) fn build<const BINS: usize, const ALL_AXES: bool>(
    records: &mut [Record],
    spare: &mut [Record],
    place: Place<'_>,
    depth: usize,
    level: Level,
) {
    if records.len() <= BUILD_TASK {
        let stack = &mut Vec::new();
        dispatch!(level, simd => {
            subtree::<_, BINS, ALL_AXES>(simd, records, spare, place, depth, stack);
        });
        return;
    }
    let (bounds, left) = dispatch!(level, simd => {
        split::<_, BINS, ALL_AXES>(simd, records, spare, depth)
    });
    let (_, first, second) = place.inner(&bounds, left);
    let (from_first, from_second) = spare.split_at_mut(left);
    let (to_first, to_second) = records.split_at_mut(left);
    // The depth of this recursion is bounded: children of too deep a node are halves.
    both(
        || build::<BINS, ALL_AXES>(from_first, to_first, first, depth + 1, level),
        || build::<BINS, ALL_AXES>(from_second, to_second, second, depth + 1, level),
    );
}

/// A subtree that waits to be built.
#[derive(Clone, Copy)]
pub(super) struct Job {
    first: u32,
    end: u32,
    at: u32,
    parent: u32,
    /// The pair its nodes start with.
    pair: u32,
    depth: u32,
    /// Whether its records lie in the second buffer.
    spare: bool,
}

/// Builds the tree of the records at a place, one node after the other. `stack` is empty before and
/// after.
#[inline(always)]
pub(super) fn subtree<S: Simd, const BINS: usize, const ALL_AXES: bool>(
    simd: S,
    records: &mut [Record],
    spare: &mut [Record],
    place: Place<'_>,
    depth: usize,
    stack: &mut Vec<Job>,
) {
    stack.push(Job {
        first: 0,
        end: records.len() as u32,
        at: place.at,
        parent: place.parent,
        pair: place.first_pair,
        depth: depth as u32,
        spare: false,
    });
    let mut nodes = Nodes::new(place);
    while let Some(job) = stack.pop() {
        let range = job.first as usize..job.end as usize;
        let (from, to) = if job.spare {
            (&spare[range.clone()], &mut records[range])
        } else {
            (&records[range.clone()], &mut spare[range])
        };
        if from.len() <= 4 {
            write_small(simd, from, &mut nodes, job.at, job.parent, job.pair);
            continue;
        }
        let (bounds, left) = split::<_, BINS, ALL_AXES>(simd, from, to, job.depth as usize);
        nodes.put(job.at, Node::inner(&bounds, job.pair, job.parent));
        let middle = job.first + left as u32;
        let child = 2 * job.pair + 1;
        stack.push(Job {
            first: middle,
            at: child + 1,
            parent: job.at,
            pair: job.pair + left as u32,
            depth: job.depth + 1,
            spare: !job.spare,
            ..job
        });
        stack.push(Job {
            end: middle,
            at: child,
            parent: job.at,
            pair: job.pair + 1,
            depth: job.depth + 1,
            spare: !job.spare,
            ..job
        });
    }
}

/// Moves the records to `to`, those of the first child before those of the second; returns the
/// bounds of all and the number of the former, which is neither none nor all. At least two records.
#[inline(always)]
fn split<S: Simd, const BINS: usize, const ALL_AXES: bool>(
    simd: S,
    from: &[Record],
    to: &mut [Record],
    depth: usize,
) -> (Aabb, usize) {
    let (bounds, low, high) = extents(simd, from);
    let bounds = Record(bounds.into()).bounds();
    let spread: [f32; 4] = (high - low).into();
    if !must_halve(depth, from.len()) {
        let used = if from.len() < 2 * BINS {
            SMALL_BINS.min(BINS)
        } else {
            BINS
        };
        // A little less than the number of bins, so that rounding cannot reach it.
        let bins = used as f32 * 0.999_999;
        let mut scale = [0.0; 4];
        for axis in 0..3 {
            if spread[axis] >= TINY {
                scale[axis] = bins / spread[axis];
            }
        }
        let grid = (low, f32x4::load_array(simd, scale));
        let mut best = (f32::INFINITY, 0, 0);
        if ALL_AXES {
            let mut boxes = [[Record::EMPTY; BINS]; 3];
            let mut weights = [[0.0; BINS]; 3];
            for record in from {
                let v = record.load(simd);
                let bin = bins_of(v, grid);
                for axis in 0..3 {
                    let bin = bin[axis] as usize % BINS;
                    let slot = &mut boxes[axis][bin];
                    slot.0 = slot.load(simd).min(v).into();
                    weights[axis][bin] += record.weight();
                }
            }
            for axis in 0..3 {
                let (cost, bin) = sweep(simd, &boxes[axis], &weights[axis], used);
                if cost < best.0 {
                    best = (cost, axis, bin);
                }
            }
        } else {
            let axis = widest(spread);
            let mut boxes = [Record::EMPTY; BINS];
            let mut weights = [0.0; BINS];
            for record in from {
                let v = record.load(simd);
                let bin = bins_of(v, grid)[axis] as usize % BINS;
                let slot = &mut boxes[bin];
                slot.0 = slot.load(simd).min(v).into();
                weights[bin] += record.weight();
            }
            let (cost, bin) = sweep(simd, &boxes, &weights, used);
            best = (cost, axis, bin);
        }
        let (cost, axis, bin) = best;
        if cost < f32::INFINITY {
            return (bounds, partition(simd, from, to, grid, axis, bin));
        }
    }
    (bounds, halve(from, to, widest(spread)))
}

/// Centres that spread less count as one, so that the scale of the bins stays finite.
const TINY: f32 = 1e-30;

/// The axis of the largest spread; the first of equal ones.
#[inline(always)]
fn widest(spread: [f32; 4]) -> usize {
    let mut best = 0;
    for axis in 1..3 {
        if spread[axis] > spread[best] {
            best = axis;
        }
    }
    best
}

/// The union of the records and the range of their centres, doubled.
#[inline(always)]
fn extents<S: Simd>(simd: S, records: &[Record]) -> (f32x8<S>, f32x4<S>, f32x4<S>) {
    let empty = f32x8::splat(simd, f32::INFINITY);
    let (mut bounds, mut low, mut high) = (
        empty,
        f32x4::splat(simd, f32::INFINITY),
        f32x4::splat(simd, f32::NEG_INFINITY),
    );
    for record in records {
        let v = record.load(simd);
        let centre = centre2_of(v);
        bounds = v.min(bounds);
        low = centre.min(low);
        high = centre.max(high);
    }
    (bounds, low, high)
}

/// The bin of a record on each axis.
#[inline(always)]
fn bins_of<S: Simd>(v: f32x8<S>, (low, scale): (f32x4<S>, f32x4<S>)) -> [i32; 4] {
    let bin: i32x4<S> = ((centre2_of(v) - low) * scale).to_int();
    bin.into()
}

/// The cheapest plane between bins and its cost; infinite when all records lie in one bin.
#[inline(always)]
fn sweep<S: Simd, const BINS: usize>(
    simd: S,
    boxes: &[Record; BINS],
    weights: &[f32; BINS],
    used: usize,
) -> (f32, usize) {
    let mut right = [0.0; BINS];
    let mut side = f32x8::splat(simd, f32::INFINITY);
    let mut weight = 0.0;
    for bin in (1..used).rev() {
        side = side.min(boxes[bin].load(simd));
        weight += weights[bin];
        // No boxes: infinity times zero, which is below nothing.
        right[bin] = half_area_of(side) * weight;
    }
    let mut best = (f32::INFINITY, 0);
    side = f32x8::splat(simd, f32::INFINITY);
    weight = 0.0;
    for bin in 1..used {
        side = side.min(boxes[bin - 1].load(simd));
        weight += weights[bin - 1];
        let cost = half_area_of(side) * weight + right[bin];
        if cost < best.0 {
            best = (cost, bin);
        }
    }
    best
}

/// Moves records of bins below `bin` to the front, the others to the back; returns the number of
/// the former.
#[inline(always)]
fn partition<S: Simd>(
    simd: S,
    from: &[Record],
    to: &mut [Record],
    grid: (f32x4<S>, f32x4<S>),
    axis: usize,
    bin: usize,
) -> usize {
    let (mut front, mut back) = (0, from.len());
    for record in from {
        let left = bins_of(record.load(simd), grid)[axis & 3] < bin as i32;
        // Both places are still free.
        to[front] = *record;
        to[back - 1] = *record;
        front += usize::from(left);
        back -= usize::from(!left);
    }
    front
}

/// Moves the half with smaller centres to the front; of equal centres the smaller boxes come first.
#[inline(never)]
fn halve(from: &[Record], to: &mut [Record], axis: usize) -> usize {
    to.copy_from_slice(from);
    let middle = to.len() / 2;
    to.select_nth_unstable_by(middle, |a, b| {
        a.centre2(axis)
            .total_cmp(&b.centre2(axis))
            .then_with(|| a.half_area().total_cmp(&b.half_area()))
            .then_with(|| a.id().cmp(&b.id()))
    });
    middle
}
