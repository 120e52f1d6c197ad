//! Drums that turn about a level axis.

use glam::{DVec2, DVec3, Vec3};
use jostle_geom::Aabb;

use super::material::{FILLED, GRAVITY, RADIUS};
use super::packing::pour;
use super::{GrainMaterial, GrainScene, Wall, WallShape, WallSpin};
use crate::scene::{at_least, positive};
use crate::{Rng, SceneError};

/// How much larger the large grains of a [`Tumbler`] are.
const RATIO: f64 = 1.5;

/// A cylinder with end caps, half full, that turns about its axis, which is level and along y; as long as its
/// radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drum {
    /// Number of grains.
    pub grains: usize,
    /// Radius of a grain, m.
    pub radius: f64,
    /// Froude number ω² R/g: grains roll down the slope up to about 0.1 and are thrown beyond.
    pub froude: f64,
    /// Where grains start is drawn from it.
    pub seed: u64,
}

impl Default for Drum {
    fn default() -> Self {
        Self {
            grains: 10_000,
            radius: RADIUS,
            froude: 0.05,
            seed: 0,
        }
    }
}

impl Drum {
    /// Radius of the drum, m.
    pub fn drum_radius(&self) -> f64 {
        wide(self.grains as f64 * cube(self.radius))
    }

    /// Builds the scene.
    ///
    /// # Errors
    /// [`SceneError::NotPositive`], and [`SceneError::Parameter`] for fewer grains than make a drum wider than a few of them.
    pub fn build(&self) -> Result<GrainScene, SceneError> {
        positive("radius", self.radius)?;
        positive("Froude number", self.froude)?;
        at_least("grains", self.grains, LEAST)?;
        let radii = vec![self.radius; self.grains];
        Ok(turning(
            "drum",
            &radii,
            self.drum_radius(),
            self.froude,
            self.seed,
        ))
    }
}

/// A [`Drum`] with grains of two sizes, radii 1 to 1.5, as much volume of either, mixed at the start.
///
/// The small ones gather in the core within a few turns (radial segregation; J. M. N. T. Gray, "Particle segregation in dense
/// granular flows", Annu. Rev. Fluid Mech. 50, 2018).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tumbler {
    /// Number of grains.
    pub grains: usize,
    /// Radius of the small grains, m.
    pub radius: f64,
    /// Froude number ω² R/g.
    pub froude: f64,
    /// Which grain is of which size and where it starts is drawn from it.
    pub seed: u64,
}

impl Default for Tumbler {
    fn default() -> Self {
        Self {
            grains: 10_000,
            radius: RADIUS,
            froude: 0.05,
            seed: 0,
        }
    }
}

impl Tumbler {
    /// Builds the scene.
    ///
    /// # Errors
    /// [`SceneError::NotPositive`], and [`SceneError::Parameter`] for fewer grains than make a drum wider than a few of them.
    pub fn build(&self) -> Result<GrainScene, SceneError> {
        positive("radius", self.radius)?;
        positive("Froude number", self.froude)?;
        at_least("grains", self.grains, LEAST)?;
        let mut rng = Rng::new(self.seed, 0x5455_4D42);
        // As much volume of either.
        let small = cube(RATIO) / (1.0 + cube(RATIO));
        let radii: Vec<f64> = (0..self.grains)
            .map(|_| {
                let share = if rng.unit() < small { 1.0 } else { RATIO };
                share * self.radius
            })
            .collect();
        let wide = wide(radii.iter().map(|&r| cube(r)).sum());
        Ok(turning("tumbler", &radii, wide, self.froude, self.seed))
    }
}

/// Fewer grains make a drum that is narrower than a few of them.
const LEAST: usize = 100;

fn cube(x: f64) -> f64 {
    x * x * x
}

/// Radius of a drum, as long as that, that is half full of grains, m, from the sum of the cubes of their radii, m³.
fn wide(cubes: f64) -> f64 {
    libm::cbrt(8.0 / 3.0 * cubes / FILLED)
}

fn turning(name: &'static str, radii: &[f64], wide: f64, froude: f64, seed: u64) -> GrainScene {
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let smallest = radii.iter().copied().fold(largest, f64::min);
    let half = 0.5 * wide;
    let ground = |p: DVec2, r: f64| {
        let room = (wide - r) * (wide - r) - p.x * p.x;
        // Grains above the axis must not be where the wall leans in again.
        let beside = p.x.abs() <= 0.95 * (wide - r) && p.y.abs() <= half - r;
        beside.then(|| -room.sqrt())
    };
    let grains = pour(
        radii.iter().copied(),
        largest,
        DVec2::new(wide - smallest, half - smallest),
        &ground,
        &mut Rng::new(seed, 0x4452_554D),
    );
    let spin = Some(WallSpin {
        pivot: Vec3::ZERO,
        rate: Vec3::Y * (froude * GRAVITY / wide).sqrt() as f32,
    });
    let (wide32, half32) = (wide as f32, half as f32);
    let cap = |normal: Vec3| Wall {
        shape: WallShape::Plane {
            normal,
            offset: -half32,
        },
        spin,
    };
    let walls = vec![
        Wall {
            shape: WallShape::Frustum {
                base: Vec3::Y * -half32,
                axis: Vec3::Y,
                length: 2.0 * half32,
                radii: [wide32; 2],
            },
            spin,
        },
        cap(Vec3::Y),
        cap(Vec3::NEG_Y),
    ];
    GrainScene {
        name,
        // The bed lands on a floor that is round, and the overlap of a large grain is told by the radius of a small one.
        material: GrainMaterial::for_depth(smallest, 2.2 * wide * largest / smallest),
        gravity: DVec3::new(0.0, 0.0, -GRAVITY),
        grains,
        walls,
        emitters: Vec::new(),
        drains: Vec::new(),
        world: Aabb::new(
            Vec3::new(-wide32, -half32, -wide32),
            Vec3::new(wide32, half32, wide32),
        ),
        seed,
    }
}
