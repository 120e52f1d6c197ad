//! Whole public steps against their exact times of impact: all candidates, default options.

use std::collections::HashMap;

use jostle_ccd::step::{StepOptions, all_impacts, earliest_impact};
use jostle_geom::{MovingMesh, PairKind};
use jostle_io::{read_mesh, truth};
use jostle_testkit::data_dir;

/// No contact missed, none late, none that is not there, and nearly all within 1e-9.
fn check(scene: &str, frames: [&str; 2], step: &str) {
    let Some(data) = data_dir() else { return };
    let folder = data.join("ccd-scenes").join(scene);
    let [start, end] = frames.map(|f| read_mesh(folder.join("frames").join(f)).unwrap());
    let mesh = MovingMesh::new(&start.topology, &start.positions, &end.positions).unwrap();
    let (report, hits) = all_impacts(&mesh, &StepOptions::default(), &()).unwrap();

    let mut found: HashMap<_, _> = hits
        .iter()
        .map(|hit| {
            let [a, b] = start.topology.pair_box_ids(hit.kind, [hit.a, hit.b]);
            ((a.min(b), a.max(b)), hit)
        })
        .collect();
    let (mut contacts, mut tight) = (0, 0);
    let mut first = f64::INFINITY;
    for kind in [PairKind::VertexFace, PairKind::EdgeEdge] {
        let path = folder.join("toi").join(format!("{step}{kind}.csv"));
        for row in truth::read_times(path).unwrap() {
            let [a, b] = row.boxes;
            let hit = found.remove(&(a.min(b), a.max(b)));
            match (row.toi, hit) {
                (None, None) => {}
                (None, Some(hit)) => panic!("{hit:?} does not collide"),
                (Some(_), None) => panic!("missed {kind} {:?}", row.boxes),
                (Some(exact), Some(hit)) => {
                    contacts += 1;
                    first = first.min(exact.below);
                    assert!(!hit.undecided, "{hit:?}");
                    assert!(
                        hit.toi <= exact.below,
                        "{hit:?} is later than {}",
                        exact.decimal
                    );
                    assert!(
                        hit.toi > 0.0 || exact.below == 0.0,
                        "{hit:?}: {}",
                        exact.decimal
                    );
                    tight += usize::from(exact.below - hit.toi <= 1e-9);
                }
            }
        }
    }
    assert!(found.is_empty(), "not listed, so free: {found:?}");
    assert!(
        tight as f64 >= 0.999 * f64::from(contacts),
        "{tight} of {contacts}"
    );

    let earliest = earliest_impact(&mesh, &StepOptions::default(), &()).unwrap();
    assert_eq!(earliest.first, report.first);
    let toi = earliest.first.unwrap().toi;
    assert!(toi <= first && first - toi < 1e-9, "{toi} {first}");
}

#[test]
fn cloth_funnel() {
    check("cloth-funnel", ["227.ply", "228.ply"], "227");
}

#[test]
fn cloth_ball() {
    check("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"], "92");
}

/// Starts in contact: the earliest time is exactly zero.
#[test]
fn n_body() {
    check(
        "n-body-simulation",
        ["balls16_18.ply", "balls16_19.ply"],
        "18",
    );
}
