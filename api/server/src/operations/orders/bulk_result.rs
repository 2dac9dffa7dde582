//! The result of an action on orders: what changed, what did not and why, and the response of the API. Writes nothing.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals, SkippedRecord};
use panel_contract::ids::OrderId;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::operations::orders::store::OrderTransition;

/// Why an order did not change.
pub(super) enum OrderRefusal {
    Unknown,
    Rule(Rejection),
}

/// The changed orders, and the others with the reason.
pub struct BulkActionResult {
    pub(super) transitions: Vec<OrderTransition>,
    pub(super) refusals: Vec<(OrderId, OrderRefusal)>,
}

impl BulkActionResult {
    /// The result of an action on one order: a refusal becomes an error.
    pub fn into_single(self) -> Result<()> {
        match self.refusals.into_iter().next() {
            None => Ok(()),
            Some((id, OrderRefusal::Unknown)) => Err(Error::not_found("order", id)),
            Some((_, OrderRefusal::Rule(rejection))) => Err(rejection.into()),
        }
    }

    pub fn total_refund(&self) -> Result<Money> {
        Ok(Money::sum(self.transitions.iter().map(OrderTransition::refund_total))?)
    }

    pub fn total_charge(&self) -> Result<Money> {
        Ok(Money::sum(
            self.transitions
                .iter()
                .filter(|transition| transition.is_charged)
                .map(|transition| transition.order.cost),
        )?)
    }

    /// The changed orders, for an action on the parent record of the orders. Orders whose state does not allow the action
    /// (`order_not_*`) are left unchanged; any other refusal, such as a refund that is not possible, is an error.
    pub fn into_changed_ids(self) -> Result<Vec<OrderId>> {
        for (_, refusal) in self.refusals {
            if let OrderRefusal::Rule(rejection) = refusal
                && !rejection.code.starts_with("order_not_")
            {
                return Err(rejection.into());
            }
        }
        Ok(self.transitions.into_iter().map(|transition| transition.order.id).collect())
    }

    /// The reason for each order that did not change, by id.
    #[must_use]
    pub fn into_refusal_messages(self) -> Vec<(OrderId, String)> {
        self.refusals.into_iter().map(|(id, refusal)| (id, to_skipped(id, refusal).message)).collect()
    }

    /// The changed orders, and the reason for each order that did not change.
    #[must_use]
    pub fn into_parts(self) -> (Vec<OrderTransition>, Vec<SkippedRecord>) {
        (self.transitions, self.refusals.into_iter().map(|(id, refusal)| to_skipped(id, refusal)).collect())
    }

    /// The response of a bulk action. An error with all reasons if no order changed.
    pub fn into_outcome(self, dry_run: bool) -> Result<BulkOutcome> {
        let refunded_transitions =
            self.transitions.iter().filter(|transition| !transition.refunds.is_empty());
        let affected = AffectedIds {
            users: sorted_unique(refunded_transitions.map(|transition| transition.order.user_id)),
            services: sorted_unique(self.transitions.iter().map(|transition| transition.order.service_id)),
            customers: sorted_unique(self.transitions.iter().map(|transition| transition.order.user_id)),
        };
        let processed = i64::try_from(self.transitions.len()).unwrap_or(i64::MAX);
        let returned = self.total_refund()?;
        let charged = self.total_charge()?;
        let totals = BulkTotals { orders: processed, returned, charged, ..affected.totals() };
        let skipped: Vec<SkippedRecord> =
            self.refusals.into_iter().map(|(id, refusal)| to_skipped(id, refusal)).collect();
        if processed == 0 {
            return Err(Error::nothing_processed("order_ids", "orders", skipped));
        }
        Ok(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, reach: affected })
    }
}

/// The ids in ascending order, without duplicates.
pub(crate) fn sorted_unique<I: Ord>(ids: impl Iterator<Item = I>) -> Vec<I> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}

fn to_skipped(id: OrderId, refusal: OrderRefusal) -> SkippedRecord {
    match refusal {
        OrderRefusal::Unknown => SkippedRecord {
            id: id.as_record_id(),
            code: "not_found".into(),
            message: format!("There is no order {id}."),
        },
        OrderRefusal::Rule(rejection) => {
            SkippedRecord { id: id.as_record_id(), code: rejection.code.into(), message: rejection.message }
        }
    }
}
