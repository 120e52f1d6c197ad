//! What has changed among the pairs since the last time somebody asked.

use std::sync::Arc;

use super::chunk::Chunk;
use super::ids::{ChunkId, Item, Pair};
use super::pairs::Pairs;

/// The pairs that began, persist and ended since the last time; each list in the order of the pairs.
#[derive(Clone, Copy, Debug)]
pub struct Events<'a> {
    tracker: &'a Tracker,
}

impl<'a> Events<'a> {
    /// Pairs that are there now and were not.
    pub fn began(&self) -> &'a [Pair] {
        &self.tracker.began
    }

    /// Pairs that were there and are no longer; among them those whose items have been removed.
    pub fn ended(&self) -> &'a [Pair] {
        &self.tracker.ended
    }

    /// Pairs that were there and still are. Walks over all of them only when it is read.
    pub fn persisting(&self) -> impl Iterator<Item = Pair> + 'a {
        let tracker = self.tracker;
        let mut began = tracker.began_keys.iter().peekable();
        Merged {
            a: &tracker.live,
            b: &tracker.resting,
        }
        .filter(move |key| began.next_if_eq(&key).is_none())
        .map(|key| tracker.names.pair(key))
    }

    /// Number of pairs that persist.
    pub fn persisting_len(&self) -> usize {
        let tracker = self.tracker;
        tracker.live.len() + tracker.resting.len() - tracker.began.len()
    }
}

/// A pair without generations: sorts as the pair does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The slot of the chunk, the largest number for two bodies.
    source: u32,
    /// The two numbers, the first in the upper half.
    pair: u64,
}

const BODIES: u32 = u32::MAX;

/// What slots meant in a frame.
#[derive(Debug, Default)]
struct Names {
    world: u32,
    generations: Arc<Vec<u32>>,
    /// In the order of slots.
    chunks: Arc<Vec<Chunk>>,
}

impl Names {
    fn item(&self, slot: u32) -> Item {
        Item::Body(super::BodyId {
            slot,
            generation: self.generations[slot as usize],
            world: self.world,
        })
    }

    fn pair(&self, key: Key) -> Pair {
        let (first, second) = ((key.pair >> 32) as u32, key.pair as u32);
        let a = if key.source == BODIES {
            self.item(first)
        } else {
            let at = self.chunks.partition_point(|c| c.id.slot < key.source);
            Item::Static {
                chunk: self.chunks[at].id,
                index: first,
            }
        };
        Pair {
            a,
            b: self.item(second),
        }
    }
}

/// Remembers the pairs of the last time.
#[derive(Debug, Default)]
pub(super) struct Tracker {
    /// Pairs of bodies that move, sorted.
    live: Vec<Key>,
    /// Pairs of bodies that rest, sorted.
    resting: Vec<Key>,
    /// The version of the sleepers that `resting` shows.
    version: Option<u64>,
    names: Names,
    began: Vec<Pair>,
    began_keys: Vec<Key>,
    ended: Vec<Pair>,
    spare: Vec<Key>,
}

impl Tracker {
    /// Compares with the pairs of the last time. Cost: O(n log n) for the pairs of bodies that move,
    /// and for all pairs when a sleeper has come or gone.
    pub(super) fn track(&mut self, pairs: &Pairs<'_>) -> Events<'_> {
        let view = pairs.view;
        let names = Names {
            world: view.world,
            generations: Arc::clone(&view.generations),
            chunks: Arc::clone(&view.chunks),
        };
        let mut live = core::mem::take(&mut self.spare);
        live.clear();
        pairs.for_each_moving_run(|chunk, run| add(&mut live, chunk, run));
        live.sort_unstable();
        self.began.clear();
        self.began_keys.clear();
        self.ended.clear();
        let version = Some(pairs.sleepers.version);
        let before = core::mem::replace(&mut self.live, live);
        if self.version == version {
            self.compare(&before, None, &names);
        } else {
            self.version = version;
            let mut resting = Vec::new();
            pairs.for_each_resting_run(|chunk, run| add(&mut resting, chunk, run));
            resting.sort_unstable();
            let rested = core::mem::replace(&mut self.resting, resting);
            self.compare(&before, Some(&rested), &names);
        }
        self.spare = before;
        self.names = names;
        Events { tracker: self }
    }

    /// Walks over both lists at once. `rested` are the former pairs of sleepers, if they changed.
    fn compare(&mut self, before: &[Key], rested: Option<&[Key]>, names: &Names) {
        let mut old = Merged {
            a: before,
            b: rested.unwrap_or_default(),
        }
        .peekable();
        let mut new = Merged {
            a: &self.live,
            b: if rested.is_some() { &self.resting } else { &[] },
        }
        .peekable();
        loop {
            let (first, second) = (old.peek().copied(), new.peek().copied());
            let (ends, begins) = match (first, second) {
                (None, None) => break,
                (Some(_), None) => (true, false),
                (None, Some(_)) => (false, true),
                (Some(a), Some(b)) if a != b => (a < b, b < a),
                (Some(a), Some(_)) => {
                    old.next();
                    new.next();
                    let (was, is) = (self.names.pair(a), names.pair(a));
                    if was != is {
                        // The slot names something else by now.
                        self.ended.push(was);
                        self.began.push(is);
                        self.began_keys.push(a);
                    }
                    continue;
                }
            };
            if let (true, Some(key)) = (ends, first) {
                self.ended.push(self.names.pair(key));
                old.next();
            }
            if let (true, Some(key)) = (begins, second) {
                self.began.push(names.pair(key));
                self.began_keys.push(key);
                new.next();
            }
        }
    }
}

fn add(keys: &mut Vec<Key>, chunk: Option<ChunkId>, run: &[[u32; 2]]) {
    let source = chunk.map_or(BODIES, |chunk| chunk.slot);
    keys.extend(run.iter().map(|&[a, b]| Key {
        source,
        pair: u64::from(a) << 32 | u64::from(b),
    }));
}

/// Two sorted lists as one.
struct Merged<'a> {
    a: &'a [Key],
    b: &'a [Key],
}

impl Iterator for Merged<'_> {
    type Item = Key;

    fn next(&mut self) -> Option<Key> {
        let list = match (self.a.first(), self.b.first()) {
            (Some(a), Some(b)) if b < a => &mut self.b,
            (None, _) => &mut self.b,
            _ => &mut self.a,
        };
        let (&first, rest) = list.split_first()?;
        *list = rest;
        Some(first)
    }
}
