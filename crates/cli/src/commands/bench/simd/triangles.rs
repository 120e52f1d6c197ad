//! Kernels about rays and triangles.

use glam::DVec3;
use jostle::geom::{Ray, Triangle};
use jostle::scenes::Rng;
use jostle::simd::batch::TriangleBatch;
use jostle::simd::fearless_simd::Level;
use jostle::simd::kernels::ray_triangle::{self, baseline};
use jostle::simd::{ShearedRay, Sides};

use super::case::{Case, Kernel, OneToMany, Out, QUERIES, Way};
use super::roof::Demand;

pub(super) const KERNELS: &[Kernel] = &[Kernel {
    name: "ray-triangle-closest",
    demand: Demand {
        bytes: 36.0,
        // Six products of the edge functions' signs.
        compares: 3.0,
        // Nine differences, six sheared coordinates, six products.
        arithmetic: 27.0,
    },
    element: 36,
    same_rule: false,
    case: ray_triangle,
}];

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
fn rays(n: usize, seed: u64) -> Vec<Ray> {
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
    let queries = rays(QUERIES, seed).into_iter().filter_map(|ray| {
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
