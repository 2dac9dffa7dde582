//! Subscriptions detect new contents of their channels and place the orders in time: after a day of downtime, with parallel
//! workers, with failing feeds, without enough balance, and when the process dies in the middle.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::join_all;
use panel_contract::ids::{SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::subscriptions::BillingType;
use panel_demo::feed::{FakeFeeds, FeedBehavior};
use panel_platform::db::{Dialect, Sql};
use panel_platform::settings;
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use panel_server::operations::subscriptions::{content, poll_feeds};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};
use crate::shop::{self, ABANDONED, DEPOSIT, PLAIN};

both! {
    a_day_of_downtime_loses_nothing;
    parallel_workers_place_each_content_once;
    a_failing_feed_changes_only_its_next_poll;
    feed_polls_respect_retry_after;
    processes_share_the_polls_per_second;
    private_addresses_and_names_without_a_template_are_not_requested;
    contents_without_enough_balance_wait_and_are_paid_once;
    an_interrupted_process_places_once;
    the_content_limit_is_reached_within_a_feed;
    old_contents_are_ordered_once_and_earlier_ones_never;
    contents_without_dates_are_old_at_the_first_poll;
    a_delay_postpones_orders_and_an_expiry_ends_the_subscription;
    a_prepaid_subscription_pays_its_orders;
    quantities_are_random_within_bounds;
    staff_are_notified_once_of_a_day_without_a_feed;
}

const CHANNEL: &str = "https://video.example/@channel";
const MINUTE_MICROS: i64 = 60_000_000;
/// The most subscriptions that one customer may have in these tests.
pub(crate) const MAX_SUBSCRIPTIONS: u32 = 20;

/// A shop, and the fake feeds of its customers' channels.
pub(crate) struct ShopWithFeeds {
    pub(crate) panel: Panel,
    pub(crate) feeds: FakeFeeds,
}

