//! Tests unusual responses of external panels. They must not cause a second external order, an external order that continues after
//! its cancel, an API key in a list, or a refill that never ends.

use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::CUSTOMER_DEPOSIT;
use crate::shop_with_panels::{FAKE_PANEL_KEY, FAKE_SERVICE_ID, ShopWithPanels};

test_both_databases! {
    an_order_with_an_unclear_error_is_reconciled_and_never_sent_again;
    one_order_is_canceled_with_either_parameter_name;
    recorded_responses_contain_no_api_key;
    a_refill_stays_open_after_unrelated_errors;
    an_unresponsive_panel_delays_no_refill_of_another_panel;
    many_small_losses_do_not_delay_a_large_one;
}

/// The cost of an order of [`ShopWithPanels::place_order`], in millionths.
const ORDER_COST: i64 = 6_000_000;

/// Places orders that the first external panel completes, requests a refill of 50 units for each, and returns their ids.
async fn place_orders_with_refills(shop: &ShopWithPanels, order_count: u32) -> Vec<OrderId> {
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let mut ids = Vec::new();
    for n in 1..=order_count {
        ids.push(shop.place_order(n).await);
    }
    shop.run_for_secs(300).await;
    for id in &ids {
        let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
        assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    }
    ids
}

async fn an_order_with_an_unclear_error_is_reconciled_and_never_sent_again(dialect: Dialect) {
    for behavior in [
        FakeBehavior::ExecutesThenError(500),
        FakeBehavior::ExecutesThenError(504),
        FakeBehavior::ExecutesThenError(200),
    ] {
        let shop =
            ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        shop.place_order(1).await;
        shop.run_for_secs(30).await;
        shop.panel.clock.advance_secs(1);
        shop.set_behavior(0, behavior);
        let id = shop.place_order(2).await;
        shop.run_until_idle().await;
        shop.set_behavior(0, FakeBehavior::Correct);
        shop.panel.clock.advance_secs(1);
        shop.place_order(3).await;
        shop.run_for_secs(1_800).await;
        assert_eq!(
            shop.order_counts(),
            [3, 0],
            "{behavior:?}: each order must be sent once, and only to the first external panel"
        );
        assert_eq!(shop.fetch_attempt_statuses(id).await, ["Completed"], "{behavior:?}");
        assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 3 * ORDER_COST);
        shop.assert_healthy().await;
    }
}

async fn one_order_is_canceled_with_either_parameter_name(dialect: Dialect) {
    for accepts_single in [false, true] {
        let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
        shop.fake_panels[0].state().accepts_single_cancel = accepts_single;
        let id = shop.place_order(1).await;
        shop.run_until_idle().await;
        let cancel_path = format!("/api/v1/admin/orders/{id}/cancel");
        assert_eq!(shop.panel.post(&cancel_path, &json!({ "return_money": true })).await.status, 200);
        shop.run_for_secs(600).await;
        assert_eq!(
            shop.fetch_attempt_statuses(id).await,
            ["Canceled"],
            "{accepts_single}: {:?}",
            shop.fetch_attempts(id).await
        );
        assert_eq!(shop.panel.fetch_order(id).await["provider_cost"], "0", "{accepts_single}");
        shop.assert_healthy().await;
    }
}

async fn recorded_responses_contain_no_api_key(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let count_attempts_with = async |searched_text: &str| {
        let sql = Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE COALESCE(last_error, '') || COALESCE(last_response, '') || status LIKE ?",
        );
        shop.panel.fetch_number(sql.bind(format!("%{searched_text}%"))).await
    };
    let (first_order_id, second_order_id) = (shop.place_order(1).await, shop.place_order(2).await);
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::EchoesRequest);
    let unclear_order = shop.place_order(3).await;
    // If the worker polls both orders in one request, both get an error. If it polls one order, the echoed text becomes its status.
    shop.run_for_secs(300).await;
    assert_eq!((count_attempts_with(FAKE_PANEL_KEY).await, count_attempts_with("\u{1b}").await), (0, 0));
    assert_eq!(count_attempts_with("[key]").await, 3);
    let stop_polling_sql =
        Sql::new("UPDATE external_panel_orders SET due_at = NULL, last_error = NULL WHERE order_id = ?");
    shop.panel.execute(stop_polling_sql.bind(first_order_id)).await;
    shop.run_for_secs(600).await;
    assert_eq!((count_attempts_with(FAKE_PANEL_KEY).await, count_attempts_with("\u{1b}").await), (0, 0));
    let last_error = shop.fetch_attempts(second_order_id).await[0]["last_error"].clone();
    assert!(last_error.as_str().unwrap().contains("The panel reports [31mkey=[key]"), "{last_error}");
    assert!(shop.fetch_attempts(unclear_order).await[0]["last_error"].as_str().unwrap().contains("[key]"));
}

