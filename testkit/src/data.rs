//! Where the public data sets are.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of the public data sets: what `JOSTLE_DATA` names, else `../shared/data` beside the
/// workspace.
///
/// `None` when there is none: it has then printed `skipped: no data set`, and the test that asked
/// should return. When `JOSTLE_SKIP_LOG` names a file, a line with the name of the test is appended
/// to it, so that a script can tell how many tests were skipped.
pub fn data_dir() -> Option<PathBuf> {
    let named = std::env::var_os("JOSTLE_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let found = named.into_iter().chain([beside]).find(|dir| dir.is_dir());
    if found.is_none() {
        eprintln!("skipped: no data set");
        log_skip();
    }
    found
}

/// A log that cannot be written is no reason to fail a test.
fn log_skip() {
    let Some(path) = std::env::var_os("JOSTLE_SKIP_LOG") else {
        return;
    };
    // The test harness names the thread of a test after it.
    let thread = std::thread::current();
    let line = format!("{}\n", thread.name().unwrap_or("unnamed"));
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    if let Ok(mut file) = file {
        let _ = file.write_all(line.as_bytes());
    }
}
