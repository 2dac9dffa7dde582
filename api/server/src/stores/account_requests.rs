//! Requests to external panels to create an account for this panel. Only this module writes the table; `supply` decides when a
//! request may be repeated. The table never holds a token.

use panel_contract::moment::Time;
use panel_domain::states::account_requests::{AccountRequestEvent, AccountRequestState, AccountRequests};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::status_conditions;

pub const STATES: StoredStates<AccountRequests> = StoredStates {
    table: "account_requests",
    conditions: status_conditions!(
        "account_requests.outcome",
        AccountRequestState::Sent => "sent",
        AccountRequestState::Unclear => "unclear",
        AccountRequestState::Created => "created",
    ),
};

/// A call to a panel.
#[derive(Debug, Clone, Copy)]
pub struct AccountCall<'a> {
    pub endpoint: &'a str,
    /// When the request was sent. The outcome is stored only if the row still has this time.
    pub sent_at: Time,
}

/// Records that a request is about to be sent. A request can be repeated only if a staff member has checked the panel
/// (`checked_by_staff`), and not while a call that began after `running_since` may still be running.
pub async fn start_request(
    db: &mut impl Source,
    call: AccountCall<'_>,
    checked_by_staff: bool,
    running_since: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "INSERT INTO account_requests (endpoint, sent_at, outcome) VALUES (?, ?, 'sent') ON CONFLICT (endpoint) DO UPDATE
           SET sent_at = excluded.sent_at, outcome = 'sent' WHERE ? AND NOT (account_requests.outcome = 'sent' AND account_requests.sent_at > ?)",
    );
    let sql = sql.bind(call.endpoint).bind(call.sent_at).bind(checked_by_staff).bind(running_since);
    transition(db, sql.append(STATES.condition_for(AccountRequestEvent::SendAgain))).await
}

/// Returns the stored state of a request, and when it was sent.
pub async fn load_outcome(db: &mut impl Source, endpoint: &str) -> DbResult<(String, Time)> {
    let sql = Sql::new("SELECT outcome, sent_at FROM account_requests WHERE endpoint = ?");
    db.fetch_one(sql.bind(endpoint)).await
}

/// Records that the panel created an account.
pub async fn mark_created(db: &mut impl Source, call: AccountCall<'_>) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE account_requests SET outcome = 'created' WHERE endpoint = ? AND sent_at = ?");
    let sql = sql.bind(call.endpoint).bind(call.sent_at);
    transition(db, sql.append(STATES.condition_for(AccountRequestEvent::Create))).await
}

/// Records that the panel's response was lost, so it is unknown whether the panel created an account.
pub async fn mark_unclear(db: &mut impl Source, call: AccountCall<'_>) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE account_requests SET outcome = 'unclear' WHERE endpoint = ? AND sent_at = ?");
    let sql = sql.bind(call.endpoint).bind(call.sent_at);
    transition(db, sql.append(STATES.condition_for(AccountRequestEvent::LoseAnswer))).await
}

/// Deletes the request, because the panel certainly created no account. The request can be sent again.
pub async fn delete(db: &mut impl Source, call: AccountCall<'_>) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_requests WHERE endpoint = ? AND sent_at = ?");
    transition(db, sql.bind(call.endpoint).bind(call.sent_at)).await
}
