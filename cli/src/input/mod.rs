//! Files that a command reads. They are foreign data, so each is bounded in size before it is parsed, and an error quotes only
//! the start of an invalid text. Knows nothing about the content of the files.

pub(crate) mod csv;
pub(crate) mod workbook;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};

use crate::failure::{CmdResult, Failure};

/// Limit of a file that lists records, in bytes: about 20,000 services with their descriptions in one language.
pub(crate) const MAX_FILE_BYTES: u64 = 20 << 20;

/// Limit of the characters that an error quotes.
const QUOTED_CHARS: usize = 60;

/// Reads a file (`-` is standard input) of at most [`MAX_FILE_BYTES`]; `option` is the option for the error.
pub(crate) fn read_file(option: &str, file: &str) -> CmdResult<Vec<u8>> {
    let bytes = match file {
        "-" => read_within(io::stdin().lock(), MAX_FILE_BYTES),
        path => File::open(path).and_then(|file| read_within(file, MAX_FILE_BYTES)),
    };
    bytes.map_err(|error| Failure::usage(format!("{option} {file}: {error}.")))
}

/// Reads a UTF-8 text file (`-` is standard input) of at most [`MAX_FILE_BYTES`], without its byte order mark.
pub(crate) fn read_text(option: &str, file: &str) -> CmdResult<String> {
    let text = String::from_utf8(read_file(option, file)?)
        .map_err(|_| Failure::usage(format!("{option} {file}: it is not UTF-8 text.")))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

fn read_within(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit + 1).read_to_end(&mut bytes)?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= limit => Ok(bytes),
        _ => Err(io::Error::other(format!("it is larger than {} MiB; split the file", limit >> 20))),
    }
}

/// Quotes a text, cut after [`QUOTED_CHARS`] characters.
pub(crate) fn quoted(text: &str) -> String {
    match cut_start(text) {
        None => format!("{text:?}"),
        Some(start) => format!("{start:?}..."),
    }
}

/// A text for an error, cut after [`QUOTED_CHARS`] characters.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    cut_start(text).map_or(text.into(), |start| format!("{start}…").into())
}

/// The start of a text that is too long for an error; none if it is short enough.
fn cut_start(text: &str) -> Option<&str> {
    text.char_indices().nth(QUOTED_CHARS).map(|(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_maximum_size() {
        assert_eq!(read_within(&b"1234"[..], 4).unwrap(), b"1234");
        assert!(read_within(&b"12345"[..], 4).is_err());
    }

    #[test]
    fn a_long_text_is_quoted_by_its_start() {
        assert_eq!(quoted("a\"b"), r#""a\"b""#);
        assert_eq!(quoted(&"ä".repeat(60)), format!("\"{}\"", "ä".repeat(60)));
        assert_eq!(quoted(&"ä".repeat(100_000)), format!("\"{}\"...", "ä".repeat(60)));
    }
}
