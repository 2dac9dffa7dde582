//! How much memory attackers can make the running binary use: with feeds that expand or never end, and with hundreds of
//! connections whose bodies, headers and frames never end. The tests compare the kernel's peak of resident memory with the idle
//! process. `upload_memory` measures images, and panelctl, which alone reads workbooks, measures those.
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
use panel_platform::db::{Db, Dialect, Source as _, Sql};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::deep_feeds::{shop_with_feeds, subscribe};
use crate::hostile_images::compressed_zeros;
use crate::intake::create_api_key;
use crate::kill::{Server, free_port};
use crate::panel::Panel;

/// In bytes above the idle process.
const MAX_FEED_MEMORY: u64 = 50_000_000;
/// In bytes above the idle process.
const MAX_CONNECTION_MEMORY: u64 = 30_000_000;
/// Subscriptions to each kind of feed. The server polls them in parallel.
const SUBSCRIPTIONS_PER_FEED: usize = 3;

/// The response of the feed server for one channel.
#[derive(Clone)]
enum Feed {
    Text(String),
    /// This piece repeated without end.
    Endless(&'static str),
    /// A body with this `Content-Encoding`.
    Encoded(&'static str, Bytes),
}

type Feeds = BTreeMap<&'static str, Feed>;

fn hostile_feeds() -> Feeds {
    let rss = |head: &str, items: &str| {
        Feed::Text(format!("{head}<rss version=\"2.0\"><channel><title>A</title>{items}</channel></rss>"))
    };
    let laughs: String = (1..10)
        .map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)))
        .collect();
    let laughs = format!("<?xml version=\"1.0\"?><!DOCTYPE rss [<!ENTITY l0 \"lol\">{laughs}]>");
    let long = "x".repeat(500_000);
    let quadratic = format!("<!DOCTYPE rss [<!ENTITY a \"{long}\">]>");
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=\"\"")).collect();
    let links: String =
        (0..30_000).map(|number| format!("<item><link>https://a.example/{number}</link></item>")).collect();
    let zeros = Bytes::from(compressed_zeros());
    [
        ("laughs", rss(&laughs, "<item><link>&l9;</link></item>")),
        ("quadratic", rss(&quadratic, &"<item><link>&a;</link></item>".repeat(10_000))),
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
        ("deflate", Feed::Encoded("deflate", zeros.clone())),
        // A decoder would find the wrong checksum only at the end, after expanding all of it.
        ("gzip", Feed::Encoded("gzip", [b"\x1f\x8b\x08\0\0\0\0\0\0\xff", &zeros[2..]].concat().into())),
    ]
    .into()
}

async fn serve_feed(State(feeds): State<Feeds>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    let name = query.get("of").and_then(|channel| channel.strip_prefix("https://bomb.example/"));
    let name = name.and_then(|name| name.split('/').next()).unwrap_or_default().replace('-', " ");
    match feeds.get(name.as_str()) {
        None => "<rss version=\"2.0\"><channel><title>A</title></channel></rss>".into_response(),
        Some(Feed::Text(text)) => text.clone().into_response(),
        Some(Feed::Endless(piece)) => {
            let piece = Bytes::from(piece.repeat(1_000));
            let pieces = std::iter::repeat_with(move || Ok::<_, Infallible>(piece.clone()));
            Body::from_stream(futures_util::stream::iter(pieces)).into_response()
        }
        Some(Feed::Encoded(encoding, bytes)) => {
            ([(header::CONTENT_ENCODING, *encoding)], bytes.clone()).into_response()
        }
    }
}

fn print_memory(attack: &str, used: u64, idle: u64) {
    if std::env::var_os("PANEL_TEST_MEMORY").is_some() {
        eprintln!("{attack}: {} kB above {} kB", used / 1000, idle / 1000);
    }
}

