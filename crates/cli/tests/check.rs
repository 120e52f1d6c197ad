//! `jostle check`: what it finds, in which words, and what it refuses.

mod common;

use common::{check_header, directory, jostle, json};
use serde_json::json;

const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn a_clean_mesh_has_no_issues() {
    let directory = directory("check-clean");
    std::fs::write(directory.join("a.obj"), TETRAHEDRON).unwrap();
    let object = json(&directory, &["check", "a.obj"]);
    check_header(&object, "check");
    assert_eq!(object["issues"], json!([]));
    assert_eq!(object["self_intersections"], json!([]));
    assert_eq!(object["clean"], true);
    assert!(object["time_ms"].is_object());
    let run = jostle(&directory, &["check", "a.obj"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("no issues found"), "{}", run.stdout);
}

#[test]
fn faults_are_counted_and_the_first_is_named() {
    let directory = directory("check-faults");
    // A face through the tetrahedron, a vertex twice in another, and a vertex that nothing uses.
    let more = "v 0.25 0.25 -1\nv 0.25 0.25 2\nv 5 5 5\nv 9 9 9\nf 5 6 7\nf 7 7 6\n";
    std::fs::write(directory.join("a.obj"), format!("{TETRAHEDRON}{more}")).unwrap();
    let object = json(&directory, &["check", "a.obj"]);
    let pairs = json!([[0, 4], [2, 4]]);
    let issues = json!([
        {"kind": "open-edge", "count": 3, "first": [4, 5]},
        {"kind": "degenerate-face", "count": 1, "first": 5},
        {"kind": "unreferenced-vertex", "count": 1, "first": 7},
        {"kind": "self-intersection", "count": 2, "first": [0, 4]},
    ]);
    assert_eq!(object["issues"], issues);
    assert_eq!(object["self_intersections"], pairs);
    assert_eq!(object["clean"], false);

    let limited = json(&directory, &["check", "a.obj", "--pair-limit", "1"]);
    assert_eq!(limited["self_intersections"], json!([[0, 4]]));
    assert_eq!(limited["issues"], issues);

    let run = jostle(&directory, &["check", "a.obj"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for words in ["open-edge", "vertices 4 and 5", "faces 0 and 4"] {
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
}

#[test]
fn bad_files_are_named() {
    let directory = directory("check-bad");
    std::fs::write(directory.join("bad.obj"), "v 0 0 0\nf 1 2 3\n").unwrap();
    for (arguments, status, words) in [
        (&["check", "nowhere.obj"][..], 1, "nowhere.obj"),
        (&["check", "bad.obj"], 1, "line 2"),
        (&["check"], 2, "MESH"),
        (
            &["check", "bad.obj", "--pair-limit", "many"],
            2,
            "--pair-limit",
        ),
    ] {
        let run = jostle(&directory, arguments);
        let message = run.failure(status);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn the_bunny_on_any_number_of_threads() {
    let Some(data) = jostle_testkit::data_dir() else {
        return;
    };
    let directory = directory("check-bunny");
    let path = data.join("meshes/stanford-bunny.obj");
    let path = path.to_str().unwrap();
    let object = json(&directory, &["check", path, "--threads", "1"]);
    let count = |kind: &str| {
        let issues = object["issues"].as_array().unwrap();
        let issue = issues.iter().find(|issue| issue["kind"] == kind);
        issue.map_or(0, |issue| issue["count"].as_u64().unwrap())
    };
    assert_eq!(count("open-edge"), 223);
    assert_eq!(count("unreferenced-vertex"), 1113);
    assert_eq!(count("self-intersection"), 0);
    let more = json(&directory, &["check", path, "--threads", "3"]);
    assert_eq!(more["issues"], object["issues"]);
}
