//! Sweep and prune that lives from frame to frame.
//!
//! The lower and upper bounds of all boxes are kept sorted on each axis, and with them the set of
//! pairs. When a box moves its bounds are moved past their neighbours one by one; a lower bound that
//! passes an upper one may begin a pair, the reverse ends it. The cost of a frame is the number of
//! places that bounds move, so it pays where nearly everything rests or all move alike. After
//! D. Baraff, "Dynamic simulation of non-penetrating rigid bodies", 1992, and J. Cohen and co-authors,
//! "I-COLLIDE", 1995.
//!
//! When bounds would move too far, or the number of boxes changes, everything is sorted anew and the
//! pairs come from the sweep.

use jostle_geom::Aabb;

use super::index::IndexPhase;
use super::sweep::SweepIndex;
use super::{BroadPhase, Method, PairError, PairOptions, check_moving, check_scene};
use crate::BoxError;
use crate::bvh::Counters;
use crate::pair_sort::sort_pairs;
use crate::radix::{float_key, sort_by_key};
use crate::tuning::SAP_MOVES;

/// Sorted bounds and the pairs they make.
pub(super) struct SapPhase {
    /// The fixed boxes, then the moving ones, as sorted.
    boxes: Vec<Aabb>,
    fixed: usize,
    axes: [Axis; 3],
    /// Keys of the pairs, ascending.
    pairs: Vec<u64>,
    /// Pairs that began, and pairs that ended, since `pairs` was made.
    events: Vec<(u64, bool)>,
    spare: Vec<u64>,
    /// Whether `pairs`, with what happened since, and `axes` are those of the boxes. They are made when pairs are asked for, so
    /// that a limit can stop them.
    sorted: bool,
    /// Finds the pairs where bounds are sorted anew.
    sweep: IndexPhase<SweepIndex>,
    options: PairOptions,
    counters: Counters,
}

/// The bounds along an axis, in order.
#[derive(Debug, Default)]
struct Axis {
    /// `key of the bound << 32 | 1 for upper bounds << 31 | id`: touching boxes have the lower
    /// bound of the one before the upper one of the other.
    bounds: Vec<u64>,
    /// Where the lower and the upper bound of each box are.
    places: Vec<[u32; 2]>,
}

/// Most boxes: one bit of an id tells lower from upper bounds.
const MOST: usize = 1 << 31;
const UPPER: u64 = 1 << 31;

fn bound(x: f32, upper: bool, id: usize) -> u64 {
    // Zeros of both signs are one bound.
    (u64::from(float_key(x + 0.0)) << 32) | if upper { UPPER } else { 0 } | id as u64
}

fn pair_key(a: u32, b: u32) -> u64 {
    (u64::from(a.min(b)) << 32) | u64::from(a.max(b))
}

impl SapPhase {
    pub(super) fn new(options: &PairOptions) -> Self {
        Self {
            boxes: Vec::new(),
            fixed: 0,
            axes: Default::default(),
            pairs: Vec::new(),
            events: Vec::new(),
            spare: Vec::new(),
            sorted: false,
            sweep: IndexPhase::new(options),
            options: *options,
            counters: Counters::default(),
        }
    }

    /// Sorts all bounds and finds all pairs.
    fn sort(&mut self) -> Result<(), PairError> {
        self.pairs.clear();
        self.events.clear();
        let (fixed, moving) = self.boxes.split_at(self.fixed);
        self.sweep.build(fixed, moving)?;
        let mut found = Vec::new();
        self.counters = self.sweep.append_pairs(&mut found)?;
        sort_pairs(&mut found, self.boxes.len());
        self.pairs
            .extend(found.iter().map(|&[a, b]| pair_key(a, b)));
        let mut spare = Vec::new();
        for (axis, list) in self.axes.iter_mut().enumerate() {
            list.bounds.clear();
            let lower = self.boxes.iter().map(|b| (b.min[axis], false)).enumerate();
            let upper = self.boxes.iter().map(|b| (b.max[axis], true)).enumerate();
            let all = lower.chain(upper);
            list.bounds
                .extend(all.map(|(id, (x, is_upper))| bound(x, is_upper, id)));
            sort_by_key(&mut list.bounds, &mut spare);
            list.places.resize(self.boxes.len(), [0; 2]);
            for (place, &bound) in list.bounds.iter().enumerate() {
                let (id, upper) = name(bound);
                list.places[id][upper] = place as u32;
            }
        }
        self.sorted = true;
        Ok(())
    }

