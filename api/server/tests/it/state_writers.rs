//! Only the store of a record may write its state. The tests in `states` check the values that each transition of a store writes.

use crate::tidy::{assert_empty, server_files};

/// Tables with a state: the table, the columns of the state, and the path prefixes of the files that may write these columns,
/// including the file that inserts records, if this is a separate file.
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
        &["status", "acknowledged_at", "escalated_at", "decided_at", "due_at", "sent_at"],
        &["operations/cancel_requests/store.rs"],
    ),
    ("drip_feeds", &["status", "next_run_at", "orders_count"], &["operations/drip_feeds/store.rs"]),
    (
        "subscriptions",
        &["status", "paused_at", "next_poll_at", "renews_at"],
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
        &["configuration/webhooks/delivery_store.rs", "configuration/webhooks/outbox.rs"],
    ),
    ("quarantine", &["status", "retry_at"], &["quarantine/store.rs"]),
    ("order_counters", &["due_at", "tries"], &["supply/counter/"]),
    ("users", &["status", "frozen_at", "deactivated_at"], &["operations/users/status.rs"]),
    ("sync_runs", &["ended_at"], &["supply/imports/sync_store.rs"]),
    ("sync_changes", &["state", "is_current"], &["supply/imports/sync_store.rs"]),
    ("jobs", &["done_at", "dead_at", "leased_by"], &["jobs/store.rs"]),
    ("external_panels", &["status"], &["stores/external_panels.rs"]),
    ("providers", &["status", "vanished_at"], &["stores/providers.rs"]),
    ("account_requests", &["outcome", "sent_at"], &["stores/account_requests.rs"]),
    ("account_links", &["token_hash", "expires_at"], &["stores/account_links.rs"]),
];
/// The writers of `is_archived`: one store for all tables, and the store of the menu, which writes whole rows.
const ARCHIVED_WRITERS: [&str; 2] = ["configuration/menu/store.rs", "stores/archive_state.rs"];
const DEMO_PATH: &str = "start/demo/";
/// Tables into which several modules insert rows, with the default state.
const TABLES_WITH_OTHER_INSERTS: [&str; 3] = ["users", "external_panels", "providers"];
/// Modules that update a table whose name is a variable, and the columns that they write.
const GENERIC_WRITERS: [(&str, &str); 6] = [
    (
        "audit/restore.rs",
        "an undo restores the fields of an `UndoableKind`, if the record is unchanged since the action",
    ),
    ("lease/mod.rs", "due times of a declared `Lease`"),
    ("operations/personal_data/table_batch.rs", "declared columns of personal data"),
    ("quarantine/leases.rs", "due times, to end the leases of a dead process"),
    ("secrets/rotation.rs", "declared columns of sealed secrets"),
    ("stores/archive_state.rs", "`is_archived`"),
];

/// For each occurrence of `mark`, the text after it, at most 600 bytes.
fn find_texts_after<'t>(text: &'t str, marker: &str) -> Vec<&'t str> {
    let text_after = |(index, _): (usize, &str)| {
        let text_rest = &text[index + marker.len()..];
        let assignments_end = text_rest
            .char_indices()
            .map(|(index, _)| index)
            .take_while(|index| *index <= 600)
            .last()
            .unwrap_or(0);
        &text_rest[..assignments_end]
    };
    text.match_indices(marker).map(text_after).collect()
}

/// Whether an UPDATE writes the column. `update` is the text after SET.
fn sets_column(update: &str, column: &str) -> bool {
    let assignments_end =
        [" WHERE ", " FROM ", "Sql::new(", "sql!("].iter().filter_map(|marker| update.find(marker)).min();
    let assignments = &update[..assignments_end.unwrap_or(update.len())];
    assignments.match_indices(&format!("{column} = ")).any(|(index, _)| {
        let preceding_char = assignments[..index].chars().next_back();
        preceding_char.is_none_or(|char| char == ' ' || char == '\n' || char == '"')
    })
}

#[test]
fn only_the_store_of_a_record_writes_its_state() {
    let mut violations = Vec::new();
    for (table, columns, stores) in STATE_WRITERS {
        let mut is_written = false;
        for (name, file) in server_files() {
            let code = file.code();
            let update_texts = find_texts_after(code, &format!("UPDATE {table} SET "));
            let columns: Vec<&str> = columns
                .iter()
                .copied()
                .filter(|column| update_texts.iter().any(|update| sets_column(update, column)))
                .collect();
            let has_insert = code.contains(&format!("INSERT INTO {table} ("));
            let has_insert = has_insert && !TABLES_WITH_OTHER_INSERTS.contains(&table);
            if stores.iter().any(|store| name.starts_with(store)) {
                is_written |= !columns.is_empty();
            } else if !name.starts_with(DEMO_PATH) && (has_insert || !columns.is_empty()) {
                violations.push(format!("{name} writes {table} {}", columns.join(", ")));
            }
        }
        assert!(is_written, "no store writes the state of {table}");
    }
    assert_empty(&violations, "only the store of a record may write its state");
}

#[test]
fn only_two_stores_write_is_archived() {
    let mut writers = Vec::new();
    for (name, file) in server_files() {
        if !name.starts_with(DEMO_PATH)
            && find_texts_after(file.code(), " SET ").iter().any(|update| sets_column(update, "is_archived"))
        {
            writers.push(name);
        }
    }
    writers.sort();
    assert_eq!(writers, ARCHIVED_WRITERS);
}

#[test]
fn generic_writers_are_listed() {
    let mut writers = Vec::new();
    for (name, file) in server_files() {
        if !name.starts_with("db/")
            && ["\"UPDATE \").push(", ".push(\"UPDATE \")"].iter().any(|marker| file.code().contains(marker))
        {
            writers.push(name);
        }
    }
    writers.sort();
    assert_eq!(writers, GENERIC_WRITERS.map(|(name, _)| name));
}

/// Only the store has conditions with the statuses of open placement attempts; the listed files need a different condition.
#[test]
fn conditions_of_attempt_states_are_written_only_in_their_store() {
    let allowed_files = [
        ("supply/dispatch/attempts.rs", "the condition of its index: due and not accepted"),
        ("supply/external_panels/list.rs", "a column of the list"),
    ];
    let marks = ["status = 'Creating'", "'In progress', 'Processing'"];
    let mut writers = Vec::new();
    for (name, file) in server_files() {
        let allowed_paths = [DEMO_PATH, "stores/", "db/", "torture/"];
        if !allowed_paths.iter().any(|path| name.starts_with(path))
            && marks.iter().any(|marker| file.code().contains(marker))
        {
            writers.push(name);
        }
    }
    writers.sort();
    assert_eq!(writers, allowed_files.map(|(name, _)| name));
}

#[test]
fn finds_assignments_of_a_column() {
    assert!(sets_column("due_at = ?, status = 'x' WHERE id = 1", "status"));
    assert!(!sets_column("last_error = ? WHERE status = 'x'", "status"));
    assert!(!sets_column("alert_status = ?", "status"));
    assert!(!sets_column("total = r.total FROM (SELECT status = 1)", "status"));
    assert_eq!(find_texts_after("UPDATE a SET b UPDATE a SET c", "UPDATE a SET ").len(), 2);
}
