//! Development only: exact oracles, generators of hard inputs, the corpus runner.

use std::path::{Path, PathBuf};

/// The folder with the public data sets, or `None` when this machine has none.
///
/// `JOSTLE_DATA` names it; without that it is looked for beside the workspace, in
/// `../shared/data`. A test without its data prints `skipped: no data set` and returns.
pub fn data_dir() -> Option<PathBuf> {
    let folder = std::env::var_os("JOSTLE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    folder.is_dir().then_some(folder)
}
