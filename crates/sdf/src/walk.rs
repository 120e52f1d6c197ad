//! Cells that the surface of a field may pass through.

use fearless_simd::Level;
use glam::Vec3;
use jostle_simd::Aabb;

use crate::tolerances::MOST_CELLS;
use crate::{Field, Sample};

/// Cells of one size, near a surface.
pub(crate) struct SurfaceCells {
    /// Their middles.
    pub(crate) centres: Vec<Vec3>,
    /// The field there.
    pub(crate) samples: Vec<Sample<f32>>,
    /// How large they are along each axis.
    pub(crate) size: Vec3,
}

impl SurfaceCells {
    /// Halves the cells of a box `halvings` times, and keeps those that may hold a point of the surface by the Lipschitz
    /// bound at their middles. At first there are `across` cells along the largest axis and about as large ones along
    /// the others. Those that are outside and closer than `band` are kept as well. `dropped` is told of the others, with their size and value. Fewer halvings when there are too many
    /// cells.
    ///
    /// Cost: O(cells kept), 4 evaluations for each. The same cells at every SIMD level.
    pub(crate) fn walk(
        field: &Field,
        level: Level,
        bounds: Aabb,
        across: f32,
        halvings: u32,
        band: f32,
        mut dropped: impl FnMut(Vec3, Vec3, f32),
    ) -> Self {
        let extent = bounds.max - bounds.min;
        let cell = extent.max_element() / across;
        let counts = (extent / cell).round().max(Vec3::ONE);
        let mut size = extent / counts;
        let mut centres = Vec::new();
        for z in 0..counts.z as u32 {
            for y in 0..counts.y as u32 {
                for x in 0..counts.x as u32 {
                    let at = Vec3::new(x as f32, y as f32, z as f32) + 0.5;
                    centres.push(bounds.min + at * size);
                }
            }
        }
        let radius = 0.5 * size.length();
        let mut bound: Vec<f32> = centres
            .iter()
            .map(|centre| field.lipschitz_in(*centre, radius))
            .collect();
        let mut samples = Vec::new();
        let mut halving = 0;
        loop {
            field.sample_all(level, &centres, &mut samples);
            // Rounding of the value must not lose a cell.
            let radius = 0.5001 * size.length();
            let mut kept = 0;
            for at in 0..centres.len() {
                let value = samples[at].value;
                let near = bound[at] * radius;
                if value > near + band || value < -near {
                    dropped(centres[at], size, value);
                    continue;
                }
                centres[kept] = centres[at];
                samples[kept] = samples[at];
                bound[kept] = bound[at];
                kept += 1;
            }
            centres.truncate(kept);
            samples.truncate(kept);
            bound.truncate(kept);
            if halving == halvings || 8 * kept > MOST_CELLS {
                return Self {
                    centres,
                    samples,
                    size,
                };
            }
            halving += 1;
            size *= 0.5;
            let half = 0.5 * size;
            let mut next = Vec::with_capacity(8 * kept);
            let mut next_bound = Vec::with_capacity(8 * kept);
            for (centre, k) in centres.iter().zip(&bound) {
                for octant in 0..8_u32 {
                    let side = |axis: u32| if octant >> axis & 1 == 0 { -1.0 } else { 1.0 };
                    next.push(*centre + Vec3::new(side(0), side(1), side(2)) * half);
                    next_bound.push(*k);
                }
            }
            centres = next;
            bound = next_bound;
        }
    }
}
