//! Loading millions of records: counting and searching stand still meanwhile and are rebuilt set-wise at the end.
//!
//! Only the demo, the benchmark and restores may; nothing else writes while it goes on.

use crate::db::{DbResult, Dialect, Source, Sql, Tx, counts};

/// Tables whose triggers count or index.
const TABLES: &[&str] = &[
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

/// What [`quiet`] took away and [`loud`] gives back.
pub struct Quiet(Vec<String>);

/// Switches counting and search triggers off in this transaction.
pub async fn quiet(tx: &mut Tx) -> DbResult<Quiet> {
    if tx.dialect() == Dialect::Postgres {
        // Statements over millions of rows take their time; those of requests still may not.
        run_text(tx, "SET LOCAL statement_timeout = 0".into()).await?;
        for table in TABLES {
            run_text(tx, format!("ALTER TABLE {table} DISABLE TRIGGER USER")).await?;
        }
        return Ok(Quiet(Vec::new()));
    }
    let triggers: Vec<(String, String)> = tx
        .all(Sql::new("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND (name LIKE 'count_%' OR name LIKE 'search_%')"))
        .await?;
    let mut kept = Vec::new();
    for (name, sql) in triggers {
        run_text(tx, format!("DROP TRIGGER {name}")).await?;
        kept.push(sql);
    }
    Ok(Quiet(kept))
}

/// Rebuilds counts and search, and switches the triggers on again.
pub async fn loud(tx: &mut Tx, quiet: Quiet) -> DbResult<()> {
    counts::rebuild(tx).await?;
    if tx.dialect() == Dialect::Postgres {
        for table in TABLES {
            run_text(tx, format!("ALTER TABLE {table} ENABLE TRIGGER USER")).await?;
            // Identity columns do not follow explicit ids.
            run_text(tx, format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT COALESCE(max(id), 0) + 1 FROM {table}), FALSE)")).await?;
        }
        return Ok(());
    }
    rebuild_search(tx).await?;
    for sql in quiet.0 {
        run_text(tx, sql).await?;
    }
    Ok(())
}

/// Fills every trigram index of SQLite anew: the FTS5 table `x_fts` has columns of the table `x`.
async fn rebuild_search(tx: &mut Tx) -> DbResult<()> {
    let columns: Vec<(String, String)> = tx
        .all(Sql::new(
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

/// Sets the identity of `table` behind its highest id, after rows were loaded with ids of their own.
pub async fn follow_ids(tx: &mut Tx, table: &'static str) -> DbResult<()> {
    if tx.dialect() == Dialect::Postgres {
        run_text(tx, format!("SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT COALESCE(max(id), 0) + 1 FROM {table}), FALSE)")).await?;
    }
    Ok(())
}

/// Runs a text that this room made itself.
async fn run_text(tx: &mut Tx, text: String) -> DbResult<()> {
    tx.run_text(text).await
}
