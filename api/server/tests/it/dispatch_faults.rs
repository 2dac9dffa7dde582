//! Faults of external panels and of this process: in the end each order has one external order, and balances are exact.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::UserId;
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::{DEPOSIT, PLAIN};
use crate::shop_with_panels::{self, ShopWithPanels};

both! {
    an_unclear_answer_is_reconciled_and_never_resent;
    an_unknown_attempt_that_reconciliation_cannot_find_alerts_staff;
    an_unreachable_panel_is_called_again;
    a_process_that_dies_leaves_one_order;
    parallel_workers_send_each_order_once;
    an_order_that_the_panel_lost_alerts_staff_and_is_polled_further;
    a_cancel_after_completion_refunds_no_customer;
    a_late_status_does_not_change_an_order_that_staff_canceled;
    a_day_without_a_worker_delays_no_order_further;
    ten_thousand_attempts_become_due_together;
    a_hundred_unknown_attempts_are_reconciled_in_a_minute;
}

async fn an_unclear_answer_is_reconciled_and_never_resent(dialect: Dialect) {
    for behavior in [FakeBehavior::NoAnswer, FakeBehavior::Truncated, FakeBehavior::ExecutesThen500] {
        let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        let previous_order = shop.order(1).await;
        shop.run_for_secs(30).await;
        shop.panel.clock.advance_secs(1);
        shop.set_behavior(0, behavior);
        let id = shop.order(2).await;
        shop.run_until_idle().await;
        assert_eq!(shop.attempt_statuses(id).await, ["Creating"], "{behavior:?}");
        assert!(shop.attempts(id).await[0]["last_error"].is_string());
        shop.set_behavior(0, FakeBehavior::Correct);
        shop.panel.clock.advance_secs(1);
        let next_order = shop.order(3).await;
        shop.run_for_secs(900).await;
        assert_eq!(shop.order_counts(), [3, 0], "{behavior:?}: sent once, and to no other panel");
        for order in [previous_order, id, next_order] {
            let status = shop.panel.order(order).await["status"].clone();
            assert_eq!(status, "completed", "{behavior:?} {:?}", shop.attempts(order).await);
        }
        assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 18_000_000);
        shop.assert_healthy().await;
    }
}

async fn an_unknown_attempt_that_reconciliation_cannot_find_alerts_staff(dialect: Dialect) {
    for behavior in [FakeBehavior::BadGateway, FakeBehavior::HtmlPage, FakeBehavior::EmptyData] {
        let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        shop.order(1).await;
        shop.run_until_idle().await;
        shop.set_behavior(0, behavior);
        let id = shop.order(2).await;
        shop.run_until_idle().await;
        shop.set_behavior(0, FakeBehavior::Correct);
        shop.run_for_secs(24 * 3_600).await;
        assert_eq!(
            (shop.attempt_statuses(id).await, shop.order_counts()),
            (vec!["Creating".to_owned()], vec![1, 0]),
            "{behavior:?}"
        );
        let alerts = Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND alert_at IS NOT NULL AND due_at IS NULL",
        );
        assert_eq!(shop.panel.number(alerts.bind(id)).await, 1);
        assert_eq!(shop.panel.order(id).await["status"], "in_processing");
        shop.assert_healthy().await;
    }
}

