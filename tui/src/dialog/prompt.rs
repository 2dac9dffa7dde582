//! The prompt for a filter or a command, with the error of the entered text.

use crate::command;
use crate::dialog::DialogAction;
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find_binding};
use crate::model::filter::{Filter, FilterError, FilterField};
use crate::text_input::TextInput;

#[derive(Debug, Clone, Copy)]
pub enum PromptKind {
    /// A filter on these fields.
    Filter(&'static [FilterField]),
    Command,
}

#[derive(Debug)]
pub struct Prompt {
    pub kind: PromptKind,
    pub input: TextInput,
    pub error: Option<FilterError>,
}

impl Prompt {
    #[must_use]
    pub fn new(kind: PromptKind, text: &str) -> Self {
        Self { kind, input: TextInput::with_text(text), error: None }
    }

    /// The input, to change it from outside the prompt. Clears the error.
    pub fn input_mut(&mut self) -> &mut TextInput {
        self.error = None;
        &mut self.input
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        match find_binding(KeyContext::Prompt, key).map(|binding| binding.command) {
            Some(Command::Back) => DialogAction::Close,
            Some(Command::Enter) => self.submit(),
            Some(Command::Up) => DialogAction::ShowHistory { is_older: true },
            Some(Command::Down) => DialogAction::ShowHistory { is_older: false },
            _ => {
                self.input.handle(key);
                self.error = None;
                DialogAction::None
            }
        }
    }

    fn submit(&mut self) -> DialogAction {
        let text = self.input.text();
        match self.kind {
            PromptKind::Filter(fields) => match Filter::parse(&text, fields) {
                Ok(_) => return DialogAction::Filter(text),
                Err(error) => self.error = Some(error),
            },
            PromptKind::Command => match command::parse(&text) {
                Ok(_) => return DialogAction::Command(text),
                Err(message) => self.error = Some(FilterError { position: 0, message }),
            },
        }
        DialogAction::None
    }
}
