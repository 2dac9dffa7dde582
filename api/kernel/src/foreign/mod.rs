//! Bounds on foreign data (feeds, workbooks, responses of external panels): iterative scans check them before a recursive parser
//! sees a byte. A scan refuses input that two parsers could interpret differently, so that nothing can bypass it. It never builds
//! values.

mod json;
mod stack;
mod xml;

pub use json::{JsonLimits, check_json, check_json_within, count_json_within};
pub use stack::{PARSER_STACK_BYTES, ParserPanicked, parse_on_own_stack};
pub use xml::{XmlLimits, XmlToken, XmlTokenKind, check_xml, scan_xml};

/// Maximum nesting depth of foreign data. Feeds and panels use fewer than ten levels.
pub const MAX_DEPTH: usize = 64;

/// Why a document is refused before it is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForeignDataError {
    #[error("it nests deeper than {limit} levels")]
    TooDeep { limit: usize },
    /// Parsed values take many times the bytes of the text.
    #[error("it holds more than {limit} values")]
    TooManyValues { limit: usize },
    /// Parsers compare each attribute of an element with every other attribute.
    #[error("an element has more than {limit} attributes")]
    TooManyAttributes { limit: usize },
    #[error("a tag is longer than {limit} bytes")]
    TagTooLong { limit: usize },
    /// The document is not well formed, or parsers could read it differently.
    #[error("it is not well formed: {0}")]
    Malformed(&'static str),
}
