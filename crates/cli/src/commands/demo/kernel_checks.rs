//! Checks of the batch kernels.

use std::time::Instant;

use glam::Vec3;
use jostle::geom::Aabb;
use jostle::scenes::Rng;
use jostle::simd::batch::{AabbBatch, Ball, PointBatch, SphereBatch, TriangleBatch};
use jostle::simd::fearless_simd::Level;
use jostle::simd::kernels::{
    aabb_aabb, point_aabb, ray_triangle, sphere_sphere, triangle_triangle,
};
use jostle::simd::{Ray, ShearedRay, Sides, SimdLevel, Triangle};

use super::Scenes;
use crate::args::DemoConfig;
use crate::error::CliError;
use crate::report::{Capability, Figures};

/// Elements of a batch: they stay in the second cache.
const ELEMENTS: usize = 10_000;
/// Elements that are each tested against a whole batch.
const ONES: usize = 20;

/// Writes the ids of what element `i` meets.
type Single<'a> = Box<dyn Fn(usize, &mut Vec<u32>) + 'a>;
/// The same at a level.
type Batch<'a> = Box<dyn Fn(usize, &mut Vec<u32>, Level) + 'a>;

/// A test of one element against many: a name, the loop over single elements, and the kernel.
struct Kernel<'a> {
    name: &'static str,
    single: Single<'a>,
    batch: Batch<'a>,
}

/// Random elements of each kind, of a size to have some hits.
struct Elements {
    boxes: Vec<Aabb>,
    balls: Vec<Ball>,
    points: Vec<Vec3>,
    triangles: Vec<Triangle>,
    rays: Vec<ShearedRay>,
}

impl Elements {
    fn new(seed: u64) -> Result<Self, CliError> {
        let mut rng = Rng::new(seed, 0x4B45_524E);
        let mut place = || (rng.cube() * 5.0).as_vec3();
        let points: Vec<_> = (0..ELEMENTS).map(|_| place()).collect();
        let mut triangle = |p: &Vec3| Triangle::new(*p, *p + place() * 0.2, *p + place() * 0.2);
        let triangles = points.iter().map(&mut triangle).collect();
        let mut rays = Vec::with_capacity(ONES);
        for _ in 0..ONES {
            let ray = Ray::new(place(), place());
            let failed = |error| CliError::Tree(format!("a ray: {error}"));
            rays.push(ShearedRay::new(&ray).map_err(failed)?);
        }
        Ok(Self {
            boxes: points
                .iter()
                .map(|&p| Aabb::new(p - 0.4, p + 0.4))
                .collect(),
            balls: points.iter().map(|&p| Ball::new(p, 0.5)).collect(),
            points,
            triangles,
            rays,
        })
    }
}

/// Every kernel at every level finds what the loop over single elements finds.
pub(super) fn kernels_agree(_: &Scenes, config: &DemoConfig) -> Result<Capability, CliError> {
    let all = Elements::new(config.seed)?;
    let boxes = AabbBatch::from_slice(&all.boxes);
    let balls = SphereBatch::from_slice(&all.balls);
    let points = PointBatch::from_slice(&all.points);
    let triangles = TriangleBatch::from_slice(&all.triangles);
    let kernels = [
        Kernel {
            name: "box_box",
            single: Box::new(|i, out| which(&all.boxes, out, |b| all.boxes[i].overlaps(b))),
            batch: Box::new(|i, out, level| {
                aabb_aabb::one_many_ids(&all.boxes[i], &boxes, out, level);
            }),
        },
        Kernel {
            name: "ball_ball",
            single: Box::new(|i, out| {
                which(&all.balls, out, |b| all.balls[i].overlaps(b));
            }),
            batch: Box::new(|i, out, level| {
                sphere_sphere::one_many_ids(&all.balls[i], &balls, out, level);
            }),
        },
        Kernel {
            name: "point_box",
            single: Box::new(|i, out| {
                which(&all.points, out, |&p| {
                    point_aabb::contains(&all.boxes[i], p)
                });
            }),
            batch: Box::new(|i, out, level| {
                point_aabb::box_points_ids(&all.boxes[i], &points, out, level);
            }),
        },
        Kernel {
            name: "ray_triangle",
            single: Box::new(|i, out| {
                which(&all.triangles, out, |t| {
                    all.rays[i].hit(t, Sides::Both).is_some()
                });
            }),
            batch: Box::new(|i, out, level| {
                let (ray, far) = (&all.rays[i], f32::INFINITY);
                ray_triangle::one_many_ids(ray, &triangles, Sides::Both, far, out, level);
            }),
        },
        Kernel {
            name: "triangle_triangle",
            single: Box::new(|i, out| {
                let one = &all.triangles[i];
                which(&all.triangles, out, |t| triangle_triangle::meet(one, t));
            }),
            batch: Box::new(|i, out, level| {
                triangle_triangle::one_many_ids(&all.triangles[i], &triangles, out, level);
            }),
        },
    ];
    let mut figures = Figures::default();
    let mut ok = true;
    let asked = config.common.simd.token()?;
    for kernel in &kernels {
        let (expected, single_ns) = timed(&kernel.single);
        let hits: usize = expected.iter().map(Vec::len).sum();
        ok &= hits > 0;
        for level in SimdLevel::available() {
            let token = level.token()?;
            let (found, _) = timed(&|i: usize, out: &mut Vec<u32>| (kernel.batch)(i, out, token));
            ok &= found == expected;
        }
        let (_, ns) = timed(&|i: usize, out: &mut Vec<u32>| (kernel.batch)(i, out, asked));
        figures.add(format!("{}_hits", kernel.name), hits);
        figures.add(format!("{}_ns", kernel.name), ns);
        figures.add(format!("{}_times_loop", kernel.name), single_ns / ns);
    }
    let levels: Vec<_> = SimdLevel::available().iter().map(|l| l.name()).collect();
    Ok(Capability {
        name: "batch kernels find what loops over single elements find, at every SIMD level",
        ok,
        figures: figures.with("levels", levels.join(" ")),
    })
}

/// Indices of the elements that pass a test.
fn which<T>(many: &[T], out: &mut Vec<u32>, test: impl Fn(&T) -> bool) {
    out.clear();
    let passed = (0_u32..).zip(many).filter(|(_, item)| test(item));
    out.extend(passed.map(|(id, _)| id));
}

/// What each of some elements meets, and nanoseconds a test: the least of three passes.
fn timed(work: &dyn Fn(usize, &mut Vec<u32>)) -> (Vec<Vec<u32>>, f64) {
    let mut found = vec![Vec::new(); ONES];
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let clock = Instant::now();
        for (i, out) in found.iter_mut().enumerate() {
            work(i, out);
        }
        least = least.min(clock.elapsed().as_secs_f64());
    }
    (found, least * 1e9 / (ONES * ELEMENTS) as f64)
}
