//! Kernels about rays and triangles.

use glam::DVec3;
use jostle::geom::{Ray, Triangle};
use jostle::scenes::Rng;
use jostle::simd::batch::{RayBatch, TriangleBatch};
use jostle::simd::fearless_simd::Level;
use jostle::simd::kernels::ray_triangle::{self, baseline};
use jostle::simd::kernels::triangle_triangle;
use jostle::simd::{ShearedRay, Sides};

use super::boxes::{ids_or_mask, other};
use super::case::{Case, Kernel, OneToMany, Out, Pairwise, Way, questions};
use super::roof::Demand;

/// To find on which side of a ray the three edges of a triangle are: nine differences, six sheared
/// coordinates of two operations, six products.
const RAY: Demand = Demand {
    bytes: 36.0,
    again: 0.0,
    compares: 3.0,
    arithmetic: 27.0,
};

/// To find on which side of a plane three corners are.
const PLANE: Demand = Demand {
    bytes: 36.0,
    again: 0.0,
    compares: 3.0,
    arithmetic: 24.0,
};

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "ray-triangle-closest",
        columns: true,
        demand: RAY,
        element: 36,
        same_rule: false,
        case: ray_triangle,
    },
    Kernel {
        name: "triangle-rays",
        columns: false,
        // Origins and two rows of a matrix for each ray, which takes three products a row.
        demand: Demand {
            arithmetic: 45.0,
            ..RAY
        },
        element: 36,
        same_rule: false,
        case: triangle_rays,
    },
    Kernel {
        name: "ray-triangle-pairwise",
        columns: false,
        demand: Demand {
            bytes: 72.0,
            arithmetic: 45.0,
            ..RAY
        },
        element: 72,
        same_rule: false,
        case: ray_triangle_pairwise,
    },
    Kernel {
        name: "triangle-triangle",
        columns: false,
        demand: PLANE,
        element: 36,
        same_rule: true,
        case: triangle_triangle,
    },
    Kernel {
        name: "triangle-triangle-pairwise",
        columns: false,
        demand: Demand {
            bytes: 72.0,
            ..PLANE
        },
        element: 72,
        same_rule: true,
        case: triangle_triangle_pairwise,
    },
];

/// Triangles of half a metre within two metres, in any direction.
fn triangles(n: usize, seed: u64) -> Vec<Triangle> {
    let one = |i| {
        let mut rng = Rng::new(seed, i);
        let centre = rng.cube();
        let mut vertex = || (centre + 0.5 * rng.cube()).as_vec3();
        Triangle::new(vertex(), vertex(), vertex())
    };
    (0..n as u64).map(one).collect()
}

/// Rays from a sphere around the triangles to a point among them.
pub(super) fn rays(n: usize, seed: u64) -> Vec<Ray> {
    let one = |i| {
        let mut rng = Rng::new(seed ^ 0x5EED, i);
        let from: DVec3 = 3.0 * rng.direction();
        Ray::new(
            from.as_vec3(),
            (0.7 * rng.cube() - from).normalize().as_vec3(),
        )
    };
    (0..n as u64).map(one).collect()
}

