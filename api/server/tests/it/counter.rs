//! The real counter: which orders it is polled for, which order its growth is attributed to, and that an order completes only by
//! growth that was counted.

use std::sync::Arc;

use panel_contract::ids::{OrderId, ServiceId, UserId};
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::counter::FakeCounter;
use panel_demo::panel::world::{OrderBehavior, START_COUNT};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::{counter, dispatch};
use serde_json::{Value, json};

use crate::shop::{DEPOSIT, PLAIN};
use crate::supplied::Supplied;

both! {
    the_first_count_is_the_start_and_then_the_order_goes_out;
    an_order_completes_when_the_counter_is_there_twice;
    a_watched_order_completes_by_its_panel_only;
    invalid_counts_change_nothing;
    counts_that_fall_or_jump_complete_nothing;
    without_a_setting_the_counter_is_not_called;
    a_failing_counter_blocks_no_order;
    orders_of_one_address_do_not_count_the_same_growth;
    growth_of_an_order_between_two_polls_counts_for_no_other_order;
    counter_calls_share_a_rate_limit_across_processes;
    orders_that_ran_before_are_found;
    tools_are_settings_with_a_place_for_the_address;
    a_private_address_is_not_asked;
    the_number_of_chart_points_is_bounded;
    losses_after_completion_are_refilled;
    losses_are_measured_by_one_source_at_a_time;
    stream_statistics_of_the_counter_are_shown;
}

/// A shop whose plain service is counted, and the counter.
struct Counted {
    shop: Supplied,
    counter: FakeCounter,
}

const TOKEN: &str = "token-of-the-counter";

impl Counted {
    async fn on(dialect: Dialect, behaviors: &[OrderBehavior]) -> Self {
        let shop = Supplied::on(dialect, behaviors).await;
        let clock = Arc::new(shop.ours.clock.clone());
        let counter = FakeCounter::start(&shop.theirs, Some(TOKEN), clock).await.unwrap();
        let set = json!({ "integrations": { "counter_url": counter.url, "counter_token": TOKEN } });
        shop.ours.settled(set).await;
        let flags = "UPDATE services SET gather_statistic = TRUE, real_counter_complete_is_enabled = TRUE WHERE id = ?";
        shop.ours.exec(Sql::new(flags).bind(PLAIN)).await;
        Self { shop, counter }
    }

    async fn ask(&self) -> usize {
        counter::count_due(&self.shop.ours.app).await.unwrap()
    }

    /// Advances the clock in steps of 30 seconds and runs all workers at each step.
    async fn pass(&self, seconds: i64) {
        for _ in 0..seconds / 30 {
            self.shop.ours.clock.advance_secs(30);
            self.work().await;
        }
    }

    async fn work(&self) {
        self.shop.settle().await;
        while self.ask().await > 0 {
            self.shop.ours.clock.advance_secs(1);
        }
        self.shop.settle().await;
    }

    /// Sets the counter's value and polls it.
    async fn say(&self, n: u32, count: i64) {
        self.counter.set_count(&link(n), count);
        self.find_next().await;
    }

    /// Makes all counters due at once.
    async fn find_next(&self) {
        self.shop.ours.exec(Sql::new("UPDATE order_counters SET due_at = 1 WHERE due_at IS NOT NULL")).await;
        self.work().await;
    }

    async fn stands(&self, order: OrderId) -> (String, Value) {
        let order = self.shop.ours.order(order).await;
        (order["status"].as_str().unwrap().to_owned(), order["counter"]["quantity"].clone())
    }

    async fn shown(&self, order: OrderId) -> Option<i64> {
        let sql = Sql::new("SELECT external_statistics_quantity FROM orders WHERE id = ?").bind(order);
        (&mut &self.shop.ours.app.db).one::<(Option<i64>,)>(sql).await.unwrap().0
    }
}

fn link(n: u32) -> String {
    format!("https://video.example/{n}")
}

