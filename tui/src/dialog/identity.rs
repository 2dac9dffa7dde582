//! Asks for the password where the panel wants a person to confirm who they are. It lies over the control that was open
//! and gives it back; it never keeps what was typed.

use crate::dialog::{Action, Open};
use crate::key::Key;
use crate::keymap::{Command, Place, find};
use crate::line::Line;
use crate::session::Secret;

/// The question.
#[derive(Debug)]
pub struct Identity {
    /// What is typed; drawn as stars.
    pub password: Line,
    /// The control below, which comes back with the answer.
    pub(crate) below: Option<Box<Open>>,
}

impl Identity {
    /// An empty question over a control.
    #[must_use]
    pub fn over(below: Option<Open>) -> Self {
        Self { password: Line::default(), below: below.map(Box::new) }
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        match find(Place::Identity, key).map(|binding| binding.command) {
            Some(Command::Back) => Action::Identify(None),
            // Nothing typed is no answer yet.
            Some(Command::Enter) if self.password.is_empty() => Action::None,
            Some(Command::Enter) => Action::Identify(Some(Secret(self.password.text()))),
            _ => {
                self.password.on(key);
                Action::None
            }
        }
    }
}
