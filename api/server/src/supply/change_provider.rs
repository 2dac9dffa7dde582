//! Moves orders to another provider: inserts the new placement attempt, and requests the cancellation of the open attempts. This
//! module sends no request to an external panel; dispatch sends the new attempt later.

use std::collections::HashMap;

use panel_contract::amount::Money;
use panel_contract::common::{
    AffectedIds, BulkOutcome, BulkTotals, OrderProviderCost, ProviderCosts, SkippedRecord,
};
use panel_contract::endpoints::orders::ChangeProvider;
use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId};
use panel_contract::orders::ChangeProviderInput;
use panel_contract::providers::ProviderOffer;
use panel_domain::orders::{self, OrderAction};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};
use serde_json::json;

use crate::catalogue::delivery_checks;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::cancel_requests::store as cancel_requests;
use crate::operations::orders::bulk_result::sorted_unique;
use crate::operations::orders::store::{self, OrderFacts};
use crate::pricing::available::provider_is_available;
use crate::pricing::rates::ExchangeRates;
use crate::pricing::ratio::{self, OrderShare, OrderedQuantity};
use crate::stores::orders::{dispatch, fields};
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.route::<ChangeProvider, _, _, _>(change_provider)
}

async fn change_provider(ctx: Ctx, req: Req<ChangeProvider>) -> Result<BulkOutcome> {
    let mut work = ctx.begin().await?;
    let outcome = move_orders(&mut work, &req.body).await?;
    work.finish(outcome).await
}

