//! Customers subscribe to feeds that nest thousands of elements: each poll rejects them with a message, and the process survives,
//! also when it starts again on the same database.

use std::time::{Duration, Instant};

use panel_contract::permission::Permission;
use panel_platform::db::{Db, Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::contents::ShopWithFeeds;
use crate::intake::{call, create_api_key};
use crate::kill::{Server, free_port};
use crate::shop::PLAIN;

both! {
    deep_feeds_are_rejected_and_others_are_polled;
    a_deep_feed_does_not_end_a_starting_process;
    a_deep_body_is_rejected;
}

const DEPTHS: [usize; 3] = [2_000, 6_000, 60_000];
const TOO_DEEP: &str = "The feed nests deeper than 64 levels, so it was not read.";

/// An RSS, an Atom and a JSON feed with `depth` levels in the part on which their parsers recurse.
fn deep_feeds(depth: usize) -> [String; 3] {
    let groups = format!("{}{}", "<m:group>".repeat(depth), "</m:group>".repeat(depth));
    let media = "xmlns:m=\"http://search.yahoo.com/mrss/\"";
    let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    [
        format!(
            "<rss version=\"2.0\" {media}><channel><item><link>https://a.example/1</link>{groups}</item></channel></rss>"
        ),
        format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\" {media}><entry><id>https://a.example/1</id>{groups}</entry></feed>"
        ),
        format!(
            "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"A\",\"_x\":{lists},\"items\":[]}}"
        ),
    ]
}

/// Subscribes to a channel through the reseller API; returns the subscription's id, which the API offsets by 2,000,000,000.
pub(crate) async fn subscribe(shop: &ShopWithFeeds, key: &str, channel: &str) -> i64 {
    let name = channel.replace(':', "%3A").replace('/', "%2F");
    let fields = format!("action=add&service={PLAIN}&username={name}&min=1000&max=1000&posts=5");
    call(&shop.panel, key, &fields).await["order"].as_i64().unwrap() - 2_000_000_000
}

pub(crate) async fn shop_with_feeds(dialect: Dialect) -> (ShopWithFeeds, String) {
    let shop = ShopWithFeeds::on(dialect).await;
    let permissions =
        [Permission::ViewUsers, Permission::ManageApiKeys, Permission::ManageOrders, Permission::ViewOrders];
    shop.panel.create_staff("ada", &permissions).await;
    shop.panel.execute(Sql::new("UPDATE services SET api_access = TRUE")).await;
    let key = create_api_key(&shop.panel, 1).await;
    (shop, key)
}

async fn deep_feeds_are_rejected_and_others_are_polled(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let mut deep_ids = Vec::new();
    for depth in DEPTHS {
        for (format, body) in deep_feeds(depth).into_iter().enumerate() {
            let channel = format!("https://deep.example/{depth}/{format}");
            shop.feeds.set_body(&channel, body);
            deep_ids.push(subscribe(&shop, &key, &channel).await);
        }
    }
    let healthy_id = subscribe(&shop, &key, "https://video.example/@channel").await;
    shop.publish(1, 1);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    for id in deep_ids {
        let subscription = shop.subscription(id).await;
        assert_eq!(
            (&subscription["last_error"], &subscription["subscription_contents"]),
            (&json!(TOO_DEEP), &json!([]))
        );
    }
    let subscription = shop.subscription(healthy_id).await;
    assert_eq!(
        (&subscription["last_error"], &subscription["subscription_contents_count"]),
        (&Value::Null, &json!(1))
    );
    assert_eq!(shop.ordered_contents(healthy_id).await, ["1"]);
    shop.panel.assert_healthy().await;
}

/// Waits until the running program has polled the feed `expected` times.
async fn wait_for_polls(db: &Db, program: &mut Server, id: i64, expected: i64) {
    let started = Instant::now();
    loop {
        let sql = Sql::new("SELECT poll_failures FROM subscriptions WHERE id = ?").bind(id);
        let (polled,): (i64,) = (&mut &*db).fetch_one(sql).await.unwrap();
        if polled >= expected {
            return;
        }
        assert!(program.is_alive(), "the program died of the feed, before poll {expected}");
        assert!(started.elapsed() < Duration::from_secs(20), "poll {expected} did not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_deep_feed_does_not_end_a_starting_process(dialect: Dialect) {
    let (shop, key) = shop_with_feeds(dialect).await;
    let channel = "https://deep.example/program";
    let id = subscribe(&shop, &key, channel).await;
    let healthy_id = subscribe(&shop, &key, "https://video.example/@channel").await;
    let config = shop.panel.app.config.clone();
    shop.panel.app.db.close().await;
    let db = Db::connect(&config.database()).await.unwrap();
    let environment =
        [("PANEL_OUTBOUND__ALLOW_HTTP", "true"), ("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")];
    for start in 1..=10 {
        let at = usize::try_from(start).unwrap();
        let [rss, atom, _] = deep_feeds(DEPTHS[at % DEPTHS.len()]);
        shop.feeds.set_body(channel, if start % 2 == 0 { rss } else { atom });
        let make_due = Sql::new("UPDATE subscriptions SET next_poll_at = 1");
        (&mut &db).execute(make_due).await.unwrap();
        let mut program = Server::start_with(&config, free_port(), &environment);
        wait_for_polls(&db, &mut program, id, start).await;
        assert!(program.is_alive(), "start {start}");
        program.kill();
    }
    let sql = "SELECT id, poll_error FROM subscriptions ORDER BY id";
    let errors: Vec<(i64, Option<String>)> = (&mut &db).fetch_all(Sql::new(sql)).await.unwrap();
    assert_eq!(errors, [(id, Some(TOO_DEEP.to_owned())), (healthy_id, None)]);
    db.close().await;
}

/// Bodies for the panel's own API: a hundred thousand levels of JSON, and of brackets in field names.
async fn a_deep_body_is_rejected(dialect: Dialect) {
    let (shop, _) = shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let name = format!("a{}", "[b]".repeat(100_000));
    for (content_type, body) in [
        ("application/json", deep.clone()),
        ("application/json", format!("{{\"a\":\"\\u0000\",\"b\":{}", "[".repeat(100_000))),
        ("application/x-www-form-urlencoded", format!("{name}=1")),
        (
            "multipart/form-data; boundary=x",
            format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n1\r\n--x--\r\n"),
        ),
    ] {
        for path in ["/api/v1/admin/categories", "/api/v2"] {
            let request = axum::http::Request::post(path)
                .header("content-type", content_type)
                .header("authorization", "Bearer owner")
                .body(body.clone().into())
                .unwrap();
            let status = panel.answer(request).await.status.as_u16();
            // The reseller API answers errors with status 200.
            assert!(
                (400..500).contains(&status) || (path == "/api/v2" && status == 200),
                "{path} {content_type}: {status}"
            );
        }
    }
    let query = format!("/api/v1/admin/orders?columns{}=1", "%5B0%5D".repeat(1_000));
    let status = panel.get(&query).await.status.as_u16();
    assert!((400..500).contains(&status) || status == 200, "{status}");
}
