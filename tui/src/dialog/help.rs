//! The help: all keys of the keymap, with a search.

use crate::command::COMMANDS;
use crate::dialog::DialogAction;
use crate::key::Key;
use crate::keymap::{Command, EDITING_KEYS, KEYS, KeyContext, find};
use crate::text_input::TextInput;

/// Lines per page key in the help.
const SCREEN: usize = 8;

#[derive(Debug, Default)]
pub struct Help {
    pub search: TextInput,
    /// The number of lines scrolled past the top.
    pub top: usize,
}

/// A line of the help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelpLine {
    Title(&'static str),
    /// Keys with their help text.
    Keys(String, &'static str),
}

impl Help {
    /// The lines that match the search.
    #[must_use]
    pub fn lines(&self, dash: &str) -> Vec<HelpLine> {
        let wanted = self.search.text().to_lowercase();
        let matches = |text: &str| text.to_lowercase().contains(wanted.trim());
        let mut lines = Vec::new();
        let mut section = |title: &'static str, entries: Vec<(String, &'static str, &'static str)>| {
            let found: Vec<_> = entries
                .into_iter()
                .filter(|(keys, hint, help)| [keys, *hint, *help, title].into_iter().any(&matches))
                .collect();
            if !found.is_empty() {
                lines.push(HelpLine::Title(title));
                lines.extend(found.into_iter().map(|(keys, _, help)| HelpLine::Keys(keys, help)));
            }
        };
        for context in KeyContext::ALL {
            let keys = KEYS.iter().filter(|binding| binding.context == context);
            section(
                context.title(),
                keys.map(|binding| (binding.keys_text(dash), binding.hint, binding.help)).collect(),
            );
        }
        let label = |keys: &[Key]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        section("Text fields", EDITING_KEYS.iter().map(|(keys, help)| (label(keys), "", *help)).collect());
        section(
            "Commands",
            COMMANDS.iter().map(|(command, help)| (format!(":{command}"), "", *help)).collect(),
        );
        lines
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        let last = self.lines("-").len().saturating_sub(1);
        match find(KeyContext::Help, key).map(|binding| binding.command) {
            Some(Command::Back) => return DialogAction::Close,
            Some(Command::Down) => self.top = (self.top + 1).min(last),
            Some(Command::Up) => self.top = self.top.saturating_sub(1),
            Some(Command::PageDown) => self.top = (self.top + SCREEN).min(last),
            Some(Command::PageUp) => self.top = self.top.saturating_sub(SCREEN),
            _ => {
                if self.search.handle(key) {
                    self.top = 0;
                }
            }
        }
        DialogAction::None
    }
}
