//! The dialogs over the queues. Each dialog handles keys and returns a [`DialogAction`]; only the dashboard performs it.

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
use crate::model::record_action::RecordAction;
use crate::model::run::Run;
use crate::session::{Secret, SignInInput};

/// A dialog ignores keys for this time after it opened, because the staff member pressed them for the screen below.
const IGNORE_KEYS_AFTER_OPENING: Duration = Duration::from_millis(300);
/// If the key that opened the dialog repeats within this time, the staff member still holds it, and the dialog ignores it.
const KEY_REPEAT_WINDOW: Duration = Duration::from_millis(800);

/// The action that the dashboard must perform after a dialog handled a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogAction {
    None,
    Close,
    Quit,
    /// Request a new dry run.
    RequestPreview,
    StartRun(Run),
    Filter(String),
    Command(String),
    /// Show an older or newer line of the history.
    ShowHistory {
        /// Whether to show the older line.
        is_older: bool,
    },
    Choose(MenuChoice),
    SignIn(SignInInput),
    /// Confirm the identity with this password; `None` cancels the action.
    ConfirmIdentity(Option<Secret>),
    /// Copy this text to the clipboard.
    Copy(String),
    ShowStatus(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuChoice {
    RecordAction(RecordAction),
    /// Show or hide the column with this index.
    Column(usize),
    Sort(usize),
    /// Quit although an action is still running.
    QuitNow,
    Stay,
}

#[derive(Debug)]
pub enum Dialog {
    Confirm(Box<confirm::ConfirmDialog>),
    Menu(menu::Menu),
    /// Edits a filter or a command.
    Prompt(prompt::Prompt),
    Help(help::Help),
    /// Shows a longer message.
    Notice(notice::Notice),
    SignIn(form::SignInForm),
    /// Asks for the password before an action that requires it.
    Identity(identity::IdentityDialog),
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

    /// Inserts pasted text into the focused input. Returns false if no input is focused.
    pub fn insert_pasted_text(&mut self, text: &str) -> bool {
        let input = match self {
            Self::Prompt(prompt) => Some(prompt.input_mut()),
            Self::Help(help) => Some(&mut help.search),
            Self::SignIn(form) => form.focused_input(),
            Self::Identity(identity) => Some(&mut identity.password),
            Self::Confirm(confirm) => confirm.focused_input(),
            Self::Menu(_) | Self::Notice(_) => None,
        };
        let is_inserted = input.is_some();
        if let Some(input) = input {
            input.insert(text.trim_end_matches(['\n', '\r']));
        }
        is_inserted
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

    /// Handles a key. Confirmations and menus ignore keys that were not meant for them.
    pub fn handle(&mut self, now: Time, key: Key, is_repeat: bool) -> DialogAction {
        let ignores_early_keys = matches!(self.dialog, Dialog::Confirm(_) | Dialog::Menu(_));
        if ignores_early_keys && self.ignores_key(now, key, is_repeat) {
            DialogAction::None
        } else {
            self.dialog.handle(key)
        }
    }

    fn ignores_key(&mut self, now: Time, key: Key, is_repeat: bool) -> bool {
        if self.opened_by == Some(key) && now.since(self.last_repeat_at) < KEY_REPEAT_WINDOW {
            self.last_repeat_at = now;
            return true;
        }
        is_repeat || now.since(self.opened_at) < IGNORE_KEYS_AFTER_OPENING
    }
}

const _: () = assert!(
    IGNORE_KEYS_AFTER_OPENING.as_millis() < KEY_REPEAT_WINDOW.as_millis()
        && KEY_REPEAT_WINDOW.as_millis() < 1_000
);
