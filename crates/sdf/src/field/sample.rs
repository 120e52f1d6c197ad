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
        Self::choose(self.value.below(other.value), self, other)
    }

    /// The intersection of two fields takes the larger value.
    #[inline(always)]
    pub fn most(self, other: Self) -> Self {
        Self::choose(other.value.below(self.value), self, other)
    }

    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub fn choose(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            value: R::choose(mask, yes.value, no.value),
            gradient: V3::choose(mask, yes.gradient, no.gradient),
        }
    }

    /// The field of what is outside.
    #[inline(always)]
    pub(crate) fn inverted(self) -> Self {
        Self {
            value: -self.value,
            gradient: -self.gradient,
        }
    }

    /// The value cut to the larger one of a constant and of another field. Where the constant is the value the gradient
    /// stays that of this field, to still say which way is out.
    #[inline(always)]
    pub(crate) fn capped(self, far: R, bounds: Self) -> Self {
        let limit = far.most(bounds.value);
        let cut = limit.below(self.value);
        let other = R::both(cut, far.below(bounds.value));
        Self {
            value: R::choose(cut, limit, self.value),
            gradient: V3::choose(other, bounds.gradient, self.gradient),
        }
    }
}
