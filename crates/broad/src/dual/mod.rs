//! A world of static and moving boxes: each kind in trees of its own.
//!
//! Static boxes come in chunks. The tree of a chunk is built once, in the background if asked, and
//! costs nothing in any frame thereafter. Bodies that move are sorted into a tree of eights every
//! frame, which is cheaper than mending one; bodies that rest, because they were put to sleep or
//! because few others move and they do not, stay in trees that change only when one of them comes or
//! goes, and keep their pairs. `docs/dual-tree.md` has a drawing.
//!
//! ```
//! use jostle_broad::dual::{DualTree, Filter};
//! use jostle_geom::Aabb;
//!
//! let cube = |x: f32| Aabb::new([x, 0.0, 0.0].into(), [x + 1.0, 1.0, 1.0].into());
//! let mut world = DualTree::default();
//! let ground = world.add_static(&[cube(0.0), cube(1.0), cube(5.0)], Default::default())?;
//! let a = world.insert(cube(0.5), Filter::DEFAULT)?;
//! let b = world.insert(cube(4.0), Filter::DEFAULT)?;
//! world.update();
//! world.find_pairs()?;
//! // The body a with two static boxes, b with one that it only touches.
//! assert_eq!(world.pairs().len(), 3);
//!
//! world.set_aabb(b, cube(1.2))?;
//! world.remove_static(ground)?;
//! world.update();
//! world.find_pairs()?;
//! assert_eq!(world.pairs().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asleep;
mod blocks;
mod bodies;
mod chunk;
mod events;
mod filter;
mod ids;
mod join;
mod pairs;
mod query;
mod static_pairs;
mod view;
mod wave;

use std::sync::Arc;

use fearless_simd::Level;
use jostle_geom::Aabb;

pub use bodies::BodyError;
pub use chunk::{StaticBuild, StaticError, StaticOptions};
pub use events::Events;
pub use filter::{Filter, StaticFilters};
pub use ids::{BodyId, ChunkId, HandleError, Item, Pair};
pub use pairs::{Pairs, TooManyPairs};
pub use view::WorldView;

use asleep::Sleepers;
use bodies::Bodies;
use chunk::{Built, Chunk};
use events::Tracker;
use join::{Group, Surroundings};
use pairs::Found;

use crate::BoxError;
use crate::boxes::check;
use crate::bvh::{Builder, Counters};
use crate::h8::BuildMemory;
use crate::upkeep::Upkeep;

/// How a world works.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DualOptions {
    /// The kernels to use; the pairs and their order are the same at every level.
    pub level: Level,
    /// The builder of the static trees that [`DualTree::add_static`] makes.
    pub builder: Builder,
    /// Most pairs with a moving body that may be found in a frame; `None` for as many as there are.
    pub pair_limit: Option<usize>,
    /// How bodies that are awake are followed. [`Upkeep::Rebuild`] sorts all of them anew every
    /// frame. [`Upkeep::Incremental`] puts those that have not been set since the last update to
    /// rest, as if they slept, and sorts the others. `None`: in every frame the way that
    /// [`upkeep::choose_resting`](crate::upkeep::choose_resting) names.
    pub upkeep: Option<Upkeep>,
}

impl Default for DualOptions {
    fn default() -> Self {
        Self {
            level: Level::new(),
            builder: chunk::STATIC_BUILDER,
            pair_limit: None,
            upkeep: None,
        }
    }
}

/// A world of boxes; see the [module](self).
///
/// Changes take effect with the next [`update`](Self::update).
#[derive(Debug)]
pub struct DualTree {
    options: DualOptions,
    bodies: Bodies,
    /// Generation and chunk of every slot.
    chunks: Vec<(u32, Option<Arc<Built>>)>,
    chunks_changed: bool,
    sleepers: Sleepers,
    /// The version of the sleepers that the view shows.
    shown: u64,
    found: Found,
    tracker: Tracker,
    view: WorldView,
    /// Trees of former frames, to be used again when no view holds them any more.
    spare: Vec<Arc<Group>>,
    gathered: Vec<Aabb>,
    memory: BuildMemory,
}

impl Default for DualTree {
    fn default() -> Self {
        Self::new(DualOptions::default())
    }
}

