//! Moving boxes against exact arithmetic.

use dashu::rational::RBig;
use glam::DVec3;
use jostle_geom::{Aabb, MovingBoxes, MovingMesh, Topology};
use jostle_simd::SimdLevel;
use jostle_simd::fearless_simd::Level;
use proptest::prelude::*;

/// Coordinates of every magnitude there is, with the values at which rounding is delicate.
fn coordinate() -> impl Strategy<Value = f64> {
    let largest = f64::from(f32::MAX);
    prop_oneof![
        4 => -10.0..10.0,
        2 => (-10.0_f32..10.0).prop_map(f64::from),
        1 => -1e38..1e38,
        1 => -1e-38..1e-38,
        1 => -1e-300..1e-300,
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => Just(largest),
        1 => Just(-largest),
        1 => Just(f64::from_bits(1)),
        // A float, or a double beside one.
        1 => (any::<f32>(), 0..3_usize).prop_map(move |(x, side)| {
            let x = if x.is_finite() { f64::from(x) } else { 1.0 };
            let x = [x, x.next_up(), x.next_down()][side];
            x.clamp(-largest, largest)
        }),
    ]
}

fn point() -> impl Strategy<Value = DVec3> {
    (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

/// Whether `bound` is the largest float that is at most `value`.
fn is_down(bound: f32, value: &RBig) -> bool {
    let at_most =
        |x: f32| x == f32::NEG_INFINITY || x != f32::INFINITY && exact(f64::from(x)) <= *value;
    at_most(bound) && !at_most(bound.next_up())
}

fn is_up(bound: f32, value: &RBig) -> bool {
    is_down(-bound, &-value.clone())
}

/// A mesh of loose points.
fn points(n: usize) -> Topology {
    Topology::new(n, vec![], &[]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn boxes_of_the_whole_step_are_the_smallest(
        ends in prop::collection::vec((point(), point()), 1..20),
        inflation in prop_oneof![
            Just(0.0), Just(1e-3), Just(0.5), Just(1e-320), 0.0..1e3, Just(1e38),
        ],
    ) {
        let (t0, t1): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let topology = points(t0.len());
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let boxes = MovingBoxes::compute(&mesh, 1.0, inflation, Level::new());
        let radius = exact(inflation);
        for (i, found) in boxes.vertices.iter().enumerate() {
            for axis in 0..3 {
                let (a, b) = (t0[i][axis], t1[i][axis]);
                let lo = exact(a.min(b)) - &radius;
                let hi = exact(a.max(b)) + &radius;
                prop_assert!(is_down(found.min[axis], &lo), "{a} {b}: {found:?}");
                prop_assert!(is_up(found.max[axis], &hi), "{a} {b}: {found:?}");
            }
        }
    }

    #[test]
    fn boxes_of_a_part_hold_the_exact_part_and_stay_in_the_whole(
        ends in prop::collection::vec((point(), point()), 1..20),
        t_end in prop_oneof![0.0..1.0, Just(0.5), Just(1.0 - f64::EPSILON), Just(1e-300), Just(0.0)],
        inflation in prop_oneof![Just(0.0), 0.0..1e-3],
    ) {
        let (t0, t1): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let topology = points(t0.len());
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let part = MovingBoxes::compute(&mesh, t_end, inflation, Level::new());
        let whole = MovingBoxes::compute(&mesh, 1.0, inflation, Level::new());
        let radius = exact(inflation);
        for (i, found) in part.vertices.iter().enumerate() {
            prop_assert!(whole.vertices[i].contains(found));
            for axis in 0..3 {
                let start = exact(t0[i][axis]);
                let end = &start + exact(t_end) * (exact(t1[i][axis]) - &start);
                for place in [start, end] {
                    let lo = &place - &radius;
                    let hi = &place + &radius;
                    let bound = found.min[axis];
                    prop_assert!(bound.is_infinite() || exact(f64::from(bound)) <= lo);
                    let bound = found.max[axis];
                    prop_assert!(bound.is_infinite() || exact(f64::from(bound)) >= hi);
                }
            }
        }
    }

    #[test]
    fn edges_and_faces_round_as_their_own_extent_would(
        ends in prop::collection::vec((point(), point()), 4),
    ) {
        let (t0, t1): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        let topology = Topology::new(4, vec![[0, 1, 2], [3, 2, 1]], &[[0, 3]]).unwrap();
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let boxes = MovingBoxes::compute(&mesh, 1.0, 0.0, Level::new());
        let expected = |vertices: &[u32]| {
            let all = || vertices.iter().flat_map(|&v| [t0[v as usize], t1[v as usize]]);
            let (lo, hi) = (
                all().reduce(DVec3::min).unwrap(),
                all().reduce(DVec3::max).unwrap(),
            );
            Aabb::new(
                [0, 1, 2].map(|axis| jostle_geom::rounding::down(lo[axis])).into(),
                [0, 1, 2].map(|axis| jostle_geom::rounding::up(hi[axis])).into(),
            )
        };
        for (edge, found) in topology.edges().iter().zip(&boxes.edges) {
            prop_assert_eq!(*found, expected(edge));
        }
        for (face, found) in topology.faces().iter().zip(&boxes.faces) {
            prop_assert_eq!(*found, expected(face));
        }
    }
}

#[test]
fn boxes_are_the_same_for_every_level_and_in_used_memory() {
    // Longer than a chunk of parallel work, and no multiple of eight.
    let n = 20_003;
    let at = |i: usize, scale: f64| {
        let x = i as f64 * scale;
        DVec3::new((x * 7.7).fract() - 0.5, -x, 1.0 / (x + 0.1))
    };
    let t0: Vec<_> = (0..n).map(|i| at(i, 0.37)).collect();
    let t1: Vec<_> = (0..n).map(|i| at(i, 0.41)).collect();
    let faces: Vec<_> = (0..n as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
    let topology = Topology::new(n, faces, &[]).unwrap();
    let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
    let bits = |boxes: &MovingBoxes| {
        let all = [&boxes.vertices, &boxes.edges, &boxes.faces];
        all.map(|list| {
            let bounds = |b: &Aabb| [b.min.to_array(), b.max.to_array()];
            let bits = |b: &Aabb| bounds(b).map(|corner| corner.map(f32::to_bits));
            list.iter().map(bits).collect::<Vec<_>>()
        })
    };
    let mut used = MovingBoxes::default();
    for (t_end, inflation) in [(1.0, 0.0), (0.3, 1e-6)] {
        let right = MovingBoxes::compute(&mesh, t_end, inflation, Level::fallback());
        for level in SimdLevel::available() {
            used.update(&mesh, t_end, inflation, level.token().unwrap());
            assert_eq!(bits(&used), bits(&right), "{level}");
        }
    }
}
