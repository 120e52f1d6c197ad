//! The numbers that were chosen rather than derived, and what breaks when they change.

/// Slack of the lists beside the predicted motion, in radii. Smaller lists go stale within a frame in dense
/// flow; larger ones hold more neighbours that never touch.
pub(super) const SLACK: f32 = 0.1;

/// How far most grains may stray between rebuilds beside the slack, in radii of the largest grain. Larger makes the
/// cells of the grid larger for all; smaller makes more grains hasty, which are searched for one by one.
pub(super) const COMMON: f32 = 0.5;

/// How far a grain may stray between rebuilds beside the slack, in radii of the largest grain. Grains that are still
/// faster force a rebuild within the frame.
pub(super) const FARTHEST: f32 = 4.0;

/// How far the mean grain may go between rebuilds, in radii of the largest grain: where all are fast, lists are rebuilt
/// within a frame rather than made long.
pub(super) const HORIZON: f32 = 0.4;

/// Where the largest radius is more than this many mean ones, that many of them take its place in the horizon: balls of
/// small grains as large as a much larger one would hold thousands of others.
pub(super) const MANY_SMALL: f32 = 4.0;

/// Frames that lists are made for at most: a flow at rest may start at any time.
pub(super) const MOST_FRAMES: f64 = 6.0;

/// Frames between two times when grains come in, unless the lists are rebuilt anyway: each time costs a rebuild.
pub(super) const EMISSION_FRAMES: u32 = 6;

/// Pairs nearer than this times twice the largest radius at a rebuild are listed first, as likely to touch. At least 1, so
/// that all that touch are among them.
pub(super) const NEAR: f32 = 1.01;

/// Slots of eight pairs that the lists may hold: so many, and so many a grain more. Dense packings of equal grains take
/// two a grain; thousands of grains in one place would fill the memory.
pub(super) const MOST_SLOTS: [usize; 2] = [1 << 19, 32];

/// A grain moves at most this share of the smallest radius in a sub-step: more would let impacts be as deep as
/// grains are large.
pub(super) const LONGEST_WAY: f64 = 0.25;

/// Sub-steps that speed may ask for, as a multiple of those that stability asks for. Beyond, the frame is
/// refused.
pub(super) const MOST_HASTE: u32 = 64;

/// Share of the stability limit that is used when nobody chooses.
pub(super) const SAFE_SHARE: f64 = 0.75;

/// Contacts that a grain of a dense packing has in the estimate of the stability limit. Random packings
/// have six on average.
pub(super) const CONTACTS: f64 = 6.0;

/// Radii that are possible, m.
pub(super) const RADII: [f32; 2] = [1e-6, 1e6];

/// Coordinates that are possible, m: beyond, squares of distances would overflow next to
/// [`NOWHERE`](super::rows::Row::NOWHERE).
pub(super) const FARTHEST_PLACE: f32 = 1e15;
