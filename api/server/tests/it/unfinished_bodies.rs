//! Requests that do not end: what they may hold of the server's memory, how long, and that others go on meanwhile.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use image::{ImageFormat, RgbImage};
use panel_platform::config::Config;
use panel_platform::config::OVERHEAD_BYTES;
use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::panel::Panel;
use crate::served::Served;

both! {
    dripped_bodies_hold_little_memory;
    slow_bodies_end_with_a_sentence;
    a_full_budget_refuses_and_is_freed_by_hanging_up;
    an_address_sends_so_many_bodies;
    json_is_taken_up_to_its_limit;
    a_form_with_an_image_is_taken_up_to_its_limits;
}

const RESELLER: &str = "/api/v2";
const PAYMENTS: &str = "/api/v1/admin/payments";
const BANNERS: &str = "/api/v1/admin/banners";
const CHUNKED: &str = "transfer-encoding: chunked\r\n";
/// The largest body where budgets are small.
const SMALL: usize = 64 * 1024;

/// A panel whose clients say their addresses, with a budget for one public body of an address and two in all.
async fn narrow(dialect: Dialect) -> Served {
    serve(dialect, |config| {
        config.limits.body_bytes = SMALL;
        config.limits.public_bodies_bytes = 2 * (SMALL + OVERHEAD_BYTES);
    })
    .await
}

async fn serve(dialect: Dialect, change: impl FnOnce(&mut Config)) -> Served {
    let panel = Panel::with(dialect, |config| {
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        change(config);
        config.check().unwrap();
    });
    Served::start(panel.await).await
}

/// A connection that speaks HTTP by hand.
struct Raw(TcpStream);

