//! Kernels about boxes, balls and points.

use glam::Vec3;
use jostle::geom::Aabb;
use jostle::scenes::Rng;

use jostle::simd::batch::{AabbBatch, Ball, IdLists, MaskMatrix, PointBatch, SphereBatch};
use jostle::simd::kernels::{KernelError, aabb_aabb, point_aabb, sphere_aabb, sphere_sphere};

use super::case::{Case, Kernel, OneToMany, Out, Pairwise, Way, questions};
use super::roof::Demand;

/// Nothing but comparisons.
const fn compares(bytes: f64, compares: f64) -> Demand {
    Demand {
        bytes,
        again: 0.0,
        compares,
        arithmetic: 0.0,
    }
}

/// Boxes of the shorter side of many against many.
const SHORT: usize = 32;

/// All boxes of the shorter side meet a part of the other that stays in the first-level cache.
const MANY: Demand = Demand {
    bytes: 24.0 / SHORT as f64,
    again: 24.0,
    compares: 6.0,
    arithmetic: 0.0,
};

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "aabb-one-many",
        columns: true,
        demand: compares(24.0, 6.0),
        element: 24,
        same_rule: true,
        case: |n, seed| aabb_one_many(n, seed, false),
    },
    Kernel {
        name: "aabb-one-many-ids",
        columns: true,
        demand: compares(24.0, 6.0),
        element: 24,
        same_rule: true,
        case: |n, seed| aabb_one_many(n, seed, true),
    },
    Kernel {
        name: "aabb-pairwise",
        columns: true,
        demand: compares(48.0, 6.0),
        element: 48,
        same_rule: true,
        case: aabb_pairwise,
    },
    Kernel {
        name: "aabb-many-many",
        columns: false,
        demand: MANY,
        element: 24,
        same_rule: true,
        case: |n, seed| Box::new(ManyMany::new(n, seed, false)),
    },
    Kernel {
        name: "aabb-many-many-ids",
        columns: false,
        demand: MANY,
        element: 24,
        same_rule: true,
        case: |n, seed| Box::new(ManyMany::new(n, seed, true)),
    },
    Kernel {
        name: "sphere-sphere-one-many",
        columns: true,
        demand: Demand {
            again: 0.0,
            bytes: 16.0,
            compares: 1.0,
            // Three differences, three squares, three sums, the square of the sum of the radii.
            arithmetic: 10.0,
        },
        element: 16,
        same_rule: false,
        case: |n, seed| sphere_one_many(n, seed, false),
    },
    Kernel {
        name: "sphere-sphere-one-many-ids",
        columns: true,
        demand: Demand {
            again: 0.0,
            bytes: 16.0,
            compares: 1.0,
            arithmetic: 10.0,
        },
        element: 16,
        same_rule: false,
        case: |n, seed| sphere_one_many(n, seed, true),
    },
    Kernel {
        name: "sphere-sphere-pairwise",
        columns: true,
        demand: Demand {
            again: 0.0,
            bytes: 32.0,
            compares: 1.0,
            arithmetic: 10.0,
        },
        element: 32,
        same_rule: false,
        case: sphere_pairwise,
    },
    Kernel {
        name: "sphere-aabb",
        columns: true,
        demand: Demand {
            again: 0.0,
            bytes: 24.0,
            // Clamps to both bounds of three axes, then the distance.
            compares: 7.0,
            arithmetic: 8.0,
        },
        element: 24,
        same_rule: false,
        case: sphere_boxes,
    },
    Kernel {
        name: "aabb-sphere",
        columns: true,
        demand: Demand {
            again: 0.0,
            bytes: 16.0,
            compares: 7.0,
            arithmetic: 9.0,
        },
        element: 16,
        same_rule: false,
        case: box_spheres,
    },
    Kernel {
        name: "aabb-point",
        columns: true,
        demand: compares(12.0, 6.0),
        element: 12,
        same_rule: true,
        case: box_points,
    },
    Kernel {
        name: "point-aabb",
        columns: true,
        demand: compares(24.0, 6.0),
        element: 24,
        same_rule: true,
        case: point_boxes,
    },
];

/// Points of the cube [−1, 1)³ from one stream each.
fn places(n: usize, seed: u64) -> impl Iterator<Item = (Vec3, Rng)> {
    (0..n as u64).map(move |i| {
        let mut rng = Rng::new(seed, i);
        (rng.cube().as_vec3(), rng)
    })
}

/// Boxes in the cube whose half sizes are up to `size`, each its own.
pub(super) fn boxes(n: usize, seed: u64, size: f64) -> Vec<Aabb> {
    let one = |(centre, mut rng): (Vec3, Rng)| {
        let mut half = || rng.range(0.5 * size, size) as f32;
        let half = Vec3::new(half(), half(), half());
        Aabb::new(centre - half, centre + half)
    };
    places(n, seed).map(one).collect()
}

fn balls(n: usize, seed: u64, size: f64) -> Vec<Ball> {
    let one = |(centre, mut rng): (Vec3, Rng)| Ball {
        centre,
        radius: rng.range(0.5 * size, size) as f32,
    };
    places(n, seed).map(one).collect()
}

