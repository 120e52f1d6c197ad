//! The crate bvh: a binned SAH tree.

use bvh::aabb::{Aabb, Bounded};
use bvh::bounding_hierarchy::BHShape;
#[cfg(feature = "parallel")]
use bvh::bounding_hierarchy::BoundingHierarchy;
use bvh::bvh::{Bvh, BvhNode};
use bvh::ray::Ray;
use jostle_geom::Aabb as OurAabb;
use nalgebra::{Point3, Vector3};

use crate::cost::Walk;
use crate::pairs::Pairs;

pub const VERSION: &str = "bvh 0.13.0";

/// A box with the id that the tree does not give back.
#[derive(Clone, Copy)]
pub struct Shape {
    pub aabb: Aabb<f32, 3>,
    pub id: u32,
    node: usize,
}

impl Bounded<f32, 3> for Shape {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.aabb
    }
}

impl BHShape<f32, 3> for Shape {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

pub fn point(v: glam::Vec3) -> Point3<f32> {
    Point3::new(v.x, v.y, v.z)
}

pub fn shapes(boxes: &[OurAabb]) -> Vec<Shape> {
    let convert = |(id, b): (usize, &OurAabb)| Shape {
        aabb: Aabb::with_bounds(point(b.min), point(b.max)),
        id: id as u32,
        node: 0,
    };
    boxes.iter().enumerate().map(convert).collect()
}

pub fn build(shapes: &mut [Shape]) -> Bvh<f32, 3> {
    #[cfg(feature = "parallel")]
    if rayon::current_num_threads() > 1 {
        return Bvh::build_par(shapes);
    }
    Bvh::build(shapes)
}

/// Ids of the shapes that overlap the query. By [`Bvh::traverse`], which gathers them in a vector:
/// the iterator that would not overflows its fixed stack in deep trees.
pub fn overlaps(tree: &Bvh<f32, 3>, shapes: &[Shape], query: &Aabb<f32, 3>, ids: &mut Vec<u32>) {
    ids.extend(tree.traverse(query, shapes).iter().map(|shape| shape.id));
}

/// All pairs, by one query a box.
pub fn self_pairs(tree: &Bvh<f32, 3>, shapes: &[Shape], pairs: &mut Pairs) {
    for shape in shapes {
        for other in tree.traverse(&shape.aabb, shapes) {
            if shape.id < other.id {
                pairs.push([shape.id, other.id]);
            }
        }
    }
}

/// Distance to the closest triangle that the ray hits, infinity if there is none: shapes from near
/// to far until the next one begins behind the best hit.
pub fn closest_hit(
    tree: &Bvh<f32, 3>,
    shapes: &[Shape],
    triangles: &[super::Hittable],
    ray: &crate::queries::Ray,
) -> f32 {
    let d = ray.direction;
    let theirs = Ray::new(point(ray.origin), Vector3::new(d.x, d.y, d.z));
    let mut best = f32::INFINITY;
    for shape in tree.nearest_traverse_iterator(&theirs, shapes) {
        let enters = theirs.intersection_slice_for_aabb(&shape.aabb);
        if enters.is_some_and(|(near, _)| near > best) {
            break;
        }
        best = best.min(triangles[shape.id as usize].hit(ray));
    }
    best
}

/// A tree as the cost function sees it.
pub struct Shown<'a>(pub &'a Bvh<f32, 3>, pub &'a [Shape]);

impl Walk for Shown<'_> {
    fn walk(&self, visit: &mut dyn FnMut(OurAabb, u32)) {
        let convert = |b: &Aabb<f32, 3>| {
            let corner = |p: Point3<f32>| glam::Vec3::new(p.x, p.y, p.z);
            OurAabb::new(corner(b.min), corner(b.max))
        };
        let Self(tree, shapes) = self;
        let root = shapes
            .iter()
            .fold(OurAabb::EMPTY, |a, s| a.union(convert(&s.aabb)));
        let mut stack = vec![(0, root)];
        while let Some((index, bounds)) = stack.pop() {
            match &tree.nodes[index] {
                BvhNode::Leaf { .. } => visit(bounds, 1),
                BvhNode::Node {
                    child_l_index,
                    child_l_aabb,
                    child_r_index,
                    child_r_aabb,
                    ..
                } => {
                    visit(bounds, 0);
                    stack.push((*child_l_index, convert(child_l_aabb)));
                    stack.push((*child_r_index, convert(child_r_aabb)));
                }
            }
        }
    }
}
