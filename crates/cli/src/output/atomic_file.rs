//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// A file written beside its destination and renamed onto it by [`commit`](Self::commit). Dropped
/// before that, it leaves nothing behind and the destination as it was.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts a file that will be `path`.
    pub(crate) fn create(path: &Path) -> Result<Self, CliError> {
        let refuse = |kind: io::ErrorKind| CliError::write(path, kind.into());
        if path.is_dir() {
            return Err(refuse(io::ErrorKind::IsADirectory));
        }
        let name = path
            .file_name()
            .ok_or_else(|| refuse(io::ErrorKind::InvalidInput))?;
        let mut temporary_name = name.to_owned();
        temporary_name.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary_name);
        let file = File::create(&temporary).map_err(|error| CliError::write(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            temporary,
            file: Some(BufWriter::new(file)),
        })
    }

    /// Writes the whole of `bytes` to `path`.
    pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
        let mut file = Self::create(path)?;
        file.put(bytes)?;
        file.commit()
    }

    /// Appends.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        match &mut self.file {
            Some(file) => file
                .write_all(bytes)
                .map_err(|error| CliError::write(&self.path, error)),
            None => Ok(()),
        }
    }

    /// Makes the file appear under its name.
    pub(crate) fn commit(mut self) -> Result<(), CliError> {
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let done = file
            .flush()
            .and_then(|()| std::fs::rename(&self.temporary, &self.path));
        if done.is_err() {
            let _ = std::fs::remove_file(&self.temporary);
        }
        done.map_err(|error| CliError::write(&self.path, error))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // Nothing to be done about a failure here: the message of the first error counts.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}
