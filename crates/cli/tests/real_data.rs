//! The public scenes through the command line.

mod common;

use common::{directory, json};

/// Two frames of a public scene, or `None` when there is no data set.
fn frames(scene: &str, names: [&str; 2]) -> Option<[String; 2]> {
    let data = jostle_testkit::data_dir()?;
    let folder = data.join("ccd-scenes").join(scene).join("frames");
    Some(names.map(|name| folder.join(name).to_str().unwrap().to_owned()))
}

#[test]
fn cloth_ball_has_its_earliest_time() {
    let Some([start, end]) = frames("cloth-ball", ["cloth_ball92.ply", "cloth_ball93.ply"]) else {
        return;
    };
    let directory = directory("real-cloth-ball");
    let object = json(&directory, &["ccd", &start, &end]);
    let toi = object["steps"][0]["toi"].as_f64().unwrap();
    assert!((6.4e-06..=7.492069186824336e-06).contains(&toi), "{toi:e}");
    assert_eq!(object["vertices"], 46_598);

    let limited = json(
        &directory,
        &["ccd", &start, &end, "--memory-limit", "64MiB"],
    );
    let step = &limited["steps"][0];
    assert_eq!(step["toi"], object["steps"][0]["toi"]);
    let batches = ["broad", "narrow"].map(|kind| step["batches"][kind].as_u64().unwrap());
    assert!(batches.iter().any(|&count| count >= 2), "{batches:?}");
    let peak = limited["peak_rss_bytes"].as_u64();
    let loaded = step["rss_after_load_bytes"].as_u64();
    if let (Some(peak), Some(loaded)) = (peak, loaded) {
        assert!(peak - loaded <= 64 << 20, "{peak} after {loaded}");
    }
}
