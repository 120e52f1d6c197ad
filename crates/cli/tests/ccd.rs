//! `jostle ccd`: the JSON object, the files it writes, and the same answer however it is asked.

mod common;

use common::{check_header, cloth, cloud, directory, jostle, json, write_frames, write_triangles};
use jostle::ccd::step::{StepOptions, candidates};
use jostle::geom::PairKind;
use jostle::simd::SimdLevel;
use serde_json::{Value, json};

/// What does not depend on how a step is worked on.
fn answer(object: &Value) -> Value {
    let steps = object["steps"].as_array().unwrap().iter();
    let keys = ["toi", "undecided", "pair", "candidates", "hits"];
    steps
        .map(|step| keys.map(|key| step.get(key).cloned().unwrap_or(Value::Null)))
        .map(Value::from_iter)
        .collect()
}

#[test]
fn the_object_has_the_keys_of_the_contract() {
    let directory = directory("ccd-keys");
    let scene = cloth(2);
    write_frames(&directory, &scene);
    let run = jostle(&directory, &["ccd", "0.ply", "1.ply", "--json"]);
    assert!(run.stdout.starts_with("{\n  \"schema\": \"jostle.ccd/1\","));
    let object = run.json();
    check_header(&object, "ccd");
    let topology = &scene.topology;
    assert_eq!(object["vertices"], topology.vertex_count());
    assert_eq!(object["edges"], topology.edges().len());
    assert_eq!(object["faces"], topology.faces().len());

    let step = &object["steps"][0];
    let toi = step["toi"].as_f64().unwrap();
    assert!(toi > 0.0 && toi < 1.0, "{toi}");
    assert_eq!(step["undecided"], false);
    let kind = step["pair"]["kind"].as_str().unwrap();
    assert!(kind == "vf" || kind == "ee");
    let boxes = topology.box_count() as u64;
    for end in ["a", "b"] {
        assert!(step["pair"][end].as_u64().unwrap() < boxes);
    }
    for (group, keys) in [
        ("candidates", &["vf", "ee"][..]),
        ("batches", &["broad", "narrow"]),
        ("time_ms", &["load", "boxes", "broad", "narrow", "total"]),
    ] {
        for key in keys {
            assert!(step[group][key].is_number(), "{group}.{key}");
        }
    }
    assert!(step.get("rss_after_load_bytes").is_some());
}

