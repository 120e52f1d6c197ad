//! The kernels of boxes, balls and points against their single tests, and those against exact
//! arithmetic, at every level.

use dashu::integer::IBig;
use glam::Vec3;
use jostle_simd::batch::{AabbBatch, Ball, BitMask, IdLists, MaskMatrix, PointBatch, SphereBatch};
use jostle_simd::fearless_simd::Level;
use jostle_simd::kernels::{KernelError, aabb_aabb, point_aabb, sphere_aabb, sphere_sphere};
use jostle_simd::{Aabb, SimdLevel};

/// A small generator of numbers.
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        self.bits() % n
    }

    /// A coordinate: mostly on a coarse lattice, so that much touches; else anything.
    fn coordinate(&mut self) -> f32 {
        let unit = self.bits() as f32 / 1_073_741_824.0 - 1.0;
        match self.below(40) {
            0..=15 => self.below(9) as f32 - 4.0,
            16..=25 => (self.below(65) as f32 - 32.0) * 0.1,
            26..=35 => unit * 4.0,
            36 => unit * 1e-22,
            37 => unit * f32::MAX,
            38 => [0.0, -0.0, f32::from_bits(1), -f32::MIN_POSITIVE][self.below(4) as usize],
            _ => [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX][self.below(4) as usize],
        }
    }

    fn point(&mut self) -> Vec3 {
        Vec3::new(self.coordinate(), self.coordinate(), self.coordinate())
    }

    /// Boxes, flat ones and points among them, and now and then an inverted one.
    fn aabb(&mut self) -> Aabb {
        let (p, q) = (self.point(), self.point());
        let mut out = Aabb::new(p, q);
        for axis in 0..3 {
            if p[axis] > q[axis] && self.below(50) != 0 {
                (out.min[axis], out.max[axis]) = (q[axis], p[axis]);
            }
            if self.below(8) == 0 {
                out.max[axis] = out.min[axis];
            }
        }
        if self.below(30) == 0 {
            out = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
        }
        out
    }

    fn ball(&mut self) -> Ball {
        let mut radius = self.coordinate();
        if self.below(20) != 0 {
            radius = radius.abs();
        }
        Ball::new(self.point(), radius)
    }
}

fn levels() -> Vec<Level> {
    let levels = SimdLevel::available();
    levels.iter().map(|l| l.token().unwrap()).collect()
}

/// A kernel that writes ids.
type Ids<'a> = &'a dyn Fn(&mut Vec<u32>, Level);

/// Mask and ids of a kernel are those of the expected answers.
fn check(expected: &[bool], mask: impl Fn(&mut BitMask, Level), ids: Option<Ids<'_>>) {
    let expected_mask: BitMask = expected.iter().copied().collect();
    let expected_ids: Vec<u32> = expected_mask.iter().map(|i| i as u32).collect();
    let (mut bits, mut list) = (BitMask::new(), vec![77; 5]);
    for level in levels() {
        mask(&mut bits, level);
        assert_eq!(bits, expected_mask, "{level:?}");
        if let Some(ids) = ids {
            ids(&mut list, level);
            assert_eq!(list, expected_ids, "{level:?}");
        }
    }
    bits.write_ids(&mut list);
    assert_eq!(list, expected_ids);
}

/// A number that is finite, as a multiple of 2⁻¹⁴⁹.
fn integer(x: f32) -> IBig {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xFF) as usize;
    let fraction = bits & 0x7F_FFFF;
    let magnitude = match exponent {
        0 => IBig::from(fraction),
        _ => IBig::from(fraction | 0x80_0000) << (exponent - 1),
    };
    if x < 0.0 { -magnitude } else { magnitude }
}

fn square(x: &IBig) -> IBig {
    x * x
}

/// Whether balls share a point, by integers; `None` where a number is not finite.
fn balls_overlap(a: &Ball, b: &Ball) -> Option<bool> {
    let all = [a.centre, b.centre];
    if !(all.iter().all(|c| c.is_finite()) && a.radius.is_finite() && b.radius.is_finite()) {
        return None;
    }
    let mut d2 = IBig::ZERO;
    for axis in 0..3 {
        d2 += square(&(integer(a.centre[axis]) - integer(b.centre[axis])));
    }
    let s = integer(a.radius) + integer(b.radius);
    Some(s >= IBig::ZERO && d2 <= square(&s))
}

