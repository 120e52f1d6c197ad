//! Voxel fields: values, gradients, bounds, and that the same mesh gives the same bits.

mod meshes;

use glam::{DVec3, Vec3};
use jostle_geom::{Mesh, Rng};
use jostle_sdf::voxel::{BakeError, BakeOptions, Baked, VoxelField};
use jostle_sdf::{Field, Sample};
use jostle_simd::SimdLevel;
use meshes::{
    ball, both, bowl, cube, inverted_cube, loose_cube, mesh, needle, open_box, sheet,
    two_sided_sheet,
};

fn bake(mesh: &Mesh, resolution: u32) -> Baked {
    let options = BakeOptions {
        resolution,
        ..BakeOptions::default()
    };
    VoxelField::bake(mesh, &options, &|_| ()).unwrap()
}

fn gradient(s: &Sample<f32>) -> Vec3 {
    s.gradient.into()
}

fn all() -> Vec<(&'static str, Baked)> {
    vec![
        ("cube", bake(&cube(), 20)),
        ("ball", bake(&ball(12), 40)),
        ("loose cube", bake(&loose_cube(), 13)),
        ("needle", bake(&needle(), 30)),
        ("lens", bake(&both(&ball(8), &ball(8), DVec3::X), 30)),
        ("open box", bake(&open_box(), 40)),
        ("bowl", bake(&bowl(10), 40)),
        ("sheet", bake(&sheet(), 20)),
        ("two-sided sheet", bake(&two_sided_sheet(), 20)),
        ("coarse", bake(&ball(4), 2)),
    ]
}

/// Points inside of the grid, near its border, on it, and outside.
fn points(field: &VoxelField, rng: &mut Rng, count: usize) -> Vec<Vec3> {
    let grid = field.grid_box();
    let (centre, half) = (grid.centre(), 0.5 * (grid.max - grid.min));
    (0..count)
        .map(|i| {
            let reach = [0.6, 1.0, 1.02, 4.0][i % 4];
            let mut p = centre + half * rng.cube().as_vec3() * reach;
            if i % 8 == 1 {
                p.x = grid.max.x;
            }
            if i % 8 == 5 {
                p = p.clamp(grid.min, grid.max);
                p.y = grid.min.y;
            }
            p
        })
        .collect()
}

#[test]
fn the_distance_of_a_ball() {
    let baked = bake(&ball(40), 50);
    let field = &baked.field;
    let mut rng = Rng::new(1, 0);
    let cell = f64::from(field.spacing());
    for _ in 0..5_000 {
        let p = rng.direction() * rng.range(0.9, 1.1);
        let exact = baked.mesh.sample(p).unwrap().signed_distance;
        let value = f64::from(field.sample(p.as_vec3()).value);
        assert!(
            (value - exact).abs() < 0.1 * cell,
            "{p}: {value}, not {exact}"
        );
        let normal = field.normal(p.as_vec3()).as_dvec3();
        assert!(normal.dot(p.normalize()) > 0.995, "{p}: {normal}");
    }
    assert!((f64::from(field.sample(Vec3::ZERO).value) + 1.0).abs() < 2.0 * cell);
}

#[test]
fn errors_are_within_their_bounds() {
    for (name, baked) in all() {
        let errors = baked.errors(4_000, 7);
        assert_eq!(errors.points, 4_000);
        assert!(!errors.is_broken(&baked.field), "{name}: {errors:?}");
        if baked.report.closed {
            assert_eq!(errors.mesh, errors.surface, "{name}");
        }
        assert!(errors.surface_near <= errors.surface && errors.mesh_near <= errors.mesh);
        assert_eq!(errors, baked.errors(4_000, 7));
    }
}

#[test]
fn gradients_are_those_of_the_values() {
    let mut rng = Rng::new(2, 0);
    for (name, baked) in all() {
        let field = &baked.field;
        let step = 1e-3 * field.spacing();
        let mut bad = 0;
        let mut points = points(field, &mut rng, 2_000);
        // The gradient jumps at the border of the grid.
        let grid = field.grid_box();
        points.retain(|p| p.x != grid.max.x && p.y != grid.min.y);
        for p in &points {
            let s = field.sample(*p);
            let difference = |axis: Vec3| {
                let (a, b) = (
                    field.sample(*p + axis * step),
                    field.sample(*p - axis * step),
                );
                (a.value - b.value) / (2.0 * step)
            };
            let slope = Vec3::new(
                difference(Vec3::X),
                difference(Vec3::Y),
                difference(Vec3::Z),
            );
            // A step across the border of a cell sees the gradient of the next one.
            bad += usize::from(slope.distance(gradient(&s)) > 0.05);
        }
        assert!(bad < points.len() / 25, "{name}: {bad} of {}", points.len());
    }
}

