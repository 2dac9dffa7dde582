//! Actions on records: permission, confirmation, run, undo.

use crate::app::{ActiveRun, App, Severity};
use crate::dialog::confirm::{ConfirmDialog, Preview, default_cancel_options};
use crate::dialog::menu::{Menu, MenuItem};
use crate::dialog::notice::Notice;
use crate::dialog::{Dialog, MenuChoice};
use crate::job::{Failure, Job};
use crate::key::Key;
use crate::keymap::{Command, KeyContext, bindings_in};
use crate::model::record_action::RecordAction;
use crate::model::row::RecordRow;
use crate::model::run::{Outcome, Run, UndoOffer};
use crate::text::{capitalize, format_money, pluralize};
use panel_contract::ids::RecordId;

/// The maximum number of undo offers.
const MAX_UNDO_OFFERS: usize = 50;

impl App {
    /// Maps the action of a key to the action that the shown queue has instead.
    #[must_use]
    pub fn action_for_key(&self, action: RecordAction) -> Option<RecordAction> {
        self.list().and_then(|list| list.tab.source.action_for_key(action))
    }

    /// Opens the confirmation dialog, or shows the reason why the action is not possible.
    pub(super) fn confirm_action(&mut self, action: RecordAction, key: Key) {
        if let Some(reason) = self.disabled_reason(action) {
            return self.show_status(Severity::Info, reason);
        }
        let Some(list) = self.list() else { return };
        let cancel = (action == RecordAction::Cancel).then(default_cancel_options);
        let run = Run {
            source: list.tab.source,
            action,
            ids: self.target_ids(),
            cancel,
            input_text: None,
            undo: None,
        };
        self.open_confirmation(ConfirmDialog::new(run, self.cancel_reasons.clone()), key);
    }

    fn open_confirmation(&mut self, mut confirm: ConfirmDialog, key: Key) {
        confirm.protected_profile = self
            .session
            .as_ref()
            .filter(|session| session.is_protected)
            .map(|session| session.profile.clone());
        self.open_dialog(Dialog::Confirm(Box::new(confirm)), Some(key));
        self.request_preview();
    }

    /// The records that an action applies to: the open record, the marked records, or the selected row.
    fn target_ids(&self) -> Vec<RecordId> {
        let Some(list) = self.list() else { return Vec::new() };
        match (self.pane.is_focused, self.pane.id) {
            (true, Some(id)) => vec![id],
            _ if !list.marks.is_empty() => list.marks.ids(),
            _ => list.selected_row().map(|row| row.id).into_iter().collect(),
        }
    }

    /// Returns the reason why an action is not possible now; `None` if it is possible.
    #[must_use]
    pub fn disabled_reason(&self, action: RecordAction) -> Option<String> {
        if let Some(reason) = self.read_only_reason() {
            return Some(reason);
        }
        if self.active_run.is_some() {
            return Some("An action is still running. Wait until it finishes.".into());
        }
        let Some(list) = self.list() else { return Some("No queue is shown.".into()) };
        let noun = list.tab.source.noun();
        if action.is_single_record_only() && self.target_ids().len() > 1 {
            return Some(format!("One {noun} at a time. Unmark the others first."));
        }
        if self.pane.is_focused {
            return match self.pane.detail.as_deref() {
                Some(detail) => not_allowed_reason(action, &detail.row),
                None => Some(format!("The {noun} is still loading.")),
            };
        }
        if !list.marks.is_empty() {
            let none_eligible = list.marks.count_eligible(action) == 0;
            return none_eligible.then(|| {
                format!(
                    "None of the {} marked {noun}s can be {} now.",
                    list.marks.len(),
                    action.texts().past_participle
                )
            });
        }
        match list.selected_row() {
            Some(row) => not_allowed_reason(action, row),
            None => Some(format!("No {noun} is selected.")),
        }
    }

