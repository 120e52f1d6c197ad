//! The inclusion and the additive method against exact arithmetic.

use glam::DVec3;
use jostle_ccd::{NarrowPhase, Outcome, Query, QueryOptions, exact, time_of_impact};
use proptest::prelude::*;

const METHODS: [NarrowPhase; 2] = [NarrowPhase::Inclusion, NarrowPhase::Additive];

/// Small, so that sliding pairs that need millions of iterations end in time.
const BUDGET: u32 = 20_000;

/// Eight points on a grid of small integers: full of touching, parallel, coplanar and degenerate
/// configurations, and of contacts at dyadic and rational times.
fn grid() -> impl Strategy<Value = Query> {
    let coordinate = prop_oneof![3 => -3..=3_i8, 1 => Just(0_i8)];
    let points = prop::array::uniform8(prop::array::uniform3(coordinate));
    (any::<bool>(), points).prop_map(|(face, points)| {
        let at = |i: usize| {
            let [x, y, z] = points[i].map(f64::from);
            DVec3::new(x, y, z)
        };
        let (t0, t1) = ([0, 1, 2, 3].map(at), [4, 5, 6, 7].map(at));
        if face {
            Query::vertex_face(t0, t1)
        } else {
            Query::edge_edge(t0, t1)
        }
    })
}

/// How a grid query is made harder. All are exact or nearly so: contacts stay contacts or get into
/// the range of rounding.
#[derive(Clone, Copy, Debug)]
enum Harder {
    /// Multiplied by a power of two, up to the limits of `f64`.
    Scaled(i32),
    /// Moved away from the origin.
    Far(f64),
    /// One coordinate of one point moved by little.
    Nudged(usize, f64),
    /// One axis shrunk: nearly flat, mixed scales.
    Flat(f64),
    /// The ends of the step close together.
    Slow(f64),
}

