//! `jostle sim`: the object, the same bits everywhere, recordings, errors.

mod common;

use std::collections::BTreeSet;

use common::{check_header, directory, files, jostle, json};
use serde_json::Value;

const SMALL: [&str; 6] = ["sim", "hopper", "--bodies", "700", "--frames", "40"];

fn number(object: &Value, key: &str) -> f64 {
    let value = object[key].as_f64();
    value.unwrap_or_else(|| panic!("{key} is no number in {object:#}"))
}

#[test]
fn a_hopper_has_every_key_and_keeps_its_books() {
    let directory = directory("sim-keys");
    let object = json(&directory, &SMALL);
    check_header(&object, "sim");
    assert_eq!(
        (&object["scene"], &object["bodies"]),
        (&"hopper".into(), &700.into())
    );
    assert_eq!(
        (&object["frames"], &object["escaped"]),
        (&40.into(), &0.into())
    );
    for key in ["broad", "solve", "step", "step_p99", "total"] {
        assert!(number(&object["time_ms"], key) > 0.0, "{key}");
    }
    assert!(object["time_ms"]["collide"].is_null());
    for key in ["field_evaluations_mean", "energy", "drained"] {
        number(&object, key);
    }
    for key in [
        "kinetic_energy_end",
        "max_penetration",
        "overlap_mean",
        "real_time_factor",
        "rebuilds_mean",
        "contacts_mean",
    ] {
        assert!(number(&object, key) > 0.0, "{key}");
    }
    assert!(number(&object, "pairs_mean") > number(&object, "contacts_mean") * 0.8);
    assert!(number(&object, "overlap_max") >= number(&object, "overlap_mean"));
    assert!(number(&object, "substeps_mean") >= number(&object, "substeps"));
    assert_eq!(object["momentum"].as_array().unwrap().len(), 3);
    let emitted = number(&object, "inside") + number(&object, "drained");
    assert_eq!(number(&object, "emitted"), emitted);
    assert_eq!(object["state_hash"].as_str().unwrap().len(), 16);
    assert!(object.get("record").is_none() && files(&directory).is_empty());
}

#[test]
fn the_hash_depends_on_the_scene_alone() {
    let directory = directory("sim-hash");
    let hash = |more: &[&str]| json(&directory, &[&SMALL, more].concat())["state_hash"].clone();
    let expected = hash(&["--threads", "1"]);
    assert_eq!(hash(&["--threads", "2"]), expected);
    for level in jostle::simd::SimdLevel::available() {
        assert_eq!(hash(&["--simd", level.name()]), expected, "{level}");
    }
    for other in [
        ["--seed", "1"],
        ["--outlet", "6"],
        ["--friction", "0.1"],
        ["--restitution", "0.9"],
        ["--rolling", "0.1"],
        ["--radius", "0.01"],
        ["--substeps", "400"],
    ] {
        assert_ne!(hash(&other), expected, "{other:?}");
    }
}

#[test]
fn grains_leave_for_good_when_told_to() {
    let directory = directory("sim-drain");
    let more = ["--no-recycle", "--outlet", "6", "--half-angle", "20"];
    let mut arguments = SMALL.to_vec();
    arguments[5] = "120";
    let object = json(&directory, &[&arguments, &more[..]].concat());
    assert_eq!(object["emitted"], 700);
    assert!(number(&object, "drained") > 20.0);
    arguments.extend(["--outlet", "0"]);
    let shut = json(&directory, &arguments);
    assert_eq!(
        (&shut["drained"], &shut["inside"]),
        (&0.into(), &700.into())
    );
}

#[test]
fn a_recording_has_a_line_for_each_grain_and_frame() {
    let directory = directory("sim-record");
    let arguments = ["sim", "hopper", "--bodies", "50", "--frames", "3"];
    let object = json(
        &directory,
        &[&arguments[..], &["--record", "r.csv"]].concat(),
    );
    assert_eq!(object["record"], "r.csv");
    assert_eq!(files(&directory), ["r.csv"]);
    let text = std::fs::read_to_string(directory.join("r.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("frame,id,x,y,z,r"));
    let mut seen = BTreeSet::new();
    for line in lines {
        let fields: Vec<f64> = line.split(',').map(|f| f.parse().unwrap()).collect();
        assert!(
            fields.len() == 6 && fields.iter().all(|f| f.is_finite()),
            "{line}"
        );
        assert!(
            seen.insert((fields[0] as u64, fields[1] as u64)),
            "{line} again"
        );
    }
    assert_eq!(seen.len(), 4 * 50);
    assert_eq!(seen.last(), Some(&(3, 49)));
}

#[test]
fn scenes_are_listed() {
    let directory = directory("sim-list");
    let run = jostle(&directory, &["sim", "--list"]);
    assert!(
        run.status == 0 && run.stdout.contains("hopper"),
        "{}",
        run.stderr
    );
    let object = json(&directory, &["sim", "--list"]);
    check_header(&object, "sim");
    let scenes = object["scenes"].as_array().unwrap();
    assert!(scenes.iter().any(|scene| scene["name"] == "hopper"));
    for scene in scenes.iter().filter(|scene| scene["kind"] == "grains") {
        let name = scene["name"].as_str().unwrap();
        let arguments = ["sim", name, "--bodies", "600", "--frames", "5"];
        assert_eq!(json(&directory, &arguments)["escaped"], 0, "{name}");
    }
}

#[test]
fn what_cannot_be_stepped_is_refused_with_the_reason() {
    let directory = directory("sim-bad");
    let fails = |status: i32, more: &[&str], word: &str| {
        let arguments = [&SMALL, more, &["--record", "r.csv"]].concat();
        let run = jostle(&directory, &arguments);
        let message = run.failure(status);
        assert!(message.contains(word), "{word:?} is not in {message:?}");
        assert!(files(&directory).is_empty(), "no half recording");
    };
    fails(1, &["--substeps", "2"], "beyond the stability limit");
    fails(1, &["--radius", "1e-9"], "radius");
    fails(1, &["--friction", "1e9"], "friction");
    for wrong in [
        ["--bodies", "0"],
        ["--frames", "0"],
        ["--substeps", "0"],
        ["--radius", "0"],
        ["--radius", "-1"],
        ["--radius", "NaN"],
        ["--outlet", "-1"],
        ["--half-angle", "91"],
        ["--friction", "-0.5"],
        ["--restitution", "1.5"],
        ["--restitution", "0"],
        ["--rolling", "inf"],
    ] {
        fails(2, &wrong, wrong[0]);
    }
    for wrong in [
        &["sim"][..],
        &["sim", "nowhere"],
        &["sim", "hopper", "--list"],
    ] {
        jostle(&directory, wrong).failure(2);
    }
    let run = jostle(
        &directory,
        &[&SMALL[..], &["--record", "no/such/r.csv"]].concat(),
    );
    assert!(run.failure(1).contains("no/such/r.csv"));
}
