//! A single-line text field and its history. Pure: keys in, text out.

use crate::key::Key;
use crate::text;

/// Maximum length in characters, which bounds the memory for pasted text.
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
    /// A text with the cursor at its end.
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
    pub fn insert(&mut self, typed: &str) {
        for letter in text::sanitize(typed).chars() {
            if self.text.len() < MAX_CHARS {
                self.text.insert(self.cursor, letter);
                self.cursor += 1;
            }
        }
    }

    /// Applies an editing key; returns false where the key is not one.
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
        let mut from = self.cursor;
        while from > 0 && self.text[from - 1] == ' ' {
            from -= 1;
        }
        while from > 0 && self.text[from - 1] != ' ' {
            from -= 1;
        }
        self.text.drain(from..self.cursor);
        self.cursor = from;
    }
}

/// Previous lines, newest last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    lines: Vec<String>,
    /// The index of the shown line, counted from the newest; `None` while a new line is typed.
    at: Option<usize>,
}

impl History {
    /// Adds a line; a repeated line moves to the end.
    pub fn add(&mut self, line: &str) {
        self.at = None;
        if line.trim().is_empty() {
            return;
        }
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        if self.lines.len() > MAX_HISTORY {
            self.lines.remove(0);
        }
    }

    /// The previous line.
    pub fn older(&mut self) -> Option<TextInput> {
        let next = self.at.map_or(0, |at| at + 1);
        let line = self.lines.iter().rev().nth(next)?;
        self.at = Some(next);
        Some(TextInput::with_text(line))
    }

    /// The next line; an empty line after the newest.
    pub fn newer(&mut self) -> Option<TextInput> {
        let at = self.at?;
        self.at = at.checked_sub(1);
        Some(
            self.at
                .and_then(|at| self.lines.iter().rev().nth(at))
                .map_or_else(TextInput::default, |line| TextInput::with_text(line)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &mut TextInput, keys: &[Key]) -> String {
        for key in keys {
            line.handle(*key);
        }
        line.text()
    }

    #[test]
    fn edits_a_line() {
        let mut line = TextInput::with_text("cost>50 user:anna");
        assert_eq!(typed(&mut line, &[Key::Ctrl('w'), Key::Char('x')]), "cost>50 x");
        assert_eq!(typed(&mut line, &[Key::Home, Key::Delete, Key::Char('p')]), "post>50 x");
        assert_eq!(typed(&mut line, &[Key::End, Key::Left, Key::Backspace, Key::Backspace]), "post>5x");
        assert_eq!(typed(&mut line, &[Key::Ctrl('u')]), "x");
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