/// The database does not matter here, so the test runs on SQLite only.
#[tokio::test]
async fn hostile_feeds_are_refused_and_use_little_memory() {
    let (shop, first_key) = shop_with_feeds(Dialect::Sqlite).await;
    let second_key = create_api_key(&shop.panel, 2).await;
    let feeds = hostile_feeds();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let template = format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr().unwrap());
    shop.set_feed_template(json!(template)).await;
    let router = Router::new().fallback(serve_feed).with_state(feeds.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let healthy = subscribe(&shop, &first_key, "https://video.example/@channel").await;
    let mut hostile = Vec::new();
    for (feed_index, name) in feeds.keys().enumerate() {
        for copy in 0..SUBSCRIPTIONS_PER_FEED {
            let key = if (feed_index * SUBSCRIPTIONS_PER_FEED + copy).is_multiple_of(2) {
                &first_key
            } else {
                &second_key
            };
            let channel = format!("https://bomb.example/{}/{copy}", name.replace(' ', "-"));
            hostile.push((*name, subscribe(&shop, key, &channel).await));
        }
    }
    let config = shop.panel.app.config.clone();
    shop.panel.app.db.close().await;
    let db = Db::connect(&config.database()).await.unwrap();
    let due = "UPDATE subscriptions SET next_poll_at = CASE WHEN id = ? THEN 1 ELSE 4102444800000000 END";
    (&mut &db).execute(Sql::new(due).bind(healthy)).await.unwrap();
    let mut program = Server::start_with(
        &config,
        free_port(),
        &[("PANEL_OUTBOUND__ALLOW_HTTP", "true"), ("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")],
    );
    let healthy_polled = "SELECT count(*) FROM subscriptions WHERE id = ? AND last_polled_at > 1";
    let waiting_since = Instant::now();
    while (&mut &db).fetch_one::<(i64,)>(Sql::new(healthy_polled).bind(healthy)).await.unwrap().0 == 0 {
        assert!(
            program.is_alive() && waiting_since.elapsed() < Duration::from_secs(60),
            "the healthy feed was not polled"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let idle = program.memory("VmRSS:");
    program.reset_peak_memory();
    let due = "UPDATE subscriptions SET next_poll_at = 1 WHERE id <> ?";
    (&mut &db).execute(Sql::new(due).bind(healthy)).await.unwrap();
    let not_polled = "SELECT count(*) FROM subscriptions WHERE id <> ? AND poll_failures = 0 AND COALESCE(last_polled_at, 0) <= 1";
    let waiting_since = Instant::now();
    while (&mut &db).fetch_one::<(i64,)>(Sql::new(not_polled).bind(healthy)).await.unwrap().0 > 0 {
        assert!(program.is_alive(), "a feed killed the program");
        assert!(waiting_since.elapsed() < Duration::from_secs(60), "some feeds were not polled");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let used = program.memory("VmHWM:").saturating_sub(idle);
    print_memory("feeds", used, idle);
    for (name, id) in hostile {
        let sql = Sql::new("SELECT poll_error, subscription_contents_count FROM subscriptions WHERE id = ?");
        let (error, contents): (Option<String>, i64) = (&mut &db).fetch_one(sql.bind(id)).await.unwrap();
        // The feed of many items is valid; its items are older than the subscription, so they are no contents.
        let is_refused = error.is_some_and(|error| error.len() < 500);
        assert!((is_refused || name == "items") && contents == 0, "{name}: {contents}");
    }
    assert!(program.is_alive() && used <= MAX_FEED_MEMORY, "{used} bytes above {idle}");
    program.kill();
    db.close().await;
}

/// Opens a connection from one of eight loopback addresses, because the server limits the connections of one address.
async fn connect(port: u16, index: usize) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    let last = u8::try_from(1 + index % 8).unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, last], 0))).unwrap();
    socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await.ok()
}

/// Sends to a server that may refuse the bytes, and leaves the connection open.
async fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let sent = tokio::time::timeout(Duration::from_secs(2), stream.write_all(bytes)).await;
    // Whether the server read the bytes does not matter, because the test measures only its memory.
    drop(sent);
}

/// The kinds of unfinished requests, each in the pieces that a connection sends.
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
            "bodies in pieces of one byte",
            [vec![head("/api/v2", "transfer-encoding: chunked\r\n")], one_byte_chunks].concat(),
        ),
        ("bodies of many values", vec![head("/api/v2", "content-length: 1000000\r\n"), values]),
        ("heads that do not end", vec![b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'x'; 31_000]]),
        ("answers that are not read", vec![pipelined_gets]),
        ("sockets with half a frame", vec![upgrade, frame]),
    ]
}

/// The database does not matter here, so the test runs on SQLite only.
#[tokio::test]
async fn unfinished_requests_on_many_connections_use_little_memory() {
    let panel = Panel::on(Dialect::Sqlite).await;
    panel.app.db.close().await;
    let port = free_port();
    let mut program = Server::start_with(&panel.app.config, port, &[]);
    // Requests whose responses the server caches, so that building them is not measured below.
    for path in ["/openapi.json", "/settings", "/healthz"] {
        let address = format!("http://127.0.0.1:{port}{path}");
        assert_eq!(crate::test_server::client().get(address).send().await.unwrap().status(), 200);
    }
    let mut over_limit = Vec::new();
    for (name, pieces) in unfinished_requests() {
        let idle = program.memory("VmRSS:");
        program.reset_peak_memory();
        let mut connections = Vec::new();
        let senders = (0..400).map(|index| {
            let pieces = pieces.clone();
            tokio::spawn(async move {
                let mut stream = connect(port, index).await?;
                for piece in &pieces {
                    send(&mut stream, piece).await;
                }
                Some(stream)
            })
        });
        for sender in senders.collect::<Vec<_>>() {
            connections.push(sender.await.unwrap());
        }
        let used = program.memory("VmHWM:").saturating_sub(idle);
        print_memory(name, used, idle);
        assert!(
            connections.iter().flatten().count() >= 300,
            "{name}: the program refused too many connections"
        );
        if used > MAX_CONNECTION_MEMORY {
            over_limit.push((name, used, idle));
        }
        drop(connections);
    }
    assert!(program.is_alive() && over_limit.is_empty(), "{over_limit:?}");
}
