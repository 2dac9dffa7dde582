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
    "payment_methods",
    "free_trial_quests",
    "grades",
    "discounts",
    "coupons",
    "special_offers",
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
    for statement in [
        "INSERT INTO orders_fts (orders_fts) VALUES ('delete-all')",
        "INSERT INTO users_fts (users_fts) VALUES ('delete-all')",
        "INSERT INTO services_fts (services_fts) VALUES ('delete-all')",
        "INSERT INTO drip_feeds_fts (drip_feeds_fts) VALUES ('delete-all')",
        "INSERT INTO subscriptions_fts (subscriptions_fts) VALUES ('delete-all')",
        "INSERT INTO combo_orders_fts (combo_orders_fts) VALUES ('delete-all')",
        "INSERT INTO free_trials_fts (free_trials_fts) VALUES ('delete-all')",
        "INSERT INTO withdrawals_fts (withdrawals_fts) VALUES ('delete-all')",
        "INSERT INTO invoices_fts (invoices_fts) VALUES ('delete-all')",
        "INSERT INTO discounts_fts (discounts_fts) VALUES ('delete-all')",
        "INSERT INTO coupons_fts (coupons_fts) VALUES ('delete-all')",
        "INSERT INTO special_offers_fts (special_offers_fts) VALUES ('delete-all')",
        "INSERT INTO discounts_fts (rowid, name) SELECT id, name FROM discounts",
        "INSERT INTO coupons_fts (rowid, name, code) SELECT id, name, code FROM coupons",
        "INSERT INTO special_offers_fts (rowid, name) SELECT id, name FROM special_offers",
        "INSERT INTO invoices_fts (rowid, short_name) SELECT id, short_name FROM invoices",
        "INSERT INTO orders_fts (rowid, url) SELECT id, url FROM orders",
        "INSERT INTO users_fts (rowid, name, email, telegram_username) SELECT id, name, email, telegram_username FROM users",
        "INSERT INTO services_fts (rowid, name) SELECT id, name FROM services",
        "INSERT INTO withdrawals_fts (rowid, account_number, transaction_id) SELECT id, account_number, transaction_id FROM withdrawals",
        "INSERT INTO drip_feeds_fts (rowid, name, url) SELECT id, name, url FROM drip_feeds",
        "INSERT INTO subscriptions_fts (rowid, name, url) SELECT id, name, url FROM subscriptions",
        "INSERT INTO combo_orders_fts (rowid, url) SELECT id, url FROM combo_orders",
        "INSERT INTO free_trials_fts (rowid, name, url) SELECT id, name, url FROM free_trials",
    ] {
        tx.exec(Sql::new(statement)).await?;
    }
    for sql in quiet.0 {
        run_text(tx, sql).await?;
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
    use sqlx::{AssertSqlSafe, Executor as _};
    let text = sqlx::raw_sql(AssertSqlSafe(text));
    match tx {
        Tx::Sqlite(tx) => {
            tx.execute(text).await?;
        }
        Tx::Postgres(tx) => {
            tx.execute(text).await?;
        }
    }
    Ok(())
}
