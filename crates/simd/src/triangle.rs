//! Triangles, one and eight at a time.

use bytemuck::{Pod, Zeroable};
use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;

use crate::Aabb;

/// A triangle in single precision, metres. Its front is the side from which its vertices run
/// counter-clockwise.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Triangle {
    /// First vertex.
    pub a: Vec3,
    /// Second vertex.
    pub b: Vec3,
    /// Third vertex.
    pub c: Vec3,
}

impl Triangle {
    /// A triangle by its vertices.
    #[inline]
    pub const fn new(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self { a, b, c }
    }

    /// The smallest box around it.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        Aabb::new(
            self.a.min(self.b).min(self.c),
            self.a.max(self.b).max(self.c),
        )
    }
}

impl From<[Vec3; 3]> for Triangle {
    #[inline]
    fn from([a, b, c]: [Vec3; 3]) -> Self {
        Self { a, b, c }
    }
}

/// Eight triangles, coordinate by coordinate: `vertices[vertex][axis][lane]`.
///
/// A lane without a triangle holds NaN, which nothing meets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Triangle8 {
    /// The vertices.
    pub vertices: [[[f32; 8]; 3]; 3],
}

impl Triangle8 {
    /// No triangles at all.
    pub const EMPTY: Self = Self {
        vertices: [[[f32::NAN; 8]; 3]; 3],
    };

    /// The triangle of a lane.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Triangle {
        let [a, b, c] = &self.vertices;
        Triangle {
            a: Vec3::new(a[0][lane], a[1][lane], a[2][lane]),
            b: Vec3::new(b[0][lane], b[1][lane], b[2][lane]),
            c: Vec3::new(c[0][lane], c[1][lane], c[2][lane]),
        }
    }

    /// Puts a triangle into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, triangle: &Triangle) {
        for (vertex, p) in [triangle.a, triangle.b, triangle.c].iter().enumerate() {
            for axis in 0..3 {
                self.vertices[vertex][axis][lane] = p[axis];
            }
        }
    }

    /// Which lanes have bounds that overlap a box, as bits. Closed boxes: touching counts.
    #[inline(always)]
    pub fn bounds_overlap<S: Simd>(&self, simd: S, other: &Aabb) -> u8 {
        let (lo, hi) = self.extent(simd, 0);
        let mut mask = lo.simd_le(f32x8::splat(simd, other.max.x))
            & f32x8::splat(simd, other.min.x).simd_le(hi);
        for axis in 1..3 {
            let (lo, hi) = self.extent(simd, axis);
            mask &= lo.simd_le(f32x8::splat(simd, other.max[axis]));
            mask &= f32x8::splat(simd, other.min[axis]).simd_le(hi);
        }
        mask.to_bitmask() as u8
    }

    /// Smallest and largest coordinates on an axis. Vertices must be finite or, in lanes without a
    /// triangle, all NaN, which survives minima and maxima on every platform.
    #[inline(always)]
    pub fn extent<S: Simd>(&self, simd: S, axis: usize) -> (f32x8<S>, f32x8<S>) {
        let a = f32x8::load_array_ref(simd, &self.vertices[0][axis]);
        let b = f32x8::load_array_ref(simd, &self.vertices[1][axis]);
        let c = f32x8::load_array_ref(simd, &self.vertices[2][axis]);
        (a.min(b).min(c), a.max(b).max(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use fearless_simd::dispatch;

    #[test]
    fn bounds_of_lanes_are_those_of_their_triangles() {
        let mut eight = Triangle8::EMPTY;
        let triangle = |x: f32| {
            Triangle::new(
                Vec3::new(x, 0.0, 0.0),
                Vec3::new(x + 1.0, 0.0, -1.0),
                Vec3::new(x, 2.0, 1.0),
            )
        };
        for lane in 0..6 {
            eight.set(lane, &triangle(lane as f32));
            assert_eq!(eight.get(lane), triangle(lane as f32));
        }
        let probe = Aabb::new(Vec3::new(2.5, 2.0, 0.0), Vec3::new(4.0, 9.0, 0.0));
        let infinite = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            let bits = dispatch!(token, simd => eight.bounds_overlap(simd, &probe));
            assert_eq!(bits, 0b01_1100, "{level}");
            let bits = dispatch!(token, simd => eight.bounds_overlap(simd, &infinite));
            assert_eq!(bits, 0b11_1111, "{level}");
        }
    }
}
