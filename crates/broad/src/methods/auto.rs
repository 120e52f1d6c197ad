//! What is fastest for the number of boxes.

use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions};
use crate::BoxError;
use crate::bvh::Counters;
use crate::tuning::AUTO_BRUTE;

/// A broad phase of the method that suits the scene.
pub(super) struct AutoPhase {
    inner: Box<dyn BroadPhase>,
    options: PairOptions,
    /// Kept when there are so few that the method depends on how many move.
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

    fn choice(fixed: usize, moving: usize) -> Method {
        if fixed + moving <= AUTO_BRUTE {
            Method::Brute8
        } else {
            Method::H8
        }
    }

    /// Builds by the method of choice; what was there stays when a box is refused.
    fn build_inner(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        let method = Self::choice(fixed.len(), moving.len());
        if self.inner.method() == method {
            return self.inner.build(fixed, moving);
        }
        let mut inner = method.start(&self.options);
        inner.build(fixed, moving)?;
        self.inner = inner;
        Ok(())
    }
}

impl BroadPhase for AutoPhase {
    fn method(&self) -> Method {
        Method::Auto
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        self.build_inner(fixed, moving)?;
        self.fixed_len = fixed.len();
        self.fixed.clear();
        if fixed.len() <= AUTO_BRUTE {
            self.fixed.extend_from_slice(fixed);
        }
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        if self.inner.method() == Self::choice(self.fixed_len, moving.len()) {
            return self.inner.update(moving);
        }
        let fixed = core::mem::take(&mut self.fixed);
        let result = self.build_inner(&fixed, moving);
        self.fixed = fixed;
        result
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
