//! A flow that is timed frame by frame and looked at now and then.

use std::path::Path;
use std::time::Instant;

use jostle::ccd::step::Observer;
use jostle::dynamics::{FlowOptions, FlowReport, FrameStats, GrainFlow};
use jostle::scenes::grains::GrainScene;

use super::record::{COLUMNS, record};
use crate::commands::sim::recording::Recording;
use crate::commands::times::Times;
use crate::error::CliError;
use crate::output::milliseconds;
use crate::progress::Progress;

/// Reports in a run: each costs about as much as two sub-steps and a rebuild.
const REPORTS: usize = 20;

/// A flow, what its frames took and what was seen of it.
pub(crate) struct Flow {
    pub grains: GrainFlow,
    pub times: FlowTimes,
    pub substeps: u64,
    pub rebuilds: u64,
    reports: Vec<FlowReport>,
}

/// Times of all frames.
#[derive(Default)]
pub(crate) struct FlowTimes {
    /// Of frames that rebuild lists only: most do not.
    pub broad: Times,
    pub solve: Times,
    pub step: Times,
}

impl Flow {
    /// A flow at its start.
    pub(crate) fn new(scene: &GrainScene, options: &FlowOptions) -> Result<Self, CliError> {
        Ok(Self::from(GrainFlow::new(scene, options)?))
    }

    /// A flow that goes on from another, with nothing timed yet.
    pub(crate) fn from(grains: GrainFlow) -> Self {
        Self {
            grains,
            times: FlowTimes::default(),
            substeps: 0,
            rebuilds: 0,
            reports: Vec::new(),
        }
    }

    /// Steps a frame and times it.
    pub(crate) fn step(&mut self) -> Result<FrameStats, CliError> {
        let clock = Instant::now();
        let now_ns = || clock.elapsed().as_nanos() as u64;
        let stats = self.grains.step_by(&now_ns)?;
        let (step, broad) = (milliseconds(now_ns()), milliseconds(stats.rebuild_ns));
        self.times.step.push(step);
        if stats.rebuilds > 0 {
            self.times.broad.push(broad);
        }
        self.times.solve.push(step - broad);
        self.substeps += u64::from(stats.substeps);
        self.rebuilds += u64::from(stats.rebuilds);
        Ok(stats)
    }

    /// Steps frames, records them and looks at some of them, the last one always.
    pub(crate) fn run(
        &mut self,
        frames: usize,
        file: Option<&Path>,
        progress: &Progress,
    ) -> Result<(), CliError> {
        let mut recording = file
            .map(|path| Recording::create(path, COLUMNS))
            .transpose()?;
        if let Some(recording) = &mut recording {
            record(recording, &self.grains)?;
        }
        let every = frames.div_ceil(REPORTS);
        for frame in 1..=frames {
            progress.message(format!("frame {frame} of {frames}"));
            self.step()?;
            if let Some(recording) = &mut recording {
                record(recording, &self.grains)?;
            }
            if frame % every == 0 || frame == frames {
                self.reports.push(self.grains.report());
            }
            progress.progress(frame as f64 / frames as f64);
        }
        recording.map_or(Ok(()), Recording::finish)
    }

    /// The last report.
    pub(crate) fn last_report(&self) -> FlowReport {
        self.reports.last().copied().unwrap_or_default()
    }

    /// Mean of a figure over the reports.
    pub(crate) fn mean(&self, of: impl Fn(&FlowReport) -> f64) -> f64 {
        self.reports.iter().map(of).sum::<f64>() / self.reports.len().max(1) as f64
    }

    /// Largest value of a figure over the reports.
    pub(crate) fn most(&self, of: impl Fn(&FlowReport) -> f64) -> f64 {
        self.reports.iter().map(of).fold(0.0, f64::max)
    }

    /// Mean overlap of all contacts of all reports, in radii.
    pub(crate) fn overlap_mean(&self) -> f64 {
        let contacts = self.mean(|r| r.contacts as f64);
        let sum = self.mean(|r| r.contacts as f64 * r.overlap_mean);
        if contacts > 0.0 { sum / contacts } else { 0.0 }
    }
}
