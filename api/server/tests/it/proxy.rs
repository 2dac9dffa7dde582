//! A TCP proxy before PostgreSQL that a test cuts or freezes, as a network or a stopped server does.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What happens to bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// They arrive.
    Up,
    /// Connections are accepted and nothing arrives.
    Frozen,
    /// Connections are closed.
    Cut,
}

/// A proxy; it ends with its test.
pub(crate) struct Proxy {
    line: watch::Sender<Line>,
}

impl Proxy {
    /// Puts itself before the database that `url` leads to, and changes `url`.
    pub(crate) fn before(url: &mut String) -> Self {
        let (head, rest) = url.split_once("127.0.0.1:").unwrap();
        let (port, tail) = rest.split_once('/').unwrap();
        let target: u16 = port.parse().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let own = listener.local_addr().unwrap().port();
        *url = format!("{head}127.0.0.1:{own}/{tail}");
        let (line, seen) = watch::channel(Line::Up);
        tokio::spawn(accept(TcpListener::from_std(listener).unwrap(), target, seen));
        Self { line }
    }

    /// From now on bytes fare so.
    pub(crate) fn set(&self, line: Line) {
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
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    // The first that ends drops both connections.
    tokio::select! {
        () = pump(from_client, to_server, line.clone()) => {}
        () = pump(from_server, to_client, line) => {}
    }
}

async fn pump(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
) {
    let (mut bytes, mut state) = (vec![0; 16_384], line.clone());
    loop {
        let read = tokio::select! {
            read = from.read(&mut bytes) => read.unwrap_or(0),
            () = async { drop(state.wait_for(|line| *line == Line::Cut).await) } => 0,
        };
        let line = line.wait_for(|line| *line != Line::Frozen).await.map(|line| *line).ok();
        if read == 0 || line != Some(Line::Up) || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
