//! A silo whose bottom is a cone with an outlet.

use glam::{DVec3, Vec3};
use jostle_geom::Aabb;

use super::{Drain, Emitter, Grain, GrainMaterial, GrainScene, Wall, WallShape};
use crate::{Rng, SceneError};

/// Standard gravity, m/s².
pub(super) const GRAVITY: f64 = 9.80665;

/// Grains in a cylinder above a cone with an outlet, through which they leave; they may come in again at the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hopper {
    /// Number of grains.
    pub grains: usize,
    /// Radius of a grain, m.
    pub radius: f64,
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
            radius: 0.05,
            outlet: 8.0,
            half_angle: 40.0,
            recycle: true,
            seed: 0,
        }
    }
}

impl Hopper {
    /// Builds the scene.
    ///
    /// # Errors
    /// [`SceneError::Parameter`] for sizes that make no hopper.
    pub fn build(&self) -> Result<GrainScene, SceneError> {
        let r = self.radius;
        let d = 2.0 * r;
        // As high as wide when filled at a share of 0.58 of the volume.
        let across = libm::cbrt(self.grains.max(1) as f64 * 1.15)
            .max(self.outlet + 6.0)
            .max(8.0)
            * d;
        let wide = across / 2.0;
        let mouth = self.outlet * d / 2.0;
        let (sin, cos) = libm::sincos(self.half_angle.to_radians());
        let cone = if self.half_angle >= 90.0 {
            0.0
        } else {
            (wide - mouth) * cos / sin
        };
        let mut rng = Rng::new(self.seed, 0x484F_5050);
        let mut grains = Vec::with_capacity(self.grains);
        let step = 1.03 * d;
        let cells = (2.0 * wide / step) as usize + 1;
        let mut layer = 0;
        while grains.len() < self.grains {
            let z = 0.6 * d + step * layer as f64;
            let width = if z < cone {
                mouth + (wide - mouth) * z / cone
            } else {
                wide
            };
            // Clear of the cone, whose wall leans.
            let room = width - if z < cone { r / cos } else { r } - 0.02 * d;
            for k in 0..cells * cells {
                let x = (k % cells) as f64 * step - wide;
                let y = (k / cells) as f64 * step - wide;
                let at = DVec3::new(x, y, z) + rng.cube() * (0.014 * d);
                if at.x * at.x + at.y * at.y <= room * room && grains.len() < self.grains {
                    grains.push(Grain::at_rest(at.as_vec3(), r as f32));
                }
            }
            layer += 1;
        }
        let top = (0.6 * d + step * layer as f64) as f32;
        let d32 = d as f32;
        let top = top.max(cone as f32 + d32) + 1.5 * d32;
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
            material: GrainMaterial {
                density: 2500.0,
                stiffness: 450.0 * GRAVITY / r * mass(2500.0, r),
                tangential_stiffness: 2.0 / 7.0,
                restitution: 0.6,
                friction: 0.5,
                rolling_friction: 0.05,
            },
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

/// Mass of a solid sphere, kg.
pub(super) fn mass(density: f64, radius: f64) -> f64 {
    density * 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
}
