//! Renews recurring subscriptions. At the end of a period, the customer prepays as many contents as were used, so that each period
//! has as many contents as the first period. The charge is the cost of all contents of the next period at the current prices, less
//! the amount that is still on hold for unused contents. If the balance is too low, or a service is not on sale, the subscription
//! is paused: its channel is not polled, the renewal is retried every day, and staff and the customer are notified once.

use std::time::Duration;

use panel_contract::amount::{Money, Overflow};
use panel_contract::ids::{ServiceId, SubscriptionId};
use panel_contract::moment::Time;
use panel_contract::payments::BalanceType;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_contract::subscriptions::BillingType;
use panel_contract::users::UserStatus;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::start::{PricedService, ServiceQuantity, price_services};
use super::{SubscriptionListRow, lock_row, store};
use crate::app::App;
use crate::context::Ctx;
use crate::emails::{self, OrderSummary, Recipient};
use crate::operations::advances;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::lease::ClaimedWork;
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::ledger;
use panel_platform::mail::Email;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::work::UnitOfWork;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of subscriptions per batch.
const BATCH_SIZE: i64 = 50;
/// Delay until the retry of a failed renewal.
const RENEWAL_RETRY: Duration = Duration::from_secs(86_400);

/// The lease of a subscription at the end of its period. Expiry and renewal share a quarantine kind, so a subscription that is
/// quarantined because of its expiry is also quarantined for renewals, and vice versa.
pub const SUBSCRIPTION_RENEWAL: Lease = Lease {
    kind: QuarantineKind::SubscriptionExpiry,
    id_column: "subscriptions.id",
    due_column: "renews_at",
    index_condition: " AND status = 'in_processing'",
    moves: DueDateMoves::Never,
    error_column: Some("poll_error"),
};

// Rules

/// Computes how many contents the next period adds: as many as the current period used. Unused contents of earlier periods count
/// too.
fn count_contents_of_next_period(period_contents: i64, contents_limit: i64, used_contents: i64) -> i64 {
    (period_contents - (contents_limit - used_contents)).max(0)
}

/// Computes the end of the period that begins now. A period that begins late, after a pause or a downtime, still has its full
/// length.
fn next_period_end(renews_at: Time, is_paused: bool, period: Duration, now: Time) -> Time {
    let regular_end = renews_at.plus(period);
    if is_paused || regular_end <= now { now.plus(period) } else { regular_end }
}

/// Computes the charge: the cost of all contents at the price `unit_cost`, less the amount `held` that is still on hold.
fn compute_charge(unit_cost: Money, contents: i64, held: Money) -> Result<Money, Overflow> {
    let cost = unit_cost.0.checked_mul(contents).ok_or(Overflow)?;
    Ok(Money((cost - held.0).max(0)))
}

/// Rejects a renewal by staff unless the subscription is paused and the customer is active.
pub(super) fn check_renewable(subscription: &SubscriptionListRow) -> Result<(), Rejection> {
    if subscription.paused_at.is_none() {
        return Err(Rejection::conflict(
            "subscription_not_paused",
            "Only a paused subscription can be renewed manually. An active subscription with a period renews automatically.",
        ));
    }
    if subscription.user_status != UserStatus::Active {
        return Err(Rejection::conflict(
            "user_not_active",
            "The customer is not active. Activate the customer first, then renew.",
        ));
    }
    Ok(())
}

/// The next period of a subscription at the current prices.
pub(super) struct Renewal {
    /// Number of contents that the period adds.
    contents: i64,
    pub(super) cost: Money,
    services: Vec<PricedService>,
}

// Store

/// Returns the poller that renews the subscriptions whose period has ended, and pauses those that cannot be renewed.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("subscription_renewal", POLL_INTERVAL, claim, renew_each).with_lease(&SUBSCRIPTION_RENEWAL)
}

/// Runs one poll and returns the number of claimed subscriptions.
pub async fn renew_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim(app: App) -> Result<ClaimedWork<Vec<SubscriptionId>>> {
    let select_due_sql = SUBSCRIPTION_RENEWAL
        .select_claimable_outside_of_batches(&app)
        .push(" ORDER BY renews_at, id LIMIT ?")
        .bind(BATCH_SIZE);
    Ok(SUBSCRIPTION_RENEWAL.claim_batch(&app, select_due_sql).await?)
}

async fn renew_each(app: App, ids: Vec<SubscriptionId>) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for id in ids {
        let ctx = Ctx::system(app.clone(), "subscription");
        match renew_or_pause(&ctx, id).await {
            Ok(()) => summary.done += 1,
            // A conflict with another transaction is not an error of the subscription. Its renewal stays due.
            Err(error) if error.is_retryable() => {}
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => {
                pause_after_error(&ctx, id, error).await?;
                summary.failed += 1;
            }
        }
    }
    Ok(summary)
}

