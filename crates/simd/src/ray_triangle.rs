//! Where rays meet triangles, without leaks between neighbours.
//!
//! After S. Woop, C. Benthin and I. Wald, "Watertight ray/triangle intersection", 2013: the vertices are
//! sheared and permuted so that the ray becomes the z axis; each vertex is rounded the same way for
//! all triangles that share it, and the signs of the edge functions are exact, so that two
//! triangles never disagree about their common edge. Where we differ: eight triangles are sifted at
//! once in single precision, and those that remain, seldom more than one a ray, are decided with edge
//! functions in double precision, whose products are exact. That replaces the recomputation when an
//! edge function is zero, and gives a distance with one rounding to speak of, on which the bound of the
//! slack in [`ShearedRay::slabs`] rests.

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;

use crate::{Aabb, Ray, RayError, RaySlabs, Triangle, Triangle8};

/// Which sides of a triangle a ray can hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sides {
    /// Both.
    #[default]
    Both,
    /// Only the side from which the vertices run counter-clockwise.
    Front,
    /// Only the side from which the vertices run clockwise.
    Back,
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleHit {
    /// Distance along the ray, in lengths of its direction; never negative.
    pub t: f32,
    /// Barycentric weight of the second vertex.
    pub u: f32,
    /// Barycentric weight of the third vertex.
    pub v: f32,
    /// Whether the ray meets the front.
    pub front: bool,
}

/// A ray made ready for triangles whose coordinates are within ±[`Ray::MAX_COORDINATE`].
#[derive(Clone, Copy, Debug)]
pub struct ShearedRay {
    /// The axes that become x, y and z; z is that of the largest component of the direction.
    axes: [usize; 3],
    /// The origin along those axes.
    origin: [f32; 3],
    /// What x and y move by for each step along z.
    shear: [f32; 2],
    /// The component of the direction along z.
    along: f64,
    /// Reciprocals of the direction.
    inverse: Vec3,
    ray: Ray,
}

impl ShearedRay {
    /// Prepares a ray.
    ///
    /// # Errors
    /// As [`Ray::check`].
    #[inline(always)]
    pub fn new(ray: &Ray) -> Result<Self, RayError> {
        ray.check()?;
        Ok(Self::prepared(ray, Vec3::ONE / ray.direction))
    }

    /// Prepares a checked ray with the reciprocals of its direction.
    #[inline(always)]
    pub(crate) fn prepared(ray: &Ray, inverse: Vec3) -> Self {
        let d = ray.direction.abs();
        let z = if d.x >= d.y && d.x >= d.z {
            0
        } else if d.y >= d.z {
            1
        } else {
            2
        };
        let along = ray.direction[z];
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        // Turning the z axis around turns the winding around; this turns it back.
        if along < 0.0 {
            (x, y) = (y, x);
        }
        Self {
            axes: [x, y, z],
            origin: [ray.origin[x], ray.origin[y], ray.origin[z]],
            shear: [ray.direction[x] * inverse[z], ray.direction[y] * inverse[z]],
            along: f64::from(along),
            inverse,
            ray: *ray,
        }
    }

    /// The axes that become x, y and z.
    #[inline(always)]
    pub(crate) fn axes(&self) -> [usize; 3] {
        self.axes
    }

    /// The rows that make x and y of a sheared vertex from its difference to the origin. Products
    /// with 1 and 0 and sums with 0 are exact, so the value is that of a subtracted product.
    pub(crate) fn rows(&self) -> [Vec3; 2] {
        let [x, y, z] = self.axes;
        let mut rows = [Vec3::ZERO; 2];
        for (row, axis) in [x, y].into_iter().enumerate() {
            rows[row][axis] = 1.0;
            rows[row][z] = -self.shear[row];
        }
        rows
    }

    /// The slab tests that never miss a box around triangles that this ray meets, by the
    /// rounded decision of [`hit`](Self::hit), at a distance up to the limit. `bounds` contains
    /// all triangles.
    ///
    /// A triangle is decided upon with sheared vertices, rounded. With u = 2⁻²⁴, |shear| ≤ 1, and L
    /// and L′ the largest distances of vertices from the origin along an axis and along z, x and y
    /// of a vertex are off by at most 2u L + 5u L′: the differences take u each, the product with
    /// the shear, itself a rounded product with a rounded reciprocal, 4u, the last difference u.
    /// The point that is hit, exact weights with exact vertices, lies in the triangle's box and on
    /// a parallel of the ray that is as far off. The ray is therefore thickened by 7u (L + L′),
    /// which also covers the rounding of L and the error of the distance in [`hit`](Self::hit)
    /// before it is rounded, at most 2⁻⁴⁸ L′; and by 2u of the origin, for adding it up.
    #[inline(always)]
    pub fn slabs(&self, bounds: &Aabb) -> RaySlabs {
        const UNIT: f32 = 1.0 / (1 << 24) as f32;
        let origin = self.ray.origin;
        let reach = (bounds.max - origin).abs().max((bounds.min - origin).abs());
        let slack = (reach + Vec3::splat(reach[self.axes[2]])) * (7.0 * UNIT)
            + origin.abs() * (2.0 * UNIT)
            + Vec3::splat(f32::MIN_POSITIVE);
        RaySlabs::with_slack(&self.ray, self.inverse, slack)
    }

