//! The dialog that asks for the password if the server requires a confirmation of the identity. It covers the open dialog, which is
//! shown again afterwards. The dashboard must never store the password.

use crate::dialog::{DialogAction, Overlay};
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find_binding};
use crate::session::Secret;
use crate::text_input::TextInput;

#[derive(Debug)]
pub struct IdentityDialog {
    /// The password that the staff member types. The screen shows stars instead.
    pub password: TextInput,
    /// The covered dialog, which is shown again after this one closes.
    pub(crate) covered_dialog: Option<Box<Overlay>>,
}

impl IdentityDialog {
    /// Creates an empty dialog that covers the open dialog.
    #[must_use]
    pub fn covering(covered_dialog: Option<Overlay>) -> Self {
        Self { password: TextInput::default(), covered_dialog: covered_dialog.map(Box::new) }
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        match find_binding(KeyContext::Identity, key).map(|binding| binding.command) {
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
