//! What strangers can make the running program hold: feeds that unfold or do not end, and hundreds of connections with
//! bodies, heads and frames that never come to an end. Measured by the kernel above what the program has when it is idle.
//! Images are measured in `upload_memory`, workbooks in panelctl, which alone reads them.
//!
//! `PANEL_TEST_MEMORY=1` prints each kind.

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

use crate::deep_feeds::{followed, subscribe};
use crate::hostile_images::packed_zeros;
use crate::intake::key;
use crate::kill::{Server, free_port};
use crate::panel::Panel;

/// The most that feeds may take.
const MOST_OF_FEEDS: u64 = 50_000_000;
/// The most that connections may take.
const MOST_OF_CONNECTIONS: u64 = 30_000_000;
/// Subscriptions to each kind of feed, which are looked at beside one another.
const OF_EACH: usize = 3;

/// What a channel answers.
#[derive(Clone)]
enum Feed {
    Text(String),
    /// This piece again and again, without an end.
    Endless(&'static str),
    /// Bytes under a `Content-Encoding`.
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
    let attributes: String = (0..100_000).map(|at| format!(" a{at}=\"\"")).collect();
    let links: String =
        (0..30_000).map(|at| format!("<item><link>https://a.example/{at}</link></item>")).collect();
    let zeros = Bytes::from(packed_zeros());
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
        // A decoder would notice the wrong sum at the end only, after it has unfolded all of it.
        ("gzip", Feed::Encoded("gzip", [b"\x1f\x8b\x08\0\0\0\0\0\0\xff", &zeros[2..]].concat().into())),
    ]
    .into()
}

async fn answer(State(feeds): State<Feeds>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    let name = query.get("of").and_then(|of| of.strip_prefix("https://bomb.example/"));
    let name = name.and_then(|name| name.split('/').next()).unwrap_or_default().replace('-', " ");
    match feeds.get(name.as_str()) {
        None => "<rss version=\"2.0\"><channel><title>A</title></channel></rss>".into_response(),
        Some(Feed::Text(text)) => text.clone().into_response(),
        Some(Feed::Endless(piece)) => {
            let piece = Bytes::from(piece.repeat(1_000));
            let pieces = std::iter::repeat_with(move || Ok::<_, Infallible>(piece.clone()));
            Body::from_stream(futures_util::stream::iter(pieces)).into_response()
        }
        Some(Feed::Encoded(how, bytes)) => {
            ([(header::CONTENT_ENCODING, *how)], bytes.clone()).into_response()
        }
    }
}

fn says(what: &str, taken: u64, idle: u64) {
    if std::env::var_os("PANEL_TEST_MEMORY").is_some() {
        eprintln!("{what}: {} kB above {} kB", taken / 1000, idle / 1000);
    }
}

