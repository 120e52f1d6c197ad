//! `jostle pairs`: the object, agreement of all methods, files of boxes, limits.

mod common;

use common::{check_header, directory, files, jostle, json};

const SMALL: [&str; 8] = [
    "pairs",
    "mixed",
    "--static-triangles",
    "2000",
    "--dynamic",
    "100",
    "--frames",
    "3",
];

#[test]
fn every_method_agrees_on_every_scene() {
    let directory = directory("pairs-agree");
    for scene in [
        &SMALL[..],
        &["pairs", "uniform", "--boxes", "1500", "--frames", "2"],
        &["pairs", "clustered", "--boxes", "1500", "--frames", "2"],
    ] {
        let object = json(&directory, &[scene, &["--compare"]].concat());
        check_header(&object, "pairs");
        let agree = object["agree"].as_array().unwrap();
        for method in jostle::broad::Method::ALL {
            assert!(agree.iter().any(|m| m == method.name()), "{method}");
        }
        assert_eq!(object["left_out"].as_array().unwrap().len(), 0);
        assert!(object["pairs"].as_u64().unwrap() > 50);
        assert_eq!(object["pairs_hash"].as_str().unwrap().len(), 16);
        for key in ["build", "update", "query", "frame", "frame_p99"] {
            assert!(object["time_ms"][key].is_number(), "{key}");
        }
        for key in ["nodes_visited", "rebuilt_treelets_per_frame", "box_tests"] {
            assert!(object[key].is_number(), "{key}");
        }
        assert!(object.get("sah_cost").is_some() && object.get("manifolds").is_some());
    }
    assert!(files(&directory).is_empty());
}

#[test]
fn the_hash_depends_on_the_boxes_alone() {
    let directory = directory("pairs-hash");
    let hash = |more: &[&str]| {
        let object = json(&directory, &[&SMALL, more].concat());
        assert!(object.get("agree").is_none());
        object["pairs_hash"].clone()
    };
    let expected = hash(&["--method", "brute"]);
    assert_eq!(hash(&["--threads", "1"]), expected);
    assert_eq!(hash(&["--threads", "2", "--simd", "scalar"]), expected);
    assert_ne!(hash(&["--seed", "1"]), expected);
}

#[test]
fn boxes_come_from_files_too() {
    let directory = directory("pairs-file");
    let text = "0 0 0 1 1 1\n1 1 1 2 2 2 # touches\n3,3,3,4,4,4\n-inf -inf 3.5 inf inf 3.5\n";
    std::fs::write(directory.join("boxes.txt"), text).unwrap();
    let object = json(&directory, &["pairs", "boxes.txt", "--compare"]);
    assert_eq!((&object["boxes"], &object["pairs"]), (&4.into(), &2.into()));

    std::fs::write(directory.join("bad.txt"), "0 0 0 1 1 1\n0 0 0 1 -1 1\n").unwrap();
    let run = jostle(&directory, &["pairs", "bad.txt"]);
    let message = run.failure(1);
    assert!(message.contains("bad.txt: line 2: box 1") && message.contains("axis y"));
}

#[test]
fn limits_and_usage() {
    let directory = directory("pairs-usage");
    for method in jostle::broad::Method::ALL {
        let limited = ["--pair-limit", "10", "--method", method.name()];
        let run = jostle(&directory, &[&SMALL[..], &limited].concat());
        let message = run.failure(1);
        assert!(message.contains("more than the 10 pairs"), "{message}");
    }
    for wrong in [
        &["pairs", "mixed", "--boxes", "7"][..],
        &["pairs", "uniform", "--dynamic", "7"],
        &["pairs", "mixed", "--method", "guess"],
        &["pairs", "mixed", "--builder", "guess"],
        &["pairs", "mixed", "--frames", "0"],
        &["pairs", "mixed", "--narrow-phase"],
    ] {
        jostle(&directory, wrong).failure(2);
    }
}