impl ShopWithFeeds {
    pub(crate) async fn on(dialect: Dialect) -> Self {
        let panel = Panel::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.timeout_seconds = 2;
            config.subscriptions.max_per_customer = MAX_SUBSCRIPTIONS;
        })
        .await;
        shop::fill(&panel.app.db, 5, 0).await;
        // Some of these tests span days, so sessions must last longer.
        panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
        let feeds = FakeFeeds::start(Arc::new(panel.clock.clone()), None).await.unwrap();
        let shop = Self { panel, feeds };
        shop.set_feed_template(json!(shop.feeds.url_template)).await;
        shop
    }

    /// Sets the URL template for the feeds of channels that are given by name.
    pub(crate) async fn set_feed_template(&self, template: Value) {
        settings::put(&mut &self.panel.app.db, settings::CONTENT_FEED, &template, Time(NOW)).await.unwrap();
    }

    async fn subscribe(&self, new: &NewSubscription) -> SubscriptionId {
        let mut work = self.panel.begin_work().await;
        let id = start(&mut work, new).await.unwrap();
        work.finish(id).await.unwrap()
    }

    /// Adds content `n` to the feed of the channel, published `minutes` after the test began.
    pub(crate) fn publish(&self, n: i64, minutes: i64) {
        self.feeds.publish(
            CHANNEL,
            &format!("https://video.example/watch/{n}"),
            Time(NOW + minutes * MINUTE_MICROS),
        );
    }

    pub(crate) fn advance_minutes(&self, minutes: i64) {
        self.panel.clock.advance_secs(minutes * 60);
    }

    /// Polls feeds and places orders until no work is due.
    pub(crate) async fn run_until_idle(&self) {
        let app = &self.panel.app;
        for _ in 0..50 {
            if poll_feeds::poll_due(app).await.unwrap() + content::place_due(app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("work is still due after 50 rounds");
    }

    pub(crate) async fn subscription(&self, id: impl std::fmt::Display) -> Value {
        let answer = self.panel.get(&format!("/api/v1/admin/subscriptions/{id}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }

    /// Last segment of the URL, status and number of orders of each content, oldest first.
    async fn contents(&self, id: SubscriptionId) -> Vec<(String, String, i64)> {
        let subscription = self.subscription(id).await;
        let summary = |content: &Value| {
            let name = content["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (name, content["status"].as_str().unwrap().to_owned(), content["orders_count"].as_i64().unwrap())
        };
        subscription["subscription_contents"].as_array().unwrap().iter().rev().map(summary).collect()
    }

    /// The last segments of the URLs of the subscription's orders, oldest first.
    pub(crate) async fn ordered_contents(&self, id: impl std::fmt::Display) -> Vec<String> {
        let rows =
            self.panel.get(&format!("/api/v1/admin/orders?subscription_id={id}&length=100")).await.json();
        let last_segment = |row: &Value| row["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        rows["data"].as_array().unwrap().iter().rev().map(last_segment).collect()
    }
}

/// A subscription with an order of 1,000 units for 10 for each content, charged when the order is placed.
fn per_content() -> NewSubscription {
    NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: CHANNEL.into(),
        kind: "youtube".into(),
        billing_type: BillingType::PerContent,
        contents_limit: 10,
        old_contents: 0,
        delay_minutes: 0,
        services: vec![ServiceQuantity::fixed(PLAIN, 1_000)],
        expired_at: None,
        period_days: None,
    }
}

fn all_placed(names: &[&str]) -> Vec<(String, String, i64)> {
    names.iter().map(|name| ((*name).to_owned(), "placed".to_owned(), 1)).collect()
}

async fn a_day_of_downtime_loses_nothing(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    shop.publish(1, -60);
    let id = shop.subscribe(&per_content()).await;
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, [], "contents from before the subscription are not ordered");
    for n in 2..7 {
        shop.publish(n, n * 200);
    }
    shop.advance_minutes(24 * 60);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["2", "3", "4", "5", "6"]));
    shop.advance_minutes(24 * 60);
    shop.run_until_idle().await;
    assert_eq!(
        shop.ordered_contents(id).await,
        ["2", "3", "4", "5", "6"],
        "one order for each content, oldest first"
    );
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 50_000_000);
    let subscription = shop.subscription(id).await;
    assert_eq!((&subscription["last_error"], &subscription["wait_reason"]), (&Value::Null, &Value::Null));
    assert!(
        subscription["last_polled_at"].is_string() && subscription["next_poll_at"].is_string(),
        "{subscription}"
    );
    shop.panel.assert_healthy().await;
}

/// Four parallel workers and three subscriptions of one customer whose contents are all due at once.
async fn parallel_workers_place_each_content_once(dialect: Dialect) {
    let shop = Arc::new(ShopWithFeeds::on(dialect).await);
    let services = vec![ServiceQuantity::fixed(PLAIN, 1_000), ServiceQuantity::fixed(ABANDONED, 500)];
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(shop.subscribe(&NewSubscription { services: services.clone(), ..per_content() }).await);
    }
    for n in 1..6 {
        shop.publish(n, n);
    }
    shop.advance_minutes(10);
    let workers = (0..4).map(|_| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move {
            let app = &shop.panel.app;
            for _ in 0..4 {
                poll_feeds::poll_due(app).await.unwrap();
                content::place_due(app).await.unwrap();
            }
        })
    });
    join_all(workers.collect::<Vec<_>>()).await.into_iter().for_each(|ended| ended.unwrap());
    // A content whose transaction the database aborted is placed by a later run.
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    for id in ids {
        let (contents, subscription) = (shop.contents(id).await, shop.subscription(id).await);
        assert!(
            contents.len() == 5 && contents.iter().all(|content| content.1 == "placed" && content.2 == 2),
            "{contents:?}"
        );
        assert_eq!(
            (&subscription["orders_count"], &subscription["subscription_contents_count"]),
            (&json!(10), &json!(5))
        );
    }
    assert_eq!(shop.feeds.call_count(), 2, "three subscriptions to one channel share a call");
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 15 * 15_000_000);
    shop.panel.assert_healthy().await;
}

async fn a_failing_feed_changes_only_its_next_poll(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let id = shop.subscribe(&per_content()).await;
    shop.publish(1, 1);
    shop.publish(2, 2);
    let mut last_poll_at = shop.subscription(id).await["next_poll_at"].as_str().unwrap().to_owned();
    for (behavior, message) in [
        (FeedBehavior::HtmlPage, "not a feed"),
        (FeedBehavior::Truncated, "in the middle"),
        (FeedBehavior::ServerError, "answered 500"),
        (FeedBehavior::Redirect, "answered 302"),
    ] {
        shop.advance_minutes(61);
        shop.feeds.set_behavior(behavior);
        shop.run_until_idle().await;
        let subscription = shop.subscription(id).await;
        assert!(
            subscription["last_error"].as_str().unwrap().contains(message),
            "{behavior:?}: {subscription}"
        );
        assert_eq!(
            (&subscription["subscription_contents"], &subscription["last_polled_at"]),
            (&json!([]), &Value::Null)
        );
        let next_poll_at = subscription["next_poll_at"].as_str().unwrap().to_owned();
        assert!(next_poll_at > last_poll_at, "{behavior:?}: the next poll is later");
        last_poll_at = next_poll_at;
    }
    let calls_before = shop.feeds.call_count();
    shop.run_until_idle().await;
    assert_eq!(shop.feeds.call_count(), calls_before, "no poll before next_poll_at");
    shop.advance_minutes(61);
    shop.feeds.set_behavior(FeedBehavior::Json);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["1", "2"]));
    assert_eq!(shop.subscription(id).await["last_error"], Value::Null);
    shop.panel.assert_healthy().await;
}