async fn the_first_count_is_the_start_and_then_the_order_goes_out(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted.shop;
    let id = shop.order(1).await;
    shop.settle().await;
    assert_eq!((shop.taken(), shop.states(id).await.len()), (vec![0], 0), "it waits for its first count");
    assert_eq!(counted.ask().await, 1);
    shop.settle().await;
    assert_eq!(shop.taken(), [1]);
    let asked = &counted.counter.calls()[0];
    assert_eq!((&*asked["url"], &*asked["type"], &*asked["network"]), (&*link(1), "views", "video"));
    let order = shop.ours.order(id).await;
    assert_eq!(
        (&order["counter"]["start_count"], &order["counter"]["quantity"]),
        (&json!(START_COUNT), &json!(0))
    );
    assert_eq!(order["percent_of_external_statistics_fill"], json!("0"));
    counted.pass(60).await;
    counted.find_next().await;
    let order = shop.ours.order(id).await;
    assert_eq!((&order["counter"]["quantity"], counted.shown(id).await), (&json!(300), Some(300)), "{order}");
    assert_eq!(order["percent_of_external_statistics_fill"], json!("50"));
    let chart = shop.ours.get(&format!("/api/v1/admin/orders/promotable-statistics?order={id}")).await.json();
    let viewers: Vec<i64> =
        chart["data"].as_array().unwrap().iter().map(|point| point["viewers"].as_i64().unwrap()).collect();
    assert!(viewers.contains(&START_COUNT) && viewers.contains(&(START_COUNT + 300)), "{chart}");
    shop.assert_healthy().await;
}

async fn an_order_completes_when_the_counter_is_there_twice(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted.shop;
    counted.counter.set_count(&link(1), 1_000);
    let id = shop.order(1).await;
    counted.work().await;
    counted.say(1, 1_599).await;
    assert_eq!(counted.stands(id).await, ("in_processing".to_owned(), json!(599)));
    counted.say(1, 1_600).await;
    assert_eq!(counted.stands(id).await, ("in_processing".to_owned(), json!(600)), "one look is not enough");
    counted.pass(60).await;
    assert_eq!(counted.stands(id).await, ("completed".to_owned(), json!(600)));
    assert_eq!(shop.states(id).await, ["Pending"], "what the panel still has is followed to its own end");
    assert_eq!(shop.ours.balances(1).await.0, DEPOSIT - 6_000_000, "no money moves");
    let audited =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'order.completed' AND auditable_id = ?");
    assert_eq!(shop.ours.number(audited.bind(id)).await, 1);
    let calls = counted.counter.calls().len();
    counted.pass(3_600).await;
    assert_eq!(counted.counter.calls().len(), calls, "what is over is not asked about");
    shop.assert_healthy().await;
}

async fn a_watched_order_completes_by_its_panel_only(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    counted.shop.ours.exec(Sql::new("UPDATE services SET real_counter_complete_is_enabled = FALSE")).await;
    counted.counter.set_count(&link(1), 0);
    let id = counted.shop.order(1).await;
    counted.work().await;
    counted.say(1, 5_000).await;
    counted.find_next().await;
    assert_eq!(counted.stands(id).await, ("in_processing".to_owned(), json!(5_000)));
    assert_eq!(counted.shown(id).await, Some(5_000));
    counted.shop.assert_healthy().await;
}

async fn invalid_counts_change_nothing(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted.shop;
    counted.counter.set_count(&link(1), 1_000);
    let id = shop.order(1).await;
    counted.work().await;
    counted.say(1, 1_200).await;
    counted.counter.set_count(&link(1), 9_000);
    for temper in [
        FakeBehavior::Html,
        FakeBehavior::Half,
        FakeBehavior::Down,
        FakeBehavior::Busy,
        FakeBehavior::Empty,
        FakeBehavior::Odd,
        FakeBehavior::Strict,
        FakeBehavior::Silent,
    ] {
        counted.counter.behave(temper);
        // Longer than the longest pause of the circuit breaker.
        shop.ours.clock.advance_secs(700);
        counted.find_next().await;
        let order = shop.ours.order(id).await;
        assert_eq!(
            (&order["status"], &order["counter"]["quantity"]),
            (&json!("in_processing"), &json!(200)),
            "{temper:?}"
        );
        let words = order["counter"]["last_error"].as_str().unwrap_or_default();
        assert!(words.starts_with("The counter") && !words.contains(TOKEN), "{temper:?}: {words}");
        shop.ours.exec(Sql::new("UPDATE order_counters SET last_error = NULL")).await;
    }
    let tries = Sql::new("SELECT tries FROM order_counters");
    assert_eq!(shop.ours.number(tries.clone()).await, 8);
    let due = Sql::new("SELECT due_at FROM order_counters");
    let wait = shop.ours.number(due).await - panel_kernel::clock::Clock::now(&shop.ours.clock).0;
    assert!(wait > 5 * 3_600_000_000, "later and later: {wait}");
    counted.counter.behave(FakeBehavior::Good);
    shop.ours.clock.advance_secs(700);
    counted.say(1, 1_300).await;
    assert_eq!((counted.stands(id).await.1, shop.ours.number(tries).await), (json!(300), 0));
    assert_eq!(shop.ours.order(id).await["counter"]["last_error"], Value::Null);
    shop.assert_healthy().await;
}

