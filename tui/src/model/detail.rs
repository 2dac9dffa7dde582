//! Everything about one record, as labelled texts in sections; any source can fill it, and drawing knows no more.

use crate::model::row::Row;
use crate::text::clean;
use crate::theme::Tone;
use panel_contract::ids::RecordId;

/// A record in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// Its id.
    pub id: RecordId,
    /// `Order 981204`.
    pub title: String,
    /// What the list would show; its flags are the newest known.
    pub row: Row,
    /// What is known of it.
    pub sections: Vec<Section>,
}

/// Some entries under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading; may be empty.
    pub title: &'static str,
    /// The entries.
    pub entries: Vec<Entry>,
}

/// A labelled text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is; may be empty.
    pub label: String,
    /// What it says.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Section {
    /// Entries under a heading.
    #[must_use]
    pub fn new(title: &'static str, entries: Vec<Entry>) -> Self {
        Self { title, entries }
    }
}

impl Entry {
    /// A plain entry; both texts are cleaned.
    #[must_use]
    pub fn of(label: &str, text: &str) -> Self {
        Self { label: clean(label), text: clean(text), tone: Tone::Plain }
    }

    /// The same in another tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}
