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

/// What happens to bytes, and how often all connections were ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    line: Line,
    ended: u32,
}

/// A proxy; it ends with its test.
pub(crate) struct Proxy {
    network: watch::Sender<Network>,
    accepted: watch::Receiver<u32>,
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
        let (network, seen) = watch::channel(Network { line: Line::Up, ended: 0 });
        let (counter, accepted) = watch::channel(0);
        tokio::spawn(accept(TcpListener::from_std(listener).unwrap(), target, seen, counter));
        Self { network, accepted }
    }

    /// How many connections were accepted since the start.
    pub(crate) fn accepted(&self) -> u32 {
        *self.accepted.borrow()
    }

    /// From now on bytes fare so.
    pub(crate) fn set(&self, line: Line) {
        self.network.send_modify(|network| network.line = line);
    }

    /// Ends the connections that there are; new ones can be made at once, as after a quick restart.
    pub(crate) fn end_connections(&self) {
        self.network.send_modify(|network| network.ended += 1);
    }
}

async fn accept(
    listener: TcpListener,
    target: u16,
    network: watch::Receiver<Network>,
    accepted: watch::Sender<u32>,
) {
    while let Ok((client, _)) = listener.accept().await {
        if network.borrow().line != Line::Cut {
            tokio::spawn(relay(client, target, network.clone()));
        }
        accepted.send_modify(|accepted| *accepted += 1);
        if network.has_changed().is_err() {
            return;
        }
    }
}

async fn relay(client: TcpStream, target: u16, network: watch::Receiver<Network>) {
    let ended = network.borrow().ended;
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut until_cut = network.clone();
    let is_cut = |network: &Network| network.line == Line::Cut || network.ended != ended;
    // The first that ends drops both connections.
    tokio::select! {
        biased;
        () = async { drop(until_cut.wait_for(is_cut).await) } => {}
        () = pump(from_client, to_server, network.clone()) => {}
        () = pump(from_server, to_client, network) => {}
    }
}

async fn pump(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut network: watch::Receiver<Network>,
) {
    let mut bytes = vec![0; 16_384];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        let is_up = network.wait_for(|network| network.line != Line::Frozen).await.is_ok();
        if read == 0 || !is_up || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
