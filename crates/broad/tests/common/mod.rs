//! Sets of boxes and meshes that the tests share.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod dynamic;
pub(crate) mod trees;

use core::ops::ControlFlow;

use glam::{DVec3, Vec3};
use jostle_broad::step::{Scratch, StepBroadPhase, StepMethod};
use jostle_geom::{Aabb, MovingBoxes, PairKind, Topology};
use jostle_simd::fearless_simd::Level;

/// A small generator of pseudo-random numbers (PCG-like step, top bits).
pub(crate) struct Random(u64);

impl Random {
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

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(self.bits()) / f64::from(1_u32 << 31)
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.bits() % n
    }

    /// In [-1, 1)³.
    pub(crate) fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }
}

/// The smallest box around a point and another one.
fn span(a: Vec3, b: Vec3) -> Aabb {
    Aabb::new(a.min(b), a.max(b))
}

/// Sets of boxes that are hard in different ways, by name.
pub(crate) fn box_sets() -> Vec<(&'static str, Vec<Aabb>)> {
    let mut r = Random::new(1);
    let mut sets = Vec::new();
    let mut cloud = |n: usize, centre: f32, spread: f32, size: Vec3| -> Vec<Aabb> {
        (0..n)
            .map(|_| {
                let p = r.point().as_vec3() * spread + centre;
                span(p, p + r.point().as_vec3() * size)
            })
            .collect()
    };
    for n in [0, 1, 2, 7, 8, 9, 63, 64, 65, 513] {
        sets.push(("uniform, small", cloud(n, 0.0, 1.0, Vec3::splat(0.5))));
    }
    sets.push(("uniform", cloud(3000, 0.0, 1.0, Vec3::splat(0.1))));
    sets.push(("far away", cloud(2000, 1e9, 1e4, Vec3::splat(1e3))));
    sets.push(("flat", cloud(2000, 0.0, 1.0, Vec3::new(0.1, 0.1, 0.0))));
    let mut plane = cloud(2000, 0.0, 1.0, Vec3::splat(0.1));
    for b in &mut plane {
        (b.min.z, b.max.z) = (0.5, 0.5);
    }
    sets.push(("planar", plane.clone()));
    for b in &mut plane {
        (b.min.y, b.max.y) = (-2.0, -2.0);
    }
    sets.push(("on a line", plane));
    sets.push(("needles", cloud(1500, 0.0, 1.0, Vec3::new(1.0, 1e-3, 1e-3))));
    sets.push(("plates", cloud(400, 0.0, 1.0, Vec3::new(1.0, 1.0, 1e-4))));
    let mut clusters = Vec::new();
    for i in 0..8 {
        let centre = 10.0 * (i * i) as f32;
        clusters.extend(cloud(300, centre, 0.1, Vec3::splat(0.02)));
    }
    sets.push(("clusters", clusters));
    let mut outliers = cloud(1500, 0.0, 1.0, Vec3::splat(0.05));
    outliers.extend(cloud(20, 0.0, 1e9, Vec3::splat(1.0)));
    outliers.extend(cloud(300, 1e9, 1e3, Vec3::splat(100.0)));
    sets.push(("outliers", outliers));
    let mut few_large = cloud(1500, 0.0, 1.0, Vec3::splat(0.02));
    few_large.extend(cloud(15, 0.0, 1.0, Vec3::splat(2.0)));
    few_large.push(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY));
    sets.push(("a few large and one infinite", few_large));
    sets.push(("identical", vec![span(Vec3::ZERO, Vec3::ONE); 300]));
    sets.push((
        "nested",
        (1..300)
            .map(|i| Aabb::new(Vec3::splat(-0.5 * i as f32), Vec3::splat(0.5 * i as f32)))
            .collect(),
    ));
    sets.push((
        "growing",
        (-126..127)
            .map(|e| Aabb::new(Vec3::splat(2_f32.powi(e)), Vec3::splat(2_f32.powi(e + 1))))
            .collect(),
    ));
    sets.push((
        "subnormal",
        (0..600_u32)
            .map(|i| {
                span(
                    Vec3::splat(f32::from_bits(i)),
                    Vec3::splat(f32::from_bits(i + 3)),
                )
            })
            .collect(),
    ));
    sets.push((
        "whole range",
        (0..300)
            .map(|i| {
                let x = f32::MAX * ((i * 7 % 300) as f32 / 150.0 - 1.0);
                span(Vec3::splat(x), Vec3::new(x, f32::MAX, -f32::MAX))
            })
            .collect(),
    ));
    let mut grid = Vec::new();
    for i in 0..12 * 12 * 12 {
        let p = Vec3::new((i % 12) as f32, (i / 12 % 12) as f32, (i / 144) as f32);
        grid.push(Aabb::new(p, p + 1.0));
    }
    sets.push(("touching", grid));
    sets
}

