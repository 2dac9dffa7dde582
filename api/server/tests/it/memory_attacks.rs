//! Measures how much memory attackers can make the running server use: with feeds that expand or never end, and with hundreds of
//! connections whose bodies, headers and frames never end. The tests compare the peak of resident memory with the memory of the
//! idle process. `upload_memory` measures images, and the tests of panelctl measure workbooks, which only panelctl reads.
//!
//! `PANEL_TEST_MEMORY=1` prints each measurement.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use panel_platform::db::{Db, Dialect, Sql, SqlExecutor as _};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::deep_feeds::{start_shop_with_feeds, subscribe};
use crate::hostile_images::compressed_zeros;
use crate::kill::{KillableServer, free_port};
use crate::panel::Panel;
use crate::placing_orders::create_api_key;

/// Bytes that the server may use in addition to the idle process.
const MAX_FEED_MEMORY: u64 = 50_000_000;
/// Bytes that the server may use in addition to the idle process.
const MAX_CONNECTION_MEMORY: u64 = 30_000_000;
/// Subscriptions to each kind of feed. The server polls them in parallel.
const SUBSCRIPTIONS_PER_FEED: usize = 3;

/// The response of the feed server for one channel.
#[derive(Clone)]
enum Feed {
    Text(String),
    /// A string that the server repeats without end.
    Endless(&'static str),
    /// A body, and the `Content-Encoding` of the response.
    Encoded(&'static str, Bytes),
}

type Feeds = BTreeMap<&'static str, Feed>;

fn hostile_feeds() -> Feeds {
    let rss = |head: &str, items: &str| {
        Feed::Text(format!("{head}<rss version=\"2.0\"><channel><title>A</title>{items}</channel></rss>"))
    };
    let nested_entities: String = (1..10)
        .map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)))
        .collect();
    let nested_entities =
        format!("<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY l0 \"lol\">{nested_entities}]>");
    let long_entity = "x".repeat(500_000);
    let repeated_entity = format!("<!DOCTYPE rss [<!ENTITY a \"{long_entity}\">]>");
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=\"\"")).collect();
    let links: String =
        (0..30_000).map(|number| format!("<item><link>https://a.example/{number}</link></item>")).collect();
    let compressed_zeros_body = Bytes::from(compressed_zeros());
    [
        ("laughs", rss(&nested_entities, "<item><link>&l9;</link></item>")),
        ("quadratic", rss(&repeated_entity, &"<item><link>&a;</link></item>".repeat(10_000))),
        ("deep", rss("", &"<g>".repeat(300_000))),
        ("attributes", rss("", &format!("<item{attributes}/>"))),
        ("items", rss("", &links)),
        ("lists", Feed::Text(format!("[{}1]", "[],".repeat(300_000)))),
        ("names", Feed::Text(format!("{{{}\"a\":1}}", "\"b\":1,".repeat(150_000)))),
        (
            "endless",
            Feed::Endless("<rss version=\"2.0\"><channel><item><link>https://a.example/1</link></item>"),
        ),
        ("endless text", Feed::Endless("                                                                ")),
        ("deflate", Feed::Encoded("deflate", compressed_zeros_body.clone())),
        // A decoder detects the wrong checksum only after it has expanded the whole body.
        (
            "gzip",
            Feed::Encoded(
                "gzip",
                [b"\x1f\x8b\x08\0\0\0\0\0\0\xff", &compressed_zeros_body[2..]].concat().into(),
            ),
        ),
    ]
    .into()
}

async fn serve_feed(State(feeds): State<Feeds>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    let name = query.get("of").and_then(|channel| channel.strip_prefix("https://bomb.example/"));
    let name = name.and_then(|name| name.split('/').next()).unwrap_or_default().replace('-', " ");
    match feeds.get(name.as_str()) {
        None => "<rss version=\"2.0\"><channel><title>A</title></channel></rss>".into_response(),
        Some(Feed::Text(text)) => text.clone().into_response(),
        Some(Feed::Endless(chunk)) => {
            let chunk = Bytes::from(chunk.repeat(1_000));
            let chunks = std::iter::repeat_with(move || Ok::<_, Infallible>(chunk.clone()));
            Body::from_stream(futures_util::stream::iter(chunks)).into_response()
        }
        Some(Feed::Encoded(encoding, bytes)) => {
            ([(header::CONTENT_ENCODING, *encoding)], bytes.clone()).into_response()
        }
    }
}

