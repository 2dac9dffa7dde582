//! A TCP proxy between the server and PostgreSQL. Tests cut or freeze its connections to simulate a network failure or a stop.

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
    link_state: LinkState,
    /// The number of calls of [`Proxy::end_connections`].
    reset_count: u32,
}

pub(crate) struct Proxy {
    network: watch::Sender<Network>,
    accepted_count: watch::Receiver<u32>,
}

impl Proxy {
    /// Starts a proxy for the database of `url`, and changes the port in `url` to the port of the proxy.
    pub(crate) fn for_database(url: &mut String) -> Self {
        let (url_start, url_end) = url.split_once("127.0.0.1:").unwrap();
        let (port, path) = url_end.split_once('/').unwrap();
        let database_port: u16 = port.parse().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let proxy_port = listener.local_addr().unwrap().port();
        *url = format!("{url_start}127.0.0.1:{proxy_port}/{path}");
        let (network, receiver) = watch::channel(Network { link_state: LinkState::Up, reset_count: 0 });
        let (counter, accepted_count) = watch::channel(0);
        tokio::spawn(accept(TcpListener::from_std(listener).unwrap(), database_port, receiver, counter));
        Self { network, accepted_count }
    }

    /// The number of connections that the proxy accepted since it started.
    pub(crate) fn accepted_count(&self) -> u32 {
        *self.accepted_count.borrow()
    }

    pub(crate) fn set_link_state(&self, link_state: LinkState) {
        self.network.send_modify(|network| network.link_state = link_state);
    }

    /// Closes all current connections. New connections work at once, as after a quick restart of the database.
    pub(crate) fn end_connections(&self) {
        self.network.send_modify(|network| network.reset_count += 1);
    }
}

async fn accept(
    listener: TcpListener,
    database_port: u16,
    network: watch::Receiver<Network>,
    accepted_count: watch::Sender<u32>,
) {
    while let Ok((client, _)) = listener.accept().await {
        if network.borrow().link_state != LinkState::Cut {
            tokio::spawn(relay(client, database_port, network.clone()));
        }
        accepted_count.send_modify(|accepted_count| *accepted_count += 1);
        if network.has_changed().is_err() {
            return;
        }
    }
}

async fn relay(client: TcpStream, database_port: u16, network: watch::Receiver<Network>) {
    let reset_count = network.borrow().reset_count;
    let Ok(server) = TcpStream::connect(("127.0.0.1", database_port)).await else { return };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let mut until_cut = network.clone();
    let is_cut =
        |network: &Network| network.link_state == LinkState::Cut || network.reset_count != reset_count;
    // The first future that ends drops both connections.
    tokio::select! {
        biased;
        () = async { drop(until_cut.wait_for(is_cut).await) } => {}
        () = forward(from_client, to_server, network.clone()) => {}
        () = forward(from_server, to_client, network) => {}
    }
}

async fn forward(
    mut reader: tokio::net::tcp::OwnedReadHalf,
    mut writer: tokio::net::tcp::OwnedWriteHalf,
    mut network: watch::Receiver<Network>,
) {
    let mut buffer = vec![0; 16_384];
    loop {
        let byte_count = reader.read(&mut buffer).await.unwrap_or(0);
        let is_up = network.wait_for(|network| network.link_state != LinkState::Frozen).await.is_ok();
        if byte_count == 0 || !is_up || writer.write_all(&buffer[..byte_count]).await.is_err() {
            return;
        }
    }
}
