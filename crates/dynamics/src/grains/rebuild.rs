//! Sorting the grains into cells and listing their neighbours.

use fearless_simd::dispatch;
use jostle_geom::chunks::fill_chunks;

use super::flow::GrainFlow;
use super::lanes::V3;
use super::lists::{CHUNK, WallSlot};
use super::neighbours::{self, Search};
use super::rows::{NOWHERE, STILL};
use super::tolerances::{FARTHEST, SLACK};

impl GrainFlow {
    /// Sorts the grains into cells and lists the neighbours they may have for a time, s.
    ///
    /// A grain is tied to a ball around the middle of the path that it would take by itself. The lists hold every pair whose
    /// balls, enlarged by the radii, overlap: as long as all grains are in their balls no contact is missed.
    pub(super) fn rebuild(&mut self, horizon: f32, rolling: bool) {
        let count = self.len();
        let spare = &mut self.spare;
        let slack = SLACK * self.radii[0];
        let farthest = FARTHEST * self.radii[1];
        spare.balls.resize(count, [0.0; 4]);
        let (places, motions) = (&self.places, &self.motions);
        fill_chunks(&mut spare.balls, 4096, |first, balls| {
            for (i, ball) in (first..).zip(balls) {
                let [x, y, z, _] = places[i];
                let [[vx, vy, vz, _], _] = motions[i];
                let half = 0.5 * horizon;
                let way = half * (vx * vx + vy * vy + vz * vz).sqrt();
                let ahead = if way + slack > farthest {
                    half * (farthest - slack) / way
                } else {
                    half
                };
                *ball = [
                    x + vx * ahead,
                    y + vy * ahead,
                    z + vz * ahead,
                    (way + slack).min(farthest),
                ];
            }
        });
        let mut reach = 0.0_f32;
        for (ball, place) in spare.balls.iter().zip(places) {
            let r = ball[3] + place[3];
            if r > reach {
                reach = r;
            }
        }
        // Rounding of distances and cells is far below a thousandth of a cell for anything within a million cells.
        let edge = 2.002 * reach.max(f32::MIN_POSITIVE);
        spare.grid.sort(&spare.balls, edge, &mut spare.order);

        self.permute();
        self.list(rolling);
    }

    /// Puts the grains into cell order.
    fn permute(&mut self) {
        let count = self.len();
        let spare = &mut self.spare;
        let order = &spare.order;
        let padded = (count / 8 + 1) * 8;
        spare.places.resize(padded, NOWHERE);
        spare.motions.resize(padded, STILL);
        spare.ids.resize(count, 0);
        self.tethers.resize(padded, [0.0; 4]);
        let (places, motions, ids, balls) = (&self.places, &self.motions, &self.ids, &spare.balls);
        fill_chunks(&mut spare.places, 4096, |first, out| {
            for (i, out) in (first..).zip(out) {
                *out = order.get(i).map_or(NOWHERE, |&from| places[from as usize]);
            }
        });
        fill_chunks(&mut spare.motions, 4096, |first, out| {
            for (i, out) in (first..).zip(out) {
                *out = order.get(i).map_or(STILL, |&from| motions[from as usize]);
            }
        });
        fill_chunks(&mut spare.ids, 4096, |first, out| {
            for (i, out) in (first..).zip(out) {
                *out = ids[order[i] as usize];
            }
        });
        let [x, y, z, _] = NOWHERE;
        fill_chunks(&mut self.tethers, 4096, |first, out| {
            for (i, out) in (first..).zip(out) {
                *out = order
                    .get(i)
                    .map_or([x, y, z, x], |&from| balls[from as usize]);
            }
        });
        let listed = &self.listed;
        spare.came_from.resize(count, 0);
        fill_chunks(&mut spare.came_from, 4096, |first, out| {
            for (i, out) in (first..).zip(out) {
                *out = listed[order[i] as usize];
            }
        });
        self.listed.clear();
        self.listed.extend(0..count as u32);
        core::mem::swap(&mut self.places, &mut spare.places);
        core::mem::swap(&mut self.motions, &mut spare.motions);
        core::mem::swap(&mut self.ids, &mut spare.ids);
        spare.places.clear();
        spare.places.extend_from_slice(&self.places);
        spare.motions.clear();
        spare.motions.extend_from_slice(&self.motions);
        let (places, tethers) = (&self.places, &self.tethers);
        for (axis, column) in spare.columns.iter_mut().enumerate() {
            column.resize(count + 8, f32::NAN);
            fill_chunks(column, 4096, |first, out| {
                for (i, out) in (first..).zip(out) {
                    *out = if i >= count {
                        f32::NAN
                    } else if axis == 3 {
                        tethers[i][3] + places[i][3]
                    } else {
                        tethers[i][axis]
                    };
                }
            });
        }
    }

    /// Lists neighbours and walls.
    fn list(&mut self, rolling: bool) {
        let count = self.len();
        let spare = &mut self.spare;
        core::mem::swap(&mut self.lists, &mut spare.lists);
        self.lists
            .resize_with(count.div_ceil(CHUNK), Default::default);
        let [xs, ys, zs, rs] = &spare.columns;
        let search = Search {
            grid: &spare.grid,
            columns: [xs, ys, zs, rs],
            count,
            came_from: &spare.came_from,
            old: &spare.lists,
            rolling,
        };
        let level = self.options.level;
        let (walls, places, tethers) = (&self.walls, &self.places, &self.tethers);
        fill_chunks(&mut self.lists, 1, |index, lists| {
            for lists in lists {
                let first = index * CHUNK;
                dispatch!(level, simd => neighbours::fill(simd, search, first, lists));
                lists.walls.clear();
                for (w, wall) in walls.iter().enumerate() {
                    let mut slot = empty(w);
                    for i in first..(first + CHUNK).min(count) {
                        let [x, y, z, slack] = tethers[i];
                        let reach = slack + places[i][3];
                        let (distance, _) = wall.shape.distance(V3::new(x, y, z), 0);
                        if distance > reach * 1.001 {
                            continue;
                        }
                        let lane = slot.used as usize;
                        slot.grain[lane] = (i - first) as u16;
                        slot.used += 1;
                        let from = search.came_from[i] as usize;
                        if let Some([slide, roll]) = search
                            .old
                            .get(from / CHUNK)
                            .and_then(|old| old.find_wall((from % CHUNK) as u16, w as u32, 0))
                        {
                            for axis in 0..3 {
                                slot.slide[axis][lane] = slide[axis];
                                slot.roll[axis][lane] = roll[axis];
                            }
                        }
                        if slot.used == 8 {
                            lists.walls.push(slot);
                            slot = empty(w);
                        }
                    }
                    if slot.used > 0 {
                        lists.walls.push(slot);
                    }
                }
            }
        });
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
