//! Trees of clusters: boxes sorted along a curve are cut into clusters, a tree is built over the
//! clusters and one within each.
//!
//! K. Garanzha and others, "Simpler and faster HLBVH with work queues", HPG 2011. Differences: a
//! Hilbert curve where the clusters are large, clusters cut by size instead of by a grid, and their
//! weight counts in the tree above.

use bytemuck::Zeroable;
use fearless_simd::{Level, dispatch};
use jostle_geom::{Aabb, chunks::fill_chunks};
use jostle_simd::{HilbertGrid, hilbert_keys};

use super::emit::{self, Place, halvings, room};
use super::record::{self, Record, Scale};
use super::sah;
use crate::bvh::{Bvh, Node};
use crate::h8::quantile_grid;
use crate::radix::{Keyed, sort_by_key};
use crate::tuning::{BUILD_CHUNK, BUILD_TASK, CLUSTER_TASK};

/// How the tree within a cluster is built.
pub(super) trait Within: Sync {
    /// The most levels that the tree of a cluster of so many boxes may need.
    fn levels(&self, largest: usize) -> usize;

    /// Builds the trees of some clusters.
    fn build(&self, tasks: &mut [Task<'_>], level: Level);
}

/// A cluster with the place of its subtree.
pub(super) struct Task<'a> {
    pub(super) records: &'a mut [Record],
    /// Which record the first of them is.
    pub(super) start: u32,
    /// The root lies among those of other clusters and is put there at the end.
    pub(super) root: Node,
    pub(super) below: &'a mut [Node],
    pub(super) first_pair: u32,
    pub(super) at: u32,
    pub(super) parent: u32,
    pub(super) depth: usize,
}

impl Task<'_> {
    #[inline(always)]
    pub(super) fn parts(&mut self) -> (&mut [Record], Place<'_>, usize) {
        (
            self.records,
            Place {
                root: &mut self.root,
                below: self.below,
                first_pair: self.first_pair,
                at: self.at,
                parent: self.parent,
            },
            self.depth,
        )
    }
}

/// Clusters of at most `largest` boxes (more only where keys are equal) along a Hilbert curve, split by
/// the surface area heuristic within and above. Cost: O(n log n), most of it in the innermost
/// caches.
pub(super) fn hilbert<const BINS: usize, const ALL_AXES: bool>(
    boxes: &[Aabb],
    scale: Scale,
    largest: usize,
    level: Level,
) -> Bvh {
    let (items, mut records) = sorted(boxes, scale, hilbert_keys, level);
    let starts = cut(&items, largest);
    drop(items);
    build::<BINS, ALL_AXES>(&mut records, &starts, &Binned::<BINS, ALL_AXES>, level)
}

/// Keys of boxes with their ids, along a curve.
pub(super) type Curve = fn(&HilbertGrid, &[Aabb], u32, &mut [u64], Level);

/// Keys and records sorted along a curve.
pub(super) fn sorted(
    boxes: &[Aabb],
    scale: Scale,
    curve: Curve,
    level: Level,
) -> (Vec<u64>, Vec<Record>) {
    let grid = quantile_grid(boxes);
    let mut items = vec![0_u64; boxes.len()];
    fill_chunks(&mut items, BUILD_CHUNK, |first, out| {
        let boxes = &boxes[first..first + out.len()];
        curve(&grid, boxes, first as u32, out, level);
    });
    sort_by_key(&mut items, &mut Vec::new());
    let records = gathered(boxes, scale, &items);
    (items, records)
}

/// The records of sorted items.
pub(super) fn gathered<T: Keyed>(boxes: &[Aabb], scale: Scale, items: &[T]) -> Vec<Record> {
    let mut records = record::room(boxes.len());
    fill_chunks(&mut records, BUILD_CHUNK, |first, out| {
        for (out, item) in out.iter_mut().zip(&items[first..]) {
            let id = item.id();
            *out = scale.record(&boxes[id as usize], id);
        }
    });
    records
}

/// Where the clusters of sorted items start, and the end of the last.
///
/// A range is cut at the highest bit in which its keys differ until it is small enough.
pub(super) fn cut<T: Keyed>(items: &[T], largest: usize) -> Vec<u32> {
    let mut starts = Vec::with_capacity(2 * items.len() / largest + 2);
    let mut waiting = vec![(0, items.len())];
    while let Some((first, end)) = waiting.pop() {
        if end - first <= largest || items[first].key() == items[end - 1].key() {
            if first < end {
                starts.push(first as u32);
            }
            continue;
        }
        let middle = first + highest_split(&items[first..end]);
        waiting.push((middle, end));
        waiting.push((first, middle));
    }
    starts.push(items.len() as u32);
    starts
}

/// The first item in whose key the highest bit is set in which keys differ; there must be one.
pub(super) fn highest_split<T: Keyed>(items: &[T]) -> usize {
    let (low, high) = (items[0].key(), items[items.len() - 1].key());
    let bit = (low ^ high).ilog2();
    let from = (high >> bit) << bit;
    items.partition_point(|item| item.key() < from)
}