#[test]
fn values_are_continuous_and_change_no_faster_than_the_bound() {
    let mut rng = Rng::new(3, 0);
    for (name, baked) in all() {
        let field = &baked.field;
        let cell = field.spacing();
        let bound = field.lipschitz();
        assert!((1.0..4.0).contains(&bound), "{name}: {bound}");
        for p in points(field, &mut rng, 4_000) {
            let a = field.sample(p);
            assert!(gradient(&a).length() <= bound * 1.00001, "{name} at {p}");
            for reach in [1e-4, 0.3, 3.0] {
                let q = p + rng.cube().as_vec3() * (reach * cell);
                let b = field.sample(q);
                let apart = p.distance(q);
                let limit = bound * apart * 1.00001 + 2e-6 * (1.0 + a.value.abs());
                assert!((a.value - b.value).abs() <= limit, "{name} at {p} and {q}");
                let local = field.lipschitz_in(p, apart) * apart * 1.00001;
                assert!((a.value - b.value).abs() <= local + 2e-6 * (1.0 + a.value.abs()));
            }
        }
    }
}

#[test]
fn lanes_have_the_bits_of_the_plain_formula() {
    let mut rng = Rng::new(4, 0);
    for (name, baked) in all() {
        let mut points = points(&baked.field, &mut rng, 4_003);
        points.extend([Vec3::splat(1e30), Vec3::new(-1e20, 0.0, 0.0), Vec3::ZERO]);
        let field = Field::voxel(baked.field.clone());
        let mut out = Vec::new();
        for level in SimdLevel::available() {
            field.sample_all(level.token().unwrap(), &points, &mut out);
            for (p, lane) in points.iter().zip(&out) {
                let plain = baked.field.sample(*p);
                assert_eq!(plain.value.to_bits(), lane.value.to_bits(), "{name} at {p}");
                assert_eq!(gradient(&plain), gradient(lane), "{name} at {p} at {level}");
            }
        }
    }
}

#[test]
fn points_that_are_none_have_no_value_or_a_large_one() {
    let field = bake(&cube(), 10).field;
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let mut p = Vec3::splat(0.5);
            p[axis] = bad;
            let value = field.sample(p).value;
            assert!(value.is_nan() || value > 1e30, "{p}: {value}");
            assert!(!field.normal(p).is_nan());
        }
    }
    assert_eq!(field.lipschitz_in(Vec3::NAN, 1.0), field.lipschitz());
    assert!(field.lipschitz_in(Vec3::ZERO, f32::NAN) >= 1.0);
    assert!(field.lipschitz_in(Vec3::splat(1e30), 1.0) >= 1.0);
}

#[test]
fn outside_of_the_grid_values_are_no_more_than_the_distance() {
    let mut rng = Rng::new(5, 0);
    let baked = bake(&ball(12), 40);
    let field = &baked.field;
    for _ in 0..2_000 {
        let p = (rng.direction() * rng.range(2.0, 40.0)).as_vec3();
        let exact = baked.mesh.sample(p.as_dvec3()).unwrap().signed_distance;
        let value = f64::from(field.sample(p).value);
        assert!(
            value <= exact + field.error_bound(),
            "{p}: {value}, not {exact}"
        );
        // By the triangle inequality, and for the sum of two lengths against the root of their squares.
        let least = (exact - field.error_bound()) * 0.5_f64.sqrt();
        assert!(value >= least, "{p}: {value}, not {exact}");
    }
}

#[test]
fn the_box_holds_the_inside() {
    let mut rng = Rng::new(6, 0);
    for (name, baked) in all() {
        let bounds = baked.field.aabb();
        for p in points(&baked.field, &mut rng, 4_000) {
            let within = p.cmpge(bounds.min).all() && p.cmple(bounds.max).all();
            assert!(within || baked.field.sample(p).value > 0.0, "{name} at {p}");
        }
        // It is no larger than needed.
        let [min, max] = baked.mesh.bounds();
        let slack = baked.field.spacing();
        assert!(
            (bounds.min.as_dvec3() - min).abs().max_element() < f64::from(slack),
            "{name}"
        );
        assert!(
            (bounds.max.as_dvec3() - max).abs().max_element() < f64::from(slack),
            "{name}"
        );
    }
}

#[test]
fn open_meshes_have_a_lid() {
    let baked = bake(&open_box(), 40);
    let field = &baked.field;
    assert!(!baked.report.closed && baked.cap.is_some());
    // Down the middle of the box, from above: once from outside to inside, once out again, never in a jump.
    let mut last = f32::INFINITY;
    let mut signs = 0;
    let step = 0.25 * field.spacing();
    let mut height = 1.5;
    while height > -0.5 {
        let value = field.sample(Vec3::new(0.5, 0.5, height)).value;
        if last.is_finite() {
            assert!(
                (value - last).abs() <= 1.01 * field.lipschitz() * step,
                "{height}"
            );
            signs += usize::from((value < 0.0) != (last < 0.0));
        }
        last = value;
        height -= step;
    }
    assert_eq!(signs, 2);
    // The lid is where the winding number is one half.
    let lid = (0..1000)
        .map(|i| 1.0 - f64::from(i) * 1e-3)
        .find(|&z| baked.mesh.winding_number(DVec3::new(0.5, 0.5, z)) >= 0.5);
    let at_lid = field.sample(Vec3::new(0.5, 0.5, lid.unwrap() as f32)).value;
    assert!(at_lid.abs() < 0.2 * field.spacing(), "{at_lid}");
    assert!(bake(&cube(), 10).cap.is_none());
}

