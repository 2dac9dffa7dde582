//! The real counter, which reports the public count of a URL: for which orders it is polled, to which order its growth belongs, and
//! that an order completes only by counted growth.

use std::sync::Arc;

use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::counter::FakeCounter;
use panel_demo::panel::state::{OrderBehavior, START_COUNT};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::{counter, dispatch};
use serde_json::{Value, json};

use crate::shop::{DEPOSIT, PLAIN};
use crate::shop_with_panels::ShopWithPanels;

both! {
    an_order_is_sent_after_its_first_count;
    two_sufficient_counts_complete_an_order;
    counts_complete_no_order_where_the_service_disables_that;
    invalid_counts_change_nothing;
    counts_that_fall_or_jump_complete_nothing;
    without_a_setting_the_counter_is_not_called;
    a_failing_counter_blocks_no_order;
    orders_of_one_url_do_not_count_the_same_growth;
    growth_of_an_order_between_two_polls_counts_for_no_other_order;
    counter_calls_share_a_rate_limit_across_processes;
    orders_from_before_the_setting_are_polled;
    tool_urls_need_a_placeholder_for_the_address;
    a_counter_at_a_private_address_is_not_called;
    the_number_of_chart_points_is_bounded;
    losses_after_completion_are_refilled;
    losses_are_measured_by_one_source_at_a_time;
    stream_statistics_of_the_counter_are_shown;
}

/// A shop whose service `PLAIN` uses the real counter, and the fake counter.
struct ShopWithCounter {
    shop: ShopWithPanels,
    counter: FakeCounter,
}

const TOKEN: &str = "token-of-the-counter";

impl ShopWithCounter {
    async fn on(dialect: Dialect, behaviors: &[OrderBehavior]) -> Self {
        let shop = ShopWithPanels::on(dialect, behaviors).await;
        let clock = Arc::new(shop.panel.clock.clone());
        let counter = FakeCounter::start(&shop.fake_panels, Some(TOKEN), clock).await.unwrap();
        let settings = json!({ "integrations": { "counter_url": counter.url, "counter_token": TOKEN } });
        shop.panel.save_settings(settings).await;
        let enable_counter = "UPDATE services SET gather_statistic = TRUE, real_counter_complete_is_enabled = TRUE WHERE id = ?";
        shop.panel.execute(Sql::new(enable_counter).bind(PLAIN)).await;
        Self { shop, counter }
    }

    async fn poll_due(&self) -> usize {
        counter::count_due(&self.shop.panel.app).await.unwrap()
    }

    /// Advances the clock in steps of 30 seconds and runs all workers at each step.
    async fn run_for_secs(&self, seconds: i64) {
        for _ in 0..seconds / 30 {
            self.shop.panel.clock.advance_secs(30);
            self.run_all().await;
        }
    }

    async fn run_all(&self) {
        self.shop.run_until_idle().await;
        while self.poll_due().await > 0 {
            self.shop.panel.clock.advance_secs(1);
        }
        self.shop.run_until_idle().await;
    }

    /// Sets the counter's value and polls it.
    async fn poll_count(&self, n: u32, count: i64) {
        self.counter.set_count(&link(n), count);
        self.poll_all_now().await;
    }

    /// Makes every active counter due and polls it.
    async fn poll_all_now(&self) {
        self.shop
            .panel
            .execute(Sql::new("UPDATE order_counters SET due_at = 1 WHERE due_at IS NOT NULL"))
            .await;
        self.run_all().await;
    }

    /// The order's status and counted growth.
    async fn progress(&self, order: OrderId) -> (String, Value) {
        let order = self.shop.panel.order(order).await;
        (order["status"].as_str().unwrap().to_owned(), order["counter"]["quantity"].clone())
    }

    /// The counted growth in the order list.
    async fn external_quantity(&self, order: OrderId) -> Option<i64> {
        let sql = Sql::new("SELECT external_statistics_quantity FROM orders WHERE id = ?").bind(order);
        (&mut &self.shop.panel.app.db).fetch_one::<(Option<i64>,)>(sql).await.unwrap().0
    }
}

fn link(n: u32) -> String {
    format!("https://video.example/{n}")
}

