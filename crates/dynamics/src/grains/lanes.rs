//! Numbers and vectors that are one value or eight lanes: formulas are written once over them.

use core::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::{f32x8, mask32x8, prelude::*};

/// A value, or eight of them. No operation contracts or approximates, so that a lane has the bits of the value.
pub(super) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The answer of a comparison.
    type Mask: Copy;

    /// A constant in every lane; `self` tells of which kind.
    fn all(self, value: f32) -> Self;
    /// The correctly rounded square root.
    fn root(self) -> Self;
    /// Whether `self < other`; false for NaN.
    fn below(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, else `no`.
    fn choose(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The smaller one; the second one when they do not compare.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self::choose(self.below(other), self, other)
    }

    /// The value where it is positive, else zero.
    #[inline(always)]
    fn positive(self) -> Self {
        let zero = self.all(0.0);
        Self::choose(zero.below(self), self, zero)
    }
}

impl Real for f32 {
    type Mask = bool;

    #[inline(always)]
    fn all(self, value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn below(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn choose(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

impl<S: Simd> Real for f32x8<S> {
    type Mask = mask32x8<S>;

    #[inline(always)]
    fn all(self, value: f32) -> Self {
        Self::splat(self.token(), value)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn below(self, other: Self) -> mask32x8<S> {
        self.simd_lt(other)
    }

    #[inline(always)]
    fn choose(mask: mask32x8<S>, yes: Self, no: Self) -> Self {
        mask.select(yes, no)
    }
}

/// A vector of the plain kind, of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct V3<R> {
    pub x: R,
    pub y: R,
    pub z: R,
}

impl<R: Real> V3<R> {
    #[inline(always)]
    pub(super) fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub(super) fn dot(self, b: Self) -> R {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    #[inline(always)]
    pub(super) fn cross(self, b: Self) -> Self {
        Self::new(
            self.y * b.z - self.z * b.y,
            self.z * b.x - self.x * b.z,
            self.x * b.y - self.y * b.x,
        )
    }

    #[inline(always)]
    pub(super) fn times(self, s: R) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<R: Real> Add for V3<R> {
    type Output = Self;

    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<R: Real> Sub for V3<R> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}
