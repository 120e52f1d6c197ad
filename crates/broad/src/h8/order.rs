//! The order of boxes along a Hilbert curve.

use fearless_simd::Level;
use jostle_geom::{Aabb, chunks::fill_chunks};
use jostle_simd::{HilbertGrid, hilbert_keys};

use super::BuildMemory;
use crate::radix::sort_by_key;
use crate::tuning::{
    BUILD_CHUNK, LONGEST_RUN, QUANTILE_CUT, QUANTILE_MARGIN, QUANTILE_SAMPLE, RUN_CHUNK,
};

/// Puts the boxes' places in their list in order along the curve, into `memory.items`.
///
/// Keys have ten bits an axis. Where many centres fall into one cell, as in a scene with a few
/// boxes far away, the run of equal keys is ordered along a curve of its own, and so on; each such
/// pass splits the run or leaves it for good, so that the work ends.
pub(super) fn hilbert_order(boxes: &[Aabb], level: Level, memory: &mut BuildMemory) {
    let BuildMemory { items, spare } = memory;
    items.resize(boxes.len(), 0);
    let grid = quantile_grid(boxes);
    fill_chunks(items, BUILD_CHUNK, |first, out| {
        let boxes = &boxes[first..first + out.len()];
        hilbert_keys(&grid, boxes, first as u32, out, level);
    });
    sort_by_key(items, spare);
    reorder_runs(boxes, items, level);
}

/// The centre of a box with infinite bounds taken as the largest finite ones.
fn centre(b: &Aabb) -> [f32; 3] {
    let largest = glam::Vec3::splat(f32::MAX);
    Aabb::new(
        b.min.clamp(-largest, largest),
        b.max.clamp(-largest, largest),
    )
    .centre()
    .into()
}

/// A grid around most of the centres: what lies far out must not squash the rest into a few cells.
pub(crate) fn quantile_grid(boxes: &[Aabb]) -> HilbertGrid {
    let stride = boxes.len().div_ceil(QUANTILE_SAMPLE).max(1);
    let sample: Vec<_> = boxes.iter().step_by(stride).map(centre).collect();
    if sample.is_empty() {
        return HilbertGrid::new([0.0; 3], [0.0; 3]);
    }
    let (mut min, mut max) = ([0.0; 3], [0.0; 3]);
    let cut = (sample.len() as f64 * QUANTILE_CUT) as usize;
    let mut values = Vec::with_capacity(sample.len());
    for axis in 0..3 {
        values.clear();
        values.extend(sample.iter().map(|centre| centre[axis]));
        let last = values.len() - 1;
        let hi = *values.select_nth_unstable_by(last - cut, f32::total_cmp).1;
        // What is not above the upper quantile has the lower one.
        let lo = *values[..=last - cut]
            .select_nth_unstable_by(cut, f32::total_cmp)
            .1;
        let (lo, hi) = (f64::from(lo), f64::from(hi));
        let margin = (hi - lo) * QUANTILE_MARGIN;
        let limit = f64::from(f32::MAX);
        min[axis] = (lo - margin).max(-limit) as f32;
        max[axis] = (hi + margin).min(limit) as f32;
    }
    if min == max {
        return whole_grid(boxes.iter().map(centre));
    }
    HilbertGrid::new(min, max)
}

/// A grid around all the centres.
fn whole_grid(centres: impl Iterator<Item = [f32; 3]>) -> HilbertGrid {
    let (mut min, mut max) = ([f32::MAX; 3], [-f32::MAX; 3]);
    for centre in centres {
        for axis in 0..3 {
            min[axis] = min[axis].min(centre[axis]);
            max[axis] = max[axis].max(centre[axis]);
        }
    }
    HilbertGrid::new(min, max)
}

/// Memory for ordering runs.
#[derive(Default)]
struct RunMemory {
    waiting: Vec<(usize, usize)>,
    boxes: Vec<Aabb>,
    keys: Vec<u64>,
    spare: Vec<u64>,
}

