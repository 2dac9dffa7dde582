//! Tests faults of external panels and of this process: after each of them, every order has one external order, and balances are
//! exact.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::UserId;
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::shop_with_panels::{self, FAKE_SERVICE_ID, ShopWithPanels};

test_both_databases! {
    an_order_with_an_unclear_response_is_reconciled_and_never_sent_again;
    an_unknown_attempt_that_reconciliation_cannot_find_alerts_staff;
    an_order_for_an_unreachable_panel_is_sent_again;
    a_crashed_process_leaves_one_external_order;
    parallel_workers_send_each_order_once;
    staff_are_alerted_of_a_lost_order_and_its_polls_continue;
    a_cancel_by_the_provider_after_completion_causes_no_refund;
    a_late_status_does_not_change_an_order_that_staff_canceled;
    after_a_day_without_a_worker_orders_continue_at_once;
    ten_thousand_due_attempts_are_polled_in_batches;
    a_hundred_unknown_attempts_are_reconciled_within_a_minute;
}

/// The cost of an order of [`ShopWithPanels::place_order`], in millionths.
const ORDER_COST: i64 = 6_000_000;

async fn an_order_with_an_unclear_response_is_reconciled_and_never_sent_again(dialect: Dialect) {
    for behavior in [FakeBehavior::NoResponse, FakeBehavior::Truncated, FakeBehavior::ExecutesThen500] {
        let shop =
            ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        let previous_order = shop.place_order(1).await;
        shop.run_for_secs(30).await;
        shop.panel.clock.advance_secs(1);
        shop.set_behavior(0, behavior);
        let id = shop.place_order(2).await;
        shop.run_until_idle().await;
        assert_eq!(shop.fetch_attempt_statuses(id).await, ["Creating"], "{behavior:?}");
        assert!(shop.fetch_attempts(id).await[0]["last_error"].is_string());
        shop.set_behavior(0, FakeBehavior::Correct);
        shop.panel.clock.advance_secs(1);
        let next_order = shop.place_order(3).await;
        shop.run_for_secs(900).await;
        assert_eq!(
            shop.order_counts(),
            [3, 0],
            "{behavior:?}: each order must be sent once, and only to the first external panel"
        );
        for order in [previous_order, id, next_order] {
            let status = shop.panel.fetch_order(order).await["status"].clone();
            assert_eq!(status, "completed", "{behavior:?} {:?}", shop.fetch_attempts(order).await);
        }
        assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 3 * ORDER_COST);
        shop.assert_healthy().await;
    }
}

async fn an_unknown_attempt_that_reconciliation_cannot_find_alerts_staff(dialect: Dialect) {
    for behavior in [FakeBehavior::BadGateway, FakeBehavior::HtmlPage, FakeBehavior::EmptyData] {
        let shop =
            ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
        shop.place_order(1).await;
        shop.run_until_idle().await;
        shop.set_behavior(0, behavior);
        let id = shop.place_order(2).await;
        shop.run_until_idle().await;
        shop.set_behavior(0, FakeBehavior::Correct);
        shop.run_for_secs(24 * 3_600).await;
        assert_eq!(
            (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
            (vec!["Creating".to_owned()], vec![1, 0]),
            "{behavior:?}"
        );
        let count_alerts_sql = Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND alert_at IS NOT NULL AND due_at IS NULL",
        );
        assert_eq!(shop.panel.fetch_number(count_alerts_sql.bind(id)).await, 1);
        assert_eq!(shop.panel.fetch_order(id).await["status"], "in_processing");
        shop.assert_healthy().await;
    }
}

