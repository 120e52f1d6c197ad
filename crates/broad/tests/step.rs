//! Every method reports the candidates of the brute force.

mod common;

use core::ops::ControlFlow;

use common::{Random, box_sets, candidates, candidates_of, meshes};
use jostle_broad::step::{Scratch, StepBroadPhase, StepMethod};
use jostle_geom::{MovingBoxes, MovingMesh, PairKind, Topology};
use jostle_simd::SimdLevel;
use jostle_simd::fearless_simd::Level;

/// A mesh whose primitives have the given boxes: nothing ties boxes to positions here.
fn mesh_of_boxes(boxes: &[jostle_geom::Aabb]) -> Option<(Topology, MovingBoxes)> {
    let n = boxes.len();
    let mut r = Random::new(3);
    let mut draw = || r.below(n as u32);
    let faces: Vec<_> = (0..n / 3).map(|_| [draw(), draw(), draw()]).collect();
    let topology = Topology::new(n, faces, &[]).ok()?;
    let mut order = (0..).map(|i: usize| boxes[(i * 7 + i / n) % n]);
    let boxes = MovingBoxes {
        vertices: order.by_ref().take(n).collect(),
        edges: order.by_ref().take(topology.edges().len()).collect(),
        faces: order.take(topology.faces().len()).collect(),
    };
    Some((topology, boxes))
}

#[test]
fn all_methods_and_levels_agree_on_hard_boxes() {
    for (name, boxes) in box_sets() {
        let Some((topology, boxes)) = mesh_of_boxes(&boxes) else {
            continue;
        };
        let right = candidates_of(StepMethod::Brute, &topology, &boxes, Level::fallback());
        for method in [StepMethod::H8, StepMethod::Sweep] {
            for level in SimdLevel::available() {
                let token = level.token().unwrap();
                let found = candidates_of(method, &topology, &boxes, token);
                assert_eq!(found, right, "{name}, {method}, {level}");
            }
        }
    }
}

#[test]
fn all_methods_and_levels_agree_on_meshes() {
    for (name, topology, t0, t1) in meshes() {
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let level = Level::new();
        let boxes = MovingBoxes::compute(&mesh, 1.0, 0.01, level);
        let right = candidates_of(StepMethod::Brute, &topology, &boxes, level);
        for &[v, f] in &right[0] {
            assert!(!topology.faces()[f as usize].contains(&v));
        }
        for &[a, b] in &right[1] {
            let (a_ends, b_ends) = (topology.edges()[a as usize], topology.edges()[b as usize]);
            assert!(a < b && !a_ends.iter().any(|end| b_ends.contains(end)));
        }
        for method in [StepMethod::H8, StepMethod::Sweep] {
            for level in SimdLevel::available() {
                let token = level.token().unwrap();
                let found = candidates_of(method, &topology, &boxes, token);
                assert_eq!(found, right, "{name}, {method}, {level}");
            }
        }
    }
}

#[test]
fn chunks_come_in_the_same_order_at_every_level() {
    let (_, topology, t0, t1) = meshes().swap_remove(0);
    let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
    let boxes = MovingBoxes::compute(&mesh, 1.0, 0.2, Level::new());
    for method in StepMethod::ALL {
        let stream = |level: Level| {
            let step = StepBroadPhase::build(method, &topology, &boxes, level);
            let mut chunks = Vec::new();
            let mut scratch = Scratch::default();
            for task in 0..step.task_count() {
                let _ = step.run_task(&topology, task, &mut scratch, &mut |kind, pairs| {
                    chunks.push((task, kind, pairs.to_vec()));
                    ControlFlow::Continue(())
                });
            }
            chunks
        };
        let right = stream(Level::fallback());
        for level in SimdLevel::available() {
            assert_eq!(stream(level.token().unwrap()), right, "{method}, {level}");
        }
    }
}

#[test]
fn refit_finds_what_a_fresh_build_finds() {
    let level = Level::new();
    for (name, topology, t0, t1) in meshes() {
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let boxes = MovingBoxes::compute(&mesh, 1.0, 0.0, level);
        // A shorter step, a longer one, and positions that have nothing to do with the old ones.
        let mut r = Random::new(4);
        let elsewhere: Vec<_> = t0.iter().map(|_| r.point() * 5.0).collect();
        let other = MovingMesh::new(&topology, &elsewhere, &t1).unwrap();
        for method in StepMethod::ALL {
            let mut step = StepBroadPhase::build(method, &topology, &boxes, level);
            for boxes in [
                MovingBoxes::compute(&mesh, 0.125, 0.0, level),
                MovingBoxes::compute(&mesh, 1.0, 0.5, level),
                MovingBoxes::compute(&other, 1.0, 0.0, level),
                boxes.clone(),
            ] {
                step.refit(&topology, &boxes);
                let right = candidates_of(method, &topology, &boxes, level);
                assert_eq!(candidates(&step, &topology), right, "{name}, {method}");
            }
        }
    }
}

#[test]
fn samples_are_the_same_set_for_every_method() {
    let level = Level::new();
    for (name, topology, t0, t1) in meshes() {
        let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
        let boxes = MovingBoxes::compute(&mesh, 1.0, 0.05, level);
        let all = candidates_of(StepMethod::Brute, &topology, &boxes, level);
        for one_in in [1, 3, 16, 1000] {
            let sample = |method| {
                let step = StepBroadPhase::build(method, &topology, &boxes, level);
                let mut found = [Vec::new(), Vec::new()];
                let mut scratch = Scratch::default();
                let _ = step.sample(
                    &topology,
                    &boxes,
                    one_in,
                    &mut scratch,
                    &mut |kind, pairs| {
                        found[usize::from(kind == PairKind::EdgeEdge)].extend_from_slice(pairs);
                        ControlFlow::Continue(())
                    },
                );
                for list in &mut found {
                    list.sort_unstable();
                    list.dedup();
                }
                found
            };
            let right = sample(StepMethod::Brute);
            for method in [StepMethod::H8, StepMethod::Sweep] {
                assert_eq!(sample(method), right, "{name}, {method}, one in {one_in}");
            }
            for (sample, all) in right.iter().zip(&all) {
                assert!(sample.iter().all(|pair| all.binary_search(pair).is_ok()));
                assert!(one_in > 1 || sample == all);
            }
        }
    }
}

#[test]
fn a_sink_can_stop_a_task() {
    let (_, topology, t0, t1) = meshes().swap_remove(0);
    let mesh = MovingMesh::new(&topology, &t0, &t1).unwrap();
    let boxes = MovingBoxes::compute(&mesh, 1.0, 10.0, Level::new());
    for method in StepMethod::ALL {
        let step = StepBroadPhase::build(method, &topology, &boxes, Level::new());
        let mut scratch = Scratch::default();
        let mut calls = 0;
        let mut stop = |_: PairKind, _: &[[u32; 2]]| {
            calls += 1;
            ControlFlow::Break(())
        };
        assert!(
            step.run_task(&topology, 0, &mut scratch, &mut stop)
                .is_break()
        );
        // What was left in the scratch memory does not turn up in the next task.
        let mut found = 0;
        let _ = step.run_task(&topology, usize::MAX, &mut scratch, &mut |_, pairs| {
            found += pairs.len();
            ControlFlow::Continue(())
        });
        assert_eq!((calls, found), (1, 0), "{method}");
    }
}
