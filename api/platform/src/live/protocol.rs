//! Frames of the Pusher protocol, version 7. Pure: texts in, texts out.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;

/// The channel there is.
pub const CHANNEL: &str = "private-admin";
/// Seconds of silence after which a client pings. With the two seconds that it waits for the pong, it knows within five
/// that the panel is gone. A ping costs one frame each way and no look at the database.
pub const ACTIVITY_TIMEOUT_SECS: u64 = 2;

/// `HMAC-SHA256(secret, "socket_id:channel")` in lower-case hexadecimal.
#[must_use]
pub fn signature(secret: &str, socket_id: &str, channel: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(format!("{socket_id}:{channel}").as_bytes());
    crate::db::sql::hex(&mac.finalize().into_bytes())
}

/// Whether `text` is `digits.digits`: anything else could carry another string into the signature.
#[must_use]
pub fn is_socket_id(text: &str) -> bool {
    let digits =
        |part: &str| !part.is_empty() && part.len() <= 20 && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(left, right)| digits(left) && digits(right))
}

/// What a client may say.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    /// `pusher:ping`.
    Ping,
    /// `pusher:pong`.
    Pong,
    /// `pusher:subscribe`.
    Subscribe {
        /// The channel.
        channel: String,
        /// `key:signature`.
        auth: String,
    },
    /// `pusher:unsubscribe`.
    Unsubscribe(String),
    /// `client-…`.
    ClientEvent,
    /// Not a frame of this protocol.
    Nonsense,
}

#[derive(Deserialize)]
struct Frame {
    event: String,
    #[serde(default)]
    data: Value,
}

/// Understands a frame.
#[must_use]
pub fn understand(text: &str) -> Said {
    let Ok(frame) = serde_json::from_str::<Frame>(text) else { return Said::Nonsense };
    // Some clients send `data` as a JSON text.
    let data = match &frame.data {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let field = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match frame.event.as_str() {
        "pusher:ping" => Said::Ping,
        "pusher:pong" => Said::Pong,
        "pusher:subscribe" => Said::Subscribe { channel: field("channel"), auth: field("auth") },
        "pusher:unsubscribe" => Said::Unsubscribe(field("channel")),
        event if event.starts_with("client-") => Said::ClientEvent,
        _ => Said::Nonsense,
    }
}

/// The first frame of every connection. `data` is a JSON text, as all clients understand.
#[must_use]
pub fn established(socket_id: &str) -> String {
    let data = json!({ "socket_id": socket_id, "activity_timeout": ACTIVITY_TIMEOUT_SECS }).to_string();
    json!({ "event": "pusher:connection_established", "data": data }).to_string()
}

/// The answer to a ping.
pub const PONG: &str = r#"{"event":"pusher:pong","data":"{}"}"#;
/// Our own ping.
pub const PING: &str = r#"{"event":"pusher:ping","data":"{}"}"#;

/// The subscription stands.
#[must_use]
pub fn subscribed(channel: &str) -> String {
    json!({ "event": "pusher_internal:subscription_succeeded", "channel": channel, "data": "{}" }).to_string()
}

/// The subscription was refused; the connection stays.
#[must_use]
pub fn subscription_error(channel: &str, error: &str) -> String {
    let data = json!({ "type": "AuthError", "error": error, "status": 401 }).to_string();
    json!({ "event": "pusher:subscription_error", "channel": channel, "data": data }).to_string()
}

/// Something is wrong with the connection.
#[must_use]
pub fn error(code: u16, message: &str) -> String {
    json!({ "event": "pusher:error", "data": { "code": code, "message": message } }).to_string()
}

/// An event on the channel.
#[must_use]
pub fn event(name: &str, data: &str) -> String {
    json!({ "event": name, "channel": CHANNEL, "data": data }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_protocol_says() {
        let expected = "58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4";
        assert_eq!(signature("7ad3773142a6692b25b8", "1234.1234", "private-foobar"), expected);
    }

    #[test]
    fn socket_ids_are_two_numbers() {
        assert!(is_socket_id("197416274.670936317"));
        for bad in ["", ".", "1.", ".1", "1", "1.2.3", "1.2:private-x", "a.b", "1 .2", "-1.2"] {
            assert!(!is_socket_id(bad), "{bad}");
        }
    }

    #[test]
    fn understands_frames() {
        let said =
            understand(r#"{"event":"pusher:subscribe","data":{"auth":"k:s","channel":"private-admin"}}"#);
        assert_eq!(said, Said::Subscribe { channel: "private-admin".into(), auth: "k:s".into() });
        assert_eq!(understand(r#"{"event":"pusher:ping","data":{}}"#), Said::Ping);
        assert_eq!(understand(r#"{"event":"client-x","data":{}}"#), Said::ClientEvent);
        assert_eq!(understand("nonsense"), Said::Nonsense);
    }

    #[test]
    fn fuzz_live_frames() {
        const SAMPLE: &str =
            r#"{"event":"pusher:subscribe","data":"{\"auth\":\"k:s\",\"channel\":\"private-admin\"}"}"#;
        let texts = panel_fuzz::json_texts(&["event", "data", "auth", "channel"], &[SAMPLE]);
        panel_fuzz::Run::new("panel-platform", "live_frames").on(texts, |text| {
            let text = String::from_utf8_lossy(text);
            drop(understand(&text));
            assert!(!is_socket_id(&text) || text.len() <= 41);
        });
    }
}
