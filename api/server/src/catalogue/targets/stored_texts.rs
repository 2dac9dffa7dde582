//! The translatable texts of a target, and the parser of its columns that hold lists.

use crate::records::texts::{TextField, TextFields};

pub(super) const TEXTS: TextFields = TextFields {
    owner_type: "target",
    fields: &[
        TextField { field: "name", max_chars: 100 },
        TextField { field: "placeholder", max_chars: 255 },
    ],
};

/// Parses a column that holds a JSON array of strings. Invalid JSON gives an empty list.
pub(super) fn parse_list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
