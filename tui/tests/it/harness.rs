//! The test harness: the dashboard with a screen in memory and a clock that the test advances.
//! A test replaces the runner: it reads the jobs and sends the events of the runner.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::session::Counters;
use panel_tui::app::App;
use panel_tui::draw;
use panel_tui::event::Event;
use panel_tui::job::{Failure, FailureKind, Job, RunnerEvent};
use panel_tui::key::Key;
use panel_tui::model::list::ListPage;
use panel_tui::model::row::RecordRow;
use panel_tui::session::{Connection, Options, SessionInfo};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

/// 2026-11-20 12:04:31.
pub(crate) const NOW: Time = Time(1_795_176_271_000_000);

pub(crate) fn ids(numbers: &[i64]) -> Vec<RecordId> {
    numbers.iter().copied().map(RecordId::new).collect()
}

/// The screen sizes of the snapshots.
pub(crate) const SMALL_SIZE: (u16, u16) = (80, 24);
pub(crate) const LARGE_SIZE: (u16, u16) = (160, 50);

pub(crate) struct Harness {
    pub(crate) app: App,
    pub(crate) now: Time,
    /// The jobs since the last [`Harness::take_jobs`].
    pub(crate) jobs: Vec<Job>,
    /// The id of the newest job with an id.
    newest_job_id: Option<u64>,
}

impl Harness {
    pub(crate) fn new(size: (u16, u16), options: Options) -> Self {
        Self { app: App::new(options, NOW, size), now: NOW, jobs: Vec::new(), newest_job_id: None }
    }

    /// Creates a signed-in and connected dashboard that shows these orders.
    pub(crate) fn with_orders(size: (u16, u16), rows: Vec<RecordRow>) -> Self {
        let mut harness = Self::new(size, Options::default());
        harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
        harness.load_rows(rows);
        harness.jobs.clear();
        harness
    }

    pub(crate) fn signed_in(&mut self, permissions: &[Permission]) {
        self.runner_event(RunnerEvent::SignedIn(SessionInfo {
            profile: "acme-prod".into(),
            address: "https://panel.example".into(),
            is_protected: false,
            readonly: false,
            email: "olga@panel.example".into(),
            permissions: permissions.to_vec(),
        }));
        self.handle(Event::Counters(counters(42)));
        self.handle(Event::Connection(Connection::Live));
        self.now = self.now.plus(Duration::from_secs(300));
        self.handle(Event::Counters(counters(47)));
    }

    /// Completes the newest load of a list with these rows.
    pub(crate) fn load_rows(&mut self, rows: Vec<RecordRow>) {
        let total = i64::try_from(rows.len()).unwrap();
        self.load_page(rows, total);
    }

    pub(crate) fn load_page(&mut self, rows: Vec<RecordRow>, total: i64) {
        let mut ids: Vec<RecordId> = rows.iter().map(|row| row.id).collect();
        ids.sort_by_key(|id| std::cmp::Reverse(*id));
        let job_id = self.job_id();
        self.runner_event(RunnerEvent::Page { job_id, result: Ok(ListPage { rows, total, ids }) });
    }

    /// The id of the newest job with an id.
    pub(crate) fn job_id(&self) -> u64 {
        self.newest_job_id.expect("no job has an id")
    }

    pub(crate) fn handle(&mut self, event: Event) {
        let jobs = self.app.handle(self.now, event);
        self.newest_job_id = jobs.iter().rev().find_map(job_id).or(self.newest_job_id);
        self.jobs.extend(jobs);
    }

    pub(crate) fn runner_event(&mut self, event: RunnerEvent) {
        self.handle(Event::Runner(Box::new(event)));
    }

    /// Presses keys by name, one per second: `press_keys("v j j a")`.
    pub(crate) fn press_keys(&mut self, names: &str) {
        for name in names.split(' ') {
            self.now = self.now.plus(Duration::from_secs(1));
            self.press_key(name);
        }
    }

    /// Presses one key now.
    pub(crate) fn press_key(&mut self, name: &str) {
        let key: Key = name.parse().unwrap_or_else(|()| panic!("{name} is not a key"));
        self.handle(Event::Key { key, is_repeat: false });
    }

    /// Types a text, character by character.
    pub(crate) fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            self.handle(Event::Key { key: Key::Char(letter), is_repeat: false });
        }
    }

    /// Advances the clock, with one tick per second.
    pub(crate) fn advance_seconds(&mut self, seconds: i64) {
        for _ in 0..seconds {
            self.now = self.now.plus(Duration::from_secs(1));
            self.handle(Event::Tick);
        }
    }

    /// The jobs since the last call.
    pub(crate) fn take_jobs(&mut self) -> Vec<Job> {
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
        let mut frame = String::new();
        for y in 0..buffer.area.height {
            let (mut line, mut covered_columns) = (String::new(), 0_usize);
            for x in 0..buffer.area.width {
                // The second column of a wide character has no symbol.
                if covered_columns > 0 {
                    covered_columns -= 1;
                    continue;
                }
                let symbol = buffer[(x, y)].symbol();
                covered_columns = panel_tui::text::width(symbol).saturating_sub(1);
                line.push_str(symbol);
            }
            frame.push_str(line.trim_end());
            frame.push('\n');
        }
        frame
    }

    /// Whether a line of the screen contains the text.
    pub(crate) fn shows(&self, text: &str) -> bool {
        self.frame().lines().any(|line| line.contains(text))
    }

    #[track_caller]
    pub(crate) fn assert_shows(&self, text: &str) {
        assert!(self.shows(text), "{text:?} is not on the screen:\n{}", self.frame());
    }
}

fn job_id(job: &Job) -> Option<u64> {
    match job {
        Job::LoadPage { job_id, .. }
        | Job::LoadAllMatching { job_id, .. }
        | Job::Preview { job_id, .. }
        | Job::Run { job_id, .. } => Some(*job_id),
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

pub(crate) fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure { kind, message: message.into(), request_id: Some("0199-7f3a".into()) }
}

/// Compares the screen with its snapshot.
#[track_caller]
pub(crate) fn assert_frame(name: &str, harness: &Harness) {
    let (width, height) = harness.app.size;
    let name = format!("{name}_{width}x{height}");
    insta::with_settings!({ snapshot_path => "../../../snapshots/tui", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, harness.frame());
    });
}
