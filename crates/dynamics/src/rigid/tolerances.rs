//! The numbers that were chosen rather than derived, and what breaks when they change.

/// The fastest that a body may move, m/s. A body that is pushed harder keeps this speed: it is the guard that keeps poses
/// finite whatever contacts a field invents. Bodies of a metre that are ten times slower already pass through each other.
pub(super) const MOST_SPEED: f64 = 1e4;

/// The fastest that a body may spin, rad/s: as above.
pub(super) const MOST_SPIN: f64 = 1e4;

/// The farthest that a body may start from the origin on an axis, m. Beyond, boxes in `f32` are coarser than bodies, and
/// at 1e9 positions in `f64` have steps of a tenth of a micrometre.
pub(super) const FARTHEST: f64 = 1e9;

/// The smallest and largest masses and moments of inertia: beyond, they or their inverses leave the range of `f32`.
pub(super) const MASSES: [f64; 2] = [1e-30, 1e30];

/// The smallest determinant of an inertia that is scaled to a mean moment of 1. Smaller: the body is thinner than one part
/// in ten million of its length in two directions, and the smallest push spins it without end.
pub(super) const FLAT: f64 = 1e-12;

/// By how much a box is grown beside the way of a frame, as a share of its smallest side, so that bodies at rest keep their
/// candidates. Larger: more candidates that never touch; smaller: the broad phase runs more often in slow motion.
pub(super) const SLACK: f64 = 0.05;

/// Penetration beyond the allowed one that is left alone, as a share of it. Without it, the last micrometres of every
/// resting contact keep position correction going for ever.
pub(super) const LEFT_ALONE: f32 = 0.01;

/// Colours of the solver: a body with more neighbours than this has the rest of its contacts solved one by one.
pub(super) const COLOURS: usize = 64;

/// Bodies a parallel task works on.
pub(super) const CHUNK: usize = 512;

/// Rows of eight contacts from which solving velocities and positions side by side pays: below, positions take less time than
/// it takes to wake a thread.
pub(super) const SIDE_BY_SIDE: usize = 64;

/// Bodies that are slower than this rest, m/s: of the centre of mass, and of the farthest corner about it. Larger: bodies
/// that creep freeze; smaller: piles that jitter never sleep.
pub(super) const SLEEP_SPEED: f64 = 0.05;

/// For how long all bodies of an island have to rest until it sleeps, s.
pub(super) const SLEEP_AFTER: f64 = 0.5;