/// The tree over clusters of records, which lie one after the other.
pub(super) fn build<const BINS: usize, const ALL_AXES: bool>(
    records: &mut [Record],
    starts: &[u32],
    within: &dyn Within,
    level: Level,
) -> Bvh {
    let mut tops = vec![Record::EMPTY; starts.len() - 1];
    fill_chunks(&mut tops, CLUSTER_TASK, |first, out| {
        for (i, out) in out.iter_mut().enumerate() {
            let [from, to] = [0, 1].map(|j| starts[first + i + j]);
            let union = |u: Record, r: &Record| u.union(r);
            *out = records[from as usize..to as usize]
                .iter()
                .fold(Record::EMPTY, union)
                .tagged((first + i) as u32, (to - from) as f32);
        }
    });
    let mut spare = tops.clone();
    let largest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
    // Starting deeper leaves room for what comes below.
    let depth = within.levels(largest.unwrap_or(1) as usize);
    let top = emit::tree(tops.len(), |place| {
        sah::build::<BINS, ALL_AXES>(&mut tops, &mut spare, place, depth, level);
    });
    expand(&top, records, starts, within, level)
}

/// Replaces the leaves of a tree over clusters by the trees of the clusters.
fn expand(
    top: &Bvh,
    records: &mut [Record],
    starts: &[u32],
    within: &dyn Within,
    level: Level,
) -> Bvh {
    let size = |cluster: u32| {
        let cluster = cluster as usize;
        starts[cluster + 1] - starts[cluster]
    };
    // Boxes below each node of the upper tree.
    let mut counts = vec![0_u32; top.nodes.len()];
    for (i, node) in top.nodes.iter().enumerate().rev() {
        counts[i] = if node.is_leaf() {
            size(node.id())
        } else {
            let child = node.first_child() as usize;
            counts[child] + counts[child + 1]
        };
    }
    let mut nodes = room(records.len());
    let mut clusters: Vec<_> = Vec::with_capacity(starts.len() - 1);
    let mut rest = records;
    for cluster in starts.windows(2) {
        let (here, after) = rest.split_at_mut((cluster[1] - cluster[0]) as usize);
        clusters.push(here);
        rest = after;
    }
    let mut tasks = Vec::with_capacity(clusters.len());
    let mut upper = Vec::with_capacity(top.nodes.len());
    // The pairs that are not yet given away, depth first like the walk.
    let (mut free, mut next_pair) = (nodes.get_mut(1..).unwrap_or_default(), 0);
    let mut waiting = vec![(0_u32, 0_u32, Node::NONE, 0)];
    while let Some((from, at, parent, depth)) = waiting.pop() {
        let Some(node) = top.nodes.get(from as usize) else {
            break;
        };
        if node.is_leaf() {
            let below = 2 * (size(node.id()) as usize - 1);
            let (below, after) = core::mem::take(&mut free).split_at_mut(below);
            free = after;
            tasks.push(Task {
                records: core::mem::take(&mut clusters[node.id() as usize]),
                start: starts[node.id() as usize],
                root: Node::zeroed(),
                first_pair: next_pair,
                at,
                parent,
                depth,
                below,
            });
            next_pair += size(node.id()) - 1;
        } else {
            let (_, after) = core::mem::take(&mut free).split_at_mut(2);
            free = after;
            upper.push((at, Node::inner(&node.bounds(), next_pair, parent)));
            let (child, to) = (node.first_child(), 2 * next_pair + 1);
            next_pair += 1;
            waiting.push((child + 1, to + 1, at, depth + 1));
            waiting.push((child, to, at, depth + 1));
        }
    }
    fill_chunks(&mut tasks, CLUSTER_TASK, |_, tasks| {
        within.build(tasks, level);
    });
    let roots: Vec<_> = tasks.iter().map(|task| (task.at, task.root)).collect();
    drop(tasks);
    for (at, node) in upper.into_iter().chain(roots) {
        nodes[at as usize] = node;
    }
    Bvh { nodes }
}

/// The same splits within clusters as above them.
pub(super) struct Binned<const BINS: usize, const ALL_AXES: bool>;

impl<const BINS: usize, const ALL_AXES: bool> Within for Binned<BINS, ALL_AXES> {
    fn levels(&self, largest: usize) -> usize {
        halvings(largest)
    }

    fn build(&self, tasks: &mut [Task<'_>], level: Level) {
        let most = tasks.iter().map(|task| task.records.len()).max();
        let mut spare = vec![Record::EMPTY; most.unwrap_or(0)];
        for task in tasks
            .iter_mut()
            .filter(|task| task.records.len() > BUILD_TASK)
        {
            let (records, place, depth) = task.parts();
            let spare = &mut spare[..records.len()];
            sah::build::<BINS, ALL_AXES>(records, spare, place, depth, level);
        }
        let mut stack = Vec::new();
        dispatch!(level, simd => {
            for task in &mut *tasks {
                if task.records.len() > BUILD_TASK {
                    continue;
                }
                let (records, place, depth) = task.parts();
                let spare = &mut spare[..records.len()];
                sah::subtree::<_, BINS, ALL_AXES>(simd, records, spare, place, depth, &mut stack);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_small_unless_keys_agree() {
        let mut items: Vec<u64> = (0..5000_u64).map(|i| (i * i % 9973) << 32 | i).collect();
        items.extend((0..100).map(|i| 7 << 32 | (5000 + i)));
        items.sort_unstable();
        let starts = cut(&items, 16);
        assert_eq!((starts[0], starts[starts.len() - 1]), (0, 5100));
        for cluster in starts.windows(2) {
            let items = &items[cluster[0] as usize..cluster[1] as usize];
            assert!(!items.is_empty());
            assert!(items.len() <= 16 || items[0].key() == items[items.len() - 1].key());
        }
        assert_eq!(cut::<u64>(&[], 16), [0]);
    }
}
