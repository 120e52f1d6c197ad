//! Closed forms of distances to simple bodies, over one point or eight. All are true distances, outside and inside,
//! and their gradients have length 1 everywhere: where the nearest point of the surface is not unique, one is taken.

use glam::Vec3;
use jostle_simd::lanes::{Real, V3};

use super::Sample;

/// Lengths below this have no direction: their squares are about to underflow.
const SPECK: f32 = 1e-18;

/// The distance from the z axis, and the direction away from it: x on the axis itself.
#[inline(always)]
pub(super) fn away_from_z<R: Real>(x: R, y: R) -> (R, R, R) {
    let one = x.all(1.0);
    let radial = (x * x + y * y).root();
    let speck = radial.below(x.all(SPECK));
    let scale = one / R::choose(speck, one, radial);
    (radial, R::choose(speck, one, x * scale), y * scale)
}

/// A vector, its length, and a direction to take where it has none.
#[inline(always)]
pub(super) fn direction<R: Real>(v: V3<R>, length: R, otherwise: V3<R>) -> V3<R> {
    let one = length.all(1.0);
    let speck = length.below(length.all(SPECK));
    let scale = one / R::choose(speck, one, length);
    V3::choose(speck, otherwise, v.times(scale))
}

/// A ball about the origin.
#[inline(always)]
pub(super) fn ball<R: Real>(p: V3<R>, radius: f32) -> Sample<R> {
    let length = p.length();
    Sample {
        value: length - length.all(radius),
        gradient: direction(p, length, V3::all(length, Vec3::Z)),
    }
}

/// A value, and a gradient that is not yet of length 1, so that of several only the one that counts has to be divided.
#[derive(Clone, Copy)]
pub(super) struct Raw<R> {
    pub(super) value: R,
    pub(super) vector: V3<R>,
    /// Of the vector.
    pub(super) length: R,
    /// Of length 1, for when the vector has none.
    pub(super) otherwise: V3<R>,
}

impl<R: Real> Raw<R> {
    #[inline(always)]
    pub(super) fn choose(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            value: R::choose(mask, yes.value, no.value),
            vector: V3::choose(mask, yes.vector, no.vector),
            length: R::choose(mask, yes.length, no.length),
            otherwise: V3::choose(mask, yes.otherwise, no.otherwise),
        }
    }

    #[inline(always)]
    pub(super) fn least(self, other: Self) -> Self {
        Self::choose(self.value.below(other.value), self, other)
    }

    #[inline(always)]
    pub(super) fn sample(self) -> Sample<R> {
        Sample {
            value: self.value,
            gradient: direction(self.vector, self.length, self.otherwise),
        }
    }
}

#[inline(always)]
fn signed<R: Real>(sizes: V3<R>, signs: V3<R>) -> V3<R> {
    V3::new(
        sizes.x.with_sign_of(signs.x),
        sizes.y.with_sign_of(signs.y),
        sizes.z.with_sign_of(signs.z),
    )
}

/// All points closer to a box than a radius. Inside, where a corner is never nearest, the sum of both holds as well.
#[inline(always)]
pub(super) fn cuboid<R: Real>(p: V3<R>, half: Vec3, rounding: f32) -> Sample<R> {
    let raw = sharp_cuboid(p, half);
    Sample {
        value: raw.value - p.x.all(rounding),
        gradient: raw.sample().gradient,
    }
}

#[inline(always)]
pub(super) fn sharp_cuboid<R: Real>(p: V3<R>, half: Vec3) -> Raw<R> {
    let zero = p.x.all(0.0);
    let q = V3::new(
        p.x.size() - p.x.all(half.x),
        p.y.size() - p.x.all(half.y),
        p.z.size() - p.x.all(half.z),
    );
    let out = V3::new(q.x.positive(), q.y.positive(), q.z.positive());
    let length = out.length();
    let inner = q.x.most(q.y.most(q.z));
    // Inside, the face with the largest of the three.
    let one = p.x.all(1.0);
    let on_x = inner.at_most(q.x);
    let on_y = inner.at_most(q.y);
    let face = V3::new(
        R::choose(on_x, one, zero),
        R::choose(on_x, zero, R::choose(on_y, one, zero)),
        R::choose(R::either(on_x, on_y), zero, one),
    );
    Raw {
        value: length + inner.least(zero),
        vector: signed(out, p),
        length,
        otherwise: signed(face, p),
    }
}

