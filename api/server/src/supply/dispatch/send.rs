//! Sending orders to panels. The attempt is claimed before the call; after a call whose end is unclear it is never sent
//! again by itself (`reconcile` looks for it, or a person does). No transaction is open during a call. What an attempt ended
//! with is written only as long as the claim holds; that the panel has it is written even after.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_contract::rejections::RejectionReason;
use panel_kernel::error::Result;
use serde_json::json;

use super::attempts::{self, Unsent};
use super::caught;
use super::rules;
use super::settle;
use crate::app::App;
use crate::operations::orders::store;
use crate::supply::panels::Reachable;
use crate::supply::reseller::placement::Placement;
use crate::supply::reseller::{self, PanelError};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::work::Work;

/// Orders sent side by side to one panel.
const AT_ONCE: i64 = 10;
/// How often what a panel said is tried to be written.
const WRITES: u32 = 5;
/// How long it is tried that a panel took an order while the database is not there, well below a claim.
const PATIENCE: Duration = Duration::from_secs(45);
/// Between the first two of these tries; each further pause is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long an attempt waits whose order stands still.
const WAITING: i64 = 30_000_000;

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Sent {
    /// The panel has it, under this id.
    Taken(String),
    /// Whether the panel took it is not known; its exact words, where they can be taught.
    Unclear(String, Option<String>),
    /// It has heard nothing: this does not count as a try.
    Unheard(Time),
    /// It surely does not have it, and another try may help.
    Later(String),
    /// It surely does not have it, and will take it once somebody paid, gave the right key, or time went by.
    Someday(String),
    /// It surely does not have it, and no try will help.
    Never(String),
}

/// Sends what is due at one panel, up to `calls`; how many there were.
pub(super) async fn send_due(app: &App, panel: &Reachable, calls: i64) -> Result<usize> {
    if calls == 0 {
        return Ok(0);
    }
    let (claimed, batch) = attempts::claim_unsent(app, panel.id, calls.min(AT_ONCE)).await?;
    let now = app.clock.now();
    if claimed.is_empty() {
        attempts::put_off_waiting(app, panel.id, Time(now.0 + WAITING)).await?;
        return Ok(0);
    }
    let all = claimed.iter().map(|attempt| {
        caught(async move {
            let (request, sent) = send(app, panel, attempt).await;
            // At once: what one call brought is not lost with another one, nor with a process that dies meanwhile.
            let written = write_surely(app, attempt, &request, &sent).await;
            if let Err(error) = &written {
                tracing::error!(?error, attempt = attempt.id, ?sent, "what a panel said was not written");
            }
            written
        })
    });
    batch.work(app, join_all(all)).await.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(claimed.len())
}

async fn send(app: &App, panel: &Reachable, attempt: &Unsent) -> (String, Sent) {
    let Some(service) = attempt.external_panel_service_id.as_deref() else {
        return (String::new(), Sent::Never("The provider names no service of its panel.".into()));
    };
    match attempt.prepare() {
        Err(missing) => (String::new(), Sent::Never(missing)),
        Ok(prepared) => {
            let request = &prepared.request;
            if app.clock.now().0 - attempt.claimed_at.0 >= attempts::BEGIN {
                return (shown(service, request), Sent::Unheard(app.clock.now()));
            }
            let placed = reseller::add(app, panel.panel(), &panel.rejections, service, request).await;
            (shown(service, request), sent(placed))
        }
    }
}

// Rules

/// What the end of a call means. Only what surely was not taken leads to another call, here or at the next provider.
fn sent(placed: Placement) -> Sent {
    use RejectionReason as R;
    match placed {
        Placement::Accepted(id) => Sent::Taken(id),
        Placement::Unknown { why, message } => Sent::Unclear(why, message),
        Placement::NotSent(PanelError::Resting(until)) => Sent::Unheard(until),
        Placement::NotSent(error @ PanelError::Unreached(_)) => Sent::Someday(error.to_string()),
        Placement::NotSent(error) => Sent::Later(error.to_string()),
        Placement::Rejected(reason, words) => match reason {
            // The same request would be rejected again; another panel may sell it.
            R::UnknownService | R::QuantityBelow | R::QuantityAbove | R::InvalidLink | R::InvalidRequest => {
                Sent::Never(words)
            }
            R::InvalidKey | R::AccountSuspended | R::InsufficientFunds | R::DuplicateLink => {
                Sent::Someday(words)
            }
            R::ServiceDisabled | R::TooManyCalls => Sent::Later(words),
        },
    }
}

/// The call as staff see it: without the key, which never was in it.
fn shown(service: &str, request: &AddOrderRequest) -> String {
    let fields = reseller::add_fields(service, request);
    let mut shown = json!({ "action": "add" });
    for (name, value) in fields {
        shown[name] = json!(value);
    }
    attempts::kept(&shown.to_string())
}

// Store

