//! Every tolerance of the crate: its unit, its value and what breaks when it changes.

/// Seeds are where the Laplacian of the field, times the largest extent of the shape, is larger than this (one over
/// unit size). Smaller: seeds on gently curved faces, where a contact is found anyway, crowd out edges and tips.
/// Larger: rounded edges have none.
pub(crate) const CURVATURE: f32 = 4.0;

// Lengths below are for bodies of a metre or more; pairs with a smaller one take them in proportion.

/// Steps of the projected gradient at most: more find nothing deeper, they only follow the repulsion along faces. Fewer: a
/// tower of ten boxes drifts by 0.05 m.
pub(crate) const PROJECTED_ITERATIONS: usize = 12;

/// The same for pairs that move: their points are followed in the next step anyway.
pub(crate) const MOVING_ITERATIONS: usize = 8;

/// The first step of the projected gradient, m. Smaller: a point takes several steps to leave a face for the edge where
/// the contact is. Larger: thin parts are jumped over.
pub(crate) const FIRST_MOVE: f32 = 0.05;

/// The same for pairs that move, whose new points come from farther off. With 0.05 a rolling body sinks in by 0.01 m now and
/// then.
pub(crate) const MOVING_FIRST_MOVE: f32 = 0.1;

/// How much a step may grow at once.
pub(crate) const STEP_GROWTH: f32 = 2.5;

/// How much it shrinks when it has crossed a crease.
pub(crate) const STEP_SHRINK: f32 = 0.7;

/// A point that would move less stays, m. It is the length of the step that is bounded, not that of the gradient: slopes
/// below 0.05 still lead to corners, which would be left inside the other body.
pub(crate) const STOP_MOVE: f32 = 0.005;

/// A point that would sink less stays, m.
pub(crate) const STOP_DECREASE: f32 = 1e-4;

/// The simplices of new points: this share of the size of the overlap. Of cached ones: at least five times τ.
pub(crate) const SIMPLEX_SHARE: f32 = 0.1;

/// A simplex over which the objective differs by less than this times τ is done: Nelder and Mead's own test.
pub(crate) const SIMPLEX_FLAT: f32 = 0.1;

/// Evaluations of a batch after which the points that repel each other are looked up again. Between, an objective stays
/// the same function, as simplices and cuts need; the values that are kept are corrected when it changes.
pub(crate) const LOOK_AGAIN: usize = 8;

/// The ellipsoid of a cached point: this much of its last one, the rest a new one around the overlap.
pub(crate) const ELLIPSOID_KEPT: f32 = 0.75;

/// Cuts deeper than this, of the radius, are made this deep: values of fields that are not convex ask for more.
pub(crate) const DEEPEST_CUT: f32 = 0.5;

/// The first step of the stochastic gradient descent for a gradient of length 1, m.
pub(crate) const DESCENT_STEP: f32 = 0.1;

/// Its noise, of the length of the gradient or of 1 if that is more.
pub(crate) const DESCENT_NOISE: f32 = 0.25;

/// Points that the dense reference makes a manifold of, at most.
pub(crate) const DENSE_POINTS: usize = 16;

/// Boxes that it looks at around the deepest one.
pub(crate) const DENSE_REFINEMENTS: usize = 16;

/// Seeds of a body met in a scan for new points. With 16 nothing gets better.
pub(crate) const SEEDS_SCANNED: usize = 8;

/// A pair whose bodies move more than this share of the margin against each other in a step is moving: they may meet in a
/// new place within a few steps. Larger: slowly tilting bodies sink in; smaller: piles at rest are looked at too closely.
pub(crate) const MOVING_WAY: f64 = 0.05;

/// Points of the overlap that are looked at in a moving pair beside seeds.
pub(crate) const MOVING_SAMPLES: usize = 8;

/// New points of a moving pair at least.
pub(crate) const MOVING_POINTS: usize = 4;

/// The same as [`MOVING_WAY`] for pairs that may meet in a new place within the next step. Larger: of twenty bodies that fall
/// onto spikes one sinks in by 0.04 m; smaller: wheels that turn take a fifth longer.
pub(crate) const FAST_WAY: f64 = 0.5;

/// New points of a fast pair at least.
pub(crate) const FAST_POINTS: usize = 12;

