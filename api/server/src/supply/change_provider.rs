//! Moving orders to another provider: the new attempt is recorded, the open ones are asked to cancel. Sending is the
//! dispatcher's work.

use std::collections::HashMap;

use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, BulkReach, BulkTotals, OrderProviderCost, ProviderCosts, Skipped};
use panel_contract::endpoints::orders::ChangeProvider;
use panel_contract::ids::{ExternalPanelId, OrderId, ProviderId};
use panel_contract::orders::ChangeProviderInput;
use panel_contract::providers::ProviderOffer;
use panel_domain::orders::{self, Action};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::{Rejection, RejectionKind};
use serde_json::json;

use crate::catalogue::deliverable;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::cancel_requests::store as cancel_requests;
use crate::operations::orders::apply::distinct;
use crate::operations::orders::store::{self, Facts};
use crate::pricing::available::available;
use crate::pricing::rates::Rates;
use crate::pricing::ratio::{self, Amount, Share};
use crate::stores::orders::{dispatch, fields};
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::ending;
use crate::stores::placement_attempts::insert::{NewAttempt, insert};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    api.on::<ChangeProvider, _, _, _>(change_provider)
}

async fn change_provider(ctx: Ctx, req: Req<ChangeProvider>) -> Result<BulkOutcome> {
    let mut work = ctx.begin().await?;
    let outcome = change(&mut work, &req.body).await?;
    work.finish(outcome).await
}

#[derive(sqlx::FromRow)]
struct Provider {
    external_panel_id: Option<ExternalPanelId>,
    is_available: bool,
    #[sqlx(flatten)]
    price: Price,
}

/// What a provider takes.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Price {
    /// For `per` units.
    #[sqlx(rename = "source_price")]
    pub price: Money,
    /// Its currency.
    #[sqlx(rename = "source_currency")]
    pub currency: String,
    /// Units that the price is for.
    #[sqlx(rename = "source_pricing_per")]
    pub per: i64,
}