async fn an_order_is_sent_after_its_first_count(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted_shop.shop;
    let id = shop.order(1).await;
    shop.run_until_idle().await;
    assert_eq!(
        (shop.order_counts(), shop.attempt_statuses(id).await.len()),
        (vec![0], 0),
        "the order waits for its first count"
    );
    assert_eq!(counted_shop.poll_due().await, 1);
    shop.run_until_idle().await;
    assert_eq!(shop.order_counts(), [1]);
    let call = &counted_shop.counter.calls()[0];
    assert_eq!((&*call["url"], &*call["type"], &*call["network"]), (&*link(1), "views", "video"));
    let order = shop.panel.order(id).await;
    assert_eq!(
        (&order["counter"]["start_count"], &order["counter"]["quantity"]),
        (&json!(START_COUNT), &json!(0))
    );
    assert_eq!(order["percent_of_external_statistics_fill"], json!("0"));
    counted_shop.run_for_secs(60).await;
    counted_shop.poll_all_now().await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (&order["counter"]["quantity"], counted_shop.external_quantity(id).await),
        (&json!(300), Some(300)),
        "{order}"
    );
    assert_eq!(order["percent_of_external_statistics_fill"], json!("50"));
    let chart =
        shop.panel.get(&format!("/api/v1/admin/orders/promotable-statistics?order={id}")).await.json();
    let viewers: Vec<i64> =
        chart["data"].as_array().unwrap().iter().map(|point| point["viewers"].as_i64().unwrap()).collect();
    assert!(viewers.contains(&START_COUNT) && viewers.contains(&(START_COUNT + 300)), "{chart}");
    shop.assert_healthy().await;
}

async fn two_sufficient_counts_complete_an_order(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted_shop.shop;
    counted_shop.counter.set_count(&link(1), 1_000);
    let id = shop.order(1).await;
    counted_shop.run_all().await;
    counted_shop.poll_count(1, 1_599).await;
    assert_eq!(counted_shop.progress(id).await, ("in_processing".to_owned(), json!(599)));
    counted_shop.poll_count(1, 1_600).await;
    assert_eq!(
        counted_shop.progress(id).await,
        ("in_processing".to_owned(), json!(600)),
        "one sufficient count is not enough"
    );
    counted_shop.run_for_secs(60).await;
    assert_eq!(counted_shop.progress(id).await, ("completed".to_owned(), json!(600)));
    assert_eq!(
        shop.attempt_statuses(id).await,
        ["Pending"],
        "the attempt at the panel continues to be polled"
    );
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 6_000_000, "no refund is posted");
    let completions =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'order.completed' AND auditable_id = ?");
    assert_eq!(shop.panel.number(completions.bind(id)).await, 1);
    let calls_before = counted_shop.counter.calls().len();
    counted_shop.run_for_secs(3_600).await;
    assert_eq!(counted_shop.counter.calls().len(), calls_before, "a completed order is not polled");
    shop.assert_healthy().await;
}

async fn counts_complete_no_order_where_the_service_disables_that(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    counted_shop
        .shop
        .panel
        .execute(Sql::new("UPDATE services SET real_counter_complete_is_enabled = FALSE"))
        .await;
    counted_shop.counter.set_count(&link(1), 0);
    let id = counted_shop.shop.order(1).await;
    counted_shop.run_all().await;
    counted_shop.poll_count(1, 5_000).await;
    counted_shop.poll_all_now().await;
    assert_eq!(counted_shop.progress(id).await, ("in_processing".to_owned(), json!(5_000)));
    assert_eq!(counted_shop.external_quantity(id).await, Some(5_000));
    counted_shop.shop.assert_healthy().await;
}