/// Writes it, and waits for a database that is gone where a panel took the order: else it would have it, and nobody here
/// knew. Anything else it said is not tried again: where the first try was written after all, the attempt may be somebody
/// else's by now. A person decides then.
async fn write_surely(app: &App, attempt: &Unsent, request: &str, sent: &Sent) -> Result<()> {
    let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        match write_in_turn(app, attempt, request, sent).await {
            Err(error) if error.is_gone() && matches!(sent, Sent::Taken(_)) && begun.elapsed() < PATIENCE => {
                tracing::warn!(
                    ?error,
                    attempt = attempt.id,
                    ?sent,
                    "what a panel said waits for the database"
                );
            }
            other => return other,
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Writes it, and tries more than once where the database was only busy.
async fn write_in_turn(app: &App, attempt: &Unsent, request: &str, sent: &Sent) -> Result<()> {
    for turn in 1..WRITES {
        match write(app, attempt, request, sent).await {
            Err(error) if error.is_worth_a_retry() => {
                // Uneven pauses, so that two that met do not meet again.
                let [spread] = app.random.bytes::<1>();
                tokio::time::sleep(Duration::from_millis(u64::from(turn * u32::from(spread) / 8))).await;
            }
            other => return other,
        }
    }
    write(app, attempt, request, sent).await
}

async fn write(app: &App, attempt: &Unsent, request: &str, sent: &Sent) -> Result<()> {
    let now = app.clock.now();
    match sent {
        Sent::Taken(id) => taken(app, attempt.id, id, request).await,
        Sent::Unclear(why, message) => unclear(app, attempt, why, message.as_deref(), request).await,
        Sent::Unheard(until) => back(app, attempt, None, *until, attempt.tries - 1).await,
        Sent::Later(why) => match rules::again(attempt.tries, now) {
            Some(at) => back(app, attempt, Some(why), at, attempt.tries).await,
            None => give_up(app, attempt, why, request).await,
        },
        Sent::Someday(why) => match rules::again(attempt.tries, now) {
            Some(at) => back(app, attempt, Some(why), at, attempt.tries).await,
            None => hand_on(app, attempt, why, request).await,
        },
        Sent::Never(why) => give_up(app, attempt, why, request).await,
    }
}

/// The panel has it. Whoever wanted it canceled meanwhile is passed on with the next look.
pub(super) async fn taken(app: &App, id: i64, external: &str, request: &str) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET external_order_id = ?, status = ?, last_error = NULL, alert_at = NULL, tries = 0, last_request = ?,
           last_answer = ?, due_at = CASE WHEN cancel_requested_at IS NULL THEN CAST(? AS BIGINT) ELSE CAST(? AS BIGINT) END, updated_at = ?,
           full_charge = (SELECT CASE WHEN p.source_price * 1.0 * external_panel_orders.initial_quantity / p.source_pricing_per < 9e18
             THEN CAST(p.source_price * 1.0 * external_panel_orders.initial_quantity / p.source_pricing_per AS BIGINT) END
             FROM providers p WHERE p.id = external_panel_orders.provider_id)
         WHERE id = ? AND status = 'Creating' AND sent_at IS NOT NULL AND external_order_id IS NULL",
    );
    let answer = json!({ "order": external }).to_string();
    let sql = sql.bind(external).bind(ExternalStatus::Pending.as_str()).bind(request).bind(&*answer);
    let sql = sql.bind(now.0 + rules::pace(0, true)).bind(now).bind(now).bind(id);
    match (&mut &app.db).exec(sql).await {
        Err(error) if error.is_unique() => contested(app, id, external, request, &answer).await,
        other => Ok(other.map(drop)?),
    }
}

/// Another open attempt has this id already: which of the two it is only a person finds out.
async fn contested(app: &App, id: i64, external: &str, request: &str, answer: &str) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET last_error = ?, alert_at = ?, due_at = NULL, last_request = ?, last_answer = ?, updated_at = ?
         WHERE id = ? AND status = 'Creating' AND sent_at IS NOT NULL AND external_order_id IS NULL",
    );
    let why = format!("The panel says that it is its order {external}, which another attempt is already.");
    let sql = sql.bind(attempts::kept(&why)).bind(now).bind(request).bind(answer).bind(now).bind(id);
    (&mut &app.db).exec(sql).await?;
    Ok(())
}

/// Nobody knows: staff see it, and somebody looks for it soon.
async fn unclear(app: &App, attempt: &Unsent, why: &str, message: Option<&str>, request: &str) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET last_error = ?, last_request = ?, last_answer = ?, unknown_message = ?, alert_at = ?, tries = 0, due_at = ?, updated_at = ?
         WHERE id = ? AND sent_at = ? AND status = 'Creating' AND external_order_id IS NULL",
    );
    let sql = sql.bind(attempts::kept(why)).bind(request).bind(attempts::kept(why)).bind(message).bind(now);
    let due = rules::probe(1, now).map(|at| at.0);
    (&mut &app.db).exec(sql.bind(due).bind(now).bind(attempt.id).bind(attempt.claimed_at)).await?;
    Ok(())
}