async fn feed_polls_respect_retry_after(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    shop.feeds.set_behavior(FeedBehavior::RateLimited);
    let id = shop.subscribe(&per_content()).await;
    shop.run_until_idle().await;
    assert!(shop.subscription(id).await["last_error"].as_str().unwrap().contains("answered 429"));
    shop.feeds.set_behavior(FeedBehavior::Rss);
    shop.advance_minutes(119);
    shop.run_until_idle().await;
    assert_eq!(shop.feeds.call_count(), 1);
    shop.advance_minutes(15);
    shop.run_until_idle().await;
    assert_eq!(shop.feeds.call_count(), 2);
    shop.panel.assert_healthy().await;
}

async fn processes_share_the_polls_per_second(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    for _ in 0..7 {
        shop.subscribe(&per_content()).await;
    }
    shop.panel.app.processes.set_count(4);
    let polled = [poll_feeds::poll_due(&shop.panel.app).await, poll_feeds::poll_due(&shop.panel.app).await];
    assert_eq!(
        polled.map(Result::unwrap),
        [5, 2],
        "one of four processes polls 5 of 20 per second, then the other 2"
    );
}

async fn private_addresses_and_names_without_a_template_are_not_requested(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let by_name = shop.subscribe(&NewSubscription { url: "@channel".into(), ..per_content() }).await;
    shop.set_feed_template(Value::Null).await;
    let private = shop
        .subscribe(&NewSubscription { url: "http://10.0.0.1/feed?token=secret".into(), ..per_content() })
        .await;
    let mut work = shop.panel.begin_work().await;
    let refused =
        start(&mut work, &NewSubscription { url: "@other".into(), ..per_content() }).await.unwrap_err();
    assert!(refused.report("x").errors.0.contains_key("url"));
    drop(work);
    shop.run_until_idle().await;
    let error = async |id| shop.subscription(id).await["last_error"].as_str().unwrap().to_owned();
    assert!(error(private).await.contains("10.0.0.1 is a private address"));
    assert!(!error(private).await.contains("secret"), "a URL may contain a key");
    assert!(error(by_name).await.contains("content_feed_url"));
    assert_eq!(shop.feeds.call_count(), 0);
    shop.panel.assert_healthy().await;
}

async fn contents_without_enough_balance_wait_and_are_paid_once(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET max_quantity = 10000000")).await;
    let services = vec![ServiceQuantity::fixed(PLAIN, 10_000_000)];
    // The balance of the customer pays the order of one content, which costs 100,000.
    let id = shop.subscribe(&NewSubscription { services, contents_limit: 3, ..per_content() }).await;
    shop.publish(1, 1);
    shop.publish(2, 2);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    assert_eq!(panel.main_balance(1).await, 0);
    let expected = [("1".to_owned(), "placed".to_owned(), 1), ("2".to_owned(), "found".to_owned(), 0)];
    assert_eq!(shop.contents(id).await, expected);
    let subscription = shop.subscription(id).await;
    assert!(subscription["wait_reason"].as_str().unwrap().contains("balance"), "{subscription}");
    assert_eq!(subscription["subscription_contents"][0]["last_error"], subscription["wait_reason"]);
    for _ in 0..5 {
        shop.advance_minutes(61);
        shop.run_until_idle().await;
    }
    assert_eq!(shop.contents(id).await, expected, "each retry fails without leaving a record");
    let unpaid = Sql::new("SELECT count(*) FROM orders WHERE status = 'unpaid'");
    assert_eq!(panel.number(unpaid).await, 0);
    let credit = json!({ "user_id": 1, "transaction_type": "income", "amount": "100000", "balance_type": "main", "comment": "more" });
    let answer = panel.send("owner", "POST", "/api/v1/admin/payments", &credit, Some("more")).await;
    assert!(answer.status.is_success(), "{}", answer.text);
    shop.advance_minutes(61);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["1", "2"]));
    assert_eq!((panel.main_balance(1).await, &shop.subscription(id).await["wait_reason"]), (0, &Value::Null));
    panel.assert_healthy().await;
}

