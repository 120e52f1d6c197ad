//! Rays against triangles.

use core::ops::ControlFlow;

use fearless_simd::{Level, dispatch, prelude::*};
use jostle_geom::{Aabb, Ray, RayError, Sides, TriangleHit, chunks};
use jostle_simd::{HilbertGrid, RaySlabs, ShearedRay, hilbert_keys};
use thiserror::Error;

use super::{BLOCK, Counters, TriangleTree, distance_of, push_nearest_last, with_stack};
use crate::h8::join_level;
use crate::radix::sort_by_key;
use crate::tuning::{BUILD_CHUNK, RAY_CHUNK, SORT_RAYS_FROM};

/// What counts as a hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayOptions {
    /// The farthest distance, in lengths of the direction; it counts itself. Default: infinity.
    pub t_max: f32,
    /// Which sides of the triangles can be hit. Default: both.
    pub sides: Sides,
}

impl Default for RayOptions {
    fn default() -> Self {
        Self {
            t_max: f32::INFINITY,
            sides: Sides::Both,
        }
    }
}

/// Where a ray meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Which triangle.
    pub triangle: u32,
    /// Distance along the ray, in lengths of its direction; from 0 to `t_max`.
    pub t: f32,
    /// Barycentric weight of the triangle's second vertex.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex.
    pub v: f32,
    /// Whether the ray meets the side from which the vertices run counter-clockwise.
    pub front: bool,
}

/// A ray of a batch that has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("ray {ray}: {error}")]
pub struct RayBatchError {
    /// Which ray, counted from 0.
    pub ray: usize,
    /// Why.
    pub error: RayError,
}

impl TriangleTree {
    /// The nearest hit; of several at the same distance the one with the smallest id. The same answer
    /// as testing all triangles, whatever the tree. O(log n) for common meshes and rays.
    ///
    /// A ray through the common edge or vertex of neighbouring triangles hits at least one of them.
    /// Triangles without area, or seen exactly edge on, are not hit.
    ///
    /// # Errors
    /// A ray without a direction or with a NaN (see [`RayError`]), or `t_max` NaN.
    pub fn closest_hit(
        &self,
        ray: &Ray,
        options: RayOptions,
        level: Level,
    ) -> Result<(Option<RayHit>, Counters), RayError> {
        let cast = Cast::new(self, ray, options)?;
        Ok(with_stack!(self, stack => dispatch!(
            join_level(level), simd => closest(simd, self, &cast, stack)
        )))
    }

    /// The nearest hit of each of many rays, in parallel where the feature allows it; otherwise as
    /// [`closest_hit`](Self::closest_hit). `out` is cleared first. In a tree larger than the caches
    /// rays are cast in the order in which they enter space, so that neighbours find what they
    /// need in the cache.
    ///
    /// # Errors
    /// The first ray that has no answer; `out` is then empty.
    pub fn closest_hits(
        &self,
        rays: &[Ray],
        options: RayOptions,
        level: Level,
        out: &mut Vec<Option<RayHit>>,
    ) -> Result<(), RayBatchError> {
        out.clear();
        check_reach(options).map_err(|error| RayBatchError { ray: 0, error })?;
        for (ray, error) in rays.iter().map(Ray::check).enumerate() {
            error.map_err(|error| RayBatchError { ray, error })?;
        }
        out.resize(rays.len(), None);
        if self.memory_bytes() < SORT_RAYS_FROM || rays.len() < RAY_CHUNK {
            self.cast_in_order(rays, options, level, out);
            return Ok(());
        }
        let order = self.order(rays, level);
        let sorted: Vec<Ray> = order
            .iter()
            .map(|&item| rays[item as u32 as usize])
            .collect();
        let mut hits = vec![None; rays.len()];
        self.cast_in_order(&sorted, options, level, &mut hits);
        for (item, hit) in order.iter().zip(hits) {
            out[*item as u32 as usize] = hit;
        }
        Ok(())
    }

