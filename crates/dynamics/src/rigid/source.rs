//! Where contacts come from.

use core::fmt::Debug;

use jostle_geom::Manifold;
use jostle_sdf::contact::{ContactError, ContactStats, FieldBody, FieldContacts};

/// What finds the contacts of a sub-step. [`FieldContacts`] does it for distance fields; any other narrow phase, of convex
/// shapes or meshes, can take its place, as the solver knows manifolds alone.
pub trait ContactSource: Debug + Send {
    /// Finds the contacts of a step of `dt` seconds.
    ///
    /// `pairs` are candidates, each with the smaller index first, sorted, without duplicates. What it keeps from the last
    /// step, the impulses of the solver first of all, belongs to pairs of indices.
    ///
    /// # Errors
    /// As the source likes; the world stops in front of the sub-step.
    fn update(
        &mut self,
        bodies: &[FieldBody<'_>],
        pairs: &[[u32; 2]],
        dt: f64,
    ) -> Result<ContactStats, ContactError>;

    /// What it found, in an order that does not depend on threads.
    fn manifolds(&self) -> &[Manifold];

    /// The same, for the solver to leave its impulses there.
    fn manifolds_mut(&mut self) -> &mut [Manifold];
}

impl ContactSource for FieldContacts {
    fn update(
        &mut self,
        bodies: &[FieldBody<'_>],
        pairs: &[[u32; 2]],
        dt: f64,
    ) -> Result<ContactStats, ContactError> {
        Self::update(self, bodies, pairs, dt)
    }

    fn manifolds(&self) -> &[Manifold] {
        Self::manifolds(self)
    }

    fn manifolds_mut(&mut self) -> &mut [Manifold] {
        Self::manifolds_mut(self)
    }
}
