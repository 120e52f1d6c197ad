//! The triangle tests against rational arithmetic.
//!
//! The oracle works by another idea: the intersection of two triangles is convex, so it is the hull
//! of its extreme points, and each of those is a corner of one triangle, a crossing of an edge with
//! a plane, or a crossing of two edges. It computes all of these and keeps the ones in both.

use dashu::rational::Relaxed as Rational;
use glam::DVec3;
use jostle_check::{Face, faces_intersect, triangles_intersect};
use jostle_testkit::Rng;

type Point = [Rational; 3];
type Corners = [DVec3; 3];

fn exact(p: DVec3) -> Point {
    p.to_array().map(|x| Rational::try_from(x).unwrap())
}

fn sub(a: &Point, b: &Point) -> Point {
    core::array::from_fn(|i| &a[i] - &b[i])
}

fn cross(a: &Point, b: &Point) -> Point {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &a[i] * &b[j] - &a[j] * &b[i])
}

fn dot(a: &Point, b: &Point) -> Rational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn is_zero(a: &Point) -> bool {
    a.iter().all(Rational::is_zero)
}

fn on_segment(x: &Point, [p, q]: [&Point; 2]) -> bool {
    let (to_p, to_q) = (sub(p, x), sub(q, x));
    is_zero(&cross(&to_p, &to_q)) && dot(&to_p, &to_q) <= Rational::ZERO
}

fn edges(t: &[Point; 3]) -> [[&Point; 2]; 3] {
    [[&t[0], &t[1]], [&t[1], &t[2]], [&t[2], &t[0]]]
}

fn normal(t: &[Point; 3]) -> Point {
    cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]))
}

fn in_triangle(x: &Point, t: &[Point; 3]) -> bool {
    let n = normal(t);
    if is_zero(&n) {
        return edges(t).into_iter().any(|edge| on_segment(x, edge));
    }
    dot(&n, &sub(x, &t[0])).is_zero()
        && edges(t)
            .into_iter()
            .all(|[p, q]| dot(&cross(&sub(q, p), &sub(x, p)), &n) >= Rational::ZERO)
}

/// `p + t (q − p)`.
fn along([p, q]: [&Point; 2], t: &Rational) -> Point {
    let step = sub(q, p);
    core::array::from_fn(|i| &p[i] + &step[i] * t)
}

/// Points of the intersection, all extreme ones among them.
fn extreme_points(a: &Corners, b: &Corners) -> Vec<Point> {
    let (a, b) = (a.map(exact), b.map(exact));
    let mut candidates: Vec<Point> = a.iter().chain(&b).cloned().collect();
    for (of, other) in [(&a, &b), (&b, &a)] {
        let n = normal(other);
        for [p, q] in edges(of) {
            let heights = [p, q].map(|end| dot(&n, &sub(end, &other[0])));
            let fall = &heights[0] - &heights[1];
            if !fall.is_zero() {
                candidates.push(along([p, q], &(&heights[0] / &fall)));
            }
        }
    }
    for [p, q] in edges(&a) {
        for [r, s] in edges(&b) {
            let (d, e) = (sub(q, p), sub(s, r));
            let n = cross(&d, &e);
            if !is_zero(&n) {
                let t = dot(&cross(&sub(r, p), &e), &n) / dot(&n, &n);
                candidates.push(along([p, q], &t));
            }
        }
    }
    candidates.retain(|x| in_triangle(x, &a) && in_triangle(x, &b));
    candidates
}

fn permuted<T: Copy>(x: [T; 3], by: u64) -> [T; 3] {
    let [a, b, c] = x;
    [
        [a, b, c],
        [b, c, a],
        [c, a, b],
        [b, a, c],
        [a, c, b],
        [c, b, a],
    ][by as usize % 6]
}

/// The tests under the oracle and under changes that must not change the answer.
fn compare(a: &Corners, b: &Corners, rng: &mut Rng) -> bool {
    let right = !extreme_points(a, b).is_empty();
    for _ in 0..2 {
        let (a, b) = (permuted(*a, rng.bits()), permuted(*b, rng.bits()));
        assert_eq!(triangles_intersect(&a, &b), right, "{a:?} {b:?}");
        assert_eq!(triangles_intersect(&b, &a), right, "{b:?} {a:?}");
    }
    right
}

/// Triangles on a grid of integers, where touching, parallel and degenerate ones abound.
fn on_grid(rng: &mut Rng, size: i64, scale: f64) -> Corners {
    core::array::from_fn(|_| {
        let mut coordinate = || rng.integer(0, size) as f64 * scale;
        DVec3::new(coordinate(), coordinate(), coordinate())
    })
}

