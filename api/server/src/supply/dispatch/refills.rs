//! Refills: those asked for are passed on to the panel that completed the order and followed to their end; orders that
//! refill by themselves ask for one when they lost enough. The API has no quantity: a panel fills up what it finds
//! missing, the quantity here is what is counted. No money moves.

mod dropped;

use std::time::Duration;

use panel_contract::ids::{ExternalOrderId, ExternalPanelId, OrderId, RecordId, RefillRequestId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_kernel::backoff::{Backoff, Chance, poll_interval};
use panel_kernel::error::Result;

use super::leases::REFILL;
use super::superseded;
use crate::app::App;
use crate::operations::orders::store;
use crate::stores::orders::losses::record_refilled;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::stores::refills::{self, RefillOutcome};
use crate::supply::panels;
use crate::supply::reseller::{self, PanelError, Reason};
use panel_platform::db::{Source, Sql, retry};
use panel_platform::lease::declared::calls_within_claim;
use panel_platform::lease::{Claimed, Leased, LeasedRow};
use panel_platform::poller::worked::Worked;
use panel_platform::quarantine;
use panel_platform::scope::Scope;

pub use dropped::ask_for_dropped;

/// Requests of one panel that are claimed together at most ([`batch_size`]).
const BATCH: i64 = 5;
/// Requests that are told in one round whom to ask.
const ASSIGNED: i64 = 1_000;
/// Between two calls for a refill that did not come through; after the last step it is given up.
const ASK_BACKOFF: Backoff<'static> = Backoff::steps_secs(&[60, 300, 1_800, 7_200, 21_600, 86_400]);
/// The shortest and the longest time between two polls of a refill's status.
const STATUS_INTERVALS: [Duration; 2] = [Duration::from_secs(300), Duration::from_secs(3_600)];
/// How long a refill's status waits after the panel rejected the call.
const STATUS_RETRY_AFTER_REJECTION: Duration = Duration::from_secs(3_600);
/// How long a refill's status waits after a call without an answer.
const STATUS_RETRY_AFTER_ERROR: Duration = Duration::from_secs(600);

#[derive(Debug, sqlx::FromRow)]
struct Request {
    id: RefillRequestId,
    order_id: OrderId,
    quantity: i64,
    tries: i64,
    external_refill_id: Option<String>,
    external_order_id: Option<String>,
    /// When the panel may first have learned of it; none where no call reached it for sure.
    sent_at: Option<Time>,
    created_at: Time,
}

impl LeasedRow for Request {
    fn id(&self) -> RecordId {
        self.id.record()
    }
}

/// What became of a request.
enum End {
    Sent(String),
    Completed,
    Rejected(String),
    Again(Time, Option<String>),
    /// The panel is left alone until then: nobody asked, so this is no try.
    Rest(Time),
}

/// Passes on and follows what is due, one panel after the other; how much there was. For tests and whoever waits for it.
pub async fn run_due(app: &App) -> Result<usize> {
    let mut found = assign(app).await?;
    for panel in panels_due(app).await? {
        found += run_for(app, panel).await?.done;
    }
    Ok(found)
}

/// One batch of a panel.
pub(super) async fn run_for(app: &App, panel: ExternalPanelId) -> Result<Worked> {
    // Claimed first: where the panel cannot be called at all, they wait for as long as a claim holds.
    let Claimed { batch, records, guard } = claim(app, panel).await?;
    if records == 0 {
        return Ok(Worked::default());
    }
    guard.work(app, pass_on_all(app, panel, &batch)).await
}

async fn pass_on_all(app: &App, panel: ExternalPanelId, claimed: &Leased<Request>) -> Result<Worked> {
    let panel = panels::reachable(app, &mut &app.db, panel).await?;
    let mut worked = Worked::default();
    for request in &claimed.rows {
        match pass_on(app, &panel, request, claimed.until).await {
            Ok(()) => worked.done += 1,
            Err(error) => worked.fail(REFILL.kind, request.id.record(), error)?,
        }
    }
    Ok(worked)
}

async fn pass_on(app: &App, panel: &panels::Reachable, request: &Request, lease: Time) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease);
    let end = match (&request.external_refill_id, &request.external_order_id) {
        (Some(refill), _) => look(app, panel, request, refill).await,
        (None, Some(order)) => {
            if !refills::mark_called(&mut &app.db, leased, now).await?.is_applied() {
                // Staff closed it meanwhile, or another worker has it: no call was made, so nothing is lost.
                return Ok(());
            }
            match reseller::refill(app, panel.panel(), order).await {
                Ok(refill) => End::Sent(refill),
                Err(error) => {
                    if error.is_certain() && request.sent_at.is_none() {
                        // Where it is another worker's by now, so is the result below, which is counted.
                        refills::unmark_called(&mut &app.db, leased).await?.or_nothing();
                    }
                    failed(request.tries, &error, now)
                }
            }
        }
        (None, None) => End::Rejected("The panel never took this order.".into()),
    };
    let policy = if matches!(end, End::Sent(_)) { retry::RECORD_ACCEPTED } else { retry::RECORD_OUTCOME };
    retry::retry(app, policy, || write(app, request, lease, &end)).await
}