#[derive(sqlx::FromRow)]
struct TargetProvider {
    external_panel_id: Option<ExternalPanelId>,
    is_available: bool,
    #[sqlx(flatten)]
    price: ProviderPrice,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ProviderPrice {
    /// In `currency`, for `pricing_per` units.
    #[sqlx(rename = "source_price")]
    pub price: Money,
    /// ISO code; an empty string means our own currency.
    #[sqlx(rename = "source_currency")]
    pub currency: String,
    /// Number of units that the price covers.
    #[sqlx(rename = "source_pricing_per")]
    pub pricing_per: i64,
}

/// Moves the orders that can be moved, and reports the others as skipped.
pub async fn move_orders(work: &mut UnitOfWork, input: &ChangeProviderInput) -> Result<BulkOutcome> {
    let ids = orders::check_ids(&input.order_ids)?;
    let dry_run = work.scope().meta.dry_run;
    let reason = orders::check_provider_change(input, dry_run)?;
    let provider = load_available_provider(work, input.provider_id).await?;
    let facts_by_order: HashMap<OrderId, OrderFacts> =
        store::lock(work, &ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
    let earlier_attempts = load_earlier_attempts(work, &ids).await?;
    let canceling_orders = cancel_requests::load_open_ids(work, &ids).await?;
    let undeliverable_reasons =
        delivery_checks::load_reasons_against_delivery(work, input.provider_id, &ids).await?;
    let (mut moved_orders, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some((facts, earlier_attempts)) = facts_by_order.get(&id).zip(earlier_attempts.get(&id)) else {
            let message = format!("There is no order {id}.");
            skipped.push(SkippedRecord { id: id.as_record_id(), code: "not_found".into(), message });
            continue;
        };
        let planned_quantity = match (canceling_orders.contains_key(&id), undeliverable_reasons.get(&id)) {
            (true, _) => Err(Rejection::conflict(
                "order_cancel_requested",
                "The customer requested to cancel this order. Confirm or reject that request first.",
            )),
            (false, Some(reason)) => {
                Err(Rejection::invalid("provider_id", "order_not_deliverable", reason.clone()))
            }
            (false, None) => quantity_to_move(input, facts, earlier_attempts),
        };
        match planned_quantity {
            Ok(quantity) => moved_orders.push((id, quantity)),
            // If the request has only one order, the rejection of this order becomes the response.
            Err(rejection) if input.order_ids.len() == 1 && rejection.kind != RejectionKind::Conflict => {
                return Err(rejection.into());
            }
            Err(rejection) => skipped.push(SkippedRecord {
                id: id.as_record_id(),
                code: rejection.code.into(),
                message: rejection.message,
            }),
        }
    }
    if moved_orders.is_empty() {
        return Err(Error::nothing_processed("order_ids", "orders", skipped));
    }
    let ordered_quantities = write_moves(work, input.provider_id, &provider, (&moved_orders, reason)).await?;
    let costs = calculate_costs(
        work,
        &provider,
        (&moved_orders, &ordered_quantities),
        (&facts_by_order, &earlier_attempts),
    )
    .await?;
    if !dry_run && !input.confirm_negative_margin {
        check_margins(&costs, &provider.price.currency)?;
    }
    let processed = i64::try_from(moved_orders.len()).unwrap_or(i64::MAX);
    let moved_facts = || moved_orders.iter().filter_map(|(id, _)| facts_by_order.get(id));
    let affected = AffectedIds {
        users: Vec::new(),
        services: sorted_unique(moved_facts().map(|facts| facts.service_id)),
        customers: sorted_unique(moved_facts().map(|facts| facts.user_id)),
    };
    let totals = BulkTotals { orders: processed, ..affected.totals() };
    Ok(BulkOutcome {
        processed,
        skipped,
        totals,
        dry_run,
        undo: None,
        costs: Some(costs),
        affected_ids: affected,
    })
}

/// Returns the quantity of an order that moves to the provider, or the reason why the order cannot move.
fn quantity_to_move(
    input: &ChangeProviderInput,
    facts: &OrderFacts,
    earlier_attempts: &EarlierAttempts,
) -> Result<i64, Rejection> {
    orders::plan_change(OrderAction::ChangeProvider, facts.snapshot())?;
    let max_quantity = orders::max_quantity_to_order(
        facts.quantity,
        facts.current_quantity,
        earlier_attempts.pending_quantity,
    );
    orders::quantity_to_order(input, max_quantity)
}

/// Calculates the cost and margin of the moved orders at the provider's current price.
async fn calculate_costs(
    work: &mut UnitOfWork,
    provider: &TargetProvider,
    (moved_orders, ordered_quantities): (&[(OrderId, i64)], &HashMap<OrderId, OrderedQuantity>),
    (facts, earlier_attempts): (&HashMap<OrderId, OrderFacts>, &HashMap<OrderId, EarlierAttempts>),
) -> Result<ProviderCosts> {
    let rates = ExchangeRates::load(work).await?;
    let (mut order_costs, mut revenue_and_costs_by_order) = (Vec::new(), Vec::new());
    for (id, quantity) in moved_orders {
        let ordered_units = ordered_quantities.get(id).map_or(*quantity, |quantity| quantity.ordered);
        let cost = calculate_provider_cost(&rates, &provider.price, ordered_units)?;
        let facts_attempts_and_cost = facts.get(id).zip(earlier_attempts.get(id)).zip(cost);
        let revenue_and_costs = facts_attempts_and_cost.map(|((facts, earlier_attempts), cost)| {
            (charge_after_refunds(facts), earlier_attempts.provider_cost, cost)
        });
        let margin = revenue_and_costs
            .map(|(revenue, charged, cost)| orders::calculate_margin(revenue, charged, cost));
        order_costs.push(OrderProviderCost { id: *id, quantity: *quantity, margin });
        revenue_and_costs_by_order.push(revenue_and_costs);
    }
    // The total is unknown if the cost of any order is unknown.
    let total = match revenue_and_costs_by_order.into_iter().collect::<Option<Vec<_>>>() {
        Some(amounts) => Some(orders::calculate_margin(
            Money::sum(amounts.iter().map(|(revenue, _, _)| *revenue))?,
            Money::sum(amounts.iter().map(|(_, charged, _)| *charged))?,
            Money::sum(amounts.iter().map(|(_, _, cost)| *cost))?,
        )),
        None => None,
    };
    Ok(ProviderCosts { total, orders: order_costs })
}

/// Calculates the provider's charge for a quantity in our own currency; `None` if the currency of the price has no exchange rate.
fn calculate_provider_cost(
    rates: &ExchangeRates,
    price: &ProviderPrice,
    quantity: i64,
) -> Result<Option<Money>, Rejection> {
    let cost_in_own_currency =
        orders::calculate_provider_cost(quantity, price.price, price.pricing_per).map(|cost| {
            rates.to_own_currency(cost, &price.currency).ok_or_else(|| rates.has_rate(&price.currency))
        });
    match cost_in_own_currency {
        Some(Ok(cost)) => Ok(Some(cost)),
        Some(Err(false)) => Ok(None),
        None | Some(Err(true)) => Err(Rejection::invalid(
            "quantity",
            "provider_cost_too_large",
            "The cost of this quantity at the provider is too high. Enter a lower quantity, or choose another provider.",
        )),
    }
}

/// The customer's charge minus refunds.
fn charge_after_refunds(facts: &OrderFacts) -> Money {
    Money(facts.cost.0 - facts.refunded.0)
}

/// Rejects the change if any order would be delivered at a loss or at an unknown cost.
fn check_margins(costs: &ProviderCosts, currency: &str) -> Result<(), Rejection> {
    let is_loss = |order: &&OrderProviderCost| order.margin.is_some_and(|margin| margin.margin < Money::ZERO);
    let rejection = |code, message| Err(Rejection::invalid("confirm_negative_margin", code, message));
    let unknown_count = costs.orders.iter().filter(|order| order.margin.is_none()).count();
    if unknown_count > 0 {
        let message = format!(
            "{currency} has no exchange rate, so {unknown_count} of these orders may be delivered at a loss. Set the rate, choose another provider, or confirm the loss."
        );
        return rejection("unknown_margin", message);
    }
    let loss_count = costs.orders.iter().filter(is_loss).count();
    let Some(first_loss) = costs.orders.iter().find(is_loss) else { return Ok(()) };
    let cost = first_loss.margin.map_or(Money::ZERO, |margin| margin.provider_cost);
    let message = format!(
        "{loss_count} of these orders would be delivered at a loss (order {} costs {cost} at this provider). Choose another provider or quantity, or confirm the loss.",
        first_loss.id
    );
    rejection("negative_margin", message)
}

/// Calculates the quantity and margin of one order at each of these providers.
pub async fn load_offers(
    db: &mut impl SqlExecutor,
    order_id: OrderId,
    prices: &[(ProviderId, ProviderPrice)],
) -> Result<HashMap<ProviderId, ProviderOffer>> {
    let facts = store::load_facts(db, order_id).await?;
    let earlier_attempts = load_earlier_attempts(db, &[order_id]).await?;
    let Some(earlier_attempts) = earlier_attempts.get(&order_id) else { return Ok(HashMap::new()) };
    let max_quantity = orders::max_quantity_to_order(
        facts.quantity,
        facts.current_quantity,
        earlier_attempts.pending_quantity,
    );
    let rates = ExchangeRates::load(db).await?;
    let ids: Vec<ProviderId> = prices.iter().map(|(id, _)| *id).collect();
    let ordered_quantities = match max_quantity {
        0 => HashMap::new(),
        max_quantity => {
            ratio::load_ordered_quantities_by_provider(db, (order_id, max_quantity), &ids).await?
        }
    };
    let to_offer = |(id, price): &(ProviderId, ProviderPrice)| {
        let ordered_units = ordered_quantities.get(id).map_or(max_quantity, |quantity| quantity.ordered);
        let cost = calculate_provider_cost(&rates, price, ordered_units).ok().flatten();
        let margin = cost.map(|cost| {
            orders::calculate_margin(charge_after_refunds(&facts), earlier_attempts.provider_cost, cost)
        });
        (*id, ProviderOffer { quantity: max_quantity, margin })
    };
    Ok(prices.iter().map(to_offer).collect())
}

// Store

/// The cost and the pending deliveries of the earlier placement attempts of an order.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct EarlierAttempts {
    id: OrderId,
    /// In our own currency.
    provider_cost: Money,
    /// Sold units that providers will still deliver, because they rejected our request to cancel.
    pending_quantity: i64,
}

async fn load_earlier_attempts(
    db: &mut impl SqlExecutor,
    ids: &[OrderId],
) -> Result<HashMap<OrderId, EarlierAttempts>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, o.provider_cost, (SELECT CAST(COALESCE(sum(COALESCE(e.remains, e.initial_quantity)
             * COALESCE(e.sold_quantity, e.initial_quantity) / e.initial_quantity), 0) AS BIGINT)
           FROM external_panel_orders e WHERE e.order_id = o.id AND e.cancel_answered_at IS NOT NULL AND e.ended_at IS NULL
             AND e.initial_quantity > 0 AND ",
        attempt_is!(open, "e"),
        ") AS pending_quantity FROM orders o WHERE o.id IN ",
    ));
    let rows: Vec<EarlierAttempts> = db.fetch_all(sql.ids(ids)).await?;
    Ok(rows.into_iter().map(|earlier_attempts| (earlier_attempts.id, earlier_attempts)).collect())
}

