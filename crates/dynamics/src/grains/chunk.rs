//! A sub-step of one chunk at a SIMD level.

use fearless_simd::{Level, dispatch, prelude::*};

use super::lists::{CHUNK, Lists};
use super::rows::{Motion, Place};
use super::substep::{self, Before, Globals, Pushes, Variant};
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
    pub before: Before<'a>,
}

/// Steps the grains of a chunk, the first of which is `first`.
pub(super) fn step(
    scene: &Scene<'_>,
    first: usize,
    lists: &mut Lists,
    places: &mut [Place],
    motions: &mut [Motion],
) -> Outcome {
    let Variant {
        elastic,
        rolling,
        equal,
    } = scene.variant;
    match (elastic, rolling, equal) {
        (true, _, true) => at_level::<true, false, true>(scene, first, lists, places, motions),
        (true, _, false) => at_level::<true, false, false>(scene, first, lists, places, motions),
        (false, true, true) => at_level::<false, true, true>(scene, first, lists, places, motions),
        (false, true, false) => {
            at_level::<false, true, false>(scene, first, lists, places, motions)
        }
        (false, false, true) => {
            at_level::<false, false, true>(scene, first, lists, places, motions)
        }
        (false, false, false) => {
            at_level::<false, false, false>(scene, first, lists, places, motions)
        }
    }
}

fn at_level<const ELASTIC: bool, const ROLL: bool, const EQUAL: bool>(
    scene: &Scene<'_>,
    first: usize,
    lists: &mut Lists,
    places: &mut [Place],
    motions: &mut [Motion],
) -> Outcome {
    let level = scene.level;
    dispatch!(level, simd => all::<_, ELASTIC, ROLL, EQUAL>(
        simd, scene, first, lists, places, motions
    ))
}

#[inline(always)]
fn all<S: Simd, const ELASTIC: bool, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    scene: &Scene<'_>,
    first: usize,
    lists: &mut Lists,
    places: &mut [Place],
    motions: &mut [Motion],
) -> Outcome {
    let mut pushes: [Pushes; CHUNK / 8] = [[[[0.0; 8]; 3]; 2]; CHUNK / 8];
    let end = first + places.len();
    let pierced = walls::push::<S, ELASTIC, ROLL>(
        simd,
        &scene.globals.law,
        scene.walls,
        &mut lists.walls,
        &scene.before.places[first..end],
        &scene.before.motions[first..end],
        &mut pushes,
    );
    let (globals, before) = (scene.globals, scene.before);
    let stale = if simd.level().is_fallback() {
        substep::scalar::<ELASTIC, ROLL, EQUAL>(
            globals, before, first, lists, &pushes, places, motions,
        )
    } else {
        substep::wide::<S, ELASTIC, ROLL, EQUAL>(
            simd, globals, before, first, lists, &pushes, places, motions,
        )
    };
    Outcome { stale, pierced }
}
