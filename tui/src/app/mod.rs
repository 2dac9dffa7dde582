//! The dashboard itself: one event in, jobs for the runner out. It reads no clock and does no I/O; drawing only
//! reads it.

mod actions;
mod answers;
mod commands;
mod keys;
mod lists;
mod mouse;

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::orders::CancelReason;
use panel_contract::session::Counters;

use crate::dialog::{Dialog, Open};
use crate::event::Event;
use crate::job::{Job, Trouble};
use crate::key::Key;
use crate::keymap::Place;
use crate::layout::{self, Areas};
use crate::line::History;
use crate::model::detail::Detail;
use crate::model::list::List;
use crate::model::queue::TABS;
use crate::model::run::{Run, Undo};
use crate::model::series::{Count, Series};
use crate::session::{Connection, Options, Who};

/// Keys that come this soon after the window was chosen were meant for another one.
const FOCUS: Duration = Duration::from_millis(150);
/// How long a word at the bottom stays.
const WORD: Duration = Duration::from_secs(10);
/// Lists that nothing was heard of are asked for again after this.
const STALE: Duration = Duration::from_secs(15);
/// In the split view, the record is loaded once the cursor rested for this long.
const REST: Duration = Duration::from_millis(200);

/// How a word at the bottom is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// It worked.
    Good,
    /// Only to know.
    Info,
    /// It did not work.
    Bad,
}

/// A word at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What it says.
    pub text: String,
    /// How it is meant.
    pub mood: Mood,
    /// Since when.
    pub at: Time,
}

/// The record beside or instead of the list.
#[derive(Debug, Default)]
pub struct Pane {
    /// Which record.
    pub id: Option<RecordId>,
    /// In full; the last one known, while it is loaded again.
    pub detail: Option<Box<Detail>>,
    /// Why it could not be loaded.
    pub trouble: Option<Trouble>,
    /// Lines scrolled away.
    pub top: usize,
    /// It has the keys.
    pub focused: bool,
    /// When to load what the cursor is on.
    due: Option<Time>,
}

/// An action that runs.
#[derive(Debug)]
pub struct Running {
    /// The job.
    pub ticket: u64,
    /// What runs.
    pub run: Run,
    /// Records asked about so far.
    pub done: usize,
}

/// The dashboard.
#[derive(Debug)]
pub struct App {
    /// How it was started.
    pub options: Options,
    /// The time of the last event.
    pub now: Time,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    /// Who is signed in; none before.
    pub who: Option<Who>,
    /// How the connection is.
    pub connection: Connection,
    /// The counters, in the order of their cards.
    pub counts: [Series; 4],
    /// The lists, one for each tab that may be seen.
    pub lists: Vec<List>,
    /// The tab that is shown.
    pub tab: usize,
    /// The record in full.
    pub pane: Pane,
    /// What lies over it.
    pub open: Option<Open>,
    /// The word at the bottom.
    pub word: Option<Word>,
    /// The action that runs.
    pub running: Option<Running>,
    /// What can be taken back, oldest first.
    pub undo: Vec<Undo>,
    /// Why orders can be canceled.
    pub reasons: Vec<(CancelReason, String)>,
    filters: History,
    commands: History,
    focused: Option<Time>,
    next_ticket: u64,
    marking: Option<u64>,
    jobs: Vec<Job>,
}

impl App {
    /// A dashboard that knows nothing yet.
    #[must_use]
    pub fn new(options: Options, now: Time, size: (u16, u16)) -> Self {
        Self {
            options,
            now,
            size,
            who: None,
            connection: Connection::Connecting,
            counts: Default::default(),
            lists: TABS.iter().map(List::new).collect(),
            tab: 0,
            pane: Pane::default(),
            open: None,
            word: None,
            running: None,
            undo: Vec::new(),
            reasons: Vec::new(),
            filters: History::default(),
            commands: History::default(),
            focused: None,
            next_ticket: 0,
            marking: None,
            jobs: Vec::new(),
        }
    }

    /// Takes an event; what the runner has to do about it.
    pub fn on(&mut self, now: Time, event: Event) -> Vec<Job> {
        self.now = now;
        match event {
            Event::Key { key, held } => self.key(key, held),
            Event::Mouse { what, x, y } => self.mouse(what, x, y),
            Event::Paste(text) => self.paste(&text),
            Event::Resize(width, height) => self.size = (width, height),
            Event::Focus => self.focused = Some(now),
            Event::Tick => self.tick(),
            Event::Answer(answer) => self.answer(*answer),
            Event::Counters(counters) => self.counters(&counters),
            Event::Connection(connection) => self.connected(connection),
        }
        self.settle();
        std::mem::take(&mut self.jobs)
    }

