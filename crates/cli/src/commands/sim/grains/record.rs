//! Where the grains are, frame by frame.

use std::fmt::Write;

use jostle::dynamics::GrainFlow;

use crate::commands::sim::recording::Recording;
use crate::error::CliError;

/// The columns of a recording of grains: a line for each grain inside.
pub(super) const COLUMNS: &str = "frame,id,x,y,z,r";

/// Appends the present frame.
pub(super) fn record(recording: &mut Recording, flow: &GrainFlow) -> Result<(), CliError> {
    let frame = flow.frame();
    recording.frame(|text| {
        for (id, grain) in flow.numbered_grains() {
            let ([x, y, z], r) = (grain.centre.to_array(), grain.radius);
            // Writing to a string does not fail.
            let _ = writeln!(text, "{frame},{id},{x},{y},{z},{r}");
        }
    })
}
