//! A TCP proxy on loopback whose connections can be cut, frozen or slowed down, like those of a broken network or a stopped server.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Delay of each chunk on a slow line.
const SLOW_DELAY: Duration = Duration::from_millis(400);

/// What the proxy does with connections and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineState {
    Up,
    /// Each chunk of bytes arrives after `SLOW_DELAY`.
    Slow,
    /// The proxy accepts connections and forwards nothing.
    Frozen,
    /// The proxy closes all connections and refuses new ones.
    Cut,
}

pub struct Proxy {
    /// On loopback.
    pub port: u16,
    line: watch::Sender<LineState>,
}

impl Proxy {
    /// Starts a proxy that forwards to this port on loopback.
    pub async fn start(target_port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (line, line_receiver) = watch::channel(LineState::Up);
        tokio::spawn(accept(listener, target_port, line_receiver));
        Ok(Self { port, line })
    }

    /// Sets the state of the connections.
    pub fn set(&self, line: LineState) {
        self.line.send_replace(line);
    }
}

async fn accept(listener: TcpListener, target_port: u16, line: watch::Receiver<LineState>) {
    while let Ok((client, _)) = listener.accept().await {
        if *line.borrow() != LineState::Cut {
            tokio::spawn(relay(client, target_port, line.clone()));
        }
        if line.has_changed().is_err() {
            return;
        }
    }
}

async fn relay(client: TcpStream, target_port: u16, line: watch::Receiver<LineState>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target_port)).await else { return };
    drop((client.set_nodelay(true), server.set_nodelay(true)));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // When one of the three ends, both connections are dropped.
    tokio::select! {
        () = forward(from_client, to_server, line.clone()) => {}
        () = forward(from_server, to_client, line.clone()) => {}
        () = wait_for_cut(line) => {}
    }
}

async fn wait_for_cut(mut line: watch::Receiver<LineState>) {
    // An error means that the proxy itself ended.
    drop(line.wait_for(|line| *line == LineState::Cut).await);
}

async fn forward(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut line: watch::Receiver<LineState>,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let Ok(read @ 1..) = from.read(&mut bytes).await else { return };
        if *line.borrow() == LineState::Slow {
            tokio::time::sleep(SLOW_DELAY).await;
        }
        if line.wait_for(|line| *line != LineState::Frozen).await.is_err() {
            return;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
