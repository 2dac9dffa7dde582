//! Open connections: the limit for each IP address, the limit of a request head, and the timeout for a client that does not read.

use panel_platform::config::Config;
use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::panel::Panel;
use crate::test_server::TestServer;

const UPGRADE: &[u8] = b"GET /ws/app/panel?protocol=7 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

async fn serve(change_config: impl FnOnce(&mut Config)) -> TestServer {
    TestServer::start(Panel::with_config(Dialect::Sqlite, change_config).await).await
}

async fn connect(served: &TestServer) -> TcpStream {
    TcpStream::connect(served.host()).await.unwrap()
}

/// Sends a request and reads the status line of the answer, which is empty where the server closes the connection.
async fn status_line(stream: &mut TcpStream, request: &[u8]) -> String {
    drop(stream.write_all(request).await);
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read == 1) {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// Connects again until the server has noticed that an earlier connection is closed, and accepts a request.
async fn connect_when_free(served: &TestServer) -> TcpStream {
    for _ in 0..5_000 {
        let mut stream = connect(served).await;
        if status_line(&mut stream, HEALTH).await == "HTTP/1.1 200 OK" {
            return stream;
        }
    }
    panic!("the address still has too many connections");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected() {
    let served = serve(|config| {
        config.limits.connections = 1;
        config.limits.write_stall_seconds = 1;
    })
    .await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut stalled = socket.connect(served.host().parse().unwrap()).await.unwrap();
    // Each answer has some megabytes, and all requests fit into the buffer of the server's first read.
    stalled.write_all(&b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100)).await.unwrap();
    // The only allowed connection is free again, although the client has not closed its own.
    assert_eq!(served.request("GET", "/healthz", None, None).await.status, 200);
    let mut received = Vec::new();
    drop(stalled.read_to_end(&mut received).await);
    assert!(received.starts_with(b"HTTP/1.1 200 OK\r\n"), "the server had begun the first answer");
}

#[tokio::test]
async fn limits_connections_per_address() {
    let served = serve(|config| config.limits.connections_per_address = 2).await;
    let mut first = connect(&served).await;
    let mut second = connect(&served).await;
    for stream in [&mut first, &mut second] {
        assert_eq!(status_line(stream, HEALTH).await, "HTTP/1.1 200 OK");
    }
    assert_eq!(status_line(&mut connect(&served).await, b"").await, "HTTP/1.1 429 Too Many Requests");
    drop(first);
    connect_when_free(&served).await;
}

#[tokio::test]
async fn a_trusted_proxy_has_no_limit_for_its_address() {
    let served = serve(|config| {
        config.limits.connections_per_address = 1;
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut stream = connect(&served).await;
        assert_eq!(status_line(&mut stream, HEALTH).await, "HTTP/1.1 200 OK");
        held.push(stream);
    }
}

#[tokio::test]
async fn a_websocket_counts_as_a_connection_of_its_address() {
    let served = serve(|config| config.limits.connections_per_address = 1).await;
    let mut socket = connect(&served).await;
    assert_eq!(status_line(&mut socket, UPGRADE).await, "HTTP/1.1 101 Switching Protocols");
    // The first message shows that the task of the websocket has taken over from the task of the connection.
    let mut received = [0; 512];
    while !received.windows(11).any(|part| part == b"established") {
        assert!(socket.read(&mut received).await.unwrap() > 0);
    }
    assert_eq!(status_line(&mut connect(&served).await, b"").await, "HTTP/1.1 429 Too Many Requests");
    drop(socket);
    connect_when_free(&served).await;
}

/// A request with a head of `bytes` bytes.
fn request_with_head_bytes(bytes: usize) -> Vec<u8> {
    let mut head = b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-long: ".to_vec();
    head.resize(bytes - 4, b'a');
    head.extend_from_slice(b"\r\n\r\n");
    head
}

#[tokio::test]
async fn a_request_head_has_at_most_32_kib() {
    let served = serve(|_| ()).await;
    let answer_to = async |head: &[u8]| {
        let mut stream = connect(&served).await;
        stream.write_all(head).await.unwrap();
        let mut answer = vec![0; 4_096];
        let length = stream.read(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    };
    assert!(answer_to(&request_with_head_bytes(32 * 1024)).await.starts_with("HTTP/1.1 200 "));
    for bytes in [32 * 1024 + 1, 40 * 1024, 41 * 1024, 100 * 1024, 300 * 1024] {
        let answer = answer_to(&request_with_head_bytes(bytes)).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{bytes}: {answer}");
        assert!(answer.contains("longer than 32 KiB together"), "{bytes}: {answer}");
        assert!(answer.contains("request_head_too_long"), "{bytes}: {answer}");
    }
    // Many small headers count like one large one, and so does a long path.
    let mut many_headers = b"GET /healthz HTTP/1.1\r\nhost: x\r\n".to_vec();
    for n in 0..90 {
        many_headers.extend_from_slice(format!("x-{n}: {}\r\n", "a".repeat(400)).as_bytes());
    }
    many_headers.extend_from_slice(b"\r\n");
    assert!(answer_to(&many_headers).await.starts_with("HTTP/1.1 431 "));
    let long_path = format!("GET /healthz?x={} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(33 * 1024));
    assert!(answer_to(long_path.as_bytes()).await.starts_with("HTTP/1.1 431 "));
}
