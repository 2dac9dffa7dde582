//! Places the undelivered quantity of an attempt again at the same provider. For an attempt with an unknown outcome, staff thereby
//! state that the panel did not accept it.

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
use crate::pricing::ratio::{self, OrderShare, OrderedAmount};
use crate::stores::orders::{dispatch, fields};
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbError, Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// The stored error of an unknown attempt that staff placed again.
const NOT_ACCEPTED: &str = "Staff stated that the panel did not accept this order.";

pub(super) async fn recreate(
    ctx: Ctx,
    req: Req<RecreateExternalPanelOrder>,
) -> Result<Data<ExternalPanelOrder>> {
    let mut work = ctx.begin().await?;
    let attempt = lock(&mut work, req.path).await?;
    let facts = attempt.recreate_facts();
    let quantity = recreatable_quantity(&facts)?;
    close(&mut work, &attempt, facts.is_unknown()).await?;
    let id = insert_attempt(&mut work, &attempt, quantity).await?;
    dispatch::clear_without_provider(&mut work, &[attempt.order_id]).await?;
    let old = json!({ "external_panel_order_id": attempt.id, "status": attempt.status });
    let new =
        json!({ "external_panel_order_id": id, "provider_id": attempt.provider_id, "quantity": quantity });
    audit::record(
        &mut work,
        "order.attempt_recreated",
        "order",
        AuditChange { id: attempt.order_id.record(), old, new },
    )
    .await?;
    let data = read(&mut work, &ctx, id).await?.shown(&ctx);
    work.finish(Data { data }).await
}

// Rules

/// The facts that decide whether an attempt can be placed again.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecreateFacts {
    pub(super) order: OrderStatus,
    /// Undelivered quantity of the order.
    pub(super) undelivered: i64,
    pub(super) status: ExternalStatus,
    /// `None` if the columns match no state.
    pub(super) state: Option<AttemptState>,
    /// Quantity that the attempt was placed with.
    pub(super) quantity: i64,
    /// The part of the customer's quantity that the attempt was for.
    pub(super) sold: i64,
    pub(super) remains: Option<i64>,
    /// Whether the order has another live attempt.
    pub(super) has_live: bool,
    /// Whether its provider takes orders.
    pub(super) is_available: bool,
    /// Whether the customer requested to cancel the order, and the request is open.
    pub(super) is_cancel_requested: bool,
}

impl RecreateFacts {
    /// Whether the attempt was sent and its outcome is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.state.is_some_and(AttemptState::is_unknown)
    }

    /// Undelivered part of `sold`.
    fn undelivered_of_sold(&self) -> i64 {
        let remains = match self.status {
            ExternalStatus::Completed => 0,
            ExternalStatus::Partial => self.remains.unwrap_or(0),
            ExternalStatus::Canceled => self.remains.unwrap_or(self.quantity),
            _ => self.quantity,
        }
        .clamp(0, self.quantity);
        self.sold - quantity_ratio::counted(self.quantity - remains, self.quantity, self.sold)
    }
}

/// The quantity for the new attempt, or why the attempt cannot be placed again.
pub(super) fn recreatable_quantity(facts: &RecreateFacts) -> Result<i64, Rejection> {
    let rejected = |message: &str| Err(Rejection::conflict("external_panel_order_not_recreatable", message));
    if facts.order != OrderStatus::InProcessing {
        let message =
            format!("The order is {}. Only an order in processing can be placed again.", facts.order);
        return rejected(&message);
    }
    let ended = matches!(facts.status, ExternalStatus::Partial | ExternalStatus::Canceled);
    if facts.status == ExternalStatus::Completed {
        return rejected("This external order was delivered in full.");
    }
    if !ended && !facts.is_unknown() {
        return rejected("This external order is still open. Wait until it ends.");
    }
    if facts.has_live {
        return rejected("Another external order of this order is still open. Wait until it ends.");
    }
    if facts.is_cancel_requested {
        return rejected("The customer requested to cancel the order. Confirm or refuse that request first.");
    }
    if !facts.is_available {
        return rejected("The provider is not available now. Move the order to another provider.");
    }
    match facts.undelivered_of_sold().min(facts.undelivered) {
        quantity if quantity >= 1 => Ok(quantity),
        _ => rejected("Nothing is left to deliver."),
    }
}

// Store

/// Locks the order and then the attempt, so that a parallel request for the same order waits.
async fn lock(work: &mut UnitOfWork, id: ExternalOrderId) -> Result<ExternalOrderRow> {
    let order = Sql::new("SELECT order_id FROM external_panel_orders WHERE id = ?").bind(id);
    let order: Option<(OrderId,)> = work.opt(order).await?;
    let (order,) = order.ok_or_else(|| Error::not_found("external panel order", id))?;
    work.lock("orders", &[order]).await?;
    work.lock("external_panel_orders", &[id]).await?;
    let ctx = work.scope().clone();
    read(work, &ctx, id).await
}

async fn read(work: &mut UnitOfWork, scope: &Scope, id: ExternalOrderId) -> Result<ExternalOrderRow> {
    let found =
        table::rows_from(work, scope, &EXTERNAL_PANEL_ORDERS, &[id], |record: ExternalOrderRow, _| record)
            .await?
            .pop();
    found.ok_or_else(|| Error::not_found("external panel order", id))
}

