//! What can be chosen about contacts.

use core::fmt;
use core::str::FromStr;

use fearless_simd::Level;

use super::ContactError;

/// How the objective is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Optimizer {
    /// Projected gradient with Barzilai–Borwein steps.
    #[default]
    Projected,
    /// The simplex method of Nelder and Mead.
    NelderMead,
    /// The ellipsoid method with deep cuts.
    Ellipsoid,
    /// Stochastic gradient descent.
    GradientDescent,
}

impl Optimizer {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Projected,
        Self::NelderMead,
        Self::Ellipsoid,
        Self::GradientDescent,
    ];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Projected => "projected",
            Self::NelderMead => "nelder-mead",
            Self::Ellipsoid => "ellipsoid",
            Self::GradientDescent => "sgd",
        }
    }
}

impl fmt::Display for Optimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no optimiser has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown optimizer {0:?}: one of projected, nelder-mead, ellipsoid, sgd")]
pub struct UnknownOptimizer(pub String);

impl FromStr for Optimizer {
    type Err = UnknownOptimizer;

    fn from_str(name: &str) -> Result<Self, UnknownOptimizer> {
        Self::ALL
            .into_iter()
            .find(|o| o.name() == name)
            .ok_or_else(|| UnknownOptimizer(name.to_owned()))
    }
}

/// What can be chosen about contacts. Lengths are those of the world, for bodies of about a metre.
#[derive(Clone, Copy, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each switches one thing of its own"
)]
pub struct ContactOptions {
    /// How the objective is minimised.
    pub optimizer: Optimizer,
    /// Points kept for each pair from step to step: `n_cache`. At most 32.
    pub cache: usize,
    /// New samples of a pair with a full cache in a step: `n_rand`. At most 32.
    pub random: usize,
    /// The weight of the repulsion between the points of a manifold: α.
    pub alpha: f32,
    /// Where optimisers of the paper stop, and how close two points are one: τ, m.
    pub tau: f32,
    /// How much the maximum of the two fields is smoothed: ε, m². The hard maximum when 0.
    pub epsilon: f32,
    /// At most so many steps of an optimiser.
    pub iterations: usize,
    /// Bodies closer than this have contacts, m: a skin that the solver keeps apart.
    pub margin: f32,
    /// By how much a new point has to be better than a cached one to replace it, m.
    pub replacement_threshold: f32,
    /// Whether a cached point keeps the one of the two normals that is closer to its last one.
    pub coherent_normals: bool,
    /// Whether cached points start with a simplex or an ellipsoid of the size of their way, not of that of the overlap.
    pub small_simplices: bool,
    /// Whether a pair of convex shapes whose cached points are all contacts gets new samples only when these points are
    /// optimised too: their overlap is convex, and there is no other region of contact to be found. Without any, a manifold
    /// could lack a corner for ever.
    pub skip_convex: bool,
    /// Whether cached contacts at rest are looked at without being moved, most of the time.
    pub reuse: bool,
    /// Whether a pair whose bodies move against each other gets more new samples, and its points are spread over all regions
    /// in which it may touch: the next contact of a rolling body is then known before it is one. Pairs that
    /// `skip_convex` holds for have one region only.
    pub watch_moving: bool,
    /// Whether new samples are drawn from the seeds of the shapes, not from the overlap of the boxes.
    pub curvature: bool,
    /// Whether pairs that Lipschitz bounds prove apart are skipped.
    pub separation_proofs: bool,
    /// A reference in place of caching and optimising: contacts from so many samples along each side of the overlap, at
    /// least 2 and at most 128, chosen anew in each step. Slow.
    pub dense: Option<usize>,
    /// What the random numbers come from.
    pub seed: u64,
    /// The SIMD level. Results do not depend on it.
    pub level: Level,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self {
            optimizer: Optimizer::default(),
            cache: 4,
            random: 1,
            alpha: 0.01,
            tau: 0.01,
            epsilon: 0.1,
            iterations: 50,
            margin: 0.02,
            replacement_threshold: 0.01,
            coherent_normals: true,
            small_simplices: true,
            skip_convex: true,
            reuse: true,
            watch_moving: true,
            curvature: true,
            separation_proofs: true,
            dense: None,
            seed: 0,
            level: Level::new(),
        }
    }
}

impl ContactOptions {
    /// Refuses options that make no sense.
    pub(super) fn check(&self) -> Result<(), ContactError> {
        let refuse = |option, value, range| {
            Err(ContactError::Option {
                option,
                value,
                range,
            })
        };
        for (option, value, most) in [
            ("cache", self.cache, 32),
            ("random", self.random, 32),
            ("iterations", self.iterations, 100_000),
            ("dense", self.dense.unwrap_or(0), 128),
        ] {
            if value > most {
                return refuse(option, value as f64, "in the range that is documented");
            }
        }
        for (option, value) in [
            ("alpha", self.alpha),
            ("tau", self.tau),
            ("epsilon", self.epsilon),
            ("margin", self.margin),
            ("replacement_threshold", self.replacement_threshold),
        ] {
            if !(0.0..=1e6).contains(&value) {
                return refuse(option, f64::from(value), "between 0 and 1e6");
            }
        }
        Ok(())
    }
}
