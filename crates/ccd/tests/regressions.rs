//! Queries that once got a wrong, late, missing or slow answer.

use glam::DVec3;
use jostle_ccd::{NarrowPhase, Outcome, Query, QueryOptions, exact, time_of_impact};

fn points(p: [[f64; 3]; 4]) -> [DVec3; 4] {
    p.map(DVec3::from_array)
}

/// All narrow phases, plain and exact: never late, never missed, and right with `exact`.
fn check(query: &Query, options: QueryOptions) {
    let expected = exact::first_contact(query, options.min_separation, options.t_max, 0.0).toi();
    for method in NarrowPhase::ALL {
        for exact in [false, true] {
            // The subdivision of these takes its whole budget: a small one will do.
            let max_iterations = match method {
                NarrowPhase::Inclusion => 20_000,
                _ => options.max_iterations,
            };
            let options = QueryOptions {
                exact,
                max_iterations,
                ..options
            };
            let answer = time_of_impact(query, method, &options).unwrap();
            let toi = answer.outcome.toi();
            match (expected, toi) {
                (Some(expected), Some(toi)) => {
                    assert!(toi <= expected, "{method} {toi} {expected}");
                }
                (Some(expected), None) => panic!("{method} missed {expected}"),
                (None, toi) => assert!(!exact || toi.is_none(), "{method} {toi:?}"),
            }
            assert!(
                !exact || !answer.outcome.is_undecided(),
                "{method} {answer:?}"
            );
            if method == NarrowPhase::Separating {
                assert!(answer.counters.iterations < 200, "{answer:?}");
            }
        }
    }
}

fn separation(min_separation: f64) -> QueryOptions {
    QueryOptions {
        min_separation,
        ..QueryOptions::default()
    }
}

/// The squares of a tiny normal underflow, and with them went the minimum separation.
#[test]
fn tiny_elements_keep_their_minimum_separation() {
    for (size, z) in [(1e-170, 2.5), (1e-80, 2.5), (1e-140, 2.5)] {
        let edges = |z: f64| points([[0.0; 3], [size, 0.0, 0.0], [0.0, -1.0, z], [0.0, 1.0, z]]);
        check(&Query::edge_edge(edges(z), edges(0.5)), separation(1.0));
        let short = |z: f64| points([[0.0; 3], [size, 0.0, 0.0], [0.0, 0.0, z], [0.0, size, z]]);
        check(&Query::edge_edge(short(z), short(0.5)), separation(1.0));
        let face = points([[0.2, 0.0, 0.5], [0.0; 3], [1.0, 0.0, 0.0], [0.0, size, 0.0]]);
        check(&Query::vertex_face(face, face), separation(1.0));
    }
}

/// Tangential approaches along which a march gains a hundred-thousandth a round.
#[test]
fn tangential_approaches_end_soon() {
    let vf = Query::vertex_face(
        points([
            [1.0, -1.0, 1.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, -1.0],
        ]),
        points([
            [1.0, 1.0, 0.0],
            [-1.0, 0.0, 1.0],
            [1.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0],
        ]),
    );
    check(
        &vf,
        QueryOptions {
            t_max: 0.5,
            ..separation(0.6324555320336758)
        },
    );
    let ee = Query::edge_edge(
        points([
            [0.03125, -0.5, 0.625],
            [-0.21875, -0.5, 0.625],
            [0.0; 3],
            [0.0, -3.0, 3.78125],
        ]),
        points([
            [-0.46875, -0.5, 1.625],
            [3.28125, -0.5, 1.625],
            [0.0; 3],
            [0.0, 1.0, 3.78125],
        ]),
    );
    check(&ee, separation(0.0));
    let near_miss = Query::edge_edge(
        points([
            [0.00625, 0.025, -0.025],
            [-0.043750000000000004, 0.025, -0.025],
            [0.0; 3],
            [0.0, 0.0, -0.025],
        ]),
        points([
            [-0.043750000000000004, 0.025, 0.07500000000000001],
            [0.30625, 0.025, 0.07500000000000001],
            [0.0; 3],
            [0.0, 0.4, -0.025],
        ]),
    );
    check(&near_miss, separation(0.0));
    let swinging = Query::vertex_face(
        points([
            [-0.05, -0.05, -0.025],
            [0.0; 3],
            [0.4, 0.0, 0.0],
            [0.0, -0.2, 0.0125],
        ]),
        points([
            [-0.05, -0.05, 0.07500000000000001],
            [0.0; 3],
            [0.4, 0.0, 0.0],
            [0.0, 0.2, 0.0125],
        ]),
    );
    check(&swinging, separation(0.05));
}

/// What does not move and is apart is free, however close.
#[test]
fn what_is_apart_and_still_is_free() {
    let face = points([[0.1, 0.2, 0.7], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let edges = points([
        [-0.2, 0.2, -1.0],
        [0.6000000000000001, -0.6000000000000001, -0.2],
        [0.0, 0.0, -0.8],
        [0.0, 0.0, -0.8],
    ]);
    for (query, separation_) in [
        (Query::vertex_face(face, face), 0.7_f64.next_down()),
        (Query::edge_edge(edges, edges), 0.0),
    ] {
        check(&query, separation(separation_));
        for method in [NarrowPhase::Separating, NarrowPhase::Additive] {
            let answer = time_of_impact(&query, method, &separation(separation_)).unwrap();
            assert_eq!(answer.outcome, Outcome::Free, "{method}");
        }
    }
}

/// The bound of the speed underflows the time, which is itself a fine double.
#[test]
fn early_contacts_are_not_called_zero() {
    let query = Query::vertex_face(
        points([
            [-8.0, 0.0, 6.0],
            [-8.0, 0.0, 0.0],
            [-8.0, 5e-324, 8.0],
            [4.0, 8.0, 4.0],
        ]),
        points([
            [-8.0, 5e-324, 6.0],
            [-7.0, 1.0, 0.0],
            [-9.0, -1.0, 7.0],
            [4.0, 7.000000000000001, 3.0],
        ]),
    );
    check(&query, separation(0.0));
    let answer = time_of_impact(&query, NarrowPhase::Separating, &QueryOptions::default()).unwrap();
    assert!(answer.outcome.toi().unwrap() > 0.0, "{answer:?}");
}
