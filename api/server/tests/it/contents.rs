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
    private_addresses_and_names_are_not_asked;
    contents_without_enough_balance_wait_and_are_paid_once;
    an_interrupted_process_places_once;
    the_content_limit_is_reached_within_a_feed;
    old_contents_are_taken_once_and_what_came_before_is_not;
    without_dates_what_was_there_is_old;
    a_delay_is_kept_and_an_end_ends_it;
    what_is_paid_ahead_takes_its_share;
    quantities_are_by_chance_within_bounds;
    staff_are_notified_once_of_a_day_without_a_feed;
}

const CHANNEL: &str = "https://video.example/@channel";
const MINUTE_MICROS: i64 = 60_000_000;
/// Subscriptions of one customer.
pub(crate) const MOST: u32 = 20;

/// A shop, and the feeds of its customers' channels.
pub(crate) struct Followed {
    pub(crate) panel: Panel,
    pub(crate) feeds: FakeFeeds,
}

impl Followed {
    pub(crate) async fn on(dialect: Dialect) -> Self {
        let panel = Panel::with(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.seconds = 2;
            config.subscriptions.most_per_customer = MOST;
        })
        .await;
        shop::fill(&panel.app.db, 5, 0).await;
        // Some of these tests span days, so sessions must last longer.
        panel.exec(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
        let feeds = FakeFeeds::start(Arc::new(panel.clock.clone()), None).await.unwrap();
        let followed = Self { panel, feeds };
        followed.point(json!(followed.feeds.template)).await;
        followed
    }

    /// The URL of the channel feeds.
    pub(crate) async fn point(&self, template: Value) {
        settings::put(&mut &self.panel.app.db, settings::CONTENT_FEED, &template, Time(NOW)).await.unwrap();
    }

    async fn subscribe(&self, new: &NewSubscription) -> SubscriptionId {
        let mut work = self.panel.work().await;
        let id = start(&mut work, new).await.unwrap();
        work.finish(id).await.unwrap()
    }

    /// The channel publishes content `n`, so many minutes after the beginning.
    pub(crate) fn publish(&self, n: i64, minutes: i64) {
        self.feeds.publish(
            CHANNEL,
            &format!("https://video.example/watch/{n}"),
            Time(NOW + minutes * MINUTE_MICROS),
        );
    }

    pub(crate) fn pass(&self, minutes: i64) {
        self.panel.clock.advance_secs(minutes * 60);
    }

