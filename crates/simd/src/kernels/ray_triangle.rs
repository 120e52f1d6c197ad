//! Rays against triangles, watertight: one ray against many triangles, many rays against one triangle,
//! and ray i against triangle i.
//!
//! The twin is [`ShearedRay::hit`] in a loop. The wide kernels sift all lanes by the signs of edge
//! functions in single precision and ask `hit` about those that remain, seldom more than one a ray.
//! The sift drops a lane only where two edge functions surely have opposite signs: sheared vertices
//! have the bits of the twin, and a difference of two products keeps its sign when all is rounded.
//! So every answer is that of the twin to the bit, at every level and for any input.
//!
//! What `hit` promises holds here as well: a ray through a common edge or vertex of a closed mesh
//! hits at least one of the triangles around it; a triangle seen edge on, with a vertex twice or with a
//! NaN is never hit. One whose different vertices lie on a line may be, where rounding gives
//! its sheared image some area: that image then fills a gap which its neighbours leave. Distances up to `t_max` count, that distance included; if it is NaN, none does. Rays
//! that [`Ray::check`](crate::Ray::check) refuses hit nothing.

pub mod baseline;

use fearless_simd::{Level, dispatch, prelude::*};

use super::KernelError;
use super::lanes::{lanes, splat, valid};
use crate::batch::{BLOCK, BitMask, RayBatch, TriangleBatch};
use crate::ray_triangle::meets_line;
use crate::{ShearedRay, Sides, Triangle, TriangleHit};

/// One of many hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Index of the triangle or, where there are many rays, of the ray.
    pub id: u32,
    /// Where.
    pub hit: TriangleHit,
}

/// What becomes of the hits, which come in ascending order of the ids.
trait Sink {
    fn take(&mut self, hit: RayHit);
}

/// The nearest hit, the first of those at one distance.
struct Nearest(Option<RayHit>);

impl Sink for Nearest {
    #[inline(always)]
    fn take(&mut self, hit: RayHit) {
        if self.0.is_none_or(|best| hit.hit.t < best.hit.t) {
            self.0 = Some(hit);
        }
    }
}

impl Sink for &mut BitMask {
    #[inline(always)]
    fn take(&mut self, hit: RayHit) {
        self.set(hit.id as usize, true);
    }
}

impl Sink for &mut Vec<u32> {
    #[inline(always)]
    fn take(&mut self, hit: RayHit) {
        self.push(hit.id);
    }
}

impl Sink for &mut Vec<RayHit> {
    #[inline(always)]
    fn take(&mut self, hit: RayHit) {
        self.push(hit);
    }
}

/// The nearest hit of a ray among triangles, the one with the smallest index of those at one
/// distance. Cost: O(n).
pub fn closest(
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    level: Level,
) -> Option<RayHit> {
    let mut nearest = Nearest(None);
    one_ray(ray, triangles, sides, t_max, level, &mut nearest);
    nearest.0
}

/// Which triangles a ray hits; bit i is triangle i. Cost: O(n).
pub fn one_many(
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    out: &mut BitMask,
    level: Level,
) {
    out.clear_and_resize(triangles.len());
    let mut sink = out;
    one_ray(ray, triangles, sides, t_max, level, &mut sink);
}

/// The indices of the triangles that a ray hits, ascending. `out` is cleared first. Cost: O(n).
pub fn one_many_ids(
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    out: &mut Vec<u32>,
    level: Level,
) {
    out.clear();
    let mut sink = out;
    one_ray(ray, triangles, sides, t_max, level, &mut sink);
}

/// All hits of a ray, by ascending index. `out` is cleared first. Cost: O(n).
pub fn one_many_hits(
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    out: &mut Vec<RayHit>,
    level: Level,
) {
    out.clear();
    let mut sink = out;
    one_ray(ray, triangles, sides, t_max, level, &mut sink);
}

/// Which rays hit a triangle; bit i is ray i. Cost: O(n).
pub fn many_one(
    rays: &RayBatch,
    triangle: &Triangle,
    sides: Sides,
    t_max: f32,
    out: &mut BitMask,
    level: Level,
) {
    out.clear_and_resize(rays.len());
    let mut sink = out;
    many_rays(rays, triangle, sides, t_max, level, &mut sink);
}

