//! Placing once more, at the same provider, what an attempt left undelivered. Of an attempt that nobody knows about,
//! staff say with it that the panel did not take it.

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

use super::{EXTERNAL_PANEL_ORDERS, Record};
use crate::context::Ctx;
use crate::http::Req;
use crate::pricing::ratio::{self, Amount, Share};
use crate::stores::orders::{dispatch, fields};
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbError, Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::table;
use panel_platform::work::Work;

/// What the attempt says from then on.
const NOT_TAKEN: &str = "Staff said that the panel did not take it.";

pub(super) async fn recreate(
    ctx: Ctx,
    req: Req<RecreateExternalPanelOrder>,
) -> Result<Data<ExternalPanelOrder>> {
    let mut work = ctx.begin().await?;
    let attempt = lock(&mut work, req.path).await?;
    let look = attempt.look();
    let quantity = judge(&look)?;
    close(&mut work, &attempt, look.is_unknown()).await?;
    let id = place(&mut work, &attempt, quantity).await?;
    dispatch::clear_without_provider(&mut work, &[attempt.order_id]).await?;
    let old = json!({ "external_panel_order_id": attempt.id, "status": attempt.status });
    let new =
        json!({ "external_panel_order_id": id, "provider_id": attempt.provider_id, "quantity": quantity });
    audit::record(
        &mut work,
        "order.attempt_recreated",
        "order",
        Change { id: attempt.order_id.record(), old, new },
    )
    .await?;
    let data = read(&mut work, &ctx, id).await?.shown(&ctx);
    work.finish(Data { data }).await
}

// Rules

/// What the rule looks at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) order: OrderStatus,
    /// Of the order.
    pub(super) undelivered: i64,
    pub(super) status: ExternalStatus,
    /// None for a row that no transition makes.
    pub(super) state: Option<AttemptState>,
    /// What the attempt was placed with.
    pub(super) quantity: i64,
    /// How many of the order's that was for.
    pub(super) sold: i64,
    pub(super) remains: Option<i64>,
    /// Whether another attempt of the order is under way.
    pub(super) has_live: bool,
    /// Whether its provider takes orders.
    pub(super) is_available: bool,
    /// Whether the customer requested to cancel the order, and the request is open.
    pub(super) is_cancel_requested: bool,
}

impl Look {
    /// It was sent, and whether the panel has it is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.state.is_some_and(AttemptState::is_unknown)
    }

    /// How many of the order's it left undelivered.
    fn rest(&self) -> i64 {
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

/// How much a new attempt is placed with.
pub(super) fn judge(look: &Look) -> Result<i64, Rejection> {
    let no = |message: &str| Err(Rejection::conflict("external_panel_order_not_recreatable", message));
    if look.order != OrderStatus::InProcessing {
        let message = format!("The order is {}; only one in processing is placed again.", look.order);
        return no(&message);
    }
    let ended = matches!(look.status, ExternalStatus::Partial | ExternalStatus::Canceled);
    if look.status == ExternalStatus::Completed {
        return no("This one was delivered in full.");
    }
    if !ended && !look.is_unknown() {
        return no("This one is still under way; wait for its end.");
    }
    if look.has_live {
        return no("Another attempt of this order is under way; wait for its end.");
    }
    if look.is_cancel_requested {
        return no("The customer requested to cancel the order; confirm or refuse that request first.");
    }
    if !look.is_available {
        return no("Its provider takes no orders now; move the order to another provider.");
    }
    match look.rest().min(look.undelivered) {
        quantity if quantity >= 1 => Ok(quantity),
        _ => no("Nothing of it is undelivered."),
    }
}

// Store

/// The attempt as it is once its order is locked: whoever places another attempt of the order waits for this one.
async fn lock(work: &mut Work, id: ExternalOrderId) -> Result<Record> {
    let order = Sql::new("SELECT order_id FROM external_panel_orders WHERE id = ?").bind(id);
    let order: Option<(OrderId,)> = work.opt(order).await?;
    let (order,) = order.ok_or_else(|| Error::not_found("external panel order", id))?;
    work.lock("orders", &[order]).await?;
    work.lock("external_panel_orders", &[id]).await?;
    let ctx = work.scope().clone();
    read(work, &ctx, id).await
}

async fn read(work: &mut Work, scope: &Scope, id: ExternalOrderId) -> Result<Record> {
    let found =
        table::rows_from(work, scope, &EXTERNAL_PANEL_ORDERS, &[id], |record: Record, _| record).await?.pop();
    found.ok_or_else(|| Error::not_found("external panel order", id))
}

/// No person has to look at it any more; one that was unknown is over.
async fn close(work: &mut Work, attempt: &Record, is_unknown: bool) -> Result<()> {
    let now = work.now;
    let closed = match is_unknown {
        true => ending::dismiss(work, attempt.id, NOT_TAKEN, now).await?,
        false => ending::clear_alert(work, attempt.id, attempt.status, now).await?,
    };
    if closed.is_applied() { Ok(()) } else { Err(changed()) }
}

/// The new attempt, due at once; its id.
async fn place(work: &mut Work, attempt: &Record, quantity: i64) -> Result<ExternalOrderId> {
    let now = work.now;
    let share = Share { order: attempt.order_id, provider: attempt.provider_id, quantity };
    let amounts = ratio::amounts(work, &[share]).await?;
    ratio::note_full_fill(work, &amounts).await?;
    let amount = amounts.get(&attempt.order_id).copied().unwrap_or(Amount::plain(quantity));
    let new = NewAttempt {
        order_id: attempt.order_id,
        provider_id: attempt.provider_id,
        initial_quantity: amount.ordered,
        sold_quantity: amount.sold,
        due_at: Some(now),
    };
    let ids = insert(work, &[new], now).await.map_err(taken)?;
    let id = ids.get(&attempt.order_id).copied().ok_or_else(changed)?;
    let marked = fields::mark_changed_in(work, (attempt.order_id, attempt.order_status), now).await?;
    if marked.is_applied() { Ok(id) } else { Err(changed()) }
}

/// The database allows one live attempt of an order.
fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => changed(),
        false => error.into(),
    }
}

