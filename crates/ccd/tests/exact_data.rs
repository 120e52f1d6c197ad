//! The exact decisions against the public truth.

use std::path::Path;

use jostle_ccd::{Query, exact};
use jostle_geom::{Mesh, PairKind};
use jostle_io::{queries, read_mesh, truth};
use jostle_testkit::data_dir;

/// The query that a pair of boxes stands for.
fn query([start, end]: &[Mesh; 2], kind: PairKind, boxes: [u32; 2]) -> Query {
    let topology = &start.topology;
    let corners = |id: u32| -> Vec<u32> {
        let first_face = (topology.vertex_count() + topology.edges().len()) as u32;
        match id as usize {
            i if i < topology.vertex_count() => vec![id],
            i if id < first_face => topology.edges()[i - topology.vertex_count()].to_vec(),
            _ => topology.faces()[(id - first_face) as usize].to_vec(),
        }
    };
    let corners: [u32; 4] = [corners(boxes[0]), corners(boxes[1])]
        .concat()
        .try_into()
        .unwrap();
    Query {
        kind,
        t0: corners.map(|v| start.positions[v as usize]),
        t1: corners.map(|v| end.positions[v as usize]),
    }
}

/// Compares every `stride`-th pair of a scene.
fn compare(data: &Path, scene: &str, frames: [&str; 2], step: &str, stride: usize) {
    let folder = data.join("ccd-scenes").join(scene);
    let frames = frames.map(|f| read_mesh(folder.join("frames").join(f)).unwrap());
    for kind in [PairKind::VertexFace, PairKind::EdgeEdge] {
        let rows = truth::read_times(folder.join("toi").join(format!("{step}{kind}.csv"))).unwrap();
        for row in rows.iter().step_by(stride) {
            let query = query(&frames, kind, row.boxes);
            let toi = exact::first_contact(&query, 0.0, 1.0, 0.0).toi();
            // The file knows the time to 50 digits: its double from below is ours.
            let expected = row.toi.as_ref().map(|t| t.below);
            assert_eq!(toi, expected, "{scene} {kind} {:?}", row.boxes);
        }
    }
}

#[test]
fn cloth_funnel_agrees_to_the_last_bit() {
    let Some(data) = data_dir() else { return };
    compare(&data, "cloth-funnel", ["227.ply", "228.ply"], "227", 1);
}

#[test]
fn cloth_ball_agrees_to_the_last_bit() {
    let Some(data) = data_dir() else { return };
    let frames = ["cloth_ball92.ply", "cloth_ball93.ply"];
    compare(&data, "cloth-ball", frames, "92", 50);
}

#[test]
fn n_body_agrees_to_the_last_bit() {
    let Some(data) = data_dir() else { return };
    let frames = ["balls16_18.ply", "balls16_19.ply"];
    compare(&data, "n-body-simulation", frames, "18", 50);
}

#[test]
fn boolean_truth_agrees() {
    let Some(data) = data_dir() else { return };
    let mut count = 0;
    for set in std::fs::read_dir(data.join("ccd-queries")).unwrap() {
        let set = set.unwrap().path();
        for kind in ["edge-edge", "vertex-face"] {
            let Ok(folder) = std::fs::read_dir(set.join(kind)) else {
                continue;
            };
            for file in folder {
                let file = file.unwrap().path();
                for (i, q) in queries::read(&file, None).unwrap().iter().enumerate() {
                    let outcome = exact::first_contact(&q.query, 0.0, 1.0, 0.0);
                    let found = outcome.toi().is_some();
                    assert_eq!(Some(found), q.collides, "{} {i}", file.display());
                    count += 1;
                }
            }
        }
    }
    assert!(count > 3000, "{count}");
}
