//! The file of a large body while it arrives and waits: it has no name, and the system deletes it with its last handle. Clients
//! that send slowly, or many at once, use disk space and no memory. The caller enforces the limits.

use std::fs::File;
use std::io::{Read as _, Result, Seek as _, Write as _};
use std::path::PathBuf;

#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    bytes: usize,
}

impl Spool {
    pub(super) async fn create(folder: PathBuf) -> Result<Self> {
        blocking(move || Ok(Self { file: tempfile::tempfile_in(folder)?, bytes: 0 })).await
    }

    pub(super) async fn write(mut self, blocks: Vec<Vec<u8>>) -> Result<Self> {
        blocking(move || {
            for block in blocks {
                self.file.write_all(&block)?;
                self.bytes += block.len();
            }
            Ok(self)
        })
        .await
    }

    /// The whole file in one buffer of its length.
    pub(super) async fn read(mut self) -> Result<Vec<u8>> {
        blocking(move || {
            let mut content = vec![0; self.bytes];
            self.file.rewind()?;
            self.file.read_exact(&mut content)?;
            Ok(content)
        })
        .await
    }
}

/// Runs file operations on a blocking thread, so that a slow disk delays no other request.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}
