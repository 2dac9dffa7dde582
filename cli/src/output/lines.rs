//! Bytes as they come from the panel: untouched for a file or pipe, line by line and cleaned for a terminal.

use crate::failure::Done;
use crate::output::Out;

/// Takes pieces that may end in the middle of a letter.
pub(crate) struct Lines<'o> {
    out: &'o Out,
    /// What has no end of line yet.
    rest: Vec<u8>,
}

impl<'o> Lines<'o> {
    pub(crate) fn new(out: &'o Out) -> Self {
        Self { out, rest: Vec::new() }
    }

    /// Writes what can be written.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Done<()> {
        if !self.out.to_terminal {
            return self.out.bytes(piece);
        }
        self.rest.extend_from_slice(piece);
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Ok(()) };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        String::from_utf8_lossy(&whole).lines().try_for_each(|line| self.out.text(line))
    }

    /// Writes the rest.
    pub(crate) fn finish(self) -> Done<()> {
        String::from_utf8_lossy(&self.rest).lines().try_for_each(|line| self.out.text(line))
    }
}
