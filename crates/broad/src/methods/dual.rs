//! The dual tree.

use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::Counters;
use crate::dual::{DualOptions, DualTree};

/// A world with the fixed boxes as one chunk and the moving ones as bodies in slots 0, 1, ….
pub(super) struct DualPhase {
    world: DualTree,
    fixed: usize,
    options: PairOptions,
}

impl DualPhase {
    pub(super) fn new(options: &PairOptions) -> Self {
        Self {
            world: DualTree::new(world_options(options)),
            fixed: 0,
            options: *options,
        }
    }
}

fn world_options(options: &PairOptions) -> DualOptions {
    DualOptions {
        level: options.level,
        builder: options.builder,
        pair_limit: options.pair_limit,
        upkeep: None,
    }
}

impl BroadPhase for DualPhase {
    fn method(&self) -> Method {
        Method::Dual
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        let mut world = DualTree::new(world_options(&self.options));
        if !fixed.is_empty() {
            world.add_fixed(fixed)?;
        }
        self.world = world;
        self.fixed = fixed.len();
        self.world.set_all(moving);
        self.world.update();
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.fixed, moving)?;
        self.world.set_all(moving);
        self.world.update();
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let found = self.world.find_pairs();
        let before = pairs.len();
        let shift = self.fixed as u32;
        let world = self.world.pairs();
        pairs.reserve(world.len());
        world.for_each_run(|chunk, run| {
            // Slots are the places of the moving boxes.
            let first = if chunk.is_some() { 0 } else { shift };
            pairs.extend(run.iter().map(|&[a, b]| [a + first, b + shift]));
        });
        let found = found.map_err(|error| PairError::TooManyPairs { limit: error.limit });
        // The world counts pairs with a moving body only.
        if let Some(limit) = self.options.pair_limit
            && pairs.len() - before > limit
        {
            pairs.truncate(before + limit);
            return Err(PairError::TooManyPairs { limit });
        }
        found
    }

    fn memory_bytes(&self) -> usize {
        self.world.memory_bytes()
    }

    fn sah_cost(&self) -> Option<f64> {
        Some(self.world.static_cost())
    }
}
