//! Tests feeds and request bodies with thousands of nested elements. Each poll rejects such a feed with an error message, and the
//! server keeps running, also after a restart with the same database.

use std::time::{Duration, Instant};

use panel_contract::permission::Permission;
use panel_platform::db::{Db, Dialect, Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::contents::ShopWithFeeds;
use crate::kill::{KillableServer, free_port};
use crate::placing_orders::{create_api_key, send_reseller_request};
use crate::shop::PLAIN_SERVICE;

test_both_databases! {
    deep_feeds_are_rejected_and_other_feeds_are_polled;
    a_deep_feed_does_not_stop_a_starting_server;
    a_deep_body_is_rejected;
}

/// Numbers of nested elements; the server accepts at most 64.
const DEPTHS: [usize; 3] = [2_000, 6_000, 60_000];
const TOO_DEEP_ERROR: &str = "The feed nests deeper than 64 levels, so it was not read.";

/// An RSS, an Atom and a JSON feed with `depth` nested levels, in elements that their parsers read recursively.
fn build_deep_feeds(depth: usize) -> [String; 3] {
    let groups = format!("{}{}", "<m:group>".repeat(depth), "</m:group>".repeat(depth));
    let media_namespace = "xmlns:m=\"http://search.yahoo.com/mrss/\"";
    let nested_lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    [
        format!(
            "<rss version=\"2.0\" {media_namespace}><channel><item><link>https://a.example/1</link>{groups}</item></channel></rss>"
        ),
        format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\" {media_namespace}><entry><id>https://a.example/1</id>{groups}</entry></feed>"
        ),
        format!(
            "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"A\",\"_x\":{nested_lists},\"items\":[]}}"
        ),
    ]
}

/// Subscribes to a channel through the reseller API; returns the subscription's id, which the API offsets by 2,000,000,000.
pub(crate) async fn subscribe(shop: &ShopWithFeeds, key: &str, channel: &str) -> i64 {
    let name = channel.replace(':', "%3A").replace('/', "%2F");
    let fields = format!("action=add&service={PLAIN_SERVICE}&username={name}&min=1000&max=1000&posts=5");
    send_reseller_request(&shop.panel, key, &fields).await["order"].as_i64().unwrap() - 2_000_000_000
}

pub(crate) async fn start_shop_with_feeds(dialect: Dialect) -> (ShopWithFeeds, String) {
    let shop = ShopWithFeeds::start(dialect).await;
    let permissions =
        [Permission::ViewUsers, Permission::ManageApiKeys, Permission::ManageOrders, Permission::ViewOrders];
    shop.panel.create_staff("ada", &permissions).await;
    shop.panel.execute(Sql::new("UPDATE services SET api_access = TRUE")).await;
    let key = create_api_key(&shop.panel, 1).await;
    (shop, key)
}

async fn deep_feeds_are_rejected_and_other_feeds_are_polled(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let mut deep_ids = Vec::new();
    for depth in DEPTHS {
        for (index, body) in build_deep_feeds(depth).into_iter().enumerate() {
            let channel = format!("https://deep.example/{depth}/{index}");
            shop.feeds.set_body(&channel, body);
            deep_ids.push(subscribe(&shop, &key, &channel).await);
        }
    }
    let healthy_id = subscribe(&shop, &key, "https://video.example/@channel").await;
    shop.publish_content(1, 1);
    shop.advance_minutes(5);
    shop.run_until_idle().await;
    for id in deep_ids {
        let subscription = shop.fetch_subscription(id).await;
        assert_eq!(
            (&subscription["last_error"], &subscription["subscription_contents"]),
            (&json!(TOO_DEEP_ERROR), &json!([]))
        );
    }
    let subscription = shop.fetch_subscription(healthy_id).await;
    assert_eq!(
        (&subscription["last_error"], &subscription["subscription_contents_count"]),
        (&Value::Null, &json!(1))
    );
    assert_eq!(shop.fetch_ordered_names(healthy_id).await, ["1"]);
    shop.panel.assert_healthy().await;
}

/// Waits until polls of the subscription's feed have failed `expected_count` times.
async fn wait_for_failed_polls(db: &Db, server: &mut KillableServer, id: i64, expected_count: i64) {
    let started = Instant::now();
    loop {
        let sql = Sql::new("SELECT poll_failures FROM subscriptions WHERE id = ?").bind(id);
        let (poll_count,): (i64,) = (&mut &*db).fetch_one(sql).await.unwrap();
        if poll_count >= expected_count {
            return;
        }
        assert!(server.is_alive(), "the server stopped before poll {expected_count}");
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "the server did not poll the feed {expected_count} times in 20 seconds"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_deep_feed_does_not_stop_a_starting_server(dialect: Dialect) {
    let (shop, key) = start_shop_with_feeds(dialect).await;
    let channel = "https://deep.example/program";
    let id = subscribe(&shop, &key, channel).await;
    let healthy_id = subscribe(&shop, &key, "https://video.example/@channel").await;
    let config = shop.panel.app.config.clone();
    shop.panel.app.db.close().await;
    let db = Db::connect(&config.database()).await.unwrap();
    let environment =
        [("PANEL_OUTBOUND__ALLOW_HTTP", "true"), ("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")];
    for start in 1..=10 {
        let number = usize::try_from(start).unwrap();
        let [rss_feed, atom_feed, _] = build_deep_feeds(DEPTHS[number % DEPTHS.len()]);
        shop.feeds.set_body(channel, if start % 2 == 0 { rss_feed } else { atom_feed });
        let make_due_sql = Sql::new("UPDATE subscriptions SET next_poll_at = 1");
        (&mut &db).execute(make_due_sql).await.unwrap();
        let mut server = KillableServer::start_with_environment(&config, free_port(), &environment);
        wait_for_failed_polls(&db, &mut server, id, start).await;
        assert!(server.is_alive(), "the server stopped after start {start}");
        server.kill();
    }
    let sql = "SELECT id, poll_error FROM subscriptions ORDER BY id";
    let errors: Vec<(i64, Option<String>)> = (&mut &db).fetch_all(Sql::new(sql)).await.unwrap();
    assert_eq!(errors, [(id, Some(TOO_DEEP_ERROR.to_owned())), (healthy_id, None)]);
    db.close().await;
}

/// Sends bodies to this panel's APIs: JSON with 100,000 nested levels, and field names with 100,000 bracketed parts.
async fn a_deep_body_is_rejected(dialect: Dialect) {
    let (shop, _) = start_shop_with_feeds(dialect).await;
    let panel = &shop.panel;
    let deep_json = format!("{{\"name\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_field_name = format!("a{}", "[b]".repeat(100_000));
    for (content_type, body) in [
        ("application/json", deep_json.clone()),
        ("application/json", format!("{{\"a\":\"\\u0000\",\"b\":{}", "[".repeat(100_000))),
        ("application/x-www-form-urlencoded", format!("{deep_field_name}=1")),
        (
            "multipart/form-data; boundary=x",
            format!(
                "--x\r\ncontent-disposition: form-data; name=\"{deep_field_name}\"\r\n\r\n1\r\n--x--\r\n"
            ),
        ),
    ] {
        for path in ["/api/v1/admin/categories", "/api/v2"] {
            let request = axum::http::Request::post(path)
                .header("content-type", content_type)
                .header("authorization", "Bearer owner")
                .body(body.clone().into())
                .unwrap();
            let status = panel.send_request(request).await.status.as_u16();
            // The reseller API reports errors in responses with status 200.
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
