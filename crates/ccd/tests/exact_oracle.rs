//! The exact decisions against an oracle that works otherwise, on hard queries.

use core::cmp::Ordering;

use glam::dvec3;
use jostle_ccd::{Outcome, Query, exact};
use jostle_testkit::{Family, Rng, hard_queries, hard_query, oracle};

/// Everything that can be said about an answer from single times.
fn check(query: &Query, min_separation: f64, samples: u32, label: &str) {
    let context = || format!("{label}, separation {min_separation:e}: {query:?}");
    let outcome = exact::first_contact(query, min_separation, 1.0, 0.0);
    let oracle = |t: f64| oracle::within_at(query, t, min_separation);
    let at_start = oracle(0.0);
    assert_eq!(exact::in_contact_at(query, 0.0, min_separation), at_start);
    assert_eq!(
        exact::distance_exceeds_at_start(query, min_separation),
        !at_start
    );
    assert_eq!(
        outcome == Outcome::Impact { toi: 0.0 },
        at_start,
        "{}",
        context()
    );
    if let Some(toi) = outcome.toi()
        && toi > 0.0
    {
        assert!(toi <= 1.0 && !oracle(toi.next_down()), "{}", context());
    }
    // Contact at a sampled time is never before the answer, and there is an answer.
    for i in 0..=samples {
        let t = f64::from(i) / f64::from(samples);
        if oracle(t) {
            assert!(
                outcome.toi().is_some_and(|toi| toi <= t),
                "{t} {}",
                context()
            );
            break;
        }
    }
    let bound = exact::positive_start_bound(query, min_separation);
    assert!((0.0..=1.0).contains(&bound));
    if at_start {
        assert_eq!(bound, 0.0, "{}", context());
    } else {
        assert!(
            outcome.toi().is_none_or(|toi| bound <= toi),
            "{}",
            context()
        );
        assert!(!oracle(bound), "{bound:e} {}", context());
    }
}

#[test]
fn first_contacts_agree_with_single_times() {
    for (family, query) in hard_queries(1, 19 * 300) {
        check(&query, 0.0, 16, &format!("{family:?}"));
    }
}

#[test]
fn first_contacts_agree_with_single_times_at_a_distance() {
    for (i, (family, query)) in hard_queries(2, 19 * 60).enumerate() {
        let (lo, _) = exact::distance_bounds_at(&query, 0.0);
        let size = query.t0.iter().chain(&query.t1);
        let size = size.map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let separation = match i % 3 {
            0 => 0.2 * lo,
            1 => size * 1e-3,
            _ => lo,
        };
        if separation.is_finite() {
            check(&query, separation, 8, &format!("{family:?}"));
        }
    }
}

/// On a small grid contacts at simple times abound, so that sampling finds the first of them.
#[test]
fn small_grids_agree_with_dense_sampling() {
    let mut rng = Rng::new(3);
    let (mut found, mut exactly) = (0, 0);
    for _ in 0..2000 {
        let query = hard_query(Family::Grid, &mut rng);
        let outcome = exact::first_contact(&query, 0.0, 1.0, 0.0);
        let touched = (0..=32).map(|i| f64::from(i) / 32.0);
        let first = touched.clone().find(|&t| oracle::touch_at(&query, t));
        for t in touched {
            assert_eq!(
                exact::in_contact_at(&query, t, 0.0),
                oracle::touch_at(&query, t),
                "{t} {query:?}"
            );
        }
        if let Some(t) = first {
            found += 1;
            assert!(outcome.toi().is_some_and(|toi| toi <= t), "{query:?}");
            exactly += u32::from(outcome.toi() == Some(t));
        }
        if let Some(toi) = outcome.toi() {
            assert!(toi == 0.0 || !oracle::touch_at(&query, toi.next_down()));
        }
    }
    assert!(found > 50 && exactly > 40, "{found} {exactly}");
}

