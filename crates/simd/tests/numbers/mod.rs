//! Seeded numbers, among them those that break kernels.

#![allow(dead_code, reason = "no test file uses all of it")]

use glam::Vec3;
use jostle_simd::{Aabb, Ray, Triangle};

pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    pub(crate) fn below(&mut self, n: u32) -> usize {
        (self.bits() % n) as usize
    }

    /// In [-1, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        self.bits() as f32 / 1_073_741_824.0 - 1.0
    }

    pub(crate) fn point(&mut self, scale: f32) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * scale
    }

    /// On a coarse grid around the origin, where things touch.
    pub(crate) fn on_grid(&mut self, size: u32) -> Vec3 {
        let half = (size / 2) as f32;
        let mut draw = || self.below(size + 1) as f32 - half;
        Vec3::new(draw(), draw(), draw())
    }

    /// Anything that has the type of a number.
    pub(crate) fn wild(&mut self) -> f32 {
        const WILD: [f32; 16] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e-45,
            -1e-40,
            f32::MIN_POSITIVE,
            1e-20,
            1e20,
            -1e30,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            16777217.0,
        ];
        WILD[self.below(16)]
    }

    /// A point of one of many kinds, the same for a whole round.
    pub(crate) fn of_kind(&mut self, kind: usize) -> Vec3 {
        match kind % 8 {
            0 => self.point(1.0),
            1 | 2 => self.on_grid(2),
            3 => self.on_grid(6) * 0.1,
            4 => Vec3::new(4e6, -1e6, 1e5) + self.on_grid(4),
            5 => self.on_grid(4) * [1e-42, 1e-20, 1e15][self.below(3)],
            6 => {
                let mut p = self.on_grid(4);
                p.z = p.x;
                p
            }
            _ => {
                let mut p = self.on_grid(2);
                p[self.below(3)] = self.wild();
                p
            }
        }
    }

    pub(crate) fn triangle(&mut self, kind: usize) -> Triangle {
        let mut triangle =
            Triangle::new(self.of_kind(kind), self.of_kind(kind), self.of_kind(kind));
        match self.below(16) {
            0 => triangle.c = triangle.a,
            1 => triangle.c = 0.5 * (triangle.a + triangle.b),
            2 => triangle.b = triangle.a.map(f32::next_up),
            _ => {}
        }
        triangle
    }

    pub(crate) fn ray(&mut self, kind: usize) -> Ray {
        let origin = self.of_kind(kind);
        let mut direction = match self.below(4) {
            0 => self.point(1.0),
            1 => self.on_grid(2),
            _ => self.of_kind(kind) - origin,
        };
        if self.below(4) == 0 {
            direction[self.below(3)] = [0.0, -0.0, 1e-40][self.below(3)];
        }
        Ray::new(origin, direction)
    }

    /// A box, now and then infinite, inverted or with a NaN.
    pub(crate) fn aabb(&mut self, kind: usize) -> Aabb {
        let (p, q) = (self.of_kind(kind), self.of_kind(kind));
        let mut aabb = Aabb::new(p.min(q), p.max(q));
        let axis = self.below(3);
        match self.below(16) {
            0 => aabb.max[axis] = f32::INFINITY,
            1 => aabb.min[axis] = f32::NEG_INFINITY,
            2 => aabb = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY),
            3 => aabb = Aabb::new(q, p),
            4 => aabb.min[axis] = f32::NAN,
            5 => aabb.max[axis] = f32::NAN,
            6 => aabb.max = aabb.min,
            _ => {}
        }
        aabb
    }
}
