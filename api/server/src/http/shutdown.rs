//! Graceful shutdown of connections: a client that has connected or sent a request must not get a connection reset. The kernel
//! resets connections in the queue of a closed listener, and connections that are closed with unread bytes. Therefore the server
//! first ignores new connections, then serves the queue, and reads the last bytes of each connection before it closes the
//! connection. This module does not parse requests.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::http::connections::ConnectionPermit;

/// Time for connections and requests that are still on the network when the shutdown starts: some round trips.
pub(crate) const SETTLE_TIME: Duration = Duration::from_millis(300);
/// Time for which the server waits until the client closes the connection after the last response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);

/// Waits until the shutdown starts.
pub(crate) async fn wait_for_shutdown(stop: &mut watch::Receiver<bool>) {
    // An error means that the app, which holds the sender, was dropped; the server must stop then too.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Makes the kernel ignore new connections. Their clients retry after a second, and reach the next process or a closed port. The
/// kernel completes handshakes that have started. On systems without this filter, connections arrive until the listener closes, and
/// a connection that arrives at that moment is reset.
pub(crate) fn ignore_new_connections(listener: &TcpListener) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(listener).attach_filter(&NO_NEW_CONNECTIONS) {
        tracing::debug!(%error, "failed to install the filter that ignores new connections");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = listener;
}

/// A classic BPF program for the TCP header. It drops segments with SYN and without ACK, which start a connection.
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

/// Closes the stream of a connection so that the client gets no connection reset while the process shuts down.
#[derive(Debug)]
pub(crate) struct LingeringClose {
    stop: watch::Receiver<bool>,
    permit: ConnectionPermit,
}

impl LingeringClose {
    pub(crate) fn new(stop: watch::Receiver<bool>, permit: ConnectionPermit) -> Self {
        Self { stop, permit }
    }

    /// Closes a stream. During a shutdown, a task first reads the client's remaining bytes, so that the client gets the end of the
    /// stream instead of a connection reset. The connection counts as open until then.
    pub(crate) fn close(&self, stream: TcpStream) {
        if *self.stop.borrow()
            && let Ok(runtime) = Handle::try_current()
        {
            let permit = self.permit.clone();
            drop(runtime.spawn(async move {
                close_after_client(stream).await;
                drop(permit);
            }));
        }
    }
}

/// Ends the sending side, then reads and discards bytes until the client closes the connection or the timeout expires.
async fn close_after_client(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let mut buffer = [0; 4_096];
    drop(
        timeout(LINGER_TIMEOUT, async {
            while stream.read(&mut buffer).await.is_ok_and(|bytes_read| bytes_read > 0) {}
        })
        .await,
    );
}
