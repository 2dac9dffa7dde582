//! Places the undelivered quantity of a placement attempt again at the same provider. If staff do this for an attempt with an
//! unknown outcome, they confirm that the external panel did not accept the order.

use panel_contract::common::Data;
use panel_contract::endpoints::external_panel_orders::RecreateExternalPanelOrder;
use panel_contract::external_panel_orders::ExternalPanelOrder;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::orders::{ExternalStatus, OrderStatus};
use panel_domain::quantity_ratio;
use panel_domain::states::placement_attempts::state::AttemptState;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::{EXTERNAL_PANEL_ORDERS, ExternalOrderRow};
use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::ratio::{self, OrderShare, OrderedQuantity};
use crate::stores::orders::{dispatch, fields};
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbError, Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// Stored as the error of an attempt with an unknown outcome that staff placed again.
const DISMISSED_ERROR: &str = "Staff confirmed that the external panel did not accept this order.";

pub(super) async fn recreate(
    ctx: Ctx,
    req: Req<RecreateExternalPanelOrder>,
) -> Result<Data<ExternalPanelOrder>> {
    let mut work = ctx.begin().await?;
    let attempt = lock_attempt(&mut work, req.path).await?;
    let facts = attempt.recreate_facts();
    let quantity = recreatable_quantity(&facts)?;
    close_attempt(&mut work, &attempt, facts.is_unknown()).await?;
    let id = insert_attempt(&mut work, &attempt, quantity).await?;
    dispatch::clear_without_provider(&mut work, &[attempt.order_id]).await?;
    let old = json!({ "external_panel_order_id": attempt.id, "status": attempt.status });
    let new =
        json!({ "external_panel_order_id": id, "provider_id": attempt.provider_id, "quantity": quantity });
    audit::record(
        &mut work,
        "order.attempt_recreated",
        "order",
        AuditChange { id: attempt.order_id.as_record_id(), old, new },
    )
    .await?;
    let data = load_attempt(&mut work, &ctx, id).await?.into_external_panel_order(&ctx);
    work.finish(Data { data }).await
}

// Rules

/// Values that decide whether an attempt can be placed again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecreateFacts {
    pub(super) order_status: OrderStatus,
    /// Undelivered quantity of the order.
    pub(super) undelivered_quantity: i64,
    pub(super) status: ExternalStatus,
    /// `None` if the columns match no state.
    pub(super) state: Option<AttemptState>,
    /// Units that the attempt ordered at the external panel.
    pub(super) quantity: i64,
    /// Units of the customer's order that the attempt should deliver.
    pub(super) sold_quantity: i64,
    pub(super) remains: Option<i64>,
    /// Whether the order has another live attempt.
    pub(super) has_unfinished_attempt: bool,
    /// Whether the provider of the attempt accepts orders now.
    pub(super) is_available: bool,
    /// Whether the customer requested to cancel the order, and the request is open.
    pub(super) is_cancel_requested: bool,
}

impl RecreateFacts {
    /// Whether the attempt was sent and its outcome is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.state.is_some_and(AttemptState::is_unknown)
    }

    /// The undelivered part of `sold_quantity`.
    fn undelivered_sold_quantity(&self) -> i64 {
        let remains = match self.status {
            ExternalStatus::Completed => 0,
            ExternalStatus::Partial => self.remains.unwrap_or(0),
            ExternalStatus::Canceled => self.remains.unwrap_or(self.quantity),
            _ => self.quantity,
        }
        .clamp(0, self.quantity);
        self.sold_quantity
            - quantity_ratio::credited_quantity(self.quantity - remains, self.quantity, self.sold_quantity)
    }
}