/// Polls a future `polls` times and drops it, as when the process dies.
async fn run_and_drop<W: Future>(polls: usize, work: W) {
    let mut work = pin!(work);
    for _ in 0..polls {
        let is_done = std::future::poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx).is_ready())).await;
        if is_done {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn an_interrupted_process_places_once(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let id = shop.subscribe(&per_content()).await;
    for n in 1..4 {
        shop.publish(n, n);
    }
    for polls in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
        shop.advance_minutes(10);
        run_and_drop(polls, poll_feeds::poll_due(&shop.panel.app)).await;
        run_and_drop(polls, content::place_due(&shop.panel.app)).await;
    }
    for _ in 0..3 {
        shop.advance_minutes(61);
        shop.run_until_idle().await;
    }
    assert_eq!(shop.contents(id).await, all_placed(&["1", "2", "3"]));
    assert_eq!(shop.ordered_contents(id).await.len(), 3);
    assert_eq!(shop.panel.main_balance(1).await, DEPOSIT - 30_000_000);
    shop.panel.assert_healthy().await;
}

async fn the_content_limit_is_reached_within_a_feed(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let id = shop.subscribe(&NewSubscription { contents_limit: 3, ..per_content() }).await;
    for n in 1..6 {
        shop.publish(n, n);
    }
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["1", "2", "3"]));
    let subscription = shop.subscription(id).await;
    assert_eq!((&subscription["status"], &subscription["next_poll_at"]), (&json!("completed"), &Value::Null));
    let calls_before = shop.feeds.call_count();
    shop.advance_minutes(24 * 60);
    shop.run_until_idle().await;
    assert_eq!(
        (shop.ordered_contents(id).await.len(), shop.feeds.call_count()),
        (3, calls_before),
        "the feed is no longer polled"
    );
    shop.panel.assert_healthy().await;
}

async fn old_contents_are_ordered_once_and_earlier_ones_never(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    for n in 1..4 {
        shop.publish(n, n - 60);
    }
    let old_two = NewSubscription { old_contents: 2, contents_limit: 4, delay_minutes: 30, ..per_content() };
    let id = shop.subscribe(&old_two).await;
    let five_old_id = shop
        .subscribe(&NewSubscription {
            old_contents: 5,
            contents_limit: 6,
            user_id: UserId::new(2),
            ..per_content()
        })
        .await;
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["2", "3"]), "old contents have no delay");
    assert_eq!(shop.contents(five_old_id).await, all_placed(&["1", "2", "3"]));
    assert_eq!(
        shop.subscription(five_old_id).await["contents_limit"],
        4,
        "five old and one new were requested; with three old ones the limit is four"
    );
    shop.publish(4, 1);
    shop.publish(5, 2);
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["2", "3", "4", "5"]));
    assert_eq!(shop.contents(five_old_id).await, all_placed(&["1", "2", "3", "4"]));
    assert_eq!(shop.subscription(five_old_id).await["status"], "completed");
    shop.panel.assert_healthy().await;
}

async fn contents_without_dates_are_old_at_the_first_poll(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    shop.feeds.set_behavior(FeedBehavior::AtomUpdatedOnly);
    shop.publish(1, 0);
    let id = shop.subscribe(&per_content()).await;
    shop.run_until_idle().await;
    shop.publish(2, 0);
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    let skipped = ("1".to_owned(), "skipped".to_owned(), 0);
    assert_eq!(shop.contents(id).await, [vec![skipped], all_placed(&["2"])].concat());
    shop.panel.assert_healthy().await;
}

async fn a_delay_postpones_orders_and_an_expiry_ends_the_subscription(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let expired_at = Some(Time(NOW + 120 * MINUTE_MICROS));
    let id = shop.subscribe(&NewSubscription { delay_minutes: 30, expired_at, ..per_content() }).await;
    shop.publish(1, 1);
    shop.advance_minutes(2);
    shop.run_until_idle().await;
    shop.advance_minutes(29);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, [("1".to_owned(), "found".to_owned(), 0)]);
    shop.advance_minutes(1);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["1"]));
    shop.publish(2, 100);
    shop.advance_minutes(80);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await[1].1, "found");
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    assert_eq!(content::end_expired(&shop.panel.app).await.unwrap(), 1);
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    assert_eq!(
        shop.contents(id).await[1],
        ("2".to_owned(), "skipped".to_owned(), 0),
        "the subscription had expired"
    );
    assert_eq!(shop.subscription(id).await["status"], "completed");
    shop.panel.assert_healthy().await;
}