impl DualTree {
    /// A world without boxes.
    pub fn new(options: DualOptions) -> Self {
        let world = ids::new_world();
        Self {
            options,
            bodies: Bodies::new(world),
            chunks: Vec::new(),
            chunks_changed: false,
            sleepers: Sleepers::default(),
            shown: 0,
            found: Found::default(),
            tracker: Tracker::default(),
            view: WorldView::new(world, options.level),
            spare: Vec::new(),
            gathered: Vec::new(),
            memory: BuildMemory::default(),
        }
    }

    /// The options it was made with.
    pub fn options(&self) -> &DualOptions {
        &self.options
    }

    /// Adds static boxes; box `i` of the list becomes [`Item::Static`] with index `i`. Builds the
    /// tree before it returns; see [`StaticBuild`] for another way.
    ///
    /// # Errors
    /// Boxes that are inverted or NaN, another number of filters than of boxes, too many of either.
    pub fn add_static(
        &mut self,
        boxes: &[Aabb],
        filters: StaticFilters,
    ) -> Result<ChunkId, StaticError> {
        let built = self.build_static(boxes, filters)?;
        self.put_chunk(built, None)
    }

    /// Puts other boxes in the place of a chunk. The chunk gets a new name and the old one is no
    /// longer valid, since indices now name other boxes.
    ///
    /// # Errors
    /// As [`add_static`](Self::add_static), and a chunk that does not exist. The old chunk then
    /// stays.
    pub fn replace_static(
        &mut self,
        chunk: ChunkId,
        boxes: &[Aabb],
        filters: StaticFilters,
    ) -> Result<ChunkId, StaticError> {
        self.chunk_slot(chunk)?;
        let built = self.build_static(boxes, filters)?;
        self.put_chunk(built, Some(chunk))
    }

    /// Puts a chunk built in the background into the world, in the place of another if there is
    /// one. Waits for it if it is not [ready](StaticBuild::is_ready).
    ///
    /// # Errors
    /// As [`replace_static`](Self::replace_static).
    pub fn install(
        &mut self,
        build: StaticBuild,
        over: Option<ChunkId>,
    ) -> Result<ChunkId, StaticError> {
        let built = build.finish()?;
        self.put_chunk(built, over)
    }

    /// Takes a chunk out.
    ///
    /// # Errors
    /// A chunk that does not exist.
    pub fn remove_static(&mut self, chunk: ChunkId) -> Result<(), HandleError> {
        let slot = self.chunk_slot(chunk)?;
        self.chunks[slot].0 += 1;
        self.chunks[slot].1 = None;
        self.chunks_changed = true;
        Ok(())
    }

    fn build_static(
        &self,
        boxes: &[Aabb],
        filters: StaticFilters,
    ) -> Result<Arc<Built>, StaticError> {
        StaticBuild::now(
            boxes,
            &StaticOptions {
                builder: self.options.builder,
                level: self.options.level,
                filters,
            },
        )
    }

    fn chunk_slot(&self, id: ChunkId) -> Result<usize, HandleError> {
        if id.world != self.view.world {
            return Err(HandleError::ForeignChunk(id));
        }
        match self.chunks.get(id.slot as usize) {
            Some((generation, Some(_))) if *generation == id.generation => Ok(id.slot as usize),
            _ => Err(HandleError::RemovedChunk(id)),
        }
    }

    fn put_chunk(
        &mut self,
        built: Arc<Built>,
        over: Option<ChunkId>,
    ) -> Result<ChunkId, StaticError> {
        // A slot whose generations are used up stays empty, so that none comes twice.
        let usable = |generation: u32| generation != u32::MAX;
        let mut same = None;
        if let Some(old) = over {
            let slot = self.chunk_slot(old)?;
            self.remove_static(old)?;
            same = usable(self.chunks[slot].0).then_some(slot);
        }
        let free = |(generation, chunk): &(u32, Option<_>)| chunk.is_none() && usable(*generation);
        let slot = same
            .or_else(|| self.chunks.iter().position(free))
            .unwrap_or(self.chunks.len());
        if slot == u32::MAX as usize {
            return Err(StaticError::TooManyChunks);
        }
        if slot == self.chunks.len() {
            self.chunks.push((0, None));
        }
        self.chunks[slot].1 = Some(built);
        self.chunks_changed = true;
        Ok(ChunkId {
            slot: slot as u32,
            generation: self.chunks[slot].0,
            world: self.view.world,
        })
    }

