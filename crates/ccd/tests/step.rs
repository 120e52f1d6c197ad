//! Whole steps of small meshes: every way of working them gives the same answer.

use glam::DVec3;
use jostle_broad::step::StepMethod;
use jostle_ccd::step::{
    CollisionFreeOptions, StepError, StepOptions, all_impacts, candidates, collision_free_step,
    earliest_impact,
};
use jostle_ccd::{NarrowPhase, Query, QueryOptions, exact};
use jostle_geom::{MovingMesh, PairKind, Topology};
use jostle_simd::SimdLevel;
use jostle_testkit::Rng;

struct Step {
    topology: Topology,
    t0: Vec<DVec3>,
    t1: Vec<DVec3>,
}

impl Step {
    /// Small triangles, loose edges and points that fly about in a box of side `side`.
    fn random(seed: u64, triangles: usize, side: f64, speed: f64) -> Self {
        let mut rng = Rng::new(seed);
        let mut point =
            |size: f64| DVec3::new(rng.unit() - 0.5, rng.unit() - 0.5, rng.unit() - 0.5) * size;
        let (mut t0, mut t1, mut faces) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..triangles {
            let (centre, motion) = (point(side), point(speed));
            for _ in 0..3 {
                let corner = centre + point(1.0);
                t0.push(corner);
                t1.push(corner + motion + point(0.2 * speed));
            }
            let first = 3 * i as u32;
            faces.push([first, first + 1, first + 2]);
        }
        let mut loose = Vec::new();
        for _ in 0..triangles / 4 {
            let first = t0.len() as u32;
            for _ in 0..2 {
                t0.push(point(side));
                t1.push(t0[t0.len() - 1] + point(speed));
            }
            loose.push([first, first + 1]);
        }
        let topology = Topology::new(t0.len(), faces, &loose).unwrap();
        Self { topology, t0, t1 }
    }

    fn mesh(&self) -> MovingMesh<'_> {
        MovingMesh::new(&self.topology, &self.t0, &self.t1).unwrap()
    }

    fn query(&self, kind: PairKind, [a, b]: [u32; 2]) -> Query {
        let vertices = match kind {
            PairKind::VertexFace => {
                let [p, q, r] = self.topology.faces()[b as usize];
                [a, p, q, r]
            }
            PairKind::EdgeEdge => {
                let [p, q] = self.topology.edges()[a as usize];
                let [r, s] = self.topology.edges()[b as usize];
                [p, q, r, s]
            }
        };
        Query {
            kind,
            t0: vertices.map(|v| self.t0[v as usize]),
            t1: vertices.map(|v| self.t1[v as usize]),
        }
    }

    /// Every pair that shares no vertex.
    fn all_pairs(&self) -> Vec<(PairKind, [u32; 2])> {
        let (edges, faces) = (self.topology.edges(), self.topology.faces());
        let mut pairs = Vec::new();
        for v in 0..self.t0.len() as u32 {
            for (f, face) in faces.iter().enumerate() {
                if !face.contains(&v) {
                    pairs.push((PairKind::VertexFace, [v, f as u32]));
                }
            }
        }
        for (i, a) in edges.iter().enumerate() {
            for (j, b) in edges.iter().enumerate().skip(i + 1) {
                if !a.iter().any(|v| b.contains(v)) {
                    pairs.push((PairKind::EdgeEdge, [i as u32, j as u32]));
                }
            }
        }
        pairs
    }
}

#[test]
fn the_earliest_time_is_the_exact_minimum_over_all_pairs() {
    for seed in 0..12 {
        let step = Step::random(seed, 16, 3.0 + seed as f64, 1.0);
        let exact = step
            .all_pairs()
            .into_iter()
            .filter_map(|(kind, pair)| {
                exact::first_contact(&step.query(kind, pair), 0.0, 1.0, 0.0).toi()
            })
            .reduce(f64::min);
        let report = earliest_impact(&step.mesh(), &StepOptions::default(), &()).unwrap();
        match (report.first, exact) {
            (None, None) => {}
            (Some(hit), Some(toi)) => {
                assert!(
                    hit.toi <= toi && toi - hit.toi < 1e-9,
                    "{seed}: {hit:?} {toi}"
                );
            }
            other => panic!("{seed}: {other:?}"),
        }
    }
}

/// Threads, SIMD levels, broad phases and memory limits change nothing.
#[test]
fn nothing_but_the_question_changes_the_answer() {
    // Large enough for samples, windows and several tasks.
    let step = Step::random(3, 7_500, 90.0, 2.0);
    let mesh = step.mesh();
    for min_separation in [0.0, 1e-3] {
        let query = QueryOptions {
            min_separation,
            ..QueryOptions::default()
        };
        let reference = StepOptions {
            query,
            simd: SimdLevel::Scalar,
            ..StepOptions::default()
        };
        let expected = earliest_impact(&mesh, &reference, &()).unwrap();
        let (_, expected_hits) = all_impacts(&mesh, &reference, &()).unwrap();
        let mut expected_candidates = candidates(&mesh, &reference, &()).unwrap();
        expected_candidates.sort();
        assert!(expected_hits.len() > 100);
        assert_eq!(
            expected.first.unwrap().toi,
            expected_hits.iter().map(|h| h.toi).fold(1.0, f64::min)
        );

        let mut variants: Vec<StepOptions> = SimdLevel::available()
            .into_iter()
            .map(|simd| StepOptions { simd, ..reference })
            .collect();
        let auto = StepOptions {
            simd: SimdLevel::Auto,
            ..reference
        };
        variants.push(StepOptions {
            broad_phase: StepMethod::Sweep,
            ..auto
        });
        variants.push(StepOptions {
            memory_limit: Some(32 << 20),
            ..auto
        });
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                for options in &variants {
                    let report = earliest_impact(&mesh, options, &()).unwrap();
                    assert_eq!(report.first, expected.first, "{threads} {options:?}");
                    let (report, hits) = all_impacts(&mesh, options, &()).unwrap();
                    assert_eq!(hits, expected_hits, "{threads} {options:?}");
                    if options.memory_limit.is_some() {
                        assert!(report.batches.broad >= 2, "{:?}", report.batches);
                    }
                }
                let mut found = candidates(&mesh, &auto, &()).unwrap();
                found.sort();
                assert!(found == expected_candidates, "{threads}");
            });
        }
    }
}

