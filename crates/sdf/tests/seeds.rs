//! Seeds: where they are, and how they are found.

mod support;

use glam::Vec3;
use jostle_geom::Rng;
use jostle_sdf::seeds::SeedIndex;
use jostle_sdf::{Field, Shape, ShapeOptions};
use jostle_simd::Aabb;
use support::{all, point, spike_plate};

fn shape(field: &Field) -> Shape {
    Shape::new(field.clone(), &ShapeOptions::default()).unwrap()
}

#[test]
fn a_box_has_seeds_on_all_edges_and_corners_and_a_ball_has_none() {
    assert!(
        shape(&Field::sphere(0.5).unwrap())
            .seeds()
            .points()
            .is_empty()
    );
    let half = Vec3::new(0.5, 0.4, 0.3);
    let made = shape(&Field::cuboid(half).unwrap());
    let points = made.seeds().points();
    assert!((100..=512).contains(&points.len()), "{}", points.len());
    for p in points {
        let faces = (p.abs() - half)
            .abs()
            .cmplt(Vec3::splat(1e-3))
            .bitmask()
            .count_ones();
        assert!(faces >= 2, "{p} is on a face of the box");
    }
    for edge in 0..12 {
        let (axis, sides) = (edge % 3, edge / 3);
        let mut middle = half;
        middle[(axis + 1) % 3] *= if sides & 1 == 0 { 1.0 } else { -1.0 };
        middle[(axis + 2) % 3] *= if sides & 2 == 0 { 1.0 } else { -1.0 };
        middle[axis] = 0.0;
        let on_edge = points.iter().filter(|p| {
            let mut d = **p - middle;
            d[axis] = 0.0;
            d.length() < 1e-3
        });
        assert!(on_edge.count() > 8, "{middle}");
        middle[axis] = half[axis];
        let nearest = points
            .iter()
            .map(|p| p.distance(middle))
            .fold(1.0, f32::min);
        assert!(nearest < 0.02, "{middle}: {nearest}");
    }
}

#[test]
fn every_spike_has_a_seed_at_its_tip() {
    let field = spike_plate();
    let made = shape(&field);
    let points = made.seeds().points();
    for i in 0..10 {
        for j in 0..10 {
            let axis = Vec3::new(-0.63 + 0.14 * i as f32, -0.63 + 0.14 * j as f32, 0.0);
            let highest = points
                .iter()
                .filter(|p| (**p - axis).with_z(0.0).length() < 0.07)
                .map(|p| p.z)
                .fold(0.0, f32::max);
            let above = field.sample(axis.with_z(highest + 0.01)).value;
            assert!(highest > 0.15 && above > 0.0, "{axis}: {highest} {above}");
        }
    }
}

#[test]
fn seeds_lie_on_the_surface_and_are_not_too_many() {
    for (name, field) in all() {
        for most in [0, 7, 512] {
            let options = ShapeOptions {
                seeds: most,
                ..ShapeOptions::default()
            };
            let made = Shape::new(field.clone(), &options).unwrap();
            let points = made.seeds().points();
            assert!(points.len() <= most, "{name}: {}", points.len());
            let size = (field.aabb().max - field.aabb().min).max_element();
            for p in points {
                assert!(
                    field.sample(*p).value.abs() <= 1.01e-4 * size,
                    "{name}: {p}"
                );
            }
            // Spread out, and not thinned more than asked for.
            if most == 512 && points.len() > 300 {
                let same = points
                    .iter()
                    .enumerate()
                    .any(|(i, p)| points[..i].contains(p));
                assert!(!same, "{name}");
            }
        }
    }
}

#[test]
fn the_index_finds_what_a_scan_finds() {
    let mut rng = Rng::new(7, 0);
    for count in [0_usize, 1, 2, 30, 500, 3_000] {
        let points: Vec<Vec3> = (0..count)
            .map(|_| point(&mut rng, 1.0) * Vec3::new(1.0, 0.3, 2.0))
            .collect();
        let index = SeedIndex::new(&points);
        assert_eq!(index.points().len(), count);
        for _ in 0..300 {
            let (a, b) = (point(&mut rng, 2.2), point(&mut rng, 2.2));
            let bounds = Aabb::new(a.min(b), a.max(b));
            let inside = |p: &&Vec3| (p.cmpge(bounds.min) & p.cmple(bounds.max)).all();
            let key = |p: &Vec3| p.to_array().map(f32::to_bits);
            let mut expected: Vec<Vec3> = points.iter().filter(inside).copied().collect();
            let mut found = vec![Vec3::ONE];
            let start = rng.next_u64();
            index.in_box(&bounds, start, usize::MAX, &mut found);
            assert_eq!(found.remove(0), Vec3::ONE);
            let mut sorted = found.clone();
            sorted.sort_by_key(key);
            expected.sort_by_key(key);
            assert_eq!(sorted, expected);
            let mut some = Vec::new();
            index.in_box(&bounds, start, 5, &mut some);
            assert_eq!(some, found[..found.len().min(5)]);
        }
    }
    let index = SeedIndex::new(&[Vec3::ONE, Vec3::NAN, Vec3::ONE]);
    let mut found = Vec::new();
    let everything = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
    index.in_box(&everything, u64::MAX, 9, &mut found);
    assert_eq!(found, [Vec3::ONE; 2]);
    index.in_box(
        &Aabb {
            min: Vec3::NAN,
            max: Vec3::NAN,
        },
        0,
        9,
        &mut found,
    );
    index.in_box(
        &Aabb {
            min: Vec3::ONE,
            max: -Vec3::ONE,
        },
        0,
        9,
        &mut found,
    );
    assert_eq!(found.len(), 2);
}

/// Walks that start at random places are spread over all points.
#[test]
fn starts_reach_all_seeds() {
    let made = shape(&Field::cuboid(Vec3::splat(0.5)).unwrap());
    let (index, bounds) = (made.seeds(), made.aabb());
    let bounds = Aabb::new(bounds.min - 0.1, bounds.max + 0.1);
    let mut rng = Rng::new(8, 0);
    let mut met = std::collections::BTreeMap::<[u32; 3], u32>::new();
    let mut found = Vec::new();
    for _ in 0..20_000 {
        found.clear();
        index.in_box(&bounds, rng.next_u64(), 1, &mut found);
        *met.entry(found[0].to_array().map(f32::to_bits))
            .or_default() += 1;
    }
    assert_eq!(met.len(), index.points().len());
}