    /// Adds a chunk whose boxes have been checked.
    pub(crate) fn add_fixed(&mut self, boxes: &[Aabb]) -> Result<(), BoxError> {
        match self.add_static(boxes, StaticFilters::default()) {
            Err(StaticError::Box(error)) => Err(error),
            // One chunk with one filter: nothing else can go wrong.
            _ => Ok(()),
        }
    }

    /// Makes these boxes, which have been checked, the bodies in slots 0, 1, …. For worlds
    /// filled in no other way.
    pub(crate) fn set_all(&mut self, boxes: &[Aabb]) {
        if self.bodies.set_all(boxes) {
            self.sleepers.clear();
            self.chunks_changed = true;
        }
    }

    /// Adds a body, awake. Cost: O(1).
    ///
    /// # Errors
    /// A box that is inverted or NaN, or more bodies than ids can name.
    pub fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<BodyId, BodyError> {
        self.bodies.insert(aabb, filter)
    }

    /// Takes a body out. Cost: O(1).
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn remove(&mut self, body: BodyId) -> Result<(), HandleError> {
        self.bodies.remove(body)
    }

    /// Moves a body, and wakes it. Cost: O(1).
    ///
    /// # Errors
    /// A body that does not exist, or a box that is inverted or NaN; the body then stays as it was.
    #[inline]
    pub fn set_aabb(&mut self, body: BodyId, aabb: Aabb) -> Result<(), BodyError> {
        let slot = self.bodies.slot(body)?;
        if !aabb.min.cmple(aabb.max).all() {
            check(&[aabb]).map_err(|error| error.shifted(slot))?;
        }
        self.bodies.set(slot, aabb);
        Ok(())
    }

    /// Moves many bodies, body `i` of the one list to box `i` of the other; all or none.
    ///
    /// # Errors
    /// As [`set_aabb`](Self::set_aabb), and lists of different lengths; the index of a box error is
    /// the place in the list.
    pub fn set_aabbs(&mut self, bodies: &[BodyId], boxes: &[Aabb]) -> Result<(), BodyError> {
        if bodies.len() != boxes.len() {
            return Err(BodyError::Lengths {
                bodies: bodies.len(),
                boxes: boxes.len(),
            });
        }
        check(boxes)?;
        for &body in bodies {
            self.bodies.slot(body)?;
        }
        for (&body, &aabb) in bodies.iter().zip(boxes) {
            self.bodies.set(body.slot as usize, aabb);
        }
        Ok(())
    }

    /// Gives a body another filter, and wakes it if the filter is another one.
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn set_filter(&mut self, body: BodyId, filter: Filter) -> Result<(), HandleError> {
        let slot = self.bodies.slot(body)?;
        self.bodies.set_filter(slot, filter);
        Ok(())
    }

    /// Puts a body to rest: until it wakes it costs nothing, and its pairs with static boxes and
    /// other sleepers persist.
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn sleep(&mut self, body: BodyId) -> Result<(), HandleError> {
        let slot = self.bodies.slot(body)?;
        self.bodies.sleep(slot);
        Ok(())
    }

    /// Wakes a body; so do all changes of it.
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn wake(&mut self, body: BodyId) -> Result<(), HandleError> {
        let slot = self.bodies.slot(body)?;
        self.bodies.wake(slot);
        Ok(())
    }

    /// The box of a body.
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn aabb(&self, body: BodyId) -> Result<Aabb, HandleError> {
        Ok(self.bodies.boxes[self.bodies.slot(body)?])
    }

