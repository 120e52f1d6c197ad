//! Numbers and vectors that are one value or eight lanes: formulas are written once over them.
//!
//! A formula over [`Real`] is its own scalar twin: with `f32` it is the plain formula, with `f32x8` eight of them, and
//! each lane has the bits of the plain one. Nothing here contracts, approximates or depends on the width.
//!
//! Everything is inlined, because a vector operation outside of the function that carries its target feature is a call.

use core::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::{f32x8, mask32x8, prelude::*};

/// A value, or eight of them. No operation contracts or approximates, so that a lane has the bits of the value.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The answer of a comparison.
    type Mask: Copy;
    /// How many values there are: 1 or 8.
    const LANES: usize;

    /// A constant in every lane; `self` tells of which kind.
    fn all(self, value: f32) -> Self;
    /// The correctly rounded square root.
    fn root(self) -> Self;
    /// Whether `self < other`; false for NaN.
    fn below(self, other: Self) -> Self::Mask;
    /// Whether `self <= other`; false for NaN.
    fn at_most(self, other: Self) -> Self::Mask;
    /// `yes` where the mask holds, else `no`.
    fn choose(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Where both masks hold.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Where at least one mask holds.
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Whether a lane of the mask holds.
    fn any(mask: Self::Mask) -> bool;
    /// Whether every lane of the mask holds.
    fn every(mask: Self::Mask) -> bool;
    /// The largest integer that is not larger.
    fn floored(self) -> Self;
    /// Without its sign.
    fn size(self) -> Self;
    /// The size of `self` with the sign bit of `other`.
    fn with_sign_of(self, other: Self) -> Self;
    /// The first [`LANES`](Self::LANES) values of eight; `self` tells of which kind.
    fn take(self, values: &[f32; 8]) -> Self;
    /// Its values, the one value in every place.
    fn to_eight(self) -> [f32; 8];

    /// The larger one; the second one when they do not compare.
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        Self::choose(other.below(self), self, other)
    }

    /// Between two bounds; `low` for NaN.
    #[inline(always)]
    fn between(self, low: Self, high: Self) -> Self {
        self.most(low).least(high)
    }

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
    const LANES: usize = 1;

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
    fn at_most(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn choose(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn both(a: bool, b: bool) -> bool {
        a & b
    }

    #[inline(always)]
    fn either(a: bool, b: bool) -> bool {
        a | b
    }

    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn every(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn floored(self) -> Self {
        self.floor()
    }

    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        self.copysign(other)
    }

    #[inline(always)]
    fn take(self, values: &[f32; 8]) -> Self {
        values[0]
    }

    #[inline(always)]
    fn to_eight(self) -> [f32; 8] {
        [self; 8]
    }
}

impl<S: Simd> Real for f32x8<S> {
    type Mask = mask32x8<S>;
    const LANES: usize = 8;

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
    fn at_most(self, other: Self) -> mask32x8<S> {
        self.simd_le(other)
    }

    #[inline(always)]
    fn choose(mask: mask32x8<S>, yes: Self, no: Self) -> Self {
        mask.select(yes, no)
    }

    #[inline(always)]
    fn both(a: mask32x8<S>, b: mask32x8<S>) -> mask32x8<S> {
        a & b
    }

    #[inline(always)]
    fn either(a: mask32x8<S>, b: mask32x8<S>) -> mask32x8<S> {
        a | b
    }

    #[inline(always)]
    fn any(mask: mask32x8<S>) -> bool {
        mask.any_true()
    }

    #[inline(always)]
    fn every(mask: mask32x8<S>) -> bool {
        mask.all_true()
    }

    #[inline(always)]
    fn floored(self) -> Self {
        self.floor()
    }

    #[inline(always)]
    fn size(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn with_sign_of(self, other: Self) -> Self {
        self.copysign(other)
    }

    #[inline(always)]
    fn take(self, values: &[f32; 8]) -> Self {
        Self::from_slice(self.token(), values)
    }

    #[inline(always)]
    fn to_eight(self) -> [f32; 8] {
        let mut values = [0.0; 8];
        self.store_slice(&mut values);
        values
    }

    #[inline(always)]
    fn most(self, other: Self) -> Self {
        if takes_the_second(self.token()) {
            self.max(other)
        } else {
            other.simd_lt(self).select(self, other)
        }
    }

    #[inline(always)]
    fn least(self, other: Self) -> Self {
        if takes_the_second(self.token()) {
            self.min(other)
        } else {
            self.simd_lt(other).select(self, other)
        }
    }
}

/// Whether the minimum and the maximum of the level are single instructions that answer as [`Real::least`] and
/// [`Real::most`] do: with the second value when the two are equal or do not compare. Those of x86 do, half as late as a
/// comparison and a choice.
#[inline(always)]
fn takes_the_second<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return !matches!(simd.level(), fearless_simd::Level::Fallback(_));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    return {
        let _ = simd;
        false
    };
}

/// A vector of the plain kind, of lanes.
#[derive(Clone, Copy, Debug)]
pub struct V3<R> {
    /// Along x.
    pub x: R,
    /// Along y.
    pub y: R,
    /// Along z.
    pub z: R,
}

impl<R: Real> V3<R> {
    /// A vector of its components.
    #[inline(always)]
    pub fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }

    /// The same vector in every lane; `like` tells of which kind.
    #[inline(always)]
    pub fn all(like: R, v: glam::Vec3) -> Self {
        Self::new(like.all(v.x), like.all(v.y), like.all(v.z))
    }

    /// x x' + y y' + z z', summed from the left.
    #[inline(always)]
    pub fn dot(self, b: Self) -> R {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// Its length.
    #[inline(always)]
    pub fn length(self) -> R {
        self.dot(self).root()
    }

    /// The cross product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self::new(
            self.y * b.z - self.z * b.y,
            self.z * b.x - self.x * b.z,
            self.x * b.y - self.y * b.x,
        )
    }

    /// `yes` where the mask holds, else `no`.
    #[inline(always)]
    pub fn choose(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self::new(
            R::choose(mask, yes.x, no.x),
            R::choose(mask, yes.y, no.y),
            R::choose(mask, yes.z, no.z),
        )
    }

    /// Scaled.
    #[inline(always)]
    pub fn times(self, s: R) -> Self {
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

impl<R: Real> Neg for V3<R> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl From<glam::Vec3> for V3<f32> {
    fn from(v: glam::Vec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<V3<f32>> for glam::Vec3 {
    fn from(v: V3<f32>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}
