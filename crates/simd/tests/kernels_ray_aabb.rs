//! Rays against boxes: bits of the twin at every level, and nothing missed.

mod numbers;

use glam::Vec3;
use jostle_simd::batch::{AabbBatch, BitMask, RayBatch};
use jostle_simd::kernels::KernelError;
use jostle_simd::kernels::ray_aabb::{self, baseline};
use jostle_simd::{Aabb, Ray, RaySlabs, SimdLevel};
use numbers::Numbers;

fn twin(ray: &Ray, aabb: &Aabb, t_max: f32) -> Option<f32> {
    let slabs = RaySlabs::new(ray).ok()?;
    let is_box = (0..3).all(|axis| aabb.min[axis] <= aabb.max[axis]);
    is_box.then(|| slabs.enter(aabb, RaySlabs::limit(t_max)))?
}

/// Whether the ray meets the box up to a distance, as far as `f64` goes, with a margin against it.
fn surely_meets(ray: &Ray, aabb: &Aabb, t_max: f32) -> bool {
    if t_max.is_nan() {
        return false;
    }
    let (mut entry, mut exit) = (0.0_f64, f64::from(t_max));
    for axis in 0..3 {
        let (from, along) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let (lo, hi) = (f64::from(aabb.min[axis]), f64::from(aabb.max[axis]));
        if lo > hi || lo.is_nan() || hi.is_nan() {
            return false;
        }
        if along.abs() < f64::from(f32::MIN_POSITIVE) {
            if from < lo || from > hi {
                return false;
            }
        } else {
            let (a, b) = ((lo - from) / along, (hi - from) / along);
            entry = entry.max(a.min(b));
            exit = exit.min(a.max(b));
        }
    }
    entry * (1.0 + 1e-15) <= exit
}

fn listed(found: &[Option<f32>]) -> Vec<u32> {
    (0..)
        .zip(found)
        .filter(|x| x.1.is_some())
        .map(|x| x.0)
        .collect()
}

#[test]
fn every_level_has_the_bits_of_the_twin_and_misses_nothing() {
    let mut numbers = Numbers::new(1);
    let (mut mask, mut ids, mut entries) = (BitMask::new(), vec![7], vec![0.5]);
    let mut seen = [0; 3];
    for round in 0..2400 {
        let (kind, len) = (round % 8, round / 8 % 41);
        let boxes: Vec<_> = (0..len).map(|_| numbers.aabb(kind)).collect();
        let rays: Vec<_> = (0..len).map(|_| numbers.ray(kind)).collect();
        let (ray, aabb) = (numbers.ray(kind), numbers.aabb(kind));
        let batch = AabbBatch::from_slice(&boxes);
        let ray_batch = RayBatch::from_slice(&rays);
        let t_max = [f32::INFINITY, 1.0, 0.0, f32::NAN][numbers.below(4)];
        let one: Vec<_> = boxes.iter().map(|b| twin(&ray, b, t_max)).collect();
        let many: Vec<_> = rays.iter().map(|r| twin(r, &aabb, t_max)).collect();
        let pairs: Vec<_> = rays
            .iter()
            .zip(&boxes)
            .map(|(r, b)| twin(r, b, t_max))
            .collect();
        for (i, found) in pairs.iter().enumerate() {
            let refused = rays[i].check().is_err();
            if !refused && surely_meets(&rays[i], &boxes[i], t_max) {
                assert!(found.is_some(), "{:?} {:?}", rays[i], boxes[i]);
                seen[0] += 1;
            }
        }
        seen[1] += listed(&one).len();
        seen[2] += listed(&many).len();
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            if let Ok(slabs) = RaySlabs::new(&ray) {
                ray_aabb::one_many(&slabs, &batch, t_max, &mut mask, token);
                assert_eq!(
                    mask,
                    one.iter().map(Option::is_some).collect(),
                    "{level} {ray:?}"
                );
                ray_aabb::one_many_ids(&slabs, &batch, t_max, &mut ids, token);
                assert_eq!(ids, listed(&one), "{level}");
                ray_aabb::one_many_entries(&slabs, &batch, t_max, &mut entries, token);
                let expected = one.iter().map(|x| x.map(f32::to_bits));
                let entries = entries.iter().map(|x| (!x.is_nan()).then(|| x.to_bits()));
                assert!(entries.eq(expected), "{level} {ray:?}");
                baseline::one_many_aos(&slabs, &boxes, t_max, &mut ids);
                assert_eq!(ids, listed(&one));
            }
            ray_aabb::many_one(&ray_batch, &aabb, t_max, &mut mask, token);
            assert_eq!(
                mask,
                many.iter().map(Option::is_some).collect(),
                "{level} {aabb:?} {rays:?}"
            );
            ray_aabb::many_one_ids(&ray_batch, &aabb, t_max, &mut ids, token);
            assert_eq!(ids, listed(&many), "{level}");
            ray_aabb::pairwise(&ray_batch, &batch, t_max, &mut mask, token).unwrap();
            assert_eq!(mask, pairs.iter().map(Option::is_some).collect(), "{level}");
            ray_aabb::pairwise_ids(&ray_batch, &batch, t_max, &mut ids, token).unwrap();
            assert_eq!(ids, listed(&pairs), "{level}");
        }
    }
    assert!(seen.iter().all(|&n| n > 1000), "{seen:?}");
}

#[test]
fn rays_along_an_axis_meet_what_they_touch() {
    let unit = Aabb::new(Vec3::ZERO, Vec3::ONE);
    let cases = [
        ([1.0, -1.0, 0.5], [0.0, 1.0, -0.0], true),
        ([1.0, -1.0, 1.0], [-0.0, 1.0, 0.0], true),
        ([1.0_f32.next_up(), -1.0, 0.5], [0.0, 1.0, 0.0], false),
        ([0.5, 2.0, 0.5], [0.0, 1.0, 0.0], false),
        ([0.5, 1.0, 0.5], [0.0, 1.0, 0.0], true),
        ([-1.0, 0.0, 0.0], [1e3, 0.0, 1e-40], true),
    ];
    let rays: RayBatch = cases
        .iter()
        .map(|(o, d, _)| Ray::new((*o).into(), (*d).into()))
        .collect();
    let mut mask = BitMask::new();
    for level in SimdLevel::available() {
        ray_aabb::many_one(
            &rays,
            &unit,
            f32::INFINITY,
            &mut mask,
            level.token().unwrap(),
        );
        assert_eq!(mask, cases.iter().map(|case| case.2).collect(), "{level}");
    }
}

#[test]
fn batches_of_different_lengths_are_not_paired() {
    let boxes = AabbBatch::from_slice(&[Aabb::new(Vec3::ZERO, Vec3::ONE)]);
    let level = SimdLevel::Scalar.token().unwrap();
    assert_eq!(
        ray_aabb::pairwise(&RayBatch::new(), &boxes, 1.0, &mut BitMask::new(), level),
        Err(KernelError::Lengths { left: 0, right: 1 })
    );
}