    /// Runs all due work.
    pub(crate) async fn settle(&self) {
        let app = &self.panel.app;
        for _ in 0..50 {
            if poll_feeds::poll_due(app).await.unwrap() + content::place_due(app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    pub(crate) async fn shown(&self, id: impl std::fmt::Display) -> Value {
        let answer = self.panel.get(&format!("/api/v1/admin/subscriptions/{id}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }

    /// What of each content there is, by the ends of their addresses, oldest first.
    async fn contents(&self, id: SubscriptionId) -> Vec<(String, String, i64)> {
        let shown = self.shown(id).await;
        let one = |content: &Value| {
            let name = content["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (name, content["status"].as_str().unwrap().to_owned(), content["orders_count"].as_i64().unwrap())
        };
        shown["subscription_contents"].as_array().unwrap().iter().rev().map(one).collect()
    }

    /// The ends of the addresses of its orders, in their order.
    pub(crate) async fn ordered(&self, id: impl std::fmt::Display) -> Vec<String> {
        let rows =
            self.panel.get(&format!("/api/v1/admin/orders?subscription_id={id}&length=100")).await.json();
        let end = |row: &Value| row["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        rows["data"].as_array().unwrap().iter().rev().map(end).collect()
    }
}

/// 1,000 of one service (10) for each content, charged as they come.
fn each() -> NewSubscription {
    NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: CHANNEL.into(),
        kind: "youtube".into(),
        billing_type: BillingType::PerContent,
        contents_limit: 10,
        old_contents: 0,
        delay_minutes: 0,
        services: vec![ServiceQuantity::exactly(PLAIN, 1_000)],
        expired_at: None,
        period_days: None,
    }
}

fn placed(names: &[&str]) -> Vec<(String, String, i64)> {
    names.iter().map(|name| ((*name).to_owned(), "placed".to_owned(), 1)).collect()
}

async fn a_day_of_downtime_loses_nothing(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    followed.publish(1, -60);
    let id = followed.subscribe(&each()).await;
    followed.settle().await;
    assert_eq!(followed.contents(id).await, [], "what came before it began is not taken");
    for n in 2..7 {
        followed.publish(n, n * 200);
    }
    followed.pass(24 * 60);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["2", "3", "4", "5", "6"]));
    followed.pass(24 * 60);
    followed.settle().await;
    assert_eq!(followed.ordered(id).await, ["2", "3", "4", "5", "6"], "once each, oldest first");
    assert_eq!(followed.panel.balances(1).await.0, DEPOSIT - 50_000_000);
    let shown = followed.shown(id).await;
    assert_eq!((&shown["last_error"], &shown["wait_reason"]), (&Value::Null, &Value::Null));
    assert!(shown["looked_at"].is_string() && shown["look_at"].is_string(), "{shown}");
    followed.panel.assert_healthy().await;
}

/// Four parallel workers and three subscriptions of one customer whose contents are all due at once.
async fn parallel_workers_place_each_content_once(dialect: Dialect) {
    let followed = Arc::new(Followed::on(dialect).await);
    let two = vec![ServiceQuantity::exactly(PLAIN, 1_000), ServiceQuantity::exactly(ABANDONED, 500)];
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(followed.subscribe(&NewSubscription { services: two.clone(), ..each() }).await);
    }
    for n in 1..6 {
        followed.publish(n, n);
    }
    followed.pass(10);
    let working = (0..4).map(|_| {
        let followed = Arc::clone(&followed);
        tokio::spawn(async move {
            let app = &followed.panel.app;
            for _ in 0..4 {
                poll_feeds::poll_due(app).await.unwrap();
                content::place_due(app).await.unwrap();
            }
        })
    });
    join_all(working.collect::<Vec<_>>()).await.into_iter().for_each(|ended| ended.unwrap());
    // A content whose transaction the database aborted is placed by a later run.
    followed.pass(10);
    followed.settle().await;
    for id in ids {
        let (all, shown) = (followed.contents(id).await, followed.shown(id).await);
        assert!(
            all.len() == 5 && all.iter().all(|content| content.1 == "placed" && content.2 == 2),
            "{all:?}"
        );
        assert_eq!((&shown["orders_count"], &shown["subscription_contents_count"]), (&json!(10), &json!(5)));
    }
    assert_eq!(followed.feeds.calls(), 2, "three subscriptions to one channel share a call");
    assert_eq!(followed.panel.balances(1).await.0, DEPOSIT - 15 * 15_000_000);
    followed.panel.assert_healthy().await;
}

async fn a_failing_feed_changes_only_its_next_poll(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let id = followed.subscribe(&each()).await;
    followed.publish(1, 1);
    followed.publish(2, 2);
    let mut last = followed.shown(id).await["look_at"].as_str().unwrap().to_owned();
    for (mood, says) in [
        (FeedBehavior::Html, "not a feed"),
        (FeedBehavior::Half, "in the middle"),
        (FeedBehavior::Down, "answered 500"),
        (FeedBehavior::Moved, "answered 302"),
    ] {
        followed.pass(61);
        followed.feeds.behave(mood);
        followed.settle().await;
        let shown = followed.shown(id).await;
        assert!(shown["last_error"].as_str().unwrap().contains(says), "{mood:?}: {shown}");
        assert_eq!((&shown["subscription_contents"], &shown["looked_at"]), (&json!([]), &Value::Null));
        let next = shown["look_at"].as_str().unwrap().to_owned();
        assert!(next > last, "{mood:?}: asked again later");
        last = next;
    }
    let asked = followed.feeds.calls();
    followed.settle().await;
    assert_eq!(followed.feeds.calls(), asked, "not before its time");
    followed.pass(61);
    followed.feeds.behave(FeedBehavior::Json);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["1", "2"]));
    assert_eq!(followed.shown(id).await["last_error"], Value::Null);
    followed.panel.assert_healthy().await;
}

async fn feed_polls_respect_retry_after(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    followed.feeds.behave(FeedBehavior::Busy);
    let id = followed.subscribe(&each()).await;
    followed.settle().await;
    assert!(followed.shown(id).await["last_error"].as_str().unwrap().contains("answered 429"));
    followed.feeds.behave(FeedBehavior::Rss);
    followed.pass(119);
    followed.settle().await;
    assert_eq!(followed.feeds.calls(), 1);
    followed.pass(15);
    followed.settle().await;
    assert_eq!(followed.feeds.calls(), 2);
    followed.panel.assert_healthy().await;
}

async fn processes_share_the_polls_per_second(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    for _ in 0..7 {
        followed.subscribe(&each()).await;
    }
    followed.panel.app.processes.set_count(4);
    let looked =
        [poll_feeds::poll_due(&followed.panel.app).await, poll_feeds::poll_due(&followed.panel.app).await];
    assert_eq!(looked.map(Result::unwrap), [5, 2], "a quarter of twenty, then the rest");
}

async fn private_addresses_and_names_are_not_asked(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let named = followed.subscribe(&NewSubscription { url: "@channel".into(), ..each() }).await;
    followed.point(Value::Null).await;
    let private = followed
        .subscribe(&NewSubscription { url: "http://10.0.0.1/feed?token=secret".into(), ..each() })
        .await;
    let mut work = followed.panel.work().await;
    let refused = start(&mut work, &NewSubscription { url: "@other".into(), ..each() }).await.unwrap_err();
    assert!(refused.report("x").errors.0.contains_key("url"));
    drop(work);
    followed.settle().await;
    let error = async |id| followed.shown(id).await["last_error"].as_str().unwrap().to_owned();
    assert!(error(private).await.contains("10.0.0.1 is a private address"));
    assert!(!error(private).await.contains("secret"), "an address may hold a key");
    assert!(error(named).await.contains("content_feed_url"));
    assert_eq!(followed.feeds.calls(), 0);
    followed.panel.assert_healthy().await;
}

async fn contents_without_enough_balance_wait_and_are_paid_once(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let panel = &followed.panel;
    panel.exec(Sql::new("UPDATE services SET max_quantity = 10000000")).await;
    let services = vec![ServiceQuantity::exactly(PLAIN, 10_000_000)];
    // 100,000 for each content is all that the customer has.
    let id = followed.subscribe(&NewSubscription { services, contents_limit: 3, ..each() }).await;
    followed.publish(1, 1);
    followed.publish(2, 2);
    followed.pass(5);
    followed.settle().await;
    assert_eq!(panel.balances(1).await.0, 0);
    let waits = [("1".to_owned(), "placed".to_owned(), 1), ("2".to_owned(), "found".to_owned(), 0)];
    assert_eq!(followed.contents(id).await, waits);
    let shown = followed.shown(id).await;
    assert!(shown["wait_reason"].as_str().unwrap().contains("balance"), "{shown}");
    assert_eq!(shown["subscription_contents"][0]["last_error"], shown["wait_reason"]);
    for _ in 0..5 {
        followed.pass(61);
        followed.settle().await;
    }
    assert_eq!(followed.contents(id).await, waits, "tried again and again, with nothing left behind");
    let unpaid = Sql::new("SELECT count(*) FROM orders WHERE status = 'unpaid'");
    assert_eq!(panel.number(unpaid).await, 0);
    let input = json!({ "user_id": 1, "transaction_type": "income", "amount": "100000", "balance_type": "main", "comment": "more" });
    let answer = panel.send("owner", "POST", "/api/v1/admin/payments", &input, Some("more")).await;
    assert!(answer.status.is_success(), "{}", answer.text);
    followed.pass(61);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["1", "2"]));
    assert_eq!((panel.balances(1).await.0, &followed.shown(id).await["wait_reason"]), (0, &Value::Null));
    panel.assert_healthy().await;
}