/// No database is part of it, so one is enough.
#[tokio::test]
async fn hostile_feeds_are_refused_and_take_little_memory() {
    let (followed, first_key) = followed(Dialect::Sqlite).await;
    let second_key = key(&followed.panel, 2).await;
    let feeds = hostile_feeds();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let template = format!("http://{}/feed?of={{url}}&type={{type}}", listener.local_addr().unwrap());
    followed.point(json!(template)).await;
    let router = Router::new().fallback(answer).with_state(feeds.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let healthy = subscribe(&followed, &first_key, "https://video.example/@channel").await;
    let mut hostile = Vec::new();
    for (at, name) in feeds.keys().enumerate() {
        for of in 0..OF_EACH {
            let key = if (at * OF_EACH + of).is_multiple_of(2) { &first_key } else { &second_key };
            let channel = format!("https://bomb.example/{}/{of}", name.replace(' ', "-"));
            hostile.push((*name, subscribe(&followed, key, &channel).await));
        }
    }
    let config = followed.panel.app.config.clone();
    followed.panel.app.db.close().await;
    let db = Db::connect(&config.database()).await.unwrap();
    let due = "UPDATE subscriptions SET look_at = CASE WHEN id = ? THEN 1 ELSE 4102444800000000 END";
    (&mut &db).exec(Sql::new(due).bind(healthy)).await.unwrap();
    let mut program = Server::start_with(
        &config,
        free_port(),
        &[("PANEL_OUTBOUND__ALLOW_HTTP", "true"), ("PANEL_OUTBOUND__ALLOWED_NETWORKS", "[\"127.0.0.0/8\"]")],
    );
    let looked = "SELECT count(*) FROM subscriptions WHERE id = ? AND looked_at > 1";
    let began = Instant::now();
    while (&mut &db).one::<(i64,)>(Sql::new(looked).bind(healthy)).await.unwrap().0 == 0 {
        assert!(
            program.lives() && began.elapsed() < Duration::from_secs(60),
            "the healthy feed was not looked at"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let idle = program.memory("VmRSS:");
    program.forget_the_peak();
    let due = "UPDATE subscriptions SET look_at = 1 WHERE id <> ?";
    (&mut &db).exec(Sql::new(due).bind(healthy)).await.unwrap();
    let waiting = "SELECT count(*) FROM subscriptions WHERE id <> ? AND look_failures = 0 AND COALESCE(looked_at, 0) <= 1";
    let began = Instant::now();
    while (&mut &db).one::<(i64,)>(Sql::new(waiting).bind(healthy)).await.unwrap().0 > 0 {
        assert!(program.lives(), "the program died of a feed");
        assert!(began.elapsed() < Duration::from_secs(60), "some feeds were not looked at");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let taken = program.memory("VmHWM:").saturating_sub(idle);
    says("feeds", taken, idle);
    for (name, id) in hostile {
        let sql = Sql::new("SELECT look_error, subscription_contents_count FROM subscriptions WHERE id = ?");
        let (error, contents): (Option<String>, i64) = (&mut &db).one(sql.bind(id)).await.unwrap();
        // The one that is only long is a feed, of contents from before the subscription.
        let is_refused = error.is_some_and(|error| error.len() < 500);
        assert!((is_refused || name == "items") && contents == 0, "{name}: {contents}");
    }
    assert!(program.lives() && taken <= MOST_OF_FEEDS, "{taken} bytes above {idle}");
    program.kill();
    db.close().await;
}

/// Opens a connection from one of the addresses of this machine.
async fn connect(port: u16, from: usize) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().unwrap();
    let last = u8::try_from(1 + from % 8).unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, last], 0))).unwrap();
    socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await.ok()
}

/// Sends to a server that may refuse; the connection stays open.
async fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let sent = tokio::time::timeout(Duration::from_secs(2), stream.write_all(bytes)).await;
    // Whether it was taken does not matter: the server's memory is what counts.
    drop(sent);
}

/// What a hostile connection sends first, in pieces.
fn openings() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let head = |path: &str, more: &str| {
        format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{more}\r\n")
            .into_bytes()
    };
    let chunk = [b"40000\r\n".to_vec(), vec![b' '; 0x40000], b"\r\n".to_vec()].concat();
    let dribble: Vec<Vec<u8>> = std::iter::repeat_n(b"1\r\n \r\n".to_vec(), 200).collect();
    let get = b"GET /openapi.json HTTP/1.1\r\nhost: x\r\naccept-encoding: identity\r\n\r\n".repeat(50);
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
            [vec![head("/api/v2", "transfer-encoding: chunked\r\n")], dribble].concat(),
        ),
        ("bodies of many values", vec![head("/api/v2", "content-length: 1000000\r\n"), values]),
        ("heads that do not end", vec![b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'x'; 31_000]]),
        ("answers that are not read", vec![get]),
        ("sockets with half a frame", vec![upgrade, frame]),
    ]
}

/// No database is part of it, so one is enough.
#[tokio::test]
async fn connections_that_never_end_take_little_memory() {
    let panel = Panel::on(Dialect::Sqlite).await;
    panel.app.db.close().await;
    let port = free_port();
    let mut program = Server::start_with(&panel.app.config, port, &[]);
    // What is made once, such as the answers that a program keeps ready.
    for path in ["/openapi.json", "/settings", "/healthz"] {
        let address = format!("http://127.0.0.1:{port}{path}");
        assert_eq!(crate::served::client().get(address).send().await.unwrap().status(), 200);
    }
    let mut above = Vec::new();
    for (name, pieces) in openings() {
        let idle = program.memory("VmRSS:");
        program.forget_the_peak();
        let mut held = Vec::new();
        let senders = (0..400).map(|at| {
            let pieces = pieces.clone();
            tokio::spawn(async move {
                let mut stream = connect(port, at).await?;
                for piece in &pieces {
                    send(&mut stream, piece).await;
                }
                Some(stream)
            })
        });
        for sender in senders.collect::<Vec<_>>() {
            held.push(sender.await.unwrap());
        }
        let taken = program.memory("VmHWM:").saturating_sub(idle);
        says(name, taken, idle);
        assert!(held.iter().flatten().count() >= 300, "{name}: the program takes connections");
        if taken > MOST_OF_CONNECTIONS {
            above.push((name, taken, idle));
        }
        drop(held);
    }
    assert!(program.lives() && above.is_empty(), "{above:?}");
}