async fn a_refill_stays_open_after_unrelated_errors(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = place_orders_with_refills(&shop, 1).await[0];
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    let fetch_status = async || shop.panel.get(&path).await.json()["data"][0]["status"].clone();
    shop.set_behavior(0, FakeBehavior::RateLimited);
    shop.run_for_secs(120).await;
    assert_eq!(fetch_status().await, "pending", "a response with status 429 must not reject the refill");
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.fake_panels[0].state().api_key = "changed-key".into();
    shop.run_for_secs(600).await;
    assert_eq!(fetch_status().await, "pending", "a wrong key must not reject the refill");
    shop.fake_panels[0].state().api_key = FAKE_PANEL_KEY.into();
    shop.run_for_secs(3_900).await;
    assert_eq!(fetch_status().await, "completed");
    // If the external panel rejects the refill itself, the refill is rejected for ever.
    shop.fake_panels[0].state().services.get_mut(&FAKE_SERVICE_ID).unwrap().allows_refill = false;
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.run_until_idle().await;
    assert_eq!(fetch_status().await, "rejected");
    shop.assert_healthy().await;
}

async fn an_unresponsive_panel_delays_no_refill_of_another_panel(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    let last_order_id = place_orders_with_refills(&shop, 6).await[5];
    let move_to_second_panel_sql =
        Sql::new("UPDATE external_panel_orders SET external_panel_id = 2 WHERE order_id = ?");
    shop.panel.execute(move_to_second_panel_sql.bind(last_order_id)).await;
    shop.set_behavior(0, FakeBehavior::NoResponse);
    let (_stop_sender, stop_receiver) = tokio::sync::watch::channel(false);
    let worker = tokio::spawn(dispatch::run(shop.panel.app.clone(), stop_receiver));
    let count_refill_requests = |panel_index: usize| {
        shop.fake_panels[panel_index]
            .requests()
            .iter()
            .filter(|request| request["action"] == "refill")
            .count()
    };
    while count_refill_requests(1) == 0 {
        tokio::task::yield_now().await;
    }
    assert!(
        count_refill_requests(0) <= 1,
        "the first of five requests must still wait for the first external panel"
    );
    worker.abort();
}

async fn many_small_losses_do_not_delay_a_large_one(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let enable_auto_refill_sql = "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000";
    shop.panel.execute(Sql::new(enable_auto_refill_sql)).await;
    let now = shop.panel.app.clock.now().0;
    // A thousand orders lost less than the minimum. Only the last order lost enough for a refill.
    let id_loss_rows = (0..=1_000_i64)
        .map(|number| vec![(100_000 + number).into(), (if number == 1_000 { 5 } else { 4 }).into()])
        .collect();
    let insert_orders_sql = Sql::new(
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at,
           has_refill, auto_refill_is_allowed, drop_quantity, completed_at)
         SELECT r.id, 'Many', 'https://video.example/many', 'completed', 'cabinet', 1, 1, 0, 0, 1000, 100, TRUE, 1, 1, TRUE, TRUE, r.lost, CAST(? AS BIGINT) FROM ",
    );
    shop.panel
        .execute(insert_orders_sql.bind(now - 3_600_000_000).rows("r", &["id", "lost"], id_loss_rows))
        .await;
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let order_and_quantity_sql = Sql::new("SELECT max(order_id), max(quantity) FROM order_refill_requests");
    let order_and_quantity: (i64, i64) =
        (&mut &shop.panel.app.db).fetch_one(order_and_quantity_sql).await.unwrap();
    assert_eq!(order_and_quantity, (101_000, 5));
}