/// Polls a future a number of times and drops it, like a process that dies.
async fn cut_off<W: Future>(after: usize, work: W) {
    let mut work = pin!(work);
    for _ in 0..after {
        let is_done = std::future::poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx).is_ready())).await;
        if is_done {
            return;
        }
        tokio::task::yield_now().await;
    }
}

async fn an_interrupted_process_places_once(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let id = followed.subscribe(&each()).await;
    for n in 1..4 {
        followed.publish(n, n);
    }
    for polls in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
        followed.pass(10);
        cut_off(polls, poll_feeds::poll_due(&followed.panel.app)).await;
        cut_off(polls, content::place_due(&followed.panel.app)).await;
    }
    for _ in 0..3 {
        followed.pass(61);
        followed.settle().await;
    }
    assert_eq!(followed.contents(id).await, placed(&["1", "2", "3"]));
    assert_eq!(followed.ordered(id).await.len(), 3);
    assert_eq!(followed.panel.balances(1).await.0, DEPOSIT - 30_000_000);
    followed.panel.assert_healthy().await;
}

async fn the_content_limit_is_reached_within_a_feed(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let id = followed.subscribe(&NewSubscription { contents_limit: 3, ..each() }).await;
    for n in 1..6 {
        followed.publish(n, n);
    }
    followed.pass(10);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["1", "2", "3"]));
    let shown = followed.shown(id).await;
    assert_eq!((&shown["status"], &shown["look_at"]), (&json!("completed"), &Value::Null));
    let asked = followed.feeds.calls();
    followed.pass(24 * 60);
    followed.settle().await;
    assert_eq!(
        (followed.ordered(id).await.len(), followed.feeds.calls()),
        (3, asked),
        "the feed is no longer polled"
    );
    followed.panel.assert_healthy().await;
}

