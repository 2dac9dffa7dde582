//! Each condition of a store selects exactly the rows whose columns mean one of its states, for every combination of the columns.
//! The rows are given to the database as values, so no unique index and no CHECK is in the way.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use panel_contract::cancel_requests::CancelRequestStatus;
use panel_contract::combo_orders::ComboStatus;
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::free_trials::FreeTrialStatus;
use panel_contract::invoices::InvoiceStatus;
use panel_contract::orders::{ExternalStatus, OrderStatus};
use panel_contract::quarantine::QuarantineStatus;
use panel_contract::subscriptions::ContentStatus;
use panel_contract::users::UserStatus;
use panel_contract::webhooks::DeliveryStatus;
use panel_contract::withdrawals::WithdrawalStatus;
use panel_domain::state_machine::{StateMachine, states};
use panel_domain::states::account_links::AccountLinkState;
use panel_domain::states::archivables::ArchivableState;
use panel_domain::states::cancel_requests::CancelRequestState;
use panel_domain::states::jobs::status;
use panel_domain::states::orders::OrderState;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::state::{AttemptColumns, AttemptState};
use panel_domain::states::refills::{RefillColumns, RefillState};
use panel_domain::states::subscriptions::SubscriptionState;
use panel_domain::states::sync_changes::SyncChangeState;
use panel_domain::states::sync_runs::SyncRunState;
use panel_platform::db::state::StoredStates;
use panel_platform::db::{Dialect, Source as _, Sql, Val};
use panel_platform::{jobs, quarantine};
use panel_server::configuration::webhooks;
use panel_server::operations::subscriptions::{content_store, store as subscriptions};
use panel_server::operations::{
    cancel_requests, combo_orders, drip_feeds, free_trials, invoices, users, withdrawals,
};
use panel_server::stores::placement_attempts::conditions as attempts;
use panel_server::stores::{
    account_links, account_requests, archivables, external_panels, orders, providers, refills,
};
use panel_server::supply::imports::store as imports;

use crate::panel::Panel;

both! {
    conditions_select_their_states;
}