/// Moves the orders that may; the others are reported.
pub async fn change(work: &mut Work, input: &ChangeProviderInput) -> Result<BulkOutcome> {
    let ids = orders::check_ids(&input.order_ids)?;
    let dry_run = work.scope().meta.dry_run;
    let reason = orders::check_change(input, dry_run)?;
    let provider = active_provider(work, input.provider_id).await?;
    let facts: HashMap<OrderId, Facts> =
        store::lock(work, &ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
    let supplied = supplied(work, &ids).await?;
    let canceling = cancel_requests::open_of(work, &ids).await?;
    let undeliverable = deliverable::refused(work, input.provider_id, &ids).await?;
    let (mut moved, mut skipped) = (Vec::new(), Vec::new());
    for id in ids {
        let Some((facts, supplied)) = facts.get(&id).zip(supplied.get(&id)) else {
            let message = format!("There is no order {id}.");
            skipped.push(Skipped { id: id.record(), code: "not_found".into(), message });
            continue;
        };
        let judged = match (canceling.contains_key(&id), undeliverable.get(&id)) {
            (true, _) => Err(Rejection::conflict(
                "order_cancel_requested",
                "The customer requested to cancel this order; confirm or refuse that request first.",
            )),
            (false, Some(reason)) => {
                Err(Rejection::invalid("provider_id", "order_not_deliverable", reason.clone()))
            }
            (false, None) => quantity(input, facts, supplied),
        };
        match judged {
            Ok(quantity) => moved.push((id, quantity)),
            // Of a single order the field says what is wrong.
            Err(refusal) if input.order_ids.len() == 1 && refusal.kind != RejectionKind::Conflict => {
                return Err(refusal.into());
            }
            Err(refusal) => {
                skipped.push(Skipped { id: id.record(), code: refusal.code.into(), message: refusal.message })
            }
        }
    }
    if moved.is_empty() {
        return Err(Error::nothing_processed("order_ids", "orders", skipped));
    }
    let amounts = write(work, input.provider_id, &provider, (&moved, reason)).await?;
    let costs = costs(work, &provider, (&moved, &amounts), (&facts, &supplied)).await?;
    if !dry_run && !input.confirm_negative_margin {
        unless_at_a_loss(&costs, &provider.price.currency)?;
    }
    let processed = i64::try_from(moved.len()).unwrap_or(i64::MAX);
    let of_moved = || moved.iter().filter_map(|(id, _)| facts.get(id));
    let reach = BulkReach {
        users: Vec::new(),
        services: distinct(of_moved().map(|facts| facts.service_id)),
        customers: distinct(of_moved().map(|facts| facts.user_id)),
    };
    let totals = BulkTotals { orders: processed, ..reach.totals() };
    Ok(BulkOutcome { processed, skipped, totals, dry_run, undo: None, costs: Some(costs), reach })
}

/// How much of an order goes to the provider.
fn quantity(input: &ChangeProviderInput, facts: &Facts, supplied: &Supplied) -> Result<i64, Rejection> {
    orders::judge(Action::ChangeProvider, facts.state())?;
    let most = orders::most_to_order(facts.quantity, facts.current_quantity, supplied.still_coming);
    orders::quantity_to_order(input, most)
}

/// What it costs, by the provider's price as it is now.
async fn costs(
    work: &mut Work,
    provider: &Provider,
    (moved, amounts): (&[(OrderId, i64)], &HashMap<OrderId, Amount>),
    (facts, supplied): (&HashMap<OrderId, Facts>, &HashMap<OrderId, Supplied>),
) -> Result<ProviderCosts> {
    let rates = Rates::read(work).await?;
    let (mut orders, mut all) = (Vec::new(), Vec::new());
    for (id, quantity) in moved {
        let ordered = amounts.get(id).map_or(*quantity, |amount| amount.ordered);
        let cost = cost_of(&rates, &provider.price, ordered)?;
        let of = facts.get(id).zip(supplied.get(id)).zip(cost);
        let money = of.map(|((facts, supplied), cost)| (left_of(facts), supplied.provider_cost, cost));
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

/// What a provider charges for a quantity, in the panel's currency; none where its currency has no exchange rate.
fn cost_of(rates: &Rates, price: &Price, quantity: i64) -> Result<Option<Money>, Rejection> {
    let own = orders::provider_cost(quantity, price.price, price.per)
        .map(|cost| rates.to_own(cost, &price.currency).ok_or_else(|| rates.knows(&price.currency)));
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

/// What the customer was charged and did not get back.
fn left_of(facts: &Facts) -> Money {
    Money(facts.cost.0 - facts.refunded.0)
}

/// Refuses orders that would be delivered at a loss, or at a cost that is not known, which the caller did not confirm.
fn unless_at_a_loss(costs: &ProviderCosts, currency: &str) -> Result<(), Rejection> {
    let is_loss = |order: &&OrderProviderCost| order.margin.is_some_and(|margin| margin.margin < Money::ZERO);
    let refused = |code, message| Err(Rejection::invalid("confirm_negative_margin", code, message));
    let unknown = costs.orders.iter().filter(|order| order.margin.is_none()).count();
    if unknown > 0 {
        let message = format!(
            "{currency} has no exchange rate, so {unknown} of these orders may be delivered at a loss; set the rate, choose another provider, or confirm the loss."
        );
        return refused("unknown_margin", message);
    }
    let losses = costs.orders.iter().filter(is_loss).count();
    let Some(first) = costs.orders.iter().find(is_loss) else { return Ok(()) };
    let cost = first.margin.map_or(Money::ZERO, |margin| margin.provider_cost);
    let message = format!(
        "{losses} of these orders would be delivered at a loss (order {} costs {cost} there); choose another provider or quantity, or confirm the loss.",
        first.id
    );
    refused("negative_margin", message)
}

/// What one order would come to at each of these providers, by provider.
pub async fn offers(
    db: &mut impl Source,
    order_id: OrderId,
    prices: &[(ProviderId, Price)],
) -> Result<HashMap<ProviderId, ProviderOffer>> {
    let facts = store::facts(db, order_id).await?;
    let supplied = supplied(db, &[order_id]).await?;
    let Some(supplied) = supplied.get(&order_id) else { return Ok(HashMap::new()) };
    let missing = orders::most_to_order(facts.quantity, facts.current_quantity, supplied.still_coming);
    let rates = Rates::read(db).await?;
    let ids: Vec<ProviderId> = prices.iter().map(|(id, _)| *id).collect();
    let amounts = match missing {
        0 => HashMap::new(),
        missing => ratio::offered(db, (order_id, missing), &ids).await?,
    };
    let offer = |(id, price): &(ProviderId, Price)| {
        let ordered = amounts.get(id).map_or(missing, |amount| amount.ordered);
        let cost = cost_of(&rates, price, ordered).ok().flatten();
        let margin = cost.map(|cost| orders::margin(left_of(&facts), supplied.provider_cost, cost));
        (*id, ProviderOffer { quantity: missing, margin })
    };
    Ok(prices.iter().map(offer).collect())
}

// Store

/// What providers did for an order so far.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct Supplied {
    id: OrderId,
    /// What the earlier attempts of the order cost so far.
    provider_cost: Money,
    /// Units that a provider still delivers although it was asked to cancel, as it refused.
    still_coming: i64,
}

async fn supplied(db: &mut impl Source, ids: &[OrderId]) -> Result<HashMap<OrderId, Supplied>> {
    let sql = Sql::new(concat!(
        "SELECT o.id, o.provider_cost, (SELECT CAST(COALESCE(sum(COALESCE(e.remains, e.initial_quantity)
             * COALESCE(e.sold_quantity, e.initial_quantity) / e.initial_quantity), 0) AS BIGINT)
           FROM external_panel_orders e WHERE e.order_id = o.id AND e.cancel_answered_at IS NOT NULL AND e.ended_at IS NULL
             AND e.initial_quantity > 0 AND ",
        attempt_is!(open, "e"),
        ") AS still_coming FROM orders o WHERE o.id IN ",
    ));
    let rows: Vec<Supplied> = db.all(sql.ids(ids)).await?;
    Ok(rows.into_iter().map(|supplied| (supplied.id, supplied)).collect())
}

