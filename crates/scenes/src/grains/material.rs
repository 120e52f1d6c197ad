//! What the grains of the scenes are made of.

use super::GrainMaterial;

/// Standard gravity, m/s².
pub(super) const GRAVITY: f64 = 9.80665;

/// Density of quartz and glass, kg/m³.
pub(super) const DENSITY: f64 = 2500.0;

/// Share of the volume that a loose random packing of equal spheres fills (G. Y. Onoda and E. G. Liniger, Phys. Rev.
/// Lett. 64, 1990, give 0.555; poured packings are a little denser).
pub(super) const FILLED: f64 = 0.57;

/// The radius of grains unless something else is asked for, m.
pub(super) const RADIUS: f64 = 0.5;

impl GrainMaterial {
    /// The material of all scenes, hard grains of the density of quartz, soft enough for long time steps:
    /// a bed of grains of a radius that is `depth` deep, both in metres, overlaps by less than a
    /// hundredth of a radius on average.
    ///
    /// Friction is that of sand and of rough glass (0.4 to 0.6), restitution that of hard spheres at a few
    /// metres a second (0.7 to 0.9); it matters little in dense flow. Rolling is not resisted: spheres on spheres
    /// need none to pile up.
    ///
    /// The mean force in contacts at a depth h is about m g h/d, as a grain carries the column above it through
    /// three contacts.
    pub fn for_depth(radius: f64, depth: f64) -> Self {
        let layers = (depth / (2.0 * radius)).max(SHALLOW);
        Self {
            density: DENSITY,
            stiffness: (STIFFNESS[0] + STIFFNESS[1] * layers) * mass(radius) * GRAVITY / radius,
            tangential_stiffness: 2.0 / 7.0,
            restitution: 0.8,
            friction: 0.5,
            rolling_friction: 0.0,
        }
    }
}

/// Stiffness that impacts and each layer of grains ask for, in weights of a grain a radius; measured in the hopper at
/// 10,000 and 100,000 grains, a third of a second after the start, when the weight that sets in at once squeezes the bed
/// most: 0.0091 and 0.0090 radii, half as much at rest.
const STIFFNESS: [f64; 2] = [130.0, 40.0];

/// Layers below which a bed is no softer: its grains fall as far as those of a deep one.
const SHALLOW: f64 = 12.0;

/// Mass of a grain, kg.
pub(super) fn mass(radius: f64) -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius
}
