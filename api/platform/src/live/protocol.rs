//! Parses and writes the frames of the Pusher protocol, version 7. No I/O.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;

pub const STAFF_CHANNEL: &str = "private-admin";
/// Seconds without a frame after which a client sends a ping. The client waits two seconds for the pong, so it notices within
/// five seconds that the panel is down. A ping costs one frame in each direction and no query.
pub const ACTIVITY_TIMEOUT_SECS: u64 = 2;

/// Returns `HMAC-SHA256(secret, "socket_id:channel")` in lower-case hexadecimal.
#[must_use]
pub fn sign(secret: &str, socket_id: &str, channel: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(format!("{socket_id}:{channel}").as_bytes());
    crate::db::sql::hex(&mac.finalize().into_bytes())
}

/// Whether `text` is `digits.digits`. A text with other characters could make the server sign another string, because the
/// signature covers `socket_id:channel`.
#[must_use]
pub fn is_socket_id(text: &str) -> bool {
    let is_number =
        |part: &str| !part.is_empty() && part.len() <= 20 && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(left, right)| is_number(left) && is_number(right))
}

/// A frame that a client may send.
#[derive(Debug, PartialEq, Eq)]
pub enum ClientFrame {
    Ping,
    Pong,
    Subscribe {
        channel: String,
        /// `key:signature`.
        auth: String,
    },
    /// The name of the channel.
    Unsubscribe(String),
    /// An event of the client itself, `client-…`, which the server does not support.
    ClientEvent,
    /// Not a frame of this protocol.
    Malformed,
}

#[derive(Deserialize)]
struct RawFrame {
    event: String,
    #[serde(default)]
    data: Value,
}

#[must_use]
pub fn parse_client_frame(text: &str) -> ClientFrame {
    let Ok(frame) = serde_json::from_str::<RawFrame>(text) else { return ClientFrame::Malformed };
    // Some clients send `data` as a JSON text.
    let data = match &frame.data {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let field = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match frame.event.as_str() {
        "pusher:ping" => ClientFrame::Ping,
        "pusher:pong" => ClientFrame::Pong,
        "pusher:subscribe" => ClientFrame::Subscribe { channel: field("channel"), auth: field("auth") },
        "pusher:unsubscribe" => ClientFrame::Unsubscribe(field("channel")),
        event if event.starts_with("client-") => ClientFrame::ClientEvent,
        _ => ClientFrame::Malformed,
    }
}

/// The first frame of every connection. `data` is a JSON text, not an object, because some clients can parse only that.
#[must_use]
pub fn connection_established_frame(socket_id: &str) -> String {
    let data = json!({ "socket_id": socket_id, "activity_timeout": ACTIVITY_TIMEOUT_SECS }).to_string();
    json!({ "event": "pusher:connection_established", "data": data }).to_string()
}

/// The response to a ping.
pub const PONG: &str = r#"{"event":"pusher:pong","data":"{}"}"#;
/// A ping that the server sends.
pub const PING: &str = r#"{"event":"pusher:ping","data":"{}"}"#;

#[must_use]
pub fn subscription_succeeded_frame(channel: &str) -> String {
    json!({ "event": "pusher_internal:subscription_succeeded", "channel": channel, "data": "{}" }).to_string()
}

/// Rejects a subscription; the connection stays open.
#[must_use]
pub fn subscription_error_frame(channel: &str, error: &str) -> String {
    let data = json!({ "type": "AuthError", "error": error, "status": 401 }).to_string();
    json!({ "event": "pusher:subscription_error", "channel": channel, "data": data }).to_string()
}

/// Reports an error of the connection.
#[must_use]
pub fn error_frame(code: u16, message: &str) -> String {
    json!({ "event": "pusher:error", "data": { "code": code, "message": message } }).to_string()
}

#[must_use]
pub fn event_frame(name: &str, data: &str) -> String {
    json!({ "event": name, "channel": STAFF_CHANNEL, "data": data }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_protocol_describes() {
        let expected = "58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4";
        assert_eq!(sign("7ad3773142a6692b25b8", "1234.1234", "private-foobar"), expected);
    }

    #[test]
    fn socket_ids_are_two_numbers() {
        assert!(is_socket_id("197416274.670936317"));
        for invalid in ["", ".", "1.", ".1", "1", "1.2.3", "1.2:private-x", "a.b", "1 .2", "-1.2"] {
            assert!(!is_socket_id(invalid), "{invalid}");
        }
    }

    #[test]
    fn parses_client_frames() {
        let frame = parse_client_frame(
            r#"{"event":"pusher:subscribe","data":{"auth":"k:s","channel":"private-admin"}}"#,
        );
        assert_eq!(frame, ClientFrame::Subscribe { channel: "private-admin".into(), auth: "k:s".into() });
        assert_eq!(parse_client_frame(r#"{"event":"pusher:ping","data":{}}"#), ClientFrame::Ping);
        assert_eq!(parse_client_frame(r#"{"event":"client-x","data":{}}"#), ClientFrame::ClientEvent);
        assert_eq!(parse_client_frame("nonsense"), ClientFrame::Malformed);
    }

    #[test]
    fn fuzz_live_frames() {
        const SAMPLE: &str =
            r#"{"event":"pusher:subscribe","data":"{\"auth\":\"k:s\",\"channel\":\"private-admin\"}"}"#;
        let texts = panel_fuzz::json_documents(&["event", "data", "auth", "channel"], &[SAMPLE]);
        panel_fuzz::FuzzTarget::new("panel-platform", "live_frames").run(texts, |text| {
            let text = String::from_utf8_lossy(text);
            drop(parse_client_frame(&text));
            assert!(!is_socket_id(&text) || text.len() <= 41);
        });
    }
}
