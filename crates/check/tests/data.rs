//! Meshes that people use, with known faults.

use jostle_check::{CheckOptions, Face, Report, check, faces_intersect};
use jostle_geom::Mesh;
use rayon::prelude::*;

fn mesh(name: &str) -> Option<Mesh> {
    let path = jostle_testkit::data_dir()?.join("meshes").join(name);
    Some(jostle_io::read_mesh(path).unwrap())
}

fn checked(name: &str) -> Option<(Mesh, Report)> {
    let mesh = mesh(name)?;
    let report = check(&mesh, &CheckOptions::default()).unwrap();
    Some((mesh, report))
}

/// The intersecting pairs of faces, by testing every pair.
fn by_brute_force(mesh: &Mesh) -> Vec<[u32; 2]> {
    let faces: Vec<_> = mesh
        .topology
        .faces()
        .iter()
        .map(|&vertices| Face {
            vertices,
            corners: vertices.map(|v| mesh.positions[v as usize]),
        })
        .collect();
    let faces = &faces;
    (0..faces.len())
        .into_par_iter()
        .flat_map_iter(|a| {
            let later = a + 1..faces.len();
            later
                .filter(move |&b| faces_intersect(&faces[a], &faces[b]))
                .map(move |b| [a as u32, b as u32])
        })
        .collect()
}

#[test]
fn spot_fandisk_and_rocker_arm_are_clean() {
    for name in ["spot.obj", "fandisk.obj", "rocker-arm.obj"] {
        let Some((_, report)) = checked(name) else {
            return;
        };
        assert!(report.is_clean(), "{name}: {:?}", report.issues());
    }
}

#[test]
fn the_bunny_has_holes_and_loose_vertices() {
    let Some((_, report)) = checked("stanford-bunny.obj") else {
        return;
    };
    assert_eq!(report.open_edges.len(), 223);
    assert_eq!(report.unreferenced_vertices.len(), 1113);
    assert_eq!(report.self_intersection_count, 0);
}

#[test]
fn the_cow_is_closed_and_intersects_itself() {
    let Some((mesh, report)) = checked("cow.obj") else {
        return;
    };
    assert_eq!(report.open_edges.len(), 0);
    assert!(report.self_intersection_count > 0);
    assert_eq!(report.self_intersections, by_brute_force(&mesh));
}

#[test]
fn the_teapot_is_open_and_intersects_itself() {
    let Some((mesh, report)) = checked("teapot.obj") else {
        return;
    };
    assert_eq!(report.open_edges.len(), 1036);
    assert!(report.self_intersection_count > 0);
    assert_eq!(report.self_intersections, by_brute_force(&mesh));
}