/// Orders every long run of equal keys along a curve of its own.
fn reorder_runs(boxes: &[Aabb], items: &mut [u64], level: Level) {
    let mut ranges = Vec::new();
    long_runs(items, 0, &mut ranges);
    let mut runs = Vec::with_capacity(ranges.len());
    let (mut rest, mut offset) = (items, 0);
    for (first, end) in ranges {
        let (run, after) = rest[first - offset..].split_at_mut(end - first);
        runs.push(run);
        (rest, offset) = (after, end);
    }
    fill_chunks(&mut runs, RUN_CHUNK, |_, runs| {
        let mut memory = RunMemory::default();
        for run in runs {
            reorder_run(boxes, run, &mut memory, level);
        }
    });
}

/// Orders one run, and long runs within it.
fn reorder_run(boxes: &[Aabb], items: &mut [u64], memory: &mut RunMemory, level: Level) {
    memory.waiting.push((0, items.len()));
    while let Some((first, end)) = memory.waiting.pop() {
        let run = &mut items[first..end];
        let (run_boxes, keys) = (&mut memory.boxes, &mut memory.keys);
        run_boxes.clear();
        run_boxes.extend(run.iter().map(|&item| boxes[item as u32 as usize]));
        let grid = whole_grid(run_boxes.iter().map(centre));
        keys.clear();
        keys.resize(run.len(), 0);
        hilbert_keys(&grid, run_boxes, 0, keys, level);
        sort_by_key(keys, &mut memory.spare);
        if keys[0] >> 32 == keys[keys.len() - 1] >> 32 {
            continue;
        }
        // The keys carry places in the run; put the ids of those places in their stead.
        for key in keys.iter_mut() {
            let id = run[*key as u32 as usize] & u64::from(u32::MAX);
            *key = (*key & !u64::from(u32::MAX)) | id;
        }
        run.copy_from_slice(keys);
        long_runs(&items[first..end], first, &mut memory.waiting);
    }
}

/// Appends the ranges of long runs of equal keys, shifted by `offset`.
fn long_runs(items: &[u64], offset: usize, out: &mut Vec<(usize, usize)>) {
    // A long run holds two that are so far apart, wherever one looks.
    const STEP: usize = LONGEST_RUN / 2;
    let mut done = 0;
    let mut at = STEP;
    while at < items.len() {
        let key = items[at] >> 32;
        let mut first = at - STEP;
        if items[first] >> 32 != key {
            at += STEP;
            continue;
        }
        while first > done && items[first - 1] >> 32 == key {
            first -= 1;
        }
        let end = at + items[at..].partition_point(|&item| item >> 32 == key);
        if end - first > LONGEST_RUN {
            out.push((offset + first, offset + end));
        }
        done = end;
        at = end + STEP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_found_whole() {
        let mut items = Vec::new();
        for (key, count) in [(1_u64, 3), (2, 65), (3, 64), (4, 200), (5, 1)] {
            items.extend((0..count).map(|id| (key << 32) | id));
        }
        let mut runs = Vec::new();
        long_runs(&items, 10, &mut runs);
        assert_eq!(runs, [(13, 78), (142, 342)]);
    }

    #[test]
    fn a_cluster_beside_an_outlier_is_ordered_too() {
        // The cluster shares one cell of the first grid because the outliers are many enough to
        // count.
        let at = |x: f32| Aabb::new([x; 3].into(), [x; 3].into());
        let mut boxes: Vec<_> = (0..900).map(|i| at(((i * 37) % 900) as f32)).collect();
        boxes.extend((0..100).map(|i| at(1e9 + 1e6 * i as f32)));
        let mut memory = BuildMemory::default();
        hilbert_order(&boxes, Level::new(), &mut memory);
        let order: Vec<_> = memory.items.iter().map(|&item| item as u32).collect();
        let mut seen = order.clone();
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..1000));
        let walk: Vec<_> = order.iter().map(|&id| boxes[id as usize].min.x).collect();
        // Neighbours on the curve are mostly close in space.
        let long_steps = walk.windows(2).filter(|w| (w[0] - w[1]).abs() > 100.0);
        assert!(long_steps.count() < 120, "the cluster was left unordered");
    }
}
