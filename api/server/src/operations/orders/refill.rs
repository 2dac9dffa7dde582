//! Refills of an order: requests, and how it refills by itself.

use panel_contract::common::Named;
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Time;
use panel_contract::orders::{AutoRefillParams, AutoRefillParamsInput, OrderStatus, RefillRequest};
use serde_json::json;

use crate::audit::{self, Change};
use crate::db::{Source, Sql};
use crate::http::error::{ApiError, Result};
use crate::operations::orders::store;
use crate::supply::losses;
use crate::work::Work;

type RequestRow = (i64, i64, String, Option<i64>, Option<String>, Time);

const REQUESTS: &str = "SELECT r.id, r.quantity, r.status, r.created_by, u.name, r.created_at
  FROM order_refill_requests r LEFT JOIN users u ON u.id = r.created_by WHERE ";

fn shown(row: RequestRow) -> RefillRequest {
    RefillRequest {
        id: row.0,
        quantity: row.1,
        status: row.2,
        created_by: row.3.zip(row.4).map(|(id, name)| Named { id, name }),
        created_at: row.5,
    }
}

/// Refills asked for, newest first.
pub async fn requests(db: &mut impl Source, order_id: i64) -> Result<Vec<RefillRequest>> {
    store::facts(db, order_id).await?;
    let rows: Vec<RequestRow> =
        db.all(Sql::new(REQUESTS).push("r.order_id = ? ORDER BY r.id DESC LIMIT 200").bind(order_id)).await?;
    Ok(rows.into_iter().map(shown).collect())
}

/// Asks for a refill of a completed order that may be refilled.
pub async fn request(work: &mut Work, order_id: i64, quantity: i64) -> Result<RefillRequest> {
    let facts =
        store::lock(work, &[order_id]).await?.pop().ok_or_else(|| ApiError::not_found("order", order_id))?;
    if facts.status != OrderStatus::Completed {
        return Err(ApiError::conflict(
            "order_not_refillable",
            "Only a completed order is refilled; wait until it is completed.",
        ));
    }
    let (has_refill,): (bool,) =
        work.one(Sql::new("SELECT has_refill FROM orders WHERE id = ?").bind(order_id)).await?;
    if !has_refill {
        return Err(ApiError::conflict(
            "order_without_refill",
            "This order comes without refills; allow them first.",
        ));
    }
    if !(1..=facts.quantity).contains(&quantity) {
        return Err(ApiError::invalid(
            "quantity",
            "quantity_out_of_bounds",
            format!("Refill 1 to {}.", facts.quantity),
        ));
    }
    let (actor, now) = (work.actor(), work.now);
    let sql = Sql::new(
        "INSERT INTO order_refill_requests (order_id, quantity, created_by, due_at, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id",
    );
    let (id,): (i64,) = work.one(sql.bind(order_id).bind(quantity).bind(actor).bind(now).bind(now)).await?;
    let new = json!({ "refill_request": id, "quantity": quantity });
    audit::record(work, "order.refill_requested", "order", Change { id: order_id, old: json!({}), new })
        .await?;
    Ok(shown(work.one(Sql::new(REQUESTS).push("r.id = ?").bind(id)).await?))
}

/// How the order refills by itself.
pub async fn params(db: &mut impl Source, id: i64) -> Result<AutoRefillParams> {
    let sql = Sql::new(
        "SELECT o.auto_refill_is_allowed, o.broken_pipes, o.drop_quantity, o.order_current_refilled_quantity, o.quantity,
           (SELECT count(*) FROM orders x WHERE x.user_id = o.user_id AND x.service_id = o.service_id AND x.url = o.url AND x.id <> o.id),
           COALESCE(o.refill_quantity, 0) FROM orders o WHERE o.id = ?",
    );
    let row: Option<(bool, bool, i64, i64, i64, i64, i64)> = db.opt(sql.bind(id)).await?;
    let row = row.ok_or_else(|| ApiError::not_found("order", id))?;
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
    id: i64,
    input: &AutoRefillParamsInput,
) -> Result<AutoRefillParams> {
    store::lock(work, &[id]).await?.pop().ok_or_else(|| ApiError::not_found("order", id))?;
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
    let now = work.stamp();
    let sql = Sql::new(
        "UPDATE orders SET auto_refill_is_allowed = COALESCE(?, auto_refill_is_allowed), broken_pipes = COALESCE(?, broken_pipes),
           drop_quantity = COALESCE(?, drop_quantity), refill_quantity = COALESCE(?, refill_quantity), updated_at = ? WHERE id = ?",
    );
    let sql = sql
        .bind(input.auto_refill_is_allowed)
        .bind(input.broken_pipes)
        .bind(input.drop_quantity)
        .bind(input.refill_quantity);
    work.exec(sql.bind(now).bind(id)).await?;
    losses::poll_again(work, id).await?;
    audit::record(
        work,
        "order.auto_refill_changed",
        "order",
        Change { id, old: json!(old), new: json!(input) },
    )
    .await?;
    params(work, id).await
}
