//! Pairs of triangles that other engines got wrong.

use glam::DVec3;
use jostle_check::triangles_intersect;

type Corners = [[f64; 3]; 3];

fn intersect(a: Corners, b: Corners) -> bool {
    let [a, b] = [a, b].map(|t| t.map(DVec3::from));
    let found = triangles_intersect(&a, &b);
    assert_eq!(triangles_intersect(&b, &a), found, "{a:?} {b:?}");
    found
}

#[test]
fn bug_m01_coplanar_triangles_overlap() {
    let corner = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    assert!(intersect(
        [[0.0, 0.0, 0.0], [0.0, 0.0, 8.0], [8.0, 0.0, 0.0]],
        [[2.0, 0.0, 2.0], [1.0, 0.0, 4.0], [9.0, 0.0, 0.0]],
    ));
    assert!(intersect(
        [[-1.0, 0.0, 0.0], [2.0, 0.0, -2.0], [2.0, 0.0, 2.0]],
        [[0.5, 0.0, -0.75], [1.25, 0.0, 0.25], [3.5, 0.0, 1.0]],
    ));
    // One within the other; apart; a corner on the other's longest edge.
    assert!(intersect(
        corner,
        [[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [1.0, 1.5, 0.0]]
    ));
    assert!(!intersect(
        corner,
        [[5.0, 5.0, 0.0], [6.0, 5.0, 0.0], [5.0, 6.0, 0.0]]
    ));
    assert!(intersect(
        corner,
        [[2.0, 2.0, 0.0], [5.0, 2.0, 0.0], [5.0, 5.0, 0.0]]
    ));
}

#[test]
fn bug_m02_triangles_just_apart_at_any_scale() {
    let sets = [
        (
            [[0.0, 0.0, 0.0], [1e-4, 0.0, 0.0], [0.0, 1e-4, 0.0]],
            [
                [2e-5, 2e-5, 1.0000000000000001e-7],
                [1.2e-4, 2e-5, 1.0000000000000001e-7],
                [2e-5, 1.2e-4, 5e-5],
            ],
        ),
        (
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            [[0.2, 0.2, 0.001], [1.2, 0.2, 0.001], [0.2, 1.2, 0.5]],
        ),
        (
            [[0.0, 0.0, 0.0], [1e4, 0.0, 0.0], [0.0, 1e4, 0.0]],
            [[2e3, 2e3, 10.0], [1.2e4, 2e3, 10.0], [2e3, 1.2e4, 5e3]],
        ),
    ];
    // As given, and after a quarter turn about z and about y.
    let turns: [fn([f64; 3]) -> [f64; 3]; 3] =
        [|p| p, |[x, y, z]| [-y, x, z], |[x, y, z]| [z, y, -x]];
    for (a, b) in sets {
        for turn in turns {
            assert!(!intersect(a.map(turn), b.map(turn)), "{a:?}");
            // Lowered onto the first one they meet.
            let height = b[0][2];
            let lowered = b.map(|[x, y, z]| turn([x, y, z - height]));
            assert!(intersect(a.map(turn), lowered), "{a:?}");
        }
    }
}
