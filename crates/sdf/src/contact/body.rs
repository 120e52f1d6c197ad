//! A shape that moves.

use glam::DVec3;
use jostle_geom::Pose;

use crate::Shape;

/// A shape somewhere in the world, on its way.
#[derive(Clone, Copy, Debug)]
pub struct FieldBody<'a> {
    /// Its form.
    pub shape: &'a Shape,
    /// By how much it is larger than its shape.
    pub scale: f32,
    /// Where its centre of mass is and how its axes lie: the local point q of the shape is at
    /// `scale` R (q − centre) + `position`.
    pub pose: Pose,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// rad/s, along world axes.
    pub angular_velocity: DVec3,
    /// Whether contacts do not move it: two such bodies have none with each other.
    pub fixed: bool,
}
