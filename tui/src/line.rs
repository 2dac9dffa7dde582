//! One line of text being edited, and the lines typed before. Pure: keys in, text out.

use crate::key::Key;
use crate::text;

/// Longest text, in characters: nobody types more, and a pasted book must not fill the memory.
const LONGEST: usize = 20_000;
/// Lines remembered.
const REMEMBERED: usize = 50;

/// A line with its cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    text: Vec<char>,
    at: usize,
}

impl Line {
    /// A line with the cursor at its end.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text: Vec<char> = text::clean(text).chars().take(LONGEST).collect();
        Self { at: text.len(), text }
    }

    /// What it says.
    #[must_use]
    pub fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// What stands before the cursor.
    #[must_use]
    pub fn before(&self) -> String {
        self.text[..self.at].iter().collect()
    }

    /// Whether nothing is typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Puts text at the cursor; line breaks become spaces.
    pub fn insert(&mut self, typed: &str) {
        for letter in text::clean(typed).chars() {
            if self.text.len() < LONGEST {
                self.text.insert(self.at, letter);
                self.at += 1;
            }
        }
    }

    /// What a key does to the line; whether it was one for it.
    pub fn on(&mut self, key: Key) -> bool {
        match key {
            Key::Char(letter) => self.insert(letter.encode_utf8(&mut [0; 4])),
            Key::Backspace if self.at > 0 => {
                self.at -= 1;
                self.text.remove(self.at);
            }
            Key::Delete if self.at < self.text.len() => {
                self.text.remove(self.at);
            }
            Key::Backspace | Key::Delete => {}
            Key::Left => self.at = self.at.saturating_sub(1),
            Key::Right => self.at = (self.at + 1).min(self.text.len()),
            Key::Home | Key::Ctrl('a') => self.at = 0,
            Key::End | Key::Ctrl('e') => self.at = self.text.len(),
            Key::Ctrl('u') => {
                self.text.drain(..self.at);
                self.at = 0;
            }
            Key::Ctrl('w') => self.drop_word(),
            _ => return false,
        }
        true
    }

    fn drop_word(&mut self) {
        let mut from = self.at;
        while from > 0 && self.text[from - 1] == ' ' {
            from -= 1;
        }
        while from > 0 && self.text[from - 1] != ' ' {
            from -= 1;
        }
        self.text.drain(from..self.at);
        self.at = from;
    }
}

/// Lines typed before, newest last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    lines: Vec<String>,
    /// The one shown, counted from the newest; none while a new one is typed.
    at: Option<usize>,
}

impl History {
    /// Remembers a line that was used.
    pub fn add(&mut self, line: &str) {
        self.at = None;
        if line.trim().is_empty() {
            return;
        }
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        if self.lines.len() > REMEMBERED {
            self.lines.remove(0);
        }
    }

    /// The one before the one shown.
    pub fn older(&mut self) -> Option<Line> {
        let next = self.at.map_or(0, |at| at + 1);
        let line = self.lines.iter().rev().nth(next)?;
        self.at = Some(next);
        Some(Line::of(line))
    }

    /// The one after it; an empty line after the newest.
    pub fn newer(&mut self) -> Option<Line> {
        let at = self.at?;
        self.at = at.checked_sub(1);
        Some(
            self.at
                .and_then(|at| self.lines.iter().rev().nth(at))
                .map_or_else(Line::default, |line| Line::of(line)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &mut Line, keys: &[Key]) -> String {
        for key in keys {
            line.on(*key);
        }
        line.text()
    }

    #[test]
    fn editing() {
        let mut line = Line::of("cost>50 user:anna");
        assert_eq!(typed(&mut line, &[Key::Ctrl('w'), Key::Char('x')]), "cost>50 x");
        assert_eq!(typed(&mut line, &[Key::Home, Key::Delete, Key::Char('p')]), "post>50 x");
        assert_eq!(typed(&mut line, &[Key::End, Key::Left, Key::Backspace, Key::Backspace]), "post>5x");
        assert_eq!(typed(&mut line, &[Key::Ctrl('u')]), "x");
        line.insert("a\nb\u{1b}[0m");
        assert_eq!(line.text(), "a b[0mx");
    }

    #[test]
    fn history_goes_both_ways() {
        let mut history = History::default();
        for line in ["a", "b", "a", " "] {
            history.add(line);
        }
        let text = |line: Option<Line>| line.map(|line| line.text());
        assert_eq!(text(history.older()), Some("a".into()));
        assert_eq!(text(history.older()), Some("b".into()));
        assert_eq!(text(history.older()), None);
        assert_eq!(text(history.newer()), Some("a".into()));
        assert_eq!(text(history.newer()), Some(String::new()));
        assert_eq!(text(history.newer()), None);
    }
}