async fn an_order_for_an_unreachable_panel_is_sent_again(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[]).await;
    // No server accepts connections at this address.
    shop_with_panels::insert_external_panel(&shop.panel, 1, "http://127.0.0.1:9").await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Creating"]);
    assert!(shop.fetch_attempts(id).await[0]["last_error"].as_str().unwrap().contains("cannot be reached"));
    shop.run_for_secs(600).await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Creating"]);
    // After some hours the order fails over to the next provider.
    let second_panel = FakePanel::start(
        FakePanelState::new(shop_with_panels::FAKE_PANEL_KEY),
        Arc::new(shop.panel.clock.clone()),
    )
    .await
    .unwrap();
    second_panel.state().add_service(FAKE_SERVICE_ID, FakeService::with_name("Likes"));
    shop_with_panels::insert_external_panel(&shop.panel, 2, &second_panel.url).await;
    shop.run_for_secs(8 * 3_600).await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn a_crashed_process_leaves_one_external_order(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.place_order(1).await;
    shop.run_until_idle().await;
    // A process that crashes before the claim has changed nothing. Another process claims the order later.
    let first_order_id = shop.place_order(2).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(1);
    // One process crashes between the claim and the request. Another one crashes between the request and the record of its
    // response.
    let claimed_order_id = shop.place_order(3).await;
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let claim_attempt_sql =
        "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = 1 WHERE order_id = ?";
    let now = shop.panel.app.clock.now();
    shop.panel
        .execute(Sql::new(claim_attempt_sql).bind(now).bind(now.0 + 120_000_000).bind(claimed_order_id))
        .await;
    // The quantity differs, because the order could otherwise not be distinguished from the one above.
    let url = "https://video.example/4";
    let sent_order_id =
        shop.panel.place_order(&NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, url, 700)).await.id;
    shop.set_behavior(0, FakeBehavior::ExecutesThen500);
    dispatch::process_all_queues(&shop.panel.app).await.unwrap();
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(3_600).await;
    assert_eq!(shop.order_counts(), [3]);
    assert_eq!(shop.panel.fetch_order(first_order_id).await["status"], "completed");
    assert_eq!(
        shop.panel.fetch_order(sent_order_id).await["status"],
        "completed",
        "reconciliation must find the external order between the ids of its neighbors"
    );
    assert_eq!(
        shop.fetch_attempt_statuses(claimed_order_id).await,
        ["Creating"],
        "an attempt that may have been sent must never be sent again"
    );
    shop.assert_healthy().await;
}

async fn parallel_workers_send_each_order_once(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered, OrderBehavior::Partial(50)]).await;
    for n in 0..40 {
        shop.place_order(n).await;
    }
    for _ in 0..30 {
        shop.panel.clock.advance_secs(30);
        let dispatch_cycles = (0..4).map(|_| dispatch::process_all_queues(&shop.panel.app));
        for result in join_all(dispatch_cycles).await {
            result.unwrap();
        }
    }
    assert_eq!(shop.order_counts(), [40, 0]);
    let count_completed_sql = Sql::new(
        "SELECT count(*) FROM orders WHERE status = 'completed' AND current_quantity = 600 AND provider_cost = 600000",
    );
    assert_eq!(shop.panel.fetch_number(count_completed_sql).await, 40, "no quantity may be counted twice");
    shop.assert_healthy().await;
}

async fn staff_are_alerted_of_a_lost_order_and_its_polls_continue(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::NotFound, OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(1_800).await;
    let count_alerts_sql =
        || Sql::new("SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL");
    assert_eq!(
        shop.panel.fetch_number(count_alerts_sql()).await,
        0,
        "staff were alerted although the external panel may not list a new order at once"
    );
    shop.run_for_secs(3_600).await;
    assert_eq!(shop.panel.fetch_number(count_alerts_sql()).await, 1);
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.order_counts()),
        (vec!["Pending".to_owned()], vec![1, 0])
    );
    // The external panel lists the order again.
    for order in shop.fake_panels[0].state().orders.values_mut() {
        order.set_behavior(OrderBehavior::Delivered);
    }
    shop.run_for_secs(1_200).await;
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    assert_eq!(shop.panel.fetch_number(count_alerts_sql()).await, 0);
    shop.assert_healthy().await;
}

