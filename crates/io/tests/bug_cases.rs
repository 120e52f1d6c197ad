//! Mesh files that other readers got wrong; see `testkit/corpus/mesh-files`.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use glam::DVec3;
use jostle_geom::Mesh;
use jostle_io::read_mesh;
use serde_json::Value;

fn triangles(mesh: &Mesh) -> impl Iterator<Item = [DVec3; 3]> {
    let corners = |face: &[u32; 3]| face.map(|v| mesh.positions[v as usize]);
    mesh.topology.faces().iter().map(corners)
}

fn volume<'a>(mesh: &Mesh, faces: impl Iterator<Item = &'a [u32; 3]>) -> f64 {
    faces
        .map(|face| {
            let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

/// Each directed edge once, and its opposite as well.
fn is_closed(mesh: &Mesh) -> bool {
    let mut directed = HashSet::new();
    for &[a, b, c] in mesh.topology.faces() {
        if ![[a, b], [b, c], [c, a]]
            .into_iter()
            .all(|e| directed.insert(e))
        {
            return false;
        }
    }
    directed.iter().all(|&[a, b]| directed.contains(&[b, a]))
}

/// What a case may ask about a mesh.
fn property(mesh: &Mesh, name: &str) -> Value {
    let faces = mesh.topology.faces();
    let used: HashSet<u32> = faces.iter().flatten().copied().collect();
    let distinct: HashMap<_, _> = faces
        .iter()
        .map(|face| {
            let mut sorted = *face;
            sorted.sort_unstable();
            (sorted, face)
        })
        .collect();
    match name {
        "vertices" => mesh.positions.len().into(),
        "triangles" => faces.len().into(),
        "edges" => mesh.topology.edges().len().into(),
        "unreferenced" => (mesh.positions.len() - used.len()).into(),
        "duplicate_faces" => (faces.len() - distinct.len()).into(),
        "closed" => is_closed(mesh).into(),
        "volume" => volume(mesh, faces.iter()).into(),
        "volume_without_duplicates" => volume(mesh, distinct.into_values()).into(),
        "area" => triangles(mesh)
            .map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0)
            .sum::<f64>()
            .into(),
        "bounds" => {
            let points = || triangles(mesh).flatten();
            let low = points().reduce(DVec3::min).unwrap_or_default();
            let high = points().reduce(DVec3::max).unwrap_or_default();
            serde_json::json!([low.to_array(), high.to_array()])
        }
        _ => panic!("unknown property {name}"),
    }
}

/// Equal but for 1e-6 in numbers.
fn agree(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Array(f), Value::Array(e)) => {
            f.len() == e.len() && f.iter().zip(e).all(|(f, e)| agree(f, e))
        }
        _ => match (found.as_f64(), expected.as_f64()) {
            (Some(f), Some(e)) => (f - e).abs() <= 1e-6,
            _ => found == expected,
        },
    }
}

fn run(id: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testkit/corpus/mesh-files");
    let cases = std::fs::read(folder.join("cases.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_slice(&cases).unwrap();
    let mut found = 0;
    for case in cases.iter().filter(|case| case["id"] == id) {
        found += 1;
        let file = case["file"].as_str().unwrap();
        let expect = case["expect"].as_object().unwrap();
        let result = read_mesh(folder.join(file));
        if let Some(part) = expect.get("error") {
            let message = result.expect_err(file).to_string();
            assert!(message.contains(part.as_str().unwrap()), "{message}");
            assert!(message.contains(file), "{message}");
            continue;
        }
        let mesh = result.expect(file);
        for (name, expected) in expect {
            let value = property(&mesh, name);
            assert!(
                agree(&value, expected),
                "{file}: {name} is {value}, expected {expected}"
            );
        }
    }
    assert!(found > 0, "no case {id}");
}

#[test]
fn bug_l01_relative_indices_count_from_the_end_so_far() {
    run("L01");
}

#[test]
fn bug_l02_every_way_to_write_a_reference() {
    run("L02");
}

#[test]
fn bug_l04_indices_without_vertex_are_errors() {
    run("L04");
}

#[test]
fn bug_l05_colours_w_and_unused_vertices() {
    run("L05");
}

#[test]
fn bug_l06_ply_text_with_cr_lf_and_blanks() {
    run("L06");
}

#[test]
fn bug_l07_binary_body_starts_right_after_the_header_line() {
    run("L07");
}

#[test]
fn bug_l09_list_types_and_elements_before_the_vertices() {
    run("L09");
}

#[test]
fn bug_l10_stray_bytes_pass_and_missing_ones_do_not() {
    run("L10");
}

#[test]
fn bug_l11_binary_stl_is_known_by_its_size() {
    run("L11");
}

#[test]
fn bug_l13_hostile_counts_and_values() {
    run("L13");
}

#[test]
fn bug_l14_zeros_of_both_signs_are_welded() {
    run("L14");
}
