//! A tree of boxes that come, go and move.
//!
//! [`DynamicTree`] is a binary tree with one box a leaf, in the nodes of [`Bvh`]:
//! siblings lie side by side, freed pairs are used again. A leaf stores a box that may be larger than the
//! one it was given, by a margin and by a look ahead along its motion; as long as the box stays
//! inside, nothing above changes. Stored boxes only prune: what is reported is decided by the boxes
//! as given, the *tight* ones.
//!
//! Every operation leaves the tree right for the boxes it was given. What decays is how good it is:
//! boxes that were neighbours part, and the nodes above them grow. The tree is divided into
//! *treelets*, each of which knows what its nodes cost now and when they were built, and
//! [`DynamicTree::maintain`] rebuilds those that have lost most, as many as a frame can pay for.
//!
//! A frame is: [`begin_frame`](DynamicTree::begin_frame), then
//! [`update`](DynamicTree::update) with what moved (and [`insert`](DynamicTree::insert),
//! [`remove`](DynamicTree::remove)), then [`maintain`](DynamicTree::maintain), then queries.

mod arena;
mod handle;
mod insert;
mod queue;
mod traverse;
mod treelet;
mod update;
mod validate;

use fearless_simd::Level;
use glam::Vec3;
use jostle_geom::Aabb;
use thiserror::Error;

use crate::BoxError;
use crate::boxes::check;
use crate::bvh::{Builder, Bvh, Node};

pub use handle::{Handle, HandleError, InsertError, UpdateError};
pub use traverse::PairQuery;
pub use update::Move;
pub use validate::DynamicFault;

use arena::{Inner, area};
use handle::{Slot, next_tree};
use queue::LossQueue;

/// How leaves store their boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DynamicOptions {
    /// Stored boxes are larger than tight ones by this much on every side, metres; finite, at
    /// least 0. About the distance a slow body covers in a few frames: larger values save updates
    /// and cost visits.
    pub margin: f32,
    /// Stored boxes reach ahead by this many times the displacement a frame, frames; finite, at
    /// least 0.
    pub look_ahead: f32,
}

/// Why options cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// The margin is negative or not finite.
    #[error("the margin {0} is negative or not finite")]
    Margin(f32),
    /// The look ahead is negative or not finite.
    #[error("the look ahead of {0} frames is negative or not finite")]
    LookAhead(f32),
}

/// What was done to the tree since the frame began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Leaves whose stored box was replaced.
    pub restored: usize,
    /// Inner nodes whose bounds were computed again because a leaf below changed.
    pub refitted: usize,
    /// Leaves that jumped out of their parents' bounds and were put where they belong now.
    pub reinserted: usize,
    /// Treelets rebuilt.
    pub rebuilt_treelets: usize,
}

/// A binary tree over boxes that come, go and move; see the [module](self).
///
/// Boxes are named by [`Handle`]s; queries report their [indices](Handle::index). A clone keeps the
/// handles of the original valid.
#[derive(Clone, Debug)]
pub struct DynamicTree {
    /// The root first; the children of the inner node with pair `p` are at `2 p + 1` and `2 p + 2`.
    nodes: Vec<Node>,
    /// What belongs to the inner node with pair `p`.
    inner: Vec<Inner>,
    /// Children of each pair that an update will come from.
    pending: Vec<u8>,
    /// First of the unused pairs, which are chained by `Inner::next`.
    free_pair: u32,
    slots: Vec<Slot>,
    /// The boxes as given, by slot.
    tight: Vec<Aabb>,
    /// First of the unused slots, which are chained by `Slot::node`.
    free_slot: u32,
    /// Number of leaves.
    live: usize,
    /// Treelets by what they have lost.
    queue: LossQueue,
    options: DynamicOptions,
    level: Level,
    tree: u32,
    /// Number of the frame, from 1; what moved in it carries it.
    frame: u32,
    work: Work,
    /// Memory of updates and searches, reused.
    scratch: Scratch,
}

/// Memory that operations share.
#[derive(Clone, Debug, Default)]
struct Scratch {
    dirty: Vec<u32>,
    jumped: Vec<u32>,
    open: Vec<(f64, f64, u32)>,
    treelet: treelet::Memory,
}

impl Default for DynamicTree {
    fn default() -> Self {
        Self::new()
    }
}

