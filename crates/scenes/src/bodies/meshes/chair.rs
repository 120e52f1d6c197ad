//! A chair.

use glam::DVec3;
use jostle_geom::{Mesh, TopologyError};

use super::finished;

/// Middle and half extents of the parts, m: they overlap where they are joined.
const PARTS: [([f64; 3], [f64; 3]); 10] = [
    // Seat.
    ([0.0, 0.0, 0.47], [0.25, 0.25, 0.03]),
    // Legs in front, then legs behind, which go up into the back.
    ([0.22, -0.22, 0.235], [0.03, 0.03, 0.235]),
    ([0.22, 0.22, 0.235], [0.03, 0.03, 0.235]),
    ([-0.22, -0.22, 0.5], [0.03, 0.03, 0.5]),
    ([-0.22, 0.22, 0.5], [0.03, 0.03, 0.5]),
    // Bars of the back.
    ([-0.22, 0.0, 0.95], [0.022, 0.24, 0.045]),
    ([-0.22, 0.0, 0.78], [0.02, 0.24, 0.03]),
    ([-0.22, 0.0, 0.63], [0.02, 0.24, 0.03]),
    // Bars between the legs.
    ([0.0, -0.22, 0.2], [0.22, 0.022, 0.022]),
    ([0.0, 0.22, 0.2], [0.22, 0.022, 0.022]),
];

/// A seat, four legs and a back with bars: boxes that overlap, the seat level, the back at −x.
///
/// # Errors
/// None in practice.
pub fn chair() -> Result<Mesh, TopologyError> {
    let cube = crate::Shape::cube();
    let mut positions = Vec::new();
    let mut faces = Vec::new();
    for (middle, half) in PARTS {
        let first = positions.len() as u32;
        let (middle, half) = (DVec3::from(middle), DVec3::from(half));
        positions.extend(cube.positions.iter().map(|p| middle + half * p.signum()));
        faces.extend(cube.faces.iter().map(|face| face.map(|i| i + first)));
    }
    finished(positions, faces)
}
