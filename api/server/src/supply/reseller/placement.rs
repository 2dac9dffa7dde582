//! Decides from the response to an `add` request whether the external panel accepted the order, rejected the order, or whether the
//! outcome is unknown.
//!
//! The same rule applies to every response. Only an order id means that the order was accepted. Only a known rejection message
//! without other contents means that it was rejected. In every other case the outcome is unknown, and the server never sends the
//! order again automatically. No HTTP status is an exception:
//! - 5xx: the external panel or its proxy failed, perhaps after the external panel stored the order, so the message is ignored.
//! - 3xx: the external panel may have processed the request before it redirected the client.
//! - 401, 402, 403, 404, 409, 422, 429: a proxy sends these without forwarding the request. But an external panel that itself
//!   orders at another panel may also return the status of that panel after it accepted the order. Therefore the status alone
//!   decides nothing, and a known message has the same meaning as with status 200. Staff can add messages of an external panel,
//!   such as "Too many requests", to the known rejections.

mod failure;

use std::collections::BTreeSet;

use failure::{ResponseFailure, parse_failure};
use panel_contract::rejections::RejectionReason;
use serde_json::Value;

use super::PanelError;
use super::messages::{MAX_MESSAGE_CHARS, collapse_to_one_line, redact_text};
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_domain::reseller_protocol::responses;
use panel_platform::outbound::OutboundResponse;

/// The outcome of a request that places an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// The external panel accepted the order under this id.
    Accepted(String),
    /// The external panel certainly did not accept the order. Holds the reason and the message of the external panel.
    Rejected(RejectionReason, String),
    /// It is unknown whether the external panel accepted the order.
    Unknown {
        /// One sentence that describes the response to staff.
        explanation: String,
        /// The exact message of the external panel, so that staff can add it to the known rejections; `None` if it was cut off.
        message: Option<String>,
    },
    /// The external panel did not receive the request.
    NotSent(PanelError),
}

impl Placement {
    /// The outcome of a request without a response.
    pub(super) fn without_response(error: PanelError) -> Self {
        match error {
            PanelError::ForbiddenAddress(_) | PanelError::Paused(_) | PanelError::NotSent(_) => {
                Self::NotSent(error)
            }
            PanelError::Unknown(_) | PanelError::Rejected(..) => unknown_placement(error.to_string(), None),
        }
    }
}

/// Parses a response; `value` is its body as JSON, without our token.
///
/// # Errors The response does not follow the API, for example because the external panel is down. The outcome is unknown in that
/// case too.
pub(super) fn parse_placement(
    response: &OutboundResponse,
    value: Option<&Value>,
    token: &str,
    rejections: &PanelRejections,
) -> Result<Placement, PanelError> {
    let status = response.status;
    let redacted_body =
        || redact_text(&String::from_utf8_lossy(&response.body[..response.body.len().min(2_000)]), token);
    let unreadable_error = || PanelError::Unknown(format!("{status}, \"{}\"", redacted_body()));
    if response.is_truncated || !matches!(status, 200..=299 | 400..=499) {
        return Err(unreadable_error());
    }
    let Some(value) = value else {
        return parse_plain_message(response, token)
            .map(|message| match_rejections(&[message], rejections))
            .ok_or_else(unreadable_error);
    };
    let failure = parse_failure(value);
    let mut ids = find_order_ids(value).into_iter();
    Ok(match (ids.next(), ids.next(), failure) {
        (Some(id), None, ResponseFailure::None) if response.is_success() => Placement::Accepted(id),
        // The response contradicts itself. The id may belong to an earlier order, so it does not count as accepted.
        (Some(_), ..) => unknown_placement(
            format!("The panel's response has an order id and an error: {}", redacted_body()),
            None,
        ),
        (None, _, ResponseFailure::WithOtherFields) => unknown_placement(
            format!("The panel's response has an error and other contents: {}", redacted_body()),
            None,
        ),
        (None, _, ResponseFailure::Messages(messages)) if !messages.is_empty() => {
            match_rejections(&messages, rejections)
        }
        (None, ..) => unknown_placement(
            format!(
                "The panel's response has neither an order id nor an error: {status}, {}",
                redacted_body()
            ),
            None,
        ),
    })
}

