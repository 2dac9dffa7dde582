//! Requests and closes refills of an order, and changes the settings of its automatic refills.

use panel_contract::common::NamedRef;
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
use crate::stores::orders::losses::record_refill;
use crate::stores::refills;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// A refill request.
#[derive(Debug, sqlx::FromRow)]
struct RefillRequestRow {
    id: RefillRequestId,
    quantity: i64,
    status: String,
    created_by: Option<UserId>,
    name: Option<String>,
    created_at: Time,
    last_error: Option<String>,
    /// When the worker sent the request to an external panel.
    sent_at: Option<Time>,
}

/// The decision of staff about a refill request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefillDecision {
    /// Staff refilled the order manually.
    Complete,
    /// The order is not refilled.
    Reject,
}

// Rules

/// Staff can close a pending request that was not sent to an external panel. The panel decides about a request that was sent.
fn is_closable(row: &RefillRequestRow) -> bool {
    row.status == "pending" && row.sent_at.is_none()
}

// Store

const SELECT_REQUESTS: &str =
    "SELECT r.id, r.quantity, r.status, r.created_by, u.name, r.created_at, r.last_error, r.sent_at
  FROM order_refill_requests r LEFT JOIN users u ON u.id = r.created_by WHERE ";

fn to_response(row: RefillRequestRow, scope: &Scope) -> RefillRequest {
    let closable = is_closable(&row) && scope.has_permission(Permission::ManageOrders);
    RefillRequest {
        id: row.id,
        quantity: row.quantity,
        status: row.status,
        created_by: row.created_by.zip(row.name).map(|(id, name)| NamedRef { id, name }),
        created_at: row.created_at,
        last_error: row.last_error,
        closable,
    }
}

/// Loads the refill requests of an order, the newest first.
pub async fn list_requests(ctx: &Ctx, order_id: OrderId) -> Result<Vec<RefillRequest>> {
    let mut db = ctx.db();
    store::load_facts(&mut db, order_id).await?;
    let rows: Vec<RefillRequestRow> = db
        .fetch_all(
            Sql::new(SELECT_REQUESTS).push("r.order_id = ? ORDER BY r.id DESC LIMIT 200").bind(order_id),
        )
        .await?;
    Ok(rows.into_iter().map(|row| to_response(row, ctx)).collect())
}

/// Requests a refill of a completed order that allows refills.
pub async fn request_refill(
    work: &mut UnitOfWork,
    order_id: OrderId,
    quantity: i64,
) -> Result<RefillRequest> {
    let order =
        store::lock(work, &[order_id]).await?.pop().ok_or_else(|| Error::not_found("order", order_id))?;
    let (has_refill,): (bool,) =
        work.fetch_one(Sql::new("SELECT has_refill FROM orders WHERE id = ?").bind(order_id)).await?;
    orders::check_refillable(order.status, has_refill)?;
    if !(1..=order.quantity).contains(&quantity) {
        return Err(Error::invalid(
            "quantity",
            "quantity_out_of_bounds",
            format!("Enter a quantity from 1 to {}.", order.quantity),
        ));
    }
    let (actor, now) = (work.actor(), work.now);
    let id = refills::insert(work, (order_id, quantity), actor, now).await?;
    let new = json!({ "refill_request": id, "quantity": quantity });
    audit::record(
        work,
        "order.refill_requested",
        "order",
        AuditChange { id: order_id.as_record_id(), old: json!({}), new },
    )
    .await?;
    let row = work.fetch_one(Sql::new(SELECT_REQUESTS).push("r.id = ?").bind(id)).await?;
    Ok(to_response(row, work.scope()))
}