async fn look(app: &App, panel: &panels::Reachable, request: &Request, refill: &str) -> End {
    let now = app.clock.now();
    match reseller::refill_status(app, panel.panel(), refill).await {
        Ok(word) => heard(&word, request.created_at, now),
        Err(PanelError::Resting(until)) => End::Rest(until),
        Err(PanelError::Said(_, words)) => End::Again(now.after(STATUS_RETRY_AFTER_REJECTION), Some(words)),
        Err(error) => End::Again(now.after(STATUS_RETRY_AFTER_ERROR), Some(error.to_string())),
    }
}

// Rules

/// How many requests are claimed together: called one after the other, they end while the claim holds, even where the panel lets
/// every call wait.
fn batch_size(timeout: Duration) -> i64 {
    i64::try_from(calls_within_claim(timeout)).unwrap_or(BATCH).min(BATCH)
}

/// A panel's word for a refill, exactly.
fn heard(word: &str, asked: Time, now: Time) -> End {
    match word.trim().to_ascii_lowercase().as_str() {
        "completed" => End::Completed,
        "rejected" | "error" | "canceled" | "cancelled" => End::Rejected(format!("The panel says {word}.")),
        _ => {
            let [min, max] = STATUS_INTERVALS;
            End::Again(now.after(poll_interval(now.since(asked), 10, min, max)), None)
        }
    }
}

/// A refill costs nothing and a second one finds nothing to fill, so only a no to this refill is final; everything else
/// is tried again for some days.
fn failed(tries: i64, error: &PanelError, now: Time) -> End {
    if let PanelError::Resting(until) = error {
        return End::Rest(*until);
    }
    let is_final = matches!(error, PanelError::Said(reason, words) if is_about_refill(*reason, words));
    let next = ASK_BACKOFF.next_try(tries.saturating_add(1), Chance::NONE, now).filter(|_| !is_final);
    match next {
        Some(at) => End::Again(at, Some(error.to_string())),
        None => End::Rejected(error.to_string()),
    }
}

/// Whether a no is about this order or its refill, and for good: not about our key or money there, nor about now.
fn is_about_refill(reason: Reason, words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    match reason {
        Reason::Order | Reason::Refill | Reason::Service | Reason::Quantity | Reason::DuplicateLink => true,
        Reason::Key | Reason::Funds => false,
        Reason::Other => says(&["refill", "order", "guarantee", "drop"]) && !reseller::asks_to_wait(&words),
    }
}

// Store

/// Says of each new request at which attempt it is asked for: the last that completed its order at a panel. Where there is
/// none, staff refill by hand. How many there were.
pub(super) async fn assign(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let sql = Sql::new(concat!(
        "SELECT r.id, (SELECT max(a.id) FROM external_panel_orders a WHERE a.order_id = r.order_id AND ",
        attempt_is!(completed, "a"),
        " AND a.external_panel_id IS NOT NULL AND a.external_order_id IS NOT NULL) AS attempt
         FROM order_refill_requests r WHERE r.due_at IS NOT NULL AND r.due_at <= ? AND r.external_panel_order_id IS NULL",
    ));
    let sql = sql.bind(now).append(quarantine::condition(app, Poller::Refill, "r.id"));
    let sql = sql.push(" ORDER BY r.due_at, r.id LIMIT ?").bind(ASSIGNED);
    let found: Vec<(RefillRequestId, Option<ExternalOrderId>)> = (&mut &app.db).all(sql).await?;
    if found.is_empty() {
        return Ok(0);
    }
    refills::assign(&mut &app.db, &found).await?;
    Ok(found.len())
}

