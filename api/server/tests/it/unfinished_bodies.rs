//! Requests that do not end: how much memory of the server they may reserve, for how long, and that other requests still get a response.

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
use crate::test_server::TestServer;

test_both_databases! {
    slow_bodies_reserve_little_memory;
    slow_bodies_are_rejected_with_an_explanation;
    a_full_budget_rejects_bodies_and_closed_connections_release_it;
    the_bodies_of_an_address_are_limited;
    json_is_accepted_up_to_its_limit;
    a_form_with_an_image_is_accepted_up_to_its_limits;
}

const RESELLER_PATH: &str = "/api/v2";
const PAYMENTS_PATH: &str = "/api/v1/admin/payments";
const BANNERS_PATH: &str = "/api/v1/admin/banners";
const CHUNKED: &str = "transfer-encoding: chunked\r\n";
/// The size limit of a body, in bytes, in the tests with a small budget.
const SMALL_BODY_BYTES: usize = 64 * 1024;

/// A panel with a budget for one public body per address and two in all.
async fn serve_with_small_budget(dialect: Dialect) -> TestServer {
    serve(dialect, |config| {
        config.limits.body_bytes = SMALL_BODY_BYTES;
        config.limits.public_bodies_bytes = 2 * (SMALL_BODY_BYTES + OVERHEAD_BYTES);
    })
    .await
}

/// A panel that trusts the `x-forwarded-for` header of its clients.
async fn serve(dialect: Dialect, change: impl FnOnce(&mut Config)) -> TestServer {
    let panel = Panel::with_config(dialect, |config| {
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        change(config);
        config.check().unwrap();
    });
    TestServer::serve(panel.await).await
}

/// A TCP connection on which the test writes HTTP itself.
struct RawConnection(TcpStream);

impl RawConnection {
    async fn open(server: &TestServer) -> Self {
        let stream = TcpStream::connect(server.host()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self(stream)
    }

    /// Sends the head of a POST from an address, with extra headers, and the first bytes of its body.
    async fn post(server: &TestServer, path: &str, from: &str, headers: &str, body: &[u8]) -> Self {
        let mut connection = Self::open(server).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: {from}\r\ncontent-type: application/json\r\n{headers}\r\n"
        );
        connection.send(head.as_bytes()).await;
        connection.send(body).await;
        connection
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    /// Reads until the server closes the connection.
    async fn until_closed(mut self) -> String {
        let mut response = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(20), self.0.read_to_end(&mut response)).await;
        assert!(read.is_ok(), "the server did not close the connection");
        // A reset also closes the connection.
        drop(read);
        String::from_utf8_lossy(&response).into_owned()
    }
}

fn body_chunk(bytes: usize) -> Vec<u8> {
    let mut body_chunk = format!("{bytes:x}\r\n").into_bytes();
    body_chunk.extend(vec![b' '; bytes]);
    body_chunk.extend(b"\r\n");
    body_chunk
}

/// Sends health requests until the number of reserved bytes satisfies the condition.
async fn wait_for_reserved(server: &TestServer, condition: impl Fn(usize) -> bool) {
    for _ in 0..5_000 {
        if condition(server.panel.app.body_budget.reserved_bytes()) {
            return;
        }
        assert_eq!(server.request("GET", "/healthz", None, None).await.status, 200);
    }
    panic!("{} bytes are reserved", server.panel.app.body_budget.reserved_bytes());
}

fn assert_rejected(response: &str, status: &str, code: &str) {
    assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
    assert!(response.contains(&format!("\"code\":\"{code}\"")), "{response}");
    assert!(response.contains("\r\nconnection: close\r\n"), "{response}");
    let has_retry_after = response.contains("\r\nretry-after: 5\r\n");
    assert_eq!(has_retry_after, ["429", "503"].contains(&status), "{response}");
}

async fn slow_bodies_reserve_little_memory(dialect: Dialect) {
    let server = serve(dialect, |_| {}).await;
    let mut senders = Vec::new();
    for headers in [CHUNKED, "content-length: 100000\r\n"].repeat(10) {
        let is_chunked = headers == CHUNKED;
        let mut sender = RawConnection::post(&server, "/login", "203.0.113.1", headers, b"").await;
        for _ in 0..1_100 {
            sender.send(if is_chunked { b"1\r\n \r\n" } else { b" " }).await;
        }
        senders.push(sender);
    }
    // 1,100 bytes need a buffer of 2 KiB each, independent of the number of chunks.
    let expected_bytes = senders.len() * (OVERHEAD_BYTES + 2_048);
    wait_for_reserved(&server, |reserved| reserved == expected_bytes).await;
    drop(senders);
    wait_for_reserved(&server, |reserved| reserved == 0).await;
}

