//! What cuts through boxes: segments, planes and volumes against many boxes.

mod numbers;

use glam::{DVec3, Vec3};
use jostle_simd::batch::{AabbBatch, BitMask};
use jostle_simd::exact::Points;
use jostle_simd::kernels::plane_aabb::{self, PlaneSide};
use jostle_simd::kernels::segment_aabb::{self, Segment};
use jostle_simd::kernels::volume_aabb;
use jostle_simd::volume::{Frustum, Plane, Sphere, Volume};
use jostle_simd::{Aabb, SimdLevel};
use numbers::Numbers;

fn is_box(aabb: &Aabb) -> bool {
    (0..3).all(|axis| aabb.min[axis] <= aabb.max[axis])
}

fn listed(found: &[bool]) -> Vec<u32> {
    (0..).zip(found).filter(|x| *x.1).map(|x| x.0).collect()
}

/// By the faces of the box: the segment begins within, or meets one of twelve triangles.
fn meets(segment: &Segment, aabb: &Aabb) -> bool {
    let (from, to) = (segment.from, segment.to);
    if !from.is_finite() || !to.is_finite() || !is_box(aabb) {
        return false;
    }
    // What is infinite is empty if the finite part is.
    let far = DVec3::splat(1e39);
    let (lo, hi) = (aabb.min.as_dvec3(), aabb.max.as_dvec3());
    if lo.cmpgt(far).any() || hi.cmplt(-far).any() {
        return false;
    }
    let (lo, hi) = (lo.max(-far), hi.min(far));
    let mut at = vec![from.as_dvec3(), to.as_dvec3()];
    if at[0].cmpge(lo).all() && at[0].cmple(hi).all() {
        return true;
    }
    for corner in 0..8 {
        let part = |axis: usize| {
            if corner >> axis & 1 == 0 {
                lo[axis]
            } else {
                hi[axis]
            }
        };
        at.push(DVec3::new(part(0), part(1), part(2)));
    }
    let points = Points::new(&at).unwrap();
    (0..3).any(|axis| {
        let (i, j) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        [0, 1 << axis].into_iter().any(|side| {
            let [p, q, r, s] = [side, side + i, side + i + j, side + j].map(|corner| 2 + corner);
            points.segment_meets_triangle([0, 1], [p, q, r])
                || points.segment_meets_triangle([0, 1], [p, r, s])
        })
    })
}

#[test]
fn segments_meet_the_boxes_they_meet_in_exact_arithmetic() {
    let mut numbers = Numbers::new(1);
    let (mut mask, mut ids) = (BitMask::new(), vec![7]);
    let mut seen = [0; 2];
    for round in 0..1600 {
        let (kind, len) = (round % 8, round / 8 % 41);
        let boxes: Vec<_> = (0..len).map(|_| numbers.aabb(kind)).collect();
        let mut segment = Segment::new(numbers.of_kind(kind), numbers.of_kind(kind));
        if let Some(aabb) = boxes.first()
            && numbers.below(2) == 0
        {
            // Along an edge or through a corner, if only rounding does not move it away.
            let corner = Vec3::new(aabb.min.x, aabb.max.y, aabb.min.z);
            segment.to = corner + (corner - segment.from) * [0.0, 1.0, 3.0][numbers.below(3)];
        }
        match numbers.below(16) {
            0 => segment.to = segment.from,
            1 => segment.to.x = segment.from.x,
            2 => (segment.to.y, segment.to.z) = (segment.from.y, segment.from.z),
            3 => segment.to.x = f32::INFINITY,
            _ => {}
        }
        let expected: Vec<_> = boxes.iter().map(|b| meets(&segment, b)).collect();
        for (found, aabb) in expected.iter().zip(&boxes) {
            assert_eq!(segment.meets_box(aabb), *found, "{segment:?} {aabb:?}");
            seen[usize::from(*found)] += 1;
        }
        let batch = AabbBatch::from_slice(&boxes);
        for level in SimdLevel::available() {
            let token = level.token().unwrap();
            segment_aabb::one_many(&segment, &batch, &mut mask, token);
            assert_eq!(
                mask,
                expected.iter().copied().collect(),
                "{level} {segment:?}"
            );
            segment_aabb::one_many_ids(&segment, &batch, &mut ids, token);
            assert_eq!(ids, listed(&expected), "{level}");
        }
        segment_aabb::baseline::one_many_aos(&segment, &boxes, &mut ids);
        assert_eq!(ids, listed(&expected));
    }
    assert!(seen.iter().all(|&n| n > 3000), "{seen:?}");
}

