//! Rays through a binary tree, one at a time.
//!
//! What a ray hits in a box is the user's to say. To hold for every tree, an answer must not depend
//! on the order of the walk: hits are never nearer than the entry into their own box, which is not
//! before the entries into the boxes around it, and of equal distances the smaller id wins.

use core::ops::ControlFlow;

use jostle_geom::{Ray, RayError};
use jostle_simd::RaySlabs;

use crate::bvh::{Bvh, Counters};

/// A box, or what is in it, that a ray hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxHit {
    /// Which box.
    pub id: u32,
    /// Distance along the ray, in lengths of its direction.
    pub t: f32,
}

/// What becomes of the boxes that a ray enters.
pub(super) trait Collect {
    /// The farthest distance that still matters.
    fn t_max(&self) -> f32;

    /// Takes a box that the ray enters at a distance.
    fn take(&mut self, id: u32, entry: f32) -> ControlFlow<()>;
}

/// Keeps the nearest hit, or the first one found if `ANY`.
pub(super) struct Hits<H, const ANY: bool> {
    pub(super) best: Option<BoxHit>,
    t_max: f32,
    hit: H,
}

impl<H, const ANY: bool> Hits<H, ANY> {
    pub(super) fn new(t_max: f32, hit: H) -> Self {
        Self {
            best: None,
            t_max,
            hit,
        }
    }
}

impl<H: FnMut(u32, f32) -> Option<f32>, const ANY: bool> Collect for Hits<H, ANY> {
    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn take(&mut self, id: u32, entry: f32) -> ControlFlow<()> {
        let Some(t) = (self.hit)(id, self.t_max) else {
            return ControlFlow::Continue(());
        };
        offer(&mut self.best, &mut self.t_max, id, t, entry);
        if ANY && self.best.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Keeps a hit if it is the best so far.
#[inline(always)]
pub(super) fn offer(best: &mut Option<BoxHit>, t_max: &mut f32, id: u32, t: f32, entry: f32) {
    let t = if t < entry { entry } else { t };
    // False for NaN.
    if t <= *t_max && (t < *t_max || best.is_none_or(|best| id < best.id)) {
        *t_max = t;
        *best = Some(BoxHit { id, t });
    }
}

/// Shows every box to a visitor.
pub(super) struct Each<V> {
    pub(super) visit: V,
    pub(super) t_max: f32,
}

impl<V: FnMut(u32, f32) -> ControlFlow<()>> Collect for Each<V> {
    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn take(&mut self, id: u32, entry: f32) -> ControlFlow<()> {
        (self.visit)(id, entry)
    }
}

/// Prepares a ray and checks the farthest distance.
pub(super) fn prepare(ray: &Ray, t_max: f32) -> Result<RaySlabs, RayError> {
    if t_max.is_nan() {
        return Err(RayError::Reach);
    }
    RaySlabs::new(ray)
}

impl Bvh {
    /// The nearest of what a ray hits up to `t_max`, which may be infinite. `hit(id, t_max)` says where
    /// the ray hits what is in a box, or `None` if it does not or only beyond `t_max`, the nearest
    /// distance so far; it is asked for boxes in about the order in which the ray enters them.
    ///
    /// The answer is the one of asking for every box that the ray meets, whatever the tree: a
    /// distance before the entry into the box counts as that entry, and among equal distances the
    /// smallest id wins. O(log n) for boxes that overlap little, O(n) at worst.
    ///
    /// # Errors
    /// A ray without a direction or with a NaN (see [`RayError`]), or `t_max` NaN.
    pub fn closest_hit(
        &self,
        ray: &Ray,
        t_max: f32,
        hit: impl FnMut(u32, f32) -> Option<f32>,
    ) -> Result<(Option<BoxHit>, Counters), RayError> {
        let slabs = prepare(ray, t_max)?;
        let mut hits = Hits::<_, false>::new(t_max, hit);
        let counters = walk(self, &slabs, &mut hits);
        Ok((hits.best, counters))
    }

    /// Some hit up to `t_max`, the first one found: which one depends on the tree. Otherwise as
    /// [`closest_hit`](Self::closest_hit).
    ///
    /// # Errors
    /// As [`closest_hit`](Self::closest_hit).
    pub fn any_hit(
        &self,
        ray: &Ray,
        t_max: f32,
        hit: impl FnMut(u32, f32) -> Option<f32>,
    ) -> Result<(Option<BoxHit>, Counters), RayError> {
        let slabs = prepare(ray, t_max)?;
        let mut hits = Hits::<_, true>::new(t_max, hit);
        let counters = walk(self, &slabs, &mut hits);
        Ok((hits.best, counters))
    }

    /// Calls `visit(id, entry)` for every box that a ray enters up to `t_max`, until it stops the
    /// walk. Conservative: a box is never missed, one within rounding of the ray may be reported.
    ///
    /// # Errors
    /// As [`closest_hit`](Self::closest_hit).
    pub fn ray_boxes(
        &self,
        ray: &Ray,
        t_max: f32,
        visit: impl FnMut(u32, f32) -> ControlFlow<()>,
    ) -> Result<Counters, RayError> {
        let slabs = prepare(ray, t_max)?;
        Ok(walk(self, &slabs, &mut Each { visit, t_max }))
    }
}

/// The nearer child first; the other one waits.
fn walk(tree: &Bvh, slabs: &RaySlabs, hits: &mut impl Collect) -> Counters {
    let nodes = tree.nodes();
    let mut counters = Counters::default();
    let mut limit = RaySlabs::limit(hits.t_max());
    let Some(root) = nodes.first() else {
        return counters;
    };
    counters.tests = 1;
    let Some(mut entry) = slabs.enter(&root.bounds(), limit) else {
        return counters;
    };
    let mut stack = [(0.0, 0); Bvh::MAX_DEPTH + 1];
    let mut top = 0;
    let mut at = 0;
    loop {
        counters.nodes += 1;
        let node = &nodes[at as usize];
        if node.is_leaf() {
            if hits.take(node.id(), entry).is_break() {
                return counters;
            }
            limit = RaySlabs::limit(hits.t_max());
        } else {
            let first = node.first_child();
            counters.tests += 2;
            let a = slabs.enter(&nodes[first as usize].bounds(), limit);
            let b = slabs.enter(&nodes[first as usize + 1].bounds(), limit);
            match (a, b) {
                (Some(a), Some(b)) => {
                    let (near, far) = if b < a {
                        ((b, first + 1), (a, first))
                    } else {
                        ((a, first), (b, first + 1))
                    };
                    stack[top] = far;
                    top += 1;
                    (entry, at) = near;
                    continue;
                }
                (Some(a), None) => {
                    (entry, at) = (a, first);
                    continue;
                }
                (None, Some(b)) => {
                    (entry, at) = (b, first + 1);
                    continue;
                }
                (None, None) => {}
            }
        }
        loop {
            if top == 0 {
                return counters;
            }
            top -= 1;
            (entry, at) = stack[top];
            if entry <= limit {
                break;
            }
        }
    }
}
