//! The boxes, or what is in them, nearest to a point.
//!
//! Branch and bound (N. Roussopoulos, S. Kelley and F. Vincent, "Nearest neighbor queries", SIGMOD
//! 1995): nodes wait on a stack with their distances, the nearest on top, and are passed over when
//! as many boxes as were asked for are nearer. Distances are single-precision numbers that grow
//! from parent to child, and among equal ones the smaller id counts as nearer, so that every walk
//! has the one answer that a list would give.

use core::cmp::Ordering;
use std::collections::BinaryHeap;

use fearless_simd::{Level, dispatch, prelude::*};
use glam::Vec3;
use jostle_simd::volume::{squared_distance, squared_distances};

use crate::bvh::{Bvh, Counters, WideBvh, WideNode};
use crate::h8::join_level;

/// A box near a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nearest {
    /// Which box.
    pub id: u32,
    /// The squared distance from the point, in m²: zero within.
    pub squared_distance: f32,
}

impl Eq for Nearest {}

impl Ord for Nearest {
    fn cmp(&self, other: &Self) -> Ordering {
        self.squared_distance
            .total_cmp(&other.squared_distance)
            .then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Nearest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What gives the distances. Not generic: the walk is compiled for every level, once is enough.
type Refine<'a> = &'a mut dyn FnMut(u32, f32) -> f32;

/// The nearest ones so far.
struct Best<'a> {
    /// At most `wanted`, the furthest on top.
    found: BinaryHeap<Nearest>,
    wanted: usize,
    /// What is further than this is not wanted.
    limit: f32,
    refine: Refine<'a>,
}

impl<'a> Best<'a> {
    fn new(point: Vec3, wanted: usize, max_distance: f32, refine: Refine<'a>) -> Self {
        Self {
            found: BinaryHeap::new(),
            wanted,
            // Nothing is that near. With a finite point no distance to a box is NaN.
            limit: if max_distance >= 0.0 && wanted > 0 && point.is_finite() {
                max_distance * max_distance
            } else {
                -1.0
            },
            refine,
        }
    }

    #[inline]
    fn offer(&mut self, id: u32, bound: f32) {
        let squared_distance = (self.refine)(id, self.limit);
        // What is in a box is no nearer than the box, but for rounding.
        let squared_distance = if squared_distance > bound {
            squared_distance
        } else {
            bound
        };
        if squared_distance > self.limit {
            return;
        }
        let one = Nearest {
            id,
            squared_distance,
        };
        if self.found.len() == self.wanted {
            match self.found.peek_mut() {
                Some(mut worst) if one < *worst => *worst = one,
                _ => return,
            }
        } else {
            self.found.push(one);
        }
        if self.found.len() == self.wanted
            && let Some(worst) = self.found.peek()
        {
            self.limit = worst.squared_distance;
        }
    }
}

impl Bvh {
    /// The box nearest to a point, if one is within `max_distance` (which may be infinite), in
    /// metres. None for a point that is not finite. Cost: O(log n) for boxes that overlap little;
    /// boxes at equal distance are all looked at.
    pub fn nearest(&self, point: Vec3, max_distance: f32) -> (Option<Nearest>, Counters) {
        let (found, counters) = self.nearest_k(point, 1, max_distance);
        (found.first().copied(), counters)
    }

    /// The `k` nearest boxes within `max_distance`, nearest first, or as many as there are.
    pub fn nearest_k(&self, point: Vec3, k: usize, max_distance: f32) -> (Vec<Nearest>, Counters) {
        // Raised to the distance of the box.
        self.nearest_k_by(point, k, max_distance, |_, _| 0.0)
    }

