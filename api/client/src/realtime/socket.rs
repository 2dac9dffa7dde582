//! Connects, subscribes, answers pings, and reconnects after a backoff.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::BroadcastingInput;
use panel_kernel::backoff::{Backoff, Chance};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::client::Client;
use crate::error::Error;
use crate::realtime::Event;
use crate::realtime::protocol::{self, CHANNEL, ServerFrame};

/// Timeout of the handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout for the answer to a ping.
const PONG_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause between two connections.
const RECONNECT_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_millis(500), Duration::from_secs(30)).half_jitter();

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Why a connection ended.
struct Disconnect {
    why: String,
    is_permanent: bool,
    /// The panel answered no ping.
    is_silent: bool,
}

impl Disconnect {
    fn temporary(why: &(impl ToString + ?Sized)) -> Self {
        Self { why: why.to_string(), is_permanent: false, is_silent: false }
    }
}

impl From<Error> for Disconnect {
    fn from(error: Error) -> Self {
        let is_permanent = error.is_unauthenticated() || error.is_forbidden();
        Self { why: error.to_string(), is_permanent, is_silent: false }
    }
}

/// Reconnects until the receiver is dropped or reconnecting is pointless.
pub(super) async fn follow(client: &Client, events: &mpsc::Sender<Event>) {
    let mut failures: u32 = 0;
    loop {
        let mut subscribed = false;
        let end = match run_connection(client, events, &mut subscribed).await {
            Ok(()) => return,
            Err(end) => end,
        };
        failures = if subscribed { 0 } else { failures + 1 };
        let chance = Chance::of_u64(client.world().chance());
        // The end of a subscribed connection counts as the first failure.
        let retry_in = (!end.is_permanent)
            .then(|| RECONNECT_BACKOFF.delay(i64::from(failures).saturating_add(1), chance));
        if events
            .send(Event::Disconnected { why: end.why, is_silent: end.is_silent, retry_in })
            .await
            .is_err()
        {
            return;
        }
        let Some(wait) = retry_in else { return };
        client.world().sleep(wait).await;
    }
}

/// Runs one connection; `Ok` if the receiver was dropped.
async fn run_connection(
    client: &Client,
    events: &mpsc::Sender<Event>,
    subscribed: &mut bool,
) -> Result<(), Disconnect> {
    let mut socket = tokio::time::timeout(CONNECT_TIMEOUT, connect(client))
        .await
        .map_err(|_| Disconnect::temporary("no answer in time"))??;
    let mut activity = Duration::from_secs(120);
    let (mut due, mut pinged) = (Instant::now() + activity, false);
    loop {
        let frame = tokio::select! {
            // Frames that arrived while this task could not run are read before the timeout is checked.
            biased;
            frame = socket.next() => frame,
            () = tokio::time::sleep_until(due) => {
                if pinged {
                    return Err(Disconnect { is_silent: true, ..Disconnect::temporary("the panel did not answer a ping") });
                }
                (due, pinged) = (Instant::now() + PONG_TIMEOUT, true);
                send_text(&mut socket, protocol::PING).await?;
                continue;
            }
        };
        let frame = frame
            .ok_or_else(|| Disconnect::temporary("the panel closed the connection"))?
            .map_err(|error| Disconnect::temporary(&error))?;
        (due, pinged) = (Instant::now() + activity, false);
        let Message::Text(text) = frame else { continue };
        let event = match protocol::parse_frame(&text) {
            ServerFrame::Established { socket_id, activity_timeout } => {
                activity = Duration::from_secs(activity_timeout.clamp(1, 600));
                send_text(&mut socket, &subscription(client, socket_id).await?).await?;
                due = Instant::now() + activity;
                continue;
            }
            ServerFrame::Subscribed => {
                *subscribed = true;
                let counters = client.counters((), &EmptyQuery {}, &EmptyBody {}).await?.data;
                due = Instant::now() + activity;
                Event::Connected(counters)
            }
            ServerFrame::Counter(counter, count) => Event::Counter { counter, count },
            ServerFrame::Ping => {
                send_text(&mut socket, protocol::PONG).await?;
                continue;
            }
            ServerFrame::Refused(why) => return Err(Disconnect::temporary(&why)),
            ServerFrame::Error { code, message } if protocol::is_final(code) && code != 4009 => {
                return Err(Disconnect { is_permanent: true, ..Disconnect::temporary(&message) });
            }
            // 4009: the session behind the socket ended. A refreshed token may work; otherwise the next attempt gets a 401.
            ServerFrame::Error { message, .. } => return Err(Disconnect::temporary(&message)),
            ServerFrame::Other => continue,
        };
        if events.send(event).await.is_err() {
            return Ok(());
        }
    }
}

async fn connect(client: &Client) -> Result<Socket, Disconnect> {
    let realtime = client.public_settings((), &EmptyQuery {}, &EmptyBody {}).await?.data.realtime;
    let mut url = client.base().clone();
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    url.set_scheme(scheme).map_err(|()| Disconnect::temporary("the panel's address has no socket"))?;
    let path = format!("{}{}/app/{}", url.path().trim_end_matches('/'), realtime.path, realtime.key);
    url.set_path(&path);
    let version = env!("CARGO_PKG_VERSION");
    url.set_query(Some(&format!("protocol=7&client=panel-client&version={version}")));
    let (socket, _) = tokio_tungstenite::connect_async(url.as_str())
        .await
        .map_err(|error| Disconnect::temporary(&error))?;
    Ok(socket)
}

async fn subscription(client: &Client, socket_id: String) -> Result<String, Disconnect> {
    let input = BroadcastingInput { socket_id, channel_name: CHANNEL.into() };
    let signed = client.authorize_channel((), &EmptyQuery {}, &input).await?;
    Ok(protocol::subscribe(&signed.auth))
}

async fn send_text(socket: &mut Socket, text: &str) -> Result<(), Disconnect> {
    socket.send(Message::text(text)).await.map_err(|error| Disconnect::temporary(&error))
}
