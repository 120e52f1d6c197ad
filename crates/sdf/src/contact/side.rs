//! One of the two bodies of a pair, seen from the frame of the pair.

use fearless_simd::{f32x8, prelude::*};
use glam::{DVec3, Mat3, Vec3};
use jostle_simd::Aabb;
use jostle_simd::lanes::V3;

use super::prepared::Prepared;
use crate::level::Lanes;
use crate::{Sample, Shape};

/// A body in the frame of a pair, whose axes are those of the world and whose origin is near the contact: the local
/// point of x is `to_local` x + `offset`, so that single precision is lost on no distance from the origin of the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'a> {
    pub shape: &'a Shape,
    /// Turns directions of the world into local ones, and scales them.
    to_local: Mat3,
    offset: Vec3,
    /// Turns local directions into those of the world.
    turn: Mat3,
    scale: f32,
}

impl<'a> Side<'a> {
    /// A body seen from the point `origin` of the world.
    pub(super) fn new(body: &Prepared<'a>, origin: DVec3) -> Self {
        let scale = f64::from(body.scale);
        let away = body.axes.transpose() * (origin - body.position) / scale;
        Self {
            shape: body.shape,
            to_local: body.turn.transpose() * (1.0 / body.scale),
            offset: (away + body.shape.mass().centre).as_vec3(),
            turn: body.turn,
            scale: body.scale,
        }
    }

    /// A bound on how fast the value changes within a ball of the frame.
    pub(super) fn lipschitz_in(&self, centre: Vec3, radius: f32) -> f32 {
        let centre = self.to_local * centre + self.offset;
        self.shape.field().lipschitz_in(centre, radius / self.scale)
    }

    /// A box in local coordinates that holds the box of the frame with these corners.
    pub(super) fn local_box(&self, low: Vec3, high: Vec3) -> Aabb {
        let centre = self.to_local * ((low + high) * 0.5) + self.offset;
        let half = (high - low) * 0.5;
        let m = &self.to_local;
        let reach = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
        Aabb::new(centre - reach, centre + reach)
    }

    /// A local point in the frame.
    pub(super) fn in_frame(&self, q: Vec3) -> Vec3 {
        self.turn * ((q - self.offset) * self.scale)
    }

    /// Value and gradient, in metres and along the axes of the frame, at eight points of the frame.
    #[inline(always)]
    pub(super) fn eval<S: Lanes>(&self, simd: S, x: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        let m = &self.to_local;
        let p = V3::new(
            dot_row(simd, m, 0, x) + f32x8::splat(simd, self.offset.x),
            dot_row(simd, m, 1, x) + f32x8::splat(simd, self.offset.y),
            dot_row(simd, m, 2, x) + f32x8::splat(simd, self.offset.z),
        );
        let local = self.shape.field().eval8(simd, p);
        Sample {
            value: local.value * f32x8::splat(simd, self.scale),
            gradient: self.turned(simd, local.gradient),
        }
    }

    #[inline(always)]
    fn turned<S: Lanes>(&self, simd: S, v: V3<f32x8<S>>) -> V3<f32x8<S>> {
        let m = &self.turn;
        V3::new(
            dot_row(simd, m, 0, v),
            dot_row(simd, m, 1, v),
            dot_row(simd, m, 2, v),
        )
    }
}

/// A row of a matrix times a vector.
#[inline(always)]
fn dot_row<S: Lanes>(simd: S, m: &Mat3, row: usize, v: V3<f32x8<S>>) -> f32x8<S> {
    f32x8::splat(simd, m.x_axis[row]) * v.x
        + f32x8::splat(simd, m.y_axis[row]) * v.y
        + f32x8::splat(simd, m.z_axis[row]) * v.z
}
