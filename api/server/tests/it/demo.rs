//! Tests the records of the demo: they are identical for the same seed on both databases, satisfy all invariants, and contain an
//! example of each feature.

use panel_contract::moment::Time;
use panel_demo::fill::{DemoSize, fill};
use panel_platform::db::{Db, Dialect, Sql, SqlExecutor, bulk};
use panel_server::doctor;
use panel_server::pricing::available::IS_PROVIDER_AVAILABLE;
use panel_server::supply::dispatch;

use crate::panel::{NOW, Panel};

test_both_databases! {
    the_demo_is_healthy_and_has_realistic_shares;
    empty_and_tiny_demos_are_healthy;
}

const DEMO_SIZE: DemoSize = DemoSize { orders: 6_000, users: 300, seed: 7 };

pub(crate) async fn start_demo_panel(dialect: Dialect, size: DemoSize) -> Panel {
    let panel = Panel::start(dialect).await;
    // `Panel` inserts its owner with a fixed id. On both databases, the ids of the demo must start after this id.
    let mut tx = panel.app.db.begin().await.unwrap();
    bulk::advance_id_sequence(&mut tx, "users").await.unwrap();
    tx.commit().await.unwrap();
    panel_server::start::demo::accounts::create_missing_accounts(&panel.app)
        .await
        .unwrap_or_else(|_| panic!("failed to create the demo accounts"));
    assert!(fill(&panel.app.db, size, Time(NOW), IS_PROVIDER_AVAILABLE, |_| ()).await.unwrap());
    panel
}

async fn assert_healthy(db: &Db) {
    let report = doctor::run_sql_checks(&mut &*db, Time(NOW)).await.unwrap();
    assert!(report.healthy, "{}", doctor::format_report(&report));
}

async fn the_demo_is_healthy_and_has_realistic_shares(dialect: Dialect) {
    let panel = start_demo_panel(dialect, DEMO_SIZE).await;
    assert_healthy(&panel.app.db).await;
    assert!(
        !fill(&panel.app.db, DEMO_SIZE, Time(NOW), IS_PROVIDER_AVAILABLE, |_| ()).await.unwrap(),
        "a second fill must insert nothing"
    );
    let fetch_share_of_10_000 = async |status: &str| {
        let sql =
            Sql::new("SELECT count(*) * 10000 / (SELECT count(*) FROM orders) FROM orders WHERE status = ?")
                .bind(status);
        panel.fetch_number(sql).await
    };
    for (status, expected_share) in [
        ("completed", 8_800),
        ("canceled", 600),
        ("in_processing", 300),
        ("in_moderation", 30),
        ("stopped", 70),
        ("unpaid", 200),
    ] {
        let actual_share = fetch_share_of_10_000(status).await;
        assert!(
            (actual_share - expected_share).abs() <= 40,
            "{actual_share} of 10,000 orders are {status}, but about {expected_share} should be"
        );
    }
    for (description, sql) in [
        ("an order with three refunds", "SELECT count(*) FROM orders WHERE refund_seq = 3"),
        ("orders without an active provider", "SELECT count(*) FROM orders WHERE has_no_active_providers"),
        ("a failing provider", "SELECT count(*) FROM providers WHERE status = 'error'"),
        ("a name with a formula", "SELECT count(*) FROM users WHERE name LIKE '=%'"),
        ("names in other scripts", "SELECT count(*) FROM users WHERE name LIKE '%花子%'"),
        ("long names", "SELECT count(*) FROM users WHERE length(name) > 100"),
        (
            "orders paid from two balances",
            "SELECT count(*) FROM order_balance_payments WHERE balance_type = 'task'",
        ),
        ("failed attempts", "SELECT count(*) FROM external_panel_orders WHERE last_error IS NOT NULL"),
        (
            "drip-feeds in progress",
            "SELECT count(*) FROM drip_feeds WHERE status = 'in_processing' AND orders_count > 1",
        ),
        ("canceled drip-feeds", "SELECT count(*) FROM drip_feeds WHERE status = 'canceled' AND refunded > 0"),
        (
            "subscriptions in progress",
            "SELECT count(*) FROM subscriptions WHERE status = 'in_processing' AND orders_count > 1",
        ),
        (
            "combo orders in moderation",
            "SELECT count(*) FROM combo_orders WHERE status = 'in_moderation' AND orders_count = 3",
        ),
        ("free trials", "SELECT count(*) FROM free_trials WHERE status = 'pending'"),
        (
            "free orders",
            "SELECT count(*) FROM free_trials t JOIN orders o ON o.id = t.order_id AND o.free_trial_id = t.id",
        ),
        ("refills", "SELECT count(*) FROM order_refill_requests WHERE status = 'pending'"),
        (
            "losses with automatic refills",
            "SELECT count(*) FROM orders WHERE auto_refill_is_allowed AND drop_quantity > 0 AND refill_source = 'panel'",
        ),
        ("shared views", "SELECT count(*) FROM saved_views WHERE is_shared"),
        ("changes of the catalogue", "SELECT count(*) FROM change_logs WHERE action_type = 'updated'"),
        ("an import rule", "SELECT count(*) FROM import_rules"),
        ("pending withdrawals", "SELECT count(*) FROM withdrawals WHERE status = 'pending'"),
        ("approved withdrawals", "SELECT count(*) FROM withdrawals WHERE status = 'approved'"),
        ("a disputed withdrawal", "SELECT count(*) FROM withdrawals WHERE admin_note LIKE '%disputed%'"),
        ("pending invoices", "SELECT count(*) FROM invoices WHERE status = 'pending'"),
        ("invoices with a bonus", "SELECT count(*) FROM invoices WHERE bonus_amount > 0"),
        ("held amounts", "SELECT count(*) FROM users WHERE hold_referral > 0"),
        ("transactions of the moderator", "SELECT count(*) FROM ledger_txns WHERE actor_id IS NOT NULL"),
    ] {
        assert!(panel.fetch_number(Sql::new(sql)).await > 0, "the demo has no example of: {description}");
    }
    let count_panels_without_rule_sql = "SELECT count(*) FROM external_panels e WHERE e.sync_services
      AND NOT EXISTS (SELECT 1 FROM import_rules r WHERE r.external_panel_id = e.id)";
    assert_eq!(
        panel.fetch_number(Sql::new(count_panels_without_rule_sql)).await,
        0,
        "every external panel with a sync must have an import rule"
    );
    let count_staff_refills_sql = Sql::new("SELECT count(*) FROM orders WHERE refill_quantity IS NOT NULL");
    assert_eq!(
        panel.fetch_number(count_staff_refills_sql).await,
        0,
        "staff must not have entered a refill quantity"
    );
    assert!(
        dispatch::request_automatic_refills(&panel.app).await.unwrap() > 0,
        "the demo must contain losses that the server refills automatically"
    );
    let count_future_orders_sql = "SELECT count(*) FROM orders WHERE created_at > ? OR completed_at > ? OR canceled_at > ? OR updated_at > ?";
    let sql = (0..4).fold(Sql::new(count_future_orders_sql), |sql, _| sql.bind(NOW));
    assert_eq!(panel.fetch_number(sql).await, 0, "no order may have a time in the future");
}

