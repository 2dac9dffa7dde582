//! Serves one websocket: handshake, subscription, pings and close. The protocol is version 7 of Pusher's.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use crate::app::App;
use panel_platform::live::channel::LiveEvent;
use panel_platform::live::protocol::{self, ClientFrame};
use panel_platform::live::socket_registry::SocketRegistration;
use panel_platform::metrics::catalogue::{WS_CLOSED, WS_LAGGED, WS_OPENED};

/// If the server receives no frame for this time, it sends a ping.
const PING_AFTER: Duration = Duration::from_secs(60);
/// If the server receives no frame for this time, it closes the connection.
const CLOSE_AFTER: Duration = Duration::from_secs(90);

/// Why the server closes a connection: a close code of the Pusher protocol and a message.
struct CloseReason(u16, &'static str);

/// Serves a connection until it closes.
pub(crate) async fn serve(
    app: App,
    mut socket: WebSocket,
    ip: IpAddr,
    key: String,
    protocol: Option<String>,
) {
    let [first_number, second_number] =
        [app.random.bytes::<4>(), app.random.bytes::<4>()].map(u32::from_le_bytes);
    let socket_id = format!("{first_number}.{second_number}");
    let registration = app.live.sockets.register(&socket_id, ip, &app.config.limits);
    WS_OPENED.unlabeled().increment(1);
    let close_reason = match (handshake_error(&app, &key, protocol.as_deref()), registration) {
        (Some(reason), _) => Some(reason),
        (None, None) => Some(CloseReason(4100, "There are too many connections. Connect again later.")),
        (None, Some(registration)) => {
            let secret = app.realtime_secret.clone();
            SocketSession {
                socket_id: &socket_id,
                app_key: key,
                secret,
                registration,
                is_subscribed: false,
                has_subscribed: false,
            }
            .run(&app, &mut socket)
            .await
        }
    };
    let close_code = close_reason.as_ref().map_or_else(|| "gone".to_owned(), |reason| reason.0.to_string());
    WS_CLOSED.with_labels([close_code]).increment(1);
    if let Some(CloseReason(code, message)) = close_reason {
        drop(socket.send(Message::text(protocol::error_frame(code, message))).await);
        drop(socket.send(Message::Close(Some(CloseFrame { code, reason: message.into() }))).await);
    }
}

/// Returns the reason if the handshake fails because of an unknown app key or an unsupported protocol version.
fn handshake_error(app: &App, key: &str, protocol: Option<&str>) -> Option<CloseReason> {
    match protocol {
        _ if key != app.config.realtime_key => Some(CloseReason(
            4001,
            "The app key is unknown. Read it from the client configuration of this panel.",
        )),
        None => Some(CloseReason(4008, "The query parameter protocol is missing. Connect with protocol=7.")),
        Some(version) if version.parse::<u32>().is_err() => {
            Some(CloseReason(4006, "The protocol version is not a number. Connect with protocol=7."))
        }
        Some(version) if version != "7" => {
            Some(CloseReason(4007, "This protocol version is not supported. Connect with protocol=7."))
        }
        Some(_) => None,
    }
}

struct SocketSession<'a> {
    socket_id: &'a str,
    app_key: String,
    /// Signs the subscriptions.
    secret: String,
    registration: SocketRegistration<'a>,
    is_subscribed: bool,
    /// Whether the client has ever subscribed, which requires a signed-in user. It may have unsubscribed since.
    has_subscribed: bool,
}

