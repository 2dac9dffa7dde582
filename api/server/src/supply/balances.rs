//! Polls our balance at external panels, every ten minutes unless configured otherwise. A process claims a panel before it sends
//! the request, so that only one process polls the panel. No transaction is open during a request. Staff are notified once of a low
//! balance, and again only after the balance has recovered.

use std::time::Duration;

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_domain::states::external_panels::PanelEvent;
use panel_kernel::error::Result;
use serde_json::json;

use crate::app::App;
use crate::stores::external_panels;
use crate::supply::panels::{self, PanelConnection};
use crate::supply::reseller::{self, Balance, MessageSubject, PanelError};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::lease::ClaimedWork;
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Time between two searches for panels whose balance poll is due.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of panels to poll in parallel.
const BATCH_SIZE: i64 = 20;

/// The lease of a panel whose balance is polled.
pub const BALANCE_LEASE: Lease = Lease {
    kind: QuarantineKind::Balance,
    id_column: "external_panels.id",
    due_column: "balance_at",
    index_condition: "",
    moves: DueDateMoves::LastPoll,
    error_column: Some("last_error"),
};

/// Polls the balances of due panels.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("balance", POLL_INTERVAL, claim_due, poll_each).quarantined_as(QuarantineKind::Balance)
}

/// Polls all due panels once and returns their number.
pub async fn poll_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

/// A batch of panels whose last balance poll was at `polled_before` or earlier.
struct DuePanels {
    ids: Vec<ExternalPanelId>,
    polled_before: Time,
    now: Time,
}

async fn claim_due(app: App) -> Result<ClaimedWork<DuePanels>> {
    let now = app.clock.now();
    let Some(interval) = app.config.panels.balance_interval() else {
        return Ok(ClaimedWork::new(
            DuePanels { ids: Vec::new(), polled_before: now, now },
            0,
            ClaimedBatch::none(),
        ));
    };
    // If a poll crashes the process, the panel still counts as polled at that time. The process that retries quarantined records
    // ignores the time of the last poll.
    let polled_before = if app.quarantine.is_retry_process() { now } else { now.minus(interval) };
    let ids = load_due_panels(&app, polled_before).await?;
    let guard = quarantine::claim_batch(&app, QuarantineKind::Balance, &ids).await?;
    let records = ids.len();
    Ok(ClaimedWork::new(DuePanels { ids, polled_before, now }, records, guard))
}

async fn poll_each(app: App, due_panels: DuePanels) -> Result<WorkSummary> {
    let DuePanels { ids, polled_before, now } = due_panels;
    let results = join_all(ids.iter().map(|id| poll_balance(&app, *id, polled_before, now))).await;
    results.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(WorkSummary::done(ids.len()))
}

async fn poll_balance(app: &App, id: ExternalPanelId, polled_before: Time, now: Time) -> Result<()> {
    if !claim(app, id, polled_before, now).await? {
        return Ok(());
    }
    let panel = panels::load_connection(app, &mut &app.db, id).await?;
    let result = check_currency(reseller::fetch_balance(app, panel.api()).await, &panel);
    if let Err(PanelError::Paused(_)) = result {
        // The server sent no request, and it has already recorded the failure that paused the requests to this panel.
        return Ok(());
    }
    let mut work = Scope::system(app, "balances").begin().await?;
    write_result(&mut work, id, now, &result).await?;
    work.finish(()).await
}

// Rules

/// Rejects a balance in another currency than the configured currency of the panel.
fn check_currency(result: Result<Balance, PanelError>, panel: &PanelConnection) -> Result<Money, PanelError> {
    let Balance { balance, currency } = result?;
    match currency {
        Some(actual) if !actual.eq_ignore_ascii_case(&panel.currency) => {
            let message = format!(
                "The external panel uses the currency {:.10}, but {} is configured. Correct the currency of the external panel.",
                actual, panel.currency
            );
            Err(PanelError::Rejected(MessageSubject::Other, message))
        }
        _ => Ok(balance),
    }
}

/// Whether to notify staff of a low balance or to reset an earlier notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LowBalanceAction {
    /// The balance is low and staff were not notified yet.
    Notify,
    /// The balance is no longer low, so staff are notified again when it falls below the threshold the next time.
    Reset,
    NoChange,
}

const fn decide_low_balance_action(
    balance: Money,
    threshold: Option<Money>,
    was_notified: bool,
) -> LowBalanceAction {
    match (threshold, was_notified) {
        (Some(threshold), false) if balance.0 < threshold.0 => LowBalanceAction::Notify,
        (Some(threshold), true) if balance.0 < threshold.0 => LowBalanceAction::NoChange,
        (_, true) => LowBalanceAction::Reset,
        (_, false) => LowBalanceAction::NoChange,
    }
}