    fn cast_in_order(
        &self,
        rays: &[Ray],
        options: RayOptions,
        level: Level,
        out: &mut [Option<RayHit>],
    ) {
        chunks::fill_chunks(out, RAY_CHUNK, |first, out| {
            let rays = &rays[first..first + out.len()];
            with_stack!(self, stack => dispatch!(
                join_level(level), simd => closest_of_each(simd, self, rays, options, stack, out)
            ));
        });
    }

    /// The places of rays in their list, in their lower halves, in the order of a Hilbert curve
    /// through the points where the rays enter the bounds of the tree.
    fn order(&self, rays: &[Ray], level: Level) -> Vec<u64> {
        let bounds = self.bounds();
        let enter = |ray: &Ray| {
            let slabs = RaySlabs::new(ray).ok();
            let entry = slabs.and_then(|slabs| slabs.enter(&bounds, f32::INFINITY));
            // Where a ray goes that misses does not matter.
            let point = ray.at(entry.unwrap_or(0.0)).clamp(bounds.min, bounds.max);
            Aabb::new(point, point)
        };
        let points: Vec<Aabb> = rays.iter().map(enter).collect();
        let mut order = vec![0; rays.len()];
        let grid = HilbertGrid::new(bounds.min.to_array(), bounds.max.to_array());
        chunks::fill_chunks(&mut order, BUILD_CHUNK, |first, out| {
            let points = &points[first..first + out.len()];
            hilbert_keys(&grid, points, first as u32, out, level);
        });
        sort_by_key(&mut order, &mut Vec::new());
        order
    }

    /// Some hit, or `None` when there is none: which one depends on the tree, but not on the level.
    ///
    /// # Errors
    /// As [`closest_hit`](Self::closest_hit).
    pub fn any_hit(
        &self,
        ray: &Ray,
        options: RayOptions,
        level: Level,
    ) -> Result<(Option<RayHit>, Counters), RayError> {
        let cast = Cast::new(self, ray, options)?;
        let mut any = Any(None, options.t_max);
        let counters = with_stack!(self, stack => dispatch!(
            join_level(level), simd => walk(simd, self, &cast, stack, &mut any)
        ));
        Ok((any.0, counters))
    }

    /// Calls `visit` for every hit, in no particular order, until it stops the walk.
    ///
    /// # Errors
    /// As [`closest_hit`](Self::closest_hit).
    pub fn all_hits(
        &self,
        ray: &Ray,
        options: RayOptions,
        level: Level,
        visit: &mut dyn FnMut(&RayHit) -> ControlFlow<()>,
    ) -> Result<Counters, RayError> {
        let cast = Cast::new(self, ray, options)?;
        let mut all = All {
            visit,
            t_max: options.t_max,
        };
        Ok(with_stack!(self, stack => dispatch!(
            join_level(level), simd => walk(simd, self, &cast, stack, &mut all)
        )))
    }
}

fn check_reach(options: RayOptions) -> Result<(), RayError> {
    if options.t_max.is_nan() {
        Err(RayError::Reach)
    } else {
        Ok(())
    }
}

/// A ray made ready for one tree.
struct Cast {
    sheared: ShearedRay,
    slabs: RaySlabs,
    options: RayOptions,
}

impl Cast {
    #[inline(always)]
    fn new(tree: &TriangleTree, ray: &Ray, options: RayOptions) -> Result<Self, RayError> {
        check_reach(options)?;
        let sheared = ShearedRay::new(ray)?;
        Ok(Self {
            sheared,
            slabs: sheared.slabs(&tree.bounds()),
            options,
        })
    }
}

/// What becomes of hits.
trait Collect {
    /// The farthest distance that still matters.
    fn t_max(&self) -> f32;

    /// Takes a hit whose distance is at most `t_max`.
    fn take(&mut self, id: u32, hit: &TriangleHit) -> ControlFlow<()>;
}

struct Closest {
    best: Option<RayHit>,
    t_max: f32,
}

