//! The dialogs over the queues. Each handles keys and returns a [`DialogAction`]; none has an effect of its own.

pub mod confirm;
pub mod form;
pub mod help;
pub mod identity;
pub mod menu;
pub mod notice;
pub mod prompt;

use std::time::Duration;

use panel_contract::moment::Time;

use crate::key::Key;
use crate::keymap::KeyContext;
use crate::model::run::Run;
use crate::model::verb::Verb;
use crate::session::{Secret, SignIn};

/// Keys within this time after a dialog opened are ignored: they were meant for the screen below.
const OPENING_GUARD: Duration = Duration::from_millis(300);
/// The key that opened the dialog counts as held while it repeats within this time.
const KEY_REPEAT_WINDOW: Duration = Duration::from_millis(800);

/// What the dashboard must do after a dialog handled a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogAction {
    None,
    Close,
    /// Quit the program.
    Quit,
    /// Request a new dry run.
    Preview,
    StartRun(Run),
    Filter(String),
    /// Run the command.
    Command(String),
    /// Show an older or newer line of the history.
    Recall {
        /// Whether to show the older line.
        older: bool,
    },
    Choose(MenuChoice),
    SignIn(SignIn),
    /// Confirm the identity with this password; `None` cancels the action.
    ConfirmIdentity(Option<Secret>),
    /// Copy this text to the clipboard.
    Copy(String),
    ShowStatus(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuChoice {
    Verb(Verb),
    /// Show or hide the column with this index.
    Column(usize),
    Sort(usize),
    Leave,
    Stay,
}

#[derive(Debug)]
pub enum Dialog {
    /// Confirms an action.
    Confirm(Box<confirm::Confirm>),
    Menu(menu::Menu),
    /// Edits a filter or a command.
    Prompt(prompt::Prompt),
    Help(help::Help),
    /// Shows a longer message.
    Notice(notice::Notice),
    SignIn(form::SignInForm),
    /// Asks for the password before an action that requires it.
    Identity(identity::Identity),
}

impl Dialog {
    /// The keys that this dialog handles.
    #[must_use]
    pub fn key_context(&self) -> KeyContext {
        match self {
            Self::Confirm(_) => KeyContext::Confirm,
            Self::Menu(_) => KeyContext::Menu,
            Self::Prompt(_) => KeyContext::Prompt,
            Self::Help(_) => KeyContext::Help,
            Self::Notice(_) => KeyContext::Notice,
            Self::SignIn(_) => KeyContext::SignIn,
            Self::Identity(_) => KeyContext::Identity,
        }
    }

    fn handle(&mut self, key: Key) -> DialogAction {
        match self {
            Self::Confirm(confirm) => confirm.handle(key),
            Self::Menu(menu) => menu.handle(key),
            Self::Prompt(prompt) => prompt.handle(key),
            Self::Help(help) => help.handle(key),
            Self::Notice(notice) => notice.handle(key),
            Self::SignIn(form) => form.handle(key),
            Self::Identity(identity) => identity.handle(key),
        }
    }

    /// Inserts pasted text into the focused input; returns false where there is none.
    pub fn paste(&mut self, text: &str) -> bool {
        let line = match self {
            Self::Prompt(prompt) => Some(prompt.line_mut()),
            Self::Help(help) => Some(&mut help.search),
            Self::SignIn(form) => form.line(),
            Self::Identity(identity) => Some(&mut identity.password),
            Self::Confirm(confirm) => confirm.focused_input(),
            Self::Menu(_) | Self::Notice(_) => None,
        };
        let takes = line.is_some();
        if let Some(line) = line {
            line.insert(text.trim_end_matches(['\n', '\r']));
        }
        takes
    }
}

/// An open dialog with the time and the key that opened it.
#[derive(Debug)]
pub struct Overlay {
    pub dialog: Dialog,
    opened_at: Time,
    opened_by: Option<Key>,
    last_repeat_at: Time,
}

impl Overlay {
    #[must_use]
    pub fn new(dialog: Dialog, opened_at: Time, opened_by: Option<Key>) -> Self {
        Self { dialog, opened_at, opened_by, last_repeat_at: opened_at }
    }

    /// Handles a key, unless it is still the key that opened the dialog.
    pub fn handle(&mut self, now: Time, key: Key, is_repeat: bool) -> DialogAction {
        let guarded = matches!(self.dialog, Dialog::Confirm(_) | Dialog::Menu(_));
        if guarded && self.is_ignored(now, key, is_repeat) {
            DialogAction::None
        } else {
            self.dialog.handle(key)
        }
    }

    fn is_ignored(&mut self, now: Time, key: Key, is_repeat: bool) -> bool {
        if self.opened_by == Some(key) && now.since(self.last_repeat_at) < KEY_REPEAT_WINDOW {
            self.last_repeat_at = now;
            return true;
        }
        is_repeat || now.since(self.opened_at) < OPENING_GUARD
    }
}

const _: () = assert!(
    OPENING_GUARD.as_millis() < KEY_REPEAT_WINDOW.as_millis() && KEY_REPEAT_WINDOW.as_millis() < 1_000
);
