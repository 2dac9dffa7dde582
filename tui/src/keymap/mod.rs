//! The key bindings. The footer, the help, `docs/panel-tui-keys.md` and the tests use this table.
//!
//! A letter and its Shift form must not both run an action. The key that opens a dialog must not confirm the dialog.

mod bindings;

use crate::key::Key;
use crate::model::record_action::RecordAction;

pub use bindings::{EDITING_KEYS, KEYS};

/// The part of the screen that handles a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    List,
    Detail,
    Confirm,
    Menu,
    Prompt,
    Help,
    Notice,
    SignIn,
    /// The dialog that asks for the password before an action.
    Identity,
}

impl KeyContext {
    pub const ALL: [Self; 9] = [
        Self::List,
        Self::Detail,
        Self::Confirm,
        Self::Menu,
        Self::Prompt,
        Self::Help,
        Self::Notice,
        Self::SignIn,
        Self::Identity,
    ];

    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::List => "Queues",
            Self::Detail => "Record details",
            Self::Confirm => "Confirmation dialogs",
            Self::Menu => "Menus",
            Self::Prompt => "Filter and command prompts",
            Self::Help => "Help",
            Self::Notice => "Messages",
            Self::SignIn => "Sign-in form",
            Self::Identity => "Password confirmation",
        }
    }
}

/// A command of the keymap. A key is bound to one command in each context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Apply the action to the open record, the marked records or the selected row.
    RecordAction(RecordAction),
    Mark,
    /// Start or end a range.
    Range,
    MarkAll,
    Unmark,
    /// Open the menu of all actions.
    ActionMenu,
    /// Open the record, press the focused button, or apply the text.
    Enter,
    /// Go back, or close.
    Back,
    Confirm,
    Toggle,
    /// Next row or field.
    Down,
    /// Previous row or field.
    Up,
    Left,
    Right,
    Top,
    Bottom,
    PageDown,
    PageUp,
    /// Next tab or field.
    Next,
    /// Previous tab or field.
    Previous,
    /// Go to the tab whose number was pressed.
    Tab,
    Filter,
    CommandLine,
    PreviousListPage,
    NextListPage,
    Sort,
    Columns,
    Copy,
    OpenConsole,
    Undo,
    Refresh,
    Help,
    Quit,
}

#[derive(Debug)]
pub struct Binding {
    pub context: KeyContext,
    /// The keys; the footer shows the first.
    pub keys: &'static [Key],
    pub command: Command,
    /// The footer text: one or two words.
    pub hint: &'static str,
    /// The help text: one sentence of at most 56 bytes.
    pub help: &'static str,
    /// The position in the footer: 1 is shown first and removed last if the footer is too narrow. 0 is never shown.
    pub footer_rank: u8,
}

/// Returns the binding of a key.
#[must_use]
pub fn find_binding(context: KeyContext, key: Key) -> Option<&'static Binding> {
    KEYS.iter().find(|binding| binding.context == context && binding.keys.contains(&key))
}

pub fn bindings_in(context: KeyContext) -> impl Iterator<Item = &'static Binding> {
    KEYS.iter().filter(move |binding| binding.context == context)
}

impl Binding {
    /// The keys as text: `j down`, `1–9`.
    #[must_use]
    pub fn format_keys(&self, dash: &str) -> String {
        match self.keys {
            [first, .., last] if self.command == Command::Tab => format!("{first}{dash}{last}"),
            keys => keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        }
    }
}

/// The content of `docs/panel-tui-keys.md`.
#[must_use]
pub fn keys_markdown() -> String {
    let mut markdown = String::from(
        "# Keys of panel-tui\n\nGenerated from `tui/src/keymap/bindings.rs` by a test; do not edit by hand.\n",
    );
    for context in KeyContext::ALL {
        markdown.push_str(&format!("\n## {}\n\n| keys | action |\n|---|---|\n", context.title()));
        for binding in bindings_in(context) {
            let keys: Vec<String> = match binding.command {
                Command::Tab => vec![format!("`{}`", binding.format_keys("–"))],
                _ => binding.keys.iter().map(|key| format!("`{key}`")).collect(),
            };
            markdown.push_str(&format!("| {} | {} |\n", keys.join(" "), binding.help));
        }
    }
    markdown.push_str("\n## Text fields\n\n| keys | action |\n|---|---|\n");
    for (keys, help) in EDITING_KEYS {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        markdown.push_str(&format!("| {} | {help} |\n", keys.join(" ")));
    }
    markdown.push_str("\n## Commands\n\n| command | action |\n|---|---|\n");
    for (command, help) in crate::command::COMMANDS {
        markdown.push_str(&format!("| `:{command}` | {help} |\n"));
    }
    markdown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_binding_in_a_context() {
        for context in KeyContext::ALL {
            let keys: Vec<Key> =
                bindings_in(context).flat_map(|binding| binding.keys.iter().copied()).collect();
            let mut unique_keys = keys.clone();
            unique_keys.sort_by_key(|key| format!("{key:?}"));
            unique_keys.dedup();
            assert_eq!(unique_keys.len(), keys.len(), "{context:?}");
        }
    }

    #[test]
    fn a_key_that_opens_a_dialog_never_confirms_it() {
        let opens_dialog = |binding: &&Binding| {
            matches!(
                binding.command,
                Command::RecordAction(_) | Command::ActionMenu | Command::Undo | Command::Quit
            )
        };
        let confirm_bindings: Vec<&Binding> =
            bindings_in(KeyContext::Confirm).filter(|binding| binding.command == Command::Confirm).collect();
        for opening_key in KEYS.iter().filter(opens_dialog).flat_map(|binding| binding.keys) {
            assert!(
                confirm_bindings.iter().all(|binding| !binding.keys.contains(opening_key)),
                "{opening_key}"
            );
        }
    }

    #[test]
    fn every_help_text_fits_a_small_terminal() {
        for binding in KEYS {
            assert!(binding.help.len() <= 56, "{}", binding.help);
        }
    }

    #[test]
    fn a_letter_and_its_shift_form_are_not_both_actions() {
        let runs_action = |key: char| {
            find_binding(KeyContext::List, Key::Char(key))
                .is_some_and(|binding| matches!(binding.command, Command::RecordAction(_)))
        };
        for key in 'a'..='z' {
            assert!(!(runs_action(key) && runs_action(key.to_ascii_uppercase())), "{key}");
        }
    }
}
