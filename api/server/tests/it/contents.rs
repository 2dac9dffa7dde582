//! Tests subscriptions, which detect new contents of their channels and place an order for each: after a day of downtime, with
//! parallel workers, with failing feeds, without enough balance, and after a crash of the process.

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
use crate::shop::{self, CUSTOMER_DEPOSIT, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER};

test_both_databases! {
    a_day_of_downtime_loses_no_content;
    parallel_workers_place_each_content_once;
    a_failing_feed_changes_only_its_next_poll;
    feed_polls_respect_retry_after;
    processes_share_the_rate_limit_of_polls;
    private_addresses_and_names_without_a_template_are_not_requested;
    contents_without_enough_balance_wait_and_are_paid_once;
    an_interrupted_process_places_each_order_once;
    one_feed_can_reach_the_content_limit;
    the_requested_number_of_old_contents_is_ordered_once;
    contents_without_dates_are_old_at_the_first_poll;
    orders_wait_for_the_delay_and_an_expiry_ends_the_subscription;
    a_prepaid_subscription_pays_its_orders;
    quantities_are_random_within_bounds;
    staff_are_notified_once_if_a_feed_fails_for_a_day;
}

const CHANNEL_URL: &str = "https://video.example/@channel";
const MINUTE_MICROS: i64 = 60_000_000;
/// Maximum number of subscriptions of one customer in these tests.
pub(crate) const MAX_SUBSCRIPTIONS: u32 = 20;

/// A shop, and the fake feeds of its customers' channels.
pub(crate) struct ShopWithFeeds {
    pub(crate) panel: Panel,
    pub(crate) feeds: FakeFeeds,
}

impl ShopWithFeeds {
    pub(crate) async fn start(dialect: Dialect) -> Self {
        let panel = Panel::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.timeout_seconds = 2;
            config.subscriptions.max_per_customer = MAX_SUBSCRIPTIONS;
        })
        .await;
        shop::insert_shop_records(&panel.app.db, 5, 0).await;
        // Some of these tests span days, so sessions must last longer.
        panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
        let feeds = FakeFeeds::start(Arc::new(panel.clock.clone()), None).await.unwrap();
        let shop = Self { panel, feeds };
        shop.set_feed_template(json!(shop.feeds.url_template)).await;
        shop
    }

    /// Sets the template from which the server builds the feed URL of a channel that the customer entered by name.
    pub(crate) async fn set_feed_template(&self, template: Value) {
        settings::put(&mut &self.panel.app.db, settings::CONTENT_FEED, &template, Time(NOW)).await.unwrap();
    }

    async fn subscribe(&self, new_subscription: &NewSubscription) -> SubscriptionId {
        let mut work = self.panel.begin_work().await;
        let id = start(&mut work, new_subscription).await.unwrap();
        work.finish(id).await.unwrap()
    }

    /// Adds content `number` to the feed of the channel, published `minutes` after the start of the test.
    pub(crate) fn publish_content(&self, number: i64, minutes: i64) {
        self.feeds.publish(
            CHANNEL_URL,
            &format!("https://video.example/watch/{number}"),
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
            if poll_feeds::poll_due(app).await.unwrap() + content::place_due_contents(app).await.unwrap() == 0
            {
                return;
            }
        }
        panic!("work is still due after 50 iterations");
    }

    pub(crate) async fn fetch_subscription(&self, id: impl std::fmt::Display) -> Value {
        let response = self.panel.get(&format!("/api/v1/admin/subscriptions/{id}")).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }

    /// The contents of a subscription, oldest first.
    async fn fetch_contents(&self, id: SubscriptionId) -> Vec<Content> {
        let subscription = self.fetch_subscription(id).await;
        let summary = |content: &Value| {
            let name = content["url"].as_str().unwrap().rsplit('/').next().unwrap();
            new_content(name, content["status"].as_str().unwrap(), content["orders_count"].as_i64().unwrap())
        };
        subscription["subscription_contents"].as_array().unwrap().iter().rev().map(summary).collect()
    }

    /// The last segments of the URLs of the subscription's orders, oldest first.
    pub(crate) async fn fetch_ordered_names(&self, id: impl std::fmt::Display) -> Vec<String> {
        let rows =
            self.panel.get(&format!("/api/v1/admin/orders?subscription_id={id}&length=100")).await.json();
        let last_segment = |row: &Value| row["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        rows["data"].as_array().unwrap().iter().rev().map(last_segment).collect()
    }
}

