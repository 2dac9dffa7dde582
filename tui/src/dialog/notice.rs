//! Something longer to say: what a run skipped and why, an address. Closing it does nothing else.

use crate::dialog::Action;
use crate::key::Key;
use crate::keymap::{Command, Place, find};

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    /// Its heading.
    pub title: String,
    /// Its paragraphs.
    pub text: Vec<String>,
    /// What can be copied from it.
    pub copy: Option<String>,
    /// Lines scrolled away.
    pub top: usize,
}

impl Notice {
    /// A message.
    #[must_use]
    pub fn new(title: impl Into<String>, text: Vec<String>, copy: Option<String>) -> Self {
        Self { title: title.into(), text, copy, top: 0 }
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        match find(Place::Notice, key).map(|binding| binding.command) {
            Some(Command::Back) => return Action::Close,
            Some(Command::Down) => self.top = (self.top + 1).min(self.text.len() * 8),
            Some(Command::Up) => self.top = self.top.saturating_sub(1),
            Some(Command::Copy) => return self.copy.clone().map_or(Action::None, Action::Copy),
            _ => {}
        }
        Action::None
    }
}
