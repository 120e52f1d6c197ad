//! Frusta, as the space on the inner side of six planes.

use fearless_simd::prelude::*;
use glam::Vec3;

use super::Volume;
use crate::Aabb;

/// The half-space of points `p` with `normal · p + offset ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Points inward; of any length.
    pub normal: Vec3,
    /// In metres times the length of the normal.
    pub offset: f32,
}

impl Plane {
    /// The whole of space.
    pub const EVERYWHERE: Self = Self {
        normal: Vec3::ZERO,
        offset: 0.0,
    };
}

/// The boxes that are not wholly outside one of six planes (U. Assarsson and T. Möller, "Optimized
/// view frustum culling algorithms for bounding boxes", 2000, section 3: the corner furthest
/// inward).
///
/// Conservative: a box that meets the frustum is never missed. Reported besides are boxes outside
/// the frustum but not outside any one plane, near its edges, and boxes closer to a plane than
/// 10⁻⁶ of the sum of the terms of the plane's equation. Planes whose normal or offset is not finite
/// cut nothing off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Plane; 6],
}

/// How far each term of a plane's equation is moved inward, relative to itself. One product, this
/// move and three sums err by at most 5 · 2⁻²⁴ of the terms. A power of two: the move is exact, so
/// that terms stay in order.
const SLACK: f32 = 8.0 * (f32::EPSILON / 2.0);

/// The term of an axis in a plane's equation at the corner furthest inward, moved inward.
#[inline(always)]
fn term(n: f32, lo: f32, hi: f32) -> f32 {
    // Zero times an infinite bound would be NaN.
    if n == 0.0 {
        return 0.0;
    }
    let term = if n > 0.0 { hi } else { lo } * n;
    term + term.abs() * SLACK
}

impl Frustum {
    /// The space inside all planes; [`Plane::EVERYWHERE`] where there are fewer.
    pub fn new(planes: [Plane; 6]) -> Self {
        let planes = planes.map(|plane| {
            if plane.normal.is_finite() && plane.offset.is_finite() {
                plane
            } else {
                Plane::EVERYWHERE
            }
        });
        Self { planes }
    }

    /// The planes.
    pub fn planes(&self) -> &[Plane; 6] {
        &self.planes
    }
}

impl Volume for Frustum {
    #[inline(always)]
    fn test(&self, aabb: &Aabb) -> bool {
        for plane in &self.planes {
            let (n, lo, hi) = (plane.normal, aabb.min, aabb.max);
            let sum = term(n.x, lo.x, hi.x) + term(n.y, lo.y, hi.y) + term(n.z, lo.z, hi.z);
            // Infinitely far both ways is NaN and not outside.
            if sum + (plane.offset + plane.offset.abs() * SLACK) < 0.0 {
                return false;
            }
        }
        true
    }

    #[inline(always)]
    fn test_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        min: &[F; 3],
        max: &[F; 3],
    ) -> F::Mask {
        let zero = F::splat(simd, 0.0);
        let slack = F::splat(simd, SLACK);
        let mut outside = F::Mask::splat(simd, false);
        for plane in &self.planes {
            let mut sum = zero;
            for axis in 0..3 {
                let n = plane.normal[axis];
                if n != 0.0 {
                    let furthest = if n > 0.0 { max[axis] } else { min[axis] };
                    let term = furthest * F::splat(simd, n);
                    sum += term + term.abs() * slack;
                }
            }
            sum += F::splat(simd, plane.offset + plane.offset.abs() * SLACK);
            outside |= sum.simd_lt(zero);
        }
        !outside & min[0].simd_le(max[0])
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Numbers, check};
    use super::*;

    #[test]
    fn lanes_agree_and_nothing_that_meets_is_missed() {
        let mut numbers = Numbers::new(5);
        for round in 0..100 {
            let frustum = Frustum::new([(); 6].map(|()| {
                let mut normal = numbers.point(1.0);
                if round % 3 == 0 {
                    normal.y = 0.0;
                }
                Plane {
                    normal,
                    offset: numbers.unit() + 1.0,
                }
            }));
            check(&frustum, &mut numbers, 20);
            for _ in 0..100 {
                let b = numbers.aabb();
                // Corners pushed out of infinity: no plane is that far.
                let [lo, hi] = [b.min, b.max].map(|p| {
                    p.as_dvec3()
                        .clamp(glam::DVec3::splat(-1e9), glam::DVec3::splat(1e9))
                });
                let mut outside = false;
                let mut surely = false;
                for plane in frustum.planes() {
                    let n = plane.normal.as_dvec3();
                    let furthest = glam::DVec3::select(n.cmpge(glam::DVec3::ZERO), hi, lo);
                    let sum = n.dot(furthest) + f64::from(plane.offset);
                    let size = (n * furthest).abs().element_sum() + f64::from(plane.offset);
                    outside |= sum < 0.0;
                    surely |= sum < -1e-6 * size;
                }
                assert!(frustum.test(&b) || outside, "{b:?} is missed");
                assert!(!frustum.test(&b) || !surely, "{b:?} is outside");
            }
        }
        let all = Frustum::new(
            [Plane {
                normal: Vec3::NAN,
                offset: 0.0,
            }; 6],
        );
        assert_eq!(check(&all, &mut numbers, 10), 70);
    }
}
