//! Where things are, frame by frame, as a file.

use std::path::Path;

use crate::error::CliError;
use crate::output::AtomicFile;

/// A CSV file with a line for each thing after each frame, the start being frame 0. Numbers are written with as few
/// digits as give the same number again.
pub(super) struct Recording {
    file: AtomicFile,
    text: String,
}

impl Recording {
    /// A file with the names of its columns.
    pub(super) fn create(path: &Path, columns: &str) -> Result<Self, CliError> {
        let mut file = AtomicFile::create(path)?;
        file.put(columns.as_bytes())?;
        file.put(b"\n")?;
        let text = String::new();
        Ok(Self { file, text })
    }

    /// Appends a frame: `lines` writes its lines.
    pub(super) fn frame(&mut self, lines: impl FnOnce(&mut String)) -> Result<(), CliError> {
        lines(&mut self.text);
        self.file.put(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Makes the file appear.
    pub(super) fn finish(self) -> Result<(), CliError> {
        self.file.commit()
    }
}
