//! The help: all keys of the keymap, with a search.

use crate::command::COMMANDS;
use crate::dialog::DialogAction;
use crate::key::Key;
use crate::keymap::{Command, EDITING_KEYS, KEYS, KeyContext, find_binding};
use crate::text_input::TextInput;

/// Number of lines that a page key scrolls.
const LINES_PER_PAGE: usize = 8;

#[derive(Debug, Default)]
pub struct Help {
    pub search: TextInput,
    /// The number of lines above the visible part.
    pub scroll_offset: usize,
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
        let search_text = self.search.text().to_lowercase();
        let matches = |text: &str| text.to_lowercase().contains(search_text.trim());
        let mut lines = Vec::new();
        let mut add_section = |title: &'static str, entries: Vec<(String, &'static str, &'static str)>| {
            let matching_entries: Vec<_> = entries
                .into_iter()
                .filter(|(keys, hint, help)| [keys, *hint, *help, title].into_iter().any(&matches))
                .collect();
            if !matching_entries.is_empty() {
                lines.push(HelpLine::Title(title));
                lines.extend(matching_entries.into_iter().map(|(keys, _, help)| HelpLine::Keys(keys, help)));
            }
        };
        for context in KeyContext::ALL {
            let keys = KEYS.iter().filter(|binding| binding.context == context);
            add_section(
                context.title(),
                keys.map(|binding| (binding.format_keys(dash), binding.hint, binding.help)).collect(),
            );
        }
        let format_keys = |keys: &[Key]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        add_section(
            "Text fields",
            EDITING_KEYS.iter().map(|(keys, help)| (format_keys(keys), "", *help)).collect(),
        );
        add_section(
            "Commands",
            COMMANDS.iter().map(|(command, help)| (format!(":{command}"), "", *help)).collect(),
        );
        lines
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        let last_line = self.lines("-").len().saturating_sub(1);
        match find_binding(KeyContext::Help, key).map(|binding| binding.command) {
            Some(Command::Back) => return DialogAction::Close,
            Some(Command::Down) => self.scroll_offset = (self.scroll_offset + 1).min(last_line),
            Some(Command::Up) => self.scroll_offset = self.scroll_offset.saturating_sub(1),
            Some(Command::PageDown) => {
                self.scroll_offset = (self.scroll_offset + LINES_PER_PAGE).min(last_line)
            }
            Some(Command::PageUp) => self.scroll_offset = self.scroll_offset.saturating_sub(LINES_PER_PAGE),
            _ => {
                if self.search.handle(key) {
                    self.scroll_offset = 0;
                }
            }
        }
        DialogAction::None
    }
}
