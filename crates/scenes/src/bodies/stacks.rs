//! Bodies that stand on each other from the start.

use glam::DVec3;
use jostle_geom::{Mesh, Rotation};

use super::builder::{Builder, GAP, middle};
use super::forms::{self, Own};
use super::{BodyScene, BodySceneError};

/// Boxes along the lowest row of a pyramid.
const ROW: usize = 7;
/// Boxes of a pyramid.
const PYRAMID: usize = ROW * (ROW + 1) / 2;
/// Gears of a tower.
const TOWER: usize = 10;

/// Pyramids of unit boxes in one plane, side by side and behind each other.
pub(super) fn boxes(bodies: usize, seed: u64) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x424F_5853);
    let moving = bodies - 1;
    let shape = scene.shape(forms::cuboid(DVec3::splat(0.5))?)?;
    let pyramids = moving.div_ceil(PYRAMID);
    // About as wide as deep: a pyramid takes 9 m by 2.5 m.
    let rows = ((pyramids as f64 * 3.6).sqrt().ceil() as usize).clamp(1, pyramids);
    let columns = pyramids.div_ceil(rows);
    for index in 0..moving {
        let (pyramid, mut place) = (index / PYRAMID, index % PYRAMID);
        let mut level = 0;
        while place >= ROW - level {
            place -= ROW - level;
            level += 1;
        }
        let corner = DVec3::new(
            9.0 * middle(pyramid % columns, columns),
            2.5 * middle(pyramid / columns, rows),
            0.0,
        );
        let at = DVec3::new(
            1.05 * middle(place, ROW - level),
            0.0,
            0.5 + GAP + level as f64 * (1.0 + GAP),
        );
        scene.add(shape, 1.0, corner + at, Rotation::IDENTITY);
    }
    scene.finish()
}

/// Towers of ten gears.
pub(super) fn gears(
    bodies: usize,
    seed: u64,
    mesh: Option<&Mesh>,
) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x4745_4152);
    let moving = bodies - 1;
    let shape = scene.mesh(mesh, Own::Gear)?;
    let towers = moving.div_ceil(TOWER);
    let columns = (towers as f64).sqrt().ceil() as usize;
    let rows = towers.div_ceil(columns.max(1));
    for index in 0..moving {
        let (tower, level) = (index / TOWER, index % TOWER);
        let [x, y] = [(); 2].map(|()| scene.rng.range(-0.05, 0.05));
        let at = DVec3::new(
            2.4 * middle(tower % columns, columns) + x,
            2.4 * middle(tower / columns, rows) + y,
            0.2 + 0.45 * level as f64,
        );
        let turn = scene.rng.range(0.0, core::f64::consts::TAU);
        scene.add(shape, 1.5, at, Rotation::from_axis_angle(DVec3::Z, turn));
    }
    scene.finish()
}
