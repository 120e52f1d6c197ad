//! A fixed tree and a dynamic one that is kept from frame to frame.

use core::ops::ControlFlow;

use jostle_geom::Aabb;

use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::{Bvh, Counters};
use crate::dynamic::{DynamicTree, Handle, InsertError, Move, PairQuery};
use crate::tuning::TREELETS;

/// The fixed boxes in a binary tree, the moving ones in a dynamic tree.
pub(super) struct DynamicPhase {
    fixed: Bvh,
    tree: DynamicTree,
    /// By moving box.
    handles: Vec<Handle>,
    /// The id of the box behind each index of the dynamic tree.
    ids: Vec<u32>,
    moves: Vec<Move>,
    options: PairOptions,
}

impl DynamicPhase {
    pub(super) fn new(options: &PairOptions) -> Self {
        let mut tree = DynamicTree::new();
        tree.set_level(options.level);
        Self {
            fixed: Bvh::default(),
            tree,
            handles: Vec::new(),
            ids: Vec::new(),
            moves: Vec::new(),
            options: *options,
        }
    }

    /// Adds moving boxes that have been checked.
    fn insert(&mut self, boxes: &[Aabb]) -> Result<(), BoxError> {
        for &aabb in boxes {
            let handle = match self.tree.insert(aabb) {
                Ok(handle) => handle,
                Err(InsertError::Box(error)) => return Err(error),
                Err(InsertError::Full { limit }) => {
                    let boxes = limit + 1;
                    return Err(BoxError::TooMany { boxes, limit });
                }
            };
            let index = handle.index() as usize;
            if index >= self.ids.len() {
                self.ids.resize(index + 1, 0);
            }
            self.ids[index] = (self.fixed.len() + self.handles.len()) as u32;
            self.handles.push(handle);
        }
        Ok(())
    }
}

impl BroadPhase for DynamicPhase {
    fn method(&self) -> Method {
        Method::Dynamic
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        let PairOptions { builder, level, .. } = self.options;
        *self = Self {
            fixed: Bvh::build(fixed, builder, level)?,
            ..Self::new(&self.options)
        };
        self.insert(moving)?;
        self.tree.rebuild(builder, level)
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.fixed.len(), moving)?;
        self.tree.begin_frame();
        for handle in self.handles.drain(moving.len().min(self.handles.len())..) {
            // Handles are those of boxes in the tree; so below.
            let removed = self.tree.remove(handle);
            debug_assert!(removed.is_ok());
        }
        self.moves.clear();
        for (&handle, &aabb) in self.handles.iter().zip(moving) {
            if self.tree.get(handle) != Ok(aabb) {
                self.moves.push(Move::new(handle, aabb));
            }
        }
        let updated = self.tree.update(&self.moves);
        debug_assert!(updated.is_ok());
        self.insert(&moving[self.handles.len()..])?;
        self.tree.maintain(TREELETS);
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let limit = self.options.pair_limit.unwrap_or(usize::MAX);
        let mut left = limit;
        let mut too_many = false;
        let mut push = |pair: [u32; 2]| {
            if left == 0 {
                too_many = true;
                return ControlFlow::Break(());
            }
            left -= 1;
            pairs.push(pair);
            ControlFlow::Continue(())
        };
        let ids = &self.ids;
        let id = |index: u32| ids[index as usize];
        let mut counters = self.tree.pairs_with(&self.fixed, PairQuery::ALL, |a, b| {
            // Fixed boxes have the smaller ids.
            push([b, id(a)])
        });
        counters += self.tree.self_pairs(PairQuery::ALL, |a, b| {
            let (a, b) = (id(a), id(b));
            push([a.min(b), a.max(b)])
        });
        if too_many {
            return Err(PairError::TooManyPairs { limit });
        }
        Ok(counters)
    }

    fn memory_bytes(&self) -> usize {
        self.fixed.memory_bytes()
            + self.tree.memory_bytes()
            + self.handles.capacity() * size_of::<Handle>()
            + self.ids.capacity() * size_of::<u32>()
            + self.moves.capacity() * size_of::<Move>()
    }

    fn sah_cost(&self) -> Option<f64> {
        Some(if self.fixed.is_empty() {
            self.tree.sah_cost()
        } else {
            self.fixed.sah_cost()
        })
    }

    fn rebuilt_treelets(&self) -> usize {
        self.tree.work().rebuilt_treelets
    }
}
