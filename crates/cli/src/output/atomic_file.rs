//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// A file written beside its destination and renamed onto it by [`commit`](Self::commit). Dropped
/// before that, it leaves nothing behind and the destination as it was.
///
/// A symbolic link is followed, so that its target is replaced and the link stays. What is no
/// regular file (a device, a pipe) is written to directly.
#[derive(Debug)]
pub(crate) struct AtomicFile {
    path: PathBuf,
    /// What the bytes go to until the end; `None` when they go to `path` itself.
    temporary: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Starts a file that will be `path`.
    pub(crate) fn create(path: &Path) -> Result<Self, CliError> {
        let refuse = |kind: io::ErrorKind| CliError::write(path, kind.into());
        if path.is_dir() {
            return Err(refuse(io::ErrorKind::IsADirectory));
        }
        let failed = |error| CliError::write(path, error);
        let existing = std::fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self {
                path: path.to_owned(),
                temporary: None,
                file: Some(BufWriter::new(file)),
            });
        }
        let target = match existing {
            Some(_) => path.canonicalize().map_err(failed)?,
            None => path.to_owned(),
        };
        let name = target
            .file_name()
            .ok_or_else(|| refuse(io::ErrorKind::InvalidInput))?;
        let mut temporary_name = name.to_owned();
        temporary_name.push(format!(".{}.tmp", std::process::id()));
        let temporary = target.with_file_name(temporary_name);
        let file = File::create(&temporary).map_err(failed)?;
        if let Some(existing) = existing {
            file.set_permissions(existing.permissions())
                .map_err(failed)?;
        }
        Ok(Self {
            path: target,
            temporary: Some(temporary),
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
        let mut done = file.flush();
        if let Some(temporary) = &self.temporary {
            done = done.and_then(|()| std::fs::rename(temporary, &self.path));
            if done.is_err() {
                let _ = std::fs::remove_file(temporary);
            }
        }
        done.map_err(|error| CliError::write(&self.path, error))
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let (Some(_), Some(temporary)) = (self.file.take(), &self.temporary) {
            // Nothing to be done about a failure here: the message of the first error counts.
            let _ = std::fs::remove_file(temporary);
        }
    }
}
