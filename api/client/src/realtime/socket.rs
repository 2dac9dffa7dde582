//! The connection of the live channel: connects, subscribes, responds to pings, and reconnects with backoff.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::BroadcastingInput;
use panel_kernel::backoff::{Backoff, JitterFraction};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::client::Client;
use crate::error::Error;
use crate::realtime::LiveEvent;
use crate::realtime::protocol::{self, STAFF_CHANNEL, ServerFrame};

/// Timeout for the settings call and the handshake of the websocket.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const PONG_TIMEOUT: Duration = Duration::from_secs(2);
const RECONNECT_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_millis(500), Duration::from_secs(30)).half_jitter();

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Why a connection ended.
struct Disconnect {
    reason: String,
    /// Whether a reconnect would fail too.
    is_permanent: bool,
    /// Whether the panel sent no response to a ping.
    is_silent: bool,
}

impl Disconnect {
    fn with_retry(reason: &(impl ToString + ?Sized)) -> Self {
        Self { reason: reason.to_string(), is_permanent: false, is_silent: false }
    }
}

impl From<Error> for Disconnect {
    fn from(error: Error) -> Self {
        let is_permanent = error.is_unauthenticated() || error.is_forbidden();
        Self { reason: error.to_string(), is_permanent, is_silent: false }
    }
}

/// Connects, and reconnects after each disconnect, until the receiver is dropped or a disconnect is permanent.
pub(super) async fn run(client: &Client, events: &mpsc::Sender<LiveEvent>) {
    let mut failures: u32 = 0;
    loop {
        let mut was_subscribed = false;
        let disconnect = match run_connection(client, events, &mut was_subscribed).await {
            Ok(()) => return,
            Err(disconnect) => disconnect,
        };
        failures = if was_subscribed { 0 } else { failures + 1 };
        let jitter = JitterFraction::from_u64(client.environment().random_u64());
        // The end of a subscribed connection counts as the first failure.
        let retry_in = (!disconnect.is_permanent)
            .then(|| RECONNECT_BACKOFF.delay(i64::from(failures).saturating_add(1), jitter));
        if events
            .send(LiveEvent::Disconnected {
                reason: disconnect.reason,
                is_silent: disconnect.is_silent,
                retry_in,
            })
            .await
            .is_err()
        {
            return;
        }
        let Some(delay) = retry_in else { return };
        client.environment().sleep(delay).await;
    }
}

/// Runs one connection. Returns `Ok` if the receiver was dropped, and sets `was_subscribed` once the client is subscribed.
async fn run_connection(
    client: &Client,
    events: &mpsc::Sender<LiveEvent>,
    was_subscribed: &mut bool,
) -> Result<(), Disconnect> {
    let mut socket = tokio::time::timeout(CONNECT_TIMEOUT, connect(client))
        .await
        .map_err(|_| Disconnect::with_retry("no response in time"))??;
    let mut activity_timeout = Duration::from_secs(120);
    let (mut deadline, mut ping_was_sent) = (Instant::now() + activity_timeout, false);
    loop {
        let frame = tokio::select! {
            // Biased, so that a frame that arrived while this task could not run is read before the deadline is checked.
            biased;
            frame = socket.next() => frame,
            () = tokio::time::sleep_until(deadline) => {
                if ping_was_sent {
                    return Err(Disconnect { is_silent: true, ..Disconnect::with_retry("the panel did not respond to a ping") });
                }
                (deadline, ping_was_sent) = (Instant::now() + PONG_TIMEOUT, true);
                send_text(&mut socket, protocol::PING).await?;
                continue;
            }
        };
        let frame = frame
            .ok_or_else(|| Disconnect::with_retry("the panel closed the connection"))?
            .map_err(|error| Disconnect::with_retry(&error))?;
        (deadline, ping_was_sent) = (Instant::now() + activity_timeout, false);
        let Message::Text(text) = frame else { continue };
        let event = match protocol::parse_frame(&text) {
            ServerFrame::Established { socket_id, activity_timeout: seconds } => {
                activity_timeout = Duration::from_secs(seconds.clamp(1, 600));
                send_text(&mut socket, &authorize_subscription(client, socket_id).await?).await?;
                deadline = Instant::now() + activity_timeout;
                continue;
            }
            ServerFrame::Subscribed => {
                *was_subscribed = true;
                let counters = client.counters((), &EmptyQuery {}, &EmptyBody {}).await?.data;
                deadline = Instant::now() + activity_timeout;
                LiveEvent::Connected(counters)
            }
            ServerFrame::CounterChanged(counter, count) => LiveEvent::CounterChanged { counter, count },
            ServerFrame::Ping => {
                send_text(&mut socket, protocol::PONG).await?;
                continue;
            }
            ServerFrame::SubscriptionError(reason) => return Err(Disconnect::with_retry(&reason)),
            ServerFrame::Error { code, message } if protocol::is_permanent_error(code) && code != 4009 => {
                return Err(Disconnect { is_permanent: true, ..Disconnect::with_retry(&message) });
            }
            // 4009: the session of the connection ended. The next attempt works with a refreshed token, or else gets a 401.
            ServerFrame::Error { message, .. } => return Err(Disconnect::with_retry(&message)),
            ServerFrame::Other => continue,
        };
        if events.send(event).await.is_err() {
            return Ok(());
        }
    }
}

async fn connect(client: &Client) -> Result<Socket, Disconnect> {
    let realtime = client.public_settings((), &EmptyQuery {}, &EmptyBody {}).await?.data.realtime;
    let mut url = client.base_url().clone();
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    url.set_scheme(scheme)
        .map_err(|()| Disconnect::with_retry("the address of the panel allows no websocket"))?;
    let path = format!("{}{}/app/{}", url.path().trim_end_matches('/'), realtime.path, realtime.key);
    url.set_path(&path);
    let version = env!("CARGO_PKG_VERSION");
    url.set_query(Some(&format!("protocol=7&client=panel-client&version={version}")));
    let (socket, _) = tokio_tungstenite::connect_async(url.as_str())
        .await
        .map_err(|error| Disconnect::with_retry(&error))?;
    Ok(socket)
}

async fn authorize_subscription(client: &Client, socket_id: String) -> Result<String, Disconnect> {
    let input = BroadcastingInput { socket_id, channel_name: STAFF_CHANNEL.into() };
    let authorization = client.authorize_channel((), &EmptyQuery {}, &input).await?;
    Ok(protocol::subscribe_frame(&authorization.auth))
}

async fn send_text(socket: &mut Socket, text: &str) -> Result<(), Disconnect> {
    socket.send(Message::text(text)).await.map_err(|error| Disconnect::with_retry(&error))
}
