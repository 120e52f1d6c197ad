//! How far a point is from boxes.

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;

use crate::{Aabb, Box8, Triangle8};

/// The squared distance of a point from a closed box, zero inside. The same bits as a lane of
/// [`point_box8`]; monotone: a box in another one is not nearer.
#[inline(always)]
pub fn point_box(point: Vec3, aabb: &Aabb) -> f32 {
    let gap = |axis: usize| {
        let (below, above) = (aabb.min[axis] - point[axis], point[axis] - aabb.max[axis]);
        let gap = if below > above { below } else { above };
        if gap > 0.0 { gap } else { 0.0 }
    };
    let (x, y, z) = (gap(0), gap(1), gap(2));
    x * x + y * y + z * z
}

/// Which of eight boxes are not farther from a finite point than the limit, a squared distance, as
/// bits, and the squared distances; other lanes of these mean nothing. Lanes without a box are never
/// near.
#[inline(always)]
pub fn point_box8<S: Simd>(simd: S, point: Vec3, boxes: &Box8, limit: f32) -> (u8, f32x8<S>) {
    let mut lo = [f32x8::splat(simd, 0.0); 3];
    let mut hi = lo;
    for axis in 0..3 {
        lo[axis] = f32x8::load_array_ref(simd, &boxes.min[axis]);
        hi[axis] = f32x8::load_array_ref(simd, &boxes.max[axis]);
    }
    near(simd, point, lo, hi, limit)
}

/// As [`point_box8`] for the bounds of triangles.
#[inline(always)]
pub fn point_triangle_bounds8<S: Simd>(
    simd: S,
    point: Vec3,
    triangles: &Triangle8,
    limit: f32,
) -> (u8, f32x8<S>) {
    let mut lo = [f32x8::splat(simd, 0.0); 3];
    let mut hi = lo;
    for axis in 0..3 {
        (lo[axis], hi[axis]) = triangles.extent(simd, axis);
    }
    near(simd, point, lo, hi, limit)
}

#[inline(always)]
fn near<S: Simd>(
    simd: S,
    point: Vec3,
    lo: [f32x8<S>; 3],
    hi: [f32x8<S>; 3],
    limit: f32,
) -> (u8, f32x8<S>) {
    let x = gap(simd, point.x, lo[0], hi[0]);
    let y = gap(simd, point.y, lo[1], hi[1]);
    let z = gap(simd, point.z, lo[2], hi[2]);
    let squared = x * x + y * y + z * z;
    // The gap of a lane that is all NaN depends on the platform.
    let mask = squared.simd_le(f32x8::splat(simd, limit)) & lo[0].simd_eq(lo[0]);
    (mask.to_bitmask() as u8, squared)
}

#[inline(always)]
fn gap<S: Simd>(simd: S, at: f32, lo: f32x8<S>, hi: f32x8<S>) -> f32x8<S> {
    let at = f32x8::splat(simd, at);
    (lo - at).max(at - hi).max(f32x8::splat(simd, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SimdLevel, Triangle};
    use fearless_simd::dispatch;

    #[test]
    fn lanes_have_the_bits_of_the_twin_at_every_level() {
        let mut state = 9_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 40) as f32 / 16777216.0
        };
        let mut near = 0;
        for _ in 0..500 {
            let (mut eight, mut triangles) = (Box8::EMPTY, Triangle8::EMPTY);
            let mut point = || Vec3::new(draw(), draw(), draw());
            for lane in 0..6 {
                let triangle = Triangle::new(point(), point(), point());
                triangles.set(lane, &triangle);
                eight.set(lane, &triangle.bounds());
            }
            eight.set(6, &Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY));
            let from = 2.0 * point();
            for level in SimdLevel::available() {
                let token = level.token().unwrap();
                let found = dispatch!(token, simd => {
                    let (bits, squared) = point_box8(simd, from, &eight, 0.5);
                    let (other, again) = point_triangle_bounds8(simd, from, &triangles, 0.5);
                    [(bits, <[f32; 8]>::from(squared)), (other, <[f32; 8]>::from(again))]
                });
                for (bits, squared) in found {
                    for lane in 0..6 {
                        let twin = point_box(from, &eight.get(lane));
                        assert_eq!(bits >> lane & 1 == 1, twin <= 0.5);
                        assert_eq!(squared[lane].to_bits(), twin.to_bits(), "{level}");
                        near += u32::from(twin <= 0.5 && twin > 0.0);
                    }
                    assert_eq!(bits >> 7, 0);
                }
                assert_eq!((found[0].0 >> 6, found[1].0 >> 6), (1, 0));
            }
        }
        assert!(near > 100);
    }
}
