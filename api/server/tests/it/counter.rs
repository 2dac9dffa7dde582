//! Tests the real counter, an external service that reports the public count (views, likes) of a URL: for which orders the server
//! polls it, to which order the growth of the count is credited, and that only this growth completes an order.

use std::sync::Arc;

use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::counter::FakeCounter;
use panel_demo::panel::state::{OrderBehavior, START_COUNT};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::{counter, dispatch};
use serde_json::{Value, json};

use crate::shop::{CUSTOMER_DEPOSIT, PLAIN_SERVICE};
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    an_order_is_sent_after_its_first_count;
    two_sufficient_counts_complete_an_order;
    counts_complete_no_order_if_the_service_disables_completion;
    invalid_counts_change_nothing;
    counts_that_fall_or_jump_complete_no_order;
    the_counter_is_not_called_without_a_url_in_the_settings;
    a_failing_counter_blocks_no_order;
    the_same_growth_is_not_credited_to_two_orders_of_one_url;
    growth_of_an_order_between_two_polls_is_not_credited_to_another_order;
    processes_share_the_rate_limit_of_the_counter;
    orders_placed_before_the_setting_are_polled;
    urls_of_external_tools_need_a_placeholder;
    a_counter_at_a_private_address_is_not_called;
    the_number_of_chart_points_is_bounded;
    losses_after_completion_are_refilled;
    losses_are_measured_by_one_source_at_a_time;
    the_order_contains_the_stream_statistics_of_the_counter;
}

/// A shop whose service `PLAIN_SERVICE` uses the real counter, and a fake of this counter.
struct ShopWithCounter {
    shop: ShopWithPanels,
    counter: FakeCounter,
}

const TOKEN: &str = "token-of-the-counter";

impl ShopWithCounter {
    async fn start(dialect: Dialect, behaviors: &[OrderBehavior]) -> Self {
        let shop = ShopWithPanels::start(dialect, behaviors).await;
        let clock = Arc::new(shop.panel.clock.clone());
        let counter = FakeCounter::start(&shop.fake_panels, Some(TOKEN), clock).await.unwrap();
        let settings = json!({ "integrations": { "counter_url": counter.url, "counter_token": TOKEN } });
        shop.panel.save_settings(settings).await;
        let enable_counter = "UPDATE services SET gather_statistic = TRUE, real_counter_complete_is_enabled = TRUE WHERE id = ?";
        shop.panel.execute(Sql::new(enable_counter).bind(PLAIN_SERVICE)).await;
        Self { shop, counter }
    }

    async fn poll_due_counters(&self) -> usize {
        counter::count_due(&self.shop.panel.app).await.unwrap()
    }

    /// Advances the clock in steps of 30 seconds and runs all workers at each step.
    async fn run_for_secs(&self, seconds: i64) {
        for _ in 0..seconds / 30 {
            self.shop.panel.clock.advance_secs(30);
            self.run_all_workers().await;
        }
    }

    async fn run_all_workers(&self) {
        self.shop.run_until_idle().await;
        while self.poll_due_counters().await > 0 {
            self.shop.panel.clock.advance_secs(1);
        }
        self.shop.run_until_idle().await;
    }

    /// Sets the count of a URL and polls the counters of its orders.
    async fn set_count_and_poll(&self, url_number: u32, count: i64) {
        self.counter.set_count(&video_url(url_number), count);
        self.poll_all_now().await;
    }

    /// Makes every active counter due and polls the counters.
    async fn poll_all_now(&self) {
        self.shop
            .panel
            .execute(Sql::new("UPDATE order_counters SET due_at = 1 WHERE due_at IS NOT NULL"))
            .await;
        self.run_all_workers().await;
    }

    /// The order's status and credited growth.
    async fn fetch_progress(&self, order: OrderId) -> (String, Value) {
        let order = self.shop.panel.fetch_order(order).await;
        (order["status"].as_str().unwrap().to_owned(), order["counter"]["quantity"].clone())
    }

    async fn fetch_growth(&self, order: OrderId) -> Value {
        let (_, growth) = self.fetch_progress(order).await;
        growth
    }

