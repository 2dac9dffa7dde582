//! Renewing subscriptions that are paid by the period. At the end of a period the contents that were used are paid ahead
//! again, so that each period has as many as the first; unused ones stay paid. A balance that does not cover the renewal
//! pauses the subscription: nothing new is looked for, the renewal is tried again every day, and staff and customer are
//! told once.

use panel_contract::amount::{Money, Overflow};
use panel_contract::moment::Time;
use panel_contract::payments::BalanceType;
use panel_contract::quarantine::Poller;
use panel_contract::subscriptions::BillingType;
use panel_contract::users::UserStatus;
use serde_json::json;

use super::{Record, lock, written};
use crate::app::App;
use crate::audit::{self, Change};
use crate::db::{Source, Sql};
use crate::http::Ctx;
use crate::http::error::{ApiError, Result};
use crate::jobs::{self, Job};
use crate::ledger;
use crate::mail::Letter;
use crate::operations::advances;
use crate::quarantine;
use crate::refusal::Refusal;
use crate::work::Work;

/// Subscriptions renewed between two looks for others.
const BATCH: i64 = 50;
/// Microseconds of a day; a paused renewal is tried again after it.
pub(super) const DAY: i64 = 86_400_000_000;

// Rules

/// Contents that the next period pays for: as many as were used of the last one.
fn used(period_contents: i64, limit: i64, done: i64) -> i64 {
    (period_contents - (limit - done)).max(0)
}

/// When the period after the one that begins now ends. A period that began late, after a pause or downtime, is a whole one.
fn next_end(renews_at: Time, is_paused: bool, period: i64, now: Time) -> Time {
    let next = Time(renews_at.0 + period);
    if is_paused || next <= now { Time(now.0 + period) } else { next }
}

/// Whether staff may renew a subscription now: only one that is paused.
pub(super) fn judge(subscription: &Record) -> Result<(), Refusal> {
    if subscription.paused_at.is_some() {
        return Ok(());
    }
    Err(Refusal::conflict(
        "subscription_not_paused",
        "Only a paused subscription is renewed by hand; this one renews by itself where it is paid by the period.",
    ))
}

// Store

/// Renews those whose period is over, or pauses them; how many there were.
pub async fn renew_due(app: &App) -> Result<usize> {
    let sql = Sql::new(
        "SELECT id FROM subscriptions WHERE renews_at IS NOT NULL AND status = 'in_processing' AND renews_at <= ?",
    );
    let sql = sql.bind(app.clock.now());
    let sql =
        sql.append(quarantine::condition_without_lease(app, Poller::SubscriptionExpiry, "subscriptions.id"));
    let due: Vec<(i64,)> =
        (&mut &app.db).all(sql.push(" ORDER BY renews_at, id LIMIT ?").bind(BATCH)).await?;
    let due: Vec<i64> = due.into_iter().map(|(id,)| id).collect();
    let batch = quarantine::claim_for(app, Poller::SubscriptionExpiry, &due).await?;
    batch.work(app, renew_these(app, &due)).await?;
    Ok(due.len())
}

async fn renew_these(app: &App, due: &[i64]) -> Result<()> {
    for id in due {
        let mut work = Ctx::system(app.clone(), "subscription").begin().await?;
        let subscription = lock(&mut work, *id).await?;
        let is_due = subscription.renews_at.is_some_and(|at| at <= work.now);
        if !is_due || subscription.is_over(work.now) {
            continue;
        }
        let cost = cost(&mut work, &subscription).await?;
        match obstacle(&mut work, &subscription, cost).await? {
            None => renew(&mut work, &subscription).await?,
            Some(why) => pause(&mut work, &subscription, why).await?,
        }
        work.finish(()).await?;
    }
    Ok(())
}

/// What the next period costs.
async fn cost(work: &mut Work, subscription: &Record) -> Result<Money> {
    let sql = Sql::new(
        "SELECT CAST(COALESCE(sum(cost), 0) AS BIGINT) FROM subscription_services WHERE subscription_id = ?",
    );
    let (one,): (i64,) = work.one(sql.bind(subscription.id)).await?;
    Ok(Money(one.checked_mul(missing(subscription)).ok_or(Overflow)?))
}

