//! Our side: what each work runs of ours. The peers' files know nothing of it.

use fearless_simd::Level;
use jostle_broad::bvh::{Builder, Bvh};
use jostle_broad::{Method, PairOptions};
use jostle_geom::Aabb;

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

/// Our tree for rays, once there is one.
pub struct RayTree;

impl RayTree {
    pub fn new(_: &BoxScene) -> Result<Option<Self>, String> {
        Ok(None)
    }

    pub fn closest_hits(&self, _: &[Ray], _: &mut Vec<f32>) {}
}

/// Our tree for overlaps, once there is one.
pub struct OverlapTree;

impl OverlapTree {
    pub fn new(_: &BoxScene) -> Result<Option<Self>, String> {
        Ok(None)
    }

    pub fn overlaps(&self, _: &Aabb, _: &mut Vec<u32>) {}
}
