//! Asks external panels to cancel what customers requested to cancel. A yes is no end: the attempt is polled at once, and
//! its final count cancels the order (`settle`). A no, a panel without that call, and the deadline hand the request to
//! staff. Nothing here moves money but through the orders' own cancel.

#[cfg(test)]
mod simulation;

use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::cancel_requests::CancelRequestCause;
use panel_contract::ids::{CancelRequestId, ExternalPanelId, OrderId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_domain::cancel_requests::{Way, way};
use panel_kernel::backoff::{Backoff, Chance};
use panel_kernel::error::Result;

use super::leases::CANCEL_REQUEST;
use super::settle::{put_off, settle};
use super::superseded;
use crate::app::App;
use crate::operations::cancel_requests::store::{self, LeasedRequest};
use crate::operations::orders::store as orders;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::placement_attempts::polling;
use crate::supply::panels;
use crate::supply::reseller::{self, PanelError, Reason};
use panel_platform::db::state::Transition;
use panel_platform::db::{Source, Sql, retry};
use panel_platform::lease::declared::calls_within_claim;
use panel_platform::lease::{Claimed, Leased};
use panel_platform::poller::worked::Worked;
use panel_platform::quarantine;
use panel_platform::scope::Scope;

/// Requests of one panel that are claimed together; where a panel answers none of them at once, each takes a call ([`at_once`]).
const BATCH: i64 = 20;
/// Requests without a panel to ask that are looked at in one round.
const UNASSIGNED: i64 = 200;
/// How long a request waits before it is looked at again whether a provider has its order.
const UNASSIGNED_RETRY: Duration = Duration::from_secs(60);
/// Between two calls about a request that the panel gave no answer to; the deadline ends them.
const ASK_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[30, 120, 600, 1_800, 3_600]);

/// How a call ended for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Acknowledged,
    /// In the panel's words.
    Refused(String),
    /// Nothing certain was heard, for this reason.
    Retry(Time, String),
    /// The panel is not called before then; nothing was asked.
    Rest(Time),
}

impl Outcome {
    /// As it is after an earlier call that named this request too: the panel was asked, whatever comes later.
    fn after_call(self) -> Self {
        match self {
            Self::Rest(until) => Self::Retry(until, "The panel is not called before then.".to_owned()),
            other => other,
        }
    }
}

/// Takes the next step of every request that is due, one panel after the other; how many there were. For tests, and for
/// a process that works on one record alone.
pub async fn run_due(app: &App) -> Result<usize> {
    let mut found = judge_due(app).await?.done;
    for panel in panels_due(app).await? {
        found += run_for(app, panel).await?.done;
    }
    Ok(found)
}

/// One batch of a panel.
pub(super) async fn run_for(app: &App, panel: ExternalPanelId) -> Result<Worked> {
    let Claimed { batch, records, guard } = claim(app, panel).await?;
    if records == 0 {
        return Ok(Worked::default());
    }
    guard.work(app, pass_on(app, panel, batch)).await
}

async fn pass_on(app: &App, panel: ExternalPanelId, claimed: Leased<LeasedRequest>) -> Result<Worked> {
    let panel = panels::reachable(app, &mut &app.db, panel).await?;
    let Leased { mut rows, until } = claimed;
    let ids: Vec<CancelRequestId> = rows.iter().map(|request| request.id).collect();
    let asked = store::mark_asked(&app.db, (&ids, until), app.clock.now()).await?;
    // The others were decided meanwhile, or another worker has them.
    rows.retain(|request| asked.contains(&request.id));
    let mut worked = Worked::default();
    for (request, outcome) in ask(app, &panel, &rows).await {
        let written =
            retry::retry(app, retry::RECORD_OUTCOME, || write(app, (request, until), &outcome)).await;
        match written {
            Ok(()) => worked.done += 1,
            Err(error) => worked.fail(CANCEL_REQUEST.kind, request.id.record(), error)?,
        }
    }
    Ok(worked)
}

