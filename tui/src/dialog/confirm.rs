//! The confirmation dialog before every change.
//!
//! The button that closes the dialog has the focus first. The preview comes from a dry run of the server. For an irreversible
//! change of many records, the staff member must type the count.

use panel_contract::amount::Money;
use panel_contract::orders::CancelReason;

use crate::dialog::DialogAction;
use crate::job::Failure;
use crate::key::Key;
use crate::keymap::{Command, KeyContext, find_binding};
use crate::model::run::{CancelOptions, Outcome, Run};
use crate::text::{capitalize, pluralize};
use crate::text_input::TextInput;

/// For an irreversible action on more records than this, the staff member must type the count.
const MAX_COUNT_WITHOUT_TYPING: usize = 20;

/// A focusable part of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmField {
    Refund,
    /// Text: the refund amount.
    Amount,
    /// Choice: the cancel reason.
    Reason,
    Description,
    /// Checkbox: notify the customers by email.
    Email,
    /// Text: the count or the profile name.
    Confirmation,
    /// Button: close without a change.
    Abort,
    Proceed,
}

/// The result of the dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// The dry run is in progress.
    Waiting,
    Ready(Outcome),
    /// The dry run failed.
    Failed(Failure),
}

#[derive(Debug)]
pub struct ConfirmDialog {
    pub run: Run,
    /// For an undo: describes the action to undo.
    pub undo_summary: Option<String>,
    /// The name of a protected profile, which the staff member must type to confirm.
    pub protected_profile: Option<String>,
    pub preview: Preview,
    /// The id of the preview job.
    pub job_id: u64,
    /// The cancel reasons with their labels.
    pub reasons: Vec<(CancelReason, String)>,
    /// The index of the chosen reason.
    pub reason_index: Option<usize>,
    pub amount: TextInput,
    /// The description of the reason "other".
    pub description: TextInput,
    pub confirmation: TextInput,
    pub focus: ConfirmField,
    /// The error that prevents the confirmation.
    pub error: Option<String>,
}

impl ConfirmDialog {
    #[must_use]
    pub fn new(run: Run, reasons: Vec<(CancelReason, String)>) -> Self {
        Self {
            run,
            undo_summary: None,
            protected_profile: None,
            preview: Preview::Waiting,
            job_id: 0,
            reasons,
            reason_index: None,
            amount: TextInput::default(),
            description: TextInput::default(),
            confirmation: TextInput::default(),
            focus: ConfirmField::Abort,
            error: None,
        }
    }

    /// Whether the action cannot be undone.
    #[must_use]
    pub fn is_irreversible(&self) -> bool {
        let charges_money = matches!(&self.preview, Preview::Ready(outcome) if outcome.charged.0 > 0);
        charges_money || !self.run.action.texts().is_undoable
    }

    /// Whether the staff member must type a text to confirm.
    #[must_use]
    pub fn needs_typing(&self) -> bool {
        self.protected_profile.is_some()
            || (self.is_irreversible() && self.run.ids.len() > MAX_COUNT_WITHOUT_TYPING)
    }

    /// The text that the staff member must type: the profile name, or the number of records that would change.
    #[must_use]
    pub fn required_text(&self) -> Option<String> {
        self.protected_profile.clone().or_else(|| self.affected_count().map(|count| count.to_string()))
    }

    /// The number of records that would change; `None` before the dry run.
    #[must_use]
    pub fn affected_count(&self) -> Option<usize> {
        match &self.preview {
            Preview::Ready(outcome) => Some(outcome.changed.len()),
            Preview::Waiting | Preview::Failed(_) => None,
        }
    }

    /// The title, such as `Cancel 3 orders`.
    #[must_use]
    pub fn title(&self) -> String {
        let records = pluralize(self.run.ids.len(), self.run.source.noun());
        match (&self.undo_summary, self.run.ids.as_slice()) {
            (Some(_), _) => format!("Undo changes to {records}"),
            (None, [id]) => {
                format!("{} {} {id}", capitalize(self.run.action.texts().infinitive), self.run.source.noun())
            }
            _ => format!("{} {records}", capitalize(self.run.action.texts().infinitive)),
        }
    }

