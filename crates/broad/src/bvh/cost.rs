//! What a tree is expected to cost.

use jostle_geom::Aabb;

use super::Bvh;

/// Half the surface of a box, in double precision so that the largest boxes keep their order. NaN
/// (an infinite extent times none) counts as infinite.
#[inline(always)]
pub(crate) fn half_area(b: &Aabb) -> f64 {
    let x = f64::from(b.max.x) - f64::from(b.min.x);
    let y = f64::from(b.max.y) - f64::from(b.min.y);
    let z = f64::from(b.max.z) - f64::from(b.min.z);
    let half = x * y + y * z + z * x;
    if half.is_nan() { f64::INFINITY } else { half }
}

impl Bvh {
    /// The expected cost of a query by the surface area heuristic, with unit costs for a step down
    /// and for a test of a box: the areas of all nodes over the area of the root (J. D. MacDonald
    /// and K. S. Booth, "Heuristics for ray tracing using space subdivision", 1990).
    ///
    /// Zero without boxes; when the root has no area or an infinite one, the number of nodes.
    pub fn sah_cost(&self) -> f64 {
        let Some(root) = self.nodes.first() else {
            return 0.0;
        };
        let root = half_area(&root.bounds());
        let sum: f64 = self.nodes.iter().map(|n| half_area(&n.bounds())).sum();
        let cost = sum / root;
        if cost.is_finite() {
            cost
        } else {
            self.nodes.len() as f64
        }
    }
}
