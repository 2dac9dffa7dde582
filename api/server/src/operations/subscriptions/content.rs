//! Starting a subscription, and the orders of each content that is found. Paid ahead: all contents are held, and each
//! takes its share. Paid per content: its orders are charged as any others.

use panel_contract::amount::{Money, Overflow};
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Time;
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::subscriptions::BillingType;
use serde_json::json;

use super::{Record, end, lock, written};
use crate::app::App;
use crate::audit::{self, Change};
use crate::configuration::settings;
use crate::db::{Source, Sql};
use crate::http::Ctx;
use crate::http::error::{ApiError, Result};
use crate::operations::advances::{self, Owner};
use crate::operations::orders::deal::{self, Buyer};
use crate::operations::orders::place::{NewOrder, Parent, Placed, place};
use crate::operations::orders::{commission, edit, price};
use crate::work::Work;

/// Ended between two looks for others.
const BATCH: i64 = 50;
/// Services of one subscription.
const MOST_SERVICES: usize = 20;

// Rules

/// A subscription to be started.
#[derive(Debug, Clone)]
pub struct NewSubscription {
    /// The customer.
    pub user_id: i64,
    /// What it is called.
    pub name: String,
    /// The channel.
    pub url: String,
    /// Such as `youtube`.
    pub kind: String,
    /// How it is paid.
    pub billing_type: BillingType,
    /// Contents that get orders.
    pub contents_limit: i64,
    /// Services and how many of each, for every content.
    pub services: Vec<(i64, i64)>,
    /// When it ends at the latest.
    pub expired_at: Option<Time>,
}

/// One service of a subscription.
#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct Part {
    service_id: i64,
    quantity: i64,
    cost: Money,
}

fn check(new: &NewSubscription, now: Time) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if !(1..=100_000).contains(&new.contents_limit) {
        errors.add("contents_limit", "Give 1 to 100,000.");
    }
    if new.services.is_empty() || new.services.len() > MOST_SERVICES {
        errors.add("subscription_services", format!("Choose 1 to {MOST_SERVICES} services."));
    }
    if new.expired_at.is_some_and(|at| at <= now) {
        errors.add("expired_at", "Give a moment that is still to come.");
    }
    errors.or(())
}

// Store

/// Starts one; what is paid ahead is held.
pub async fn start(work: &mut Work, new: &NewSubscription) -> Result<i64> {
    edit::url(&new.url)?;
    check(new, work.now)?;
    let places = settings::rounding_precision(work).await?;
    let mut parts = Vec::new();
    for (service_id, quantity) in &new.services {
        parts.push(part(work, new.user_id, (*service_id, *quantity), places).await?);
    }
    let ahead = new.billing_type != BillingType::PerContent;
    let one = Money::sum(parts.iter().map(|part| part.cost))?;
    let cost = Money(if ahead { one.0.checked_mul(new.contents_limit).ok_or(Overflow)? } else { 0 });
    let (now, stamp) = (work.now, work.stamp());
    let sql = Sql::new(
        "INSERT INTO subscriptions (name, url, type, user_id, status, billing_type, contents_limit, cost, rounding_precision, expired_at, created_at,
           updated_at) VALUES (?, ?, ?, ?, 'in_processing', ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    );
    let sql = sql.bind(new.name.trim()).bind(new.url.trim()).bind(new.kind.trim()).bind(new.user_id);
    let sql = sql.bind(new.billing_type.as_str()).bind(new.contents_limit).bind(cost).bind(i64::from(places));
    let (id,): (i64,) = work.one(sql.bind(new.expired_at).bind(now).bind(stamp)).await?;
    for part in &parts {
        let sql = Sql::new(
            "INSERT INTO subscription_services (subscription_id, service_id, quantity, cost) VALUES (?, ?, ?, ?)",
        );
        work.exec(sql.bind(id).bind(part.service_id).bind(part.quantity).bind(part.cost)).await?;
    }
    if cost > Money::ZERO {
        let owner = Owner { kind: "subscription", id, user_id: new.user_id };
        advances::hold(work, owner, &[(BalanceType::Main, cost)]).await?;
    }
    let shown = json!({ "contents_limit": new.contents_limit, "cost": cost, "user_id": new.user_id });
    audit::record(work, "subscription.started", "subscription", Change { id, old: json!({}), new: shown })
        .await?;
    Ok(id)
}