/// Contact once begun goes on for a while in general: just after the answer there is contact.
#[test]
fn there_is_a_contact_at_the_time_of_impact() {
    let mut rng = Rng::new(4);
    let mut hits = 0;
    for _ in 0..1000 {
        let query = hard_query(Family::Random, &mut rng);
        let Some(toi) = exact::first_contact(&query, 0.0, 1.0, 0.0).toi() else {
            continue;
        };
        hits += 1;
        // A sphere around the contact is reached at the same place a little later or earlier.
        let (_, hi) = exact::distance_bounds_at(&query, toi);
        assert!(hi < 1e-15, "{hi:e} {query:?}");
        let nearer = exact::first_contact(&query, 1e-3, 1.0, 0.0);
        assert!(nearer.toi().is_some_and(|t| t <= toi));
        if let Outcome::Impact { toi: t } = nearer
            && t > 0.0
        {
            let (lo, hi) = exact::distance_bounds_at(&query, t);
            assert!((lo - 1e-3).abs() < 1e-15 && hi >= 1e-3, "{lo:e}");
        }
    }
    assert!(hits > 400, "{hits}");
}

/// Too early for a double, and after the start all the same.
#[test]
fn times_below_the_smallest_double_are_undecided() {
    let face = [
        dvec3(-1.0, -1.0, 0.0),
        dvec3(2.0, -1.0, 0.0),
        dvec3(-1.0, 2.0, 0.0),
    ];
    let at = |z: f64| [dvec3(0.0, 0.0, z), face[0], face[1], face[2]];
    let query = Query::vertex_face(at(5e-324), at(-1e300));
    let outcome = exact::first_contact(&query, 0.0, 1.0, 0.0);
    assert_eq!(outcome, Outcome::Undecided { toi: 0.0 });
    assert_eq!(exact::positive_start_bound(&query, 0.0), 0.0);
    let query = Query::vertex_face(at(5e-324), at(-0.5));
    let outcome = exact::first_contact(&query, 0.0, 1.0, 0.0);
    assert_eq!(outcome, Outcome::Impact { toi: 5e-324 });
}

#[test]
fn shorter_intervals_cut_the_answer_and_do_not_change_it() {
    for (family, query) in hard_queries(5, 19 * 100) {
        let whole = exact::first_contact(&query, 0.0, 1.0, 0.0);
        for t_max in [0.0, 0.3, 0.5] {
            let part = exact::first_contact(&query, 0.0, t_max, 0.0);
            match whole.toi() {
                Some(toi) if toi < t_max => assert_eq!(part, whole, "{family:?} {query:?}"),
                Some(toi) if toi > t_max => assert_eq!(part, Outcome::Free),
                // Between t_max and the next double both answers are possible.
                Some(toi) => assert!(part.toi().is_none_or(|t| t == toi)),
                None => assert_eq!(part, Outcome::Free),
            }
        }
        // Exactly at the end of the interval counts.
        if let Some(toi) = whole.toi()
            && oracle::touch_at(&query, toi)
        {
            assert_eq!(exact::first_contact(&query, 0.0, toi, 0.0), whole);
            if toi > 0.0 {
                let before = exact::first_contact(&query, 0.0, toi.next_down(), 0.0);
                assert_eq!(before, Outcome::Free);
            }
        }
        let coarse = exact::first_contact(&query, 0.0, 1.0, 1e-6);
        match (coarse.toi(), whole.toi()) {
            (Some(c), Some(w)) => assert!(c <= w && w - c <= 1e-6 && (c > 0.0 || w == 0.0)),
            (c, w) => assert_eq!(c, w),
        }
    }
}

#[test]
fn distances_are_enclosed_tightly() {
    for (family, query) in hard_queries(6, 19 * 100) {
        for t in [0.0, 0.3, 1.0] {
            let (lo, hi) = exact::distance_bounds_at(&query, t);
            assert!(lo == hi || lo.next_up() == hi, "{family:?} {lo:e} {hi:e}");
            let order = oracle::compare_distance_at(&query, t, lo);
            assert_eq!(order == Ordering::Equal, lo == hi, "{family:?} {query:?}");
            assert_ne!(order, Ordering::Less);
            if lo < hi && hi.is_finite() {
                assert_eq!(oracle::compare_distance_at(&query, t, hi), Ordering::Less);
            }
        }
    }
}
