//! A TCP proxy on loopback whose connections can be cut, frozen or slowed down, like those of a broken network or a stopped server.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Delay of each chunk of bytes in the mode `Slow`.
const SLOW_DELAY: Duration = Duration::from_millis(400);

/// How the proxy handles connections and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyMode {
    Forwarding,
    /// Each chunk of bytes arrives after `SLOW_DELAY`.
    Slow,
    /// The proxy accepts connections and forwards nothing.
    Frozen,
    /// The proxy closes all connections and rejects new ones.
    Cut,
}

pub struct Proxy {
    /// Listening port on loopback.
    pub port: u16,
    mode: watch::Sender<ProxyMode>,
}

impl Proxy {
    /// Starts a proxy that forwards to this port on loopback.
    pub async fn start(target_port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (mode, mode_receiver) = watch::channel(ProxyMode::Forwarding);
        tokio::spawn(accept_connections(listener, target_port, mode_receiver));
        Ok(Self { port, mode })
    }

    /// Changes the mode, also of open connections.
    pub fn set_mode(&self, mode: ProxyMode) {
        self.mode.send_replace(mode);
    }
}

async fn accept_connections(listener: TcpListener, target_port: u16, mode: watch::Receiver<ProxyMode>) {
    while let Ok((client, _)) = listener.accept().await {
        if *mode.borrow() != ProxyMode::Cut {
            tokio::spawn(relay_connection(client, target_port, mode.clone()));
        }
        if mode.has_changed().is_err() {
            return;
        }
    }
}

async fn relay_connection(client: TcpStream, target_port: u16, mode: watch::Receiver<ProxyMode>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target_port)).await else { return };
    drop((client.set_nodelay(true), server.set_nodelay(true)));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // When one of the three ends, both connections are dropped.
    tokio::select! {
        () = forward(from_client, to_server, mode.clone()) => {}
        () = forward(from_server, to_client, mode.clone()) => {}
        () = wait_for_cut(mode) => {}
    }
}

async fn wait_for_cut(mut mode: watch::Receiver<ProxyMode>) {
    // An error means that the `Proxy` was dropped.
    drop(mode.wait_for(|mode| *mode == ProxyMode::Cut).await);
}

async fn forward(
    mut source: tokio::net::tcp::OwnedReadHalf,
    mut destination: tokio::net::tcp::OwnedWriteHalf,
    mut mode: watch::Receiver<ProxyMode>,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let Ok(read @ 1..) = source.read(&mut bytes).await else { return };
        if *mode.borrow() == ProxyMode::Slow {
            tokio::time::sleep(SLOW_DELAY).await;
        }
        if mode.wait_for(|mode| *mode != ProxyMode::Frozen).await.is_err() {
            return;
        }
        if destination.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
