//! `jostle bake`: what it reports, what it writes, and what it refuses.

mod common;

use common::{check_header, directory, files, jostle, json};
use glam::DVec3;
use jostle::geom::Rng;
use jostle::sdf::MeshDistance;
use jostle::sdf::voxel::VoxelField;
use serde_json::Value;

/// The unit cube, without its lid when `open`.
fn write_cube(directory: &std::path::Path, name: &str, open: bool) {
    let square = |z: u32| format!("v 0 0 {z}\nv 1 0 {z}\nv 1 1 {z}\nv 0 1 {z}\n");
    let mut text = square(0) + &square(1);
    text.push_str("f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    if !open {
        text.push_str("f 5 6 7 8\n");
    }
    std::fs::write(directory.join(name), text).unwrap();
}

fn number(object: &Value, key: &str) -> f64 {
    object[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key}: {object}"))
}

#[test]
fn a_closed_mesh_is_reported_and_its_field_written() {
    let directory = directory("bake-cube");
    write_cube(&directory, "a.obj", false);
    let arguments = [
        "bake",
        "a.obj",
        "--resolution",
        "30",
        "--points",
        "5000",
        "--check",
        "--out",
        "a.field",
    ];
    let object = json(&directory, &arguments);
    check_header(&object, "bake");
    assert_eq!(object["resolution"], 30);
    assert_eq!(object["closed"], true);
    assert_eq!(object["open_edges"], 0);
    assert_eq!(object["flipped"], false);
    assert_eq!(object["ok"], true);
    assert_eq!(object["points"], 5000);
    assert!((number(&object, "volume") - 1.0).abs() < 1e-12);
    assert!(number(&object, "max_error") <= number(&object, "error_bound"));
    assert_eq!(object["max_error"], object["max_error_closed"]);
    assert!(object["seeds"].as_u64().unwrap() >= 8, "{object}");
    assert!(object["time_ms"]["bake"].is_number());
    let bytes = std::fs::read(directory.join("a.field")).unwrap();
    assert_eq!(object["bytes"], bytes.len());
    let field = VoxelField::from_bytes(&bytes).unwrap();
    assert!((field.sample(glam::Vec3::splat(0.5)).value + 0.5).abs() < 0.05);

    // The same bytes on any number of threads.
    for threads in ["1", "3"] {
        let more = ["--threads", threads];
        let run = jostle(&directory, &[&arguments[..], &more[..]].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stdout.contains("Lipschitz"), "{}", run.stdout);
        assert_eq!(std::fs::read(directory.join("a.field")).unwrap(), bytes);
    }
    assert_eq!(files(&directory), ["a.field", "a.obj"]);
}

#[test]
fn an_open_mesh_is_said_to_be_open() {
    let directory = directory("bake-open");
    write_cube(&directory, "a.obj", true);
    let arguments = ["bake", "a.obj", "--resolution", "30", "--points", "5000"];
    let object = json(&directory, &arguments);
    assert_eq!(object["closed"], false);
    assert_eq!(object["open_edges"], 4);
    assert_eq!(object["ok"], true);
    // In the opening the field stands for more than the mesh.
    assert!(number(&object, "max_error") > 0.2, "{object}");
    assert!(number(&object, "max_error_closed") < 0.1, "{object}");
    let run = jostle(&directory, &arguments);
    assert!(run.stdout.contains("4 open edges"), "{}", run.stdout);

    let scaled = json(
        &directory,
        &["bake", "a.obj", "--normalize", "--points", "100"],
    );
    assert_eq!(scaled["centre"], serde_json::json!([0.5, 0.5, 0.5]));
    assert_eq!(scaled["resolution"], 100);
}