/// A subscription that places an order of 1,000 units for each content and charges 10 when it places the order.
fn new_per_content_subscription() -> NewSubscription {
    NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: CHANNEL_URL.into(),
        kind: "youtube".into(),
        billing_type: BillingType::PerContent,
        contents_limit: 10,
        old_contents: 0,
        delay_minutes: 0,
        services: vec![ServiceQuantity::fixed(PLAIN_SERVICE, 1_000)],
        expired_at: None,
        period_days: None,
    }
}

/// A content in a response of the admin API.
#[derive(Clone, Debug, PartialEq)]
struct Content {
    /// The last segment of the content's URL.
    name: String,
    status: String,
    orders_count: i64,
}

fn new_content(name: &str, status: &str, orders_count: i64) -> Content {
    Content { name: name.to_owned(), status: status.to_owned(), orders_count }
}

/// The expected contents if the server placed one order for each.
fn placed_contents(names: &[&str]) -> Vec<Content> {
    names.iter().map(|name| new_content(name, "placed", 1)).collect()
}

async fn a_day_of_downtime_loses_no_content(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    shop.publish_content(1, -60);
    let id = shop.subscribe(&new_per_content_subscription()).await;
    shop.run_until_idle().await;
    assert_eq!(
        shop.fetch_contents(id).await,
        Vec::new(),
        "contents older than the subscription must not be ordered"
    );
    for n in 2..7 {
        shop.publish_content(n, n * 200);
    }
    shop.advance_minutes(24 * 60);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["2", "3", "4", "5", "6"]));
    shop.advance_minutes(24 * 60);
    shop.run_until_idle().await;
    assert_eq!(
        shop.fetch_ordered_names(id).await,
        ["2", "3", "4", "5", "6"],
        "each content must have one order, oldest first"
    );
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 50_000_000);
    let subscription = shop.fetch_subscription(id).await;
    assert_eq!((&subscription["last_error"], &subscription["wait_reason"]), (&Value::Null, &Value::Null));
    assert!(
        subscription["last_polled_at"].is_string() && subscription["next_poll_at"].is_string(),
        "{subscription}"
    );
    shop.panel.assert_healthy().await;
}

/// Four parallel workers and three subscriptions of one customer whose contents are all due at once.
async fn parallel_workers_place_each_content_once(dialect: Dialect) {
    let shop = Arc::new(ShopWithFeeds::start(dialect).await);
    let services = vec![
        ServiceQuantity::fixed(PLAIN_SERVICE, 1_000),
        ServiceQuantity::fixed(SERVICE_WITHOUT_PROVIDER, 500),
    ];
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(
            shop.subscribe(&NewSubscription { services: services.clone(), ..new_per_content_subscription() })
                .await,
        );
    }
    for n in 1..6 {
        shop.publish_content(n, n);
    }
    shop.advance_minutes(10);
    let worker_tasks = (0..4).map(|_| {
        let shop = Arc::clone(&shop);
        tokio::spawn(async move {
            let app = &shop.panel.app;
            for _ in 0..4 {
                poll_feeds::poll_due(app).await.unwrap();
                content::place_due_contents(app).await.unwrap();
            }
        })
    });
    join_all(worker_tasks.collect::<Vec<_>>()).await.into_iter().for_each(|task_result| task_result.unwrap());
    // If the database aborted a transaction, a later run places the order.
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    for id in ids {
        let (contents, subscription) = (shop.fetch_contents(id).await, shop.fetch_subscription(id).await);
        assert!(
            contents.len() == 5
                && contents.iter().all(|content| content.status == "placed" && content.orders_count == 2),
            "{contents:?}"
        );
        assert_eq!(
            (&subscription["orders_count"], &subscription["subscription_contents_count"]),
            (&json!(10), &json!(5))
        );
    }
    assert_eq!(shop.feeds.request_count(), 2, "three subscriptions to one channel must share a poll");
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 15 * 15_000_000);
    shop.panel.assert_healthy().await;
}

