//! Our side: what each work runs of ours. The peers' files know nothing of it.

use std::ops::ControlFlow;

use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::bvh::{Builder, Bvh, Bvh8, Collapse, RayHit, RayOptions, TriangleTree};
use jostle_broad::{Method, PairOptions};
use jostle_geom::{Aabb, Triangle};

use jostle_scenes::BoxScene;

use crate::cost::Walk;
use crate::queries::Ray;

/// The method that a mixed frame is quoted for.
pub fn mixed_method() -> Method {
    "dual".parse().unwrap_or_default()
}

/// The method that a self-join is quoted for.
pub fn join_method() -> Method {
    Method::default()
}

/// The preset of that name.
pub fn preset(name: &str) -> Option<Builder> {
    name.parse().ok()
}

pub fn options() -> PairOptions {
    PairOptions::default()
}

/// A tree over the boxes.
pub fn build(boxes: &[Aabb], builder: Builder) -> Result<Bvh, String> {
    Bvh::build(boxes, builder, Level::new()).map_err(|error| error.to_string())
}

impl Walk for Bvh {
    fn walk(&self, visit: &mut dyn FnMut(Aabb, u32)) {
        for node in self.nodes() {
            visit(node.bounds(), u32::from(node.is_leaf()));
        }
    }
}

/// Our tree for rays, and their answers.
pub struct RayTree {
    tree: TriangleTree,
    rays: Vec<jostle_geom::Ray>,
    hits: Vec<Option<RayHit>>,
}

impl RayTree {
    pub fn new(scene: &BoxScene, rays: &[Ray]) -> Result<Self, String> {
        let triangle = |&[a, b, c]: &[Vec3; 3]| Triangle::new(a, b, c);
        let triangles: Vec<Triangle> = scene.triangles.iter().map(triangle).collect();
        let tree = TriangleTree::build(&triangles, Builder::Best, Level::new());
        let ray = |ray: &Ray| jostle_geom::Ray {
            origin: ray.origin,
            direction: ray.direction,
        };
        Ok(Self {
            tree: tree.map_err(|error| error.to_string())?,
            rays: rays.iter().map(ray).collect(),
            hits: Vec::new(),
        })
    }

    pub fn ask(&mut self) -> Result<(), String> {
        let options = RayOptions::default();
        self.tree
            .closest_hits(&self.rays, options, Level::new(), &mut self.hits)
            .map_err(|error| error.to_string())
    }

    /// The last answers, infinity for a miss.
    pub fn distances(&self) -> Vec<f32> {
        let distance = |hit: &Option<RayHit>| hit.map_or(f32::INFINITY, |hit| hit.t);
        self.hits.iter().map(distance).collect()
    }
}

/// Our tree for box overlaps.
pub struct OverlapTree(Bvh8);

impl OverlapTree {
    pub fn new(scene: &BoxScene) -> Result<Self, String> {
        let tree = build(&scene.fixed, Builder::Best)?;
        Ok(Self(Bvh8::collapse(&tree, Collapse::Optimal)))
    }

    /// Lists of ids, each ended by a marker.
    pub fn ask(&mut self, queries: &[Aabb], answers: &mut Vec<u32>) {
        self.0.overlap_batch(queries, Level::new(), |_, ids| {
            answers.extend_from_slice(ids);
            answers.push(u32::MAX);
            ControlFlow::Continue(())
        });
    }
}
