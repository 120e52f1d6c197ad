//! Bodies that fall through a funnel into a bin.

use core::f64::consts::FRAC_PI_2;

use glam::DVec3;
use jostle_geom::{Mesh, Pose, Rotation};

use super::builder::{Builder, cells, lattice, middle};
use super::forms::{self, Own};
use super::{BodyScene, BodySceneError};

/// The ground, and four boxes each for the bin, the slopes of the funnel, and the walls above them.
pub(super) const FIXED: usize = 13;

/// Size of a body, and between two at the start, m.
const SIZE: f64 = 0.4;
const PITCH: f64 = 0.62;
/// The same from layer to layer: they come one after the other.
const RISE: f64 = 1.2;
/// Half the thickness of walls, m.
const HALF: f64 = 0.5;
/// Slope of the funnel: height over width.
const SLOPE: f64 = 1.2;

/// A funnel with a square outlet above a bin with a square bottom, as wide as the funnel.
pub(super) fn funnel(
    bodies: usize,
    seed: u64,
    mesh: Option<&Mesh>,
) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x4655_4E4E);
    let count = bodies - FIXED;
    let (shape, scale) = match mesh {
        Some(_) => (scene.mesh(mesh, Own::Bunny)?, 1.25 * SIZE),
        None => (scene.shape(forms::cylinder()?)?, SIZE / 0.8),
    };
    let size = lattice(count, [6, 6, 6], usize::MAX);
    let wide = PITCH * size[0].max(size[1]) as f64 / 2.0 + 0.5 * SIZE;
    let mouth = (0.28 * wide).max(3.5 * SIZE).min(0.9 * wide);
    let drop = SLOPE * (wide - mouth);
    // The bin holds everything, with each body taking twice its box.
    let deep = 2.0 * count as f64 * SIZE * SIZE * SIZE / (4.0 * wide * wide) + 2.0 * SIZE;
    let tall = RISE * size[2] as f64 + 4.0 * SIZE;
    let angle = libm::atan(SLOPE);
    let slant = (wide - mouth) / libm::cos(angle);
    let rim = deep + drop;
    for quarter in 0..4 {
        let turn = Rotation::from_axis_angle(DVec3::Z, FRAC_PI_2 * f64::from(quarter));
        let mut wall = |half: DVec3, at: DVec3, lean: Rotation| {
            scene.wall(half, Pose::new(turn.rotate(at), turn.after(lean)))
        };
        let long = wide + 2.0 * HALF;
        let upright = Rotation::IDENTITY;
        let at = DVec3::new(wide + HALF, 0.0, 0.5 * deep);
        wall(DVec3::new(HALF, long, 0.5 * deep), at, upright)?;
        let at = DVec3::new(wide + HALF, 0.0, rim + 0.5 * tall);
        wall(DVec3::new(HALF, long, 0.5 * tall), at, upright)?;
        // The upper face goes through the edge of the mouth and the foot of the wall above.
        let lean = Rotation::from_axis_angle(DVec3::Y, -angle);
        let face = DVec3::new(0.5 * (wide + mouth), 0.0, deep + 0.5 * drop);
        let at = face - lean.rotate(DVec3::Z) * HALF;
        wall(DVec3::new(0.5 * slant, long, HALF), at, lean)?;
    }
    for [i, j, k] in cells(size).take(count) {
        let at = DVec3::new(
            PITCH * middle(i, size[0]),
            PITCH * middle(j, size[1]),
            rim + SIZE + RISE * k as f64,
        );
        let rotation = scene.any_rotation();
        scene.add(shape, scale, at, rotation);
    }
    scene.finish()
}
