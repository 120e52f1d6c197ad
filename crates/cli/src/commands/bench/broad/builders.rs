//! What each builder costs, and what its trees are worth: rays and boxes asked of the same triangles.

use std::ops::ControlFlow;
use std::time::Instant;

use glam::Vec3;
use jostle::broad::bvh::{Builder, Bvh, Precision, RayOptions, TriangleTree};
use jostle::geom::{Aabb, Ray, Triangle};
use jostle::scenes::{BoxScene, Rng, Terrain};

use super::Bench;
use crate::commands::bench::{on_threads, short_count, thread_counts};
use crate::error::CliError;
use crate::report::{Figures, Row};

/// Rays, and boxes, asked of each tree.
const QUERIES: usize = 20_000;

impl Bench<'_> {
    /// Builds trees over terrain by every builder, and asks each the same questions.
    pub(super) fn builders(&mut self, triangles: usize, repeats: usize) -> Result<(), CliError> {
        let scene = Terrain {
            static_triangles: triangles,
            dynamic: 0,
            seed: self.config.seed,
        }
        .build()?;
        let work = format!("build-{}", short_count(triangles));
        let level = self.config.common.simd.token()?;
        for threads in thread_counts(&self.config.common) {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?;
            let mut times = [const { Vec::new() }; Builder::ALL.len()];
            let mut costs = [(0.0, 0, 0); Builder::ALL.len()];
            for _ in 0..repeats {
                for (at, builder) in Builder::ALL.into_iter().enumerate() {
                    self.progress.message(format!("{work}, {builder}"));
                    let clock = Instant::now();
                    let tree = pool.install(|| Bvh::build(&scene.fixed, builder, level));
                    times[at].push(clock.elapsed().as_secs_f64() * 1e3);
                    let tree = tree.map_err(|error| CliError::Tree(error.to_string()))?;
                    costs[at] = (tree.sah_cost(), tree.depth(), tree.memory_bytes());
                }
            }
            for (at, builder) in Builder::ALL.into_iter().enumerate() {
                times[at].sort_unstable_by(f64::total_cmp);
                let (cost, depth, bytes) = costs[at];
                let mut figures = Figures::default()
                    .with("triangles", triangles)
                    .with("sah_cost", cost)
                    .with("depth", depth)
                    .with("memory_bytes", bytes);
                if threads == 1 {
                    let [ray, overlap] = self.ask(&scene, builder)?;
                    figures.add("closest_hit_ns", ray);
                    figures.add("overlap_ns", overlap);
                }
                self.rows.push(Row {
                    work: work.clone(),
                    method: format!("{builder}, {}", on_threads(threads)),
                    ms: times[at][repeats / 2],
                    figures,
                });
            }
        }
        self.progress.next_part();
        Ok(())
    }

    /// Nanoseconds a ray and a box on the tree of triangles that a builder's tree becomes.
    fn ask(&self, scene: &BoxScene, builder: Builder) -> Result<[f64; 2], CliError> {
        let level = self.config.common.simd.token()?;
        let triangles: Vec<_> = scene
            .triangles
            .iter()
            .map(|&[a, b, c]| Triangle { a, b, c })
            .collect();
        let wrong = |error: &dyn std::fmt::Display| CliError::Tree(error.to_string());
        let tree = TriangleTree::build(&triangles, builder, level).map_err(|e| wrong(&e))?;
        let bounds = tree.bounds();
        let mut rng = Rng::new(self.config.seed, 1);
        let mut place = || {
            let share = rng.cube().as_vec3();
            (
                bounds.min + share * (bounds.max - bounds.min),
                rng.direction().as_vec3(),
            )
        };
        let (mut rays, mut boxes) = (Vec::new(), Vec::new());
        for _ in 0..QUERIES {
            let (origin, direction) = place();
            rays.push(Ray::new(origin, direction));
            let (min, _) = place();
            boxes.push(Aabb::new(min, min + Vec3::ONE));
        }

        let mut hits = 0_u64;
        let clock = Instant::now();
        for ray in &rays {
            let (hit, _) = tree
                .closest_hit(ray, RayOptions::default(), level)
                .map_err(|e| wrong(&e))?;
            hits += u64::from(hit.is_some());
        }
        let ray = clock.elapsed().as_secs_f64() * 1e9 / QUERIES as f64;
        let clock = Instant::now();
        for query in &boxes {
            let count = |_| {
                hits += 1;
                ControlFlow::Continue(())
            };
            tree.overlaps(query, Precision::Bounds, level, count)
                .map_err(|e| wrong(&e))?;
        }
        let overlap = clock.elapsed().as_secs_f64() * 1e9 / QUERIES as f64;
        std::hint::black_box(hits);
        Ok([ray, overlap])
    }
}