async fn slow_bodies_are_rejected_with_an_explanation(dialect: Dialect) {
    let server = serve(dialect, |config| config.limits.body_grace_seconds = 1).await;
    let token = "authorization: Bearer owner\r\n";
    let senders = [
        RawConnection::post(&server, "/login", "203.0.113.1", CHUNKED, b"1\r\n{\r\n").await,
        RawConnection::post(&server, "/login", "203.0.113.1", "content-length: 100\r\n", b"{").await,
        RawConnection::post(
            &server,
            PAYMENTS_PATH,
            "203.0.113.1",
            &format!("{token}{CHUNKED}"),
            b"1\r\n{\r\n",
        )
        .await,
        // A chunk extension is no byte of the body and does not count as progress.
        RawConnection::post(&server, "/login", "203.0.113.1", CHUNKED, b"1;extension").await,
    ];
    for sender in senders {
        let response = sender.until_closed().await;
        assert_rejected(&response, "408", "body_too_slow");
        assert!(response.contains("Send at least 500 bytes per second"), "{response}");
    }
    assert_eq!(server.panel.app.body_budget.reserved_bytes(), 0);
}

async fn a_full_budget_rejects_bodies_and_closed_connections_release_it(dialect: Dialect) {
    let server = serve_with_small_budget(dialect).await;
    let body_with_overhead = SMALL_BODY_BYTES + OVERHEAD_BYTES;
    let post_large = |from| RawConnection::post(&server, RESELLER_PATH, from, CHUNKED, &[]);
    let mut senders = Vec::new();
    for from in ["203.0.113.1", "203.0.113.2"] {
        let mut sender = post_large(from).await;
        sender.send(&body_chunk(SMALL_BODY_BYTES)).await;
        senders.push(sender);
    }
    wait_for_reserved(&server, |reserved| reserved == 2 * body_with_overhead).await;
    // The first address has used its share, and the third address finds the budget for public bodies full.
    let same_address = post_large("203.0.113.1").await.until_closed().await;
    assert_rejected(&same_address, "429", "too_many_bodies");
    let other_address = post_large("203.0.113.3").await.until_closed().await;
    assert_rejected(&other_address, "503", "bodies_full");
    assert!(other_address.contains("no memory left for further request bodies"), "{other_address}");
    // Authenticated requests are still served, and requests without a body need no budget.
    let signed_in = server.request("POST", PAYMENTS_PATH, Some("owner"), Some("{}")).await;
    assert_eq!(signed_in.status, 422, "{signed_in:?}");
    assert_eq!(server.request("GET", "/settings", None, None).await.status, 200);
    assert_eq!(server.request("POST", RESELLER_PATH, None, Some("{}")).await.status, 503);
    drop(senders.pop());
    wait_for_reserved(&server, |reserved| reserved == body_with_overhead).await;
    assert_eq!(server.request("POST", RESELLER_PATH, None, Some("{}")).await.status, 200);
    drop(senders);
    wait_for_reserved(&server, |reserved| reserved == 0).await;
}

async fn the_bodies_of_an_address_are_limited(dialect: Dialect) {
    let server = serve(dialect, |config| config.limits.bodies_per_address = 2).await;
    let post = |from| RawConnection::post(&server, "/login", from, "content-length: 2\r\n", b"{");
    let mut senders = vec![post("203.0.113.1").await, post("203.0.113.1").await];
    wait_for_reserved(&server, |reserved| reserved == 2 * (OVERHEAD_BYTES + 2)).await;
    assert_rejected(&post("203.0.113.1").await.until_closed().await, "429", "too_many_bodies");
    // An invented hop to the left of the proxy's entry does not help; another address has its own limit.
    assert_rejected(&post("203.0.113.9, 203.0.113.1").await.until_closed().await, "429", "too_many_bodies");
    senders.push(post("203.0.113.2").await);
    wait_for_reserved(&server, |reserved| reserved == 3 * (OVERHEAD_BYTES + 2)).await;
    // A finished body releases its place.
    let mut first = senders.remove(0);
    first.send(b"}").await;
    wait_for_reserved(&server, |reserved| reserved == 2 * (OVERHEAD_BYTES + 2)).await;
    senders.push(post("203.0.113.1").await);
    wait_for_reserved(&server, |reserved| reserved == 3 * (OVERHEAD_BYTES + 2)).await;
}

