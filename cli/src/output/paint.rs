//! Colors. They only repeat information that the text contains.

use std::io::IsTerminal;

use clap::ValueEnum;

/// When to use colors
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    Auto,
    Always,
    Never,
}

/// Colors text for a stream. The field is whether the stream gets colors; if not, the text stays unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Decides whether a stream gets colors.
    pub(crate) fn for_stream(choice: ColorChoice, stream: &impl IsTerminal) -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        Self(match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if is_set("NO_COLOR") => false,
            ColorChoice::Auto if is_set("CLICOLOR_FORCE") || is_set("FORCE_COLOR") => true,
            ColorChoice::Auto => {
                stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        })
    }

    /// Colors headers and field names.
    pub(crate) fn paint_title(self, text: &str) -> String {
        self.wrap("2", text)
    }

    pub(crate) fn paint_error(self, text: &str) -> String {
        self.wrap("31;1", text)
    }

    /// Colors a value of an enumeration, such as a status, by its meaning.
    pub(crate) fn paint_enum_value(self, text: &str) -> String {
        match text.trim() {
            "completed" | "active" | "approved" | "income" | "ok" | "processed" => self.wrap("32", text),
            "in_moderation" | "pending" | "frozen" | "unpaid" | "open" => self.wrap("33", text),
            "canceled" | "rejected" | "deactivated" | "failed" | "skipped" => self.wrap("31", text),
            "in_processing" => self.wrap("36", text),
            "stopped" => self.wrap("35", text),
            _ => text.to_owned(),
        }
    }

    /// Colors a line of a QR code black on white, regardless of the terminal's colors. `None` if the stream gets no colors.
    pub(crate) fn paint_black_on_white(self, line: &str) -> Option<String> {
        self.0.then(|| self.wrap("38;5;16;48;5;231", line))
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
