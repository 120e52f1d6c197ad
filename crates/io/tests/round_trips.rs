//! What the writers write, the readers read back bit by bit.

use glam::DVec3;
use jostle_geom::{Mesh, PairKind};
use jostle_io::queries::FileQuery;
use jostle_io::{obj, ply, queries, read_mesh, write_mesh, write_obj, write_ply};
use proptest::collection::vec;
use proptest::prelude::*;

fn coordinate() -> impl Strategy<Value = f64> {
    // Infinities and NaN are left out; zeros of both signs and subnormal numbers are in.
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

fn point() -> impl Strategy<Value = DVec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(DVec3::from_array)
}

fn mesh() -> impl Strategy<Value = Mesh> {
    vec(point(), 1..30).prop_flat_map(|positions| {
        let n = positions.len() as u32;
        let faces = vec([0..n, 0..n, 0..n], 0..20);
        let edges = vec([0..n, 0..n], 0..10);
        (Just(positions), faces, edges).prop_map(|(positions, faces, edges)| {
            Mesh::new(positions, faces, &edges).expect("indices are in range")
        })
    })
}

fn same_bits(a: &Mesh, b: &Mesh) -> bool {
    let bits = |mesh: &Mesh| -> Vec<_> {
        let all = mesh.positions.iter();
        all.map(|p| p.to_array().map(f64::to_bits)).collect()
    };
    a.topology == b.topology && bits(a) == bits(b)
}

proptest! {
    #[test]
    fn meshes(mesh in mesh()) {
        let mut file = Vec::new();
        write_obj(&mesh, &mut file).unwrap();
        prop_assert!(same_bits(&mesh, &obj::parse(&file).unwrap()));
        file.clear();
        write_ply(&mesh, &mut file).unwrap();
        prop_assert!(same_bits(&mesh, &ply::parse(&file).unwrap()));
    }

    #[test]
    fn query_files(
        points in vec([point(), point(), point(), point(), point(), point(), point(), point()], 0..4),
        collides in any::<Option<bool>>(),
    ) {
        let written: Vec<_> = points
            .iter()
            .map(|&[a, b, c, d, e, f, g, h]| FileQuery {
                query: jostle_ccd::Query::vertex_face([a, b, c, d], [e, f, g, h]),
                collides,
            })
            .collect();
        let mut file = Vec::new();
        queries::write(&written, &mut file).unwrap();
        // −0.0 comes back as 0.0, which is equal.
        prop_assert_eq!(queries::parse(&file, PairKind::VertexFace).unwrap(), written);
    }
}

#[test]
fn files_are_written_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("jostle-io-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = Mesh::new(vec![DVec3::X, DVec3::Y, DVec3::Z], vec![[0, 1, 2]], &[]).unwrap();
    for name in ["a.obj", "a.PLY"] {
        let path = folder.join(name);
        write_mesh(&path, &mesh).unwrap();
        assert_eq!(read_mesh(&path).unwrap(), mesh);
    }
    // By content, whatever the name.
    std::fs::rename(folder.join("a.obj"), folder.join("a.txt")).unwrap();
    assert_eq!(read_mesh(folder.join("a.txt")).unwrap(), mesh);
    std::fs::rename(folder.join("a.PLY"), folder.join("b")).unwrap();
    assert_eq!(read_mesh(folder.join("b")).unwrap(), mesh);

    let error = write_mesh(folder.join("a.stl"), &mesh)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("a.stl: meshes are written as .obj or .ply"),
        "{error}"
    );
    assert!(write_mesh(folder.join("missing/a.obj"), &mesh).is_err());
    std::fs::create_dir(folder.join("taken.obj")).unwrap();
    assert!(write_mesh(folder.join("taken.obj"), &mesh).is_err());
    let names: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn unreadable_files_are_named() {
    let error = read_mesh("no/such/file.obj").unwrap_err().to_string();
    assert!(error.starts_with("no/such/file.obj: "), "{error}");
    let error = queries::read("no/such/file.csv", None)
        .unwrap_err()
        .to_string();
    assert!(error.contains("vertex-face or edge-edge?"), "{error}");
}