impl SocketSession<'_> {
    /// Runs until the client disconnects (`None`) or the server closes the connection.
    async fn run(mut self, app: &App, socket: &mut WebSocket) -> Option<CloseReason> {
        // The server starts to listen before the client can subscribe. Otherwise an event between the two steps would be lost.
        let mut events = app.live.listen();
        let mut stop = app.stop.subscribe();
        send(socket, protocol::connection_established_frame(self.socket_id)).await?;
        let subscribe_deadline =
            Instant::now() + Duration::from_secs(app.config.limits.socket_subscribe_seconds);
        let (mut last_received_at, mut has_pinged) = (Instant::now(), false);
        loop {
            tokio::select! {
                frame = socket.recv() => {
                    let frame = frame?.ok()?;
                    (last_received_at, has_pinged) = (Instant::now(), false);
                    if let Message::Text(text) = frame && let Some(response) = self.handle_message(&text) {
                        send(socket, response).await?;
                    }
                }
                event = events.recv() => match event {
                    Ok(LiveEvent::CounterChanged { name, data }) if self.is_subscribed => send(socket, protocol::event_frame(name, &data)).await?,
                    Ok(LiveEvent::SessionsEnded(ids)) if ids.contains(self.socket_id) => return Some(CloseReason(4009, "You are signed out. Sign in and connect again.")),
                    Ok(_) => {}
                    // The client reads too slowly and has missed events. It reconnects and reads the counters again.
                    Err(RecvError::Lagged(_)) => {
                        WS_LAGGED.unlabeled().increment(1);
                        return Some(CloseReason(4100, "The connection is too slow and has missed events. Connect again."));
                    }
                    Err(RecvError::Closed) => return None,
                },
                () = tokio::time::sleep_until(last_received_at + if has_pinged { CLOSE_AFTER } else { PING_AFTER }) => {
                    if has_pinged {
                        return Some(CloseReason(4201, "No pong was received in time. Connect again."));
                    }
                    has_pinged = true;
                    send(socket, protocol::PING.to_owned()).await?;
                }
                () = tokio::time::sleep_until(subscribe_deadline), if !self.has_subscribed => {
                    return Some(CloseReason(4100, "The connection did not subscribe in time. Connect again and subscribe."));
                }
                () = self.registration.wait_for_eviction() => {
                    return Some(CloseReason(4100, "There are too many connections without a subscription. Connect again and subscribe."));
                }
                () = async { drop(stop.wait_for(|stop| *stop).await) } => {
                    return Some(CloseReason(4100, "The server restarts. Connect again."));
                }
            }
        }
    }

    fn handle_message(&mut self, text: &str) -> Option<String> {
        match protocol::parse_client_frame(text) {
            ClientFrame::Ping => Some(protocol::PONG.to_owned()),
            ClientFrame::Pong => None,
            ClientFrame::Subscribe { channel, auth } => Some(self.subscribe(&channel, &auth)),
            ClientFrame::Unsubscribe(_) => {
                self.is_subscribed = false;
                None
            }
            ClientFrame::ClientEvent => Some(protocol::error_frame(4301, "Client events are not supported.")),
            ClientFrame::Malformed => Some(protocol::error_frame(
                4200,
                "The message is malformed. Send JSON with an event and its data.",
            )),
        }
    }

    fn subscribe(&mut self, channel: &str, auth: &str) -> String {
        let expected_auth =
            format!("{}:{}", self.app_key, protocol::sign(&self.secret, self.socket_id, channel));
        if channel != protocol::STAFF_CHANNEL || !equal_in_constant_time(auth, &expected_auth) {
            return protocol::subscription_error_frame(
                channel,
                "The signature does not match this socket and channel. Request a new one.",
            );
        }
        if !self.registration.mark_subscribed() {
            return protocol::subscription_error_frame(
                channel,
                "The server is closing this connection. Connect again.",
            );
        }
        (self.is_subscribed, self.has_subscribed) = (true, true);
        protocol::subscription_succeeded_frame(channel)
    }
}

/// Sends a text frame. Returns `None` if the client is disconnected or does not read.
async fn send(socket: &mut WebSocket, text: String) -> Option<()> {
    tokio::time::timeout(CLOSE_AFTER, socket.send(Message::text(text))).await.ok()?.ok()
}

/// Compares two strings in a time that does not depend on the position of the first difference.
fn equal_in_constant_time(left: &str, right: &str) -> bool {
    left.len() == right.len() && left.bytes().zip(right.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}
