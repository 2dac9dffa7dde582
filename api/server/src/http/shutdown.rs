//! How connections end when the process does: no client that connected, or sent a request, sees a reset. A listener that is
//! closed resets the connections that wait in its queue, and a connection that is closed over unread bytes is reset as well.
//! So new connections are held off first, those that wait are served, and the last bytes of each are read before it closes.
//! Knows nothing of requests.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::http::connections::ConnectionPermit;

/// How long connections and requests that are under way may take to arrive once the process is to end: some round trips.
pub(crate) const SETTLE: Duration = Duration::from_millis(300);
/// How long a connection whose answers are sent waits for its client to hang up.
const LINGER: Duration = Duration::from_secs(1);

/// Turns true once the process is to end.
pub(crate) async fn begun(stop: &mut watch::Receiver<bool>) {
    // The sender lives in the app; without it there is nothing to serve for.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Has the system leave new connections unanswered: their clients try again after a second, and reach the next process or a
/// closed port. Handshakes under way are completed. Where the system cannot do it, connections come in until the listener
/// closes, and one in that moment is reset.
pub(crate) fn hold_off(listener: &TcpListener) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(listener).attach_filter(&NO_NEW_CONNECTIONS) {
        tracing::debug!(%error, "new connections cannot be held off");
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
    const FLAGS_AT: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    [
        socket2::SockFilter::new(LOAD_BYTE, 0, 0, FLAGS_AT),
        socket2::SockFilter::new(AND, 0, 0, SYN | ACK),
        socket2::SockFilter::new(JUMP_IF_EQUAL, 0, 1, SYN),
        socket2::SockFilter::new(RETURN, 0, 0, 0),
        socket2::SockFilter::new(RETURN, 0, 0, u32::MAX),
    ]
};

/// What a connection does with its stream at its end.
#[derive(Debug)]
pub(crate) struct Parting {
    stop: watch::Receiver<bool>,
    permit: ConnectionPermit,
}

impl Parting {
    pub(crate) fn new(stop: watch::Receiver<bool>, permit: ConnectionPermit) -> Self {
        Self { stop, permit }
    }

    /// Lets a stream go. While the process ends, what its client still sends is read, so that it sees the end of the stream and
    /// no reset; the connection counts as open until then.
    pub(crate) fn let_go(&self, stream: TcpStream) {
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
    let mut rest = [0; 4_096];
    drop(timeout(LINGER, async { while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {} }).await);
}
