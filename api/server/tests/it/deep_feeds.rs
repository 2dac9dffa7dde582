//! Feeds that nest thousands of elements, which customers' programs subscribe to: the look refuses them with a reason, the
//! process lives, and so does each later start on the same database.

use std::time::{Duration, Instant};

use panel_contract::permission::Permission;
use panel_platform::db::{Db, Dialect, Source as _, Sql};
use serde_json::{Value, json};

use crate::contents::Followed;
use crate::intake::{call, key};
use crate::kill::{Server, free_port};
use crate::shop::PLAIN;

both! {
    deep_feeds_are_refused_and_others_are_read;
    a_deep_feed_ends_no_start;
    a_deep_body_is_refused;
}

const DEPTHS: [usize; 3] = [2_000, 6_000, 60_000];
const TOO_DEEP: &str = "The feed nests deeper than 64 levels, so it was not read.";

/// RSS, Atom and JSON Feed with so many levels in what their parser recurses on.
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

/// Subscribes to a channel by the reseller API; the id here.
pub(crate) async fn subscribe(followed: &Followed, key: &str, channel: &str) -> i64 {
    let name = channel.replace(':', "%3A").replace('/', "%2F");
    let fields = format!("action=add&service={PLAIN}&username={name}&min=1000&max=1000&posts=5");
    call(&followed.panel, key, &fields).await["order"].as_i64().unwrap() - 2_000_000_000
}

pub(crate) async fn followed(dialect: Dialect) -> (Followed, String) {
    let followed = Followed::on(dialect).await;
    let may =
        [Permission::ViewUsers, Permission::ManageApiKeys, Permission::ManageOrders, Permission::ViewOrders];
    followed.panel.staff("ada", &may).await;
    followed.panel.exec(Sql::new("UPDATE services SET api_access = TRUE")).await;
    let key = key(&followed.panel, 1).await;
    (followed, key)
}

async fn deep_feeds_are_refused_and_others_are_read(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let mut refused = Vec::new();
    for depth in DEPTHS {
        for (at, body) in deep_feeds(depth).into_iter().enumerate() {
            let channel = format!("https://deep.example/{depth}/{at}");
            followed.feeds.serve(&channel, body);
            refused.push(subscribe(&followed, &key, &channel).await);
        }
    }
    let healthy = subscribe(&followed, &key, "https://video.example/@channel").await;
    followed.publish(1, 1);
    followed.pass(5);
    followed.settle().await;
    for id in refused {
        let shown = followed.shown(id).await;
        assert_eq!((&shown["last_error"], &shown["subscription_contents"]), (&json!(TOO_DEEP), &json!([])));
    }
    let shown = followed.shown(healthy).await;
    assert_eq!((&shown["last_error"], &shown["subscription_contents_count"]), (&Value::Null, &json!(1)));
    assert_eq!(followed.ordered(healthy).await, ["1"]);
    followed.panel.assert_healthy().await;
}

/// Waits until the running program has looked so many times.
async fn looks(db: &Db, program: &mut Server, id: i64, wanted: i64) {
    let began = Instant::now();
    loop {
        let sql = Sql::new("SELECT look_failures FROM subscriptions WHERE id = ?").bind(id);
        let (looked,): (i64,) = (&mut &*db).one(sql).await.unwrap();
        if looked >= wanted {
            return;
        }
        assert!(program.lives(), "the program died of the feed, before look {wanted}");
        assert!(began.elapsed() < Duration::from_secs(20), "look {wanted} did not come");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn a_deep_feed_ends_no_start(dialect: Dialect) {
    let (followed, key) = followed(dialect).await;
    let channel = "https://deep.example/program";
    let id = subscribe(&followed, &key, channel).await;
    let healthy = subscribe(&followed, &key, "https://video.example/@channel").await;
    let config = followed.panel.app.config.clone();
    followed.panel.app.db.close().await;
    let db = Db::connect(&config.database()).await.unwrap();
    let open =
        [("PANEL_OUTBOUND__ALLOW_HTTP", "true"), ("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")];
    for start in 1..=10 {
        let at = usize::try_from(start).unwrap();
        let [rss, atom, _] = deep_feeds(DEPTHS[at % DEPTHS.len()]);
        followed.feeds.serve(channel, if start % 2 == 0 { rss } else { atom });
        let due = Sql::new("UPDATE subscriptions SET look_at = 1");
        (&mut &db).exec(due).await.unwrap();
        let mut program = Server::start_with(&config, free_port(), &open);
        looks(&db, &mut program, id, start).await;
        assert!(program.lives(), "start {start}");
        program.kill();
    }
    let sql = "SELECT id, look_error FROM subscriptions ORDER BY id";
    let shown: Vec<(i64, Option<String>)> = (&mut &db).all(Sql::new(sql)).await.unwrap();
    assert_eq!(shown, [(id, Some(TOO_DEEP.to_owned())), (healthy, None)]);
    db.close().await;
}

/// The bodies of our own API: a hundred thousand levels of JSON and of bracketed names.
async fn a_deep_body_is_refused(dialect: Dialect) {
    let (followed, _) = followed(dialect).await;
    let panel = &followed.panel;
    let deep = format!("{{\"name\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let name = format!("a{}", "[b]".repeat(100_000));
    for (kind, body) in [
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
                .header("content-type", kind)
                .header("authorization", "Bearer owner")
                .body(body.clone().into())
                .unwrap();
            let status = panel.answer(request).await.status.as_u16();
            // The reseller API says no with 200.
            assert!(
                (400..500).contains(&status) || (path == "/api/v2" && status == 200),
                "{path} {kind}: {status}"
            );
        }
    }
    let query = format!("/api/v1/admin/orders?columns{}=1", "%5B0%5D".repeat(1_000));
    let status = panel.get(&query).await.status.as_u16();
    assert!((400..500).contains(&status) || status == 200, "{status}");
}
