//! One connection after another: handshake, subscription, pings, and the wait before the next.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use panel_contract::endpoint::{NoBody, NoQuery};
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
use crate::realtime::protocol::{self, CHANNEL, Heard};

/// A handshake takes at most this long.
const CONNECT_WITHIN: Duration = Duration::from_secs(15);
/// A ping is answered within this time.
const PONG_WITHIN: Duration = Duration::from_secs(2);
/// Between two connections.
const RECONNECT_BACKOFF: Backoff<'static> =
    Backoff::doubling(Duration::from_millis(500), Duration::from_secs(30)).half_jitter();

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Why a connection ended.
struct End {
    why: String,
    for_good: bool,
    /// The panel answered no ping.
    is_silent: bool,
}

impl End {
    fn later(why: &(impl ToString + ?Sized)) -> Self {
        Self { why: why.to_string(), for_good: false, is_silent: false }
    }
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        let for_good = error.is_unauthenticated() || error.is_forbidden();
        Self { why: error.to_string(), for_good, is_silent: false }
    }
}

/// Connects again and again until nobody listens or it is of no use.
pub(super) async fn follow(client: &Client, events: &mpsc::Sender<Event>) {
    let mut failures: u32 = 0;
    loop {
        let mut stood = false;
        let end = match converse(client, events, &mut stood).await {
            Ok(()) => return,
            Err(end) => end,
        };
        failures = if stood { 0 } else { failures + 1 };
        let chance = Chance::of_u64(client.world().chance());
        // The end of a connection that stood counts as the first failure.
        let retry_in =
            (!end.for_good).then(|| RECONNECT_BACKOFF.delay(i64::from(failures).saturating_add(1), chance));
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

/// One connection; `Ok` when nobody listens any more.
async fn converse(client: &Client, events: &mpsc::Sender<Event>, stood: &mut bool) -> Result<(), End> {
    let mut socket = tokio::time::timeout(CONNECT_WITHIN, connect(client))
        .await
        .map_err(|_| End::later("no answer in time"))??;
    let mut activity = Duration::from_secs(120);
    let (mut due, mut pinged) = (Instant::now() + activity, false);
    loop {
        let frame = tokio::select! {
            // A frame that arrived while this task could not run comes before the silence that it ends.
            biased;
            frame = socket.next() => frame,
            () = tokio::time::sleep_until(due) => {
                if pinged {
                    return Err(End { is_silent: true, ..End::later("the panel fell silent") });
                }
                (due, pinged) = (Instant::now() + PONG_WITHIN, true);
                say(&mut socket, protocol::PING).await?;
                continue;
            }
        };
        let frame = frame
            .ok_or_else(|| End::later("the panel closed the connection"))?
            .map_err(|error| End::later(&error))?;
        (due, pinged) = (Instant::now() + activity, false);
        let Message::Text(text) = frame else { continue };
        let event = match protocol::understand(&text) {
            Heard::Established { socket_id, activity_timeout } => {
                activity = Duration::from_secs(activity_timeout.clamp(1, 600));
                say(&mut socket, &subscription(client, socket_id).await?).await?;
                due = Instant::now() + activity;
                continue;
            }
            Heard::Subscribed => {
                *stood = true;
                let counters = client.counters((), &NoQuery {}, &NoBody {}).await?.data;
                due = Instant::now() + activity;
                Event::Connected(counters)
            }
            Heard::Counter(counter, count) => Event::Counter { counter, count },
            Heard::Ping => {
                say(&mut socket, protocol::PONG).await?;
                continue;
            }
            Heard::Refused(why) => return Err(End::later(&why)),
            Heard::Error { code, message } if protocol::is_final(code) && code != 4009 => {
                return Err(End { for_good: true, ..End::later(&message) });
            }
            // 4009: the sign-in behind the socket ended; a refreshed token may do, else the next try says 401.
            Heard::Error { message, .. } => return Err(End::later(&message)),
            Heard::Other => continue,
        };
        if events.send(event).await.is_err() {
            return Ok(());
        }
    }
}

async fn connect(client: &Client) -> Result<Socket, End> {
    let realtime = client.public_settings((), &NoQuery {}, &NoBody {}).await?.data.realtime;
    let mut url = client.base().clone();
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    url.set_scheme(scheme).map_err(|()| End::later("the panel's address has no socket"))?;
    let path = format!("{}{}/app/{}", url.path().trim_end_matches('/'), realtime.path, realtime.key);
    url.set_path(&path);
    let version = env!("CARGO_PKG_VERSION");
    url.set_query(Some(&format!("protocol=7&client=panel-client&version={version}")));
    let (socket, _) =
        tokio_tungstenite::connect_async(url.as_str()).await.map_err(|error| End::later(&error))?;
    Ok(socket)
}

async fn subscription(client: &Client, socket_id: String) -> Result<String, End> {
    let input = BroadcastingInput { socket_id, channel_name: CHANNEL.into() };
    let signed = client.authorize_channel((), &NoQuery {}, &input).await?;
    Ok(protocol::subscribe(&signed.auth))
}

async fn say(socket: &mut Socket, text: &str) -> Result<(), End> {
    socket.send(Message::text(text)).await.map_err(|error| End::later(&error))
}
