//! Frames of the Pusher protocol, version 7, as a client sees them. Pure: texts in, texts out.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::realtime::Counter;

/// The channel of the staff.
pub(super) const CHANNEL: &str = "private-admin";
/// Our answer to a ping.
pub(super) const PONG: &str = r#"{"event":"pusher:pong","data":{}}"#;
/// Our own ping.
pub(super) const PING: &str = r#"{"event":"pusher:ping","data":{}}"#;

/// A frame from the panel.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ServerFrame {
    /// The connection has an id; after this many seconds without a frame the client pings.
    Established { socket_id: String, activity_timeout: u64 },
    /// The subscription succeeded.
    Subscribed,
    /// The subscription was refused.
    Refused(String),
    /// The server pings.
    Ping,
    /// An error with a code of the protocol and a message.
    Error { code: u16, message: String },
    /// A counter changed.
    Counter(Counter, i64),
    /// Anything else.
    Other,
}

#[derive(Deserialize)]
struct Frame {
    event: String,
    #[serde(default)]
    data: Value,
}

/// Parses a frame. `data` is an object, or a string with the JSON of one.
pub(super) fn parse_frame(text: &str) -> ServerFrame {
    let Ok(frame) = serde_json::from_str::<Frame>(text) else { return ServerFrame::Other };
    let data = match &frame.data {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let word = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |name: &str| data.get(name).and_then(Value::as_i64);
    match frame.event.as_str() {
        "pusher:connection_established" => ServerFrame::Established {
            socket_id: word("socket_id"),
            activity_timeout: number("activity_timeout").and_then(|s| s.try_into().ok()).unwrap_or(120),
        },
        "pusher_internal:subscription_succeeded" => ServerFrame::Subscribed,
        "pusher:subscription_error" => ServerFrame::Refused(word("error")),
        "pusher:ping" => ServerFrame::Ping,
        "pusher:error" => ServerFrame::Error {
            code: number("code").and_then(|code| code.try_into().ok()).unwrap_or(4200),
            message: word("message"),
        },
        event => match Counter::ALL.into_iter().find(|counter| counter.event() == event) {
            Some(counter) => {
                number("count").map_or(ServerFrame::Other, |count| ServerFrame::Counter(counter, count))
            }
            None => ServerFrame::Other,
        },
    }
}

/// The frame that subscribes to the channel.
pub(super) fn subscribe(auth: &str) -> String {
    json!({ "event": "pusher:subscribe", "data": { "channel": CHANNEL, "auth": auth } }).to_string()
}

/// 4000 to 4099: do not reconnect. 4100 to 4199: reconnect later. 4200 to 4299: reconnect immediately.
pub(super) fn is_final(code: u16) -> bool {
    (4000..4100).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_frames() {
        let established = r#"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":30}"}"#;
        assert_eq!(
            parse_frame(established),
            ServerFrame::Established { socket_id: "1.2".into(), activity_timeout: 30 }
        );
        let changed = r#"{"event":"orders-in-moderation-count-changed","channel":"private-admin","data":"{\"count\":7}"}"#;
        assert_eq!(parse_frame(changed), ServerFrame::Counter(Counter::OrdersInModeration, 7));
        let error = r#"{"event":"pusher:error","data":{"code":4009,"message":"You are signed out."}}"#;
        assert_eq!(
            parse_frame(error),
            ServerFrame::Error { code: 4009, message: "You are signed out.".into() }
        );
        for nothing in ["", "[]", r#"{"event":"x"}"#, r#"{"event":"free-trials-pending-count-changed"}"#] {
            assert_eq!(parse_frame(nothing), ServerFrame::Other, "{nothing}");
        }
    }
}
