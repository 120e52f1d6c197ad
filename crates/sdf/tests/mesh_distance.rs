//! Exact distances from meshes and winding numbers, against hand-made answers and a plain loop.

mod meshes;

use glam::DVec3;
use jostle_geom::{Mesh, Rng};
use jostle_sdf::{MeshDistance, MeshDistanceError};
use meshes::{
    ball, both, bowl, cube, inverted_cube, loose_cube, mesh, needle, open_box, sheet,
    two_sided_sheet,
};

const ROOT_2: f64 = core::f64::consts::SQRT_2;

/// Points with signed distance and winding number.
fn check(mesh: &Mesh, cases: &[([f64; 3], f64, f64)]) {
    let distance = MeshDistance::new(mesh).unwrap();
    for &(point, value, winding) in cases {
        let p = DVec3::from(point);
        let found = distance.sample(p).unwrap();
        let off = (found.signed_distance - value).abs();
        assert!(off < 1e-9, "{point:?}: {found:?}, not {value}");
        let to_nearest = found.nearest.distance(p);
        assert!((to_nearest - value.abs()).abs() < 1e-9);
        assert!(
            (distance.winding_number(p) - winding).abs() < 1e-8,
            "{point:?}"
        );
        assert_eq!(distance.is_inside(p), value < 0.0, "{point:?}");
    }
}

#[test]
fn bug_s01_rays_along_edges_do_not_matter() {
    check(
        &cube(),
        &[
            ([-1.0, -1.0, 0.0], ROOT_2, 0.0),
            ([-1.0, -1.0, -1.0], 3.0_f64.sqrt(), 0.0),
            ([0.5, 0.5, 0.5], -0.5, 1.0),
            ([2.0, 2.0, 2.0], 3.0_f64.sqrt(), 0.0),
            ([-0.5, 0.5, 0.5], 0.5, 0.0),
            ([0.5, 1.5, 1.0], 0.5, 0.0),
            ([-1.0, 0.0, 1.0], 1.0, 0.0),
        ],
    );
}

#[test]
fn bug_s02_the_tip_of_a_needle_has_no_side() {
    check(
        &needle(),
        &[
            ([0.02, 0.0, 0.1], 0.1019803902718557, 0.0),
            ([-0.03, 0.01, 0.05], 0.05916079783099616, 0.0),
            ([0.0, 0.0, 0.2], 0.2, 0.0),
            ([0.0, 0.0, -0.5], -0.024968260513910136, 1.0),
            ([0.2, 0.0, -1.1], 0.14142135623730956, 0.0),
            ([0.0, 0.0, -0.999], -0.001, 1.0),
        ],
    );
}

#[test]
fn bug_s04_a_box_without_lid_has_an_inside() {
    let lidless = open_box();
    check(
        &lidless,
        &[
            ([0.5, 0.5, 0.25], -0.25, 0.90044326),
            ([0.5, 0.5, 0.5], -0.5, 5.0 / 6.0),
            ([0.5, 0.5, 2.0], 1.118033988749895, 0.064094217),
            ([0.5, 0.5, -1.0], 1.0, -0.018734926),
            ([1.5, 0.5, 0.5], 0.5, -0.033695597),
        ],
    );
    let distance = MeshDistance::new(&lidless).unwrap();
    assert!(!distance.is_closed());
    assert_eq!(distance.open_edges(), 4);
}

#[test]
fn bug_s05_a_mesh_inside_out_is_turned() {
    let cases = [([0.5, 0.5, 0.5], -0.5, 1.0), ([2.0, 0.5, 0.5], 1.0, 0.0)];
    check(&inverted_cube(), &cases);
    assert!(MeshDistance::new(&inverted_cube()).unwrap().is_flipped());
    assert!(!MeshDistance::new(&cube()).unwrap().is_flipped());
}

#[test]
fn bug_s07_vertices_need_not_be_shared() {
    check(
        &loose_cube(),
        &[
            ([0.5, 0.5, 0.5], -0.5, 1.0),
            ([1.2, 1.2, 0.5], 0.28284271247461895, 0.0),
            ([1.2, 1.2, 1.2], 0.3464101615137754, 0.0),
            ([0.9, 0.9, 0.5], -0.1, 1.0),
        ],
    );
    assert!(MeshDistance::new(&loose_cube()).unwrap().is_closed());
}

