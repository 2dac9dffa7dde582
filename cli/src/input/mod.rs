//! Files that a command reads. They are untrusted, so each has a size limit before it is parsed, and an error quotes only
//! the start of invalid text. This module does not interpret the content of the files.

pub(crate) mod csv;
pub(crate) mod workbook;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};

use crate::failure::{CommandResult, Failure};

/// Maximum size of a file in bytes: about 20,000 services with their descriptions in one language.
pub(crate) const MAX_FILE_BYTES: u64 = 20 << 20;

/// Maximum number of characters that an error quotes.
const QUOTED_CHARS: usize = 60;

/// Reads a file (`-` is standard input) of at most [`MAX_FILE_BYTES`]; errors begin with `option`, such as `--file`.
pub(crate) fn read_file(option: &str, file: &str) -> CommandResult<Vec<u8>> {
    let bytes = match file {
        "-" => read_up_to(io::stdin().lock(), MAX_FILE_BYTES),
        path => File::open(path).and_then(|file| read_up_to(file, MAX_FILE_BYTES)),
    };
    bytes.map_err(|error| Failure::usage(format!("{option} {file}: {error}.")))
}

/// Reads a UTF-8 text file (`-` is standard input) of at most [`MAX_FILE_BYTES`], without its byte order mark.
pub(crate) fn read_text(option: &str, file: &str) -> CommandResult<String> {
    let text = String::from_utf8(read_file(option, file)?)
        .map_err(|_| Failure::usage(format!("{option} {file}: the file is not UTF-8 text.")))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

fn read_up_to(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit + 1).read_to_end(&mut bytes)?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= limit => Ok(bytes),
        _ => Err(io::Error::other(format!("the file is larger than {} MiB; split it", limit >> 20))),
    }
}

/// Truncates text to [`QUOTED_CHARS`] characters and quotes it.
pub(crate) fn quote_start(text: &str) -> String {
    match start_if_too_long(text) {
        None => format!("{text:?}"),
        Some(start) => format!("{start:?}..."),
    }
}

/// Truncates text to [`QUOTED_CHARS`] characters, without quotes.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    start_if_too_long(text).map_or(text.into(), |start| format!("{start}…").into())
}

/// Returns the start of text that is longer than [`QUOTED_CHARS`]; `None` if the text is short enough.
fn start_if_too_long(text: &str) -> Option<&str> {
    text.char_indices().nth(QUOTED_CHARS).map(|(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_file_above_the_size_limit() {
        assert_eq!(read_up_to(&b"1234"[..], 4).unwrap(), b"1234");
        assert!(read_up_to(&b"12345"[..], 4).is_err());
    }

    #[test]
    fn quotes_only_the_start_of_a_long_text() {
        assert_eq!(quote_start("a\"b"), r#""a\"b""#);
        assert_eq!(quote_start(&"ä".repeat(60)), format!("\"{}\"", "ä".repeat(60)));
        assert_eq!(quote_start(&"ä".repeat(100_000)), format!("\"{}\"...", "ä".repeat(60)));
    }
}
