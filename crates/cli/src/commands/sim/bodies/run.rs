//! A world that is timed frame by frame.

use std::path::Path;
use std::time::Instant;

use jostle::ccd::step::Observer;
use jostle::dynamics::{BodyWorld, WorldOptions, WorldReport, WorldStats};
use jostle::scenes::bodies::BodyScene;

use super::record::{COLUMNS, record};
use crate::commands::sim::recording::Recording;
use crate::commands::times::Times;
use crate::error::CliError;
use crate::output::milliseconds;
use crate::progress::Progress;

/// A world, what its frames took and what was seen of it.
pub(crate) struct BodyRun {
    pub world: BodyWorld,
    pub times: WorldTimes,
    /// Sums over the frames that count.
    pub stats: WorldStats,
    /// The deepest overlap after any of them, m.
    pub max_penetration: f64,
    /// The most bodies that were outside the world after any frame.
    pub escaped: u64,
    /// Mean over the frames that count, J.
    pub kinetic_mean: f64,
    frames: usize,
}

/// Times of the frames that count.
#[derive(Default)]
pub(crate) struct WorldTimes {
    pub broad: Times,
    pub collide: Times,
    pub solve: Times,
    pub step: Times,
}

impl BodyRun {
    /// A world at its start.
    pub(crate) fn new(scene: &BodyScene, options: &WorldOptions) -> Result<Self, CliError> {
        Ok(Self {
            world: BodyWorld::new(scene, options)?,
            times: WorldTimes::default(),
            stats: WorldStats::default(),
            max_penetration: 0.0,
            escaped: 0,
            kinetic_mean: 0.0,
            frames: 0,
        })
    }

    /// Steps a frame that does not count.
    pub(crate) fn warm_up(&mut self) -> Result<(), CliError> {
        self.world.step()?;
        self.escaped = self.escaped.max(self.world.report().escaped);
        Ok(())
    }

    /// Steps a frame and times it.
    pub(crate) fn step(&mut self) -> Result<WorldReport, CliError> {
        let clock = Instant::now();
        let now_ns = || clock.elapsed().as_nanos() as u64;
        let stats = self.world.step_by(&now_ns)?;
        self.times.step.push(milliseconds(now_ns()));
        self.times.broad.push(milliseconds(stats.broad_ns));
        self.times.collide.push(milliseconds(stats.collide_ns));
        self.times.solve.push(milliseconds(stats.solve_ns));
        let sum = &mut self.stats;
        sum.substeps += stats.substeps;
        sum.pairs += stats.pairs;
        sum.apart += stats.apart;
        sum.contacts += stats.contacts;
        sum.evaluations += stats.evaluations;
        sum.iterations += stats.iterations;
        sum.searches += stats.searches;
        sum.dropped += stats.dropped;
        self.frames += 1;
        let report = self.world.report();
        self.max_penetration = self.max_penetration.max(report.max_penetration);
        self.escaped = self.escaped.max(report.escaped);
        self.kinetic_mean += (report.kinetic - self.kinetic_mean) / self.frames as f64;
        Ok(report)
    }

    /// Steps frames that do not count and frames that do, and records all of them.
    pub(crate) fn run(
        &mut self,
        warm_up: usize,
        frames: usize,
        file: Option<&Path>,
        progress: &Progress,
    ) -> Result<(), CliError> {
        let mut recording = file
            .map(|path| Recording::create(path, COLUMNS))
            .transpose()?;
        let all = warm_up + frames;
        for frame in 0..=all {
            if frame > 0 {
                progress.message(format!("frame {frame} of {all}"));
                if frame <= warm_up {
                    self.warm_up()?;
                } else {
                    self.step()?;
                }
                progress.progress(frame as f64 / all as f64);
            }
            if let Some(recording) = &mut recording {
                record(recording, &self.world)?;
            }
        }
        recording.map_or(Ok(()), Recording::finish)
    }

    /// A sum of [`stats`](Self::stats) as the mean of a sub-step.
    pub(crate) fn mean(&self, of: impl Fn(&WorldStats) -> u64) -> f64 {
        of(&self.stats) as f64 / f64::from(self.stats.substeps.max(1))
    }
}
