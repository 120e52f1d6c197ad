//! The same answer from every number of threads and every SIMD level.

use jostle::simd::SimdLevel;

use crate::args::DemoConfig;
use crate::error::CliError;

/// How many ways of running something ended in the same state, whose hash `run` gives at a level, on as many threads as
/// the pool has that it is called in; nothing when one did not.
pub(super) fn ways_that_agree(
    config: &DemoConfig,
    run: impl Fn(SimdLevel) -> Result<u64, CliError> + Sync,
) -> Result<Option<u64>, CliError> {
    let mut expected = None;
    let mut ways = 0;
    let mut threads = vec![1, 2, config.common.threads];
    threads.sort_unstable();
    threads.dedup();
    for threads in threads {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        for level in SimdLevel::available() {
            let hash = pool.install(|| run(level))?;
            if *expected.get_or_insert(hash) != hash {
                return Ok(None);
            }
            ways += 1;
        }
    }
    Ok(Some(ways))
}
