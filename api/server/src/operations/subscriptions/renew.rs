//! Renewing subscriptions that are paid by the period. At the end of a period the contents that were used are paid ahead
//! again, so that each period has as many as the first. All contents of the next period cost what its services cost the
//! customer on that day; what is still held for unused ones counts towards it. A balance that does not cover the renewal, or
//! a service that is off sale, pauses the subscription: nothing new is looked for, the renewal is tried again every day, and
//! staff and customer are notified once.

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

use super::start::{Each, PricedService, priced};
use super::{Record, lock, store};
use crate::app::App;
use crate::context::Ctx;
use crate::emails::{self, OrderSummary, Recipient};
use crate::operations::advances;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::lease::Claimed;
use panel_platform::lease::declared::{DueMoves, Lease};
use panel_platform::ledger;
use panel_platform::mail::Email;
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::work::Work;

/// Between two polls.
const EVERY: Duration = Duration::from_secs(1);
/// Subscriptions renewed between two looks for others.
const BATCH: i64 = 50;
/// How long a paused renewal waits until it is tried again.
const RENEWAL_RETRY: Duration = Duration::from_secs(86_400);

/// The end of a subscription's period. One word quarantines it for its end and its renewal.
pub const SUBSCRIPTION_RENEWAL: Lease = Lease {
    kind: QuarantineKind::SubscriptionExpiry,
    record: "subscriptions.id",
    due: "renews_at",
    filter: " AND status = 'in_processing'",
    moves: DueMoves::Never,
    error: Some("look_error"),
};

// Rules

/// Contents that the next period pays for: as many as were used of the last one.
fn used(period_contents: i64, limit: i64, done: i64) -> i64 {
    (period_contents - (limit - done)).max(0)
}

/// When the period after the one that begins now ends. A period that began late, after a pause or downtime, is a whole one.
fn next_end(renews_at: Time, is_paused: bool, period: Duration, now: Time) -> Time {
    let next = renews_at.after(period);
    if is_paused || next <= now { now.after(period) } else { next }
}

/// What is charged for so many contents at `one` each, where `held` is still held for some of them.
fn charge(one: Money, contents: i64, held: Money) -> Result<Money, Overflow> {
    let cost = one.0.checked_mul(contents).ok_or(Overflow)?;
    Ok(Money((cost - held.0).max(0)))
}

/// Whether staff may renew a subscription now: only one that is paused, of a customer who may order.
pub(super) fn judge(subscription: &Record) -> Result<(), Rejection> {
    if subscription.paused_at.is_none() {
        return Err(Rejection::conflict(
            "subscription_not_paused",
            "Only a paused subscription is renewed by hand; this one renews by itself where it is paid by the period.",
        ));
    }
    if subscription.user_status != UserStatus::Active {
        return Err(Rejection::conflict(
            "user_not_active",
            "The customer is not active; activate them first, then renew.",
        ));
    }
    Ok(())
}

/// The next period of a subscription at today's prices.
pub(super) struct Renewal {
    /// Contents that the period adds.
    contents: i64,
    /// What is charged for it.
    pub(super) cost: Money,
    services: Vec<PricedService>,
}

// Store

/// Renews subscriptions whose period is over, or pauses them.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("subscription_renewal", EVERY, claim, renew_each).of(&SUBSCRIPTION_RENEWAL)
}

/// One poll; how many subscriptions there were.
pub async fn renew_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim(app: App) -> Result<Claimed<Vec<SubscriptionId>>> {
    let due = SUBSCRIPTION_RENEWAL.due_unclaimed(&app).push(" ORDER BY renews_at, id LIMIT ?").bind(BATCH);
    Ok(SUBSCRIPTION_RENEWAL.claim_batch(&app, due).await?)
}

async fn renew_each(app: App, due: Vec<SubscriptionId>) -> Result<Worked> {
    let mut worked = Worked::default();
    for id in due {
        let ctx = Ctx::system(app.clone(), "subscription");
        match renew_due_one(&ctx, id).await {
            Ok(()) => worked.done += 1,
            // Another transaction was in the way, which says nothing of the subscription: it stays due.
            Err(error) if error.is_worth_a_retry() => {}
            Err(error) if error.is_gone() => return Err(error),
            Err(error) => {
                pause_failed(&ctx, id, error).await?;
                worked.failed += 1;
            }
        }
    }
    Ok(worked)
}

