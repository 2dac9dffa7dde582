//! Maps tones to styles, and names the glyphs for states.
//!
//! The screen always shows a state as a glyph or a word; color only repeats it. The theme uses only the 16 colors of the
//! terminal, so that light and dark backgrounds both work, and no colors with `NO_COLOR`.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// The meaning of a text, which determines its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Dim,
    /// Headings and important numbers.
    Strong,
    /// A key in a hint.
    Key,
    /// Success, or a live connection.
    Success,
    /// A value that needs attention.
    Warning,
    /// A failure, or an action that cannot be undone.
    Error,
    /// The selected row or field.
    Selected,
    /// The border of the focused box.
    Focus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    /// Whether to use colors.
    pub uses_color: bool,
    /// Whether to draw only with ASCII. This does not change the texts of customers.
    pub is_ascii: bool,
}

impl Theme {
    #[must_use]
    pub fn style(self, tone: Tone) -> Style {
        let style = Style::new().add_modifier(modifier(tone));
        match color_of(tone) {
            Some(color) if self.uses_color => style.fg(color),
            _ => style,
        }
    }

    #[must_use]
    pub fn glyphs(self) -> &'static Glyphs {
        if self.is_ascii { &ASCII } else { &UNICODE }
    }

    /// Replaces the non-ASCII signs of an interface text in ASCII mode.
    #[must_use]
    pub fn ascii_fallback(self, text: &str) -> String {
        let replace = |text: String, (sign, ascii_text): (&str, &str)| text.replace(sign, ascii_text);
        if self.is_ascii {
            ASCII_REPLACEMENTS.into_iter().fold(text.to_owned(), replace)
        } else {
            text.to_owned()
        }
    }

    #[must_use]
    pub fn border(self) -> border::Set<'static> {
        if self.is_ascii { ASCII_BORDER } else { border::PLAIN }
    }
}

fn modifier(tone: Tone) -> Modifier {
    match tone {
        Tone::Plain | Tone::Success | Tone::Warning => Modifier::empty(),
        Tone::Dim => Modifier::DIM,
        Tone::Strong | Tone::Key | Tone::Error | Tone::Focus => Modifier::BOLD,
        Tone::Selected => Modifier::REVERSED,
    }
}

fn color_of(tone: Tone) -> Option<Color> {
    match tone {
        Tone::Plain | Tone::Dim | Tone::Strong | Tone::Selected => None,
        Tone::Key | Tone::Focus => Some(Color::Cyan),
        Tone::Success => Some(Color::Green),
        Tone::Warning => Some(Color::Yellow),
        Tone::Error => Some(Color::Red),
    }
}

#[derive(Debug)]
pub struct Glyphs {
    pub cursor: &'static str,
    pub mark: &'static str,
    /// The mark of a row whose record has left the queue.
    pub left_queue: &'static str,
    pub live: &'static str,
    pub retry: &'static str,
    pub offline: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub success: &'static str,
    pub error: &'static str,
    /// The end of a truncated text.
    pub ellipsis: &'static str,
    pub dot: &'static str,
    /// The sign between two numbers of a range.
    pub dash: &'static str,
    pub arrow: &'static str,
    /// The signs around a value that can be changed.
    pub choice: (&'static str, &'static str),
    pub enter: &'static str,
    /// The bars of a sparkline, from lowest to highest.
    pub bars: [&'static str; 8],
}

static UNICODE: Glyphs = Glyphs {
    cursor: "▸",
    mark: "●",
    left_queue: "✗",
    live: "●",
    retry: "◐",
    offline: "○",
    up: "▲",
    down: "▼",
    success: "✓",
    error: "!",
    ellipsis: "…",
    dot: "·",
    dash: "–",
    arrow: "→",
    choice: ("‹", "›"),
    enter: "⏎",
    bars: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
};

static ASCII: Glyphs = Glyphs {
    cursor: ">",
    mark: "*",
    left_queue: "x",
    live: "*",
    retry: "~",
    offline: "o",
    up: "^",
    down: "v",
    success: "+",
    error: "!",
    ellipsis: "~",
    dot: "-",
    dash: "-",
    arrow: "->",
    choice: ("<", ">"),
    enter: "enter",
    bars: ["_", "_", ".", ".", "-", "-", "=", "#"],
};

/// Each non-ASCII sign of the interface, with its ASCII replacement.
const ASCII_REPLACEMENTS: [(&str, &str); 5] =
    [("·", "-"), ("…", "..."), ("–", "-"), ("→", "->"), ("⏎", "enter")];

const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_uses_no_color() {
        for tone in [Tone::Key, Tone::Success, Tone::Warning, Tone::Error, Tone::Focus, Tone::Selected] {
            let style = Theme { uses_color: false, is_ascii: false }.style(tone);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
