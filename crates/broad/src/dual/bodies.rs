//! The tables of bodies.

use std::sync::Arc;

use jostle_geom::Aabb;
use thiserror::Error;

use super::filter::Filter;
use super::ids::{BodyId, HandleError};
use crate::BoxError;
use crate::boxes::{MAX_BOXES, check};
use crate::upkeep::{self, Upkeep};

/// Why a body was not accepted or changed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// A body that does not exist.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// A box without a defined answer. Its index is the slot of the body, or its place in the list
    /// when a list was given.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// Lists of different lengths.
    #[error("{bodies} bodies but {boxes} boxes")]
    Lengths {
        /// How many bodies were named.
        bodies: usize,
        /// How many boxes were given.
        boxes: usize,
    },
}

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Nowhere: the slot is free.
    Free,
    /// Awake, at this place of the list of the awake.
    Awake(u32),
    /// Put to rest since the last update.
    Drowsy,
    /// In a lane of the tier with this serial number.
    Asleep { tier: u32, place: u32 },
}

/// All bodies by slot.
#[derive(Debug)]
pub(super) struct Bodies {
    world: u32,
    /// Shared with the views of the world, which name the bodies they knew.
    pub(super) generations: Arc<Vec<u32>>,
    pub(super) homes: Vec<Home>,
    pub(super) boxes: Vec<Aabb>,
    pub(super) filters: Vec<Filter>,
    /// Whether the caller has put the body to sleep; others rest because they do not move.
    asked: Vec<bool>,
    /// The frame in which the body was set last, of which only equality with this one counts.
    stamps: Vec<u32>,
    frame: u32,
    free: Vec<u32>,
    count: usize,
    pub(super) awake: Vec<u32>,
    /// Slots put to rest since the last update; some may have woken again.
    pub(super) drowsy: Vec<u32>,
    /// Lanes of tiers whose bodies have left since the last update.
    pub(super) left: Vec<(u32, u32)>,
    /// Bodies with another filter than the default one.
    pub(super) filtered: usize,
}

impl Bodies {
    pub(super) fn new(world: u32) -> Self {
        Self {
            world,
            generations: Arc::default(),
            homes: Vec::new(),
            boxes: Vec::new(),
            filters: Vec::new(),
            asked: Vec::new(),
            stamps: Vec::new(),
            frame: 0,
            free: Vec::new(),
            count: 0,
            awake: Vec::new(),
            drowsy: Vec::new(),
            left: Vec::new(),
            filtered: 0,
        }
    }

    /// Number of bodies.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The slot of a body.
    #[inline]
    pub(super) fn slot(&self, id: BodyId) -> Result<usize, HandleError> {
        if id.world != self.world {
            return Err(HandleError::ForeignBody(id));
        }
        match self.generations.get(id.slot as usize) {
            Some(&generation) if generation == id.generation => Ok(id.slot as usize),
            _ => Err(HandleError::RemovedBody(id)),
        }
    }

    pub(super) fn insert(&mut self, aabb: Aabb, filter: Filter) -> Result<BodyId, BodyError> {
        let slot = self.free.last().map_or(self.homes.len(), |&s| s as usize);
        if slot >= MAX_BOXES {
            return Err(BodyError::Box(BoxError::TooMany {
                boxes: slot + 1,
                limit: MAX_BOXES,
            }));
        }
        check(&[aabb]).map_err(|error| error.shifted(slot))?;
        let home = Home::Awake(self.awake.len() as u32);
        self.awake.push(slot as u32);
        self.count += 1;
        self.filtered += usize::from(filter != Filter::DEFAULT);
        if self.free.pop().is_some() {
            self.homes[slot] = home;
            self.boxes[slot] = aabb;
            self.filters[slot] = filter;
            self.asked[slot] = false;
            self.stamps[slot] = self.frame;
        } else {
            Arc::make_mut(&mut self.generations).push(0);
            self.homes.push(home);
            self.boxes.push(aabb);
            self.filters.push(filter);
            self.asked.push(false);
            self.stamps.push(self.frame);
        }
        Ok(self.id(slot))
    }

