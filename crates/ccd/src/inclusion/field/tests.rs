use dashu::rational::RBig;

use super::*;

/// Eight points whose coordinates have random mantissas; `far` moves them away from the origin.
fn queries(far: f64) -> impl Iterator<Item = Query> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..4000).map(move |i| {
        let mut points = || {
            [(); 4]
                .map(|()| DVec3::new(next(), next(), next()) * 2.0 - DVec3::ONE + DVec3::splat(far))
        };
        let (t0, t1) = (points(), points());
        if i % 2 == 0 {
            Query::vertex_face(t0, t1)
        } else {
            Query::edge_edge(t0, t1)
        }
    })
}

fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

/// F from its definition, exactly.
fn exact(query: &Query, axis: usize, [t, u, v]: [f64; 3]) -> RBig {
    let [t, u, v] = [t, u, v].map(rational);
    let point = |i: usize| {
        let (start, end) = (rational(query.t0[i][axis]), rational(query.t1[i][axis]));
        &start + &t * (end - &start)
    };
    let [p0, p1, p2, p3] = [0, 1, 2, 3].map(point);
    match query.kind {
        PairKind::VertexFace => p0 - (&p1 + u * (p2 - &p1) + v * (p3 - &p1)),
        PairKind::EdgeEdge => (&p0 + u * (p1 - &p0)) - (&p2 + v * (p3 - &p2)),
    }
}

/// The largest error of an evaluation, as a share of the rounding bound.
fn worst_share(far: f64) -> f64 {
    let mut worst = 0.0_f64;
    // Dyadic u and v, any t: what subdivision meets.
    let mut odd = 1_u64;
    for query in queries(far) {
        odd = odd.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(12345);
        let dyadic = |shift: u32| f64::from((odd >> shift) as u32 & 0xFFFF) / 65536.0;
        let at = [dyadic(7) * 0.999_123, dyadic(20), dyadic(33)];
        let field = Field::new(&query);
        let cell = Cell {
            lo: at,
            hi: at,
            width: 0.0,
        };
        let slice = field.slice(at[0]);
        let image = Image::new(&slice, &slice, &cell);
        assert_eq!(image.min, image.max);
        for axis in 0..3 {
            let error = rational(image.min[axis]) - exact(&query, axis, at);
            let share = error / rational(field.rounding[axis]);
            worst = worst.max(share.to_f64().value().abs());
        }
    }
    worst
}

#[test]
fn the_rounding_bound_holds_and_is_not_vacuous() {
    for far in [0.0, 3.0, 1e6] {
        let worst = worst_share(far);
        // One of the nine units is for subtracting the bound, one for the higher-order terms.
        assert!(worst <= 7.0 / 9.0, "{far}: {worst}");
        // An eighth of the bound would not do.
        assert!(worst > 1.0 / 8.0, "{far}: {worst}");
    }
}

#[test]
fn an_image_contains_what_happens_inside_its_cell() {
    for query in queries(0.0).take(200) {
        let field = Field::new(&query);
        let cell = Cell {
            lo: [0.125, 0.25, 0.5],
            hi: [0.75, 0.5, 0.625],
            width: 0.0,
        };
        let image = Image::new(&field.slice(0.125), &field.slice(0.75), &cell);
        for (i, t) in [0.125, 0.3, 0.5, 0.75].into_iter().enumerate() {
            let inside = [t, 0.25 + 0.0625 * i as f64, 0.625 - 0.03125 * i as f64];
            for axis in 0..3 {
                let value = exact(&query, axis, inside);
                assert!(value >= rational(image.min[axis] - field.rounding[axis]));
                assert!(value <= rational(image.max[axis] + field.rounding[axis]));
            }
        }
    }
}

#[test]
fn separations_are_euclidean_and_closed() {
    let p = DVec3::new(3.0, 4.0, 0.0);
    let o = DVec3::ZERO;
    let points = [p, o, o, o];
    let field = Field::new(&Query::vertex_face(points, points));
    let slice = field.slice(0.0);
    let image = Image::new(&slice, &slice, &Cell::all(1.0));
    assert!(!field.misses(&image, 5.0));
    assert!(field.misses(&image, 4.999_999_999_999));
    assert!(field.misses(&image, 1e-200));
}
