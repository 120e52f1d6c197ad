//! A column of grains that collapses.

use std::sync::Arc;

use glam::{DVec2, DVec3, Vec3};
use jostle_geom::Aabb;

use super::material::{FILLED, GRAVITY, RADIUS};
use super::packing::pour;
use super::{GrainMaterial, GrainScene, RoughFloor, WallField, WallShape};
use crate::scene::{at_least, positive};
use crate::{Rng, SceneError};

/// Distance of the spheres of the floor in diameters.
const ROUGH: f64 = 1.2;

/// An upright cylinder of grains on a floor of grains that cannot move, whose container is gone at the start.
///
/// It spreads into a flat heap. For columns less than 1.7 times as high as wide (aspect `a`, height by radius) the run-out
/// is 1.24 a of the initial radius, whatever the grains are (G. Lube, H. E. Huppert, R. S. J. Sparks and M. A.
/// Hallworth, "Axisymmetric collapses of granular columns", J. Fluid Mech. 508, 2004).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnCollapse {
    /// Number of grains.
    pub grains: usize,
    /// Radius of a grain, m.
    pub radius: f64,
    /// Height of the column by its radius.
    pub aspect: f64,
    /// Where grains start is drawn from it.
    pub seed: u64,
}

impl Default for ColumnCollapse {
    fn default() -> Self {
        Self {
            grains: 10_000,
            radius: RADIUS,
            aspect: 1.0,
            seed: 0,
        }
    }
}

impl ColumnCollapse {
    /// Radius of the column, m.
    pub fn column_radius(&self) -> f64 {
        let r = self.radius;
        r * libm::cbrt(4.0 / 3.0 * self.grains as f64 / (FILLED * self.aspect))
    }

    /// Builds the scene.
    ///
    /// # Errors
    /// [`SceneError::NotPositive`], and [`SceneError::Parameter`] without grains, and for an aspect that leaves no room for one.
    pub fn build(&self) -> Result<GrainScene, SceneError> {
        positive("radius", self.radius)?;
        positive("aspect", self.aspect)?;
        at_least("grains", self.grains, 1)?;
        let (r, wide) = (self.radius, self.column_radius());
        if !(wide >= 2.0 * r && wide.is_finite()) {
            return Err(SceneError::Parameter {
                name: "grains",
                value: self.grains,
                least: (6.0 * FILLED * self.aspect).ceil().max(1.0) as usize,
            });
        }
        let floor = RoughFloor {
            radius: r as f32,
            spacing: (ROUGH * 2.0 * r) as f32,
        };
        let ground = |p: DVec2, radius: f64| {
            // Down on the sphere of the floor that is nearest sideways.
            let beside = f64::from(floor.distance(p.as_vec2().extend(0.0)).0) + r;
            let reach = r + radius;
            (p.length() <= wide - radius).then(|| (reach * reach - beside * beside).max(0.0).sqrt())
        };
        let grains = pour(
            (0..self.grains).map(|_| r),
            r,
            DVec2::splat(wide - r),
            &ground,
            &mut Rng::new(self.seed, 0x434F_4C55),
        );
        let high = self.aspect * wide;
        let far = (10.0 * (wide + high)) as f32;
        Ok(GrainScene {
            name: "column-collapse",
            // No wall carries a part of the weight, and all of it falls at once.
            material: GrainMaterial::for_depth(r, 2.4 * high),
            gravity: DVec3::new(0.0, 0.0, -GRAVITY),
            grains,
            walls: vec![WallShape::Field(Arc::new(floor)).into()],
            emitters: Vec::new(),
            drains: Vec::new(),
            world: Aabb::new(Vec3::new(-far, -far, -r as f32), Vec3::splat(far)),
            seed: self.seed,
        })
    }
}
