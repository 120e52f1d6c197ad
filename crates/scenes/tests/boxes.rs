//! Box scenes are the same everywhere, keep their density at every size, and move.

use jostle_geom::Aabb;
use jostle_scenes::{BoxScene, BoxSceneKind, ClusteredBoxes, SceneError, Terrain, UniformBoxes};

fn terrain(static_triangles: usize, dynamic: usize, seed: u64) -> BoxScene {
    let terrain = Terrain {
        static_triangles,
        dynamic,
        seed,
    };
    terrain.build().unwrap()
}

fn scene(kind: BoxSceneKind, boxes: usize, seed: u64) -> BoxScene {
    let moving = if kind == BoxSceneKind::Mixed {
        boxes / 20
    } else {
        boxes
    };
    kind.with_boxes(boxes, moving, seed).unwrap()
}

/// Pairs with at least one moving box, by a sweep along x.
fn pairs(scene: &BoxScene) -> usize {
    let fixed = scene.fixed.iter().map(|b| (*b, false));
    let moving = scene.moving.iter().map(|b| (*b, true));
    let mut all: Vec<(Aabb, bool)> = fixed.chain(moving).collect();
    all.sort_by(|a, b| a.0.min.x.total_cmp(&b.0.min.x));
    let mut count = 0;
    for (i, (a, a_moves)) in all.iter().enumerate() {
        let near = all[i + 1..].iter().take_while(|(b, _)| b.min.x <= a.max.x);
        count += near
            .filter(|(b, moves)| (*moves || *a_moves) && a.overlaps(b))
            .count();
    }
    count
}

/// Hashes of frame 3 of small scenes. A change here changes every figure of the broad phase.
const PINNED: [(BoxSceneKind, u64); 4] = [
    (BoxSceneKind::Mixed, 0x9789ee16d322b5e6),
    (BoxSceneKind::Uniform, 0x5a88b5f612de86cb),
    (BoxSceneKind::Clustered, 0x9d857f303ad2f1c5),
    (BoxSceneKind::Stirred, 0x016c9e27b736d81e),
];

#[test]
fn hashes_are_pinned() {
    let found = PINNED.map(|(kind, _)| {
        let mut scene = scene(kind, 2_000, 42);
        (0..3).for_each(|_| scene.advance());
        (kind, scene.hash())
    });
    assert_eq!(found, PINNED, "{found:#x?}");
}

#[test]
fn seeds_and_frames_make_different_boxes() {
    for kind in BoxSceneKind::ALL {
        let mut one = scene(kind, 500, 1);
        assert_eq!(one.hash(), scene(kind, 500, 1).hash(), "{kind}");
        assert_ne!(one.hash(), scene(kind, 500, 2).hash(), "{kind}");
        let before = one.clone();
        one.advance();
        assert_ne!(one.hash(), before.hash(), "{kind}");
        assert_eq!(one.fixed, before.fixed, "{kind}");
        assert_eq!(
            (one.frame(), one.all_boxes().len()),
            (1, before.all_boxes().len())
        );
        assert_eq!(kind.name().parse(), Ok(kind));
    }
}

#[test]
fn uniform_boxes_overlap_3_9_others() {
    for boxes in [500, 4_000, 32_000] {
        let mut scene = UniformBoxes { boxes, seed: 8 }.build().unwrap();
        for _ in 0..2 {
            let each = 2.0 * pairs(&scene) as f64 / boxes as f64;
            assert!((3.4..4.4).contains(&each), "{boxes}: {each}");
            (0..50).for_each(|_| scene.advance());
        }
    }
}

#[test]
fn clustered_boxes_keep_their_density() {
    for boxes in [4_000, 16_000] {
        let mut scene = ClusteredBoxes { boxes, seed: 8 }.build().unwrap();
        for _ in 0..2 {
            let each = 2.0 * pairs(&scene) as f64 / boxes as f64;
            assert!((3.0..4.2).contains(&each), "{boxes}: {each}");
            (0..50).for_each(|_| scene.advance());
        }
    }
}

#[test]
fn a_box_over_terrain_has_2_4_pairs() {
    for (triangles, boxes) in [(20_000, 1_000), (60_000, 3_000)] {
        let mut scene = terrain(triangles, boxes, 8);
        for _ in 0..3 {
            let each = pairs(&scene) as f64 / boxes as f64;
            assert!((2.1..3.1).contains(&each), "{triangles}: {each}");
            (0..100).for_each(|_| scene.advance());
        }
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let least = Terrain {
        static_triangles: 0,
        ..Terrain::default()
    };
    assert!(matches!(
        least.build(),
        Err(SceneError::Parameter { value: 0, .. })
    ));
    let most = Terrain {
        dynamic: usize::MAX,
        ..Terrain::default()
    };
    assert!(matches!(most.build(), Err(SceneError::TooManyBoxes { .. })));
    assert!(UniformBoxes { boxes: 0, seed: 0 }.build().is_err());
}