#[test]
fn every_narrow_phase_is_conservative_on_whole_steps() {
    for seed in 0..6 {
        let step = Step::random(100 + seed, 40, 4.0, 1.5);
        let mesh = step.mesh();
        let best = earliest_impact(&mesh, &StepOptions::default(), &()).unwrap();
        for narrow_phase in NarrowPhase::ALL {
            let options = StepOptions {
                narrow_phase,
                ..StepOptions::default()
            };
            let report = earliest_impact(&mesh, &options, &()).unwrap();
            let (toi, reference) = (report.first.unwrap().toi, best.first.unwrap().toi);
            assert!(
                toi <= reference + 1e-9 && toi > reference - 1e-3,
                "{narrow_phase} {toi}"
            );
        }
    }
}

/// At the step returned every pair keeps its share, and a step one per cent longer breaks one.
#[test]
fn a_collision_free_step_is_safe_and_nearly_the_longest() {
    let mut limited = 0;
    for seed in 0..5 {
        let step = Step::random(200 + seed, 6, 3.0 + 0.2 * seed as f64, 1.0);
        for fraction in [0.2, 0.7] {
            let options = CollisionFreeOptions {
                fraction,
                ..CollisionFreeOptions::default()
            };
            let found = collision_free_step(&step.mesh(), &options, &()).unwrap();
            limited += usize::from(found.limited_by.is_some());
            let mut broken_later = found.step == 1.0;
            let mut starts_in_contact = false;
            for (kind, pair) in step.all_pairs() {
                let query = step.query(kind, pair);
                let (low, high) = exact::distance_bounds_at(&query, 0.0);
                if high == 0.0 {
                    starts_in_contact = true;
                    continue;
                }
                // Just below the share, nothing may come before the step.
                let share = low * fraction * (1.0 - 1e-12);
                let free = exact::first_contact(&query, share, found.step, 0.0).toi();
                assert!(
                    free.is_none_or(|t| t >= found.step),
                    "{seed} {kind} {pair:?}: {free:?}"
                );
                let later = (found.step * 1.01).min(1.0);
                broken_later |= exact::first_contact(&query, high * fraction, later, 0.0)
                    .toi()
                    .is_some();
            }
            assert!(starts_in_contact || found.step > 0.0);
            assert!(starts_in_contact || broken_later, "{seed}: {found:?}");
        }
    }
    assert!(limited > 4, "{limited}");
}

#[test]
fn bad_options_are_named() {
    let step = Step::random(1, 4, 3.0, 1.0);
    let mesh = step.mesh();
    let with = |query| StepOptions {
        query,
        ..StepOptions::default()
    };
    let query = QueryOptions {
        min_separation: f64::NAN,
        ..QueryOptions::default()
    };
    let error = earliest_impact(&mesh, &with(query), &()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "option min_separation = NaN is out of range"
    );
    let options = StepOptions {
        memory_limit: Some(1000),
        ..StepOptions::default()
    };
    let error = earliest_impact(&mesh, &options, &()).unwrap_err();
    assert!(matches!(error, StepError::MemoryLimit { limit: 1000, needed } if needed > 1000));
    for fraction in [0.0, 1.0, f64::NAN] {
        let options = CollisionFreeOptions {
            fraction,
            ..CollisionFreeOptions::default()
        };
        assert!(collision_free_step(&mesh, &options, &()).is_err());
    }
}

/// Degenerate meshes are valid input.
#[test]
fn degenerate_meshes_have_answers() {
    let at = |points: &[[f64; 3]]| {
        points
            .iter()
            .map(|&p| DVec3::from_array(p))
            .collect::<Vec<_>>()
    };
    // One point; identical points; faces without area over a moving point.
    let meshes = [
        (at(&[[0.0; 3]]), at(&[[1.0; 3]]), vec![]),
        (
            at(&[[0.0; 3]; 8]),
            at(&[[0.0; 3]; 8]),
            vec![[0, 1, 2], [3, 4, 5]],
        ),
        (
            at(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]]),
            at(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, -1.0, 0.0]]),
            vec![[0, 1, 2]],
        ),
    ];
    let expected = [None, Some(0.0), Some(0.5)];
    for ((t0, t1, faces), expected) in meshes.into_iter().zip(expected) {
        let topology = Topology::new(t0.len(), faces, &[]).unwrap();
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let report = earliest_impact(&mesh, &StepOptions::default(), &()).unwrap();
        let toi = report.first.map(|hit| hit.toi);
        match expected {
            None => assert_eq!(toi, None),
            Some(exact) => {
                let toi = toi.unwrap();
                assert!(toi <= exact && exact - toi < 1e-9, "{toi} {exact}");
            }
        }
    }
}