async fn load_available_provider(work: &mut UnitOfWork, id: ProviderId) -> Result<TargetProvider> {
    let sql = Sql::new(concat!(
        "SELECT p.external_panel_id, ",
        provider_is_available!(),
        " AS is_available, p.source_price, COALESCE(p.source_currency, '') AS source_currency, p.source_pricing_per FROM providers p WHERE p.id = ?"
    ));
    let provider: Option<TargetProvider> = work.fetch_optional(sql.bind(id)).await?;
    let not_available_error =
        |message: String| Error::invalid("provider_id", "provider_not_available", message);
    let provider = provider.ok_or_else(|| {
        not_available_error(format!("There is no provider {id}. Choose an existing provider."))
    })?;
    if !provider.is_available {
        return Err(not_available_error("This provider is not active. Choose another provider.".into()));
    }
    Ok(provider)
}

async fn write_moves(
    work: &mut UnitOfWork,
    provider_id: ProviderId,
    provider: &TargetProvider,
    (moved_orders, reason): (&[(OrderId, i64)], Option<String>),
) -> Result<HashMap<OrderId, OrderedQuantity>> {
    let now = work.now;
    let ids: Vec<OrderId> = moved_orders.iter().map(|(id, _)| *id).collect();
    ending::request_cancel(work, &ids, now).await?;
    let to_share = |(order, quantity): &(OrderId, i64)| OrderShare {
        order: *order,
        provider: provider_id,
        quantity: *quantity,
    };
    let ordered_quantities =
        ratio::load_ordered_quantities(work, &moved_orders.iter().map(to_share).collect::<Vec<_>>()).await?;
    ratio::record_full_fill(work, &ordered_quantities).await?;
    // Without an external panel, staff deliver the order by hand, so no worker processes the attempt.
    let due_at = provider.external_panel_id.map(|_| now);
    let to_new_attempt = |(order_id, quantity): (&OrderId, &OrderedQuantity)| NewAttempt {
        order_id: *order_id,
        provider_id,
        initial_quantity: quantity.ordered,
        sold_quantity: quantity.sold,
        due_at,
    };
    insert(work, &ordered_quantities.iter().map(to_new_attempt).collect::<Vec<_>>(), now).await?;
    fields::set_updated_at(work, &ids, now).await?;
    dispatch::clear_without_provider(work, &ids).await?;
    let changes = moved_orders.iter().map(|(id, quantity)| {
        let mut new = json!({ "provider_id": provider_id, "quantity": quantity });
        if let Some(reason) = &reason {
            new["reason"] = json!(reason);
        }
        AuditChange { id: (*id).as_record_id(), old: json!({}), new }
    });
    audit::record_all(work, OrderAction::ChangeProvider.event(), "order", changes.collect()).await?;
    Ok(ordered_quantities)
}