    /// The credited growth in the order list.
    async fn fetch_external_quantity(&self, order: OrderId) -> Option<i64> {
        let sql = Sql::new("SELECT external_statistics_quantity FROM orders WHERE id = ?").bind(order);
        (&mut &self.shop.panel.app.db).fetch_one::<(Option<i64>,)>(sql).await.unwrap().0
    }
}

fn video_url(number: u32) -> String {
    format!("https://video.example/{number}")
}

async fn an_order_is_sent_after_its_first_count(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counter_shop.shop;
    let id = shop.place_order(1).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.order_counts(), shop.fetch_attempt_statuses(id).await.len()),
        (vec![0], 0),
        "the order must wait for its first count"
    );
    assert_eq!(counter_shop.poll_due_counters().await, 1);
    shop.run_until_idle().await;
    assert_eq!(shop.order_counts(), [1]);
    let count_request = &counter_shop.counter.requests()[0];
    assert_eq!(
        (&*count_request["url"], &*count_request["type"], &*count_request["network"]),
        (&*video_url(1), "views", "video")
    );
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (&order["counter"]["start_count"], &order["counter"]["quantity"]),
        (&json!(START_COUNT), &json!(0))
    );
    assert_eq!(order["percent_of_external_statistics_fill"], json!("0"));
    counter_shop.run_for_secs(60).await;
    counter_shop.poll_all_now().await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (&order["counter"]["quantity"], counter_shop.fetch_external_quantity(id).await),
        (&json!(300), Some(300)),
        "{order}"
    );
    assert_eq!(order["percent_of_external_statistics_fill"], json!("50"));
    let chart =
        shop.panel.get(&format!("/api/v1/admin/orders/promotable-statistics?order={id}")).await.json();
    let viewer_counts: Vec<i64> =
        chart["data"].as_array().unwrap().iter().map(|point| point["viewers"].as_i64().unwrap()).collect();
    assert!(viewer_counts.contains(&START_COUNT) && viewer_counts.contains(&(START_COUNT + 300)), "{chart}");
    shop.assert_healthy().await;
}

async fn two_sufficient_counts_complete_an_order(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counter_shop.shop;
    counter_shop.counter.set_count(&video_url(1), 1_000);
    let id = shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    counter_shop.set_count_and_poll(1, 1_599).await;
    assert_eq!(counter_shop.fetch_progress(id).await, ("in_processing".to_owned(), json!(599)));
    counter_shop.set_count_and_poll(1, 1_600).await;
    assert_eq!(
        counter_shop.fetch_progress(id).await,
        ("in_processing".to_owned(), json!(600)),
        "one sufficient count must not complete the order"
    );
    counter_shop.run_for_secs(60).await;
    assert_eq!(counter_shop.fetch_progress(id).await, ("completed".to_owned(), json!(600)));
    assert_eq!(
        shop.fetch_attempt_statuses(id).await,
        ["Pending"],
        "the attempt at the external panel must still be open"
    );
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 6_000_000, "a refund was posted");
    let count_completion_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'order.completed' AND auditable_id = ?");
    assert_eq!(shop.panel.fetch_number(count_completion_audits_sql.bind(id)).await, 1);
    let request_count_before = counter_shop.counter.requests().len();
    counter_shop.run_for_secs(3_600).await;
    assert_eq!(
        counter_shop.counter.requests().len(),
        request_count_before,
        "the counter of a completed order must not be polled"
    );
    shop.assert_healthy().await;
}

async fn counts_complete_no_order_if_the_service_disables_completion(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    counter_shop
        .shop
        .panel
        .execute(Sql::new("UPDATE services SET real_counter_complete_is_enabled = FALSE"))
        .await;
    counter_shop.counter.set_count(&video_url(1), 0);
    let id = counter_shop.shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    counter_shop.set_count_and_poll(1, 5_000).await;
    counter_shop.poll_all_now().await;
    assert_eq!(counter_shop.fetch_progress(id).await, ("in_processing".to_owned(), json!(5_000)));
    assert_eq!(counter_shop.fetch_external_quantity(id).await, Some(5_000));
    counter_shop.shop.assert_healthy().await;
}

