//! `jostle sim` on scenes of bodies: the object, the same bits everywhere, recordings, options, errors.

mod common;

use std::collections::BTreeSet;

use common::{check_header, directory, files, jostle, json, write_triangles};
use serde_json::Value;

const SMALL: [&str; 6] = ["sim", "primitives", "--bodies", "9", "--frames", "50"];

fn number(object: &Value, key: &str) -> f64 {
    let value = object[key].as_f64();
    value.unwrap_or_else(|| panic!("{key} is no number in {object:#}"))
}

#[test]
fn a_heap_has_every_key() {
    let directory = directory("sim-bodies-keys");
    let object = json(&directory, &[&SMALL[..], &["--warm-up", "40"]].concat());
    check_header(&object, "sim");
    for (key, value) in [
        ("bodies", 9),
        ("moving", 8),
        ("frames", 50),
        ("warm_up", 40),
    ] {
        assert_eq!(object[key], value, "{key}");
    }
    for (key, value) in [("scene", "primitives"), ("optimizer", "projected")] {
        assert_eq!(object[key], value, "{key}");
    }
    assert_eq!(object["escaped"], 0);
    for key in [
        "broad",
        "collide",
        "solve",
        "step",
        "step_mean",
        "step_p99",
        "total",
    ] {
        assert!(number(&object["time_ms"], key) > 0.0, "{key}");
    }
    for key in [
        "pairs_mean",
        "contacts_mean",
        "field_evaluations_mean",
        "real_time_factor",
        "kinetic_energy_mean",
    ] {
        assert!(number(&object, key) > 0.0, "{key}");
    }
    for key in ["kinetic_energy_end", "max_penetration"] {
        assert!(number(&object, key) >= 0.0, "{key}");
    }
    assert!(number(&object, "max_penetration") < 0.3);
    assert_eq!(object["momentum"].as_array().unwrap().len(), 3);
    assert_eq!(object["state_hash"].as_str().unwrap().len(), 16);
    assert!(object.get("record").is_none() && files(&directory).is_empty());
}

#[test]
fn the_hash_depends_on_the_scene_and_the_options_alone() {
    let directory = directory("sim-bodies-hash");
    let hash = |more: &[&str]| json(&directory, &[&SMALL, more].concat())["state_hash"].clone();
    let expected = hash(&["--threads", "1"]);
    assert_eq!(hash(&["--threads", "2"]), expected);
    for level in jostle::simd::SimdLevel::available() {
        assert_eq!(hash(&["--simd", level.name()]), expected, "{level}");
    }
    for other in [
        &["--seed", "1"][..],
        &["--friction", "0.1"],
        &["--restitution", "0.9"],
        &["--substeps", "5"],
        &["--optimizer", "nelder-mead"],
        &["--optimizer", "ellipsoid"],
        &["--optimizer", "sgd"],
        &["--cache", "3"],
        &["--random", "3"],
        &["--epsilon", "0.0"],
        &["--alpha", "0.02"],
        &["--margin", "0.03"],
        &["--no-curvature"],
    ] {
        assert_ne!(hash(other), expected, "{other:?}");
    }
}

#[test]
fn a_recording_has_a_line_for_each_body_and_frame() {
    let directory = directory("sim-bodies-record");
    let files_asked = ["--record", "r.csv", "--picture", "p.png"];
    let arguments = [
        "sim",
        "box-stack",
        "--bodies",
        "5",
        "--frames",
        "3",
        "--warm-up",
        "1",
    ];
    let object = json(&directory, &[&arguments[..], &files_asked].concat());
    assert_eq!(
        (&object["record"], &object["picture"]),
        (&"r.csv".into(), &"p.png".into())
    );
    assert_eq!(files(&directory), ["p.png", "r.csv"]);
    let text = std::fs::read_to_string(directory.join("r.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("frame,id,px,py,pz,qx,qy,qz,qw"));
    let mut seen = BTreeSet::new();
    for line in lines {
        let fields: Vec<f64> = line.split(',').map(|f| f.parse().unwrap()).collect();
        assert!(
            fields.len() == 9 && fields.iter().all(|f| f.is_finite()),
            "{line}"
        );
        let length: f64 = fields[5..].iter().map(|q| q * q).sum();
        assert!((length - 1.0).abs() < 1e-9, "{line}");
        assert!(
            seen.insert((fields[0] as u64, fields[1] as u64)),
            "{line} again"
        );
    }
    assert_eq!(seen.len(), 5 * 5);
    assert_eq!(seen.last(), Some(&(4, 4)));
    let png = std::fs::read(directory.join("p.png")).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
}

#[test]
fn every_scene_is_listed_and_steps() {
    let directory = directory("sim-bodies-list");
    let object = json(&directory, &["sim", "--list"]);
    let scenes = object["scenes"].as_array().unwrap();
    let of_bodies: Vec<_> = scenes
        .iter()
        .filter(|scene| scene["kind"] == "bodies")
        .collect();
    assert_eq!(of_bodies.len(), 15);
    for scene in of_bodies {
        let name = scene["name"].as_str().unwrap();
        assert!(scene["bodies"].as_u64().unwrap() >= 11, "{name}");
        let arguments = ["sim", name, "--bodies", "16", "--frames", "4"];
        let object = json(&directory, &arguments);
        assert_eq!(
            (&object["escaped"], &object["bodies"]),
            (&0.into(), &16.into()),
            "{name}"
        );
    }
}

#[test]
fn options_that_mean_nothing_and_bad_meshes_are_refused_with_the_reason() {
    let directory = directory("sim-bodies-bad");
    write_triangles(&directory, "two.obj", "1");
    std::fs::write(directory.join("none.obj"), "v 0 0 0\n").unwrap();
    let fails = |status: i32, arguments: &[&str], word: &str| {
        let run = jostle(
            &directory,
            &[&["sim"], arguments, &["--record", "r.csv"]].concat(),
        );
        let message = run.failure(status);
        assert!(message.contains(word), "{word:?} is not in {message:?}");
        assert_eq!(
            files(&directory),
            ["none.obj", "two.obj"],
            "no half recording"
        );
    };
    for option in [
        &["--outlet", "3"][..],
        &["--half-angle", "50"],
        &["--no-recycle"],
        &["--radius", "0.1"],
        &["--rolling", "0.1"],
        &["--mesh", "two.obj"],
    ] {
        fails(2, &[&["box-stack"], option].concat(), option[0]);
    }
    for option in [
        &["--optimizer", "sgd"][..],
        &["--cache", "3"],
        &["--random", "3"],
        &["--epsilon", "0.1"],
        &["--alpha", "0.1"],
        &["--tau", "0.1"],
        &["--iterations", "3"],
        &["--no-curvature"],
        &["--margin", "0.1"],
        &["--mesh", "two.obj"],
    ] {
        fails(
            2,
            &[&["hopper", "--bodies", "100"], option].concat(),
            option[0],
        );
    }
    for wrong in [
        ["--bodies", "1"],
        ["--cache", "0"],
        ["--cache", "33"],
        ["--random", "33"],
        ["--epsilon", "-1"],
        ["--margin", "NaN"],
        ["--optimizer", "best"],
        ["--iterations", "0"],
    ] {
        fails(2, &[&["bunny-pile"], &wrong[..]].concat(), wrong[0]);
    }
    fails(2, &["nowhere"], "bunny-pile");
    fails(1, &["bunny-pile", "--mesh", "none.obj"], "no face");
    fails(1, &["bunny-pile", "--mesh", "missing.obj"], "missing.obj");
}
