//! Requests to external panels to open an account for us. Only this module writes the table; `supply` decides when a request
//! may be repeated. It never stores a token.

use panel_contract::moment::Time;
use panel_domain::states::account_requests::{AccountRequestEvent, AccountRequestState, AccountRequests};
use panel_platform::db::state::{StoredStates, Transition, transition};
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::word_conditions;

pub const STATES: StoredStates<AccountRequests> = StoredStates {
    table: "account_requests",
    conditions: word_conditions!(
        "account_requests.outcome",
        AccountRequestState::Asked => "asked",
        AccountRequestState::Unclear => "unclear",
        AccountRequestState::Created => "created",
    ),
};

/// A call to a panel.
#[derive(Debug, Clone, Copy)]
pub struct AccountCall<'a> {
    pub endpoint: &'a str,
    /// When the request was sent. The write of the outcome is conditional on it.
    pub asked_at: Time,
}

/// Records that a request is about to be sent. A repeated request needs a person who checked the panel (`checked`), and is
/// refused while a call that began after `under_way_since` may still be running.
pub async fn start_request(
    db: &mut impl Source,
    call: AccountCall<'_>,
    checked: bool,
    under_way_since: Time,
) -> DbResult<Transition> {
    let sql = Sql::new(
        "INSERT INTO account_requests (endpoint, asked_at, outcome) VALUES (?, ?, 'asked') ON CONFLICT (endpoint) DO UPDATE
           SET asked_at = excluded.asked_at, outcome = 'asked' WHERE ? AND NOT (account_requests.outcome = 'asked' AND account_requests.asked_at > ?)",
    );
    let sql = sql.bind(call.endpoint).bind(call.asked_at).bind(checked).bind(under_way_since);
    transition(db, sql.append(STATES.leaving(AccountRequestEvent::AskAgain))).await
}

/// Returns the stored state of a request, and when it was sent.
pub async fn read(db: &mut impl Source, endpoint: &str) -> DbResult<(String, Time)> {
    let sql = Sql::new("SELECT outcome, asked_at FROM account_requests WHERE endpoint = ?");
    db.one(sql.bind(endpoint)).await
}

/// The panel opened an account.
pub async fn mark_created(db: &mut impl Source, call: AccountCall<'_>) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE account_requests SET outcome = 'created' WHERE endpoint = ? AND asked_at = ?");
    let sql = sql.bind(call.endpoint).bind(call.asked_at);
    transition(db, sql.append(STATES.leaving(AccountRequestEvent::Create))).await
}

/// The panel's answer was lost.
pub async fn mark_unclear(db: &mut impl Source, call: AccountCall<'_>) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE account_requests SET outcome = 'unclear' WHERE endpoint = ? AND asked_at = ?");
    let sql = sql.bind(call.endpoint).bind(call.asked_at);
    transition(db, sql.append(STATES.leaving(AccountRequestEvent::LoseAnswer))).await
}

/// The panel certainly opened no account: deletes the request, so that it can be sent again.
pub async fn forget(db: &mut impl Source, call: AccountCall<'_>) -> DbResult<Transition> {
    let sql = Sql::new("DELETE FROM account_requests WHERE endpoint = ? AND asked_at = ?");
    transition(db, sql.bind(call.endpoint).bind(call.asked_at)).await
}
