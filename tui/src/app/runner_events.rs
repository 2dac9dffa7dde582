//! Handles the events of the runner.

use crate::app::{App, Severity};
use crate::dialog::Dialog;
use crate::dialog::form::SignInForm;
use crate::dialog::identity::IdentityDialog;
use crate::dialog::notice::Notice;
use crate::job::{Failure, Job, RunnerEvent};
use crate::model::detail::Detail;
use crate::model::list::{ListPage, ListState, MatchingRecords, RecordList, RefreshMode};
use crate::model::queue::TABS;
use crate::session::{Connection, Secret, SessionInfo};
use crate::text::pluralize;
use panel_contract::ids::RecordId;

impl App {
    pub(super) fn handle_runner_event(&mut self, runner_event: RunnerEvent) {
        match runner_event {
            RunnerEvent::SignedIn(session) => self.handle_signed_in(session),
            RunnerEvent::SignInNeeded { profile, address, email, message, needs_otp } => {
                self.handle_sign_in_needed(&profile, &address, &email, message, needs_otp);
            }
            RunnerEvent::IdentityNeeded => self.ask_for_password(),
            RunnerEvent::Page { job_id, result } => self.handle_loaded_page(job_id, result),
            RunnerEvent::MatchingRecords { job_id, result } => self.handle_matching_records(job_id, result),
            RunnerEvent::Detail { id, result } => self.handle_detail(id, result),
            RunnerEvent::Preview { job_id, result } => self.show_preview(job_id, result),
            RunnerEvent::Progress { job_id, processed_count } => {
                if let Some(active_run) =
                    self.active_run.as_mut().filter(|active_run| active_run.job_id == job_id)
                {
                    active_run.processed_count = processed_count;
                }
            }
            RunnerEvent::RunFinished { job_id, result } => self.handle_run_finished(job_id, result),
            RunnerEvent::CancelReasons(reasons) => self.cancel_reasons = reasons,
            RunnerEvent::ConsoleAddress(address) => {
                let notice = Notice::new("Open in the console", vec![address.clone()], Some(address));
                self.open_dialog(Dialog::Notice(notice), None);
            }
            RunnerEvent::Succeeded(text) => self.show_status(Severity::Success, text),
            RunnerEvent::Failed(text) => self.show_status(Severity::Error, text),
        }
    }

    /// Starts or continues a session. Keeps the screen if the account and the server are the same as before.
    fn handle_signed_in(&mut self, session: SessionInfo) {
        if matches!(self.overlay.as_ref().map(|overlay| &overlay.dialog), Some(Dialog::SignIn(_))) {
            self.overlay = None;
        }
        let is_same_account = self.session.as_ref().is_some_and(|previous| {
            (&previous.address, &previous.email) == (&session.address, &session.email)
        });
        let is_visible = |tab: &&'static crate::model::queue::Tab| session.has_permission(tab.permission);
        if !is_same_account {
            self.lists = TABS.iter().filter(is_visible).map(RecordList::new).collect();
            self.counters = Default::default();
            self.undo_offers.clear();
            self.status = None;
            self.pane = Default::default();
            self.tab_index = 0;
        }
        // Responses for an earlier session will not arrive.
        self.lists.iter_mut().for_each(|list| list.pending = None);
        self.mark_all_job_id = None;
        self.connection = Connection::Connecting;
        self.session = Some(session);
        if !self.lists.is_empty() {
            self.load_tab(self.tab_index, RefreshMode::Replace);
        }
    }

    fn handle_sign_in_needed(
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
        self.open_dialog(Dialog::SignIn(form), None);
    }

    /// Opens the password dialog. The password applies to all calls that wait for it.
    fn ask_for_password(&mut self) {
        if !matches!(
            self.overlay.as_ref().map(|overlay| &overlay.dialog),
            Some(Dialog::Identity(_) | Dialog::SignIn(_))
        ) {
            let covered_dialog = self.overlay.take();
            self.open_dialog(Dialog::Identity(IdentityDialog::covering(covered_dialog)), None);
        }
    }

    pub(super) fn send_password(&mut self, password: Option<Secret>) {
        if let Some(Dialog::Identity(identity)) = self.overlay.take().map(|overlay| overlay.dialog) {
            self.overlay = identity.covered_dialog.map(|dialog| *dialog);
        }
        self.jobs.push(Job::ConfirmIdentity(password));
    }

    fn handle_loaded_page(&mut self, job_id: u64, result: Result<ListPage, Failure>) {
        let is_waiting =
            |list: &RecordList| list.pending.is_some_and(|(pending_job, _)| pending_job == job_id);
        let now = self.now;
        let Some(list) = self.lists.iter_mut().find(|list| is_waiting(list)) else { return };
        let mode = list.pending.take().map_or(RefreshMode::Replace, |(_, mode)| mode);
        match result {
            // The requested page became empty in the meantime: load the last page instead.
            Ok(page)
                if page.rows.is_empty()
                    && page.total > 0
                    && list.requested_offset.unwrap_or(list.offset) > 0 =>
            {
                list.requested_offset =
                    Some((page.total - 1) / crate::model::list::PAGE_SIZE * crate::model::list::PAGE_SIZE);
                let tab = list.tab.key;
                if let Some(index) = self.lists.iter().position(|list| list.tab.key == tab) {
                    self.load_tab(index, RefreshMode::Replace);
                }
            }
            Ok(page) => {
                let removed_marks = list.apply_page(page, mode, now);
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

    fn handle_matching_records(&mut self, job_id: u64, result: Result<MatchingRecords, Failure>) {
        if self.mark_all_job_id.take_if(|mark_all_job_id| *mark_all_job_id == job_id).is_none() {
            return;
        }
        let Some(list) = self.lists.get_mut(self.tab_index) else { return };
        match result {
            Ok(MatchingRecords { rows, ids }) => {
                list.range = None;
                rows.iter().for_each(|row| list.marks.add(row));
                ids.iter().for_each(|id| list.marks.add_unloaded_id(*id));
                let records = pluralize(list.marks.len(), list.tab.source.noun());
                self.show_status(Severity::Info, format!("{records} marked. Press u to unmark."));
            }
            Err(failure) => {
                self.show_status(Severity::Error, format!("Nothing was marked: {}", failure.message))
            }
        }
    }

    fn handle_detail(&mut self, id: RecordId, result: Result<Box<Detail>, Failure>) {
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
