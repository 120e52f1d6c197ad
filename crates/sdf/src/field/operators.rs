//! What is done to points before a field is asked and to its answers after: all of the operators, over one point or eight.

use glam::Vec3;
use jostle_simd::lanes::{Real, V3};

use super::Sample;
use super::trig::sin_cos;

/// The frequency of displacement, rad/m.
pub(super) const RIPPLE: f32 = 7.0;

/// min(a, b) − h² k/4 with h = max(k − |a − b|, 0)/k: the polynomial of Quilez (*Smooth minimum*, 2013), once
/// differentiable. Its gradient is a convex combination of those of both.
#[inline(always)]
pub(super) fn smooth_least<R: Real>(a: Sample<R>, b: Sample<R>, k: f32) -> Sample<R> {
    let width = a.value.all(k);
    let mask = a.value.below(b.value);
    let low = Sample::choose(mask, a, b);
    let high = Sample::choose(mask, b, a);
    let h = (width - (high.value - low.value)).positive() * a.value.all(1.0 / k);
    let share = h * a.value.all(0.5);
    let rest = a.value.all(1.0) - share;
    Sample {
        value: low.value - h * h * a.value.all(0.25 * k),
        gradient: low.gradient.times(rest) + high.gradient.times(share),
    }
}

#[inline(always)]
pub(super) fn offset<R: Real>(s: Sample<R>, distance: f32) -> Sample<R> {
    Sample {
        value: s.value - s.value.all(distance),
        gradient: s.gradient,
    }
}

#[inline(always)]
pub(super) fn shell<R: Real>(s: Sample<R>, half_thickness: f32) -> Sample<R> {
    let inside = s.value.below(s.value.all(0.0));
    offset(Sample::choose(inside, s.inverted(), s), half_thickness)
}

/// A point turned about the z axis by an angle that depends on the point, and what is needed to turn a gradient back.
#[derive(Clone, Copy)]
pub(super) struct Turned<R> {
    pub(super) point: V3<R>,
    sin: R,
    cos: R,
}

impl<R: Real> Turned<R> {
    #[inline(always)]
    pub(super) fn by(p: V3<R>, angle: R) -> Self {
        let (sin, cos) = sin_cos(angle);
        Self {
            point: V3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z),
            sin,
            cos,
        }
    }

    /// q = R(k x) p, so ∂q/∂p = R + k q⊥ eₓᵀ with q⊥ = (−q.y, q.x, 0).
    #[inline(always)]
    pub(super) fn unbent(self, s: Sample<R>, k: f32) -> Sample<R> {
        let (turned, along) = self.back(s, k);
        Sample {
            value: s.value,
            gradient: V3::new(turned.x + along, turned.y, turned.z),
        }
    }

    /// q = R(k z) p, so ∂q/∂p = R + k q⊥ nᵀ with n along z.
    #[inline(always)]
    pub(super) fn untwisted(self, s: Sample<R>, k: f32) -> Sample<R> {
        let (turned, along) = self.back(s, k);
        Sample {
            value: s.value,
            gradient: V3::new(turned.x, turned.y, turned.z + along),
        }
    }

    #[inline(always)]
    fn back(self, s: Sample<R>, k: f32) -> (V3<R>, R) {
        let (g, q) = (s.gradient, self.point);
        let turned = V3::new(
            self.cos * g.x + self.sin * g.y,
            self.cos * g.y - self.sin * g.x,
            g.z,
        );
        (turned, (q.x * g.y - q.y * g.x) * g.x.all(k))
    }
}

/// φ + k sin 7x sin 7y sin 7z.
#[inline(always)]
pub(super) fn displaced<R: Real>(p: V3<R>, s: Sample<R>, k: f32) -> Sample<R> {
    let w = p.x.all(RIPPLE);
    let (sx, cx) = sin_cos(p.x * w);
    let (sy, cy) = sin_cos(p.y * w);
    let (sz, cz) = sin_cos(p.z * w);
    let kw = p.x.all(k * RIPPLE);
    let (xy, z) = (sx * sy, sz * kw);
    Sample {
        value: s.value + xy * sz * p.x.all(k),
        gradient: V3::new(
            s.gradient.x + cx * sy * z,
            s.gradient.y + sx * cy * z,
            s.gradient.z + xy * cz * kw,
        ),
    }
}

/// Where a field is put: turned, scaled, moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// Images of the axes.
    pub(crate) columns: [Vec3; 3],
    pub(crate) translation: Vec3,
    pub(crate) scale: f32,
}

impl Placement {
    #[inline(always)]
    pub(super) fn before<R: Real>(&self, p: V3<R>) -> V3<R> {
        let p = p - V3::all(p.x, self.translation);
        let shrink = p.x.all(1.0 / self.scale);
        V3::new(
            V3::all(p.x, self.columns[0]).dot(p) * shrink,
            V3::all(p.x, self.columns[1]).dot(p) * shrink,
            V3::all(p.x, self.columns[2]).dot(p) * shrink,
        )
    }

    #[inline(always)]
    pub(super) fn after<R: Real>(&self, s: Sample<R>) -> Sample<R> {
        let g = s.gradient;
        Sample {
            value: s.value * g.x.all(self.scale),
            gradient: V3::all(g.x, self.columns[0]).times(g.x)
                + V3::all(g.x, self.columns[1]).times(g.y)
                + V3::all(g.x, self.columns[2]).times(g.z),
        }
    }
}
