//! Writes bytes from the panel: unchanged to a file or pipe; to a terminal line by line, without control characters.

use crate::failure::CmdResult;
use crate::output::Output;

/// Accepts chunks that may end within a line or within a character.
pub(crate) struct LineWriter<'o> {
    out: &'o Output,
    /// The bytes after the last line break.
    pending: Vec<u8>,
}

impl<'o> LineWriter<'o> {
    pub(crate) fn new(out: &'o Output) -> Self {
        Self { out, pending: Vec::new() }
    }

    /// Writes all complete lines.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> CmdResult<()> {
        if !self.out.stdout_is_terminal {
            return self.out.write_bytes(chunk);
        }
        self.pending.extend_from_slice(chunk);
        let Some(end) = self.pending.iter().rposition(|byte| *byte == b'\n') else { return Ok(()) };
        let pending = self.pending.split_off(end + 1);
        let complete = std::mem::replace(&mut self.pending, pending);
        String::from_utf8_lossy(&complete).lines().try_for_each(|line| self.out.print_text(line))
    }

    /// Writes the last line if it has no line break.
    pub(crate) fn finish(self) -> CmdResult<()> {
        String::from_utf8_lossy(&self.pending).lines().try_for_each(|line| self.out.print_text(line))
    }
}