#[test]
fn bug_s08_a_sheet_with_two_sides_has_no_inside() {
    check(
        &two_sided_sheet(),
        &[
            ([0.5, 0.5, 0.25], 0.25, 0.0),
            ([0.5, 0.5, -0.25], 0.25, 0.0),
            ([1.5, 0.5, 0.0], 0.5, 0.0),
        ],
    );
    let distance = MeshDistance::new(&two_sided_sheet()).unwrap();
    assert!(distance.is_closed());
    assert_eq!(distance.volume(), 0.0);
    assert!(!distance.is_flipped());
}

/// The distance from a triangle in another way: through the plane where the foot of the perpendicular has no negative
/// barycentric coordinate, else the edges by ternary search.
fn plain(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let (u, v, w) = (b - a, c - a, p - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    let s = (vv * u.dot(w) - uv * v.dot(w)) / det;
    let t = (uu * v.dot(w) - uv * u.dot(w)) / det;
    if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        return (w - u * s - v * t).length();
    }
    let edge = |a: DVec3, b: DVec3| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if a.lerp(b, x).distance(p) < a.lerp(b, y).distance(p) {
                high = y;
            } else {
                low = x;
            }
        }
        a.lerp(b, low).distance(p)
    };
    edge(a, b).min(edge(b, c)).min(edge(c, a))
}

#[test]
fn distances_are_those_of_a_loop_over_all_faces() {
    let spheres = both(&ball(6), &bowl(5), DVec3::new(0.7, 0.1, 0.3));
    let mut rng = Rng::new(1, 0);
    for mesh in [&cube(), &needle(), &spheres] {
        let distance = MeshDistance::new(mesh).unwrap();
        for reach in [0.5, 3.0, 1e4] {
            for _ in 0..60 {
                let p = rng.cube() * reach;
                let faces = mesh.topology.faces().iter();
                let best = faces
                    .map(|face| plain(p, face.map(|v| mesh.positions[v as usize])))
                    .fold(f64::INFINITY, f64::min);
                let found = distance.sample(p).unwrap();
                let off = (found.signed_distance.abs() - best).abs();
                assert!(off < 1e-9 * reach.max(1.0), "{p}: {found:?}, not {best}");
            }
        }
    }
}

#[test]
fn sides_are_those_of_exact_winding_numbers() {
    let lens = both(&ball(12), &ball(12), DVec3::X);
    let mut rng = Rng::new(2, 0);
    for mesh in [&lens, &bowl(16), &open_box(), &sheet()] {
        let distance = MeshDistance::new(mesh).unwrap();
        let [min, max] = distance.bounds();
        for _ in 0..500 {
            let p = min + (max - min) * (rng.cube() * 0.6 + 0.5);
            let inside =
                distance.winding_number(p) >= 0.5 && p.cmpge(min).all() && p.cmple(max).all();
            assert_eq!(distance.is_inside(p), inside, "{p}");
        }
    }
}

#[test]
fn distances_far_from_the_origin_are_as_good() {
    let away = DVec3::new(1e6, -2e6, 3e6);
    let mut moved = cube();
    for p in &mut moved.positions {
        *p += away;
    }
    let distance = MeshDistance::new(&moved).unwrap();
    let inside = distance.sample(away + 0.25).unwrap();
    assert!((inside.signed_distance + 0.25).abs() < 1e-9);
    assert_eq!(distance.volume(), 1.0);
}

#[test]
fn what_is_no_mesh_is_refused_and_what_is_no_point_has_no_distance() {
    let empty = Mesh::new(vec![DVec3::ZERO], Vec::new(), &[]).unwrap();
    assert_eq!(
        MeshDistance::new(&empty).unwrap_err(),
        MeshDistanceError::NoFaces
    );
    for value in [f64::NAN, f64::INFINITY, 1e30] {
        let bad = mesh(
            &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, value, 0.0]],
            &[[0, 1, 2]],
        );
        let error = MeshDistance::new(&bad).unwrap_err();
        assert!(
            error.to_string().starts_with("vertex 2 has coordinate"),
            "{error}"
        );
    }
    let distance = MeshDistance::new(&cube()).unwrap();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e30] {
        assert_eq!(distance.sample(DVec3::new(0.5, value, 0.5)), None);
        assert!(!distance.is_inside(DVec3::new(0.5, value, 0.5)));
    }
    let point = mesh(&[[1.0; 3]; 3], &[[0, 1, 2]]);
    let distance = MeshDistance::new(&point).unwrap();
    let found = distance.sample(DVec3::ZERO).unwrap();
    assert!((found.signed_distance - 3.0_f64.sqrt()).abs() < 1e-12);
}
