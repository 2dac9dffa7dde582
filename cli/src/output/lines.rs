//! Writes bytes from the server. A file or pipe receives them unchanged; a terminal receives them line by line, without control
//! characters.

use crate::failure::CommandResult;
use crate::output::Output;

/// Accepts chunks that may end within a line or within a character.
pub(crate) struct LineWriter<'o> {
    out: &'o Output,
    /// The bytes after the last line break.
    incomplete_line: Vec<u8>,
}

impl<'o> LineWriter<'o> {
    pub(crate) fn new(out: &'o Output) -> Self {
        Self { out, incomplete_line: Vec::new() }
    }

    /// Writes all complete lines.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> CommandResult<()> {
        if !self.out.stdout_is_terminal {
            return self.out.write_bytes(chunk);
        }
        self.incomplete_line.extend_from_slice(chunk);
        let Some(last_line_break) = self.incomplete_line.iter().rposition(|byte| *byte == b'\n') else {
            return Ok(());
        };
        let incomplete_line = self.incomplete_line.split_off(last_line_break + 1);
        let complete_lines = std::mem::replace(&mut self.incomplete_line, incomplete_line);
        String::from_utf8_lossy(&complete_lines).lines().try_for_each(|line| self.out.print_text(line))
    }

    /// Writes the last line if it has no line break.
    pub(crate) fn finish(self) -> CommandResult<()> {
        String::from_utf8_lossy(&self.incomplete_line).lines().try_for_each(|line| self.out.print_text(line))
    }
}
