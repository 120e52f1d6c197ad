//! A tree of eights over the fixed boxes, another one over the moving ones each frame.

use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::Counters;
use crate::h8;

/// Keeps the boxes.
pub(super) struct H8Phase {
    fixed: Vec<Aabb>,
    moving: Vec<Aabb>,
    options: PairOptions,
}

impl H8Phase {
    pub(super) fn new(options: &PairOptions) -> Self {
        Self {
            fixed: Vec::new(),
            moving: Vec::new(),
            options: *options,
        }
    }
}

impl BroadPhase for H8Phase {
    fn method(&self) -> Method {
        Method::H8
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        self.fixed = fixed.to_vec();
        self.moving = moving.to_vec();
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.fixed.len(), moving)?;
        self.moving = moving.to_vec();
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let before = pairs.len();
        let shift = self.fixed.len() as u32;
        let level = self.options.level;
        pairs.extend(
            h8::pairs_between(&self.fixed, &self.moving, level)?
                .into_iter()
                .map(|[a, b]| [a, b + shift]),
        );
        pairs.extend(
            h8::self_pairs(&self.moving, level)?
                .into_iter()
                .map(|[a, b]| [a + shift, b + shift]),
        );
        if let Some(limit) = self.options.pair_limit
            && pairs.len() - before > limit
        {
            pairs.truncate(before + limit);
            return Err(PairError::TooManyPairs { limit });
        }
        Ok(Counters::default())
    }

    fn memory_bytes(&self) -> usize {
        (self.fixed.capacity() + self.moving.capacity()) * size_of::<Aabb>()
    }
}
