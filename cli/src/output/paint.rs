//! Colours, where somebody can see them. Never the only sign of anything: the word stands there as well.

use std::io::IsTerminal;

use clap::ValueEnum;

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A stream's colours, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Decides for one stream.
    pub(crate) fn for_stream(choice: ColorChoice, stream: &impl IsTerminal) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        Self(match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if set("CLICOLOR_FORCE") || set("FORCE_COLOR") => true,
            ColorChoice::Auto => {
                stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        })
    }

    /// Titles and names of fields.
    pub(crate) fn title(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Something is wrong.
    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap("31;1", text)
    }

    /// A word of a closed set, by what it means.
    pub(crate) fn word(self, word: &str, text: &str) -> String {
        match word.trim() {
            "completed" | "active" | "approved" | "income" | "ok" | "processed" => self.wrap("32", text),
            "in_moderation" | "pending" | "frozen" | "unpaid" | "open" => self.wrap("33", text),
            "canceled" | "rejected" | "deactivated" | "broken" | "skipped" => self.wrap("31", text),
            "in_processing" => self.wrap("36", text),
            "stopped" => self.wrap("35", text),
            _ => text.to_owned(),
        }
    }

    /// A line of a QR code: black on white, whatever the terminal's own colours are. None without colours.
    pub(crate) fn black_on_white(self, line: &str) -> Option<String> {
        self.0.then(|| self.wrap("38;5;16;48;5;231", line))
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
