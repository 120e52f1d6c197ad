//! A tree over the fixed boxes, built once, and one over the moving ones, built anew each frame;
//! with two, four or eight children a node.

use fearless_simd::Level;
use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::{Builder, Bvh, Collapse, Counters, WideBvh, WideNode};

/// What the trees of all widths have in common.
pub(super) trait Tree: Default + Send {
    /// From a binary tree; `lasting` if it is worth some time.
    fn from_binary(tree: Bvh, lasting: bool) -> Self;

    fn append_pairs_with(
        &self,
        other: &Self,
        level: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError>;

    fn append_self_pairs(
        &self,
        level: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError>;

    fn sah_cost(&self) -> f64;

    fn memory_bytes(&self) -> usize;
}

impl Tree for Bvh {
    fn from_binary(tree: Bvh, _: bool) -> Self {
        tree
    }

    fn append_pairs_with(
        &self,
        other: &Self,
        _: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        self.append_pairs_with(other, limit, pairs)
    }

    fn append_self_pairs(
        &self,
        _: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        self.append_self_pairs(limit, pairs)
    }

    fn sah_cost(&self) -> f64 {
        self.sah_cost()
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

impl<N: WideNode> Tree for WideBvh<N> {
    fn from_binary(tree: Bvh, lasting: bool) -> Self {
        let how = if lasting {
            Collapse::Optimal
        } else {
            Collapse::Greedy
        };
        Self::collapse(&tree, how)
    }

    fn append_pairs_with(
        &self,
        other: &Self,
        level: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        self.append_pairs_with(other, level, limit, pairs)
    }

    fn append_self_pairs(
        &self,
        level: Level,
        limit: Option<usize>,
        pairs: &mut Vec<[u32; 2]>,
    ) -> Result<Counters, PairError> {
        self.append_self_pairs(level, limit, pairs)
    }

    fn sah_cost(&self) -> f64 {
        self.sah_cost()
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

/// Two trees of a kind.
pub(super) struct TreePhase<T> {
    method: Method,
    fixed: T,
    /// Number of fixed boxes.
    shift: usize,
    moving: T,
    options: PairOptions,
}

impl<T: Tree> TreePhase<T> {
    pub(super) fn new(method: Method, options: &PairOptions) -> Self {
        Self {
            method,
            fixed: T::default(),
            shift: 0,
            moving: T::default(),
            options: *options,
        }
    }

    /// The tree of the moving boxes, which are checked.
    fn tree_of(&self, moving: &[Aabb], shift: usize) -> Result<T, BoxError> {
        let tree = Bvh::build(moving, Builder::Fast, self.options.level)
            .map_err(|error| error.shifted(shift))?;
        Ok(T::from_binary(tree, false))
    }
}

impl<T: Tree> BroadPhase for TreePhase<T> {
    fn method(&self) -> Method {
        self.method
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        let tree = Bvh::build(fixed, self.options.builder, self.options.level)?;
        self.moving = self.tree_of(moving, fixed.len())?;
        self.fixed = T::from_binary(tree, true);
        self.shift = fixed.len();
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.shift, moving)?;
        self.moving = self.tree_of(moving, self.shift)?;
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let PairOptions {
            level, pair_limit, ..
        } = self.options;
        let (before, shift) = (pairs.len(), self.shift as u32);
        let mut result = self
            .fixed
            .append_pairs_with(&self.moving, level, pair_limit, pairs);
        let middle = pairs.len();
        for [_, moving] in &mut pairs[before..] {
            *moving += shift;
        }
        if let Ok(counters) = &mut result {
            let left = pair_limit.map(|limit| limit - (middle - before));
            match self.moving.append_self_pairs(level, left, pairs) {
                Ok(more) => *counters += more,
                Err(error) => result = Err(error),
            }
            for pair in &mut pairs[middle..] {
                *pair = pair.map(|id| id + shift);
            }
        }
        // The limit that is named is the one that was set.
        result.map_err(|error| match (error, pair_limit) {
            (PairError::TooManyPairs { .. }, Some(limit)) => PairError::TooManyPairs { limit },
            (error, _) => error,
        })
    }

    fn memory_bytes(&self) -> usize {
        self.fixed.memory_bytes() + self.moving.memory_bytes()
    }

    fn sah_cost(&self) -> Option<f64> {
        Some(self.fixed.sah_cost())
    }
}
