//! How far boxes are from a point.

use fearless_simd::prelude::*;
use glam::Vec3;

use crate::Aabb;

/// The squared distance from a point to the nearest point of a box, zero within, in m².
///
/// Computed in single precision by the same operations as [`squared_distances`], with a relative
/// error below 2⁻²¹; monotone: no box is further than one that it contains. Infinite where the
/// square does not fit.
#[inline(always)]
pub fn squared_distance(point: Vec3, aabb: &Aabb) -> f32 {
    let mut sum = 0.0;
    for axis in 0..3 {
        let (below, above) = (aabb.min[axis] - point[axis], point[axis] - aabb.max[axis]);
        let gap = if below > above { below } else { above };
        let gap = if gap > 0.0 { gap } else { 0.0 };
        sum += gap * gap;
    }
    sum
}

/// [`squared_distance`] of all lanes; without meaning where there is no box.
#[inline(always)]
pub fn squared_distances<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    point: Vec3,
    min: &[F; 3],
    max: &[F; 3],
) -> F {
    let zero = F::splat(simd, 0.0);
    let mut sum = zero;
    for axis in 0..3 {
        let p = F::splat(simd, point[axis]);
        // Neither operand is NaN where there is a box, so all platforms agree.
        let gap = (min[axis] - p).max(p - max[axis]).max(zero);
        sum += gap * gap;
    }
    sum
}

#[cfg(test)]
mod tests {
    use fearless_simd::{dispatch, f32x8};

    use super::super::tests::Numbers;
    use super::*;
    use crate::{Box8, SimdLevel};

    #[test]
    fn lanes_agree_and_are_close_to_the_truth() {
        let mut numbers = Numbers::new(3);
        for _ in 0..500 {
            let point = numbers.point(8.0);
            let mut boxes = Box8::EMPTY;
            let mut expected = [0.0; 8];
            for (lane, expected) in expected.iter_mut().enumerate() {
                let b = numbers.aabb();
                boxes.set(lane, &b);
                *expected = squared_distance(point, &b);
                let p = point.as_dvec3();
                let truth = (p - p.clamp(b.min.as_dvec3(), b.max.as_dvec3())).length_squared();
                assert!((f64::from(*expected) - truth).abs() <= truth * 5e-7);
            }
            for level in SimdLevel::available() {
                let found = dispatch!(level.token().unwrap(), simd => {
                    let min = boxes.min.map(|v| f32x8::load_array(simd, v));
                    let max = boxes.max.map(|v| f32x8::load_array(simd, v));
                    squared_distances(simd, point, &min, &max).to_array()
                });
                assert_eq!(found, expected, "{level}");
            }
        }
    }
}
