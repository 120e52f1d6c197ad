//! Eight rays against one box.

use fearless_simd::{f32x8, mask32x8, prelude::*};

use crate::{Aabb, RaySlabs};

/// Up to eight rays made ready for slab tests, coordinate by coordinate; see [`RaySlabs`].
///
/// Pays when the rays are alike, so that they meet the same boxes.
#[derive(Clone, Copy, Debug)]
pub struct RayPacket {
    origin: [[f32; 8]; 3],
    inverse: [[f32; 8]; 3],
    /// Bits of the rays that do not move along an axis.
    still: [u8; 3],
}

impl RayPacket {
    /// No rays: lanes without a ray meet no box.
    pub const EMPTY: Self = Self {
        origin: [[f32::NAN; 8]; 3],
        inverse: [[1.0; 8]; 3],
        still: [0; 3],
    };

    /// Puts a ray without slack into a lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, slabs: &RaySlabs) {
        for axis in 0..3 {
            self.origin[axis][lane] = slabs.near(axis);
            self.inverse[axis][lane] = slabs.inverse(axis).unwrap_or(1.0);
            self.still[axis] &= !(1 << lane);
            if slabs.inverse(axis).is_none() {
                self.still[axis] |= 1 << lane;
            }
        }
    }

    /// Which rays enter a box before their limits (see [`RaySlabs::limit`]), as bits, and where;
    /// other lanes of the distances mean nothing. The bits of [`RaySlabs::enter`].
    #[inline(always)]
    pub fn enter<S: Simd>(&self, simd: S, aabb: &Aabb, limits: &[f32; 8]) -> (u8, f32x8<S>) {
        let zero = f32x8::splat(simd, 0.0);
        let mut entry = f32x8::splat(simd, f32::NEG_INFINITY);
        let mut exit = f32x8::splat(simd, f32::INFINITY);
        let first = f32x8::load_array_ref(simd, &self.origin[0]);
        let mut mask = first.simd_eq(first);
        for axis in 0..3 {
            let origin = f32x8::load_array_ref(simd, &self.origin[axis]);
            let inverse = f32x8::load_array_ref(simd, &self.inverse[axis]);
            let lo = f32x8::splat(simd, aabb.min[axis]);
            let hi = f32x8::splat(simd, aabb.max[axis]);
            let (a, b) = ((lo - origin) * inverse, (hi - origin) * inverse);
            let (mut near, mut far) = (a.min(b), a.max(b));
            if self.still[axis] != 0 {
                let still = mask32x8::from_bitmask(simd, u64::from(self.still[axis]));
                mask &= !still | (lo.simd_le(origin) & origin.simd_le(hi));
                near = still.select(f32x8::splat(simd, f32::NEG_INFINITY), near);
                far = still.select(f32x8::splat(simd, f32::INFINITY), far);
            }
            entry = entry.max(near);
            exit = exit.min(far);
        }
        mask &= zero.simd_le(exit);
        mask &= entry.simd_le(RaySlabs::widened(simd, exit));
        mask &= entry.simd_le(f32x8::load_array_ref(simd, limits));
        (mask.to_bitmask() as u8, entry.max(zero) + zero)
    }

    /// Whether the middle of `b` lies before the middle of `a` along a ray. A guess by which to order
    /// a walk: it decides nothing.
    #[inline(always)]
    pub fn prefers_second(&self, lane: usize, a: &Aabb, b: &Aabb) -> bool {
        let mut along = 0.0;
        for axis in 0..3 {
            let between = (b.min[axis] + b.max[axis]) - (a.min[axis] + a.max[axis]);
            along += if self.inverse[axis][lane] < 0.0 {
                -between
            } else {
                between
            };
        }
        along < 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ray, SimdLevel};
    use fearless_simd::dispatch;
    use glam::Vec3;

    #[test]
    fn lanes_have_the_bits_of_single_rays() {
        let mut state = 3_u64;
        let mut draw = || {
            state = (state.wrapping_mul(6364136223846793005)).wrapping_add(1442695040888963407);
            (state >> 61) as f32 - 4.0
        };
        let mut hits = 0;
        for round in 0..400 {
            let mut packet = RayPacket::EMPTY;
            let mut rays = Vec::new();
            let mut limits = [0.0; 8];
            while rays.len() < 7 {
                let ray = Ray::new(
                    Vec3::new(draw(), draw(), draw()),
                    Vec3::new(draw(), draw(), draw()),
                );
                if let Ok(slabs) = RaySlabs::new(&ray) {
                    limits[rays.len()] = RaySlabs::limit(if round % 2 == 0 { 1.0 } else { 1e9 });
                    packet.set(rays.len(), &slabs);
                    rays.push(slabs);
                }
            }
            let min = Vec3::new(draw(), draw(), draw());
            let size = Vec3::new(draw(), draw(), draw()).abs();
            let infinite = Aabb::new(Vec3::NEG_INFINITY, min);
            for aabb in [Aabb::new(min, min + size), infinite] {
                for level in SimdLevel::available() {
                    let token = level.token().unwrap();
                    let (bits, entries) = dispatch!(token, simd => {
                        let (bits, entries) = packet.enter(simd, &aabb, &limits);
                        (bits, <[f32; 8]>::from(entries))
                    });
                    assert_eq!(bits >> 7, 0);
                    for (lane, ray) in rays.iter().enumerate() {
                        let one = ray.enter(&aabb, limits[lane]).map(f32::to_bits);
                        let wide = (bits >> lane & 1 == 1).then_some(entries[lane].to_bits());
                        assert_eq!(one, wide, "{level} {ray:?} {aabb:?}");
                        hits += u32::from(one.is_some());
                    }
                }
            }
        }
        assert!(hits > 1_000);
    }
}