fn print_used_memory(attack: &str, used_memory: u64, idle_memory: u64) {
    if std::env::var_os("PANEL_TEST_MEMORY").is_some() {
        eprintln!("{attack}: {} kB above {} kB", used_memory / 1000, idle_memory / 1000);
    }
}

/// The database does not matter here, so the test runs on SQLite only.
#[tokio::test]
async fn hostile_feeds_are_rejected_and_use_little_memory() {
    let (shop, first_api_key) = start_shop_with_feeds(Dialect::Sqlite).await;
    let second_api_key = create_api_key(&shop.panel, 2).await;
    let feeds = hostile_feeds();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let feed_url_template =
        format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr().unwrap());
    shop.set_feed_template(json!(feed_url_template)).await;
    let router = Router::new().fallback(serve_feed).with_state(feeds.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let healthy_id = subscribe(&shop, &first_api_key, "https://video.example/@channel").await;
    let mut hostile_subscriptions = Vec::new();
    for (feed_index, name) in feeds.keys().enumerate() {
        for copy_index in 0..SUBSCRIPTIONS_PER_FEED {
            let key = if (feed_index * SUBSCRIPTIONS_PER_FEED + copy_index).is_multiple_of(2) {
                &first_api_key
            } else {
                &second_api_key
            };
            let channel = format!("https://bomb.example/{}/{copy_index}", name.replace(' ', "-"));
            hostile_subscriptions.push((*name, subscribe(&shop, key, &channel).await));
        }
    }
    let config = shop.panel.app.config.clone();
    shop.panel.app.db.close().await;
    let db = Db::connect(&config.database()).await.unwrap();
    let poll_only_healthy_sql =
        "UPDATE subscriptions SET next_poll_at = CASE WHEN id = ? THEN 1 ELSE 4102444800000000 END";
    (&mut &db).execute(Sql::new(poll_only_healthy_sql).bind(healthy_id)).await.unwrap();
    let mut server = KillableServer::start_with_environment(
        &config,
        free_port(),
        &[("PANEL_OUTBOUND__ALLOW_HTTP", "true"), ("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")],
    );
    let count_polled_sql = "SELECT count(*) FROM subscriptions WHERE id = ? AND last_polled_at > 1";
    let waiting_since = Instant::now();
    while (&mut &db).fetch_one::<(i64,)>(Sql::new(count_polled_sql).bind(healthy_id)).await.unwrap().0 == 0 {
        assert!(
            server.is_alive() && waiting_since.elapsed() < Duration::from_secs(60),
            "the healthy feed was not polled"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let idle_memory = server.memory_bytes("VmRSS:");
    server.reset_peak_memory();
    let poll_hostile_sql = "UPDATE subscriptions SET next_poll_at = 1 WHERE id <> ?";
    (&mut &db).execute(Sql::new(poll_hostile_sql).bind(healthy_id)).await.unwrap();
    let count_unpolled_sql = "SELECT count(*) FROM subscriptions WHERE id <> ? AND poll_failures = 0 AND COALESCE(last_polled_at, 0) <= 1";
    let waiting_since = Instant::now();
    while (&mut &db).fetch_one::<(i64,)>(Sql::new(count_unpolled_sql).bind(healthy_id)).await.unwrap().0 > 0 {
        assert!(server.is_alive(), "a feed killed the server");
        assert!(waiting_since.elapsed() < Duration::from_secs(60), "some feeds were not polled");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let used_memory = server.memory_bytes("VmHWM:").saturating_sub(idle_memory);
    print_used_memory("feeds", used_memory, idle_memory);
    for (name, id) in hostile_subscriptions {
        let sql = Sql::new("SELECT poll_error, subscription_contents_count FROM subscriptions WHERE id = ?");
        let (error, contents): (Option<String>, i64) = (&mut &db).fetch_one(sql.bind(id)).await.unwrap();
        // The feed of many items is valid. The items are older than the subscription, so the server ignores them.
        let is_rejected = error.is_some_and(|error| error.len() < 500);
        assert!((is_rejected || name == "items") && contents == 0, "{name}: {contents}");
    }
    assert!(server.is_alive() && used_memory <= MAX_FEED_MEMORY, "{used_memory} bytes above {idle_memory}");
    server.kill();
    db.close().await;
}

/// Opens a connection from one of eight loopback addresses, because the server limits the connections of one address.
async fn connect(port: u16, index: usize) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    let last_octet = u8::try_from(1 + index % 8).unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, last_octet], 0))).unwrap();
    socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await.ok()
}