/// Clears the alert of the attempt, and ends it if its outcome is unknown.
async fn close(work: &mut UnitOfWork, attempt: &ExternalOrderRow, is_unknown: bool) -> Result<()> {
    let now = work.now;
    let closed = match is_unknown {
        true => ending::dismiss(work, attempt.id, NOT_ACCEPTED, now).await?,
        false => ending::clear_alert(work, attempt.id, attempt.status, now).await?,
    };
    if closed.is_applied() { Ok(()) } else { Err(changed_meanwhile()) }
}

/// Inserts the new attempt, due now, and returns its id.
async fn insert_attempt(
    work: &mut UnitOfWork,
    attempt: &ExternalOrderRow,
    quantity: i64,
) -> Result<ExternalOrderId> {
    let now = work.now;
    let share = OrderShare { order: attempt.order_id, provider: attempt.provider_id, quantity };
    let amounts = ratio::amounts(work, &[share]).await?;
    ratio::record_full_fill(work, &amounts).await?;
    let amount = amounts.get(&attempt.order_id).copied().unwrap_or(OrderedAmount::plain(quantity));
    let new = NewAttempt {
        order_id: attempt.order_id,
        provider_id: attempt.provider_id,
        initial_quantity: amount.ordered,
        sold_quantity: amount.sold,
        due_at: Some(now),
    };
    let ids = insert(work, &[new], now).await.map_err(live_attempt_conflict)?;
    let id = ids.get(&attempt.order_id).copied().ok_or_else(changed_meanwhile)?;
    let marked = fields::mark_changed_in(work, (attempt.order_id, attempt.order_status), now).await?;
    if marked.is_applied() { Ok(id) } else { Err(changed_meanwhile()) }
}

/// A unique index allows one live attempt per order.
fn live_attempt_conflict(error: DbError) -> Error {
    match error.is_unique() {
        true => changed_meanwhile(),
        false => error.into(),
    }
}

fn changed_meanwhile() -> Error {
    let message = "The order got another external order meanwhile. Reload to see its current state.";
    Error::conflict("external_panel_order_changed_meanwhile", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: RecreateFacts = RecreateFacts {
        order: OrderStatus::InProcessing,
        undelivered: 800,
        status: ExternalStatus::Canceled,
        state: Some(AttemptState::Canceled),
        quantity: 1_000,
        sold: 1_000,
        remains: None,
        has_live: false,
        is_available: true,
        is_cancel_requested: false,
    };

    #[test]
    fn places_the_undelivered_quantity_again() {
        let placed = |facts: RecreateFacts| recreatable_quantity(&facts).ok();
        assert_eq!(placed(ENDED), Some(800), "at most what the order lacks");
        assert_eq!(
            placed(RecreateFacts { remains: Some(300), ..ENDED }),
            Some(300),
            "at most what this one left"
        );
        let partial = RecreateFacts { status: ExternalStatus::Partial, remains: Some(900), ..ENDED };
        assert_eq!(placed(partial), Some(800));
        assert_eq!(placed(RecreateFacts { remains: None, ..partial }), None, "the panel reported no remains");
        assert_eq!(placed(RecreateFacts { undelivered: 0, ..ENDED }), None);
        let scaled = RecreateFacts { sold: 500, undelivered: 500, ..ENDED };
        assert_eq!(placed(scaled), Some(500), "of the order's, not of the panel's");
        assert_eq!(placed(RecreateFacts { remains: Some(301), ..scaled }), Some(151));
        assert_eq!(placed(RecreateFacts { remains: Some(-5), ..ENDED }), None);
    }

    #[test]
    fn only_an_ended_or_unknown_attempt_is_recreatable() {
        let placed = |facts: RecreateFacts| recreatable_quantity(&facts).ok();
        for status in [ExternalStatus::Pending, ExternalStatus::InProgress, ExternalStatus::Processing] {
            assert_eq!(placed(RecreateFacts { status, state: Some(AttemptState::Open), ..ENDED }), None);
        }
        assert_eq!(placed(RecreateFacts { status: ExternalStatus::Completed, ..ENDED }), None);
        let unknown = RecreateFacts {
            status: ExternalStatus::Creating,
            state: Some(AttemptState::Unresolved),
            ..ENDED
        };
        assert_eq!(placed(unknown), Some(800));
        assert_eq!(placed(RecreateFacts { state: Some(AttemptState::Unknown), ..unknown }), Some(800));
        for state in [Some(AttemptState::Sending), Some(AttemptState::Queued), None] {
            assert_eq!(placed(RecreateFacts { state, ..unknown }), None, "{state:?}");
        }
        for facts in [ENDED, unknown] {
            assert_eq!(placed(RecreateFacts { has_live: true, ..facts }), None);
            assert_eq!(placed(RecreateFacts { is_available: false, ..facts }), None);
            assert_eq!(placed(RecreateFacts { is_cancel_requested: true, ..facts }), None);
            assert_eq!(placed(RecreateFacts { order: OrderStatus::Stopped, ..facts }), None);
        }
    }
}
