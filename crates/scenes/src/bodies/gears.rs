//! Gears that mesh.

use core::f64::consts::PI;

use glam::DVec3;
use jostle_geom::{Pose, Rotation};

use super::builder::{Builder, GAP, middle};
use super::forms::{self, Own};
use super::meshes::{TEETH, pitch_radius};
use super::{BodyScene, BodySceneError, Motion};

/// Gears are this much larger than their mesh.
const SCALE: f64 = 1.5;
/// Half their thickness, m.
const HALF: f64 = 0.12 * SCALE;
/// rad/s.
const RATE: f64 = 1.5;

/// Gears that lie on the ground in a square, each around an axle that stands still; the first one turns and takes the
/// others with it. One that is left over lies on the first.
pub(super) fn train(bodies: usize, seed: u64) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x5350_494E);
    let shape = scene.mesh(None, Own::Gear)?;
    let axle = scene.shape(forms::axle(0.135 * SCALE, HALF)?)?;
    let gears = bodies / 2;
    let columns = (gears as f64).sqrt().ceil() as usize;
    let rows = gears.div_ceil(columns.max(1));
    let pitch = 2.0 * pitch_radius() * SCALE;
    let mut first = DVec3::ZERO;
    for index in 0..gears {
        let (i, j) = (index % columns, index / columns);
        let at = DVec3::new(
            pitch * middle(i, columns),
            pitch * middle(j, rows),
            HALF + GAP,
        );
        // A tooth of one points into a gap of the next: along both axes, as the teeth can be divided by four.
        let turn = if (i + j) % 2 == 0 {
            0.0
        } else {
            PI / f64::from(TEETH)
        };
        let rotation = Rotation::from_axis_angle(DVec3::Z, turn);
        let body = scene.add(shape, SCALE, at, rotation);
        body.friction = 0.1;
        if index == 0 {
            body.motion = Motion::Kinematic;
            body.angular_velocity = DVec3::Z * RATE;
            first = at;
        } else {
            let pose = Pose::new(at, Rotation::IDENTITY);
            scene.add(axle, 1.0, pose.position, pose.rotation).motion = Motion::Static;
        }
    }
    if bodies % 2 == 1 {
        let above = first + DVec3::Z * (2.0 * HALF + GAP);
        scene.add(shape, SCALE, above, Rotation::IDENTITY);
    }
    scene.finish()
}
