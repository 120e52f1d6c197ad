//! A progress bar on standard error, and the clock that the library is lent.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jostle::ccd::step::Observer;

/// Ticks of the bar for a whole part.
const TICKS: u64 = 1000;

/// Watches parts of work, one after the other, on one bar. Nothing is drawn when standard error
/// is no terminal.
pub(crate) struct Progress {
    start: Instant,
    bar: ProgressBar,
    part: u64,
}

impl Progress {
    /// A bar over `parts` equal parts.
    pub(crate) fn new(parts: usize) -> Self {
        let bar = ProgressBar::with_draw_target(
            Some(parts as u64 * TICKS),
            ProgressDrawTarget::stderr_with_hz(10),
        );
        if let Ok(style) =
            ProgressStyle::with_template("{elapsed:>4} {wide_bar} {percent:>3}% {msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            start: Instant::now(),
            bar,
            part: 0,
        }
    }

    /// Names the part that is worked on now.
    pub(crate) fn message(&self, text: impl Into<String>) {
        self.bar.set_message(text.into());
    }

    /// The next part.
    pub(crate) fn next_part(&mut self) {
        self.part += 1;
        self.bar.set_position(self.part * TICKS);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Observer for Progress {
    fn now_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn progress(&self, done: f64) {
        let within = (done.clamp(0.0, 1.0) * TICKS as f64) as u64;
        let position = self.part * TICKS + within;
        // Threads report out of order; the bar only moves forward.
        if position > self.bar.position() {
            self.bar.set_position(position);
        }
    }
}

/// A clock without a bar.
pub(crate) struct Clock(Instant);

impl Clock {
    /// Starts at 0.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Observer for Clock {
    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}