    /// Makes exactly these the bodies, in slots 0, 1, …; there must have been no others. Returns
    /// whether their number has changed, in which case all are awake and nothing may rest any more.
    pub(super) fn set_all(&mut self, boxes: &[Aabb]) -> bool {
        let count = boxes.len();
        if count == self.boxes.len() {
            for (slot, aabb) in boxes.iter().enumerate() {
                if self.boxes[slot] != *aabb {
                    self.set(slot, *aabb);
                }
            }
            return false;
        }
        let slots = 0..count as u32;
        Arc::make_mut(&mut self.generations).resize(count, 0);
        self.homes.clear();
        self.homes.extend(slots.clone().map(Home::Awake));
        self.awake.clear();
        self.awake.extend(slots);
        self.drowsy.clear();
        self.left.clear();
        self.filters.resize(count, Filter::DEFAULT);
        self.asked.resize(count, false);
        self.stamps.clear();
        self.stamps.resize(count, self.frame);
        self.count = count;
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        true
    }

    /// Moves a body, and wakes it.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, aabb: Aabb) {
        self.wake(slot);
        self.boxes[slot] = aabb;
        self.stamps[slot] = self.frame;
    }

    /// Ends the frame: the awake bodies that were not set in it are put to rest, if `upkeep`, or
    /// the rule when there is none, says that this pays.
    pub(super) fn rest_unmoved(&mut self, upkeep: Option<Upkeep>) {
        let frame = self.frame;
        self.frame = frame.wrapping_add(1);
        let stamps = &self.stamps;
        let moved = |&slot: &u32| stamps[slot as usize] == frame;
        let moving = self.awake.iter().filter(|&slot| moved(slot)).count();
        let upkeep = upkeep.unwrap_or_else(|| upkeep::choose_resting(self.count, moving));
        if moving == self.awake.len() || upkeep != Upkeep::Incremental {
            return;
        }
        let still = self.awake.iter().copied().filter(|slot| !moved(slot));
        let still: Vec<u32> = still.collect();
        for slot in still {
            self.doze(slot as usize);
        }
    }

    /// Whether the caller has put a body to sleep and not woken it since.
    pub(super) fn is_asleep(&self, slot: usize) -> bool {
        self.asked[slot]
    }

    /// The name of the body in a slot.
    pub(super) fn id(&self, slot: usize) -> BodyId {
        BodyId {
            slot: slot as u32,
            generation: self.generations[slot],
            world: self.world,
        }
    }

    pub(super) fn remove(&mut self, id: BodyId) -> Result<(), HandleError> {
        let slot = self.slot(id)?;
        self.leave(slot);
        self.homes[slot] = Home::Free;
        self.filtered -= usize::from(self.filters[slot] != Filter::DEFAULT);
        let generation = &mut Arc::make_mut(&mut self.generations)[slot];
        *generation += 1;
        self.count -= 1;
        // A slot whose generations are used up is never used again, so that none comes twice.
        if *generation != u32::MAX {
            self.free.push(slot as u32);
        }
        Ok(())
    }

    /// Takes the body out of where it is.
    fn leave(&mut self, slot: usize) {
        match self.homes[slot] {
            Home::Free | Home::Drowsy => {}
            Home::Awake(at) => {
                self.awake.swap_remove(at as usize);
                if let Some(&moved) = self.awake.get(at as usize) {
                    self.homes[moved as usize] = Home::Awake(at);
                }
            }
            Home::Asleep { tier, place } => self.left.push((tier, place)),
        }
    }

    pub(super) fn wake(&mut self, slot: usize) {
        self.asked[slot] = false;
        if !matches!(self.homes[slot], Home::Awake(_)) {
            self.leave(slot);
            self.homes[slot] = Home::Awake(self.awake.len() as u32);
            self.awake.push(slot as u32);
        }
    }

    pub(super) fn sleep(&mut self, slot: usize) {
        self.asked[slot] = true;
        self.doze(slot);
    }

    /// Puts a body to rest.
    fn doze(&mut self, slot: usize) {
        if matches!(self.homes[slot], Home::Awake(_)) {
            self.leave(slot);
            self.homes[slot] = Home::Drowsy;
            self.drowsy.push(slot as u32);
        }
    }

    pub(super) fn set_filter(&mut self, slot: usize, filter: Filter) {
        if self.filters[slot] == filter {
            return;
        }
        self.wake(slot);
        self.filtered -= usize::from(self.filters[slot] != Filter::DEFAULT);
        self.filtered += usize::from(filter != Filter::DEFAULT);
        self.filters[slot] = filter;
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.homes.capacity() * (size_of::<Home>() + size_of::<Aabb>() + size_of::<Filter>() + 9)
            + (self.free.capacity() + self.awake.capacity() + self.drowsy.capacity()) * 4
    }
}
