//! Timing of alternatives against each other on a machine that does other things too.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Whether [`time`] counts what this thread computes instead of what passes.
static CPU_TIME: AtomicBool = AtomicBool::new(false);

/// Makes [`time`] leave out the time in which other programs held the processor. Only for work on
/// one thread.
pub fn count_cpu_time() {
    CPU_TIME.store(true, Ordering::Relaxed);
}

fn now() -> Duration {
    let clock = if CPU_TIME.load(Ordering::Relaxed) {
        ClockId::ThreadCPUTime
    } else {
        ClockId::Monotonic
    };
    // Neither clock runs backward or before zero.
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// One alternative: what to do before the clock starts, and what to time.
pub type Task<'a> = Box<dyn FnMut() -> f64 + 'a>;

/// Milliseconds that `work` takes. What it returns is dropped after the clock has stopped.
pub fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = now();
    let result = black_box(work());
    let elapsed = (now() - start).as_secs_f64() * 1e3;
    drop(result);
    elapsed
}

/// Runs all tasks in turn, `repeats` times after a first round that does not count, and returns
/// the median milliseconds of each. A disturbance hits neighbours alike, so ratios survive it.
pub fn medians(tasks: &mut [Task<'_>], repeats: usize) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(repeats); tasks.len()];
    for round in 0..=repeats {
        for (task, times) in tasks.iter_mut().zip(&mut times) {
            let ms = task();
            if round > 0 {
                times.push(ms);
            }
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    if n == 0 {
        return f64::NAN;
    }
    f64::midpoint(values[(n - 1) / 2], values[n / 2])
}