impl Raw {
    async fn open(served: &Served) -> Self {
        let stream = TcpStream::connect(served.host()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    /// The head of a POST from an address, with more headers, and the first bytes of its body.
    async fn post(served: &Served, path: &str, from: &str, headers: &str, body: &[u8]) -> Self {
        let mut raw = Self::open(served).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: {from}\r\ncontent-type: application/json\r\n{headers}\r\n"
        );
        raw.send(head.as_bytes()).await;
        raw.send(body).await;
        raw
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    /// All that comes until the server closes the connection.
    async fn until_closed(mut self) -> String {
        let mut answer = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(20), self.0.read_to_end(&mut answer)).await;
        assert!(end.is_ok(), "the server did not close the connection");
        // A reset is an end as well.
        drop(end);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// One chunk.
fn chunk(bytes: usize) -> Vec<u8> {
    let mut chunk = format!("{bytes:x}\r\n").into_bytes();
    chunk.extend(vec![b' '; bytes]);
    chunk.extend(b"\r\n");
    chunk
}

/// Asks the server until it has received what makes `is_so` true; each question is a whole request.
async fn until(served: &Served, is_so: impl Fn(usize) -> bool) {
    for _ in 0..5_000 {
        if is_so(served.panel.app.bodies.reserved()) {
            return;
        }
        assert_eq!(served.ask("GET", "/healthz", None, None).await.status, 200);
    }
    panic!("{} bytes are reserved", served.panel.app.bodies.reserved());
}

fn assert_refused(answer: &str, status: &str, code: &str) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    assert!(answer.contains(&format!("\"code\":\"{code}\"")), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    let waits = answer.contains("\r\nretry-after: 5\r\n");
    assert_eq!(waits, ["429", "503"].contains(&status), "{answer}");
}

async fn dripped_bodies_hold_little_memory(dialect: Dialect) {
    let served = serve(dialect, |_| {}).await;
    let mut senders = Vec::new();
    for headers in [CHUNKED, "content-length: 100000\r\n"].repeat(10) {
        let is_chunked = headers == CHUNKED;
        let mut sender = Raw::post(&served, "/login", "203.0.113.1", headers, b"").await;
        for _ in 0..1_100 {
            sender.send(if is_chunked { b"1\r\n \r\n" } else { b" " }).await;
        }
        senders.push(sender);
    }
    // 1,100 bytes need a buffer of 2 KiB each, however many frames they came in.
    let most = senders.len() * (OVERHEAD_BYTES + 2_048);
    until(&served, |reserved| reserved == most).await;
    drop(senders);
    until(&served, |reserved| reserved == 0).await;
}

async fn slow_bodies_end_with_a_sentence(dialect: Dialect) {
    let served = serve(dialect, |config| config.limits.body_grace_seconds = 1).await;
    let token = "authorization: Bearer owner\r\n";
    let senders = [
        Raw::post(&served, "/login", "203.0.113.1", CHUNKED, b"1\r\n{\r\n").await,
        Raw::post(&served, "/login", "203.0.113.1", "content-length: 100\r\n", b"{").await,
        Raw::post(&served, PAYMENTS, "203.0.113.1", &format!("{token}{CHUNKED}"), b"1\r\n{\r\n").await,
        // What stands in no byte of a body counts nothing.
        Raw::post(&served, "/login", "203.0.113.1", CHUNKED, b"1;extension").await,
    ];
    for sender in senders {
        let answer = sender.until_closed().await;
        assert_refused(&answer, "408", "body_too_slow");
        assert!(answer.contains("Send at least 500 bytes per second"), "{answer}");
    }
    assert_eq!(served.panel.app.bodies.reserved(), 0);
}

async fn a_full_budget_refuses_and_is_freed_by_hanging_up(dialect: Dialect) {
    let served = narrow(dialect).await;
    let whole = SMALL + OVERHEAD_BYTES;
    let large = |from| Raw::post(&served, RESELLER, from, CHUNKED, &[]);
    let mut held = Vec::new();
    for from in ["203.0.113.1", "203.0.113.2"] {
        let mut sender = large(from).await;
        sender.send(&chunk(SMALL)).await;
        held.push(sender);
    }
    until(&served, |reserved| reserved == 2 * whole).await;
    // The address has its share already; the next one finds all that is public in use.
    let again = large("203.0.113.1").await.until_closed().await;
    assert_refused(&again, "429", "too_many_bodies");
    let other = large("203.0.113.3").await.until_closed().await;
    assert_refused(&other, "503", "bodies_full");
    assert!(other.contains("no memory for more request bodies"), "{other}");
    // Authenticated requests are still served, and requests without a body need no budget.
    let signed_in = served.ask("POST", PAYMENTS, Some("owner"), Some("{}")).await;
    assert_eq!(signed_in.status, 422, "{signed_in:?}");
    assert_eq!(served.ask("GET", "/settings", None, None).await.status, 200);
    assert_eq!(served.ask("POST", RESELLER, None, Some("{}")).await.status, 503);
    drop(held.pop());
    until(&served, |reserved| reserved == whole).await;
    assert_eq!(served.ask("POST", RESELLER, None, Some("{}")).await.status, 200);
    drop(held);
    until(&served, |reserved| reserved == 0).await;
}

async fn an_address_sends_so_many_bodies(dialect: Dialect) {
    let served = serve(dialect, |config| config.limits.bodies_per_address = 2).await;
    let post = |from| Raw::post(&served, "/login", from, "content-length: 2\r\n", b"{");
    let mut held = vec![post("203.0.113.1").await, post("203.0.113.1").await];
    until(&served, |reserved| reserved == 2 * (OVERHEAD_BYTES + 2)).await;
    assert_refused(&post("203.0.113.1").await.until_closed().await, "429", "too_many_bodies");
    // An invented hop to the left of the proxy's does not help, another address has bodies of its own.
    assert_refused(&post("203.0.113.9, 203.0.113.1").await.until_closed().await, "429", "too_many_bodies");
    held.push(post("203.0.113.2").await);
    until(&served, |reserved| reserved == 3 * (OVERHEAD_BYTES + 2)).await;
    // A body that comes to its end makes room.
    let mut first = held.remove(0);
    first.send(b"}").await;
    until(&served, |reserved| reserved == 2 * (OVERHEAD_BYTES + 2)).await;
    held.push(post("203.0.113.1").await);
    until(&served, |reserved| reserved == 3 * (OVERHEAD_BYTES + 2)).await;
}

async fn json_is_taken_up_to_its_limit(dialect: Dialect) {
    let served = serve(dialect, |_| {}).await;
    let limit = served.panel.app.config.limits.body_bytes;
    for (length, status) in [(limit, 422), (limit + 1, 413)] {
        let text = format!("{{}}{}", " ".repeat(length - 2));
        let got = served.panel.answer(json(Body::from(text.clone()))).await;
        assert_eq!(got.status, status, "announced: {}", got.text);
        let frames: Vec<_> = text.into_bytes().chunks(7_000).map(<[u8]>::to_vec).collect();
        let frames = frames.into_iter().map(Ok::<_, std::convert::Infallible>);
        let body = Body::from_stream(futures_util::stream::iter(frames));
        let got = served.panel.answer(json(body)).await;
        assert_eq!(got.status, status, "in frames: {}", got.text);
    }
    let got =
        served.ask("POST", PAYMENTS, Some("owner"), Some(&format!("{{}}{}", " ".repeat(limit - 2)))).await;
    assert_eq!(got.status, 422, "{got:?}");
    assert_eq!(served.panel.app.bodies.reserved(), 0);
}

fn json(body: Body) -> Request<Body> {
    Request::post(PAYMENTS)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "application/json")
        .body(body)
        .unwrap()
}

/// A PNG of the largest size; behind its end it is padded.
fn png(bytes: usize) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    RgbImage::new(200, 75).write_to(&mut out, ImageFormat::Png).unwrap();
    let mut png = out.into_inner();
    png.resize(bytes, 0);
    png
}

async fn a_form_with_an_image_is_taken_up_to_its_limits(dialect: Dialect) {
    let served = serve(dialect, |_| {}).await;
    let uploads = &served.panel.app.config.uploads;
    let mut form = b"\r\n--XX\r\nContent-Disposition: form-data; name=\"place\"\r\n\r\nsidebar\r\n--XX\r\nContent-Disposition: form-data; name=\"informations[0][image]\"; filename=\"a.png\"\r\n\r\n".to_vec();
    form.extend(png(uploads.file_bytes));
    form.extend(b"\r\n--XX--\r\n");
    for (length, status) in [(uploads.request_bytes, 200), (uploads.request_bytes + 1, 413)] {
        // What stands before the first boundary says nothing.
        let mut body = vec![b' '; length - form.len()];
        body.extend(&form);
        let shape = |request: reqwest::RequestBuilder| {
            let kind = "multipart/form-data; boundary=XX";
            request.bearer_auth("owner").header("content-type", kind).body(body)
        };
        if status == 200 {
            let got = served.send(shape, "POST", BANNERS).await;
            assert_eq!(got.status, status, "{got:?}");
            continue;
        }
        let request = Request::post(BANNERS)
            .header(header::AUTHORIZATION, "Bearer owner")
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=XX");
        let got = served.panel.answer(request.body(Body::from(vec![b' '; length])).unwrap()).await;
        assert_eq!(got.status, status, "{}", got.text);
    }
    assert_eq!(served.panel.app.bodies.reserved(), 0);
}

#[tokio::test]
async fn extensions_and_trailers_are_bounded() {
    let served = serve(Dialect::Sqlite, |_| {}).await;
    let endless = ["1;x=".to_owned(), "2\r\n{}\r\n0\r\nx-trailer: ".to_owned()];
    for begin in endless {
        let mut body = begin.into_bytes();
        body.extend(vec![b'y'; 40_000]);
        let answer = Raw::post(&served, "/login", "203.0.113.1", CHUNKED, &body).await.until_closed().await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    let many = format!("2\r\n{{}}\r\n0\r\n{}\r\n", "x-t: 1\r\n".repeat(150));
    let answer =
        Raw::post(&served, "/login", "203.0.113.1", CHUNKED, many.as_bytes()).await.until_closed().await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let few = format!("connection: close\r\n{CHUNKED}");
    let body = b"2;x=y\r\n{}\r\n0\r\nx-trailer: 1\r\n\r\n";
    let answer = Raw::post(&served, "/login", "203.0.113.1", &few, body).await.until_closed().await;
    assert!(answer.starts_with("HTTP/1.1 422"), "{answer}");
    until(&served, |reserved| reserved == 0).await;
}

#[tokio::test]
async fn pipelined_requests_are_answered_one_by_one() {
    let served = serve(Dialect::Sqlite, |_| {}).await;
    let mut raw = Raw::open(&served).await;
    let one =
        "POST /login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    let last = one.replace("host: x", "host: x\r\nconnection: close");
    raw.send(format!("{}{last}", one.repeat(200)).as_bytes()).await;
    let answers = raw.until_closed().await;
    assert_eq!(answers.matches("HTTP/1.1 422 ").count(), 201, "{answers:.300}");
    assert_eq!(served.panel.app.bodies.reserved(), 0);
}

#[tokio::test]
async fn long_heads_that_do_not_end_are_counted() {
    let panel = Panel::with(Dialect::Sqlite, |config| {
        config.limits.body_bytes = SMALL;
        config.limits.public_bodies_bytes = SMALL + OVERHEAD_BYTES;
    });
    let served = Served::start(panel.await).await;
    let mut held = Vec::new();
    for _ in 0..5 {
        let mut raw = Raw::open(&served).await;
        raw.send(format!("GET /healthz HTTP/1.1\r\nx-long: {}", "x".repeat(10_000)).as_bytes()).await;
        held.push(raw);
    }
    until(&served, |reserved| reserved == 5 * OVERHEAD_BYTES).await;
    let mut refused = Raw::open(&served).await;
    refused.send(format!("GET /healthz HTTP/1.1\r\nx-long: {}", "x".repeat(10_000)).as_bytes()).await;
    assert_eq!(refused.until_closed().await, "", "there is no room for one more");
    // A head that ends is answered, and gives back what it had.
    let mut first = held.remove(0);
    first.send(b"\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(first.until_closed().await.starts_with("HTTP/1.1 200"));
    drop(held);
    until(&served, |reserved| reserved == 0).await;
}

#[tokio::test]
async fn values_of_bodies_are_bounded_and_take_of_the_budget() {
    let served = narrow(Dialect::Sqlite).await;
    let list = |values: usize| format!("{{\"action\":\"add\",\"z\":[{}1]}}", "0,".repeat(values));
    let code = async |path: &str, token: Option<&str>, body: String| {
        let got = served.ask("POST", path, token, Some(&body)).await;
        (got.status, got.json()["code"].as_str().unwrap_or_default().to_owned())
    };
    let refused = |status, code: &str| (status, code.to_owned());
    assert_eq!(code(RESELLER, None, list(5_000)).await, refused(413, "too_many_values"));
    // Two kilobytes, but what is made of them is more than an address may have here.
    assert_eq!(code(RESELLER, None, list(1_000)).await, refused(429, "too_many_bodies"));
    assert_eq!(code(RESELLER, None, list(100)).await.0, 200);
    assert_eq!(code(PAYMENTS, Some("owner"), list(20_000)).await.0, 422, "staff send ten thousand ids");
    let form = |fields: usize| {
        let body = vec!["a=1"; fields].join("&");
        let kind = "application/x-www-form-urlencoded";
        served.send(move |request| request.header("content-type", kind).body(body), "POST", RESELLER)
    };
    let got = form(5_001).await;
    assert_eq!((got.status, got.json()["code"].as_str()), (413, Some("too_many_values")));
    assert_eq!(served.panel.app.bodies.reserved(), 0);
}

#[tokio::test]
async fn a_query_is_decoded_after_its_body_has_come() {
    let served = serve(Dialect::Sqlite, |config| config.limits.body_grace_seconds = 1).await;
    let post = |headers| Raw::post(&served, "/api/v2?a=%", "203.0.113.1", headers, b"{}");
    assert_refused(&post("content-length: 3\r\n").await.until_closed().await, "408", "body_too_slow");
    let whole = post("connection: close\r\ncontent-length: 2\r\n").await.until_closed().await;
    assert!(whole.starts_with("HTTP/1.1 422") && whole.contains("percent sign"), "{whole}");
}

/// A client that is not signed in may open a socket.
#[tokio::test]
async fn a_frame_larger_than_a_message_is_refused_by_its_header() {
    let served = Served::on(Dialect::Sqlite).await;
    let mut raw = Raw::open(&served).await;
    raw.send(b"GET /ws/app/panel?protocol=7 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").await;
    // A text of one megabyte, masked, of which not a byte comes.
    raw.send(&[0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]).await;
    let answer = raw.until_closed().await;
    assert!(answer.starts_with("HTTP/1.1 101") && answer.contains("connection_established"), "{answer}");
}
