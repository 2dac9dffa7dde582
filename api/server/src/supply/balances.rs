//! Asks external panels for our balance there, every ten minutes or as configured. A panel is claimed before it is asked,
//! so that several processes ask once; no transaction waits for an answer. Staff hear once of a low balance, and again
//! only after it was above.

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
use crate::supply::panels::{self, Reachable};
use crate::supply::reseller::{self, Balance, PanelError, Reason};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::lease::Claimed;
use panel_platform::lease::declared::{DueMoves, Lease};
use panel_platform::poller::Poller;
use panel_platform::poller::worked::Worked;
use panel_platform::quarantine::{self, ClaimedBatch};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::Work;

/// Between two looks for panels that are due.
const EVERY: Duration = Duration::from_secs(1);
/// Panels asked side by side.
const BATCH: i64 = 20;

/// When a panel's balance was asked for last.
pub const BALANCE: Lease = Lease {
    kind: QuarantineKind::Balance,
    record: "external_panels.id",
    due: "balance_at",
    filter: "",
    moves: DueMoves::LastPoll,
    error: Some("last_error"),
};

/// Asks the panels that are due.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("balance", EVERY, claim_due, ask_each).quarantined_as(QuarantineKind::Balance)
}

/// One poll; how many panels there were.
pub async fn ask_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

/// Panels that were asked last at `before` or earlier.
struct DuePanels {
    ids: Vec<ExternalPanelId>,
    before: Time,
    now: Time,
}

async fn claim_due(app: App) -> Result<Claimed<DuePanels>> {
    let now = app.clock.now();
    let Some(every) = app.config.panels.balance_every() else {
        return Ok(Claimed::new(DuePanels { ids: Vec::new(), before: now, now }, 0, ClaimedBatch::none()));
    };
    // One that ended the process that asked it was asked just now; alone, it is asked all the same.
    let before = if app.quarantine.is_alone() { now } else { now.before(every) };
    let ids = due(&app, before).await?;
    let guard = quarantine::claim_for(&app, QuarantineKind::Balance, &ids).await?;
    let records = ids.len();
    Ok(Claimed::new(DuePanels { ids, before, now }, records, guard))
}

async fn ask_each(app: App, due: DuePanels) -> Result<Worked> {
    let asked = join_all(due.ids.iter().map(|id| ask(&app, *id, due.before, due.now))).await;
    let asked = asked.into_iter().collect::<Result<Vec<()>>>()?;
    Ok(Worked::done(asked.len()))
}

async fn ask(app: &App, id: ExternalPanelId, before: Time, now: Time) -> Result<()> {
    if !claim(app, id, before, now).await? {
        return Ok(());
    }
    let panel = panels::reachable(app, &mut &app.db, id).await?;
    let said = heard(reseller::balance(app, panel.panel()).await, &panel);
    if let Err(PanelError::Resting(_)) = said {
        // It was not asked; others said already why.
        return Ok(());
    }
    let mut work = Scope::system(app, "balances").begin().await?;
    write(&mut work, id, now, &said).await?;
    work.finish(()).await
}

// Rules

/// A balance in another currency than the panel is set to is none.
fn heard(said: Result<Balance, PanelError>, panel: &Reachable) -> Result<Money, PanelError> {
    let Balance { balance, currency } = said?;
    match currency {
        Some(theirs) if !theirs.eq_ignore_ascii_case(&panel.currency) => {
            let words = format!(
                "The panel says that it counts in {:.10}, and here it is set to {}; correct its currency.",
                theirs, panel.currency
            );
            Err(PanelError::Said(Reason::Other, words))
        }
        _ => Ok(balance),
    }
}

/// What staff are to hear of a balance, and what is remembered of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Low {
    /// It is low, and they were not told.
    Tell,
    /// It is above again.
    Forget,
    /// Nothing new.
    Keep,
}

const fn judge_low(balance: Money, low: Option<Money>, was_told: bool) -> Low {
    match (low, was_told) {
        (Some(low), false) if balance.0 < low.0 => Low::Tell,
        (Some(low), true) if balance.0 < low.0 => Low::Keep,
        (_, true) => Low::Forget,
        (_, false) => Low::Keep,
    }
}

