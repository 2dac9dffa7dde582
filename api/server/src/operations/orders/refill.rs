//! Refills of an order: requests, and how it refills by itself.

use panel_contract::common::Named;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{OrderId, RefillRequestId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::{AutoRefillParams, AutoRefillParamsInput, RefillRequest};
use panel_contract::permission::Permission;
use panel_domain::orders;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::operations::orders::losses;
use crate::operations::orders::store;
use crate::stores::orders::fields;
use crate::stores::orders::losses::record_refilled;
use crate::stores::refills;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// A request as its row says, and whether an external panel was asked.
#[derive(Debug, sqlx::FromRow)]
struct RequestRow {
    id: RefillRequestId,
    quantity: i64,
    status: String,
    created_by: Option<UserId>,
    name: Option<String>,
    created_at: Time,
    last_error: Option<String>,
    sent_at: Option<Time>,
}

/// How staff close a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// They refilled by hand.
    Complete,
    /// Nothing is refilled.
    Reject,
}

// Rules

/// Staff close an open request that no external panel was asked for; what was sent ends as the panel says.
fn is_closable(row: &RequestRow) -> bool {
    row.status == "pending" && row.sent_at.is_none()
}

// Store

const REQUESTS: &str =
    "SELECT r.id, r.quantity, r.status, r.created_by, u.name, r.created_at, r.last_error, r.sent_at
  FROM order_refill_requests r LEFT JOIN users u ON u.id = r.created_by WHERE ";

fn shown(row: RequestRow, scope: &Scope) -> RefillRequest {
    let closable = is_closable(&row) && scope.may(Permission::ManageOrders);
    RefillRequest {
        id: row.id,
        quantity: row.quantity,
        status: row.status,
        created_by: row.created_by.zip(row.name).map(|(id, name)| Named { id, name }),
        created_at: row.created_at,
        last_error: row.last_error,
        closable,
    }
}

/// Refills asked for, newest first.
pub async fn requests(ctx: &Ctx, order_id: OrderId) -> Result<Vec<RefillRequest>> {
    let mut db = ctx.db();
    store::facts(&mut db, order_id).await?;
    let rows: Vec<RequestRow> =
        db.all(Sql::new(REQUESTS).push("r.order_id = ? ORDER BY r.id DESC LIMIT 200").bind(order_id)).await?;
    Ok(rows.into_iter().map(|row| shown(row, ctx)).collect())
}

/// Asks for a refill of a completed order that may be refilled.
pub async fn request(work: &mut Work, order_id: OrderId, quantity: i64) -> Result<RefillRequest> {
    let facts =
        store::lock(work, &[order_id]).await?.pop().ok_or_else(|| Error::not_found("order", order_id))?;
    let (has_refill,): (bool,) =
        work.one(Sql::new("SELECT has_refill FROM orders WHERE id = ?").bind(order_id)).await?;
    orders::judge_refill(facts.status, has_refill)?;
    if !(1..=facts.quantity).contains(&quantity) {
        return Err(Error::invalid(
            "quantity",
            "quantity_out_of_bounds",
            format!("Refill 1 to {}.", facts.quantity),
        ));
    }
    let (actor, now) = (work.actor(), work.now);
    let id = refills::insert(work, (order_id, quantity), actor, now).await?;
    let new = json!({ "refill_request": id, "quantity": quantity });
    audit::record(
        work,
        "order.refill_requested",
        "order",
        Change { id: order_id.record(), old: json!({}), new },
    )
    .await?;
    let row = work.one(Sql::new(REQUESTS).push("r.id = ?").bind(id)).await?;
    Ok(shown(row, work.scope()))
}

/// Completes or rejects a request that no external panel was asked for, so that later refills can be requested.
pub async fn close(
    work: &mut Work,
    order_id: OrderId,
    id: RefillRequestId,
    closing: Closing,
) -> Result<RefillRequest> {
    store::lock(work, &[order_id]).await?.pop().ok_or_else(|| Error::not_found("order", order_id))?;
    let found = || Sql::new(REQUESTS).push("r.id = ? AND r.order_id = ?").bind(id).bind(order_id);
    let row: Option<RequestRow> = work.opt(found()).await?;
    let row = row.ok_or_else(|| Error::not_found("refill request", id))?;
    let (status, event) = match closing {
        Closing::Complete => ("completed", "order.refill_completed"),
        Closing::Reject => ("rejected", "order.refill_rejected"),
    };
    let is_completed = closing == Closing::Complete;
    if !is_closable(&row) || !refills::close(work, id, is_completed).await?.is_applied() {
        let message = match row.status.as_str() {
            "pending" | "sent" => {
                "An external panel was asked for this refill; wait for its answer.".to_owned()
            }
            status => format!("This refill request is {status}."),
        };
        return Err(Error::conflict("refill_request_not_closable", message));
    }
    if is_completed {
        record_refilled(work, order_id, row.quantity).await?;
    }
    let change = Change {
        id: order_id.record(),
        old: json!({ "refill_request": id, "status": row.status }),
        new: json!({ "refill_request": id, "status": status, "quantity": row.quantity }),
    };
    audit::record(work, event, "order", change).await?;
    let row = work.one(found()).await?;
    Ok(shown(row, work.scope()))
}

/// How the order refills by itself.
pub async fn params(db: &mut impl Source, id: OrderId) -> Result<AutoRefillParams> {
    let sql = Sql::new(
        "SELECT o.auto_refill_is_allowed, o.broken_pipes, o.drop_quantity, o.order_current_refilled_quantity, o.quantity,
           (SELECT count(*) FROM orders x WHERE x.user_id = o.user_id AND x.service_id = o.service_id AND x.url = o.url AND x.id <> o.id),
           COALESCE(o.refill_quantity, 0) FROM orders o WHERE o.id = ?",
    );
    let row: Option<(bool, bool, i64, i64, i64, i64, i64)> = db.opt(sql.bind(id)).await?;
    let row = row.ok_or_else(|| Error::not_found("order", id))?;
    Ok(AutoRefillParams {
        id,
        auto_refill_is_allowed: row.0,
        broken_pipes: row.1,
        drop_quantity: row.2,
        order_current_refilled_quantity: row.3,
        order_quantity: row.4,
        orders_with_same_promotable: row.5,
        refill_quantity: row.6,
    })
}

/// Changes what is set of it.
pub async fn write_params(
    work: &mut Work,
    id: OrderId,
    input: &AutoRefillParamsInput,
) -> Result<AutoRefillParams> {
    store::lock(work, &[id]).await?.pop().ok_or_else(|| Error::not_found("order", id))?;
    let old = params(work, id).await?;
    let mut errors = FieldErrors::default();
    for (field, value) in [("drop_quantity", input.drop_quantity), ("refill_quantity", input.refill_quantity)]
    {
        if value.is_some_and(|value| !(0..=old.order_quantity).contains(&value)) {
            errors.add(field, format!("Give 0 to {}.", old.order_quantity));
        }
    }
    errors.or(())?;
    if *input == AutoRefillParamsInput::default() {
        return Ok(old);
    }
    let stamp = work.stamp();
    fields::write_auto_refill(work, id, input, stamp).await?;
    losses::poll_again(work, id).await?;
    audit::record(
        work,
        "order.auto_refill_changed",
        "order",
        Change { id: id.record(), old: json!(old), new: json!(input) },
    )
    .await?;
    params(work, id).await
}
