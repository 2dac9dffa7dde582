//! An action on some records: its input, its result, and the requests that can undo it.

use panel_contract::amount::Money;
use panel_contract::common::SkippedRecord;
use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;

use crate::model::queue::Source;
use crate::model::record_action::{ActionInput, RecordAction};
use crate::text::pluralize;

/// An action on some records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub source: Source,
    pub action: RecordAction,
    /// The records, fixed when the dialog opens.
    pub ids: Vec<RecordId>,
    /// The options of a cancel.
    pub cancel: Option<CancelOptions>,
    /// The text for the input of the action.
    pub input_text: Option<String>,
    /// For an undo: the offer of the server.
    pub undo: Option<UndoOffer>,
}

impl Run {
    /// The input of the run; a number only applies to a single record.
    #[must_use]
    pub fn action_input(&self) -> Option<ActionInput> {
        self.action.action_input().filter(|input| !input.is_number || self.ids.len() == 1)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelOptions {
    pub return_money: bool,
    /// The refund amount; only for a single record. Otherwise each record has its default amount.
    pub amount: Option<Money>,
    pub reason: Option<CancelReason>,
    pub description: Option<String>,
    /// Whether to notify the customers by email.
    pub sends_email: bool,
}

/// The result of a run or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    pub changed: Vec<RecordId>,
    /// The skipped records with reasons.
    pub skipped: Vec<SkippedRecord>,
    pub refunded: Money,
    /// The number of refunded customers; a customer in two chunks counts twice.
    pub customer_count: i64,
    /// The amount charged to customers, which cannot be undone.
    pub charged: Money,
    /// The ids of the requests that the server can undo.
    pub undo_request_ids: Vec<String>,
    /// Why the run ended early.
    pub interruption: Option<Interruption>,
}

/// An early end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interruption {
    pub reason: String,
    /// The records without a response of the server. They may or may not have changed.
    pub without_response: Vec<RecordId>,
    /// The id of the journal, for `panelctl runs resume`.
    pub run_id: Option<String>,
}

impl Outcome {
    /// The skipped ids by reason, the most frequent reason first.
    #[must_use]
    pub fn ids_by_reason(&self) -> Vec<(String, Vec<RecordId>)> {
        let mut reasons: Vec<(String, Vec<RecordId>)> = Vec::new();
        for skip in &self.skipped {
            match reasons.iter_mut().find(|(message, _)| *message == skip.message) {
                Some((_, ids)) => ids.push(skip.id),
                None => reasons.push((skip.message.clone(), vec![skip.id])),
            }
        }
        reasons.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
        reasons
    }
}

/// An action of this session that the server can undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoOffer {
    /// Unique in the session.
    pub id: u64,
    pub source: Source,
    pub action: RecordAction,
    /// The ids of the requests to undo, newest first.
    pub request_ids: Vec<String>,
    pub ids: Vec<RecordId>,
}

impl UndoOffer {
    /// Describes the undone action: `approved 3 orders: 981199, 981204, 981207`.
    #[must_use]
    pub fn summary(&self) -> String {
        let first_ids: Vec<String> = self.ids.iter().take(5).map(ToString::to_string).collect();
        let more = if self.ids.len() > first_ids.len() { ", …" } else { "" };
        let records = pluralize(self.ids.len(), self.source.noun());
        format!("{} {records}: {}{more}", self.action.texts().past_participle, first_ids.join(", "))
    }
}
