//! Tests open connections: their limit for each IP address, the size limit of a request head, and the timeout for a client that
//! does not read.

use panel_platform::config::Config;
use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::panel::Panel;
use crate::test_server::TestServer;

const WEBSOCKET_REQUEST: &[u8] = b"GET /ws/app/panel?protocol=7 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

async fn start_server(change_config: impl FnOnce(&mut Config)) -> TestServer {
    TestServer::serve(Panel::with_config(Dialect::Sqlite, change_config).await).await
}

async fn connect(server: &TestServer) -> TcpStream {
    TcpStream::connect(server.host()).await.unwrap()
}

/// Sends a request and returns the status line of the response. The line is empty if the server closes the connection.
async fn fetch_status_line(stream: &mut TcpStream, request: &[u8]) -> String {
    drop(stream.write_all(request).await);
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read == 1) {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

const HEALTH_REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// Connects repeatedly until the server has noticed that an earlier connection is closed and accepts a request.
async fn connect_when_free(server: &TestServer) -> TcpStream {
    for _ in 0..5_000 {
        let mut stream = connect(server).await;
        if fetch_status_line(&mut stream, HEALTH_REQUEST).await == "HTTP/1.1 200 OK" {
            return stream;
        }
    }
    panic!("the server still rejects connections of this address");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected() {
    let server = start_server(|config| {
        config.limits.connections = 1;
        config.limits.write_stall_seconds = 1;
    })
    .await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut stalled_stream = socket.connect(server.host().parse().unwrap()).await.unwrap();
    // Each response has several megabytes, and all requests fit into the buffer of the server's first read.
    stalled_stream.write_all(&b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100)).await.unwrap();
    // The limit is one connection. The server accepts another one, although the client has not closed the first.
    assert_eq!(server.request("GET", "/healthz", None, None).await.status, 200);
    let mut received_bytes = Vec::new();
    drop(stalled_stream.read_to_end(&mut received_bytes).await);
    assert!(
        received_bytes.starts_with(b"HTTP/1.1 200 OK\r\n"),
        "the server must have started the first response"
    );
}

#[tokio::test]
async fn the_connections_of_an_address_are_limited() {
    let server = start_server(|config| config.limits.connections_per_address = 2).await;
    let mut first_stream = connect(&server).await;
    let mut second_stream = connect(&server).await;
    for stream in [&mut first_stream, &mut second_stream] {
        assert_eq!(fetch_status_line(stream, HEALTH_REQUEST).await, "HTTP/1.1 200 OK");
    }
    assert_eq!(fetch_status_line(&mut connect(&server).await, b"").await, "HTTP/1.1 429 Too Many Requests");
    drop(first_stream);
    connect_when_free(&server).await;
}

#[tokio::test]
async fn the_address_of_a_trusted_proxy_has_no_limit() {
    let server = start_server(|config| {
        config.limits.connections_per_address = 1;
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = connect(&server).await;
        assert_eq!(fetch_status_line(&mut stream, HEALTH_REQUEST).await, "HTTP/1.1 200 OK");
        streams.push(stream);
    }
}

#[tokio::test]
async fn a_websocket_counts_as_a_connection_of_its_address() {
    let server = start_server(|config| config.limits.connections_per_address = 1).await;
    let mut websocket_stream = connect(&server).await;
    assert_eq!(
        fetch_status_line(&mut websocket_stream, WEBSOCKET_REQUEST).await,
        "HTTP/1.1 101 Switching Protocols"
    );
    // After this message, the task of the websocket owns the connection.
    let mut buffer = [0; 512];
    while !buffer.windows(11).any(|part| part == b"established") {
        assert!(websocket_stream.read(&mut buffer).await.unwrap() > 0);
    }
    assert_eq!(fetch_status_line(&mut connect(&server).await, b"").await, "HTTP/1.1 429 Too Many Requests");
    drop(websocket_stream);
    connect_when_free(&server).await;
}

/// A request whose head has `length` bytes.
fn request_with_head_length(length: usize) -> Vec<u8> {
    let mut head = b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-long: ".to_vec();
    head.resize(length - 4, b'a');
    head.extend_from_slice(b"\r\n\r\n");
    head
}

#[tokio::test]
async fn a_request_head_has_at_most_32_kib() {
    let server = start_server(|_| ()).await;
    let response_to = async |head: &[u8]| {
        let mut stream = connect(&server).await;
        stream.write_all(head).await.unwrap();
        let mut buffer = vec![0; 4_096];
        let length = stream.read(&mut buffer).await.unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    };
    assert!(response_to(&request_with_head_length(32 * 1024)).await.starts_with("HTTP/1.1 200 "));
    for head_bytes in [32 * 1024 + 1, 40 * 1024, 41 * 1024, 100 * 1024, 300 * 1024] {
        let response = response_to(&request_with_head_length(head_bytes)).await;
        assert!(response.starts_with("HTTP/1.1 431 "), "{head_bytes}: {response}");
        assert!(response.contains("longer than 32 KiB together"), "{head_bytes}: {response}");
        assert!(response.contains("request_head_too_long"), "{head_bytes}: {response}");
    }
    // The limit also applies to many small headers and to a long path.
    let mut many_headers = b"GET /healthz HTTP/1.1\r\nhost: x\r\n".to_vec();
    for n in 0..90 {
        many_headers.extend_from_slice(format!("x-{n}: {}\r\n", "a".repeat(400)).as_bytes());
    }
    many_headers.extend_from_slice(b"\r\n");
    assert!(response_to(&many_headers).await.starts_with("HTTP/1.1 431 "));
    let long_path = format!("GET /healthz?x={} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(33 * 1024));
    assert!(response_to(long_path.as_bytes()).await.starts_with("HTTP/1.1 431 "));
}
