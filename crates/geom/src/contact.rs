//! Contacts and manifolds: what narrow phases find and solvers answer.

use glam::{DVec3, Vec3};

/// What a solver found out about a contact, kept with the point to start the next step from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// Along the normal, N s.
    pub normal: f32,
    /// Across the normal, along world axes, N s, on B.
    pub friction: Vec3,
}

/// A point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// In the world, m.
    pub position: DVec3,
    /// From A to B, of length 1.
    pub normal: Vec3,
    /// The gap between the surfaces here, m: negative when they overlap.
    pub separation: f32,
    /// The larger one of the two fields here, m: how far the point is from being inside both.
    pub depth: f32,
    /// Whether the gap is below the margin: a contact.
    pub active: bool,
    /// Whether it was in the manifold before.
    pub cached: bool,
    /// What the solver left here.
    pub impulse: Impulse,
}

/// The contacts of two bodies.
#[derive(Clone, Debug, Default)]
pub struct Manifold {
    /// The body with the smaller index.
    pub a: u32,
    /// The body with the larger index.
    pub b: u32,
    /// The skin of this pair, m: its active points have a gap below it, and a solver keeps them that far apart.
    pub margin: f32,
    /// The best points first.
    pub points: Vec<ContactPoint>,
}
