//! Which grains of a chunk may touch which walls until the next rebuild.

use fearless_simd::Level;
use glam::Vec3;

use super::{Shape, Touching};
use crate::grains::lists::{CHUNK, Lists, WallSlot};
use crate::grains::rows::Row;
use jostle_simd::lanes::V3;

/// Distances may be rounded this much, as a share of what they are compared with.
const ROUNDED: f32 = 1.001;

/// What the search for walls reads.
#[derive(Clone, Copy)]
pub(in crate::grains) struct WallSearch<'a> {
    pub walls: &'a [Touching],
    pub level: Level,
    /// The grains of a chunk.
    pub rows: &'a [Row],
    /// The index that each had before, `u32::MAX` for new ones.
    pub came_from: &'a [u32],
    /// The lists before.
    pub old: &'a [Lists],
}

/// Lists the walls of the grains of a chunk: every one that a grain may touch while its centre is in its ball.
pub(in crate::grains) fn fill(search: &WallSearch<'_>, lists: &mut Lists) {
    lists.walls.clear();
    let mut found = Vec::new();
    for (w, wall) in search.walls.iter().enumerate() {
        let mut slot = empty(w);
        for i in 0..search.rows.len() {
            let [x, y, z, slack] = search.rows[i].tether;
            let reach = (slack + search.rows[i].place[3]) * ROUNDED;
            if let Shape::Sheet(sheet) = &wall.shape {
                // A grain far from the sheet costs one test of a box.
                sheet.near([x, y, z, reach], search.level, &mut found);
                for &part in &found {
                    if sheet.plain_distance(Vec3::new(x, y, z), part) <= reach {
                        search.add(i, part, &mut slot, lists);
                    }
                }
            } else if wall.shape.distance(V3::new(x, y, z), 0).0 <= reach {
                search.add(i, 0, &mut slot, lists);
            }
        }
        if slot.used > 0 {
            lists.walls.push(slot);
        }
    }
}

impl WallSearch<'_> {
    /// Adds a grain to a slot, which is handed in when it is full.
    fn add(&self, i: usize, part: u32, slot: &mut WallSlot, lists: &mut Lists) {
        let lane = slot.used as usize;
        if lane == 0 {
            slot.grain = [i as u16; 8];
            slot.part = [part; 8];
        }
        slot.grain[lane] = i as u16;
        slot.part[lane] = part;
        slot.used += 1;
        let from = self.came_from[i] as usize;
        let before = self.old.get(from / CHUNK);
        if let Some([slide, roll]) =
            before.and_then(|old| old.find_wall((from % CHUNK) as u16, slot.wall, part))
        {
            for axis in 0..3 {
                slot.slide[axis][lane] = slide[axis];
                slot.roll[axis][lane] = roll[axis];
            }
        }
        if slot.used == 8 {
            lists.walls.push(*slot);
            *slot = empty(slot.wall as usize);
        }
    }
}

fn empty(wall: usize) -> WallSlot {
    WallSlot {
        wall: wall as u32,
        used: 0,
        grain: [0; 8],
        part: [0; 8],
        slide: [[0.0; 8]; 3],
        roll: [[0.0; 8]; 3],
    }
}
