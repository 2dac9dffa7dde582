//! An action on some records: what is asked of the server, what it answered, and the requests to undo it by.

use panel_contract::amount::Money;
use panel_contract::common::Skipped;
use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;

use crate::model::queue::Source;
use crate::model::verb::{Asked, Verb};
use crate::text::many;

/// An action to run, or to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What the records are.
    pub source: Source,
    /// What is done.
    pub verb: Verb,
    /// To which; frozen when the dialog opened.
    pub ids: Vec<RecordId>,
    /// How, for a cancel.
    pub cancel: Option<Cancel>,
    /// The text that its verb asks for.
    pub words: Option<String>,
    /// For an undo: what it takes back.
    pub undoes: Option<Undo>,
}

impl Run {
    /// The text that is asked for; a number is said of one record only.
    #[must_use]
    pub fn asks(&self) -> Option<Asked> {
        self.verb.asks().filter(|asked| !asked.number || self.ids.len() == 1)
    }
}

/// How to cancel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancel {
    /// Money goes back.
    pub return_money: bool,
    /// How much; only for a single record, else each returns its own default.
    pub amount: Option<Money>,
    /// Why.
    pub reason: Option<CancelReason>,
    /// In words.
    pub description: Option<String>,
    /// The customers are told.
    pub email: bool,
}

/// What a run did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The ids that moved.
    pub moved: Vec<RecordId>,
    /// Those that did not.
    pub skipped: Vec<Skipped>,
    /// Money that went back.
    pub returned: Money,
    /// To how many customers; one of two chunks counts twice.
    pub users: i64,
    /// Money charged to customers, which is final.
    pub charged: Money,
    /// The requests that the panel can undo.
    pub undo: Vec<String>,
    /// It broke off.
    pub broken: Option<Broken>,
}

/// Why a run ended before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Why.
    pub why: String,
    /// Without an answer: whether they moved is not known.
    pub open: Vec<RecordId>,
    /// The journal's name, for `panelctl runs resume`.
    pub run: Option<String>,
}

impl Outcome {
    /// The skipped, by reason, each with its ids; the most frequent first.
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

/// Something done in this session that can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// Tells it from others.
    pub number: u64,
    /// What the records are.
    pub source: Source,
    /// What was done.
    pub verb: Verb,
    /// The requests to undo, the last one first.
    pub requests: Vec<String>,
    /// Those that moved.
    pub ids: Vec<RecordId>,
}

impl Undo {
    /// `approved 3 orders: 981199, 981204, 981207`.
    #[must_use]
    pub fn summary(&self) -> String {
        let shown: Vec<String> = self.ids.iter().take(5).map(ToString::to_string).collect();
        let more = if self.ids.len() > shown.len() { ", …" } else { "" };
        let what = many(self.ids.len(), self.source.noun());
        format!("{} {what}: {}{more}", self.verb.words().done, shown.join(", "))
    }
}