/// Whether a ball and a box share a point, by integers; `None` where a number is not finite.
fn ball_overlaps_box(ball: &Ball, aabb: &Aabb) -> Option<bool> {
    let finite = [ball.centre, aabb.min, aabb.max]
        .iter()
        .all(|p| p.is_finite());
    if !finite || !ball.radius.is_finite() {
        return None;
    }
    let mut d2 = IBig::ZERO;
    for axis in 0..3 {
        let (c, lo, hi) = (
            integer(ball.centre[axis]),
            integer(aabb.min[axis]),
            integer(aabb.max[axis]),
        );
        if lo > hi {
            return Some(false);
        }
        if c < lo {
            d2 += square(&(lo - c));
        } else if c > hi {
            d2 += square(&(c - hi));
        }
    }
    let r = integer(ball.radius);
    Some(r >= IBig::ZERO && d2 <= square(&r))
}

/// Lengths at which tails begin and end.
const LENGTHS: [usize; 16] = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 39, 63, 64, 65, 700];

#[test]
fn boxes_against_boxes() {
    let mut numbers = Numbers(1);
    let mut hits = 0;
    for len in LENGTHS.into_iter().chain(0..40) {
        let left: Vec<Aabb> = (0..len).map(|_| numbers.aabb()).collect();
        let right: Vec<Aabb> = (0..len).map(|_| numbers.aabb()).collect();
        let (a, b) = (AabbBatch::from_slice(&left), AabbBatch::from_slice(&right));
        for one in left.iter().take(20) {
            let expected: Vec<bool> = right.iter().map(|r| r.overlaps(one)).collect();
            hits += expected.iter().filter(|e| **e).count();
            check(
                &expected,
                |out, level| aabb_aabb::one_many(one, &b, out, level),
                Some(&|out, level| aabb_aabb::one_many_ids(one, &b, out, level)),
            );
        }
        let expected: Vec<bool> = left
            .iter()
            .zip(&right)
            .map(|(l, r)| l.overlaps(r))
            .collect();
        check(
            &expected,
            |out, level| aabb_aabb::pairwise(&a, &b, out, level).unwrap(),
            None,
        );
    }
    assert!(hits > 1000);
}