fn changed() -> Error {
    let message = "The order got another attempt meanwhile; reload to see where it stands.";
    Error::conflict("external_panel_order_changed_meanwhile", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: Look = Look {
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
    fn what_is_undelivered_is_placed_again() {
        let placed = |look: Look| judge(&look).ok();
        assert_eq!(placed(ENDED), Some(800), "at most what the order lacks");
        assert_eq!(placed(Look { remains: Some(300), ..ENDED }), Some(300), "at most what this one left");
        let partial = Look { status: ExternalStatus::Partial, remains: Some(900), ..ENDED };
        assert_eq!(placed(partial), Some(800));
        assert_eq!(placed(Look { remains: None, ..partial }), None, "the panel says nothing is left");
        assert_eq!(placed(Look { undelivered: 0, ..ENDED }), None);
        let scaled = Look { sold: 500, undelivered: 500, ..ENDED };
        assert_eq!(placed(scaled), Some(500), "of the order's, not of the panel's");
        assert_eq!(placed(Look { remains: Some(301), ..scaled }), Some(151));
        assert_eq!(placed(Look { remains: Some(-5), ..ENDED }), None);
    }

    #[test]
    fn only_what_is_over_or_unknown_is() {
        let placed = |look: Look| judge(&look).ok();
        for status in [ExternalStatus::Pending, ExternalStatus::InProgress, ExternalStatus::Processing] {
            assert_eq!(placed(Look { status, state: Some(AttemptState::Open), ..ENDED }), None);
        }
        assert_eq!(placed(Look { status: ExternalStatus::Completed, ..ENDED }), None);
        let unknown =
            Look { status: ExternalStatus::Creating, state: Some(AttemptState::Unresolved), ..ENDED };
        assert_eq!(placed(unknown), Some(800));
        assert_eq!(placed(Look { state: Some(AttemptState::Unknown), ..unknown }), Some(800));
        for state in [Some(AttemptState::Sending), Some(AttemptState::Queued), None] {
            assert_eq!(placed(Look { state, ..unknown }), None, "{state:?}");
        }
        for look in [ENDED, unknown] {
            assert_eq!(placed(Look { has_live: true, ..look }), None);
            assert_eq!(placed(Look { is_available: false, ..look }), None);
            assert_eq!(placed(Look { is_cancel_requested: true, ..look }), None);
            assert_eq!(placed(Look { order: OrderStatus::Stopped, ..look }), None);
        }
    }
}