/// For the other side of a test.
pub(super) const fn other(seed: u64) -> u64 {
    seed ^ 0x5EED
}

pub(super) fn ids_or_mask(way: Way, out: &Out) -> Vec<u32> {
    match way {
        Way::Aos => out.ids.clone(),
        Way::Soa => out.flagged(),
        Way::Level(..) => out.masked(),
    }
}

pub(super) fn ids(way: Way, out: &Out) -> Vec<u32> {
    match way {
        Way::Soa => out.flagged(),
        _ => out.ids.clone(),
    }
}

fn flags_or_mask(way: Way, out: &Out) -> Vec<u32> {
    match way {
        Way::Level(..) => out.masked(),
        _ => out.flagged(),
    }
}

fn aabb_one_many(n: usize, seed: u64, to_ids: bool) -> Box<dyn Case> {
    let structs = boxes(n, seed, 0.2);
    Box::new(OneToMany {
        queries: boxes(questions(n), other(seed), 0.25),
        at: 0,
        batch: AabbBatch::from_slice(&structs),
        structs,
        out: Out {
            to_ids,
            ..Out::new(n)
        },
        run: |way, one, structs, batch, out| match way {
            Way::Aos => aabb_aabb::baseline::one_many_aos(one, structs, &mut out.ids),
            Way::Soa => aabb_aabb::baseline::one_many_soa(one, batch, &mut out.bytes),
            Way::Level(_, at) if out.to_ids => {
                aabb_aabb::one_many_ids(one, batch, &mut out.ids, at);
            }
            Way::Level(_, at) => aabb_aabb::one_many(one, batch, &mut out.mask, at),
        },
        answer: if to_ids { ids } else { ids_or_mask },
        hits: None,
    })
}

fn aabb_pairwise(n: usize, seed: u64) -> Box<dyn Case> {
    let (left, right) = (boxes(n, seed, 0.25), boxes(n, other(seed), 0.2));
    Box::new(Pairwise {
        left_batch: AabbBatch::from_slice(&left),
        right_batch: AabbBatch::from_slice(&right),
        left,
        right,
        set: |batch, i, item| batch.set(i, *item),
        out: Out::new(n),
        run: |way, (a, b), (left, right), out| {
            match way {
                Way::Aos => aabb_aabb::baseline::pairwise_aos(a, b, &mut out.bytes),
                Way::Soa => aabb_aabb::baseline::pairwise_soa(left, right, &mut out.bytes),
                Way::Level(_, at) => aabb_aabb::pairwise(left, right, &mut out.mask, at)?,
            }
            Ok(())
        },
        answer: flags_or_mask,
    })
}

/// A few boxes against many.
struct ManyMany {
    /// The shorter sides of all questions.
    pool: Vec<Aabb>,
    /// Where in it the present one begins.
    at: usize,
    left: Vec<Aabb>,
    right: Vec<Aabb>,
    left_batch: AabbBatch,
    right_batch: AabbBatch,
    to_ids: bool,
    /// By struct of the left side.
    lists: Vec<Vec<u32>>,
    masks: MaskMatrix,
    ids: IdLists,
}

impl ManyMany {
    fn new(n: usize, seed: u64, to_ids: bool) -> Self {
        let pool = boxes(questions(SHORT * n) * SHORT, other(seed), 0.25);
        let (left, right) = (pool[..SHORT].to_vec(), boxes(n, seed, 0.2));
        Self {
            pool,
            at: 0,
            left_batch: AabbBatch::from_slice(&left),
            right_batch: AabbBatch::from_slice(&right),
            left,
            right,
            to_ids,
            lists: vec![Vec::new(); SHORT],
            masks: MaskMatrix::default(),
            ids: IdLists::default(),
        }
    }
}

impl Case for ManyMany {
    fn tests(&self) -> usize {
        self.left.len() * self.right.len()
    }

    fn next(&mut self) {
        self.at = (self.at + SHORT) % self.pool.len();
        let next = self.pool[self.at..].iter().take(SHORT);
        for (i, (left, next)) in self.left.iter_mut().zip(next).enumerate() {
            *left = *next;
            self.left_batch.set(i, *next);
        }
    }

    fn run(&mut self, way: Way) -> Result<(), KernelError> {
        let (left, right) = (&self.left_batch, &self.right_batch);
        match way {
            Way::Level(_, level) if self.to_ids => {
                aabb_aabb::many_many_ids(left, right, &mut self.ids, level);
            }
            Way::Level(_, level) => aabb_aabb::many_many(left, right, &mut self.masks, level),
            Way::Aos | Way::Soa => {
                for (one, list) in self.left.iter().zip(&mut self.lists) {
                    aabb_aabb::baseline::one_many_aos(one, &self.right, list);
                }
            }
        }
        Ok(())
    }