async fn a_failing_feed_changes_only_its_next_poll(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let id = shop.subscribe(&new_per_content_subscription()).await;
    shop.publish_content(1, 1);
    shop.publish_content(2, 2);
    let mut last_poll_at = shop.fetch_subscription(id).await["next_poll_at"].as_str().unwrap().to_owned();
    for (behavior, message) in [
        (FeedBehavior::HtmlPage, "not a feed"),
        (FeedBehavior::Truncated, "in the middle"),
        (FeedBehavior::ServerError, "the status 500"),
        (FeedBehavior::Redirect, "the status 302"),
    ] {
        shop.advance_minutes(61);
        shop.feeds.set_behavior(behavior);
        shop.run_until_idle().await;
        let subscription = shop.fetch_subscription(id).await;
        assert!(
            subscription["last_error"].as_str().unwrap().contains(message),
            "{behavior:?}: {subscription}"
        );
        assert_eq!(
            (&subscription["subscription_contents"], &subscription["last_polled_at"]),
            (&json!([]), &Value::Null)
        );
        let next_poll_at = subscription["next_poll_at"].as_str().unwrap().to_owned();
        assert!(next_poll_at > last_poll_at, "{behavior:?}: the next poll must be later");
        last_poll_at = next_poll_at;
    }
    let request_count_before = shop.feeds.request_count();
    shop.run_until_idle().await;
    assert_eq!(shop.feeds.request_count(), request_count_before, "the feed was polled before next_poll_at");
    shop.advance_minutes(61);
    shop.feeds.set_behavior(FeedBehavior::Json);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["1", "2"]));
    assert_eq!(shop.fetch_subscription(id).await["last_error"], Value::Null);
    shop.panel.assert_healthy().await;
}

async fn feed_polls_respect_retry_after(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    shop.feeds.set_behavior(FeedBehavior::RateLimited);
    let id = shop.subscribe(&new_per_content_subscription()).await;
    shop.run_until_idle().await;
    assert!(shop.fetch_subscription(id).await["last_error"].as_str().unwrap().contains("the status 429"));
    shop.feeds.set_behavior(FeedBehavior::Rss);
    shop.advance_minutes(119);
    shop.run_until_idle().await;
    assert_eq!(shop.feeds.request_count(), 1);
    shop.advance_minutes(15);
    shop.run_until_idle().await;
    assert_eq!(shop.feeds.request_count(), 2);
    shop.panel.assert_healthy().await;
}

async fn processes_share_the_rate_limit_of_polls(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    for _ in 0..7 {
        shop.subscribe(&new_per_content_subscription()).await;
    }
    shop.panel.app.processes.set_count(4);
    let poll_results =
        [poll_feeds::poll_due(&shop.panel.app).await, poll_feeds::poll_due(&shop.panel.app).await];
    assert_eq!(
        poll_results.map(Result::unwrap),
        [5, 2],
        "one of four processes has a quarter of the 20 polls per second: 5, then the other 2"
    );
}