async fn counts_that_fall_or_jump_complete_nothing(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    counted.counter.set_count(&link(1), 1_000);
    let id = counted.shop.order(1).await;
    counted.work().await;
    for (count, grown) in [(1_300, 300), (900, 0), (0, 0), (50_000, 49_000), (1_100, 100), (1_599, 599)] {
        counted.say(1, count).await;
        assert_eq!(counted.stands(id).await, ("in_processing".to_owned(), json!(grown)), "{count}");
    }
    assert_eq!(counted.shop.ours.balances(1).await.0, DEPOSIT - 6_000_000);
    counted.shop.assert_healthy().await;
}

async fn without_a_setting_the_counter_is_not_called(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    counted.shop.ours.settled(json!({ "integrations": { "counter_url": null } })).await;
    let id = counted.shop.order(1).await;
    counted.shop.settle().await;
    assert_eq!(counted.shop.taken(), [1], "it goes out at once");
    let mut finder = counter::Finder::default();
    assert_eq!((finder.find_next(&counted.shop.ours.app).await.unwrap(), counted.ask().await), (0, 0));
    counted.pass(300).await;
    let rows = "SELECT (SELECT count(*) FROM order_counters) + (SELECT count(*) FROM promotable_statistics) + (SELECT count(*) FROM call_paces)";
    assert_eq!((counted.shop.ours.number(Sql::new(rows)).await, counted.counter.calls().len()), (0, 0));
    assert_eq!(
        (counted.stands(id).await, counted.shown(id).await),
        (("completed".to_owned(), Value::Null), None)
    );
}

async fn a_failing_counter_blocks_no_order(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    counted.counter.behave(FakeBehavior::Down);
    counted.shop.order(1).await;
    counted.shop.settle().await;
    assert_eq!(counted.shop.taken(), [0]);
    counted.ask().await;
    counted.shop.settle().await;
    assert_eq!(counted.shop.taken(), [1], "as soon as it failed");
    // The counter is not polled at all; the order waits a minute at most.
    counted.shop.order(2).await;
    counted.shop.settle().await;
    counted.shop.pass(30).await;
    assert_eq!(counted.shop.taken(), [1]);
    counted.shop.pass(60).await;
    assert_eq!(counted.shop.taken(), [2]);
    counted.shop.assert_healthy().await;
}

async fn orders_of_one_address_do_not_count_the_same_growth(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted.shop;
    counted.counter.set_count(&link(1), 1_000);
    let first = shop.order(1).await;
    counted.work().await;
    counted.say(1, 1_200).await;
    let second = shop.ours.place(&NewOrder::plain(UserId::new(2), PLAIN, &link(1), 600)).await.id;
    counted.work().await;
    for count in [1_900, 5_000, 5_000, 4_000] {
        counted.say(1, count).await;
        let stand = [counted.stands(first).await, counted.stands(second).await];
        assert!(stand.iter().all(|(status, _)| status == "in_processing"), "{count}: {stand:?}");
        let (one, two) = (stand[0].1.as_i64().unwrap(), stand[1].1.as_i64().unwrap());
        assert!(one <= 200 && two == 0, "{count}: {stand:?}");
    }
    assert_eq!(shop.ours.order(second).await["counter"]["is_shared"], true);
    let done = shop.ours.post(&format!("/api/v1/admin/orders/{first}/complete"), &json!({})).await;
    assert_eq!(done.status, 200, "{}", done.text);
    // Growth up to the first poll without the other order is attributed to neither.
    counted.say(1, 6_000).await;
    assert_eq!(counted.stands(second).await, ("in_processing".to_owned(), json!(0)));
    counted.say(1, 6_600).await;
    counted.find_next().await;
    assert_eq!(counted.stands(second).await, ("completed".to_owned(), json!(600)));
    shop.assert_healthy().await;
}

