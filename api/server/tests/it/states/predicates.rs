//! Each SQL condition of a store selects exactly the rows in its states, for every combination of the state columns. The rows are
//! values of the query and not stored, so that no unique index or CHECK refuses a combination.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use panel_contract::cancel_requests::CancelRequestStatus;
use panel_contract::combo_orders::ComboStatus;
use panel_contract::drip_feeds::RecurringOrderStatus;
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
    account_links, account_requests, archive_state, external_panels, orders, providers, refills,
};
use panel_server::supply::imports::sync_store;

use crate::panel::Panel;

both! {
    each_condition_selects_exactly_the_rows_in_its_states;
}

/// A column with all its values in the test.
type Column = (&'static str, Vec<Val>);

/// A column that is set or NULL.
fn nullable(column: &'static str) -> Column {
    (column, vec![Val::Int(Some(1)), Val::Int(None)])
}

fn one_of(column: &'static str, values: &[&str]) -> Column {
    (column, values.iter().map(|value| Val::from(*value)).collect())
}

/// All combinations of the columns' values, one row each.
fn combinations(columns: &[Column]) -> Vec<Vec<Val>> {
    columns.iter().fold(vec![Vec::new()], |rows, (_, values)| {
        let extend_row = |row: &Vec<Val>| {
            values
                .iter()
                .map(|value| [row.as_slice(), std::slice::from_ref(value)].concat())
                .collect::<Vec<_>>()
        };
        rows.iter().flat_map(extend_row).collect()
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

/// Compares the conditions of a store with `state` for all combinations. Each state must have a condition and a combination.
async fn check<M: StateMachine>(
    panel: &Panel,
    stored: &StoredStates<M>,
    columns: &[Column],
    state: impl Fn(&[Val]) -> Option<M::State>,
) {
    for one_state in states::<M>() {
        assert!(stored.condition(&[one_state]).is_some(), "{}: {one_state:?} has no condition", M::NAME);
    }
    let rows = combinations(columns);
    let names: Vec<&'static str> =
        std::iter::once("id").chain(columns.iter().map(|(name, _)| *name)).collect();
    let rows_with_ids =
        || rows.iter().zip(0_i64..).map(|(row, id)| [&[Val::from(id)], row.as_slice()].concat()).collect();
    for (set, condition) in stored.conditions {
        let expected: BTreeSet<i64> = rows
            .iter()
            .zip(0..)
            .filter(|(row, _)| state(row).is_some_and(|state| set.contains(&state)))
            .map(|(_, id)| id)
            .collect();
        assert!(!expected.is_empty(), "{}: no combination has a state of {set:?}", M::NAME);
        let sql = Sql::new("SELECT id FROM ").rows(stored.table, &names, rows_with_ids());
        let selected: Vec<(i64,)> =
            (&mut &panel.app.db).fetch_all(sql.push(" WHERE ").push(condition)).await.unwrap();
        let selected: BTreeSet<i64> = selected.into_iter().map(|(id,)| id).collect();
        for id in selected.symmetric_difference(&expected) {
            let row = &rows[usize::try_from(*id).unwrap()];
            // A combination that no transition makes may match a condition of several states, but not of a single one.
            let is_tolerated = state(row).is_none() && set.len() > 1;
            assert!(is_tolerated, "{} {set:?}: {condition} is wrong about {row:?}", M::NAME);
        }
    }
}

async fn each_condition_selects_exactly_the_rows_in_its_states(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    check_attempts(&panel).await;
    check_cancel_requests(&panel).await;
    check_orders(&panel).await;
    check_refills(&panel).await;
    check_subscriptions(&panel).await;
    check_catalogue_and_access(&panel).await;
    let panel = &panel;
    check_status_column(panel, &combo_orders::store::STATES, ComboStatus::ALL).await;
    check_status_column(panel, &drip_feeds::store::STATES, RecurringOrderStatus::ALL).await;
    check_status_column(panel, &content_store::STATES, ContentStatus::ALL).await;
    check_status_column(panel, &free_trials::store::STATES, FreeTrialStatus::ALL).await;
    check_status_column(panel, &invoices::store::STATES, InvoiceStatus::ALL).await;
    check_status_column(panel, &withdrawals::store::STATES, WithdrawalStatus::ALL).await;
    check_status_column(panel, &webhooks::store::DELIVERIES, DeliveryStatus::ALL).await;
    check_status_column(panel, &quarantine::store::STATES, QuarantineStatus::ALL).await;
    check_status_column(panel, &users::status::STATES, UserStatus::ALL).await;
    let columns = [nullable("ended_at"), ("error", vec![Val::from("No."), Val::Text(None)])];
    check(panel, &sync_store::SYNC_RUN_STATES, &columns, |row| {
        Some(SyncRunState::of(is_set(&row[0]), is_set(&row[1])))
    })
    .await;
    let is_current = ("is_current", vec![Val::from(true), Val::from(false)]);
    let columns = [one_of("state", &["applied", "held", "accepted", "refused", "outdated"]), is_current];
    check(panel, &sync_store::SYNC_CHANGE_STATES, &columns, |row| {
        SyncChangeState::of(text(&row[0]), row[1] == Val::from(true))
    })
    .await;
    let columns = [nullable("done_at"), nullable("dead_at"), nullable("lease_until")];
    check(panel, &jobs::store::STATES, &columns, |row| {
        Some(status(is_set(&row[0]), is_set(&row[1]), is_set(&row[2])))
    })
    .await;
}

/// Checks a state machine whose state is the value of the `status` column.
async fn check_status_column<M: StateMachine>(panel: &Panel, stored: &StoredStates<M>, all: &[M::State])
where
    M::State: Display + FromStr<Err: Debug>,
{
    assert_eq!(states::<M>().count(), all.len(), "{}", M::NAME);
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check(panel, stored, &[one_of("status", &names)], |row| Some(text(&row[0]).parse().unwrap())).await;
}

async fn check_catalogue_and_access(panel: &Panel) {
    // The API shows "archived" instead of the status, but the column never stores it.
    let status = [one_of("status", &["active", "error", "disabled"])];
    check(panel, &external_panels::STATES, &status, |row| text(&row[0]).parse().ok()).await;
    check(panel, &providers::STATES, &status, |row| text(&row[0]).parse().ok()).await;
    let outcome = [one_of("outcome", &["sent", "unclear", "created"])];
    check(panel, &account_requests::STATES, &outcome, |row| text(&row[0]).parse().ok()).await;
    let token = [("token_hash", vec![Val::from("hash"), Val::Text(None)])];
    check(panel, &account_links::STATES, &token, |row| Some(AccountLinkState::of(is_set(&row[0])))).await;
    let archived = [("is_archived", vec![Val::from(true), Val::from(false)])];
    check(panel, &archive_state::STATES, &archived, |row| {
        Some(ArchivableState::of(row[0] == Val::from(true)))
    })
    .await;
}

async fn check_orders(panel: &Panel) {
    let statuses: Vec<&str> = OrderStatus::ALL.iter().map(|status| status.as_str()).collect();
    let approvals = ["pending", "approved", "rejected"].map(Val::from).into_iter().chain([Val::Text(None)]);
    let columns = [one_of("status", &statuses), ("approval", approvals.collect())];
    check(panel, &orders::transitions::STATES, &columns, |row| {
        let approval = is_set(&row[1]).then(|| text(&row[1]).parse().unwrap());
        Some(OrderState::of(text(&row[0]).parse().unwrap(), approval))
    })
    .await;
}

async fn check_refills(panel: &Panel) {
    let columns = [
        one_of("status", &["pending", "sent", "completed", "rejected"]),
        nullable("external_panel_order_id"),
        nullable("sent_at"),
        nullable("due_at"),
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

async fn check_subscriptions(panel: &Panel) {
    let statuses: Vec<&str> = RecurringOrderStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [one_of("status", &statuses), nullable("paused_at")];
    check(panel, &subscriptions::STATES, &columns, |row| {
        Some(SubscriptionState::of(text(&row[0]).parse().unwrap(), is_set(&row[1])))
    })
    .await;
}

async fn check_attempts(panel: &Panel) {
    let statuses: Vec<&str> = ExternalStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [
        one_of("status", &statuses),
        nullable("external_panel_id"),
        nullable("sent_at"),
        ("external_order_id", vec![Val::from("7"), Val::Text(None)]),
        nullable("alert_at"),
        nullable("due_at"),
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
    let columns = [nullable("cancel_requested_at"), nullable("cancel_answered_at")];
    check(panel, &attempts::CANCEL_STATES, &columns, |row| {
        Some(CancelProgress::of(is_set(&row[0]), is_set(&row[1])))
    })
    .await;
}

async fn check_cancel_requests(panel: &Panel) {
    let statuses: Vec<&str> = CancelRequestStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [one_of("status", &statuses), nullable("acknowledged_at"), nullable("escalated_at")];
    check(panel, &cancel_requests::store::STATES, &columns, |row| {
        Some(CancelRequestState::of(text(&row[0]).parse().unwrap(), is_set(&row[1]), is_set(&row[2])))
    })
    .await;
}
