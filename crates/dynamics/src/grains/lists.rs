//! Who may touch whom until the next rebuild, and what each contact remembers.

use super::law::Stretch;
use super::rows::{lane3, set_lane3};

/// Grains a task handles; a multiple of eight. Small enough that ten thousand grains make work for many threads and
/// that its grains and what pushes them stay in the first cache; a power of two, so that masked indices are in range.
pub(super) const CHUNK: usize = 512;

/// Eight pairs of grains, by their rows in the table of the chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Slot {
    /// The first grain, of the chunk; [`NOBODY`] where a lane is not used.
    pub one: [u16; 8],
    /// The second grain; [`NOBODY_ELSE`] where a lane is not used.
    pub other: [u16; 8],
}

impl Slot {
    /// No pairs.
    pub(super) const EMPTY: Self = Self {
        one: [NOBODY; 8],
        other: [NOBODY_ELSE; 8],
    };
}

/// The row of the table of a chunk that stands for no first grain, behind those of the chunk.
pub(super) const NOBODY: u16 = CHUNK as u16;

/// The row that stands for no second grain: another one, so that the two do not coincide.
pub(super) const NOBODY_ELSE: u16 = NOBODY + 1;

/// Rows of a table, as many as 16-bit indices can name.
pub(super) const ROWS: usize = 1 << 16;

/// The first row of grains of other chunks.
pub(super) const OUTSIDE: usize = CHUNK + 2;

/// Eight contacts of grains of a chunk with one wall.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct WallSlot {
    /// Index of the wall.
    pub wall: u32,
    /// How many lanes are used; the others repeat the first one.
    pub used: u32,
    /// Index of the grain within the chunk.
    pub grain: [u16; 8],
    /// Part of the wall, for walls of many parts.
    pub part: [u32; 8],
    /// Stretch of the sliding springs, m.
    pub slide: [[f32; 8]; 3],
    /// Stretch of the rolling springs, m.
    pub roll: [[f32; 8]; 3],
}

/// The pairs of the grains of a chunk.
///
/// A pair within the chunk is listed once and pushes both; a pair with a grain of another chunk is listed in both chunks
/// and pushes the grain of each. Pairs that touch or nearly do come before those that are farther
/// apart, so that most slots are either full of contacts or free of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// Slots of near pairs within the chunk, of near pairs across, of far pairs within, of far pairs across.
    pub slots: Vec<Slot>,
    /// Where each of the four kinds ends.
    pub ends: [usize; 4],
    /// Stretch of the sliding springs, one for each slot, m. Apart from the slots, so that those without contacts
    /// are small.
    pub slide: Vec<[[f32; 8]; 3]>,
    /// Whether a slot remembers anything.
    pub live: Vec<bool>,
    /// Stretch of the rolling springs, one for each slot, m; empty when nothing resists rolling.
    pub roll: Vec<[[f32; 8]; 3]>,
    /// Contacts with walls, by wall and then by grain.
    pub walls: Vec<WallSlot>,
    /// The first grain of the chunk.
    pub first: u32,
    /// The grains of other chunks, in the order of their rows from [`OUTSIDE`] on.
    pub outside: Vec<u32>,
    /// Contacts that remember something, by first grain, for the rebuild: where those of each grain start.
    starts: Vec<u32>,
    /// The other grain of each, and its slot and lane.
    memory: Vec<[u32; 2]>,
}

/// The first kind of slots of far pairs.
pub(super) const FAR: usize = 2;

/// Whether the pairs of a kind of slots lie within the chunk.
pub(super) const WITHIN: [bool; 4] = [true, false, true, false];

impl Lists {
    /// What a contact remembers.
    #[inline(always)]
    pub(super) fn stretch(&self, slot: usize, lane: usize) -> Stretch<f32> {
        let zero = jostle_simd::lanes::V3::new(0.0, 0.0, 0.0);
        Stretch {
            slide: lane3(&self.slide[slot], lane),
            roll: self.roll.get(slot).map_or(zero, |roll| lane3(roll, lane)),
        }
    }

    /// Sets what a contact remembers.
    #[inline(always)]
    pub(super) fn set_stretch(&mut self, slot: usize, lane: usize, stretch: Stretch<f32>) {
        set_lane3(&mut self.slide[slot], lane, stretch.slide);
        if let Some(roll) = self.roll.get_mut(slot) {
            set_lane3(roll, lane, stretch.roll);
        }
    }

    /// The grain of a row of the table; of no grain, what no grain has.
    pub(super) fn grain(&self, row: u16) -> u32 {
        let row = usize::from(row);
        if row < CHUNK {
            return self.first + row as u32;
        }
        let outside = row.checked_sub(OUTSIDE);
        outside
            .and_then(|k| self.outside.get(k))
            .map_or(u32::MAX, |&grain| grain)
    }

    /// Sorts the contacts that remember something by their first grain, for [`remembered`](Self::remembered).
    pub(super) fn index(&mut self) {
        let mut starts = core::mem::take(&mut self.starts);
        let mut memory = core::mem::take(&mut self.memory);
        starts.clear();
        starts.resize(CHUNK + 2, 0);
        let mut total = 0;
        for slot in self.live_slots() {
            for lane in 0..8 {
                if !self.stretch(slot, lane).is_none() {
                    starts[usize::from(self.slots[slot].one[lane])] += 1;
                    total += 1;
                }
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += core::mem::replace(start, sum);
        }
        memory.resize(total, [0; 2]);
        for slot in self.live_slots() {
            for lane in 0..8 {
                if !self.stretch(slot, lane).is_none() {
                    let at = &mut starts[usize::from(self.slots[slot].one[lane])];
                    let other = self.grain(self.slots[slot].other[lane]);
                    memory[*at as usize] = [other, (slot * 8 + lane) as u32];
                    *at += 1;
                }
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
        self.starts = starts;
        self.memory = memory;
    }

    fn live_slots(&self) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(|&slot| self.live[slot])
    }

    /// What the contact of a grain of the chunk with another grain remembers, the former being the first.
    #[inline(always)]
    pub(super) fn remembered(&self, grain: usize, other: u32) -> Option<Stretch<f32>> {
        let from = *self.starts.get(grain)? as usize;
        let to = *self.starts.get(grain + 1)? as usize;
        let found = self.memory[from..to]
            .iter()
            .find(|&&[grain, _]| grain == other)?;
        Some(self.stretch(found[1] as usize / 8, found[1] as usize % 8))
    }

    /// What the contact of a grain of the chunk with a part of a wall remembers: sliding and rolling.
    pub(super) fn find_wall(&self, grain: u16, wall: u32, part: u32) -> Option<[[f32; 3]; 2]> {
        // Lanes are in the order of walls, grains and parts.
        let key = (wall, grain, part);
        let after = self
            .walls
            .partition_point(|slot| (slot.wall, slot.grain[0], slot.part[0]) <= key);
        let slot = self.walls.get(after.checked_sub(1)?)?;
        let lane = (0..slot.used as usize)
            .find(|&lane| (slot.wall, slot.grain[lane], slot.part[lane]) == key)?;
        Some([&slot.slide, &slot.roll].map(|v| [v[0][lane], v[1][lane], v[2][lane]]))
    }
}
