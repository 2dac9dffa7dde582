//! Results of a bulk run: which ids were processed, skipped or are open, and the amounts.

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, ProviderCosts, ProviderMargin, SkippedRecord, UndoOffer};
use panel_contract::error::ErrorBody;
use panel_contract::ids::RecordId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bulk::action::{parse_charged_amount, parse_refunded_amount, parse_undo_offer};
use crate::error::Error;

/// Outcome of one chunk. Journals store it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChunkOutcome {
    /// Number of records that the panel changed, or would change in a dry run.
    pub processed: i64,
    /// Records that the panel left unchanged, each with its reason.
    pub skipped: Vec<SkippedRecord>,
    /// Amount refunded to customers, in the currency of the panel. Older journals call it `returned`.
    #[serde(alias = "returned")]
    pub refunded: Money,
    /// Number of customers who received a refund; of changed users in an action on users.
    pub users: i64,
    /// Amount charged to customers, in the currency of the panel.
    #[serde(default)]
    pub charged: Money,
    /// Offers to undo the requests of the chunk.
    #[serde(default, rename = "undo")]
    pub undo_offers: Vec<UndoOffer>,
    /// Costs of a change of provider; `None` for other actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<ProviderCosts>,
}

impl From<BulkOutcome> for ChunkOutcome {
    fn from(outcome: BulkOutcome) -> Self {
        Self {
            processed: outcome.processed,
            skipped: outcome.skipped,
            refunded: outcome.totals.refunded,
            users: outcome.totals.users,
            charged: outcome.totals.charged,
            undo_offers: outcome.undo.into_iter().collect(),
            costs: outcome.costs,
        }
    }
}

impl ChunkOutcome {
    /// The outcome of a request for one record, read from the response.
    pub(crate) fn from_single(response: &Value) -> Self {
        let refunded = parse_refunded_amount(response);
        Self {
            processed: 1,
            skipped: Vec::new(),
            refunded,
            users: i64::from(refunded > Money::ZERO),
            charged: parse_charged_amount(response),
            undo_offers: parse_undo_offer(response).into_iter().collect(),
            costs: None,
        }
    }

    /// Adds the outcome of another request of the same chunk.
    pub(crate) fn merge(&mut self, other: Self) {
        self.processed += other.processed;
        self.skipped.extend(other.skipped);
        self.refunded = Money(self.refunded.0.saturating_add(other.refunded.0));
        self.users += other.users;
        self.charged = Money(self.charged.0.saturating_add(other.charged.0));
        self.undo_offers.extend(other.undo_offers);
        self.costs = sum_costs(self.costs.take(), other.costs.as_ref());
    }

    /// The outcome of a chunk for which the panel returned an error; `None` if the run cannot continue.
    ///
    /// With the code `nothing_processed` the panel skipped every id. The run also skips a chunk of one id if that
    /// record is missing or in another state. Any other error would also occur for the next chunk.
    pub(crate) fn from_error(error: &Error, ids: &[RecordId]) -> Option<Self> {
        let api_error = error.api_error()?;
        let panel_skipped_all = api_error.problem.code == "nothing_processed";
        let is_single_record_skipped = ids.len() == 1 && matches!(api_error.status, 404 | 409);
        if !(panel_skipped_all || is_single_record_skipped) {
            return None;
        }
        let ErrorBody { code, message, skipped: records_with_reason, .. } = &api_error.problem;
        let to_skipped =
            |id: &RecordId| SkippedRecord { id: *id, code: code.clone(), message: message.clone() };
        let skipped = match records_with_reason.is_empty() {
            true => ids.iter().map(to_skipped).collect(),
            false => records_with_reason.clone(),
        };
        Some(Self { skipped, ..Self::default() })
    }
}

/// Results of a run, or of its chunks so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RunReport {
    /// Number of ids in the run.
    pub total: usize,
    /// Processed ids, in the order of the run.
    pub processed: Vec<RecordId>,
    /// Skipped records, each with its reason.
    pub skipped: Vec<SkippedRecord>,
    /// Ids without an outcome; a resumed run sends them again.
    #[serde(rename = "open")]
    pub open_ids: Vec<RecordId>,
    /// Amount refunded to customers, in the currency of the panel.
    pub refunded: Money,
    /// Number of customers who received a refund; a customer in two chunks counts twice.
    pub users: i64,
    /// Amount charged to customers, in the currency of the panel.
    pub charged: Money,
    /// Offers to undo the requests, in the order in which the run sent the requests.
    #[serde(rename = "undo")]
    pub undo_offers: Vec<UndoOffer>,
    /// Total costs of a change of provider; `None` for other actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<ProviderCosts>,
    /// Whether the run was a dry run, which writes nothing.
    pub dry_run: bool,
}

impl RunReport {
    /// Adds a chunk with its outcome.
    pub(crate) fn add_outcome(&mut self, ids: &[RecordId], outcome: &ChunkOutcome) {
        let skipped: HashSet<RecordId> = outcome.skipped.iter().map(|record| record.id).collect();
        self.total += ids.len();
        self.processed.extend(ids.iter().filter(|id| !skipped.contains(id)));
        self.skipped.extend(outcome.skipped.iter().cloned());
        self.refunded = Money(self.refunded.0.saturating_add(outcome.refunded.0));
        self.users += outcome.users;
        self.charged = Money(self.charged.0.saturating_add(outcome.charged.0));
        self.undo_offers.extend(outcome.undo_offers.iter().cloned());
        self.costs = sum_costs(self.costs.take(), outcome.costs.as_ref());
    }

