//! Where a surface is strongly curved.

use fearless_simd::Level;
use glam::Vec3;
use jostle_simd::Aabb;

use crate::tolerances::{CURVATURE_ROUNDING, LAPLACIAN_STEP, SEED_SURFACE};
use crate::walk::SurfaceCells;
use crate::{Field, ShapeOptions};

/// Cells along the largest axis at first, and how often they are halved.
const ACROSS: f32 = 8.0;
const HALVINGS: u32 = 3;
/// How many cells farther out to start from as well.
const BAND: f32 = 1.5;

/// Points of the surface where the Laplacian is large, thinned to a spacing with which there are not too many.
///
/// The middles of all cells that the surface may pass, and of those outside that are not much farther away, are projected
/// onto it by Newton steps. A sharp edge gets all those that are nearest to it: the farther out, the more there are. The Laplacian is the sum of central differences of the gradient.
pub(crate) fn find(field: &Field, options: &ShapeOptions, level: Level) -> Vec<Vec3> {
    let aabb = field.aabb();
    let extent = (aabb.max - aabb.min).max_element();
    if options.seeds == 0 || extent <= 0.0 || !field.is_bounded() {
        return Vec::new();
    }
    let band = BAND * extent / (ACROSS * (1 << HALVINGS) as f32);
    let margin = 2.0 * band;
    let grown = Aabb::new(aabb.min - margin, aabb.max + margin);
    let cells = SurfaceCells::walk(field, level, grown, ACROSS, HALVINGS, band, |_, _, _| {});
    let spacing = cells.size.max_element();
    let candidates = projected(field, level, cells, SEED_SURFACE * extent);

    let step = field.laplacian_step().unwrap_or(LAPLACIAN_STEP * extent);
    let mut around = Vec::with_capacity(6 * candidates.len());
    for p in &candidates {
        for axis in Vec3::AXES {
            around.extend([*p + axis * step, *p - axis * step]);
        }
    }
    let mut samples = Vec::new();
    field.sample_all(level, &around, &mut samples);
    let mut curved = Vec::new();
    for (p, six) in candidates.iter().zip(samples.chunks_exact(6)) {
        let mut sum = 0.0;
        for axis in 0..3 {
            let (ahead, behind) = (six[2 * axis].gradient, six[2 * axis + 1].gradient);
            sum += Vec3::from(ahead)[axis] - Vec3::from(behind)[axis];
        }
        let laplacian = (sum / (2.0 * step)).abs();
        if laplacian * extent > options.curvature * CURVATURE_ROUNDING {
            // By powers of two, so that rounding does not decide.
            curved.push((laplacian.to_bits() >> 23, *p));
        }
    }
    // The sharpest first: tips and corners are kept, and edges before gentle curves.
    curved.sort_by_key(|(sharpness, _)| core::cmp::Reverse(*sharpness));
    let points: Vec<Vec3> = curved.into_iter().map(|(_, p)| p).collect();
    thinned(&points, grown, 0.5 * spacing, options.seeds)
}

/// Newton steps onto the surface; those that do not arrive, or only far away, are dropped.
fn projected(field: &Field, level: Level, cells: SurfaceCells, surface: f32) -> Vec<Vec3> {
    const STEPS: usize = 6;
    let SurfaceCells {
        centres,
        mut samples,
        size,
    } = cells;
    let mut points = centres.clone();
    for _ in 0..STEPS {
        for (p, s) in points.iter_mut().zip(&samples) {
            let g = Vec3::from(s.gradient);
            if s.value.abs() > 0.01 * surface {
                *p -= g * (s.value / g.length_squared().max(1e-6));
            }
        }
        field.sample_all(level, &points, &mut samples);
    }
    let far = 3.0 * size.length();
    let mut arrived = Vec::new();
    for ((p, s), centre) in points.iter().zip(&samples).zip(&centres) {
        if s.value.abs() <= surface && p.distance(*centre) <= far {
            arrived.push(*p);
        }
    }
    arrived
}

/// Takes points in order unless one taken before is closer than a spacing, the smallest one with which at most `most` are
/// taken, up to a factor of 1.15.
fn thinned(points: &[Vec3], bounds: Aabb, mut spacing: f32, most: usize) -> Vec<Vec3> {
    const NONE: u32 = u32::MAX;
    let mut taken: Vec<Vec3> = Vec::new();
    loop {
        taken.clear();
        let cells = ((bounds.max - bounds.min) / spacing).floor().as_uvec3() + 1;
        let mut heads = vec![NONE; (cells.x * cells.y * cells.z) as usize];
        let mut next: Vec<u32> = Vec::new();
        for p in points {
            let cell = ((*p - bounds.min) / spacing).as_uvec3().min(cells - 1);
            let from = cell.saturating_sub(glam::UVec3::ONE);
            let to = (cell + 1).min(cells - 1);
            let mut free = true;
            for z in from.z..=to.z {
                for y in from.y..=to.y {
                    for x in from.x..=to.x {
                        let mut at = heads[((z * cells.y + y) * cells.x + x) as usize];
                        while at != NONE {
                            free &= taken[at as usize].distance_squared(*p) >= spacing * spacing;
                            at = next[at as usize];
                        }
                    }
                }
            }
            if free {
                let head = &mut heads[((cell.z * cells.y + cell.y) * cells.x + cell.x) as usize];
                next.push(*head);
                *head = taken.len() as u32;
                taken.push(*p);
                if taken.len() > most {
                    break;
                }
            }
        }
        if taken.len() <= most {
            return taken;
        }
        spacing *= 1.15;
    }
}
