//! Seeds: points of a surface where it is strongly curved, and an index to find those in a box.

use glam::Vec3;
use jostle_simd::Aabb;

/// Points in the cells of a grid.
#[derive(Clone, Debug, Default)]
pub struct SeedIndex {
    points: Vec<Vec3>,
}

impl SeedIndex {
    /// All of them, in the order of their cells.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Up to `most` points inside a box, met in a walk of the cells that starts at a place given by `start`; the
    /// same for the same arguments. Cost: O(cells in the box + `most`).
    pub fn in_box(&self, bounds: &Aabb, start: u64, most: usize, found: &mut Vec<Vec3>) {
        let n = self.points.len();
        let begin = ((u128::from(start) * n as u128) >> 64) as usize;
        let inside = |p: &&Vec3| p.cmpge(bounds.min).all() && p.cmple(bounds.max).all();
        let walk = self.points[begin..].iter().chain(&self.points[..begin]);
        found.extend(walk.filter(inside).take(most));
    }
}