async fn private_addresses_and_names_without_a_template_are_not_requested(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let by_name_id =
        shop.subscribe(&NewSubscription { url: "@channel".into(), ..new_per_content_subscription() }).await;
    shop.set_feed_template(Value::Null).await;
    let private_id = shop
        .subscribe(&NewSubscription {
            url: "http://10.0.0.1/feed?token=secret".into(),
            ..new_per_content_subscription()
        })
        .await;
    let mut work = shop.panel.begin_work().await;
    let error = start(&mut work, &NewSubscription { url: "@other".into(), ..new_per_content_subscription() })
        .await
        .unwrap_err();
    assert!(error.report("x").errors.0.contains_key("url"));
    drop(work);
    shop.run_until_idle().await;
    let fetch_last_error =
        async |id| shop.fetch_subscription(id).await["last_error"].as_str().unwrap().to_owned();
    assert!(fetch_last_error(private_id).await.contains("10.0.0.1 is a private address"));
    assert!(
        !fetch_last_error(private_id).await.contains("secret"),
        "the error must not contain the token in the URL"
    );
    assert!(fetch_last_error(by_name_id).await.contains("content_feed_url"));
    assert_eq!(shop.feeds.request_count(), 0);
    shop.panel.assert_healthy().await;
}

async fn contents_without_enough_balance_wait_and_are_paid_once(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let panel = &shop.panel;
    panel.execute(Sql::new("UPDATE services SET max_quantity = 10000000")).await;
    let services = vec![ServiceQuantity::fixed(PLAIN_SERVICE, 10_000_000)];
    // The balance of the customer suffices for one order, which costs 100,000.
    let id = shop
        .subscribe(&NewSubscription { services, contents_limit: 3, ..new_per_content_subscription() })
        .await;
    shop.publish_content(1, 1);
    shop.publish_content(2, 2);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    assert_eq!(panel.fetch_main_balance(1).await, 0);
    let expected_contents = [new_content("1", "placed", 1), new_content("2", "found", 0)];
    assert_eq!(shop.fetch_contents(id).await, expected_contents);
    let subscription = shop.fetch_subscription(id).await;
    assert!(subscription["wait_reason"].as_str().unwrap().contains("balance"), "{subscription}");
    assert_eq!(subscription["subscription_contents"][0]["last_error"], subscription["wait_reason"]);
    for _ in 0..5 {
        shop.advance_minutes(61);
        shop.run_until_idle().await;
    }
    assert_eq!(shop.fetch_contents(id).await, expected_contents, "a failed retry must not leave a record");
    let count_unpaid_orders_sql = Sql::new("SELECT count(*) FROM orders WHERE status = 'unpaid'");
    assert_eq!(panel.fetch_number(count_unpaid_orders_sql).await, 0);
    let credit_body = json!({ "user_id": 1, "transaction_type": "income", "amount": "100000", "balance_type": "main", "comment": "more" });
    let response = panel.send("owner", "POST", "/api/v1/admin/payments", &credit_body, Some("more")).await;
    assert!(response.status.is_success(), "{}", response.text);
    shop.advance_minutes(61);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["1", "2"]));
    assert_eq!(
        (panel.fetch_main_balance(1).await, &shop.fetch_subscription(id).await["wait_reason"]),
        (0, &Value::Null)
    );
    panel.assert_healthy().await;
}

/// Polls a future `poll_count` times and drops it, as if the process crashed.
async fn poll_and_drop<W: Future>(poll_count: usize, work: W) {
    let mut work = pin!(work);
    for _ in 0..poll_count {
        let is_done = std::future::poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx).is_ready())).await;
        if is_done {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn an_interrupted_process_places_each_order_once(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let id = shop.subscribe(&new_per_content_subscription()).await;
    for n in 1..4 {
        shop.publish_content(n, n);
    }
    for poll_count in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
        shop.advance_minutes(10);
        poll_and_drop(poll_count, poll_feeds::poll_due(&shop.panel.app)).await;
        poll_and_drop(poll_count, content::place_due_contents(&shop.panel.app)).await;
    }
    for _ in 0..3 {
        shop.advance_minutes(61);
        shop.run_until_idle().await;
    }
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["1", "2", "3"]));
    assert_eq!(shop.fetch_ordered_names(id).await.len(), 3);
    assert_eq!(shop.panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 30_000_000);
    shop.panel.assert_healthy().await;
}