async fn invalid_counts_change_nothing(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counter_shop.shop;
    counter_shop.counter.set_count(&video_url(1), 1_000);
    let id = shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    counter_shop.set_count_and_poll(1, 1_200).await;
    counter_shop.counter.set_count(&video_url(1), 9_000);
    for behavior in [
        FakeBehavior::HtmlPage,
        FakeBehavior::Truncated,
        FakeBehavior::BadGateway,
        FakeBehavior::RateLimited,
        FakeBehavior::EmptyData,
        FakeBehavior::UnknownStatuses,
        FakeBehavior::ErrorsAs4xx,
        FakeBehavior::NoResponse,
    ] {
        counter_shop.counter.set_behavior(behavior);
        // This is longer than the maximum time for which the circuit stays open.
        shop.panel.clock.advance_secs(700);
        counter_shop.poll_all_now().await;
        let order = shop.panel.fetch_order(id).await;
        assert_eq!(
            (&order["status"], &order["counter"]["quantity"]),
            (&json!("in_processing"), &json!(200)),
            "{behavior:?}"
        );
        let error = order["counter"]["last_error"].as_str().unwrap_or_default();
        assert!(error.contains("counter") && !error.contains(TOKEN), "{behavior:?}: {error}");
        shop.panel.execute(Sql::new("UPDATE order_counters SET last_error = NULL")).await;
    }
    let tries_sql = Sql::new("SELECT tries FROM order_counters");
    assert_eq!(shop.panel.fetch_number(tries_sql.clone()).await, 8);
    let due_at_sql = Sql::new("SELECT due_at FROM order_counters");
    let backoff =
        shop.panel.fetch_number(due_at_sql).await - panel_kernel::clock::Clock::now(&shop.panel.clock).0;
    assert!(backoff > 5 * 3_600_000_000, "the backoff must grow, but is {backoff} microseconds");
    counter_shop.counter.set_behavior(FakeBehavior::Correct);
    shop.panel.clock.advance_secs(700);
    counter_shop.set_count_and_poll(1, 1_300).await;
    assert_eq!(
        (counter_shop.fetch_growth(id).await, shop.panel.fetch_number(tries_sql).await),
        (json!(300), 0)
    );
    assert_eq!(shop.panel.fetch_order(id).await["counter"]["last_error"], Value::Null);
    shop.assert_healthy().await;
}

async fn counts_that_fall_or_jump_complete_no_order(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    counter_shop.counter.set_count(&video_url(1), 1_000);
    let id = counter_shop.shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    for (count, growth) in [(1_300, 300), (900, 0), (0, 0), (50_000, 49_000), (1_100, 100), (1_599, 599)] {
        counter_shop.set_count_and_poll(1, count).await;
        assert_eq!(
            counter_shop.fetch_progress(id).await,
            ("in_processing".to_owned(), json!(growth)),
            "{count}"
        );
    }
    assert_eq!(counter_shop.shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 6_000_000);
    counter_shop.shop.assert_healthy().await;
}

async fn the_counter_is_not_called_without_a_url_in_the_settings(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    counter_shop.shop.panel.save_settings(json!({ "integrations": { "counter_url": null } })).await;
    let id = counter_shop.shop.place_order(1).await;
    counter_shop.shop.run_until_idle().await;
    assert_eq!(counter_shop.shop.order_counts(), [1], "the order must be sent at once");
    let mut finder = counter::UncountedOrderFinder::default();
    assert_eq!(
        (
            finder.find_next(&counter_shop.shop.panel.app).await.unwrap(),
            counter_shop.poll_due_counters().await
        ),
        (0, 0)
    );
    counter_shop.run_for_secs(300).await;
    let count_counter_rows_sql = "SELECT (SELECT count(*) FROM order_counters) + (SELECT count(*) FROM promotable_statistics) + (SELECT count(*) FROM shared_schedules)";
    assert_eq!(
        (
            counter_shop.shop.panel.fetch_number(Sql::new(count_counter_rows_sql)).await,
            counter_shop.counter.requests().len()
        ),
        (0, 0)
    );
    assert_eq!(
        (counter_shop.fetch_progress(id).await, counter_shop.fetch_external_quantity(id).await),
        (("completed".to_owned(), Value::Null), None)
    );
}

