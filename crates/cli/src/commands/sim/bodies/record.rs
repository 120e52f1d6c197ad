//! Where the bodies are, frame by frame, as a file.

use std::fmt::Write;
use std::path::Path;

use jostle::dynamics::BodyWorld;

use crate::error::CliError;
use crate::output::AtomicFile;

/// A CSV file with a line for each body after each frame, the start being frame 0: where the origin of its shape is, and
/// the quaternion of its axes. Numbers are written with as few digits as give the same `f64` again.
pub(super) struct Recording {
    file: AtomicFile,
    text: String,
}

impl Recording {
    pub(super) fn create(path: &Path) -> Result<Self, CliError> {
        let mut file = AtomicFile::create(path)?;
        file.put(b"frame,id,px,py,pz,qx,qy,qz,qw\n")?;
        let text = String::new();
        Ok(Self { file, text })
    }

    /// Appends the present frame.
    pub(super) fn frame(&mut self, world: &BodyWorld) -> Result<(), CliError> {
        let frame = world.frame();
        for body in world.bodies() {
            let [px, py, pz] = body.pose.position.to_array();
            let [qx, qy, qz, qw] = body.pose.rotation.to_array();
            // Writing to a string does not fail.
            let _ = writeln!(
                self.text,
                "{frame},{},{px},{py},{pz},{qx},{qy},{qz},{qw}",
                body.id.index
            );
        }
        self.file.put(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Makes the file appear.
    pub(super) fn finish(self) -> Result<(), CliError> {
        self.file.commit()
    }
}
