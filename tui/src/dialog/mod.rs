//! The controls that can lie over the queues. Each takes keys and answers with an [`Action`]; none does anything
//! itself.

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
use crate::keymap::Place;
use crate::model::run::Run;
use crate::model::verb::Verb;
use crate::session::{Secret, SignIn};

/// Keys that come sooner than this after a dialog opened were meant for what was there before.
const SETTLE: Duration = Duration::from_millis(300);
/// The opening key counts as still held while it comes again within this time.
const HELD: Duration = Duration::from_millis(800);

/// What a control wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// Close it.
    Close,
    /// Close it and leave the program.
    Quit,
    /// Ask the server what this would do.
    Preview,
    /// Do it.
    Run(Run),
    /// Filter the queue by what is typed.
    Filter(String),
    /// Do what the command says.
    Command(String),
    /// Show an older or newer typed line.
    Recall {
        /// Older, else newer.
        older: bool,
    },
    /// Something was chosen from a menu.
    Choose(Choice),
    /// Sign in.
    SignIn(SignIn),
    /// Prove who one is by this password; without one the action is not done.
    Identify(Option<Secret>),
    /// Put this on the clipboard.
    Copy(String),
    /// Say this.
    Say(String),
}

/// What a menu offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// An action.
    Verb(Verb),
    /// Show or hide a column.
    Column(usize),
    /// Order by a column.
    Sort(usize),
    /// Leave although an action runs.
    Leave,
    /// Do not.
    Stay,
}

/// A control.
#[derive(Debug)]
pub enum Dialog {
    /// Asks before something is done.
    Confirm(Box<confirm::Confirm>),
    /// Offers choices.
    Menu(menu::Menu),
    /// Takes a filter or a command.
    Prompt(prompt::Prompt),
    /// Shows the keys.
    Help(help::Help),
    /// Says something longer.
    Notice(notice::Notice),
    /// Signs in.
    SignIn(form::SignInForm),
    /// Asks for the password before an action that needs it.
    Identity(identity::Identity),
}

impl Dialog {
    /// Whose keys it takes.
    #[must_use]
    pub fn place(&self) -> Place {
        match self {
            Self::Confirm(_) => Place::Confirm,
            Self::Menu(_) => Place::Menu,
            Self::Prompt(_) => Place::Prompt,
            Self::Help(_) => Place::Help,
            Self::Notice(_) => Place::Notice,
            Self::SignIn(_) => Place::SignIn,
            Self::Identity(_) => Place::Identity,
        }
    }

    fn on(&mut self, key: Key) -> Action {
        match self {
            Self::Confirm(confirm) => confirm.on(key),
            Self::Menu(menu) => menu.on(key),
            Self::Prompt(prompt) => prompt.on(key),
            Self::Help(help) => help.on(key),
            Self::Notice(notice) => notice.on(key),
            Self::SignIn(form) => form.on(key),
            Self::Identity(identity) => identity.on(key),
        }
    }

    /// Takes pasted text where text is typed; whether it did.
    pub fn paste(&mut self, text: &str) -> bool {
        let line = match self {
            Self::Prompt(prompt) => Some(prompt.line_mut()),
            Self::Help(help) => Some(&mut help.search),
            Self::SignIn(form) => form.line(),
            Self::Identity(identity) => Some(&mut identity.password),
            Self::Confirm(confirm) => confirm.line(),
            Self::Menu(_) | Self::Notice(_) => None,
        };
        let takes = line.is_some();
        if let Some(line) = line {
            line.insert(text.trim_end_matches(['\n', '\r']));
        }
        takes
    }
}

/// An open control, with when and by which key it was opened.
#[derive(Debug)]
pub struct Open {
    /// The control.
    pub dialog: Dialog,
    at: Time,
    by: Option<Key>,
    seen: Time,
}

impl Open {
    /// Opens a control.
    #[must_use]
    pub fn new(dialog: Dialog, at: Time, by: Option<Key>) -> Self {
        Self { dialog, at, by, seen: at }
    }

    /// Hands it a key, unless that key is still the one that opened it.
    pub fn on(&mut self, now: Time, key: Key, held: bool) -> Action {
        let guarded = matches!(self.dialog, Dialog::Confirm(_) | Dialog::Menu(_));
        if guarded && self.is_early(now, key, held) { Action::None } else { self.dialog.on(key) }
    }

    fn is_early(&mut self, now: Time, key: Key, held: bool) -> bool {
        if self.by == Some(key) && now.since(self.seen) < HELD {
            self.seen = now;
            return true;
        }
        held || now.since(self.at) < SETTLE
    }
}

const _: () = assert!(SETTLE.as_millis() < HELD.as_millis() && HELD.as_millis() < 1_000);
