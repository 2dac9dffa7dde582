//! Limits for untrusted data (feeds, workbooks, responses of external panels). Iterative scans check the limits before a recursive
//! parser reads the data. A scan rejects input that two parsers could interpret differently, so that no input can bypass the
//! limits. Scans must not build values.

mod json;
mod stack;
mod xml;

pub use json::{JsonLimits, check_json, check_json_within, count_json_within};
pub use stack::{PARSER_STACK_BYTES, ParserFailed, parse_on_new_thread};
pub use xml::{XmlLimits, XmlToken, XmlTokenKind, check_xml, scan_xml};

/// Maximum nesting depth of untrusted data. Feeds and responses of panels use fewer than ten levels.
pub const MAX_DEPTH: usize = 64;

/// Why a document is rejected before it is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UntrustedDataError {
    #[error("it nests deeper than {limit} levels")]
    TooDeep { limit: usize },
    /// Limited, because parsed values need many times more memory than the text.
    #[error("it holds more than {limit} values")]
    TooManyValues { limit: usize },
    /// Limited, because parsers compare each attribute of an element with every other attribute.
    #[error("an element has more than {limit} attributes")]
    TooManyAttributes { limit: usize },
    #[error("a tag is longer than {limit} bytes")]
    TagTooLong { limit: usize },
    /// The document is not well formed, or parsers could read it differently.
    #[error("it is not well formed: {0}")]
    Malformed(&'static str),
}
