//! One query: two primitives over one step, and what can be said about them.

use core::fmt;
use core::str::FromStr;

use glam::DVec3;
use jostle_geom::{Frame, PairKind};
use thiserror::Error;

/// A vertex against a face, or an edge against an edge, moving linearly over one step.
///
/// The four points are `v, a, b, c` (vertex, then the face) for [`PairKind::VertexFace`] and
/// `a0, a1, b0, b1` for [`PairKind::EdgeEdge`]. Metres; any frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Which primitives the four points are.
    pub kind: PairKind,
    /// The four points at t = 0.
    pub t0: [DVec3; 4],
    /// The four points at t = 1.
    pub t1: [DVec3; 4],
}

impl Query {
    /// A vertex against a face.
    pub const fn vertex_face(t0: [DVec3; 4], t1: [DVec3; 4]) -> Self {
        Self {
            kind: PairKind::VertexFace,
            t0,
            t1,
        }
    }

    /// An edge against an edge.
    pub const fn edge_edge(t0: [DVec3; 4], t1: [DVec3; 4]) -> Self {
        Self {
            kind: PairKind::EdgeEdge,
            t0,
            t1,
        }
    }

    /// Refuses NaN and infinities.
    ///
    /// # Errors
    /// [`QueryError::Coordinate`] names the first bad one.
    pub fn validate(&self) -> Result<(), QueryError> {
        for (frame, points) in [(Frame::Start, &self.t0), (Frame::End, &self.t1)] {
            for (point, p) in points.iter().enumerate() {
                if let Some(axis) = (0..3).find(|&axis| !p[axis].is_finite()) {
                    return Err(QueryError::Coordinate {
                        frame,
                        point,
                        axis,
                        value: p[axis],
                    });
                }
            }
        }
        Ok(())
    }
}

/// What a narrow phase is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryOptions {
    /// Distance in metres at or below which the primitives count as touching. Default 0.
    pub min_separation: f64,
    /// Only contacts in `[0, t_max]` count. Default 1.
    pub t_max: f64,
    /// Distance in metres below which `inclusion` and `additive` stop refining. The separating
    /// march needs none. Default 1e-9.
    pub tolerance: f64,
    /// Time (share of the step) below which `inclusion` stops refining, and to which exact
    /// decisions certify their times at least. Default 1e-6.
    pub time_tolerance: f64,
    /// Iterations (cells of `inclusion`, advances of `additive`, rounds of `separating`) after which
    /// the answer is [`Outcome::Undecided`]. `separating` decides exactly what takes it more than 64
    /// rounds, unless this budget is smaller. Default 1,000,000.
    pub max_iterations: u32,
    /// Settle in exact arithmetic what the rounding bound leaves in doubt. Default false.
    pub exact: bool,
}

impl Default for QueryOptions {
    fn default() -> Self {
        Self {
            min_separation: 0.0,
            t_max: 1.0,
            tolerance: 1e-9,
            time_tolerance: 1e-6,
            max_iterations: 1_000_000,
            exact: false,
        }
    }
}

impl QueryOptions {
    /// Refuses values outside their range.
    ///
    /// # Errors
    /// [`QueryError::Option`] names the option.
    pub fn validate(&self) -> Result<(), QueryError> {
        let bad = |name, value| Err(QueryError::Option { name, value });
        if !(self.min_separation >= 0.0 && self.min_separation.is_finite()) {
            return bad("min_separation", self.min_separation);
        }
        if !(0.0..=1.0).contains(&self.t_max) {
            return bad("t_max", self.t_max);
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return bad("tolerance", self.tolerance);
        }
        if !(self.time_tolerance > 0.0 && self.time_tolerance.is_finite()) {
            return bad("time_tolerance", self.time_tolerance);
        }
        if self.max_iterations == 0 {
            return bad("max_iterations", 0.0);
        }
        Ok(())
    }
}

