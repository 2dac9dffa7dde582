//! Words for people go to standard error, data to standard output.

use std::io::Write as _;

/// A line for people.
pub(crate) fn tell(line: &str) {
    // Standard error may be closed.
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Data.
pub(crate) fn print(text: &str) -> Result<(), String> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())
}
