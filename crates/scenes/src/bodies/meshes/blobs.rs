//! Animals made of balls that melt into each other.

use glam::Vec3;
use jostle_geom::{Aabb, Mesh, TopologyError};

use super::finished;
use crate::bodies::surface::triangles;

/// Cells of the grid along the longest side: some ten thousand triangles.
const CELLS: usize = 42;

/// A part of an animal, m.
enum Part {
    /// An ellipsoid: centre, half axes, and by how much it leans from z to −x.
    Ball(Vec3, Vec3, f32),
    /// A ball that moves from one place to another and shrinks: places and radii.
    Limb([Vec3; 2], [f32; 2]),
}

impl Part {
    /// About the distance from its surface.
    fn value(&self, p: Vec3) -> f32 {
        match *self {
            Self::Ball(centre, half, lean) => {
                let (sin, cos) = libm::sincosf(lean);
                let d = p - centre;
                let d = Vec3::new(d.x * cos + d.z * sin, d.y, d.z * cos - d.x * sin);
                // The first-order distance: the level over the slope of its gradient.
                let level = (d / half).length();
                let slope = (d / (half * half)).length();
                if slope > 1e-6 {
                    level * (level - 1.0) / slope
                } else {
                    -half.min_element()
                }
            }
            Self::Limb([from, to], [start, end]) => {
                let along = to - from;
                let share = ((p - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                (p - from - along * share).length() - (start + (end - start) * share)
            }
        }
    }
}

/// The union of parts, rounded within `melt` metres of where they meet.
fn union(parts: &[Part], melt: f32, p: Vec3) -> f32 {
    let mut least = f32::MAX;
    for part in parts {
        let value = part.value(p);
        let overlap = (melt - (least - value).abs()).max(0.0);
        least = least.min(value) - overlap * overlap / (4.0 * melt);
    }
    least
}

fn animal(parts: &[Part], melt: f32, bounds: Aabb) -> Result<Mesh, TopologyError> {
    const STEP: f32 = 1e-3;
    let value = |p: Vec3| union(parts, melt, p);
    let sample = |p: Vec3| {
        let slope = |e: Vec3| value(p + e) - value(p - e);
        let gradient = Vec3::new(
            slope(Vec3::X * STEP),
            slope(Vec3::Y * STEP),
            slope(Vec3::Z * STEP),
        );
        (value(p), gradient)
    };
    let found = triangles(&sample, &bounds, CELLS);
    finished(
        found.positions.iter().map(|p| p.as_dvec3()).collect(),
        found.faces,
    )
}

/// A sitting animal with two long ears, looking along x.
///
/// # Errors
/// None in practice.
pub fn bunny() -> Result<Mesh, TopologyError> {
    let v = Vec3::new;
    let mut parts = vec![
        Part::Ball(v(-0.04, 0.0, -0.14), v(0.32, 0.25, 0.27), 0.35),
        Part::Ball(v(0.23, 0.0, 0.14), v(0.19, 0.16, 0.165), 0.0),
        Part::Ball(v(-0.38, 0.0, -0.22), Vec3::splat(0.09), 0.0),
    ];
    for side in [-1.0, 1.0] {
        parts.extend([
            Part::Ball(v(-0.10, 0.17 * side, -0.25), v(0.19, 0.12, 0.17), 0.0),
            Part::Limb(
                [v(0.02, 0.18 * side, -0.39), v(0.16, 0.18 * side, -0.40)],
                [0.07, 0.06],
            ),
            Part::Limb(
                [v(0.20, 0.11 * side, -0.15), v(0.26, 0.11 * side, -0.40)],
                [0.075, 0.06],
            ),
            Part::Limb(
                [v(0.17, 0.07 * side, 0.25), v(0.02, 0.13 * side, 0.54)],
                [0.06, 0.045],
            ),
        ]);
    }
    let bounds = Aabb::new(v(-0.52, -0.38, -0.5), v(0.46, 0.38, 0.63));
    animal(&parts, 0.09, bounds)
}

/// A standing animal with horns and four legs, looking along x.
///
/// # Errors
/// None in practice.
pub fn cow() -> Result<Mesh, TopologyError> {
    let v = Vec3::new;
    let mut parts = vec![
        Part::Ball(v(-0.06, 0.0, 0.02), v(0.37, 0.17, 0.19), 0.0),
        Part::Limb([v(0.22, 0.0, 0.06), v(0.36, 0.0, 0.17)], [0.13, 0.10]),
        Part::Limb([v(0.36, 0.0, 0.18), v(0.49, 0.0, 0.10)], [0.095, 0.07]),
        Part::Limb([v(-0.41, 0.0, 0.10), v(-0.47, 0.0, -0.18)], [0.03, 0.025]),
        Part::Ball(v(-0.20, 0.0, -0.16), v(0.08, 0.07, 0.06), 0.0),
    ];
    for side in [-1.0, 1.0] {
        parts.extend([
            Part::Limb(
                [v(0.15, 0.095 * side, -0.05), v(0.16, 0.10 * side, -0.42)],
                [0.075, 0.048],
            ),
            Part::Limb(
                [v(-0.27, 0.095 * side, -0.05), v(-0.27, 0.10 * side, -0.42)],
                [0.085, 0.048],
            ),
            Part::Limb(
                [v(0.35, 0.07 * side, 0.25), v(0.36, 0.17 * side, 0.36)],
                [0.038, 0.024],
            ),
            Part::Limb(
                [v(0.33, 0.09 * side, 0.21), v(0.31, 0.19 * side, 0.19)],
                [0.035, 0.028],
            ),
        ]);
    }
    let bounds = Aabb::new(v(-0.55, -0.25, -0.5), v(0.6, 0.25, 0.45));
    animal(&parts, 0.07, bounds)
}