#[test]
fn all_boxes_against_all_boxes() {
    let mut numbers = Numbers(2);
    for (n, m) in [
        (0, 5),
        (5, 0),
        (1, 1),
        (3, 70),
        (33, 17),
        (70, 1100),
        (65, 1024),
    ] {
        let left: Vec<Aabb> = (0..n).map(|_| numbers.aabb()).collect();
        let right: Vec<Aabb> = (0..m).map(|_| numbers.aabb()).collect();
        let (a, b) = (AabbBatch::from_slice(&left), AabbBatch::from_slice(&right));
        let mut expected = Vec::new();
        for (i, l) in left.iter().enumerate() {
            for (j, r) in right.iter().enumerate() {
                if l.overlaps(r) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        let (mut matrix, mut lists) = (MaskMatrix::new(), IdLists::new());
        for level in levels() {
            aabb_aabb::many_many(&a, &b, &mut matrix, level);
            assert_eq!((matrix.rows(), matrix.columns()), (n, m));
            assert_eq!(matrix.count_ones(), expected.len(), "{level:?}");
            assert!(
                expected
                    .iter()
                    .all(|(i, j)| matrix.get(*i as usize, *j as usize))
            );
            assert!(!matrix.get(0, m) && !matrix.get(n, 0));
            aabb_aabb::many_many_ids(&a, &b, &mut lists, level);
            assert_eq!((lists.len(), lists.is_empty()), (n, n == 0));
            assert_eq!(lists.ids().len(), expected.len());
            assert!(lists.pairs().eq(expected.iter().copied()), "{level:?}");
            assert!(lists.get(n).is_empty());
        }
    }
}

#[test]
fn points_against_boxes() {
    let mut numbers = Numbers(3);
    let mut hits = 0;
    for len in LENGTHS {
        let points: Vec<Vec3> = (0..len).map(|_| numbers.point()).collect();
        let boxes: Vec<Aabb> = (0..len).map(|_| numbers.aabb()).collect();
        let (p, b) = (
            PointBatch::from_slice(&points),
            AabbBatch::from_slice(&boxes),
        );
        assert!(format!("{:?}", p.to_vec()) == format!("{points:?}"));
        // In the words of the definition.
        let inside = |b: &Aabb, p: Vec3| p.cmpge(b.min).all() && p.cmple(b.max).all();
        for i in 0..len.min(20) {
            let expected: Vec<bool> = points.iter().map(|p| inside(&boxes[i], *p)).collect();
            hits += expected.iter().filter(|e| **e).count();
            check(
                &expected,
                |out, level| point_aabb::box_points(&boxes[i], &p, out, level),
                Some(&|out, level| point_aabb::box_points_ids(&boxes[i], &p, out, level)),
            );
            let expected: Vec<bool> = boxes.iter().map(|b| inside(b, points[i])).collect();
            check(
                &expected,
                |out, level| point_aabb::point_boxes(points[i], &b, out, level),
                Some(&|out, level| point_aabb::point_boxes_ids(points[i], &b, out, level)),
            );
        }
        let expected: Vec<bool> = (0..len).map(|i| inside(&boxes[i], points[i])).collect();
        check(
            &expected,
            |out, level| point_aabb::pairwise(&p, &b, out, level).unwrap(),
            None,
        );
    }
    assert!(hits > 300);
}

#[test]
fn balls_against_balls() {
    let mut numbers = Numbers(4);
    let (mut hits, mut known) = (0, 0);
    for len in LENGTHS.into_iter().chain(0..40) {
        let left: Vec<Ball> = (0..len).map(|_| numbers.ball()).collect();
        let right: Vec<Ball> = (0..len).map(|_| numbers.ball()).collect();
        let a = SphereBatch::from_slice(&left);
        let b = SphereBatch::from_slice(&right);
        for one in left.iter().take(20) {
            let expected: Vec<bool> = right.iter().map(|r| r.overlaps(one)).collect();
            for (other, expected) in right.iter().zip(&expected) {
                assert_eq!(one.overlaps(other), *expected, "the order does not matter");
                if let Some(exact) = balls_overlap(one, other) {
                    assert_eq!(*expected, exact, "{one:?} {other:?}");
                    known += 1;
                }
                hits += usize::from(*expected);
            }
            check(
                &expected,
                |out, level| sphere_sphere::one_many(one, &b, out, level),
                Some(&|out, level| sphere_sphere::one_many_ids(one, &b, out, level)),
            );
        }
        let expected: Vec<bool> = left
            .iter()
            .zip(&right)
            .map(|(l, r)| l.overlaps(r))
            .collect();
        check(
            &expected,
            |out, level| sphere_sphere::pairwise(&a, &b, out, level).unwrap(),
            None,
        );
    }
    assert!(hits > 1000 && known > 5000, "{hits} {known}");
}

#[test]
fn balls_against_boxes() {
    let mut numbers = Numbers(5);
    let (mut hits, mut known) = (0, 0);
    for len in LENGTHS {
        let balls: Vec<Ball> = (0..len).map(|_| numbers.ball()).collect();
        let boxes: Vec<Aabb> = (0..len).map(|_| numbers.aabb()).collect();
        let s = SphereBatch::from_slice(&balls);
        let b = AabbBatch::from_slice(&boxes);
        for i in 0..len.min(20) {
            let expected: Vec<bool> = boxes.iter().map(|b| balls[i].overlaps_box(b)).collect();
            for (aabb, expected) in boxes.iter().zip(&expected) {
                if let Some(exact) = ball_overlaps_box(&balls[i], aabb) {
                    assert_eq!(*expected, exact, "{:?} {aabb:?}", balls[i]);
                    known += 1;
                }
                hits += usize::from(*expected);
            }
            check(
                &expected,
                |out, level| sphere_aabb::sphere_boxes(&balls[i], &b, out, level),
                Some(&|out, level| sphere_aabb::sphere_boxes_ids(&balls[i], &b, out, level)),
            );
            let expected: Vec<bool> = balls.iter().map(|s| s.overlaps_box(&boxes[i])).collect();
            check(
                &expected,
                |out, level| sphere_aabb::box_spheres(&boxes[i], &s, out, level),
                Some(&|out, level| sphere_aabb::box_spheres_ids(&boxes[i], &s, out, level)),
            );
        }
        let expected: Vec<bool> = (0..len).map(|i| balls[i].overlaps_box(&boxes[i])).collect();
        check(
            &expected,
            |out, level| sphere_aabb::pairwise(&s, &b, out, level).unwrap(),
            None,
        );
    }
    assert!(hits > 1000 && known > 3000, "{hits} {known}");
}

/// Balls whose distance differs from the sum of their radii by a few units in the last place, and balls
/// beside boxes by as little, at all magnitudes.
#[test]
fn the_last_bit_decides() {
    let mut numbers = Numbers(6);
    let (mut hits, mut total) = (0, 0);
    for round in 0..3000 {
        let scale = [1.0, 1e-30, 1e-20, 1e15, 3e18, 1e30][round % 6];
        let unit = |n: &mut Numbers| (n.bits() as f32 / 1_073_741_824.0 - 1.0) * scale;
        let a = Vec3::new(unit(&mut numbers), unit(&mut numbers), unit(&mut numbers));
        let b = Vec3::new(unit(&mut numbers), unit(&mut numbers), unit(&mut numbers));
        let distance = a.as_dvec3().distance(b.as_dvec3());
        let part = f64::from(numbers.below(1000)) / 1000.0;
        let r = (distance * part) as f32;
        let mut s = (distance - f64::from(r)) as f32;
        for _ in 0..numbers.below(3) {
            s = s.next_up();
        }
        for _ in 0..numbers.below(3) {
            s = s.next_down();
        }
        let (p, q) = (Ball::new(a, r), Ball::new(b, s));
        let exact = balls_overlap(&p, &q).unwrap();
        assert_eq!(p.overlaps(&q), exact, "{p:?} {q:?}");
        let batch = SphereBatch::from_slice(&[q; 3]);
        check(
            &[exact; 3],
            |out, level| sphere_sphere::one_many(&p, &batch, out, level),
            None,
        );
        // A box whose nearest point is `b`, or the centre's foot on a face of it.
        let far = b + (b - a) * [1.0, 0.25][round / 6 % 2];
        let aabb = Aabb::new(b.min(far), b.max(far));
        let ball = Ball::new(a, (distance as f32).next_up().next_down());
        let exact_box = ball_overlaps_box(&ball, &aabb).unwrap();
        assert_eq!(ball.overlaps_box(&aabb), exact_box, "{ball:?} {aabb:?}");
        let batch = AabbBatch::from_slice(&[aabb; 3]);
        check(
            &[exact_box; 3],
            |out, level| sphere_aabb::sphere_boxes(&ball, &batch, out, level),
            None,
        );
        hits += usize::from(exact) + usize::from(exact_box);
        total += 2;
    }
    assert!(
        hits > total / 4 && hits < total * 3 / 4,
        "{hits} of {total}"
    );
}

#[test]
fn batches_of_different_lengths_are_refused() {
    let boxes = AabbBatch::from_slice(&[Aabb::EMPTY; 3]);
    let balls = SphereBatch::from_slice(&[Ball::new(Vec3::ZERO, 1.0); 2]);
    let points = PointBatch::from_slice(&[Vec3::ZERO; 4]);
    let (mut out, level) = (BitMask::new(), Level::new());
    let lengths = |left, right| Err(KernelError::Lengths { left, right });
    let none = AabbBatch::new();
    assert_eq!(
        aabb_aabb::pairwise(&boxes, &none, &mut out, level),
        lengths(3, 0)
    );
    assert_eq!(
        sphere_aabb::pairwise(&balls, &boxes, &mut out, level),
        lengths(2, 3)
    );
    assert_eq!(
        point_aabb::pairwise(&points, &boxes, &mut out, level),
        lengths(4, 3)
    );
    let one = SphereBatch::from_slice(&[Ball::new(Vec3::ZERO, 1.0)]);
    assert_eq!(
        sphere_sphere::pairwise(&balls, &one, &mut out, level),
        lengths(2, 1)
    );
}

/// Which pairs of a handful of balls overlap, by the kernel, at every level.
fn pairs_of(balls: &[Ball]) -> Vec<(u32, u32)> {
    let batch = SphereBatch::from_slice(balls);
    let mut found: Option<Vec<(u32, u32)>> = None;
    for level in levels() {
        let mut pairs = Vec::new();
        let mut ids = Vec::new();
        for (i, ball) in balls.iter().enumerate() {
            sphere_sphere::one_many_ids(ball, &batch, &mut ids, level);
            pairs.extend(
                ids.iter()
                    .filter(|j| **j > i as u32)
                    .map(|j| (i as u32, *j)),
            );
        }
        assert_eq!(*found.get_or_insert(pairs.clone()), pairs, "{level:?}");
    }
    found.unwrap_or_default()
}

/// Positions at the threshold of contact. As doubles the second pair is apart by 1.5e-9; the nearest
/// single-precision numbers are the position 0.10000000149 and the radius 0.05000000075, and those
/// touch: twice the radius is the position to the last bit. One step further they are apart.
#[test]
fn bug_p01_balls_at_the_threshold_of_contact() {
    let ball = |x: f64| Ball::new(Vec3::new(x as f32, 0.0, 0.0), 0.05_f64 as f32);
    let balls = [-0.09999985247850418, 0.0, 0.10000000149011612].map(ball);
    assert_eq!(pairs_of(&balls), [(0, 1), (1, 2)]);
    let mut apart = balls;
    apart[2].centre.x = apart[2].centre.x.next_up();
    assert_eq!(pairs_of(&apart), [(0, 1)]);
    // In place of the far neighbour a smaller radius.
    let mut apart = balls;
    apart[2].radius = apart[2].radius.next_down();
    assert_eq!(pairs_of(&apart), [(0, 1)]);
}

#[test]
fn bug_p02_coincident_balls_and_a_ball_inside_another() {
    let balls = [
        Ball::new(Vec3::new(1.0, 2.0, 3.0), 0.5),
        Ball::new(Vec3::new(1.0, 2.0, 3.0), 0.5),
        Ball::new(Vec3::new(1.1, 2.0, 3.0), 0.25),
    ];
    assert_eq!(pairs_of(&balls), [(0, 1), (0, 2), (1, 2)]);
}
