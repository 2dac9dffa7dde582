//! A TCP proxy on loopback whose connections can be cut, frozen or slowed down, like those of a broken network or a stopped server.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Delay of each chunk on a slow line.
const SLOW_DELAY: Duration = Duration::from_millis(400);

/// State of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Bytes arrive.
    Up,
    /// Bytes arrive late.
    Slow,
    /// Connections are accepted and nothing arrives.
    Frozen,
    /// Connections are closed.
    Cut,
}

/// A running proxy.
pub struct Proxy {
    /// Its port on loopback.
    pub port: u16,
    line: watch::Sender<Line>,
}

impl Proxy {
    /// Puts a proxy before a port of this machine.
    pub async fn before(target: u16) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (line, seen) = watch::channel(Line::Up);
        tokio::spawn(accept(listener, target, seen));
        Ok(Self { port, line })
    }

    /// Sets the state of the connections.
    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

async fn accept(listener: TcpListener, target: u16, line: watch::Receiver<Line>) {
    while let Ok((client, _)) = listener.accept().await {
        if *line.borrow() != Line::Cut {
            tokio::spawn(relay(client, target, line.clone()));
        }
        if line.has_changed().is_err() {
            return;
        }
    }
}

async fn relay(client: TcpStream, target: u16, line: watch::Receiver<Line>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else { return };
    drop((client.set_nodelay(true), server.set_nodelay(true)));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // When one of them ends, both connections are dropped.
    tokio::select! {
        () = pump(from_client, to_server, line.clone()) => {}
        () = pump(from_server, to_client, line.clone()) => {}
        () = cut(line) => {}
    }
}

async fn cut(mut line: watch::Receiver<Line>) {
    // An error means that the proxy itself ended.
    drop(line.wait_for(|line| *line == Line::Cut).await);
}

async fn pump(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
) {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        let Ok(read @ 1..) = from.read(&mut bytes).await else { return };
        if *line.borrow() == Line::Slow {
            tokio::time::sleep(SLOW_DELAY).await;
        }
        if line.wait_for(|line| *line != Line::Frozen).await.is_err() {
            return;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
