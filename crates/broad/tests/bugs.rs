//! Sets of boxes that other engines got wrong; data in `testkit/corpus/boxes`.

use std::path::Path;

use glam::Vec3;
use jostle_broad::h8::{self, Tree};
use jostle_broad::{Method, PairOptions, brute, step};
use jostle_geom::{Aabb, MovingBoxes, PairKind, Topology, rounding};
use jostle_simd::SimdLevel;
use jostle_simd::fearless_simd::Level;
use serde_json::Value;

fn corpus(id: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testkit/corpus/boxes");
    let text = std::fs::read_to_string(folder.join(format!("{id}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn pairs_in(value: &Value) -> Vec<[u32; 2]> {
    let id = |v: &Value| v.as_u64().unwrap() as u32;
    let pairs = value.as_array().unwrap().iter();
    pairs.map(|pair| [id(&pair[0]), id(&pair[1])]).collect()
}

/// The boxes of a set, rounded outward.
fn boxes_in(set: &Value) -> Vec<Aabb> {
    let boxes = set["boxes"].as_array().unwrap().iter();
    boxes
        .map(|bounds| {
            let at = |i: usize| bounds[i].as_f64().unwrap();
            Aabb::new(
                Vec3::from_array([0, 1, 2].map(|i| rounding::down(at(i)))),
                Vec3::from_array([3, 4, 5].map(|i| rounding::up(at(i)))),
            )
        })
        .collect()
}

/// The pairs by every way there is: the general join, every broad phase with all boxes moving and with
/// some of them fixed, and the edge–edge candidates of a mesh whose edges have these boxes and no vertex
/// in common.
fn pairs_by_all_methods(boxes: &[Aabb]) -> Vec<[u32; 2]> {
    let right = brute::self_pairs(boxes).unwrap();
    for level in SimdLevel::available() {
        let token = level.token().unwrap();
        assert_eq!(h8::self_pairs(boxes, token).unwrap(), right, "{level}");
        let mut options = PairOptions::default();
        options.level = token;
        for method in Method::ALL {
            let found = method.self_pairs(boxes, &options).unwrap();
            assert!(found == right, "{method} at {level}");
        }
    }
    let fixed = boxes.len() / 3;
    let right_with_moving: Vec<_> = right
        .iter()
        .copied()
        .filter(|&[_, b]| b as usize >= fixed)
        .collect();
    for method in Method::ALL {
        let mut phase = method.start(&PairOptions::default());
        phase.build(&boxes[..fixed], &boxes[fixed..]).unwrap();
        let mut found = Vec::new();
        phase.append_pairs(&mut found).unwrap();
        found.sort_unstable();
        assert!(found == right_with_moving, "{method} with fixed boxes");
    }
    assert_eq!(Tree::build(boxes, Level::new()).validate(boxes), Ok(()));
    // Edges are numbered by their larger vertex, so edge i has the vertices 2 i and 2 i + 1.
    let n = boxes.len() as u32;
    let edges: Vec<_> = (0..n).map(|i| [2 * i, 2 * i + 1]).collect();
    let vertices = 2 * boxes.len().max(1);
    let topology = Topology::new(vertices, vec![], &edges).unwrap();
    let moving = MovingBoxes {
        vertices: vec![Aabb::new(Vec3::ZERO, Vec3::ZERO); vertices],
        edges: boxes.to_vec(),
        faces: vec![],
    };
    for method in step::StepMethod::ALL {
        let phase = step::StepBroadPhase::build(method, &topology, &moving, Level::new());
        let mut found = Vec::new();
        let mut scratch = step::Scratch::default();
        for task in 0..phase.task_count() {
            let _ = phase.run_task(&topology, task, &mut scratch, &mut |kind, pairs| {
                assert_eq!(kind, PairKind::EdgeEdge);
                found.extend_from_slice(pairs);
                core::ops::ControlFlow::Continue(())
            });
        }
        found.sort_unstable();
        assert_eq!(found, right, "{method}");
    }
    right
}

fn check_counts(id: &str) {
    for set in corpus(id)["sets"].as_array().unwrap() {
        let expected = set["pairs"].as_u64().unwrap();
        let found = pairs_by_all_methods(&boxes_in(set));
        assert_eq!(found.len() as u64, expected);
    }
}

#[test]
fn bug_b01_trees_of_no_box_and_of_a_few() {
    check_counts("B01");
    let probe = [Aabb::new(Vec3::ZERO, Vec3::ONE)];
    assert_eq!(h8::pairs_between(&[], &probe, Level::new()), Ok(vec![]));
    assert_eq!(h8::pairs_between(&probe, &[], Level::new()), Ok(vec![]));
    assert_eq!(
        h8::pairs_between(&probe, &probe, Level::new()),
        Ok(vec![[0, 0]])
    );
}

#[test]
fn bug_b02_twenty_thousand_identical_boxes() {
    let boxes = vec![Aabb::new(Vec3::ZERO, Vec3::ONE); 20_000];
    let probe = [Aabb::new(Vec3::splat(0.5), Vec3::splat(0.5))];
    let level = Level::new();
    let hits = h8::pairs_between(&probe, &boxes, level).unwrap();
    assert!(hits.into_iter().eq((0..20_000).map(|i| [0, i])));
    for method in Method::ALL {
        let mut phase = method.start(&PairOptions::default());
        phase.build(&boxes, &probe).unwrap();
        let mut hits = Vec::new();
        phase.append_pairs(&mut hits).unwrap();
        hits.sort_unstable();
        let right = (0..20_000).map(|i| [i, 20_000]);
        assert!(hits.into_iter().eq(right), "{method}");
    }
    assert_eq!(Tree::build(&boxes, level).validate(&boxes), Ok(()));
    assert_eq!(pairs_by_all_methods(&boxes[..1000]).len(), 499_500);
}

#[test]
fn bug_b03_boxes_growing_from_one_corner() {
    // Edges of 2⁻⁶⁰ to 2⁶⁰ metres.
    let boxes: Vec<_> = (-60..=60)
        .map(|e| Aabb::new(Vec3::ZERO, Vec3::splat(2_f32.powi(e))))
        .collect();
    assert_eq!(pairs_by_all_methods(&boxes).len(), 121 * 120 / 2);
}

#[test]
fn bug_b04_concentric_boxes_and_one_far_away() {
    for n in [200, 1000] {
        let mut boxes: Vec<_> = (1..=n)
            .map(|i| {
                let half = Vec3::splat(i as f32 / 16.0);
                Aabb::new(-half, half)
            })
            .collect();
        boxes.push(Aabb::new(Vec3::splat(1e6), Vec3::splat(1e6 + 1.0)));
        assert_eq!(pairs_by_all_methods(&boxes).len(), n * (n - 1) / 2);
    }
}

#[test]
fn bug_b05_cubes_that_touch_exactly() {
    check_counts("B05");
}

#[test]
fn bug_b06_one_floor_under_three_thousand_boxes() {
    let mut boxes = vec![Aabb::new(Vec3::splat(-1.0), Vec3::new(3001.0, 1.0, 1.0))];
    boxes.extend((1..=3000).map(|k| {
        let k = k as f32;
        Aabb::new(Vec3::new(k - 0.75, 0.0, 0.0), Vec3::new(k - 0.25, 0.5, 0.5))
    }));
    let right: Vec<_> = (1..=3000).map(|k| [0, k]).collect();
    assert_eq!(pairs_by_all_methods(&boxes), right);
}

#[test]
fn bug_b08_doubles_that_overlap_by_a_nanometre() {
    let case = corpus("B08");
    let set = &case["sets"][0];
    let found = pairs_by_all_methods(&boxes_in(set));
    let must = pairs_in(&set["contains"]);
    let may = pairs_in(&set["may_contain"]);
    assert!(must.iter().all(|pair| found.contains(pair)));
    assert!(
        found
            .iter()
            .all(|pair| must.contains(pair) || may.contains(pair))
    );
}

#[test]
fn bug_b11_points_in_a_plane() {
    check_counts("B11");
}

#[test]
fn bug_b12_the_same_pairs_for_any_number_of_threads() {
    let mut state = 0x1234_5678_u64;
    let mut draw = |n: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 33) % n) as f32
    };
    let boxes: Vec<_> = (0..2000)
        .map(|_| {
            let min = Vec3::from_array([0; 3].map(|_| draw(1000)));
            let size = Vec3::from_array([0; 3].map(|_| 1.0 + draw(40)));
            Aabb::new(min, min + size)
        })
        .collect();
    let right = pairs_in(&corpus("B12")["pairs"]);
    assert_eq!(pairs_by_all_methods(&boxes), right);
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 4, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let found = h8::self_pairs(&boxes, Level::new());
            assert_eq!(found.unwrap(), right, "{threads} threads");
            for method in Method::ALL {
                let found = method.self_pairs(&boxes, &PairOptions::default());
                assert_eq!(found.unwrap(), right, "{method}, {threads} threads");
            }
        });
    }
}
