//! The result of an action on orders: the changed orders, the skipped orders with the reason, and the response of the API. Writes
//! nothing.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::common::{AffectedIds, BulkOutcome, BulkTotals, SkippedRecord};
use panel_contract::ids::OrderId;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::operations::orders::store::OrderTransition;

/// Why an action did not change an order.
pub(super) enum SkipReason {
    Unknown,
    Rule(Rejection),
}

/// The changed orders, and the skipped orders with the reason.
pub struct BulkActionResult {
    pub(super) transitions: Vec<OrderTransition>,
    pub(super) skipped_orders: Vec<(OrderId, SkipReason)>,
}

impl BulkActionResult {
    /// Converts the result of an action on a single order: if the order was skipped, returns the reason as an error.
    pub fn into_single(self) -> Result<()> {
        match self.skipped_orders.into_iter().next() {
            None => Ok(()),
            Some((id, SkipReason::Unknown)) => Err(Error::not_found("order", id)),
            Some((_, SkipReason::Rule(rejection))) => Err(rejection.into()),
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

    /// Returns the ids of the changed orders, for an action on a record to which several orders belong. Orders whose state does not allow
    /// the action (`order_not_*`) stay unchanged. Any other reason, such as a refund that is not possible, is an error.
    pub fn into_changed_ids(self) -> Result<Vec<OrderId>> {
        for (_, skip_reason) in self.skipped_orders {
            if let SkipReason::Rule(rejection) = skip_reason
                && !rejection.code.starts_with("order_not_")
            {
                return Err(rejection.into());
            }
        }
        Ok(self.transitions.into_iter().map(|transition| transition.order.id).collect())
    }

    /// Returns the message for each skipped order.
    #[must_use]
    pub fn into_skip_messages(self) -> Vec<(OrderId, String)> {
        self.skipped_orders
            .into_iter()
            .map(|(id, skip_reason)| (id, to_skipped_record(id, skip_reason).message))
            .collect()
    }

    /// Returns the changed orders, and the skipped orders with the reason.
    #[must_use]
    pub fn into_parts(self) -> (Vec<OrderTransition>, Vec<SkippedRecord>) {
        (
            self.transitions,
            self.skipped_orders
                .into_iter()
                .map(|(id, skip_reason)| to_skipped_record(id, skip_reason))
                .collect(),
        )
    }

    /// Builds the response of a bulk action. If no order changed, returns an error with all reasons.
    pub fn into_outcome(self, dry_run: bool) -> Result<BulkOutcome> {
        let refunded_transitions =
            self.transitions.iter().filter(|transition| !transition.refunds.is_empty());
        let affected_ids = AffectedIds {
            users: sorted_unique(refunded_transitions.map(|transition| transition.order.user_id)),
            services: sorted_unique(self.transitions.iter().map(|transition| transition.order.service_id)),
            customers: sorted_unique(self.transitions.iter().map(|transition| transition.order.user_id)),
        };
        let processed_count = i64::try_from(self.transitions.len()).unwrap_or(i64::MAX);
        let refunded = self.total_refund()?;
        let charged = self.total_charge()?;
        let totals = BulkTotals { orders: processed_count, refunded, charged, ..affected_ids.totals() };
        let skipped: Vec<SkippedRecord> = self
            .skipped_orders
            .into_iter()
            .map(|(id, skip_reason)| to_skipped_record(id, skip_reason))
            .collect();
        if processed_count == 0 {
            return Err(Error::nothing_processed("order_ids", "orders", skipped));
        }
        Ok(BulkOutcome {
            processed: processed_count,
            skipped,
            totals,
            dry_run,
            undo: None,
            costs: None,
            affected_ids,
        })
    }
}

/// Sorts ids in ascending order and removes duplicates.
pub(crate) fn sorted_unique<I: Ord>(ids: impl Iterator<Item = I>) -> Vec<I> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}

fn to_skipped_record(id: OrderId, skip_reason: SkipReason) -> SkippedRecord {
    match skip_reason {
        SkipReason::Unknown => SkippedRecord {
            id: id.as_record_id(),
            code: "not_found".into(),
            message: format!("There is no order {id}."),
        },
        SkipReason::Rule(rejection) => {
            SkippedRecord { id: id.as_record_id(), code: rejection.code.into(), message: rejection.message }
        }
    }
}
