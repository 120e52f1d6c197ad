//! The two precisions of the separating march: `f64`, and double-double for what `f64` leaves in
//! doubt. One kernel is written over both; nothing outside this crate sees the trait.

use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A number with a known relative rounding error an operation.
pub(crate) trait Real:
    Copy
    + PartialOrd
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Bound of the relative error of one addition, subtraction, multiplication or division
    /// without underflow.
    const UNIT: f64;
    /// The exact difference of two doubles, as exactly as the type can hold it: relative error at
    /// most [`UNIT`](Self::UNIT).
    fn difference(a: f64, b: f64) -> Self;
    /// The leading double.
    fn high(self) -> f64;
    /// The rest; zero for `f64`.
    fn low(self) -> f64;
}

impl Real for f64 {
    /// 2⁻⁵³.
    const UNIT: f64 = 1.1102230246251565e-16;

    #[inline(always)]
    fn difference(a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn high(self) -> f64 {
        self
    }
    #[inline(always)]
    fn low(self) -> f64 {
        0.0
    }
}

/// An unevaluated sum of two doubles, `|low| ≤ ulp(high) / 2`.
///
/// Operations and bounds: M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds
/// for basic building blocks of double-word arithmetic", ACM TOMS 44(2), 2017: sum 3u², product
/// 7u², quotient 15u² with u = 2⁻⁵³ (leading terms). Products are split after Dekker instead of
/// using a fused multiply-add, which baseline x86-64 lacks; that is exact below 2⁹⁹⁶. Sums,
/// products and quotients are calls: inlined, the march would be a quarter of a megabyte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DoubleDouble {
    high: f64,
    low: f64,
}

/// `a + b` exactly, as a rounded sum and its error (Knuth).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// `a + b` exactly when `|a| ≥ |b|` or `a = 0` (Dekker).
#[inline(always)]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Splits into two halves of 26 bits (Veltkamp).
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let scaled = 134217729.0 * a;
    let high = scaled - (scaled - a);
    (high, a - high)
}

/// `a · b` exactly, as a rounded product and its error, when nothing over- or underflows.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let (ah, al) = split(a);
    let (bh, bl) = split(b);
    (product, ((ah * bh - product) + ah * bl + al * bh) + al * bl)
}

impl Real for DoubleDouble {
    /// 20u², above the largest of the bounds of the operations with their higher-order terms.
    const UNIT: f64 = 2.5e-31;

    #[inline(always)]
    fn difference(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, -b);
        Self { high, low }
    }
    #[inline(always)]
    fn high(self) -> f64 {
        self.high
    }
    #[inline(always)]
    fn low(self) -> f64 {
        self.low
    }
}

impl From<f64> for DoubleDouble {
    #[inline(always)]
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl PartialOrd for DoubleDouble {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            order => order,
        }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (sum, error) = two_sum(self.high, other.high);
        let (low_sum, low_error) = two_sum(self.low, other.low);
        let (high, low) = fast_two_sum(sum, error + low_sum);
        let (high, low) = fast_two_sum(high, low + low_error);
        Self { high, low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let (product, error) = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        let (high, low) = fast_two_sum(product, error + cross);
        Self { high, low }
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let product = other * Self::from(quotient);
        let rest = (self.high - product.high) + (self.low - product.low);
        let (high, low) = fast_two_sum(quotient, rest / other.high);
        Self { high, low }
    }
}

/// Three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vector<R>(pub(crate) [R; 3]);

impl<R: Real> Vector<R> {
    #[inline(always)]
    pub(crate) fn from_array(a: [f64; 3]) -> Self {
        Self(a.map(R::from))
    }

    #[inline(always)]
    pub(crate) fn difference(a: glam::DVec3, b: glam::DVec3) -> Self {
        Self([
            R::difference(a.x, b.x),
            R::difference(a.y, b.y),
            R::difference(a.z, b.z),
        ])
    }

    #[inline(always)]
    pub(crate) fn dot(self, o: Self) -> R {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    #[inline(always)]
    pub(crate) fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    #[inline(always)]
    pub(crate) fn scale(self, s: R) -> Self {
        Self(self.0.map(|x| x * s))
    }

    /// `(1 − t)·self + t·other`; exact at both ends.
    #[inline(always)]
    pub(crate) fn lerp(self, other: Self, t: f64) -> Self {
        let (s, t) = (R::difference(1.0, t), R::from(t));
        Self([
            self.0[0] * s + other.0[0] * t,
            self.0[1] * s + other.0[1] * t,
            self.0[2] * s + other.0[2] * t,
        ])
    }

    /// The part orthogonal to `axis`, or `self` when `axis` is zero.
    #[inline(always)]
    pub(crate) fn reject_from(self, axis: Self) -> Self {
        let square = axis.dot(axis);
        if square.high() > 0.0 {
            self - axis.scale(self.dot(axis) / square)
        } else {
            self
        }
    }

    /// Leading doubles.
    #[inline(always)]
    pub(crate) fn high(self) -> [f64; 3] {
        self.0.map(R::high)
    }

    /// What the leading doubles lack.
    #[inline(always)]
    pub(crate) fn low(self) -> [f64; 3] {
        self.0.map(R::low)
    }

    /// The largest magnitude of a component.
    #[inline(always)]
    pub(crate) fn max_abs(self) -> f64 {
        let [x, y, z] = self.high();
        x.abs().max(y.abs()).max(z.abs())
    }

    /// Scaled by a power of two so that the largest component is near one; `None` when it is zero
    /// or not finite. Exact: no digit of the direction is lost.
    #[inline(always)]
    pub(crate) fn normalised(self) -> Option<Self> {
        let size = self.max_abs();
        if !(size > 0.0 && size < f64::INFINITY) {
            return None;
        }
        // The exponent bits alone are the largest power of two below a normal number.
        let power = f64::from_bits((size.to_bits() & 0x7ff0_0000_0000_0000).max(1 << 52));
        let factor = 1.0 / power;
        if factor == 0.0 || factor == f64::INFINITY {
            return None;
        }
        Some(self.scale(R::from(factor)))
    }
}

impl<R: Real> Sub for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2]])
    }
}

impl<R: Real> Add for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}

impl<R: Real> Neg for Vector<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu::rational::RBig;

    fn exact(x: DoubleDouble) -> RBig {
        RBig::try_from(x.high).unwrap() + RBig::try_from(x.low).unwrap()
    }

    /// Every operation stays within the bound that the march relies on.
    #[test]
    fn double_double_operations_stay_within_their_unit() {
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
                * [1.0, 1e-9, 3e5][(state >> 5) as usize % 3]
        };
        let unit = RBig::try_from(DoubleDouble::UNIT).unwrap();
        for _ in 0..2000 {
            let a = DoubleDouble::difference(next(), next());
            let b = DoubleDouble::difference(next(), next());
            let check = |got: DoubleDouble, want: RBig| {
                let error = exact(got) - want.clone();
                let size = if want < RBig::ZERO { -want } else { want };
                let error = if error < RBig::ZERO { -error } else { error };
                assert!(error <= size * unit.clone());
            };
            check(a + b, exact(a) + exact(b));
            check(a - b, exact(a) - exact(b));
            check(a * b, exact(a) * exact(b));
            check(a / b, exact(a) / exact(b));
        }
    }
}
