//! Restarts under load: no connected client gets a connection reset, and the server responds to each request on a new
//! connection.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use panel_platform::db::Dialect;
use panel_server::app::App;
use panel_server::router::serve;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::panel::Panel;

/// The number of servers that run concurrently.
const SERVER_COUNT: u8 = 10;
const STOPS_PER_SERVER: u64 = 10;
/// The number of responses that a server sends before the test stops the server again.
const RESPONSES_BETWEEN_STOPS: u64 = 20;
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// The counters of the clients of one server.
#[derive(Debug, Default)]
struct ClientCounts {
    is_finished: AtomicBool,
    responses: AtomicU64,
    resets: AtomicU64,
    unanswered: AtomicU64,
    not_closed_in_time: AtomicU64,
}

impl ClientCounts {
    fn is_running(&self) -> bool {
        !self.is_finished.load(Ordering::SeqCst)
    }

    fn record_reset(&self, error: &std::io::Error) {
        // A refused connection is not a reset: no server listens between two starts.
        if error.kind() != ErrorKind::ConnectionRefused {
            self.resets.fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn connect(address: SocketAddr, counts: &ClientCounts) -> Option<TcpStream> {
    // A server that shuts down does not accept new connections for a moment.
    match timeout(Duration::from_millis(50), TcpStream::connect(address)).await {
        Ok(Ok(stream)) => Some(stream),
        Ok(Err(error)) => {
            counts.record_reset(&error);
            tokio::task::yield_now().await;
            None
        }
        Err(_) => None,
    }
}

/// Sends one request. Returns whether the server responded.
async fn send_http_request(stream: &mut TcpStream, counts: &ClientCounts) -> bool {
    let mut response = [0; 4_096];
    let request_and_response = async {
        stream.write_all(REQUEST).await?;
        stream.read(&mut response).await
    };
    match request_and_response.await {
        Ok(byte_count) if response[..byte_count].starts_with(b"HTTP/1.1 200 OK") => {
            counts.responses.fetch_add(1, Ordering::SeqCst);
            true
        }
        Ok(_) => false,
        // The client wrote after the server had closed the connection properly.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => false,
        Err(error) => {
            counts.record_reset(&error);
            false
        }
    }
}

/// A client that opens a connection for each request.
async fn run_connecting_client(address: SocketAddr, counts: Arc<ClientCounts>) {
    while counts.is_running() {
        let Some(mut stream) = connect(address, &counts).await else { continue };
        if !send_http_request(&mut stream, &counts).await {
            counts.unanswered.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// A client that sends all requests on one connection, until the server closes it.
async fn run_keep_alive_client(address: SocketAddr, counts: Arc<ClientCounts>) {
    while counts.is_running() {
        let Some(mut stream) = connect(address, &counts).await else { continue };
        while counts.is_running() && send_http_request(&mut stream, &counts).await {}
    }
}

/// A client that sends nothing and waits until the server closes the connection.
async fn run_idle_client(address: SocketAddr, counts: Arc<ClientCounts>) {
    while counts.is_running() {
        let Some(mut stream) = connect(address, &counts).await else { continue };
        match timeout(Duration::from_secs(30), stream.read(&mut [0; 1])).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => counts.record_reset(&error),
            Err(_) => drop(counts.not_closed_in_time.fetch_add(1, Ordering::SeqCst)),
        }
    }
}

async fn restart_repeatedly(
    app: App,
    address: SocketAddr,
    first_listener: TcpListener,
    counts: Arc<ClientCounts>,
) {
    let mut listener = first_listener;
    for stop_number in 1..=STOPS_PER_SERVER {
        app.stop.send_replace(false);
        let server = tokio::spawn(serve::serve(app.clone(), listener));
        let expected_responses = counts.responses.load(Ordering::SeqCst) + RESPONSES_BETWEEN_STOPS;
        while counts.responses.load(Ordering::SeqCst) < expected_responses {
            tokio::task::yield_now().await;
        }
        app.stop.send_replace(true);
        if stop_number == STOPS_PER_SERVER {
            counts.is_finished.store(true, Ordering::SeqCst);
        }
        server.await.unwrap();
        listener = TcpListener::bind(address).await.unwrap();
    }
}

/// Ten servers are stopped ten times each under load.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_does_not_reset_connections() {
    let servers = (1..=SERVER_COUNT).map(|server_number| async move {
        let panel = Panel::start(Dialect::Sqlite).await;
        // Each server has its own loopback address, so that no other test can use its port while it restarts.
        let listener = TcpListener::bind((Ipv4Addr::new(127, 0, 77, server_number), 0)).await.unwrap();
        let (address, counts) = (listener.local_addr().unwrap(), Arc::new(ClientCounts::default()));
        let clients = [
            tokio::spawn(run_connecting_client(address, Arc::clone(&counts))),
            tokio::spawn(run_connecting_client(address, Arc::clone(&counts))),
            tokio::spawn(run_keep_alive_client(address, Arc::clone(&counts))),
            tokio::spawn(run_idle_client(address, Arc::clone(&counts))),
        ];
        let restarts = restart_repeatedly(panel.app.clone(), address, listener, Arc::clone(&counts));
        timeout(Duration::from_secs(120), restarts).await.expect("the servers must restart in time");
        for client in clients {
            client.await.unwrap();
        }
        counts
    });
    for counts in join_all(servers).await {
        let load_count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        let failures = (
            load_count(&counts.resets),
            load_count(&counts.unanswered),
            load_count(&counts.not_closed_in_time),
        );
        assert_eq!(failures, (0, 0, 0), "{counts:?}");
        assert!(load_count(&counts.responses) >= STOPS_PER_SERVER * RESPONSES_BETWEEN_STOPS);
    }
}
