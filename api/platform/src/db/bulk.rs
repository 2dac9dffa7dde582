//! Bulk loads of millions of records: suspends the triggers that maintain counts and search, and rebuilds both at the end of the
//! load.
//!
//! Only the demo, the benchmark and restores use this module; no other process may write during a bulk load.

use crate::db::{DbResult, Dialect, Sql, SqlExecutor, Tx, counts};

/// The tables that have triggers for counts or the search index.
const TABLES_WITH_TRIGGERS: &[&str] = &[
    "orders",
    "users",
    "services",
    "free_trials",
    "ledger_entries",
    "audits",
    "change_logs",
    "drip_feeds",
    "subscriptions",
    "combo_orders",
    "withdrawals",
    "invoices",
    "external_panel_orders",
    "order_cancel_requests",
    "payment_methods",
    "free_trial_quests",
    "grades",
    "discounts",
    "coupons",
    "special_offers",
    "providers",
    "external_panel_services",
    "jobs",
    "webhook_events",
];

/// SQL of the triggers that [`suspend_triggers`] dropped and [`restore_triggers`] creates again.
pub struct SuspendedTriggers(Vec<String>);

/// Suspends the triggers that maintain counts and search, until [`restore_triggers`] or a rollback.
pub async fn suspend_triggers(tx: &mut Tx) -> DbResult<SuspendedTriggers> {
    if tx.dialect() == Dialect::Postgres {
        // Statements over millions of rows may take longer than the limit for those of requests.
        run_text(tx, "SET LOCAL statement_timeout = 0".into()).await?;
        for table in TABLES_WITH_TRIGGERS {
            run_text(tx, format!("ALTER TABLE {table} DISABLE TRIGGER USER")).await?;
        }
        return Ok(SuspendedTriggers(Vec::new()));
    }
    let triggers: Vec<(String, String)> = tx
        .fetch_all(Sql::new("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND (name LIKE 'count_%' OR name LIKE 'search_%')"))
        .await?;
    let mut dropped = Vec::new();
    for (name, sql) in triggers {
        run_text(tx, format!("DROP TRIGGER {name}")).await?;
        dropped.push(sql);
    }
    Ok(SuspendedTriggers(dropped))
}

/// Rebuilds counts and search, and restores the triggers.
pub async fn restore_triggers(tx: &mut Tx, suspended: SuspendedTriggers) -> DbResult<()> {
    counts::rebuild(tx).await?;
    if tx.dialect() == Dialect::Postgres {
        for table in TABLES_WITH_TRIGGERS {
            run_text(tx, format!("ALTER TABLE {table} ENABLE TRIGGER USER")).await?;
            // Identity columns do not follow explicit ids.
            run_text(tx, format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT COALESCE(max(id), 0) + 1 FROM {table}), FALSE)")).await?;
        }
        return Ok(());
    }
    rebuild_search(tx).await?;
    for sql in suspended.0 {
        run_text(tx, sql).await?;
    }
    Ok(())
}

/// Rebuilds every trigram index of SQLite: the FTS5 table `x_fts` has columns of the table `x`.
async fn rebuild_search(tx: &mut Tx) -> DbResult<()> {
    let columns: Vec<(String, String)> = tx
        .fetch_all(Sql::new(
            r"SELECT m.name, group_concat(c.name, ', ') FROM sqlite_master m JOIN pragma_table_info(m.name) c
             WHERE m.type = 'table' AND m.name LIKE '%\_fts' ESCAPE '\' GROUP BY m.name ORDER BY m.name",
        ))
        .await?;
    for (index, columns) in columns {
        let table = index.trim_end_matches("_fts");
        run_text(tx, format!("INSERT INTO {index} ({index}) VALUES ('delete-all')")).await?;
        run_text(tx, format!("INSERT INTO {index} (rowid, {columns}) SELECT id, {columns} FROM {table}"))
            .await?;
    }
    Ok(())
}

/// Sets the next id of `table` above its highest id, after rows were inserted with explicit ids.
pub async fn advance_id_sequence(tx: &mut Tx, table: &'static str) -> DbResult<()> {
    if tx.dialect() == Dialect::Postgres {
        run_text(tx, format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT COALESCE(max(id), 0) + 1 FROM {table}), FALSE)")).await?;
    }
    Ok(())
}

/// Runs SQL text that this module composed.
async fn run_text(tx: &mut Tx, text: String) -> DbResult<()> {
    tx.run_text(text).await
}