async fn renew_or_pause(ctx: &Ctx, id: SubscriptionId) -> Result<()> {
    let mut work = ctx.begin().await?;
    let subscription = lock_row(&mut work, id).await?;
    let is_due = subscription.renews_at.is_some_and(|renews_at| renews_at <= work.now);
    if !is_due || subscription.is_over(work.now) {
        return Ok(());
    }
    let renewal = match quote(&mut work, &subscription).await {
        Ok(renewal) => renewal,
        Err(Error::Rejected(rejection)) => {
            let reason = format!("{} The panel retries the renewal every day.", rejection.message);
            pause(&mut work, &subscription, &reason).await?;
            return work.finish(()).await;
        }
        Err(error) => return Err(error),
    };
    match check_renewal(&mut work, &subscription, renewal.cost).await? {
        None => renew(&mut work, &subscription, &renewal).await?,
        Some(reason) => pause(&mut work, &subscription, reason).await?,
    }
    work.finish(()).await
}

/// Pauses a subscription whose renewal failed and retries on the next day, so that it does not block other renewals.
async fn pause_after_error(ctx: &Ctx, id: SubscriptionId, error: Error) -> Result<()> {
    let reason = error.report("subscription").message;
    tracing::error!(subscription_id = id.get(), error = reason, "failed to renew a subscription");
    let mut work = ctx.begin().await?;
    let subscription = lock_row(&mut work, id).await?;
    let is_due = subscription.renews_at.is_some_and(|renews_at| renews_at <= work.now);
    if !is_due || subscription.is_over(work.now) {
        return Ok(());
    }
    pause(&mut work, &subscription, &reason).await?;
    work.finish(()).await
}

/// Quotes the next period at the current prices. Returns a 422 if a service is not on sale, or if it now requires more input than a
/// URL.
pub(super) async fn quote(work: &mut UnitOfWork, subscription: &SubscriptionListRow) -> Result<Renewal> {
    let sql = Sql::new(
        "SELECT service_id, quantity, COALESCE(max_quantity, quantity) FROM subscription_services
         WHERE subscription_id = ? ORDER BY service_id",
    );
    let rows: Vec<(ServiceId, i64, i64)> = work.fetch_all(sql.bind(subscription.id)).await?;
    let to_quantity = |(service_id, min, max)| ServiceQuantity { service_id, min, max };
    let quantities: Vec<ServiceQuantity> = rows.into_iter().map(to_quantity).collect();
    let services = price_services(work, subscription.user_id, &quantities, subscription.decimals()).await?;
    let unit_cost = Money::sum(services.iter().map(|service| service.cost))?;
    let (contents_limit, used_contents) =
        (subscription.contents_limit, subscription.subscription_contents_count);
    let contents = count_contents_of_next_period(
        subscription.period_contents.unwrap_or(0),
        contents_limit,
        used_contents,
    );
    let cost = compute_charge(unit_cost, contents_limit - used_contents + contents, subscription.held)?;
    Ok(Renewal { contents, cost, services })
}

/// Returns why a subscription cannot be renewed now; `None` if it can. Locks the balances of the customer.
async fn check_renewal(
    work: &mut UnitOfWork,
    subscription: &SubscriptionListRow,
    cost: Money,
) -> Result<Option<&'static str>> {
    let balances = ledger::lock_balances(work, &[subscription.user_id]).await?;
    let sql = Sql::new("SELECT status FROM users WHERE id = ?").bind(subscription.user_id);
    let (status,): (UserStatus,) = work.fetch_one(sql).await?;
    if status != UserStatus::Active {
        return Ok(Some(
            "The customer is not active. The subscription is renewed when the customer is active again.",
        ));
    }
    let balance = balances.get(&subscription.user_id).map_or(Money::ZERO, |user| user.balance_main);
    Ok((balance < cost)
        .then_some("The balance is too low for the next period. The subscription is renewed when the balance is high enough."))
}

