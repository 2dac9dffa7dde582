//! Moves orders to another provider: inserts the new attempt and requests the cancellation of the open ones. It makes no call;
//! dispatch sends the attempt.

use std::collections::HashMap;

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, OrderProviderCost, ProviderCosts, Skipped};
use panel_contract::endpoints::orders::ChangeProvider;
use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId};
use panel_contract::orders::ChangeProviderInput;
use panel_contract::providers::ProviderOffer;
use panel_domain::orders::{self, OrderAction};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};
use serde_json::json;

use crate::catalogue::deliverable;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::cancel_requests::store as cancel_requests;
use crate::operations::orders::bulk_result::sorted_unique;
use crate::operations::orders::store::{self, OrderFacts};
use crate::pricing::available::available;
use crate::pricing::rates::ExchangeRates;
use crate::pricing::ratio::{self, OrderShare, OrderedAmount};
use crate::stores::orders::{dispatch, fields};
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.on::<ChangeProvider, _, _, _>(change_provider)
}

async fn change_provider(ctx: Ctx, req: Req<ChangeProvider>) -> Result<BulkOutcome> {
    let mut work = ctx.begin().await?;
    let outcome = change(&mut work, &req.body).await?;
    work.finish(outcome).await
}

#[derive(sqlx::FromRow)]
struct TargetProvider {
    external_panel_id: Option<ExternalPanelId>,
    is_available: bool,
    #[sqlx(flatten)]
    price: ProviderPrice,
}

/// The price of a provider.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ProviderPrice {
    /// Price of `per` units.
    #[sqlx(rename = "source_price")]
    pub price: Money,
    /// ISO code; empty if not set.
    #[sqlx(rename = "source_currency")]
    pub currency: String,
    /// Units that the price is for.
    #[sqlx(rename = "source_pricing_per")]
    pub per: i64,
}

/// Moves the orders that can be moved, and reports the others as skipped.
pub async fn change(work: &mut UnitOfWork, input: &ChangeProviderInput) -> Result<BulkOutcome> {
    let ids = orders::check_ids(&input.order_ids)?;
    let dry_run = work.scope().meta.dry_run;
    let reason = orders::check_change(input, dry_run)?;
    let provider = active_provider(work, input.provider_id).await?;
    let facts: HashMap<OrderId, OrderFacts> =
        store::lock(work, &ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
    let earlier = load_earlier_attempts(work, &ids).await?;
    let canceling = cancel_requests::open_of(work, &ids).await?;
    let undeliverable = deliverable::refused(work, input.provider_id, &ids).await?;
    let (mut moved, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some((facts, earlier)) = facts.get(&id).zip(earlier.get(&id)) else {
            let message = format!("There is no order {id}.");
            skipped.push(Skipped { id: id.record(), code: "not_found".into(), message });
            continue;
        };
        let quantity = match (canceling.contains_key(&id), undeliverable.get(&id)) {
            (true, _) => Err(Rejection::conflict(
                "order_cancel_requested",
                "The customer requested to cancel this order; confirm or refuse that request first.",
            )),
            (false, Some(reason)) => {
                Err(Rejection::invalid("provider_id", "order_not_deliverable", reason.clone()))
            }
            (false, None) => quantity_to_move(input, facts, earlier),
        };
        match quantity {
            Ok(quantity) => moved.push((id, quantity)),
            // For a single order, the rejection is returned as a field error.
            Err(rejection) if input.order_ids.len() == 1 && rejection.kind != RejectionKind::Conflict => {
                return Err(rejection.into());
            }
            Err(rejection) => skipped.push(Skipped {
                id: id.record(),
                code: rejection.code.into(),
                message: rejection.message,
            }),
        }
    }
    if moved.is_empty() {
        return Err(Error::nothing_processed("order_ids", "orders", skipped));
    }
    let amounts = write(work, input.provider_id, &provider, (&moved, reason)).await?;
    let costs = costs(work, &provider, (&moved, &amounts), (&facts, &earlier)).await?;
    if !dry_run && !input.confirm_negative_margin {
        check_margins(&costs, &provider.price.currency)?;
    }
    let processed = i64::try_from(moved.len()).unwrap_or(i64::MAX);
    let moved_facts = || moved.iter().filter_map(|(id, _)| facts.get(id));
    let reach = BulkReach {
        users: Vec::new(),
        services: sorted_unique(moved_facts().map(|facts| facts.service_id)),
        customers: sorted_unique(moved_facts().map(|facts| facts.user_id)),
    };
    let totals = BulkTotals { orders: processed, ..reach.totals() };
    Ok(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: Some(costs), reach })
}