/// Returns a rejection only if every sentence is a known rejection, because an unknown sentence may describe a failure after the
/// external panel stored the order.
fn match_rejections(sentences: &[String], rejections: &PanelRejections) -> Placement {
    let reasons: Vec<_> = sentences.iter().map(|sentence| rejections.rejection_reason(sentence)).collect();
    let message =
        collapse_to_one_line(&sentences.join(" ")).chars().take(MAX_MESSAGE_CHARS).collect::<String>();
    let first_unknown = sentences.iter().zip(&reasons).find(|(_, reason)| reason.is_none());
    match (first_unknown, reasons.first().copied().flatten()) {
        (None, Some(reason)) => Placement::Rejected(reason, message),
        (first_unknown, _) => {
            let unknown_message = first_unknown
                .map(|(sentence, _)| sentence.clone())
                .filter(|sentence| sentence.chars().count() <= MAX_MESSAGE_CHARS);
            let explanation =
                format!("The panel's message does not show whether it accepted the order: \"{message}\"");
            unknown_placement(explanation, unknown_message)
        }
    }
}

fn unknown_placement(explanation: String, message: Option<String>) -> Placement {
    Placement::Unknown { explanation, message }
}

/// Returns the body if it is a short string that is neither JSON nor HTML, because some external panels and proxies send only the
/// message.
fn parse_plain_message(response: &OutboundResponse, token: &str) -> Option<String> {
    let text = std::str::from_utf8(&response.body).ok()?;
    let message = redact_text(text, token);
    let is_plain_text =
        !message.starts_with(['{', '[', '<', '"']) && text.chars().count() <= MAX_MESSAGE_CHARS;
    (is_plain_text && !message.is_empty()).then_some(message)
}

/// Returns the distinct order ids of a response; usually at most one.
fn find_order_ids(value: &Value) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    match value {
        Value::Object(fields) => {
            for name in ["order", "order_id", "orderId"] {
                ids.extend(fields.get(name).and_then(parse_order_id));
            }
            if let Some(data @ Value::Object(_)) = fields.get("data") {
                ids.extend(find_order_ids(data));
            }
        }
        // PHP prints `true` as 1, so the response `1` does not count as an order id.
        scalar_value => ids.extend(parse_order_id(scalar_value).filter(|id| id != "1")),
    }
    ids
}

