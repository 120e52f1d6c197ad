//! Sorting the grains into cells and listing their neighbours.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fearless_simd::{dispatch, prelude::*};
use jostle_geom::chunks::fill_chunks;

use super::flow::GrainFlow;
use super::grid::{self, Frame};
use super::haste;
use super::lists::{CHUNK, Lists};
use super::neighbours::{self, Found, Search};
use super::tolerances::{
    COMMON, FARTHEST, HORIZON, MANY_SMALL, MOST_FRAMES, MOST_SLOTS, NEAR, SLACK,
};
use super::walls::{self, WallSearch};

thread_local! {
    /// Buffers of the searches.
    static FOUND: RefCell<Found> = RefCell::default();
}

/// Hasty grains that one task searches around.
const HASTY_CHUNK: usize = 64;

impl GrainFlow {
    /// Sorts the grains into cells and lists the neighbours they may have for a while: the shorter, the faster they are.
    ///
    /// A grain is tied to a ball around its place, as large as the way that the fastest grain near it would go. The lists
    /// hold every pair whose balls, enlarged by the radii, overlap: as long as all grains are in their balls no
    /// contact is missed. The cells are as large as most balls; the few grains with larger ones, hasty ones, are
    /// searched for apart.
    ///
    /// Tells whether the lists had room.
    #[must_use]
    pub(super) fn rebuild(&mut self, rolling: bool) -> bool {
        self.sweep();
        self.stale = false;
        let count = self.len();
        let edge = 2.002 * (self.radii[1] + self.common());
        let large = self.radii[1];
        let usual = large.min(MANY_SMALL * self.mean_radius());
        let spare = &mut self.spare;
        let slack = SLACK * self.radii[0];
        let bounds = grid::bounds(&self.rows);
        let speeds = &mut spare.speeds;
        let mean = haste::speeds(&mut spare.spread, bounds, &self.rows, large, speeds);
        let longest = (MOST_FRAMES * self.options.frame) as f32;
        let horizon = longest.min(HORIZON * usual / mean.max(f32::MIN_POSITIVE));
        fill_chunks(&mut self.rows, 4096, |first, rows| {
            for (row, speed) in rows.iter_mut().zip(&speeds[first..]) {
                let way = (speed * horizon).min(FARTHEST * large);
                let [x, y, z, _] = row.place;
                row.tether = [x, y, z, way + slack];
            }
        });
        // The edge has a thousandth to spare, for what rounding does to distances and cells.
        let frame = Frame::new(bounds, count, edge);
        spare.grid.sort(frame, &self.rows, &mut spare.order);
        self.permute();
        self.list(rolling)
    }

    /// The mean radius of the grains, m.
    fn mean_radius(&self) -> f32 {
        if self.radii[0] == self.radii[1] || self.is_empty() {
            return self.radii[1];
        }
        let sum: f64 = self.rows.iter().map(|row| f64::from(row.place[3])).sum();
        (sum / self.rows.len() as f64) as f32
    }

    /// The largest ball of a grain that is not hasty, m.
    fn common(&self) -> f32 {
        SLACK * self.radii[0] + COMMON * self.radii[1]
    }

    /// Puts the grains into cell order.
    fn permute(&mut self) {
        let count = self.len();
        let spare = &mut self.spare;
        let order = &spare.order;
        in_order(&mut spare.rows, &self.rows, order);
        in_order(&mut spare.ids, &self.ids, order);
        in_order(&mut spare.came_from, &self.listed, order);
        self.listed.clear();
        self.listed.extend(0..count as u32);
        core::mem::swap(&mut self.rows, &mut spare.rows);
        core::mem::swap(&mut self.ids, &mut spare.ids);
        let common = self.common();
        let spare = &mut self.spare;
        let rows = &self.rows;
        for (axis, column) in spare.columns.iter_mut().enumerate() {
            column.resize(count + 8, f32::NAN);
            fill_chunks(column, 4096, |first, out| {
                for (i, out) in (first..).zip(out) {
                    *out = match rows.get(i) {
                        None => f32::NAN,
                        Some(row) if axis == 4 && row.tether[3] > common => f32::NAN,
                        Some(row) if axis < 3 => row.tether[axis],
                        Some(row) => row.tether[3] + row.place[3],
                    };
                }
            });
        }
        let hasty = (0..count as u32).filter(|&i| rows[i as usize].tether[3] > common);
        spare.hasty.clear();
        spare.hasty.extend(hasty);
    }

