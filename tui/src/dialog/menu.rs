//! A list of choices, each with its key; what is not possible says why.

use crate::dialog::{Action, Choice};
use crate::key::Key;
use crate::keymap::{Command, Place, find};

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Chooses it at once.
    pub key: Option<char>,
    /// What it is.
    pub label: String,
    /// What is chosen.
    pub choice: Choice,
    /// Why it cannot be chosen.
    pub off: Option<String>,
    /// For ticks: whether it is on.
    pub ticked: Option<bool>,
}

/// A menu.
#[derive(Debug)]
pub struct Menu {
    /// Its heading.
    pub title: String,
    /// The choices.
    pub items: Vec<Item>,
    /// The one with the focus.
    pub at: usize,
}

impl Menu {
    /// A menu with the focus on its first choice.
    #[must_use]
    pub fn new(title: impl Into<String>, items: Vec<Item>) -> Self {
        Self { title: title.into(), items, at: 0 }
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        if let Key::Char(letter) = key
            && let Some(at) = self.items.iter().position(|item| item.key == Some(letter))
        {
            self.at = at;
            return self.choose();
        }
        match find(Place::Menu, key).map(|binding| binding.command) {
            Some(Command::Back) => return Action::Close,
            Some(Command::Down) => self.at = (self.at + 1) % self.items.len().max(1),
            Some(Command::Up) => {
                self.at = self.at.checked_sub(1).unwrap_or(self.items.len().saturating_sub(1))
            }
            Some(Command::Enter) => return self.choose(),
            _ => {}
        }
        Action::None
    }

    /// Chooses the one with the focus.
    pub fn choose(&mut self) -> Action {
        let Some(item) = self.items.get_mut(self.at) else { return Action::Close };
        if let Some(why) = &item.off {
            return Action::Say(why.clone());
        }
        if let Some(ticked) = &mut item.ticked {
            *ticked = !*ticked;
        }
        Action::Choose(item.choice)
    }
}