    /// Opens the menu of all actions with their keys and the reasons of disabled ones.
    pub(super) fn open_action_menu(&mut self, key: Key) {
        let Some(list) = self.list() else { return };
        if list.tab.source.actions().is_empty() {
            let noun = capitalize(list.tab.source.noun());
            return self.show_status(
                Severity::Info,
                format!("{noun}s are read only here. Use the console to change them."),
            );
        }
        let items = list.tab.source.actions().iter().map(|action| {
            let binding = bindings_in(KeyContext::List).find(|binding| match binding.command {
                Command::RecordAction(key_action) => {
                    list.tab.source.action_for_key(key_action) == Some(*action)
                }
                _ => false,
            });
            let letter = binding.and_then(|binding| match binding.keys {
                [Key::Char(letter), ..] => Some(*letter),
                _ => None,
            });
            let label = capitalize(action.texts().infinitive);
            MenuItem {
                key: letter,
                label,
                choice: MenuChoice::RecordAction(*action),
                disabled_reason: self.disabled_reason(*action),
                is_checked: None,
            }
        });
        let items: Vec<MenuItem> = items.collect();
        let target_ids = self.target_ids();
        let title = match target_ids.as_slice() {
            [id] => format!("{} {id}", capitalize(list.tab.source.noun())),
            ids => pluralize(ids.len(), &format!("marked {}", list.tab.source.noun())),
        };
        self.open_dialog(Dialog::Menu(Menu::new(title, items)), Some(key));
    }

    /// Requests the dry run for the open dialog.
    pub(super) fn request_preview(&mut self) {
        let job_id = self.new_job_id();
        let Some(Dialog::Confirm(confirm)) = self.overlay.as_mut().map(|overlay| &mut overlay.dialog) else {
            return;
        };
        confirm.job_id = job_id;
        confirm.preview = Preview::Waiting;
        self.jobs.push(Job::Preview { job_id, run: confirm.run.clone() });
    }

    pub(super) fn show_preview(&mut self, job_id: u64, result: Result<Outcome, Failure>) {
        let Some(Dialog::Confirm(confirm)) = self.overlay.as_mut().map(|overlay| &mut overlay.dialog) else {
            return;
        };
        if confirm.job_id == job_id {
            confirm.preview = result.map_or_else(Preview::Failed, Preview::Ready);
        }
    }

    /// Starts a confirmed run.
    pub(super) fn start_run(&mut self, run: Run) {
        self.overlay = None;
        if let Some(reason) = self.read_only_reason() {
            return self.show_status(Severity::Error, reason);
        }
        let job_id = self.new_job_id();
        self.active_run = Some(ActiveRun { job_id, run: run.clone(), processed_count: 0 });
        self.status = None;
        self.jobs.push(Job::Run { job_id, run });
    }

    pub(super) fn handle_run_finished(&mut self, job_id: u64, result: Result<Outcome, Failure>) {
        let Some(active_run) = self.active_run.take_if(|active_run| active_run.job_id == job_id) else {
            return;
        };
        match result {
            Err(failure) => self.report_run_failure(&active_run.run, failure),
            Ok(outcome) => self.report_run_success(&active_run.run, &outcome),
        }
        self.reload();
    }

    fn report_run_failure(&mut self, run: &Run, failure: Failure) {
        let title = format!("Failed to {}", run.action.texts().infinitive);
        self.show_status(Severity::Error, format!("{title}: {}", failure.message));
        let mut text = vec![failure.message];
        text.extend(failure.request_id.map(|id| format!("Request ID: {id}")));
        self.open_dialog(Dialog::Notice(Notice::new(title, text, None)), None);
    }

    fn report_run_success(&mut self, run: &Run, outcome: &Outcome) {
        let changed = outcome.changed.clone();
        match &run.undo {
            Some(offer) => self.undo_offers.retain(|undo| undo.id != offer.id),
            None => self.store_undo_offer(run, outcome),
        }
        for list in &mut self.lists {
            for id in &changed {
                list.marks.remove(*id);
            }
        }
        let is_complete = outcome.skipped.is_empty() && outcome.interruption.is_none();
        let severity = if is_complete { Severity::Success } else { Severity::Error };
        self.show_status(severity, format_run_summary(run, outcome));
        if !is_complete {
            self.open_dialog(Dialog::Notice(build_run_report(run, outcome)), None);
        }
    }

    /// Stores the undo offer of a run.
    fn store_undo_offer(&mut self, run: &Run, outcome: &Outcome) {
        if outcome.undo_request_ids.is_empty() {
            return;
        }
        let id = self.new_job_id();
        let request_ids = outcome.undo_request_ids.iter().rev().cloned().collect();
        self.undo_offers.push(UndoOffer {
            id,
            source: run.source,
            action: run.action,
            request_ids,
            ids: outcome.changed.clone(),
        });
        if self.undo_offers.len() > MAX_UNDO_OFFERS {
            self.undo_offers.remove(0);
        }
    }

