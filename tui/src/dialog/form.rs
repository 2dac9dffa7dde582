//! The sign-in form: server, email, password, and the code of the second factor where the account has one.

use crate::dialog::DialogAction;
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find};
use crate::session::SignIn;
use crate::text_input::TextInput;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInField {
    /// The server's base URL.
    Address,
    Email,
    /// The password; never shown.
    Password,
    Otp,
}

impl SignInField {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Address => "Server",
            Self::Email => "Email",
            Self::Password => "Password",
            Self::Otp => "Code",
        }
    }
}

#[derive(Debug)]
pub struct SignInForm {
    pub profile: String,
    /// Why a sign-in is needed, or the last error.
    pub message: Option<String>,
    /// Whether the sign-in is in progress.
    pub is_submitting: bool,
    pub fields: Vec<(SignInField, TextInput)>,
    /// The index of the focused entry.
    pub focus: usize,
}

impl SignInForm {
    /// A form with the known values, and the first empty field focused.
    #[must_use]
    pub fn new(profile: &str, address: &str, email: &str, message: Option<String>) -> Self {
        let fields = vec![
            (SignInField::Address, TextInput::with_text(address)),
            (SignInField::Email, TextInput::with_text(email)),
            (SignInField::Password, TextInput::default()),
        ];
        let focus = fields.iter().position(|(_, line)| line.is_empty()).unwrap_or(0);
        Self { profile: profile.to_owned(), message, is_submitting: false, fields, focus }
    }

    /// Shows an error and keeps the inputs. Adds the code field where a second factor is needed.
    pub fn show_error(&mut self, message: Option<String>, otp: bool) {
        self.is_submitting = false;
        self.message = message;
        let has_otp = self.fields.iter().any(|(field, _)| *field == SignInField::Otp);
        if otp && !has_otp {
            self.fields.push((SignInField::Otp, TextInput::default()));
        }
        self.focus = self.fields.len() - 1;
    }

    /// The focused line; `None` while the sign-in is in progress.
    pub fn line(&mut self) -> Option<&mut TextInput> {
        if self.is_submitting { None } else { self.fields.get_mut(self.focus).map(|(_, line)| line) }
    }

    fn text(&self, wanted: SignInField) -> String {
        self.fields
            .iter()
            .find(|(field, _)| *field == wanted)
            .map_or_else(String::new, |(_, line)| line.text())
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        match find(KeyContext::SignIn, key).map(|binding| binding.command) {
            Some(Command::Quit) => return DialogAction::Quit,
            Some(Command::Down) => self.focus = (self.focus + 1) % self.fields.len(),
            Some(Command::Up) => self.focus = self.focus.checked_sub(1).unwrap_or(self.fields.len() - 1),
            Some(Command::Enter) if self.focus + 1 < self.fields.len() => self.focus += 1,
            Some(Command::Enter) => return self.submit(),
            _ => {
                if let Some(line) = self.line() {
                    line.handle(key);
                }
            }
        }
        DialogAction::None
    }

    fn submit(&mut self) -> DialogAction {
        if self.is_submitting {
            return DialogAction::None;
        }
        if let Some(focus) = self.fields.iter().position(|(_, line)| line.text().trim().is_empty()) {
            self.focus = focus;
            self.message = Some(format!("Enter the {}.", self.fields[focus].0.label().to_lowercase()));
            return DialogAction::None;
        }
        self.is_submitting = true;
        self.message = None;
        DialogAction::SignIn(SignIn {
            address: self.text(SignInField::Address).trim().to_owned(),
            email: self.text(SignInField::Email).trim().to_owned(),
            password: self.text(SignInField::Password),
            otp: self.text(SignInField::Otp).trim().to_owned(),
        })
    }
}
