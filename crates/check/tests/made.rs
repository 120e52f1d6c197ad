//! One small made mesh for each kind of fault.

use glam::DVec3;
use jostle_check::{CheckError, CheckOptions, Issue, IssueKind, Location, Report, check};
use jostle_geom::{Mesh, Topology};
use jostle_simd::SimdLevel;

fn mesh(positions: &[[f64; 3]], faces: &[[u32; 3]]) -> Mesh {
    let positions = positions.iter().copied().map(DVec3::from).collect();
    Mesh::new(positions, faces.to_vec(), &[]).unwrap()
}

fn report(positions: &[[f64; 3]], faces: &[[u32; 3]]) -> Report {
    check(&mesh(positions, faces), &CheckOptions::default()).unwrap()
}

const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

/// The corners of a tetrahedron of a size at a place on the x axis.
fn corners(x: f64, size: f64) -> [[f64; 3]; 4] {
    [
        [x, 0.0, 0.0],
        [x + size, 0.0, 0.0],
        [x, size, 0.0],
        [x, 0.0, size],
    ]
}

/// Two tetrahedra, the second over vertices numbered from `first`.
fn two(first: u32) -> Vec<[u32; 3]> {
    let second = TETRAHEDRON.map(|face| face.map(|v| v + first));
    TETRAHEDRON.into_iter().chain(second).collect()
}

fn kinds(report: &Report) -> Vec<(IssueKind, u64)> {
    let issues = report.issues();
    issues
        .iter()
        .map(|issue| (issue.kind, issue.count))
        .collect()
}

#[test]
fn a_closed_tetrahedron_is_clean() {
    let report = report(&corners(0.0, 1.0), &TETRAHEDRON);
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report, Report::default());
}

#[test]
fn open_edges() {
    let report = report(&corners(0.0, 1.0), &TETRAHEDRON[1..]);
    assert_eq!(report.open_edges, [[0, 1], [0, 2], [1, 2]]);
    let issue = Issue {
        kind: IssueKind::OpenEdge,
        count: 3,
        first: Some(Location::Edge([0, 1])),
    };
    assert_eq!(report.issues(), [issue]);
}

#[test]
fn non_manifold_edges_and_vertices() {
    // Two tetrahedra on either side of z = 0 with the edge 0–1 in common.
    let mut positions = corners(0.0, 1.0).to_vec();
    positions.extend([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]);
    let second = TETRAHEDRON.map(|face| face.map(|v| if v < 2 { v } else { v + 2 }));
    let report = report(&positions, &[TETRAHEDRON, second].concat());
    assert_eq!(report.non_manifold_edges, [[0, 1]]);
    assert_eq!(kinds(&report), [(IssueKind::NonManifoldEdge, 1)]);
}

#[test]
fn a_vertex_of_two_fans() {
    let mut positions = corners(0.0, 1.0).to_vec();
    positions.extend([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]);
    let second = TETRAHEDRON.map(|face| face.map(|v| if v == 0 { 0 } else { v + 3 }));
    let report = report(&positions, &[TETRAHEDRON, second].concat());
    assert_eq!(report.non_manifold_vertices, [0]);
    assert_eq!(kinds(&report), [(IssueKind::NonManifoldVertex, 1)]);
}

#[test]
fn degenerate_faces() {
    // A vertex twice, corners on a line, corners in a point, and a sliver that has some area.
    let mut positions = corners(0.0, 1.0).to_vec();
    positions.extend([
        [5.0, 5.0, 5.0],
        [6.0, 6.0, 6.0],
        [8.0, 8.0, 8.0],
        [5.0, 5.0, 5.0],
        [5.0, 5.0, 5.0],
        [7.0, 7.0, 7.0_f64.next_up()],
    ]);
    let mut faces = TETRAHEDRON.to_vec();
    faces.extend([[1, 1, 2], [3, 3, 3], [4, 5, 6], [4, 7, 8], [4, 6, 9]]);
    let report = report(&positions, &faces);
    assert_eq!(report.degenerate_faces, [4, 5, 6, 7]);
    // The edges of a face without three different vertices are not counted.
    assert_eq!(report.non_manifold_edges, Vec::<[u32; 2]>::new());
}

#[test]
fn duplicate_faces() {
    let mut faces = TETRAHEDRON.to_vec();
    faces.extend([[1, 0, 2], [3, 1, 0], [2, 1, 0]]);
    let report = report(&corners(0.0, 1.0), &faces);
    assert_eq!(report.duplicate_faces, [[0, 4], [1, 5], [0, 6]]);
    // They also cover each other.
    assert_eq!(report.self_intersections, [[0, 4], [0, 6], [1, 5], [4, 6]]);
}

