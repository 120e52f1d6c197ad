//! Triangles against triangles: every level and the twin against exact arithmetic.

mod numbers;

use glam::Vec3;
use jostle_simd::batch::{BitMask, TriangleBatch};
use jostle_simd::exact::triangles_intersect;
use jostle_simd::kernels::KernelError;
use jostle_simd::kernels::triangle_triangle::{self, baseline};
use jostle_simd::{SimdLevel, Triangle};
use numbers::Numbers;

fn exact(a: &Triangle, b: &Triangle) -> bool {
    let [a, b] = [a, b].map(|t| [t.a, t.b, t.c].map(Vec3::as_dvec3));
    triangles_intersect(&a, &b)
}

/// Compares all forms of the kernel with exact arithmetic; returns how many pairs meet.
fn check(left: &[Triangle], right: &[Triangle]) -> usize {
    let batches = [left, right].map(TriangleBatch::from_slice);
    let pairs: Vec<bool> = left.iter().zip(right).map(|(a, b)| exact(a, b)).collect();
    let one = left.first().copied();
    let many: Vec<bool> = one.map_or(vec![], |one| right.iter().map(|b| exact(&one, b)).collect());
    let listed =
        |of: &[bool]| -> Vec<u32> { (0..).zip(of).filter(|x| *x.1).map(|x| x.0).collect() };
    let (mut mask, mut ids) = (BitMask::new(), vec![3]);
    for level in SimdLevel::available() {
        let token = level.token().unwrap();
        triangle_triangle::pairwise(&batches[0], &batches[1], &mut mask, token).unwrap();
        for (i, &right_answer) in pairs.iter().enumerate() {
            assert_eq!(
                mask.get(i),
                right_answer,
                "{level} {:?} {:?}",
                left[i],
                right[i]
            );
        }
        assert_eq!(mask.count_ones(), listed(&pairs).len());
        triangle_triangle::pairwise_ids(&batches[1], &batches[0], &mut ids, token).unwrap();
        assert_eq!(ids, listed(&pairs), "{level}");
        if let Some(one) = one {
            triangle_triangle::one_many(&one, &batches[1], &mut mask, token);
            assert_eq!(mask, many.iter().copied().collect(), "{level}");
            triangle_triangle::one_many_ids(&one, &batches[1], &mut ids, token);
            assert_eq!(ids, listed(&many), "{level}");
        }
    }
    if let Some(one) = one {
        baseline::one_many_aos(&one, right, &mut ids);
        assert_eq!(ids, listed(&many));
    }
    baseline::pairwise_aos(left, right, &mut ids);
    assert_eq!(ids, listed(&pairs));
    ids.len()
}

#[test]
fn every_level_is_exact_on_every_kind_of_triangle() {
    let mut numbers = Numbers::new(1);
    let mut seen = [[0; 2]; 8];
    for round in 0..1600 {
        let (kind, len) = (round % 8, round / 8 % 41);
        let mut draw = || -> Vec<_> { (0..len).map(|_| numbers.triangle(kind)).collect() };
        let (left, right) = (draw(), draw());
        let met = check(&left, &right);
        seen[kind][0] += len - met;
        seen[kind][1] += met;
    }
    assert!(seen.as_flattened().iter().all(|&n| n > 20), "{seen:?}");
}

/// Pairs that touch in a point, moved by a unit in the last place of one coordinate or not at all.
#[test]
fn touching_is_told_from_nearly_touching() {
    let mut numbers = Numbers::new(2);
    let mut seen = [0; 2];
    for round in 0..150 {
        let scale = [1.0, 1e-6, 3e7, 1e-41][round % 4];
        let far = if round % 3 == 0 {
            numbers.point(100.0 * scale)
        } else {
            Vec3::ZERO
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for _ in 0..24 {
            let [p, q, r, s, t] = [(); 5].map(|()| far + numbers.point(scale));
            let middle = p + 0.5 * (q - p);
            let mut shared = [p, middle, p + 0.25 * (q - p) + 0.25 * (r - p)][numbers.below(3)];
            let axis = numbers.below(3);
            match numbers.below(3) {
                0 => shared[axis] = shared[axis].next_up(),
                1 => shared[axis] = shared[axis].next_down(),
                _ => {}
            }
            left.push(Triangle::new(p, q, r));
            right.push(Triangle::new(shared, s, t));
        }
        let met = check(&left, &right);
        seen[0] += 24 - met;
        seen[1] += met;
    }
    assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
}

#[test]
fn neighbours_in_a_mesh_touch_and_copies_coincide() {
    let mut numbers = Numbers::new(3);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        let [p, q, r, s, t] = [(); 5].map(|()| numbers.point(1.0));
        let of_one = Triangle::new(p, q, r);
        left.extend([of_one; 3]);
        right.extend([
            Triangle::new(q, p, s),
            Triangle::new(t, s, r),
            Triangle::new(r, p, q),
        ]);
    }
    assert_eq!(check(&left, &right), 300);
}

#[test]
fn batches_of_different_lengths_are_not_paired() {
    let one = TriangleBatch::from_slice(&[Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y)]);
    let level = SimdLevel::Scalar.token().unwrap();
    assert_eq!(
        triangle_triangle::pairwise_ids(&one, &TriangleBatch::new(), &mut Vec::new(), level),
        Err(KernelError::Lengths { left: 1, right: 0 })
    );
}
