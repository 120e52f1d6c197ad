//! Fields that others write.

use core::fmt;

use glam::Vec3;
use jostle_simd::Aabb;
use jostle_simd::lanes::{Real, V3};

use super::Sample;

/// A field written by a user of this crate.
pub trait UserField: fmt::Debug + Send + Sync {
    /// Value and gradient at a point; both finite for finite points.
    fn sample(&self, p: Vec3) -> Sample<f32>;

    /// How much the value can change, at most, by metre of way. Contacts are missed when it is too small.
    fn lipschitz(&self) -> f32;

    /// A box around the surface and the inside.
    fn aabb(&self) -> Aabb;

    /// Whether the inside is convex.
    fn is_convex(&self) -> bool {
        false
    }
}

/// Lane by lane.
#[inline(always)]
pub(super) fn lanes<R: Real>(field: &dyn UserField, p: V3<R>) -> Sample<R> {
    let (x, y, z) = (p.x.to_eight(), p.y.to_eight(), p.z.to_eight());
    let mut out = [[0.0; 8]; 4];
    for lane in 0..R::LANES {
        let s = field.sample(Vec3::new(x[lane], y[lane], z[lane]));
        out[0][lane] = s.value;
        out[1][lane] = s.gradient.x;
        out[2][lane] = s.gradient.y;
        out[3][lane] = s.gradient.z;
    }
    Sample {
        value: p.x.take(&out[0]),
        gradient: V3::new(p.x.take(&out[1]), p.x.take(&out[2]), p.x.take(&out[3])),
    }
}
