//! A field and what is worked out of it once.

use fearless_simd::Level;
use glam::Vec3;
use jostle_geom::Rng;
use jostle_simd::Aabb;
use thiserror::Error;

use crate::Field;
use crate::mass::MassProperties;
use crate::seeds::{SeedIndex, find};
use crate::tolerances::{STEEPER, TRIES, VALUE_ROUNDING};

/// What goes into a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeOptions {
    /// Points of the surface where the Laplacian is larger than this are seeds: in units of one over the largest
    /// extent of the shape.
    pub curvature: f32,
    /// At most so many seeds: the sharpest first, then evenly spread.
    pub seeds: usize,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self {
            curvature: crate::tolerances::CURVATURE,
            seeds: 512,
        }
    }
}

/// A field that no shape can be made of.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// The value or the gradient is not a number somewhere.
    #[error("the field is not finite at ({}, {}, {})", at.x, at.y, at.z)]
    NotFinite {
        /// In the coordinates of the field.
        at: Vec3,
    },
    /// The value changes faster than the field says.
    #[error(
        "between {a} and {b} the field changes by {slope} a metre, more than the {bound} it promises"
    )]
    NotLipschitz {
        /// In the coordinates of the field.
        a: Vec3,
        /// The same point where the gradient is already too long.
        b: Vec3,
        /// What was found.
        slope: f32,
        /// What the field says.
        bound: f32,
    },
    /// A point outside of the box of the field is inside of the field.
    #[error("the field is negative at {at}, outside of its own box")]
    Outside {
        /// In the coordinates of the field.
        at: Vec3,
    },
}

/// A field together with what a simulation wants to know of it: made once, shared by all bodies that look like it.
#[derive(Clone, Debug)]
pub struct Shape {
    field: Field,
    aabb: Aabb,
    lipschitz: f32,
    convex: bool,
    mass: MassProperties,
    seeds: SeedIndex,
}

impl Shape {
    /// Works out everything. Cost: some hundred thousand evaluations of the field, a few milliseconds.
    ///
    /// A field without an inside makes a shape of volume 0, and one without an end a shape of infinite volume: both are
    /// for bodies that forces do not move, see [`MassProperties::can_move`].
    ///
    /// # Errors
    /// A field whose value is not finite, that breaks its own Lipschitz bound, or that is negative outside of its box,
    /// where that is seen by sampling.
    pub fn new(field: Field, options: &ShapeOptions) -> Result<Self, ShapeError> {
        let level = Level::new();
        let aabb = field.aabb();
        let grown = around(&field);
        check(&field, grown, level)?;
        let radius = 0.5 * (grown.max - grown.min).length();
        Ok(Self {
            lipschitz: field.lipschitz_in(grown.centre(), radius),
            convex: field.is_convex(),
            mass: MassProperties::of(&field, level),
            seeds: SeedIndex::new(&find(&field, options, level)),
            aabb,
            field,
        })
    }

    /// The field.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// A box around the surface and the inside.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// How much the value can change, at most, by metre of way, within the box grown by a tenth of its size.
    pub fn lipschitz(&self) -> f32 {
        self.lipschitz
    }

    /// Whether the inside is convex, as far as is known.
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// Volume, centre and inertia for a density of 1 kg/m³.
    pub fn mass(&self) -> &MassProperties {
        &self.mass
    }

    /// Points of the surface where it is strongly curved.
    pub fn seeds(&self) -> &SeedIndex {
        &self.seeds
    }
}

/// The box grown by a tenth of its largest extent, or a part of it about the origin where it has no end.
fn around(field: &Field) -> Aabb {
    const REACH: f32 = 100.0;
    let aabb = field.aabb();
    if !field.is_bounded() {
        return Aabb::new(Vec3::splat(-REACH), Vec3::splat(REACH));
    }
    let more = 0.1 * (aabb.max - aabb.min).max_element();
    Aabb::new(aabb.min - more, aabb.max + more)
}

/// Tries a field at random pairs of points, from close to far apart.
fn check(field: &Field, within: Aabb, level: Level) -> Result<(), ShapeError> {
    let aabb = field.aabb();
    let (centre, half) = (within.centre(), 0.5 * (within.max - within.min));
    let extent = half.max_element();
    let mut rng = Rng::new(0x5A3E, 0);
    let mut points = Vec::with_capacity(2 * TRIES);
    for _ in 0..TRIES {
        let a = centre + rng.cube().as_vec3() * half;
        let distance = extent * libm::pow(10.0, rng.range(-3.0, 0.0)) as f32;
        let b = a + rng.direction().as_vec3() * distance;
        points.extend([a, b.clamp(within.min, within.max)]);
    }
    let mut samples = Vec::new();
    field.sample_all(level, &points, &mut samples);
    for (p, s) in points.iter().zip(&samples) {
        let g = Vec3::from(s.gradient);
        if !(s.value.is_finite() && g.is_finite()) {
            return Err(ShapeError::NotFinite { at: *p });
        }
        let rounding = VALUE_ROUNDING * (extent + p.abs().max_element());
        let outside = (aabb.min - p).max(*p - aabb.max).max_element() > 1e-4 * extent;
        if outside && field.is_bounded() && s.value < -rounding {
            return Err(ShapeError::Outside { at: *p });
        }
        let bound = field.lipschitz_in(*p, 0.0);
        if g.length() > bound * (1.0 + STEEPER) {
            return Err(ShapeError::NotLipschitz {
                a: *p,
                b: *p,
                slope: g.length(),
                bound,
            });
        }
    }
    for (p, s) in points.chunks_exact(2).zip(samples.chunks_exact(2)) {
        let (a, b) = (p[0], p[1]);
        let apart = a.distance(b);
        let bound = field.lipschitz_in(0.5 * (a + b), 0.5 * apart);
        let change = (s[0].value - s[1].value).abs();
        let rounding = VALUE_ROUNDING * (extent + a.abs().max_element());
        if change > bound * apart * (1.0 + STEEPER) + rounding {
            let slope = change / apart;
            return Err(ShapeError::NotLipschitz { a, b, slope, bound });
        }
    }
    Ok(())
}
