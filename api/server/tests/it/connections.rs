//! Connections that are held open: how many an address may have, and what ends those whose client does not read.

use panel_platform::config::Config;
use panel_platform::db::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::panel::Panel;
use crate::served::Served;

const UPGRADE: &[u8] = b"GET /ws/app/panel?protocol=7 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

async fn serve(change: impl FnOnce(&mut Config)) -> Served {
    Served::start(Panel::with(Dialect::Sqlite, change).await).await
}

async fn connect(served: &Served) -> TcpStream {
    TcpStream::connect(served.host()).await.unwrap()
}

/// Sends a request; the first line of the answer, without what comes after it. Empty when the server closes instead.
async fn answered(stream: &mut TcpStream, request: &[u8]) -> String {
    drop(stream.write_all(request).await);
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") && stream.read(&mut byte).await.is_ok_and(|read| read == 1) {
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap().trim_end().to_owned()
}

const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// Connects until the server has noticed that an earlier connection ended.
async fn until_served(served: &Served) -> TcpStream {
    for _ in 0..5_000 {
        let mut stream = connect(served).await;
        if answered(&mut stream, HEALTH).await == "HTTP/1.1 200 OK" {
            return stream;
        }
    }
    panic!("the address still has too many connections");
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off() {
    let served = serve(|config| {
        config.limits.connections = 1;
        config.limits.write_stall_seconds = 1;
    })
    .await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut unread = socket.connect(served.host().parse().unwrap()).await.unwrap();
    // The document is some megabytes, and all requests fit into the buffer of the first read.
    unread.write_all(&b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100)).await.unwrap();
    // The one connection that there may be is free again, though the client has not hung up.
    assert_eq!(served.ask("GET", "/healthz", None, None).await.status, 200);
    let mut rest = Vec::new();
    drop(unread.read_to_end(&mut rest).await);
    assert!(rest.starts_with(b"HTTP/1.1 200 OK\r\n"), "its first answer had begun");
}

#[tokio::test]
async fn limits_connections_per_address() {
    let served = serve(|config| config.limits.connections_per_address = 2).await;
    let mut first = connect(&served).await;
    let mut second = connect(&served).await;
    for stream in [&mut first, &mut second] {
        assert_eq!(answered(stream, HEALTH).await, "HTTP/1.1 200 OK");
    }
    assert_eq!(answered(&mut connect(&served).await, b"").await, "HTTP/1.1 429 Too Many Requests");
    drop(first);
    until_served(&served).await;
}

#[tokio::test]
async fn a_trusted_proxy_has_as_many_as_there_are() {
    let served = serve(|config| {
        config.limits.connections_per_address = 1;
        config.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut stream = connect(&served).await;
        assert_eq!(answered(&mut stream, HEALTH).await, "HTTP/1.1 200 OK");
        held.push(stream);
    }
}

#[tokio::test]
async fn a_live_socket_stays_a_connection_of_its_address() {
    let served = serve(|config| config.limits.connections_per_address = 1).await;
    let mut socket = connect(&served).await;
    assert_eq!(answered(&mut socket, UPGRADE).await, "HTTP/1.1 101 Switching Protocols");
    // What follows the answer shows that the socket is no longer a matter of the connection's task.
    let mut established = [0; 512];
    while !established.windows(11).any(|part| part == b"established") {
        assert!(socket.read(&mut established).await.unwrap() > 0);
    }
    assert_eq!(answered(&mut connect(&served).await, b"").await, "HTTP/1.1 429 Too Many Requests");
    drop(socket);
    until_served(&served).await;
}

/// A request whose head has so many bytes.
fn head_of(bytes: usize) -> Vec<u8> {
    let mut head = b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-long: ".to_vec();
    head.resize(bytes - 4, b'a');
    head.extend_from_slice(b"\r\n\r\n");
    head
}

#[tokio::test]
async fn a_head_has_at_most_32_kib() {
    let served = serve(|_| ()).await;
    let ask = async |head: &[u8]| {
        let mut stream = connect(&served).await;
        stream.write_all(head).await.unwrap();
        let mut answer = vec![0; 4_096];
        let read = stream.read(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer[..read]).into_owned()
    };
    assert!(ask(&head_of(32 * 1024)).await.starts_with("HTTP/1.1 200 "));
    for bytes in [32 * 1024 + 1, 40 * 1024, 41 * 1024, 100 * 1024, 300 * 1024] {
        let answer = ask(&head_of(bytes)).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{bytes}: {answer}");
        assert!(answer.contains("longer than 32 KiB together"), "{bytes}: {answer}");
        assert!(answer.contains("request_head_too_long"), "{bytes}: {answer}");
    }
    // Many small headers are as long as one large one, and a long address counts as well.
    let mut many = b"GET /healthz HTTP/1.1\r\nhost: x\r\n".to_vec();
    for n in 0..90 {
        many.extend_from_slice(format!("x-{n}: {}\r\n", "a".repeat(400)).as_bytes());
    }
    many.extend_from_slice(b"\r\n");
    assert!(ask(&many).await.starts_with("HTTP/1.1 431 "));
    let long = format!("GET /healthz?x={} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(33 * 1024));
    assert!(ask(long.as_bytes()).await.starts_with("HTTP/1.1 431 "));
}