async fn old_contents_are_taken_once_and_what_came_before_is_not(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    for n in 1..4 {
        followed.publish(n, n - 60);
    }
    let two = NewSubscription { old_contents: 2, contents_limit: 4, delay_minutes: 30, ..each() };
    let id = followed.subscribe(&two).await;
    let many = followed
        .subscribe(&NewSubscription { old_contents: 5, contents_limit: 6, user_id: UserId::new(2), ..each() })
        .await;
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["2", "3"]), "old ones do not wait");
    assert_eq!(followed.contents(many).await, placed(&["1", "2", "3"]));
    assert_eq!(
        followed.shown(many).await["contents_limit"],
        4,
        "where there are three old ones, one new one is left"
    );
    followed.publish(4, 1);
    followed.publish(5, 2);
    followed.pass(60);
    followed.settle().await;
    followed.pass(60);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["2", "3", "4", "5"]));
    assert_eq!(followed.contents(many).await, placed(&["1", "2", "3", "4"]));
    assert_eq!(followed.shown(many).await["status"], "completed");
    followed.panel.assert_healthy().await;
}

async fn without_dates_what_was_there_is_old(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    followed.feeds.behave(FeedBehavior::Undated);
    followed.publish(1, 0);
    let id = followed.subscribe(&each()).await;
    followed.settle().await;
    followed.publish(2, 0);
    followed.pass(10);
    followed.settle().await;
    let left = ("1".to_owned(), "left".to_owned(), 0);
    assert_eq!(followed.contents(id).await, [vec![left], placed(&["2"])].concat());
    followed.panel.assert_healthy().await;
}

async fn a_delay_is_kept_and_an_end_ends_it(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let ends = Some(Time(NOW + 120 * MINUTE_MICROS));
    let id = followed.subscribe(&NewSubscription { delay_minutes: 30, expired_at: ends, ..each() }).await;
    followed.publish(1, 1);
    followed.pass(2);
    followed.settle().await;
    followed.pass(29);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, [("1".to_owned(), "found".to_owned(), 0)]);
    followed.pass(1);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["1"]));
    followed.publish(2, 100);
    followed.pass(80);
    followed.settle().await;
    assert_eq!(followed.contents(id).await[1].1, "found");
    followed.pass(60);
    followed.settle().await;
    assert_eq!(content::end_expired(&followed.panel.app).await.unwrap(), 1);
    followed.pass(60);
    followed.settle().await;
    assert_eq!(followed.contents(id).await[1], ("2".to_owned(), "left".to_owned(), 0), "its time was over");
    assert_eq!(followed.shown(id).await["status"], "completed");
    followed.panel.assert_healthy().await;
}

