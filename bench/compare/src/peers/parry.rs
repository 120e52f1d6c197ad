//! parry3d: binary trees with siblings side by side and SSE tests of boxes.

use jostle_geom::Aabb as OurAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhNode, BvhWorkspace, TraversalAction};
use parry3d::query::Ray;

use super::{Frame, MixedPeer};
use crate::cost::Walk;
use crate::pairs::Pairs;

pub use parry3d::bounding_volume::Aabb;

pub const VERSION: &str = "parry3d 0.31.1";

pub fn vector(v: glam::Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub fn boxes(boxes: &[OurAabb]) -> Vec<Aabb> {
    let convert = |b: &OurAabb| Aabb::new(vector(b.min), vector(b.max));
    boxes.iter().map(convert).collect()
}

pub fn build(boxes: &[Aabb]) -> Bvh {
    Bvh::from_leaves(BvhBuildStrategy::Binned, boxes)
}

/// All pairs of a tree with itself.
pub fn self_pairs(tree: &Bvh, workspace: &mut BvhWorkspace, pairs: &mut Pairs) {
    #[cfg(feature = "parallel")]
    if rayon::current_num_threads() > 1 {
        let found = tree.traverse_bvtt_single_tree_parallel::<false>();
        pairs.extend(found.into_iter().map(|(a, b)| [a, b]));
        return;
    }
    tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push([a, b]));
}

/// A tree as the cost function sees it.
pub struct Shown<'a>(pub &'a Bvh);

impl Walk for Shown<'_> {
    fn walk(&self, visit: &mut dyn FnMut(OurAabb, u32)) {
        let convert = |b: Aabb| {
            let corner = |v: Vector| glam::Vec3::new(v.x, v.y, v.z);
            OurAabb::new(corner(b.mins), corner(b.maxs))
        };
        // The root has no node of its own.
        visit(convert(self.0.root_aabb()), 0);
        self.0.traverse(|node: &BvhNode| {
            visit(convert(node.aabb()), u32::from(node.is_leaf()));
            TraversalAction::Continue
        });
    }
}

/// How the moving tree of [`TwoTrees`] is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Upkeep {
    /// New bounds, incremental optimisation and a refit that also sorts the nodes.
    Optimise,
    /// The same with the optimisation in every eighth frame.
    OptimiseRarely,
    /// Built anew.
    Rebuild,
}

/// How fixed–moving pairs are found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Both trees walked at once.
    Joint,
    /// One query for each moving box.
    Queries,
}

/// A tree of the fixed boxes, built once, and one of the moving boxes.
pub struct TwoTrees {
    name: &'static str,
    upkeep: Upkeep,
    search: Search,
    fixed_count: u32,
    fixed: Bvh,
    moving: Bvh,
    boxes: Vec<Aabb>,
    workspace: BvhWorkspace,
    frame: usize,
}

impl TwoTrees {
    pub fn new(
        name: &'static str,
        fixed: &[Aabb],
        first: &Frame,
        upkeep: Upkeep,
        search: Search,
    ) -> Self {
        Self {
            name,
            upkeep,
            search,
            fixed_count: fixed.len() as u32,
            fixed: build(fixed),
            moving: build(&first.parry),
            boxes: Vec::new(),
            workspace: BvhWorkspace::default(),
            frame: 0,
        }
    }
}

impl MixedPeer for TwoTrees {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> &'static str {
        VERSION
    }

    fn update(&mut self, frame: &Frame) {
        self.frame += 1;
        if self.search == Search::Queries {
            self.boxes.clone_from(&frame.parry);
        }
        if self.upkeep == Upkeep::Rebuild {
            self.moving = build(&frame.parry);
            return;
        }
        for (id, &aabb) in frame.parry.iter().enumerate() {
            self.moving.insert_or_update_partially(aabb, id as u32, 0.0);
        }
        if self.upkeep == Upkeep::Optimise || self.frame.is_multiple_of(8) {
            self.moving.optimize_incremental(&mut self.workspace);
        }
        #[cfg(feature = "parallel")]
        self.moving.refit_parallel(&mut self.workspace);
        #[cfg(not(feature = "parallel"))]
        self.moving.refit(&mut self.workspace);
    }

    fn pairs(&mut self, pairs: &mut Pairs) {
        let first = self.fixed_count;
        self_pairs(&self.moving, &mut self.workspace, pairs);
        for pair in pairs.iter_mut() {
            *pair = pair.map(|id| id + first);
        }
        if self.search == Search::Joint {
            let found = self.fixed.leaf_pairs(&self.moving, |a, b| a.intersects(b));
            pairs.extend(found.map(|(a, b)| [a, b + first]));
        } else {
            for (aabb, id) in self.boxes.iter().zip(first..) {
                pairs.extend(self.fixed.intersect_aabb(aabb).map(|a| [a, id]));
            }
        }
    }
}

/// Ids of the boxes that overlap the query.
pub fn overlaps(tree: &Bvh, query: &Aabb, ids: &mut Vec<u32>) {
    ids.extend(tree.intersect_aabb(query));
}

/// Distance to the closest triangle that the ray hits, infinity if there is none.
pub fn closest_hit(tree: &Bvh, triangles: &[super::Hittable], ray: &crate::queries::Ray) -> f32 {
    let theirs = Ray::new(vector(ray.origin), vector(ray.direction));
    let hit = tree.cast_ray(&theirs, f32::MAX, |id, best| {
        let t = triangles[id as usize].hit(ray);
        (t < best).then_some(t)
    });
    hit.map_or(f32::INFINITY, |(_, t)| t)
}
