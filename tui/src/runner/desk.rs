//! Small services of the machine: clipboard and browser.

use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Longest text that terminals take (OSC 52).
const MOST: usize = 70_000;

/// The sequence that puts a text on the clipboard of the terminal, also through ssh and tmux; none when it is too
/// long for that.
pub(crate) fn clipboard(text: &str) -> Option<String> {
    let coded = STANDARD.encode(text);
    (coded.len() <= MOST).then(|| format!("\u{1b}]52;c;{coded}\u{7}"))
}

/// What was copied, in words.
pub(crate) fn copied(text: &str) -> String {
    match text.split(',').count() {
        1 => format!("{text} is on the terminal's clipboard."),
        count => format!("{count} ids are on the terminal's clipboard."),
    }
}

/// Opens an address in the browser of this machine's screen; whether there is one.
pub(crate) fn browse(address: &str) -> bool {
    let screen = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let program = match std::env::consts::OS {
        "macos" => "open",
        _ if screen("DISPLAY") || screen("WAYLAND_DISPLAY") => "xdg-open",
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
    fn what_is_copied_cannot_break_out_of_its_sequence() {
        assert_eq!(clipboard("981204").unwrap(), "\u{1b}]52;c;OTgxMjA0\u{7}");
        assert!(!clipboard("\u{7}\u{1b}").unwrap()[2..].contains('\u{1b}'));
        assert!(clipboard(&"1".repeat(MOST)).is_none());
    }
}
