//! The output buffer of a re-encoded image, which never exceeds its limit.

use std::io::{Error, ErrorKind, Result, Write};

/// A buffer of at most `most` bytes.
pub(super) struct Output {
    bytes: Vec<u8>,
    most: usize,
    is_full: bool,
}

impl Output {
    pub(super) fn new(most: usize) -> Self {
        // Full capacity at once: a growing buffer would leave a block of each size with the allocator, and the operating system
        // only allocates memory that is written to.
        Self { bytes: Vec::with_capacity(most), most, is_full: false }
    }

    /// The written bytes, or one sentence about why the image is incomplete.
    pub(super) fn finish<E>(
        self,
        written: std::result::Result<(), E>,
    ) -> std::result::Result<Vec<u8>, String> {
        match written {
            Ok(()) => Ok(self.bytes),
            Err(_) if self.is_full => Err(format!(
                "The image takes more than {} KiB after re-encoding. Send an image with fewer pixels.",
                self.most / 1024
            )),
            Err(error) => Err(super::broken(error)),
        }
    }
}

impl Write for Output {
    fn write(&mut self, part: &[u8]) -> Result<usize> {
        let needed = self.bytes.len() + part.len();
        if needed > self.most {
            self.is_full = true;
            return Err(Error::from(ErrorKind::FileTooLarge));
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
