//! Results of a bulk run, by id.

use std::collections::{BTreeMap, HashSet};

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, ProviderCosts, ProviderMargin, Skipped, UndoOffer};
use panel_contract::error::ErrorBody;
use panel_contract::ids::RecordId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bulk::action::{charged_in, offer_of, returned_in};
use crate::error::Error;

/// Outcome of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChunkOutcome {
    /// Number of processed records.
    pub processed: i64,
    /// Skipped records, with reasons.
    pub skipped: Vec<Skipped>,
    /// Money refunded to customers.
    pub returned: Money,
    /// Number of refunded customers.
    pub users: i64,
    /// Money charged to customers.
    #[serde(default)]
    pub charged: Money,
    /// Requests that can be undone.
    #[serde(default)]
    pub undo: Vec<UndoOffer>,
    /// Costs of a change of provider; `None` for other actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<ProviderCosts>,
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
            costs: outcome.costs,
        }
    }
}

impl ChunkOutcome {
    /// The outcome of a request for one record, from its response.
    pub(crate) fn of_one(answer: &Value) -> Self {
        let returned = returned_in(answer);
        Self {
            processed: 1,
            skipped: Vec::new(),
            returned,
            users: i64::from(returned > Money::ZERO),
            charged: charged_in(answer),
            undo: offer_of(answer).into_iter().collect(),
            costs: None,
        }
    }

    /// Adds the outcome of another request of the same chunk.
    pub(crate) fn add(&mut self, other: Self) {
        self.processed += other.processed;
        self.skipped.extend(other.skipped);
        self.returned = Money(self.returned.0.saturating_add(other.returned.0));
        self.users += other.users;
        self.charged = Money(self.charged.0.saturating_add(other.charged.0));
        self.undo.extend(other.undo);
        self.costs = sum_costs(self.costs.take(), other.costs.as_ref());
    }

    /// The outcome of a chunk that was refused as a whole; `None` if the run cannot continue.
    ///
    /// The code `nothing_processed` means that every id was skipped. A chunk of one id that is missing or in another state is
    /// skipped as well. Any other error would also refuse the next chunk.
    pub(crate) fn of_refusal(error: &Error, ids: &[RecordId]) -> Option<Self> {
        let refused = error.refused()?;
        let all_skipped = refused.problem.code == "nothing_processed";
        let one_is_skipped = ids.len() == 1 && matches!(refused.status, 404 | 409);
        if !(all_skipped || one_is_skipped) {
            return None;
        }
        let ErrorBody { code, message, skipped: reasons, .. } = &refused.problem;
        let skip = |id: &RecordId| Skipped { id: *id, code: code.clone(), message: message.clone() };
        let skipped = match reasons.is_empty() {
            true => ids.iter().map(skip).collect(),
            false => reasons.clone(),
        };
        Some(Self { skipped, ..Self::default() })
    }
}

/// Results of a run so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Number of ids in total.
    pub total: usize,
    /// Processed ids, in the given order.
    pub processed: Vec<RecordId>,
    /// Skipped ids, each with its reason.
    pub skipped: Vec<Skipped>,
    /// Ids without an outcome; resuming the run sends them.
    pub open: Vec<RecordId>,
    /// Money refunded to customers.
    pub returned: Money,
    /// Number of refunded customers; a customer in two chunks counts twice.
    pub users: i64,
    /// Money charged to customers.
    pub charged: Money,
    /// Requests that can be undone, in the order in which they were sent.
    pub undo: Vec<UndoOffer>,
    /// Total costs of a change of provider; `None` for other actions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<ProviderCosts>,
    /// Whether it was a dry run, which writes nothing.
    pub dry_run: bool,
}

impl Report {
    /// Adds a chunk with its outcome.
    pub(crate) fn add(&mut self, ids: &[RecordId], outcome: &ChunkOutcome) {
        let skipped: HashSet<RecordId> = outcome.skipped.iter().map(|skip| skip.id).collect();
        self.total += ids.len();
        self.processed.extend(ids.iter().filter(|id| !skipped.contains(id)));
        self.skipped.extend(outcome.skipped.iter().cloned());
        self.returned = Money(self.returned.0.saturating_add(outcome.returned.0));
        self.users += outcome.users;
        self.charged = Money(self.charged.0.saturating_add(outcome.charged.0));
        self.undo.extend(outcome.undo.iter().cloned());
        self.costs = sum_costs(self.costs.take(), outcome.costs.as_ref());
    }