/// The service has no counter, and its order ends before the next poll.
async fn growth_of_an_order_between_two_polls_counts_for_no_other_order(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted.shop;
    shop.ours
        .exec(Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (2, 11, 9)"))
        .await;
    shop.ours
        .exec(Sql::new("DELETE FROM service_providers WHERE service_id = 2 AND provider_id <> 11"))
        .await;
    shop.ours.exec(Sql::new("UPDATE services SET moderation_is_enabled = FALSE WHERE id = 2")).await;
    shop.behave(0, FakeBehavior::Down);
    counted.counter.set_count(&link(1), 1_000);
    let watched = shop.order(1).await;
    counted.work().await;
    shop.behave(0, FakeBehavior::Good);
    let other = shop.ours.place(&NewOrder::plain(UserId::new(2), ServiceId::new(2), &link(1), 600)).await.id;
    shop.settle().await;
    let done = shop.ours.post(&format!("/api/v1/admin/orders/{other}/complete"), &json!({})).await;
    assert_eq!(done.status, 200, "{}", done.text);
    counted.say(1, 1_700).await;
    counted.find_next().await;
    assert_eq!(counted.stands(watched).await, ("in_processing".to_owned(), json!(0)));
    shop.assert_healthy().await;
}

async fn counter_calls_share_a_rate_limit_across_processes(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let (shop, other) = (&counted.shop, counted.shop.ours.twin().await);
    for n in 1..=12 {
        shop.order(n).await;
    }
    shop.settle().await;
    // The default limit is five calls per second.
    let (here, there) = tokio::join!(counter::count_due(&shop.ours.app), counter::count_due(&other));
    assert_eq!(here.unwrap() + there.unwrap(), 5);
    assert_eq!((counted.ask().await, counter::count_due(&other).await.unwrap()), (0, 0));
    shop.ours.clock.advance_secs(1);
    assert_eq!((counter::count_due(&other).await.unwrap(), counted.ask().await), (5, 0));
    shop.ours.clock.advance_secs(1);
    assert_eq!(counted.ask().await, 2);
    shop.ours.clock.advance_secs(1);
    assert_eq!((counted.ask().await, counted.counter.calls().len()), (0, 12), "each once");
}

async fn orders_that_ran_before_are_found(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted.shop;
    shop.ours
        .exec(Sql::new(
            "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE",
        ))
        .await;
    let id = shop.order(1).await;
    counted.work().await;
    assert_eq!(counted.stands(id).await.1, Value::Null);
    shop.ours.exec(Sql::new("UPDATE services SET gather_statistic = TRUE WHERE id = ?").bind(PLAIN)).await;
    let mut finder = counter::Finder::default();
    assert_eq!(finder.find_next(&shop.ours.app).await.unwrap(), 1);
    counted.work().await;
    assert_eq!(counted.stands(id).await.1, json!(0));
    // A paused order is not polled; polling resumes with the order.
    let action = |name: &str| format!("/api/v1/admin/orders/{id}/{name}");
    assert_eq!(shop.ours.post(&action("pause"), &json!({})).await.status, 200);
    counted.find_next().await;
    let asked = counted.counter.calls().len();
    counted.find_next().await;
    assert_eq!(counted.counter.calls().len(), asked);
    assert_eq!(shop.ours.post(&action("activate"), &json!({})).await.status, 200);
    shop.ours.clock.advance_secs(61);
    assert_eq!(finder.find_next(&shop.ours.app).await.unwrap(), 1);
    assert_eq!(finder.find_next(&shop.ours.app).await.unwrap(), 0);
    counted.work().await;
    assert_eq!(counted.counter.calls().len(), asked + 1);
    shop.assert_healthy().await;
}

async fn tools_are_settings_with_a_place_for_the_address(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    let ours = &counted.shop.ours;
    let address = "https://tool.example/views";
    for (name, set) in [
        ("integrations.counter_url", json!({ "integrations": { "counter_url": address } })),
        ("content_feed_url", json!({ "content_feed_url": address })),
    ] {
        let answer = ours.set(set).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        let errors = &answer.json()["errors"];
        assert!(errors[name][0].as_str().unwrap().contains("{url}"), "{errors}");
    }
    let settings = ours.get("/api/v1/admin/settings").await;
    assert_eq!(settings.json()["data"]["integrations"]["counter_token"], json!({ "is_set": true }));
    assert!(!settings.text.contains(TOKEN));
    // With another token the counter refuses the calls.
    ours.settled(json!({ "integrations": { "counter_token": "wrong" } })).await;
    let id = counted.shop.order(1).await;
    counted.work().await;
    assert_eq!(ours.order(id).await["counter"]["last_error"], "The counter answered 401.");
}

async fn a_private_address_is_not_asked(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    let set =
        json!({ "integrations": { "counter_url": "http://10.0.0.1/?url={url}", "counter_token": TOKEN } });
    counted.shop.ours.settled(set).await;
    let id = counted.shop.order(1).await;
    counted.work().await;
    let words = counted.shop.ours.order(id).await["counter"]["last_error"].clone();
    assert!(words.as_str().unwrap().contains("may not be called"), "{words}");
    assert_eq!(counted.counter.calls().len(), 0);
}

/// A month of growth, polled at the usual interval.
async fn the_number_of_chart_points_is_bounded(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted.shop;
    counted.counter.set_count(&link(1), 0);
    shop.order(1).await;
    counted.work().await;
    let mut count = 0;
    for _ in 0..30 * 24 {
        shop.ours.clock.advance_secs(3_600);
        count += 1;
        counted.counter.set_count(&link(1), count % 500);
        counted.ask().await;
    }
    let points = shop.ours.number(Sql::new("SELECT count(*) FROM promotable_statistics")).await;
    assert!((50..400).contains(&points), "{points}");
    assert_eq!(dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap(), 0);
}

async fn losses_after_completion_are_refilled(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted.shop;
    let sql = "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE, has_refill = TRUE, auto_refill_is_allowed = TRUE,
      auto_refill_after_hours = 1, auto_refill_min_drop_ppm = 50000 WHERE id = ?";
    shop.ours.exec(Sql::new(sql).bind(PLAIN)).await;
    let id = shop.order(1).await;
    counted.pass(300).await;
    assert_eq!(shop.ours.order(id).await["status"], "completed");
    let mut finder = counter::Finder::default();
    assert_eq!(finder.find_next(&shop.ours.app).await.unwrap(), 1, "completed, and it refills by itself");
    counted.say(1, 5_000).await;
    shop.ours.clock.advance_secs(4_000);
    counted.say(1, 4_980).await;
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 0, "less than 5 percent");
    counted.say(1, 4_940).await;
    let order = shop.ours.order(id).await;
    assert_eq!(
        (&order["refill"]["first"]["quantity"], &order["refill"]["last"]["quantity"]),
        (&json!(5_000), &json!(4_940))
    );
    assert_eq!(dispatch::request_automatic_refills(&shop.ours.app).await.unwrap(), 1);
    let asked = Sql::new("SELECT max(quantity) FROM order_refill_requests WHERE order_id = ?").bind(id);
    assert_eq!(shop.ours.number(asked).await, 60);
    let open = Sql::new("SELECT count(*) FROM order_counters WHERE due_at IS NOT NULL");
    assert_eq!(shop.ours.number(open).await, 1);
    shop.ours.exec(Sql::new("UPDATE orders SET broken_pipes = TRUE")).await;
    counted.say(1, 10).await;
    let open = Sql::new("SELECT count(*) FROM order_counters WHERE due_at IS NOT NULL");
    assert_eq!(shop.ours.number(open).await, 0, "a counter that cannot be trusted is not asked");
    shop.assert_healthy().await;
}

