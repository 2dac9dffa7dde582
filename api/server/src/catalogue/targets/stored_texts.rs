//! The texts of a target that staff translate, and its stored lists of words.

use crate::records::texts::{TextField, TextFields};

pub(super) const TEXTS: TextFields = TextFields {
    owner_type: "target",
    fields: &[
        TextField { field: "name", max_chars: 100 },
        TextField { field: "placeholder", max_chars: 255 },
    ],
};

/// Parses a column that holds a JSON list of texts.
pub(super) fn parse_list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
