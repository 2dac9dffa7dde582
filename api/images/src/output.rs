//! Where a rewritten image goes: one buffer that never grows above its limit.

use std::io::{Error, ErrorKind, Result, Write};

/// A buffer of at most `most` bytes.
pub(super) struct Output {
    bytes: Vec<u8>,
    most: usize,
    is_full: bool,
}

impl Output {
    pub(super) fn new(most: usize) -> Self {
        // As large as it may become: one that grows leaves a buffer of each size with the allocator, and memory that is
        // not written to takes none.
        Self { bytes: Vec::with_capacity(most), most, is_full: false }
    }

    /// What was written, or one sentence on why it is not whole.
    pub(super) fn finish<E>(
        self,
        written: std::result::Result<(), E>,
    ) -> std::result::Result<Vec<u8>, String> {
        match written {
            Ok(()) => Ok(self.bytes),
            Err(_) if self.is_full => Err(format!(
                "The image takes more than {} KiB when it is written anew: send fewer pixels.",
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