/// Completes or rejects a request that was not sent to an external panel. Afterwards a new refill can be requested.
pub async fn close_request(
    work: &mut UnitOfWork,
    order_id: OrderId,
    id: RefillRequestId,
    decision: RefillDecision,
) -> Result<RefillRequest> {
    store::lock(work, &[order_id]).await?.pop().ok_or_else(|| Error::not_found("order", order_id))?;
    let select_request_sql =
        || Sql::new(SELECT_REQUESTS).push("r.id = ? AND r.order_id = ?").bind(id).bind(order_id);
    let row: Option<RefillRequestRow> = work.fetch_optional(select_request_sql()).await?;
    let row = row.ok_or_else(|| Error::not_found("refill request", id))?;
    let (status, event) = match decision {
        RefillDecision::Complete => ("completed", "order.refill_completed"),
        RefillDecision::Reject => ("rejected", "order.refill_rejected"),
    };
    let is_completed = decision == RefillDecision::Complete;
    if !is_closable(&row) || !refills::close(work, id, is_completed).await?.is_applied() {
        let message = match row.status.as_str() {
            "pending" | "sent" => {
                "This refill was sent to an external panel. Wait for its response.".to_owned()
            }
            status => format!("This refill request is {status}."),
        };
        return Err(Error::conflict("refill_request_not_closable", message));
    }
    if is_completed {
        record_refill(work, order_id, row.quantity).await?;
    }
    let change = AuditChange {
        id: order_id.as_record_id(),
        old: json!({ "refill_request": id, "status": row.status }),
        new: json!({ "refill_request": id, "status": status, "quantity": row.quantity }),
    };
    audit::record(work, event, "order", change).await?;
    let row = work.fetch_one(select_request_sql()).await?;
    Ok(to_response(row, work.scope()))
}

pub async fn load_params(db: &mut impl SqlExecutor, id: OrderId) -> Result<AutoRefillParams> {
    let sql = Sql::new(
        "SELECT o.auto_refill_is_allowed, o.broken_pipes, o.drop_quantity, o.order_current_refilled_quantity, o.quantity,
           (SELECT count(*) FROM orders x WHERE x.user_id = o.user_id AND x.service_id = o.service_id AND x.url = o.url AND x.id <> o.id),
           COALESCE(o.refill_quantity, 0) FROM orders o WHERE o.id = ?",
    );
    let row: Option<(bool, bool, i64, i64, i64, i64, i64)> = db.fetch_optional(sql.bind(id)).await?;
    let (
        auto_refill_is_allowed,
        broken_pipes,
        drop_quantity,
        order_current_refilled_quantity,
        order_quantity,
        orders_with_same_promotable,
        refill_quantity,
    ) = row.ok_or_else(|| Error::not_found("order", id))?;
    Ok(AutoRefillParams {
        id,
        auto_refill_is_allowed,
        broken_pipes,
        drop_quantity,
        order_current_refilled_quantity,
        order_quantity,
        orders_with_same_promotable,
        refill_quantity,
    })
}

/// Changes the settings of automatic refills. Settings that the input omits stay unchanged.
pub async fn write_params(
    work: &mut UnitOfWork,
    id: OrderId,
    input: &AutoRefillParamsInput,
) -> Result<AutoRefillParams> {
    store::lock(work, &[id]).await?.pop().ok_or_else(|| Error::not_found("order", id))?;
    let old_params = load_params(work, id).await?;
    let mut errors = FieldErrors::default();
    for (field, value) in [("drop_quantity", input.drop_quantity), ("refill_quantity", input.refill_quantity)]
    {
        if value.is_some_and(|value| !(0..=old_params.order_quantity).contains(&value)) {
            errors.add(field, format!("Enter 0 to {}.", old_params.order_quantity));
        }
    }
    errors.into_result(())?;
    if *input == AutoRefillParamsInput::default() {
        return Ok(old_params);
    }
    let timestamp = work.timestamp();
    fields::write_auto_refill(work, id, input, timestamp).await?;
    losses::resume_polling(work, id).await?;
    audit::record(
        work,
        "order.auto_refill_changed",
        "order",
        AuditChange { id: id.as_record_id(), old: json!(old_params), new: json!(input) },
    )
    .await?;
    load_params(work, id).await
}