async fn losses_are_measured_by_one_source_at_a_time(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Delivered]).await;
    let shop = &counted.shop;
    let sql = "UPDATE services SET gather_statistic = FALSE, real_counter_complete_is_enabled = FALSE, has_refill = TRUE, auto_refill_is_allowed = TRUE WHERE id = ?";
    shop.ours.exec(Sql::new(sql).bind(PLAIN)).await;
    let id = shop.order(1).await;
    counted.pass(300).await;
    counter::Finder::default().find_next(&shop.ours.app).await.unwrap();
    counted.say(1, 5_000).await;
    counted.say(1, 4_940).await;
    let refill = async || {
        let refill = shop.ours.order(id).await["refill"].clone();
        let numbers = [&refill["first"]["quantity"], &refill["last"]["quantity"], &refill["drop_quantity"]];
        (refill["source"].clone(), numbers.map(|number| number.as_i64().unwrap()))
    };
    assert_eq!(refill().await, (json!("counter"), [5_000, 4_940, 60]));
    let ask_panel = async || {
        let due = "UPDATE external_panel_orders SET due_at = 1 WHERE order_id = ?";
        shop.ours.exec(Sql::new(due).bind(id)).await;
        shop.settle().await;
    };
    for order in shop.theirs[0].world().orders.values_mut() {
        order.lose(90);
    }
    ask_panel().await;
    assert_eq!(refill().await, (json!("counter"), [5_000, 4_940, 60]), "the counter works");
    // The counter fails for this order, so the panel's counts are compared only with earlier counts of the panel.
    shop.ours
        .exec(Sql::new("UPDATE order_counters SET tries = 3, last_error = 'The counter answered 500.'"))
        .await;
    ask_panel().await;
    assert_eq!(refill().await, (json!("panel"), [START_COUNT + 600, START_COUNT + 510, 90]));
    counted.say(1, 4_900).await;
    assert_eq!(refill().await, (json!("counter"), [4_900, 4_900, 0]), "no loss across two sources");
    // Without a counter the panel's count applies at once, regardless of the counter's last counts.
    shop.ours.settled(json!({ "integrations": { "counter_url": null } })).await;
    ask_panel().await;
    assert_eq!(refill().await, (json!("panel"), [START_COUNT + 600, START_COUNT + 510, 90]));
    shop.assert_healthy().await;
}