async fn a_cancel_by_the_provider_after_completion_causes_no_refund(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::CompletedThenCanceled]).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(7_200).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!((order["status"].as_str(), order["refunded"].as_str()), (Some("completed"), Some("0")));
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - ORDER_COST);
    // The attempt stores the cancel and the refunded charge of the external panel.
    let attempt = shop.fetch_attempts(id).await[0].clone();
    assert_eq!(
        (attempt["status"].as_str(), attempt["charge"].as_str()),
        (Some("Completed"), Some("0")),
        "{attempt}"
    );
    assert!(attempt["last_error"].as_str().unwrap().contains("the panel reports Canceled"), "{attempt}");
    assert!(attempt["last_response"].as_str().unwrap().contains("Canceled"));
    assert_eq!((&order["provider_cost"], &order["current_quantity"]), (&json!("0"), &json!(600)));
    let statistics_sql =
        "SELECT CAST(sum(cost) AS BIGINT), CAST(sum(quantity) AS BIGINT) FROM provider_statistics";
    let cost_and_quantity: (i64, i64) =
        (&mut &shop.panel.app.db).fetch_one(Sql::new(statistics_sql)).await.unwrap();
    assert_eq!(cost_and_quantity, (0, 600));
    let request_count = shop.fake_panels[0].requests().len();
    for _ in 0..10 {
        shop.panel.clock.advance_secs(43_200);
        shop.run_until_idle().await;
    }
    assert_eq!(
        shop.fake_panels[0].requests().len(),
        request_count + 2,
        "the attempt must be polled one day and three days after completion, and then no more"
    );
    assert_eq!(shop.panel.fetch_order(id).await["provider_cost"], "0", "the cost must be corrected once");
    shop.assert_healthy().await;
}

async fn a_late_status_does_not_change_an_order_that_staff_canceled(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_for_secs(30).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    let cancel_path = format!("/api/v1/admin/orders/{id}/cancel");
    assert_eq!(shop.panel.post(&cancel_path, &json!({ "return_money": true })).await.status, 200);
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT);
    // The external panel is reachable again after it delivered everything.
    shop.panel.clock.advance_secs(3_600);
    shop.set_behavior(0, FakeBehavior::Correct);
    shop.run_for_secs(1_200).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!((order["status"].as_str(), order["provider_cost"].as_str()), (Some("canceled"), Some("0.6")));
    assert_eq!(
        (shop.fetch_attempt_statuses(id).await, shop.panel.fetch_main_balance(1).await),
        (vec!["Completed".to_owned()], CUSTOMER_DEPOSIT)
    );
    shop.assert_healthy().await;
}

async fn after_a_day_without_a_worker_orders_continue_at_once(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Partial(50), OrderBehavior::Delivered]).await;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(86_400);
    shop.run_until_idle().await;
    shop.panel.clock.advance_secs(86_400);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_attempt_statuses(id).await, ["Partial", "Completed"]);
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    shop.assert_healthy().await;
}

async fn ten_thousand_due_attempts_are_polled_in_batches(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    shop.fake_panels[0].state().balance.0 = i64::MAX / 2;
    let first_order_id = shop.place_order(1).await;
    shop.run_until_idle().await;
    let mut ids = Vec::new();
    for n in 0..10_000 {
        let url = format!("https://video.example/many/{n}");
        ids.push(shop.fake_panels[0].state().place_order(
            FAKE_SERVICE_ID,
            &url,
            100,
            shop.panel.app.clock.now(),
        ));
    }
    // Ten thousand open attempts of paused orders are due at once after a night without a worker.
    let insert_orders_sql = "INSERT INTO orders (id, name, url, status, source, user_id, service_id, cost, price, pricing_per, quantity, is_paid, created_at, updated_at)
      SELECT 100000 + r.id, 'Many', 'https://video.example/many', 'stopped', 'cabinet', 1, 1, 0, 0, 1000, 100, TRUE, 1, 1 FROM ";
    let rows = || ids.iter().map(|id| vec![(*id).into()]).collect::<Vec<_>>();
    shop.panel.execute(Sql::new(insert_orders_sql).rows("r", &["id"], rows())).await;
    let insert_attempts_sql = "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, external_panel_service_id, external_order_id, status,
        initial_quantity, sent_at, due_at, created_at, updated_at)
      SELECT 100000 + r.id, 11, 1, '7', CAST(r.id AS TEXT), 'Pending', 100, 1, 1, 1, 1 FROM ";
    shop.panel.execute(Sql::new(insert_attempts_sql).rows("r", &["id"], rows())).await;
    shop.panel.clock.advance_secs(86_400);
    let request_count = shop.fake_panels[0].requests().len();
    shop.run_until_idle().await;
    assert!(
        shop.fake_panels[0].requests().len() - request_count <= 110,
        "one request must poll 100 attempts"
    );
    let count_completed_sql = Sql::new("SELECT count(*) FROM orders WHERE status = 'completed'");
    assert_eq!(shop.panel.fetch_number(count_completed_sql).await, 10_001);
    assert_eq!(shop.panel.fetch_order(first_order_id).await["status"], "completed");
    shop.assert_healthy().await;
}