async fn invalid_counts_change_nothing(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted_shop.shop;
    counted_shop.counter.set_count(&link(1), 1_000);
    let id = shop.order(1).await;
    counted_shop.run_all().await;
    counted_shop.poll_count(1, 1_200).await;
    counted_shop.counter.set_count(&link(1), 9_000);
    for behavior in [
        FakeBehavior::HtmlPage,
        FakeBehavior::Truncated,
        FakeBehavior::BadGateway,
        FakeBehavior::RateLimited,
        FakeBehavior::EmptyData,
        FakeBehavior::UnknownStatuses,
        FakeBehavior::ErrorsAs4xx,
        FakeBehavior::NoAnswer,
    ] {
        counted_shop.counter.set_behavior(behavior);
        // Longer than the longest time for which the circuit stays open.
        shop.panel.clock.advance_secs(700);
        counted_shop.poll_all_now().await;
        let order = shop.panel.order(id).await;
        assert_eq!(
            (&order["status"], &order["counter"]["quantity"]),
            (&json!("in_processing"), &json!(200)),
            "{behavior:?}"
        );
        let error = order["counter"]["last_error"].as_str().unwrap_or_default();
        assert!(error.starts_with("The counter") && !error.contains(TOKEN), "{behavior:?}: {error}");
        shop.panel.execute(Sql::new("UPDATE order_counters SET last_error = NULL")).await;
    }
    let tries = Sql::new("SELECT tries FROM order_counters");
    assert_eq!(shop.panel.number(tries.clone()).await, 8);
    let due_at = Sql::new("SELECT due_at FROM order_counters");
    let wait = shop.panel.number(due_at).await - panel_kernel::clock::Clock::now(&shop.panel.clock).0;
    assert!(wait > 5 * 3_600_000_000, "the backoff grows: {wait} microseconds");
    counted_shop.counter.set_behavior(FakeBehavior::Correct);
    shop.panel.clock.advance_secs(700);
    counted_shop.poll_count(1, 1_300).await;
    assert_eq!((counted_shop.progress(id).await.1, shop.panel.number(tries).await), (json!(300), 0));
    assert_eq!(shop.panel.order(id).await["counter"]["last_error"], Value::Null);
    shop.assert_healthy().await;
}

async fn counts_that_fall_or_jump_complete_nothing(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    counted_shop.counter.set_count(&link(1), 1_000);
    let id = counted_shop.shop.order(1).await;
    counted_shop.run_all().await;
    for (count, growth) in [(1_300, 300), (900, 0), (0, 0), (50_000, 49_000), (1_100, 100), (1_599, 599)] {
        counted_shop.poll_count(1, count).await;
        assert_eq!(counted_shop.progress(id).await, ("in_processing".to_owned(), json!(growth)), "{count}");
    }
    assert_eq!(counted_shop.shop.panel.main_balance(1).await, DEPOSIT - 6_000_000);
    counted_shop.shop.assert_healthy().await;
}

async fn without_a_setting_the_counter_is_not_called(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    counted_shop.shop.panel.save_settings(json!({ "integrations": { "counter_url": null } })).await;
    let id = counted_shop.shop.order(1).await;
    counted_shop.shop.run_until_idle().await;
    assert_eq!(counted_shop.shop.order_counts(), [1], "the order is sent at once");
    let mut finder = counter::UncountedOrderFinder::default();
    assert_eq!(
        (finder.find_next(&counted_shop.shop.panel.app).await.unwrap(), counted_shop.poll_due().await),
        (0, 0)
    );
    counted_shop.run_for_secs(300).await;
    let rows = "SELECT (SELECT count(*) FROM order_counters) + (SELECT count(*) FROM promotable_statistics) + (SELECT count(*) FROM shared_schedules)";
    assert_eq!(
        (counted_shop.shop.panel.number(Sql::new(rows)).await, counted_shop.counter.calls().len()),
        (0, 0)
    );
    assert_eq!(
        (counted_shop.progress(id).await, counted_shop.external_quantity(id).await),
        (("completed".to_owned(), Value::Null), None)
    );
}

async fn a_failing_counter_blocks_no_order(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    counted_shop.counter.set_behavior(FakeBehavior::BadGateway);
    counted_shop.shop.order(1).await;
    counted_shop.shop.run_until_idle().await;
    assert_eq!(counted_shop.shop.order_counts(), [0]);
    counted_shop.poll_due().await;
    counted_shop.shop.run_until_idle().await;
    assert_eq!(counted_shop.shop.order_counts(), [1], "the order is sent after the first failed poll");
    // Without any poll the order waits one minute at most.
    counted_shop.shop.order(2).await;
    counted_shop.shop.run_until_idle().await;
    counted_shop.shop.run_for_secs(30).await;
    assert_eq!(counted_shop.shop.order_counts(), [1]);
    counted_shop.shop.run_for_secs(60).await;
    assert_eq!(counted_shop.shop.order_counts(), [2]);
    counted_shop.shop.assert_healthy().await;
}