/// It waits to be sent again.
async fn back(app: &App, attempt: &Unsent, why: Option<&str>, at: Time, tries: i64) -> Result<()> {
    let now = app.clock.now();
    let sql = Sql::new(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = ?, tries = ?, last_error = COALESCE(?, last_error), updated_at = ?
         WHERE id = ? AND sent_at = ? AND status = 'Creating' AND external_order_id IS NULL AND cancel_requested_at IS NULL",
    );
    let sql = sql.bind(at).bind(tries.max(0)).bind(why.map(attempts::kept)).bind(now);
    if (&mut &app.db).exec(sql.bind(attempt.id).bind(attempt.claimed_at)).await? == 0 {
        // Somebody wanted it canceled meanwhile, and it surely was not taken.
        return give_up(app, attempt, why.unwrap_or("Canceled before it was sent."), "").await;
    }
    Ok(())
}

/// The next provider gets it where there is one; else it is tried on, and staff see that it waits.
async fn hand_on(app: &App, attempt: &Unsent, why: &str, request: &str) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    store::lock(&mut work, &[attempt.order_id]).await?;
    if settle::has_other(&mut work, attempt.id).await? || !try_on(&mut work, attempt, why, request).await? {
        end(&mut work, attempt, why, request).await?;
    }
    work.finish(()).await
}

/// Whether it waits to be sent again: it does unless somebody wanted it canceled meanwhile.
async fn try_on(work: &mut Work, attempt: &Unsent, why: &str, request: &str) -> Result<bool> {
    let now = work.now;
    let sql = Sql::new(
        "UPDATE external_panel_orders SET sent_at = NULL, due_at = ?, alert_at = COALESCE(alert_at, ?), last_error = ?, last_request = ?,
           last_answer = ?, updated_at = ?
         WHERE id = ? AND sent_at = ? AND status = 'Creating' AND external_order_id IS NULL AND cancel_requested_at IS NULL",
    );
    let sql =
        sql.bind(rules::once_more(attempt.tries, now)).bind(now).bind(attempts::kept(why)).bind(request);
    let sql = sql.bind(attempts::kept(why)).bind(now).bind(attempt.id).bind(attempt.claimed_at);
    Ok(work.exec(sql).await? == 1)
}

/// It ends without a delivery, and the order goes on without it.
async fn give_up(app: &App, attempt: &Unsent, why: &str, request: &str) -> Result<()> {
    let mut work = Scope::system(app, "dispatch").begin().await?;
    store::lock(&mut work, &[attempt.order_id]).await?;
    end(&mut work, attempt, why, request).await?;
    work.finish(()).await
}

async fn end(work: &mut Work, attempt: &Unsent, why: &str, request: &str) -> Result<()> {
    let now = work.now;
    let sql = Sql::new(
        "UPDATE external_panel_orders SET status = 'Canceled', remains = initial_quantity, ended_at = ?, due_at = NULL, last_error = ?,
           last_request = ?, last_answer = ?, updated_at = ?
         WHERE id = ? AND sent_at = ? AND status = 'Creating' AND external_order_id IS NULL",
    );
    let sql = sql.bind(now).bind(attempts::kept(why)).bind(request).bind(attempts::kept(why)).bind(now);
    match work.exec(sql.bind(attempt.id).bind(attempt.claimed_at)).await? {
        0 => Ok(()),
        _ => settle::settle(work, &[attempt.order_id]).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_surely_was_not_taken_is_sent_again() {
        let said = |reason| sent(Placement::Rejected(reason, "No".into()));
        assert_eq!(sent(Placement::Accepted("7".into())), Sent::Taken("7".into()));
        let unknown = Placement::Unknown { why: "cut".into(), message: Some("Closed".into()) };
        assert_eq!(sent(unknown), Sent::Unclear("cut".into(), Some("Closed".into())));
        assert_eq!(sent(Placement::NotSent(PanelError::Resting(Time(9)))), Sent::Unheard(Time(9)));
        assert!(matches!(sent(Placement::NotSent(PanelError::Unreached("down".into()))), Sent::Someday(_)));
        assert!(matches!(sent(Placement::NotSent(PanelError::Refused("private".into()))), Sent::Later(_)));
        for reason in RejectionReason::ALL {
            let wanted = match reason.as_str() {
                "invalid_key" | "account_suspended" | "insufficient_funds" | "duplicate_link" => {
                    Sent::Someday("No".into())
                }
                "service_disabled" | "too_many_calls" => Sent::Later("No".into()),
                _ => Sent::Never("No".into()),
            };
            assert_eq!(said(*reason), wanted, "{reason}");
        }
    }
}
