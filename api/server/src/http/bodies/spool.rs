//! A large body while it arrives and waits: a file without a name, gone with its last handle. Clients that
//! send slowly, or many at once, hold disk and no memory. Nothing here knows limits.

use std::fs::File;
use std::io::{Read as _, Result, Seek as _, Write as _};
use std::path::PathBuf;

/// The file, and how long it is.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    bytes: usize,
}

impl Spool {
    pub(super) async fn create(folder: PathBuf) -> Result<Self> {
        blocking(move || Ok(Self { file: tempfile::tempfile_in(folder)?, bytes: 0 })).await
    }

    /// Adds blocks to its end.
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

    /// All of it, in one buffer of its length.
    pub(super) async fn read(mut self) -> Result<Vec<u8>> {
        blocking(move || {
            let mut whole = vec![0; self.bytes];
            self.file.rewind()?;
            self.file.read_exact(&mut whole)?;
            Ok(whole)
        })
        .await
    }
}

/// A disk may take its time: no other request waits for it.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}