/// What an answer is for the panel's status. Only what will not pass by itself is an error of the panel's: a token that it
/// does not know, an address that may not be called.
const fn event_of(said: &Result<Money, PanelError>) -> Option<PanelEvent> {
    match said {
        Ok(_) => Some(PanelEvent::Answer),
        Err(PanelError::Said(Reason::Key, _) | PanelError::Refused(_)) => Some(PanelEvent::Refuse),
        Err(_) => None,
    }
}

// Store

async fn due(app: &App, before: Time) -> DbResult<Vec<ExternalPanelId>> {
    let sql = Sql::new(
        "SELECT id FROM external_panels WHERE NOT is_archived AND status <> 'disabled' AND api_token_sealed IS NOT NULL
           AND (balance_at IS NULL OR balance_at <= ?)",
    );
    let sql =
        sql.bind(before).append(quarantine::condition(app, QuarantineKind::Balance, "external_panels.id"));
    let sql = sql.push(" ORDER BY COALESCE(balance_at, 0), id LIMIT ?").bind(BATCH);
    let rows: Vec<(ExternalPanelId,)> = (&mut &app.db).all(sql).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Whether this process is the one that asks.
async fn claim(app: &App, id: ExternalPanelId, before: Time, now: Time) -> DbResult<bool> {
    let sql = Sql::new(
        "UPDATE external_panels SET balance_at = ? WHERE id = ? AND NOT is_archived AND (balance_at IS NULL OR balance_at <= ?)",
    );
    Ok((&mut &app.db).exec(sql.bind(now).bind(id).bind(before)).await? == 1)
}

#[derive(sqlx::FromRow)]
struct Kept {
    low_balance: Option<Money>,
    low_balance_told_at: Option<Time>,
}

/// Writes what was heard. A panel that was changed or asked again meanwhile keeps what it has.
async fn write(
    work: &mut Work,
    id: ExternalPanelId,
    asked: Time,
    said: &Result<Money, PanelError>,
) -> Result<()> {
    let sql = Sql::new(
        "SELECT low_balance, low_balance_told_at FROM external_panels WHERE id = ? AND balance_at = ? AND NOT is_archived",
    );
    let Some(kept) = work.opt::<Kept>(sql.bind(id).bind(asked).for_update()).await? else { return Ok(()) };
    if let Some(event) = event_of(said) {
        external_panels::happened(work, id, event).await?.or_nothing();
    }
    let now = work.now;
    match said {
        Err(error) => {
            let sql = Sql::new("UPDATE external_panels SET last_error = ? WHERE id = ?");
            work.exec(sql.bind(error.to_string()).bind(id)).await?;
        }
        Ok(balance) => {
            let low = judge_low(*balance, kept.low_balance, kept.low_balance_told_at.is_some());
            let told_at = match low {
                Low::Tell => Some(now),
                Low::Forget => None,
                Low::Keep => kept.low_balance_told_at,
            };
            let sql = sql!(
                "UPDATE external_panels SET balance = @balance, last_ok_at = @now, last_error = NULL, \
                   low_balance_told_at = @low_balance_told_at WHERE id = @id",
                { balance: *balance, now, low_balance_told_at: told_at, id },
            );
            work.exec(sql).await?;
            if low == Low::Tell {
                let new = json!({ "balance": balance, "low_balance": kept.low_balance });
                let change = Change { id: id.record(), old: json!({}), new };
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
    fn staff_hear_once_until_it_was_above() {
        let ten = Some(Money(10));
        assert_eq!(judge_low(Money(9), ten, false), Low::Tell);
        assert_eq!(judge_low(Money(9), ten, true), Low::Keep);
        assert_eq!(judge_low(Money(10), ten, true), Low::Forget);
        assert_eq!(judge_low(Money(10), ten, false), Low::Keep);
        assert_eq!(judge_low(Money(-5), None, false), Low::Keep);
        assert_eq!(judge_low(Money(-5), None, true), Low::Forget);
    }

    #[test]
    fn only_what_stays_wrong_is_an_error() {
        let event = |error| event_of(&Err(error));
        assert_eq!(event(PanelError::Said(Reason::Key, "Invalid API key".into())), Some(PanelEvent::Refuse));
        assert_eq!(event(PanelError::Refused("x".into())), Some(PanelEvent::Refuse));
        assert_eq!(event(PanelError::Unreached("x".into())), None);
        assert_eq!(event(PanelError::Unclear("x".into())), None);
        assert_eq!(event_of(&Ok(Money(1))), Some(PanelEvent::Answer));
    }
}