/// Where rays hit a triangle, by ascending index of the ray. `out` is cleared first. Cost: O(n).
pub fn many_one_hits(
    rays: &RayBatch,
    triangle: &Triangle,
    sides: Sides,
    t_max: f32,
    out: &mut Vec<RayHit>,
    level: Level,
) {
    out.clear();
    let mut sink = out;
    many_rays(rays, triangle, sides, t_max, level, &mut sink);
}

/// For which i ray i hits triangle i; bit by bit. Cost: O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when there are not as many rays as triangles.
pub fn pairwise(
    rays: &RayBatch,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    out: &mut BitMask,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(rays.len(), triangles.len())?;
    out.clear_and_resize(rays.len());
    let mut sink = out;
    pairs(rays, triangles, sides, t_max, level, &mut sink);
    Ok(())
}

/// Where ray i hits triangle i, by ascending i. `out` is cleared first. Cost: O(n).
///
/// # Errors
/// [`KernelError::Lengths`] when there are not as many rays as triangles.
pub fn pairwise_hits(
    rays: &RayBatch,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    out: &mut Vec<RayHit>,
    level: Level,
) -> Result<(), KernelError> {
    KernelError::same_lengths(rays.len(), triangles.len())?;
    out.clear();
    let mut sink = out;
    pairs(rays, triangles, sides, t_max, level, &mut sink);
    Ok(())
}

/// Decides about one pair and hands on the hit.
#[inline(always)]
fn decide<K: Sink>(
    ray: &ShearedRay,
    triangle: &Triangle,
    sides: Sides,
    t_max: f32,
    id: usize,
    sink: &mut K,
) {
    if let Some(hit) = ray.hit(triangle, sides)
        && hit.t <= t_max
    {
        sink.take(RayHit { id: id as u32, hit });
    }
}

fn one_ray<K: Sink>(
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    level: Level,
    sink: &mut K,
) {
    dispatch!(level, simd => one_ray_wide(simd, ray, triangles, sides, t_max, sink));
}

#[inline(always)]
fn one_ray_wide<S: Simd, K: Sink>(
    simd: S,
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    sink: &mut K,
) {
    if simd.level().is_fallback() {
        return one_ray_twin(ray, triangles, sides, t_max, sink);
    }
    let [x, y, z] = ray.axes();
    let [a, b, c] = triangles.blocks();
    let a = [a[x], a[y], a[z]];
    let b = [b[x], b[y], b[z]];
    let c = [c[x], c[y], c[z]];
    for block in 0..a[0].len() {
        let mut found = 0;
        let mut first = 0;
        while first < BLOCK {
            let vertices = [
                lanes::<S>(simd, &a, block, first),
                lanes::<S>(simd, &b, block, first),
                lanes::<S>(simd, &c, block, first),
            ];
            found |= (ray.candidates(simd, &vertices, sides) as u32) << first;
            first += S::f32s::LEN;
        }
        found &= valid(block, triangles.len());
        while found != 0 {
            let id = block * BLOCK + found.trailing_zeros() as usize;
            decide(ray, &triangles.at(id), sides, t_max, id, sink);
            found &= found - 1;
        }
    }
}

#[inline(never)]
fn one_ray_twin<K: Sink>(
    ray: &ShearedRay,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    sink: &mut K,
) {
    for (id, triangle) in triangles.iter().enumerate() {
        decide(ray, &triangle, sides, t_max, id, sink);
    }
}

fn many_rays<K: Sink>(
    rays: &RayBatch,
    triangle: &Triangle,
    sides: Sides,
    t_max: f32,
    level: Level,
    sink: &mut K,
) {
    dispatch!(level, simd => many_rays_wide(simd, rays, triangle, sides, t_max, sink));
}

#[inline(always)]
fn many_rays_wide<S: Simd, K: Sink>(
    simd: S,
    rays: &RayBatch,
    triangle: &Triangle,
    sides: Sides,
    t_max: f32,
    sink: &mut K,
) {
    if simd.level().is_fallback() {
        return many_rays_twin(rays, triangle, sides, t_max, sink);
    }
    let a = splat::<S>(simd, triangle.a);
    let b = splat::<S>(simd, triangle.b);
    let c = splat::<S>(simd, triangle.c);
    let origins = rays.origin_blocks();
    let (to_x, to_y) = (rays.row_blocks(0), rays.row_blocks(1));
    for block in 0..origins[0].len() {
        let mut found = 0;
        let mut first = 0;
        while first < BLOCK {
            let origin = lanes::<S>(simd, &origins, block, first);
            let rows = [
                lanes::<S>(simd, &to_x, block, first),
                lanes::<S>(simd, &to_y, block, first),
            ];
            found |= (candidates::<S>(simd, &origin, &rows, &[a, b, c]) as u32) << first;
            first += S::f32s::LEN;
        }
        found &= valid(block, rays.len());
        while found != 0 {
            let id = block * BLOCK + found.trailing_zeros() as usize;
            if let Some(ray) = rays.sheared(id) {
                decide(&ray, triangle, sides, t_max, id, sink);
            }
            found &= found - 1;
        }
    }
}