/// Moving meshes, as topologies with positions at both ends of the step, by name.
pub(crate) fn meshes() -> Vec<(&'static str, Topology, Vec<DVec3>, Vec<DVec3>)> {
    let mut r = Random::new(2);
    let mut out = Vec::new();
    // A crumpled sheet: neighbours share vertices, folds meet.
    let side = 24_u32;
    let mut faces = Vec::new();
    for y in 0..side - 1 {
        for x in 0..side - 1 {
            let v = y * side + x;
            faces.push([v, v + 1, v + side]);
            faces.push([v + 1, v + side + 1, v + side]);
        }
    }
    let t0: Vec<_> = (0..side * side)
        .map(|v| {
            let (x, y) = (f64::from(v % side), f64::from(v / side));
            DVec3::new(x * 0.2, y, ((x * 0.4).fract() - 0.5).abs()) + r.point() * 0.3
        })
        .collect();
    let t1: Vec<_> = t0.iter().map(|p| *p * 0.9 + r.point() * 0.2).collect();
    out.push((
        "sheet",
        Topology::new(t0.len(), faces, &[]).unwrap(),
        t0,
        t1,
    ));
    // Triangles at random among few vertices: almost every pair shares one.
    let soup = |vertices: u32, faces: usize, loose: usize, r: &mut Random| {
        let mut draw = || r.below(vertices);
        let faces = (0..faces).map(|_| [draw(), draw(), draw()]).collect();
        let loose: Vec<_> = (0..loose).map(|_| [draw(), draw()]).collect();
        Topology::new(vertices as usize, faces, &loose).unwrap()
    };
    for (name, vertices, faces, loose, spread) in [
        ("few vertices", 12, 200, 50, 1.0),
        ("soup", 900, 700, 200, 3.0),
        ("edges only", 300, 0, 700, 1.0),
        ("points only", 400, 0, 0, 1.0),
        ("one vertex", 1, 0, 0, 1.0),
        ("tiny", 300, 200, 0, 1e-30),
    ] {
        let topology = soup(vertices, faces, loose, &mut r);
        let t0: Vec<_> = (0..vertices).map(|_| r.point() * spread).collect();
        let t1: Vec<_> = t0.iter().map(|p| *p + r.point() * 0.1 * spread).collect();
        out.push((name, topology, t0, t1));
    }
    out
}

/// The candidates of a step, sorted, one list a kind.
pub(crate) fn candidates(step: &StepBroadPhase, topology: &Topology) -> [Vec<[u32; 2]>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let mut scratch = Scratch::default();
    for task in 0..step.task_count() {
        let flow = step.run_task(topology, task, &mut scratch, &mut |kind, pairs| {
            assert!(!pairs.is_empty() && pairs.len() <= jostle_broad::CHUNK);
            found[usize::from(kind == PairKind::EdgeEdge)].extend_from_slice(pairs);
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
    }
    for list in &mut found {
        list.sort_unstable();
        assert!(list.windows(2).all(|w| w[0] != w[1]), "a candidate twice");
    }
    found
}

/// Builds a step and takes its candidates.
pub(crate) fn candidates_of(
    method: StepMethod,
    topology: &Topology,
    boxes: &MovingBoxes,
    level: Level,
) -> [Vec<[u32; 2]>; 2] {
    candidates(
        &StepBroadPhase::build(method, topology, boxes, level),
        topology,
    )
}
