//! Bodies of a step, ready to be looked at in pairs.

use glam::{DMat3, DVec3, Mat3};
use jostle_geom::Rotation;

use super::FieldBody;
use crate::Shape;

/// What every pair of a body needs to know of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared<'a> {
    pub shape: &'a Shape,
    pub scale: f32,
    /// Of the centre of mass, in the world.
    pub position: DVec3,
    pub rotation: Rotation,
    /// Columns are the images of the local axes.
    pub axes: DMat3,
    /// The same in single precision: turns local directions into the world.
    pub turn: Mat3,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    pub fixed: bool,
    /// The box in the world.
    pub min: DVec3,
    pub max: DVec3,
    /// From the centre of mass to the farthest corner of the box of the shape, m.
    pub radius: f64,
    /// The largest side of the box of the shape, m.
    pub size: f32,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(body: &FieldBody<'a>) -> Self {
        let axes = body.pose.rotation.matrix();
        let bounds = body.shape.aabb();
        let scale = f64::from(body.scale);
        let centre = body.shape.mass().centre;
        let (low, high) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
        let middle = axes * (((low + high) * 0.5 - centre) * scale) + body.pose.position;
        let half = (high - low) * (0.5 * scale);
        let reach =
            axes.x_axis.abs() * half.x + axes.y_axis.abs() * half.y + axes.z_axis.abs() * half.z;
        let far = (low - centre).abs().max((high - centre).abs()) * scale;
        Self {
            shape: body.shape,
            scale: body.scale,
            position: body.pose.position,
            rotation: body.pose.rotation,
            axes,
            turn: Mat3::from_cols(
                axes.x_axis.as_vec3(),
                axes.y_axis.as_vec3(),
                axes.z_axis.as_vec3(),
            ),
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
            fixed: body.fixed,
            min: middle - reach,
            max: middle + reach,
            radius: far.length(),
            size: (half.max_element() * 2.0) as f32,
        }
    }

    /// The velocity of its material at a point of the world, m/s.
    pub(super) fn velocity_at(&self, p: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(p - self.position)
    }

    /// How fast points of the two bodies can move against each other, at most, m/s.
    pub(super) fn way_against(&self, other: &Self) -> f64 {
        (self.velocity - other.velocity).length()
            + self.angular_velocity.length() * self.radius
            + other.angular_velocity.length() * other.radius
    }
}
