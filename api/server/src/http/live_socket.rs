//! One websocket: handshake, subscription, pings, and the end.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use crate::app::App;
use panel_platform::live::channel::Event;
use panel_platform::live::protocol::{self, Said};
use panel_platform::live::seats::Taken;
use panel_platform::metrics::catalogue::{WS_CLOSED, WS_LAGGED, WS_OPENED};

/// Silence after which we ping, and after which we give up.
const PING_AFTER: Duration = Duration::from_secs(60);
const GONE_AFTER: Duration = Duration::from_secs(90);

/// How a connection ends: a code of the protocol and its words.
struct End(u16, &'static str);

/// Serves a connection to its end.
pub(crate) async fn serve(
    app: App,
    mut socket: WebSocket,
    ip: IpAddr,
    key: String,
    protocol: Option<String>,
) {
    let [a, b] = [app.random.bytes::<4>(), app.random.bytes::<4>()].map(u32::from_le_bytes);
    let id = format!("{a}.{b}");
    let seat = app.live.seats.take(&id, ip, &app.config.limits);
    WS_OPENED.only().increment(1);
    let end = match (refusal(&app, &key, protocol.as_deref()), seat) {
        (Some(end), _) => Some(end),
        (None, None) => Some(End(4100, "Too many connections; try again.")),
        (None, Some(seat)) => {
            let secret = app.realtime_secret.clone();
            Conversation { id: &id, key, secret, seat, subscribed: false, has_subscribed: false }
                .hold(&app, &mut socket)
                .await
        }
    };
    let code = end.as_ref().map_or_else(|| "gone".to_owned(), |end| end.0.to_string());
    WS_CLOSED.with([code]).increment(1);
    if let Some(End(code, words)) = end {
        drop(socket.send(Message::text(protocol::error(code, words))).await);
        drop(socket.send(Message::Close(Some(CloseFrame { code, reason: words.into() }))).await);
    }
}

/// Why this connection cannot be, by key and protocol version.
fn refusal(app: &App, key: &str, protocol: Option<&str>) -> Option<End> {
    match protocol {
        _ if key != app.config.realtime_key => Some(End(4001, "App key is not known.")),
        None => Some(End(4008, "Say which protocol you speak: protocol=7.")),
        Some(version) if version.parse::<u32>().is_err() => {
            Some(End(4006, "The protocol version is not a number."))
        }
        Some(version) if version != "7" => Some(End(4007, "Protocol 7 is spoken here.")),
        Some(_) => None,
    }
}

/// A connection that stands.
struct Conversation<'a> {
    id: &'a str,
    key: String,
    secret: String,
    seat: Taken<'a>,
    subscribed: bool,
    /// Whether the client has shown that it is signed in, though it may have unsubscribed since.
    has_subscribed: bool,
}

impl Conversation<'_> {
    /// Talks until the client leaves (none) or must be sent away.
    async fn hold(mut self, app: &App, socket: &mut WebSocket) -> Option<End> {
        // Listens before the client can know of it: an event between its subscription and ours would be lost.
        let mut events = app.live.listen();
        let mut stop = app.stop.subscribe();
        send(socket, protocol::established(self.id)).await?;
        let subscribe_by = Instant::now() + Duration::from_secs(app.config.limits.socket_subscribe_seconds);
        let (mut heard, mut pinged) = (Instant::now(), false);
        loop {
            tokio::select! {
                frame = socket.recv() => {
                    let frame = frame?.ok()?;
                    (heard, pinged) = (Instant::now(), false);
                    if let Message::Text(text) = frame && let Some(answer) = self.answer(&text) {
                        send(socket, answer).await?;
                    }
                }
                event = events.recv() => match event {
                    Ok(Event::Changed { name, data }) if self.subscribed => send(socket, protocol::event(name, &data)).await?,
                    Ok(Event::Ended(ids)) if ids.contains(self.id) => return Some(End(4009, "You are signed out.")),
                    Ok(_) => {}
                    // Too slow to follow: it reconnects and reads the counters anew.
                    Err(RecvError::Lagged(_)) => {
                        WS_LAGGED.only().increment(1);
                        return Some(End(4100, "Too slow; connect again."));
                    }
                    Err(RecvError::Closed) => return None,
                },
                () = tokio::time::sleep_until(heard + if pinged { GONE_AFTER } else { PING_AFTER }) => {
                    if pinged {
                        return Some(End(4201, "Pong reply not received in time"));
                    }
                    pinged = true;
                    send(socket, protocol::PING.to_owned()).await?;
                }
                () = tokio::time::sleep_until(subscribe_by), if !self.has_subscribed => {
                    return Some(End(4100, "Subscribe in time; connect again."));
                }
                () = self.seat.evicted() => {
                    return Some(End(4100, "Others connected before this connection subscribed; connect again."));
                }
                () = async { drop(stop.wait_for(|stop| *stop).await) } => {
                    return Some(End(4100, "The server restarts; connect again."));
                }
            }
        }
    }

    /// What is answered to a frame.
    fn answer(&mut self, text: &str) -> Option<String> {
        match protocol::understand(text) {
            Said::Ping => Some(protocol::PONG.to_owned()),
            Said::Pong => None,
            Said::Subscribe { channel, auth } => Some(self.subscribe(&channel, &auth)),
            Said::Unsubscribe(_) => {
                self.subscribed = false;
                None
            }
            Said::ClientEvent => Some(protocol::error(4301, "Clients may not send events.")),
            Said::Nonsense => Some(protocol::error(4200, "Invalid message format")),
        }
    }

    fn subscribe(&mut self, channel: &str, auth: &str) -> String {
        let expected = format!("{}:{}", self.key, protocol::signature(&self.secret, self.id, channel));
        if channel != protocol::CHANNEL || !same(auth, &expected) {
            return protocol::subscription_error(channel, "The signature does not fit this channel.");
        }
        if !self.seat.subscribed() {
            return protocol::subscription_error(channel, "This connection ends; connect again.");
        }
        (self.subscribed, self.has_subscribed) = (true, true);
        protocol::subscribed(channel)
    }
}

/// Sends a text; none when the client is gone or takes nothing.
async fn send(socket: &mut WebSocket, text: String) -> Option<()> {
    tokio::time::timeout(GONE_AFTER, socket.send(Message::text(text))).await.ok()?.ok()
}

/// Compares without telling by its time where the first difference is.
fn same(left: &str, right: &str) -> bool {
    left.len() == right.len() && left.bytes().zip(right.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}