    /// Adds a chunk without an outcome.
    pub(crate) fn leave(&mut self, ids: &[RecordId]) {
        self.total += ids.len();
        self.open.extend(ids);
    }

    /// Whether every id was processed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.skipped.is_empty() && self.open.is_empty()
    }

    /// Reasons of skipped records by code, the most frequent first.
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

    /// Report of a run that has not sent anything.
    #[must_use]
    pub fn unsent(ids: &[RecordId]) -> Self {
        let mut report = Self::default();
        report.leave(ids);
        report
    }
}

/// Adds the costs of two requests. An unknown total or an overflow makes the sum unknown.
fn sum_costs(costs: Option<ProviderCosts>, more: Option<&ProviderCosts>) -> Option<ProviderCosts> {
    let Some(more) = more else { return costs };
    let Some(mut costs) = costs else { return Some(more.clone()) };
    costs.total = costs.total.zip(more.total).and_then(|(one, other)| sum_margins(one, other));
    costs.orders.extend(more.orders.iter().cloned());
    Some(costs)
}

/// The margin percent of the sum would need the charges, which no response has.
fn sum_margins(one: ProviderMargin, other: ProviderMargin) -> Option<ProviderMargin> {
    let provider_cost = one.provider_cost.plus(other.provider_cost).ok()?;
    let margin = one.margin.plus(other.margin).ok()?;
    Some(ProviderMargin { provider_cost, margin, margin_percent: None })
}

/// Records that were skipped with the same code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason<'r> {
    /// Stable code, such as `order_not_cancelable`.
    pub code: &'r str,
    /// The records, each with its own message, in the given order.
    pub skipped: Vec<&'r Skipped>,
}

impl Reason<'_> {
    /// The message, if it is the same for every record.
    #[must_use]
    pub fn common_message(&self) -> Option<&str> {
        let (first, rest) = self.skipped.split_first()?;
        rest.iter().all(|skip| skip.message == first.message).then_some(&first.message)
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
            margin_percent: Some(Fraction(500_000)),
        });
        let orders = vec![OrderProviderCost { id: OrderId::new(id), quantity: 10, margin }];
        ChunkOutcome {
            processed: 1,
            costs: Some(ProviderCosts { total: margin, orders }),
            ..ChunkOutcome::default()
        }
    }

    #[test]
    fn costs_add_up_over_chunks_unless_one_is_unknown() {
        let mut report = Report::default();
        report.add(&[RecordId::new(1)], &outcome_with_costs(1, Some((5, 7))));
        assert_eq!(report.costs.as_ref().unwrap().total.unwrap().margin_percent, Some(Fraction(500_000)));
        report.add(&[RecordId::new(2)], &outcome_with_costs(2, Some((6, -9))));
        let costs = report.costs.clone().unwrap();
        let total = costs.total.unwrap();
        assert_eq!((total.provider_cost, total.margin), (Money(11), Money(-2)));
        assert_eq!(total.margin_percent, None);
        assert_eq!(costs.orders.iter().map(|order| order.id.get()).collect::<Vec<_>>(), [1, 2]);
        report.add(&[RecordId::new(3)], &outcome_with_costs(3, None));
        report.add(&[RecordId::new(4)], &outcome_with_costs(4, Some((1, 1))));
        let costs = report.costs.unwrap();
        assert_eq!((costs.total, costs.orders.len()), (None, 4));
    }

    #[test]
    fn reads_the_charge_from_the_response_for_one_record() {
        let answer = serde_json::json!({ "data": { "charged": "9", "cost": "5" }, "charged": "5" });
        assert_eq!(ChunkOutcome::of_one(&answer).charged, Money(5_000_000));
        let other = serde_json::json!({ "data": { "charged": "9", "returned": "2" } });
        let outcome = ChunkOutcome::of_one(&other);
        assert_eq!((outcome.charged, outcome.returned, outcome.users), (Money::ZERO, Money(2_000_000), 1));
    }
}
