//! Many volumes and a wide tree, level by level.
//!
//! One volume at a time waits for each node of a path before it knows the next one. Here a group of
//! volumes goes down together: a list of pairs of volume and node makes the list of the next level.
//! What comes next in the list does not depend on what was just tested, so the processor loads several
//! nodes at once: 320 ns instead of 1,300 for a box of 10 hits among a million.

use core::ops::ControlFlow;

use fearless_simd::{prelude::*, u32x8};
use jostle_simd::volume::Volume;

use super::wide_overlap::{List, walk};
use crate::bvh::WideNode;
use crate::tuning::{FRONT_LIMIT, FRONT_VOLUMES};

/// Pairs of a volume and a node, or a box; kept longer than what they hold, so that whole vectors
/// can be stored.
#[derive(Default)]
struct Pairs {
    volumes: Vec<u32>,
    items: Vec<u32>,
    len: usize,
}

impl Pairs {
    /// Appends some lanes of a node.
    #[inline(always)]
    fn push<const IDS: bool, N: WideNode, S: Simd>(
        &mut self,
        simd: S,
        volume: u32,
        node: &N,
        lanes: u32,
    ) {
        if self.items.len() < self.len + 8 {
            let len = 2 * self.len + 256;
            self.volumes.resize(len, 0);
            self.items.resize(len, 0);
        }
        node.compress_links::<IDS, S>(simd, lanes, &mut self.items[self.len..]);
        u32x8::splat(simd, volume).store_slice(&mut self.volumes[self.len..self.len + 8]);
        self.len += lanes.count_ones() as usize;
    }
}

#[derive(Default)]
struct Front {
    /// Pairs of a volume and a node of this level, and of the next one.
    here: Pairs,
    next: Pairs,
    /// Pairs of a volume and a box.
    found: Pairs,
    /// Where the boxes of each volume end in `ids`.
    ends: Vec<u32>,
    ids: Vec<u32>,
}

/// Calls `visit` with the boxes of each volume.
#[inline(always)]
pub(super) fn batch<N: WideNode, V: Volume, S: Simd>(
    simd: S,
    nodes: &[N],
    volumes: &[V],
    stack: &mut [u32],
    visited: &mut u64,
    visit: &mut dyn FnMut(usize, &[u32]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut front = Front::default();
    for (group, volumes) in volumes.chunks(FRONT_VOLUMES).enumerate() {
        let first = group * FRONT_VOLUMES;
        let before = *visited;
        if descend(simd, nodes, volumes, &mut front, visited) {
            front.sort(volumes.len());
            let mut start = 0;
            for (at, &end) in front.ends.iter().enumerate() {
                visit(first + at, &front.ids[start..end as usize])?;
                start = end as usize;
            }
            continue;
        }
        // Too much at once: one by one.
        *visited = before;
        for (at, volume) in volumes.iter().enumerate() {
            let mut list = List {
                ids: &mut front.ids,
                len: 0,
            };
            walk(simd, nodes, volume, stack, &mut list, visited)?;
            let len = list.len;
            visit(first + at, &front.ids[..len])?;
        }
    }
    ControlFlow::Continue(())
}

/// Finds the boxes of a group of volumes. Gives up when there are too many to hold.
#[inline(always)]
fn descend<N: WideNode, V: Volume, S: Simd>(
    simd: S,
    nodes: &[N],
    volumes: &[V],
    front: &mut Front,
    visited: &mut u64,
) -> bool {
    let Front {
        here, next, found, ..
    } = front;
    found.len = 0;
    here.len = 0;
    if !nodes.is_empty() {
        here.volumes.clear();
        here.volumes.extend(0..volumes.len() as u32);
        here.items.clear();
        here.items.resize(volumes.len(), 0);
        here.len = volumes.len();
    }
    while here.len > 0 {
        *visited += here.len as u64;
        next.len = 0;
        for (&volume, &node) in here.volumes[..here.len].iter().zip(&here.items[..here.len]) {
            let node = &nodes[node as usize];
            let (min, max) = (node.min(simd), node.max(simd));
            let hits = volumes[volume as usize].test_lanes(simd, &min, &max);
            let hits = hits.to_bitmask() as u32;
            let leaves = node.leaf_lanes(simd);
            next.push::<false, N, S>(simd, volume, node, hits & !leaves);
            found.push::<true, N, S>(simd, volume, node, hits & leaves);
        }
        if next.len.max(found.len) > FRONT_LIMIT {
            return false;
        }
        core::mem::swap(here, next);
    }
    true
}

impl Front {
    /// Gathers the boxes of each volume, in the order in which they were found.
    fn sort(&mut self, volumes: usize) {
        let found = &self.found;
        let pairs = found.volumes[..found.len].iter().zip(&found.items);
        self.ends.clear();
        self.ends.resize(volumes + 1, 0);
        for &volume in &found.volumes[..found.len] {
            self.ends[volume as usize + 1] += 1;
        }
        for at in 1..=volumes {
            self.ends[at] += self.ends[at - 1];
        }
        if self.ids.len() < found.len {
            self.ids.resize(found.len, 0);
        }
        // Starts become ends on the way.
        for (&volume, &id) in pairs {
            let place = &mut self.ends[volume as usize];
            self.ids[*place as usize] = id;
            *place += 1;
        }
        self.ends.truncate(volumes);
    }
}
