//! Sends malformed and hostile requests: every response must be a 4xx that names the error, never a 500, and the server must keep
//! running.

use std::time::{Duration, Instant};

use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::panel::Panel;
use crate::test_server::TestServer;

const PAYMENTS: &str = "/api/v1/admin/payments";
const SAVED_VIEWS: &str = "/api/v1/admin/saved-views";

/// Sends bytes over a socket. Returns all bytes that the server sends until it closes the connection or `timeout` ends, and the
/// duration.
async fn send_raw(host: &str, bytes: &[u8], timeout: Duration) -> (String, Duration) {
    let mut stream = TcpStream::connect(host).await.unwrap();
    let started = Instant::now();
    // The server may close the connection before it has read everything.
    drop(stream.write_all(bytes).await);
    let mut response = Vec::new();
    drop(tokio::time::timeout(timeout, stream.read_to_end(&mut response)).await);
    (String::from_utf8_lossy(&response).into_owned(), started.elapsed())
}

#[tokio::test]
async fn malformed_bodies_are_rejected_with_422() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let deep_array = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_object = format!("{}1{}", "{\"user_id\":".repeat(5_000), "}".repeat(5_000));
    let bodies: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"{".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"7".to_vec(),
        b"\"text\"".to_vec(),
        b"{\"user_id\":1,\"user_id\":2}".to_vec(),
        b"{\"user_id\":9223372036854775808}".to_vec(),
        b"{\"user_id\":1e400}".to_vec(),
        b"{\"user_id\":-0.0}".to_vec(),
        b"{\"amount\":1e3}".to_vec(),
        b"{\"amount\":\"99999999999999999999999999\"}".to_vec(),
        b"{\"amount\":\"NaN\"}".to_vec(),
        b"{\"amount\":\"0.0000001\"}".to_vec(),
        b"{\"unknown\":1}".to_vec(),
        b"{\"comment\":\"\xff\xfe\"}".to_vec(),
        b"\xff\xfe\x00".to_vec(),
        b"{\"comment\":\"\\ud800\"}".to_vec(),
        deep_array.into_bytes(),
        deep_object.into_bytes(),
    ];
    for body in bodies {
        let body_start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let response = server
            .send(
                |request| {
                    request
                        .bearer_auth("owner")
                        .header("content-type", "application/json")
                        .header("idempotency-key", "k")
                        .body(body)
                },
                "POST",
                PAYMENTS,
            )
            .await;
        assert_eq!(response.status, 422, "{body_start}: {response:?}");
        assert!(!response.json()["errors"].as_object().unwrap().is_empty(), "{body_start}: {response:?}");
    }
}

#[tokio::test]
async fn unusual_strings_are_stored_unchanged_or_rejected() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let name = "'; DROP TABLE orders; -- \u{202e}<script>\u{1F600}";
    let body = serde_json::json!({"list": "orders", "name": name, "query": "a=1", "columns": [], "is_shared": false});
    let response = server.request("POST", SAVED_VIEWS, Some("owner"), Some(&body.to_string())).await;
    assert!(response.status == 200 || response.status == 422, "{response:?}");
    if response.status == 200 {
        assert_eq!(response.json()["data"]["name"], name);
    }
    let body = serde_json::json!({"list": "orders", "name": "a\u{0}b", "query": "", "columns": [], "is_shared": false});
    let response = server.request("POST", SAVED_VIEWS, Some("owner"), Some(&body.to_string())).await;
    assert!(response.status == 422 && response.json()["errors"]["name"].is_array(), "{response:?}");
}

#[tokio::test]
async fn malformed_urls_are_rejected_with_4xx() {
    let server = TestServer::start(Dialect::Sqlite).await;
    for id in [
        "0",
        "-1",
        "abc",
        "1.5",
        "9223372036854775808",
        "1%00",
        "%ff",
        "1%20or%201=1",
        "00000000000000000000000000001x",
    ] {
        let response =
            server.request("GET", &format!("/api/v1/admin/orders/{id}"), Some("owner"), None).await;
        assert!((400..500).contains(&response.status), "{id}: {response:?}");
    }
    for query in [
        "?a=%ff",
        "?a=%",
        "?a=%00",
        "?_=1&x=1",
        "?length=1e3",
        &format!("?search[value]={}", "x".repeat(30_000)),
    ] {
        let response =
            server.request("GET", &format!("/api/v1/admin/orders{query}"), Some("owner"), None).await;
        assert_eq!(response.status, 422, "{:.80}: {response:?}", query);
    }
}

/// jQuery and DataTables 3 send a content type with every GET.
#[tokio::test]
async fn a_get_request_may_have_any_content_type() {
    let server = TestServer::start(Dialect::Sqlite).await;
    for content_type in ["application/x-www-form-urlencoded", "text/plain", "nonsense"] {
        let response = server
            .send(
                |request| request.bearer_auth("owner").header("content-type", content_type),
                "GET",
                "/api/v1/profile",
            )
            .await;
        assert_eq!(response.status, 200, "{content_type}: {response:?}");
    }
    let response = server
        .send(
            |request| request.bearer_auth("owner").header("content-type", "text/xml").body("<a/>"),
            "POST",
            PAYMENTS,
        )
        .await;
    assert_eq!((response.status, response.json()["code"].as_str()), (415, Some("unsupported_media_type")));
}