/// The quantity of an order that moves to the provider.
fn quantity_to_move(
    input: &ChangeProviderInput,
    facts: &OrderFacts,
    earlier: &EarlierAttempts,
) -> Result<i64, Rejection> {
    orders::judge(OrderAction::ChangeProvider, facts.state())?;
    let most = orders::most_to_order(facts.quantity, facts.current_quantity, earlier.pending_quantity);
    orders::quantity_to_order(input, most)
}

/// The costs at the provider's current price.
async fn costs(
    work: &mut UnitOfWork,
    provider: &TargetProvider,
    (moved, amounts): (&[(OrderId, i64)], &HashMap<OrderId, OrderedAmount>),
    (facts, earlier): (&HashMap<OrderId, OrderFacts>, &HashMap<OrderId, EarlierAttempts>),
) -> Result<ProviderCosts> {
    let rates = ExchangeRates::read(work).await?;
    let (mut orders, mut all) = (Vec::new(), Vec::new());
    for (id, quantity) in moved {
        let ordered = amounts.get(id).map_or(*quantity, |amount| amount.ordered);
        let cost = cost_of(&rates, &provider.price, ordered)?;
        let of = facts.get(id).zip(earlier.get(id)).zip(cost);
        let money = of.map(|((facts, earlier), cost)| (net_charge(facts), earlier.provider_cost, cost));
        let margin = money.map(|(revenue, charged, cost)| orders::margin(revenue, charged, cost));
        orders.push(OrderProviderCost { id: *id, quantity: *quantity, margin });
        all.push(money);
    }
    let total = match all.into_iter().collect::<Option<Vec<_>>>() {
        Some(all) => Some(orders::margin(
            Money::sum(all.iter().map(|one| one.0))?,
            Money::sum(all.iter().map(|one| one.1))?,
            Money::sum(all.iter().map(|one| one.2))?,
        )),
        None => None,
    };
    Ok(ProviderCosts { total, orders })
}

/// The provider's charge for a quantity in the own currency; `None` if its currency has no exchange rate.
fn cost_of(rates: &ExchangeRates, price: &ProviderPrice, quantity: i64) -> Result<Option<Money>, Rejection> {
    let own = orders::provider_cost(quantity, price.price, price.per)
        .map(|cost| rates.to_own(cost, &price.currency).ok_or_else(|| rates.has_rate(&price.currency)));
    match own {
        Some(Ok(cost)) => Ok(Some(cost)),
        Some(Err(false)) => Ok(None),
        None | Some(Err(true)) => Err(Rejection::invalid(
            "quantity",
            "provider_cost_too_large",
            "No amount holds what this quantity costs at the provider; order less, or choose another provider.",
        )),
    }
}

/// The customer's charge minus refunds.
fn net_charge(facts: &OrderFacts) -> Money {
    Money(facts.cost.0 - facts.refunded.0)
}

/// Rejects orders that would be delivered at a loss or at an unknown cost.
fn check_margins(costs: &ProviderCosts, currency: &str) -> Result<(), Rejection> {
    let is_loss = |order: &&OrderProviderCost| order.margin.is_some_and(|margin| margin.margin < Money::ZERO);
    let rejected = |code, message| Err(Rejection::invalid("confirm_negative_margin", code, message));
    let unknown = costs.orders.iter().filter(|order| order.margin.is_none()).count();
    if unknown > 0 {
        let message = format!(
            "{currency} has no exchange rate, so {unknown} of these orders may be delivered at a loss. Set the rate, choose another provider, or confirm the loss."
        );
        return rejected("unknown_margin", message);
    }
    let losses = costs.orders.iter().filter(is_loss).count();
    let Some(first) = costs.orders.iter().find(is_loss) else { return Ok(()) };
    let cost = first.margin.map_or(Money::ZERO, |margin| margin.provider_cost);
    let message = format!(
        "{losses} of these orders would be delivered at a loss (order {} costs {cost} there); choose another provider or quantity, or confirm the loss.",
        first.id
    );
    rejected("negative_margin", message)
}

