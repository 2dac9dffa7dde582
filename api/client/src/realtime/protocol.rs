//! Frames of the Pusher protocol, version 7, that the client reads and writes. Pure: no I/O.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::realtime::Counter;

/// Channel with the events for staff.
pub(super) const STAFF_CHANNEL: &str = "private-admin";
pub(super) const PONG: &str = r#"{"event":"pusher:pong","data":{}}"#;
pub(super) const PING: &str = r#"{"event":"pusher:ping","data":{}}"#;

/// A frame from the panel.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ServerFrame {
    /// The connection is open. The client sends a ping after `activity_timeout` seconds without a frame.
    Established {
        socket_id: String,
        activity_timeout: u64,
    },
    /// The client is subscribed to the channel.
    Subscribed,
    /// The panel rejected the subscription, for this reason.
    SubscriptionError(String),
    Ping,
    /// An error with a code of the protocol and a message.
    Error {
        code: u16,
        message: String,
    },
    /// A counter has a new value.
    CounterChanged(Counter, i64),
    /// A frame that the client ignores.
    Other,
}

#[derive(Deserialize)]
struct Frame {
    event: String,
    #[serde(default)]
    data: Value,
}

/// Parses a frame. Its `data` is an object, or a string with the JSON of an object.
pub(super) fn parse_frame(text: &str) -> ServerFrame {
    let Ok(frame) = serde_json::from_str::<Frame>(text) else { return ServerFrame::Other };
    let data = match &frame.data {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let text_field = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number_field = |name: &str| data.get(name).and_then(Value::as_i64);
    match frame.event.as_str() {
        "pusher:connection_established" => ServerFrame::Established {
            socket_id: text_field("socket_id"),
            activity_timeout: number_field("activity_timeout")
                .and_then(|seconds| seconds.try_into().ok())
                .unwrap_or(120),
        },
        "pusher_internal:subscription_succeeded" => ServerFrame::Subscribed,
        "pusher:subscription_error" => ServerFrame::SubscriptionError(text_field("error")),
        "pusher:ping" => ServerFrame::Ping,
        "pusher:error" => ServerFrame::Error {
            code: number_field("code").and_then(|code| code.try_into().ok()).unwrap_or(4200),
            message: text_field("message"),
        },
        event => match Counter::ALL.into_iter().find(|counter| counter.event_name() == event) {
            Some(counter) => number_field("count")
                .map_or(ServerFrame::Other, |count| ServerFrame::CounterChanged(counter, count)),
            None => ServerFrame::Other,
        },
    }
}

/// The frame that subscribes to the channel.
pub(super) fn subscribe_frame(auth: &str) -> String {
    json!({ "event": "pusher:subscribe", "data": { "channel": STAFF_CHANNEL, "auth": auth } }).to_string()
}

/// Whether a client must not reconnect after the error `code`: 4000 to 4099. After 4100 to 4199 it reconnects later, after 4200 to
/// 4299 immediately.
pub(super) fn is_permanent_error(code: u16) -> bool {
    (4000..4100).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_frames() {
        let established_frame = r#"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":30}"}"#;
        assert_eq!(
            parse_frame(established_frame),
            ServerFrame::Established { socket_id: "1.2".into(), activity_timeout: 30 }
        );
        let counter_frame = r#"{"event":"orders-in-moderation-count-changed","channel":"private-admin","data":"{\"count\":7}"}"#;
        assert_eq!(parse_frame(counter_frame), ServerFrame::CounterChanged(Counter::OrdersInModeration, 7));
        let error_frame = r#"{"event":"pusher:error","data":{"code":4009,"message":"You are signed out."}}"#;
        assert_eq!(
            parse_frame(error_frame),
            ServerFrame::Error { code: 4009, message: "You are signed out.".into() }
        );
        for ignored in ["", "[]", r#"{"event":"x"}"#, r#"{"event":"free-trials-pending-count-changed"}"#] {
            assert_eq!(parse_frame(ignored), ServerFrame::Other, "{ignored}");
        }
    }
}
