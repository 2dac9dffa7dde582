//! The output buffer of a re-encoded image, which never exceeds its limit.

use std::io::{Error, ErrorKind, Result, Write};

/// A buffer of at most `max_bytes` bytes.
pub(super) struct Output {
    bytes: Vec<u8>,
    max_bytes: usize,
    is_full: bool,
}

impl Output {
    pub(super) fn new(max_bytes: usize) -> Self {
        // Full capacity at once: a growing buffer would leave a block of each size with the allocator, and the operating system
        // only allocates memory that is written to.
        Self { bytes: Vec::with_capacity(max_bytes), max_bytes, is_full: false }
    }

    /// Returns the written bytes, or one sentence for the user that explains why the image is incomplete. `result` is the
    /// encoder's.
    pub(super) fn finish<E>(
        self,
        result: std::result::Result<(), E>,
    ) -> std::result::Result<Vec<u8>, String> {
        match result {
            Ok(()) => Ok(self.bytes),
            Err(_) if self.is_full => Err(format!(
                "The image takes more than {} KiB after re-encoding. Send an image with fewer pixels.",
                self.max_bytes / 1024
            )),
            Err(error) => Err(super::to_unreadable(error)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let new_length = self.bytes.len() + bytes.len();
        if new_length > self.max_bytes {
            self.is_full = true;
            return Err(Error::from(ErrorKind::FileTooLarge));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