/// Boxes with an edge through a point of the segment, up to rounding.
#[test]
fn segments_are_told_from_edges_they_nearly_touch() {
    let mut numbers = Numbers::new(4);
    let mut mask = BitMask::new();
    let mut seen = [0; 2];
    for round in 0..200 {
        let far = [Vec3::ZERO, Vec3::new(300.0, -50.0, 1.0)][round % 2];
        let segment = Segment::new(far + numbers.point(1.0), far + numbers.point(1.0));
        let boxes: Vec<_> = (0..40)
            .map(|_| {
                let at = segment.from + numbers.unit().abs() * (segment.to - segment.from);
                let (mut lo, mut hi) = (at, at);
                // It leaves the segment on two axes and holds the point on the third one.
                let along = numbers.below(3);
                for axis in 0..3 {
                    if axis == along || numbers.below(2) == 0 {
                        hi[axis] += 1.0;
                    }
                    if axis == along || hi[axis] == at[axis] {
                        lo[axis] -= 1.0;
                    }
                }
                Aabb::new(lo, hi)
            })
            .collect();
        let expected: Vec<_> = boxes.iter().map(|b| meets(&segment, b)).collect();
        let batch = AabbBatch::from_slice(&boxes);
        for level in SimdLevel::available() {
            segment_aabb::one_many(&segment, &batch, &mut mask, level.token().unwrap());
            assert_eq!(
                mask,
                expected.iter().copied().collect(),
                "{level} {segment:?} {boxes:?}"
            );
        }
        seen[0] += boxes.len() - mask.count_ones();
        seen[1] += mask.count_ones();
    }
    assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
}

/// In units of 2⁻⁶⁰; `None` when that rounds.
fn fixed(x: f32) -> Option<i128> {
    let scaled = f64::from(x) * (1_u64 << 60) as f64;
    (scaled.abs() < (1_u64 << 62) as f64 && scaled.fract() == 0.0).then_some(scaled as i128)
}

/// By all eight corners in integers; `None` for numbers that those do not hold.
fn side(plane: &Plane, aabb: &Aabb) -> Option<PlaneSide> {
    let mut seen = [false; 3];
    for corner in 0..8 {
        let mut sum = fixed(plane.offset)? << 60;
        for axis in 0..3 {
            let bound = if corner >> axis & 1 == 0 {
                aabb.min
            } else {
                aabb.max
            };
            sum += fixed(plane.normal[axis])? * fixed(bound[axis])?;
        }
        seen[(sum.signum() + 1) as usize] = true;
    }
    Some(match seen {
        [true, false, false] => PlaneSide::Back,
        [false, false, true] => PlaneSide::Front,
        _ => PlaneSide::Straddling,
    })
}

