//! The inclusion and the additive method on the public data sets.

use std::path::{Path, PathBuf};

use jostle_ccd::{NarrowPhase, QueryOptions, time_of_impact};
use jostle_io::{queries, truth};
use jostle_testkit::data_dir;

const METHODS: [NarrowPhase; 2] = [NarrowPhase::Inclusion, NarrowPhase::Additive];

/// The data set, or `None` after saying so.
fn data() -> Option<PathBuf> {
    let found = data_dir();
    if found.is_none() {
        eprintln!("skipped: no data set");
    }
    found
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn no_public_query_is_missed() {
    let Some(data) = data() else { return };
    // The sliding ones would need millions of iterations; undecided counts as a collision.
    let options = QueryOptions {
        max_iterations: 10_000,
        ..Default::default()
    };
    let mut queries_seen = 0;
    let mut false_positives = [0; 2];
    for set in files(&data.join("ccd-queries"))
        .into_iter()
        .filter(|p| p.is_dir())
    {
        for file in files(&set).iter().flat_map(|kind| files(kind)) {
            for (index, entry) in queries::read(&file, None).unwrap().into_iter().enumerate() {
                queries_seen += 1;
                let collides = entry.collides.expect("the file tells the truth");
                for (method, false_positives) in METHODS.into_iter().zip(&mut false_positives) {
                    let outcome = time_of_impact(&entry.query, method, &options)
                        .unwrap()
                        .outcome;
                    let hit = outcome.toi().is_some();
                    assert!(
                        hit || !collides,
                        "{method} misses {} {index}",
                        file.display()
                    );
                    *false_positives += usize::from(hit && !collides);
                }
            }
        }
    }
    assert_eq!(queries_seen, 3324);
    // Pairs that pass within the tolerance of each other: they are not to become more.
    assert!(
        false_positives[0] <= 190 && false_positives[1] <= 275,
        "{false_positives:?}"
    );
}

#[test]
fn scene_pairs_are_close_to_their_exact_times_and_never_later() {
    let Some(data) = data() else { return };
    // Largest and mean distance to the exact time that are expected of the two methods. In
    // cloth-funnel relative motion is slow, so that the distance tolerance is a long time.
    for (scene, name, step, expected) in [
        ("cloth-funnel", "227vf", 1, [(2e-3, 1e-3), (2e-2, 2e-3)]),
        ("cloth-funnel", "227ee", 1, [(2e-2, 1e-3), (2e-2, 2e-3)]),
        ("n-body-simulation", "18vf", 4, [(1e-6, 1e-7), (1e-3, 1e-5)]),
    ] {
        let dir = data.join("ccd-scenes").join(scene);
        let entries = queries::read(dir.join(format!("queries/{name}.csv")), None).unwrap();
        let times = truth::read_times(dir.join(format!("toi/{name}.csv"))).unwrap();
        assert_eq!(entries.len(), times.len());
        let options = QueryOptions {
            max_iterations: 20_000,
            ..Default::default()
        };
        for (method, (largest, mean)) in METHODS.into_iter().zip(expected) {
            let (mut sum, mut count) = (0.0, 0);
            for (entry, row) in entries.iter().zip(&times).step_by(step) {
                let outcome = time_of_impact(&entry.query, method, &options)
                    .unwrap()
                    .outcome;
                let Some(exact) = &row.toi else { continue };
                let toi = outcome.toi().expect("no contact is missed");
                assert!(
                    toi <= exact.above,
                    "{method} {scene}: {toi} after {exact:?}"
                );
                assert!(exact.below == 0.0 || toi > 0.0, "{method} {scene}: stalls");
                if !outcome.is_undecided() {
                    let early = exact.above - toi;
                    assert!(early < largest, "{method} {scene}: {toi} for {exact:?}");
                    sum += early;
                    count += 1;
                }
            }
            assert!(
                count > 0 && sum / f64::from(count) < mean,
                "{method} {scene}: {sum} / {count}"
            );
        }
    }
}
