//! Stores the requests that ask an external panel to create an account for this panel. Only this module writes the table; `supply`
//! decides when a request may be repeated. The table never holds a token.

use panel_contract::moment::Time;
use panel_domain::states::account_requests::{AccountRequestEvent, AccountRequestState, AccountRequests};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor};
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

/// A request that asks an external panel to create an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountRequest<'a> {
    pub endpoint: &'a str,
    /// When the request was sent. The outcome is stored only if the row still has this time.
    pub sent_at: Time,
}

/// Records that a request is about to be sent. A request can be repeated only if a staff member has checked that the panel did not
/// create the account (`is_checked_by_staff`). It cannot be repeated if it was sent after `timeout_cutoff`, because the panel may
/// still process it.
pub async fn start_request(
    db: &mut impl SqlExecutor,
    request: AccountRequest<'_>,
    is_checked_by_staff: bool,
    timeout_cutoff: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "INSERT INTO account_requests (endpoint, sent_at, outcome) VALUES (?, ?, 'sent') ON CONFLICT (endpoint) DO UPDATE
           SET sent_at = excluded.sent_at, outcome = 'sent' WHERE ? AND NOT (account_requests.outcome = 'sent' AND account_requests.sent_at > ?)",
    );
    let sql = sql.bind(request.endpoint).bind(request.sent_at).bind(is_checked_by_staff).bind(timeout_cutoff);
    transition(db, sql.append(STATES.condition_for(AccountRequestEvent::SendAgain))).await
}

/// Returns the stored state of a request, and when it was sent.
pub async fn load_outcome(db: &mut impl SqlExecutor, endpoint: &str) -> DbResult<(String, Time)> {
    let sql = Sql::new("SELECT outcome, sent_at FROM account_requests WHERE endpoint = ?");
    db.fetch_one(sql.bind(endpoint)).await
}

/// Records that the panel created an account.
pub async fn mark_created(db: &mut impl SqlExecutor, request: AccountRequest<'_>) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE account_requests SET outcome = 'created' WHERE endpoint = ? AND sent_at = ?");
    let sql = sql.bind(request.endpoint).bind(request.sent_at);
    transition(db, sql.append(STATES.condition_for(AccountRequestEvent::Create))).await
}

/// Records that no response arrived, so it is unknown whether the panel created an account.
pub async fn mark_unclear(db: &mut impl SqlExecutor, request: AccountRequest<'_>) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE account_requests SET outcome = 'unclear' WHERE endpoint = ? AND sent_at = ?");
    let sql = sql.bind(request.endpoint).bind(request.sent_at);
    transition(db, sql.append(STATES.condition_for(AccountRequestEvent::LoseAnswer))).await
}

/// Deletes the request, because the panel certainly created no account. The request can be sent again.
pub async fn delete(db: &mut impl SqlExecutor, request: AccountRequest<'_>) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_requests WHERE endpoint = ? AND sent_at = ?");
    transition(db, sql.bind(request.endpoint).bind(request.sent_at)).await
}