    /// As [`nearest_k`](Self::nearest_k) for what is in the boxes: `refine(id, limit)` returns the
    /// squared distance from the point to the contents of box `id`, or anything greater than
    /// `limit` when it is greater than that. What is less than the squared distance of the box,
    /// or not a number, counts as that.
    pub fn nearest_k_by(
        &self,
        point: Vec3,
        k: usize,
        max_distance: f32,
        mut refine: impl FnMut(u32, f32) -> f32,
    ) -> (Vec<Nearest>, Counters) {
        let nodes = self.nodes();
        let mut best = Best::new(point, k, max_distance, &mut refine);
        let mut counters = Counters::default();
        let mut stack = Vec::new();
        if let Some(root) = nodes.first() {
            counters.tests += 1;
            stack.push((squared_distance(point, &root.bounds()), 0));
        }
        while let Some((distance, at)) = stack.pop() {
            if distance > best.limit {
                continue;
            }
            counters.nodes += 1;
            let node = &nodes[at as usize];
            if node.is_leaf() {
                best.offer(node.id(), distance);
                continue;
            }
            counters.tests += 2;
            let first = node.first_child();
            let a = (
                squared_distance(point, &nodes[first as usize].bounds()),
                first,
            );
            let b = (
                squared_distance(point, &nodes[first as usize + 1].bounds()),
                first + 1,
            );
            let (near, far) = if b.0 < a.0 { (b, a) } else { (a, b) };
            for one in [far, near] {
                if one.0 <= best.limit {
                    stack.push(one);
                }
            }
        }
        (best.found.into_sorted_vec(), counters)
    }
}

impl<N: WideNode> WideBvh<N> {
    /// The box nearest to a point, if one is within `max_distance` (which may be infinite), in
    /// metres. None for a point that is not finite. Cost: O(log n) for boxes that overlap little;
    /// boxes at equal distance are all looked at.
    pub fn nearest(
        &self,
        point: Vec3,
        max_distance: f32,
        level: Level,
    ) -> (Option<Nearest>, Counters) {
        let (found, counters) = self.nearest_k(point, 1, max_distance, level);
        (found.first().copied(), counters)
    }

    /// The `k` nearest boxes within `max_distance`, nearest first, or as many as there are.
    pub fn nearest_k(
        &self,
        point: Vec3,
        k: usize,
        max_distance: f32,
        level: Level,
    ) -> (Vec<Nearest>, Counters) {
        // Raised to the distance of the box.
        self.nearest_k_by(point, k, max_distance, level, |_, _| 0.0)
    }

    /// As [`nearest_k`](Self::nearest_k) for what is in the boxes: `refine(id, limit)` returns the
    /// squared distance from the point to the contents of box `id`, or anything greater than
    /// `limit` when it is greater than that. What is less than the squared distance of the box,
    /// or not a number, counts as that.
    pub fn nearest_k_by(
        &self,
        point: Vec3,
        k: usize,
        max_distance: f32,
        level: Level,
        mut refine: impl FnMut(u32, f32) -> f32,
    ) -> (Vec<Nearest>, Counters) {
        let mut best = Best::new(point, k, max_distance, &mut refine);
        let mut counters = Counters::default();
        dispatch!(join_level(level), simd =>
            nearest_wide(simd, self.nodes(), point, &mut best, &mut counters));
        (best.found.into_sorted_vec(), counters)
    }
}

#[inline(always)]
fn nearest_wide<N: WideNode, S: Simd>(
    simd: S,
    nodes: &[N],
    point: Vec3,
    best: &mut Best<'_>,
    counters: &mut Counters,
) {
    let mut stack: Vec<(f32, u32)> = Vec::with_capacity(8 * N::LANES);
    if !nodes.is_empty() {
        stack.push((0.0, 0));
    }
    while let Some((distance, at)) = stack.pop() {
        if distance > best.limit {
            continue;
        }
        counters.nodes += 1;
        counters.tests += N::LANES as u64;
        let node = &nodes[at as usize];
        let (min, max) = (node.min(simd), node.max(simd));
        let lanes = squared_distances(simd, point, &min, &max);
        // The maximum with zero hides the NaN of lanes without a box.
        let near = lanes.simd_le(N::F32::splat(simd, best.limit)) & min[0].simd_le(max[0]);
        let near = near.to_bitmask() as u32;
        let leaves = node.leaf_lanes(simd);
        let distances = lanes.as_slice();
        let mut boxes = near & leaves;
        while boxes != 0 {
            let lane = boxes.trailing_zeros() as usize;
            boxes &= boxes - 1;
            if distances[lane] <= best.limit {
                best.offer(node.link(lane).id(), distances[lane]);
            }
        }
        let mut inner = near & !leaves;
        let first = stack.len();
        while inner != 0 {
            let lane = inner.trailing_zeros() as usize;
            inner &= inner - 1;
            let one = (distances[lane], node.link(lane).node());
            // The nearest last: there are few, and often in order.
            let mut place = stack.len();
            stack.push(one);
            while place > first && stack[place - 1].0 < one.0 {
                stack[place] = stack[place - 1];
                place -= 1;
            }
            stack[place] = one;
        }
    }
}
