//! Evidence that a stretch of a motion is free of contact, which anyone can check in rational
//! arithmetic.

use glam::DVec3;

/// One stretch `[from, to]` of the step on which the distance stays above the minimum separation,
/// and why.
///
/// *Corner differences* are `a_i − b_j` of two edges, or `v − a`, `v − b`, `v − c` of a vertex and
/// a face; each is linear in t. At any time the values of `F` over the valid parameters are the
/// convex hull of the corner differences, and the primitives touch when it contains the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Piece {
    /// The direction `high + low` has a product above `min_separation · |direction|` with every
    /// corner difference at `from` and at `to`, and so, being linear, in between.
    Direction {
        /// Leading part of the direction.
        high: DVec3,
        /// What the leading part lacks; zero unless the march needed more digits.
        low: DVec3,
        /// Start of the stretch.
        from: f64,
        /// End of the stretch.
        to: f64,
    },
    /// The direction turns linearly in time from `start` at `from` to `end` at `to`. Its product
    /// with a corner difference is a quadratic whose three Bernstein coefficients on the stretch
    /// are all above `min_separation · max(|start|, |end|)`.
    TurningDirection {
        /// Direction at `from`: leading part and the rest.
        start: [DVec3; 2],
        /// Direction at `to`: leading part and the rest.
        end: [DVec3; 2],
        /// Start of the stretch.
        from: f64,
        /// End of the stretch.
        to: f64,
    },
    /// The coplanarity cubic `f = (E × G)·w` keeps one strict sign, with `|f|` above
    /// `min_separation · |E × G|`: the stretch splits into a few parts on each of which its four
    /// Bernstein coefficients have that sign.
    Cubic {
        /// Start of the stretch.
        from: f64,
        /// End of the stretch.
        to: f64,
    },
    /// Decided in exact arithmetic: no contact at t = 0, and none before `to` since nothing moves
    /// fast enough.
    Start {
        /// End of the stretch, which starts at 0.
        to: f64,
    },
}

impl Piece {
    /// The stretch `[from, to]`.
    pub const fn stretch(&self) -> [f64; 2] {
        match *self {
            Self::Direction { from, to, .. }
            | Self::TurningDirection { from, to, .. }
            | Self::Cubic { from, to } => [from, to],
            Self::Start { to } => [0.0, to],
        }
    }
}

/// The pieces that cover `[0, toi)`, or `[0, t_max]` when the motion is free. Consecutive pieces
/// share their end points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificate {
    /// In the order of time.
    pub pieces: Vec<Piece>,
}
