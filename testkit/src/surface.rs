//! Points on surfaces, to look them up in something else.

use glam::Vec3;

/// Points on the surface of a field in a box: those of a grid of `cells` cells a side that are near it, moved onto it by
/// Newton steps. `field` tells the value, m, and the gradient. Cost: O(cells³) values.
pub fn surface_points(
    field: impl Fn(Vec3) -> (f32, Vec3),
    [low, high]: [Vec3; 2],
    cells: usize,
) -> Vec<Vec3> {
    let cell = (high - low) / cells as f32;
    let side = cells + 1;
    let mut points = Vec::new();
    for i in 0..side.pow(3) {
        let at = [i, i / side, i / side.pow(2)].map(|n| (n % side) as f32);
        let mut p = low + cell * Vec3::from(at);
        if field(p).0.abs() > cell.length() {
            continue;
        }
        for _ in 0..4 {
            let (value, slope) = field(p);
            p -= slope * (value / slope.length_squared().max(0.25));
        }
        if field(p).0.abs() < 1e-4 {
            points.push(p);
        }
    }
    points
}
