//! What can be wrong with a flow.

use thiserror::Error;

/// Why a flow cannot start or go on.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FlowError {
    /// A grain has no usable radius.
    #[error("grain {grain} has radius {radius} m; it must lie between 1e-6 and 1e6")]
    Radius {
        /// Which one.
        grain: usize,
        /// Its radius, m.
        radius: f32,
    },
    /// A centre, velocity or spin is not finite or is too large.
    #[error("grain {grain} has {what} {value}, which is not finite or too large")]
    Grain {
        /// Which one.
        grain: usize,
        /// Which of its properties.
        what: &'static str,
        /// The value.
        value: f32,
    },
    /// A property of the material is out of range.
    #[error("{what} is {value}; it must be {range}")]
    Material {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is possible.
        range: &'static str,
    },
    /// A wall cannot be used.
    #[error("wall {wall}: {reason}")]
    Wall {
        /// Which one.
        wall: usize,
        /// What is wrong.
        reason: String,
    },
    /// An emitter or a drain cannot be used.
    #[error("{what} {index}: {reason}")]
    Traffic {
        /// "emitter" or "drain".
        what: &'static str,
        /// Which one.
        index: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// More grains than 32-bit indices can name.
    #[error("{grains} grains are more than 32-bit indices can name")]
    TooMany {
        /// How many.
        grains: usize,
    },
    /// The frame has no usable length.
    #[error(
        "a frame of {seconds} s; it must be positive and finite, and at most a million sub-steps long"
    )]
    Frame {
        /// Its length.
        seconds: f64,
    },
    /// The time step that was asked for is beyond stability.
    #[error("a time step of {asked} s is beyond the stability limit of {limit} s: {reason}")]
    Unstable {
        /// The time step, s.
        asked: f64,
        /// The longest stable one, s.
        limit: f64,
        /// Where the limit comes from.
        reason: String,
    },
    /// Grains are too fast for any sensible number of sub-steps.
    #[error(
        "grains move at {speed} m/s, which would take {substeps} sub-steps a frame; the most are {most}"
    )]
    TooFast {
        /// The largest speed, m/s.
        speed: f64,
        /// Sub-steps it would take.
        substeps: u64,
        /// The most there may be.
        most: u32,
    },
    /// A grain was pushed so deep into a wall that it would pass it.
    #[error(
        "a grain is pushed through a wall in frame {frame}: the stiffness is too small for the load"
    )]
    Pierced {
        /// The frame.
        frame: u64,
    },
    /// More grains near each other than a table has rows for, or than lists should hold: some are thousands of times
    /// as large as others, or all are in one place.
    #[error(
        "too many grains are within reach of each other: the sizes differ too much, or grains overlap too much"
    )]
    Crowded,
}
