//! A longer message, such as the skipped records of a run or a URL. Closing it has no effect.

use crate::dialog::DialogAction;
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find_binding};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    pub title: String,
    pub text: Vec<String>,
    pub copied_text: Option<String>,
    /// The number of lines above the visible part.
    pub scroll_offset: usize,
}

impl Notice {
    #[must_use]
    pub fn new(title: impl Into<String>, text: Vec<String>, copied_text: Option<String>) -> Self {
        Self { title: title.into(), text, copied_text, scroll_offset: 0 }
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        match find_binding(KeyContext::Notice, key).map(|binding| binding.command) {
            Some(Command::Back) => return DialogAction::Close,
            Some(Command::Down) => self.scroll_offset = (self.scroll_offset + 1).min(self.text.len() * 8),
            Some(Command::Up) => self.scroll_offset = self.scroll_offset.saturating_sub(1),
            Some(Command::Copy) => {
                return self.copied_text.clone().map_or(DialogAction::None, DialogAction::Copy);
            }
            _ => {}
        }
        DialogAction::None
    }
}