    /// Moves the bounds of one box, at most `moves` places.
    fn shift(&mut self, id: usize, new: Aabb, moves: &mut usize) {
        let old = core::mem::replace(&mut self.boxes[id], new);
        for axis in 0..3 {
            for (upper, x) in [(0, new.min[axis]), (1, new.max[axis])] {
                let value = bound(x, upper == 1, id);
                let Axis { bounds, places } = &mut self.axes[axis];
                let mut at = places[id][upper] as usize;
                let way_down = value < bounds[at];
                bounds[at] = value;
                while *moves > 0 {
                    let next = if way_down { at.wrapping_sub(1) } else { at + 1 };
                    let Some(&other) = bounds.get(next) else {
                        break;
                    };
                    if (way_down && other < value) || (!way_down && other > value) {
                        break;
                    }
                    let (other_id, other_upper) = name(other);
                    bounds[at] = other;
                    places[other_id][other_upper] = at as u32;
                    at = next;
                    *moves -= 1;
                    let fixed = id < self.fixed && other_id < self.fixed;
                    if upper == other_upper || other_id == id || fixed {
                        continue;
                    }
                    // Lower bounds going down and upper ones going up come to overlap; what passes
                    // the other way has parted.
                    let begins = way_down == (upper == 0);
                    let other = &self.boxes[other_id];
                    self.counters.tests += 1;
                    // Both axes of a corner may tell of the same pair.
                    if old.overlaps(other) != begins && (!begins || new.overlaps(other)) {
                        let key = pair_key(id as u32, other_id as u32);
                        self.events.push((key, begins));
                    }
                }
                bounds[at] = value;
                places[id][upper] = at as u32;
            }
        }
    }
}

/// Merges what happened into the sorted pairs; of several events of a pair the last one counts.
fn merge(pairs: &mut Vec<u64>, events: &mut Vec<(u64, bool)>, spare: &mut Vec<u64>) {
    if events.is_empty() {
        return;
    }
    events.sort_by_key(|&(key, _)| key);
    spare.clear();
    let mut at = 0;
    for (i, &(key, begins)) in events.iter().enumerate() {
        if events.get(i + 1).is_some_and(|next| next.0 == key) {
            continue;
        }
        let before = at + pairs[at..].partition_point(|&pair| pair < key);
        spare.extend_from_slice(&pairs[at..before]);
        at = before + usize::from(pairs.get(before) == Some(&key));
        if begins {
            spare.push(key);
        }
    }
    spare.extend_from_slice(&pairs[at..]);
    core::mem::swap(pairs, spare);
    events.clear();
}

/// The box of a bound and whether it is the upper one.
fn name(bound: u64) -> (usize, usize) {
    let id = (bound & (UPPER - 1)) as usize;
    (id, usize::from(bound & UPPER != 0))
}

impl BroadPhase for SapPhase {
    fn method(&self) -> Method {
        Method::Sap
    }

    fn build(&mut self, fixed: &[Aabb], moving: &[Aabb]) -> Result<(), BoxError> {
        check_scene(fixed, moving)?;
        few(fixed.len() + moving.len())?;
        self.boxes.clear();
        self.boxes.extend_from_slice(fixed);
        self.boxes.extend_from_slice(moving);
        self.fixed = fixed.len();
        self.sorted = false;
        Ok(())
    }

    fn update(&mut self, moving: &[Aabb]) -> Result<(), BoxError> {
        check_moving(self.fixed, moving)?;
        few(self.fixed + moving.len())?;
        self.counters = Counters::default();
        if !self.sorted || self.fixed + moving.len() != self.boxes.len() {
            self.boxes.truncate(self.fixed);
            self.boxes.extend_from_slice(moving);
            self.sorted = false;
            return Ok(());
        }
        // Nobody asked for the pairs of the last frame: what happened in it must not pile up.
        merge(&mut self.pairs, &mut self.events, &mut self.spare);
        let mut moves = SAP_MOVES * self.boxes.len();
        for (i, &b) in moving.iter().enumerate() {
            let id = self.fixed + i;
            if moves > 0 && self.boxes[id] != b {
                self.shift(id, b, &mut moves);
            }
            self.boxes[id] = b;
        }
        self.counters.nodes += (SAP_MOVES * self.boxes.len() - moves) as u64;
        self.sorted = moves > 0;
        Ok(())
    }

    fn append_pairs(&mut self, pairs: &mut Vec<[u32; 2]>) -> Result<Counters, PairError> {
        let limit = self.options.pair_limit.unwrap_or(usize::MAX);
        if !self.sorted
            && let Err(error) = self.sort()
        {
            if matches!(error, PairError::TooManyPairs { .. }) {
                // The first pairs, in the order of the sweep.
                return self.sweep.append_pairs(pairs);
            }
            return Err(error);
        }
        merge(&mut self.pairs, &mut self.events, &mut self.spare);
        let keys = &self.pairs[..self.pairs.len().min(limit)];
        pairs.extend(keys.iter().map(|&key| [(key >> 32) as u32, key as u32]));
        if keys.len() < self.pairs.len() {
            return Err(PairError::TooManyPairs { limit });
        }
        Ok(self.counters)
    }

    fn memory_bytes(&self) -> usize {
        let axes = self.axes.iter().map(|axis| {
            axis.bounds.capacity() * size_of::<u64>()
                + axis.places.capacity() * size_of::<[u32; 2]>()
        });
        axes.sum::<usize>()
            + self.boxes.capacity() * size_of::<Aabb>()
            + (self.pairs.capacity() + self.spare.capacity()) * size_of::<u64>()
            + self.events.capacity() * size_of::<(u64, bool)>()
            + self.sweep.memory_bytes()
    }
}

fn few(boxes: usize) -> Result<(), BoxError> {
    if boxes > MOST {
        return Err(BoxError::TooMany { boxes, limit: MOST });
    }
    Ok(())
}
