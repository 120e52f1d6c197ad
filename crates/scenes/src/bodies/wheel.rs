//! Wheels with spikes that roll into pins.

use core::f64::consts::FRAC_PI_2;

use glam::DVec3;
use jostle_geom::Rotation;

use super::builder::{Builder, GAP, middle};
use super::{BodyScene, BodySceneError, forms};

/// A wheel and ten pins.
const LANE: usize = 11;
/// Lanes side by side and behind each other, m.
const PITCH: [f64; 2] = [40.0, 6.0];

/// Lanes of a wheel and ten pins each.
pub(super) fn lanes(bodies: usize, seed: u64) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x5748_4545);
    let wheel = scene.shape(forms::spiky_wheel()?)?;
    let pin = scene.shape(forms::capsule()?)?;
    let moving = bodies - 1;
    let lanes = moving.div_ceil(LANE);
    let across = ((lanes as f64 * PITCH[0] / PITCH[1]).sqrt().ceil() as usize).clamp(1, lanes);
    let along = lanes.div_ceil(across);
    for index in 0..moving {
        let (lane, place) = (index / LANE, index % LANE);
        let corner = DVec3::new(
            PITCH[0] * middle(lane / across, along),
            PITCH[1] * middle(lane % across, across),
            0.0,
        );
        if place == 0 {
            let upright = Rotation::from_axis_angle(DVec3::X, FRAC_PI_2);
            let body = scene.add(wheel, 1.2, corner + DVec3::new(-6.0, 0.0, 2.115), upright);
            body.density = 4.0;
            body.velocity = DVec3::X * 6.0;
            body.angular_velocity = DVec3::Y * 4.0;
            continue;
        }
        let mut pin_number = place - 1;
        let mut row = 0;
        while pin_number > row {
            pin_number -= row + 1;
            row += 1;
        }
        let at = DVec3::new(
            3.0 + 0.8 * row as f64,
            0.9 * middle(pin_number, row + 1),
            0.7 + GAP,
        );
        scene.add(pin, 1.0, corner + at, Rotation::IDENTITY);
    }
    scene.finish()
}
