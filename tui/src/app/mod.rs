//! The state machine of the dashboard. It handles an event and returns jobs for the runner. It must not do I/O or read a clock.
//! The drawing code only reads it.

mod actions;
mod commands;
mod keys;
mod lists;
mod mouse;
mod runner_events;

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::orders::CancelReason;
use panel_contract::session::Counters;

use crate::dialog::{Dialog, Overlay};
use crate::event::Event;
use crate::job::{Failure, Job};
use crate::key::Key;
use crate::keymap::KeyContext;
use crate::layout::{self, Areas};
use crate::model::counters::{Counter, CounterHistory};
use crate::model::detail::Detail;
use crate::model::list::RecordList;
use crate::model::queue::TABS;
use crate::model::run::{Run, UndoOffer};
use crate::session::{Connection, Options, SessionInfo};
use crate::text_input::History;

/// The dashboard ignores keys for this time after its window got the focus, because they were meant for another window.
const IGNORE_KEYS_AFTER_FOCUS: Duration = Duration::from_millis(150);
/// How long a status message is shown.
const STATUS_DURATION: Duration = Duration::from_secs(10);
/// The dashboard refreshes a list if its last load is older than this.
const STALE_AFTER: Duration = Duration::from_secs(15);
/// In the split view, the dashboard loads the selected record after the cursor has not moved for this time.
const CURSOR_DELAY: Duration = Duration::from_millis(200);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Success,
    Info,
    Error,
}

/// A message in the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusMessage {
    pub text: String,
    pub severity: Severity,
    pub shown_at: Time,
}

/// The record pane beside or instead of the list.
#[derive(Debug, Default)]
pub struct Pane {
    pub id: Option<RecordId>,
    /// The last loaded version. It stays visible during a reload.
    pub detail: Option<Box<Detail>>,
    /// The error of the last load.
    pub failure: Option<Failure>,
    /// The number of lines scrolled past the top.
    pub scroll_offset: usize,
    /// Whether the pane handles the keys.
    pub is_focused: bool,
    /// When to load the selected record.
    load_at: Option<Time>,
}

#[derive(Debug)]
pub struct ActiveRun {
    pub job_id: u64,
    pub run: Run,
    /// The number of records processed so far.
    pub processed_count: usize,
}

#[derive(Debug)]
pub struct App {
    pub options: Options,
    /// The time of the last event; the dashboard reads no clock.
    pub now: Time,
    /// Columns and lines of the terminal.
    pub size: (u16, u16),
    /// The current session; `None` before sign-in.
    pub session: Option<SessionInfo>,
    /// The state of the connection to the server.
    pub connection: Connection,
    /// The counters, in the order of [`Counter::ALL`].
    pub counters: [CounterHistory; 4],
    /// One list for each tab that the staff member may see.
    pub lists: Vec<RecordList>,
    /// The index of the shown tab.
    pub tab_index: usize,
    pub pane: Pane,
    pub overlay: Option<Overlay>,
    pub status: Option<StatusMessage>,
    pub active_run: Option<ActiveRun>,
    /// Undo offers of the session, oldest first.
    pub undo_offers: Vec<UndoOffer>,
    /// The cancel reasons with their labels.
    pub cancel_reasons: Vec<(CancelReason, String)>,
    filter_history: History,
    command_history: History,
    /// When the window of the terminal got the focus.
    window_focused_at: Option<Time>,
    last_job_id: u64,
    /// The id of the job that loads the records to mark.
    mark_all_job_id: Option<u64>,
    jobs: Vec<Job>,
}

impl App {
    /// Creates a dashboard without a session.
    #[must_use]
    pub fn new(options: Options, now: Time, size: (u16, u16)) -> Self {
        Self {
            options,
            now,
            size,
            session: None,
            connection: Connection::Connecting,
            counters: Default::default(),
            lists: TABS.iter().map(RecordList::new).collect(),
            tab_index: 0,
            pane: Pane::default(),
            overlay: None,
            status: None,
            active_run: None,
            undo_offers: Vec::new(),
            cancel_reasons: Vec::new(),
            filter_history: History::default(),
            command_history: History::default(),
            window_focused_at: None,
            last_job_id: 0,
            mark_all_job_id: None,
            jobs: Vec::new(),
        }
    }

    /// Handles an event and returns the jobs for the runner.
    pub fn handle(&mut self, now: Time, event: Event) -> Vec<Job> {
        self.now = now;
        match event {
            Event::Key { key, is_repeat } => self.handle_key(key, is_repeat),
            Event::Mouse { action, x, y } => self.handle_mouse(action, x, y),
            Event::Paste(text) => self.insert_pasted_text(&text),
            Event::Resize(width, height) => self.size = (width, height),
            Event::Focus => self.window_focused_at = Some(now),
            Event::Tick => self.tick(),
            Event::Runner(event) => self.handle_runner_event(*event),
            Event::Counters(counters) => self.update_counters(&counters),
            Event::Connection(connection) => self.update_connection(connection),
        }
        self.update_after_event();
        std::mem::take(&mut self.jobs)
    }

    /// The layout of the screen; `None` when the terminal is too small.
    #[must_use]
    pub fn areas(&self) -> Option<Areas> {
        layout::compute_areas(self.size, self.pane.is_focused)
    }

