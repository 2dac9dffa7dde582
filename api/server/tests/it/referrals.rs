//! Referral statistics: the orders of referrals and the commissions of their affiliates, exact to the millionth, grouped by period,
//! affiliate or referral.

use panel_contract::ids::{ServiceId, UserId};
use panel_platform::db::{Dialect, Sql};
use panel_platform::sql;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};

test_both_databases! {
    referral_statistics_sum_up_orders_and_commissions;
    a_new_affiliate_does_not_change_past_statistics;
    rejects_invalid_parameters_and_names_the_fields;
}

const STATISTICS_PATH: &str = "/api/v1/admin/referral-program-statistics";
const DAY_MICROS: i64 = 86_400_000_000;

/// A panel where users 1 and 2 referred users 3, 4 and 5. Orders of 3 and 4 earned commissions, of which one was partly reversed.
async fn panel_with_referrals(dialect: Dialect) -> Panel {
    let panel = Panel::with_users_and_orders(dialect, 6, 0).await;
    for (user_id, affiliate_id, created_at) in
        [(3, 1, NOW), (4, 1, NOW - 40 * DAY_MICROS), (5, 2, NOW - 8 * DAY_MICROS)]
    {
        let sql = Sql::new("UPDATE users SET affiliate_id = ?, created_at = ? WHERE id = ?");
        panel.execute(sql.bind(affiliate_id).bind(created_at).bind(user_id)).await;
        let sql = Sql::new(
            "INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at) VALUES (?, ?, 1, 1, 1)",
        );
        panel.execute(sql.bind(user_id).bind(affiliate_id)).await;
    }
    for (id, user_id, cost, refunded, is_paid, created_at) in [
        (1, 3, 2_000_001, 0, true, NOW),
        (2, 3, 1_000_000, 500_000, true, NOW - DAY_MICROS),
        (3, 4, 7_000_000, 0, true, NOW),
        (4, 4, 9_000_000, 0, false, NOW),
        (5, 6, 9_000_000, 0, true, NOW),
        (6, 5, 4_000_000, 0, true, NOW - 60 * DAY_MICROS),
    ] {
        let sql = sql!(
            "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, refunded, price, pricing_per, \
               rounding_precision, quantity, is_paid, created_at, updated_at)
             VALUES (@id, 'x', 'https://x.example', 'in_processing', 'cabinet', @user_id, 1, @cost, @refunded, 1, 1000, 2, \
               100, @is_paid, @created_at, 1)",
            { id, user_id: user_id, cost, refunded, is_paid, created_at },
        );
        panel.execute(sql).await;
    }
    for (transaction_id, order_id, affiliate_id, amount, created_at) in
        [(900, 1, 1, 100_000, NOW), (901, 3, 1, 350_000, NOW), (902, 1, 1, -40_000, NOW)]
    {
        let sql = Sql::new(
            "INSERT INTO ledger_txns (id, kind, ref_type, ref_id, seq, created_at) VALUES (?, 'commission', 'order', ?, ?, ?)",
        );
        panel.execute(sql.bind(transaction_id).bind(order_id).bind(transaction_id).bind(created_at)).await;
        let sql = sql!(
            "INSERT INTO ledger_entries (txn_id, account, user_id, amount, balance_after, type, transaction_type, order_id, \
               created_at)
             VALUES (@txn_id, 'referral', @user_id, @amount, 0, 'referral', 'income', @order_id, @created_at)",
            { txn_id: transaction_id, user_id: affiliate_id, amount, order_id: order_id, created_at },
        );
        panel.execute(sql).await;
    }
    panel
}

async fn fetch_statistics(panel: &Panel, query: &str) -> Value {
    let response = panel.get(&format!("{STATISTICS_PATH}?{query}")).await;
    assert_eq!(response.status, 200, "{query}: {}", response.text);
    response.json()["data"].clone()
}

fn totals_of(row: &Value) -> Value {
    json!([row["referrals"], row["orders"], row["cost"], row["refunded"], row["commission"]])
}

