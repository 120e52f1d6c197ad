//! How fast the bodies of a pair move against each other, and how closely it is looked at therefore.

use super::objective::LANES;
use crate::tolerances::{
    FAST_POINTS, FAST_SEEDS, FAST_WAY, MOVING_POINTS, MOVING_WAY, REGION_LARGEST, REGION_STEPS,
    SEEDS_SCANNED,
};

/// How soon the bodies of a pair may meet in a place where they do not touch yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Not before many steps have passed, or there is no other place.
    Resting,
    /// In some steps.
    Moving,
    /// In the next one.
    Fast,
}

impl Pace {
    /// Of bodies that move so far against each other in a step, at most, in m.
    pub(super) fn of(way: f64, margin: f32) -> Self {
        let share = way / f64::from(margin);
        if share > FAST_WAY {
            Self::Fast
        } else if share > MOVING_WAY {
            Self::Moving
        } else {
            Self::Resting
        }
    }

    pub(super) fn moves(self) -> bool {
        self != Self::Resting
    }

    /// How many new points there have to be at least beside so many cached ones: some, and what else there is room for.
    pub(super) fn points(self, cached: usize) -> usize {
        let least = match self {
            Self::Resting => return 0,
            Self::Moving => MOVING_POINTS,
            Self::Fast => FAST_POINTS,
        };
        (cached + least).next_multiple_of(LANES) - cached
    }

    /// Seeds of each body that are met.
    pub(super) fn seeds(self) -> usize {
        match self {
            Self::Resting | Self::Moving => SEEDS_SCANNED,
            Self::Fast => FAST_SEEDS,
        }
    }

    /// Candidates for new points that are looked at, at most: a multiple of eight.
    pub(super) fn looks(self) -> usize {
        match self {
            Self::Resting => LANES,
            Self::Moving => 2 * LANES,
            Self::Fast => MOST_LOOKED,
        }
    }

    /// Points that are closer than this touch in the same region, m: `near` or, when the bodies move, more.
    pub(super) fn region(self, way: f32, near: f32) -> f32 {
        if self.moves() {
            near.max((REGION_STEPS * way).min(REGION_LARGEST * near))
        } else {
            near
        }
    }
}

/// The most that [`Pace::looks`] says.
pub(super) const MOST_LOOKED: usize = 4 * LANES;
