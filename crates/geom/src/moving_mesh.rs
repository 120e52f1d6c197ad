//! A mesh over one step of linear motion.

use core::fmt;

use glam::DVec3;
use thiserror::Error;

use crate::Topology;

/// Which end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The start, t = 0.
    Start,
    /// The end, t = 1.
    End,
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::End => "end",
        })
    }
}

/// A mesh whose vertices move linearly from `t0` to `t1` while the time goes from 0 to 1.
///
/// Both sets of positions are known to be as long as the topology says, finite, and within the
/// range of `f32`, so that every box has finite bounds.
#[derive(Clone, Copy, Debug)]
pub struct MovingMesh<'a> {
    topology: &'a Topology,
    t0: &'a [DVec3],
    t1: &'a [DVec3],
}

impl<'a> MovingMesh<'a> {
    /// Checks the positions against the topology. Cost: O(V).
    ///
    /// # Errors
    /// A wrong number of positions, or a coordinate that is NaN, infinite or beyond `f32::MAX`.
    pub fn new(
        topology: &'a Topology,
        t0: &'a [DVec3],
        t1: &'a [DVec3],
    ) -> Result<Self, MotionError> {
        for (frame, positions) in [(Frame::Start, t0), (Frame::End, t1)] {
            if positions.len() != topology.vertex_count() {
                return Err(MotionError::PositionCount {
                    frame,
                    found: positions.len(),
                    expected: topology.vertex_count(),
                });
            }
            let limit = f64::from(f32::MAX);
            let bad = |p: &DVec3| p.is_nan() || p.abs().max_element() > limit;
            if let Some(vertex) = positions.iter().position(bad) {
                let p = positions[vertex];
                let axis = (0..3)
                    .find(|&i| p[i].is_nan() || p[i].abs() > limit)
                    .unwrap_or(0);
                return Err(MotionError::Coordinate {
                    frame,
                    vertex,
                    axis,
                    value: p[axis],
                });
            }
        }
        Ok(Self { topology, t0, t1 })
    }

    /// The connectivity.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Positions at t = 0.
    pub fn t0(&self) -> &'a [DVec3] {
        self.t0
    }

    /// Positions at t = 1.
    pub fn t1(&self) -> &'a [DVec3] {
        self.t1
    }
}

/// Why two frames do not make a step.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The number of positions differs from the number of vertices.
    #[error("the {frame} frame has {found} positions for {expected} vertices")]
    PositionCount {
        /// Which frame.
        frame: Frame,
        /// Positions given.
        found: usize,
        /// Vertices of the topology.
        expected: usize,
    },
    /// A coordinate is NaN, infinite, or beyond `f32::MAX`.
    #[error("vertex {vertex} of the {frame} frame has coordinate {} = {value:e}, which is not a finite number within the range of f32", ["x", "y", "z"][*axis])]
    Coordinate {
        /// Which frame.
        frame: Frame,
        /// Which vertex, from 0.
        vertex: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
}
