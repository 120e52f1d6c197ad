//! The surface area cost of anybody's tree, by one function.

use jostle_geom::Aabb;

/// A tree that shows its nodes.
pub trait Walk {
    /// Calls `visit` once for each node below and including the root with its box and the number
    /// of boxes it holds itself, 0 for an inner node; the root first.
    fn walk(&self, visit: &mut dyn FnMut(Aabb, u32));
}

/// Expected cost of a random ray that hits the root's box (MacDonald and Booth, 1990) with traversal
/// and intersection costing 1 each: over inner nodes the sum of their areas, over leaves that of
/// their areas times the boxes they hold, both over the root's area. Also the number of boxes.
pub fn sah_cost(tree: &dyn Walk) -> (f64, usize) {
    let (mut root, mut sum, mut boxes) = (None, 0.0, 0);
    tree.walk(&mut |aabb, count| {
        let area = half_area(&aabb);
        root.get_or_insert(area);
        sum += area * f64::from(count.max(1));
        boxes += count as usize;
    });
    (sum / root.unwrap_or(1.0), boxes)
}

fn half_area(aabb: &Aabb) -> f64 {
    let side = (aabb.max - aabb.min).as_dvec3();
    side.x * side.y + side.y * side.z + side.z * side.x
}
