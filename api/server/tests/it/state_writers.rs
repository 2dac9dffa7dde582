//! Who writes the state of a record: its store, and nothing else. What a transition of the store leaves is tested in `states`.

use crate::tidy::{none, server};

/// Tables with a state, the columns that hold it, and the files that write them; with how a record begins, where that is a
/// file of its own.
const STATE_WRITERS: [(&str, &[&str], &[&str]); 22] = [
    (
        "external_panel_orders",
        &[
            "status",
            "external_panel_id",
            "sent_at",
            "external_order_id",
            "alert_at",
            "due_at",
            "ended_at",
            "cancel_requested_at",
            "cancel_answered_at",
            "tries",
        ],
        &["stores/placement_attempts/"],
    ),
    (
        "orders",
        &[
            "status",
            "approval",
            "is_paid",
            "refunded",
            "dispatch_at",
            "has_no_active_providers",
            "completed_at",
            "canceled_at",
        ],
        &["stores/orders/"],
    ),
    (
        "order_refill_requests",
        &["status", "external_panel_order_id", "sent_at", "external_refill_id", "due_at", "tries"],
        &["stores/refills.rs"],
    ),
    (
        "order_cancel_requests",
        &["status", "acknowledged_at", "escalated_at", "decided_at", "due_at", "asked_at"],
        &["operations/cancel_requests/store.rs"],
    ),
    ("drip_feeds", &["status", "next_run_at", "orders_count"], &["operations/drip_feeds/store.rs"]),
    (
        "subscriptions",
        &["status", "paused_at", "look_at", "renews_at"],
        &["operations/subscriptions/store.rs"],
    ),
    ("subscription_contents", &["status", "due_at"], &["operations/subscriptions/content_store.rs"]),
    ("combo_orders", &["status", "completed_at", "canceled_at"], &["operations/combo_orders/store.rs"]),
    ("free_trials", &["status", "order_id"], &["operations/free_trials/store.rs"]),
    (
        "withdrawals",
        &["status", "approved_at", "paid_at", "rejected_at"],
        &["operations/withdrawals/store.rs"],
    ),
    ("invoices", &["status", "paid_at"], &["operations/invoices/store.rs"]),
    (
        "webhook_deliveries",
        &["status", "attempts", "next_attempt_at"],
        &["configuration/webhooks/store.rs", "configuration/webhooks/outbox.rs"],
    ),
    ("quarantine", &["status", "retry_at"], &["quarantine/store.rs"]),
    ("order_counters", &["due_at", "tries"], &["supply/counter/"]),
    ("users", &["status", "frozen_at", "deactivated_at"], &["operations/users/status.rs"]),
    ("sync_runs", &["ended_at"], &["supply/imports/store.rs"]),
    ("sync_changes", &["state", "stands"], &["supply/imports/store.rs"]),
    ("jobs", &["done_at", "dead_at", "leased_by"], &["jobs/store.rs"]),
    ("external_panels", &["status"], &["stores/external_panels.rs"]),
    ("providers", &["status", "vanished_at"], &["stores/providers.rs"]),
    ("account_requests", &["outcome", "asked_at"], &["stores/account_requests.rs"]),
    ("account_links", &["token_hash", "expires_at"], &["stores/account_links.rs"]),
];
/// Writers of `is_archived`: the machine is one for all tables, and a table that is written whole does so with the rest.
const ARCHIVERS: [&str; 2] = ["configuration/menu/store.rs", "stores/archivables.rs"];
/// Invents data.
const EXEMPT: &str = "start/demo/";
/// Tables whose rows begin in several places, in the state that is their default.
const BEGINS_ANYWHERE: [&str; 3] = ["users", "external_panels", "providers"];
/// Writers whose table is a value, and what of it they write.
const GENERIC_WRITERS: [(&str, &str); 6] = [
    (
        "audit/restore.rs",
        "undo writes back the fields of an `Undoable`, where the record is as the action left it",
    ),
    ("lease/mod.rs", "due times of a declared `Lease`"),
    ("operations/personal_data/part.rs", "declared columns of personal data"),
    ("quarantine/leases.rs", "due times, to end the lease of a process that is gone"),
    ("secrets/rotation.rs", "declared columns of sealed secrets"),
    ("stores/archivables.rs", "`is_archived`"),
];

