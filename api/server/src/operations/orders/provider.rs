//! Moving orders to another provider: the new attempt is recorded, the open ones are asked to cancel. Sending is the
//! dispatcher's work.

use std::collections::HashMap;

use panel_contract::common::{BulkOutcome, BulkTotals, Skipped};
use panel_contract::orders::ChangeProviderInput;
use serde_json::json;

use crate::audit::{self, Change};
use crate::db::{Source, Sql, Val};
use crate::http::error::{ApiError, Result};
use crate::operations::orders::rules::{self, Action};
use crate::operations::orders::store::{self, Facts};
use crate::supply::available::available;
use crate::supply::dispatch;
use crate::supply::ratio::{self, Share};
use crate::work::Work;

#[derive(sqlx::FromRow)]
struct Provider {
    external_panel_id: Option<i64>,
    external_panel_service_id: Option<String>,
    is_available: bool,
}

/// Moves the orders that may; the others are reported.
pub async fn change(work: &mut Work, input: &ChangeProviderInput) -> Result<BulkOutcome> {
    let ids = rules::check_ids(&input.order_ids)?;
    if input.quantity.is_some_and(|quantity| quantity < 1) {
        return Err(ApiError::invalid(
            "quantity",
            "quantity_not_positive",
            "Order at least 1, or leave it out for what is undelivered.",
        ));
    }
    let provider = active_provider(work, input.provider_id).await?;
    let facts: HashMap<i64, Facts> =
        store::lock(work, &ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
    let (mut moved, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some(facts) = facts.get(&id) else {
            skipped.push(Skipped {
                id,
                code: "not_found".into(),
                message: format!("There is no order {id}."),
            });
            continue;
        };
        match rules::judge(Action::ChangeProvider, facts.state()) {
            Err(refusal) => skipped.push(Skipped { id, code: refusal.code.into(), message: refusal.message }),
            Ok(_) => match input.quantity.unwrap_or(facts.quantity - facts.current_quantity) {
                quantity if quantity < 1 => {
                    skipped.push(Skipped {
                        id,
                        code: "order_delivered".into(),
                        message: "Nothing of this order is undelivered; give a quantity.".into(),
                    });
                }
                quantity => moved.push((id, quantity)),
            },
        }
    }
    if moved.is_empty() {
        let first = skipped.first().map_or_else(String::new, |skip: &Skipped| skip.message.clone());
        return Err(ApiError::invalid(
            "order_ids",
            "nothing_processed",
            format!("None of the {} orders could be moved. The first: {first}", skipped.len()),
        ));
    }
    write(work, input.provider_id, &provider, &moved).await?;
    let processed = i64::try_from(moved.len()).unwrap_or(i64::MAX);
    let dry_run = work.ctx().meta.dry_run;
    Ok(BulkOutcome {
        processed,
        skipped,
        totals: BulkTotals { orders: processed, ..BulkTotals::default() },
        dry_run,
    })
}

async fn active_provider(work: &mut Work, id: i64) -> Result<Provider> {
    let sql = Sql::new(concat!(
        "SELECT p.external_panel_id, p.external_panel_service_id, ",
        available!(),
        " AS is_available FROM providers p WHERE p.id = ?"
    ));
    let provider: Option<Provider> = work.opt(sql.bind(id)).await?;
    let wrong = |message: String| ApiError::invalid("provider_id", "provider_not_available", message);
    let provider = provider.ok_or_else(|| wrong(format!("There is no provider {id}; choose one.")))?;
    if !provider.is_available {
        return Err(wrong("This provider is not active; choose another.".into()));
    }
    Ok(provider)
}

async fn write(work: &mut Work, provider_id: i64, provider: &Provider, moved: &[(i64, i64)]) -> Result<()> {
    let now = work.now;
    let ids: Vec<i64> = moved.iter().map(|order| order.0).collect();
    store::ask_to_cancel_attempts(work, &ids).await?;
    let share =
        |(order, quantity): &(i64, i64)| Share { order: *order, provider: provider_id, quantity: *quantity };
    let amounts = ratio::amounts(work, &moved.iter().map(share).collect::<Vec<_>>()).await?;
    let rows: Vec<Vec<Val>> = amounts
        .into_iter()
        .map(|(id, amount)| vec![id.into(), amount.ordered.into(), amount.sold.into()])
        .collect();
    let sql = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, status, initial_quantity, sold_quantity, due_at, created_at, updated_at)
         SELECT r.order_id, ?, ?, ?, 'Creating', r.quantity, r.sold, CAST(? AS BIGINT), ?, ? FROM ",
    );
    let sql = sql
        .bind(provider_id)
        .bind(provider.external_panel_id)
        .bind(provider.external_panel_service_id.clone())
        .bind(provider.external_panel_id.map(|_| now))
        .bind(now)
        .bind(now);
    work.exec(sql.rows("r", &["order_id", "quantity", "sold"], rows)).await?;
    let sql = Sql::new("UPDATE orders SET updated_at = ? WHERE id IN ").bind(now).ids(&ids);
    work.exec(sql).await?;
    dispatch::taken_up(work, &ids).await?;
    let changes = moved.iter().map(|(id, quantity)| Change {
        id: *id,
        old: json!({}),
        new: json!({ "provider_id": provider_id, "quantity": quantity }),
    });
    audit::record_all(work, Action::ChangeProvider.event(), "order", changes.collect()).await
}
