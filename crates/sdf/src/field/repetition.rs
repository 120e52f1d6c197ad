//! Copies of a field on a lattice.

use glam::Vec3;
use jostle_simd::Aabb;
use jostle_simd::lanes::{Real, V3};

use super::eval::Evaluate;
use super::primitives::cuboid;
use super::{Field, FieldError, Sample};

/// Copies of a field on a lattice about the origin.
///
/// A point asks the 2 w copies next to it along each axis, w as large as the copies overhang their cells: where w pitch
/// is at least the reach of { φ ≤ c } from the origin of the base, the other copies have values above c, which is half of
/// the smallest pitch. The value is the least of those asked, cut to max(c, D), where D is the distance to the bounds of
/// all copies, and as the others are above that as well it has no jumps. D counts only for a base whose value is at
/// least the distance to its box.
#[derive(Clone, Debug)]
pub(crate) struct Repetition {
    pub(super) base: Field,
    pub(super) counts: [u32; 3],
    pub(super) pitch: Vec3,
    /// Copies asked along each axis.
    asked: [u32; 3],
    /// From the nearest of them backwards to the first.
    back: [f32; 3],
    /// The cut c, if there are copies that are not asked.
    cut: Option<f32>,
    /// The box whose distance is D.
    bounds: Option<Aabb>,
}

impl Repetition {
    /// At most so many copies are asked.
    const MOST: u32 = 64;

    pub(super) fn new(base: &Field, counts: [u32; 3], pitch: Vec3) -> Result<Self, FieldError> {
        let mut least = f32::INFINITY;
        for axis in 0..3 {
            if counts[axis] > 1 {
                least = least.min(pitch[axis]);
            }
        }
        let cut = 0.5 * least;
        let mut asked = [1; 3];
        let mut back = [0.0; 3];
        let reach = if least.is_finite() {
            let level = base.bounds_of_level(cut).unwrap_or(base.aabb());
            level.min.abs().max(level.max.abs())
        } else {
            Vec3::ZERO
        };
        for axis in 0..3 {
            let cells = (reach[axis] / pitch[axis]).ceil().max(1.0);
            let wide = if 2.0 * cells >= counts[axis] as f32 {
                counts[axis]
            } else {
                2 * cells as u32
            };
            asked[axis] = wide;
            back[axis] = cells - 1.0;
        }
        let all = asked.iter().map(|n| u64::from(*n)).product::<u64>();
        if all > u64::from(Self::MOST) {
            return Err(FieldError::Overhang {
                copies: all,
                most: Self::MOST,
            });
        }
        let mut made = Self {
            base: base.clone(),
            counts,
            pitch,
            asked,
            back,
            cut: (asked != counts).then_some(cut),
            bounds: None,
        };
        if base.is_above_box() {
            made.bounds = Some(made.grown(base.aabb()));
        }
        Ok(made)
    }

    /// Half the size of the lattice of origins.
    pub(super) fn half_lattice(&self) -> Vec3 {
        let n = Vec3::new(
            self.counts[0] as f32,
            self.counts[1] as f32,
            self.counts[2] as f32,
        );
        (n - 1.0) * 0.5 * self.pitch
    }

    /// A box about each copy.
    pub(super) fn grown(&self, base: Aabb) -> Aabb {
        let half = self.half_lattice();
        Aabb::new(base.min - half, base.max + half)
    }

    #[inline(always)]
    fn first<R: Real>(&self, x: R, axis: usize) -> R {
        let middle = 0.5 * (self.counts[axis] as f32 - 1.0);
        let cell = (x * x.all(1.0 / self.pitch[axis]) + x.all(middle)).floored();
        let last = (self.counts[axis] - self.asked[axis]) as f32;
        (cell - x.all(self.back[axis])).between(x.all(0.0), x.all(last)) - x.all(middle)
    }

    #[inline(always)]
    pub(super) fn sample<R: Real, E: Evaluate<R>>(&self, e: E, p: V3<R>) -> Sample<R> {
        let first = [self.first(p.x, 0), self.first(p.y, 1), self.first(p.z, 2)];
        let pitch = V3::all(p.x, self.pitch);
        let mut best = Sample {
            value: p.x.all(f32::MAX),
            gradient: V3::all(p.x, Vec3::Z),
        };
        for k in 0..self.asked[2] {
            let z = p.z - (first[2] + p.x.all(k as f32)) * pitch.z;
            for j in 0..self.asked[1] {
                let y = p.y - (first[1] + p.x.all(j as f32)) * pitch.y;
                for i in 0..self.asked[0] {
                    let x = p.x - (first[0] + p.x.all(i as f32)) * pitch.x;
                    best = e.part(&self.base, V3::new(x, y, z)).least(best);
                }
            }
        }
        let Some(cut) = self.cut else {
            return best;
        };
        let cut = p.x.all(cut);
        let far = match self.bounds {
            Some(bounds) => {
                let centre = bounds.centre();
                cuboid(p - V3::all(p.x, centre), bounds.max - centre, 0.0)
            }
            None => Sample {
                value: cut,
                gradient: best.gradient,
            },
        };
        best.capped(cut, far)
    }
}