async fn referral_statistics_sum_up_orders_and_commissions(dialect: Dialect) {
    let panel = panel_with_referrals(dialect).await;
    let days = fetch_statistics(&panel, "").await;
    let rows = days["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    assert_eq!(totals_of(&rows[29]), json!([1, 2, "9.000001", "0", "0.41"]), "{}", rows[29]);
    assert_eq!(totals_of(&rows[28]), json!([0, 1, "1", "0.5", "0"]));
    assert_eq!(totals_of(&rows[0]), json!([0, 0, "0", "0", "0"]));
    let expected_totals = json!([2, 3, "10.000001", "0.5", "0.41"]);
    assert_eq!(totals_of(&days["totals"]), expected_totals);
    assert_eq!(totals_of(&fetch_statistics(&panel, "group_by=week").await["totals"]), expected_totals);
    let months = fetch_statistics(&panel, "group_by=month&start_date=2026-08-01").await;
    assert_eq!(months["rows"].as_array().unwrap().len(), 4);
    assert_eq!(months["totals"]["orders"], 4);

    let affiliates = fetch_statistics(&panel, "group_by=affiliate").await;
    assert_eq!(
        (affiliates["rows"][0]["affiliate"]["id"].clone(), affiliates["rows"].as_array().unwrap().len()),
        (json!(1), 2)
    );
    assert_eq!(totals_of(&affiliates["rows"][0]), json!([1, 3, "10.000001", "0.5", "0.41"]));
    assert_eq!(
        totals_of(&affiliates["rows"][1]),
        json!([1, 0, "0", "0", "0"]),
        "a referral without orders must be counted"
    );
    assert_eq!(totals_of(&affiliates["totals"]), expected_totals);

    let referrals = fetch_statistics(&panel, "group_by=referral").await;
    let row = &referrals["rows"][0];
    assert_eq!((&row["referral"]["id"], &row["affiliate"]["id"]), (&json!(4), &json!(1)));
    assert_eq!(totals_of(row), json!([0, 1, "7", "0", "0.35"]));
    assert_eq!(
        totals_of(&fetch_statistics(&panel, "group_by=referral&referrals=3").await["totals"]),
        json!([1, 2, "3.000001", "0.5", "0.06"])
    );
    assert_eq!(
        totals_of(&fetch_statistics(&panel, "affiliates=2,77").await["totals"]),
        json!([1, 0, "0", "0", "0"])
    );
    assert_eq!(
        totals_of(&fetch_statistics(&panel, "affiliates=2&referrals=3").await["totals"]),
        json!([0, 0, "0", "0", "0"])
    );
}

async fn a_new_affiliate_does_not_change_past_statistics(dialect: Dialect) {
    let panel = panel_with_referrals(dialect).await;
    let statistics_before = fetch_statistics(&panel, "group_by=affiliate").await;
    panel.clock.advance_secs(60);
    let body = json!({ "user_ids": [3, 4], "affiliate_id": 2 });
    let response = panel.post("/api/v1/admin/users/bulk-actions", &body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(fetch_statistics(&panel, "group_by=affiliate").await["rows"], statistics_before["rows"]);
    let mut tx = panel.app.db.begin().await.unwrap();
    panel_platform::db::bulk::advance_id_sequence(&mut tx, "orders").await.unwrap();
    tx.commit().await.unwrap();
    // The statistics assign later orders to the new affiliate.
    panel
        .place_order(&panel_server::operations::orders::place::NewOrder::without_options(
            UserId::new(3),
            ServiceId::new(1),
            "https://x.example/new",
            1000,
        ))
        .await;
    let statistics_after = fetch_statistics(&panel, "group_by=affiliate&affiliates=2").await;
    assert_eq!(totals_of(&statistics_after["totals"]), json!([1, 1, "10", "0", "0.5"]));
}

async fn rejects_invalid_parameters_and_names_the_fields(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for (query, field) in [
        ("group_by=year", "group_by"),
        ("start_date=2026-12-01&end_date=2026-11-01", "start_date"),
        ("start_date=1900-01-01", "start_date"),
        ("end_date=9999999-01-01", "end_date"),
        ("affiliates=x", "affiliates"),
        ("referrals=1,,2", "referrals"),
        ("groupBy=day", "groupBy"),
    ] {
        let response = panel.get(&format!("{STATISTICS_PATH}?{query}")).await;
        assert_eq!(response.status, 422, "{query}: {}", response.text);
        assert!(response.json()["errors"].get(field).is_some(), "{query}: {}", response.text);
    }
}
