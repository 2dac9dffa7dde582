//! Makes the texts of panels safe to store and show (without our token, on one line, of bounded length) and finds the subject of
//! an error message. Pure. Some panels send the request back when they reject it, so every part of an answer is redacted.

use panel_contract::hidden;
use panel_contract::rejections::RejectionReason;
use serde_json::Value;

use super::Reason;
use panel_domain::reseller_protocol::known::Meaning;
use panel_domain::reseller_protocol::rejections;

/// Characters of a panel's message that are stored at most.
pub(super) const MAX_MESSAGE_CHARS: usize = 500;
/// Bytes. A shorter token may be part of ordinary words, so it is removed only where it is the whole text.
const MIN_DISTINCTIVE_TOKEN: usize = 6;
/// Replaces the token.
const REDACTED: &str = "[key]";

/// A text of a panel that is safe to store: one line, without our token, at most [`MAX_MESSAGE_CHARS`] long.
pub(super) fn redact_text(text: &str, token: &str) -> String {
    one_line(&without_token(text, token)).chars().take(MAX_MESSAGE_CHARS).collect()
}

/// A whole answer without our token and without control characters. Line breaks stay only with `keeps_lines`, which is for the
/// descriptions of services.
pub(super) fn redact_value(value: Value, token: &str, keeps_lines: bool) -> Value {
    match value {
        Value::String(text) => {
            let text = if is_distinctive(token) || text.trim() == token {
                without_token(&text, token)
            } else {
                text
            };
            Value::String(if keeps_lines { normalize_lines(&text) } else { one_line(&text) })
        }
        Value::Number(number) if !token.is_empty() && number.to_string() == token => REDACTED.into(),
        Value::Array(all) => all.into_iter().map(|one| redact_value(one, token, keeps_lines)).collect(),
        Value::Object(fields) => {
            let name = |name: String| {
                if is_distinctive(token) { one_line(&without_token(&name, token)) } else { one_line(&name) }
            };
            fields
                .into_iter()
                .map(|(key, value)| (name(key), redact_value(value, token, keeps_lines)))
                .collect()
        }
        other => other,
    }
}

fn is_distinctive(token: &str) -> bool {
    token.len() >= MIN_DISTINCTIVE_TOKEN
}

/// Removes the token, both plain and form-encoded.
fn without_token(text: &str, token: &str) -> String {
    if token.is_empty() {
        return text.to_owned();
    }
    let encoded: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
    let text = text.replace(token, REDACTED);
    if encoded == token { text } else { text.replace(&encoded, REDACTED) }
}

pub(super) fn one_line(text: &str) -> String {
    hidden::blanked(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn normalize_lines(text: &str) -> String {
    text.replace("\r\n", "\n").split('\n').map(hidden::blanked).collect::<Vec<_>>().join("\n")
}

/// Whether a rejection asks the caller to try again later. Searches for known parts of the message, ignoring case.
#[must_use]
pub fn asks_to_wait(message: &str) -> bool {
    const PARTS: [&str; 10] =
        ["later", "again", "wait", "too many", "moment", "minute", "hour", "day", "maintenance", "limit"];
    let message = message.to_ascii_lowercase();
    PARTS.iter().any(|part| message.contains(part))
}

/// The subject of an error message: known messages are compared as a whole, others by their parts, ignoring case. Because that is
/// a guess, it never decides whether an order may be sent again; `rejections` does.
#[must_use]
pub fn reason(message: &str) -> Reason {
    use RejectionReason as R;
    match rejections::meaning(message) {
        Some(Meaning::UnknownOrder) => return Reason::Order,
        Some(Meaning::UnknownRefill) => return Reason::Refill,
        Some(Meaning::NotAccepted(R::InvalidKey)) => return Reason::Key,
        Some(Meaning::NotAccepted(R::InsufficientFunds)) => return Reason::Funds,
        Some(Meaning::NotAccepted(R::DuplicateLink)) => return Reason::DuplicateLink,
        Some(Meaning::NotAccepted(R::QuantityBelow | R::QuantityAbove)) => return Reason::Quantity,
        Some(Meaning::NotAccepted(R::UnknownService)) => return Reason::Service,
        Some(Meaning::NotAccepted(_)) => return Reason::Other,
        None => {}
    }
    let message = message.to_ascii_lowercase();
    let contains_any = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    if contains_any(&[
        "invalid api key",
        "invalid key",
        "incorrect key",
        "wrong api key",
        "api key is invalid",
    ]) {
        Reason::Key
    } else if contains_any(&["not_enough_funds", "not enough funds", "insufficient"]) {
        Reason::Funds
    } else if contains_any(&["link_duplicate", "active order with this link"]) {
        Reason::DuplicateLink
    } else if contains_any(&["incorrect_service_id", "incorrect service", "invalid service"]) {
        Reason::Service
    } else if contains_any(&[
        "min_quantity",
        "max_quantity",
        "incorrect quantity",
        "quantity less",
        "quantity more",
    ]) {
        Reason::Quantity
    } else if contains_any(&["refill not found", "incorrect refill"]) {
        Reason::Refill
    } else if contains_any(&["incorrect order", "order not found", "invalid order"]) {
        Reason::Order
    } else {
        Reason::Other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognises_the_messages_of_common_panels() {
        for (message, expected) in [
            ("Invalid API key", Reason::Key),
            ("Not enough funds on balance", Reason::Funds),
            ("neworder.error.not_enough_funds", Reason::Funds),
            (
                "You have active order with this link. Please wait until order being completed.",
                Reason::DuplicateLink,
            ),
            ("neworder.error.link_duplicate", Reason::DuplicateLink),
            ("neworder.error.min_quantity", Reason::Quantity),
            ("error.incorrect_service_id", Reason::Service),
            ("Incorrect order ID", Reason::Order),
            ("Refill not found", Reason::Refill),
            ("Quantity less than minimal 50", Reason::Quantity),
            ("Missing/invalid key", Reason::Key),
            ("Bad link", Reason::Other),
            ("Maintenance", Reason::Other),
        ] {
            assert_eq!(reason(message), expected, "{message}");
        }
    }

    #[test]
    fn no_part_of_an_answer_contains_the_token() {
        let echo = json!({
            "request": { "key": "secret+token", "raw": "key=secret%2Btoken&action=add" }, "secret+token": [1, "a secret+token b"],
            "word": "In\u{1b}[31m\n progress",
        });
        let expected = json!({
            "request": { "key": "[key]", "raw": "key=[key]&action=add" }, "[key]": [1, "a [key] b"], "word": "In [31m progress",
        });
        assert_eq!(redact_value(echo, "secret+token", false), expected);
        let digits = json!({ "key": 12_345_678, "order": 123 });
        assert_eq!(redact_value(digits, "12345678", false), json!({ "key": "[key]", "order": 123 }));
        let short = json!({ "key": "in", "status": "in progress" });
        assert_eq!(redact_value(short, "in", false), json!({ "key": "[key]", "status": "in progress" }));
        assert_eq!(one_line("Closed \u{202e}x\u{2069}"), "Closed x");
        let text = json!({ "desc": "One\r\ntwo\u{7}" });
        assert_eq!(redact_value(text, "", true), json!({ "desc": "One\ntwo " }));
    }
}