async fn empty_and_tiny_demos_are_healthy(dialect: Dialect) {
    for (orders, users) in [(0, 1), (1, 1), (7, 3)] {
        let panel = start_demo_panel(dialect, DemoSize { orders, users, seed: 0 }).await;
        assert_healthy(&panel.app.db).await;
    }
}

/// Checksums that differ between any two demos: row counts and sums over the main tables.
async fn compute_fingerprints(dialect: Dialect, seed: u64) -> Vec<(i64, i64, i64, i64)> {
    let panel = start_demo_panel(dialect, DemoSize { seed, orders: 2_000, ..DEMO_SIZE }).await;
    let mut rows = Vec::new();
    for sql in [
        "SELECT count(*), CAST(sum(id * (cost % 1009)) AS BIGINT), CAST(sum(user_id * quantity) AS BIGINT), CAST(sum(created_at % 1000003 + length(url)) AS BIGINT) FROM orders",
        "SELECT count(*), CAST(sum(id * (amount % 1013)) AS BIGINT), CAST(sum(COALESCE(balance_after, 0) % 1019) AS BIGINT), CAST(sum(txn_id * length(account)) AS BIGINT) FROM ledger_entries",
        "SELECT count(*), CAST(sum(id * length(name)) AS BIGINT), CAST(sum(balance_main % 1021) AS BIGINT), CAST(sum(created_at % 1000003) AS BIGINT) FROM users WHERE email LIKE '%example.com'",
        "SELECT count(*), CAST(sum(id * default_price % 1031) AS BIGINT), CAST(sum(length(name)) AS BIGINT), CAST(sum(min_quantity) AS BIGINT) FROM services",
    ] {
        rows.push((&mut &panel.app.db).fetch_one(Sql::new(sql)).await.unwrap());
    }
    rows
}

#[tokio::test]
async fn the_same_seed_creates_the_same_records_on_both_databases() {
    let first_fingerprints = compute_fingerprints(Dialect::Sqlite, 3).await;
    assert_eq!(compute_fingerprints(Dialect::Sqlite, 3).await, first_fingerprints);
    assert_eq!(compute_fingerprints(Dialect::Postgres, 3).await, first_fingerprints);
    assert_ne!(compute_fingerprints(Dialect::Sqlite, 4).await, first_fingerprints);
}
