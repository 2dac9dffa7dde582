//! Servers that are stopped and started again under load: no client that connected sees a reset, and each request on a new
//! connection is answered.

use std::io::ErrorKind;
use std::net::SocketAddr;
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

/// Servers beside one another, and how often each is stopped.
const SERVERS: usize = 10;
const STOPS: u64 = 10;
/// Requests answered before a server is stopped again.
const BETWEEN: u64 = 20;
const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

/// What the clients of one server saw.
#[derive(Debug, Default)]
struct Seen {
    is_over: AtomicBool,
    answers: AtomicU64,
    resets: AtomicU64,
    unanswered: AtomicU64,
    not_closed: AtomicU64,
}

impl Seen {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::SeqCst)
    }

    fn reset(&self, error: &std::io::Error) {
        // Refused while no server listens, which is no reset.
        if error.kind() != ErrorKind::ConnectionRefused {
            self.resets.fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn connected(address: SocketAddr, seen: &Seen) -> Option<TcpStream> {
    // A server that ends leaves new connections unanswered for a moment.
    match timeout(Duration::from_millis(50), TcpStream::connect(address)).await {
        Ok(Ok(stream)) => Some(stream),
        Ok(Err(error)) => {
            seen.reset(&error);
            tokio::task::yield_now().await;
            None
        }
        Err(_) => None,
    }
}

/// Sends one request; whether it was answered.
async fn ask(stream: &mut TcpStream, seen: &Seen) -> bool {
    let mut answer = [0; 4_096];
    let asked = async {
        stream.write_all(REQUEST).await?;
        stream.read(&mut answer).await
    };
    match asked.await {
        Ok(read) if answer[..read].starts_with(b"HTTP/1.1 200 OK") => {
            seen.answers.fetch_add(1, Ordering::SeqCst);
            true
        }
        Ok(_) => false,
        // Written to after the server had sent the end of the stream and had read its last bytes.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => false,
        Err(error) => {
            seen.reset(&error);
            false
        }
    }
}

/// Makes a connection for each request.
async fn connects(address: SocketAddr, seen: Arc<Seen>) {
    while seen.goes_on() {
        let Some(mut stream) = connected(address, &seen).await else { continue };
        if !ask(&mut stream, &seen).await {
            seen.unanswered.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Sends request after request on one connection, until the server closes it.
async fn keeps_alive(address: SocketAddr, seen: Arc<Seen>) {
    while seen.goes_on() {
        let Some(mut stream) = connected(address, &seen).await else { continue };
        while seen.goes_on() && ask(&mut stream, &seen).await {}
    }
}

/// Sends nothing and waits until the server closes.
async fn is_idle(address: SocketAddr, seen: Arc<Seen>) {
    while seen.goes_on() {
        let Some(mut stream) = connected(address, &seen).await else { continue };
        match timeout(Duration::from_secs(30), stream.read(&mut [0; 1])).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => seen.reset(&error),
            Err(_) => drop(seen.not_closed.fetch_add(1, Ordering::SeqCst)),
        }
    }
}

async fn stop_again_and_again(app: App, address: SocketAddr, first: TcpListener, seen: Arc<Seen>) {
    let mut listener = first;
    for stop in 1..=STOPS {
        app.stop.send_replace(false);
        let server = tokio::spawn(serve::serve(app.clone(), listener));
        let until = seen.answers.load(Ordering::SeqCst) + BETWEEN;
        while seen.answers.load(Ordering::SeqCst) < until {
            tokio::task::yield_now().await;
        }
        app.stop.send_replace(true);
        if stop == STOPS {
            seen.is_over.store(true, Ordering::SeqCst);
        }
        server.await.unwrap();
        listener = TcpListener::bind(address).await.unwrap();
    }
}

/// A hundred stops under load.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_resets_no_connection() {
    let servers = (0..SERVERS).map(|_| async {
        let panel = Panel::on(Dialect::Sqlite).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Arc::new(Seen::default()));
        let clients = [
            tokio::spawn(connects(address, Arc::clone(&seen))),
            tokio::spawn(connects(address, Arc::clone(&seen))),
            tokio::spawn(keeps_alive(address, Arc::clone(&seen))),
            tokio::spawn(is_idle(address, Arc::clone(&seen))),
        ];
        let stops = stop_again_and_again(panel.app.clone(), address, listener, Arc::clone(&seen));
        timeout(Duration::from_secs(120), stops).await.expect("it stops and starts again");
        for client in clients {
            client.await.unwrap();
        }
        seen
    });
    for seen in join_all(servers).await {
        let count = |of: &AtomicU64| of.load(Ordering::SeqCst);
        let bad = (count(&seen.resets), count(&seen.unanswered), count(&seen.not_closed));
        assert_eq!(bad, (0, 0, 0), "{seen:?}");
        assert!(count(&seen.answers) >= STOPS * BETWEEN);
    }
}