async fn part(work: &mut Work, user_id: i64, (service_id, quantity): (i64, i64), places: u8) -> Result<Part> {
    let sql = Sql::new(
        "SELECT COALESCE(own.default_price, s.default_price), s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step
         FROM services s LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = ?
         WHERE s.id = ? AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated",
    );
    let found: Option<(Money, i64, i64, i64, i64)> = work.opt(sql.bind(user_id).bind(service_id)).await?;
    let invalid = |message: String| ApiError::invalid("subscription_services", "service_unsuitable", message);
    let (price, per, min, max, step) =
        found.ok_or_else(|| invalid(format!("Service {service_id} is not on sale; choose another.")))?;
    if !(min..=max).contains(&quantity) || (quantity - min) % step.max(1) != 0 {
        return Err(invalid(format!("Of service {service_id} order {min} to {max} in steps of {step}.")));
    }
    let deal = deal::of(work, Buyer { user_id, service_id, in_package: false, country: None }).await?;
    let cost = price::cost_above(price, deal.lowest, quantity, per, places, deal.changes())?.cost;
    Ok(Part { service_id, quantity, cost })
}

/// Places the orders of a content that was found; none when the subscription is over. All of them or an error.
pub async fn found(work: &mut Work, id: i64, url: &str) -> Result<Vec<Placed>> {
    let subscription = lock(work, id).await?;
    let is_over = subscription.expired_at.is_some_and(|at| at <= work.now);
    if subscription.status != BatchStatus::InProcessing || is_over {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "SELECT service_id, quantity, cost FROM subscription_services WHERE subscription_id = ? ORDER BY service_id",
    );
    let parts: Vec<Part> = work.all(sql.bind(id)).await?;
    commission::lock(work, subscription.user_id).await?;
    let (now, mut placed) = (work.now, Vec::new());
    for (at, part) in (subscription.orders_count..).zip(&parts) {
        let prepaid = match subscription.billing_type {
            BillingType::PerContent => None,
            _ => Some(advances::take(work, subscription.owner(), at, part.cost).await?),
        };
        let plain = NewOrder::plain(subscription.user_id, part.service_id, url, part.quantity);
        let (parent, source) = (Some(Parent::Subscription(id)), OrderSource::Subscription);
        placed.push(place(work, &NewOrder { source, parent, prepaid, ..plain }).await?);
    }
    let orders = i64::try_from(placed.len()).unwrap_or(0);
    let sql = Sql::new(
        "INSERT INTO subscription_contents (subscription_id, url, orders_count, created_at) VALUES (?, ?, ?, ?)",
    );
    work.exec(sql.bind(id).bind(url.trim()).bind(orders).bind(now)).await?;
    count(work, &subscription, orders).await?;
    Ok(placed)
}

async fn count(work: &mut Work, subscription: &Record, orders: i64) -> Result<()> {
    let (now, stamp) = (work.now, work.stamp());
    let is_last = subscription.subscription_contents_count + 1 == subscription.contents_limit;
    let status = if is_last { BatchStatus::Completed } else { BatchStatus::InProcessing };
    let sql = Sql::new(
        "UPDATE subscriptions SET subscription_contents_count = subscription_contents_count + 1, orders_count = orders_count + ?, status = ?,
           completed_at = ?, updated_at = ? WHERE id = ? AND status = 'in_processing' AND subscription_contents_count = ?",
    );
    let sql = sql.bind(orders).bind(status.as_str()).bind(is_last.then_some(now)).bind(stamp);
    written(work.exec(sql.bind(subscription.id).bind(subscription.subscription_contents_count)).await?)
}

/// Ends subscriptions whose time is over: they are completed, and what was not placed goes back. How many there were.
pub async fn end_expired(app: &App) -> Result<usize> {
    let sql = Sql::new(
        "SELECT id FROM subscriptions WHERE expired_at IS NOT NULL AND status = 'in_processing' AND expired_at <= ? ORDER BY expired_at LIMIT ?",
    );
    let over: Vec<(i64,)> = (&mut &app.db).all(sql.bind(app.clock.now()).bind(BATCH)).await?;
    for (id,) in &over {
        let mut work = Ctx::system(app.clone(), "subscription").begin().await?;
        let subscription = lock(&mut work, *id).await?;
        if subscription.status == BatchStatus::InProcessing {
            end(&mut work, &subscription, BatchStatus::Completed).await?;
            work.finish(()).await?;
        }
    }
    Ok(over.len())
}