async fn renew_due_one(ctx: &Ctx, id: SubscriptionId) -> Result<()> {
    let mut work = ctx.begin().await?;
    let subscription = lock(&mut work, id).await?;
    let is_due = subscription.renews_at.is_some_and(|at| at <= work.now);
    if !is_due || subscription.is_over(work.now) {
        return Ok(());
    }
    let renewal = match quote(&mut work, &subscription).await {
        Ok(renewal) => renewal,
        Err(Error::Rejected(rejection)) => {
            let why = format!("{} The subscription renews once that has changed.", rejection.message);
            pause(&mut work, &subscription, &why).await?;
            return work.finish(()).await;
        }
        Err(fault) => return Err(fault),
    };
    match obstacle(&mut work, &subscription, renewal.cost).await? {
        None => renew(&mut work, &subscription, &renewal).await?,
        Some(why) => pause(&mut work, &subscription, why).await?,
    }
    work.finish(()).await
}

/// A renewal that failed is tried again on the next day, so that it is not in the way of the others.
async fn pause_failed(ctx: &Ctx, id: SubscriptionId, error: Error) -> Result<()> {
    let why = error.report("subscription").message;
    tracing::error!(subscription_id = id.get(), error = why, "failed to renew a subscription");
    let mut work = ctx.begin().await?;
    let subscription = lock(&mut work, id).await?;
    let is_due = subscription.renews_at.is_some_and(|at| at <= work.now);
    if !is_due || subscription.is_over(work.now) {
        return Ok(());
    }
    pause(&mut work, &subscription, &why).await?;
    work.finish(()).await
}

/// What the next period costs at today's prices. A service that is off sale, or that asks for answers by now, is 422.
pub(super) async fn quote(work: &mut Work, subscription: &Record) -> Result<Renewal> {
    let sql = Sql::new(
        "SELECT service_id, quantity AS least, COALESCE(max_quantity, quantity) AS most FROM subscription_services
         WHERE subscription_id = ? ORDER BY service_id",
    );
    let services: Vec<(ServiceId, i64, i64)> = work.all(sql.bind(subscription.id)).await?;
    let each = |(service_id, least, most)| Each { service_id, least, most };
    let services: Vec<Each> = services.into_iter().map(each).collect();
    let services = priced(work, subscription.user_id, &services, subscription.places()).await?;
    let one = Money::sum(services.iter().map(|service| service.cost))?;
    let (limit, done) = (subscription.contents_limit, subscription.subscription_contents_count);
    let contents = used(subscription.period_contents.unwrap_or(0), limit, done);
    let cost = charge(one, limit - done + contents, subscription.held)?;
    Ok(Renewal { contents, cost, services })
}

/// Why a subscription cannot be renewed now; the customer is locked.
async fn obstacle(work: &mut Work, subscription: &Record, cost: Money) -> Result<Option<&'static str>> {
    let balances = ledger::balances(work, &[subscription.user_id]).await?;
    let sql = Sql::new("SELECT status FROM users WHERE id = ?").bind(subscription.user_id);
    let (status,): (UserStatus,) = work.one(sql).await?;
    if status != UserStatus::Active {
        return Ok(Some("The customer is not active; the subscription renews once they are."));
    }
    let balance = balances.get(&subscription.user_id).map_or(Money::ZERO, |user| user.balance_main);
    Ok((balance < cost)
        .then_some("The balance does not cover the next period; the subscription renews once it does."))
}

