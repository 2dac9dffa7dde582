//! What panels answer, and what it may not lead to: a second order, an order that goes on there though it was canceled,
//! our key in a list.

use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::world::OrderBehavior;
use panel_platform::db::{Dialect, Sql};
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::DEPOSIT;
use crate::supplied::{KEY, Supplied};

both! {
    an_accident_in_json_is_reconciled_and_never_resent;
    one_order_is_canceled_whichever_name_is_known;
    what_a_panel_sends_back_holds_no_key;
    a_refill_outlasts_what_is_not_about_it;
    a_panel_that_hangs_keeps_no_other_refill_waiting;
    small_drops_keep_nobody_waiting;
}

/// Orders of a service with refills that the first panel completed, each with a refill asked for.
async fn refilling(shop: &Supplied, orders: u32) -> Vec<OrderId> {
    shop.ours.exec(Sql::new("UPDATE services SET has_refill = TRUE")).await;
    let mut ids = Vec::new();
    for n in 1..=orders {
        ids.push(shop.order(n).await);
    }
    shop.pass(300).await;
    for id in &ids {
        let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
        assert_eq!(shop.ours.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    }
    ids
}

async fn an_accident_in_json_is_reconciled_and_never_resent(dialect: Dialect) {
    for temper in [FakeBehavior::Sorry(500), FakeBehavior::Sorry(504), FakeBehavior::Sorry(200)] {
        let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        shop.order(1).await;
        shop.pass(30).await;
        shop.ours.clock.advance_secs(1);
        shop.behave(0, temper);
        let id = shop.order(2).await;
        shop.settle().await;
        shop.behave(0, FakeBehavior::Good);
        shop.ours.clock.advance_secs(1);
        shop.order(3).await;
        shop.pass(1_800).await;
        assert_eq!(shop.taken(), [3, 0], "{temper:?}: sent once, and to no other panel");
        assert_eq!(shop.states(id).await, ["Completed"], "{temper:?}");
        assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 18_000_000);
        shop.assert_healthy().await;
    }
}

async fn one_order_is_canceled_whichever_name_is_known(dialect: Dialect) {
    for knows_one in [false, true] {
        let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
        shop.theirs[0].world().cancels_one = knows_one;
        let id = shop.order(1).await;
        shop.settle().await;
        let cancel = format!("/api/v1/admin/orders/{id}/cancel");
        assert_eq!(shop.ours.post(&cancel, &json!({ "return_money": true })).await.status, 200);
        shop.pass(600).await;
        assert_eq!(shop.states(id).await, ["Canceled"], "{knows_one}: {:?}", shop.attempts(id).await);
        assert_eq!(shop.ours.order(id).await["provider_cost"], "0", "{knows_one}");
        shop.assert_healthy().await;
    }
}

async fn what_a_panel_sends_back_holds_no_key(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let with = async |part: &str| {
        let sql = Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE COALESCE(last_error, '') || COALESCE(last_answer, '') || status LIKE ?",
        );
        shop.ours.number(sql.bind(format!("%{part}%"))).await
    };
    let (first, second) = (shop.order(1).await, shop.order(2).await);
    shop.settle().await;
    shop.behave(0, FakeBehavior::Echo);
    let unclear = shop.order(3).await;
    // Two are asked about together and answered with an error each; one alone gets a word for its status.
    shop.pass(300).await;
    assert_eq!((with(KEY).await, with("\u{1b}").await), (0, 0));
    assert_eq!(with("[key]").await, 3);
    let alone =
        Sql::new("UPDATE external_panel_orders SET due_at = NULL, last_error = NULL WHERE order_id = ?");
    shop.ours.exec(alone.bind(first)).await;
    shop.pass(600).await;
    assert_eq!((with(KEY).await, with("\u{1b}").await), (0, 0));
    let last_error = shop.attempts(second).await[0]["last_error"].clone();
    assert!(last_error.as_str().unwrap().contains("The panel reports [31mkey=[key]"), "{last_error}");
    assert!(shop.attempts(unclear).await[0]["last_error"].as_str().unwrap().contains("[key]"));
}

async fn a_refill_outlasts_what_is_not_about_it(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = refilling(&shop, 1).await[0];
    let path = format!("/api/v1/admin/orders/{id}/order-refill-requests");
    let status = async || shop.ours.get(&path).await.json()["data"][0]["status"].clone();
    shop.behave(0, FakeBehavior::Busy);
    shop.pass(120).await;
    assert_eq!(status().await, "pending", "called too often");
    shop.behave(0, FakeBehavior::Good);
    shop.theirs[0].world().key = "changed there".into();
    shop.pass(600).await;
    assert_eq!(status().await, "pending", "our key");
    shop.theirs[0].world().key = KEY.into();
    shop.pass(3_900).await;
    assert_eq!(status().await, "completed");
    // A no to the refill itself is one.
    shop.theirs[0].world().offers.get_mut(&7).unwrap().refill = false;
    assert_eq!(shop.ours.post(&path, &json!({ "quantity": 50 })).await.status, 200);
    shop.settle().await;
    assert_eq!(status().await, "rejected");
    shop.assert_healthy().await;
}

async fn a_panel_that_hangs_keeps_no_other_refill_waiting(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    let last = refilling(&shop, 6).await[5];
    let other = Sql::new("UPDATE external_panel_orders SET external_panel_id = 2 WHERE order_id = ?");
    shop.ours.exec(other.bind(last)).await;
    shop.behave(0, FakeBehavior::Silent);
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    let worker = tokio::spawn(dispatch::run(shop.ours.app.clone(), stopped));
    let asked =
        |panel: usize| shop.theirs[panel].calls().iter().filter(|call| call["action"] == "refill").count();
    while asked(1) == 0 {
        tokio::task::yield_now().await;
    }
    assert!(asked(0) <= 1, "the first of five still hangs there");
    worker.abort();
}

async fn small_drops_keep_nobody_waiting(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let sql = "UPDATE services SET has_refill = TRUE, auto_refill_is_allowed = TRUE, auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000";
    shop.ours.exec(Sql::new(sql)).await;
    let now = shop.ours.app.clock.now().0;
    // A thousand lost a little, the last one of all lost enough.
    let rows = (0..=1_000_i64)
        .map(|n| vec![(100_000 + n).into(), (if n == 1_000 { 5 } else { 4 }).into()])
        .collect();
    let orders = Sql::new(
        "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at,
           has_refill, auto_refill_is_allowed, drop_quantity, completed_at)
         SELECT r.id, 'Many', 'https://video.example/many', 'completed', 'cabinet', 1, 1, 0, 0, 1000, 100, TRUE, 1, 1, TRUE, TRUE, r.lost, CAST(? AS BIGINT) FROM ",
    );
    shop.ours.exec(orders.bind(now - 3_600_000_000).rows("r", &["id", "lost"], rows)).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 1);
    let of = Sql::new("SELECT max(order_id) * 1000 + max(quantity) FROM order_refill_requests");
    assert_eq!(shop.ours.number(of).await, 101_000_005);
}