async fn what_is_paid_ahead_takes_its_share(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let panel = &followed.panel;
    let ahead = NewSubscription { billing_type: BillingType::Prepaid, contents_limit: 3, ..each() };
    let id = followed.subscribe(&ahead).await;
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 30_000_000);
    followed.publish(1, 1);
    followed.publish(2, 2);
    followed.pass(5);
    followed.settle().await;
    assert_eq!(followed.contents(id).await, placed(&["1", "2"]));
    let paid = "SELECT count(*) FROM order_price_modifications m JOIN orders o ON o.id = m.order_id WHERE m.type = 'prepaid' AND m.cost_after = o.cost";
    assert_eq!(panel.number(Sql::new(paid)).await, 2, "each order says that it was paid ahead");
    let mut work = panel.work().await;
    let again = content::place_by_url(&mut work, id, "https://video.example/watch/2").await.unwrap();
    work.finish(()).await.unwrap();
    assert!(again.is_empty(), "a content that is known gets nothing more");
    let canceled = panel.post(&format!("/api/v1/admin/subscriptions/{id}/cancel"), &json!({})).await.json();
    assert_eq!(canceled["data"]["returned"], "10");
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 20_000_000);
    let range = vec![ServiceQuantity { service_id: PLAIN, least: 100, most: 200 }];
    let mut work = panel.work().await;
    let refused = start(&mut work, &NewSubscription { services: range, ..ahead }).await.unwrap_err();
    assert!(refused.report("x").errors.0.contains_key("subscription_services"));
    drop(work);
    panel.assert_healthy().await;
}

async fn quantities_are_by_chance_within_bounds(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    let panel = &followed.panel;
    panel
        .exec(Sql::new("UPDATE services SET min_quantity = 100, quantity_step = 50 WHERE id = ?").bind(PLAIN))
        .await;
    let services = vec![ServiceQuantity { service_id: PLAIN, least: 120, most: 1_000 }];
    let id = followed.subscribe(&NewSubscription { services, ..each() }).await;
    for n in 1..9 {
        followed.publish(n, n);
    }
    followed.pass(10);
    followed.settle().await;
    let rows = panel.get(&format!("/api/v1/admin/orders?subscription_id={id}&length=100")).await.json();
    let quantities: Vec<i64> =
        rows["data"].as_array().unwrap().iter().map(|row| row["quantity"].as_i64().unwrap()).collect();
    assert_eq!(quantities.len(), 8);
    assert!(quantities.iter().all(|each| (150..=1_000).contains(each) && each % 50 == 0), "{quantities:?}");
    assert!(quantities.iter().any(|each| *each != quantities[0]), "{quantities:?}");
    let shown = followed.shown(id).await;
    let service = &shown["subscription_services"][0];
    assert_eq!((&service["quantity"], &service["max_quantity"]), (&json!(120), &json!(1_000)));
    panel.assert_healthy().await;
}

async fn staff_are_notified_once_of_a_day_without_a_feed(dialect: Dialect) {
    let followed = Followed::on(dialect).await;
    followed.feeds.behave(FeedBehavior::Down);
    let id = followed.subscribe(&each()).await;
    let audited = Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.feed_failing'");
    for _ in 0..23 {
        followed.settle().await;
        followed.pass(62);
    }
    assert_eq!(followed.panel.number(audited.clone()).await, 0, "not yet a day");
    for _ in 0..23 {
        followed.settle().await;
        followed.pass(62);
    }
    assert_eq!(followed.panel.number(audited.clone()).await, 1);
    followed.feeds.behave(FeedBehavior::Rss);
    followed.settle().await;
    assert_eq!(followed.shown(id).await["last_error"], Value::Null);
    followed.feeds.behave(FeedBehavior::Down);
    for _ in 0..30 {
        followed.pass(61);
        followed.settle().await;
    }
    assert_eq!(followed.panel.number(audited).await, 2, "again only after it could be read");
    followed.panel.assert_healthy().await;
}
