//! A gear.

use core::f64::consts::TAU;

use glam::DVec3;
use jostle_geom::{Mesh, TopologyError};

use super::finished;

/// Teeth of a [`gear`].
pub const TEETH: u32 = 20;

/// Radii of the tips, of the gaps and of the hole, m.
const TIP: f64 = 0.5;
const ROOT: f64 = 0.42;
const HOLE: f64 = 0.17;
/// Half the thickness, m.
const HALF: f64 = 0.12;

/// Half the distance of the axes of two gears that mesh, m: the tips of one stay clear of the gaps of the other by a
/// sixth of a tooth's height.
pub const fn pitch_radius() -> f64 {
    f64::midpoint(TIP, ROOT) + (TIP - ROOT) / 12.0
}

/// A disc with 20 teeth and a hole, its axis along z; a tooth points along x.
///
/// # Errors
/// None in practice.
pub fn gear() -> Result<Mesh, TopologyError> {
    // Shares of a tooth's turn at which the outline is at the root, the tip, the tip and the root: trapezoids that leave
    // play between the flanks.
    let outline = [(-0.29, ROOT), (-0.12, TIP), (0.12, TIP), (0.29, ROOT)];
    let mut rings = Vec::new();
    for tooth in 0..TEETH {
        for (share, radius) in outline {
            let (sin, cos) = libm::sincos(TAU * (f64::from(tooth) + share) / f64::from(TEETH));
            rings.push([
                DVec3::new(cos, sin, 0.0) * radius,
                DVec3::new(cos, sin, 0.0) * HOLE,
            ]);
        }
    }
    // Four rings of vertices: outside below and above, hole above and below. Each is joined to the next.
    let up = DVec3::Z * HALF;
    let mut positions = Vec::with_capacity(4 * rings.len());
    for [out, hole] in &rings {
        positions.extend([*out - up, *out + up, *hole + up, *hole - up]);
    }
    let n = rings.len() as u32;
    let mut faces = Vec::with_capacity(8 * rings.len());
    for i in 0..n {
        let (here, next) = (4 * i, 4 * ((i + 1) % n));
        for side in 0..4 {
            let other = (side + 1) % 4;
            let [a, b, c, d] = [here + side, next + side, next + other, here + other];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    finished(positions, faces)
}
