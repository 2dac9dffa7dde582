//! Tests that the doctor reports each broken invariant with an example, and reports nothing for a healthy panel.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::doctor;
use serde_json::Value;

use crate::panel::{NOW, Panel};
use crate::shop::insert_shop_records;
use crate::{invoices, withdrawals};

test_both_databases! {
    an_undamaged_panel_is_healthy;
    the_doctor_finds_each_broken_invariant;
    a_million_ledger_entries_are_checked_in_seconds;
    many_payments_of_one_customer_are_checked_in_seconds;
}

/// The name of a check, a statement that breaks its invariant, and the example that the check must return. The test rolls each
/// statement back.
const BROKEN_INVARIANTS: &[(&str, &str, &str)] = &[
    ("ledger_balanced", "INSERT INTO ledger_entries (txn_id, account, amount, type, transaction_type, created_at) VALUES (3, 'revenue', 5, 'order', 'income', 1)", "transaction 3"),
    ("ledger_complete", "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, created_at) VALUES (900000, 'order_charge', 'order', 777777, 1)", "transaction 900000"),
    ("entries_well_formed", "INSERT INTO ledger_entries (id, txn_id, account, amount, type, transaction_type, created_at) VALUES (900000, 3, 'main', 5, 'order', 'outcome', 1)", "entry 900000"),
    ("balances_match_ledger", "UPDATE users SET balance_main = balance_main + 1 WHERE id = 4", "user 4"),
    ("balances_match_ledger", "UPDATE users SET hold_referral = 1 WHERE id = 5", "user 5"),
    ("user_status_times", "UPDATE users SET status = 'deactivated', frozen_at = 1 WHERE id = 4", "user 4"),
    ("running_balances", "INSERT INTO ledger_entries (id, txn_id, account, user_id, amount, balance_after, type, transaction_type, created_at) VALUES (900000, 3, 'main', 2, 5, 4, 'order', 'income', 1)", "entry 900000"),
    ("spent_matches_orders", "UPDATE users SET spent = 0 WHERE id = 4", "user 4"),
    ("ledger_is_audited", "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, actor_id, created_at) VALUES (900000, 'manual', 'user', 2, 1000001, 1)", "transaction 900000"),
    ("withdrawal_postings", "INSERT INTO withdrawals (id, user_id, payment_method_id, account_number, balance_type, amount, created_at, updated_at) VALUES (5, 1, 1, 'DE1', 'main', 5, 1, 1)", "withdrawal 5"),
    ("withdrawal_postings", "UPDATE withdrawals SET status = 'paid', transaction_id = 'T', paid_at = 1 WHERE id = 1", "withdrawal 1"),
    ("withdrawal_holds", "UPDATE withdrawals SET amount = amount + 1 WHERE id = 1", "withdrawal 1"),
    ("withdrawal_holds", "UPDATE withdrawals SET user_id = 2 WHERE id = 1", "withdrawal 1"),
    ("ledger_complete", "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, created_at) VALUES (900000, 'withdrawal_hold', 'withdrawal', 777777, 1)", "transaction 900000"),
    ("withdrawals_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('withdrawals', 'pending', 0, 1)", "count of withdrawals pending block 0"),
    ("invoices_in_ledger", "UPDATE invoices SET status = 'paid', paid_amount = 5, paid_at = 1 WHERE id = 1", "invoice 1"),
    ("invoices_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('invoices', 'pending', 0, 1)", "count of invoices pending block 0"),
    ("refunds_within_payments", "UPDATE orders SET refunded = 1 WHERE id = 7", "order 7"),
    ("refunds_in_ledger", "UPDATE orders SET refund_seq = 1 WHERE id = 7", "order 7"),
    ("refunds_in_ledger", "INSERT INTO ledger_txns (kind, ref_type, ref_id, created_at) VALUES ('order_refund', 'order', 8, 1)", "order 8"),
    ("cancel_refunds_match_audit", "INSERT INTO audits (created_at, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
       VALUES (1, '', '', '', 'order.canceled', 'order', 9, '{}', '{\"refunded\":\"2.5\"}')", "order 9"),
    ("cancel_requests_decided", "INSERT INTO order_cancel_requests (id, order_id, status, created_at, deadline_at, decided_at) VALUES (5, 12, 'confirmed', 1, 1, 1)", "cancel request 5"),
    ("cancel_requests_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('order_cancel_requests', '', 3, 1)", "count of order_cancel_requests  block 3"),
    ("order_payments", "DELETE FROM order_balance_payments WHERE order_id = 10", "order 10"),
    ("order_payments_in_ledger", "UPDATE order_balance_payments SET balance_type = 'referral' WHERE order_id = 11", "order 11"),
    ("order_states", "UPDATE orders SET status = 'completed' WHERE id = 12", "order 12"),
    ("order_states", "UPDATE orders SET is_paid = FALSE WHERE id = 12", "order 12"),
    ("orders_without_provider", "UPDATE orders SET has_no_active_providers = TRUE WHERE id = 13", "order 13"),
    ("counter_quantities", "INSERT INTO order_counters (order_id, start_count, quantity, created_at) VALUES (15, 100, 7, 1)", "order 15"),
    ("services_with_provider", "UPDATE providers SET status = 'error' WHERE id = 1", "service 1"),
    ("orders_counted", "UPDATE row_counts SET n = n + 1 WHERE tbl = 'orders' AND grp = 'in_processing' AND block = 0", "count of orders in_processing block 0"),
    ("users_counted", "UPDATE row_counts SET n = n - 1 WHERE tbl = 'users' AND grp = 'active' AND block = 0", "count of users active block 0"),
    ("payments_counted", "UPDATE row_counts SET n = n - 1 WHERE tbl = 'ledger_entries' AND block = 0", "count of ledger_entries  block 0"),
    ("free_trials_counted", "INSERT INTO row_counts (tbl, grp, block, n) VALUES ('free_trials', 'pending', 3, 1)", "count of free_trials pending block 3"),
    ("prepayment_holds", "INSERT INTO advances (ref_type, ref_id, balance_type, amount) VALUES ('drip_feed', 5, 'main', 5)", "advance of drip_feed 5"),
    ("placed_order_counts", "INSERT INTO combo_orders (id, url, status, source, package_name, package_type, user_id, orders_count, created_at, updated_at) VALUES (5, '', 'completed', 'package', '', '', 1, 3, 1, 1)", "orders of combo order 5"),
    ("subscription_content_counts", "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, subscription_contents_count, created_at, updated_at)
       VALUES (5, '', '', '', 1, 'in_processing', 'per_content', 5, 2, 1, 1)", "subscription 5"),
    ("subscription_content_counts", "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, next_poll_at, created_at, updated_at)
       VALUES (5, '', '', '', 1, 'canceled', 'per_content', 5, 1, 1, 1)", "subscription 5"),
    ("subscription_periods", "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, period_days, period_contents, created_at, updated_at)
       VALUES (5, '', '', '', 1, 'in_processing', 'recurring', 5, 30, 5, 1, 1)", "subscription 5"),
    ("drip_feeds_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('drip_feeds', '', 3, 1)", "count of drip_feeds  block 3"),
    ("subscriptions_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('subscriptions', '', 3, 1)", "count of subscriptions  block 3"),
    ("combo_orders_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('combo_orders', '', 3, 1)", "count of combo_orders  block 3"),
    ("external_panel_orders_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('external_panel_orders', '', 3, 1)", "count of external_panel_orders  block 3"),
    ("audits_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('audits', '', 3, 1)", "count of audits  block 3"),
    ("change_logs_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('change_logs', '', 3, 1)", "count of change_logs  block 3"),
    ("payment_methods_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('payment_methods', '', 3, 1)", "count of payment_methods  block 3"),
    ("free_trial_quests_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('free_trial_quests', '', 3, 1)", "count of free_trial_quests  block 3"),
    ("grades_counted", "INSERT INTO row_count_deltas (tbl, grp, block, n) VALUES ('grades', '', 3, 1)", "count of grades  block 3"),
    ("staff_flags", "UPDATE users SET is_staff = TRUE WHERE id = 7", "user 7"),
    ("row_count_totals", "UPDATE row_counts SET n = n - 1 WHERE tbl = 'orders' AND grp = '' AND block = -1", "count of orders "),
    ("daily_sums", "UPDATE order_days SET cost = cost + 1", "day 20775 in_processing"),
    ("user_order_counts", "INSERT INTO user_order_count_deltas (user_id, n) VALUES (6, 1)", "user 6"),
    ("payment_method_positions", "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (900000, 'X', 'card', 9, 1, 1)", "payment method 900000"),
    ("coupon_totals", "INSERT INTO coupons (id, name, code, payment_type, valid_from, bonus_type, bonus_amount_calculation_type, usages, created_at, updated_at)
       VALUES (900000, 'X', 'X', 'order', 1, 'discount', 'percent', 1, 1, 1)", "coupon 900000"),
    ("commission_amounts", "INSERT INTO ledger_entries (id, txn_id, account, user_id, order_id, amount, balance_after, type, transaction_type, created_at) VALUES (900000, 3, 'referral', 2, 14, 9000000000, 9000000000, 'referral', 'income', 1)", "order 14"),
    ("overdue_jobs", "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (5, 'mail', '{}', 1, 1)", "job 5"),
    ("no_quarantined_records", "INSERT INTO quarantine (poller, record_id, status, crashes, first_crash_at, created_at, updated_at) VALUES ('order', 14, 'quarantined', 2, 1, 1, 1)", "record order 14"),
];

async fn an_undamaged_panel_is_healthy(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 10, 100).await;
    let response = panel.get("/api/v1/admin/system/doctor").await;
    assert_eq!(response.status, 200, "{}", response.text);
    let report = &response.json()["data"];
    assert_eq!(report["healthy"], Value::Bool(true), "{report:#}");
    assert!(report["checks"].as_array().unwrap().len() >= 27, "{report:#}");
    assert_eq!(
        panel.send("owner", "POST", "/api/v1/admin/system/doctor", &Value::Null, None).await.status,
        405
    );
    panel.create_staff("moderator", &[Permission::ManageOrders]).await;
    assert_eq!(panel.get_as("moderator", "/api/v1/admin/system/doctor", "*/*").await.status, 403);
}

async fn the_doctor_finds_each_broken_invariant(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 10, 30).await;
    withdrawals::add_payment_methods(&panel).await;
    withdrawals::request_withdrawal(&panel, 1, 1_000_000).await;
    invoices::create_invoice(&panel, 1, 1_000_000).await;
    for (check_name, statement, example) in BROKEN_INVARIANTS {
        let mut tx = panel.app.db.begin().await.unwrap();
        tx.execute(Sql::new(statement)).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
        let report = doctor::run_sql_checks(&mut tx, Time(NOW)).await.unwrap();
        let check = report.checks.iter().find(|check| check.name == *check_name).unwrap();
        assert!(!report.healthy && check.violation_count >= 1, "{check_name}: {statement}");
        assert!(
            check.examples.iter().any(|found_example| found_example == example),
            "{check_name}: {:?}",
            check.examples
        );
        assert!(doctor::format_report(&report).contains(&format!("FAILED  {check_name}")));
        tx.rollback().await.unwrap();
    }
    let report = doctor::run_sql_checks(&mut &panel.app.db, Time(NOW)).await.unwrap();
    assert!(report.healthy, "{}", doctor::format_report(&report));
    for check in report.checks {
        // A unique index prevents two transactions with the same cause.
        let is_tested = BROKEN_INVARIANTS.iter().any(|(check_name, ..)| *check_name == check.name)
            || check.name == "causes_are_unique";
        assert!(is_tested, "{} has no statement in BROKEN_INVARIANTS", check.name);
    }
}

/// With the environment variable `SCALE`, the doctor must check 1,000,000 entries within ten seconds. Without `SCALE`, the test has a
/// tenth of the entries and allows six seconds, six times as long as the check usually takes, because tests run in parallel and
/// without optimization.
async fn a_million_ledger_entries_are_checked_in_seconds(dialect: Dialect) {
    let (orders, limit_ms) =
        if std::env::var_os("SCALE").is_some() { (480_000, 10_000) } else { (48_000, 6_000) };
    let panel = Panel::start(dialect).await;
    insert_shop_records(&panel.app.db, 500, orders).await;
    let report = doctor::run_sql_checks(&mut &panel.app.db, Time(NOW)).await.unwrap();
    let took_ms: i64 = report.checks.iter().map(|check| check.took_ms).sum();
    let entry_count = panel.fetch_number(Sql::new("SELECT count(*) FROM ledger_entries")).await;
    eprintln!("{dialect:?}: {entry_count} entries in {took_ms} ms\n{}", doctor::format_report(&report));
    assert!(report.healthy && took_ms < limit_ms, "the check of {entry_count} entries took {took_ms} ms");
}

/// Staff credit one customer 20,000 times. The check must match each of these payments with its audit entry within seconds.
async fn many_payments_of_one_customer_are_checked_in_seconds(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 1, 0).await;
    let numbers_sql =
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) ";
    let insert_transactions_sql =
        "INSERT INTO ledger_txns (kind, ref_type, ref_id, seq, actor_id, created_at) ";
    let select_transactions_sql = "SELECT 'manual', 'user', 1, n, 1, n FROM numbers";
    let insert_audits_sql = "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values) ";
    let select_audits_sql =
        "SELECT n, 1, '127.0.0.1', 'test', 'test', 'payment.created', 'user', 1, '{}', '{}' FROM numbers";
    for (insert, select) in
        [(insert_transactions_sql, select_transactions_sql), (insert_audits_sql, select_audits_sql)]
    {
        panel.execute(Sql::new(insert).push(numbers_sql).push(select)).await;
    }
    let report = doctor::run_sql_checks(&mut &panel.app.db, Time(NOW)).await.unwrap();
    let check = report.checks.iter().find(|check| check.name == "ledger_is_audited").unwrap();
    assert_eq!(check.violation_count, 0, "{:?}", check.examples);
    assert!(check.took_ms < 3_000, "the check took {} ms", check.took_ms);
}