async fn one_feed_can_reach_the_content_limit(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let id = shop.subscribe(&NewSubscription { contents_limit: 3, ..new_per_content_subscription() }).await;
    for n in 1..6 {
        shop.publish_content(n, n);
    }
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["1", "2", "3"]));
    let subscription = shop.fetch_subscription(id).await;
    assert_eq!((&subscription["status"], &subscription["next_poll_at"]), (&json!("completed"), &Value::Null));
    let request_count_before = shop.feeds.request_count();
    shop.advance_minutes(24 * 60);
    shop.run_until_idle().await;
    assert_eq!(
        (shop.fetch_ordered_names(id).await.len(), shop.feeds.request_count()),
        (3, request_count_before),
        "the feed of a completed subscription must not be polled"
    );
    shop.panel.assert_healthy().await;
}

async fn the_requested_number_of_old_contents_is_ordered_once(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    for n in 1..4 {
        shop.publish_content(n, n - 60);
    }
    let two_old = NewSubscription {
        old_contents: 2,
        contents_limit: 4,
        delay_minutes: 30,
        ..new_per_content_subscription()
    };
    let id = shop.subscribe(&two_old).await;
    let five_old_id = shop
        .subscribe(&NewSubscription {
            old_contents: 5,
            contents_limit: 6,
            user_id: UserId::new(2),
            ..new_per_content_subscription()
        })
        .await;
    shop.run_until_idle().await;
    assert_eq!(
        shop.fetch_contents(id).await,
        placed_contents(&["2", "3"]),
        "old contents must be ordered without a delay"
    );
    assert_eq!(shop.fetch_contents(five_old_id).await, placed_contents(&["1", "2", "3"]));
    assert_eq!(
        shop.fetch_subscription(five_old_id).await["contents_limit"],
        4,
        "the customer requested five old contents and one new; only three old ones exist, so the limit must be four"
    );
    shop.publish_content(4, 1);
    shop.publish_content(5, 2);
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["2", "3", "4", "5"]));
    assert_eq!(shop.fetch_contents(five_old_id).await, placed_contents(&["1", "2", "3", "4"]));
    assert_eq!(shop.fetch_subscription(five_old_id).await["status"], "completed");
    shop.panel.assert_healthy().await;
}

async fn contents_without_dates_are_old_at_the_first_poll(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    shop.feeds.set_behavior(FeedBehavior::AtomUpdatedOnly);
    shop.publish_content(1, 0);
    let id = shop.subscribe(&new_per_content_subscription()).await;
    shop.run_until_idle().await;
    shop.publish_content(2, 0);
    shop.advance_minutes(10);
    shop.run_until_idle().await;
    let skipped_content = new_content("1", "skipped", 0);
    assert_eq!(shop.fetch_contents(id).await, [vec![skipped_content], placed_contents(&["2"])].concat());
    shop.panel.assert_healthy().await;
}

async fn orders_wait_for_the_delay_and_an_expiry_ends_the_subscription(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let expired_at = Some(Time(NOW + 120 * MINUTE_MICROS));
    let id = shop
        .subscribe(&NewSubscription { delay_minutes: 30, expired_at, ..new_per_content_subscription() })
        .await;
    shop.publish_content(1, 1);
    shop.advance_minutes(2);
    shop.run_until_idle().await;
    shop.advance_minutes(29);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, [new_content("1", "found", 0)]);
    shop.advance_minutes(1);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["1"]));
    shop.publish_content(2, 100);
    shop.advance_minutes(80);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await[1].status, "found");
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    assert_eq!(content::end_expired(&shop.panel.app).await.unwrap(), 1);
    shop.advance_minutes(60);
    shop.run_until_idle().await;
    assert_eq!(
        shop.fetch_contents(id).await[1],
        new_content("2", "skipped", 0),
        "the content must be skipped, because the subscription had expired"
    );
    assert_eq!(shop.fetch_subscription(id).await["status"], "completed");
    shop.panel.assert_healthy().await;
}