async fn a_failing_counter_blocks_no_order(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    counter_shop.counter.set_behavior(FakeBehavior::BadGateway);
    counter_shop.shop.place_order(1).await;
    counter_shop.shop.run_until_idle().await;
    assert_eq!(counter_shop.shop.order_counts(), [0]);
    counter_shop.poll_due_counters().await;
    counter_shop.shop.run_until_idle().await;
    assert_eq!(counter_shop.shop.order_counts(), [1], "the order must be sent after the first failed poll");
    // If the counter was not polled at all, the order waits at most one minute.
    counter_shop.shop.place_order(2).await;
    counter_shop.shop.run_until_idle().await;
    counter_shop.shop.run_for_secs(30).await;
    assert_eq!(counter_shop.shop.order_counts(), [1]);
    counter_shop.shop.run_for_secs(60).await;
    assert_eq!(counter_shop.shop.order_counts(), [2]);
    counter_shop.shop.assert_healthy().await;
}

async fn the_same_growth_is_not_credited_to_two_orders_of_one_url(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counter_shop.shop;
    counter_shop.counter.set_count(&video_url(1), 1_000);
    let first_order_id = shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    counter_shop.set_count_and_poll(1, 1_200).await;
    let second_order_id = shop
        .panel
        .place_order(&NewOrder::without_options(UserId::new(2), PLAIN_SERVICE, &video_url(1), 600))
        .await
        .id;
    counter_shop.run_all_workers().await;
    for count in [1_900, 5_000, 5_000, 4_000] {
        counter_shop.set_count_and_poll(1, count).await;
        let progress = [
            counter_shop.fetch_progress(first_order_id).await,
            counter_shop.fetch_progress(second_order_id).await,
        ];
        assert!(progress.iter().all(|(status, _)| status == "in_processing"), "{count}: {progress:?}");
        let [first_growth, second_growth] = progress.each_ref().map(|(_, growth)| growth.as_i64().unwrap());
        assert!(first_growth <= 200 && second_growth == 0, "{count}: {progress:?}");
    }
    assert_eq!(shop.panel.fetch_order(second_order_id).await["counter"]["is_shared"], true);
    let completion =
        shop.panel.post(&format!("/api/v1/admin/orders/{first_order_id}/complete"), &json!({})).await;
    assert_eq!(completion.status, 200, "{}", completion.text);
    // The growth until the first poll after the completion of the other order is credited to neither order.
    counter_shop.set_count_and_poll(1, 6_000).await;
    assert_eq!(counter_shop.fetch_progress(second_order_id).await, ("in_processing".to_owned(), json!(0)));
    counter_shop.set_count_and_poll(1, 6_600).await;
    counter_shop.poll_all_now().await;
    assert_eq!(counter_shop.fetch_progress(second_order_id).await, ("completed".to_owned(), json!(600)));
    shop.assert_healthy().await;
}

/// The service of the other order has no counter, and the other order ends before the next poll.
async fn growth_of_an_order_between_two_polls_is_not_credited_to_another_order(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counter_shop.shop;
    shop.panel
        .execute(Sql::new(
            "INSERT INTO service_providers (service_id, provider_id, position) VALUES (2, 11, 9)",
        ))
        .await;
    shop.panel
        .execute(Sql::new("DELETE FROM service_providers WHERE service_id = 2 AND provider_id <> 11"))
        .await;
    shop.panel.execute(Sql::new("UPDATE services SET moderation_is_enabled = FALSE WHERE id = 2")).await;
    shop.set_behavior(0, FakeBehavior::BadGateway);
    counter_shop.counter.set_count(&video_url(1), 1_000);
    let counted_order_id = shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    shop.set_behavior(0, FakeBehavior::Correct);
    let other_order_id = shop
        .panel
        .place_order(&NewOrder::without_options(UserId::new(2), ServiceId::new(2), &video_url(1), 600))
        .await
        .id;
    shop.run_until_idle().await;
    let completion =
        shop.panel.post(&format!("/api/v1/admin/orders/{other_order_id}/complete"), &json!({})).await;
    assert_eq!(completion.status, 200, "{}", completion.text);
    counter_shop.set_count_and_poll(1, 1_700).await;
    counter_shop.poll_all_now().await;
    assert_eq!(counter_shop.fetch_progress(counted_order_id).await, ("in_processing".to_owned(), json!(0)));
    shop.assert_healthy().await;
}

