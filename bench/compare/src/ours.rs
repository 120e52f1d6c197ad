//! Our side: what each work runs of ours. The peers' files know nothing of it.

use std::ops::ControlFlow;

use fearless_simd::Level;
use glam::Vec3;
use jostle_broad::bvh::{
    Builder, Bvh, Bvh4, Bvh8, Collapse, Precision, RayHit, RayOptions, TriangleTree, WideBvh,
    WideNode,
};
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

fn triangle_tree(scene: &BoxScene) -> Result<TriangleTree, String> {
    let triangle = |&[a, b, c]: &[Vec3; 3]| Triangle::new(a, b, c);
    let triangles: Vec<Triangle> = scene.triangles.iter().map(triangle).collect();
    TriangleTree::build(&triangles, Builder::Best, Level::new()).map_err(|error| error.to_string())
}

/// Our tree for rays, and their answers.
pub struct RayTree {
    tree: TriangleTree,
    rays: Vec<jostle_geom::Ray>,
    hits: Vec<Option<RayHit>>,
}

impl RayTree {
    pub fn new(scene: &BoxScene, rays: &[Ray]) -> Result<Self, String> {
        let ray = |ray: &Ray| jostle_geom::Ray {
            origin: ray.origin,
            direction: ray.direction,
        };
        Ok(Self {
            tree: triangle_tree(scene)?,
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

/// Appends lists of ids, each ended by a marker.
pub type Overlaps = Box<dyn FnMut(&[Aabb], &mut Vec<u32>)>;

/// Our trees for box overlaps by name. The fastest is quoted.
pub fn overlap_trees(scene: &BoxScene) -> Result<[(&'static str, Overlaps); 3], String> {
    let binary = build(&scene.fixed, Builder::Best)?;
    let eight = Bvh8::collapse(&binary, Collapse::Optimal);
    let four = Bvh4::collapse(&binary, Collapse::Optimal);
    let triangles = triangle_tree(scene)?;
    Ok([
        (
            "bvh8",
            Box::new(move |queries, out| batch(&eight, queries, out)),
        ),
        (
            "bvh4",
            Box::new(move |queries, out| batch(&four, queries, out)),
        ),
        (
            "triangles",
            Box::new(move |queries, out| {
                for query in queries {
                    let visit = |id| {
                        out.push(id);
                        ControlFlow::Continue(())
                    };
                    // Queries are valid boxes.
                    let _ = triangles.overlaps(query, Precision::Bounds, Level::new(), visit);
                    out.push(u32::MAX);
                }
            }),
        ),
    ])
}

fn batch<N: WideNode>(tree: &WideBvh<N>, queries: &[Aabb], out: &mut Vec<u32>) {
    tree.overlap_batch(queries, Level::new(), |_, ids| {
        out.extend_from_slice(ids);
        out.push(u32::MAX);
        ControlFlow::Continue(())
    });
}
