//! What can be chosen about a world.

use fearless_simd::Level;
use jostle_broad::Method;
use jostle_sdf::contact::ContactOptions;

use super::error::WorldError;

/// How a world is stepped.
#[derive(Clone, Copy, Debug)]
pub struct WorldOptions {
    /// Length of a frame, s.
    pub frame: f64,
    /// Sub-steps a frame; in each of them contacts are found and solved. From 1 to 1000.
    pub substeps: u32,
    /// How often the solver goes over the contacts for the velocities.
    pub iterations: u32,
    /// The same for the correction of positions.
    pub position_iterations: u32,
    /// The share of the penetration that is taken back in a sub-step, from 0 to 1 (Baumgarte's factor).
    pub position_correction: f64,
    /// How far bodies may sink into each other's margin without being pushed apart, as a share of it, from 0 to 1.
    pub allowed_penetration: f64,
    /// The fastest that bodies are pushed apart, m/s.
    pub max_correction_speed: f64,
    /// By this factor velocities decay, 1/s.
    pub linear_damping: f64,
    /// By this factor angular velocities decay, 1/s.
    pub angular_damping: f64,
    /// Bodies that meet more slowly than this do not bounce, m/s.
    pub restitution_threshold: f64,
    /// Whether islands of bodies that rest are skipped until something wakes them.
    pub sleeping: bool,
    /// How contacts between fields are found. Its level is replaced by [`level`](Self::level).
    pub contacts: ContactOptions,
    /// The broad phase.
    pub method: Method,
    /// The SIMD level. Results do not depend on it.
    pub level: Level,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            frame: 1.0 / 60.0,
            substeps: 4,
            iterations: 20,
            position_iterations: 10,
            position_correction: 0.2,
            allowed_penetration: 0.5,
            max_correction_speed: 2.0,
            linear_damping: 0.05,
            angular_damping: 0.3,
            restitution_threshold: 0.5,
            sleeping: false,
            contacts: ContactOptions::default(),
            method: Method::default(),
            level: Level::new(),
        }
    }
}

impl WorldOptions {
    /// Length of a sub-step, s.
    pub fn substep(&self) -> f64 {
        self.frame / f64::from(self.substeps)
    }

    pub(super) fn check(&self) -> Result<(), WorldError> {
        let numbers = [
            ("frame", self.frame, 1e-6, 10.0, "from 1e-6 to 10 s"),
            (
                "substeps",
                f64::from(self.substeps),
                1.0,
                1000.0,
                "from 1 to 1000",
            ),
            (
                "iterations",
                f64::from(self.iterations),
                1.0,
                1e4,
                "from 1 to 10000",
            ),
            (
                "position_iterations",
                f64::from(self.position_iterations),
                0.0,
                1e4,
                "from 0 to 10000",
            ),
            (
                "position_correction",
                self.position_correction,
                0.0,
                1.0,
                "from 0 to 1",
            ),
            (
                "allowed_penetration",
                self.allowed_penetration,
                0.0,
                1.0,
                "from 0 to 1",
            ),
            (
                "max_correction_speed",
                self.max_correction_speed,
                0.0,
                1e3,
                "from 0 to 1000 m/s",
            ),
            (
                "linear_damping",
                self.linear_damping,
                0.0,
                1e6,
                "from 0 to 1e6 1/s",
            ),
            (
                "angular_damping",
                self.angular_damping,
                0.0,
                1e6,
                "from 0 to 1e6 1/s",
            ),
            (
                "restitution_threshold",
                self.restitution_threshold,
                0.0,
                1e6,
                "from 0 to 1e6 m/s",
            ),
        ];
        for (what, value, low, high, range) in numbers {
            if !(low..=high).contains(&value) {
                return Err(WorldError::Option { what, value, range });
            }
        }
        Ok(())
    }
}
