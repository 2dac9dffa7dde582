//! Keys, independent of the terminal library.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character. With Shift it is the shifted character, such as `A`.
    Char(char),
    /// A lower-case letter with Ctrl.
    Ctrl(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Backspace,
    Delete,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self {
            Self::Char(' ') => "space",
            Self::Char(letter) => return write!(f, "{letter}"),
            Self::Ctrl(letter) => return write!(f, "ctrl-{letter}"),
            Self::Enter => "enter",
            Self::Esc => "esc",
            Self::Tab => "tab",
            Self::BackTab => "shift-tab",
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
            Self::Home => "home",
            Self::End => "end",
            Self::PageUp => "pgup",
            Self::PageDown => "pgdn",
            Self::Backspace => "backspace",
            Self::Delete => "del",
        };
        f.write_str(name)
    }
}

impl std::str::FromStr for Key {
    type Err = ();

    /// Parses the output of [`Display`](std::fmt::Display). Tests use it for key scripts.
    fn from_str(text: &str) -> Result<Self, ()> {
        let named_keys = [
            Self::Char(' '),
            Self::Enter,
            Self::Esc,
            Self::Tab,
            Self::BackTab,
            Self::Up,
            Self::Down,
            Self::Left,
            Self::Right,
            Self::Home,
            Self::End,
            Self::PageUp,
            Self::PageDown,
            Self::Backspace,
            Self::Delete,
        ];
        if let Some(key) = named_keys.into_iter().find(|key| key.to_string() == text) {
            return Ok(key);
        }
        let (letters, is_ctrl) = text.strip_prefix("ctrl-").map_or((text, false), |letters| (letters, true));
        let mut letters = letters.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if is_ctrl => Ok(Self::Ctrl(letter)),
            (Some(letter), None) => Ok(Self::Char(letter)),
            _ => Err(()),
        }
    }
}