async fn orders_of_one_url_do_not_count_the_same_growth(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted_shop.shop;
    counted_shop.counter.set_count(&link(1), 1_000);
    let first = shop.order(1).await;
    counted_shop.run_all().await;
    counted_shop.poll_count(1, 1_200).await;
    let second = shop.panel.place(&NewOrder::plain(UserId::new(2), PLAIN, &link(1), 600)).await.id;
    counted_shop.run_all().await;
    for count in [1_900, 5_000, 5_000, 4_000] {
        counted_shop.poll_count(1, count).await;
        let progress = [counted_shop.progress(first).await, counted_shop.progress(second).await];
        assert!(progress.iter().all(|(status, _)| status == "in_processing"), "{count}: {progress:?}");
        let (first_growth, second_growth) =
            (progress[0].1.as_i64().unwrap(), progress[1].1.as_i64().unwrap());
        assert!(first_growth <= 200 && second_growth == 0, "{count}: {progress:?}");
    }
    assert_eq!(shop.panel.order(second).await["counter"]["is_shared"], true);
    let completed = shop.panel.post(&format!("/api/v1/admin/orders/{first}/complete"), &json!({})).await;
    assert_eq!(completed.status, 200, "{}", completed.text);
    // Growth up to the first poll without the other order is attributed to neither.
    counted_shop.poll_count(1, 6_000).await;
    assert_eq!(counted_shop.progress(second).await, ("in_processing".to_owned(), json!(0)));
    counted_shop.poll_count(1, 6_600).await;
    counted_shop.poll_all_now().await;
    assert_eq!(counted_shop.progress(second).await, ("completed".to_owned(), json!(600)));
    shop.assert_healthy().await;
}

/// The other order's service has no counter, and the order ends before the next poll.
async fn growth_of_an_order_between_two_polls_counts_for_no_other_order(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted_shop.shop;
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
    counted_shop.counter.set_count(&link(1), 1_000);
    let watched = shop.order(1).await;
    counted_shop.run_all().await;
    shop.set_behavior(0, FakeBehavior::Correct);
    let other = shop.panel.place(&NewOrder::plain(UserId::new(2), ServiceId::new(2), &link(1), 600)).await.id;
    shop.run_until_idle().await;
    let completed = shop.panel.post(&format!("/api/v1/admin/orders/{other}/complete"), &json!({})).await;
    assert_eq!(completed.status, 200, "{}", completed.text);
    counted_shop.poll_count(1, 1_700).await;
    counted_shop.poll_all_now().await;
    assert_eq!(counted_shop.progress(watched).await, ("in_processing".to_owned(), json!(0)));
    shop.assert_healthy().await;
}

async fn counter_calls_share_a_rate_limit_across_processes(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let (shop, other) = (&counted_shop.shop, counted_shop.shop.panel.second_process().await);
    for n in 1..=12 {
        shop.order(n).await;
    }
    shop.run_until_idle().await;
    // The default limit is five calls per second.
    let (first, second) = tokio::join!(counter::count_due(&shop.panel.app), counter::count_due(&other));
    assert_eq!(first.unwrap() + second.unwrap(), 5);
    assert_eq!((counted_shop.poll_due().await, counter::count_due(&other).await.unwrap()), (0, 0));
    shop.panel.clock.advance_secs(1);
    assert_eq!((counter::count_due(&other).await.unwrap(), counted_shop.poll_due().await), (5, 0));
    shop.panel.clock.advance_secs(1);
    assert_eq!(counted_shop.poll_due().await, 2);
    shop.panel.clock.advance_secs(1);
    assert_eq!(
        (counted_shop.poll_due().await, counted_shop.counter.calls().len()),
        (0, 12),
        "one call for each order"
    );
}

async fn orders_from_before_the_setting_are_polled(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted_shop.shop;
    shop.panel
        .execute(Sql::new(
            "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE",
        ))
        .await;
    let id = shop.order(1).await;
    counted_shop.run_all().await;
    assert_eq!(counted_shop.progress(id).await.1, Value::Null);
    shop.panel
        .execute(Sql::new("UPDATE services SET gather_statistic = TRUE WHERE id = ?").bind(PLAIN))
        .await;
    let mut finder = counter::UncountedOrderFinder::default();
    assert_eq!(finder.find_next(&shop.panel.app).await.unwrap(), 1);
    counted_shop.run_all().await;
    assert_eq!(counted_shop.progress(id).await.1, json!(0));
    // A paused order is not polled; polling resumes with the order.
    let action = |name: &str| format!("/api/v1/admin/orders/{id}/{name}");
    assert_eq!(shop.panel.post(&action("pause"), &json!({})).await.status, 200);
    counted_shop.poll_all_now().await;
    let calls_before = counted_shop.counter.calls().len();
    counted_shop.poll_all_now().await;
    assert_eq!(counted_shop.counter.calls().len(), calls_before);
    assert_eq!(shop.panel.post(&action("activate"), &json!({})).await.status, 200);
    shop.panel.clock.advance_secs(61);
    assert_eq!(finder.find_next(&shop.panel.app).await.unwrap(), 1);
    assert_eq!(finder.find_next(&shop.panel.app).await.unwrap(), 0);
    counted_shop.run_all().await;
    assert_eq!(counted_shop.counter.calls().len(), calls_before + 1);
    shop.assert_healthy().await;
}