async fn a_prepaid_subscription_pays_its_orders(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let panel = &shop.panel;
    let prepaid = NewSubscription { billing_type: BillingType::Prepaid, contents_limit: 3, ..per_content() };
    let id = shop.subscribe(&prepaid).await;
    assert_eq!(panel.main_balance(1).await, DEPOSIT - 30_000_000);
    shop.publish(1, 1);
    shop.publish(2, 2);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    assert_eq!(shop.contents(id).await, all_placed(&["1", "2"]));
    let prepaid_orders = "SELECT count(*) FROM order_price_modifications m JOIN orders o ON o.id = m.order_id WHERE m.type = 'prepaid' AND m.cost_after = o.cost";
    assert_eq!(
        panel.number(Sql::new(prepaid_orders)).await,
        2,
        "each order has a price modification for the prepayment"
    );
    let mut work = panel.begin_work().await;
    let new_orders = content::place_by_url(&mut work, id, "https://video.example/watch/2").await.unwrap();
    work.finish(()).await.unwrap();
    assert!(new_orders.is_empty(), "a known content gets no second order");
    let canceled = panel.post(&format!("/api/v1/admin/subscriptions/{id}/cancel"), &json!({})).await.json();
    assert_eq!(canceled["data"]["returned"], "10");
    assert_eq!(panel.main_balance(1).await, DEPOSIT - 20_000_000);
    let range = vec![ServiceQuantity { service_id: PLAIN, min: 100, max: 200 }];
    let mut work = panel.begin_work().await;
    let refused = start(&mut work, &NewSubscription { services: range, ..prepaid }).await.unwrap_err();
    assert!(refused.report("x").errors.0.contains_key("subscription_services"));
    drop(work);
    panel.assert_healthy().await;
}

async fn quantities_are_random_within_bounds(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    let panel = &shop.panel;
    panel
        .execute(
            Sql::new("UPDATE services SET min_quantity = 100, quantity_step = 50 WHERE id = ?").bind(PLAIN),
        )
        .await;
    let services = vec![ServiceQuantity { service_id: PLAIN, min: 120, max: 1_000 }];
    let id = shop.subscribe(&NewSubscription { services, ..per_content() }).await;
    for n in 1..9 {
        shop.publish(n, n);
    }
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    let rows = panel.get(&format!("/api/v1/admin/orders?subscription_id={id}&length=100")).await.json();
    let quantities: Vec<i64> =
        rows["data"].as_array().unwrap().iter().map(|row| row["quantity"].as_i64().unwrap()).collect();
    assert_eq!(quantities.len(), 8);
    assert!(
        quantities.iter().all(|quantity| (150..=1_000).contains(quantity) && quantity % 50 == 0),
        "{quantities:?}"
    );
    assert!(quantities.iter().any(|quantity| *quantity != quantities[0]), "{quantities:?}");
    let subscription = shop.subscription(id).await;
    let service = &subscription["subscription_services"][0];
    assert_eq!((&service["quantity"], &service["max_quantity"]), (&json!(120), &json!(1_000)));
    panel.assert_healthy().await;
}

async fn staff_are_notified_once_of_a_day_without_a_feed(dialect: Dialect) {
    let shop = ShopWithFeeds::on(dialect).await;
    shop.feeds.set_behavior(FeedBehavior::ServerError);
    let id = shop.subscribe(&per_content()).await;
    let failures = Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.feed_failing'");
    for _ in 0..23 {
        shop.run_until_idle().await;
        shop.advance_minutes(62);
    }
    assert_eq!(shop.panel.number(failures.clone()).await, 0, "the feed has failed for less than a day");
    for _ in 0..23 {
        shop.run_until_idle().await;
        shop.advance_minutes(62);
    }
    assert_eq!(shop.panel.number(failures.clone()).await, 1);
    shop.feeds.set_behavior(FeedBehavior::Rss);
    shop.run_until_idle().await;
    assert_eq!(shop.subscription(id).await["last_error"], Value::Null);
    shop.feeds.set_behavior(FeedBehavior::ServerError);
    for _ in 0..30 {
        shop.advance_minutes(61);
        shop.run_until_idle().await;
    }
    assert_eq!(shop.panel.number(failures).await, 2, "staff are notified again only after a successful poll");
    shop.panel.assert_healthy().await;
}
