//! The point of a wall nearest to a grain.

use std::sync::Arc;

use fearless_simd::{Level, f32x8, prelude::*};
use glam::Vec3;
use jostle_scenes::grains::WallField;

use super::Sheet;
use super::triangles::NOT_HERE;
use jostle_simd::lanes::{Real, V3};

/// The shape of a wall, ready to be asked.
#[derive(Clone, Debug)]
pub(in crate::grains) enum Shape {
    Plane {
        normal: Vec3,
        offset: f32,
    },
    Frustum {
        base: Vec3,
        axis: Vec3,
        length: f32,
        radii: [f32; 2],
    },
    Sheet(Arc<Sheet>),
    Field(Arc<dyn WallField>),
}

impl Shape {
    /// Distances of eight points from the wall, m, and the unit vectors from the wall to the points. `parts` names
    /// the triangles where there are any.
    #[inline(always)]
    pub(in crate::grains) fn distance8<S: Simd>(
        &self,
        simd: S,
        points: V3<f32x8<S>>,
        parts: &[u32; 8],
    ) -> (f32x8<S>, V3<f32x8<S>>) {
        match self {
            Self::Plane { normal, offset } => plane(points, *normal, *offset),
            Self::Frustum {
                base,
                axis,
                length,
                radii,
            } => frustum(points, *base, *axis, *length, *radii),
            _ => {
                let points: [[f32; 8]; 3] = [points.x.into(), points.y.into(), points.z.into()];
                let (distances, away) = self.one_by_one(&points, parts);
                (
                    f32x8::load_array(simd, distances),
                    V3::new(
                        f32x8::load_array(simd, away[0]),
                        f32x8::load_array(simd, away[1]),
                        f32x8::load_array(simd, away[2]),
                    ),
                )
            }
        }
    }

    /// The distance of a point from the wall, m, and the unit vector from the wall to the point.
    #[inline(always)]
    pub(in crate::grains) fn distance(&self, p: V3<f32>, part: u32) -> (f32, V3<f32>) {
        match self {
            Self::Plane { normal, offset } => plane(p, *normal, *offset),
            Self::Frustum {
                base,
                axis,
                length,
                radii,
            } => frustum(p, *base, *axis, *length, *radii),
            Self::Sheet(sheet) => sheet.distance(p, part),
            Self::Field(field) => {
                let (distance, away) = field.distance(Vec3::new(p.x, p.y, p.z));
                if distance.is_finite() && away.is_finite() {
                    (distance, V3::new(away.x, away.y, away.z))
                } else {
                    (NOT_HERE, V3::new(0.0, 0.0, 0.0))
                }
            }
        }
    }

    /// How far outside the wall a point is, m, negative inside; of sheets only whether it is within a reach.
    pub(super) fn outside(&self, p: Vec3, reach: f32, level: Level) -> f32 {
        match self {
            Self::Sheet(sheet) => sheet
                .signed_distance(p, reach, level)
                .unwrap_or(f32::INFINITY),
            _ => self.distance(V3::new(p.x, p.y, p.z), 0).0,
        }
    }

    /// As [`distance8`](Self::distance8), for shapes that have no wide form.
    #[inline(never)]
    fn one_by_one(&self, points: &[[f32; 8]; 3], parts: &[u32; 8]) -> ([f32; 8], [[f32; 8]; 3]) {
        let mut distances = [0.0; 8];
        let mut away = [[0.0; 8]; 3];
        for lane in 0..8 {
            let p = V3::new(points[0][lane], points[1][lane], points[2][lane]);
            let (distance, n) = self.distance(p, parts[lane]);
            distances[lane] = distance;
            away[0][lane] = n.x;
            away[1][lane] = n.y;
            away[2][lane] = n.z;
        }
        (distances, away)
    }
}

#[inline(always)]
fn plane<R: Real>(p: V3<R>, normal: Vec3, offset: f32) -> (R, V3<R>) {
    let n = splat(p.x, normal);
    (n.dot(p) - p.x.all(offset), n)
}

/// In the half-plane through the axis and the point the wall is a segment; the nearest point is there.
#[inline(always)]
fn frustum<R: Real>(
    p: V3<R>,
    base: Vec3,
    axis: Vec3,
    length: f32,
    [first, second]: [f32; 2],
) -> (R, V3<R>) {
    let (zero, one) = (p.x.all(0.0), p.x.all(1.0));
    let a = splat(p.x, axis);
    let q = p - splat(p.x, base);
    let along = q.dot(a);
    let out = q - a.times(along);
    let radius = out.dot(out).root();
    let grows = second - first;
    let inverse = zero.all(1.0 / (grows * grows + length * length));
    let (dr, dh) = (zero.all(grows), zero.all(length));
    let t = ((radius - zero.all(first)) * dr + along * dh) * inverse;
    let t = t.positive().least(one);
    let beside = radius - (zero.all(first) + t * dr);
    let above = along - t * dh;
    let distance = (beside * beside + above * above).root();
    // On the axis there is no direction out, and none is needed unless the wall is there as well.
    let outward = R::choose(zero.below(radius), beside / radius, zero);
    let away = out.times(outward) + a.times(above);
    let scale = R::choose(zero.below(distance), one / distance, zero);
    (distance, away.times(scale))
}

#[inline(always)]
fn splat<R: Real>(like: R, v: Vec3) -> V3<R> {
    V3::new(like.all(v.x), like.all(v.y), like.all(v.z))
}