/// Parses an id, which must contain a digit other than 0. Strings such as "ok" or "failed" are not ids.
fn parse_order_id(value: &Value) -> Option<String> {
    responses::parse_id(value).filter(|id| id.bytes().any(|byte| matches!(byte, b'1'..=b'9')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_response(status: u16, body: &str) -> Placement {
        let response = OutboundResponse {
            status,
            retry_after: None,
            body: body.as_bytes().to_vec(),
            is_truncated: false,
        };
        let value = serde_json::from_str(body).ok();
        parse_placement(&response, value.as_ref(), "token-of-ours", &PanelRejections::default())
            .unwrap_or_else(Placement::without_response)
    }

    fn unknown_message(placement: &Placement) -> Option<&str> {
        match placement {
            Placement::Unknown { message, .. } => message.as_deref(),
            placement => panic!("expected an unknown outcome: {placement:?}"),
        }
    }

    #[test]
    fn only_an_order_id_means_accepted() {
        for body in [
            r#"{"order":23501}"#,
            r#"{"order":"23501","status":"success"}"#,
            r#"{"order_id":23501,"order":"23501"}"#,
            r#"{"orderId":"23501","error":"","errors":[]}"#,
            r#"{"status":"success","data":{"order":23501},"error":null}"#,
            r#"{"order":23501,"error":false,"status":"Pending"}"#,
            "23501",
            "\"23501\"",
        ] {
            assert_eq!(parse_response(200, body), Placement::Accepted("23501".into()), "{body}");
            assert_eq!(parse_response(201, body), Placement::Accepted("23501".into()), "{body}");
            for status in [302, 400, 500, 502] {
                assert_eq!(unknown_message(&parse_response(status, body)), None, "{status} {body}");
            }
        }
        for body in [
            "1",
            "0",
            "true",
            "null",
            "\"ok\"",
            "\"error\"",
            "[]",
            "[23501]",
            "{}",
            r#"{"order":0}"#,
            r#"{"order":"0"}"#,
            r#"{"order":null}"#,
            r#"{"order":"failed"}"#,
            r#"{"order":true}"#,
            r#"{"order":[]}"#,
            r#"{"order":-5}"#,
            r#"{"order":5,"order_id":6}"#,
            r#"{"id":23501}"#,
            r#"{"status":"success"}"#,
            r#"{"error":""}"#,
            r#"{"status":"fail"}"#,
            r#"{"success":false}"#,
            r#"{"error":true}"#,
            "",
            "{\"order\":",
            "{\"error\":\"Bad link",
            "<html>Bad link</html>",
            "\"Bad link",
        ] {
            assert_eq!(unknown_message(&parse_response(200, body)), None, "{body}");
        }
    }

    #[test]
    fn a_known_message_is_a_rejection_in_every_shape() {
        for body in [
            r#"{"error":"Not enough funds on balance"}"#,
            r#"{"error":"neworder.error.not_enough_funds","balance":"0"}"#,
            r#"{"error":{"message":"Not enough funds","code":12}}"#,
            r#"{"errors":["Not enough funds", "NOT ENOUGH FUNDS ON BALANCE"]}"#,
            r#"{"errors":{"balance":["Not enough funds"]}}"#,
            r#"{"status":"fail","message":"Not enough funds."}"#,
            r#"{"status":"error","msg":"","error":"Not enough funds"}"#,
            r#"{"error":{"status":422,"success":false,"message":"Not enough funds"}}"#,
            r#"{"status":422,"message":"Not enough funds","errors":{"balance":["Not enough funds"]}}"#,
            r#"{"success":false,"data":{"error":"Not enough funds"}}"#,
            r#"{"error":true,"message":"<b>Not enough funds</b>","order":0}"#,
            "Not enough funds",
        ] {
            for status in [200, 400, 401, 402, 403, 404, 409, 422, 429] {
                let placement = parse_response(status, body);
                let is_expected_rejection =
                    matches!(placement, Placement::Rejected(RejectionReason::InsufficientFunds, _));
                assert!(is_expected_rejection, "{status} {body}: {placement:?}");
            }
            for status in [301, 302, 307, 500, 502, 503, 504, 520] {
                assert_eq!(unknown_message(&parse_response(status, body)), None, "{status} {body}");
            }
        }
    }

    #[test]
    fn an_unknown_message_is_an_unknown_outcome_and_is_stored_unchanged() {
        for (status, body, expected_message) in [
            (200, r#"{"error":" Service temporarily unavailable "}"#, "Service temporarily unavailable"),
            (200, r#"{"error":{"code":7,"message":"Try <b>later</b>"}}"#, "Try <b>later</b>"),
            (422, r#"{"errors":["Bad link","Nobody knows"]}"#, "Nobody knows"),
            (200, r#"{"status":"fail","msg":"Closed"}"#, "Closed"),
            (200, r#"{"error":105}"#, "105"),
            (429, "slow down", "slow down"),
            (403, "Forbidden", "Forbidden"),
            (200, r#"{"error":"Incorrect order ID"}"#, "Incorrect order ID"),
            (200, r#"{"error":"Bad link","msg":"In another language"}"#, "In another language"),
            (200, r#"{"error":"Bad link","message":"order 9011 created"}"#, "order 9011 created"),
            (200, r#"{"error":"<order 9006 was accepted> Bad link"}"#, "<order 9006 was accepted> Bad link"),
        ] {
            assert_eq!(unknown_message(&parse_response(status, body)), Some(expected_message), "{body}");
        }
        let too_long_body = format!(r#"{{"error":"{}"}}"#, "x".repeat(MAX_MESSAGE_CHARS + 1));
        assert_eq!(
            unknown_message(&parse_response(200, &too_long_body)),
            None,
            "a truncated message must not be stored as known"
        );
    }

    #[test]
    fn an_order_id_with_an_error_is_an_unknown_outcome() {
        for body in [
            r#"{"order":23501,"error":"Service temporarily unavailable"}"#,
            r#"{"order":23501,"error":"Not enough funds on balance"}"#,
            r#"{"error":"You have active order with this link","order":23501}"#,
            r#"{"status":"fail","order":23501}"#,
            r#"{"status":"error","data":{"order":23501}}"#,
            r#"{"success":false,"order":"23501"}"#,
        ] {
            let placement = parse_response(200, body);
            assert_eq!(unknown_message(&placement), None, "{body}");
            let Placement::Unknown { explanation, .. } = placement else { panic!() };
            assert!(explanation.contains("23501"), "the explanation must contain the id: {explanation}");
        }
    }

    #[test]
    fn an_error_with_other_fields_is_not_a_rejection() {
        for body in [
            r#"{"order":{"id":9002},"error":"Bad link"}"#,
            r#"{"order":"abcdef-xyz","error":"Bad link"}"#,
            r#"{"id":9003,"error":"Bad link"}"#,
            r#"{"orders":[9004],"error":"Bad link"}"#,
            r#"{"data":[{"order":9007}],"error":"Bad link"}"#,
            r#"{"data":{"id":9008},"error":"Bad link"}"#,
            r#"{"error":{"message":"Bad link","order":9005}}"#,
            r#"{"errors":[{"message":"Bad link","id":9009}]}"#,
            r#"{"error":"Bad link","code":"order 9010 was taken"}"#,
            r#"{"status":"success","message":"Bad link","error":"Bad link"}"#,
            r#"{"status":"Pending","error":"Bad link"}"#,
            r#"{"success":true,"error":"Bad link"}"#,
            r#"{"result":{"order":9012},"error":"Bad link"}"#,
            r#"{"status":200,"error":"Bad link"}"#,
            r#"{"error":{"message":"Bad link","status":200}}"#,
            r#"{"error":{"message":"Bad link","success":true}}"#,
        ] {
            let placement = parse_response(200, body);
            assert_eq!(unknown_message(&placement), None, "{body}");
            let Placement::Unknown { explanation, .. } = placement else { panic!() };
            assert!(
                explanation.contains("Bad link"),
                "the explanation must contain the response: {explanation}"
            );
        }
    }

    #[test]
    fn only_a_request_that_never_reached_the_panel_counts_as_not_sent() {
        let not_sent = PanelError::NotSent("no connection".into());
        assert_eq!(Placement::without_response(not_sent.clone()), Placement::NotSent(not_sent));
        let interrupted = Placement::without_response(PanelError::Unknown("cut".into()));
        assert_eq!(unknown_message(&interrupted), None);
    }

    #[test]
    fn no_outcome_contains_the_token() {
        for body in
            ["<p>key token-of-ours</p>", "key token-of-ours", r#"{"order":7,"error":"key token-of-ours"}"#]
        {
            let Placement::Unknown { explanation, message } = parse_response(200, body) else { panic!() };
            assert!(!explanation.contains("token-of-ours"), "{explanation}");
            assert!(message.is_none_or(|message| !message.contains("token-of-ours")), "{body}");
        }
    }
}