    /// Adds a chunk without an outcome.
    pub(crate) fn add_open_ids(&mut self, ids: &[RecordId]) {
        self.total += ids.len();
        self.open_ids.extend(ids);
    }

    /// Whether every id was processed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.skipped.is_empty() && self.open_ids.is_empty()
    }

    /// The skipped records grouped by code, the largest group first.
    #[must_use]
    pub fn skip_reasons(&self) -> Vec<SkipReason<'_>> {
        let mut by_code: BTreeMap<&str, Vec<&SkippedRecord>> = BTreeMap::new();
        for record in &self.skipped {
            by_code.entry(&record.code).or_default().push(record);
        }
        let mut reasons: Vec<_> =
            by_code.into_iter().map(|(code, skipped)| SkipReason { code, skipped }).collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.skipped.len()));
        reasons
    }

    /// The report of a run with these ids that has sent nothing: all ids are open.
    #[must_use]
    pub fn with_open_ids(ids: &[RecordId]) -> Self {
        let mut report = Self::default();
        report.add_open_ids(ids);
        report
    }
}

/// Adds the costs of two requests. An unknown total or an overflow makes the sum unknown.
fn sum_costs(first: Option<ProviderCosts>, second: Option<&ProviderCosts>) -> Option<ProviderCosts> {
    let Some(second) = second else { return first };
    let Some(mut sum) = first else { return Some(second.clone()) };
    sum.total = sum.total.zip(second.total).and_then(|(first, second)| sum_margins(first, second));
    sum.orders.extend(second.orders.iter().cloned());
    Some(sum)
}

/// Adds two margins. The margin as a fraction of the sum is unknown, because the responses do not contain the charges.
fn sum_margins(first: ProviderMargin, second: ProviderMargin) -> Option<ProviderMargin> {
    let provider_cost = first.provider_cost.plus(second.provider_cost).ok()?;
    let margin = first.margin.plus(second.margin).ok()?;
    Some(ProviderMargin { provider_cost, margin, margin_fraction: None })
}

/// Records that were skipped with the same code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkipReason<'r> {
    /// Stable code of the reason, such as `order_not_cancelable`.
    pub code: &'r str,
    /// The records that were skipped with this code, each with its own message, in the order of the run.
    pub skipped: Vec<&'r SkippedRecord>,
}

impl SkipReason<'_> {
    /// The message, if all records have the same one.
    #[must_use]
    pub fn common_message(&self) -> Option<&str> {
        let (first, rest) = self.skipped.split_first()?;
        rest.iter().all(|record| record.message == first.message).then_some(&first.message)
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::amount::Fraction;
    use panel_contract::common::OrderProviderCost;
    use panel_contract::ids::OrderId;

    use super::*;

    fn outcome_with_costs(id: i64, margin: Option<(i64, i64)>) -> ChunkOutcome {
        let margin = margin.map(|(cost, margin)| ProviderMargin {
            provider_cost: Money(cost),
            margin: Money(margin),
            margin_fraction: Some(Fraction(500_000)),
        });
        let orders = vec![OrderProviderCost { id: OrderId::new(id), quantity: 10, margin }];
        ChunkOutcome {
            processed: 1,
            costs: Some(ProviderCosts { total: margin, orders }),
            ..ChunkOutcome::default()
        }
    }

    #[test]
    fn costs_of_chunks_add_up_unless_one_is_unknown() {
        let mut report = RunReport::default();
        report.add_outcome(&[RecordId::new(1)], &outcome_with_costs(1, Some((5, 7))));
        assert_eq!(report.costs.as_ref().unwrap().total.unwrap().margin_fraction, Some(Fraction(500_000)));
        report.add_outcome(&[RecordId::new(2)], &outcome_with_costs(2, Some((6, -9))));
        let costs = report.costs.clone().unwrap();
        let total = costs.total.unwrap();
        assert_eq!((total.provider_cost, total.margin), (Money(11), Money(-2)));
        assert_eq!(total.margin_fraction, None);
        assert_eq!(costs.orders.iter().map(|order| order.id.get()).collect::<Vec<_>>(), [1, 2]);
        report.add_outcome(&[RecordId::new(3)], &outcome_with_costs(3, None));
        report.add_outcome(&[RecordId::new(4)], &outcome_with_costs(4, Some((1, 1))));
        let costs = report.costs.unwrap();
        assert_eq!((costs.total, costs.orders.len()), (None, 4));
    }

    #[test]
    fn reads_the_refund_in_the_journal_of_an_older_version() {
        let old_outcome = serde_json::json!({ "processed": 1, "skipped": [], "returned": "2", "users": 1 });
        let outcome: ChunkOutcome = serde_json::from_value(old_outcome).unwrap();
        assert_eq!(outcome.refunded, Money(2_000_000));
    }

    #[test]
    fn reads_the_charged_amount_from_the_response_for_one_record() {
        let response = serde_json::json!({ "data": { "charged": "9", "cost": "5" }, "charged": "5" });
        assert_eq!(ChunkOutcome::from_single(&response).charged, Money(5_000_000));
        let refund_response = serde_json::json!({ "data": { "charged": "9", "refunded": "2" } });
        let outcome = ChunkOutcome::from_single(&refund_response);
        assert_eq!((outcome.charged, outcome.refunded, outcome.users), (Money::ZERO, Money(2_000_000), 1));
    }
}