/// Seeds of a body met in a scan for new points of a fast pair.
pub(crate) const FAST_SEEDS: usize = 24;

/// Points of a moving pair that are closer than its way in so many steps, but at most this many times τ, touch in the same
/// region, for which the deepest of them stands. Without, a rolling body's cache is full of the region that it leaves.
pub(crate) const REGION_STEPS: f32 = 5.0;
/// See [`REGION_STEPS`].
pub(crate) const REGION_LARGEST: f32 = 10.0;

/// What a metre of distance from the points that are there is worth, against a metre of depth.
pub(crate) const SPREAD_WEIGHT: f32 = 0.1;

/// More distance than this is worth nothing, m.
pub(crate) const SPREAD_REACH: f32 = 0.5;

/// Levels of the octree in which pairs are proved apart.
pub(crate) const PROOF_DEPTH: u32 = 4;

/// Batches of eight cells spent on a proof at most.
pub(crate) const PROOF_BATCHES: u32 = 12;

/// By how much boxes are grown for a proof beyond the margin, m: what is proved then holds for a motion of twice that.
pub(crate) const PROOF_SLACK: f32 = 0.03;

/// A proof that has failed is not tried again for twice as many steps as the last time, at most this many.
pub(crate) const PROOF_BACKOFF: u8 = 16;

/// A cached contact whose bodies move less than this against each other in a step stays where it is, m.
pub(crate) const REST_MOVE: f32 = 1e-4;

/// Such a contact moves to its minimum again every so many steps.
pub(crate) const REST_STEPS: u32 = 4;

/// Not before its manifold has been full of contacts for so many steps: until then points move to the corners. With 16 a
/// tower of ten boxes drifts by 0.014 m instead of 0.006.
pub(crate) const REST_AFTER: u32 = 64;

/// Where the gradient is shorter than this, the way to the surface that it tells is not looked along.
pub(crate) const RELIABLE_SLOPE: f32 = 0.9;

/// When the cosine of the angle between the two normals at a point is smaller, the gap is looked at from both surfaces.
pub(crate) const GAP_ASKEW: f32 = 0.9995;

/// A pair without contact for so many steps is looked at every second step only.
pub(crate) const QUIET_STEPS: u32 = 16;

/// Unless they can move against each other by more than this share of the margin in a step.
pub(crate) const QUIET_WAY: f64 = 0.1;

/// The smallest length of a field, m. Smaller: squares of differences underflow.
pub(crate) const SMALLEST: f32 = 1e-6;

/// The largest length of a field, m, and where the boxes of fields without end end. Larger: cubes of it overflow.
pub(crate) const LARGEST: f32 = 1e6;

/// So many operators may be inside of each other. More: the recursion of values is too deep for the stack of a thread.
pub(crate) const DEEPEST: u32 = 64;

/// At most so many cells of a walk. More: a field with a huge Lipschitz bound takes all memory.
pub(crate) const MOST_CELLS: usize = 1 << 22;

/// By how much a Laplacian has to exceed the bound, by the bound. Smaller: rounding of gradients makes seeds of half of the
/// points of a body that has just the curvature of the bound, like a ball of unit size.
pub(crate) const CURVATURE_ROUNDING: f32 = 1.01;

/// The step of the differences that make the Laplacian, by the largest extent. Smaller: rounding of gradients is taken
/// for curvature. Larger: seeds lie beside edges.
pub(crate) const LAPLACIAN_STEP: f32 = 0.001;

/// How close to the surface a seed has to come, by the largest extent. Smaller: none where rounding is worse. Larger:
/// seeds of fields that are not distances float above the surface.
pub(crate) const SEED_SURFACE: f32 = 1e-4;

/// Pairs of points at which a new shape tries its field. Fewer: a broken bound is overlooked.
pub(crate) const TRIES: usize = 4096;

/// By how much a field may seem to break its bound, by the bound. Smaller: rounding of gradients is taken for a break.
pub(crate) const STEEPER: f32 = 1e-3;

/// By how much the value of a field may be off by rounding, by the largest coordinate. Smaller: far and close points of
/// good fields break their bound.
pub(crate) const VALUE_ROUNDING: f32 = 2e-6;