async fn a_prepaid_subscription_pays_its_orders(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let panel = &shop.panel;
    let prepaid_subscription = NewSubscription {
        billing_type: BillingType::Prepaid,
        contents_limit: 3,
        ..new_per_content_subscription()
    };
    let id = shop.subscribe(&prepaid_subscription).await;
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 30_000_000);
    shop.publish_content(1, 1);
    shop.publish_content(2, 2);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_contents(id).await, placed_contents(&["1", "2"]));
    let count_prepaid_orders_sql = "SELECT count(*) FROM order_price_modifications m JOIN orders o ON o.id = m.order_id WHERE m.type = 'prepaid' AND m.cost_after = o.cost";
    assert_eq!(
        panel.fetch_number(Sql::new(count_prepaid_orders_sql)).await,
        2,
        "each order must have a price modification for the prepayment"
    );
    let mut work = panel.begin_work().await;
    let new_orders = content::place_by_url(&mut work, id, "https://video.example/watch/2").await.unwrap();
    work.finish(()).await.unwrap();
    assert!(new_orders.is_empty(), "a known content must not get a second order");
    let cancellation =
        panel.post(&format!("/api/v1/admin/subscriptions/{id}/cancel"), &json!({})).await.json();
    assert_eq!(cancellation["data"]["refunded"], "10");
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 20_000_000);
    let quantity_range = vec![ServiceQuantity { service_id: PLAIN_SERVICE, min: 100, max: 200 }];
    let mut work = panel.begin_work().await;
    let error = start(&mut work, &NewSubscription { services: quantity_range, ..prepaid_subscription })
        .await
        .unwrap_err();
    assert!(error.report("x").errors.0.contains_key("subscription_services"));
    drop(work);
    panel.assert_healthy().await;
}

async fn quantities_are_random_within_bounds(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    let panel = &shop.panel;
    panel
        .execute(
            Sql::new("UPDATE services SET min_quantity = 100, quantity_step = 50 WHERE id = ?")
                .bind(PLAIN_SERVICE),
        )
        .await;
    let services = vec![ServiceQuantity { service_id: PLAIN_SERVICE, min: 120, max: 1_000 }];
    let id = shop.subscribe(&NewSubscription { services, ..new_per_content_subscription() }).await;
    for n in 1..9 {
        shop.publish_content(n, n);
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
    let subscription = shop.fetch_subscription(id).await;
    let service = &subscription["subscription_services"][0];
    assert_eq!((&service["quantity"], &service["max_quantity"]), (&json!(120), &json!(1_000)));
    panel.assert_healthy().await;
}

async fn staff_are_notified_once_if_a_feed_fails_for_a_day(dialect: Dialect) {
    let shop = ShopWithFeeds::start(dialect).await;
    shop.feeds.set_behavior(FeedBehavior::ServerError);
    let id = shop.subscribe(&new_per_content_subscription()).await;
    let count_failing_feed_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.feed_failing'");
    for _ in 0..23 {
        shop.run_until_idle().await;
        shop.advance_minutes(62);
    }
    assert_eq!(
        shop.panel.fetch_number(count_failing_feed_audits_sql.clone()).await,
        0,
        "staff were notified before the feed had failed for a day"
    );
    for _ in 0..23 {
        shop.run_until_idle().await;
        shop.advance_minutes(62);
    }
    assert_eq!(shop.panel.fetch_number(count_failing_feed_audits_sql.clone()).await, 1);
    shop.feeds.set_behavior(FeedBehavior::Rss);
    shop.run_until_idle().await;
    assert_eq!(shop.fetch_subscription(id).await["last_error"], Value::Null);
    shop.feeds.set_behavior(FeedBehavior::ServerError);
    for _ in 0..30 {
        shop.advance_minutes(61);
        shop.run_until_idle().await;
    }
    assert_eq!(
        shop.panel.fetch_number(count_failing_feed_audits_sql).await,
        2,
        "after a successful poll, staff must be notified again"
    );
    shop.panel.assert_healthy().await;
}
