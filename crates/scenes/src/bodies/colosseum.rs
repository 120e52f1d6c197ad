//! Rings of boxes.

use core::f64::consts::TAU;

use glam::DVec3;
use jostle_geom::Rotation;

use super::builder::{Builder, GAP};
use super::{BodyScene, BodySceneError, forms};

/// Half extents of a box along the ring, across it and up, m.
const HALF: DVec3 = DVec3::new(0.5, 0.3, 0.25);
/// Radius of the innermost ring, and between two, m.
const INNER: f64 = 12.0;
const PITCH: f64 = 1.2;
/// Courses of the innermost ring; each has one more.
const COURSES: usize = 2;
/// Gap between the ends of two boxes, m: more than the margin of contacts.
const PLAY: f64 = 0.04;

/// Rings of boxes in courses that break joint, each higher than the one inside it; the outermost is as high as the boxes
/// suffice, like the walls of the place in Rome.
pub(super) fn colosseum(bodies: usize, seed: u64) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x434F_4C4F);
    let shape = scene.shape(forms::cuboid(HALF)?)?;
    let mut left = bodies - 1;
    for ring in 0.. {
        let radius = INNER + PITCH * ring as f64;
        // The inner edges of straight boxes must not meet.
        let around = (TAU * (radius - HALF.y) / (2.0 * HALF.x + PLAY)).floor() as usize;
        for course in 0..COURSES + ring {
            for place in 0..around.min(left) {
                let share = place as f64 + 0.5 * (course % 2) as f64;
                let angle = TAU * share / around as f64;
                let (sin, cos) = libm::sincos(angle);
                let at = DVec3::new(
                    radius * cos,
                    radius * sin,
                    HALF.z + GAP + course as f64 * (2.0 * HALF.z + GAP),
                );
                let along = Rotation::from_axis_angle(DVec3::Z, angle + TAU / 4.0);
                scene.add(shape, 1.0, at, along);
            }
            left -= around.min(left);
            if left == 0 {
                return scene.finish();
            }
        }
    }
    scene.finish()
}
