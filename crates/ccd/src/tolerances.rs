//! Every tolerance of this crate: unit, value, and what breaks when it changes.

// --- The separating march -----------------------------------------------------------------------

/// Rounding of a direction's products, in units of `u · Σ |d_i| max_t |D_i|` (u = 2⁻⁵³, or that of
/// double-double). Derived in `docs/guarantees.md`: 4u for the products, 1u for the subtraction of
/// the bound, 2u for the quotient that gives the end of the interval; on lanes, whose corners are
/// sums, 2u more. Smaller than 9: contacts are passed over. Larger: more false positives near
/// contact.
pub(crate) const DIRECTION_ROUNDING: f64 = 16.0;

/// Rounding of a Bernstein coefficient of the coplanarity cubic on any subinterval, in units of
/// `u · S`, S the permanent of the componentwise maxima of |E|, |G| and |w|. Derived in
/// `docs/guarantees.md`: 11u for the coefficients on [0, 1], 9u for three rounds of blossoming, 1u
/// for the comparison. Smaller than 22: contacts are passed over. Larger: times of impact get
/// earlier.
pub(crate) const CUBIC_ROUNDING: f64 = 40.0;

/// The share by which a crossing of the cubic's hull is shortened: above the 8u of its quotient,
/// scaling and product, and the 8u more that heights lose in double-double, where only their leading
/// parts are compared. Smaller: a root could be stepped over.
pub(crate) const CROSSING_SHORTENED: f64 = 4e-15;

/// Absolute part of the direction's bound, in units of the coordinates (largest within 2^±200):
/// covers products that underflow, each by at most 2⁻¹⁰⁷⁴. Smaller than 2⁻¹⁰⁶⁰: subnormal
/// differences can be taken for a separation.
pub(crate) const UNDERFLOW_DIRECTION: f64 = 1e-300;

/// Absolute part of the cubic's bound, cubic units: an underflow of 2⁻¹⁰⁷⁴ in `E × G` grows by |w|,
/// at most 2²⁰¹.
pub(crate) const UNDERFLOW_CUBIC: f64 = 1e-250;

/// Added to a norm computed as the root of a sum of squares: a vector whose squares underflow is
/// shorter than this. Smaller: tiny elements lose their minimum separation.
pub(crate) const UNDERFLOW_NORM: f64 = 2e-150;

/// Rounds after which a march that is still going is decided in exact arithmetic: it creeps along a
/// tangential approach. Marches of real scenes end within 12 rounds, of hard public queries within
/// 53. More: slower worst cases. Fewer: more exact decisions.
pub(crate) const EXACT_AFTER: u32 = 64;

/// Rounding of the Bernstein coefficients of `n·(D_i × D_j)` on a subinterval, in units of u times
/// the permanent of the magnitudes: 4u for each interpolated difference, 6u for the products and
/// sums; 14u in all. Smaller: a near miss could be called a proved contact.
pub(crate) const CROSSING_ROUNDING: f64 = 32.0;

/// A march whose time grows by less than this (share of the step) a round is creeping.
pub(crate) const CREEP: f64 = 1e-13;

/// Rounds of creeping after which a march stops and reports contact at the time it has reached.
/// More: slower, and a few near misses told from contacts.
pub(crate) const CREEPING_ROUNDS: u32 = 3;

/// Rounds after which the march also tries directions that turn in time.
pub(crate) const TURN_AFTER: u32 = 3;

/// A direction that brings the march on by at least this share of what is left is taken at once,
/// without looking for a better one.
pub(crate) const GOOD_SHARE: f64 = 0.25;

/// Products of a query's vectors by the lanes neither over- nor underflow when no coordinate is
/// larger than this: the largest is of degree eight. Beyond it every query is marched by itself,
/// which rescales it.
pub(crate) const LARGEST_FOR_LANES: f64 = 1e18;

/// Candidates a box from which on the diagonal bounds of all elements pay for themselves. Changes
/// the time taken, not the answer.
pub(crate) const DOP_CANDIDATES: u64 = 6;

