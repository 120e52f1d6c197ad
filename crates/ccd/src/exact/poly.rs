//! Polynomials in time with integer coefficients.

use dashu::base::Gcd;
use dashu::integer::{IBig, UBig};

use super::number::{Dyadic, sign};

/// Coefficients, the constant one first; the last is not zero. Zero has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Poly(Vec<IBig>);

/// A vector of three polynomials.
pub(super) type Vec3 = [Poly; 3];

impl Poly {
    pub(super) fn new(mut coefficients: Vec<IBig>) -> Self {
        while coefficients.last().is_some_and(IBig::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; 0 for the zero polynomial.
    pub(super) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The coefficient of `t^i`.
    #[cfg(test)]
    fn coefficient(&self, i: usize) -> IBig {
        self.0.get(i).cloned().unwrap_or(IBig::ZERO)
    }

    /// The value of a constant polynomial; the value at 0 of any other.
    pub(super) fn constant(&self) -> IBig {
        self.0.first().cloned().unwrap_or(IBig::ZERO)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let (long, short) = if self.0.len() >= other.0.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut sum = long.0.clone();
        for (s, c) in sum.iter_mut().zip(&short.0) {
            *s += c;
        }
        Self::new(sum)
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        let mut difference = self.0.clone();
        difference.resize(difference.len().max(other.0.len()), IBig::ZERO);
        for (d, c) in difference.iter_mut().zip(&other.0) {
            *d -= c;
        }
        Self::new(difference)
    }

    pub(super) fn neg(&self) -> Self {
        Self(self.0.iter().map(|c| -c).collect())
    }

    pub(super) fn scale(&self, factor: &IBig) -> Self {
        Self::new(self.0.iter().map(|c| c * factor).collect())
    }

    pub(super) fn mul(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(Vec::new());
        }
        let mut product = vec![IBig::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    /// The sign of the value at a point.
    pub(super) fn sign_at(&self, t: &Dyadic) -> i32 {
        // Horner's rule on the value times 2^(k · degree).
        let mut value = IBig::ZERO;
        for (steps, c) in self.0.iter().rev().enumerate() {
            value = value * &t.n + (c << (t.k * steps));
        }
        sign(&value)
    }

    /// The coefficients of the polynomial on `[lo, hi]` in the Bernstein basis, each times a
    /// positive number (a binomial coefficient and a power of two).
    pub(super) fn bernstein(&self, lo: &Dyadic, hi: &Dyadic) -> Vec<IBig> {
        let degree = self.degree();
        let (l, h, k) = Dyadic::common(lo, hi);
        // q(s) = p(lo + (hi - lo) s), times 2^(k · degree).
        let mut q: Vec<IBig> = self
            .0
            .iter()
            .enumerate()
            .map(|(i, c)| c << (k * (degree - i)))
            .collect();
        if !l.is_zero() {
            shift_by(&mut q, &l);
        }
        let width = h - l;
        let mut power = width.clone();
        for c in q.iter_mut().skip(1) {
            *c *= &power;
            power *= &width;
        }
        // binomial(d, j) b_j = Σ_i binomial(d - i, j - i) q_i: reverse, shift by one, reverse.
        q.reverse();
        shift_by(&mut q, &IBig::ONE);
        q.reverse();
        q
    }

    /// The sign on the whole open interval, or `None` when the Bernstein coefficients leave it in
    /// doubt.
    pub(super) fn sign_between(&self, lo: &Dyadic, hi: &Dyadic) -> Option<i32> {
        let mut found = 0;
        for c in self.bernstein(lo, hi) {
            let s = sign(&c);
            if s * found < 0 {
                return None;
            }
            if s != 0 {
                found = s;
            }
        }
        Some(found)
    }

    /// Whether the polynomial, known to have at most one root in the open interval and that one
    /// simple, has it.
    pub(super) fn crosses(&self, lo: &Dyadic, hi: &Dyadic) -> bool {
        variations(&self.bernstein(lo, hi)) % 2 == 1
    }

    /// Divided by the largest power of `t` that divides it.
    pub(super) fn without_roots_at_zero(&self) -> Self {
        let zeros = self.0.iter().take_while(|c| c.is_zero()).count();
        Self(self.0[zeros..].to_vec())
    }

    fn primitive(mut self) -> Self {
        let mut content = UBig::ZERO;
        for c in &self.0 {
            let magnitude = dashu::base::UnsignedAbs::unsigned_abs(c);
            content = if content.is_zero() {
                magnitude
            } else if magnitude.is_zero() {
                content
            } else {
                content.gcd(magnitude)
            };
            if content.is_one() {
                return self;
            }
        }
        let content = IBig::from(content);
        for c in &mut self.0 {
            *c = &*c / &content;
        }
        self
    }

    /// The remainder of a multiple of `self` divided by `divisor` (not zero), without common
    /// factors in the coefficients.
    fn pseudo_remainder(&self, divisor: &Self) -> Self {
        let mut rest = self.clone();
        let Some(lead) = divisor.0.last() else {
            return rest;
        };
        while !rest.is_zero() && rest.0.len() >= divisor.0.len() {
            let shift = rest.0.len() - divisor.0.len();
            let top = rest.0.pop().unwrap_or(IBig::ZERO);
            for c in &mut rest.0 {
                *c *= lead;
            }
            for (i, d) in divisor.0.iter().take(divisor.0.len() - 1).enumerate() {
                rest.0[shift + i] -= &top * d;
            }
            rest = Self::new(rest.0);
        }
        rest.primitive()
    }

    /// A greatest common divisor, without common factors in the coefficients. That of zero and
    /// zero is zero.
    pub(super) fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        if a.0.len() < b.0.len() {
            core::mem::swap(&mut a, &mut b);
        }
        while !b.is_zero() {
            if b.degree() == 0 {
                return Self(vec![IBig::ONE]);
            }
            let rest = a.pseudo_remainder(&b);
            a = core::mem::replace(&mut b, rest);
        }
        a
    }

    /// The polynomial with the same roots, each simple.
    pub(super) fn square_free(&self) -> Self {
        let derivative = Self::new(
            self.0
                .iter()
                .enumerate()
                .skip(1)
                .map(|(i, c)| c * IBig::from(i))
                .collect(),
        );
        let common = self.gcd(&derivative);
        if common.degree() == 0 {
            return self.clone();
        }
        // Both without common factors, so that by Gauss's lemma the quotient is integral.
        let mut rest = self.clone().primitive().0;
        let lead = &common.0[common.degree()];
        let mut quotient = vec![IBig::ZERO; rest.len() - common.degree()];
        for i in (0..quotient.len()).rev() {
            let q = &rest[i + common.degree()] / lead;
            for (j, d) in common.0.iter().enumerate() {
                rest[i + j] -= &q * d;
            }
            quotient[i] = q;
        }
        Self::new(quotient)
    }
}

/// Replaces `q(s)` by `q(s + step)`.
fn shift_by(q: &mut [IBig], step: &IBig) {
    let n = q.len();
    for done in 1..n {
        for i in (done - 1..n - 1).rev() {
            let add = if step.is_one() {
                q[i + 1].clone()
            } else {
                &q[i + 1] * step
            };
            q[i] += add;
        }
    }
}

/// The number of sign changes, zeros left out.
pub(super) fn variations(coefficients: &[IBig]) -> usize {
    let mut previous = 0;
    let mut count = 0;
    for s in coefficients.iter().map(sign).filter(|&s| s != 0) {
        count += usize::from(s * previous < 0);
        previous = s;
    }
    count
}

pub(super) fn sub3(a: &Vec3, b: &Vec3) -> Vec3 {
    core::array::from_fn(|i| a[i].sub(&b[i]))
}

pub(super) fn dot(a: &Vec3, b: &Vec3) -> Poly {
    a[0].mul(&b[0]).add(&a[1].mul(&b[1])).add(&a[2].mul(&b[2]))
}

pub(super) fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    let minor = |i: usize, j: usize| a[i].mul(&b[j]).sub(&a[j].mul(&b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(coefficients: &[i64]) -> Poly {
        Poly::new(coefficients.iter().map(|&c| IBig::from(c)).collect())
    }

    #[test]
    fn greatest_common_divisor_and_square_free_part() {
        let (a, b, c) = (poly(&[-1, 3]), poly(&[-2, 5]), poly(&[7, 0, 1]));
        let p = a.mul(&a).mul(&b).scale(&IBig::from(6));
        let g = p.gcd(&a.mul(&c));
        assert!(g == a || g == a.neg());
        let s = p.square_free();
        assert!(s == a.mul(&b) || s == a.mul(&b).neg());
        assert_eq!(b.gcd(&c).degree(), 0);
        assert!(poly(&[]).gcd(&poly(&[])).is_zero());
    }

    #[test]
    fn bernstein_coefficients_are_values_at_the_ends() {
        let p = poly(&[3, -7, 0, 2]);
        let (lo, hi) = (Dyadic::from_f64(0.25), Dyadic::from_f64(1.5));
        let b = p.bernstein(&lo, &hi);
        assert_eq!(b.len(), 4);
        assert_eq!(sign(&b[0]), p.sign_at(&lo));
        assert_eq!(sign(&b[3]), p.sign_at(&hi));
        // p(1/4) = 3 - 7/4 + 2/64, times 2^(2·3).
        assert_eq!(b[0], IBig::from(3 * 64 - 7 * 16 + 2));
        assert_eq!(p.coefficient(1), IBig::from(-7));
    }
}