impl Collect for Closest {
    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn take(&mut self, id: u32, hit: &TriangleHit) -> ControlFlow<()> {
        if hit.t < self.t_max || self.best.is_none_or(|best| id < best.triangle) {
            self.t_max = hit.t;
            self.best = Some(with_id(id, hit));
        }
        ControlFlow::Continue(())
    }
}

struct Any(Option<RayHit>, f32);

impl Collect for Any {
    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.1
    }

    #[inline(always)]
    fn take(&mut self, id: u32, hit: &TriangleHit) -> ControlFlow<()> {
        self.0 = Some(with_id(id, hit));
        ControlFlow::Break(())
    }
}

struct All<'a> {
    visit: &'a mut dyn FnMut(&RayHit) -> ControlFlow<()>,
    t_max: f32,
}

impl Collect for All<'_> {
    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn take(&mut self, id: u32, hit: &TriangleHit) -> ControlFlow<()> {
        (self.visit)(&with_id(id, hit))
    }
}

#[inline(always)]
fn with_id(triangle: u32, hit: &TriangleHit) -> RayHit {
    let TriangleHit { t, u, v, front } = *hit;
    RayHit {
        triangle,
        t,
        u,
        v,
        front,
    }
}

#[inline(always)]
fn closest<S: Simd>(
    simd: S,
    tree: &TriangleTree,
    cast: &Cast,
    stack: &mut [u64],
) -> (Option<RayHit>, Counters) {
    let mut closest = Closest {
        best: None,
        t_max: cast.options.t_max,
    };
    let counters = walk(simd, tree, cast, stack, &mut closest);
    (closest.best, counters)
}

#[inline(always)]
fn closest_of_each<S: Simd>(
    simd: S,
    tree: &TriangleTree,
    rays: &[Ray],
    options: RayOptions,
    stack: &mut [u64],
    out: &mut [Option<RayHit>],
) {
    for (ray, out) in rays.iter().zip(out) {
        // Rays were checked: there is an answer for each.
        if let Ok(cast) = Cast::new(tree, ray, options) {
            *out = closest(simd, tree, &cast, stack).0;
        }
    }
}

/// Front to back; what is farther than the nearest hit so far is skipped.
#[inline(always)]
fn walk<S: Simd>(
    simd: S,
    tree: &TriangleTree,
    cast: &Cast,
    stack: &mut [u64],
    hits: &mut impl Collect,
) -> Counters {
    let mut counters = Counters::default();
    let mut limit = RaySlabs::limit(hits.t_max());
    if tree.is_empty() {
        return counters;
    }
    let mut height = 0;
    let mut link = 0;
    loop {
        counters.nodes += 1;
        if link & BLOCK == 0 {
            let node = &tree.nodes[link as usize];
            let (bits, entries) = cast.slabs.enter8(simd, &node.boxes, limit);
            if bits.is_power_of_two() {
                link = node.links[bits.trailing_zeros() as usize & 7];
                continue;
            }
            height = push_nearest_last(stack, height, bits, &entries, &node.links);
        } else {
            let block = &tree.blocks[(link & !BLOCK) as usize];
            let mut bits = (cast.sheared).sift(simd, &block.triangles, cast.options.sides);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize & 7;
                bits &= bits - 1;
                let triangle = block.triangles.get(lane);
                let Some(hit) = cast.sheared.hit(&triangle, cast.options.sides) else {
                    continue;
                };
                if hit.t <= hits.t_max() {
                    if hits.take(block.ids[lane], &hit).is_break() {
                        return eights(counters);
                    }
                    limit = RaySlabs::limit(hits.t_max());
                }
            }
        }
        loop {
            if height == 0 {
                return eights(counters);
            }
            height -= 1;
            let next = stack[height];
            if distance_of(next) <= limit {
                link = next as u32;
                break;
            }
        }
    }
}

/// Every node and block is eight tests.
#[inline(always)]
fn eights(counters: Counters) -> Counters {
    Counters {
        tests: 8 * counters.nodes,
        ..counters
    }
}