/// Asks about all at once; where the panel refuses the call as a whole, about each alone: a panel that knows one order a
/// call must not look as if it refused them all.
async fn ask<'c>(
    app: &App,
    panel: &panels::Reachable,
    claimed: &'c [LeasedRequest],
) -> Vec<(&'c LeasedRequest, Outcome)> {
    let outcomes = call(app, panel, claimed).await;
    match outcomes {
        Err(PanelError::Said(..)) if claimed.len() > 1 => {
            let timeout = Duration::from_secs(app.config.outbound.seconds);
            let mut all = Vec::with_capacity(claimed.len());
            for round in claimed.chunks(at_once(claimed.len(), timeout)) {
                let calls: Vec<_> = round.iter().map(|request| ask_alone(app, panel, request)).collect();
                all.extend(join_all(calls).await.into_iter().flatten());
            }
            all
        }
        Err(error) => failed(app, claimed, &error),
        Ok(outcomes) => outcomes,
    }
}

/// Asks about one request that a call for several named before.
async fn ask_alone<'c>(
    app: &App,
    panel: &panels::Reachable,
    request: &'c LeasedRequest,
) -> Vec<(&'c LeasedRequest, Outcome)> {
    let only = std::slice::from_ref(request);
    let outcomes = call(app, panel, only).await.unwrap_or_else(|error| failed(app, only, &error));
    outcomes.into_iter().map(|(request, outcome)| (request, outcome.after_call())).collect()
}

async fn call<'c>(
    app: &App,
    panel: &panels::Reachable,
    claimed: &'c [LeasedRequest],
) -> Result<Vec<(&'c LeasedRequest, Outcome)>, PanelError> {
    let ids: Vec<String> = claimed.iter().map(|request| request.external_order_id.clone()).collect();
    let said = reseller::cancel(app, panel.panel(), &ids).await?;
    let now = app.clock.now();
    let of = |request: &'c LeasedRequest| {
        let outcome = match said.get(&request.external_order_id) {
            Some(Ok(())) => Outcome::Acknowledged,
            Some(Err(words)) => refused(request.tries, words, now),
            None => Outcome::Retry(again(request.tries, now), "The answer lacks this order.".to_owned()),
        };
        (request, outcome)
    };
    Ok(claimed.iter().map(of).collect())
}

/// What an error of a whole call means for each.
fn failed<'c>(
    app: &App,
    claimed: &'c [LeasedRequest],
    error: &PanelError,
) -> Vec<(&'c LeasedRequest, Outcome)> {
    let now = app.clock.now();
    claimed.iter().map(|request| (request, of_error(request.tries, error, now))).collect()
}

// Rules

/// How many of so many requests are asked about side by side, so that the call for all and then the calls for each end while the
/// claim holds.
fn at_once(requests: usize, timeout: Duration) -> usize {
    let rounds = calls_within_claim(timeout).saturating_sub(1).max(1);
    requests.div_ceil(rounds).max(1)
}

fn of_error(tries: i64, error: &PanelError, now: Time) -> Outcome {
    match error {
        PanelError::Resting(until) => Outcome::Rest(*until),
        PanelError::Said(reason, words) if is_about_cancel(*reason, words) => refused(tries, words, now),
        _ => Outcome::Retry(again(tries, now), error.to_string()),
    }
}

/// Whether a no to a whole call is about the order or the call itself, and not about our key, our money or the moment.
fn is_about_cancel(reason: Reason, words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    match reason {
        Reason::Key | Reason::Funds => false,
        Reason::Other => {
            ["cancel", "order", "request", "action", "support"].iter().any(|part| words.contains(part))
        }
        _ => true,
    }
}

/// A no of the panel goes to staff, but for one that asks to wait.
fn refused(tries: i64, words: &str, now: Time) -> Outcome {
    if reseller::asks_to_wait(words) {
        return Outcome::Retry(again(tries, now), words.to_owned());
    }
    Outcome::Refused(words.to_owned())
}

/// When a panel is asked again that gave no answer.
fn again(tries: i64, now: Time) -> Time {
    ASK_BACKOFF.at(tries.saturating_add(1), Chance::NONE, now)
}

// Store

