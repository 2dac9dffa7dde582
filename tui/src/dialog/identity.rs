//! Asks for the password where the panel requires a confirmation of the identity. It covers the open dialog, which is shown
//! again after the answer. It must never store the password.

use crate::dialog::{DialogAction, Overlay};
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find};
use crate::session::Secret;
use crate::text_input::TextInput;

#[derive(Debug)]
pub struct Identity {
    /// The typed password; drawn as stars.
    pub password: TextInput,
    /// The dialog below, which is shown again after the answer.
    pub(crate) below: Option<Box<Overlay>>,
}

impl Identity {
    /// An empty prompt over the open dialog.
    #[must_use]
    pub fn over(below: Option<Overlay>) -> Self {
        Self { password: TextInput::default(), below: below.map(Box::new) }
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        match find(KeyContext::Identity, key).map(|binding| binding.command) {
            Some(Command::Back) => DialogAction::ConfirmIdentity(None),
            // An empty password is not sent.
            Some(Command::Enter) if self.password.is_empty() => DialogAction::None,
            Some(Command::Enter) => DialogAction::ConfirmIdentity(Some(Secret(self.password.text()))),
            _ => {
                self.password.handle(key);
                DialogAction::None
            }
        }
    }
}
