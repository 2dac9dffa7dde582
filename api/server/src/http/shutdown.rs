//! Graceful shutdown of connections: no client that has connected or sent a request sees a reset. The system resets the
//! connections in the queue of a closed listener, and a connection that is closed with unread bytes. So the server first ignores
//! new connections, then serves the queue, and reads the last bytes of each connection before it closes. This module does
//! not parse requests.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::http::connections::ConnectionPermit;

/// After the shutdown begins, connections and requests under way have this time to arrive: some round trips.
pub(crate) const SETTLE_TIME: Duration = Duration::from_millis(300);
/// How long a connection waits for its client to close it after the last response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);

/// Waits until the shutdown begins.
pub(crate) async fn wait_for_shutdown(stop: &mut watch::Receiver<bool>) {
    // An error means that the app, which holds the sender, is gone: the server stops then as well.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Makes the system ignore new connections: their clients try again after a second, and reach the next process or a closed
/// port. The system completes handshakes that have begun. On systems without this filter, connections arrive until the listener
/// closes, and a connection that arrives at that moment is reset.
pub(crate) fn ignore_new_connections(listener: &TcpListener) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(listener).attach_filter(&NO_NEW_CONNECTIONS) {
        tracing::debug!(%error, "failed to install the filter that ignores new connections");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = listener;
}

/// A classic BPF program over the TCP header: drops segments with SYN and without ACK, which begin a connection.
#[cfg(target_os = "linux")]
const NO_NEW_CONNECTIONS: [socket2::SockFilter; 5] = {
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const FLAGS_OFFSET: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    [
        socket2::SockFilter::new(LOAD_BYTE, 0, 0, FLAGS_OFFSET),
        socket2::SockFilter::new(AND, 0, 0, SYN | ACK),
        socket2::SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        socket2::SockFilter::new(RETURN, 0, 0, 0),
        socket2::SockFilter::new(RETURN, 0, 0, u32::MAX),
    ]
};

/// Closes the stream of a connection so that the client sees no reset while the process shuts down.
#[derive(Debug)]
pub(crate) struct LingeringClose {
    stop: watch::Receiver<bool>,
    permit: ConnectionPermit,
}

impl LingeringClose {
    pub(crate) fn new(stop: watch::Receiver<bool>, permit: ConnectionPermit) -> Self {
        Self { stop, permit }
    }

    /// Closes a stream. During a shutdown a task reads the client's remaining bytes first, so that the client sees the end of the
    /// stream and no reset; the connection counts as open until then.
    pub(crate) fn close(&self, stream: TcpStream) {
        if *self.stop.borrow()
            && let Ok(runtime) = Handle::try_current()
        {
            let permit = self.permit.clone();
            drop(runtime.spawn(async move {
                linger(stream).await;
                drop(permit);
            }));
        }
    }
}

async fn linger(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let mut discarded = [0; 4_096];
    drop(
        timeout(LINGER_TIMEOUT, async {
            while stream.read(&mut discarded).await.is_ok_and(|bytes_read| bytes_read > 0) {}
        })
        .await,
    );
}