    /// Opens the confirmation dialog for an undo of the last action.
    pub(super) fn confirm_undo(&mut self, key: Key) {
        if let Some(reason) = self.read_only_reason() {
            return self.show_status(Severity::Info, reason);
        }
        if self.active_run.is_some() {
            return self.show_status(Severity::Info, "An action is still running. Wait until it finishes.");
        }
        let Some(undo) = self.undo_offers.last() else {
            return self.show_status(Severity::Info, "Nothing to undo in this session.");
        };
        let run = Run {
            source: undo.source,
            action: RecordAction::Undo,
            ids: undo.ids.clone(),
            cancel: None,
            input_text: None,
            undo: Some(undo.clone()),
        };
        let mut confirm = ConfirmDialog::new(run, Vec::new());
        confirm.undo_summary = Some(undo.summary());
        self.open_confirmation(confirm, key);
    }
}

/// Returns the reason why the server would reject the action, according to the `actions` of the record.
fn not_allowed_reason(action: RecordAction, row: &RecordRow) -> Option<String> {
    if row.has_left_queue {
        return Some(format!("{} has left this queue. Press ctrl-r to refresh.", row.id));
    }
    if row.allowed_actions.allows(action) {
        return None;
    }
    let allowed_actions: Vec<&str> =
        row.allowed_actions.actions().map(|action| action.texts().infinitive).collect();
    let advice = match allowed_actions.as_slice() {
        [] => "No action is allowed.".to_owned(),
        actions => format!("Allowed: {}.", actions.join(", ")),
    };
    Some(format!(
        "{} is {} and cannot be {}. {advice}",
        row.id,
        row.status_text,
        action.texts().past_participle
    ))
}

fn format_run_summary(run: &Run, outcome: &Outcome) -> String {
    let past_participle = run.action.texts().past_participle;
    let mut text = match outcome.changed.as_slice() {
        [id] => format!("{id} {past_participle}"),
        ids => format!("{} {past_participle}", pluralize(ids.len(), run.source.noun())),
    };
    if !outcome.skipped.is_empty() {
        text.push_str(&format!(", {} skipped", outcome.skipped.len()));
    }
    if outcome.refunded.0 > 0 {
        text.push_str(&format!(", {} refunded", format_money(outcome.refunded)));
    }
    if outcome.charged.0 > 0 {
        text.push_str(&format!(", {} charged", format_money(outcome.charged)));
    }
    if outcome.interruption.is_some() {
        text.push_str(", then interrupted");
    }
    if !outcome.undo_request_ids.is_empty() {
        text.push_str(" · z undo");
    }
    text
}

/// Lists the skipped records by reason, with their ids to copy.
fn build_run_report(run: &Run, outcome: &Outcome) -> Notice {
    let join_ids = |ids: &[RecordId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut text: Vec<String> = outcome
        .ids_by_reason()
        .iter()
        .map(|(message, ids)| {
            format!(
                "{}: {message}",
                if ids.len() > 12 { pluralize(ids.len(), run.source.noun()) } else { join_ids(ids) }
            )
        })
        .collect();
    let mut ids: Vec<RecordId> = outcome.skipped.iter().map(|skip| skip.id).collect();
    if let Some(interruption) = &outcome.interruption {
        let records = pluralize(interruption.without_response.len(), run.source.noun());
        text.push(format!("Interrupted: {} No response for {records}.", interruption.reason));
        if let Some(name) = &interruption.run_id {
            text.push("To continue without repeating anything, run:".to_owned());
            text.push(format!("panelctl runs resume {name}"));
        }
        ids.extend(&interruption.without_response);
    }
    let mut title = format!("{} {}", outcome.changed.len(), run.action.texts().past_participle);
    if !outcome.skipped.is_empty() {
        title.push_str(&format!(", {} skipped", outcome.skipped.len()));
    }
    if let Some(interruption) = &outcome.interruption {
        title.push_str(&format!(", {} without a response", interruption.without_response.len()));
    }
    Notice::new(title, text, Some(join_ids(&ids)))
}