#[test]
fn bad_meshes_options_and_files_are_named() {
    let directory = directory("bake-bad");
    write_cube(&directory, "a.obj", false);
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    write("points.obj", "v 0 0 0\nv 1 0 0\np 1 2\n");
    write("dot.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n");
    write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    write("empty.obj", "");
    for (arguments, status, words) in [
        (&["bake"][..], 2, "MESH"),
        (&["bake", "nowhere.obj"], 1, "nowhere.obj"),
        (
            &["bake", "points.obj"],
            1,
            "points.obj: the mesh has no faces",
        ),
        (&["bake", "dot.obj"], 1, "dot.obj: the mesh has no extent"),
        (&["bake", "nan.obj"], 1, "nan.obj: line 2"),
        (&["bake", "empty.obj"], 1, "empty.obj"),
        (&["bake", "a.obj", "--resolution", "0"], 2, "--resolution"),
        (
            &["bake", "a.obj", "--resolution", "many"],
            2,
            "--resolution",
        ),
        (
            &["bake", "a.obj", "--memory-limit", "1MiB"],
            1,
            "the limit is 1048576",
        ),
        (
            &["bake", "a.obj", "--memory-limit", "much"],
            2,
            "--memory-limit",
        ),
        (
            &["bake", "a.obj", "--points", "9", "--out", "no/a.field"],
            1,
            "no/a.field",
        ),
    ] {
        let run = jostle(&directory, arguments);
        let message = run.failure(status);
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    assert_eq!(
        files(&directory),
        ["a.obj", "dot.obj", "empty.obj", "nan.obj", "points.obj"]
    );
}

/// Bakes a mesh of the data sets and compares its field with exact distances at 100,000 points of our own.
fn real(name: &str) -> Option<Value> {
    let data = jostle_testkit::data_dir()?;
    let directory = directory(&format!("bake-{name}"));
    let path = data.join(format!("meshes/{name}.obj"));
    let path = path.to_str().unwrap();
    let object = json(&directory, &["bake", path, "--check", "--out", "a.field"]);
    assert_eq!(object["ok"], true);
    assert_eq!(object["points"], 100_000);
    let mesh = MeshDistance::new(&jostle::io::read_mesh(path).unwrap()).unwrap();
    let field = VoxelField::from_bytes(&std::fs::read(directory.join("a.field")).unwrap()).unwrap();
    assert_eq!(object["closed"], mesh.is_closed());
    let grid = field.grid_box();
    let (low, high) = (grid.min.as_dvec3(), grid.max.as_dvec3());
    let mut rng = Rng::new(99, 0);
    let mut worst = 0.0_f64;
    for _ in 0..100_000 {
        let p = (low + (high - low) * (0.5 + 0.5 * rng.cube())).as_vec3();
        let exact = mesh.sample(DVec3::from(p)).unwrap().signed_distance;
        worst = worst.max((f64::from(field.sample(p).value) - exact).abs());
    }
    // Other points: the largest error among them is about the same.
    let reported = number(&object, "max_error");
    assert!(
        worst < 1.25 * reported,
        "{worst} is more than the reported {reported}"
    );
    assert!(
        reported < 3.0 * worst,
        "{worst} is less than the reported {reported}"
    );
    // Where there is a surface, the field is good to half a cell.
    let near = number(&object, "max_error_closed_near");
    assert!(near < 0.8 * f64::from(field.spacing()), "{near}");
    assert!(number(&object, "lipschitz") < 3.0, "{object}");
    assert!(object["seeds"].as_u64().unwrap() > 0);
    Some(object)
}

#[test]
fn the_bunny_has_holes_and_a_true_field() {
    if let Some(object) = real("stanford-bunny") {
        assert_eq!(object["closed"], false);
        assert_eq!(object["open_edges"], 223);
    }
}

#[test]
fn the_teapot_is_open_intersects_itself_and_has_a_true_field() {
    if let Some(object) = real("teapot") {
        assert_eq!(object["closed"], false);
        assert!(object["open_edges"].as_u64().unwrap() > 0);
    }
}

#[test]
fn the_cow_intersects_itself_and_is_closed() {
    if let Some(object) = real("cow") {
        assert_eq!(object["closed"], true);
        assert_eq!(object["max_error"], object["max_error_closed"]);
    }
}
