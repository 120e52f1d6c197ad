//! Rays, coordinate by coordinate, made ready for the tests against boxes and triangles.

use glam::Vec3;

use super::{Block, Column};
use crate::{Ray, ShearedRay};

/// Rays as a structure of arrays, with what the tests derive from them.
///
/// Any ray can be held, and comes back bit by bit. Rays that [`Ray::check`] refuses meet nothing.
/// Memory: 60 bytes a ray.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RayBatch {
    origin: [Column; 3],
    direction: [Column; 3],
    /// Reciprocals of the directions; infinite for axes along which a ray does not move, and NaN for
    /// rays that are refused, and only there.
    inverse: [Column; 3],
    /// Rows of the matrix that shears differences from the origin to x and y; see [`row`](Self::row).
    shear: [[Column; 3]; 2],
}

/// What is derived from a ray.
struct Prepared {
    inverse: Vec3,
    shear: [Vec3; 2],
}

impl Prepared {
    fn new(ray: &Ray) -> Self {
        let Ok(sheared) = ShearedRay::new(ray) else {
            return Self {
                inverse: Vec3::NAN,
                shear: [Vec3::NAN; 2],
            };
        };
        let still = ray.direction.abs().cmplt(Vec3::splat(f32::MIN_POSITIVE));
        Self {
            inverse: Vec3::select(still, Vec3::INFINITY, Vec3::ONE / ray.direction),
            shear: sheared.rows(),
        }
    }
}

impl RayBatch {
    /// No rays.
    pub fn new() -> Self {
        Self::default()
    }

    /// The rays of a slice, in order. Cost: O(n).
    pub fn from_slice(rays: &[Ray]) -> Self {
        rays.iter().copied().collect()
    }

    /// Number of rays.
    #[inline]
    pub fn len(&self) -> usize {
        self.origin[0].len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a ray.
    pub fn push(&mut self, ray: Ray) {
        let index = self.len();
        for columns in [&mut self.origin, &mut self.direction, &mut self.inverse] {
            for column in columns {
                column.push(f32::NAN);
            }
        }
        for column in self.shear.as_flattened_mut() {
            column.push(f32::NAN);
        }
        self.set(index, ray);
    }

    /// A ray by its index; `None` past the end.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Ray> {
        (index < self.len()).then(|| self.lane(index))
    }

    /// Replaces a ray. Without effect where there is none.
    pub fn set(&mut self, index: usize, ray: Ray) {
        if index >= self.len() {
            return;
        }
        let prepared = Prepared::new(&ray);
        for axis in 0..3 {
            self.origin[axis].as_mut_slice()[index] = ray.origin[axis];
            self.direction[axis].as_mut_slice()[index] = ray.direction[axis];
            self.inverse[axis].as_mut_slice()[index] = prepared.inverse[axis];
            for row in 0..2 {
                self.shear[row][axis].as_mut_slice()[index] = prepared.shear[row][axis];
            }
        }
    }

    /// Forgets all rays and keeps the memory.
    pub fn clear(&mut self) {
        for columns in [&mut self.origin, &mut self.direction, &mut self.inverse] {
            for column in columns {
                column.clear();
            }
        }
        for column in self.shear.as_flattened_mut() {
            column.clear();
        }
    }

