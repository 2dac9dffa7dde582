//! An action on some records: its input, its result, and the requests that can undo it.

use panel_contract::amount::Money;
use panel_contract::common::Skipped;
use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;

use crate::model::queue::Source;
use crate::model::verb::{Verb, VerbInput};
use crate::text::pluralize;

/// An action on some records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub source: Source,
    pub verb: Verb,
    /// The records, fixed when the dialog opens.
    pub ids: Vec<RecordId>,
    /// The options of a cancel.
    pub cancel: Option<CancelOptions>,
    /// The text for the input of the verb.
    pub input_text: Option<String>,
    /// The undo offer, for an undo.
    pub undo: Option<UndoOffer>,
}

impl Run {
    /// The input of the run; a number only applies to a single record.
    #[must_use]
    pub fn verb_input(&self) -> Option<VerbInput> {
        self.verb.verb_input().filter(|input| !input.is_number || self.ids.len() == 1)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelOptions {
    /// Whether to refund.
    pub return_money: bool,
    /// The refund amount; only for a single record. Otherwise each record has its default amount.
    pub amount: Option<Money>,
    pub reason: Option<CancelReason>,
    pub description: Option<String>,
    /// Whether to notify the customers by email.
    pub email: bool,
}

/// The result of a run or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The changed records.
    pub changed: Vec<RecordId>,
    /// The skipped records with reasons.
    pub skipped: Vec<Skipped>,
    /// The refunded amount.
    pub refunded: Money,
    /// The number of refunded customers; a customer in two chunks counts twice.
    pub customers: i64,
    /// The amount charged to customers, which cannot be undone.
    pub charged: Money,
    /// The ids of the requests that the panel can undo.
    pub undo: Vec<String>,
    /// Why and where the run ended early.
    pub interruption: Option<Interruption>,
}

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interruption {
    pub reason: String,
    /// Records without an answer: whether they changed is unknown.
    pub unanswered: Vec<RecordId>,
    /// The id of the journal, for `panelctl runs resume`.
    pub run_id: Option<String>,
}

impl Outcome {
    /// The skipped ids grouped by reason, the most frequent reason first.
    #[must_use]
    pub fn reasons(&self) -> Vec<(String, Vec<RecordId>)> {
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

/// An action of this session that the panel can undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoOffer {
    /// Unique in the session.
    pub id: u64,
    pub source: Source,
    pub verb: Verb,
    /// The ids of the requests to undo, newest first.
    pub requests: Vec<String>,
    /// The changed records.
    pub ids: Vec<RecordId>,
}

impl UndoOffer {
    /// Describes the undone action: `approved 3 orders: 981199, 981204, 981207`.
    #[must_use]
    pub fn summary(&self) -> String {
        let shown: Vec<String> = self.ids.iter().take(5).map(ToString::to_string).collect();
        let more = if self.ids.len() > shown.len() { ", …" } else { "" };
        let what = pluralize(self.ids.len(), self.source.noun());
        format!("{} {what}: {}{more}", self.verb.texts().done, shown.join(", "))
    }
}