    /// The labels of the button that closes the dialog and of the button that starts the action.
    #[must_use]
    pub fn buttons(&self) -> (String, String) {
        if self.undo_summary.is_some() {
            return ("Keep changes".to_owned(), "Undo changes".to_owned());
        }
        let noun = self.run.source.noun();
        let (close_label, records) = match (self.run.ids.len(), self.affected_count()) {
            (1, _) => (format!("Keep {noun}"), noun.to_owned()),
            (_, Some(count)) => (format!("Keep {noun}s"), pluralize(count, noun)),
            _ => (format!("Keep {noun}s"), format!("{noun}s")),
        };
        (close_label, format!("{} {records}", capitalize(self.run.action.texts().infinitive)))
    }

    /// The focusable fields, from top to bottom.
    #[must_use]
    pub fn fields(&self) -> Vec<ConfirmField> {
        let mut fields = Vec::new();
        if let Some(cancel) = &self.run.cancel {
            fields.push(ConfirmField::Refund);
            if cancel.return_money && self.run.ids.len() == 1 {
                fields.push(ConfirmField::Amount);
            }
            fields.push(ConfirmField::Reason);
            if cancel.reason == Some(CancelReason::Other) {
                fields.push(ConfirmField::Description);
            }
            fields.push(ConfirmField::Email);
        }
        if self.run.action_input().is_some() {
            fields.push(ConfirmField::Description);
        }
        if self.needs_typing() {
            fields.push(ConfirmField::Confirmation);
        }
        fields.extend([ConfirmField::Abort, ConfirmField::Proceed]);
        fields
    }

    /// The focused text input, if one is focused.
    pub fn focused_input(&mut self) -> Option<&mut TextInput> {
        match self.focus {
            ConfirmField::Amount => Some(&mut self.amount),
            ConfirmField::Description => Some(&mut self.description),
            ConfirmField::Confirmation => Some(&mut self.confirmation),
            _ => None,
        }
    }

    pub(crate) fn handle(&mut self, key: Key) -> DialogAction {
        self.error = None;
        let command = find_binding(KeyContext::Confirm, key).map(|binding| binding.command);
        // In a text field, characters and the arrow keys edit the text. Other keys keep their command.
        let is_text_field = self.focused_input().is_some();
        if is_text_field
            && (matches!(key, Key::Char(_)) || matches!(command, None | Some(Command::Left | Command::Right)))
        {
            return self.edit_text(key);
        }
        match command {
            Some(Command::Back) => DialogAction::Close,
            Some(Command::Down) => self.move_focus(1),
            Some(Command::Up) => self.move_focus(self.fields().len() - 1),
            Some(Command::Toggle | Command::Right) => self.cycle_value(1),
            Some(Command::Left) => self.cycle_value(self.reasons.len()),
            Some(Command::Confirm) => self.submit(),
            Some(Command::Enter) => self.activate_focused(),
            _ => DialogAction::None,
        }
    }

    fn edit_text(&mut self, key: Key) -> DialogAction {
        let is_integer = self.focus == ConfirmField::Description
            && self.run.action_input().is_some_and(|input| input.is_number);
        let is_numeric = match self.focus {
            ConfirmField::Confirmation => self.protected_profile.is_none(),
            focus => focus == ConfirmField::Amount || is_integer,
        };
        let is_allowed = |letter: char| letter.is_ascii_digit() || (letter == '.' && !is_integer);
        if let (true, Key::Char(letter)) = (is_numeric, key)
            && !is_allowed(letter)
        {
            self.error = Some("Type digits only. Tab goes to the next field, Esc closes.".into());
            return DialogAction::None;
        }
        if let Some(input) = self.focused_input() {
            input.handle(key);
        }
        self.apply_inputs()
    }

    fn move_focus(&mut self, step: usize) -> DialogAction {
        let fields = self.fields();
        let index = fields.iter().position(|field| *field == self.focus).unwrap_or(0);
        self.focus = fields[(index + step) % fields.len()];
        DialogAction::None
    }