/// Sends bytes to a server that may close the connection, and leaves the connection open.
async fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let send_result = tokio::time::timeout(Duration::from_secs(2), stream.write_all(bytes)).await;
    // Whether the server read the bytes does not matter, because the test measures only its memory.
    drop(send_result);
}

/// The kinds of unfinished requests, each as the chunks that a connection sends.
fn unfinished_requests() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let head = |path: &str, headers: &str| {
        format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{headers}\r\n")
            .into_bytes()
    };
    let chunk = [b"40000\r\n".to_vec(), vec![b' '; 0x40000], b"\r\n".to_vec()].concat();
    let one_byte_chunks: Vec<Vec<u8>> = std::iter::repeat_n(b"1\r\n \r\n".to_vec(), 200).collect();
    let pipelined_gets =
        b"GET /openapi.json HTTP/1.1\r\nhost: x\r\naccept-encoding: identity\r\n\r\n".repeat(50);
    let values = format!("{{\"z\":[{}", "0,".repeat(400_000)).into_bytes();
    let upgrade = b"GET /ws/app/panel?protocol=7 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".to_vec();
    let frame = [&[0x81, 0xfe, 0x20, 0, 0, 0, 0, 0][..], &[b' '; 8_000]].concat();
    vec![
        (
            "large bodies that do not end",
            vec![head("/login", "content-length: 1048576\r\n"), vec![b' '; 1_048_000]],
        ),
        (
            "chunks that do not end",
            [vec![head("/api/v2", "transfer-encoding: chunked\r\n")], vec![chunk; 3]].concat(),
        ),
        (
            "bodies in chunks of one byte",
            [vec![head("/api/v2", "transfer-encoding: chunked\r\n")], one_byte_chunks].concat(),
        ),
        ("bodies of many values", vec![head("/api/v2", "content-length: 1000000\r\n"), values]),
        ("heads that do not end", vec![b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'x'; 31_000]]),
        ("responses that the client does not read", vec![pipelined_gets]),
        ("sockets with half a frame", vec![upgrade, frame]),
    ]
}

/// The database does not matter here, so the test runs on SQLite only.
#[tokio::test]
async fn unfinished_requests_on_many_connections_use_little_memory() {
    let panel = Panel::start(Dialect::Sqlite).await;
    panel.app.db.close().await;
    let port = free_port();
    let mut server = KillableServer::start_with_environment(&panel.app.config, port, &[]);
    // The server caches the responses of these requests, so the test does not measure the memory that building them needs.
    for path in ["/openapi.json", "/settings", "/healthz"] {
        let address = format!("http://127.0.0.1:{port}{path}");
        assert_eq!(crate::test_server::client().get(address).send().await.unwrap().status(), 200);
    }
    let mut over_limit = Vec::new();
    for (name, chunks) in unfinished_requests() {
        let idle_memory = server.memory_bytes("VmRSS:");
        server.reset_peak_memory();
        let mut connections = Vec::new();
        let senders = (0..400).map(|index| {
            let chunks = chunks.clone();
            tokio::spawn(async move {
                let mut stream = connect(port, index).await?;
                for chunk in &chunks {
                    send(&mut stream, chunk).await;
                }
                Some(stream)
            })
        });
        for sender in senders.collect::<Vec<_>>() {
            connections.push(sender.await.unwrap());
        }
        let used_memory = server.memory_bytes("VmHWM:").saturating_sub(idle_memory);
        print_used_memory(name, used_memory, idle_memory);
        assert!(
            connections.iter().flatten().count() >= 300,
            "{name}: the server rejected too many connections"
        );
        if used_memory > MAX_CONNECTION_MEMORY {
            over_limit.push((name, used_memory, idle_memory));
        }
        drop(connections);
    }
    assert!(server.is_alive() && over_limit.is_empty(), "{over_limit:?}");
}
