//! Signs of volumes and areas, never wrong.
//!
//! Ordinary coordinates are decided by the adaptive predicates of J. R. Shewchuk, "Adaptive
//! Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997). They are exact
//! as long as no product under- or overflows, so points with a coordinate beyond [`LIMIT`] are
//! scaled to integers instead, once for all predicates over them.

use dashu::base::Sign;
use dashu::integer::IBig;
use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Coordinates that are 0 or have a magnitude between this and its inverse are left to the adaptive
/// predicates: the products of three differences of them are multiples of 2⁻⁴⁵⁶ below 2³⁰³, far
/// from the ends of the range. Larger than about 1e80: products may underflow, and signs be wrong.
const LIMIT: f64 = 1e30;

/// Points that predicates are asked about, by index.
///
/// Every answer is that of exact arithmetic on the coordinates as given. Cost: some ten nanoseconds a
/// predicate for points with coordinates that are 0 or of magnitude 1e-30 to 1e30; with others, one
/// conversion to integers of up to some thousand digits and slow arithmetic on them. Methods panic
/// on an index that is out of range.
#[derive(Debug)]
pub struct Points<'a> {
    at: &'a [DVec3],
    /// The same points times one power of two, where the adaptive predicates do not hold.
    integers: Option<Vec<[IBig; 3]>>,
}

impl<'a> Points<'a> {
    /// Prepares points; `None` when a coordinate is not finite.
    pub fn new(at: &'a [DVec3]) -> Option<Self> {
        let fits = |x: f64| x == 0.0 || (1.0 / LIMIT..LIMIT).contains(&x.abs());
        let integers = if at.iter().all(|p| fits(p.x) && fits(p.y) && fits(p.z)) {
            None
        } else if at.iter().all(|p| p.is_finite()) {
            Some(scaled(at))
        } else {
            return None;
        };
        Some(Self { at, integers })
    }

    /// The coordinates of a point.
    pub fn at(&self, point: usize) -> DVec3 {
        self.at[point]
    }

    /// The sign (−1, 0 or 1) of the volume of a tetrahedron: it changes when two points are
    /// swapped, and is 0 for four points in a plane. Which of the two orientations is positive is
    /// not specified.
    pub fn volume(&self, [a, b, c, d]: [usize; 4]) -> i32 {
        if let Some(at) = &self.integers {
            let [u, v, w] = [a, b, c].map(|p| difference(&at[p], &at[d]));
            let minor = |i: usize, j: usize| &v[i] * &w[j] - &v[j] * &w[i];
            return signum(&(&u[0] * minor(1, 2) + &u[1] * minor(2, 0) + &u[2] * minor(0, 1)));
        }
        let [a, b, c, d] = [a, b, c, d].map(|p| {
            let DVec3 { x, y, z } = self.at[p];
            Coord3D { x, y, z }
        });
        sign(orient3d(a, b, c, d))
    }

    /// The sign of the area of a triangle as seen along an axis (0, 1 or 2): dropping a coordinate
    /// rounds nothing. The orientation is as little specified as that of [`volume`](Self::volume).
    pub fn area(&self, axis: usize, [a, b, c]: [usize; 3]) -> i32 {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        if let Some(at) = &self.integers {
            let [u, v] = [a, b].map(|p| difference(&at[p], &at[c]));
            return signum(&(&u[i] * &v[j] - &u[j] * &v[i]));
        }
        let [a, b, c] = [a, b, c].map(|p| Coord {
            x: self.at[p][i],
            y: self.at[p][j],
        });
        sign(orient2d(a, b, c))
    }

    /// An axis along which the triangle is seen with some area, and the sign of that area; `None`
    /// when its corners lie on a line. Along that axis the picture of its plane is one to one.
    pub fn picture(&self, corners: [usize; 3]) -> Option<(usize, i32)> {
        (0..3).find_map(|axis| match self.area(axis, corners) {
            0 => None,
            sign => Some((axis, sign)),
        })
    }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

fn signum(x: &IBig) -> i32 {
    match (x.is_zero(), x.sign()) {
        (true, _) => 0,
        (false, Sign::Positive) => 1,
        (false, Sign::Negative) => -1,
    }
}

fn difference(a: &[IBig; 3], b: &[IBig; 3]) -> [IBig; 3] {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

/// The points times the smallest power of two that makes integers of them.
fn scaled(points: &[DVec3]) -> Vec<[IBig; 3]> {
    let exponents = points.iter().flat_map(DVec3::to_array).map(decode);
    let least = exponents
        .filter(|&(mantissa, _)| mantissa != 0)
        .map(|(_, exponent)| exponent)
        .min()
        .unwrap_or(0);
    let integer = |x: f64| {
        let (mantissa, exponent) = decode(x);
        IBig::from(mantissa) << (exponent - least).max(0) as usize
    };
    points.iter().map(|p| p.to_array().map(integer)).collect()
}

/// A finite double as `mantissa · 2^exponent`, the mantissa odd or zero.
fn decode(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (magnitude, exponent) = match field {
        0 => (fraction, -1074),
        _ => (fraction | (1 << 52), field - 1075),
    };
    if magnitude == 0 {
        return (0, 0);
    }
    let zeros = magnitude.trailing_zeros();
    let odd = magnitude >> zeros;
    let mantissa = if x.is_sign_negative() { -odd } else { odd };
    (mantissa, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_hold_where_products_underflow_and_overflow() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(DVec3::from);
        for scale in [1e-320, 1e-200, 1e-30, 1.0, 1e29, 1e200, 1e308] {
            let mut points = corners.map(|p| p * scale).to_vec();
            for z in [-scale, 0.0, scale] {
                points.truncate(3);
                points.push(DVec3::new(0.0, 0.0, z));
                let points = Points::new(&points).unwrap();
                let up = points.volume([0, 1, 2, 3]);
                assert_eq!(up, -sign(z), "{scale:e} {z:e}");
                assert_eq!(points.volume([1, 0, 2, 3]), -up);
                assert_eq!(points.picture([0, 1, 2]), Some((2, 1)), "{scale:e}");
                assert_eq!(points.picture([0, 1, 1]), None);
            }
        }
    }

    #[test]
    fn integers_and_floats_agree_on_orientation() {
        let at = [
            [0.1, 0.2, 0.3],
            [1.1, 0.0, 7.0],
            [3.3, 4.0, 0.7],
            [0.2, 0.9, 5.0],
        ];
        let at = at.map(DVec3::from);
        let adaptive = Points::new(&at).unwrap();
        assert!(adaptive.integers.is_none());
        let exact = Points {
            at: &at,
            integers: Some(scaled(&at)),
        };
        assert_eq!(adaptive.volume([0, 1, 2, 3]), exact.volume([0, 1, 2, 3]));
        for axis in 0..3 {
            assert_eq!(adaptive.area(axis, [0, 1, 2]), exact.area(axis, [0, 1, 2]));
        }
    }

    #[test]
    fn what_is_not_finite_has_no_signs() {
        assert!(Points::new(&[DVec3::new(0.0, f64::NAN, 0.0)]).is_none());
        assert!(Points::new(&[DVec3::new(0.0, f64::INFINITY, 1e-300)]).is_none());
    }
}
