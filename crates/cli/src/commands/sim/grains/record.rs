//! Where the grains are, frame by frame, as a file.

use std::fmt::Write;
use std::path::Path;

use jostle::dynamics::GrainFlow;

use crate::error::CliError;
use crate::output::AtomicFile;

/// A CSV file with a line for each grain inside after each frame, the start being frame 0. Numbers are
/// written with as few digits as give the same `f32` again.
pub(super) struct Recording {
    file: AtomicFile,
    text: String,
}

impl Recording {
    pub(super) fn create(path: &Path) -> Result<Self, CliError> {
        let mut file = AtomicFile::create(path)?;
        file.put(b"frame,id,x,y,z,r\n")?;
        let text = String::new();
        Ok(Self { file, text })
    }

    /// Appends the present frame.
    pub(super) fn frame(&mut self, flow: &GrainFlow) -> Result<(), CliError> {
        let frame = flow.frame();
        for (id, grain) in flow.numbered_grains() {
            let ([x, y, z], r) = (grain.centre.to_array(), grain.radius);
            // Writing to a string does not fail.
            let _ = writeln!(self.text, "{frame},{id},{x},{y},{z},{r}");
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
