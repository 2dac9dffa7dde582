//! A menu. Each entry has a key; a disabled entry shows its reason.

use crate::dialog::{DialogAction, MenuChoice};
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find_binding};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuItem {
    /// The key that chooses the entry.
    pub key: Option<char>,
    pub label: String,
    pub choice: MenuChoice,
    /// Why the entry is disabled; `None` if it is enabled.
    pub disabled_reason: Option<String>,
    /// The state of a checkbox; `None` for other entries.
    pub is_checked: Option<bool>,
}

#[derive(Debug)]
pub struct Menu {
    pub title: String,
    pub items: Vec<MenuItem>,
    /// The index of the focused entry.
    pub focus: usize,
}

impl Menu {
    /// Creates a menu with the first entry focused.
    #[must_use]
    pub fn new(title: impl Into<String>, items: Vec<MenuItem>) -> Self {
        Self { title: title.into(), items, focus: 0 }
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        if let Key::Char(letter) = key
            && let Some(index) = self.items.iter().position(|item| item.key == Some(letter))
        {
            self.focus = index;
            return self.choose();
        }
        match find_binding(KeyContext::Menu, key).map(|binding| binding.command) {
            Some(Command::Back) => return DialogAction::Close,
            Some(Command::Down) => self.focus = (self.focus + 1) % self.items.len().max(1),
            Some(Command::Up) => {
                self.focus = self.focus.checked_sub(1).unwrap_or(self.items.len().saturating_sub(1))
            }
            Some(Command::Enter) => return self.choose(),
            _ => {}
        }
        DialogAction::None
    }

    /// Chooses the focused entry.
    pub fn choose(&mut self) -> DialogAction {
        let Some(item) = self.items.get_mut(self.focus) else { return DialogAction::Close };
        if let Some(reason) = &item.disabled_reason {
            return DialogAction::ShowStatus(reason.clone());
        }
        if let Some(is_checked) = &mut item.is_checked {
            *is_checked = !*is_checked;
        }
        DialogAction::Choose(item.choice)
    }
}
