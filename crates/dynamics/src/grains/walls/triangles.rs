//! Sheets of triangles.

use glam::Vec3;

use crate::grains::lanes::V3;

/// Triangles as a wall.
#[derive(Clone, Debug)]
pub(in crate::grains) struct Sheet {
    pub corners: Vec<[Vec3; 3]>,
}

impl Sheet {
    /// The distance of a point from a triangle, and the unit vector from the triangle to the point.
    pub(in crate::grains) fn distance(&self, _p: V3<f32>, _part: u32) -> (f32, V3<f32>) {
        (f32::INFINITY, V3::new(0.0, 0.0, 0.0))
    }
}
