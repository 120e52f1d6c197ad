//! Scenes of grains: spheres that flow between walls.
//!
//! A [`GrainScene`] is plain data, in metres, kilograms and seconds, z up: what the grains are made of, where
//! they start, which walls hold them, where they come in and where they leave. `jostle-dynamics` steps it.

mod column;
mod drum;
mod hopper;
mod kind;
mod material;
mod packing;
mod rough;
mod wall;

pub use column::ColumnCollapse;
pub use drum::{Drum, Tumbler};
pub use hopper::Hopper;
pub use kind::GrainSceneKind;
pub use rough::RoughFloor;
pub use wall::{Wall, WallField, WallShape, WallSpin};

use glam::{DVec3, Vec3};
use jostle_geom::Aabb;

/// What grains are made of, and how they push each other and the walls.
///
/// The contact is a linear spring and dashpot along the normal and a spring, dashpot and slider
/// across it (P. A. Cundall and O. D. L. Strack, "A discrete numerical model for granular assemblies",
/// Géotechnique 29, 1979), with a second slider that resists rolling (S. Luding, "Cohesive, frictional powders:
/// contact models for tension", Granular Matter 10, 2008, section 3.2.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainMaterial {
    /// Mass per volume of a grain, kg/m³.
    pub density: f64,
    /// Stiffness of the normal spring, N/m. Soft enough for long time steps, stiff enough that the mean
    /// overlap stays below a hundredth of a radius.
    pub stiffness: f64,
    /// Stiffness of the tangential spring as a share of [`stiffness`](Self::stiffness). 2/7 makes
    /// both oscillate in step for a solid sphere (Silbert et al., Phys. Rev. E 64, 2001).
    pub tangential_stiffness: f64,
    /// Speed after a head-on impact by speed before it, in (0, 1]; 1 takes all damping away.
    pub restitution: f64,
    /// Coulomb's coefficient of sliding friction.
    pub friction: f64,
    /// Coefficient of rolling resistance: the resisting moment is at most this times the normal force times
    /// the reduced radius. 0 for glass beads, about 0.1 for sand (Ai et al., Powder Technology 206, 2011).
    pub rolling_friction: f64,
}

/// A grain: a solid sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Centre, m.
    pub centre: Vec3,
    /// Velocity of the centre, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
    /// Radius, m.
    pub radius: f32,
}

impl Grain {
    /// A grain at rest.
    pub const fn at_rest(centre: Vec3, radius: f32) -> Self {
        Self {
            centre,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            radius,
        }
    }
}

/// Where grains come in: a box filled from a lattice, place by place, where there is room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Emitter {
    /// Where the centres of new grains may be.
    pub region: Aabb,
    /// Velocity of new grains, m/s.
    pub velocity: Vec3,
    /// Smallest and largest radius of new grains, m; drawn uniformly.
    pub radii: [f32; 2],
    /// New grains a second, beside those that are recycled.
    pub rate: f64,
    /// How many grains it makes in all, recycled ones not counted.
    pub limit: u64,
}

/// Where grains leave: everything on the far side of a plane, `normal · p < offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drain {
    /// Unit normal that points back into the scene.
    pub normal: Vec3,
    /// `normal · p` of points on the plane, m.
    pub offset: f32,
    /// Whether the grains come in again through the emitters.
    pub recycle: bool,
}

/// Grains, walls, and where grains come and go.
#[derive(Clone, Debug)]
pub struct GrainScene {
    /// Name of the scene.
    pub name: &'static str,
    /// What all grains are made of.
    pub material: GrainMaterial,
    /// Acceleration, m/s².
    pub gravity: DVec3,
    /// The grains at the start.
    pub grains: Vec<Grain>,
    /// What holds them.
    pub walls: Vec<Wall>,
    /// Where more come in.
    pub emitters: Vec<Emitter>,
    /// Where some leave.
    pub drains: Vec<Drain>,
    /// A grain whose centre is outside has escaped: a wall that leaks shows here.
    pub world: Aabb,
    /// What random numbers come from while the scene runs.
    pub seed: u64,
}
