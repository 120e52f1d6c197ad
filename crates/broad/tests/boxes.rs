//! Boxes in, pairs out.

mod common;

use common::box_sets;
use jostle_broad::h8::{self, Tree};
use jostle_broad::{BoxError, brute};
use jostle_geom::Aabb;
use jostle_simd::SimdLevel;
use jostle_simd::fearless_simd::Level;

#[test]
fn pairs_are_those_of_the_brute_force() {
    for (name, boxes) in box_sets() {
        let right = brute::self_pairs(&boxes).unwrap();
        let (few, rest) = boxes.split_at(boxes.len() / 7);
        let right_between = brute::pairs_between(few, rest).unwrap();
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            assert_eq!(
                h8::self_pairs(&boxes, token).unwrap(),
                right,
                "{name}, {level}"
            );
            let between = h8::pairs_between(few, rest, token).unwrap();
            assert_eq!(between, right_between, "{name}, {level}");
        }
    }
}

#[test]
fn trees_are_valid_after_build_and_refit() {
    let level = Level::new();
    for (name, boxes) in box_sets() {
        let mut tree = Tree::build(&boxes, level);
        assert_eq!(tree.validate(&boxes), Ok(()), "{name}");
        assert_eq!(tree.len(), boxes.len());
        let moved: Vec<_> = boxes
            .iter()
            .map(|b| Aabb::new(b.min - 0.25, b.max + 0.25))
            .collect();
        tree.refit(&moved, level);
        assert_eq!(tree.validate(&moved), Ok(()), "{name}");
        if !boxes.is_empty() && boxes != moved {
            assert!(tree.validate(&boxes).is_err(), "{name}");
        }
        assert!(tree.validate(&[moved.as_slice(), &moved].concat()).is_err() || boxes.is_empty());
        tree.refit(&boxes[..boxes.len() / 2], level);
        assert_eq!(tree.validate(&boxes[..boxes.len() / 2]), Ok(()), "{name}");
    }
}

#[test]
fn boxes_without_an_answer_are_refused() {
    let level = Level::new();
    let mut boxes = vec![Aabb::new([0.0; 3].into(), [1.0; 3].into()); 100];
    boxes[42].max.z = f32::NAN;
    for result in [
        h8::self_pairs(&boxes, level),
        h8::pairs_between(&boxes, &[], level),
        h8::pairs_between(&[], &boxes, level),
        brute::self_pairs(&boxes),
        brute::pairs_between(&[], &boxes),
    ] {
        let Err(BoxError::Nan {
            index: 42,
            axis: 2,
            min,
            max,
        }) = result
        else {
            panic!("{result:?}");
        };
        assert!(min == 0.0 && max.is_nan());
    }
    boxes[7].max.x = -3.0;
    assert_eq!(
        h8::self_pairs(&boxes, level),
        Err(BoxError::Inverted {
            index: 7,
            axis: 0,
            min: 0.0,
            max: -3.0
        })
    );
}