/// An external panel accepts a hundred orders, but this panel stored none of their ids. Reconciliation must find each external
/// order within a minute, without exceeding the rate limit.
async fn a_hundred_unknown_attempts_are_reconciled_within_a_minute(dialect: Dialect) {
    const REQUESTS_PER_SECOND: i64 = 20;
    let shop = ShopWithPanels::with_rate_limit(
        dialect,
        &[OrderBehavior::Stuck],
        u32::try_from(REQUESTS_PER_SECOND).unwrap(),
    )
    .await;
    let place_order = async |url_number: u32| {
        let url = format!("https://video.example/{url_number}");
        // The charges differ by more than one cent, so that each identifies one order. Their sum is below the balance of 100.
        shop.panel
            .place_order(&NewOrder::without_options(
                UserId::new(1),
                PLAIN_SERVICE,
                &url,
                100 + i64::from(url_number) * 11,
            ))
            .await
            .id
    };
    let run_seconds = async |seconds: usize| {
        for _ in 0..seconds {
            shop.panel.clock.advance_secs(1);
            dispatch::process_all_queues(&shop.panel.app).await.unwrap();
        }
    };
    place_order(0).await;
    run_seconds(2).await;
    // The external panel accepts the orders. The test removes their recorded ids below.
    for url_number in 1..=100 {
        place_order(url_number).await;
    }
    run_seconds(60).await;
    place_order(101).await;
    run_seconds(2).await;
    assert_eq!(shop.order_counts(), [102]);
    let forget_ids_sql = "UPDATE external_panel_orders SET external_order_id = NULL, status = 'Creating', due_at = ?, tries = 0
      WHERE order_id NOT IN (SELECT min(id) FROM orders) AND order_id NOT IN (SELECT max(id) FROM orders)";
    let now = shop.panel.app.clock.now();
    assert_eq!(shop.panel.execute(Sql::new(forget_ids_sql).bind(now)).await, 100);
    let request_count_before = shop.fake_panels[0].requests().len();
    let count_unknown_attempts_sql =
        "SELECT count(*) FROM external_panel_orders WHERE external_order_id IS NULL";
    let mut seconds = 0;
    while shop.panel.fetch_number(Sql::new(count_unknown_attempts_sql)).await > 0 {
        run_seconds(1).await;
        seconds += 1;
        assert!(
            seconds <= 60,
            "{} attempts are still unknown",
            shop.panel.fetch_number(Sql::new(count_unknown_attempts_sql)).await
        );
    }
    let request_count = i64::try_from(shop.fake_panels[0].requests().len() - request_count_before).unwrap();
    assert!(
        request_count <= REQUESTS_PER_SECOND * (seconds + 2),
        "{request_count} requests in {seconds} seconds exceed the rate limit"
    );
    assert!(
        request_count < 50,
        "attempts with the same neighbors must share requests, but {request_count} were sent"
    );
    assert_eq!(shop.order_counts(), [102], "an order was sent again");
    shop.assert_healthy().await;
}
