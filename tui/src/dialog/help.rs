//! The keys, from the keymap itself; typing searches them.

use crate::command::COMMANDS;
use crate::dialog::Action;
use crate::key::Key;
use crate::keymap::{Command, EDITING, KEYS, Place, find};
use crate::line::Line;

/// Lines of a screen of help.
const SCREEN: usize = 8;

/// The help.
#[derive(Debug, Default)]
pub struct Help {
    /// What is searched for.
    pub search: Line,
    /// Lines scrolled away.
    pub top: usize,
}

/// A line of the help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HelpLine {
    /// A heading.
    Title(&'static str),
    /// Keys and what they do.
    Keys(String, &'static str),
}

impl Help {
    /// The lines that match.
    #[must_use]
    pub fn lines(&self, dash: &str) -> Vec<HelpLine> {
        let wanted = self.search.text().to_lowercase();
        let matches = |text: &str| text.to_lowercase().contains(wanted.trim());
        let mut lines = Vec::new();
        let mut section = |title: &'static str, entries: Vec<(String, &'static str, &'static str)>| {
            let found: Vec<_> = entries
                .into_iter()
                .filter(|(keys, word, help)| [keys, *word, *help, title].into_iter().any(&matches))
                .collect();
            if !found.is_empty() {
                lines.push(HelpLine::Title(title));
                lines.extend(found.into_iter().map(|(keys, _, help)| HelpLine::Keys(keys, help)));
            }
        };
        for place in Place::ALL {
            let keys = KEYS.iter().filter(|binding| binding.place == place);
            section(
                place.title(),
                keys.map(|binding| (binding.label(dash), binding.word, binding.help)).collect(),
            );
        }
        let label = |keys: &[Key]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        section("Where text is typed", EDITING.iter().map(|(keys, help)| (label(keys), "", *help)).collect());
        section(
            "Commands",
            COMMANDS.iter().map(|(command, help)| (format!(":{command}"), "", *help)).collect(),
        );
        lines
    }

    pub(crate) fn on(&mut self, key: Key) -> Action {
        let last = self.lines("-").len().saturating_sub(1);
        match find(Place::Help, key).map(|binding| binding.command) {
            Some(Command::Back) => return Action::Close,
            Some(Command::Down) => self.top = (self.top + 1).min(last),
            Some(Command::Up) => self.top = self.top.saturating_sub(1),
            Some(Command::PageDown) => self.top = (self.top + SCREEN).min(last),
            Some(Command::PageUp) => self.top = self.top.saturating_sub(SCREEN),
            _ => {
                if self.search.on(key) {
                    self.top = 0;
                }
            }
        }
        Action::None
    }
}