/// The quantity and margin of one order at each of these providers.
pub async fn offers(
    db: &mut impl Source,
    order_id: OrderId,
    prices: &[(ProviderId, ProviderPrice)],
) -> Result<HashMap<ProviderId, ProviderOffer>> {
    let facts = store::load_facts(db, order_id).await?;
    let earlier = load_earlier_attempts(db, &[order_id]).await?;
    let Some(earlier) = earlier.get(&order_id) else { return Ok(HashMap::new()) };
    let missing = orders::most_to_order(facts.quantity, facts.current_quantity, earlier.pending_quantity);
    let rates = ExchangeRates::read(db).await?;
    let ids: Vec<ProviderId> = prices.iter().map(|(id, _)| *id).collect();
    let amounts = match missing {
        0 => HashMap::new(),
        missing => ratio::amounts_by_provider(db, (order_id, missing), &ids).await?,
    };
    let offer = |(id, price): &(ProviderId, ProviderPrice)| {
        let ordered = amounts.get(id).map_or(missing, |amount| amount.ordered);
        let cost = cost_of(&rates, price, ordered).ok().flatten();
        let margin = cost.map(|cost| orders::margin(net_charge(&facts), earlier.provider_cost, cost));
        (*id, ProviderOffer { quantity: missing, margin })
    };
    Ok(prices.iter().map(offer).collect())
}

// Store

/// The cost and the pending deliveries of an order's earlier attempts.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct EarlierAttempts {
    id: OrderId,
    /// Cost of the earlier attempts.
    provider_cost: Money,
    /// Units that a provider still delivers because it rejected the cancel request.
    pending_quantity: i64,
}

async fn load_earlier_attempts(
    db: &mut impl Source,
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
    let rows: Vec<EarlierAttempts> = db.all(sql.ids(ids)).await?;
    Ok(rows.into_iter().map(|earlier| (earlier.id, earlier)).collect())
}

async fn active_provider(work: &mut UnitOfWork, id: ProviderId) -> Result<TargetProvider> {
    let sql = Sql::new(concat!(
        "SELECT p.external_panel_id, ",
        available!(),
        " AS is_available, p.source_price, COALESCE(p.source_currency, '') AS source_currency, p.source_pricing_per FROM providers p WHERE p.id = ?"
    ));
    let provider: Option<TargetProvider> = work.opt(sql.bind(id)).await?;
    let wrong = |message: String| Error::invalid("provider_id", "provider_not_available", message);
    let provider = provider.ok_or_else(|| wrong(format!("There is no provider {id}; choose one.")))?;
    if !provider.is_available {
        return Err(wrong("This provider is not active; choose another.".into()));
    }
    Ok(provider)
}

async fn write(
    work: &mut UnitOfWork,
    provider_id: ProviderId,
    provider: &TargetProvider,
    (moved, reason): (&[(OrderId, i64)], Option<String>),
) -> Result<HashMap<OrderId, OrderedAmount>> {
    let now = work.now;
    let ids: Vec<OrderId> = moved.iter().map(|order| order.0).collect();
    ending::request_cancel(work, &ids, now).await?;
    let share = |(order, quantity): &(OrderId, i64)| OrderShare {
        order: *order,
        provider: provider_id,
        quantity: *quantity,
    };
    let amounts = ratio::amounts(work, &moved.iter().map(share).collect::<Vec<_>>()).await?;
    ratio::record_full_fill(work, &amounts).await?;
    // Without a panel, staff deliver manually, so no worker processes the attempt.
    let due_at = provider.external_panel_id.map(|_| now);
    let new = |(order_id, amount): (&OrderId, &OrderedAmount)| NewAttempt {
        order_id: *order_id,
        provider_id,
        initial_quantity: amount.ordered,
        sold_quantity: amount.sold,
        due_at,
    };
    insert(work, &amounts.iter().map(new).collect::<Vec<_>>(), now).await?;
    fields::mark_changed(work, &ids, now).await?;
    dispatch::clear_without_provider(work, &ids).await?;
    let changes = moved.iter().map(|(id, quantity)| {
        let mut new = json!({ "provider_id": provider_id, "quantity": quantity });
        if let Some(reason) = &reason {
            new["reason"] = json!(reason);
        }
        AuditChange { id: (*id).record(), old: json!({}), new }
    });
    audit::record_all(work, OrderAction::ChangeProvider.event(), "order", changes.collect()).await?;
    Ok(amounts)
}