    /// Where everything stands on the screen; none when it is too small.
    #[must_use]
    pub fn areas(&self) -> Option<Areas> {
        layout::areas(self.size, self.pane.focused)
    }

    /// The list that is shown; none when no queue may be seen.
    #[must_use]
    pub fn list(&self) -> Option<&List> {
        self.lists.get(self.tab)
    }

    /// Whose keys are taken now.
    #[must_use]
    pub fn place(&self) -> Place {
        match &self.open {
            Some(open) => open.dialog.place(),
            None if self.pane.focused => Place::Detail,
            None => Place::Queue,
        }
    }

    /// Whether somebody has to sign in before anything else.
    #[must_use]
    pub fn is_signed_out(&self) -> bool {
        matches!(self.open.as_ref().map(|open| &open.dialog), Some(Dialog::SignIn(_)))
    }

    /// The last value of a counter.
    #[must_use]
    pub fn count(&self, count: Count) -> &Series {
        &self.counts[count as usize]
    }

    /// Why nothing can be changed now, if so.
    #[must_use]
    pub fn locked(&self) -> Option<String> {
        if self.options.readonly {
            return Some("Started with --readonly: nothing can be changed.".into());
        }
        if self.who.as_ref().is_some_and(|who| who.readonly) {
            return Some("This profile is read only: nothing can be changed.".into());
        }
        match self.connection {
            Connection::Live => {}
            Connection::Offline(_) => {
                return Some("Offline, so read only. Nothing is queued for later.".into());
            }
            Connection::DatabaseAway(_) => {
                return Some("The database is away, so read only. Nothing is queued for later.".into());
            }
            Connection::Connecting | Connection::Retry(_) => {
                return Some("Not connected yet, so read only. Nothing is queued for later.".into());
            }
        }
        let list = self.list()?;
        let needed = list.tab.source.acting();
        let may = self.who.as_ref().is_some_and(|who| needed.iter().any(|needed| who.may(*needed)));
        let first = needed.first().map_or("", |needed| needed.as_str());
        (!may).then(|| format!("Your account lacks the permission \"{first}\"."))
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    fn say(&mut self, mood: Mood, text: impl Into<String>) {
        self.word = Some(Word { text: text.into(), mood, at: self.now });
    }

    fn show(&mut self, dialog: Dialog, by: Option<Key>) {
        self.open = Some(Open::new(dialog, self.now, by));
    }

    fn paste(&mut self, text: &str) {
        let taken = self.open.as_mut().is_some_and(|open| open.dialog.paste(text));
        if !taken {
            self.say(Mood::Info, "Pasted text is not taken as keys. Press / to filter by it.");
        }
    }

    fn counters(&mut self, counters: &Counters) {
        for count in Count::ALL {
            let changed = self.counts[count as usize].push(self.now, count.of(counters));
            for list in self.lists.iter_mut().filter(|list| changed && list.tab.count == Some(count)) {
                let soon = self.now.after(Duration::from_millis(500));
                list.due = Some(list.due.map_or(soon, |due| due.min(soon)));
            }
        }
    }

    fn connected(&mut self, connection: Connection) {
        let before = std::mem::replace(&mut self.connection, connection);
        match (before, connection) {
            (
                Connection::Offline(_) | Connection::DatabaseAway(_) | Connection::Retry(_),
                Connection::Live,
            ) => {
                self.say(Mood::Good, "Connected again.");
                for list in &mut self.lists {
                    list.due = Some(self.now);
                }
            }
            (_, Connection::Offline(_)) if !before.is_offline() => {
                self.say(Mood::Bad, "The panel does not answer: read only until it does.");
            }
            (_, Connection::DatabaseAway(_)) if !before.is_offline() => {
                self.say(Mood::Bad, "The panel cannot reach its database: read only until it can.");
            }
            _ => {}
        }
    }

    fn tick(&mut self) {
        if self.word.as_ref().is_some_and(|word| self.now.since(word.at) > WORD) {
            self.word = None;
        }
        for at in 0..self.counts.len() {
            // The last hour moves on also while nothing changes.
            if let Some(value) = self.counts[at].value() {
                self.counts[at].push(self.now, value);
            }
        }
        self.refresh_due();
        self.follow_cursor();
    }

    /// After every event: the cursor is on the screen, and the split view knows its record.
    fn settle(&mut self) {
        let Some(areas) = self.areas() else { return };
        let height = usize::from(areas.rows);
        if let Some(list) = self.lists.get_mut(self.tab) {
            list.scroll(height);
        }
        if areas.split && !self.pane.focused {
            let wanted = self.list().and_then(List::current).map(|row| row.id);
            if wanted.is_some() && wanted != self.pane.id && self.pane.due.is_none() {
                self.pane.due = Some(self.now.after(REST));
            }
        }
    }
}
