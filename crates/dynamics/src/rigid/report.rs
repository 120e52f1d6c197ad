//! What a world is like, and what a frame took.

use glam::DVec3;

/// What a frame took. Counts are sums over its sub-steps, pairs and contacts too; times are 0 without a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorldStats {
    /// Sub-steps.
    pub substeps: u32,
    /// Pairs whose boxes, grown by half the margin, overlap.
    pub pairs: u64,
    /// Of them those that were proved apart.
    pub apart: u64,
    /// Contacts that were solved.
    pub contacts: u64,
    /// Contacts that were not: of numbers that are not finite, or of bodies that are not there.
    pub dropped: u64,
    /// Velocities that the solver left as they were because they would not have been numbers.
    pub refused: u64,
    /// Evaluations of the objective of contacts.
    pub evaluations: u64,
    /// Steps of its optimiser.
    pub iterations: u64,
    /// How often the broad phase looked for candidates anew.
    pub searches: u64,
    /// Bodies asleep at the end.
    pub asleep: u64,
    /// Boxes and pairs, ns.
    pub broad_ns: u64,
    /// Contacts, ns.
    pub collide_ns: u64,
    /// Solving them and moving the bodies, ns.
    pub solve_ns: u64,
}

/// What a world is like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldReport {
    /// Bodies.
    pub bodies: u64,
    /// Of the bodies that contacts move, J.
    pub kinetic: f64,
    /// Of the same bodies, 0 at the origin, J.
    pub potential: f64,
    /// Of the same bodies, kg m/s.
    pub momentum: DVec3,
    /// Of the same bodies about the origin, kg m²/s.
    pub angular_momentum: DVec3,
    /// How far the surfaces of two bodies overlap at the deepest contact of the last sub-step, m; 0 when none do. The
    /// margin is a skin in front of the surface: bodies at rest have a gap of about half of it, and it does not count as
    /// penetration.
    pub max_penetration: f64,
    /// Bodies that are not static and whose centre of mass is outside the box of the world.
    pub escaped: u64,
    /// Bodies asleep.
    pub asleep: u64,
}