#[test]
fn unreferenced_vertices() {
    let mut positions = corners(0.0, 1.0).to_vec();
    positions.extend([[9.0; 3], [8.0; 3], [7.0; 3]]);
    let report = report(&positions, &TETRAHEDRON);
    assert_eq!(report.unreferenced_vertices, [4, 5, 6]);
    // Edges without faces refer to vertices too.
    let loose = Mesh {
        positions: positions.iter().copied().map(DVec3::from).collect(),
        topology: Topology::new(7, TETRAHEDRON.to_vec(), &[[4, 6]]).unwrap(),
    };
    let report = check(&loose, &CheckOptions::default()).unwrap();
    assert_eq!(kinds(&report), [(IssueKind::UnreferencedVertex, 1)]);
    assert_eq!(report.unreferenced_vertices, [5]);
}

#[test]
fn inconsistent_orientation() {
    let mut faces = TETRAHEDRON;
    faces[0].swap(0, 1);
    let report = report(&corners(0.0, 1.0), &faces);
    assert_eq!(report.inconsistent_edges, [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(kinds(&report), [(IssueKind::InconsistentOrientation, 3)]);
}

#[test]
fn self_intersections_and_their_limit() {
    let apart = [corners(0.0, 1.0), corners(1.5, 1.0)].concat();
    assert!(report(&apart, &two(4)).is_clean());
    // One corner of the second touches a face of the first: all three of its faces there count.
    let touching = [
        corners(0.0, 4.0),
        corners(0.0, 4.0).map(|[x, y, z]| [x - 4.0, y + 1.0, z + 1.0]),
    ];
    let touches = report(&touching.concat(), &two(4));
    assert_eq!(touches.self_intersections, [[3, 4], [3, 5], [3, 6]]);
    let crossing = mesh(&[corners(0.0, 4.0), corners(0.5, 4.0)].concat(), &two(4));
    let all = check(&crossing, &CheckOptions::default()).unwrap();
    assert!(all.self_intersections.len() > 3 && all.self_intersections.is_sorted());
    for limit in [0, 2, 100] {
        let options = CheckOptions {
            pair_limit: Some(limit),
            ..CheckOptions::default()
        };
        let some = check(&crossing, &options).unwrap();
        assert_eq!(some.self_intersection_count, all.self_intersection_count);
        let kept = limit.min(all.self_intersections.len());
        assert_eq!(some.self_intersections, all.self_intersections[..kept]);
        assert_eq!(some.issues()[0].count, all.self_intersection_count);
    }
}

#[test]
fn faces_that_fold_over_their_common_edge() {
    let positions = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [1.0, 2.0, 0.0],
        [1.0, 1.0, 0.0],
    ];
    let folded = report(&positions, &[[0, 1, 2], [1, 0, 3]]);
    assert_eq!(folded.self_intersections, [[0, 1]]);
    let mut lifted = positions;
    lifted[3][2] = 1e-300;
    let lifted = report(&lifted, &[[0, 1, 2], [1, 0, 3]]);
    assert_eq!(lifted.self_intersections, Vec::<[u32; 2]>::new());
}

#[test]
fn positions_beyond_single_precision_are_checked_as_well() {
    let far = corners(0.0, 1.0).map(|p| p.map(|x| x * 1e300));
    assert!(report(&far, &TETRAHEDRON).is_clean());
    let tiny = corners(0.0, 1.0).map(|p| p.map(|x| x * 1e-300));
    assert!(report(&tiny, &TETRAHEDRON).is_clean());
}

#[test]
fn a_mesh_without_faces_has_only_loose_vertices() {
    let report = report(&[[0.0; 3], [1.0; 3]], &[]);
    assert_eq!(kinds(&report), [(IssueKind::UnreferencedVertex, 2)]);
}

#[test]
fn what_is_no_mesh_is_refused() {
    let mut broken = mesh(&corners(0.0, 1.0), &TETRAHEDRON);
    broken.positions[2].y = f64::NAN;
    let error = check(&broken, &CheckOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "vertex 2 has coordinate y = NaN, which is not finite"
    );
    broken.positions.pop();
    let error = check(&broken, &CheckOptions::default()).unwrap_err();
    let (found, expected) = (3, 4);
    assert_eq!(error, CheckError::PositionCount { found, expected });
}

#[test]
fn every_level_and_number_of_threads_finds_the_same() {
    // Overlapping tetrahedra in a row, more faces than a task takes.
    let count = 600;
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    for i in 0..count {
        positions.extend(corners(f64::from(i) * 0.3, 1.0));
        faces.extend(TETRAHEDRON.map(|face| face.map(|v| v + 4 * i as u32)));
    }
    faces.push([0, 1, 2]);
    let mesh = mesh(&positions, &faces);
    let right = check(&mesh, &CheckOptions::default()).unwrap();
    assert!(right.self_intersection_count > 1000);
    for simd in SimdLevel::available() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let options = CheckOptions {
                simd,
                ..CheckOptions::default()
            };
            let found = pool.build().unwrap().install(|| check(&mesh, &options));
            assert_eq!(found.unwrap(), right, "{simd}, {threads} threads");
        }
    }
}
