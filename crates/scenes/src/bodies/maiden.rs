//! Walls with spikes that close.

use core::f64::consts::FRAC_PI_2;

use glam::DVec3;
use jostle_geom::{Mesh, Pose, Rotation};

use super::builder::{Builder, GAP, cells, lattice, middle};
use super::forms::{self, Own};
use super::{BodyScene, BodySceneError, Motion};

/// Bodies in front of a pair of plates at most.
const EACH: usize = 60;
/// Half the width of a plate, half its thickness, and the length of its spikes, m.
const PLATE: [f64; 3] = [2.8, 0.32, 1.04];
/// Gap between the tips at the start and at the end, m.
const OPEN: f64 = 4.8;
const SHUT: f64 = 1.2;
/// m/s.
const SPEED: f64 = 0.5;

/// Bodies between two walls of spikes that come closer and stop, with plain walls at the ends, open above.
pub(super) fn maiden(
    bodies: usize,
    seed: u64,
    mesh: Option<&Mesh>,
) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x4D41_4944);
    let shape = scene.mesh(mesh, Own::Bunny)?;
    let plate = scene.shape(forms::spike_plate()?)?;
    // The ground, two plain walls, and two plates for each part of the length.
    let mut parts = 1;
    while bodies > 3 + parts * (2 + EACH) {
        parts += 1;
    }
    let [half, thickness, spikes] = PLATE;
    let place = OPEN / 2.0 + spikes + thickness;
    for part in 0..parts {
        for side in [-1.0, 1.0] {
            let at = DVec3::new(side * place, 2.0 * half * middle(part, parts), half + GAP);
            let inward = Rotation::from_axis_angle(DVec3::Y, -side * FRAC_PI_2);
            let body = scene.add(plate, 4.0, at, inward);
            body.motion = Motion::Kinematic;
            body.velocity = DVec3::X * (-side * SPEED);
            body.until = (OPEN - SHUT) / (2.0 * SPEED);
        }
    }
    let length = half * parts as f64;
    for side in [-1.0, 1.0] {
        let at = DVec3::new(0.0, side * (length + 0.5), half);
        let wall = DVec3::new(place + thickness, 0.5, half);
        scene.wall(wall, Pose::new(at, Rotation::IDENTITY))?;
    }
    let count = bodies - 3 - 2 * parts;
    // Three abreast, four to a metre and a half of length, in layers.
    let along = 4 * parts;
    let mut size = lattice(count, [3, along, 2], 4);
    if size[0] > 4 || size[1] > along + parts {
        size = [4, along + parts, count.div_ceil(4 * (along + parts))];
    }
    for [i, j, k] in cells(size).take(count) {
        let at = DVec3::new(
            1.1 * middle(i, size[0]),
            1.1 * middle(j, size[1]),
            0.8 + 1.1 * k as f64,
        );
        let rotation = scene.any_rotation();
        scene.add(shape, 1.0, at, rotation);
    }
    scene.finish()
}