    /// The shown list; `None` when the staff member may see no queue.
    #[must_use]
    pub fn list(&self) -> Option<&RecordList> {
        self.lists.get(self.tab_index)
    }

    /// The context whose keys apply now.
    #[must_use]
    pub fn key_context(&self) -> KeyContext {
        match &self.overlay {
            Some(overlay) => overlay.dialog.key_context(),
            None if self.pane.is_focused => KeyContext::Detail,
            None => KeyContext::List,
        }
    }

    /// Whether the sign-in form is open.
    #[must_use]
    pub fn is_signed_out(&self) -> bool {
        matches!(self.overlay.as_ref().map(|overlay| &overlay.dialog), Some(Dialog::SignIn(_)))
    }

    #[must_use]
    pub fn counter(&self, counter: Counter) -> &CounterHistory {
        &self.counters[counter as usize]
    }

    /// Returns the reason why the dashboard is read only now; `None` if changes are allowed.
    #[must_use]
    pub fn read_only_reason(&self) -> Option<String> {
        if self.options.readonly {
            return Some("Read only: started with --readonly.".into());
        }
        if self.session.as_ref().is_some_and(|session| session.readonly) {
            return Some("Read only: this profile does not allow changes.".into());
        }
        match self.connection {
            Connection::Live => {}
            Connection::Offline(_) => {
                return Some("Offline: read only. Changes are not queued.".into());
            }
            Connection::DatabaseDown(_) => {
                return Some("The database is down: read only. Changes are not queued.".into());
            }
            Connection::Connecting | Connection::Retry(_) => {
                return Some("Not connected yet: read only. Changes are not queued.".into());
            }
        }
        let list = self.list()?;
        let permissions = list.tab.source.action_permissions();
        let is_permitted = self
            .session
            .as_ref()
            .is_some_and(|session| permissions.iter().any(|permission| session.has_permission(*permission)));
        let required_permission = permissions.first().map_or("", |permission| permission.as_str());
        (!is_permitted).then(|| format!("Your account needs the permission \"{required_permission}\"."))
    }

    fn new_job_id(&mut self) -> u64 {
        self.last_job_id += 1;
        self.last_job_id
    }

    fn show_status(&mut self, severity: Severity, text: impl Into<String>) {
        self.status = Some(StatusMessage { text: text.into(), severity, shown_at: self.now });
    }

    fn open_dialog(&mut self, dialog: Dialog, opened_by: Option<Key>) {
        self.overlay = Some(Overlay::new(dialog, self.now, opened_by));
    }

    fn insert_pasted_text(&mut self, text: &str) {
        let is_inserted =
            self.overlay.as_mut().is_some_and(|overlay| overlay.dialog.insert_pasted_text(text));
        if !is_inserted {
            self.show_status(Severity::Info, "Pasted text is ignored here. Press / to filter.");
        }
    }

    fn update_counters(&mut self, counters: &Counters) {
        for counter in Counter::ALL {
            let is_changed = self.counters[counter as usize].push(self.now, counter.value_in(counters));
            for list in self.lists.iter_mut().filter(|list| is_changed && list.tab.counter == Some(counter)) {
                let refresh_time = self.now.plus(Duration::from_millis(500));
                list.refresh_at =
                    Some(list.refresh_at.map_or(refresh_time, |refresh_at| refresh_at.min(refresh_time)));
            }
        }
    }

    fn update_connection(&mut self, connection: Connection) {
        let previous = std::mem::replace(&mut self.connection, connection);
        match (previous, connection) {
            (
                Connection::Offline(_) | Connection::DatabaseDown(_) | Connection::Retry(_),
                Connection::Live,
            ) => {
                self.show_status(Severity::Success, "Reconnected.");
                for list in &mut self.lists {
                    list.refresh_at = Some(self.now);
                }
            }
            (_, Connection::Offline(_)) if !previous.is_offline() => {
                self.show_status(Severity::Error, "The server does not respond. Read only until it does.");
            }
            (_, Connection::DatabaseDown(_)) if !previous.is_offline() => {
                self.show_status(
                    Severity::Error,
                    "The server cannot reach its database. Read only until it can.",
                );
            }
            _ => {}
        }
    }

    fn tick(&mut self) {
        if self.status.as_ref().is_some_and(|status| self.now.since(status.shown_at) > STATUS_DURATION) {
            self.status = None;
        }
        for history in &mut self.counters {
            // A counter also needs a new sample while its value stays the same.
            if let Some(value) = history.value() {
                history.push(self.now, value);
            }
        }
        self.refresh_if_due();
        self.load_record_at_cursor();
    }

    /// Runs after every event: scrolls to the cursor and schedules the load of the record in the split view.
    fn update_after_event(&mut self) {
        let Some(areas) = self.areas() else { return };
        let visible_rows = usize::from(areas.visible_rows);
        if let Some(list) = self.lists.get_mut(self.tab_index) {
            list.scroll_to_cursor(visible_rows);
        }
        if areas.is_split && !self.pane.is_focused {
            let selected = self.list().and_then(RecordList::selected_row).map(|row| row.id);
            if selected.is_some() && selected != self.pane.id && self.pane.load_at.is_none() {
                self.pane.load_at = Some(self.now.plus(CURSOR_DELAY));
            }
        }
    }
}