/// Panels with a refill that is due, but for those that are left alone now.
pub(super) async fn panels_due(app: &App) -> Result<Vec<ExternalPanelId>> {
    let now = app.clock.now();
    let sql = Sql::new(
        "SELECT DISTINCT a.external_panel_id FROM order_refill_requests r JOIN external_panel_orders a ON a.id = r.external_panel_order_id
         WHERE r.due_at IS NOT NULL AND r.due_at <= ? AND a.external_panel_id IS NOT NULL",
    );
    let sql = sql.bind(now).append(quarantine::condition(app, Poller::Refill, "r.id"));
    let due: Vec<(ExternalPanelId,)> = (&mut &app.db).all(sql.push(" ORDER BY a.external_panel_id")).await?;
    Ok(due.into_iter().map(|(panel,)| panel).filter(|panel| !app.panel_limits.is_open(*panel, now)).collect())
}

async fn claim(app: &App, panel: ExternalPanelId) -> Result<Claimed<Leased<Request>>> {
    let due = REFILL.due(app).push(
        " AND EXISTS (SELECT 1 FROM external_panel_orders a WHERE a.id = order_refill_requests.external_panel_order_id
           AND a.external_panel_id = ?) ORDER BY due_at, id LIMIT ?",
    );
    let columns = "id, order_id, quantity, tries, external_refill_id, sent_at, created_at,
          (SELECT a.external_order_id FROM external_panel_orders a WHERE a.id = order_refill_requests.external_panel_order_id) AS external_order_id";
    let most = batch_size(Duration::from_secs(app.config.outbound.seconds));
    Ok(REFILL.claim(app, due.bind(panel).bind(most), columns).await?)
}

async fn write(app: &App, request: &Request, lease: Time, end: &End) -> Result<()> {
    let now = app.clock.now();
    let leased = (request.id, lease);
    let outcome = match end {
        End::Sent(refill) => RefillOutcome::Accepted(refill.clone(), now.after(STATUS_INTERVALS[0])),
        End::Completed => RefillOutcome::Completed,
        End::Rejected(why) => RefillOutcome::Rejected(why.clone()),
        End::Again(at, why) => RefillOutcome::Undecided(*at, why.clone()),
        End::Rest(until) => {
            let written = refills::postpone(&mut &app.db, leased, *until).await?;
            superseded::count(REFILL.kind, request.id.record(), written);
            return Ok(());
        }
    };
    let mut work = Scope::system(app, "refill").begin().await?;
    store::lock(&mut work, &[request.order_id]).await?;
    let recorded = refills::record_outcome(&mut work, leased, &outcome).await?;
    if recorded.is_applied() && outcome == RefillOutcome::Completed {
        record_refilled(&mut work, request.order_id, request.quantity).await?;
    }
    work.finish(()).await?;
    superseded::count(REFILL.kind, request.id.record(), recorded);
    Ok(())
}

#[cfg(test)]
mod tests {
    use panel_platform::lease::declared::CLAIM;

    use super::*;

    #[test]
    fn a_batch_ends_while_its_claim_holds() {
        for secs in 1..=105 {
            let batch = u64::try_from(batch_size(Duration::from_secs(secs))).unwrap();
            assert!(batch >= 1 && Duration::from_secs(secs * batch) <= CLAIM, "{batch} calls of {secs} s");
        }
        assert_eq!(batch_size(Duration::from_secs(15)), BATCH);
    }

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn words_for_refills_are_exact() {
        assert!(matches!(heard("Completed", Time(0), Time(0)), End::Completed));
        assert!(matches!(heard("rejected", Time(0), Time(0)), End::Rejected(_)));
        assert!(matches!(heard("In progress", Time(0), Time(0)), End::Again(Time(300_000_000), None)));
        assert!(matches!(heard("Incompleted", Time(0), Time(HOUR)), End::Again(..)));
    }

    #[test]
    fn only_a_no_to_the_refill_is_final() {
        let said = |reason, words: &str| failed(0, &PanelError::Said(reason, words.into()), Time(0));
        for (reason, words) in [
            (Reason::Order, "Incorrect order ID"),
            (Reason::Other, "Refill is not available for this order"),
            (Reason::Other, "This order has no guarantee"),
        ] {
            assert!(matches!(said(reason, words), End::Rejected(_)), "{words}");
        }
        for (reason, words) in [
            (Reason::Key, "Invalid API key"),
            (Reason::Other, "The panel answered 429: too many calls."),
            (Reason::Other, "Refills are off for maintenance, try later"),
            (Reason::Other, "Internal problem"),
        ] {
            assert!(matches!(said(reason, words), End::Again(Time(60_000_000), Some(_))), "{words}");
        }
        assert!(
            matches!(failed(6, &PanelError::Unclear("cut".into()), Time(0)), End::Rejected(_)),
            "some days"
        );
        assert!(matches!(failed(6, &PanelError::Resting(Time(9)), Time(0)), End::Rest(Time(9))), "no try");
    }
}
