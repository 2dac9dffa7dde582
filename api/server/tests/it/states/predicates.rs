//! Each SQL condition of a store must select exactly the rows in its states, for each combination of values of the state columns.
//! The rows are values in the query and are not stored, so that no unique index or CHECK rejects a combination.

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
use panel_domain::state_machine::StateMachine;
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
use panel_platform::db::{Dialect, Sql, SqlExecutor as _, Val};
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

test_both_databases! {
    each_condition_selects_exactly_the_rows_in_its_states;
}

/// A column with all its values in the test.
type Column = (&'static str, Vec<Val>);

/// A column that is set or NULL.
fn nullable_column(column: &'static str) -> Column {
    (column, vec![Val::Int(Some(1)), Val::Int(None)])
}

fn enum_column(column: &'static str, values: &[&str]) -> Column {
    (column, values.iter().map(|value| Val::from(*value)).collect())
}

/// All combinations of the columns' values, one row each.
fn all_combinations(columns: &[Column]) -> Vec<Vec<Val>> {
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

fn text_of(value: &Val) -> &str {
    match value {
        Val::Text(Some(text)) => text,
        other => panic!("not a text: {other:?}"),
    }
}

/// Compares the conditions of a store with `state` for all combinations. Each state must have a condition and a combination.
async fn check_conditions<M: StateMachine>(
    panel: &Panel,
    stored_states: &StoredStates<M>,
    columns: &[Column],
    state: impl Fn(&[Val]) -> Option<M::State>,
) {
    for single_state in panel_domain::state_machine::all_states::<M>() {
        assert!(
            stored_states.condition(&[single_state]).is_some(),
            "{}: {single_state:?} has no condition",
            M::NAME
        );
    }
    let rows = all_combinations(columns);
    let column_names: Vec<&'static str> =
        std::iter::once("id").chain(columns.iter().map(|(name, _)| *name)).collect();
    let rows_with_ids =
        || rows.iter().zip(0_i64..).map(|(row, id)| [&[Val::from(id)], row.as_slice()].concat()).collect();
    for (states_of_condition, condition) in stored_states.conditions {
        let expected_ids: BTreeSet<i64> = rows
            .iter()
            .zip(0..)
            .filter(|(row, _)| state(row).is_some_and(|state| states_of_condition.contains(&state)))
            .map(|(_, id)| id)
            .collect();
        assert!(
            !expected_ids.is_empty(),
            "{}: no combination has a state of {states_of_condition:?}",
            M::NAME
        );
        let sql = Sql::new("SELECT id FROM ").rows(stored_states.table, &column_names, rows_with_ids());
        let selected_ids: Vec<(i64,)> =
            (&mut &panel.app.db).fetch_all(sql.push(" WHERE ").push(condition)).await.unwrap();
        let selected_ids: BTreeSet<i64> = selected_ids.into_iter().map(|(id,)| id).collect();
        for id in selected_ids.symmetric_difference(&expected_ids) {
            let row = &rows[usize::try_from(*id).unwrap()];
            // A combination that no transition makes may match a condition of several states, but not of a single one.
            let is_tolerated = state(row).is_none() && states_of_condition.len() > 1;
            assert!(is_tolerated, "{} {states_of_condition:?}: {condition} is wrong about {row:?}", M::NAME);
        }
    }
}

async fn each_condition_selects_exactly_the_rows_in_its_states(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
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
    check_status_column(panel, &webhooks::delivery_store::DELIVERIES, DeliveryStatus::ALL).await;
    check_status_column(panel, &quarantine::store::STATES, QuarantineStatus::ALL).await;
    check_status_column(panel, &users::status::STATES, UserStatus::ALL).await;
    let columns = [nullable_column("ended_at"), ("error", vec![Val::from("No."), Val::Text(None)])];
    check_conditions(panel, &sync_store::SYNC_RUN_STATES, &columns, |row| {
        Some(SyncRunState::of(is_set(&row[0]), is_set(&row[1])))
    })
    .await;
    let is_current = ("is_current", vec![Val::from(true), Val::from(false)]);
    let columns =
        [enum_column("state", &["applied", "held", "accepted", "rejected", "outdated"]), is_current];
    check_conditions(panel, &sync_store::SYNC_CHANGE_STATES, &columns, |row| {
        SyncChangeState::of(text_of(&row[0]), row[1] == Val::from(true))
    })
    .await;
    let columns = [nullable_column("done_at"), nullable_column("dead_at"), nullable_column("lease_until")];
    check_conditions(panel, &jobs::store::STATES, &columns, |row| {
        Some(status(is_set(&row[0]), is_set(&row[1]), is_set(&row[2])))
    })
    .await;
}

/// Checks a state machine whose state is the value of the `status` column.
async fn check_status_column<M: StateMachine>(
    panel: &Panel,
    stored_states: &StoredStates<M>,
    all_states: &[M::State],
) where
    M::State: Display + FromStr<Err: Debug>,
{
    assert_eq!(panel_domain::state_machine::all_states::<M>().count(), all_states.len(), "{}", M::NAME);
    let column_names: Vec<String> = all_states.iter().map(ToString::to_string).collect();
    let column_names: Vec<&str> = column_names.iter().map(String::as_str).collect();
    check_conditions(panel, stored_states, &[enum_column("status", &column_names)], |row| {
        Some(text_of(&row[0]).parse().unwrap())
    })
    .await;
}

async fn check_catalogue_and_access(panel: &Panel) {
    // The API shows "archived" instead of the status, but the column never stores it.
    let status_columns = [enum_column("status", &["active", "error", "disabled"])];
    check_conditions(panel, &external_panels::STATES, &status_columns, |row| text_of(&row[0]).parse().ok())
        .await;
    check_conditions(panel, &providers::STATES, &status_columns, |row| text_of(&row[0]).parse().ok()).await;
    let outcome_columns = [enum_column("outcome", &["sent", "unclear", "created"])];
    check_conditions(panel, &account_requests::STATES, &outcome_columns, |row| text_of(&row[0]).parse().ok())
        .await;
    let token_columns = [("token_hash", vec![Val::from("hash"), Val::Text(None)])];
    check_conditions(panel, &account_links::STATES, &token_columns, |row| {
        Some(AccountLinkState::of(is_set(&row[0])))
    })
    .await;
    let archived_columns = [("is_archived", vec![Val::from(true), Val::from(false)])];
    check_conditions(panel, &archive_state::STATES, &archived_columns, |row| {
        Some(ArchivableState::of(row[0] == Val::from(true)))
    })
    .await;
}

async fn check_orders(panel: &Panel) {
    let statuses: Vec<&str> = OrderStatus::ALL.iter().map(|status| status.as_str()).collect();
    let approvals = ["pending", "approved", "rejected"].map(Val::from).into_iter().chain([Val::Text(None)]);
    let columns = [enum_column("status", &statuses), ("approval", approvals.collect())];
    check_conditions(panel, &orders::transitions::STATES, &columns, |row| {
        let approval = is_set(&row[1]).then(|| text_of(&row[1]).parse().unwrap());
        Some(OrderState::of(text_of(&row[0]).parse().unwrap(), approval))
    })
    .await;
}

async fn check_refills(panel: &Panel) {
    let columns = [
        enum_column("status", &["pending", "sent", "completed", "rejected"]),
        nullable_column("external_panel_order_id"),
        nullable_column("sent_at"),
        nullable_column("due_at"),
    ];
    check_conditions(panel, &refills::STATES, &columns, |row| {
        RefillState::of(RefillColumns {
            status: text_of(&row[0]),
            is_assigned: is_set(&row[1]),
            is_called: is_set(&row[2]),
            is_due: is_set(&row[3]),
        })
    })
    .await;
}

async fn check_subscriptions(panel: &Panel) {
    let statuses: Vec<&str> = RecurringOrderStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [enum_column("status", &statuses), nullable_column("paused_at")];
    check_conditions(panel, &subscriptions::STATES, &columns, |row| {
        Some(SubscriptionState::of(text_of(&row[0]).parse().unwrap(), is_set(&row[1])))
    })
    .await;
}

async fn check_attempts(panel: &Panel) {
    let statuses: Vec<&str> = ExternalStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [
        enum_column("status", &statuses),
        nullable_column("external_panel_id"),
        nullable_column("sent_at"),
        ("external_order_id", vec![Val::from("7"), Val::Text(None)]),
        nullable_column("alert_at"),
        nullable_column("due_at"),
    ];
    check_conditions(panel, &attempts::STATES, &columns, |row| {
        AttemptState::of(AttemptColumns {
            status: text_of(&row[0]).parse().unwrap(),
            is_by_hand: !is_set(&row[1]),
            is_sent: is_set(&row[2]),
            has_external_id: is_set(&row[3]),
            has_alert: is_set(&row[4]),
            is_due: is_set(&row[5]),
        })
    })
    .await;
    let columns = [nullable_column("cancel_requested_at"), nullable_column("cancel_answered_at")];
    check_conditions(panel, &attempts::CANCEL_STATES, &columns, |row| {
        Some(CancelProgress::of(is_set(&row[0]), is_set(&row[1])))
    })
    .await;
}

async fn check_cancel_requests(panel: &Panel) {
    let statuses: Vec<&str> = CancelRequestStatus::ALL.iter().map(|status| status.as_str()).collect();
    let columns = [
        enum_column("status", &statuses),
        nullable_column("acknowledged_at"),
        nullable_column("escalated_at"),
    ];
    check_conditions(panel, &cancel_requests::store::STATES, &columns, |row| {
        Some(CancelRequestState::of(text_of(&row[0]).parse().unwrap(), is_set(&row[1]), is_set(&row[2])))
    })
    .await;
}
