//! Binary and wide trees over the hard sets of boxes, and small things that tests of trees share.

use core::ops::ControlFlow;

use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::bvh::{Builder, Bvh, Bvh4, Bvh8};
use jostle_geom::Aabb;
use jostle_simd::SimdLevel;

use super::{Random, box_sets};

/// What a visitor says that wants more.
pub(crate) const GO: ControlFlow<()> = ControlFlow::Continue(());

/// The sets, larger ones thinned out: everything is done many times.
pub(crate) fn sets() -> Vec<(&'static str, Vec<Aabb>)> {
    thinned(300)
}

/// The sets with at most about as many boxes as told.
pub(crate) fn thinned(most: usize) -> Vec<(&'static str, Vec<Aabb>)> {
    let mut sets = box_sets();
    for (_, boxes) in &mut sets {
        let step = boxes.len().div_ceil(most).max(1);
        *boxes = boxes.iter().copied().step_by(step).collect();
    }
    sets
}

/// All SIMD levels of this machine.
pub(crate) fn levels() -> Vec<Level> {
    let tokens = SimdLevel::available()
        .into_iter()
        .map(|l| l.token().unwrap());
    tokens.collect()
}

/// Sorts and refuses repeats.
pub(crate) fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    assert!(list.windows(2).all(|w| w[0] != w[1]), "something twice");
    list
}

/// Runs `check` with the trees of a set by every builder; the sets are small but for one of them.
pub(crate) fn with_trees(mut check: impl FnMut(&str, &[Aabb], &Bvh, &Bvh4, &Bvh8)) {
    for builder in Builder::ALL {
        let most = if builder == Builder::Balanced {
            500
        } else {
            100
        };
        for (name, boxes) in thinned(most) {
            let tree = Bvh::build(&boxes, builder, Level::new()).unwrap();
            tree.validate(&boxes).unwrap();
            let (four, eight) = (Bvh4::from(&tree), Bvh8::from(&tree));
            four.validate(&boxes).unwrap();
            eight.validate(&boxes).unwrap();
            check(
                &format!("{name} by {builder}"),
                &boxes,
                &tree,
                &four,
                &eight,
            );
        }
    }
}

/// A place inside the bounds of the set, or anywhere.
pub(crate) fn somewhere(boxes: &[Aabb], random: &mut Random) -> Vec3 {
    let point = random.point().as_vec3();
    if boxes.is_empty() {
        return point;
    }
    let b = boxes[random.below(boxes.len() as u32) as usize];
    let finite = |p: Vec3| p.clamp(Vec3::splat(-1e9), Vec3::splat(1e9));
    finite(b.min) + (finite(b.max) - finite(b.min)) * point
}
