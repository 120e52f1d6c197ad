//! Rays through a binary tree, eight at a time.

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::{Ray, RayError};
use jostle_simd::{RayPacket, RaySlabs};

use super::ray::{BoxHit, offer, prepare};
use crate::bvh::{Bvh, Counters, RayBatchError};
use crate::h8::join_level;

impl Bvh {
    /// For each of many rays the answer of [`closest_hit`](Self::closest_hit), found for eight
    /// consecutive rays at a time: a node is visited once for all of them that meet it. Faster than ray by
    /// ray when neighbours in the list meet mostly the same boxes, slower when they do not.
    ///
    /// `hit(ray, id, t_max)` is asked where a ray hits what is in a box. `out` is cleared first.
    ///
    /// # Errors
    /// The first ray that has no answer; `out` is then empty.
    pub fn closest_hits(
        &self,
        rays: &[Ray],
        t_max: f32,
        level: Level,
        mut hit: impl FnMut(usize, u32, f32) -> Option<f32>,
        out: &mut Vec<Option<BoxHit>>,
    ) -> Result<Counters, RayBatchError> {
        out.clear();
        if t_max.is_nan() {
            let error = RayError::Reach;
            return Err(RayBatchError { ray: 0, error });
        }
        for (ray, error) in rays.iter().map(Ray::check).enumerate() {
            error.map_err(|error| RayBatchError { ray, error })?;
        }
        out.resize(rays.len(), None);
        let mut counters = Counters::default();
        dispatch!(join_level(level), simd => {
            for (group, (rays, out)) in rays.chunks(8).zip(out.chunks_mut(8)).enumerate() {
                let mut packet = Packet::new(rays, t_max);
                counters += packet.walk(simd, self, 8 * group, &mut hit);
                out.copy_from_slice(&packet.best[..out.len()]);
            }
        });
        Ok(counters)
    }
}

struct Packet {
    rays: RayPacket,
    t_max: [f32; 8],
    limits: [f32; 8],
    best: [Option<BoxHit>; 8],
}

impl Packet {
    #[inline(always)]
    fn new(rays: &[Ray], t_max: f32) -> Self {
        let mut packet = RayPacket::EMPTY;
        for (lane, ray) in rays.iter().enumerate() {
            // Rays were checked: all can be prepared.
            if let Ok(slabs) = prepare(ray, t_max) {
                packet.set(lane, &slabs);
            }
        }
        Self {
            rays: packet,
            t_max: [t_max; 8],
            limits: [RaySlabs::limit(t_max); 8],
            best: [None; 8],
        }
    }

    /// The child first whose middle seems nearer to the first ray of those that meet the node. Nodes are tested when their
    /// turn comes, with the limits of that time.
    #[inline(always)]
    fn walk<S: Simd>(
        &mut self,
        simd: S,
        tree: &Bvh,
        first_ray: usize,
        hit: &mut impl FnMut(usize, u32, f32) -> Option<f32>,
    ) -> Counters {
        let nodes = tree.nodes();
        let mut counters = Counters::default();
        let mut stack = [0; Bvh::MAX_DEPTH + 2];
        let mut top = usize::from(!nodes.is_empty());
        while top > 0 {
            top -= 1;
            let node = &nodes[stack[top] as usize];
            counters.nodes += 1;
            counters.tests += 8;
            let (mut lanes, entries) = self.rays.enter(simd, &node.bounds(), &self.limits);
            if lanes == 0 {
                continue;
            }
            if !node.is_leaf() {
                let child = node.first_child();
                let lane = lanes.trailing_zeros() as usize & 7;
                let swap = self.rays.prefers_second(
                    lane,
                    &nodes[child as usize].bounds(),
                    &nodes[child as usize + 1].bounds(),
                );
                stack[top] = child + u32::from(!swap);
                stack[top + 1] = child + u32::from(swap);
                top += 2;
                continue;
            }
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize & 7;
                lanes &= lanes - 1;
                let t_max = &mut self.t_max[lane];
                if let Some(t) = hit(first_ray + lane, node.id(), *t_max) {
                    offer(&mut self.best[lane], t_max, node.id(), t, entries[lane]);
                    self.limits[lane] = RaySlabs::limit(*t_max);
                }
            }
        }
        counters
    }
}
