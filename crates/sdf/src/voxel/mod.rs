//! Fields on grids, baked from triangle meshes.

use fearless_simd::{f32x8, prelude::*};
use glam::Vec3;
use jostle_simd::Aabb;
use jostle_simd::lanes::V3;

use crate::Sample;

/// A field on a grid: bricks of fine cells near the surface, coarse cells elsewhere.
#[derive(Clone, Debug)]
pub struct VoxelField {
    aabb: Aabb,
}

impl VoxelField {
    /// Value and gradient at a point.
    pub fn sample(&self, _p: Vec3) -> Sample<f32> {
        Sample {
            value: 1.0,
            gradient: V3::new(0.0, 0.0, 1.0),
        }
    }

    /// Value and gradient at eight points.
    #[inline(always)]
    pub(crate) fn eval8<S: Simd>(&self, _simd: S, p: V3<f32x8<S>>) -> Sample<f32x8<S>> {
        Sample {
            value: p.x,
            gradient: p,
        }
    }

    /// A box around the surface.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// How much the value can change, at most, by metre of way.
    pub fn lipschitz(&self) -> f32 {
        1.0
    }
}
