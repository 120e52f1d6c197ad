//! Who may touch whom until the next rebuild, and what each contact remembers.

use super::lanes::V3;
use super::law::Stretch;
use super::rows::{lane3, set_lane3};

/// Grains a task handles; a multiple of eight. Small enough that ten thousand grains make work for many threads.
pub(super) const CHUNK: usize = 512;

/// The other grain of a lane that has none: the row after the last grain.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Slot {
    /// Index of the other grain, one for each of eight consecutive grains.
    pub other: [u32; 8],
    /// Stretch of the sliding springs, m.
    pub slide: [[f32; 8]; 3],
}

/// Eight contacts of grains of a chunk with one wall.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct WallSlot {
    /// Index of the wall.
    pub wall: u32,
    /// How many lanes are used.
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

/// The neighbours of the grains of a chunk.
///
/// Eight consecutive grains share slots: slot `s` of a block holds the `s`-th neighbour of each, nearest first.
/// Every contact is listed with both of its grains.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// Where the slots of each block start, and where the last ones end.
    pub starts: Vec<u32>,
    /// The slots.
    pub slots: Vec<Slot>,
    /// Whether a slot remembers anything.
    pub live: Vec<bool>,
    /// Stretch of the rolling springs, one for each slot, m; empty when nothing resists rolling.
    pub roll: Vec<[[f32; 8]; 3]>,
    /// Contacts with walls, by wall and then by grain.
    pub walls: Vec<WallSlot>,
}

impl Lists {
    /// What a contact remembers.
    #[inline(always)]
    pub(super) fn stretch(&self, slot: usize, lane: usize) -> Stretch<f32> {
        let zero = V3::new(0.0, 0.0, 0.0);
        Stretch {
            slide: lane3(&self.slots[slot].slide, lane),
            roll: self.roll.get(slot).map_or(zero, |roll| lane3(roll, lane)),
        }
    }

    /// Sets what a contact remembers.
    #[inline(always)]
    pub(super) fn set_stretch(&mut self, slot: usize, lane: usize, stretch: Stretch<f32>) {
        set_lane3(&mut self.slots[slot].slide, lane, stretch.slide);
        if let Some(roll) = self.roll.get_mut(slot) {
            set_lane3(roll, lane, stretch.roll);
        }
    }

    /// What the contact of a grain of the chunk with another grain remembers, if it remembers anything.
    pub(super) fn find(&self, grain: usize, other: u32) -> Option<Stretch<f32>> {
        let (block, lane) = (grain / 8, grain % 8);
        let first = *self.starts.get(block)? as usize;
        let end = *self.starts.get(block + 1)? as usize;
        for slot in first..end {
            if self.live[slot] && self.slots[slot].other[lane] == other {
                return Some(self.stretch(slot, lane));
            }
        }
        None
    }

    /// What the contact of a grain of the chunk with a part of a wall remembers: sliding and rolling.
    pub(super) fn find_wall(&self, grain: u16, wall: u32, part: u32) -> Option<[[f32; 3]; 2]> {
        let first = self.walls.partition_point(|slot| slot.wall < wall);
        for slot in &self.walls[first..] {
            if slot.wall != wall {
                break;
            }
            for lane in 0..slot.used as usize {
                if slot.grain[lane] == grain && slot.part[lane] == part {
                    let slide = [
                        slot.slide[0][lane],
                        slot.slide[1][lane],
                        slot.slide[2][lane],
                    ];
                    let roll = [slot.roll[0][lane], slot.roll[1][lane], slot.roll[2][lane]];
                    return Some([slide, roll]);
                }
            }
        }
        None
    }
}