/// Adaptive predicates are exact when no product under- or overflows: for coordinates between this
/// and its inverse, with room to spare.
pub(crate) const PREDICATE_LIMIT: f64 = 1e30;

// --- Whole steps --------------------------------------------------------------------------------

/// The sample that bounds the time of a step before all primitives are looked at: one primitive in
/// so many. Changes the time taken, not the answer.
pub(crate) const SAMPLE_ONE_IN: u32 = 512;

/// A sample of fewer primitives than this is not worth its while.
pub(crate) const SAMPLE_LEAST: usize = 100;

/// The distance at the start of a pair is bounded from above in `f64` when that is within this share
/// of the bound from below, and in exact arithmetic otherwise. Larger: shorter steps.
pub(crate) const START_DISTANCE_SHARE: f64 = 1e-6;

/// How far beyond the time of a sample the next window reaches, relative and in shares of the step.
/// Larger than the gap between a time of impact and its lower bound, so that every pair that might
/// be the earliest is seen again.
pub(crate) const SAMPLE_MARGIN: f64 = 1e-7;

// --- Shared ---------------------------------------------------------------------------------------

/// Bound of the relative error of one `f64` operation, 2⁻⁵³.
pub(crate) const UNIT: f64 = f64::EPSILON / 2.0;

// --- Scaling -------------------------------------------------------------------------------------

/// Queries whose largest coordinate lies within `2^-LIMIT ..= 2^LIMIT` are solved as they are;
/// others are multiplied by a power of two first. Larger than 250: products of four lengths may
/// overflow. Smaller: ordinary input is copied for nothing.
pub(crate) const SCALE_LIMIT: i32 = 200;

/// What a minimum separation grows by, in units of the scaled query (whose largest length is about
/// 1), when scaling down may have rounded coordinates: 2⁻¹⁰⁷⁰. Smaller: contacts of points that
/// scaling moved apart could be missed.
pub(crate) const SCALE_LOSS: f64 = f64::MIN_POSITIVE / (1_u64 << 48) as f64;

// --- Inclusion -----------------------------------------------------------------------------------

/// Rounding error of an image bound, for each axis relative to `max|w| + max|E| + max|G|`: eight
/// roundings and one for the higher-order terms and for computing the bound. Smaller: contacts can
/// be missed.
pub(crate) const INCLUSION_ROUNDING: f64 = 9.0 * UNIT;

/// Share of its full range below which a parameter is not halved again, 2⁻⁵⁰: there the width of
/// the image is of the size of its rounding bound. It also keeps sums of two parameters exact.
pub(crate) const INCLUSION_FINEST: f64 = UNIT * 8.0;

// --- Additive ------------------------------------------------------------------------------------

/// Share of the initial gap (distance less minimum separation) at which the advancement stops. The
/// published method needs 0.1 to be safe; here any value is, and small ones cost little: on the
/// colliding pairs of the cloth-ball scene 0.1 takes 7 advances and reports contact too early by
/// 2e-2 of the step (median), 1e-6 takes 40 and 2e-7. Most other candidates take one or two
/// advances with either. Larger: earlier times and more false positives.
pub(crate) const ADDITIVE_SLACK: f64 = 1e-6;

/// Rounding error of a direction's product with a corner, relative to the sum over the axes of the
/// products of the magnitudes: eight roundings and one for the higher-order terms. Smaller: the
/// distance may come out too large and contacts can be missed.
pub(crate) const ADDITIVE_ROUNDING: f64 = 9.0 * UNIT;

/// Rounding error of a corner's displacement over the step, for each axis relative to the larger
/// of its end values: four roundings and one for the rest.
pub(crate) const ADDITIVE_SPEED_ROUNDING: f64 = 5.0 * UNIT;

/// Relative rounding error of a length computed as scaled square root, and of dividing by it.
pub(crate) const NORM_ROUNDING: f64 = 8.0 * UNIT;
