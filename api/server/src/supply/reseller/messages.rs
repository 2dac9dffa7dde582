//! Makes strings from external panels safe to store and show (without our token, on one line, of limited length), and finds the
//! subject of an error message. Some external panels return the request when they reject it, so this module redacts every part of a
//! response.

use panel_contract::hidden_characters;
use panel_contract::rejections::RejectionReason;
use serde_json::Value;

use super::MessageSubject;
use panel_domain::reseller_protocol::known_messages::MessageMeaning;
use panel_domain::reseller_protocol::rejections;

/// Maximum number of characters of a message that the server stores; the rest is cut off.
pub(super) const MAX_MESSAGE_CHARS: usize = 500;
/// A shorter token may be part of ordinary words, so it is removed only if it is the whole string.
const MIN_DISTINCTIVE_TOKEN_BYTES: usize = 6;
const REDACTED: &str = "[key]";

/// Returns a string that is safe to store: one line, without our token, at most [`MAX_MESSAGE_CHARS`] long.
pub(super) fn redact_text(text: &str, token: &str) -> String {
    collapse_to_one_line(&remove_token(text, token)).chars().take(MAX_MESSAGE_CHARS).collect()
}

/// Returns a whole response without our token and without control characters. Line breaks remain only if `keep_line_breaks`, which
/// is for the descriptions of services.
pub(super) fn redact_value(value: Value, token: &str, keep_line_breaks: bool) -> Value {
    match value {
        Value::String(text) => {
            let text =
                if is_distinctive(token) || text.trim() == token { remove_token(&text, token) } else { text };
            Value::String(if keep_line_breaks { normalize_lines(&text) } else { collapse_to_one_line(&text) })
        }
        Value::Number(number) if !token.is_empty() && number.to_string() == token => REDACTED.into(),
        Value::Array(values) => {
            values.into_iter().map(|value| redact_value(value, token, keep_line_breaks)).collect()
        }
        Value::Object(fields) => {
            let redact_name = |name: String| {
                if is_distinctive(token) {
                    collapse_to_one_line(&remove_token(&name, token))
                } else {
                    collapse_to_one_line(&name)
                }
            };
            fields
                .into_iter()
                .map(|(name, value)| (redact_name(name), redact_value(value, token, keep_line_breaks)))
                .collect()
        }
        other_value => other_value,
    }
}

fn is_distinctive(token: &str) -> bool {
    token.len() >= MIN_DISTINCTIVE_TOKEN_BYTES
}

/// Removes the token, both in its original form and form-encoded.
fn remove_token(text: &str, token: &str) -> String {
    if token.is_empty() {
        return text.to_owned();
    }
    let encoded_token: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
    let text = text.replace(token, REDACTED);
    if encoded_token == token { text } else { text.replace(&encoded_token, REDACTED) }
}