#[test]
fn a_step_without_contact_has_no_toi() {
    let directory = directory("ccd-free");
    write_triangles(&directory, "a.obj", "2");
    write_triangles(&directory, "b.obj", "1");
    write_triangles(&directory, "c.obj", "-1");
    let object = json(&directory, &["ccd", "a.obj", "b.obj", "c.obj", "--all"]);
    let steps = object["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2, "one a step");
    assert_eq!(steps[0]["toi"], Value::Null);
    assert_eq!(steps[0]["pair"], Value::Null);
    assert_eq!(steps[0]["undecided"], false);
    let toi = steps[1]["toi"].as_f64().unwrap();
    assert!(toi <= 0.5 && toi > 0.5 - 1e-9, "{toi}");

    let near = json(
        &directory,
        &["ccd", "a.obj", "b.obj", "--min-separation", "1.5"],
    );
    let toi = near["steps"][0]["toi"].as_f64().unwrap();
    assert!(toi <= 0.5 && toi > 0.5 - 1e-6, "{toi}");
}

#[test]
fn threads_levels_and_methods_agree() {
    let directory = directory("ccd-same");
    write_frames(&directory, &cloth(2));
    let base = ["ccd", "0.ply", "1.ply", "--all"];
    let with = |more: &[&str]| json(&directory, &[&base[..], more].concat());
    let expected = with(&["--threads", "1"]);
    assert_eq!(expected["threads"], 1);
    for threads in ["2", "5"] {
        assert_eq!(answer(&with(&["--threads", threads])), answer(&expected));
    }
    for level in SimdLevel::available() {
        let object = with(&["--simd", level.name()]);
        assert_eq!(object["simd"], level.name());
        assert_eq!(answer(&object), answer(&expected), "{level}");
    }
    for method in ["sweep", "brute"] {
        let object = with(&["--broad-phase", method]);
        assert_eq!(answer(&object), answer(&expected), "{method}");
    }
    let earliest = json(&directory, &base[..3]);
    assert_eq!(earliest["steps"][0]["toi"], expected["steps"][0]["toi"]);
    assert_eq!(earliest["steps"][0]["pair"], expected["steps"][0]["pair"]);
}

#[test]
fn narrow_phases_bound_the_same_time() {
    let directory = directory("ccd-narrow");
    write_frames(&directory, &cloth(2));
    let toi = |method: &str| {
        let object = json(
            &directory,
            &["ccd", "0.ply", "1.ply", "--narrow-phase", method],
        );
        assert_eq!(object["narrow_phase"], method);
        object["steps"][0]["toi"].as_f64().unwrap()
    };
    let (separating, inclusion, additive) = (toi("separating"), toi("inclusion"), toi("additive"));
    let exact = json(&directory, &["ccd", "0.ply", "1.ply", "--exact"]);
    let exact = exact["steps"][0]["toi"].as_f64().unwrap();
    for (name, toi) in [
        ("separating", separating),
        ("inclusion", inclusion),
        ("additive", additive),
    ] {
        assert!(toi <= exact + 1e-6 && toi > 0.0, "{name}: {toi} of {exact}");
    }
    assert!(separating > exact - 1e-6);
}

#[test]
fn pairs_are_sorted_box_ids() {
    let directory = directory("ccd-pairs");
    let scene = cloud(2_000, 2);
    write_frames(&directory, &scene);
    let object = json(
        &directory,
        &["ccd", "0.ply", "1.ply", "--pairs-out", "pairs.json"],
    );
    let text = std::fs::read_to_string(directory.join("pairs.json")).unwrap();
    let pairs: Vec<[u32; 2]> = serde_json::from_str(&text).unwrap();
    assert!(pairs.is_sorted() && !pairs.is_empty());

    let step = scene.step(0).unwrap();
    let mut expected = candidates(&step, &StepOptions::default(), &()).unwrap();
    expected.sort();
    let ids = |kind, pairs: &[[u32; 2]]| -> Vec<[u32; 2]> {
        let id = |&pair| scene.topology.pair_box_ids(kind, pair);
        pairs.iter().map(id).collect()
    };
    let mut all = ids(PairKind::VertexFace, &expected.vf);
    all.extend(ids(PairKind::EdgeEdge, &expected.ee));
    assert_eq!(pairs, all);
    assert!(object["steps"][0]["toi"].is_number());
    assert_eq!(common::files(&directory), ["0.ply", "1.ply", "pairs.json"]);
}

#[test]
fn several_steps_have_one_list_of_pairs_each() {
    let directory = directory("ccd-several");
    write_frames(&directory, &cloud(1_000, 4));
    let frames = ["ccd", "0.ply", "1.ply", "2.ply", "3.ply"];
    let arguments = [
        "--pairs-out",
        "pairs.json",
        "--all",
        "--hits-out",
        "hits.csv",
    ];
    let object = json(&directory, &[&frames[..], &arguments].concat());
    let steps = object["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    let text = std::fs::read_to_string(directory.join("pairs.json")).unwrap();
    let pairs: Vec<Vec<[u32; 2]>> = serde_json::from_str(&text).unwrap();
    assert_eq!(pairs.len(), 3);
    for (pairs, step) in pairs.iter().zip(steps) {
        let candidates = &step["candidates"];
        let count = candidates["vf"].as_u64().unwrap() + candidates["ee"].as_u64().unwrap();
        assert_eq!(pairs.len() as u64, count, "--all solves every candidate");
        assert!(pairs.is_sorted());
    }
    // Each step by itself gives the same.
    for (index, step) in steps.iter().enumerate() {
        let pair = [format!("{index}.ply"), format!("{}.ply", index + 1)];
        let alone = json(&directory, &["ccd", &pair[0], &pair[1], "--all"]);
        assert_eq!(answer(&alone)[0], answer(&object)[index]);
        assert_eq!(step["from"], pair[0]);
        assert_eq!(step["to"], pair[1]);
    }
}

#[test]
fn hits_are_rows_of_csv() {
    let directory = directory("ccd-hits");
    write_frames(&directory, &cloth(2));
    let arguments = ["ccd", "0.ply", "1.ply", "--all", "--hits-out", "hits.csv"];
    let object = json(&directory, &arguments);
    let step = &object["steps"][0];
    let text = std::fs::read_to_string(directory.join("hits.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,kind,a,b,toi,undecided"));
    let mut counts = [0_u64; 2];
    let mut first = f64::INFINITY;
    let mut rows = Vec::new();
    for line in lines {
        let fields: Vec<_> = line.split(',').collect();
        let [step, kind, a, b, toi, undecided] = fields[..] else {
            panic!("{line}");
        };
        assert_eq!((step, undecided), ("0", "false"));
        counts[usize::from(kind == "ee")] += 1;
        first = first.min(toi.parse().unwrap());
        rows.push((
            kind == "ee",
            a.parse::<u32>().unwrap(),
            b.parse::<u32>().unwrap(),
        ));
    }
    assert!(rows.is_sorted());
    assert_eq!(step["hits"], json!({"vf": counts[0], "ee": counts[1]}));
    assert_eq!(step["toi"].as_f64(), Some(first), "digits survive");
}

#[test]
fn a_memory_limit_changes_the_batches_alone() {
    let directory = directory("ccd-memory");
    write_frames(&directory, &cloth(2));
    let base = ["ccd", "0.ply", "1.ply"];
    let free = json(&directory, &base);
    let run = jostle(&directory, &[&base[..], &["--memory-limit", "1"]].concat());
    let message = run.failure(1);
    assert!(message.contains("memory limit of 1 bytes is too small"));
    let needed = message.trim_end().rsplit(' ').next().unwrap();
    assert!(needed.parse::<u64>().unwrap() > 1, "{message}");
    let limited = json(
        &directory,
        &[&base[..], &["--memory-limit", needed]].concat(),
    );
    assert_eq!(limited["steps"][0]["toi"], free["steps"][0]["toi"]);
    assert_eq!(limited["steps"][0]["pair"], free["steps"][0]["pair"]);
    let roomy = json(
        &directory,
        &[&base[..], &["--memory-limit", "1.5GiB"]].concat(),
    );
    assert_eq!(answer(&roomy), answer(&free));
}

#[test]
fn people_get_a_table() {
    let directory = directory("ccd-table");
    write_triangles(&directory, "a.obj", "1");
    write_triangles(&directory, "b.obj", "-1");
    let run = jostle(&directory, &["ccd", "a.obj", "b.obj"]);
    assert_eq!(run.status, 0);
    assert!(
        run.stdout
            .starts_with("6 vertices, 6 edges, 2 faces; h8 + separating\n")
    );
    assert!(run.stdout.contains("0.49999") || run.stdout.contains("0.5 "));
    assert_eq!(run.stderr, "");
}

/// A link is followed, not replaced, and what it points to keeps its permissions.
#[cfg(unix)]
#[test]
fn outputs_follow_links() {
    use std::os::unix::fs::PermissionsExt;

    let directory = directory("ccd-link");
    write_frames(&directory, &cloth(2));
    let (target, link) = (directory.join("target.json"), directory.join("link.json"));
    std::fs::write(&target, "old").unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    json(
        &directory,
        &["ccd", "0.ply", "1.ply", "--pairs-out", "link.json"],
    );
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().starts_with('['));
    let mode = std::fs::metadata(&target).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn two_outputs_need_two_files() {
    let directory = directory("ccd-same-output");
    let arguments = [
        "ccd",
        "a",
        "b",
        "--all",
        "--pairs-out",
        "x",
        "--hits-out",
        "x",
    ];
    let run = jostle(&directory, &arguments);
    assert!(run.failure(2).contains("same file"));
}