async fn processes_share_the_rate_limit_of_the_counter(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let (shop, other_app) = (&counter_shop.shop, counter_shop.shop.panel.start_second_process().await);
    for n in 1..=12 {
        shop.place_order(n).await;
    }
    shop.run_until_idle().await;
    // The default limit is five requests per second.
    let (first_result, second_result) =
        tokio::join!(counter::count_due(&shop.panel.app), counter::count_due(&other_app));
    assert_eq!(first_result.unwrap() + second_result.unwrap(), 5);
    assert_eq!(
        (counter_shop.poll_due_counters().await, counter::count_due(&other_app).await.unwrap()),
        (0, 0)
    );
    shop.panel.clock.advance_secs(1);
    assert_eq!(
        (counter::count_due(&other_app).await.unwrap(), counter_shop.poll_due_counters().await),
        (5, 0)
    );
    shop.panel.clock.advance_secs(1);
    assert_eq!(counter_shop.poll_due_counters().await, 2);
    shop.panel.clock.advance_secs(1);
    assert_eq!(
        (counter_shop.poll_due_counters().await, counter_shop.counter.requests().len()),
        (0, 12),
        "the counter must be called once for each order"
    );
}

async fn orders_placed_before_the_setting_are_polled(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counter_shop.shop;
    shop.panel
        .execute(Sql::new(
            "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE",
        ))
        .await;
    let id = shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    assert_eq!(counter_shop.fetch_growth(id).await, Value::Null);
    shop.panel
        .execute(Sql::new("UPDATE services SET gather_statistic = TRUE WHERE id = ?").bind(PLAIN_SERVICE))
        .await;
    let mut finder = counter::UncountedOrderFinder::default();
    assert_eq!(finder.find_next(&shop.panel.app).await.unwrap(), 1);
    counter_shop.run_all_workers().await;
    assert_eq!(counter_shop.fetch_growth(id).await, json!(0));
    // The counter of a paused order is not polled; polls continue when staff activate the order.
    let action_path = |name: &str| format!("/api/v1/admin/orders/{id}/{name}");
    assert_eq!(shop.panel.post(&action_path("pause"), &json!({})).await.status, 200);
    counter_shop.poll_all_now().await;
    let request_count_before = counter_shop.counter.requests().len();
    counter_shop.poll_all_now().await;
    assert_eq!(counter_shop.counter.requests().len(), request_count_before);
    assert_eq!(shop.panel.post(&action_path("activate"), &json!({})).await.status, 200);
    shop.panel.clock.advance_secs(61);
    assert_eq!(finder.find_next(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(finder.find_next(&shop.panel.app).await.unwrap(), 0);
    counter_shop.run_all_workers().await;
    assert_eq!(counter_shop.counter.requests().len(), request_count_before + 1);
    shop.assert_healthy().await;
}

async fn urls_of_external_tools_need_a_placeholder(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    let panel = &counter_shop.shop.panel;
    let address = "https://tool.example/views";
    for (name, settings) in [
        ("integrations.counter_url", json!({ "integrations": { "counter_url": address } })),
        ("content_feed_url", json!({ "content_feed_url": address })),
    ] {
        let response = panel.post_settings(settings).await;
        assert_eq!(response.status, 422, "{}", response.text);
        let errors = &response.json()["errors"];
        assert!(errors[name][0].as_str().unwrap().contains("{url}"), "{errors}");
    }
    let settings = panel.get("/api/v1/admin/settings").await;
    assert_eq!(settings.json()["data"]["integrations"]["counter_token"], json!({ "is_set": true }));
    assert!(!settings.text.contains(TOKEN));
    // The counter rejects requests with another token.
    panel.save_settings(json!({ "integrations": { "counter_token": "wrong" } })).await;
    let id = counter_shop.shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    assert_eq!(
        panel.fetch_order(id).await["counter"]["last_error"],
        "The counter responded with status 401."
    );
}

async fn a_counter_at_a_private_address_is_not_called(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    let settings =
        json!({ "integrations": { "counter_url": "http://10.0.0.1/?url={url}", "counter_token": TOKEN } });
    counter_shop.shop.panel.save_settings(settings).await;
    let id = counter_shop.shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    let error = counter_shop.shop.panel.fetch_order(id).await["counter"]["last_error"].clone();
    assert!(error.as_str().unwrap().contains("may not be called"), "{error}");
    assert_eq!(counter_shop.counter.requests().len(), 0);
}

/// Polls a growing count hourly for a month.
async fn the_number_of_chart_points_is_bounded(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counter_shop.shop;
    counter_shop.counter.set_count(&video_url(1), 0);
    shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    let mut count = 0;
    for _ in 0..30 * 24 {
        shop.panel.clock.advance_secs(3_600);
        count += 1;
        counter_shop.counter.set_count(&video_url(1), count % 500);
        counter_shop.poll_due_counters().await;
    }
    let point_count = shop.panel.fetch_number(Sql::new("SELECT count(*) FROM promotable_statistics")).await;
    assert!((50..400).contains(&point_count), "{point_count} points were stored");
    assert_eq!(dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(), 0);
}

async fn losses_after_completion_are_refilled(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counter_shop.shop;
    let sql = "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE, has_refill = TRUE, auto_refill_is_allowed = TRUE,
      auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000 WHERE id = ?";
    shop.panel.execute(Sql::new(sql).bind(PLAIN_SERVICE)).await;
    let id = shop.place_order(1).await;
    counter_shop.run_for_secs(300).await;
    assert_eq!(shop.panel.fetch_order(id).await["status"], "completed");
    let mut finder = counter::UncountedOrderFinder::default();
    assert_eq!(
        finder.find_next(&shop.panel.app).await.unwrap(),
        1,
        "a completed order with automatic refills must be counted"
    );
    counter_shop.set_count_and_poll(1, 5_000).await;
    shop.panel.clock.advance_secs(4_000);
    counter_shop.set_count_and_poll(1, 4_980).await;
    assert_eq!(
        dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(),
        0,
        "a loss of less than 5 percent must not be refilled"
    );
    counter_shop.set_count_and_poll(1, 4_940).await;
    let order = shop.panel.fetch_order(id).await;
    assert_eq!(
        (&order["refill"]["first"]["quantity"], &order["refill"]["last"]["quantity"]),
        (&json!(5_000), &json!(4_940))
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let refill_quantity_sql =
        Sql::new("SELECT max(quantity) FROM order_refill_requests WHERE order_id = ?").bind(id);
    assert_eq!(shop.panel.fetch_number(refill_quantity_sql).await, 60);
    let count_active_counters_sql = Sql::new("SELECT count(*) FROM order_counters WHERE due_at IS NOT NULL");
    assert_eq!(shop.panel.fetch_number(count_active_counters_sql).await, 1);
    shop.panel.execute(Sql::new("UPDATE orders SET broken_pipes = TRUE")).await;
    counter_shop.set_count_and_poll(1, 10).await;
    let count_active_counters_sql = Sql::new("SELECT count(*) FROM order_counters WHERE due_at IS NOT NULL");
    assert_eq!(
        shop.panel.fetch_number(count_active_counters_sql).await,
        0,
        "the counter of an order with broken_pipes must not be polled"
    );
    shop.assert_healthy().await;
}

async fn losses_are_measured_by_one_source_at_a_time(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counter_shop.shop;
    let sql = "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE, has_refill = TRUE, auto_refill_is_allowed = TRUE WHERE id = ?";
    shop.panel.execute(Sql::new(sql).bind(PLAIN_SERVICE)).await;
    let id = shop.place_order(1).await;
    counter_shop.run_for_secs(300).await;
    counter::UncountedOrderFinder::default().find_next(&shop.panel.app).await.unwrap();
    counter_shop.set_count_and_poll(1, 5_000).await;
    counter_shop.set_count_and_poll(1, 4_940).await;
    let fetch_source_and_losses = async || {
        let refill = shop.panel.fetch_order(id).await["refill"].clone();
        let numbers = [&refill["first"]["quantity"], &refill["last"]["quantity"], &refill["drop_quantity"]];
        (refill["source"].clone(), numbers.map(|number| number.as_i64().unwrap()))
    };
    assert_eq!(fetch_source_and_losses().await, (json!("counter"), [5_000, 4_940, 60]));
    let poll_panel = async || {
        let make_due_sql = "UPDATE external_panel_orders SET due_at = 1 WHERE order_id = ?";
        shop.panel.execute(Sql::new(make_due_sql).bind(id)).await;
        shop.run_until_idle().await;
    };
    for order in shop.fake_panels[0].state().orders.values_mut() {
        order.set_lost_units(90);
    }
    poll_panel().await;
    assert_eq!(
        fetch_source_and_losses().await,
        (json!("counter"), [5_000, 4_940, 60]),
        "a working counter must take precedence over the external panel"
    );
    // The counter fails for this order. The server now compares the external panel's counts with earlier counts of this panel only.
    shop.panel
        .execute(Sql::new(
            "UPDATE order_counters SET tries = 3, last_error = 'The counter responded with status 500.'",
        ))
        .await;
    poll_panel().await;
    assert_eq!(fetch_source_and_losses().await, (json!("panel"), [START_COUNT + 600, START_COUNT + 510, 90]));
    counter_shop.set_count_and_poll(1, 4_900).await;
    assert_eq!(
        fetch_source_and_losses().await,
        (json!("counter"), [4_900, 4_900, 0]),
        "counts of two sources must not be compared"
    );
    // Without a counter, the external panel's counts apply at once, whatever the counter last reported.
    shop.panel.save_settings(json!({ "integrations": { "counter_url": null } })).await;
    poll_panel().await;
    assert_eq!(fetch_source_and_losses().await, (json!("panel"), [START_COUNT + 600, START_COUNT + 510, 90]));
    shop.assert_healthy().await;
}

async fn the_order_contains_the_stream_statistics_of_the_counter(dialect: Dialect) {
    let counter_shop = ShopWithCounter::start(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counter_shop.shop;
    counter_shop.counter.set_extra_fields(&json!({ "embed_url": "https://video.example/embed/1", "region_restriction": "US, CA", "viewers": 10 }));
    let id = shop.place_order(1).await;
    counter_shop.run_all_workers().await;
    shop.panel.clock.advance_secs(600);
    counter_shop.counter.set_extra_fields(&json!({ "viewers": 30 }));
    counter_shop.poll_all_now().await;
    let stream_statistics = shop.panel.fetch_order(id).await["promotable"].clone();
    assert_eq!(
        (
            &stream_statistics["embed_url"],
            &stream_statistics["region_restriction"],
            &stream_statistics["first_statistic_viewers"],
            &stream_statistics["average_viewers"]
        ),
        (&json!("https://video.example/embed/1"), &json!("US, CA"), &json!(10), &json!(20))
    );
    // A poll without viewers is ignored, and an average that the counter reports takes precedence.
    let fetch_average_viewers =
        async || shop.panel.fetch_order(id).await["promotable"]["average_viewers"].clone();
    for (extra_fields, expected_average) in
        [(json!({}), 20), (json!({ "viewers": 30, "average_viewers": 41 }), 41)]
    {
        shop.panel.clock.advance_secs(600);
        counter_shop.counter.set_extra_fields(&extra_fields);
        counter_shop.set_count_and_poll(1, START_COUNT + expected_average).await;
        assert_eq!(fetch_average_viewers().await, expected_average, "{extra_fields}");
    }
    let count_other_points_sql =
        Sql::new("SELECT count(*) FROM promotable_statistics WHERE viewers NOT IN (10, 30)");
    assert_eq!(
        shop.panel.fetch_number(count_other_points_sql).await,
        0,
        "points must contain only the viewer counts of the stream"
    );
    let stream_duration_sql =
        Sql::new("SELECT promotable_supported_until - promotable_supported_at FROM orders WHERE id = ?");
    assert!(shop.panel.fetch_number(stream_duration_sql.bind(id)).await >= 600_000_000);
}
