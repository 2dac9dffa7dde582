//! Messages for people go to standard error, data to standard output.

use std::io::Write as _;

/// Prints a message for people.
pub(crate) fn print_message(line: &str) {
    // Standard error may be closed.
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Prints data.
pub(crate) fn print(text: &str) -> Result<(), String> {
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())
}
