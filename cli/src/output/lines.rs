//! Bytes from the panel: written unchanged to a file or pipe, line by line and cleaned to a terminal.

use crate::failure::CmdResult;
use crate::output::Out;

/// Accepts pieces that may end in the middle of a character.
pub(crate) struct Lines<'o> {
    out: &'o Out,
    /// Bytes without a line break yet.
    pending: Vec<u8>,
}

impl<'o> Lines<'o> {
    pub(crate) fn new(out: &'o Out) -> Self {
        Self { out, pending: Vec::new() }
    }

    /// Writes all complete lines.
    pub(crate) fn push(&mut self, piece: &[u8]) -> CmdResult<()> {
        if !self.out.stdout_is_terminal {
            return self.out.bytes(piece);
        }
        self.pending.extend_from_slice(piece);
        let Some(end) = self.pending.iter().rposition(|byte| *byte == b'\n') else { return Ok(()) };
        let pending = self.pending.split_off(end + 1);
        let complete = std::mem::replace(&mut self.pending, pending);
        String::from_utf8_lossy(&complete).lines().try_for_each(|line| self.out.text(line))
    }

    /// Writes the last line if it has no line break.
    pub(crate) fn finish(self) -> CmdResult<()> {
        String::from_utf8_lossy(&self.pending).lines().try_for_each(|line| self.out.text(line))
    }
}