#[inline(never)]
fn many_rays_twin<K: Sink>(
    rays: &RayBatch,
    triangle: &Triangle,
    sides: Sides,
    t_max: f32,
    sink: &mut K,
) {
    for id in 0..rays.len() {
        if let Some(ray) = rays.sheared(id) {
            decide(&ray, triangle, sides, t_max, id, sink);
        }
    }
}

fn pairs<K: Sink>(
    rays: &RayBatch,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    level: Level,
    sink: &mut K,
) {
    dispatch!(level, simd => pairs_wide(simd, rays, triangles, sides, t_max, sink));
}

#[inline(always)]
fn pairs_wide<S: Simd, K: Sink>(
    simd: S,
    rays: &RayBatch,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    sink: &mut K,
) {
    if simd.level().is_fallback() {
        return pairs_twin(rays, triangles, sides, t_max, sink);
    }
    let [a, b, c] = triangles.blocks();
    let origins = rays.origin_blocks();
    let (to_x, to_y) = (rays.row_blocks(0), rays.row_blocks(1));
    for block in 0..origins[0].len() {
        let mut found = 0;
        let mut first = 0;
        while first < BLOCK {
            let origin = lanes::<S>(simd, &origins, block, first);
            let rows = [
                lanes::<S>(simd, &to_x, block, first),
                lanes::<S>(simd, &to_y, block, first),
            ];
            let vertices = [
                lanes::<S>(simd, &a, block, first),
                lanes::<S>(simd, &b, block, first),
                lanes::<S>(simd, &c, block, first),
            ];
            found |= (candidates::<S>(simd, &origin, &rows, &vertices) as u32) << first;
            first += S::f32s::LEN;
        }
        found &= valid(block, rays.len());
        while found != 0 {
            let id = block * BLOCK + found.trailing_zeros() as usize;
            if let Some(ray) = rays.sheared(id) {
                decide(&ray, &triangles.at(id), sides, t_max, id, sink);
            }
            found &= found - 1;
        }
    }
}

#[inline(never)]
fn pairs_twin<K: Sink>(
    rays: &RayBatch,
    triangles: &TriangleBatch,
    sides: Sides,
    t_max: f32,
    sink: &mut K,
) {
    for (id, triangle) in triangles.iter().enumerate() {
        if let Some(ray) = rays.sheared(id) {
            decide(&ray, &triangle, sides, t_max, id, sink);
        }
    }
}

/// As [`ShearedRay::candidates`] for a ray a lane, whose axes differ: the permutation and the shear
/// are two rows of a matrix. Without regard to the sides.
#[inline(always)]
fn candidates<S: Simd>(
    simd: S,
    origin: &[S::f32s; 3],
    rows: &[[S::f32s; 3]; 2],
    vertices: &[[S::f32s; 3]; 3],
) -> u64 {
    let a = shear::<S>(origin, rows, &vertices[0]);
    let b = shear::<S>(origin, rows, &vertices[1]);
    let c = shear::<S>(origin, rows, &vertices[2]);
    meets_line(simd, &[a, b, c], Sides::Both)
}

#[inline(always)]
fn shear<S: Simd>(
    origin: &[S::f32s; 3],
    [to_x, to_y]: &[[S::f32s; 3]; 2],
    vertex: &[S::f32s; 3],
) -> [S::f32s; 2] {
    let d = [
        vertex[0] - origin[0],
        vertex[1] - origin[1],
        vertex[2] - origin[2],
    ];
    [
        to_x[0] * d[0] + to_x[1] * d[1] + to_x[2] * d[2],
        to_y[0] * d[0] + to_y[1] * d[1] + to_y[2] * d[2],
    ]
}