    /// The lanes that this ray may meet, as bits: all that it meets and almost no others, but without
    /// regard to the distance, so that triangles behind the origin are among them. The same bits at
    /// every level; lanes without a triangle are never met.
    #[inline(always)]
    pub fn sift<S: Simd>(&self, simd: S, triangles: &Triangle8, sides: Sides) -> u8 {
        let (ax, ay) = self.shear8(simd, &triangles.vertices[0]);
        let (bx, by) = self.shear8(simd, &triangles.vertices[1]);
        let (cx, cy) = self.shear8(simd, &triangles.vertices[2]);
        let u = cx * by - cy * bx;
        let v = ax * cy - ay * cx;
        let w = bx * ay - by * ax;
        let zero = f32x8::splat(simd, 0.0);
        // A rounded difference of rounded products may be zero where the exact one is not, but it
        // never has the other sign.
        let front = zero.simd_le(u.min(v).min(w));
        let back = u.max(v).max(w).simd_le(zero);
        let mask = match sides {
            Sides::Both => front | back,
            Sides::Front => front,
            Sides::Back => back,
        };
        mask.to_bitmask() as u8
    }

    /// The lanes that this ray may meet, as bits: every lane for which [`hit`](Self::hit) finds a hit,
    /// whatever its coordinates, NaN among them. So lanes without a triangle may be reported, other
    /// than by [`sift`](Self::sift). Coordinates are in the order of [`axes`](Self::axes).
    #[inline(always)]
    pub(crate) fn candidates<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        vertices: &[[F; 3]; 3],
        sides: Sides,
    ) -> u64 {
        let a = self.shear_lanes(simd, &vertices[0]);
        let b = self.shear_lanes(simd, &vertices[1]);
        let c = self.shear_lanes(simd, &vertices[2]);
        meets_line(simd, &[a, b, c], sides)
    }

    #[inline(always)]
    fn shear_lanes<S: Simd, F: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        vertex: &[F; 3],
    ) -> [F; 2] {
        let dz = vertex[2] - F::splat(simd, self.origin[2]);
        let dx = vertex[0] - F::splat(simd, self.origin[0]);
        let dy = vertex[1] - F::splat(simd, self.origin[1]);
        [
            dx - F::splat(simd, self.shear[0]) * dz,
            dy - F::splat(simd, self.shear[1]) * dz,
        ]
    }

    /// Where this ray meets a triangle, whose coordinates must be within
    /// ±[`Ray::MAX_COORDINATE`]. A triangle whose sheared image has no area is not met: one that is
    /// seen edge on or has a vertex twice. (Different vertices on a line may be moved off it by the rounding of
    /// the shear, and then fill a gap that their neighbours leave.)
    ///
    /// Borders belong to the triangle; the vertices may be given in any order but a turned one
    /// swaps the sides.
    #[inline(always)]
    pub fn hit(&self, triangle: &Triangle, sides: Sides) -> Option<TriangleHit> {
        let [ax, ay, az] = self.shear1(triangle.a);
        let [bx, by, bz] = self.shear1(triangle.b);
        let [cx, cy, cz] = self.shear1(triangle.c);
        // Products of two 24-bit numbers are exact, so the signs are.
        let u = cx * by - cy * bx;
        let v = ax * cy - ay * cx;
        let w = bx * ay - by * ax;
        let front = u >= 0.0 && v >= 0.0 && w >= 0.0;
        let back = u <= 0.0 && v <= 0.0 && w <= 0.0;
        let met = match sides {
            Sides::Both => front || back,
            Sides::Front => front,
            Sides::Back => back,
        };
        let sum = u + v + w;
        if !met || sum == 0.0 {
            return None;
        }
        let z = (u * az + v * bz + w * cz) / sum;
        let t = (z / self.along) as f32 + 0.0;
        (t >= 0.0).then(|| TriangleHit {
            t,
            u: (v / sum) as f32,
            v: (w / sum) as f32,
            front,
        })
    }

    /// A vertex, sheared in single precision, and its exact distance along z as far as double precision goes.
    #[inline(always)]
    fn shear1(&self, vertex: Vec3) -> [f64; 3] {
        let [x, y, z] = self.axes;
        let dz = vertex[z] - self.origin[2];
        [
            f64::from((vertex[x] - self.origin[0]) - self.shear[0] * dz),
            f64::from((vertex[y] - self.origin[1]) - self.shear[1] * dz),
            f64::from(vertex[z]) - f64::from(self.origin[2]),
        ]
    }

    #[inline(always)]
    fn shear8<S: Simd>(&self, simd: S, vertex: &[[f32; 8]; 3]) -> (f32x8<S>, f32x8<S>) {
        let [x, y, z] = self.axes;
        let dz = f32x8::load_array_ref(simd, &vertex[z]) - f32x8::splat(simd, self.origin[2]);
        let dx = f32x8::load_array_ref(simd, &vertex[x]) - f32x8::splat(simd, self.origin[0]);
        let dy = f32x8::load_array_ref(simd, &vertex[y]) - f32x8::splat(simd, self.origin[1]);
        (
            dx - f32x8::splat(simd, self.shear[0]) * dz,
            dy - f32x8::splat(simd, self.shear[1]) * dz,
        )
    }
}

