//! Where the bodies are, frame by frame.

use std::fmt::Write;

use jostle::dynamics::BodyWorld;

use crate::commands::sim::recording::Recording;
use crate::error::CliError;

/// The columns of a recording of bodies: where the origin of its shape is, and the quaternion of its axes.
pub(super) const COLUMNS: &str = "frame,id,px,py,pz,qx,qy,qz,qw";

/// Appends the present frame.
pub(super) fn record(recording: &mut Recording, world: &BodyWorld) -> Result<(), CliError> {
    let frame = world.frame();
    recording.frame(|text| {
        for body in world.bodies() {
            let id = body.id.index;
            let [px, py, pz] = body.pose.position.to_array();
            let [qx, qy, qz, qw] = body.pose.rotation.to_array();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{frame},{id},{px},{py},{pz},{qx},{qy},{qz},{qw}");
        }
    })
}
