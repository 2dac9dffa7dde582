//! Prints messages for the operator to standard error, and data to standard output.

use std::io::Write as _;

/// Prints a line to standard error.
pub(crate) fn print_message(line: &str) {
    // Standard error may be closed.
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Prints data to standard output, without a line break.
pub(crate) fn print_output(text: &str) -> Result<(), String> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())
}
