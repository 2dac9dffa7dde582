//! Bounds on foreign data (feeds, workbooks, answers of external panels): checked by flat scans before a parser that
//! recurses or compares sees a byte. A scan refuses what two parsers could read differently, so that nothing can hide from
//! it. It never builds a value of what it reads.

mod json;
mod stack;
mod xml;

pub use json::{JsonLimits, check_json, check_json_within, count_json_within};
pub use stack::{PARSER_STACK_BYTES, ParserPanicked, parse_on_own_stack};
pub use xml::{XmlKind, XmlLimits, XmlPart, check_xml, scan_xml};

/// Levels of nesting that foreign data may have. Feeds and panels use fewer than ten.
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