/// The parts of a text behind each place of `mark`, at most 600 bytes of each.
fn behind<'t>(text: &'t str, mark: &str) -> Vec<&'t str> {
    let part = |(at, _): (usize, &str)| {
        let rest = &text[at + mark.len()..];
        let end = rest.char_indices().map(|(at, _)| at).take_while(|at| *at <= 600).last().unwrap_or(0);
        &rest[..end]
    };
    text.match_indices(mark).map(part).collect()
}

/// Whether an UPDATE whose SET begins with `part` writes a column.
fn sets(part: &str, column: &str) -> bool {
    let end = [" WHERE ", " FROM ", "Sql::new(", "sql!("].iter().filter_map(|mark| part.find(mark)).min();
    let set = &part[..end.unwrap_or(part.len())];
    set.match_indices(&format!("{column} = ")).any(|(at, _)| {
        let before = set[..at].chars().next_back();
        before.is_none_or(|char| char == ' ' || char == '\n' || char == '"')
    })
}

#[test]
fn only_its_store_writes_a_state() {
    let mut wrong = Vec::new();
    for (table, columns, stores) in STATE_WRITERS {
        let mut is_written = false;
        for (name, file) in server() {
            let code = file.code();
            let updates = behind(code, &format!("UPDATE {table} SET "));
            let columns: Vec<&str> = columns
                .iter()
                .copied()
                .filter(|column| updates.iter().any(|part| sets(part, column)))
                .collect();
            let inserts = code.contains(&format!("INSERT INTO {table} ("));
            let inserts = inserts && !BEGINS_ANYWHERE.contains(&table);
            if stores.iter().any(|store| name.starts_with(store)) {
                is_written |= !columns.is_empty();
            } else if !name.starts_with(EXEMPT) && (inserts || !columns.is_empty()) {
                wrong.push(format!("{name} writes {table} {}", columns.join(", ")));
            }
        }
        assert!(is_written, "no store writes the state of {table}: the scan sees nothing");
    }
    none(&wrong, "the state of a record is written by its store");
}

#[test]
fn records_are_archived_by_one_machine() {
    let mut found = Vec::new();
    for (name, file) in server() {
        if !name.starts_with(EXEMPT)
            && behind(file.code(), " SET ").iter().any(|part| sets(part, "is_archived"))
        {
            found.push(name);
        }
    }
    found.sort();
    assert_eq!(found, ARCHIVERS);
}

#[test]
fn writers_of_any_table_are_known() {
    let mut found = Vec::new();
    for (name, file) in server() {
        if !name.starts_with("db/")
            && ["\"UPDATE \").push(", ".push(\"UPDATE \")"].iter().any(|mark| file.code().contains(mark))
        {
            found.push(name);
        }
    }
    found.sort();
    assert_eq!(found, GENERIC_WRITERS.map(|(name, _)| name));
}

/// The words of a placement attempt's states are written once, in `attempt_is`; each exception says something else.
#[test]
fn the_states_of_attempts_are_named() {
    let known = [
        ("supply/dispatch/attempts.rs", "what is due and was not accepted, as its index has it"),
        ("supply/external_panels/list.rs", "a column of a list"),
    ];
    let marks = ["status = 'Creating'", "'In progress', 'Processing'"];
    let mut found = Vec::new();
    for (name, file) in server() {
        let rooms = [EXEMPT, "stores/", "db/", "torture/"];
        if !rooms.iter().any(|room| name.starts_with(room))
            && marks.iter().any(|mark| file.code().contains(mark))
        {
            found.push(name);
        }
    }
    found.sort();
    assert_eq!(found, known.map(|(name, _)| name));
}

#[test]
fn the_scan_knows_what_sets_a_column() {
    assert!(sets("due_at = ?, status = 'x' WHERE id = 1", "status"));
    assert!(!sets("last_error = ? WHERE status = 'x'", "status"));
    assert!(!sets("alert_status = ?", "status"));
    assert!(!sets("total = r.total FROM (SELECT status = 1)", "status"));
    assert_eq!(behind("UPDATE a SET b UPDATE a SET c", "UPDATE a SET ").len(), 2);
}
