//! Every moving box against every other box.

use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::Counters;

/// Keeps the boxes, tests all pairs.
pub(super) struct BrutePhase {
    /// The fixed boxes, then the moving ones.
    boxes: Vec<Aabb>,
    fixed: usize,
    limit: usize,
}

impl BrutePhase {
    pub(super) fn new(options: &PairOptions) -> Self {
        Self {
            boxes: Vec::new(),
            fixed: 0,
            limit: options.pair_limit.unwrap_or(usize::MAX),
        }
    }
}

impl BroadPhase for BrutePhase {
    fn method(&self) -> Method {
        Method::Brute
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        self.boxes = [fixed, moving].concat();
        self.fixed = fixed.len();
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.fixed, moving)?;
        self.boxes.truncate(self.fixed);
        self.boxes.extend_from_slice(moving);
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let limit = self.limit;
        let before = pairs.len();
        let mut counters = Counters::default();
        for (j, b) in self.boxes.iter().enumerate().skip(self.fixed) {
            counters.tests += j as u64;
            for (i, a) in self.boxes[..j].iter().enumerate() {
                if a.overlaps(b) {
                    if pairs.len() - before == limit {
                        return Err(PairError::TooManyPairs { limit });
                    }
                    pairs.push([i as u32, j as u32]);
                }
            }
        }
        Ok(counters)
    }

    fn memory_bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<Aabb>()
    }
}
