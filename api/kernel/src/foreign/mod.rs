//! Bounds on foreign data (feeds, workbooks, responses of external panels): iterative scans check them before a recursive parser
//! sees
//! a byte. A scan refuses input that two parsers could interpret differently, so that nothing can bypass it. It never builds
//! values.

mod json;
mod stack;
mod xml;

pub use json::{JsonLimits, check_json, check_json_within, count_json_within};
pub use stack::{PARSER_STACK_BYTES, ParserPanicked, parse_on_own_stack};
pub use xml::{XmlKind, XmlLimits, XmlPart, check_xml, scan_xml};

/// Maximum nesting depth of foreign data. Feeds and panels use fewer than ten levels.
pub const MAX_DEPTH: usize = 64;

/// Why a document is refused before it is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForeignDataError {
    /// Elements, lists or objects nest too deeply.
    #[error("it nests deeper than {limit} levels")]
    TooDeep {
        /// Levels that are allowed.
        limit: usize,
    },
    /// Lists and objects hold too much: parsed values take many times the text's bytes.
    #[error("it holds more than {limit} values")]
    TooManyValues {
        /// Values that are allowed.
        limit: usize,
    },
    /// An element has too many attributes: parsers compare each with every other.
    #[error("an element has more than {limit} attributes")]
    TooManyAttributes {
        /// Attributes that one element may have.
        limit: usize,
    },
    /// A tag is too long.
    #[error("a tag is longer than {limit} bytes")]
    TagTooLong {
        /// Bytes that one tag may have.
        limit: usize,
    },
    /// The document is not well formed, or in a way that parsers read differently.
    #[error("it is not well formed: {0}")]
    Malformed(&'static str),
}
