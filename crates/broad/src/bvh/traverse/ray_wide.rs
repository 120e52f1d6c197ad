//! Rays through a wide tree, one at a time: all lanes of a node are tested at once.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::{Ray, RayError};
use jostle_simd::RaySlabs;

use super::ray::{BoxHit, Collect, Each, Hits, prepare};
use crate::bvh::{Counters, WideBvh, WideNode};
use crate::h8::join_level;
use crate::tuning::WALK_STACK;

impl<N: WideNode> WideBvh<N> {
    /// The nearest of what a ray hits up to `t_max`: see [`Bvh::closest_hit`], whose answer this is.
    ///
    /// # Errors
    /// As [`Bvh::closest_hit`].
    ///
    /// [`Bvh::closest_hit`]: crate::bvh::Bvh::closest_hit
    pub fn closest_hit(
        &self,
        ray: &Ray,
        t_max: f32,
        level: Level,
        hit: impl FnMut(u32, f32) -> Option<f32>,
    ) -> Result<(Option<BoxHit>, Counters), RayError> {
        let slabs = prepare(ray, t_max)?;
        let mut hits = Hits::<_, false>::new(t_max, hit);
        let counters = self.cast(&slabs, level, &mut hits);
        Ok((hits.best, counters))
    }

    /// Some hit up to `t_max`, the first one found: which one depends on the tree, but not on the level.
    /// Otherwise as [`closest_hit`](Self::closest_hit).
    ///
    /// # Errors
    /// As [`closest_hit`](Self::closest_hit).
    pub fn any_hit(
        &self,
        ray: &Ray,
        t_max: f32,
        level: Level,
        hit: impl FnMut(u32, f32) -> Option<f32>,
    ) -> Result<(Option<BoxHit>, Counters), RayError> {
        let slabs = prepare(ray, t_max)?;
        let mut hits = Hits::<_, true>::new(t_max, hit);
        let counters = self.cast(&slabs, level, &mut hits);
        Ok((hits.best, counters))
    }

    /// Calls `visit(id, entry)` for every box that a ray enters up to `t_max`, until it stops the
    /// walk: the boxes and entries of [`Bvh::ray_boxes`].
    ///
    /// # Errors
    /// As [`closest_hit`](Self::closest_hit).
    ///
    /// [`Bvh::ray_boxes`]: crate::bvh::Bvh::ray_boxes
    pub fn ray_boxes(
        &self,
        ray: &Ray,
        t_max: f32,
        level: Level,
        visit: impl FnMut(u32, f32) -> ControlFlow<()>,
    ) -> Result<Counters, RayError> {
        let slabs = prepare(ray, t_max)?;
        Ok(self.cast(&slabs, level, &mut Each { visit, t_max }))
    }

    fn cast(&self, slabs: &RaySlabs, level: Level, hits: &mut impl Collect) -> Counters {
        let mut small = [(0.0, 0); WALK_STACK];
        let mut large = Vec::new();
        let size = self.stack_size();
        let stack = if size <= WALK_STACK {
            &mut small[..]
        } else {
            large.resize(size, (0.0, 0));
            &mut large[..]
        };
        dispatch!(join_level(level), simd => walk(simd, self.nodes(), slabs, stack, hits))
    }
}

/// The nearest child first; the others wait with their distances, the nearest on top.
#[inline(always)]
fn walk<N: WideNode, S: Simd>(
    simd: S,
    nodes: &[N],
    slabs: &RaySlabs,
    stack: &mut [(f32, u32)],
    hits: &mut impl Collect,
) -> Counters {
    let mut counters = Counters::default();
    let mut limit = RaySlabs::limit(hits.t_max());
    let mut height = 0;
    if !nodes.is_empty() {
        stack[0] = (0.0, 0);
        height = 1;
    }
    let mut entries = [0.0; 8];
    while height > 0 {
        height -= 1;
        let (entry, link) = stack[height];
        if entry > limit {
            continue;
        }
        let link = crate::bvh::Link(link);
        if link.is_leaf() {
            if hits.take(link.id(), entry).is_break() {
                break;
            }
            limit = RaySlabs::limit(hits.t_max());
            continue;
        }
        counters.nodes += 1;
        let node = &nodes[link.node() as usize];
        let (mut lanes, found) = slabs.enter_lanes(simd, &node.min(simd), &node.max(simd), limit);
        found.store_slice(&mut entries[..N::LANES]);
        let bottom = height;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let entry = entries[lane];
            let mut place = height;
            while place > bottom && stack[place - 1].0 < entry {
                stack[place] = stack[place - 1];
                place -= 1;
            }
            stack[place] = (entry, node.link(lane).0);
            height += 1;
        }
    }
    counters.tests = counters.nodes * N::LANES as u64;
    counters
}