/// Returns the event that changes the status of the panel. Only a permanent failure gives the panel an error status: the panel
/// rejects the token, or the address is forbidden.
const fn panel_event_for(result: &Result<Money, PanelError>) -> Option<PanelEvent> {
    match result {
        Ok(_) => Some(PanelEvent::Answer),
        Err(PanelError::Rejected(MessageSubject::Key, _) | PanelError::ForbiddenAddress(_)) => {
            Some(PanelEvent::Reject)
        }
        Err(_) => None,
    }
}

// Store

async fn load_due_panels(app: &App, polled_before: Time) -> DbResult<Vec<ExternalPanelId>> {
    let sql = Sql::new(
        "SELECT id FROM external_panels WHERE NOT is_archived AND status <> 'disabled' AND api_token_sealed IS NOT NULL
           AND (balance_at IS NULL OR balance_at <= ?)",
    );
    let sql = sql.bind(polled_before).append(quarantine::claimable_condition(
        app,
        QuarantineKind::Balance,
        "external_panels.id",
    ));
    let sql = sql.push(" ORDER BY COALESCE(balance_at, 0), id LIMIT ?").bind(BATCH_SIZE);
    let rows: Vec<(ExternalPanelId,)> = (&mut &app.db).fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Claims the panel. Returns `false` if another process has claimed it.
async fn claim(app: &App, id: ExternalPanelId, polled_before: Time, now: Time) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE external_panels SET balance_at = ? WHERE id = ? AND NOT is_archived AND (balance_at IS NULL OR balance_at <= ?)",
    );
    Ok((&mut &app.db).execute(sql.bind(now).bind(id).bind(polled_before)).await? == 1)
}

#[derive(sqlx::FromRow)]
struct LowBalanceRow {
    low_balance: Option<Money>,
    low_balance_alerted_at: Option<Time>,
}

/// Writes the result, unless the panel was edited or claimed again since `claimed_at`.
async fn write_result(
    work: &mut UnitOfWork,
    id: ExternalPanelId,
    claimed_at: Time,
    result: &Result<Money, PanelError>,
) -> Result<()> {
    let sql = Sql::new(
        "SELECT low_balance, low_balance_alerted_at FROM external_panels WHERE id = ? AND balance_at = ? AND NOT is_archived",
    );
    let Some(current) =
        work.fetch_optional::<LowBalanceRow>(sql.bind(id).bind(claimed_at).for_update()).await?
    else {
        return Ok(());
    };
    if let Some(event) = panel_event_for(result) {
        external_panels::apply_event(work, id, event).await?.ignore_superseded();
    }
    let now = work.now;
    match result {
        Err(error) => {
            let sql = Sql::new("UPDATE external_panels SET last_error = ? WHERE id = ?");
            work.execute(sql.bind(error.to_string()).bind(id)).await?;
        }
        Ok(balance) => {
            let action = decide_low_balance_action(
                *balance,
                current.low_balance,
                current.low_balance_alerted_at.is_some(),
            );
            let notified_at = match action {
                LowBalanceAction::Notify => Some(now),
                LowBalanceAction::Reset => None,
                LowBalanceAction::NoChange => current.low_balance_alerted_at,
            };
            let sql = sql!(
                "UPDATE external_panels SET balance = @balance, last_ok_at = @now, last_error = NULL, \
                   low_balance_alerted_at = @low_balance_alerted_at WHERE id = @id",
                { balance: *balance, now, low_balance_alerted_at: notified_at, id },
            );
            work.execute(sql).await?;
            if action == LowBalanceAction::Notify {
                let new = json!({ "balance": balance, "low_balance": current.low_balance });
                let change = AuditChange { id: id.as_record_id(), old: json!({}), new };
                audit::record(work, "external_panel.low_balance", "external_panel", change).await?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notifies_staff_once_until_the_balance_recovers() {
        let threshold = Some(Money(10));
        assert_eq!(decide_low_balance_action(Money(9), threshold, false), LowBalanceAction::Notify);
        assert_eq!(decide_low_balance_action(Money(9), threshold, true), LowBalanceAction::NoChange);
        assert_eq!(decide_low_balance_action(Money(10), threshold, true), LowBalanceAction::Reset);
        assert_eq!(decide_low_balance_action(Money(10), threshold, false), LowBalanceAction::NoChange);
        assert_eq!(decide_low_balance_action(Money(-5), None, false), LowBalanceAction::NoChange);
        assert_eq!(decide_low_balance_action(Money(-5), None, true), LowBalanceAction::Reset);
    }

    #[test]
    fn only_a_permanent_failure_gives_the_panel_an_error_status() {
        let event_for_error = |error| panel_event_for(&Err(error));
        assert_eq!(
            event_for_error(PanelError::Rejected(MessageSubject::Key, "Invalid API key".into())),
            Some(PanelEvent::Reject)
        );
        assert_eq!(event_for_error(PanelError::ForbiddenAddress("x".into())), Some(PanelEvent::Reject));
        assert_eq!(event_for_error(PanelError::NotSent("x".into())), None);
        assert_eq!(event_for_error(PanelError::Unknown("x".into())), None);
        assert_eq!(panel_event_for(&Ok(Money(1))), Some(PanelEvent::Answer));
    }
}