async fn tool_urls_need_a_placeholder_for_the_address(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    let panel = &counted_shop.shop.panel;
    let address = "https://tool.example/views";
    for (name, settings) in [
        ("integrations.counter_url", json!({ "integrations": { "counter_url": address } })),
        ("content_feed_url", json!({ "content_feed_url": address })),
    ] {
        let answer = panel.post_settings(settings).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        let errors = &answer.json()["errors"];
        assert!(errors[name][0].as_str().unwrap().contains("{url}"), "{errors}");
    }
    let settings = panel.get("/api/v1/admin/settings").await;
    assert_eq!(settings.json()["data"]["integrations"]["counter_token"], json!({ "is_set": true }));
    assert!(!settings.text.contains(TOKEN));
    // With another token the counter refuses the calls.
    panel.save_settings(json!({ "integrations": { "counter_token": "wrong" } })).await;
    let id = counted_shop.shop.order(1).await;
    counted_shop.run_all().await;
    assert_eq!(panel.order(id).await["counter"]["last_error"], "The counter answered 401.");
}

async fn a_counter_at_a_private_address_is_not_called(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    let settings =
        json!({ "integrations": { "counter_url": "http://10.0.0.1/?url={url}", "counter_token": TOKEN } });
    counted_shop.shop.panel.save_settings(settings).await;
    let id = counted_shop.shop.order(1).await;
    counted_shop.run_all().await;
    let error = counted_shop.shop.panel.order(id).await["counter"]["last_error"].clone();
    assert!(error.as_str().unwrap().contains("may not be called"), "{error}");
    assert_eq!(counted_shop.counter.calls().len(), 0);
}

/// A month of growth, polled at the usual interval.
async fn the_number_of_chart_points_is_bounded(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted_shop.shop;
    counted_shop.counter.set_count(&link(1), 0);
    shop.order(1).await;
    counted_shop.run_all().await;
    let mut count = 0;
    for _ in 0..30 * 24 {
        shop.panel.clock.advance_secs(3_600);
        count += 1;
        counted_shop.counter.set_count(&link(1), count % 500);
        counted_shop.poll_due().await;
    }
    let points = shop.panel.number(Sql::new("SELECT count(*) FROM promotable_statistics")).await;
    assert!((50..400).contains(&points), "{points}");
    assert_eq!(dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap(), 0);
}

async fn losses_after_completion_are_refilled(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted_shop.shop;
    let sql = "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE, has_refill = TRUE, auto_refill_is_allowed = TRUE,
      auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000 WHERE id = ?";
    shop.panel.execute(Sql::new(sql).bind(PLAIN)).await;
    let id = shop.order(1).await;
    counted_shop.run_for_secs(300).await;
    assert_eq!(shop.panel.order(id).await["status"], "completed");
    let mut finder = counter::UncountedOrderFinder::default();
    assert_eq!(
        finder.find_next(&shop.panel.app).await.unwrap(),
        1,
        "a completed order with automatic refills"
    );
    counted_shop.poll_count(1, 5_000).await;
    shop.panel.clock.advance_secs(4_000);
    counted_shop.poll_count(1, 4_980).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 0, "less than 5 percent");
    counted_shop.poll_count(1, 4_940).await;
    let order = shop.panel.order(id).await;
    assert_eq!(
        (&order["refill"]["first"]["quantity"], &order["refill"]["last"]["quantity"]),
        (&json!(5_000), &json!(4_940))
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.panel.app).await.unwrap(), 1);
    let refill_quantity =
        Sql::new("SELECT max(quantity) FROM order_refill_requests WHERE order_id = ?").bind(id);
    assert_eq!(shop.panel.number(refill_quantity).await, 60);
    let active_counters = Sql::new("SELECT count(*) FROM order_counters WHERE due_at IS NOT NULL");
    assert_eq!(shop.panel.number(active_counters).await, 1);
    shop.panel.execute(Sql::new("UPDATE orders SET broken_pipes = TRUE")).await;
    counted_shop.poll_count(1, 10).await;
    let active_counters = Sql::new("SELECT count(*) FROM order_counters WHERE due_at IS NOT NULL");
    assert_eq!(
        shop.panel.number(active_counters).await,
        0,
        "the counter of an order with broken_pipes is not polled"
    );
    shop.assert_healthy().await;
}

