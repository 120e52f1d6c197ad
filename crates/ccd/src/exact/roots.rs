//! Real roots of integer polynomials, and signs of other polynomials at them.
//!
//! Roots are isolated by Descartes' rule of signs in the Bernstein basis (Collins and Akritas,
//! "Polynomial real root isolation using Descartes' rule of signs", 1976): the number of sign
//! changes of the Bernstein coefficients on an interval is at least the number of roots inside, of
//! the same parity, and equal to it when it is 0 or 1. Halving ends because repeated roots are
//! divided out when it does not.

use std::rc::Rc;

use dashu::base::BitTest;
use dashu::integer::IBig;

use super::number::{Dyadic, sign};
use super::poly::{Poly, variations};

/// A real root: a known point, or the only root strictly inside an interval.
pub(super) struct Root {
    poly: Rc<Poly>,
    place: Place,
}

enum Place {
    At(Dyadic),
    /// `sign_lo` is the sign of the polynomial between `lo` and the root.
    Inside {
        lo: Dyadic,
        hi: Dyadic,
        sign_lo: i32,
    },
}

/// The roots of a polynomial (not zero) in `(0, end]`, ascending, each once.
pub(super) fn roots(poly: &Poly, end: f64) -> Vec<Root> {
    if end <= 0.0 || poly.degree() == 0 {
        return Vec::new();
    }
    let poly = poly.without_roots_at_zero();
    // Only a repeated root needs more halvings than this, or two very close ones. The square-free
    // part is costly for a high degree, so it is left until then.
    let patience = 4 * poly.degree();
    if let Some(places) = isolate(&poly, end, patience) {
        return with_poly(poly, places);
    }
    let poly = poly.square_free();
    let places = isolate(&poly, end, usize::MAX).unwrap_or_default();
    with_poly(poly, places)
}

fn with_poly(poly: Poly, places: Vec<Place>) -> Vec<Root> {
    let poly = Rc::new(poly);
    let root = |place| Root {
        poly: Rc::clone(&poly),
        place,
    };
    places.into_iter().map(root).collect()
}

/// `None` when that takes more than `patience` halvings.
fn isolate(poly: &Poly, end: f64, patience: usize) -> Option<Vec<Place>> {
    let (lo, hi) = (Dyadic::from_f64(0.0), Dyadic::from_f64(end));
    let coefficients = poly.bernstein(&lo, &hi);
    let at_end = coefficients.last().is_some_and(IBig::is_zero);
    let mut places = Vec::new();
    let mut halvings = 0;
    let mut stack = vec![Work::Interval(lo, hi.clone(), coefficients)];
    while let Some(work) = stack.pop() {
        let (lo, hi, coefficients) = match work {
            Work::Point(t) => {
                places.push(Place::At(t));
                continue;
            }
            Work::Interval(lo, hi, coefficients) => (lo, hi, coefficients),
        };
        match variations(&coefficients) {
            0 => {}
            1 => places.push(Place::Inside {
                lo,
                hi,
                sign_lo: coefficients.iter().map(sign).find(|&s| s != 0).unwrap_or(0),
            }),
            _ if halvings == patience => return None,
            _ => {
                halvings += 1;
                let mid = Dyadic::between(&lo, &hi);
                let left = poly.bernstein(&lo, &mid);
                let right = poly.bernstein(&mid, &hi);
                let at_mid = right.first().is_some_and(IBig::is_zero);
                stack.push(Work::Interval(mid.clone(), hi, right));
                if at_mid {
                    stack.push(Work::Point(mid.clone()));
                }
                stack.push(Work::Interval(lo, mid, left));
            }
        }
    }
    if at_end {
        places.push(Place::At(hi));
    }
    Some(places)
}

enum Work {
    Interval(Dyadic, Dyadic, Vec<IBig>),
    Point(Dyadic),
}

impl Root {
    /// The sign of another polynomial at the root.
    ///
    /// The interval is narrowed until the Bernstein coefficients of `other` agree. When a little
    /// narrowing does not do it, the sign is zero exactly if the greatest common divisor of both
    /// polynomials vanishes in the interval; if it does not, narrowing must end.
    pub(super) fn sign_of(&mut self, other: &Poly) -> i32 {
        let mut steps = 0;
        let mut may_be_zero = true;
        loop {
            let (lo, hi) = match &self.place {
                Place::At(t) => return other.sign_at(t),
                Place::Inside { lo, hi, .. } => (lo, hi),
            };
            if let Some(sign) = other.sign_between(lo, hi) {
                return sign;
            }
            if steps > 0 && may_be_zero {
                let common = self.poly.gcd(other);
                if common.degree() > 0 && common.crosses(lo, hi) {
                    return 0;
                }
                may_be_zero = false;
            }
            // A greatest common divisor costs as much as some hundred halvings for high degrees.
            steps += if self.poly.degree() > 3 { 64 } else { 8 };
            for _ in 0..steps {
                self.halve();
            }
        }
    }

    /// Doubles around the root: equal, or the root lies strictly between them.
    pub(super) fn bracket(&self) -> (f64, f64) {
        match &self.place {
            Place::At(t) => {
                let lo = t.floor();
                (lo, if t.float.is_some() { lo } else { lo.next_up() })
            }
            Place::Inside { lo, hi, .. } => {
                let below = lo.floor();
                let above = hi.float.unwrap_or_else(|| hi.floor().next_up());
                (below, above)
            }
        }
    }