async fn json_is_accepted_up_to_its_limit(dialect: Dialect) {
    let server = serve(dialect, |_| {}).await;
    let limit = server.panel.app.config.limits.body_bytes;
    for (length, status) in [(limit, 422), (limit + 1, 413)] {
        let text = format!("{{}}{}", " ".repeat(length - 2));
        let response = server.panel.send_request(json_request(Body::from(text.clone()))).await;
        assert_eq!(response.status, status, "with content-length: {}", response.text);
        let frames: Vec<_> = text.into_bytes().chunks(7_000).map(<[u8]>::to_vec).collect();
        let frames = frames.into_iter().map(Ok::<_, std::convert::Infallible>);
        let body = Body::from_stream(futures_util::stream::iter(frames));
        let response = server.panel.send_request(json_request(body)).await;
        assert_eq!(response.status, status, "in frames: {}", response.text);
    }
    let response = server
        .request("POST", PAYMENTS_PATH, Some("owner"), Some(&format!("{{}}{}", " ".repeat(limit - 2))))
        .await;
    assert_eq!(response.status, 422, "{response:?}");
    assert_eq!(server.panel.app.body_budget.reserved_bytes(), 0);
}

fn json_request(body: Body) -> Request<Body> {
    Request::post(PAYMENTS_PATH)
        .header(header::AUTHORIZATION, "Bearer owner")
        .header(header::CONTENT_TYPE, "application/json")
        .body(body)
        .unwrap()
}

/// A PNG that is padded with zeros to this size.
fn padded_png(bytes: usize) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    RgbImage::new(200, 75).write_to(&mut out, ImageFormat::Png).unwrap();
    let mut padded_png = out.into_inner();
    padded_png.resize(bytes, 0);
    padded_png
}

async fn a_form_with_an_image_is_accepted_up_to_its_limits(dialect: Dialect) {
    let server = serve(dialect, |_| {}).await;
    let uploads = &server.panel.app.config.uploads;
    let mut form = b"\r\n--XX\r\nContent-Disposition: form-data; name=\"place\"\r\n\r\nsidebar\r\n--XX\r\nContent-Disposition: form-data; name=\"informations[0][image]\"; filename=\"a.png\"\r\n\r\n".to_vec();
    form.extend(padded_png(uploads.file_bytes));
    form.extend(b"\r\n--XX--\r\n");
    for (length, status) in [(uploads.request_bytes, 200), (uploads.request_bytes + 1, 413)] {
        // Bytes before the first boundary are ignored.
        let mut body = vec![b' '; length - form.len()];
        body.extend(&form);
        let add_form = |request: reqwest::RequestBuilder| {
            let kind = "multipart/form-data; boundary=XX";
            request.bearer_auth("owner").header("content-type", kind).body(body)
        };
        if status == 200 {
            let response = server.send(add_form, "POST", BANNERS_PATH).await;
            assert_eq!(response.status, status, "{response:?}");
            continue;
        }
        let request = Request::post(BANNERS_PATH)
            .header(header::AUTHORIZATION, "Bearer owner")
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=XX");
        let response = server.panel.send_request(request.body(Body::from(vec![b' '; length])).unwrap()).await;
        assert_eq!(response.status, status, "{}", response.text);
    }
    assert_eq!(server.panel.app.body_budget.reserved_bytes(), 0);
}

#[tokio::test]
async fn extensions_and_trailers_are_bounded() {
    let server = serve(Dialect::Sqlite, |_| {}).await;
    let endless_bodies = ["1;x=".to_owned(), "2\r\n{}\r\n0\r\nx-trailer: ".to_owned()];
    for start in endless_bodies {
        let mut body = start.into_bytes();
        body.extend(vec![b'y'; 40_000]);
        let response =
            RawConnection::post(&server, "/login", "203.0.113.1", CHUNKED, &body).await.until_closed().await;
        assert!(response.is_empty() || response.starts_with("HTTP/1.1 400"), "{response}");
    }
    let many_trailers = format!("2\r\n{{}}\r\n0\r\n{}\r\n", "x-t: 1\r\n".repeat(150));
    let response = RawConnection::post(&server, "/login", "203.0.113.1", CHUNKED, many_trailers.as_bytes())
        .await
        .until_closed()
        .await;
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    let headers = format!("connection: close\r\n{CHUNKED}");
    let body = b"2;x=y\r\n{}\r\n0\r\nx-trailer: 1\r\n\r\n";
    let response =
        RawConnection::post(&server, "/login", "203.0.113.1", &headers, body).await.until_closed().await;
    assert!(response.starts_with("HTTP/1.1 422"), "{response}");
    wait_for_reserved(&server, |reserved| reserved == 0).await;
}

