//! Handles the answers of the runner.

use crate::app::{App, Severity};
use crate::dialog::Dialog;
use crate::dialog::form::SignInForm;
use crate::dialog::identity::Identity;
use crate::dialog::notice::Notice;
use crate::job::{Answer, Failure, Job};
use crate::model::detail::Detail;
use crate::model::list::{List, ListState, Listing, MatchingRecords, RefreshMode};
use crate::model::queue::TABS;
use crate::session::{Connection, Secret, SessionInfo};
use crate::text::pluralize;
use panel_contract::ids::RecordId;

impl App {
    pub(super) fn answer(&mut self, answer: Answer) {
        match answer {
            Answer::SignedIn(session) => self.signed_in(session),
            Answer::SignInNeeded { profile, address, email, message, otp } => {
                self.sign_in_needed(&profile, &address, &email, message, otp);
            }
            Answer::IdentityNeeded => self.ask_identity(),
            Answer::Listing { job_id, result } => self.listing_loaded(job_id, result),
            Answer::MatchingRecords { job_id, result } => self.all_loaded(job_id, result),
            Answer::Detail { id, result } => self.detail_loaded(id, result),
            Answer::Preview { job_id, result } => self.show_preview(job_id, result),
            Answer::Progress { job_id, done } => {
                if let Some(running) = self.running.as_mut().filter(|running| running.job_id == job_id) {
                    running.done = done;
                }
            }
            Answer::RunFinished { job_id, result } => self.run_finished(job_id, result),
            Answer::Reasons(reasons) => self.reasons = reasons,
            Answer::ConsoleAddress(address) => {
                let notice = Notice::new("Open in the console", vec![address.clone()], Some(address));
                self.show(Dialog::Notice(notice), None);
            }
            Answer::Succeeded(text) => self.show_status(Severity::Success, text),
            Answer::Failed(text) => self.show_status(Severity::Error, text),
        }
    }

    /// Starts or continues a session. The screen is kept for the same account at the same panel.
    fn signed_in(&mut self, session: SessionInfo) {
        if matches!(self.overlay.as_ref().map(|overlay| &overlay.dialog), Some(Dialog::SignIn(_))) {
            self.overlay = None;
        }
        let same = self
            .session
            .as_ref()
            .is_some_and(|old| (&old.address, &old.email) == (&session.address, &session.email));
        let is_visible = |list: &&'static crate::model::queue::Tab| session.has_permission(list.permission);
        if !same {
            self.lists = TABS.iter().filter(is_visible).map(List::new).collect();
            self.counters = Default::default();
            self.undo_offers.clear();
            self.status = None;
            self.pane = Default::default();
            self.tab = 0;
        }
        // Answers to an earlier session will not arrive.
        self.lists.iter_mut().for_each(|list| list.pending = None);
        self.mark_all_job = None;
        self.connection = Connection::Connecting;
        self.session = Some(session);
        if !self.lists.is_empty() {
            self.load(self.tab, RefreshMode::Replace);
        }
    }

    fn sign_in_needed(
        &mut self,
        profile: &str,
        address: &str,
        email: &str,
        message: Option<String>,
        otp: bool,
    ) {
        if let Some(Dialog::SignIn(form)) = self.overlay.as_mut().map(|overlay| &mut overlay.dialog) {
            // A repeated request must not disturb a staff member who is typing.
            if form.is_submitting {
                form.show_error(message, otp);
            }
            return;
        }
        let mut form = SignInForm::new(profile, address, email, message.clone());
        if otp {
            form.show_error(message, true);
        }
        self.show(Dialog::SignIn(form), None);
    }

    /// Opens the password dialog. Its answer applies to all calls that wait for it.
    fn ask_identity(&mut self) {
        if !matches!(
            self.overlay.as_ref().map(|overlay| &overlay.dialog),
            Some(Dialog::Identity(_) | Dialog::SignIn(_))
        ) {
            let below = self.overlay.take();
            self.show(Dialog::Identity(Identity::over(below)), None);
        }
    }

    pub(super) fn answer_identity(&mut self, password: Option<Secret>) {
        if let Some(Dialog::Identity(identity)) = self.overlay.take().map(|overlay| overlay.dialog) {
            self.overlay = identity.below.map(|below| *below);
        }
        self.jobs.push(Job::ConfirmIdentity(password));
    }

    fn listing_loaded(&mut self, job_id: u64, result: Result<Listing, Failure>) {
        let waits = |list: &List| list.pending.is_some_and(|(waiting, _)| waiting == job_id);
        let now = self.now;
        let Some(list) = self.lists.iter_mut().find(|list| waits(list)) else { return };
        let mode = list.pending.take().map_or(RefreshMode::Replace, |(_, mode)| mode);
        match result {
            // The requested page became empty meanwhile: load the last page instead.
            Ok(listing)
                if listing.rows.is_empty()
                    && listing.total > 0
                    && list.requested_start.unwrap_or(list.start) > 0 =>
            {
                list.requested_start =
                    Some((listing.total - 1) / crate::model::list::PAGE_SIZE * crate::model::list::PAGE_SIZE);
                let tab = list.tab.key;
                if let Some(at) = self.lists.iter().position(|list| list.tab.key == tab) {
                    self.load(at, RefreshMode::Replace);
                }
            }
            Ok(listing) => {
                let dropped = list.apply(listing, mode, now);
                if dropped > 0 {
                    let what = pluralize(dropped, "mark");
                    self.show_status(Severity::Info, format!("{what} removed: no longer in this queue."));
                }
            }
            Err(failure) => {
                list.requested_start = None;
                list.state = ListState::Failed(failure);
                // The automatic retry waits for a while.
                list.failed_at = Some(now);
            }
        }
    }

    fn all_loaded(&mut self, job_id: u64, result: Result<MatchingRecords, Failure>) {
        if self.mark_all_job.take_if(|marking| *marking == job_id).is_none() {
            return;
        }
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        match result {
            Ok(MatchingRecords { rows, ids }) => {
                list.range = None;
                rows.iter().for_each(|row| list.marks.add(row));
                ids.iter().for_each(|id| list.marks.add_id(*id));
                let what = pluralize(list.marks.len(), list.tab.source.noun());
                self.show_status(Severity::Info, format!("{what} marked. Press u to unmark."));
            }
            Err(failure) => {
                self.show_status(Severity::Error, format!("Nothing was marked: {}", failure.message))
            }
        }
    }

    fn detail_loaded(&mut self, id: RecordId, result: Result<Box<Detail>, Failure>) {
        if self.pane.id != Some(id) {
            return;
        }
        match result {
            Ok(detail) => {
                self.pane.detail = Some(detail);
                self.pane.failure = None;
            }
            Err(failure) => self.pane.failure = Some(failure),
        }
    }
}