pub(super) fn collapse_to_one_line(text: &str) -> String {
    hidden_characters::replace_with_spaces(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn normalize_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
        .split('\n')
        .map(hidden_characters::replace_with_spaces)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether the message of a rejection asks for a later retry. Searches the message for known words, ignoring case.
#[must_use]
pub fn asks_to_wait(message: &str) -> bool {
    const RETRY_WORDS: [&str; 10] =
        ["later", "again", "wait", "too many", "moment", "minute", "hour", "day", "maintenance", "limit"];
    let message = message.to_ascii_lowercase();
    RETRY_WORDS.iter().any(|word| message.contains(word))
}

/// Finds the subject of an error message: compares the whole message with known messages, then searches it for known phrases,
/// ignoring case. The result is a guess, so it must never decide whether an order may be sent again; only `rejections` decides
/// that.
#[must_use]
pub fn subject_of_message(message: &str) -> MessageSubject {
    use RejectionReason as R;
    match rejections::meaning_of_message(message) {
        Some(MessageMeaning::UnknownOrder) => return MessageSubject::Order,
        Some(MessageMeaning::UnknownRefill) => return MessageSubject::Refill,
        Some(MessageMeaning::NotAccepted(R::InvalidKey)) => return MessageSubject::Key,
        Some(MessageMeaning::NotAccepted(R::InsufficientFunds)) => return MessageSubject::Funds,
        Some(MessageMeaning::NotAccepted(R::DuplicateLink)) => return MessageSubject::DuplicateLink,
        Some(MessageMeaning::NotAccepted(R::QuantityBelow | R::QuantityAbove)) => {
            return MessageSubject::Quantity;
        }
        Some(MessageMeaning::NotAccepted(R::UnknownService)) => return MessageSubject::Service,
        Some(MessageMeaning::NotAccepted(_)) => return MessageSubject::Other,
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
        MessageSubject::Key
    } else if contains_any(&["not_enough_funds", "not enough funds", "insufficient"]) {
        MessageSubject::Funds
    } else if contains_any(&["link_duplicate", "active order with this link"]) {
        MessageSubject::DuplicateLink
    } else if contains_any(&["incorrect_service_id", "incorrect service", "invalid service"]) {
        MessageSubject::Service
    } else if contains_any(&[
        "min_quantity",
        "max_quantity",
        "incorrect quantity",
        "quantity less",
        "quantity more",
    ]) {
        MessageSubject::Quantity
    } else if contains_any(&["refill not found", "incorrect refill"]) {
        MessageSubject::Refill
    } else if contains_any(&["incorrect order", "order not found", "invalid order"]) {
        MessageSubject::Order
    } else {
        MessageSubject::Other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognizes_the_messages_of_common_external_panels() {
        for (message, expected_subject) in [
            ("Invalid API key", MessageSubject::Key),
            ("Not enough funds on balance", MessageSubject::Funds),
            ("neworder.error.not_enough_funds", MessageSubject::Funds),
            (
                "You have active order with this link. Please wait until order being completed.",
                MessageSubject::DuplicateLink,
            ),
            ("neworder.error.link_duplicate", MessageSubject::DuplicateLink),
            ("neworder.error.min_quantity", MessageSubject::Quantity),
            ("error.incorrect_service_id", MessageSubject::Service),
            ("Incorrect order ID", MessageSubject::Order),
            ("Refill not found", MessageSubject::Refill),
            ("Quantity less than minimal 50", MessageSubject::Quantity),
            ("Missing/invalid key", MessageSubject::Key),
            ("Bad link", MessageSubject::Other),
            ("Maintenance", MessageSubject::Other),
        ] {
            assert_eq!(subject_of_message(message), expected_subject, "{message}");
        }
    }

    #[test]
    fn no_part_of_a_response_contains_the_token() {
        let response_with_token = json!({
            "request": { "key": "secret+token", "raw": "key=secret%2Btoken&action=add" }, "secret+token": [1, "a secret+token b"],
            "word": "In\u{1b}[31m\n progress",
        });
        let redacted_response = json!({
            "request": { "key": "[key]", "raw": "key=[key]&action=add" }, "[key]": [1, "a [key] b"], "word": "In [31m progress",
        });
        assert_eq!(redact_value(response_with_token, "secret+token", false), redacted_response);
        let response_with_numeric_token = json!({ "key": 12_345_678, "order": 123 });
        assert_eq!(
            redact_value(response_with_numeric_token, "12345678", false),
            json!({ "key": "[key]", "order": 123 })
        );
        let response_with_short_token = json!({ "key": "in", "status": "in progress" });
        assert_eq!(
            redact_value(response_with_short_token, "in", false),
            json!({ "key": "[key]", "status": "in progress" })
        );
        assert_eq!(collapse_to_one_line("Closed \u{202e}x\u{2069}"), "Closed x");
        let response_with_line_break = json!({ "desc": "One\r\ntwo\u{7}" });
        assert_eq!(redact_value(response_with_line_break, "", true), json!({ "desc": "One\ntwo " }));
    }
}
