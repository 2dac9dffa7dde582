//! The sign-in form: address, email, password, and six digits where the account asks for them.

use crate::dialog::Action;
use crate::key::Key;
use crate::keymap::{Command, Place, find};
use crate::line::Line;
use crate::session::SignIn;

/// A field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The panel's address.
    Address,
    /// Email.
    Email,
    /// Password; never shown.
    Password,
    /// Six digits.
    Otp,
}

impl Field {
    /// Its label.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Address => "Panel",
            Self::Email => "Email",
            Self::Password => "Password",
            Self::Otp => "Code",
        }
    }
}

/// The form.
#[derive(Debug)]
pub struct SignInForm {
    /// The profile's name.
    pub profile: String,
    /// Why one has to sign in, or what went wrong.
    pub message: Option<String>,
    /// An answer is waited for.
    pub busy: bool,
    /// The fields with what is typed.
    pub fields: Vec<(Field, Line)>,
    /// The one with the focus.
    pub at: usize,
}

impl SignInForm {
    /// A form with what is known filled in, and the focus on the first field that is not.
    #[must_use]
    pub fn new(profile: &str, address: &str, email: &str, message: Option<String>) -> Self {
        let fields = vec![
            (Field::Address, Line::of(address)),
            (Field::Email, Line::of(email)),
            (Field::Password, Line::default()),
        ];
        let at = fields.iter().position(|(_, line)| line.is_empty()).unwrap_or(0);
        Self { profile: profile.to_owned(), message, busy: false, fields, at }
    }

    /// Says what went wrong; what was typed stays. Asks for the six digits when they are wanted.
    pub fn refuse(&mut self, message: Option<String>, otp: bool) {
        self.busy = false;
        self.message = message;
        let known = self.fields.iter().any(|(field, _)| *field == Field::Otp);
        if otp && !known {
            self.fields.push((Field::Otp, Line::default()));
        }
        self.at = self.fields.len() - 1;
    }

    /// The line with the focus; none while an answer is waited for.
    pub fn line(&mut self) -> Option<&mut Line> {
        if self.busy { None } else { self.fields.get_mut(self.at).map(|(_, line)| line) }
    }

    fn text(&self, wanted: Field) -> String {
        self.fields
            .iter()
            .find(|(field, _)| *field == wanted)
            .map_or_else(String::new, |(_, line)| line.text())
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        match find(Place::SignIn, key).map(|binding| binding.command) {
            Some(Command::Quit) => return Action::Quit,
            Some(Command::Down) => self.at = (self.at + 1) % self.fields.len(),
            Some(Command::Up) => self.at = self.at.checked_sub(1).unwrap_or(self.fields.len() - 1),
            Some(Command::Enter) if self.at + 1 < self.fields.len() => self.at += 1,
            Some(Command::Enter) => return self.submit(),
            _ => {
                if let Some(line) = self.line() {
                    line.on(key);
                }
            }
        }
        Action::None
    }

    fn submit(&mut self) -> Action {
        if self.busy {
            return Action::None;
        }
        if let Some(at) = self.fields.iter().position(|(_, line)| line.text().trim().is_empty()) {
            self.at = at;
            self.message = Some(format!("{} is empty.", self.fields[at].0.label()));
            return Action::None;
        }
        self.busy = true;
        self.message = None;
        Action::SignIn(SignIn {
            address: self.text(Field::Address).trim().to_owned(),
            email: self.text(Field::Email).trim().to_owned(),
            password: self.text(Field::Password),
            otp: self.text(Field::Otp).trim().to_owned(),
        })
    }
}