    /// Narrows the interval until no double lies strictly inside, or until it is no wider than
    /// `tolerance` and does not begin at zero.
    pub(super) fn narrow(&mut self, tolerance: f64) {
        if let Some(guess) = self.guess() {
            for reach in [1_u64, 1 << 6, 1 << 14, 1 << 26, 1 << 38] {
                let bits = guess.to_bits();
                self.split_at(f64::from_bits(bits.saturating_sub(reach)));
                self.split_at(f64::from_bits(bits + reach));
                let Place::Inside { lo, hi, .. } = &self.place else {
                    return;
                };
                if let (Some(lo), Some(hi)) = (lo.float, hi.float)
                    && hi.to_bits() - lo.to_bits() <= 2 * reach
                {
                    break;
                }
            }
        }
        while let Place::Inside { lo, hi, .. } = &self.place {
            match (lo.float, hi.float) {
                (Some(a), Some(b))
                    if b.to_bits() > a.to_bits() + 1 && (a == 0.0 || b - a > tolerance) =>
                {
                    self.halve();
                }
                // Ends that are not doubles lie between two neighbours.
                _ => return,
            }
        }
    }

    fn halve(&mut self) {
        if let Place::Inside { lo, hi, .. } = &self.place {
            let mid = Dyadic::between(lo, hi);
            self.cut(mid);
        }
    }

    /// Cuts the interval at a double if that lies strictly inside.
    fn split_at(&mut self, t: f64) {
        if let Place::Inside { lo, hi, .. } = &self.place
            && lo.float.is_some_and(|lo| lo < t)
            && hi.float.is_some_and(|hi| t < hi)
        {
            self.cut(Dyadic::from_f64(t));
        }
    }

    fn cut(&mut self, t: Dyadic) {
        if let Place::Inside { lo, hi, sign_lo } = &mut self.place {
            let sign = self.poly.sign_at(&t);
            if sign == 0 {
                self.place = Place::At(t);
            } else if sign == *sign_lo {
                *lo = t;
            } else {
                *hi = t;
            }
        }
    }

    /// The root in floating point, to about the precision of a double relative to the interval.
    fn guess(&self) -> Option<f64> {
        let Place::Inside { lo, hi, sign_lo } = &self.place else {
            return None;
        };
        let (a, b) = (lo.float?, hi.float?);
        let coefficients = self.poly.bernstein(lo, hi);
        let longest = coefficients.iter().map(IBig::bit_len).max()?;
        let drop = longest.saturating_sub(60);
        let rounded: Vec<f64> = coefficients
            .iter()
            .map(|c| (c >> drop).to_f64().value() * f64::from(*sign_lo))
            .collect();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..54 {
            let s: f64 = 0.5 * (low + high);
            // Σ c_j s^j (1 - s)^(d - j) by Horner's rule in s / (1 - s).
            let (x, r) = (s, 1.0 - s);
            let mut value = 0.0;
            let mut weight = 1.0;
            for c in rounded.iter().rev() {
                value = value * x + c * weight;
                weight *= r;
            }
            if value > 0.0 {
                low = s;
            } else {
                high = s;
            }
        }
        Some(a + low * (b - a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(coefficients: &[i64]) -> Poly {
        Poly::new(coefficients.iter().map(|&c| IBig::from(c)).collect())
    }

    fn floor(root: &mut Root) -> f64 {
        root.narrow(0.0);
        root.bracket().0
    }

    fn floors(p: &Poly, end: f64) -> Vec<f64> {
        roots(p, end).iter_mut().map(floor).collect()
    }

    #[test]
    fn roots_are_found_in_order_and_rounded_down() {
        // (2t - 1)² (3t - 1) (t - 1) t: double, rational, at the end, at zero.
        let half = poly(&[-1, 2]);
        let p = half
            .mul(&half)
            .mul(&poly(&[-1, 3]))
            .mul(&poly(&[-1, 1]))
            .mul(&poly(&[0, 1]));
        assert_eq!(floors(&p, 1.0), [1.0 / 3.0, 0.5, 1.0]);
        assert_eq!(floors(&p, 0.5), [1.0 / 3.0, 0.5]);
        assert_eq!(floors(&p, 0.25), [0.0; 0]);
        assert_eq!(floors(&poly(&[1, 0, 1]), 1.0), [0.0; 0]);
        // 2t² = 1.
        let root = floors(&poly(&[-1, 0, 2]), 1.0)[0];
        assert_eq!(root, 0.5_f64.sqrt().next_down());
        assert!(root * root < 0.5 && root.next_up() * root.next_up() >= 0.5);
    }

    #[test]
    fn roots_closer_than_doubles_are_told_apart() {
        // (t - 1/2 - 2^-80)(t - 1/2 - 2^-79), times 2^159.
        let one = IBig::ONE;
        let a = Poly::new(vec![-((&one << 79usize) + &one), &one << 80usize]);
        let b = Poly::new(vec![-((&one << 78usize) + &one), &one << 79usize]);
        let mut found = roots(&a.mul(&b), 1.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].sign_of(&a), 0);
        assert_eq!(found[0].sign_of(&b), -1);
        assert_eq!(found[1].sign_of(&a), 1);
        assert_eq!(found[1].sign_of(&b), 0);
        assert_eq!((floor(&mut found[0]), floor(&mut found[1])), (0.5, 0.5));
    }

    #[test]
    fn tiny_roots_do_not_become_zero() {
        // t = 3 · 2^-1070 and t below the smallest double.
        let p = |k: usize| Poly::new(vec![IBig::from(-3), IBig::ONE << k]);
        assert_eq!(floors(&p(1070), 1.0), [3.0 * 16.0 * 5e-324]);
        assert_eq!(floors(&p(1090), 1.0), [0.0]);
    }
}
