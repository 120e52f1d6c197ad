//! The public data set: every pair that its authors reported is among the candidates.

mod common;

use std::path::Path;

use common::{candidates, candidates_of};
use jostle_broad::step::{StepBroadPhase, StepMethod};
use jostle_geom::{Mesh, MovingBoxes, MovingMesh, PairKind};
use jostle_simd::SimdLevel;
use jostle_simd::fearless_simd::Level;
use jostle_testkit::data_dir;

struct Scene {
    start: Mesh,
    end: Mesh,
    /// Reported pairs as box ids, vertex–face then edge–edge.
    reported: [Vec<[u32; 2]>; 2],
}

fn scene(data: &Path, name: &str, frames: [&str; 2], step: &str) -> Scene {
    let folder = data.join("ccd-scenes").join(name);
    let read = |frame: &str| jostle_io::read_mesh(folder.join("frames").join(frame)).unwrap();
    let pairs = |kind: &str| {
        let file = folder.join("boxes").join(format!("{step}{kind}.json"));
        jostle_io::truth::read_pairs(file).unwrap()
    };
    Scene {
        start: read(frames[0]),
        end: read(frames[1]),
        reported: [pairs("vf"), pairs("ee")],
    }
}

fn cloth_funnel(data: &Path) -> Scene {
    scene(data, "cloth-funnel", ["227.ply", "228.ply"], "227")
}

fn cloth_ball(data: &Path) -> Scene {
    let frames = ["cloth_ball92.ply", "cloth_ball93.ply"];
    scene(data, "cloth-ball", frames, "92")
}

fn n_body(data: &Path) -> Scene {
    let frames = ["balls16_18.ply", "balls16_19.ply"];
    scene(data, "n-body-simulation", frames, "18")
}

impl Scene {
    fn mesh(&self) -> MovingMesh<'_> {
        let topology = &self.start.topology;
        MovingMesh::new(topology, &self.start.positions, &self.end.positions).unwrap()
    }

    fn boxes(&self, level: Level) -> MovingBoxes {
        MovingBoxes::compute(&self.mesh(), 1.0, 0.0, level)
    }

    fn assert_reported(&self, found: &[Vec<[u32; 2]>; 2]) {
        let topology = &self.start.topology;
        let kinds = [PairKind::VertexFace, PairKind::EdgeEdge];
        for ((kind, found), reported) in kinds.into_iter().zip(found).zip(&self.reported) {
            let mut ids: Vec<_> = found
                .iter()
                .map(|&pair| topology.pair_box_ids(kind, pair))
                .map(|[a, b]| [a.min(b), a.max(b)])
                .collect();
            ids.sort_unstable();
            assert!(!reported.is_empty());
            for &[a, b] in reported {
                let pair = [a.min(b), a.max(b)];
                assert!(ids.binary_search(&pair).is_ok(), "{kind} {pair:?} missed");
            }
        }
    }
}

#[test]
fn every_method_finds_the_reported_pairs_of_cloth_funnel() {
    let Some(data) = data_dir() else { return };
    let scene = cloth_funnel(&data);
    let topology = &scene.start.topology;
    let right = candidates_of(
        StepMethod::Brute,
        topology,
        &scene.boxes(Level::fallback()),
        Level::fallback(),
    );
    scene.assert_reported(&right);
    for method in [StepMethod::H8, StepMethod::Sweep] {
        for level in SimdLevel::available() {
            let level = level.token().unwrap();
            let found = candidates_of(method, topology, &scene.boxes(level), level);
            assert_eq!(found, right, "{method}");
        }
    }
}

#[test]
fn the_fast_methods_agree_on_cloth_ball_and_find_the_reported_pairs() {
    let Some(data) = data_dir() else { return };
    let scene = cloth_ball(&data);
    let (topology, level) = (&scene.start.topology, Level::new());
    let boxes = scene.boxes(level);
    let h8 = candidates_of(StepMethod::H8, topology, &boxes, level);
    scene.assert_reported(&h8);
    assert_eq!(
        candidates_of(StepMethod::Sweep, topology, &boxes, level),
        h8
    );
    // A part of the step in the order of the whole one finds the candidates of the part.
    let part = MovingBoxes::compute(&scene.mesh(), 1.0 / 64.0, 0.0, level);
    let mut step = StepBroadPhase::build(StepMethod::H8, topology, &boxes, level);
    step.refit(topology, &part);
    let refitted = candidates(&step, topology);
    assert_eq!(
        refitted,
        candidates_of(StepMethod::H8, topology, &part, level)
    );
    assert!(refitted[1].len() < h8[1].len());
}

#[test]
fn h8_finds_the_reported_pairs_of_n_body() {
    let Some(data) = data_dir() else { return };
    let scene = n_body(&data);
    let (topology, level) = (&scene.start.topology, Level::new());
    let boxes = scene.boxes(level);
    scene.assert_reported(&candidates_of(StepMethod::H8, topology, &boxes, level));
}

#[test]
#[cfg(feature = "parallel")]
fn boxes_and_tasks_are_the_same_for_any_number_of_threads() {
    use core::ops::ControlFlow;
    use jostle_broad::step::Scratch;
    use rayon::prelude::*;

    let Some(data) = data_dir() else { return };
    let scene = cloth_funnel(&data);
    let (topology, level) = (&scene.start.topology, Level::new());
    for method in [StepMethod::H8, StepMethod::Sweep] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| {
                let boxes = scene.boxes(level);
                let step = StepBroadPhase::build(method, topology, &boxes, level);
                let tasks: Vec<_> = (0..step.task_count())
                    .into_par_iter()
                    .map_init(Scratch::default, |scratch, task| {
                        let mut chunks = Vec::new();
                        let _ = step.run_task(topology, task, scratch, &mut |kind, pairs| {
                            chunks.push((kind, pairs.to_vec()));
                            ControlFlow::Continue(())
                        });
                        chunks
                    })
                    .collect();
                (boxes, tasks)
            })
        };
        let (boxes, tasks) = run(1);
        let (boxes2, tasks2) = run(2);
        assert!(boxes == boxes2 && tasks == tasks2, "{method}");
    }
}