fn harder() -> impl Strategy<Value = Harder> {
    prop_oneof![
        prop::sample::select(vec![
            -1074, -1000, -500, -210, -60, -30, 30, 190, 220, 500, 1020
        ])
        .prop_map(Harder::Scaled),
        prop::sample::select(vec![1e6 + 0.1, 12_345.678, -1e9 / 3.0]).prop_map(Harder::Far),
        (
            0..8_usize,
            prop::sample::select(vec![1e-16, 1e-15, -1e-15, 1e-12, -1e-9, 1e-300])
        )
            .prop_map(|(i, d)| Harder::Nudged(i, d)),
        prop::sample::select(vec![1e-9, 1e-15, 1e-160, 1e-310]).prop_map(Harder::Flat),
        prop::sample::select(vec![1e-9, 1e-3, 1e-200]).prop_map(Harder::Slow),
    ]
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

fn apply(query: Query, harder: Harder) -> Query {
    let mut query = query;
    let all = |query: &mut Query, f: &dyn Fn(DVec3) -> DVec3| {
        query.t0 = query.t0.map(f);
        query.t1 = query.t1.map(f);
    };
    match harder {
        Harder::Scaled(power) => {
            let half = power_of_two(power / 2);
            let rest = power_of_two(power - power / 2);
            all(&mut query, &|p| p * half * rest);
        }
        Harder::Far(d) => all(&mut query, &|p| p + DVec3::new(d, -d, d / 2.0)),
        Harder::Nudged(i, d) => {
            let points = if i < 4 { &mut query.t0 } else { &mut query.t1 };
            points[i % 4].z += d;
        }
        Harder::Flat(s) => all(&mut query, &|p| DVec3::new(p.x, p.y, p.z * s)),
        Harder::Slow(s) => {
            for (start, end) in query.t0.iter().zip(&mut query.t1) {
                *end = *start + *end * s;
            }
        }
    }
    query
}

/// The guarantee, and what else holds for any query.
fn check(query: &Query, options: &QueryOptions) -> Result<(), TestCaseError> {
    let truth = exact::first_contact(query, options.min_separation, options.t_max, 0.0).toi();
    for method in METHODS {
        let answer = time_of_impact(query, method, options).unwrap();
        let toi = answer.outcome.toi();
        prop_assert!(answer.counters.iterations <= options.max_iterations);
        if let Some(truth) = truth {
            let Some(toi) = toi else {
                return Err(TestCaseError::fail(format!("{method} misses {truth}")));
            };
            prop_assert!(toi <= truth, "{method}: {toi} after {truth}");
        }
        if let Some(toi) = toi {
            prop_assert!((0.0..=options.t_max).contains(&toi), "{method}: {toi}");
            if toi == 0.0 {
                let touching = !exact::distance_exceeds_at_start(query, options.min_separation);
                prop_assert!(touching || answer.outcome.is_undecided(), "{method}: 0");
                prop_assert!(
                    !touching || !answer.outcome.is_undecided(),
                    "{method}: undecided"
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn grid_queries_are_answered_conservatively(query in grid()) {
        check(&query, &QueryOptions { max_iterations: BUDGET, ..Default::default() })?;
    }

    /// On the grid a gap is never within the tolerances, so nothing is reported that is free.
    #[test]
    fn free_grid_queries_are_found_free(query in grid()) {
        let options = QueryOptions { max_iterations: BUDGET, ..Default::default() };
        if exact::first_contact(&query, 0.0, 1.0, 0.0).toi().is_none() {
            for method in METHODS {
                let outcome = time_of_impact(&query, method, &options).unwrap().outcome;
                prop_assert!(!matches!(outcome, Outcome::Impact { .. }), "{method}: {outcome:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn hard_queries_are_answered_conservatively(query in grid(), harder in harder()) {
        let query = apply(query, harder);
        prop_assume!(query.validate().is_ok());
        check(&query, &QueryOptions { max_iterations: 2000, ..Default::default() })?;
    }

    #[test]
    fn separations_and_shorter_steps_are_respected(
        query in grid(),
        min_separation in prop::sample::select(vec![0.0, 1e-300, 1e-12, 0.1, 0.5, 1.0, 2.0, 1e300]),
        t_max in prop::sample::select(vec![0.0, 1e-300, 0.3, 0.5, 0.75, 1.0]),
    ) {
        let options = QueryOptions { min_separation, t_max, max_iterations: 2000, ..Default::default() };
        check(&query, &options)?;
    }
}

/// Two primitives that are apart along x until their points `p` meet at t = 1: F is zero there in
/// one corner of the parameters and positive elsewhere, so that any error in that corner counts.
fn meeting_at_the_end(face: bool, p: [f64; 3], offsets: [[f64; 3]; 7]) -> Query {
    let p = DVec3::from_array(p);
    let before = |i: usize| p - DVec3::from_array(offsets[i]);
    let after = |i: usize| p + DVec3::from_array(offsets[i]);
    if face {
        Query::vertex_face(
            [after(0), before(1), before(2), before(3)],
            [p, before(4), p, before(5)],
        )
    } else {
        Query::edge_edge(
            [after(0), after(1), before(2), before(3)],
            [after(4), p, before(5), p],
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn contacts_in_a_corner_are_not_rounded_away(
        face in any::<bool>(),
        p in prop::array::uniform3(-1.0..1.0),
        offsets in prop::array::uniform7(prop::array::uniform3(0.1..1.0)),
    ) {
        let query = meeting_at_the_end(face, p, offsets);
        prop_assert_eq!(exact::first_contact(&query, 0.0, 1.0, 0.0), Outcome::Impact { toi: 1.0 });
        check(&query, &QueryOptions { max_iterations: 20_000, ..Default::default() })?;
    }
}

/// A vertex that falls on a face from height `start` to `end`.
fn falling(start: f64, end: f64) -> Query {
    let face = [
        DVec3::new(-1.0, -1.0, 0.0),
        DVec3::new(1.0, -1.0, 0.0),
        DVec3::new(0.0, 1.0, 0.0),
    ];
    let with = |z: f64| [DVec3::new(0.1, -0.2, z), face[0], face[1], face[2]];
    Query::vertex_face(with(start), with(end))
}

#[test]
fn both_methods_come_close_to_a_plain_contact() {
    for method in METHODS {
        let outcome = time_of_impact(&falling(1.0, -2.0), method, &QueryOptions::default())
            .unwrap()
            .outcome;
        let Outcome::Impact { toi } = outcome else {
            panic!("{method}: {outcome:?}");
        };
        assert!(
            toi <= 1.0 / 3.0 && toi > 1.0 / 3.0 - 1e-6,
            "{method}: {toi}"
        );
    }
}

#[test]
fn a_start_apart_never_gives_time_zero() {
    // Closer than any tolerance, and so fast that rounding hides the gap.
    for gap in [1e-9, 1e-15, 1e-100, 1e-300] {
        for method in METHODS {
            let query = falling(gap, -1e6);
            let toi = time_of_impact(&query, method, &QueryOptions::default())
                .unwrap()
                .outcome
                .toi()
                .expect("the vertex passes the face");
            let truth = exact::first_contact(&query, 0.0, 1.0, 0.0).toi().unwrap();
            assert!(toi > 0.0 && toi <= truth, "{method} {gap}: {toi} {truth}");
        }
    }
}

#[test]
fn contact_at_the_start_is_time_zero_within_any_budget() {
    for method in METHODS {
        let options = QueryOptions {
            max_iterations: 1,
            ..Default::default()
        };
        let outcome = time_of_impact(&falling(0.0, 1.0), method, &options)
            .unwrap()
            .outcome;
        assert_eq!(outcome, Outcome::Impact { toi: 0.0 }, "{method}");
    }
}

#[test]
fn a_spent_budget_is_said_and_still_a_bound() {
    // An edge slides along another, 1e-5 above it, aligned with no axis.
    let edge =
        |x: f64, z: f64| [x, x + 1.0].map(|x| DVec3::new(1.0, -2.0, 1.0) * x + DVec3::ONE * z);
    let ([a, b], [c, d], [e, f]) = (edge(0.0, 1e-5), edge(0.2, 0.0), edge(0.9, 1e-5));
    let query = Query::edge_edge([a, b, c, d], [e, f, c, d]);
    for method in METHODS {
        let options = QueryOptions {
            max_iterations: 100,
            ..Default::default()
        };
        let answer = time_of_impact(&query, method, &options).unwrap();
        let Outcome::Undecided { toi } = answer.outcome else {
            panic!("{method}: {answer:?}");
        };
        assert!(
            toi > 0.0 && answer.counters.iterations == 100,
            "{method}: {toi}"
        );
    }
}
