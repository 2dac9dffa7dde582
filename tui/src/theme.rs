//! Looks: tones become styles and states become glyphs, once for the whole program.
//!
//! A state is always a glyph or a word; colour only repeats it. Only the terminal's own 16 colours are used, so
//! that light and dark grounds both work, and none at all under `NO_COLOR`.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// What a text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// Less important than what is beside it.
    Dim,
    /// Headings and numbers that matter.
    Strong,
    /// A key that can be pressed.
    Key,
    /// It worked; it is live.
    Good,
    /// Look at this.
    Warn,
    /// It failed; it cannot be undone.
    Bad,
    /// The row or field that keys act on.
    Selected,
    /// The border of what has the focus.
    Focus,
}

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    /// Use the terminal's colours.
    pub colour: bool,
    /// Use nothing but ASCII for everything that is ours.
    pub ascii: bool,
}

impl Theme {
    /// The style of a tone.
    #[must_use]
    pub fn style(self, tone: Tone) -> Style {
        let style = Style::new().add_modifier(modifier(tone));
        match colour(tone) {
            Some(colour) if self.colour => style.fg(colour),
            _ => style,
        }
    }

    /// The glyphs.
    #[must_use]
    pub fn glyphs(self) -> &'static Glyphs {
        if self.ascii { &ASCII } else { &UNICODE }
    }

    /// A sentence of ours, with nothing but ASCII where that is wanted.
    #[must_use]
    pub fn ours(self, text: &str) -> String {
        let replace = |text: String, (sign, plain): (&str, &str)| text.replace(sign, plain);
        if self.ascii { SIGNS.into_iter().fold(text.to_owned(), replace) } else { text.to_owned() }
    }

    /// The lines around boxes.
    #[must_use]
    pub fn border(self) -> border::Set<'static> {
        if self.ascii { ASCII_BORDER } else { border::PLAIN }
    }
}

fn modifier(tone: Tone) -> Modifier {
    match tone {
        Tone::Plain | Tone::Good | Tone::Warn => Modifier::empty(),
        Tone::Dim => Modifier::DIM,
        Tone::Strong | Tone::Key | Tone::Bad | Tone::Focus => Modifier::BOLD,
        Tone::Selected => Modifier::REVERSED,
    }
}

fn colour(tone: Tone) -> Option<Color> {
    match tone {
        Tone::Plain | Tone::Dim | Tone::Strong | Tone::Selected => None,
        Tone::Key | Tone::Focus => Some(Color::Cyan),
        Tone::Good => Some(Color::Green),
        Tone::Warn => Some(Color::Yellow),
        Tone::Bad => Some(Color::Red),
    }
}

/// Every sign that is ours.
#[derive(Debug)]
pub struct Glyphs {
    /// The row that keys act on.
    pub cursor: &'static str,
    /// A marked row.
    pub mark: &'static str,
    /// A row that left the queue since it was listed.
    pub left: &'static str,
    /// Connected.
    pub live: &'static str,
    /// Connecting again.
    pub retry: &'static str,
    /// Not connected.
    pub offline: &'static str,
    /// More than before.
    pub up: &'static str,
    /// Fewer than before.
    pub down: &'static str,
    /// It worked.
    pub good: &'static str,
    /// It did not.
    pub bad: &'static str,
    /// Something is missing here.
    pub more: &'static str,
    /// Between parts of a line.
    pub dot: &'static str,
    /// From to.
    pub dash: &'static str,
    /// An arrow.
    pub to: &'static str,
    /// Around a value that can be changed.
    pub choice: (&'static str, &'static str),
    /// The Enter key.
    pub enter: &'static str,
    /// From lowest to highest.
    pub bars: [&'static str; 8],
}

static UNICODE: Glyphs = Glyphs {
    cursor: "▸",
    mark: "●",
    left: "✗",
    live: "●",
    retry: "◐",
    offline: "○",
    up: "▲",
    down: "▼",
    good: "✓",
    bad: "!",
    more: "…",
    dot: "·",
    dash: "–",
    to: "→",
    choice: ("‹", "›"),
    enter: "⏎",
    bars: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
};

static ASCII: Glyphs = Glyphs {
    cursor: ">",
    mark: "*",
    left: "x",
    live: "*",
    retry: "~",
    offline: "o",
    up: "^",
    down: "v",
    good: "+",
    bad: "!",
    more: "~",
    dot: "-",
    dash: "-",
    to: "->",
    choice: ("<", ">"),
    enter: "enter",
    bars: ["_", "_", ".", ".", "-", "-", "=", "#"],
};

/// Signs in our sentences, and what stands for them in ASCII.
const SIGNS: [(&str, &str); 5] = [("·", "-"), ("…", "..."), ("–", "-"), ("→", "->"), ("⏎", "enter")];

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
    fn no_colour_is_no_colour() {
        for tone in [Tone::Key, Tone::Good, Tone::Warn, Tone::Bad, Tone::Focus, Tone::Selected] {
            let style = Theme { colour: false, ascii: false }.style(tone);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