#[tokio::test]
async fn long_urls_are_accepted_up_to_a_limit() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let columns: String =
        (0..80).map(|index| format!("columns%5B{index}%5D%5Bdata%5D=id&columns%5B{index}%5D%5Bsearchable%5D=true&columns%5B{index}%5D%5Borderable%5D=true&columns%5B{index}%5D%5Bname%5D={}&", "n".repeat(240))).collect();
    assert!(columns.len() > 25_000);
    let response =
        server.request("GET", &format!("/api/v1/admin/orders?{columns}"), Some("owner"), None).await;
    assert_eq!(response.status, 200, "{response:?}");
    let head = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(200_000));
    let (response, _) = send_raw(&server.host(), head.as_bytes(), Duration::from_secs(5)).await;
    assert!(response.starts_with("HTTP/1.1 414") || response.starts_with("HTTP/1.1 431"), "{response}");
}

#[tokio::test]
async fn bodies_of_fifty_megabytes_are_rejected_early() {
    let server = TestServer::start(Dialect::Sqlite).await;
    let request_head = |more_headers: &str| {
        format!(
            "POST {PAYMENTS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\ncontent-type: application/json\r\n{more_headers}\r\n"
        )
    };
    // If the request has a `Content-Length`, the server rejects it before it reads the body.
    let head_with_length = request_head("content-length: 52428800\r\n");
    let (response, elapsed) =
        send_raw(&server.host(), head_with_length.as_bytes(), Duration::from_secs(5)).await;
    assert!(response.starts_with("HTTP/1.1 413") && response.contains("payload_too_large"), "{response}");
    assert!(elapsed < Duration::from_secs(4), "{elapsed:?}");
    // If the body comes in chunks, the server rejects the request after the first megabyte.
    let mut chunked_request = request_head("transfer-encoding: chunked\r\n").into_bytes();
    for _ in 0..50 {
        chunked_request.extend(b"100000\r\n");
        chunked_request.extend(vec![b' '; 1 << 20]);
        chunked_request.extend(b"\r\n");
    }
    let (response, _) = send_raw(&server.host(), &chunked_request, Duration::from_secs(10)).await;
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 413"), "{response}");
    // The server rejects an unauthenticated request without waiting for its body.
    let unauthenticated_head = head_with_length.replace("Bearer owner", "Bearer nobody");
    let (response, _) =
        send_raw(&server.host(), unauthenticated_head.as_bytes(), Duration::from_secs(5)).await;
    assert!(response.starts_with("HTTP/1.1 401"), "{response}");
    assert_eq!(server.request("GET", "/healthz", None, None).await.status, 200);
}

#[tokio::test]
async fn slow_clients_are_disconnected() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.limits.header_seconds = 1;
        config.limits.request_seconds = 1;
    });
    let server = TestServer::serve(panel.await).await;
    let body = format!(
        "POST {PAYMENTS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer owner\r\ncontent-length: 100\r\n\r\n{{"
    );
    for (bytes, expected_start) in
        [("", ""), ("P", ""), ("GET / HTTP/1.1\r\nhost: x\r\nx-slow:", ""), (body.as_str(), "HTTP/1.1 408")]
    {
        let (response, elapsed) = send_raw(&server.host(), bytes.as_bytes(), Duration::from_secs(8)).await;
        assert!(response.starts_with(expected_start), "{bytes}: {response}");
        assert!(elapsed < Duration::from_secs(4), "{bytes:?} kept a connection open for {elapsed:?}");
    }
}

#[tokio::test]
async fn connections_over_the_limit_wait_and_do_not_delay_the_stop() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.limits.connections = 2;
        config.limits.header_seconds = 1;
    });
    let server = TestServer::serve(panel.await).await;
    let first_streams =
        [TcpStream::connect(server.host()).await.unwrap(), TcpStream::connect(server.host()).await.unwrap()];
    // After the header timeout, the server closes both connections, because their clients send nothing. Then it accepts another
    // one.
    assert_eq!(server.request("GET", "/healthz", None, None).await.status, 200);
    let next_streams =
        [TcpStream::connect(server.host()).await.unwrap(), TcpStream::connect(server.host()).await.unwrap()];
    let started = Instant::now();
    server.stop().await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop((first_streams, next_streams));
}

#[tokio::test]
async fn smuggled_requests_are_rejected() {
    let server = TestServer::start(Dialect::Sqlite).await;
    for head in [
        "POST /login HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\n{}{}{}",
        "POST /login HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "GET / HTTP/9.9\r\nhost: x\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
    ] {
        let (response, _) = send_raw(&server.host(), head.as_bytes(), Duration::from_secs(3)).await;
        assert!(
            response.is_empty() || response.starts_with("HTTP/1.1 4") || response.starts_with("HTTP/1.0 4"),
            "{head}: {response}"
        );
    }
}

#[tokio::test]
async fn malformed_idempotency_keys_are_rejected() {
    let server = TestServer::start(Dialect::Sqlite).await;
    for key in ["", "\"\"", &"k".repeat(256)] {
        let response = server
            .send(
                |request| request.bearer_auth("owner").header("idempotency-key", key).body("{}"),
                "POST",
                PAYMENTS,
            )
            .await;
        assert_eq!(
            (response.status, response.json()["code"].as_str()),
            (400, Some("idempotency_key_invalid")),
            "{key:.10}"
        );
    }
}
