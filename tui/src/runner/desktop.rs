//! The clipboard and the browser.

use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Maximum length of the base64 text of OSC 52 that terminals accept, in bytes.
const MAX_ENCODED_LEN: usize = 70_000;

/// The escape sequence (OSC 52) that copies a text to the clipboard of the terminal, also over ssh and in tmux; `None` if the
/// text is too long.
pub(crate) fn clipboard_sequence(text: &str) -> Option<String> {
    let encoded = STANDARD.encode(text);
    (encoded.len() <= MAX_ENCODED_LEN).then(|| format!("\u{1b}]52;c;{encoded}\u{7}"))
}

/// The status text after a copy.
pub(crate) fn format_copied_message(text: &str) -> String {
    match text.split(',').count() {
        1 => format!("Copied {text}."),
        count => format!("Copied {count} ids."),
    }
}

/// Opens a URL in the browser. Returns false if the machine has no graphical session.
pub(crate) fn open_browser(address: &str) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let program = match std::env::consts::OS {
        "macos" => "open",
        _ if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") => "xdg-open",
        _ => return false,
    };
    let mut command = Command::new(program);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_text_cannot_break_the_escape_sequence() {
        assert_eq!(clipboard_sequence("981204").unwrap(), "\u{1b}]52;c;OTgxMjA0\u{7}");
        assert!(!clipboard_sequence("\u{7}\u{1b}").unwrap()[2..].contains('\u{1b}'));
        assert!(clipboard_sequence(&"1".repeat(MAX_ENCODED_LEN)).is_none());
    }
}
