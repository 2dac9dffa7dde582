//! Where a rewritten image goes: a buffer that grows by small steps and never above its limit.

use std::io::{Error, ErrorKind, Result, Write};

/// Bytes by which the buffer grows: doubling would hold two copies of a large file.
const STEP: usize = 1 << 20;

/// A buffer of at most `most` bytes.
pub(super) struct Output {
    bytes: Vec<u8>,
    most: usize,
    is_full: bool,
}

impl Output {
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most, is_full: false }
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
        if needed > self.bytes.capacity() {
            let step = STEP.min(self.bytes.len()).max(part.len()).max(4 << 10);
            self.bytes.reserve_exact(step);
        }
        self.bytes.extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
