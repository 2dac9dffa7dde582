//! What people read of a target, and its stored lists of words.

use crate::records::texts::{Text, Texts};

/// What a target has in every language.
pub(super) const TEXTS: Texts = Texts {
    owner: "target",
    fields: &[Text { field: "name", most: 100 }, Text { field: "placeholder", most: 255 }],
};

/// A list of texts as a column has it.
pub(super) fn list(json: &str) -> Vec<String> {
    serde_json::from_str(json).unwrap_or_default()
}