async fn an_unreachable_panel_is_called_again(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[]).await;
    // The address refuses connections.
    shop_with_panels::insert_panel(&shop.panel, 1, "http://127.0.0.1:9").await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.attempt_statuses(id).await, ["Creating"]);
    assert!(shop.attempts(id).await[0]["last_error"].as_str().unwrap().contains("cannot be reached"));
    shop.run_for_secs(600).await;
    assert_eq!(shop.attempt_statuses(id).await, ["Creating"]);
    // After some hours the order fails over to the next provider.
    let second_panel =
        FakePanel::start(FakePanelState::new(shop_with_panels::KEY), Arc::new(shop.panel.clock.clone()))
            .await
            .unwrap();
    second_panel.state().add_service(7, FakeService::plain("Likes"));
    shop_with_panels::insert_panel(&shop.panel, 2, &second_panel.url).await;
    shop.run_for_secs(8 * 3_600).await;
    assert_eq!(shop.attempt_statuses(id).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn a_process_that_dies_leaves_one_order(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.order(1).await;
    shop.run_until_idle().await;
    // A process that dies before the claim has done nothing; another process claims the order later.
    let first = shop.order(2).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(1);
    // A process dies between the claim and the call, and another one between the call and its record.
    let claimed = shop.order(3).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let claim_attempt =
        "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = 1 WHERE order_id = ?";
    let now = shop.panel.app.clock.now();
    shop.panel.execute(Sql::new(claim_attempt).bind(now).bind(now.0 + 120_000_000).bind(claimed)).await;
    // Use another quantity, because the order would otherwise be indistinguishable from the one above.
    let link = "https://video.example/4";
    let called = shop.panel.place(&NewOrder::plain(UserId::new(1), PLAIN, link, 700)).await.id;
    shop.set_behavior(0, FakeBehavior::ExecutesThen500);
    dispatch::cycle(&shop.panel.app).await.unwrap();
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(3_600).await;
    assert_eq!(shop.order_counts(), [3]);
    assert_eq!(shop.panel.order(first).await["status"], "completed");
    assert_eq!(
        shop.panel.order(called).await["status"],
        "completed",
        "reconciliation finds it by the ids of its neighbors"
    );
    assert_eq!(
        shop.attempt_statuses(claimed).await,
        ["Creating"],
        "an attempt that may have been sent is never sent again"
    );
    shop.assert_healthy().await;
}

async fn parallel_workers_send_each_order_once(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Partial(50)]).await;
    for n in 0..40 {
        shop.order(n).await;
    }
    for _ in 0..30 {
        shop.panel.clock.advance_secs(30);
        let workers = (0..4).map(|_| dispatch::cycle(&shop.panel.app));
        for result in join_all(workers).await {
            result.unwrap();
        }
    }
    assert_eq!(shop.order_counts(), [40, 0]);
    let completed = Sql::new(
        "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = 600 AND provider_cost = 600000",
    );
    assert_eq!(shop.panel.number(completed).await, 40, "no quantity is counted twice");
    shop.assert_healthy().await;
}

async fn an_order_that_the_panel_lost_alerts_staff_and_is_polled_further(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::NotFound, OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_for_secs(1_800).await;
    let alerts = || Sql::new("SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL");
    assert_eq!(shop.panel.number(alerts()).await, 0, "the panel may not know a new order for a while");
    shop.run_for_secs(3_600).await;
    assert_eq!(shop.panel.number(alerts()).await, 1);
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![1, 0])
    );
    // The panel knows the order again.
    for order in shop.fake_panels[0].state().orders.values_mut() {
        order.set_behavior(OrderBehavior::Delivered);
    }
    shop.run_for_secs(1_200).await;
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    assert_eq!(shop.panel.number(alerts()).await, 0);
    shop.assert_healthy().await;
}

async fn a_cancel_after_completion_refunds_no_customer(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::CompletedThenCanceled]).await;
    let id = shop.order(1).await;
    shop.run_for_secs(7_200).await;
    let order = shop.panel.order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("completed"), Some("0")));
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 6_000_000);
    // The attempt records the panel's cancel and the charge that the panel refunded.
    let attempt = shop.attempts(id).await[0].clone();
    assert_eq!(
        (attempt["status"].as_str(), attempt["charge"].as_str()),
        (Some("Completed"), Some("0")),
        "{attempt}"
    );
    assert!(attempt["last_error"].as_str().unwrap().contains("the panel reports Canceled"), "{attempt}");
    assert!(attempt["last_answer"].as_str().unwrap().contains("Canceled"));
    assert_eq!((&order["provider_cost"], &order["current_quantity"]), (&json!("0"), &json!(600)));
    let statistics = "SELECT CAST(sum(cost) * 1000 + sum(quantity) AS BIGINT) FROM provider_statistics";
    assert_eq!(shop.panel.number(Sql::new(statistics)).await, 600);
    let calls = shop.fake_panels[0].calls().len();
    for _ in 0..10 {
        shop.panel.clock.advance_secs(43_200);
        shop.run_until_idle().await;
    }
    assert_eq!(
        shop.fake_panels[0].calls().len(),
        calls + 2,
        "polls one day and three days after completion, then none"
    );
    assert_eq!(shop.panel.order(id).await["provider_cost"], "0", "the cost is corrected once");
    shop.assert_healthy().await;
}

async fn a_late_status_does_not_change_an_order_that_staff_canceled(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_for_secs(30).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let cancel_path = format!("/api/v1/admin/orders/{id}/cancel");
    assert_eq!(shop.panel.post(&cancel_path, &json!({ "return_money": true })).await.status, 200);
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT);
    // The panel is back after it delivered everything.
    shop.panel.clock.advance_secs(3_600);
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(1_200).await;
    let order = shop.panel.order(id).await;
    assert_eq!((order["status"].as_str(), order["provider_cost"].as_str()), (Some("canceled"), Some("0.6")));
    assert_eq!(
        (shop.attempt_statuses(id).await, shop.panel.main_balance(1).await),
        (vec!["Completed".to_owned()], DEPOSIT)
    );
    shop.assert_healthy().await;
}