fn nudge(corners: &mut Corners, rng: &mut Rng) {
    for p in corners {
        for axis in 0..3 {
            match rng.integer(0, 5) {
                0 => p[axis] = p[axis].next_up(),
                1 => p[axis] = p[axis].next_down(),
                2 => p[axis] += rng.signed() * 1e-12,
                _ => {}
            }
        }
    }
}

#[test]
fn triangles_on_a_grid() {
    let mut rng = Rng::new(1);
    let mut seen = [0; 2];
    for size in [1, 2, 3, 6] {
        for _ in 0..700 {
            let (a, b) = (on_grid(&mut rng, size, 1.0), on_grid(&mut rng, size, 1.0));
            seen[usize::from(compare(&a, &b, &mut rng))] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
}

#[test]
fn triangles_in_one_plane() {
    let mut rng = Rng::new(2);
    let mut seen = [0; 2];
    for case in 0..900 {
        // The plane x = y, z = 0, or one that is axis-aligned to no picture.
        let lift = |p: DVec3| match case % 3 {
            0 => DVec3::new(p.x, p.x, p.y),
            1 => DVec3::new(p.x, p.y, 0.0),
            _ => DVec3::new(p.x, p.y, 2.0 * p.x - 3.0 * p.y),
        };
        let a = on_grid(&mut rng, 4, 1.0).map(lift);
        let b = on_grid(&mut rng, 4, 1.0).map(lift);
        seen[usize::from(compare(&a, &b, &mut rng))] += 1;
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

#[test]
fn triangles_a_last_place_off_the_grid() {
    let mut rng = Rng::new(3);
    let mut seen = [0; 2];
    for case in 0..900 {
        let scale = [1.0, 0.1, 1e6 / 3.0][case % 3];
        let (mut a, mut b) = (on_grid(&mut rng, 3, scale), on_grid(&mut rng, 3, scale));
        nudge(&mut a, &mut rng);
        nudge(&mut b, &mut rng);
        seen[usize::from(compare(&a, &b, &mut rng))] += 1;
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// Where products of three lengths, or of two, leave the range of `f64`.
#[test]
fn triangles_of_extreme_size() {
    let mut rng = Rng::new(4);
    let mut seen = [0; 2];
    for case in 0..600 {
        let scale = [1e-320, 1e-300, 1e-120, 1e-31, 1e31, 1e110, 1e300][case % 7];
        let (mut a, b) = (on_grid(&mut rng, 3, scale), on_grid(&mut rng, 3, scale));
        if case % 4 == 0 {
            a[0] += DVec3::new(0.0, f64::from_bits(1), 1e-200);
        }
        seen[usize::from(compare(&a, &b, &mut rng))] += 1;
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// Faces that share one, two or three vertices, by what they have beyond those.
#[test]
fn faces_with_common_vertices() {
    let mut rng = Rng::new(5);
    let mut seen = [[0; 2]; 4];
    for case in 0..2400 {
        let count = 4 + case % 3;
        let flat = rng.one_in(2);
        let mut at: Vec<_> = on_grid(&mut rng, 3, 1.0)
            .into_iter()
            .chain(on_grid(&mut rng, 3, 1.0))
            .take(count)
            .collect();
        if flat {
            for p in &mut at {
                p.z = p.x + p.y;
            }
        }
        let mut face = || {
            let vertices: [u32; 3] =
                core::array::from_fn(|_| rng.integer(0, count as i64 - 1) as u32);
            let corners = vertices.map(|vertex| at[vertex as usize]);
            Face { vertices, corners }
        };
        let (a, b) = (face(), face());
        let mut common: Vec<_> = a.vertices.to_vec();
        common.retain(|vertex| b.vertices.contains(vertex));
        common.sort_unstable();
        common.dedup();
        let points = extreme_points(&a.corners, &b.corners);
        let shared: Vec<_> = common.iter().map(|&v| exact(at[v as usize])).collect();
        let right = match &shared[..] {
            [] => !points.is_empty(),
            [p] => points.iter().any(|x| x != p),
            [p, q] => !points.iter().all(|x| on_segment(x, [p, q])),
            _ => true,
        };
        assert_eq!(faces_intersect(&a, &b), right, "{a:?} {b:?}");
        assert_eq!(faces_intersect(&b, &a), right, "{b:?} {a:?}");
        seen[shared.len()][usize::from(right)] += 1;
    }
    assert!(seen[..3].as_flattened().iter().all(|&n| n > 60), "{seen:?}");
    assert!(seen[3][1] > 20, "{seen:?}");
}