/// All points closer to a segment of the z axis than a radius.
#[inline(always)]
pub(super) fn capsule<R: Real>(p: V3<R>, radius: f32, half_length: f32) -> Sample<R> {
    let z = p.z - p.z.between(p.z.all(-half_length), p.z.all(half_length));
    // On the segment away from it, beyond its ends along it.
    let v = V3::new(p.x, p.y, z);
    let length = v.length();
    Sample {
        value: length - length.all(radius),
        gradient: direction(v, length, V3::all(length, Vec3::X)),
    }
}

/// A cylinder along z: the distance to a rectangle in the half plane of radius and height.
#[inline(always)]
pub(super) fn cylinder<R: Real>(p: V3<R>, radius: f32, half_height: f32) -> Sample<R> {
    let zero = p.x.all(0.0);
    let one = p.x.all(1.0);
    let (radial, ex, ey) = away_from_z(p.x, p.y);
    let side = radial - radial.all(radius);
    let end = p.z.size() - radial.all(half_height);
    let (out_side, out_end) = (side.positive(), end.positive());
    let length = (out_side * out_side + out_end * out_end).root();
    let speck = length.below(length.all(SPECK));
    let scale = one / R::choose(speck, one, length);
    let on_side = end.at_most(side);
    let along = R::choose(speck, R::choose(on_side, one, zero), out_side * scale);
    let up = R::choose(speck, R::choose(on_side, zero, one), out_end * scale);
    Sample {
        value: length + side.most(end).least(zero),
        gradient: V3::new(ex * along, ey * along, up.with_sign_of(p.z)),
    }
}

/// A torus about the z axis.
#[inline(always)]
pub(super) fn torus<R: Real>(p: V3<R>, major: f32, minor: f32) -> Sample<R> {
    let one = p.x.all(1.0);
    let (radial, ex, ey) = away_from_z(p.x, p.y);
    let side = radial - radial.all(major);
    let length = (side * side + p.z * p.z).root();
    let speck = length.below(length.all(SPECK));
    let scale = one / R::choose(speck, one, length);
    let along = R::choose(speck, one, side * scale);
    Sample {
        value: length - length.all(minor),
        gradient: V3::new(ex * along, ey * along, p.z * scale),
    }
}

/// The points with n · x at most `offset`.
#[inline(always)]
pub(super) fn half_space<R: Real>(p: V3<R>, normal: Vec3, offset: f32) -> Sample<R> {
    let n = V3::all(p.x, normal);
    Sample {
        value: n.dot(p) - p.x.all(offset),
        gradient: n,
    }
}

/// A cone along z with its apex up and the origin half way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cone {
    pub(crate) radius: f32,
    pub(crate) half_height: f32,
    /// The outward normal of its side, away from the axis and along it.
    pub(crate) normal: [f32; 2],
    /// The length of its side.
    slant: f32,
}

impl Cone {
    pub(super) fn new(radius: f32, half_height: f32) -> Self {
        let (r, h) = (f64::from(radius), 2.0 * f64::from(half_height));
        let slant = (r * r + h * h).sqrt();
        Self {
            radius,
            half_height,
            normal: [(h / slant) as f32, (r / slant) as f32],
            slant: slant as f32,
        }
    }

    /// In the half plane of radius and height: nearest to the apex, to the rim, or to the inside of a side of the
    /// triangle, and then the larger of the two signed distances is the one.
    #[inline(always)]
    pub(super) fn sample<R: Real>(&self, p: V3<R>) -> Sample<R> {
        let zero = p.x.all(0.0);
        let one = p.x.all(1.0);
        let (n, up) = (p.x.all(self.normal[0]), p.x.all(self.normal[1]));
        let half = p.x.all(self.half_height);
        let (radial, ex, ey) = away_from_z(p.x, p.y);
        let from_apex = p.z - half;
        let side = n * radial + up * from_apex;
        let down = up * radial - n * from_apex;
        let base = -p.z - half;
        let from_rim = radial - p.x.all(self.radius);
        let past_rim = R::both(p.x.all(self.slant).at_most(down), zero.at_most(from_rim));
        let past_apex = down.at_most(zero);
        let vx = R::choose(past_rim, from_rim, radial);
        let vz = R::choose(past_rim, -base, from_apex);
        let length = (vx * vx + vz * vz).root();
        let corner = R::both(
            R::either(past_apex, past_rim),
            p.x.all(SPECK).at_most(length),
        );
        let scale = one / R::choose(corner, length, one);
        let on_side = base.at_most(side);
        let along = R::choose(on_side, n, zero);
        let rise = R::choose(on_side, up, -one);
        let along = R::choose(corner, vx * scale, along);
        let rise = R::choose(corner, vz * scale, rise);
        Sample {
            value: R::choose(corner, length, side.most(base)),
            gradient: V3::new(ex * along, ey * along, rise),
        }
    }
}
