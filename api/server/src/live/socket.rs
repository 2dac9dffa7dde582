//! One websocket: handshake, subscription, pings, and the end.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use crate::app::App;
use crate::live::protocol::{self, Said};

/// Silence after which we ping, and after which we give up.
const PING_AFTER: Duration = Duration::from_secs(60);
const GONE_AFTER: Duration = Duration::from_secs(90);

/// How a connection ends: a code of the protocol and its words.
struct End(u16, &'static str);

/// Counts this socket as open while it lives.
struct Counted<'a>(&'a App);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.live.sockets.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves a connection to its end.
pub(crate) async fn serve(
    app: App,
    mut socket: WebSocket,
    key: String,
    protocol: Option<String>,
    secret: String,
) {
    let open = app.live.sockets.fetch_add(1, Ordering::Relaxed);
    let counted = Counted(&app);
    let refused = match protocol.as_deref() {
        _ if key != app.config.realtime_key => Some(End(4001, "App key is not known.")),
        None => Some(End(4008, "Say which protocol you speak: protocol=7.")),
        Some(version) if version.parse::<u32>().is_err() => {
            Some(End(4006, "The protocol version is not a number."))
        }
        Some(version) if version != "7" => Some(End(4007, "Protocol 7 is spoken here.")),
        Some(_) if open >= app.config.limits.sockets => Some(End(4100, "Too many connections; try again.")),
        Some(_) => None,
    };
    let end = match refused {
        Some(end) => Some(end),
        None => converse(&app, &mut socket, &key, &secret).await,
    };
    if let Some(End(code, words)) = end {
        drop(socket.send(Message::text(protocol::error(code, words))).await);
        drop(socket.send(Message::Close(Some(CloseFrame { code, reason: words.into() }))).await);
    }
    drop(counted);
}

/// Talks until the client leaves (none) or must be sent away.
async fn converse(app: &App, socket: &mut WebSocket, key: &str, secret: &str) -> Option<End> {
    let [a, b] = [app.random.bytes::<4>(), app.random.bytes::<4>()].map(u32::from_le_bytes);
    let socket_id = format!("{a}.{b}");
    socket.send(Message::text(protocol::established(&socket_id))).await.ok()?;
    let mut events = app.live.listen();
    let mut stop = app.stop.subscribe();
    let (mut subscribed, mut heard, mut pinged) = (false, Instant::now(), false);
    loop {
        tokio::select! {
            frame = socket.recv() => {
                let frame = frame?.ok()?;
                (heard, pinged) = (Instant::now(), false);
                let Message::Text(text) = frame else { continue };
                let answer = match protocol::understand(&text) {
                    Said::Ping => Some(protocol::PONG.to_owned()),
                    Said::Pong => None,
                    Said::Subscribe { channel, auth } => {
                        let expected = format!("{key}:{}", protocol::signature(secret, &socket_id, &channel));
                        let fits = channel == protocol::CHANNEL && same(&auth, &expected);
                        subscribed |= fits;
                        Some(if fits { protocol::subscribed(&channel) } else { protocol::subscription_error(&channel, "The signature does not fit this channel.") })
                    }
                    Said::Unsubscribe(_) => { subscribed = false; None }
                    Said::ClientEvent => Some(protocol::error(4301, "Clients may not send events.")),
                    Said::Nonsense => Some(protocol::error(4200, "Invalid message format")),
                };
                if let Some(answer) = answer {
                    socket.send(Message::text(answer)).await.ok()?;
                }
            }
            event = events.recv() => match event {
                Ok(event) if subscribed => socket.send(Message::text(protocol::event(event.name, &event.data))).await.ok()?,
                Ok(_) => {}
                // Too slow to follow: it reconnects and reads the counters anew.
                Err(RecvError::Lagged(_)) => return Some(End(4100, "Too slow; connect again.")),
                Err(RecvError::Closed) => return None,
            },
            () = tokio::time::sleep_until(heard + if pinged { GONE_AFTER } else { PING_AFTER }) => {
                if pinged {
                    return Some(End(4201, "Pong reply not received in time"));
                }
                pinged = true;
                socket.send(Message::text(protocol::PING)).await.ok()?;
            }
            _ = stop.changed() => return Some(End(4100, "The server restarts; connect again.")),
        }
    }
}

/// Compares without telling by its time where the first difference is.
fn same(left: &str, right: &str) -> bool {
    left.len() == right.len() && left.bytes().zip(right.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}