async fn active_provider(work: &mut Work, id: ProviderId) -> Result<Provider> {
    let sql = Sql::new(concat!(
        "SELECT p.external_panel_id, ",
        available!(),
        " AS is_available, p.source_price, COALESCE(p.source_currency, '') AS source_currency, p.source_pricing_per FROM providers p WHERE p.id = ?"
    ));
    let provider: Option<Provider> = work.opt(sql.bind(id)).await?;
    let wrong = |message: String| Error::invalid("provider_id", "provider_not_available", message);
    let provider = provider.ok_or_else(|| wrong(format!("There is no provider {id}; choose one.")))?;
    if !provider.is_available {
        return Err(wrong("This provider is not active; choose another.".into()));
    }
    Ok(provider)
}

async fn write(
    work: &mut Work,
    provider_id: ProviderId,
    provider: &Provider,
    (moved, reason): (&[(OrderId, i64)], Option<String>),
) -> Result<HashMap<OrderId, Amount>> {
    let now = work.now;
    let ids: Vec<OrderId> = moved.iter().map(|order| order.0).collect();
    ending::request_cancel(work, &ids, now).await?;
    let share = |(order, quantity): &(OrderId, i64)| Share {
        order: *order,
        provider: provider_id,
        quantity: *quantity,
    };
    let amounts = ratio::amounts(work, &moved.iter().map(share).collect::<Vec<_>>()).await?;
    ratio::note_full_fill(work, &amounts).await?;
    // Staff deliver by hand where the provider has no panel: no worker takes a step.
    let due_at = provider.external_panel_id.map(|_| now);
    let new = |(order_id, amount): (&OrderId, &Amount)| NewAttempt {
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
        Change { id: (*id).record(), old: json!({}), new }
    });
    audit::record_all(work, Action::ChangeProvider.event(), "order", changes.collect()).await?;
    Ok(amounts)
}
