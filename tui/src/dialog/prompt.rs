//! The line at the filter: takes a filter or a command, and says what is wrong with it while it is typed.

use crate::command;
use crate::dialog::Action;
use crate::key::Key;
use crate::keymap::{Command, Place, find};
use crate::line::Line;
use crate::model::filter::{Field, Filter, Wrong};

/// What is typed.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A filter over these fields.
    Filter(&'static [Field]),
    /// A command.
    Command,
}

/// A prompt.
#[derive(Debug)]
pub struct Prompt {
    /// What is typed.
    pub kind: Kind,
    /// The text.
    pub line: Line,
    /// What is wrong with it.
    pub wrong: Option<Wrong>,
}

impl Prompt {
    /// A prompt that begins with a text.
    #[must_use]
    pub fn new(kind: Kind, text: &str) -> Self {
        Self { kind, line: Line::of(text), wrong: None }
    }

    /// The line, about to be changed from outside; an old complaint no longer holds.
    pub fn line_mut(&mut self) -> &mut Line {
        self.wrong = None;
        &mut self.line
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        match find(Place::Prompt, key).map(|binding| binding.command) {
            Some(Command::Back) => Action::Close,
            Some(Command::Enter) => self.submit(),
            Some(Command::Up) => Action::Recall { older: true },
            Some(Command::Down) => Action::Recall { older: false },
            _ => {
                self.line.on(key);
                self.wrong = None;
                Action::None
            }
        }
    }

    fn submit(&mut self) -> Action {
        let text = self.line.text();
        match self.kind {
            Kind::Filter(fields) => match Filter::read(&text, fields) {
                Ok(_) => return Action::Filter(text),
                Err(wrong) => self.wrong = Some(wrong),
            },
            Kind::Command => match command::read(&text) {
                Ok(_) => return Action::Command(text),
                Err(message) => self.wrong = Some(Wrong { at: 0, message }),
            },
        }
        Action::None
    }
}