/// Returns the quantity for the new attempt, or the reason why the attempt cannot be placed again.
pub(super) fn recreatable_quantity(facts: &RecreateFacts) -> Result<i64, Rejection> {
    let reject = |message: &str| Err(Rejection::conflict("external_panel_order_not_recreatable", message));
    if facts.order_status != OrderStatus::InProcessing {
        let message =
            format!("The order is {}. Only an order in processing can be placed again.", facts.order_status);
        return reject(&message);
    }
    let is_ended = matches!(facts.status, ExternalStatus::Partial | ExternalStatus::Canceled);
    if facts.status == ExternalStatus::Completed {
        return reject("This external order was delivered in full.");
    }
    if !is_ended && !facts.is_unknown() {
        return reject("This external order is still open. Wait until it ends.");
    }
    if facts.has_unfinished_attempt {
        return reject("Another external order of this order is still open. Wait until it ends.");
    }
    if facts.is_cancel_requested {
        return reject("The customer requested to cancel the order. Confirm or reject that request first.");
    }
    if !facts.is_available {
        return reject("The provider is not available now. Move the order to another provider.");
    }
    match facts.undelivered_sold_quantity().min(facts.undelivered_quantity) {
        quantity if quantity >= 1 => Ok(quantity),
        _ => reject("This external order has no undelivered quantity."),
    }
}

// Store

/// Locks the order and then the attempt, so that a parallel request for the same order waits.
async fn lock_attempt(work: &mut UnitOfWork, id: ExternalOrderId) -> Result<ExternalOrderRow> {
    let order_id_sql = Sql::new("SELECT order_id FROM external_panel_orders WHERE id = ?").bind(id);
    let order_id: Option<(OrderId,)> = work.fetch_optional(order_id_sql).await?;
    let (order_id,) = order_id.ok_or_else(|| Error::not_found("external panel order", id))?;
    work.lock("orders", &[order_id]).await?;
    work.lock("external_panel_orders", &[id]).await?;
    let ctx = work.scope().clone();
    load_attempt(work, &ctx, id).await
}

async fn load_attempt(work: &mut UnitOfWork, scope: &Scope, id: ExternalOrderId) -> Result<ExternalOrderRow> {
    let attempt =
        table::load_rows_from(work, scope, &EXTERNAL_PANEL_ORDERS, &[id], |record: ExternalOrderRow, _| {
            record
        })
        .await?
        .pop();
    attempt.ok_or_else(|| Error::not_found("external panel order", id))
}

/// Clears the alert of the attempt, and ends it if its outcome is unknown.
async fn close_attempt(work: &mut UnitOfWork, attempt: &ExternalOrderRow, is_unknown: bool) -> Result<()> {
    let now = work.now;
    let transition = match is_unknown {
        true => ending::dismiss(work, attempt.id, DISMISSED_ERROR, now).await?,
        false => ending::clear_alert(work, attempt.id, attempt.status, now).await?,
    };
    if transition.is_applied() { Ok(()) } else { Err(changed_meanwhile_error()) }
}

/// Inserts the new attempt, due now, and returns its id.
async fn insert_attempt(
    work: &mut UnitOfWork,
    attempt: &ExternalOrderRow,
    quantity: i64,
) -> Result<ExternalOrderId> {
    let now = work.now;
    let share = OrderShare { order: attempt.order_id, provider: attempt.provider_id, quantity };
    let quantities = ratio::load_ordered_quantities(work, &[share]).await?;
    ratio::record_full_fill(work, &quantities).await?;
    let ordered_quantity =
        quantities.get(&attempt.order_id).copied().unwrap_or(OrderedQuantity::unscaled(quantity));
    let new_attempt = NewAttempt {
        order_id: attempt.order_id,
        provider_id: attempt.provider_id,
        initial_quantity: ordered_quantity.ordered,
        sold_quantity: ordered_quantity.sold,
        due_at: Some(now),
    };
    let ids = insert(work, &[new_attempt], now).await.map_err(unique_violation_as_conflict)?;
    let id = ids.get(&attempt.order_id).copied().ok_or_else(changed_meanwhile_error)?;
    let transition =
        fields::set_updated_at_in_status(work, (attempt.order_id, attempt.order_status), now).await?;
    if transition.is_applied() { Ok(id) } else { Err(changed_meanwhile_error()) }
}

/// Converts a violation of the unique index that allows only one live attempt per order.
fn unique_violation_as_conflict(error: DbError) -> Error {
    match error.is_unique() {
        true => changed_meanwhile_error(),
        false => error.into(),
    }
}

