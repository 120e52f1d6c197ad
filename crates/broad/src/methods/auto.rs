//! What is fastest for the number of boxes.

use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::Counters;
use crate::tuning::AUTO_BRUTE;

/// A broad phase of the method that suits the scene.
pub(super) struct AutoPhase {
    inner: Box<dyn BroadPhase>,
    options: PairOptions,
    /// Kept while there are few enough boxes to try another method when their number changes.
    fixed: Vec<Aabb>,
    fixed_len: usize,
}

impl AutoPhase {
    pub(super) fn new(options: &PairOptions) -> Self {
        Self {
            inner: Method::Brute8.start(options),
            options: *options,
            fixed: Vec::new(),
            fixed_len: 0,
        }
    }

    /// Tests that brute force would take, about.
    fn choice(fixed: usize, moving: usize) -> Method {
        if moving.saturating_mul(fixed + moving / 2) <= AUTO_BRUTE {
            Method::Brute8
        } else {
            Method::H8
        }
    }
}

impl BroadPhase for AutoPhase {
    fn method(&self) -> Method {
        Method::Auto
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        let method = Self::choice(fixed.len(), moving.len());
        if self.inner.method() != method {
            self.inner = method.start(&self.options);
        }
        self.fixed_len = fixed.len();
        self.fixed.clear();
        self.fixed.extend_from_slice(fixed);
        self.inner.build(fixed, moving)
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        let method = Self::choice(self.fixed_len, moving.len());
        if self.inner.method() == method {
            return self.inner.update(moving);
        }
        check_moving(self.fixed_len, moving)?;
        self.inner = method.start(&self.options);
        self.inner.build(&self.fixed, moving)
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        self.inner.append_pairs(pairs)
    }

    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes() + self.fixed.capacity() * size_of::<Aabb>()
    }

    fn sah_cost(&self) -> Option<f64> {
        self.inner.sah_cost()
    }

    fn rebuilt_treelets(&self) -> usize {
        self.inner.rebuilt_treelets()
    }
}