async fn a_day_without_a_worker_delays_no_order_further(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(86_400);
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(86_400);
    shop.run_until_idle().await;
    assert_eq!(shop.attempt_statuses(id).await, ["Partial", "Completed"]);
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn ten_thousand_attempts_become_due_together(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    shop.fake_panels[0].state().balance.0 = i64::MAX / 2;
    let first = shop.order(1).await;
    shop.run_until_idle().await;
    let mut ids = Vec::new();
    for n in 0..10_000 {
        let link = format!("https://video.example/many/{n}");
        ids.push(shop.fake_panels[0].state().place_order(7, &link, 100, shop.panel.app.clock.now()));
    }
    // Ten thousand open attempts of paused orders, which are all due after a night without a worker.
    let insert_orders = "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at)
      SELECT 100000 + r.id, 'Many', 'https://video.example/many', 'stopped', 'cabinet', 1, 1, 0, 0, 1000, 100, TRUE, 1, 1 FROM ";
    let rows = || ids.iter().map(|id| vec![(*id).into()]).collect::<Vec<_>>();
    shop.panel.execute(Sql::new(insert_orders).rows("r", &["id"], rows())).await;
    let insert_attempts = "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, external_order_id, status,
        initial_quantity, sent_at, due_at, created_at, updated_at)
      SELECT 100000 + r.id, 11, 1, '7', CAST(r.id AS TEXT), 'Pending', 100, 1, 1, 1, 1 FROM ";
    shop.panel.execute(Sql::new(insert_attempts).rows("r", &["id"], rows())).await;
    shop.panel.clock.advance_secs(86_400);
    let calls = shop.fake_panels[0].calls().len();
    shop.run_until_idle().await;
    assert!(shop.fake_panels[0].calls().len() - calls <= 110, "one call for 100 attempts");
    let completed = Sql::new("SELECT count(*) FROM orders WHERE status = 'completed'");
    assert_eq!(shop.panel.number(completed).await, 10_001);
    assert_eq!(shop.panel.order(first).await["status"], "completed");
    shop.assert_healthy().await;
}

/// A panel accepts a hundred orders, but the panel under test knows none of their ids: reconciliation finds each external order
/// within a minute, without exceeding the rate limit.
async fn a_hundred_unknown_attempts_are_reconciled_in_a_minute(dialect: Dialect) {
    const CALLS_PER_SECOND: i64 = 20;
    let shop = ShopWithPanels::with_rate_limit(
        dialect,
        &[OrderBehavior::Stuck],
        u32::try_from(CALLS_PER_SECOND).unwrap(),
    )
    .await;
    let place_order = async |n: u32| {
        let url = format!("https://video.example/{n}");
        // The charges differ by more than one cent, so that each fits one order, and their sum is below the panel's balance of 100.
        shop.panel.place(&NewOrder::plain(UserId::new(1), PLAIN, &url, 100 + i64::from(n) * 11)).await.id
    };
    let run_seconds = async |seconds: usize| {
        for _ in 0..seconds {
            shop.panel.clock.advance_secs(1);
            dispatch::cycle(&shop.panel.app).await.unwrap();
        }
    };
    place_order(0).await;
    run_seconds(2).await;
    // The panel accepts the orders, and the test removes their recorded ids below.
    for n in 1..=100 {
        place_order(n).await;
    }
    run_seconds(60).await;
    place_order(101).await;
    run_seconds(2).await;
    assert_eq!(shop.order_counts(), [102]);
    let forget_ids = "UPDATE external_panel_orders SET external_order_id = NULL, status = 'Creating', due_at = ?, tries = 0
      WHERE order_id NOT IN (SELECT min(id) FROM orders) AND order_id NOT IN (SELECT max(id) FROM orders)";
    let now = shop.panel.app.clock.now();
    assert_eq!(shop.panel.execute(Sql::new(forget_ids).bind(now)).await, 100);
    let before = shop.fake_panels[0].calls().len();
    let unknown_attempts = "SELECT count(*) FROM external_panel_orders WHERE external_order_id IS NULL";
    let mut seconds = 0;
    while shop.panel.number(Sql::new(unknown_attempts)).await > 0 {
        run_seconds(1).await;
        seconds += 1;
        assert!(
            seconds <= 60,
            "{} attempts are still unknown",
            shop.panel.number(Sql::new(unknown_attempts)).await
        );
    }
    let calls = i64::try_from(shop.fake_panels[0].calls().len() - before).unwrap();
    assert!(calls <= CALLS_PER_SECOND * (seconds + 2), "{calls} calls in {seconds} seconds");
    assert!(calls < 50, "attempts with the same neighbors share their calls: {calls} calls");
    assert_eq!(shop.order_counts(), [102], "no order was sent again");
    shop.assert_healthy().await;
}