#[test]
fn boxes_are_on_the_side_on_which_all_their_corners_are() {
    let mut numbers = Numbers::new(2);
    let (mut mask, mut ids) = (BitMask::new(), vec![7]);
    let mut seen = [0; 3];
    for round in 0..1600 {
        let (kind, len) = (round % 8, round / 8 % 41);
        let boxes: Vec<_> = (0..len).map(|_| numbers.aabb(kind)).collect();
        let mut normal = if kind == 7 {
            numbers.of_kind(kind)
        } else {
            numbers.point(1.0)
        };
        if numbers.below(3) == 0 {
            normal[numbers.below(3)] = [0.0, -0.0][numbers.below(2)];
        }
        let mut offset = numbers.unit();
        if let Some(aabb) = boxes.first() {
            // Through a corner, up to rounding.
            let corner = Vec3::new(aabb.min.x, aabb.max.y, aabb.max.z);
            offset = -normal.dot(corner);
            offset = [offset, offset.next_up(), offset.next_down()][numbers.below(3)];
        }
        let plane = Plane { normal, offset };
        let expected: Vec<_> = boxes.iter().map(|b| PlaneSide::of(&plane, b)).collect();
        for (found, aabb) in expected.iter().zip(&boxes) {
            assert_eq!(found.is_some(), is_box(aabb));
            let right = side(&plane, aabb);
            if let (Some(found), Some(right)) = (found, right) {
                assert_eq!(*found, right, "{plane:?} {aabb:?}");
                seen[right as usize] += 1;
            }
        }
        let batch = AabbBatch::from_slice(&boxes);
        for side in [PlaneSide::Front, PlaneSide::Back, PlaneSide::Straddling] {
            let expected: Vec<_> = expected.iter().map(|found| *found == Some(side)).collect();
            for level in SimdLevel::available() {
                let token = level.token().unwrap();
                plane_aabb::one_many(&plane, side, &batch, &mut mask, token);
                assert_eq!(
                    mask,
                    expected.iter().copied().collect(),
                    "{level} {side:?} {plane:?} {boxes:?}"
                );
                plane_aabb::one_many_ids(&plane, side, &batch, &mut ids, token);
                assert_eq!(ids, listed(&expected), "{level}");
            }
            plane_aabb::baseline::one_many_aos(&plane, side, &boxes, &mut ids);
            assert_eq!(ids, listed(&expected));
        }
    }
    assert!(seen.iter().all(|&n| n > 1000), "{seen:?}");
}

#[test]
fn infinite_boxes_have_sides_where_they_have_any() {
    let plane = Plane {
        normal: Vec3::new(1.0, 0.0, -0.0),
        offset: -1.0,
    };
    let inf = f32::INFINITY;
    let of = |lo: [f32; 3], hi: [f32; 3]| PlaneSide::of(&plane, &Aabb::new(lo.into(), hi.into()));
    assert_eq!(of([2.0, -inf, -inf], [inf; 3]), Some(PlaneSide::Front));
    assert_eq!(of([1.0, -inf, -inf], [inf; 3]), Some(PlaneSide::Straddling));
    assert_eq!(of([-inf; 3], [0.0, inf, inf]), Some(PlaneSide::Back));
    assert_eq!(of([-inf; 3], [inf; 3]), Some(PlaneSide::Straddling));
}

fn check_volume<V: Volume>(volume: &V, boxes: &[Aabb]) -> usize {
    let expected: Vec<_> = boxes.iter().map(|b| is_box(b) && volume.test(b)).collect();
    let batch = AabbBatch::from_slice(boxes);
    let (mut mask, mut ids) = (BitMask::new(), vec![7]);
    for level in SimdLevel::available() {
        let token = level.token().unwrap();
        volume_aabb::one_many(volume, &batch, &mut mask, token);
        assert_eq!(mask, expected.iter().copied().collect(), "{level}");
        volume_aabb::one_many_ids(volume, &batch, &mut ids, token);
        assert_eq!(ids, listed(&expected), "{level}");
    }
    volume_aabb::baseline::one_many_aos(volume, boxes, &mut ids);
    assert_eq!(ids, listed(&expected));
    ids.len()
}

#[test]
fn volumes_have_their_own_answers_at_every_level() {
    let mut numbers = Numbers::new(3);
    let (mut all, mut met) = (0, 0);
    for round in 0..800 {
        let (kind, len) = (round % 8, round / 8 % 41);
        let boxes: Vec<_> = (0..len).map(|_| numbers.aabb(kind)).collect();
        let frustum = Frustum::new([(); 6].map(|()| Plane {
            normal: numbers.on_grid(2),
            offset: numbers.unit() + 1.0,
        }));
        met += check_volume(&frustum, &boxes);
        met += check_volume(&Sphere::new(numbers.of_kind(kind), 0.5), &boxes);
        met += check_volume(&numbers.aabb(kind), &boxes);
        all += 3 * len;
    }
    assert!(met > 1000 && met < all - 1000, "{met} of {all}");
}
