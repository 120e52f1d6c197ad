use dashu::rational::RBig;

use super::*;
use crate::exact;

/// Queries with random mantissas: every fourth nearly flat, every fourth nearly touching.
fn queries() -> impl Iterator<Item = (Query, f64)> {
    let mut state = 0xD1B5_4A32_D192_ED03_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..4000).map(move |i| {
        let mut points = || {
            let mut points =
                [(); 4].map(|()| DVec3::new(next(), next(), next()) * 2.0 - DVec3::ONE);
            match i % 4 {
                1 => points.iter_mut().for_each(|p| p.z *= 1e-12),
                2 => points[0] = (points[1] + points[2] + points[3]) / 3.0 + points[0] * 1e-13,
                _ => {}
            }
            points
        };
        let (t0, t1) = (points(), points());
        let query = if i % 8 < 4 {
            Query::vertex_face(t0, t1)
        } else {
            Query::edge_edge(t0, t1)
        };
        (query, next())
    })
}

fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

/// The pairs of points whose differences the corners are.
fn pairs(query: &Query) -> [(usize, usize); 4] {
    match query.kind {
        PairKind::VertexFace => [(0, 1), (0, 2), (0, 3), (0, 3)],
        PairKind::EdgeEdge => [(0, 2), (1, 2), (1, 3), (0, 3)],
    }
}

fn exact_corner(query: &Query, (i, j): (usize, usize), axis: usize, t: f64) -> RBig {
    let at = |points: &[DVec3; 4]| rational(points[i][axis]) - rational(points[j][axis]);
    let (start, end) = (at(&query.t0), at(&query.t1));
    &start + rational(t) * (end - &start)
}

#[test]
fn the_rounding_bound_of_products_holds_and_is_not_vacuous() {
    let mut worst = 0.0_f64;
    for (query, t) in queries() {
        let corners = Corners::new(&query);
        let now = corners.at(t);
        let n = unit(DVec3::new(t - 0.3, 0.7 - t, t * 1.1 - 0.4)).unwrap();
        for (k, pair) in pairs(&query).into_iter().enumerate() {
            let exact: RBig = (0..3)
                .map(|axis| rational(n[axis]) * exact_corner(&query, pair, axis, t))
                .fold(RBig::ZERO, |sum, x| sum + x);
            let error = rational(n.dot(now[k])) - exact;
            let share = error / rational(corners.rounding(k, n));
            worst = worst.max(share.to_f64().value().abs());
        }
    }
    assert!(worst <= 7.0 / 9.0, "{worst}");
    // An eighth of the bound would not do.
    assert!(worst > 1.0 / 8.0, "{worst}");
}

#[test]
fn the_distance_is_a_tight_lower_bound() {
    let mut loose = 0;
    for (i, (query, t)) in queries().enumerate() {
        let corners = Corners::new(&query);
        let distance = corners.distance(&corners.at(t));
        let (_, above) = exact::distance_bounds_at(&query, t);
        assert!(
            distance <= above,
            "{query:?} at {t}: {distance} above {above}"
        );
        // Regular and apart: no other way to be loose than rounding.
        if i % 4 == 0 && above > 1e-6 && distance < above * (1.0 - 1e-6) {
            loose += 1;
        }
    }
    assert_eq!(loose, 0);
}

#[test]
fn degenerate_corners_keep_their_distance() {
    let x = DVec3::X;
    let points = [
        // A point above a face that is a segment, and one beside a face that is a point.
        Query::vertex_face([x * 0.3 + DVec3::Y * 2.0, x, -x, x * 0.5], [DVec3::ZERO; 4]),
        Query::vertex_face([DVec3::Y * 2.0 + x, x, x, x], [DVec3::ZERO; 4]),
        // Parallel edges, collinear edges, edges that are points.
        Query::edge_edge(
            [x, -x, x + DVec3::Y * 2.0, DVec3::Y * 2.0 - x],
            [DVec3::ZERO; 4],
        ),
        Query::edge_edge([x, -x, x * 3.0, x * 5.0], [DVec3::ZERO; 4]),
        Query::edge_edge([x, x, x * 3.0, x * 3.0], [DVec3::ZERO; 4]),
    ];
    for query in points {
        let corners = Corners::new(&query);
        let distance = corners.distance(&corners.at(0.0));
        assert!(
            (2.0 - 1e-12..=2.0).contains(&distance),
            "{query:?}: {distance}"
        );
    }
}

#[test]
fn the_speed_is_an_upper_bound() {
    for (query, _) in queries() {
        let corners = Corners::new(&query);
        let speed = rational(corners.speed());
        let squared = &speed * &speed;
        for pair in pairs(&query) {
            let length: RBig = (0..3)
                .map(|axis| {
                    exact_corner(&query, pair, axis, 1.0) - exact_corner(&query, pair, axis, 0.0)
                })
                .fold(RBig::ZERO, |sum, d| sum + &d * &d);
            assert!(length <= squared);
        }
    }
    // Far below where squares vanish.
    let p = DVec3::X * 1e-180;
    let o = DVec3::ZERO;
    let corners = Corners::new(&Query::vertex_face([p, o, o, o], [-p, o, o, o]));
    assert!(corners.speed() >= 2e-180);
}
