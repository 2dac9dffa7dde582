//! The sign-in form: server, email, password, and the code of the second factor if the account has one.

use crate::dialog::DialogAction;
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find_binding};
use crate::session::SignInInput;
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
    /// The reason why the staff member must sign in, or the last error.
    pub message: Option<String>,
    /// Whether the sign-in is in progress.
    pub is_submitting: bool,
    pub fields: Vec<(SignInField, TextInput)>,
    /// The index of the focused field.
    pub focus: usize,
}

impl SignInForm {
    /// Creates a form with the stored values, and focuses the first empty field.
    #[must_use]
    pub fn new(profile: &str, address: &str, email: &str, message: Option<String>) -> Self {
        let fields = vec![
            (SignInField::Address, TextInput::with_text(address)),
            (SignInField::Email, TextInput::with_text(email)),
            (SignInField::Password, TextInput::default()),
        ];
        let focus = fields.iter().position(|(_, input)| input.is_empty()).unwrap_or(0);
        Self { profile: profile.to_owned(), message, is_submitting: false, fields, focus }
    }

    /// Shows an error and keeps the inputs. Adds the code field if the account requires a second factor.
    pub fn show_error(&mut self, message: Option<String>, needs_otp: bool) {
        self.is_submitting = false;
        self.message = message;
        let has_otp = self.fields.iter().any(|(field, _)| *field == SignInField::Otp);
        if needs_otp && !has_otp {
            self.fields.push((SignInField::Otp, TextInput::default()));
        }
        self.focus = self.fields.len() - 1;
    }

    /// The input of the focused field; `None` while the sign-in is in progress.
    pub fn focused_input(&mut self) -> Option<&mut TextInput> {
        if self.is_submitting { None } else { self.fields.get_mut(self.focus).map(|(_, input)| input) }
    }

    fn text(&self, searched_field: SignInField) -> String {
        self.fields
            .iter()
            .find(|(field, _)| *field == searched_field)
            .map_or_else(String::new, |(_, input)| input.text())
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        match find_binding(KeyContext::SignIn, key).map(|binding| binding.command) {
            Some(Command::Quit) => return DialogAction::Quit,
            Some(Command::Down) => self.focus = (self.focus + 1) % self.fields.len(),
            Some(Command::Up) => self.focus = self.focus.checked_sub(1).unwrap_or(self.fields.len() - 1),
            Some(Command::Enter) if self.focus + 1 < self.fields.len() => self.focus += 1,
            Some(Command::Enter) => return self.submit(),
            _ => {
                if let Some(input) = self.focused_input() {
                    input.handle(key);
                }
            }
        }
        DialogAction::None
    }

    fn submit(&mut self) -> DialogAction {
        if self.is_submitting {
            return DialogAction::None;
        }
        if let Some(focus) = self.fields.iter().position(|(_, input)| input.text().trim().is_empty()) {
            self.focus = focus;
            self.message = Some(format!("Enter the {}.", self.fields[focus].0.label().to_lowercase()));
            return DialogAction::None;
        }
        self.is_submitting = true;
        self.message = None;
        DialogAction::SignIn(SignInInput {
            address: self.text(SignInField::Address).trim().to_owned(),
            email: self.text(SignInField::Email).trim().to_owned(),
            password: self.text(SignInField::Password),
            otp: self.text(SignInField::Otp).trim().to_owned(),
        })
    }
}
