//! Every narrow phase on hard queries, judged by the exact decisions and by the certificate checker.

use jostle_ccd::{NarrowPhase, Outcome, QueryOptions, exact, separating, time_of_impact};
use jostle_testkit::{check_certificate, hard_queries, query_strategy};
use proptest::prelude::*;

fn options(min_separation: f64, exact: bool) -> QueryOptions {
    QueryOptions {
        min_separation,
        exact,
        // Degenerate queries exhaust any budget of subdivision: a small one keeps the test quick.
        max_iterations: 2_000,
        ..QueryOptions::default()
    }
}

/// A separation that matters: none, or a share of the distance at the start.
fn separation(i: usize, at_start: f64) -> f64 {
    match i % 3 {
        0 | 1 => 0.0,
        _ if at_start < 1e200 => 0.2 * at_start,
        _ => 0.0,
    }
}

#[test]
fn no_method_is_late_and_none_misses() {
    for (i, (family, query)) in hard_queries(11, 19 * 150).enumerate() {
        let min_separation = separation(i / 19, exact::distance_bounds_at(&query, 0.0).0);
        let right = exact::first_contact(&query, min_separation, 1.0, 0.0);
        let at_start = exact::in_contact_at(&query, 0.0, min_separation);
        for method in NarrowPhase::ALL {
            let label = || format!("{method} {family:?} {min_separation:e} {right:?} {query:?}");
            let plain = time_of_impact(&query, method, &options(min_separation, false)).unwrap();
            match (plain.outcome.toi(), right.toi()) {
                (None, Some(_)) => panic!("missed: {}", label()),
                (Some(found), Some(right)) => assert!(found <= right, "{found} {}", label()),
                (_, None) => {}
            }
            // Zero means contact at the start, or a time too small for a double.
            if plain.outcome == (Outcome::Impact { toi: 0.0 }) {
                assert!(at_start, "{}", label());
            }
            let settled = time_of_impact(&query, method, &options(min_separation, true)).unwrap();
            let hit = settled.outcome.toi().is_some();
            assert_eq!(hit, right.toi().is_some(), "{}", label());
            if let (Some(found), Some(right)) = (settled.outcome.toi(), right.toi()) {
                assert!(
                    found <= right && right - found <= 1e-6,
                    "{found} {}",
                    label()
                );
            }
        }
    }
}

#[test]
fn certificates_of_the_march_hold() {
    for (i, (family, query)) in hard_queries(12, 19 * 100).enumerate() {
        let min_separation = separation(i / 19, exact::distance_bounds_at(&query, 0.0).0);
        let options = options(min_separation, false);
        let (answer, certificate) = separating::solve_with_certificate(&query, &options);
        let end = answer.outcome.toi().unwrap_or(options.t_max);
        let checked = check_certificate(&query, min_separation, end, &certificate.pieces);
        assert_eq!(
            checked,
            Ok(()),
            "{family:?} {min_separation:e} {answer:?} {query:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_march_is_never_late((family, query) in query_strategy()) {
        let right = exact::first_contact(&query, 0.0, 1.0, 0.0).toi();
        let found = time_of_impact(&query, NarrowPhase::Separating, &options(0.0, false));
        let found = found.unwrap().outcome.toi();
        prop_assert!(found.is_some() || right.is_none(), "{:?} missed {:?}", family, right);
        if let (Some(found), Some(right)) = (found, right) {
            prop_assert!(found <= right, "{:?} {} {}", family, found, right);
        }
    }
}
