//! obvhs: PLOC builds, reinsertion, a compressed wide tree for rays.

use std::time::Duration;

use glam::Vec3A;
use jostle_geom::Aabb as OurAabb;
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::{build_bvh2, build_bvh2_from_tris};
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::builder::build_cwbvh_from_tris;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};
use obvhs::ray::{Ray, RayHit};
use obvhs::triangle::Triangle;

use super::{Frame, MixedPeer};
use crate::cost::Walk;
use crate::pairs::Pairs;

pub use obvhs::aabb::Aabb;

pub const VERSION: &str = "obvhs 0.4.0";

pub fn boxes(boxes: &[OurAabb]) -> Vec<Aabb> {
    let convert = |b: &OurAabb| Aabb::new(b.min.into(), b.max.into());
    boxes.iter().map(convert).collect()
}

pub fn triangles(triangles: &[[glam::Vec3; 3]]) -> Vec<Triangle> {
    let convert = |t: &[glam::Vec3; 3]| {
        let [v0, v1, v2] = t.map(Vec3A::from);
        Triangle { v0, v1, v2 }
    };
    triangles.iter().map(convert).collect()
}

/// The presets that are compared, with one box a leaf: costs are then comparable, and a query that
/// wants boxes needs no second test.
pub const PRESETS: [(&str, BvhBuildParams); 5] = [
    ("fastest", BvhBuildParams::fastest_build()),
    (
        "fastest + 5% reinsertion",
        BvhBuildParams {
            reinsertion_batch_ratio: 0.05,
            ..BvhBuildParams::fastest_build()
        },
    ),
    (
        "fast",
        BvhBuildParams {
            max_prims_per_leaf: 1,
            ..BvhBuildParams::fast_build()
        },
    ),
    (
        "medium",
        BvhBuildParams {
            max_prims_per_leaf: 1,
            ..BvhBuildParams::medium_build()
        },
    ),
    (
        "very_slow",
        BvhBuildParams {
            max_prims_per_leaf: 1,
            ..BvhBuildParams::very_slow_build()
        },
    ),
];

pub fn build(boxes: &[Aabb], params: BvhBuildParams) -> Bvh2 {
    build_bvh2(boxes, params, &mut Duration::default())
}

/// With triangles split before the build where the preset asks for it: more leaves than triangles.
pub fn build_split(triangles: &[Triangle], params: BvhBuildParams) -> Bvh2 {
    build_bvh2_from_tris(triangles, params, &mut Duration::default())
}

/// A builder that keeps its memory.
#[derive(Default)]
pub struct Reused {
    builder: PlocBuilder,
    pub tree: Bvh2,
}

impl Reused {
    pub fn build(&mut self, boxes: &[Aabb]) {
        let ids = (0..boxes.len() as u32).collect();
        self.builder.build_with_bvh(
            &mut self.tree,
            PlocSearchDistance::Minimum,
            boxes,
            ids,
            SortPrecision::U64,
            0,
        );
    }
}

/// Ids of the boxes that overlap the query.
#[inline(always)]
pub fn overlaps(tree: &Bvh2, query: &Aabb, mut each: impl FnMut(u32)) {
    tree.aabb_traverse(*query, |tree, node| {
        let node = &tree.nodes[node as usize];
        let ids = node.first_index as usize..(node.first_index + node.prim_count) as usize;
        tree.primitive_indices[ids].iter().for_each(|&id| each(id));
        true
    });
}

/// All pairs, by one query a box, as the physics example of the crate does it.
pub fn self_pairs(tree: &Bvh2, boxes: &[Aabb], pairs: &mut Pairs) {
    for (query, id) in boxes.iter().zip(0..) {
        overlaps(tree, query, |other| {
            if id < other {
                pairs.push([id, other]);
            }
        });
    }
}

impl Walk for Bvh2 {
    fn walk(&self, visit: &mut dyn FnMut(OurAabb, u32)) {
        let mut stack = vec![0_u32];
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            let b = node.aabb();
            visit(OurAabb::new(b.min.into(), b.max.into()), node.prim_count);
            if !node.is_leaf() {
                stack.extend([node.first_index, node.first_index + 1]);
            }
        }
    }
}

/// A tree of the fixed boxes by the best preset, and one of the moving boxes built every frame by
/// the fastest; one query a moving box in both.
pub struct TwoTrees {
    fixed_count: u32,
    fixed: Bvh2,
    moving: Reused,
    boxes: Vec<Aabb>,
}

impl TwoTrees {
    pub fn new(fixed: &[Aabb]) -> Self {
        Self {
            fixed_count: fixed.len() as u32,
            fixed: build(fixed, PRESETS[4].1),
            moving: Reused::default(),
            boxes: Vec::new(),
        }
    }
}

impl MixedPeer for TwoTrees {
    fn name(&self) -> &'static str {
        "two trees, moving one rebuilt, queries"
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn update(&mut self, frame: &Frame) {
        self.boxes.clone_from(&frame.obvhs);
        self.moving.build(&frame.obvhs);
    }

    fn pairs(&mut self, pairs: &mut Pairs) {
        let first = self.fixed_count;
        self_pairs(&self.moving.tree, &self.boxes, pairs);
        for pair in pairs.iter_mut() {
            *pair = pair.map(|id| id + first);
        }
        for (query, id) in self.boxes.iter().zip(first..) {
            overlaps(&self.fixed, query, |other| pairs.push([other, id]));
        }
    }
}

/// A ray tree of obvhs with the triangles in the order of its leaves.
pub struct RayTree<T> {
    tree: T,
    triangles: Vec<Triangle>,
}

impl RayTree<CwBvh> {
    pub fn wide(triangles: &[Triangle]) -> Self {
        let params = BvhBuildParams::very_slow_build();
        let tree = build_cwbvh_from_tris(triangles, params, &mut Duration::default());
        let triangles = in_order(triangles, &tree.primitive_indices);
        Self { tree, triangles }
    }

    pub fn closest_hit(&self, ray: &crate::queries::Ray) -> f32 {
        let mut hit = RayHit::none();
        let triangles = &self.triangles[..];
        self.tree.ray_traverse(ray_of(ray), &mut hit, |ray, id| {
            triangles[id].intersect(ray)
        });
        hit.t
    }
}

impl RayTree<Bvh2> {
    pub fn binary(triangles: &[Triangle]) -> Self {
        let tree = build_split(triangles, BvhBuildParams::very_slow_build());
        let triangles = in_order(triangles, &tree.primitive_indices);
        Self { tree, triangles }
    }

    pub fn closest_hit(&self, ray: &crate::queries::Ray) -> f32 {
        let mut hit = RayHit::none();
        let triangles = &self.triangles[..];
        self.tree.ray_traverse(ray_of(ray), &mut hit, |ray, id| {
            triangles[id].intersect(ray)
        });
        // The primitive, because the distance of a miss is the end of the ray.
        if hit.primitive_id == u32::MAX {
            f32::INFINITY
        } else {
            hit.t
        }
    }
}

fn in_order(triangles: &[Triangle], order: &[u32]) -> Vec<Triangle> {
    order.iter().map(|&id| triangles[id as usize]).collect()
}

fn ray_of(ray: &crate::queries::Ray) -> Ray {
    Ray::new_inf(ray.origin.into(), ray.direction.into())
}
