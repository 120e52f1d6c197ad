//! The value of a field and its gradient.

use jostle_simd::lanes::{Real, V3};

/// The value of a field at a point, or at eight, and its gradient.
#[derive(Clone, Copy, Debug)]
pub struct Sample<R> {
    /// m; negative inside.
    pub value: R,
    /// The direction in which the value grows, by how much a metre: of length 1 for a true distance.
    pub gradient: V3<R>,
}

impl<R: Real> Sample<R> {
    /// The union of two fields takes the smaller value.
    #[inline(always)]
    pub fn least(self, other: Self) -> Self {
        let mask = self.value.below(other.value);
        Self {
            value: R::choose(mask, self.value, other.value),
            gradient: V3::choose(mask, self.gradient, other.gradient),
        }
    }
}