/// Pays the next period ahead; too little balance is 422 on `balance`.
pub(super) async fn renew(work: &mut Work, subscription: &Record, renewal: &Renewal) -> Result<()> {
    let (Some(renews_at), Some(days)) = (subscription.renews_at, subscription.period_days) else {
        return Err(Error::conflict(
            "subscription_without_period",
            "This subscription has no period; nothing renews it.",
        ));
    };
    let Renewal { contents, cost, services } = renewal;
    if *cost > Money::ZERO {
        let parts = [(BalanceType::Main, *cost)];
        advances::hold_more(work, subscription.owner(), subscription.periods, &parts).await?;
    }
    let rows = services.iter().map(|service| vec![service.each.service_id.into(), service.cost.into()]);
    let sql = Sql::new("UPDATE subscription_services SET cost = r.cost FROM ");
    let sql = sql.rows("r", &["service", "cost"], rows.collect());
    let sql = sql.push(
        " WHERE subscription_services.subscription_id = ? AND subscription_services.service_id = r.service",
    );
    work.exec(sql.bind(subscription.id)).await?;
    let period = Duration::from_hours(24 * days.unsigned_abs());
    let next = next_end(renews_at, subscription.paused_at.is_some(), period, work.now);
    store::renew(work, (subscription.id, renews_at), (*contents, *cost), next).await?;
    let old = json!({ "renews_at": renews_at, "paused_at": subscription.paused_at });
    let new = json!({ "renews_at": next, "paused_at": null, "cost": cost, "contents": contents });
    audit::record(
        work,
        "subscription.renewed",
        "subscription",
        Change { id: subscription.id.record(), old, new },
    )
    .await
}

/// Stops looking for contents until a renewal succeeds. Contents that were found are paid and get their orders.
async fn pause(work: &mut Work, subscription: &Record, why: &str) -> Result<()> {
    let now = work.now;
    let which = (subscription.id, subscription.renews_at);
    store::pause(work, which, why, now.after(RENEWAL_RETRY)).await?;
    if subscription.paused_at.is_some() {
        return Ok(());
    }
    let new = json!({ "paused_at": now, "wait_reason": why });
    let change = Change { id: subscription.id.record(), old: json!({ "paused_at": null }), new };
    audit::record(work, "subscription.paused", "subscription", change).await?;
    let sql = Sql::new("SELECT notify_orders FROM users WHERE id = ?").bind(subscription.user_id);
    let (wants_mail,): (bool,) = work.one(sql).await?;
    let emails: Vec<Job> = wants_mail.then(|| Job::Mail(email(subscription, why))).into_iter().collect();
    jobs::enqueue(work, &emails, now).await
}

fn email(subscription: &Record, why: &str) -> Email {
    let Record { id, user_name, user_email, name, url, .. } = subscription;
    let to = Recipient { name: user_name.clone(), email: user_email.clone() };
    emails::subscription_paused(to, OrderSummary { id: *id, name, url }, why)
}

/// Whether a subscription starts another period at the end of this one.
pub(super) fn recurs(billing_type: BillingType) -> bool {
    billing_type == BillingType::Recurring
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_pays_for_what_was_used() {
        assert_eq!(used(10, 10, 10), 10);
        assert_eq!(used(10, 10, 4), 4, "six are left");
        assert_eq!(used(10, 10, 0), 0);
        assert_eq!(used(10, 25, 20), 5, "old contents before count for nothing");
        assert_eq!(used(10, 30, 0), 0);
    }

    #[test]
    fn the_next_period_costs_what_is_not_held_yet() {
        let of = |one, contents, held| charge(Money(one), contents, Money(held)).unwrap().0;
        assert_eq!(of(10, 3, 0), 30);
        assert_eq!(of(10, 3, 10), 20, "one is left");
        assert_eq!(of(20, 3, 10), 50, "the one that is left costs more by now");
        assert_eq!(of(3, 3, 10), 0, "and never less than nothing");
        assert!(charge(Money(i64::MAX), 2, Money(0)).is_err());
    }

    #[test]
    fn a_late_period_is_a_whole_one() {
        const PERIOD: Duration = Duration::from_micros(50);
        assert_eq!(next_end(Time(100), false, PERIOD, Time(101)), Time(150));
        assert_eq!(next_end(Time(100), false, PERIOD, Time(400)), Time(450), "after downtime");
        assert_eq!(next_end(Time(100), true, PERIOD, Time(101)), Time(151), "after a pause");
    }
}