#[tokio::test]
async fn each_pipelined_request_gets_one_response() {
    let server = serve(Dialect::Sqlite, |_| {}).await;
    let mut connection = RawConnection::open(&server).await;
    let request =
        "POST /login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    let last_request = request.replace("host: x", "host: x\r\nconnection: close");
    connection.send(format!("{}{last_request}", request.repeat(200)).as_bytes()).await;
    let responses = connection.until_closed().await;
    assert_eq!(responses.matches("HTTP/1.1 422 ").count(), 201, "{responses:.300}");
    assert_eq!(server.panel.app.body_budget.reserved_bytes(), 0);
}

#[tokio::test]
async fn unfinished_long_heads_count_against_the_budget() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.limits.body_bytes = SMALL_BODY_BYTES;
        config.limits.public_bodies_bytes = SMALL_BODY_BYTES + OVERHEAD_BYTES;
    });
    let server = TestServer::serve(panel.await).await;
    let mut senders = Vec::new();
    for _ in 0..5 {
        let mut connection = RawConnection::open(&server).await;
        connection.send(format!("GET /healthz HTTP/1.1\r\nx-long: {}", "x".repeat(10_000)).as_bytes()).await;
        senders.push(connection);
    }
    wait_for_reserved(&server, |reserved| reserved == 5 * OVERHEAD_BYTES).await;
    let mut rejection = RawConnection::open(&server).await;
    rejection.send(format!("GET /healthz HTTP/1.1\r\nx-long: {}", "x".repeat(10_000)).as_bytes()).await;
    assert_eq!(rejection.until_closed().await, "", "the budget has no room for another head");
    // A finished head is answered and releases its bytes.
    let mut first = senders.remove(0);
    first.send(b"\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(first.until_closed().await.starts_with("HTTP/1.1 200"));
    drop(senders);
    wait_for_reserved(&server, |reserved| reserved == 0).await;
}

#[tokio::test]
async fn the_number_of_values_is_bounded_and_counts_against_the_budget() {
    let server = serve_with_small_budget(Dialect::Sqlite).await;
    let body_with_values = |values: usize| format!("{{\"action\":\"add\",\"z\":[{}1]}}", "0,".repeat(values));
    let status_and_code = async |path: &str, token: Option<&str>, body: String| {
        let response = server.request("POST", path, token, Some(&body)).await;
        (response.status, response.json()["code"].as_str().unwrap_or_default().to_owned())
    };
    let rejection_with = |status, code: &str| (status, code.to_owned());
    assert_eq!(
        status_and_code(RESELLER_PATH, None, body_with_values(5_000)).await,
        rejection_with(413, "too_many_values")
    );
    // Two kilobytes, but the parsed values need more than the budget of an address.
    assert_eq!(
        status_and_code(RESELLER_PATH, None, body_with_values(1_000)).await,
        rejection_with(429, "too_many_bodies")
    );
    assert_eq!(status_and_code(RESELLER_PATH, None, body_with_values(100)).await.0, 200);
    assert_eq!(
        status_and_code(PAYMENTS_PATH, Some("owner"), body_with_values(20_000)).await.0,
        422,
        "staff may send ten thousand ids"
    );
    let post_form = |fields: usize| {
        let body = vec!["a=1"; fields].join("&");
        let kind = "application/x-www-form-urlencoded";
        server.send(move |request| request.header("content-type", kind).body(body), "POST", RESELLER_PATH)
    };
    let response = post_form(5_001).await;
    assert_eq!((response.status, response.json()["code"].as_str()), (413, Some("too_many_values")));
    assert_eq!(server.panel.app.body_budget.reserved_bytes(), 0);
}

#[tokio::test]
async fn a_query_is_decoded_after_its_body_arrived() {
    let server = serve(Dialect::Sqlite, |config| config.limits.body_grace_seconds = 1).await;
    let post = |headers| RawConnection::post(&server, "/api/v2?a=%", "203.0.113.1", headers, b"{}");
    assert_rejected(&post("content-length: 3\r\n").await.until_closed().await, "408", "body_too_slow");
    let complete = post("connection: close\r\ncontent-length: 2\r\n").await.until_closed().await;
    assert!(complete.starts_with("HTTP/1.1 422") && complete.contains("percent sign"), "{complete}");
}

/// Clients can open a websocket without signing in, so a frame header alone must not reserve memory.
#[tokio::test]
async fn a_frame_larger_than_a_message_is_rejected_by_its_header() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let mut connection = RawConnection::open(&server).await;
    connection.send(b"GET /ws/app/panel?protocol=7 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").await;
    // The header of a masked text frame of one megabyte, without any byte of the text.
    connection.send(&[0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]).await;
    let response = connection.until_closed().await;
    assert!(
        response.starts_with("HTTP/1.1 101") && response.contains("connection_established"),
        "{response}"
    );
}