/// The lanes whose sheared vertices may surround the z axis, as bits.
///
/// A rounded difference of rounded products may be zero where the exact one is not, but it never has
/// the other sign, and where it overflows it is infinite with the right sign or NaN. Minima and
/// maxima give one of their operands, or NaN. So when they are on opposite sides of zero, two of the
/// exact edge functions are, and whatever was NaN is kept.
#[inline(always)]
pub(crate) fn meets_line<S: Simd, F: SimdFloat<S, Element = f32>>(
    simd: S,
    [[ax, ay], [bx, by], [cx, cy]]: &[[F; 2]; 3],
    sides: Sides,
) -> u64 {
    let u = *cx * *by - *cy * *bx;
    let v = *ax * *cy - *ay * *cx;
    let w = *bx * *ay - *by * *ax;
    let zero = F::splat(simd, 0.0);
    let clockwise = u.min(v).min(w).simd_lt(zero);
    let counter_clockwise = zero.simd_lt(u.max(v).max(w));
    let missed = match sides {
        Sides::Both => clockwise & counter_clockwise,
        Sides::Front => clockwise,
        Sides::Back => counter_clockwise,
    };
    (!missed).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SimdLevel;
    use fearless_simd::dispatch;

    const UNIT: Triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);

    fn hit(origin: [f32; 3], direction: [f32; 3], sides: Sides) -> Option<TriangleHit> {
        let ray = Ray::new(origin.into(), direction.into());
        ShearedRay::new(&ray).unwrap().hit(&UNIT, sides)
    }

    #[test]
    fn distance_weights_and_sides_are_right() {
        let above = hit([0.25, 0.5, 2.0], [0.0, 0.0, -0.5], Sides::Both).unwrap();
        assert_eq!(
            (above.t, above.u, above.v, above.front),
            (4.0, 0.25, 0.5, true)
        );
        let below = hit([0.25, 0.5, -2.0], [0.0, 0.0, 1.0], Sides::Both).unwrap();
        assert_eq!((below.t, below.front), (2.0, false));
        assert!(hit([0.25, 0.5, 2.0], [0.0, 0.0, -1.0], Sides::Back).is_none());
        assert!(hit([0.25, 0.5, 2.0], [0.0, 0.0, -1.0], Sides::Front).is_some());
        assert!(hit([0.25, 0.5, -2.0], [0.0, 0.0, 1.0], Sides::Front).is_none());
        assert!(hit([0.25, 0.5, 2.0], [0.0, 0.0, 1.0], Sides::Both).is_none());
        assert!(hit([0.75, 0.5, 2.0], [0.0, 0.0, -1.0], Sides::Both).is_none());
        // In its plane: seen edge on.
        assert!(hit([-1.0, 0.25, 0.0], [1.0, 0.0, 0.0], Sides::Both).is_none());
        // Borders, corners, and an origin on the triangle.
        for at in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.0]] {
            let found = hit([at[0], at[1], 1.0], [0.0, 0.0, -1.0], Sides::Both);
            assert_eq!(found.map(|hit| hit.t), Some(1.0), "{at:?}");
        }
        let on = hit([0.25, 0.25, 0.0], [0.1, 0.2, -1.0], Sides::Both);
        assert_eq!(on.map(|hit| hit.t.to_bits()), Some(0));
    }

    #[test]
    fn sifting_keeps_what_is_hit_at_every_level() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            // Few values, so that edges and corners are hit.
            ((state >> 60) as f32 - 8.0) * 0.25
        };
        let mut hits = 0;
        for _ in 0..4000 {
            let mut eight = Triangle8::EMPTY;
            for lane in 0..7 {
                let mut point = || Vec3::new(draw(), draw(), draw());
                eight.set(lane, &Triangle::new(point(), point(), point()));
            }
            let mut point = || Vec3::new(draw(), draw(), draw());
            let Ok(ray) = ShearedRay::new(&Ray::new(point(), point())) else {
                continue;
            };
            for sides in [Sides::Both, Sides::Front, Sides::Back] {
                let scalar = SimdLevel::Scalar.token().unwrap();
                let expected = dispatch!(scalar, simd => ray.sift(simd, &eight, sides));
                assert_eq!(expected >> 7, 0);
                for level in SimdLevel::available() {
                    let token = level.token().unwrap();
                    let bits = dispatch!(token, simd => ray.sift(simd, &eight, sides));
                    assert_eq!(bits, expected, "{level}");
                }
                for lane in 0..7 {
                    if ray.hit(&eight.get(lane), sides).is_some() {
                        assert_eq!(expected >> lane & 1, 1, "{ray:?} {:?}", eight.get(lane));
                        hits += 1;
                    }
                }
            }
        }
        assert!(hits > 1000, "{hits}");
    }
}