    /// Whether a body has been put to sleep and not woken since.
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn is_asleep(&self, body: BodyId) -> Result<bool, HandleError> {
        Ok(self.bodies.is_asleep(self.bodies.slot(body)?))
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes in all changes since the last update. The pairs of the last frame are forgotten.
    ///
    /// Cost: O(bodies that are awake), plus what has changed: O(bodies that came to rest), O(pairs of
    /// bodies at rest) if some woke, O(bodies at rest) for a new chunk.
    pub fn update(&mut self) {
        let level = self.options.level;
        self.found.clear();
        self.bodies.rest_unmoved(self.options.upkeep);
        self.sleepers.release(&mut self.bodies, level);
        if core::mem::take(&mut self.chunks_changed) {
            let world = self.view.world;
            let list = self.chunks.iter().enumerate();
            let list = list.filter_map(|(slot, (generation, built))| {
                Some(Chunk {
                    id: ChunkId {
                        slot: slot as u32,
                        generation: *generation,
                        world,
                    },
                    built: Arc::clone(built.as_ref()?),
                })
            });
            self.view.chunks = Arc::new(list.collect());
            let scratch = self.found.scratch();
            self.sleepers.follow(&self.view.chunks, scratch, level);
        }
        let scratch = self.found.scratch();
        self.sleepers
            .admit(&mut self.bodies, &self.view.chunks, scratch, level);
        if core::mem::replace(&mut self.shown, self.sleepers.version) != self.sleepers.version {
            self.view.asleep = Arc::new(self.sleepers.tiers.clone());
        }
        self.build_moving();
        self.view.generations = Arc::clone(&self.bodies.generations);
    }

    /// Sorts the bodies that move into a tree.
    fn build_moving(&mut self) {
        let level = self.options.level;
        let old = core::mem::take(&mut self.view.moving);
        self.spare.push(old);
        let free = (0..self.spare.len()).find(|&at| Arc::get_mut(&mut self.spare[at]).is_some());
        let mut group = free.map_or_else(Arc::default, |at| self.spare.swap_remove(at));
        self.spare.truncate(2);
        if let Some(group) = Arc::get_mut(&mut group) {
            let bodies = &self.bodies;
            if bodies.awake.len() == bodies.boxes.len() {
                group
                    .tree
                    .rebuild(&bodies.boxes, 0, level, &mut self.memory);
            } else {
                self.gathered.clear();
                let awake = bodies.awake.iter();
                self.gathered
                    .extend(awake.map(|&s| bodies.boxes[s as usize]));
                group
                    .tree
                    .rebuild(&self.gathered, 0, level, &mut self.memory);
                group.tree.rename(&bodies.awake);
            }
            group.filters.clear();
            if bodies.filtered > 0 {
                group.filters.fill(group.tree.ids(), &bodies.filters);
            }
        }
        self.view.moving = group;
    }

    /// Finds the pairs of the bodies that move, with static boxes and with all bodies, as of the
    /// last update. In parallel over fixed groups of bodies; the order does not depend on threads.
    ///
    /// # Errors
    /// More pairs than [`DualOptions::pair_limit`]; [`pairs`](Self::pairs) then has that many of
    /// them.
    pub fn find_pairs(&mut self) -> Result<Counters, TooManyPairs> {
        let view = &self.view;
        let asleep: Vec<&Group> = view.asleep.iter().map(|tier| &tier.group).collect();
        let around = Surroundings {
            moving: &view.moving,
            asleep: &asleep,
            chunks: &view.chunks,
        };
        let limit = self.options.pair_limit.unwrap_or(usize::MAX);
        self.found.search(&around, limit, self.options.level)?;
        Ok(self.found.counters)
    }

    /// The pairs that [`find_pairs`](Self::find_pairs) found, and those of bodies that rest.
    pub fn pairs(&self) -> Pairs<'_> {
        Pairs {
            found: &self.found,
            sleepers: &self.sleepers,
            view: &self.view,
        }
    }

    /// What has changed among the pairs since the last call, by comparing those that
    /// [`pairs`](Self::pairs) has now. Costs nothing unless it is called.
    pub fn track_events(&mut self) -> Events<'_> {
        self.tracker.track(&Pairs {
            found: &self.found,
            sleepers: &self.sleepers,
            view: &self.view,
        })
    }

    /// The state as of the last update, to be asked from any thread while the world goes on. Cost:
    /// O(1).
    pub fn view(&self) -> WorldView {
        self.view.clone()
    }

    /// The sum of the [surface area costs](crate::bvh::Bvh::sah_cost) of all chunks.
    pub fn static_cost(&self) -> f64 {
        self.view.chunks.iter().map(|chunk| chunk.built.cost).sum()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let chunks: usize = self
            .view
            .chunks
            .iter()
            .map(|c| c.built.memory_bytes())
            .sum();
        chunks
            + self.bodies.memory_bytes()
            + self.sleepers.memory_bytes()
            + self.view.moving.memory_bytes()
    }
}
