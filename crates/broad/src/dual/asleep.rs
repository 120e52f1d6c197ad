//! Bodies that rest: in trees of their own, with the pairs among them.

use std::sync::Arc;

use fearless_simd::Level;
use jostle_geom::Aabb;

use super::bodies::{Bodies, Home};
use super::chunk::Chunk;
use super::filter::LaneFilters;
use super::ids::ChunkId;
use super::join::{Group, Part, Scratch};
use crate::h8::Tree;
use crate::tuning::TIER_GROWTH;

/// A tree of bodies that fell asleep, by slot.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    serial: u32,
    pub(super) group: Group,
    /// Bodies still in it.
    live: usize,
}

/// The sleepers. The tiers shrink geometrically, so that a body is sorted anew only O(log n) times
/// while others fall asleep after it.
#[derive(Debug, Default)]
pub(super) struct Sleepers {
    pub(super) tiers: Vec<Arc<Tier>>,
    next: u32,
    /// Pairs of a static box and a sleeper, by chunk: `[index, slot]`; one list for every chunk of
    /// the world, in the same order.
    pub(super) with_static: Vec<(ChunkId, Vec<[u32; 2]>)>,
    /// Pairs of two sleepers.
    pub(super) among: Vec<[u32; 2]>,
    /// Counts the changes of the pairs.
    pub(super) version: u64,
}

impl Sleepers {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.tiers.clear();
        self.with_static.clear();
        self.among.clear();
        self.version += 1;
    }

    /// Takes out the bodies that have woken or were removed. Cost: O(pairs of sleepers) if there are
    /// any.
    pub(super) fn release(&mut self, bodies: &mut Bodies, level: Level) {
        if bodies.left.is_empty() {
            return;
        }
        for (serial, place) in bodies.left.drain(..) {
            let tier = self.tiers.iter_mut().find(|tier| tier.serial == serial);
            if let Some(tier) = tier.map(Arc::make_mut) {
                tier.group.tree.erase(place as usize);
                tier.live -= 1;
            }
        }
        let asleep = |slot: u32| matches!(bodies.homes[slot as usize], Home::Asleep { .. });
        self.among.retain(|&[a, b]| asleep(a) && asleep(b));
        for (_, pairs) in &mut self.with_static {
            pairs.retain(|&[_, slot]| asleep(slot));
        }
        self.version += 1;
        self.tiers.retain(|tier| tier.live > 0);
        for at in 0..self.tiers.len() {
            let tier = &self.tiers[at];
            if 2 * tier.live < tier.group.tree.len() {
                let slots = live_slots(tier);
                self.tiers[at] = Arc::new(self.settle(&slots, bodies, level));
            }
        }
    }

    /// Forgets the pairs with chunks that are gone and finds those with new ones. Chunks come in
    /// ascending order, so that both lists are walked once. Cost: O(chunks + sleepers) for a new one.
    pub(super) fn follow(&mut self, chunks: &[Chunk], scratch: &mut Scratch, level: Level) {
        let mut changed = false;
        let mut old = core::mem::take(&mut self.with_static)
            .into_iter()
            .peekable();
        for chunk in chunks {
            while let Some((_, pairs)) = old.next_if(|(id, _)| *id < chunk.id) {
                changed |= !pairs.is_empty();
            }
            if let Some(kept) = old.next_if(|(id, _)| *id == chunk.id) {
                self.with_static.push(kept);
                continue;
            }
            let mut part = Part::default();
            for tier in &self.tiers {
                tier.group.join_chunk(chunk, scratch, &mut part, level);
            }
            changed |= !part.pairs.is_empty();
            self.with_static.push((chunk.id, part.pairs));
        }
        changed |= old.any(|(_, pairs)| !pairs.is_empty());
        if changed {
            self.version += 1;
        }
    }

    /// Takes in the bodies that fell asleep.
    pub(super) fn admit(
        &mut self,
        bodies: &mut Bodies,
        chunks: &[Chunk],
        scratch: &mut Scratch,
        level: Level,
    ) {
        let mut slots = core::mem::take(&mut bodies.drowsy);
        slots.retain(|&slot| bodies.homes[slot as usize] == Home::Drowsy);
        // A body that woke and slept again is listed twice.
        slots.sort_unstable();
        slots.dedup();
        if !slots.is_empty() {
            self.version += 1;
            let mut newest = self.settle(&slots, bodies, level);
            let mut part = Part::default();
            newest.group.join_self(scratch, &mut part, level);
            for tier in &self.tiers {
                newest
                    .group
                    .join_group(&tier.group, scratch, &mut part, level);
            }
            self.among.append(&mut part.pairs);
            for (chunk, (_, pairs)) in chunks.iter().zip(&mut self.with_static) {
                newest.group.join_chunk(chunk, scratch, &mut part, level);
                pairs.append(&mut part.pairs);
            }
            let mut merged = false;
            while let Some(last) = self.tiers.last()
                && last.live <= TIER_GROWTH * slots.len()
            {
                slots.extend(live_slots(last));
                self.tiers.pop();
                merged = true;
            }
            if merged {
                newest = self.settle(&slots, bodies, level);
            }
            self.tiers.push(Arc::new(newest));
        }
        slots.clear();
        bodies.drowsy = slots;
    }

    /// Makes a tier of some bodies and writes down where they are.
    fn settle(&mut self, slots: &[u32], bodies: &mut Bodies, level: Level) -> Tier {
        let boxes: Vec<Aabb> = slots.iter().map(|&s| bodies.boxes[s as usize]).collect();
        let mut tree = Tree::build(&boxes, level);
        tree.rename(slots);
        let mut filters = LaneFilters::default();
        filters.fill(tree.ids(), &bodies.filters);
        let group = Group { tree, filters };
        let serial = self.next;
        self.next = self.next.wrapping_add(1);
        for (place, &slot) in group.tree.ids().as_flattened().iter().enumerate() {
            if let Some(home) = bodies.homes.get_mut(slot as usize) {
                *home = Home::Asleep {
                    tier: serial,
                    place: place as u32,
                };
            }
        }
        Tier {
            serial,
            live: slots.len(),
            group,
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let tiers: usize = self.tiers.iter().map(|t| t.group.memory_bytes()).sum();
        let pairs: usize = self.with_static.iter().map(|(_, p)| p.capacity()).sum();
        tiers + (pairs + self.among.capacity()) * size_of::<[u32; 2]>()
    }
}

fn live_slots(tier: &Tier) -> Vec<u32> {
    let lanes = tier.group.tree.ids().as_flattened();
    lanes.iter().copied().filter(|&s| s != u32::MAX).collect()
}