/// The answer to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// Proved: no contact in `[0, t_max]`.
    Free,
    /// Contact, or too close to one for the arithmetic used to tell. `toi` is a lower bound of
    /// the exact first time of contact, if there is one.
    Impact {
        /// In `[0, t_max]`.
        toi: f64,
    },
    /// The budget ended first. There is no contact before `toi`.
    Undecided {
        /// In `[0, t_max]`.
        toi: f64,
    },
}

impl Outcome {
    /// The time up to which the motion is proved free, or `None` when all of it is.
    #[inline]
    pub const fn toi(self) -> Option<f64> {
        match self {
            Self::Free => None,
            Self::Impact { toi } | Self::Undecided { toi } => Some(toi),
        }
    }

    /// Whether the budget ended before the answer.
    #[inline]
    pub const fn is_undecided(self) -> bool {
        matches!(self, Self::Undecided { .. })
    }
}

impl Counters {
    /// Adds another answer's cost.
    pub fn add(&mut self, other: Self) {
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.double_double = self.double_double.saturating_add(other.double_double);
        self.exact = self.exact.saturating_add(other.exact);
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Boxes subdivided, or steps marched.
    pub iterations: u32,
    /// Marches that were repeated in double-double arithmetic.
    pub double_double: u32,
    /// Decisions made in exact arithmetic.
    pub exact: u32,
}

/// An outcome and what it cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The outcome.
    pub outcome: Outcome,
    /// The cost.
    pub counters: Counters,
}

/// The narrow phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NarrowPhase {
    /// Certified marching along time by separating directions and the coplanarity cubic.
    #[default]
    Separating,
    /// Subdivision of (t, u, v) with inclusion boxes; the published method.
    Inclusion,
    /// Conservative advancement by distance over relative speed.
    Additive,
}

impl NarrowPhase {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Separating, Self::Inclusion, Self::Additive];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Separating => "separating",
            Self::Inclusion => "inclusion",
            Self::Additive => "additive",
        }
    }
}

impl fmt::Display for NarrowPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for NarrowPhase {
    type Err = UnknownNarrowPhase;

    fn from_str(name: &str) -> Result<Self, UnknownNarrowPhase> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| UnknownNarrowPhase(name.to_owned()))
    }
}

/// A narrow-phase name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown narrow phase {0:?}: one of separating, inclusion, additive")]
pub struct UnknownNarrowPhase(pub String);

/// Why a query was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A coordinate is NaN or infinite.
    #[error("point {point} at the {frame} of the step has coordinate {} = {value}, which is not finite", ["x", "y", "z"][*axis])]
    Coordinate {
        /// Which end of the step.
        frame: Frame,
        /// Which of the four points.
        point: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// An option is outside its range.
    #[error("option {name} = {value} is out of range")]
    Option {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

/// The time of impact of one query: at most the exact first time at which the distance is at most
/// the minimum separation.
///
/// # Errors
/// Non-finite coordinates and options out of range.
pub fn time_of_impact(
    query: &Query,
    method: NarrowPhase,
    options: &QueryOptions,
) -> Result<Answer, QueryError> {
    query.validate()?;
    options.validate()?;
    Ok(solve(query, method, options))
}

/// [`time_of_impact`] of a query and options known to be valid.
pub(crate) fn solve(query: &Query, method: NarrowPhase, options: &QueryOptions) -> Answer {
    let answer = match method {
        // Settles what is in doubt itself: it knows what is not.
        NarrowPhase::Separating => return crate::separating::solve(query, options),
        NarrowPhase::Inclusion => crate::inclusion::solve(query, options),
        NarrowPhase::Additive => crate::additive::solve(query, options),
    };
    if !options.exact || answer.outcome == Outcome::Free {
        return answer;
    }
    let outcome = crate::exact::first_contact(
        query,
        options.min_separation,
        options.t_max,
        options.time_tolerance,
    );
    let counters = Counters {
        exact: answer.counters.exact + 1,
        ..answer.counters
    };
    Answer { outcome, counters }
}