fn missing(subscription: &Record) -> i64 {
    let contents = subscription.period_contents.unwrap_or(0);
    used(contents, subscription.contents_limit, subscription.subscription_contents_count)
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
pub(super) async fn renew(work: &mut Work, subscription: &Record) -> Result<()> {
    let (Some(renews_at), Some(days)) = (subscription.renews_at, subscription.period_days) else {
        return Err(ApiError::conflict(
            "subscription_without_period",
            "This subscription has no period; nothing renews it.",
        ));
    };
    let (cost, missing) = (cost(work, subscription).await?, missing(subscription));
    if cost > Money::ZERO {
        let parts = [(BalanceType::Main, cost)];
        advances::hold_more(work, subscription.owner(), subscription.periods, &parts).await?;
    }
    let (now, stamp) = (work.now, work.stamp());
    let next = next_end(renews_at, subscription.paused_at.is_some(), days * DAY, now);
    let sql = Sql::new(
        "UPDATE subscriptions SET contents_limit = contents_limit + ?, cost = cost + ?, periods = periods + 1, renews_at = ?, paused_at = NULL,
           wait_reason = NULL, look_at = COALESCE(look_at, CAST(? AS BIGINT)), updated_at = ? WHERE id = ? AND status = 'in_processing' AND renews_at = ?",
    );
    let sql = sql.bind(missing).bind(cost).bind(next).bind(now).bind(stamp).bind(subscription.id);
    written(work.exec(sql.bind(renews_at)).await?)?;
    let old = json!({ "renews_at": renews_at, "paused_at": subscription.paused_at });
    let new = json!({ "renews_at": next, "paused_at": null, "cost": cost, "contents": missing });
    audit::record(work, "subscription.renewed", "subscription", Change { id: subscription.id, old, new })
        .await
}

/// Stops looking for contents until a renewal succeeds. Contents that were found are paid and get their orders.
async fn pause(work: &mut Work, subscription: &Record, why: &'static str) -> Result<()> {
    let (now, stamp) = (work.now, work.stamp());
    let sql = Sql::new(
        "UPDATE subscriptions SET paused_at = COALESCE(paused_at, CAST(? AS BIGINT)), look_at = NULL, wait_reason = ?, renews_at = ?, updated_at = ?
         WHERE id = ? AND status = 'in_processing' AND renews_at = ?",
    );
    let sql = sql.bind(now).bind(why).bind(Time(now.0 + DAY)).bind(stamp).bind(subscription.id);
    written(work.exec(sql.bind(subscription.renews_at)).await?)?;
    if subscription.paused_at.is_some() {
        return Ok(());
    }
    let new = json!({ "paused_at": now, "wait_reason": why });
    let change = Change { id: subscription.id, old: json!({ "paused_at": null }), new };
    audit::record(work, "subscription.paused", "subscription", change).await?;
    let sql = Sql::new("SELECT notify_orders FROM users WHERE id = ?").bind(subscription.user_id);
    let (wants_mail,): (bool,) = work.one(sql).await?;
    let letters: Vec<Job> = wants_mail.then(|| Job::Mail(letter(subscription, why))).into_iter().collect();
    jobs::enqueue(work, &letters, now).await
}

fn letter(subscription: &Record, why: &str) -> Letter {
    Letter {
        name: subscription.user_name.clone(),
        email: subscription.user_email.clone(),
        subject: format!("Subscription {} is paused", subscription.id),
        text: format!(
            "Hello {},\n\nyour subscription {} ({}) is paused: its period is over and could not be renewed.\n{}\n\n{why}\n",
            subscription.user_name, subscription.id, subscription.name, subscription.url
        ),
    }
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
    fn a_late_period_is_a_whole_one() {
        assert_eq!(next_end(Time(100), false, 50, Time(101)), Time(150));
        assert_eq!(next_end(Time(100), false, 50, Time(400)), Time(450), "after downtime");
        assert_eq!(next_end(Time(100), true, 50, Time(101)), Time(151), "after a pause");
    }
}
