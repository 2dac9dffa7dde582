//! The temporary file of a large request body. The file has no name, and the system deletes it when the last handle is closed. Many
//! or slow clients with large bodies therefore use disk space and no memory. `bodies` enforces the limits.

use std::fs::File;
use std::io::{Read as _, Result, Seek as _, Write as _};
use std::path::PathBuf;

#[derive(Debug)]
pub(super) struct BodyFile {
    file: File,
    length: usize,
}

impl BodyFile {
    pub(super) async fn create(folder: PathBuf) -> Result<Self> {
        run_blocking(move || Ok(Self { file: tempfile::tempfile_in(folder)?, length: 0 })).await
    }

    /// Appends the blocks.
    pub(super) async fn append(mut self, blocks: Vec<Vec<u8>>) -> Result<Self> {
        run_blocking(move || {
            for block in blocks {
                self.file.write_all(&block)?;
                self.length += block.len();
            }
            Ok(self)
        })
        .await
    }

    /// Reads the whole file into one buffer of exactly its length.
    pub(super) async fn read_all(mut self) -> Result<Vec<u8>> {
        run_blocking(move || {
            let mut content = vec![0; self.length];
            self.file.rewind()?;
            self.file.read_exact(&mut content)?;
            Ok(content)
        })
        .await
    }
}

/// Runs file operations on a blocking thread, so that a slow disk delays no other request.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}
