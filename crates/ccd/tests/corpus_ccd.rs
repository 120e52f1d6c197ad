//! Collisions other engines got wrong; see `testkit/corpus/ccd`.

use jostle_ccd::step::{StepOptions, earliest_impact};
use jostle_ccd::{NarrowPhase, Outcome, Query, QueryOptions, exact, time_of_impact};
use jostle_geom::{MovingMesh, PairKind};
use jostle_testkit::corpus::{CaseQuery, CaseStep, Expect, ccd_case};

/// Solves the queries of a case by every method, plain and exact, and its steps likewise.
fn run(id: &str) {
    let case = ccd_case(id);
    for (i, q) in case.queries.iter().enumerate() {
        let label = format!("{id}[{i}]");
        let outcome = exact::first_contact(&q.query, q.min_separation, 1.0, 0.0);
        check_exact(&label, outcome, q.expect);
        for (method, options) in ways(q.min_separation) {
            let answer = time_of_impact(&q.query, method, &options).unwrap();
            let label = format!("{label} {method} exact={}", options.exact);
            if options.exact {
                assert!(!answer.outcome.is_undecided(), "{label}");
                assert_eq!(
                    answer.outcome == Outcome::Free,
                    q.expect.toi.is_none(),
                    "{label}"
                );
            }
            check_bound(&label, answer.outcome, outcome, q);
        }
    }
    for step in &case.steps {
        check_step(id, step);
    }
}

fn ways(min_separation: f64) -> impl Iterator<Item = (NarrowPhase, QueryOptions)> {
    NarrowPhase::ALL.into_iter().flat_map(move |method| {
        [false, true].map(|exact| {
            let options = QueryOptions {
                min_separation,
                exact,
                max_iterations: 100_000,
                ..QueryOptions::default()
            };
            (method, options)
        })
    })
}

fn check_exact(label: &str, outcome: Outcome, expect: Expect) {
    match (outcome.toi(), expect.toi) {
        (Some(found), Some(right)) => {
            // The right answer may itself be rounded up by one unit.
            let slack = expect.tolerance.max(right.next_up() - right);
            assert!(
                (found - right).abs() <= slack,
                "{label}: {found} is not {right}"
            );
        }
        (found, right) => assert_eq!(found, right, "{label}"),
    }
}

/// Never later than the exact answer, no miss, and zero only for a contact at the start.
fn check_bound(label: &str, outcome: Outcome, right: Outcome, case: &CaseQuery) {
    match (outcome.toi(), right.toi()) {
        (None, Some(right)) => panic!("{label}: missed the contact at {right}"),
        (Some(found), Some(right)) => {
            assert!(found <= right, "{label}: {found} is later than {right}");
            let least = case.expect.at_least;
            assert!(found >= least, "{label}: {found} is too early");
        }
        (_, None) => {}
    }
    let at_start = exact::in_contact_at(&case.query, 0.0, case.min_separation);
    assert!(outcome.toi() != Some(0.0) || at_start, "{label}: zero");
}

/// All pairs of a step that do not share a vertex.
fn pairs(step: &CaseStep) -> Vec<Query> {
    let (edges, faces) = (step.topology.edges(), step.topology.faces());
    let at = |kind, v: [u32; 4]| Query {
        kind,
        t0: v.map(|v| step.t0[v as usize]),
        t1: v.map(|v| step.t1[v as usize]),
    };
    let mut queries = Vec::new();
    for &[a, b, c] in faces {
        for v in (0..step.t0.len() as u32).filter(|v| ![a, b, c].contains(v)) {
            queries.push(at(PairKind::VertexFace, [v, a, b, c]));
        }
    }
    for (i, &[a, b]) in edges.iter().enumerate() {
        for &[c, d] in &edges[..i] {
            if ![a, b].contains(&c) && ![a, b].contains(&d) {
                queries.push(at(PairKind::EdgeEdge, [a, b, c, d]));
            }
        }
    }
    queries
}

fn check_step(label: &str, step: &CaseStep) {
    let first = pairs(step)
        .iter()
        .filter_map(|q| exact::first_contact(q, 0.0, 1.0, 0.0).toi())
        .reduce(f64::min);
    let outcome = first.map_or(Outcome::Free, |toi| Outcome::Impact { toi });
    check_exact(label, outcome, step.expect);
    let mesh = MovingMesh::new(&step.topology, &step.t0, &step.t1).unwrap();
    for (method, query) in ways(0.0) {
        let options = StepOptions {
            narrow_phase: method,
            query,
            ..StepOptions::default()
        };
        let report = earliest_impact(&mesh, &options, &()).unwrap();
        let found = report.first.map(|hit| hit.toi);
        let label = format!("{label} {method} exact={}", query.exact);
        assert!(found.is_some() == first.is_some(), "{label}");
        assert!(
            found <= first && found >= Some(step.expect.at_least),
            "{label}: {found:?}"
        );
    }
}

#[test]
fn bug_c01_vertex_near_a_moving_face_does_not_stall() {
    run("C01");
}

#[test]
fn bug_c02_vertex_falling_with_a_face_does_not_touch_it() {
    run("C02");
}

#[test]
fn bug_c04_edge_shearing_through_another_twice() {
    run("C04");
}

#[test]
fn bug_c05_edge_passing_the_end_of_another_at_half_a_micrometre() {
    run("C05");
}

#[test]
fn bug_c06_squashed_tetrahedron() {
    run("C06");
}

#[test]
fn bug_c07_segment_sliding_through_another_in_a_plane() {
    run("C07");
}

#[test]
fn bug_c08_collinear_motion_and_a_face_that_is_a_segment_at_contact() {
    run("C08");
}

#[test]
fn bug_c09_crossed_edges_closing_while_they_twist() {
    run("C09");
}

#[test]
fn bug_c12_pyramids_at_100_km_per_second() {
    run("C12");
}

#[test]
fn bug_c14_bullet_through_a_wall_within_one_step() {
    run("C14");
}

#[test]
fn bug_c15_cube_meshes_meet_face_to_face() {
    run("C15");
}

#[test]
fn bug_d06_ball_swept_past_a_face_that_is_almost_a_segment() {
    run("D06");
}

#[test]
fn bug_d09_ball_creeping_towards_a_far_face() {
    run("D09");
}
