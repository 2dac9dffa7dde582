//! A TCP proxy before PostgreSQL whose connections a test can cut or freeze, to simulate a network failure or a stopped server.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkState {
    Up,
    /// The proxy accepts connections, but forwards nothing.
    Frozen,
    /// The proxy closes every connection.
    Cut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    link: LinkState,
    /// How often [`Proxy::end_connections`] ended all connections.
    resets: u32,
}

pub(crate) struct Proxy {
    network: watch::Sender<Network>,
    accepted: watch::Receiver<u32>,
}

impl Proxy {
    /// Starts a proxy before the database of `url`, and changes the port of `url` to that of the proxy.
    pub(crate) fn before(url: &mut String) -> Self {
        let (head, rest) = url.split_once("127.0.0.1:").unwrap();
        let (port, tail) = rest.split_once('/').unwrap();
        let target: u16 = port.parse().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let proxy_port = listener.local_addr().unwrap().port();
        *url = format!("{head}127.0.0.1:{proxy_port}/{tail}");
        let (network, receiver) = watch::channel(Network { link: LinkState::Up, resets: 0 });
        let (counter, accepted) = watch::channel(0);
        tokio::spawn(accept(TcpListener::from_std(listener).unwrap(), target, receiver, counter));
        Self { network, accepted }
    }

    /// How many connections were accepted since the start.
    pub(crate) fn accepted(&self) -> u32 {
        *self.accepted.borrow()
    }

    pub(crate) fn set_link(&self, link: LinkState) {
        self.network.send_modify(|network| network.link = link);
    }

    /// Closes all current connections. New connections work at once, as after a quick restart of the database.
    pub(crate) fn end_connections(&self) {
        self.network.send_modify(|network| network.resets += 1);
    }
}

async fn accept(
    listener: TcpListener,
    target: u16,
    network: watch::Receiver<Network>,
    accepted: watch::Sender<u32>,
) {
    while let Ok((client, _)) = listener.accept().await {
        if network.borrow().link != LinkState::Cut {
            tokio::spawn(relay(client, target, network.clone()));
        }
        accepted.send_modify(|accepted| *accepted += 1);
        if network.has_changed().is_err() {
            return;
        }
    }
}

async fn relay(client: TcpStream, target: u16, network: watch::Receiver<Network>) {
    let resets = network.borrow().resets;
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut until_cut = network.clone();
    let is_cut = |network: &Network| network.link == LinkState::Cut || network.resets != resets;
    // The first future that ends drops both connections.
    tokio::select! {
        biased;
        () = async { drop(until_cut.wait_for(is_cut).await) } => {}
        () = forward(from_client, to_server, network.clone()) => {}
        () = forward(from_server, to_client, network) => {}
    }
}

async fn forward(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut network: watch::Receiver<Network>,
) {
    let mut bytes = vec![0; 16_384];
    loop {
        let read = from.read(&mut bytes).await.unwrap_or(0);
        let is_up = network.wait_for(|network| network.link != LinkState::Frozen).await.is_ok();
        if read == 0 || !is_up || to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
