//! The peers, each behind the few functions that the works need.

pub mod bvh_crate;
pub mod obvhs;
pub mod parry;
pub mod parry_one_tree;
pub mod rapier;
pub mod rstar;

use jostle_geom::Aabb;

use crate::pairs::Pairs;

/// The moving boxes of one frame in everybody's own type: converting them is nobody's work.
pub struct Frame {
    pub jostle: Vec<Aabb>,
    pub parry: Vec<parry::Aabb>,
    pub obvhs: Vec<obvhs::Aabb>,
}

impl Frame {
    pub fn new(boxes: &[Aabb]) -> Self {
        Self {
            jostle: boxes.to_vec(),
            parry: parry::boxes(boxes),
            obvhs: obvhs::boxes(boxes),
        }
    }
}

/// A broad phase over fixed and moving boxes, from frame to frame.
pub trait MixedPeer {
    /// The peer and how it is used.
    fn name(&self) -> &'static str;
    /// Version of its crate.
    fn version(&self) -> &'static str;
    /// Takes the boxes of the next frame.
    fn update(&mut self, frame: &Frame);
    /// Finds the pairs with a moving box. Fixed box `i` has id `i`, moving box `j` the number of
    /// fixed boxes more.
    fn pairs(&mut self, pairs: &mut Pairs);
    /// The pairs, not timed, when the peer keeps them in a form of its own.
    fn kept_pairs(&self) -> Option<Pairs> {
        None
    }
    /// Whether it enlarges boxes, so that it may report pairs that do not overlap.
    fn enlarges(&self) -> bool {
        false
    }
}

/// A triangle for peers that bring no intersection test of their own, made ready for Möller and
/// Trumbore's test (1997): a corner and two edges.
#[derive(Clone, Copy)]
pub struct Hittable {
    corner: glam::Vec3A,
    edges: [glam::Vec3A; 2],
}

impl Hittable {
    pub fn new(&[a, b, c]: &[glam::Vec3; 3]) -> Self {
        let (a, b, c) = (a.into(), glam::Vec3A::from(b), glam::Vec3A::from(c));
        Self {
            corner: a,
            edges: [b - a, c - a],
        }
    }

    /// Distance along the ray in lengths of its direction, infinity for a miss; both sides count.
    #[inline(always)]
    pub fn hit(&self, ray: &crate::queries::Ray) -> f32 {
        let direction = glam::Vec3A::from(ray.direction);
        let [e1, e2] = self.edges;
        let across = direction.cross(e2);
        let scale = 1.0 / e1.dot(across);
        let from = glam::Vec3A::from(ray.origin) - self.corner;
        let u = from.dot(across) * scale;
        let over = from.cross(e1);
        let v = direction.dot(over) * scale;
        let t = e2.dot(over) * scale;
        // Written so that NaN, of a triangle seen edge-on, is a miss.
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 {
            t
        } else {
            f32::INFINITY
        }
    }
}