/// Charges the next period and puts the amount on hold. Returns a 422 for the field `balance` if the balance is too low.
pub(super) async fn renew(
    work: &mut UnitOfWork,
    subscription: &SubscriptionListRow,
    renewal: &Renewal,
) -> Result<()> {
    let (Some(renews_at), Some(days)) = (subscription.renews_at, subscription.period_days) else {
        return Err(Error::conflict(
            "subscription_without_period",
            "This subscription has no period, so it cannot be renewed.",
        ));
    };
    let Renewal { contents, cost, services } = renewal;
    if *cost > Money::ZERO {
        let amounts = [(BalanceType::Main, *cost)];
        advances::hold_for_period(work, subscription.owner(), subscription.periods, &amounts).await?;
    }
    let rows = services.iter().map(|service| vec![service.quantity.service_id.into(), service.cost.into()]);
    let sql = Sql::new("UPDATE subscription_services SET cost = r.cost FROM ");
    let sql = sql.rows("r", &["service", "cost"], rows.collect());
    let sql = sql.push(
        " WHERE subscription_services.subscription_id = ? AND subscription_services.service_id = r.service",
    );
    work.execute(sql.bind(subscription.id)).await?;
    let period = Duration::from_hours(24 * days.unsigned_abs());
    let period_end = next_period_end(renews_at, subscription.paused_at.is_some(), period, work.now);
    store::renew(work, (subscription.id, renews_at), (*contents, *cost), period_end).await?;
    let old = json!({ "renews_at": renews_at, "paused_at": subscription.paused_at });
    let new = json!({ "renews_at": period_end, "paused_at": null, "cost": cost, "contents": contents });
    audit::record(
        work,
        "subscription.renewed",
        "subscription",
        AuditChange { id: subscription.id.as_record_id(), old, new },
    )
    .await
}

/// Stops polling the channel until a renewal succeeds. Contents that are already stored are prepaid and get their orders.
async fn pause(work: &mut UnitOfWork, subscription: &SubscriptionListRow, reason: &str) -> Result<()> {
    let now = work.now;
    let renewal_id = (subscription.id, subscription.renews_at);
    store::pause(work, renewal_id, reason, now.plus(RENEWAL_RETRY)).await?;
    if subscription.paused_at.is_some() {
        return Ok(());
    }
    let new = json!({ "paused_at": now, "wait_reason": reason });
    let change = AuditChange { id: subscription.id.as_record_id(), old: json!({ "paused_at": null }), new };
    audit::record(work, "subscription.paused", "subscription", change).await?;
    let sql = Sql::new("SELECT notify_orders FROM users WHERE id = ?").bind(subscription.user_id);
    let (notify_orders,): (bool,) = work.fetch_one(sql).await?;
    let emails: Vec<Job> =
        notify_orders.then(|| Job::Mail(pause_email(subscription, reason))).into_iter().collect();
    jobs::enqueue(work, &emails, now).await
}

fn pause_email(subscription: &SubscriptionListRow, reason: &str) -> Email {
    let SubscriptionListRow { id, user_name, user_email, name, url, .. } = subscription;
    let recipient = Recipient { name: user_name.clone(), email: user_email.clone() };
    emails::subscription_paused(recipient, OrderSummary { id: *id, name, url }, reason)
}

/// Whether subscriptions with this billing type start a new period at the end of each period.
pub(super) fn is_recurring(billing_type: BillingType) -> bool {
    billing_type == BillingType::Recurring
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewal_adds_as_many_contents_as_were_used() {
        assert_eq!(count_contents_of_next_period(10, 10, 10), 10);
        assert_eq!(
            count_contents_of_next_period(10, 10, 4),
            4,
            "six unused contents must reduce the next period"
        );
        assert_eq!(count_contents_of_next_period(10, 10, 0), 0);
        assert_eq!(
            count_contents_of_next_period(10, 25, 20),
            5,
            "contents of earlier periods must not count"
        );
        assert_eq!(count_contents_of_next_period(10, 30, 0), 0);
    }

    #[test]
    fn the_charge_is_the_cost_less_the_held_amount() {
        let charged =
            |unit_cost, contents, held| compute_charge(Money(unit_cost), contents, Money(held)).unwrap().0;
        assert_eq!(charged(10, 3, 0), 30);
        assert_eq!(charged(10, 3, 10), 20, "the amount on hold for an unused content must be deducted");
        assert_eq!(charged(20, 3, 10), 50, "an unused content must be charged at the current price");
        assert_eq!(charged(3, 3, 10), 0, "the charge must not be negative");
        assert!(compute_charge(Money(i64::MAX), 2, Money(0)).is_err());
    }

    #[test]
    fn a_late_period_has_its_full_length() {
        const PERIOD: Duration = Duration::from_micros(50);
        assert_eq!(next_period_end(Time(100), false, PERIOD, Time(101)), Time(150));
        assert_eq!(
            next_period_end(Time(100), false, PERIOD, Time(400)),
            Time(450),
            "a period after a downtime must have its full length"
        );
        assert_eq!(
            next_period_end(Time(100), true, PERIOD, Time(101)),
            Time(151),
            "a period after a pause must have its full length"
        );
    }
}
