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

/// What a panel says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The connection has a name; after so many seconds of silence we ping.
    Established { socket_id: String, activity_timeout: u64 },
    /// The subscription stands.
    Subscribed,
    /// The subscription was refused.
    Refused(String),
    /// It wants to know whether we are there.
    Ping,
    /// Something is wrong: a code of the protocol and words.
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

/// Understands a frame. `data` is an object, or a JSON text of one.
pub(super) fn understand(text: &str) -> Heard {
    let Ok(frame) = serde_json::from_str::<Frame>(text) else { return Heard::Other };
    let data = match &frame.data {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let word = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |name: &str| data.get(name).and_then(Value::as_i64);
    match frame.event.as_str() {
        "pusher:connection_established" => Heard::Established {
            socket_id: word("socket_id"),
            activity_timeout: number("activity_timeout").and_then(|s| s.try_into().ok()).unwrap_or(120),
        },
        "pusher_internal:subscription_succeeded" => Heard::Subscribed,
        "pusher:subscription_error" => Heard::Refused(word("error")),
        "pusher:ping" => Heard::Ping,
        "pusher:error" => Heard::Error {
            code: number("code").and_then(|code| code.try_into().ok()).unwrap_or(4200),
            message: word("message"),
        },
        event => match Counter::ALL.into_iter().find(|counter| counter.event() == event) {
            Some(counter) => number("count").map_or(Heard::Other, |count| Heard::Counter(counter, count)),
            None => Heard::Other,
        },
    }
}

/// Asks for the channel.
pub(super) fn subscribe(auth: &str) -> String {
    json!({ "event": "pusher:subscribe", "data": { "channel": CHANNEL, "auth": auth } }).to_string()
}

/// 4000 to 4099: trying again will not help. 4100 to 4199: later. 4200 to 4299: at once.
pub(super) fn is_final(code: u16) -> bool {
    (4000..4100).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_frames() {
        let established = r#"{"event":"pusher:connection_established","data":"{\"socket_id\":\"1.2\",\"activity_timeout\":30}"}"#;
        assert_eq!(
            understand(established),
            Heard::Established { socket_id: "1.2".into(), activity_timeout: 30 }
        );
        let changed = r#"{"event":"orders-in-moderation-count-changed","channel":"private-admin","data":"{\"count\":7}"}"#;
        assert_eq!(understand(changed), Heard::Counter(Counter::OrdersInModeration, 7));
        let error = r#"{"event":"pusher:error","data":{"code":4009,"message":"You are signed out."}}"#;
        assert_eq!(understand(error), Heard::Error { code: 4009, message: "You are signed out.".into() });
        for nothing in ["", "[]", r#"{"event":"x"}"#, r#"{"event":"free-trials-pending-count-changed"}"#] {
            assert_eq!(understand(nothing), Heard::Other, "{nothing}");
        }
    }
}
