//! Small things that tests of the dynamic tree share.

use core::ops::ControlFlow;

use glam::Vec3;
use jostle_broad::dynamic::{DynamicOptions, DynamicTree, Handle, PairQuery};
use jostle_geom::Aabb;

use super::Random;

pub(crate) fn self_pairs(tree: &DynamicTree, query: PairQuery) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    tree.self_pairs(query, |a, b| {
        pairs.push([a, b]);
        ControlFlow::Continue(())
    });
    pairs.sort_unstable();
    pairs
}

pub(crate) fn filled(boxes: &[Aabb], options: DynamicOptions) -> (DynamicTree, Vec<Handle>) {
    let mut tree = DynamicTree::with_options(options).unwrap();
    let handles = boxes.iter().map(|&b| tree.insert(b).unwrap()).collect();
    (tree, handles)
}

pub(crate) fn enlarging() -> DynamicOptions {
    let mut options = DynamicOptions::default();
    (options.margin, options.look_ahead) = (0.1, 2.0);
    options
}

/// A box in a cube of side 4, sometimes a point, sometimes one that another box is likely to be.
pub(crate) fn draw(random: &mut Random) -> Aabb {
    if random.below(8) == 0 {
        let corner = Vec3::splat(random.below(3) as f32);
        return Aabb::new(corner, corner + random.below(2) as f32);
    }
    let min = random.point().as_vec3() * 2.0;
    let size = random.point().as_vec3().abs() * (0.02 + random.unit() as f32);
    Aabb::new(min, min + size)
}

pub(crate) fn shifted(b: &Aabb, by: Vec3) -> Aabb {
    let min = b.min + by;
    Aabb::new(min, min.max(b.max + by))
}
