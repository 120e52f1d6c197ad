//! Kernels of rays, segments, planes and frusta against boxes.

use glam::Vec3;
use jostle::geom::{Aabb, Ray};
use jostle::scenes::Rng;
use jostle::simd::RaySlabs;
use jostle::simd::batch::AabbBatch;
use jostle::simd::kernels::plane_aabb::{self, PlaneSide};
use jostle::simd::kernels::segment_aabb::{self, Segment};
use jostle::simd::kernels::{ray_aabb, volume_aabb};
use jostle::simd::volume::{Frustum, Plane};

use super::boxes::{boxes, ids_or_mask, other};
use super::case::{Case, Kernel, OneRun, OneToMany, Out, Way, questions};
use super::roof::Demand;
use super::triangles::rays;

/// What one question about a box takes.
const fn a_box(compares: f64, arithmetic: f64) -> Demand {
    Demand {
        bytes: 24.0,
        again: 0.0,
        compares,
        arithmetic,
    }
}

/// Rays do not end.
const LIMIT: f32 = f32::INFINITY;

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "ray-aabb",
        columns: true,
        // A difference and a product for each plane; the last entry, the first exit.
        demand: a_box(7.0, 12.0),
        element: 24,
        same_rule: false,
        case: |n, seed| ray_boxes(n, seed, false),
    },
    Kernel {
        name: "ray-aabb-ids",
        columns: true,
        demand: a_box(7.0, 12.0),
        element: 24,
        same_rule: false,
        case: |n, seed| ray_boxes(n, seed, true),
    },
    Kernel {
        name: "segment-aabb",
        columns: true,
        // Three axes, and three pictures with four products each.
        demand: a_box(12.0, 18.0),
        element: 24,
        same_rule: false,
        case: segment_boxes,
    },
    Kernel {
        name: "plane-aabb",
        columns: true,
        // Two corners.
        demand: a_box(2.0, 12.0),
        element: 24,
        same_rule: false,
        case: plane_boxes,
    },
    Kernel {
        name: "frustum-aabb",
        columns: true,
        // A corner for each of six planes.
        demand: a_box(6.0, 36.0),
        element: 24,
        same_rule: false,
        case: frustum_boxes,
    },
];

/// Questions about boxes of a size.
fn one_to_boxes<Q: 'static>(
    n: usize,
    seed: u64,
    size: f64,
    queries: Vec<Q>,
    run: OneRun<Q, Aabb, AabbBatch>,
    answer: fn(Way, &Out) -> Vec<u32>,
) -> Box<dyn Case> {
    let structs = boxes(n, seed, size);
    Box::new(OneToMany {
        queries,
        at: 0,
        batch: AabbBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run,
        answer,
        hits: None,
    })
}

fn ray_boxes(n: usize, seed: u64, to_ids: bool) -> Box<dyn Case> {
    let queries = rays(questions(n), other(seed))
        .into_iter()
        .filter_map(|ray| {
            let slabs = RaySlabs::new(&ray).ok()?;
            Some((ray, slabs))
        });
    let run: OneRun<(Ray, RaySlabs), Aabb, AabbBatch> = if to_ids {
        |way, (ray, slabs), structs, batch, out| match way {
            Way::Aos => ray_aabb::baseline::one_many_aos(slabs, structs, LIMIT, &mut out.ids),
            Way::Soa => ray_aabb::baseline::one_many_soa(ray, batch, LIMIT, &mut out.bytes),
            Way::Level(_, at) => ray_aabb::one_many_ids(slabs, batch, LIMIT, &mut out.ids, at),
        }
    } else {
        |way, (ray, slabs), structs, batch, out| match way {
            Way::Aos => ray_aabb::baseline::one_many_aos(slabs, structs, LIMIT, &mut out.ids),
            Way::Soa => ray_aabb::baseline::one_many_soa(ray, batch, LIMIT, &mut out.bytes),
            Way::Level(_, at) => ray_aabb::one_many(slabs, batch, LIMIT, &mut out.mask, at),
        }
    };
    let answer = if to_ids {
        super::boxes::ids
    } else {
        ids_or_mask
    };
    one_to_boxes(n, seed, 0.2, queries.collect(), run, answer)
}

fn segment_boxes(n: usize, seed: u64) -> Box<dyn Case> {
    let one = |i| {
        let mut rng = Rng::new(other(seed), i);
        Segment::new(rng.cube().as_vec3(), rng.cube().as_vec3())
    };
    let queries = (0..questions(n) as u64).map(one).collect();
    let run: OneRun<Segment, Aabb, AabbBatch> = |way, segment, structs, batch, out| match way {
        Way::Aos => segment_aabb::baseline::common_aos(segment, structs, &mut out.ids),
        Way::Soa => segment_aabb::baseline::common_soa(segment, batch, &mut out.bytes),
        Way::Level(_, at) => segment_aabb::one_many(segment, batch, &mut out.mask, at),
    };
    one_to_boxes(n, seed, 0.2, queries, run, ids_or_mask)
}

fn plane_boxes(n: usize, seed: u64) -> Box<dyn Case> {
    const SIDE: PlaneSide = PlaneSide::Straddling;
    let one = |i| {
        let mut rng = Rng::new(other(seed), i);
        let normal = rng.direction().as_vec3();
        Plane {
            normal,
            offset: -normal.dot(0.5 * rng.cube().as_vec3()),
        }
    };
    let queries = (0..questions(n) as u64).map(one).collect();
    let run: OneRun<Plane, Aabb, AabbBatch> = |way, plane, structs, batch, out| match way {
        Way::Aos => plane_aabb::baseline::straddling_aos(plane, structs, &mut out.ids),
        Way::Soa => plane_aabb::baseline::straddling_soa(plane, batch, &mut out.bytes),
        Way::Level(_, at) => plane_aabb::one_many(plane, SIDE, batch, &mut out.mask, at),
    };
    one_to_boxes(n, seed, 0.03, queries, run, ids_or_mask)
}

/// Narrow ones, from outside the boxes through them.
fn frusta(n: usize, seed: u64) -> Vec<Frustum> {
    // The tangent of half the opening is 1/20.
    let (along, across) = (0.05, 1.0);
    let one = |ray: &Ray| {
        let (apex, forward) = (ray.origin, ray.direction);
        let (right, up) = forward.any_orthonormal_pair();
        let plane = |normal: Vec3, through: Vec3| Plane {
            normal,
            offset: -normal.dot(through),
        };
        let side = |sideways: Vec3| plane(along * forward + across * sideways, apex);
        Frustum::new([
            plane(forward, apex + 0.5 * forward),
            plane(-forward, apex + 3.5 * forward),
            side(right),
            side(-right),
            side(up),
            side(-up),
        ])
    };
    rays(questions(n), other(seed)).iter().map(one).collect()
}

fn frustum_boxes(n: usize, seed: u64) -> Box<dyn Case> {
    let run: OneRun<Frustum, Aabb, AabbBatch> = |way, frustum, structs, batch, out| match way {
        Way::Aos => volume_aabb::baseline::one_many_aos(frustum, structs, &mut out.ids),
        Way::Soa => volume_aabb::baseline::frustum_soa(frustum, batch, &mut out.bytes),
        Way::Level(_, at) => volume_aabb::one_many(frustum, batch, &mut out.mask, at),
    };
    one_to_boxes(n, seed, 0.05, frusta(n, seed), run, ids_or_mask)
}
