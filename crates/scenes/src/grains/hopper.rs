//! A silo whose bottom is a cone with an outlet.

use glam::{DVec2, DVec3, Vec3};
use jostle_geom::Aabb;

use super::material::{GRAVITY, RADIUS};
use super::packing::pour;
use super::{Drain, Emitter, GrainMaterial, GrainScene, Wall, WallShape};
use crate::scene::positive;
use crate::{Rng, SceneError};

/// Grains in a cylinder above a cone with an outlet, through which they leave; they may come in again at the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hopper {
    /// Number of grains.
    pub grains: usize,
    /// Radius of a grain, m.
    pub radius: f64,
    /// Diameter of the cylinder in diameters of a grain; 0 for one that suits the number of grains.
    pub across: f64,
    /// Diameter of the outlet in diameters of a grain; 0 for a hopper that is shut.
    pub outlet: f64,
    /// Angle between the wall of the cone and the vertical, degrees; 90 for a flat bottom.
    pub half_angle: f64,
    /// Whether grains that leave come in again.
    pub recycle: bool,
    /// Where grains start is drawn from it.
    pub seed: u64,
}

impl Default for Hopper {
    fn default() -> Self {
        Self {
            grains: 10_000,
            radius: RADIUS,
            across: 0.0,
            outlet: 8.0,
            half_angle: 60.0,
            recycle: true,
            seed: 0,
        }
    }
}

impl Hopper {
    /// Builds the scene.
    ///
    /// # Errors
    /// [`SceneError::NotPositive`] for sizes that make no hopper.
    pub fn build(&self) -> Result<GrainScene, SceneError> {
        positive("radius", self.radius)?;
        positive("half angle", self.half_angle)?;
        // An outlet of zero is shut, a width of zero is chosen.
        positive("outlet", self.outlet + f64::MIN_POSITIVE)?;
        positive("across", self.across + f64::MIN_POSITIVE)?;
        let r = self.radius;
        let d = 2.0 * r;
        // Wider with more grains than if the shape were kept: a shallow bed weighs less on its contacts, which may then
        // be softer and take fewer steps.
        let across = if self.across == 0.0 {
            0.9 * libm::pow(self.grains.max(1) as f64, 0.4)
        } else {
            self.across
        };
        let across = across.max(self.outlet + 6.0).max(8.0) * d;
        let wide = across / 2.0;
        let mouth = self.outlet * d / 2.0;
        let (sin, cos) = libm::sincos(self.half_angle.to_radians());
        let cone = if self.half_angle >= 90.0 {
            0.0
        } else {
            (wide - mouth) * cos / sin
        };
        let mut rng = Rng::new(self.seed, 0x484F_5050);
        // A grain touches a cone that leans by its radius over the cosine sideways, and the rim of the outlet nearer.
        let ground = |p: DVec2, radius: f64| {
            let out = p.length();
            if out > wide - radius {
                return None;
            }
            if self.half_angle >= 90.0 {
                return Some(radius);
            }
            Some(((out - mouth) * cos / sin + radius / sin).max(radius * 1.01))
        };
        let grains = pour(
            (0..self.grains).map(|_| r),
            r,
            DVec2::splat(wide - r),
            &ground,
            &mut rng,
        );
        let top = grains
            .iter()
            .map(|g| f64::from(g.centre.z))
            .fold(cone, f64::max);
        let d32 = d as f32;
        let top = top as f32 + 2.0 * d32;
        let up = Vec3::Z;
        let mut walls: Vec<Wall> = vec![
            WallShape::Frustum {
                base: Vec3::ZERO,
                axis: up,
                length: cone as f32,
                radii: [mouth as f32, wide as f32],
            }
            .into(),
            WallShape::Frustum {
                base: up * cone as f32,
                axis: up,
                length: top + 8.0 * d32,
                radii: [wide as f32; 2],
            }
            .into(),
        ];
        walls.retain(|w| !matches!(w.shape, WallShape::Frustum { length, radii, .. } if length == 0.0 && radii[0] == radii[1]));
        let inner = (wide * std::f64::consts::FRAC_1_SQRT_2) as f32 - d32;
        let far = (3.0 * wide) as f32;
        Ok(GrainScene {
            name: "hopper",
            material: GrainMaterial::for_depth(r, f64::from(top)),
            gravity: DVec3::new(0.0, 0.0, -GRAVITY),
            grains,
            walls,
            emitters: vec![Emitter {
                region: Aabb::new(
                    Vec3::new(-inner, -inner, top),
                    Vec3::new(inner, inner, top + 2.0 * d32),
                ),
                velocity: Vec3::ZERO,
                radii: [r as f32; 2],
                rate: 0.0,
                limit: 0,
            }],
            drains: vec![Drain {
                normal: Vec3::Z,
                offset: -3.0 * d32,
                recycle: self.recycle,
            }],
            world: Aabb::new(
                Vec3::new(-far, -far, -6.0 * d32),
                Vec3::new(far, far, 2.0 * top + far),
            ),
            seed: self.seed,
        })
    }
}
