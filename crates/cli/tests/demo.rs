//! `jostle demo`: every check holds, the report needs nothing else, samples feed the other commands.

mod common;

use common::{check_header, directory, files, json};

#[test]
fn every_capability_holds_and_the_files_are_whole() {
    let directory = directory("demo");
    let arguments = [
        "demo",
        "--report",
        "report.html",
        "--picture",
        "cloth.png",
        "--write-samples",
        "samples",
        "--write-pictures",
        "pictures",
    ];
    let object = json(&directory, &arguments);
    check_header(&object, "demo");
    let capabilities = object["capabilities"].as_array().unwrap();
    assert!(capabilities.len() >= 10);
    for capability in capabilities {
        assert_eq!(capability["ok"], true, "{capability:#}");
        assert!(capability["name"].is_string() && capability["figures"].is_object());
    }
    assert_eq!(object["report"], "report.html");
    let left = files(&directory);
    assert_eq!(left, ["cloth.png", "pictures", "report.html", "samples"]);

    let report = std::fs::read_to_string(directory.join("report.html")).unwrap();
    assert!(report.starts_with("<!DOCTYPE html>") && report.ends_with("</html>"));
    for outside in ["src=\"http", "href=", "@import", "url(", "<script"] {
        assert!(!report.contains(outside), "{outside}: nothing is fetched");
    }
    assert!(report.matches("<svg").count() >= 2);
    assert!(report.matches("data:image/png;base64,").count() >= 2);
    let png = std::fs::read(directory.join("cloth.png")).unwrap();
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let pictures = files(&directory.join("pictures"));
    assert_eq!(
        pictures,
        ["bunny-pile.png", "cloth.png", "colosseum.png", "hopper.png"]
    );

    let step = json(
        &directory,
        &[
            "ccd",
            "samples/cloth-ball-1.ply",
            "samples/cloth-ball-2.ply",
        ],
    );
    let toi = step["steps"][0]["toi"].as_f64().unwrap();
    assert!(toi > 0.0 && toi < 1.0);
    let queries = json(
        &directory,
        &[
            "queries",
            "samples/queries-edge-edge.csv",
            "samples/queries-vertex-face.csv",
            "--exact",
        ],
    );
    for key in ["false_negatives", "false_positives", "undecided"] {
        assert_eq!(queries[key], 0, "{key}");
    }
}

#[test]
fn quick_benches_have_rows() {
    let directory = directory("bench");
    for suite in ["ccd", "broad", "simd", "grains", "sdf"] {
        let object = json(&directory, &["bench", suite, "--quick"]);
        check_header(&object, "bench");
        assert_eq!(object["suite"], suite);
        let rows = object["rows"].as_array().unwrap();
        assert!(rows.len() >= 10);
        for row in rows {
            assert!(row["work"].is_string() && row["method"].is_string());
            assert!(row["ms"].as_f64().unwrap() > 0.0);
            assert!(row["figures"].is_object());
        }
        assert_eq!(files(&directory), ["jostle-bench.html"]);
    }
}