/// A column, and each value that it may have.
type Column = (&'static str, Vec<Val>);

/// A time or none.
fn time(column: &'static str) -> Column {
    (column, vec![Val::Int(Some(1)), Val::Int(None)])
}

fn words(column: &'static str, words: &[&str]) -> Column {
    (column, words.iter().map(|word| Val::from(*word)).collect())
}

/// Every combination of the columns' values.
fn combinations(columns: &[Column]) -> Vec<Vec<Val>> {
    columns.iter().fold(vec![Vec::new()], |rows, (_, values)| {
        let with = |row: &Vec<Val>| {
            values
                .iter()
                .map(|value| [row.as_slice(), std::slice::from_ref(value)].concat())
                .collect::<Vec<_>>()
        };
        rows.iter().flat_map(with).collect()
    })
}

fn is_set(value: &Val) -> bool {
    !matches!(value, Val::Int(None) | Val::Text(None))
}

fn text(value: &Val) -> &str {
    match value {
        Val::Text(Some(text)) => text,
        other => panic!("no text: {other:?}"),
    }
}

/// Compares the conditions of a store with `state`, for all combinations; each state has a condition and rows.
async fn check<M: StateMachine>(
    panel: &Panel,
    stored: &StoredStates<M>,
    columns: &[Column],
    state: impl Fn(&[Val]) -> Option<M::State>,
) {
    for single in states::<M>() {
        assert!(stored.condition(&[single]).is_some(), "{}: {single:?} has no condition", M::NAME);
    }
    let rows = combinations(columns);
    let names: Vec<&'static str> =
        std::iter::once("id").chain(columns.iter().map(|(name, _)| *name)).collect();
    let numbered =
        || rows.iter().zip(0_i64..).map(|(row, id)| [&[Val::from(id)], row.as_slice()].concat()).collect();
    for (set, condition) in stored.conditions {
        let expected: BTreeSet<i64> = rows
            .iter()
            .zip(0..)
            .filter(|(row, _)| state(row).is_some_and(|is| set.contains(&is)))
            .map(|(_, id)| id)
            .collect();
        assert!(!expected.is_empty(), "{}: {set:?} is no combination", M::NAME);
        let sql = Sql::new("SELECT id FROM ").rows(stored.table, &names, numbered());
        let found: Vec<(i64,)> = (&mut &panel.app.db).all(sql.push(" WHERE ").push(condition)).await.unwrap();
        let found: BTreeSet<i64> = found.into_iter().map(|(id,)| id).collect();
        for id in found.symmetric_difference(&expected) {
            let row = &rows[usize::try_from(*id).unwrap()];
            // A row that no transition makes may be in a set of states, never in one of them.
            let is_in_none = state(row).is_none() && set.len() > 1;
            assert!(is_in_none, "{} {set:?}: {condition} is wrong about {row:?}", M::NAME);
        }
    }
}

async fn conditions_select_their_states(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    attempts_are(&panel).await;
    cancel_requests_are(&panel).await;
    orders_are(&panel).await;
    refills_are(&panel).await;
    subscriptions_are(&panel).await;
    catalogue_and_access_are(&panel).await;
    let panel = &panel;
    word(panel, &combo_orders::store::STATES, ComboStatus::ALL).await;
    word(panel, &drip_feeds::store::STATES, BatchStatus::ALL).await;
    word(panel, &content_store::STATES, ContentStatus::ALL).await;
    word(panel, &free_trials::store::STATES, FreeTrialStatus::ALL).await;
    word(panel, &invoices::store::STATES, InvoiceStatus::ALL).await;
    word(panel, &withdrawals::store::STATES, WithdrawalStatus::ALL).await;
    word(panel, &webhooks::store::DELIVERIES, DeliveryStatus::ALL).await;
    word(panel, &quarantine::store::STATES, QuarantineStatus::ALL).await;
    word(panel, &users::status::STATES, UserStatus::ALL).await;
    let columns = [time("ended_at"), ("error", vec![Val::from("No."), Val::Text(None)])];
    check(panel, &imports::RUNS, &columns, |row| Some(SyncRunState::of(is_set(&row[0]), is_set(&row[1]))))
        .await;
    let stands = ("stands", vec![Val::from(true), Val::from(false)]);
    let columns = [words("state", &["applied", "held", "accepted", "refused", "outdated"]), stands];
    check(panel, &imports::CHANGES, &columns, |row| {
        SyncChangeState::of(text(&row[0]), row[1] == Val::from(true))
    })
    .await;
    let columns = [time("done_at"), time("dead_at"), time("lease_until")];
    check(panel, &jobs::store::STATES, &columns, |row| {
        Some(status(is_set(&row[0]), is_set(&row[1]), is_set(&row[2])))
    })
    .await;
}

/// A machine whose states are the words of one column.
async fn word<M: StateMachine>(panel: &Panel, stored: &StoredStates<M>, all: &[M::State])
where
    M::State: Display + FromStr<Err: Debug>,
{
    assert_eq!(states::<M>().count(), all.len(), "{}", M::NAME);
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check(panel, stored, &[words("status", &names)], |row| Some(text(&row[0]).parse().unwrap())).await;
}

async fn catalogue_and_access_are(panel: &Panel) {
    // The word "archived" is shown instead of the status, and never stored.
    let status = [words("status", &["active", "error", "disabled"])];
    check(panel, &external_panels::STATES, &status, |row| text(&row[0]).parse().ok()).await;
    check(panel, &providers::STATES, &status, |row| text(&row[0]).parse().ok()).await;
    let outcome = [words("outcome", &["asked", "unclear", "created"])];
    check(panel, &account_requests::STATES, &outcome, |row| text(&row[0]).parse().ok()).await;
    let token = [("token_hash", vec![Val::from("hash"), Val::Text(None)])];
    check(panel, &account_links::STATES, &token, |row| Some(AccountLinkState::of(is_set(&row[0])))).await;
    let archived = [("is_archived", vec![Val::from(true), Val::from(false)])];
    check(panel, &archivables::STATES, &archived, |row| Some(ArchivableState::of(row[0] == Val::from(true))))
        .await;
}

async fn orders_are(panel: &Panel) {
    let statuses: Vec<&str> = OrderStatus::ALL.iter().map(|status| status.as_str()).collect();
    let approvals = ["pending", "approved", "rejected"].map(Val::from).into_iter().chain([Val::Text(None)]);
    let columns = [words("status", &statuses), ("approval", approvals.collect())];
    check(panel, &orders::moves::STATES, &columns, |row| {
        let approval = is_set(&row[1]).then(|| text(&row[1]).parse().unwrap());
        Some(OrderState::of(text(&row[0]).parse().unwrap(), approval))
    })
    .await;
}

async fn refills_are(panel: &Panel) {
    let columns = [
        words("status", &["pending", "sent", "completed", "rejected"]),
        time("external_panel_order_id"),
        time("sent_at"),
        time("due_at"),
    ];
    check(panel, &refills::STATES, &columns, |row| {
        RefillState::of(RefillColumns {
            status: text(&row[0]),
            is_assigned: is_set(&row[1]),
            is_called: is_set(&row[2]),
            is_due: is_set(&row[3]),
        })
    })
    .await;
}

async fn subscriptions_are(panel: &Panel) {
    let statuses: Vec<&str> = BatchStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [words("status", &statuses), time("paused_at")];
    check(panel, &subscriptions::STATES, &columns, |row| {
        Some(SubscriptionState::of(text(&row[0]).parse().unwrap(), is_set(&row[1])))
    })
    .await;
}

async fn attempts_are(panel: &Panel) {
    let statuses: Vec<&str> = ExternalStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [
        words("status", &statuses),
        time("external_panel_id"),
        time("sent_at"),
        ("external_order_id", vec![Val::from("7"), Val::Text(None)]),
        time("alert_at"),
        time("due_at"),
    ];
    check(panel, &attempts::STATES, &columns, |row| {
        AttemptState::of(AttemptColumns {
            status: text(&row[0]).parse().unwrap(),
            is_by_hand: !is_set(&row[1]),
            is_sent: is_set(&row[2]),
            has_external_id: is_set(&row[3]),
            has_alert: is_set(&row[4]),
            is_due: is_set(&row[5]),
        })
    })
    .await;
    let columns = [time("cancel_requested_at"), time("cancel_answered_at")];
    check(panel, &attempts::CANCELS, &columns, |row| {
        Some(CancelProgress::of(is_set(&row[0]), is_set(&row[1])))
    })
    .await;
}

async fn cancel_requests_are(panel: &Panel) {
    let statuses: Vec<&str> = CancelRequestStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [words("status", &statuses), time("acknowledged_at"), time("escalated_at")];
    check(panel, &cancel_requests::store::STATES, &columns, |row| {
        Some(CancelRequestState::of(text(&row[0]).parse().unwrap(), is_set(&row[1]), is_set(&row[2])))
    })
    .await;
}
