//! A record as labelled texts in sections. Every source converts its records to it, so that drawing does not depend on the
//! resource.

use crate::model::row::RecordRow;
use crate::text::sanitize;
use crate::theme::Tone;
use panel_contract::ids::RecordId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    pub id: RecordId,
    /// The heading, such as `Order 981204`.
    pub title: String,
    /// The list row with the newest `actions`.
    pub row: RecordRow,
    pub sections: Vec<Section>,
}

/// Entries under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading; may be empty.
    pub title: &'static str,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The label; may be empty.
    pub label: String,
    pub text: String,
    pub tone: Tone,
}

impl Section {
    #[must_use]
    pub fn new(title: &'static str, entries: Vec<Entry>) -> Self {
        Self { title, entries }
    }
}

impl Entry {
    /// Creates a plain entry. Sanitizes both texts.
    #[must_use]
    pub fn new(label: &str, text: &str) -> Self {
        Self { label: sanitize(label), text: sanitize(text), tone: Tone::Plain }
    }

    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}
