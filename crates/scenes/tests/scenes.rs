//! Scenes are the same everywhere, finite, and refuse parameters out of range.

use jostle_scenes::{ClothBall, SceneError, SceneKind, Strands, Tumbling};

/// Hashes of small scenes. A change here changes every figure that was measured on a scene.
const PINNED: [(SceneKind, u64); 3] = [
    (SceneKind::ClothBall, 0xf0904160d9e459e1),
    (SceneKind::Tumbling, 0x45f6db54f2622aab),
    (SceneKind::Strands, 0xe7efc3b9af56b00f),
];

#[test]
fn hashes_are_pinned() {
    let found = PINNED.map(|(kind, _)| (kind, kind.with_boxes(5_000, 3, 42).unwrap().hash()));
    assert_eq!(found, PINNED, "{found:#x?}");
}

#[test]
fn seeds_make_different_scenes() {
    for kind in SceneKind::ALL {
        let hash = |seed| kind.with_boxes(3_000, 2, seed).unwrap().hash();
        assert_ne!(hash(1), hash(2), "{kind}");
        assert_eq!(hash(1), hash(1), "{kind}");
    }
}

#[test]
fn every_step_is_a_valid_motion() {
    for kind in SceneKind::ALL {
        for boxes in [1, 3_000, 40_000] {
            let scene = kind.with_boxes(boxes, 4, 9).unwrap();
            assert_eq!(scene.step_count(), 3);
            for index in 0..3 {
                let step = scene.step(index).expect("finite, of one length");
                assert_ne!(step.t0(), step.t1(), "{kind}: something moves");
            }
            assert!(scene.step(3).is_none());
        }
    }
}

#[test]
fn names_round_trip() {
    for kind in SceneKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert!(!kind.summary().is_empty());
    }
    assert!("nowhere".parse::<SceneKind>().is_err());
}

#[test]
fn parameters_out_of_range_are_named() {
    let few_frames = Tumbling {
        frames: 1,
        ..Tumbling::default()
    };
    assert_eq!(
        few_frames.build(),
        Err(SceneError::Parameter {
            name: "frames",
            value: 1,
            least: 2
        })
    );
    let few_cells = ClothBall {
        cells: 23,
        ..ClothBall::default()
    };
    assert!(few_cells.build().is_err());
    let none = Strands {
        strands: 0,
        ..Strands::default()
    };
    assert!(none.build().is_err());
}

#[test]
fn strands_are_codimensional() {
    let scene = Strands::default().build().unwrap();
    assert_eq!(scene.topology.faces().len(), 2);
    assert_eq!(scene.topology.edges().len(), 5 + 64 * 16);
    assert_eq!(scene.topology.vertex_count(), 4 + 64 * 18);
}