    /// Pairs of which one is hasty, both ways, by the chunk of the first one.
    fn pairs_of_hasty(&self, search: Search<'_>) -> Vec<Vec<[u32; 2]>> {
        let hasty = &self.spare.hasty;
        let mut farthest = self.common() + self.radii[1];
        for &i in hasty {
            let reach = search.columns[3][i as usize];
            if reach > farthest {
                farthest = reach;
            }
        }
        let level = self.options.level;
        let mut parts = vec![Vec::new(); hasty.len().div_ceil(HASTY_CHUNK)];
        fill_chunks(&mut parts, 1, |index, parts| {
            for pairs in parts {
                let from = index * HASTY_CHUNK;
                let to = (from + HASTY_CHUNK).min(hasty.len());
                let hasty = &hasty[from..to];
                FOUND.with_borrow_mut(|found| {
                    dispatch!(level, simd => all_hasty(simd, search, hasty, farthest, found, pairs));
                });
            }
        });
        let mut chunks = vec![Vec::new(); self.len().div_ceil(CHUNK)];
        for pair in parts.into_iter().flatten() {
            chunks[pair[0] as usize / CHUNK].push(pair);
        }
        chunks
    }

    /// Lists neighbours and walls; tells whether there was room.
    fn list(&mut self, rolling: bool) -> bool {
        let count = self.len();
        let mut new = core::mem::take(&mut self.spare.lists);
        core::mem::swap(&mut self.lists, &mut self.spare.lists);
        new.resize_with(count.div_ceil(CHUNK), Default::default);
        fill_chunks(&mut self.spare.lists, 1, |_, lists| {
            lists.iter_mut().for_each(Lists::index);
        });
        let spare = &self.spare;
        let [xs, ys, zs, reaches, common] = &spare.columns;
        let near = 2.0 * NEAR * self.radii[1];
        let mut search = Search {
            grid: &spare.grid,
            rows: &self.rows,
            columns: [xs, ys, zs, reaches, common],
            came_from: &spare.came_from,
            old: &spare.lists,
            hasty: &[],
            near_square: near * near,
            rolling,
        };
        let hasty = self.pairs_of_hasty(search);
        search.hasty = &hasty;
        let level = self.options.level;
        let (walls, rows) = (&self.walls, &self.rows);
        let crowded = AtomicBool::new(false);
        let slots = AtomicUsize::new(0);
        let most = MOST_SLOTS[0] + MOST_SLOTS[1] * count;
        fill_chunks(&mut new, 1, |index, lists| {
            for lists in lists {
                if crowded.load(Ordering::Relaxed) {
                    *lists = Lists::default();
                    continue;
                }
                let first = index * CHUNK;
                let fits = FOUND.with_borrow_mut(|found| {
                    dispatch!(level, simd => neighbours::fill(simd, search, first, found, lists))
                });
                let before = slots.fetch_add(lists.slots.len(), Ordering::Relaxed);
                if !fits || before + lists.slots.len() > most {
                    crowded.store(true, Ordering::Relaxed);
                }
                let own = first..(first + CHUNK).min(count);
                walls::fill(
                    &WallSearch {
                        walls,
                        level,
                        rows: &rows[own.clone()],
                        came_from: &search.came_from[own],
                        old: search.old,
                    },
                    lists,
                );
            }
        });
        self.lists = new;
        !crowded.into_inner()
    }
}

/// The items of a list in an order.
fn in_order<T: Copy + Send + Sync>(out: &mut Vec<T>, from: &[T], order: &[u32]) {
    out.truncate(from.len());
    out.extend_from_slice(&from[out.len()..]);
    fill_chunks(out, 4096, |first, out| {
        for (out, &at) in out.iter_mut().zip(&order[first..]) {
            *out = from[at as usize];
        }
    });
}

#[inline(always)]
fn all_hasty<S: Simd>(
    simd: S,
    search: Search<'_>,
    hasty: &[u32],
    farthest: f32,
    found: &mut Found,
    pairs: &mut Vec<[u32; 2]>,
) {
    for &i in hasty {
        neighbours::near_hasty(simd, search, i, farthest, found, pairs);
    }
}
