//! A single-line text field, and the history of entered lines. It does no I/O.

use crate::key::Key;
use crate::text;

/// Maximum length in characters, so that pasted text cannot exhaust the memory.
const MAX_CHARS: usize = 20_000;
/// Maximum number of lines in the history.
const MAX_HISTORY: usize = 50;

/// A single-line text field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextInput {
    text: Vec<char>,
    cursor: usize,
}

impl TextInput {
    /// Creates a field with this text and the cursor at its end.
    #[must_use]
    pub fn with_text(text: &str) -> Self {
        let text: Vec<char> = text::sanitize(text).chars().take(MAX_CHARS).collect();
        Self { cursor: text.len(), text }
    }

    #[must_use]
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// The text before the cursor.
    #[must_use]
    pub fn text_before_cursor(&self) -> String {
        self.text[..self.cursor].iter().collect()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Inserts text at the cursor; line breaks become spaces.
    pub fn insert(&mut self, inserted_text: &str) {
        for letter in text::sanitize(inserted_text).chars() {
            if self.text.len() < MAX_CHARS {
                self.text.insert(self.cursor, letter);
                self.cursor += 1;
            }
        }
    }

    /// Applies an editing key. Returns false if the key does not edit text.
    pub fn handle(&mut self, key: Key) -> bool {
        match key {
            Key::Char(letter) => self.insert(letter.encode_utf8(&mut [0; 4])),
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            Key::Delete if self.cursor < self.text.len() => {
                self.text.remove(self.cursor);
            }
            Key::Backspace | Key::Delete => {}
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = (self.cursor + 1).min(self.text.len()),
            Key::Home | Key::Ctrl('a') => self.cursor = 0,
            Key::End | Key::Ctrl('e') => self.cursor = self.text.len(),
            Key::Ctrl('u') => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            Key::Ctrl('w') => self.delete_word(),
            _ => return false,
        }
        true
    }

    fn delete_word(&mut self) {
        let mut start = self.cursor;
        while start > 0 && self.text[start - 1] == ' ' {
            start -= 1;
        }
        while start > 0 && self.text[start - 1] != ' ' {
            start -= 1;
        }
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }
}

/// The lines that were entered before, newest last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    lines: Vec<String>,
    /// The index of the shown line, counted from the newest. `None` while the staff member types a new line.
    shown_index: Option<usize>,
}

impl History {
    /// Adds a line; a repeated line moves to the end.
    pub fn add(&mut self, line: &str) {
        self.shown_index = None;
        if line.trim().is_empty() {
            return;
        }
        self.lines.retain(|existing| existing != line);
        self.lines.push(line.to_owned());
        if self.lines.len() > MAX_HISTORY {
            self.lines.remove(0);
        }
    }

    /// Moves to the next older line; `None` if there is no older line.
    pub fn older(&mut self) -> Option<TextInput> {
        let older_index = self.shown_index.map_or(0, |index| index + 1);
        let line = self.lines.iter().rev().nth(older_index)?;
        self.shown_index = Some(older_index);
        Some(TextInput::with_text(line))
    }

    /// Moves to the next newer line. After the newest line, returns an empty line.
    pub fn newer(&mut self) -> Option<TextInput> {
        let index = self.shown_index?;
        self.shown_index = index.checked_sub(1);
        Some(
            self.shown_index
                .and_then(|index| self.lines.iter().rev().nth(index))
                .map_or_else(TextInput::default, |line| TextInput::with_text(line)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press_keys(line: &mut TextInput, keys: &[Key]) -> String {
        for key in keys {
            line.handle(*key);
        }
        line.text()
    }

    #[test]
    fn edits_a_line() {
        let mut line = TextInput::with_text("cost>50 user:anna");
        assert_eq!(press_keys(&mut line, &[Key::Ctrl('w'), Key::Char('x')]), "cost>50 x");
        assert_eq!(press_keys(&mut line, &[Key::Home, Key::Delete, Key::Char('p')]), "post>50 x");
        assert_eq!(press_keys(&mut line, &[Key::End, Key::Left, Key::Backspace, Key::Backspace]), "post>5x");
        assert_eq!(press_keys(&mut line, &[Key::Ctrl('u')]), "x");
        line.insert("a\nb\u{1b}[0m");
        assert_eq!(line.text(), "a b[0mx");
    }

    #[test]
    fn history_moves_to_older_and_newer_lines() {
        let mut history = History::default();
        for line in ["a", "b", "a", " "] {
            history.add(line);
        }
        let text = |line: Option<TextInput>| line.map(|line| line.text());
        assert_eq!(text(history.older()), Some("a".into()));
        assert_eq!(text(history.older()), Some("b".into()));
        assert_eq!(text(history.older()), None);
        assert_eq!(text(history.newer()), Some("a".into()));
        assert_eq!(text(history.newer()), Some(String::new()));
        assert_eq!(text(history.newer()), None);
    }
}