/// Judges what is due and needs no call: requests over their deadline, and those whose panel is not known yet.
pub(super) async fn judge_due(app: &App) -> Result<Worked> {
    let now = app.clock.now();
    let sql = Sql::new(concat!(
        "SELECT c.id, c.order_id FROM order_cancel_requests c WHERE c.due_at IS NOT NULL AND c.due_at <= ?
           AND (c.external_panel_order_id IS NULL OR c.deadline_at <= ? OR c.acknowledged_at IS NOT NULL OR NOT EXISTS (
             SELECT 1 FROM external_panel_orders a WHERE a.id = c.external_panel_order_id AND a.external_order_id IS NOT NULL
               AND ",
        attempt_is!(open, "a"),
        "))",
    ));
    let sql = sql.bind(now).bind(now);
    let sql = sql.append(quarantine::condition_without_lease(app, Poller::CancelRequest, "c.id"));
    let due: Vec<(CancelRequestId, OrderId)> =
        (&mut &app.db).all(sql.push(" ORDER BY c.due_at, c.id LIMIT ?").bind(UNASSIGNED)).await?;
    let ids: Vec<CancelRequestId> = due.iter().map(|(id, _)| *id).collect();
    let batch = quarantine::claim_for(app, Poller::CancelRequest, &ids).await?;
    batch.work(app, judge_all(app, &due)).await
}

async fn judge_all(app: &App, due: &[(CancelRequestId, OrderId)]) -> Result<Worked> {
    let mut worked = Worked::default();
    for (id, order) in due {
        match judge(app, *id, *order).await {
            Ok(()) => worked.done += 1,
            Err(error) => {
                worked.fail(CANCEL_REQUEST.kind, id.record(), error)?;
                let now = app.clock.now();
                let until = now.after(UNASSIGNED_RETRY);
                let written = store::put_off(&mut &app.db, *id, now, until).await;
                put_off(id.record(), written.map(Transition::or_nothing));
            }
        }
    }
    Ok(worked)
}

/// One request, in a transaction of its own with its order locked.
async fn judge(app: &App, id: CancelRequestId, order: OrderId) -> Result<()> {
    let mut work = Scope::system(app, "cancel").begin().await?;
    let now = work.now;
    orders::lock(&mut work, &[order]).await?;
    let Some(facts) = store::undecided(&mut work, id, now).await? else { return work.finish(()).await };
    let open = store::open_attempts(&mut work, &[order]).await?.remove(&order).unwrap_or_default();
    let over = |cause| (facts.deadline_at <= now).then_some(cause);
    let cause = match facts.acknowledged_at {
        Some(_) => over(CancelRequestCause::NotEnded),
        None => over(CancelRequestCause::NoAnswer),
    };
    match (way(&open), cause) {
        (Way::AtOnce, _) => {
            settle(&mut work, &[order]).await?;
            // Where it is not decided by that, it is looked at again.
            store::put_off(&mut work, id, now, now.after(UNASSIGNED_RETRY)).await?.or_nothing();
        }
        (_, Some(cause)) => store::escalate(&mut work, id, cause, None).await?,
        (Way::Staff(cause, attempt), None) => {
            store::escalate(&mut work, id, cause, attempt).await?;
        }
        (Way::Ask(attempt), None) if facts.acknowledged_at.is_none() => {
            store::assign(&mut work, id, attempt, now).await?.or_nothing();
        }
        (Way::Ask(_) | Way::Wait, None) => {
            store::put_off(&mut work, id, now, now.after(UNASSIGNED_RETRY)).await?.or_nothing();
        }
    }
    work.finish(()).await
}

/// Panels with a request that is due, but for those that are not called now.
pub(super) async fn panels_due(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT DISTINCT e.external_panel_id FROM order_cancel_requests JOIN external_panel_orders e ON e.id = order_cancel_requests.external_panel_order_id
         JOIN external_panels x ON x.id = e.external_panel_id WHERE x.api_token_sealed IS NOT NULL AND order_cancel_requests.due_at IS NOT NULL AND order_cancel_requests.due_at <= ? AND deadline_at > ? AND ",
    );
    let sql = sql.bind(now).bind(now).push(store::ASKABLE).push(")");
    let sql = sql.append(quarantine::condition(app, Poller::CancelRequest, "order_cancel_requests.id"));
    let due: Vec<(ExternalPanelId,)> = (&mut &app.db).all(sql.push(" ORDER BY e.external_panel_id")).await?;
    Ok(due.into_iter().map(|(panel,)| panel).filter(|panel| !app.panel_limits.is_open(*panel, now)).collect())
}

async fn claim(app: &App, panel: ExternalPanelId) -> Result<Claimed<Leased<LeasedRequest>>> {
    let due = CANCEL_REQUEST.due(app).push(" AND deadline_at > ? AND ").bind(app.clock.now());
    let due = due.push(store::ASKABLE).push(" AND a.external_panel_id = ?)").bind(panel);
    let due = due.push(" ORDER BY due_at, id LIMIT ?").bind(BATCH);
    Ok(CANCEL_REQUEST.claim(app, due, LeasedRequest::COLUMNS).await?)
}

async fn write(app: &App, (request, lease): (&LeasedRequest, Time), outcome: &Outcome) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease);
    let written = match outcome {
        Outcome::Retry(at, why) => store::retry(&mut &app.db, leased, *at, Some(why)).await?,
        Outcome::Rest(until) => store::unmark_asked(&mut &app.db, leased, *until).await?,
        Outcome::Acknowledged => {
            let mut tx = app.db.begin().await?;
            let written = store::acknowledge(&mut tx, leased, now).await?;
            // Also where another worker has the request by now: the panel agreed all the same.
            polling::poll_now(&mut tx, request.attempt, now).await?.or_nothing();
            tx.commit().await?;
            written
        }
        Outcome::Refused(words) => {
            let mut work = Scope::system(app, "cancel").begin().await?;
            let written = store::escalate_refused(&mut work, leased, words).await?;
            // It may be over already: then its end decides.
            polling::poll_now(&mut work, request.attempt, now).await?.or_nothing();
            work.finish(()).await?;
            written
        }
    };
    superseded::count(CANCEL_REQUEST.kind, request.id.record(), written);
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_platform::lease::declared::CLAIM;

    use super::*;

    #[test]
    fn a_batch_ends_while_its_claim_holds() {
        let most = usize::try_from(BATCH).unwrap();
        for secs in 1..=60 {
            let timeout = Duration::from_secs(secs);
            for requests in 1..=most {
                let calls = 1 + requests.div_ceil(at_once(requests, timeout));
                assert!(timeout * u32::try_from(calls).unwrap() <= CLAIM, "{calls} calls of {secs} s");
            }
        }
        assert_eq!(at_once(most, Duration::from_secs(15)), 4);
        assert_eq!(at_once(most, Duration::from_secs(1)), 1, "one after the other where there is time");
    }

    #[test]
    fn only_a_no_about_the_order_goes_to_staff() {
        let said = |reason, words: &str| of_error(0, &PanelError::Said(reason, words.into()), Time(0));
        for (reason, words) in [
            (Reason::Order, "Incorrect order ID"),
            (Reason::Other, "Order cannot be canceled"),
            (Reason::Other, "Incorrect request"),
        ] {
            assert_eq!(said(reason, words), Outcome::Refused(words.into()), "{words}");
        }
        for (reason, words) in [
            (Reason::Key, "Invalid API key"),
            (Reason::Other, "Too many requests, please try again later"),
            (Reason::Other, "The panel answered 429: too many calls."),
        ] {
            assert!(matches!(said(reason, words), Outcome::Retry(Time(30_000_000), _)), "{words}");
        }
        assert_eq!(of_error(0, &PanelError::Resting(Time(9)), Time(0)), Outcome::Rest(Time(9)));
        let unclear = PanelError::Unclear("cut".into());
        assert!(matches!(of_error(2, &unclear, Time(0)), Outcome::Retry(Time(600_000_000), _)));
        assert!(
            matches!(of_error(99, &unclear, Time(0)), Outcome::Retry(Time(3_600_000_000), _)),
            "every hour"
        );
    }
}