    /// The rays in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Ray> + '_ {
        (0..self.len()).map(|index| self.lane(index))
    }

    /// The rays as an array of structs.
    pub fn to_vec(&self) -> Vec<Ray> {
        self.iter().collect()
    }

    /// The coordinates of the origins, axis by axis, in blocks.
    #[inline(always)]
    pub fn origin_blocks(&self) -> [&[Block]; 3] {
        blocks(&self.origin)
    }

    /// The components of the directions, axis by axis, in blocks.
    #[inline(always)]
    pub fn direction_blocks(&self) -> [&[Block]; 3] {
        blocks(&self.direction)
    }

    /// The reciprocals of the directions, axis by axis, in blocks; infinite where a ray does not move
    /// along an axis, NaN for rays that are refused.
    #[inline(always)]
    pub fn inverse_blocks(&self) -> [&[Block]; 3] {
        blocks(&self.inverse)
    }

    /// A row of the shears, axis by axis, in blocks: x (row 0) or y (row 1) of a sheared point is the
    /// row times the difference from the origin. One entry is 1, one is 0 and one is the shear, so
    /// that this is the very value that [`ShearedRay`] computes.
    #[inline(always)]
    pub(crate) fn row_blocks(&self, row: usize) -> [&[Block]; 3] {
        blocks(&self.shear[row])
    }

    /// A ray made ready for triangles; `None` when it is refused. The index must exist.
    #[inline(always)]
    pub(crate) fn sheared(&self, index: usize) -> Option<ShearedRay> {
        let inverse = lane(&self.inverse, index);
        (!inverse.x.is_nan()).then(|| ShearedRay::prepared(&self.lane(index), inverse))
    }

    /// The origin of a ray, whose index must exist.
    #[inline(always)]
    pub(crate) fn origin(&self, index: usize) -> Vec3 {
        lane(&self.origin, index)
    }

    /// The reciprocals of the direction of a ray, whose index must exist.
    #[inline(always)]
    pub(crate) fn inverse(&self, index: usize) -> Vec3 {
        lane(&self.inverse, index)
    }

    /// A ray whose index must exist.
    #[inline(always)]
    fn lane(&self, index: usize) -> Ray {
        Ray::new(lane(&self.origin, index), lane(&self.direction, index))
    }
}

#[inline(always)]
fn blocks(columns: &[Column; 3]) -> [&[Block]; 3] {
    [
        columns[0].blocks(),
        columns[1].blocks(),
        columns[2].blocks(),
    ]
}

#[inline(always)]
fn lane(columns: &[Column; 3], index: usize) -> Vec3 {
    Vec3::new(
        columns[0].as_slice()[index],
        columns[1].as_slice()[index],
        columns[2].as_slice()[index],
    )
}

impl FromIterator<Ray> for RayBatch {
    fn from_iter<I: IntoIterator<Item = Ray>>(rays: I) -> Self {
        let mut out = Self::new();
        out.extend(rays);
        out
    }
}

impl Extend<Ray> for RayBatch {
    fn extend<I: IntoIterator<Item = Ray>>(&mut self, rays: I) {
        for ray in rays {
            self.push(ray);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_come_back_as_they_went_in_and_those_refused_are_known() {
        let ray = |i: usize| {
            let direction = [
                Vec3::X,
                Vec3::ZERO,
                Vec3::new(1e-40, -0.0, -2.0),
                Vec3::new(f32::INFINITY, 1.0, 0.0),
            ];
            Ray::new(Vec3::splat(i as f32), direction[i % 4])
        };
        for len in 0..40 {
            let rays: Vec<_> = (0..len).map(ray).collect();
            let mut batch = RayBatch::from_slice(&rays);
            assert_eq!((batch.len(), batch.is_empty()), (len, len == 0));
            assert_eq!(batch.to_vec(), rays);
            assert_eq!(batch.get(len), None);
            batch.set(len, ray(0));
            assert_eq!(batch.len(), len);
            for index in 0..len {
                assert_eq!(batch.sheared(index).is_some(), index % 2 == 0);
                let still =
                    [0, 1, 2].map(|axis| batch.inverse[axis].as_slice()[index] == f32::INFINITY);
                let expected = [
                    [false, true, true],
                    [false; 3],
                    [true, true, false],
                    [false; 3],
                ];
                assert_eq!(still, expected[index % 4]);
            }
            if len > 0 {
                batch.set(len - 1, Ray::new(Vec3::ONE, Vec3::ONE));
                assert_eq!(batch.inverse[1].as_slice()[len - 1], 1.0);
            }
            batch.clear();
            assert!(batch.is_empty());
        }
    }
}