    fn cycle_value(&mut self, step: usize) -> DialogAction {
        let count = self.reasons.len();
        let Some(cancel) = &mut self.run.cancel else { return DialogAction::None };
        match self.focus {
            ConfirmField::Refund => cancel.return_money = !cancel.return_money,
            ConfirmField::Email => cancel.sends_email = !cancel.sends_email,
            // Choice 0 is "no reason"; the reasons follow.
            ConfirmField::Reason => {
                let choice = self.reason_index.map_or(0, |index| index + 1);
                self.reason_index = ((choice + step) % (count + 1)).checked_sub(1);
                cancel.reason =
                    self.reason_index.and_then(|index| self.reasons.get(index)).map(|(reason, _)| *reason);
            }
            _ => return DialogAction::None,
        }
        self.apply_inputs()
    }

    /// Copies the inputs to the run, and requests a new preview if the change can affect it.
    fn apply_inputs(&mut self) -> DialogAction {
        let (amount, description) = (self.amount.text(), self.description.text());
        if let Some(input) = self.run.action_input().filter(|_| self.focus == ConfirmField::Description) {
            let text = description.trim();
            self.run.input_text = (!text.is_empty()).then(|| text.to_owned());
            return if input.is_previewed { self.request_preview() } else { DialogAction::None };
        }
        let Some(cancel) = &mut self.run.cancel else { return DialogAction::None };
        let old_options = cancel.clone();
        cancel.amount =
            if cancel.return_money { amount.parse().ok().filter(|Money(value)| *value > 0) } else { None };
        cancel.description = (cancel.reason == Some(CancelReason::Other) && !description.trim().is_empty())
            .then(|| description.trim().to_owned());
        let is_refund_input = matches!(self.focus, ConfirmField::Refund | ConfirmField::Amount);
        if old_options != *cancel || is_refund_input { self.request_preview() } else { DialogAction::None }
    }

    fn request_preview(&mut self) -> DialogAction {
        self.preview = Preview::Waiting;
        DialogAction::RequestPreview
    }

    fn activate_focused(&mut self) -> DialogAction {
        match self.focus {
            ConfirmField::Abort => DialogAction::Close,
            ConfirmField::Proceed | ConfirmField::Confirmation => self.submit(),
            ConfirmField::Refund | ConfirmField::Email | ConfirmField::Reason => self.cycle_value(1),
            ConfirmField::Amount | ConfirmField::Description => self.move_focus(1),
        }
    }

    fn submit(&mut self) -> DialogAction {
        match self.first_error() {
            Some((field, error)) => {
                self.focus = field.unwrap_or(self.focus);
                self.error = Some(error);
                DialogAction::None
            }
            None => DialogAction::StartRun(self.run.clone()),
        }
    }

    /// Returns the first error and the field to focus; `None` if the run can start.
    fn first_error(&self) -> Option<(Option<ConfirmField>, String)> {
        let input = self.run.action_input().filter(|_| self.run.input_text.is_none());
        if let Some(message) = input.and_then(|input| input.required_message) {
            return Some((Some(ConfirmField::Description), message.into()));
        }
        if let Some(cancel) = &self.run.cancel {
            if cancel.reason == Some(CancelReason::Other) && cancel.description.is_none() {
                return Some((
                    Some(ConfirmField::Description),
                    "Add details for the reason \"other\".".into(),
                ));
            }
            if cancel.return_money && !self.amount.is_empty() && cancel.amount.is_none() {
                let error = "Enter an amount above 0 with at most 6 decimals, or leave it empty.";
                return Some((Some(ConfirmField::Amount), error.into()));
            }
        }
        let count = match &self.preview {
            Preview::Waiting => {
                return Some((None, "The preview is still loading. Try again in a moment.".into()));
            }
            Preview::Failed(failure) => return Some((None, failure.message.clone())),
            Preview::Ready(outcome) => outcome.changed.len(),
        };
        if count == 0 {
            return Some((None, "Nothing would change, so there is nothing to confirm.".into()));
        }
        let required_text = self.required_text().unwrap_or_default();
        if self.needs_typing() && self.confirmation.text() != required_text {
            let description =
                if self.protected_profile.is_some() { "the profile name" } else { "the number of records" };
            return Some((
                Some(ConfirmField::Confirmation),
                format!("Type {required_text}, {description}, to confirm."),
            ));
        }
        None
    }
}

/// The default options of a cancellation: no refund, and an email to the customer.
#[must_use]
pub fn default_cancel_options() -> CancelOptions {
    CancelOptions { return_money: false, amount: None, reason: None, description: None, sends_email: true }
}