fn ray_triangle(n: usize, seed: u64) -> Box<dyn Case> {
    let structs = triangles(n, seed);
    let queries = rays(questions(n), seed).into_iter().filter_map(|ray| {
        let sheared = ShearedRay::new(&ray).ok()?;
        Some((ray, sheared))
    });
    Box::new(OneToMany {
        queries: queries.collect(),
        at: 0,
        batch: TriangleBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, (ray, sheared), structs, batch, out| {
            let limit = f32::INFINITY;
            let closest = match way {
                Way::Aos => baseline::moller_trumbore_aos(ray, structs, limit),
                Way::Soa => {
                    let column = |v, axis| batch.column(v, axis);
                    let vertex = |v| [column(v, 0), column(v, 1), column(v, 2)];
                    let vertices = [vertex(0), vertex(1), vertex(2)];
                    baseline::moller_trumbore_soa(ray, &vertices, &mut out.reals);
                    return;
                }
                Way::Level(_, level) => {
                    let closest = ray_triangle::closest(sheared, batch, Sides::Both, limit, level);
                    closest.map(|hit| (hit.id, hit.hit.t))
                }
            };
            out.ids.clear();
            if let Some((id, t)) = closest {
                out.ids.extend([id, t.to_bits()]);
            }
        },
        answer: |way, out| match way {
            Way::Soa => {
                let nearest = (0..).zip(&out.reals).min_by(|a, b| a.1.total_cmp(b.1));
                let hit = nearest.filter(|(_, t)| **t < f32::INFINITY);
                hit.map_or(Vec::new(), |(id, t)| vec![id, t.to_bits()])
            }
            _ => out.ids.clone(),
        },
        hits: Some(|(_, sheared), batch| {
            let mut ids = Vec::new();
            let (limit, level) = (f32::INFINITY, Level::fallback());
            ray_triangle::one_many_ids(sheared, batch, Sides::Both, limit, &mut ids, level);
            ids.len()
        }),
    })
}

fn triangle_rays(n: usize, seed: u64) -> Box<dyn Case> {
    let structs = rays(n, seed);
    Box::new(OneToMany {
        queries: triangles(questions(n), other(seed)),
        at: 0,
        batch: RayBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, triangle, structs, batch, out| match way {
            Way::Level(_, at) => {
                let limit = f32::INFINITY;
                let (mask, both) = (&mut out.mask, Sides::Both);
                ray_triangle::many_one(batch, triangle, both, limit, mask, at);
            }
            _ => baseline::rays_moller_trumbore_aos(structs, triangle, &mut out.ids),
        },
        answer: ids_or_mask,
        hits: None,
    })
}

fn ray_triangle_pairwise(n: usize, seed: u64) -> Box<dyn Case> {
    let (left, right) = (rays(n, seed), triangles(n, other(seed)));
    Box::new(Pairwise {
        left_batch: RayBatch::from_slice(&left),
        right_batch: TriangleBatch::from_slice(&right),
        left,
        right,
        set: |batch, i, item| batch.set(i, *item),
        out: Out::new(n),
        run: |way, (a, b), (left, right), out| {
            match way {
                Way::Level(_, at) => {
                    let limit = f32::INFINITY;
                    let (mask, both) = (&mut out.mask, Sides::Both);
                    ray_triangle::pairwise(left, right, both, limit, mask, at)?;
                }
                _ => baseline::pairs_moller_trumbore_aos(a, b, &mut out.ids),
            }
            Ok(())
        },
        answer: ids_or_mask,
    })
}

fn triangle_triangle(n: usize, seed: u64) -> Box<dyn Case> {
    let structs = triangles(n, seed);
    Box::new(OneToMany {
        queries: triangles(questions(n), other(seed)),
        at: 0,
        batch: TriangleBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, one, structs, batch, out| match way {
            Way::Level(_, at) => triangle_triangle::one_many(one, batch, &mut out.mask, at),
            _ => triangle_triangle::baseline::one_many_aos(one, structs, &mut out.ids),
        },
        answer: ids_or_mask,
        hits: None,
    })
}

fn triangle_triangle_pairwise(n: usize, seed: u64) -> Box<dyn Case> {
    let (left, right) = (triangles(n, seed), triangles(n, other(seed)));
    Box::new(Pairwise {
        left_batch: TriangleBatch::from_slice(&left),
        right_batch: TriangleBatch::from_slice(&right),
        left,
        right,
        set: |batch, i, item| batch.set(i, *item),
        out: Out::new(n),
        run: |way, (a, b), (left, right), out| {
            match way {
                Way::Level(_, at) => {
                    triangle_triangle::pairwise(left, right, &mut out.mask, at)?;
                }
                _ => triangle_triangle::baseline::pairwise_aos(a, b, &mut out.ids),
            }
            Ok(())
        },
        answer: ids_or_mask,
    })
}