    fn answer(&self, way: Way) -> Vec<u32> {
        match way {
            Way::Level(..) if self.to_ids => self.ids.ids().to_vec(),
            Way::Level(..) => {
                let cells = (0..SHORT).flat_map(|row| (0..self.right.len()).map(move |i| (row, i)));
                let hits = cells.filter(|&(row, i)| self.masks.get(row, i));
                hits.map(|(_, i)| i as u32).collect()
            }
            Way::Aos | Way::Soa => self.lists.concat(),
        }
    }
}

fn sphere_one_many(n: usize, seed: u64, to_ids: bool) -> Box<dyn Case> {
    let structs = balls(n, seed, 0.28);
    Box::new(OneToMany {
        queries: balls(questions(n), other(seed), 0.35),
        at: 0,
        batch: SphereBatch::from_slice(&structs),
        structs,
        out: Out {
            to_ids,
            ..Out::new(n)
        },
        run: |way, one, structs, batch, out| match way {
            Way::Aos => sphere_sphere::baseline::one_many_aos(one, structs, &mut out.ids),
            Way::Soa => sphere_sphere::baseline::one_many_soa(one, batch, &mut out.bytes),
            Way::Level(_, at) if out.to_ids => {
                sphere_sphere::one_many_ids(one, batch, &mut out.ids, at);
            }
            Way::Level(_, at) => sphere_sphere::one_many(one, batch, &mut out.mask, at),
        },
        answer: if to_ids { ids } else { ids_or_mask },
        hits: None,
    })
}

fn sphere_pairwise(n: usize, seed: u64) -> Box<dyn Case> {
    let (left, right) = (balls(n, seed, 0.35), balls(n, other(seed), 0.28));
    Box::new(Pairwise {
        left_batch: SphereBatch::from_slice(&left),
        right_batch: SphereBatch::from_slice(&right),
        left,
        right,
        set: |batch, i, item| batch.set(i, *item),
        out: Out::new(n),
        run: |way, (a, b), (left, right), out| {
            match way {
                Way::Aos => sphere_sphere::baseline::pairwise_aos(a, b, &mut out.bytes),
                Way::Soa => sphere_sphere::baseline::pairwise_soa(left, right, &mut out.bytes),
                Way::Level(_, at) => sphere_sphere::pairwise(left, right, &mut out.mask, at)?,
            }
            Ok(())
        },
        answer: flags_or_mask,
    })
}

fn sphere_boxes(n: usize, seed: u64) -> Box<dyn Case> {
    let structs = boxes(n, seed, 0.2);
    Box::new(OneToMany {
        queries: balls(questions(n), other(seed), 0.3),
        at: 0,
        batch: AabbBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, one, structs, batch, out| match way {
            Way::Aos => sphere_aabb::baseline::sphere_boxes_aos(one, structs, &mut out.ids),
            Way::Soa => sphere_aabb::baseline::sphere_boxes_soa(one, batch, &mut out.bytes),
            Way::Level(_, at) => sphere_aabb::sphere_boxes(one, batch, &mut out.mask, at),
        },
        answer: ids_or_mask,
        hits: None,
    })
}

fn box_spheres(n: usize, seed: u64) -> Box<dyn Case> {
    let structs = balls(n, seed, 0.2);
    Box::new(OneToMany {
        queries: boxes(questions(n), other(seed), 0.3),
        at: 0,
        batch: SphereBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, one, structs, batch, out| match way {
            Way::Aos => sphere_aabb::baseline::box_spheres_aos(one, structs, &mut out.ids),
            Way::Soa => sphere_aabb::baseline::box_spheres_soa(one, batch, &mut out.bytes),
            Way::Level(_, at) => sphere_aabb::box_spheres(one, batch, &mut out.mask, at),
        },
        answer: ids_or_mask,
        hits: None,
    })
}

fn box_points(n: usize, seed: u64) -> Box<dyn Case> {
    let structs: Vec<Vec3> = places(n, seed).map(|(place, _)| place).collect();
    Box::new(OneToMany {
        queries: boxes(questions(n), other(seed), 0.45),
        at: 0,
        batch: PointBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, one, structs, batch, out| match way {
            Way::Aos => point_aabb::baseline::box_points_aos(one, structs, &mut out.ids),
            Way::Soa => point_aabb::baseline::box_points_soa(one, batch, &mut out.bytes),
            Way::Level(_, at) => point_aabb::box_points(one, batch, &mut out.mask, at),
        },
        answer: ids_or_mask,
        hits: None,
    })
}

fn point_boxes(n: usize, seed: u64) -> Box<dyn Case> {
    let structs = boxes(n, seed, 0.45);
    let queries = places(questions(n), other(seed)).map(|(place, _)| place);
    Box::new(OneToMany {
        queries: queries.collect(),
        at: 0,
        batch: AabbBatch::from_slice(&structs),
        structs,
        out: Out::new(n),
        run: |way, one, structs, batch, out| match way {
            Way::Aos => point_aabb::baseline::point_boxes_aos(*one, structs, &mut out.ids),
            Way::Soa => point_aabb::baseline::point_boxes_soa(*one, batch, &mut out.bytes),
            Way::Level(_, at) => point_aabb::point_boxes(*one, batch, &mut out.mask, at),
        },
        answer: ids_or_mask,
        hits: None,
    })
}
