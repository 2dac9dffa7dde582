//! The stage for tests: the dashboard on a drawn screen, with a clock that stands still and nobody behind it.
//! Tests stand where the runner stands: they see its jobs and give its answers.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::session::Counters;
use panel_tui::app::App;
use panel_tui::draw;
use panel_tui::event::Event;
use panel_tui::job::{Answer, Job, Trouble, TroubleKind};
use panel_tui::key::Key;
use panel_tui::model::list::Listing;
use panel_tui::model::row::Row;
use panel_tui::session::{Connection, Options, Who};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

/// 2026-11-20 12:04:31.
pub(crate) const NOW: Time = Time(1_795_176_271_000_000);

/// Ids of records.
pub(crate) fn ids(raw: &[i64]) -> Vec<RecordId> {
    raw.iter().copied().map(RecordId::new).collect()
}

/// Sizes that every screen is looked at in.
pub(crate) const SMALL: (u16, u16) = (80, 24);
pub(crate) const LARGE: (u16, u16) = (160, 50);

pub(crate) struct Stage {
    pub(crate) app: App,
    pub(crate) now: Time,
    /// What the dashboard wanted done and no test took yet.
    pub(crate) jobs: Vec<Job>,
    /// The ticket of the newest job that had one.
    newest: Option<u64>,
}

impl Stage {
    /// A dashboard that was just started.
    pub(crate) fn new(size: (u16, u16), options: Options) -> Self {
        Self { app: App::new(options, NOW, size), now: NOW, jobs: Vec::new(), newest: None }
    }

    /// One that is signed in, connected and shows these orders.
    pub(crate) fn with(size: (u16, u16), rows: Vec<Row>) -> Self {
        let mut stage = Self::new(size, Options::default());
        stage.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
        stage.list(rows);
        stage.jobs.clear();
        stage
    }

    pub(crate) fn signed_in(&mut self, permissions: &[Permission]) {
        self.answer(Answer::SignedIn(Who {
            profile: "acme-prod".into(),
            address: "https://panel.example".into(),
            protected: false,
            readonly: false,
            email: "olga@panel.example".into(),
            permissions: permissions.to_vec(),
        }));
        self.on(Event::Counters(counters(42)));
        self.on(Event::Connection(Connection::Live));
        self.now = self.now.after(Duration::from_secs(300));
        self.on(Event::Counters(counters(47)));
    }

    /// Answers the newest question for a list.
    pub(crate) fn list(&mut self, rows: Vec<Row>) {
        let total = i64::try_from(rows.len()).unwrap();
        self.listed(rows, total);
    }

    pub(crate) fn listed(&mut self, rows: Vec<Row>, total: i64) {
        let mut ids: Vec<RecordId> = rows.iter().map(|row| row.id).collect();
        ids.sort_by_key(|id| std::cmp::Reverse(*id));
        let ticket = self.ticket();
        self.answer(Answer::Listing { ticket, result: Ok(Listing { rows, total, ids }) });
    }

    /// The ticket of the newest job that had one.
    pub(crate) fn ticket(&self) -> u64 {
        self.newest.expect("nothing was asked")
    }

    pub(crate) fn on(&mut self, event: Event) {
        let jobs = self.app.on(self.now, event);
        self.newest = jobs.iter().rev().find_map(ticket).or(self.newest);
        self.jobs.extend(jobs);
    }

    pub(crate) fn answer(&mut self, answer: Answer) {
        self.on(Event::Answer(Box::new(answer)));
    }

    /// Presses keys by name, a second apart: `keys("v j j a")`.
    pub(crate) fn keys(&mut self, names: &str) {
        for name in names.split(' ') {
            self.now = self.now.after(Duration::from_secs(1));
            self.press(name);
        }
    }

    /// Presses one key now.
    pub(crate) fn press(&mut self, name: &str) {
        let key: Key = name.parse().unwrap_or_else(|()| panic!("{name} is no key"));
        self.on(Event::Key { key, held: false });
    }

    /// Types a text, letter by letter.
    pub(crate) fn types(&mut self, text: &str) {
        for letter in text.chars() {
            self.on(Event::Key { key: Key::Char(letter), held: false });
        }
    }

    /// Lets time pass, with the ticks that come in it.
    pub(crate) fn wait(&mut self, seconds: i64) {
        for _ in 0..seconds {
            self.now = self.now.after(Duration::from_secs(1));
            self.on(Event::Tick);
        }
    }

    /// The jobs since the last time.
    pub(crate) fn take(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.jobs)
    }

    pub(crate) fn buffer(&self) -> Buffer {
        let (width, height) = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw::draw(frame, &self.app)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The screen as lines of text.
    pub(crate) fn frame(&self) -> String {
        let buffer = self.buffer();
        let mut out = String::new();
        for y in 0..buffer.area.height {
            let (mut line, mut covered) = (String::new(), 0_usize);
            for x in 0..buffer.area.width {
                // The right half of a wide letter is no letter of its own.
                if covered > 0 {
                    covered -= 1;
                    continue;
                }
                let symbol = buffer[(x, y)].symbol();
                covered = panel_tui::text::width(symbol).saturating_sub(1);
                line.push_str(symbol);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Whether the screen shows a text, in one line.
    pub(crate) fn shows(&self, text: &str) -> bool {
        self.frame().lines().any(|line| line.contains(text))
    }

    #[track_caller]
    pub(crate) fn assert_shows(&self, text: &str) {
        assert!(self.shows(text), "{text:?} is not on the screen:\n{}", self.frame());
    }
}

fn ticket(job: &Job) -> Option<u64> {
    match job {
        Job::Load { ticket, .. }
        | Job::All { ticket, .. }
        | Job::Preview { ticket, .. }
        | Job::Act { ticket, .. } => Some(*ticket),
        _ => None,
    }
}

pub(crate) fn counters(moderation: i64) -> Counters {
    Counters {
        orders_in_moderation_count: moderation,
        orders_in_processing_count: 12_873,
        orders_with_no_active_providers_count: 3,
        free_trials_in_pending_count: 19,
    }
}

pub(crate) fn trouble(kind: TroubleKind, message: &str) -> Trouble {
    Trouble { kind, message: message.into(), request_id: Some("0199-7f3a".into()) }
}

/// Compares a screen with the one that was looked at and kept.
#[track_caller]
pub(crate) fn assert_frame(name: &str, stage: &Stage) {
    let (width, height) = stage.app.size;
    let name = format!("{name}_{width}x{height}");
    insta::with_settings!({ snapshot_path => "../../../snapshots/tui", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, stage.frame());
    });
}