fn changed_meanwhile_error() -> Error {
    let message = "Another request placed an external order for this order at the same time. Reload the page to see the current state.";
    Error::conflict("external_panel_order_changed_meanwhile", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANCELED_ATTEMPT: RecreateFacts = RecreateFacts {
        order_status: OrderStatus::InProcessing,
        undelivered_quantity: 800,
        status: ExternalStatus::Canceled,
        state: Some(AttemptState::Canceled),
        quantity: 1_000,
        sold_quantity: 1_000,
        remains: None,
        has_unfinished_attempt: false,
        is_available: true,
        is_cancel_requested: false,
    };

    #[test]
    fn places_the_undelivered_quantity_again() {
        let quantity_to_recreate = |facts: RecreateFacts| recreatable_quantity(&facts).ok();
        assert_eq!(
            quantity_to_recreate(CANCELED_ATTEMPT),
            Some(800),
            "the quantity must not exceed the undelivered quantity of the order"
        );
        assert_eq!(
            quantity_to_recreate(RecreateFacts { remains: Some(300), ..CANCELED_ATTEMPT }),
            Some(300),
            "the quantity must not exceed the undelivered quantity of the attempt"
        );
        let partial_attempt =
            RecreateFacts { status: ExternalStatus::Partial, remains: Some(900), ..CANCELED_ATTEMPT };
        assert_eq!(quantity_to_recreate(partial_attempt), Some(800));
        assert_eq!(
            quantity_to_recreate(RecreateFacts { remains: None, ..partial_attempt }),
            None,
            "a partial attempt without reported remains must not be placed again"
        );
        assert_eq!(quantity_to_recreate(RecreateFacts { undelivered_quantity: 0, ..CANCELED_ATTEMPT }), None);
        let with_quantity_ratio =
            RecreateFacts { sold_quantity: 500, undelivered_quantity: 500, ..CANCELED_ATTEMPT };
        assert_eq!(
            quantity_to_recreate(with_quantity_ratio),
            Some(500),
            "the quantity must be in sold units"
        );
        assert_eq!(
            quantity_to_recreate(RecreateFacts { remains: Some(301), ..with_quantity_ratio }),
            Some(151)
        );
        assert_eq!(quantity_to_recreate(RecreateFacts { remains: Some(-5), ..CANCELED_ATTEMPT }), None);
    }

    #[test]
    fn only_an_ended_or_unknown_attempt_is_recreatable() {
        let quantity_to_recreate = |facts: RecreateFacts| recreatable_quantity(&facts).ok();
        for status in [ExternalStatus::Pending, ExternalStatus::InProgress, ExternalStatus::Processing] {
            assert_eq!(
                quantity_to_recreate(RecreateFacts {
                    status,
                    state: Some(AttemptState::Open),
                    ..CANCELED_ATTEMPT
                }),
                None
            );
        }
        assert_eq!(
            quantity_to_recreate(RecreateFacts { status: ExternalStatus::Completed, ..CANCELED_ATTEMPT }),
            None
        );
        let unknown_attempt = RecreateFacts {
            status: ExternalStatus::Creating,
            state: Some(AttemptState::Unresolved),
            ..CANCELED_ATTEMPT
        };
        assert_eq!(quantity_to_recreate(unknown_attempt), Some(800));
        assert_eq!(
            quantity_to_recreate(RecreateFacts { state: Some(AttemptState::Unknown), ..unknown_attempt }),
            Some(800)
        );
        for state in [Some(AttemptState::Sending), Some(AttemptState::Queued), None] {
            assert_eq!(quantity_to_recreate(RecreateFacts { state, ..unknown_attempt }), None, "{state:?}");
        }
        for facts in [CANCELED_ATTEMPT, unknown_attempt] {
            assert_eq!(quantity_to_recreate(RecreateFacts { has_unfinished_attempt: true, ..facts }), None);
            assert_eq!(quantity_to_recreate(RecreateFacts { is_available: false, ..facts }), None);
            assert_eq!(quantity_to_recreate(RecreateFacts { is_cancel_requested: true, ..facts }), None);
            assert_eq!(
                quantity_to_recreate(RecreateFacts { order_status: OrderStatus::Stopped, ..facts }),
                None
            );
        }
    }
}
