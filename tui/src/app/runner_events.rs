//! Handles the events of the runner.

use crate::app::{App, Severity};
use crate::dialog::Dialog;
use crate::dialog::form::SignInForm;
use crate::dialog::identity::Identity;
use crate::dialog::notice::Notice;
use crate::job::{Failure, Job, RunnerEvent};
use crate::model::detail::Detail;
use crate::model::list::{List, ListState, Listing, MatchingRecords, RefreshMode};
use crate::model::queue::TABS;
use crate::session::{Connection, Secret, SessionInfo};
use crate::text::pluralize;
use panel_contract::ids::RecordId;

impl App {
    pub(super) fn handle_runner_event(&mut self, runner_event: RunnerEvent) {
        match runner_event {
            RunnerEvent::SignedIn(session) => self.signed_in(session),
            RunnerEvent::SignInNeeded { profile, address, email, message, needs_otp } => {
                self.sign_in_needed(&profile, &address, &email, message, needs_otp);
            }
            RunnerEvent::IdentityNeeded => self.ask_for_password(),
            RunnerEvent::Listing { job_id, result } => self.listing_loaded(job_id, result),
            RunnerEvent::MatchingRecords { job_id, result } => self.matching_records_loaded(job_id, result),
            RunnerEvent::Detail { id, result } => self.detail_loaded(id, result),
            RunnerEvent::Preview { job_id, result } => self.show_preview(job_id, result),
            RunnerEvent::Progress { job_id, processed } => {
                if let Some(running) = self.running.as_mut().filter(|running| running.job_id == job_id) {
                    running.processed = processed;
                }
            }
            RunnerEvent::RunFinished { job_id, result } => self.run_finished(job_id, result),
            RunnerEvent::Reasons(reasons) => self.reasons = reasons,
            RunnerEvent::ConsoleAddress(address) => {
                let notice = Notice::new("Open in the console", vec![address.clone()], Some(address));
                self.show(Dialog::Notice(notice), None);
            }
            RunnerEvent::Succeeded(text) => self.show_status(Severity::Success, text),
            RunnerEvent::Failed(text) => self.show_status(Severity::Error, text),
        }
    }

    /// Starts or continues a session. Keeps the screen if the account and the panel are the same as before.
    fn signed_in(&mut self, session: SessionInfo) {
        if matches!(self.overlay.as_ref().map(|overlay| &overlay.dialog), Some(Dialog::SignIn(_))) {
            self.overlay = None;
        }
        let is_same_account = self.session.as_ref().is_some_and(|previous| {
            (&previous.address, &previous.email) == (&session.address, &session.email)
        });
        let is_visible = |list: &&'static crate::model::queue::Tab| session.has_permission(list.permission);
        if !is_same_account {
            self.lists = TABS.iter().filter(is_visible).map(List::new).collect();
            self.counters = Default::default();
            self.undo_offers.clear();
            self.status = None;
            self.pane = Default::default();
            self.tab = 0;
        }
        // Responses for an earlier session will not arrive.
        self.lists.iter_mut().for_each(|list| list.pending = None);
        self.mark_all_job = None;
        self.connection = Connection::Connecting;
        self.session = Some(session);
        if !self.lists.is_empty() {
            self.load_tab(self.tab, RefreshMode::Replace);
        }
    }

    fn sign_in_needed(
        &mut self,
        profile: &str,
        address: &str,
        email: &str,
        message: Option<String>,
        needs_otp: bool,
    ) {
        if let Some(Dialog::SignIn(form)) = self.overlay.as_mut().map(|overlay| &mut overlay.dialog) {
            // A repeated request must not disturb a staff member who is typing.
            if form.is_submitting {
                form.show_error(message, needs_otp);
            }
            return;
        }
        let mut form = SignInForm::new(profile, address, email, message.clone());
        if needs_otp {
            form.show_error(message, true);
        }
        self.show(Dialog::SignIn(form), None);
    }

    /// Opens the password dialog. The password applies to all calls that wait for it.
    fn ask_for_password(&mut self) {
        if !matches!(
            self.overlay.as_ref().map(|overlay| &overlay.dialog),
            Some(Dialog::Identity(_) | Dialog::SignIn(_))
        ) {
            let covered_dialog = self.overlay.take();
            self.show(Dialog::Identity(Identity::covering(covered_dialog)), None);
        }
    }

    pub(super) fn send_password(&mut self, password: Option<Secret>) {
        if let Some(Dialog::Identity(identity)) = self.overlay.take().map(|overlay| overlay.dialog) {
            self.overlay = identity.covered_dialog.map(|dialog| *dialog);
        }
        self.jobs.push(Job::ConfirmIdentity(password));
    }

    fn listing_loaded(&mut self, job_id: u64, result: Result<Listing, Failure>) {
        let waits_for_job = |list: &List| list.pending.is_some_and(|(pending_job, _)| pending_job == job_id);
        let now = self.now;
        let Some(list) = self.lists.iter_mut().find(|list| waits_for_job(list)) else { return };
        let mode = list.pending.take().map_or(RefreshMode::Replace, |(_, mode)| mode);
        match result {
            // The requested page became empty in the meantime: load the last page instead.
            Ok(listing)
                if listing.rows.is_empty()
                    && listing.total > 0
                    && list.requested_offset.unwrap_or(list.offset) > 0 =>
            {
                list.requested_offset =
                    Some((listing.total - 1) / crate::model::list::PAGE_SIZE * crate::model::list::PAGE_SIZE);
                let tab = list.tab.key;
                if let Some(index) = self.lists.iter().position(|list| list.tab.key == tab) {
                    self.load_tab(index, RefreshMode::Replace);
                }
            }
            Ok(listing) => {
                let removed_marks = list.apply(listing, mode, now);
                if removed_marks > 0 {
                    let marks = pluralize(removed_marks, "mark");
                    self.show_status(Severity::Info, format!("{marks} removed: no longer in this queue."));
                }
            }
            Err(failure) => {
                list.requested_offset = None;
                list.state = ListState::Failed(failure);
                // The automatic retry waits for a while.
                list.failed_at = Some(now);
            }
        }
    }

    fn matching_records_loaded(&mut self, job_id: u64, result: Result<MatchingRecords, Failure>) {
        if self.mark_all_job.take_if(|mark_all_job| *mark_all_job == job_id).is_none() {
            return;
        }
        let Some(list) = self.lists.get_mut(self.tab) else { return };
        match result {
            Ok(MatchingRecords { rows, ids }) => {
                list.range = None;
                rows.iter().for_each(|row| list.marks.add(row));
                ids.iter().for_each(|id| list.marks.add_id(*id));
                let records = pluralize(list.marks.len(), list.tab.source.noun());
                self.show_status(Severity::Info, format!("{records} marked. Press u to unmark."));
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
