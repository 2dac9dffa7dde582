//! Unusual answers of external panels must not lead to a second external order, to an order that continues there after its cancel,
//! to the API key in a list, or to a blocked refill.

use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Sql};
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::DEPOSIT;
use crate::shop_with_panels::{KEY, ShopWithPanels};

both! {
    an_unclear_json_error_is_reconciled_and_never_resent;
    one_order_is_canceled_with_either_parameter_name;
    recorded_answers_contain_no_api_key;
    a_refill_survives_errors_that_do_not_concern_it;
    a_hanging_panel_delays_no_refill_of_another_panel;
    many_small_losses_do_not_delay_a_large_one;
}

/// Places orders that the first panel completes, and requests a refill of 50 units for each; returns their ids.
async fn orders_with_refills(shop: &ShopWithPanels, orders: u32) -> Vec<OrderId> {
    shop.panel.execute(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let mut ids = Vec::new();
    for n in 1..=orders {
        ids.push(shop.order(n).await);
    }
    shop.run_for_secs(300).await;
    for id in &ids {
        let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
        assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    }
    ids
}

async fn an_unclear_json_error_is_reconciled_and_never_resent(dialect: Dialect) {
    for behavior in [
        FakeBehavior::ExecutesThenError(500),
        FakeBehavior::ExecutesThenError(504),
        FakeBehavior::ExecutesThenError(200),
    ] {
        let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        shop.order(1).await;
        shop.run_for_secs(30).await;
        shop.panel.clock.advance_secs(1);
        shop.set_behavior(0, behavior);
        let id = shop.order(2).await;
        shop.run_until_idle().await;
        shop.set_behavior(0, FakeBehavior::Correct);
        shop.panel.clock.advance_secs(1);
        shop.order(3).await;
        shop.run_for_secs(1_800).await;
        assert_eq!(shop.order_counts(), [3, 0], "{behavior:?}: sent once, and to no other panel");
        assert_eq!(shop.attempt_statuses(id).await, ["Completed"], "{behavior:?}");
        assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 18_000_000);
        shop.assert_healthy().await;
    }
}

async fn one_order_is_canceled_with_either_parameter_name(dialect: Dialect) {
    for accepts_single in [false, true] {
        let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
        shop.fake_panels[0].state().accepts_single_cancel = accepts_single;
        let id = shop.order(1).await;
        shop.run_until_idle().await;
        let cancel = format!("/api/v1/admin/orders/{id}/cancel");
        assert_eq!(shop.panel.post(&cancel, &json!({ "return_money": true })).await.status, 200);
        shop.run_for_secs(600).await;
        assert_eq!(
            shop.attempt_statuses(id).await,
            ["Canceled"],
            "{accepts_single}: {:?}",
            shop.attempts(id).await
        );
        assert_eq!(shop.panel.order(id).await["provider_cost"], "0", "{accepts_single}");
        shop.assert_healthy().await;
    }
}

async fn recorded_answers_contain_no_api_key(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let attempts_with = async |text: &str| {
        let sql = Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE COALESCE(last_error, '') || COALESCE(last_answer, '') || status LIKE ?",
        );
        shop.panel.number(sql.bind(format!("%{text}%"))).await
    };
    let (first, second) = (shop.order(1).await, shop.order(2).await);
    shop.run_until_idle().await;
    shop.set_behavior(0, FakeBehavior::EchoesRequest);
    let unclear_order = shop.order(3).await;
    // Polled together, both get an error; polled alone, the order gets the echoed text as its status.
    shop.run_for_secs(300).await;
    assert_eq!((attempts_with(KEY).await, attempts_with("\u{1b}").await), (0, 0));
    assert_eq!(attempts_with("[key]").await, 3);
    let poll_only_second =
        Sql::new("UPDATE external_panel_orders SET due_at = NULL, last_error = NULL WHERE order_id = ?");
    shop.panel.execute(poll_only_second.bind(first)).await;
    shop.run_for_secs(600).await;
    assert_eq!((attempts_with(KEY).await, attempts_with("\u{1b}").await), (0, 0));
    let last_error = shop.attempts(second).await[0]["last_error"].clone();
    assert!(last_error.as_str().unwrap().contains("The panel reports [31mkey=[key]"), "{last_error}");
    assert!(shop.attempts(unclear_order).await[0]["last_error"].as_str().unwrap().contains("[key]"));
}

async fn a_refill_survives_errors_that_do_not_concern_it(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = orders_with_refills(&shop, 1).await[0];
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    let status = async || shop.panel.get(&path).await.json()["data"][0]["status"].clone();
    shop.set_behavior(0, FakeBehavior::RateLimited);
    shop.run_for_secs(120).await;
    assert_eq!(status().await, "pending", "429 is no rejection");
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.fake_panels[0].state().key = "changed there".into();
    shop.run_for_secs(600).await;
    assert_eq!(status().await, "pending", "a wrong key is no rejection");
    shop.fake_panels[0].state().key = KEY.into();
    shop.run_for_secs(3_900).await;
    assert_eq!(status().await, "completed");
    // A rejection of the refill itself is final.
    shop.fake_panels[0].state().services.get_mut(&7).unwrap().refill = false;
    assert_eq!(shop.panel.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.run_until_idle().await;
    assert_eq!(status().await, "rejected");
    shop.assert_healthy().await;
}

async fn a_hanging_panel_delays_no_refill_of_another_panel(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    let last = orders_with_refills(&shop, 6).await[5];
    let move_to_second_panel =
        Sql::new("UPDATE external_panel_orders SET external_panel_id = 2 WHERE order_id = ?");
    shop.panel.execute(move_to_second_panel.bind(last)).await;
    shop.set_behavior(0, FakeBehavior::NoAnswer);
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let worker = tokio::spawn(dispatch::run(shop.panel.app.clone(), stopped));
    let refill_calls = |panel: usize| {
        shop.fake_panels[panel].calls().iter().filter(|call| call["action"] == "refill").count()
    };
    while refill_calls(1) == 0 {
        tokio::task::yield_now().await;
    }
    assert!(refill_calls(0) <= 1, "the first of five calls still hangs at the first panel");
    worker.abort();
}

async fn many_small_losses_do_not_delay_a_large_one(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let sql = "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000";
    shop.panel.execute(Sql::new(sql)).await;
    let now = shop.panel.app.clock.now().0;
    // A thousand orders lost less than the minimum, and the last order lost enough.
    let rows = (0..=1_000_i64)
        .map(|n| vec![(100_000 + n).into(), (if n == 1_000 { 5 } else { 4 }).into()])
        .collect();
    let orders = Sql::new(
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at,
           has_refill, auto_refill_is_allowed, drop_quantity, completed_at)
         SELECT r.id, 'Many', 'https://video.example/many', 'completed', 'cabinet', 1, 1, 0, 0, 1000, 100, TRUE, 1, 1, TRUE, TRUE, r.lost, CAST(? AS BIGINT) FROM ",
    );
    shop.panel.execute(orders.bind(now - 3_600_000_000).rows("r", &["id", "lost"], rows)).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let order_and_quantity =
        Sql::new("SELECT max(order_id) * 1000 + max(quantity) FROM order_refill_requests");
    assert_eq!(shop.panel.number(order_and_quantity).await, 101_000_005);
}
