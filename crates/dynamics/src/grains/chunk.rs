//! A sub-step of one chunk at a SIMD level.

use std::cell::RefCell;

use fearless_simd::{Level, dispatch, prelude::*};

use super::lists::{CHUNK, Lists, NOBODY, NOBODY_ELSE, OUTSIDE, ROWS};
use super::rows::Row;
use super::substep::{self, Globals, Pushes, Table, Variant};
use super::twin;
use super::walls::{self, Touching};

/// What happened in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// A grain left its tether: the lists are stale.
    pub stale: bool,
    /// A grain is about to pass a wall.
    pub pierced: bool,
}

impl Outcome {
    /// What happened in either.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            stale: self.stale | other.stale,
            pierced: self.pierced | other.pierced,
        }
    }
}

/// Everything that a chunk reads.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub level: Level,
    pub variant: Variant,
    pub globals: &'a Globals,
    pub walls: &'a [Touching],
    pub before: &'a [Row],
}

/// What a thread needs for the chunk at hand.
struct Scratch {
    /// Four megabytes, of which a chunk uses some sixty kilobytes.
    table: Box<Table>,
    pushes: Pushes,
}

impl Scratch {
    /// `None` never: boxed slices have the lengths of the arrays they become.
    fn new() -> Option<Self> {
        Some(Self {
            table: vec![Row::NOWHERE; ROWS]
                .into_boxed_slice()
                .try_into()
                .ok()?,
            pushes: Pushes {
                ones: vec![[0.0; 8]; 2 * CHUNK]
                    .into_boxed_slice()
                    .try_into()
                    .ok()?,
                others: vec![[0.0; 8]; 2 * CHUNK]
                    .into_boxed_slice()
                    .try_into()
                    .ok()?,
            },
        })
    }
}

thread_local! {
    static SCRATCH: RefCell<Option<Scratch>> = const { RefCell::new(None) };
}

/// Steps the grains of a chunk, the first of which is `first`, and writes them.
pub(super) fn step(
    scene: &Scene<'_>,
    first: usize,
    lists: &mut Lists,
    after: &mut [Row],
) -> Outcome {
    // Taken out rather than borrowed: a field of a wall may use threads, and then this one may get at another chunk
    // before it is through with its own.
    let Some(mut scratch) = SCRATCH.take().or_else(Scratch::new) else {
        return Outcome::default();
    };
    let Scratch { table, pushes } = &mut scratch;
    let own = after.len();
    table[..own].copy_from_slice(&scene.before[first..first + own]);
    table[usize::from(NOBODY)] = Row::NOWHERE;
    table[usize::from(NOBODY_ELSE)] = Row::ELSEWHERE;
    for (row, &grain) in table[OUTSIDE..].iter_mut().zip(&lists.outside) {
        *row = scene.before[grain as usize];
    }
    pushes.clear();
    let outcome = variant(scene, table, lists, pushes, after);
    SCRATCH.set(Some(scratch));
    outcome
}

fn variant(
    scene: &Scene<'_>,
    table: &Table,
    lists: &mut Lists,
    pushes: &mut Pushes,
    after: &mut [Row],
) -> Outcome {
    let Variant { rolling, equal } = scene.variant;
    match (rolling, equal) {
        (true, true) => at_level::<true, true>(scene, table, lists, pushes, after),
        (true, false) => at_level::<true, false>(scene, table, lists, pushes, after),
        (false, true) => at_level::<false, true>(scene, table, lists, pushes, after),
        (false, false) => at_level::<false, false>(scene, table, lists, pushes, after),
    }
}

fn at_level<const ROLL: bool, const EQUAL: bool>(
    scene: &Scene<'_>,
    table: &Table,
    lists: &mut Lists,
    pushes: &mut Pushes,
    after: &mut [Row],
) -> Outcome {
    let level = scene.level;
    dispatch!(level, simd => all::<_, ROLL, EQUAL>(
        simd, scene, table, lists, pushes, after
    ))
}

#[inline(always)]
fn all<S: Simd, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    scene: &Scene<'_>,
    table: &Table,
    lists: &mut Lists,
    pushes: &mut Pushes,
    after: &mut [Row],
) -> Outcome {
    let globals = scene.globals;
    let (law, walls) = (&globals.law, scene.walls);
    let on_walls = &mut lists.walls;
    let pierced = walls::push::<S, ROLL>(simd, law, walls, on_walls, table, pushes);
    let stale = if simd.level().is_fallback() {
        twin::push_pairs::<ROLL, EQUAL>(globals, table, lists, pushes);
        twin::advance(globals, table, pushes, after)
    } else {
        substep::push_pairs::<S, ROLL, EQUAL>(simd, globals, table, lists, pushes);
        substep::advance(simd, globals, table, pushes, after)
    };
    Outcome { stale, pierced }
}