async fn stream_statistics_of_the_counter_are_shown(dialect: Dialect) {
    let counted = Counted::on(dialect, &[OrderBehavior::Stuck]).await;
    let shop = &counted.shop;
    counted.counter.set_extra_fields(&json!({ "embed_url": "https://video.example/embed/1", "region_restriction": "US, CA", "viewers": 10 }));
    let id = shop.order(1).await;
    counted.work().await;
    shop.ours.clock.advance_secs(600);
    counted.counter.set_extra_fields(&json!({ "viewers": 30 }));
    counted.find_next().await;
    let shown = shop.ours.order(id).await["promotable"].clone();
    assert_eq!(
        (
            &shown["embed_url"],
            &shown["region_restriction"],
            &shown["first_statistic_viewers"],
            &shown["average_viewers"]
        ),
        (&json!("https://video.example/embed/1"), &json!("US, CA"), &json!(10), &json!(20))
    );
    // A poll without viewers is ignored, and an average that the counter reports is used for the stream.
    let average = async || shop.ours.order(id).await["promotable"]["average_viewers"].clone();
    for (more, wanted) in [(json!({}), 20), (json!({ "viewers": 30, "average_viewers": 41 }), 41)] {
        shop.ours.clock.advance_secs(600);
        counted.counter.set_extra_fields(&more);
        counted.say(1, START_COUNT + wanted).await;
        assert_eq!(average().await, wanted, "{more}");
    }
    let points = Sql::new("SELECT count(*) FROM promotable_statistics WHERE viewers NOT IN (10, 30)");
    assert_eq!(shop.ours.number(points).await, 0, "the order's counts are no viewers");
    let lasted =
        Sql::new("SELECT promotable_supported_until - promotable_supported_at FROM orders WHERE id = ?");
    assert!(shop.ours.number(lasted.bind(id)).await >= 600_000_000);
}
