//! Every key, once: the footer, the help, `docs/panel-tui-keys.md` and the tests are made from this table.
//!
//! No pair of a key and its Shift form does two dangerous things, and no key that opens a dialog confirms it.

mod table;

use crate::key::Key;
use crate::model::verb::Verb;

pub use table::{EDITING, KEYS};

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The queues.
    Queue,
    /// A record in full.
    Detail,
    /// A dialog that asks before something is done.
    Confirm,
    /// A menu.
    Menu,
    /// The filter and command prompts.
    Prompt,
    /// The help.
    Help,
    /// A message.
    Notice,
    /// The sign-in form.
    SignIn,
    /// The question for the password before an action.
    Identity,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Queue,
        Self::Detail,
        Self::Confirm,
        Self::Menu,
        Self::Prompt,
        Self::Help,
        Self::Notice,
        Self::SignIn,
        Self::Identity,
    ];

    /// Its heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Queue => "Queues",
            Self::Detail => "A record in full",
            Self::Confirm => "Before something is done",
            Self::Menu => "Menus",
            Self::Prompt => "Filter and command prompts",
            Self::Help => "This help",
            Self::Notice => "Messages",
            Self::SignIn => "Signing in",
            Self::Identity => "Confirming that it is you",
        }
    }
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Do this to the marked records, or the one under the cursor.
    Verb(Verb),
    /// Mark or unmark.
    Mark,
    /// Begin or end a range.
    Range,
    /// Mark everything that matches.
    All,
    /// Unmark everything.
    Unmark,
    /// What else can be done.
    More,
    /// Show in full; press what has the focus; use what is typed.
    Enter,
    /// Back; close; keep.
    Back,
    /// Yes, do it.
    Yes,
    /// Tick or untick.
    Toggle,
    /// One down, or the next field.
    Down,
    /// One up, or the field before.
    Up,
    /// The value before.
    Left,
    /// The next value.
    Right,
    /// First.
    Top,
    /// Last.
    Bottom,
    /// A screen down.
    PageDown,
    /// A screen up.
    PageUp,
    /// Next tab, or next field.
    Next,
    /// Tab before, or field before.
    Previous,
    /// The tab of this key.
    Tab,
    /// The filter prompt.
    Filter,
    /// The command prompt.
    CommandLine,
    /// Page of the list before.
    PageBack,
    /// Next page of the list.
    PageOn,
    /// Order by another column.
    Sort,
    /// Choose the columns.
    Columns,
    /// Copy the id.
    Copy,
    /// Open in the console.
    Web,
    /// Take back.
    Undo,
    /// Ask the server again.
    Refresh,
    /// The keys.
    Help,
    /// Leave.
    Quit,
}

/// A row of the table.
#[derive(Debug)]
pub struct Binding {
    /// Where.
    pub place: Place,
    /// The keys; the first is the one shown in the footer.
    pub keys: &'static [Key],
    /// What they ask for.
    pub command: Command,
    /// One or two words, for the footer.
    pub word: &'static str,
    /// One sentence, for the help.
    pub help: &'static str,
    /// Its place in the footer: 1 is first and stays longest, 0 is not there.
    pub foot: u8,
}

/// What a key asks for in a place.
#[must_use]
pub fn find(place: Place, key: Key) -> Option<&'static Binding> {
    KEYS.iter().find(|binding| binding.place == place && binding.keys.contains(&key))
}

/// The keys of a place.
pub fn of(place: Place) -> impl Iterator<Item = &'static Binding> {
    KEYS.iter().filter(move |binding| binding.place == place)
}

impl Binding {
    /// Its keys for people: `j down`, `1–9`.
    #[must_use]
    pub fn label(&self, dash: &str) -> String {
        match self.keys {
            [first, .., last] if self.command == Command::Tab => format!("{first}{dash}{last}"),
            keys => keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        }
    }
}

/// The table as a document.
#[must_use]
pub fn document() -> String {
    let mut out = String::from(
        "# Keys of panel-tui\n\nMade from `tui/src/keymap/table.rs` by a test; do not edit by hand.\n",
    );
    for place in Place::ALL {
        out.push_str(&format!("\n## {}\n\n| keys | what they do |\n|---|---|\n", place.title()));
        for binding in of(place) {
            let keys: Vec<String> = match binding.command {
                Command::Tab => vec![format!("`{}`", binding.label("–"))],
                _ => binding.keys.iter().map(|key| format!("`{key}`")).collect(),
            };
            out.push_str(&format!("| {} | {} |\n", keys.join(" "), binding.help));
        }
    }
    out.push_str("\n## Where text is typed\n\n| keys | what they do |\n|---|---|\n");
    for (keys, help) in EDITING {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        out.push_str(&format!("| {} | {help} |\n", keys.join(" ")));
    }
    out.push_str("\n## Commands\n\n| command | what it does |\n|---|---|\n");
    for (command, help) in crate::command::COMMANDS {
        out.push_str(&format!("| `:{command}` | {help} |\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_means_one_thing_in_a_place() {
        for place in Place::ALL {
            let keys: Vec<Key> = of(place).flat_map(|binding| binding.keys.iter().copied()).collect();
            let mut once = keys.clone();
            once.sort_by_key(|key| format!("{key:?}"));
            once.dedup();
            assert_eq!(once.len(), keys.len(), "{place:?}");
        }
    }

    #[test]
    fn what_opens_a_dialog_never_confirms_it() {
        let opens = |binding: &&Binding| {
            matches!(binding.command, Command::Verb(_) | Command::More | Command::Undo | Command::Quit)
        };
        let yes: Vec<&Binding> =
            of(Place::Confirm).filter(|binding| binding.command == Command::Yes).collect();
        for opening in KEYS.iter().filter(opens).flat_map(|binding| binding.keys) {
            assert!(yes.iter().all(|binding| !binding.keys.contains(opening)), "{opening}");
        }
    }

    #[test]
    fn every_sentence_fits_the_help_of_a_small_terminal() {
        for binding in KEYS {
            assert!(binding.help.len() <= 56, "{}", binding.help);
        }
    }

    #[test]
    fn shift_makes_nothing_dangerous_of_something_dangerous() {
        let dangerous = |key: char| {
            find(Place::Queue, Key::Char(key))
                .is_some_and(|binding| matches!(binding.command, Command::Verb(_)))
        };
        for key in 'a'..='z' {
            assert!(!(dangerous(key) && dangerous(key.to_ascii_uppercase())), "{key}");
        }
    }
}
