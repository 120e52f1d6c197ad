//! `jostle queries`: sums, the file of answers, and the same answers on any number of threads.

mod common;

use std::path::{Path, PathBuf};

use common::{check_header, directory, json};
use serde_json::Value;

/// A directory with one file of each kind: a vertex that falls through a face, and one that stops
/// above it; edges that cross, with a wrong truth, and edges that stay apart.
fn with_queries(test: &str) -> PathBuf {
    let directory = directory(test);
    let rows = |points: [[&str; 3]; 8], truth: &str| -> String {
        let row = |[x, y, z]: [&str; 3]| format!("{x},{y},{z},{truth}\n");
        points.map(row).concat()
    };
    let face = |z0, z1| {
        let corners = [
            ["0,1", "0,1", "0,1"],
            ["4,1", "0,1", "0,1"],
            ["0,1", "4,1", "0,1"],
        ];
        let [a, b, c] = corners;
        [["1,1", "1,1", z0], a, b, c, ["1,1", "1,1", z1], a, b, c]
    };
    let edges = |z0, z1| {
        let [a, b] = [["-1,1", "0,1", "0,1"], ["1,1", "0,1", "0,1"]];
        let upper = |z| [["0,1", "-1,1", z], ["0,1", "1,1", z]];
        let ([c, d], [e, f]) = (upper(z0), upper(z1));
        [a, b, c, d, a, b, e, f]
    };
    let vf = rows(face("1,1", "-3,1"), "1") + &rows(face("1,1", "1,3"), "0");
    let ee = rows(edges("1,1", "-1,1"), "0") + &rows(edges("1,1", "1,2"), "0");
    std::fs::create_dir(directory.join("vertex-face")).unwrap();
    std::fs::write(directory.join("vertex-face/data.csv"), vf).unwrap();
    std::fs::write(directory.join("data_ee.csv"), ee).unwrap();
    directory
}

const FILES: [&str; 3] = ["queries", "vertex-face/data.csv", "data_ee.csv"];

#[test]
fn sums_and_truth() {
    let directory = with_queries("queries-sums");
    let object = json(&directory, &FILES);
    check_header(&object, "queries");
    for (key, value) in [
        ("queries", 4),
        ("collisions", 2),
        ("undecided", 0),
        ("false_positives", 1),
        ("false_negatives", 0),
    ] {
        assert_eq!(object[key], value, "{key}");
    }
    let (mean, max) = (object["mean_us"].as_f64(), object["max_us"].as_f64());
    assert!(mean > Some(0.0) && max >= mean);
    let exact = json(&directory, &[&FILES[..], &["--exact"]].concat());
    assert_eq!(exact["collisions"], 2);
}

#[test]
fn without_truth_nothing_is_false() {
    let directory = with_queries("queries-plain");
    let text = std::fs::read_to_string(directory.join("data_ee.csv")).unwrap();
    std::fs::write(directory.join("plain_ee.csv"), text.replace(",0\n", "\n")).unwrap();
    let object = json(&directory, &["queries", "plain_ee.csv"]);
    assert_eq!(object["queries"], 2);
    assert!(object.get("false_positives").is_none());
    assert!(object.get("false_negatives").is_none());
}

#[test]
fn answers_are_rows_of_csv() {
    let directory = with_queries("queries-out");
    let out = |threads: &str| {
        let more = ["--out", "out.csv", "--threads", threads];
        json(&directory, &[&FILES[..], &more].concat());
        std::fs::read_to_string(directory.join("out.csv")).unwrap()
    };
    let text = out("1");
    assert_eq!(text, out("3"));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], "file,index,collides,toi,undecided");
    let first: Vec<_> = lines[1].split(',').collect();
    assert_eq!(first[..3], ["vertex-face/data.csv", "0", "true"]);
    let toi: f64 = first[3].parse().unwrap();
    assert!(toi <= 0.25 && toi > 0.25 - 1e-9, "{toi}");
    assert_eq!(first[4], "false");
    assert_eq!(lines[2], "vertex-face/data.csv,1,false,,false");
    assert!(lines[3].starts_with("data_ee.csv,0,true,"));
    assert_eq!(lines[4], "data_ee.csv,1,false,,false");
}

#[test]
fn a_separation_and_every_method_are_taken() {
    let directory = with_queries("queries-options");
    let collisions =
        |more: &[&str]| json(&directory, &[&FILES[..], more].concat())["collisions"].clone();
    for method in ["separating", "inclusion", "additive"] {
        assert_eq!(collisions(&["--narrow-phase", method]), 2, "{method}");
    }
    assert_eq!(collisions(&["--min-separation", "0.6"]), 4);
}

#[test]
fn an_undecided_query_counts_as_a_collision() {
    let directory = with_queries("queries-undecided");
    let more = ["--narrow-phase", "inclusion", "--max-iterations", "1"];
    let object = json(&directory, &[&FILES[..], &more].concat());
    let undecided = object["undecided"].as_u64().unwrap();
    assert!(undecided > 0);
    assert!(object["collisions"].as_u64().unwrap() >= undecided);
    assert_eq!(object["false_negatives"], 0);
}

fn all_files(data: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for set in std::fs::read_dir(data.join("ccd-queries"))
        .unwrap()
        .flatten()
    {
        for kind in ["edge-edge", "vertex-face"] {
            let Ok(entries) = std::fs::read_dir(set.path().join(kind)) else {
                continue;
            };
            let paths = entries.flatten().map(|entry| entry.path());
            let tables = paths.filter(|path| path.extension().is_some_and(|e| e == "csv"));
            files.extend(tables.map(|path| path.to_str().unwrap().to_owned()));
        }
    }
    files.sort();
    files
}

#[test]
fn public_queries_have_no_false_negative() {
    let Some(data) = jostle_testkit::data_dir() else {
        return;
    };
    let directory = directory("queries-public");
    let files = all_files(&data);
    let mut arguments = vec!["queries"];
    arguments.extend(files.iter().map(String::as_str));
    let object = json(&directory, &arguments);
    assert_eq!(object["false_negatives"], 0);
    assert!(object["false_positives"].as_u64().unwrap() <= 5);
    arguments.push("--exact");
    let exact: Value = json(&directory, &arguments);
    for key in ["false_negatives", "false_positives", "undecided"] {
        assert_eq!(exact[key], 0, "{key} in exact mode");
    }
}