#[test]
fn sheets_have_no_inside_and_inverted_meshes_are_turned() {
    for sheet in [sheet(), two_sided_sheet()] {
        let baked = bake(&sheet, 20);
        let mut rng = Rng::new(7, 0);
        for p in points(&baked.field, &mut rng, 2_000) {
            assert!(
                baked.field.sample(p).value > -0.51 * baked.field.spacing(),
                "{p}"
            );
        }
    }
    let (inverted, upright) = (bake(&inverted_cube(), 20), bake(&cube(), 20));
    assert!(inverted.report.flipped && !upright.report.flipped);
    assert_eq!(inverted.field, upright.field);
    assert!((upright.report.volume - 1.0).abs() < 1e-12);
}

#[test]
fn normalized_meshes_fill_the_unit_cube() {
    let options = BakeOptions {
        resolution: 20,
        normalize: true,
        ..BakeOptions::default()
    };
    let mut large = needle();
    for p in &mut large.positions {
        *p = *p * 3000.0 + DVec3::new(1e5, 0.0, -4e5);
    }
    let baked = VoxelField::bake(&large, &options, &|_| ()).unwrap();
    let [min, max] = baked.mesh.bounds();
    assert!((min + max).abs().max_element() < 1e-9);
    assert!(((max - min).max_element() - 1.0).abs() < 1e-9);
    let tip = (large.positions[0] - baked.report.centre) * baked.report.scale;
    assert!(baked.field.sample(tip.as_vec3()).value.abs() < baked.field.spacing());
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let mesh = both(&ball(8), &bowl(8), DVec3::new(0.3, 0.9, 0.2));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let baked = bake(&mesh, 50);
            (
                baked.field.to_bytes(),
                baked.report.clone(),
                baked.errors(1_000, 1),
            )
        })
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn progress_is_told_and_ends_at_one() {
    let told = std::sync::Mutex::new(Vec::new());
    let options = BakeOptions::default();
    VoxelField::bake(&ball(6), &options, &|done| told.lock().unwrap().push(done)).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.len() > 5);
    assert!(told.iter().all(|done| (0.0..=1.0).contains(done)));
    assert_eq!(told.last(), Some(&1.0));
}

#[test]
fn bad_meshes_and_options_are_refused() {
    let refused = |mesh: &Mesh, change: &dyn Fn(&mut BakeOptions)| {
        let mut options = BakeOptions::default();
        change(&mut options);
        VoxelField::bake(mesh, &options, &|_| ()).unwrap_err()
    };
    let none = |_: &mut BakeOptions| ();
    let empty = Mesh::new(vec![DVec3::ZERO], Vec::new(), &[]).unwrap();
    assert_eq!(refused(&empty, &none).to_string(), "the mesh has no faces");
    let point = mesh(&[[1.0; 3]; 3], &[[0, 1, 2]]);
    assert_eq!(refused(&point, &none), BakeError::NoExtent);
    let nan = mesh(
        &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, f64::NAN, 0.0]],
        &[[0, 1, 2]],
    );
    assert!(refused(&nan, &none).to_string().contains("vertex 2"));
    // So small and so far away that the nodes of the grid would be one and the same.
    let far = mesh(
        &[[1e6, 0.0, 0.0], [1e6 + 1e-3, 0.0, 0.0], [1e6, 1e-3, 0.0]],
        &[[0, 1, 2]],
    );
    assert_eq!(refused(&far, &none), BakeError::NoExtent);
    let zero = refused(&cube(), &|options| options.resolution = 0);
    assert!(zero.to_string().starts_with("resolution is 0"), "{zero}");
    assert!(matches!(
        refused(&cube(), &|options| options.padding = 0),
        BakeError::Option {
            option: "padding",
            ..
        }
    ));
    let tight = refused(&cube(), &|options| options.memory_limit = 100_000);
    assert!(
        matches!(tight, BakeError::Memory { limit: 100_000, .. }),
        "{tight}"
    );
    let huge = refused(&ball(4), &|options| {
        (options.resolution, options.memory_limit) = (2000, u64::MAX);
    });
    assert!(
        matches!(
            huge,
            BakeError::Memory {
                resolution: 2000,
                ..
            }
        ),
        "{huge}"
    );
}