impl DynamicTree {
    /// Most boxes a tree can hold.
    pub const MAX_BOXES: usize = Bvh::MAX_BOXES;

    /// An empty tree that stores boxes as they are.
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            inner: Vec::new(),
            pending: Vec::new(),
            free_pair: Node::NONE,
            slots: Vec::new(),
            tight: Vec::new(),
            free_slot: Node::NONE,
            live: 0,
            queue: LossQueue::default(),
            options: DynamicOptions::default(),
            level: Level::new(),
            tree: next_tree(),
            frame: 1,
            work: Work::default(),
            scratch: Scratch::default(),
        }
    }

    /// An empty tree.
    ///
    /// # Errors
    /// A margin or a look ahead that is negative or not finite.
    pub fn with_options(options: DynamicOptions) -> Result<Self, OptionsError> {
        let good = |x: f32| x.is_finite() && x >= 0.0;
        if !good(options.margin) {
            return Err(OptionsError::Margin(options.margin));
        }
        if !good(options.look_ahead) {
            return Err(OptionsError::LookAhead(options.look_ahead));
        }
        Ok(Self {
            options,
            ..Self::new()
        })
    }

    /// Chooses among kernels for rebuilding treelets; all give the same tree.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The smallest box around all stored boxes; [`Aabb::EMPTY`] without any.
    pub fn bounds(&self) -> Aabb {
        self.root().map_or(Aabb::EMPTY, Node::bounds)
    }

    /// Length of the longest path from the root to a leaf, 0 for a lone root. O(1).
    pub fn depth(&self) -> usize {
        self.root().map_or(0, |root| self.height(root)) as usize
    }

    /// Places for nodes, used or not: memory grows with them.
    pub fn capacity_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.inner.capacity() * size_of::<Inner>()
            + self.pending.capacity()
            + self.slots.capacity() * size_of::<Slot>()
            + self.tight.capacity() * size_of::<Aabb>()
    }

    /// What was done since the frame began.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Begins a frame: from here on nothing has moved, and [`work`](Self::work) is zero.
    pub fn begin_frame(&mut self) {
        self.work = Work::default();
        if self.frame == u32::MAX {
            // Once in four billion frames the numbers start again.
            self.frame = 0;
            self.slots.iter_mut().for_each(|slot| slot.moved = 0);
            self.inner.iter_mut().for_each(|inner| inner.moved = 0);
        }
        self.frame += 1;
    }

    /// Adds a box. It counts as moved in this frame.
    ///
    /// The place is found by a greedy descent along the smallest growth of areas, followed by a
    /// search of bounded length among the branches it passed, which are cut off where even a perfect
    /// place would cost more (J. Bittner, M. Hapala, V. Havran, "Fast insertion-based optimization
    /// of bounding volume hierarchies", 2013; S. Omohundro, "Five balltree construction
    /// algorithms", 1989). Cost: O(depth).
    ///
    /// # Errors
    /// A box that is inverted or has a NaN bound (named with index 0), or more boxes than
    /// [`DynamicTree::MAX_BOXES`].
    pub fn insert(&mut self, aabb: Aabb) -> Result<Handle, InsertError> {
        check(&[aabb])?;
        let index = self.claim_slot()?;
        let slot = &mut self.slots[index as usize];
        slot.generation += 1;
        slot.moved = self.frame;
        slot.dirty = false;
        self.tight[index as usize] = aabb;
        let stored = self.enlarged(&aabb, Vec3::ZERO);
        self.attach(index, &stored);
        self.live += 1;
        Ok(self.handle(index))
    }

    /// Takes a box out and returns it. Cost: O(depth).
    ///
    /// # Errors
    /// A handle that was removed before or belongs to another tree.
    pub fn remove(&mut self, handle: Handle) -> Result<Aabb, HandleError> {
        let index = self.resolve(handle)?;
        self.detach(self.slots[index as usize].node);
        self.live -= 1;
        let slot = &mut self.slots[index as usize];
        slot.generation += 1;
        // A slot whose generations are used up is never given out again.
        if slot.generation < u32::MAX - 1 {
            slot.node = self.free_slot;
            self.free_slot = index;
        }
        Ok(self.tight[index as usize])
    }

    /// The box behind a handle, as it was given.
    ///
    /// # Errors
    /// A handle that was removed or belongs to another tree.
    pub fn get(&self, handle: Handle) -> Result<Aabb, HandleError> {
        Ok(self.tight[self.resolve(handle)? as usize])
    }

    /// The box that the leaf of a handle stores: the tight one, or a larger one.
    ///
    /// # Errors
    /// A handle that was removed or belongs to another tree.
    pub fn stored(&self, handle: Handle) -> Result<Aabb, HandleError> {
        let index = self.resolve(handle)?;
        Ok(self.nodes[self.slots[index as usize].node as usize].bounds())
    }

    /// The handle whose index is reported by queries, if there is one now.
    pub fn handle_at(&self, index: u32) -> Option<Handle> {
        self.slots
            .get(index as usize)
            .filter(|slot| slot.is_live())
            .map(|_| self.handle(index))
    }

    /// All handles, in the order of their indices.
    pub fn handles(&self) -> impl Iterator<Item = Handle> + '_ {
        (0..self.slots.len() as u32).filter_map(|index| self.handle_at(index))
    }

    /// The nodes in use and not, the root first unless the tree is empty; ids are indices of
    /// handles, boxes the stored ones.
    pub fn nodes(&self) -> &[Node] {
        if self.live == 0 { &[] } else { &self.nodes }
    }

    /// The cost of the tree over the stored boxes, as [`Bvh::sah_cost`]. O(n).
    pub fn sah_cost(&self) -> f64 {
        let Some(root) = self.root() else {
            return 0.0;
        };
        let mut sum = 0.0;
        let mut waiting = vec![0_u32];
        while let Some(at) = waiting.pop() {
            let node = &self.nodes[at as usize];
            sum += area(&node.bounds());
            if !node.is_leaf() {
                waiting.extend([node.first_child(), node.first_child() + 1]);
            }
        }
        let cost = sum / area(&root.bounds());
        if cost.is_finite() {
            cost
        } else {
            (2 * self.live - 1) as f64
        }
    }

    /// The cost that a tree built anew over the same stored boxes has.
    ///
    /// # Errors
    /// None for boxes that a tree accepted; the builder's otherwise.
    pub fn fresh_cost(&self, builder: Builder, level: Level) -> Result<f64, BoxError> {
        let (_, boxes) = self.leaves();
        Ok(Bvh::build(&boxes, builder, level)?.sah_cost())
    }

    /// Builds the tree anew; handles stay. Cost: that of the builder.
    ///
    /// # Errors
    /// None for boxes that a tree accepted; the builder's otherwise.
    pub fn rebuild(&mut self, builder: Builder, level: Level) -> Result<(), BoxError> {
        let (ids, boxes) = self.leaves();
        let built = Bvh::build(&boxes, builder, level)?;
        self.take(&built, &ids);
        Ok(())
    }

    /// Slots and stored boxes of all leaves, by slot.
    fn leaves(&self) -> (Vec<u32>, Vec<Aabb>) {
        let mut ids = Vec::with_capacity(self.live);
        let mut boxes = Vec::with_capacity(self.live);
        for (index, slot) in self.slots.iter().enumerate() {
            if slot.is_live() {
                ids.push(index as u32);
                boxes.push(self.nodes[slot.node as usize].bounds());
            }
        }
        (ids, boxes)
    }

    fn root(&self) -> Option<&Node> {
        self.nodes.first().filter(|_| self.live > 0)
    }

    /// The box that a leaf stores for a tight one with a displacement a frame.
    fn enlarged(&self, tight: &Aabb, displacement: Vec3) -> Aabb {
        let DynamicOptions { margin, look_ahead } = self.options;
        let ahead = displacement * look_ahead;
        let mut stored = *tight;
        for axis in 0..3 {
            let low = tight.min[axis] - margin + ahead[axis].min(0.0);
            let high = tight.max[axis] + margin + ahead[axis].max(0.0);
            // Not so for NaN, which infinite bounds and overflow can give.
            if low < tight.min[axis] {
                stored.min[axis] = low;
            }
            if high > tight.max[axis] {
                stored.max[axis] = high;
            }
        }
        stored
    }

    /// Whether stored boxes may differ from tight ones.
    fn is_enlarging(&self) -> bool {
        self.options != DynamicOptions::default()
    }
}