async fn losses_are_measured_by_one_source_at_a_time(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted_shop.shop;
    let sql = "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE, has_refill = TRUE, auto_refill_is_allowed = TRUE WHERE id = ?";
    shop.panel.execute(Sql::new(sql).bind(PLAIN)).await;
    let id = shop.order(1).await;
    counted_shop.run_for_secs(300).await;
    counter::UncountedOrderFinder::default().find_next(&shop.panel.app).await.unwrap();
    counted_shop.poll_count(1, 5_000).await;
    counted_shop.poll_count(1, 4_940).await;
    let refill = async || {
        let refill = shop.panel.order(id).await["refill"].clone();
        let numbers = [&refill["first"]["quantity"], &refill["last"]["quantity"], &refill["drop_quantity"]];
        (refill["source"].clone(), numbers.map(|number| number.as_i64().unwrap()))
    };
    assert_eq!(refill().await, (json!("counter"), [5_000, 4_940, 60]));
    let poll_panel = async || {
        let make_due = "UPDATE external_panel_orders SET due_at = 1 WHERE order_id = ?";
        shop.panel.execute(Sql::new(make_due).bind(id)).await;
        shop.run_until_idle().await;
    };
    for order in shop.fake_panels[0].state().orders.values_mut() {
        order.set_lost_units(90);
    }
    poll_panel().await;
    assert_eq!(refill().await, (json!("counter"), [5_000, 4_940, 60]), "a working counter takes precedence");
    // The counter fails for this order, so the panel's counts are compared only with earlier counts of the panel.
    shop.panel
        .execute(Sql::new("UPDATE order_counters SET tries = 3, last_error = 'The counter answered 500.'"))
        .await;
    poll_panel().await;
    assert_eq!(refill().await, (json!("panel"), [START_COUNT + 600, START_COUNT + 510, 90]));
    counted_shop.poll_count(1, 4_900).await;
    assert_eq!(refill().await, (json!("counter"), [4_900, 4_900, 0]), "no loss across two sources");
    // Without a counter the panel's count applies at once, regardless of the counter's last counts.
    shop.panel.save_settings(json!({ "integrations": { "counter_url": null } })).await;
    poll_panel().await;
    assert_eq!(refill().await, (json!("panel"), [START_COUNT + 600, START_COUNT + 510, 90]));
    shop.assert_healthy().await;
}

async fn stream_statistics_of_the_counter_are_shown(dialect: Dialect) {
    let counted_shop = ShopWithCounter::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted_shop.shop;
    counted_shop.counter.set_extra_fields(&json!({ "embed_url": "https://video.example/embed/1", "region_restriction": "US, CA", "viewers": 10 }));
    let id = shop.order(1).await;
    counted_shop.run_all().await;
    shop.panel.clock.advance_secs(600);
    counted_shop.counter.set_extra_fields(&json!({ "viewers": 30 }));
    counted_shop.poll_all_now().await;
    let stream = shop.panel.order(id).await["promotable"].clone();
    assert_eq!(
        (
            &stream["embed_url"],
            &stream["region_restriction"],
            &stream["first_statistic_viewers"],
            &stream["average_viewers"]
        ),
        (&json!("https://video.example/embed/1"), &json!("US, CA"), &json!(10), &json!(20))
    );
    // A poll without viewers is ignored, and an average that the counter reports takes precedence.
    let average = async || shop.panel.order(id).await["promotable"]["average_viewers"].clone();
    for (extra_fields, expected) in [(json!({}), 20), (json!({ "viewers": 30, "average_viewers": 41 }), 41)] {
        shop.panel.clock.advance_secs(600);
        counted_shop.counter.set_extra_fields(&extra_fields);
        counted_shop.poll_count(1, START_COUNT + expected).await;
        assert_eq!(average().await, expected, "{extra_fields}");
    }
    let points = Sql::new("SELECT count(*) FROM promotable_statistics WHERE viewers NOT IN (10, 30)");
    assert_eq!(shop.panel.number(points).await, 0, "only the viewers of the stream are stored");
    let stream_duration =
        Sql::new("SELECT promotable_supported_until - promotable_supported_at FROM orders WHERE id = ?");
    assert!(shop.panel.number(stream_duration.bind(id)).await >= 600_000_000);
}
