//! What a bulk run came to, id by id.

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, Skipped, UndoOffer};
use panel_contract::error::Problem;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// How one chunk ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChunkOutcome {
    /// How many moved.
    pub processed: i64,
    /// Those that did not.
    pub skipped: Vec<Skipped>,
    /// Money returned to customers.
    pub returned: Money,
    /// Customers who got money.
    pub users: i64,
    /// Money charged to customers.
    #[serde(default)]
    pub charged: Money,
    /// The requests that can be undone.
    #[serde(default)]
    pub undo: Vec<UndoOffer>,
}

impl From<BulkOutcome> for ChunkOutcome {
    fn from(outcome: BulkOutcome) -> Self {
        Self {
            processed: outcome.processed,
            skipped: outcome.skipped,
            returned: outcome.totals.returned,
            users: outcome.totals.users,
            charged: outcome.totals.charged,
            undo: outcome.undo.into_iter().collect(),
        }
    }
}

impl ChunkOutcome {
    /// The outcome that a refusal of the whole chunk stands for; none when the run cannot go on.
    ///
    /// `nothing_processed` is how the panel says that every id was skipped. A chunk of one id that is gone or in
    /// another state is skipped as well; anything else would hit the next chunk just the same.
    pub(crate) fn of_refusal(error: &Error, ids: &[i64]) -> Option<Self> {
        let refused = error.refused()?;
        let all_skipped = refused.problem.code == "nothing_processed";
        let one_is_skipped = ids.len() == 1 && matches!(refused.status, 404 | 409);
        if !(all_skipped || one_is_skipped) {
            return None;
        }
        let Problem { code, message, skipped: reasons, .. } = &refused.problem;
        let skip = |id: &i64| Skipped { id: *id, code: code.clone(), message: message.clone() };
        let skipped = match reasons.is_empty() {
            true => ids.iter().map(skip).collect(),
            false => reasons.clone(),
        };
        Some(Self { skipped, ..Self::default() })
    }
}

/// What a run came to so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// How many ids there are in all.
    pub total: usize,
    /// Those that moved, in the order given.
    pub processed: Vec<i64>,
    /// Those that did not, each with its reason.
    pub skipped: Vec<Skipped>,
    /// Those without an answer: resume the run.
    pub open: Vec<i64>,
    /// Money returned to customers.
    pub returned: Money,
    /// Customers who got money; one who is in two chunks counts twice.
    pub users: i64,
    /// Money charged to customers, which is final.
    pub charged: Money,
    /// The requests that can be undone, in the order in which they were made.
    pub undo: Vec<UndoOffer>,
    /// Nothing was written.
    pub dry_run: bool,
}

impl Report {
    /// Adds a chunk that was answered.
    pub(crate) fn add(&mut self, ids: &[i64], outcome: &ChunkOutcome) {
        let skipped: HashSet<i64> = outcome.skipped.iter().map(|skip| skip.id).collect();
        self.total += ids.len();
        self.processed.extend(ids.iter().filter(|id| !skipped.contains(id)));
        self.skipped.extend(outcome.skipped.iter().cloned());
        self.returned = Money(self.returned.0.saturating_add(outcome.returned.0));
        self.users += outcome.users;
        self.charged = Money(self.charged.0.saturating_add(outcome.charged.0));
        self.undo.extend(outcome.undo.iter().cloned());
    }

    /// Adds a chunk that was not.
    pub(crate) fn leave(&mut self, ids: &[i64]) {
        self.total += ids.len();
        self.open.extend(ids);
    }

    /// Whether every id moved.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.skipped.is_empty() && self.open.is_empty()
    }

    /// Why records were skipped, by code, the most frequent first.
    #[must_use]
    pub fn reasons(&self) -> Vec<Reason<'_>> {
        let mut by_code: BTreeMap<&str, Vec<&Skipped>> = BTreeMap::new();
        for skip in &self.skipped {
            by_code.entry(&skip.code).or_default().push(skip);
        }
        let mut reasons: Vec<_> =
            by_code.into_iter().map(|(code, skipped)| Reason { code, skipped }).collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.skipped.len()));
        reasons
    }

    /// A run that has sent nothing yet.
    #[must_use]
    pub fn unsent(ids: &[i64]) -> Self {
        let mut report = Self::default();
        report.leave(ids);
        report
    }
}

/// The records that were skipped with one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason<'r> {
    /// Stable code, such as `order_not_cancelable`.
    pub code: &'r str,
    /// The records, each with its own sentence, in the order given.
    pub skipped: Vec<&'r Skipped>,
}

impl Reason<'_> {
    /// The sentence when it is the same for every record.
    #[must_use]
    pub fn common_message(&self) -> Option<&str> {
        let (first, rest) = self.skipped.split_first()?;
        rest.iter().all(|skip| skip.message == first.message).then_some(&first.message)
    }
}
