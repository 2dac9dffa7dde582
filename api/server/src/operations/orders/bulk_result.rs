//! The result of an action on orders: what changed, what did not and why, and the response of the API. Writes nothing.

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, Skipped};
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
    pub(super) moved: Vec<OrderTransition>,
    pub(super) refused: Vec<(OrderId, OrderRefusal)>,
}

impl BulkActionResult {
    /// The result of an action on one order: its refusal is an error.
    pub fn into_single(self) -> Result<()> {
        match self.refused.into_iter().next() {
            None => Ok(()),
            Some((id, OrderRefusal::Unknown)) => Err(Error::not_found("order", id)),
            Some((_, OrderRefusal::Rule(refusal))) => Err(refusal.into()),
        }
    }

    /// Sum of the refunds.
    pub fn returned(&self) -> Result<Money> {
        Ok(Money::sum(self.moved.iter().map(OrderTransition::returned_total))?)
    }

    /// Sum of the charges.
    pub fn charged(&self) -> Result<Money> {
        Ok(Money::sum(self.moved.iter().filter(|moved| moved.charged).map(|moved| moved.facts.cost))?)
    }

    /// The changed orders, for an action on the parent record of the orders. Orders whose state does not allow the action
    /// (`order_not_*`) are left unchanged; any other refusal, such as a refund that is not possible, is an error.
    pub fn into_moved_ids(self) -> Result<Vec<OrderId>> {
        for (_, refused) in self.refused {
            if let OrderRefusal::Rule(refusal) = refused
                && !refusal.code.starts_with("order_not_")
            {
                return Err(refusal.into());
            }
        }
        Ok(self.moved.into_iter().map(|moved| moved.facts.id).collect())
    }

    /// The reason for each order that did not change, by id.
    #[must_use]
    pub fn refusals(self) -> Vec<(OrderId, String)> {
        self.refused.into_iter().map(|(id, refused)| (id, skipped(id, refused).message)).collect()
    }

    /// The changed orders, and the reason for each order that did not change.
    #[must_use]
    pub fn into_parts(self) -> (Vec<OrderTransition>, Vec<Skipped>) {
        (self.moved, self.refused.into_iter().map(|(id, refused)| skipped(id, refused)).collect())
    }

    /// The response of a bulk action. An error with all reasons if no order changed.
    pub fn into_outcome(self, dry_run: bool) -> Result<BulkOutcome> {
        let paid = self.moved.iter().filter(|moved| !moved.returned.is_empty());
        let reach = BulkReach {
            users: sorted_unique(paid.map(|moved| moved.facts.user_id)),
            services: sorted_unique(self.moved.iter().map(|moved| moved.facts.service_id)),
            customers: sorted_unique(self.moved.iter().map(|moved| moved.facts.user_id)),
        };
        let processed = i64::try_from(self.moved.len()).unwrap_or(i64::MAX);
        let returned = self.returned()?;
        let charged = self.charged()?;
        let totals = BulkTotals { orders: processed, returned, charged, ..reach.totals() };
        let skipped: Vec<Skipped> =
            self.refused.into_iter().map(|(id, refused)| skipped(id, refused)).collect();
        if processed == 0 {
            return Err(Error::nothing_processed("order_ids", "orders", skipped));
        }
        Ok(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: None, reach })
    }
}

/// The ids ascending, each once.
pub(crate) fn sorted_unique<I: Ord>(ids: impl Iterator<Item = I>) -> Vec<I> {
    ids.collect::<BTreeSet<_>>().into_iter().collect()
}

fn skipped(id: OrderId, refused: OrderRefusal) -> Skipped {
    match refused {
        OrderRefusal::Unknown => {
            Skipped { id: id.record(), code: "not_found".into(), message: format!("There is no order {id}.") }
        }
        OrderRefusal::Rule(refusal) => {
            Skipped { id: id.record(), code: refusal.code.into(), message: refusal.message }
        }
    }
}
