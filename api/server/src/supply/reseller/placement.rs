//! What a panel's answer to a new order says: it took it, it did not take it, or neither is known. Pure.
//!
//! The rule is the same for every answer: only an order id means taken, only words that are known for it and stand alone
//! mean not taken, and everything else is unknown and never sent again by itself. No HTTP status makes an exception:
//! - 5xx: the panel, or what stands before it, fell over, perhaps after it wrote the order; its words count for nothing.
//! - 3xx: what was redirected may have been handled before.
//! - 401, 402, 403, 404, 409, 422, 429: a proxy answers so without passing the call on, but a panel that orders at
//!   another panel also passes that one's status on after it took the order. So the status alone says nothing, and known
//!   words count as with 200. Staff teach the words of a panel whose limit they know, such as "Too many requests".

mod refusal;

use std::collections::BTreeSet;

use panel_contract::rejections::RejectionReason;
use refusal::{Rejection, refusal};
use serde_json::Value;

use super::PanelError;
use super::words::{LONGEST, clean, one_line};
use panel_domain::reseller_protocol::read;
use panel_domain::reseller_protocol::rejections::Rejections;
use panel_platform::outbound::Answer;

/// How a call that places an order ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// The panel took it, under this id.
    Accepted(String),
    /// It surely did not take it; why, and in which words.
    Rejected(RejectionReason, String),
    /// Whether it took it is not known.
    Unknown {
        /// What it answered, as a sentence for staff.
        why: String,
        /// Its exact words, where they can be recognised when it says them again.
        message: Option<String>,
    },
    /// The call did not reach it.
    NotSent(PanelError),
}

impl Placement {
    /// A call that brought no answer.
    pub(super) fn without_answer(error: PanelError) -> Self {
        match error {
            PanelError::Refused(_) | PanelError::Resting(_) | PanelError::Unreached(_) => {
                Self::NotSent(error)
            }
            PanelError::Unclear(_) | PanelError::Said(..) => unknown(error.to_string(), None),
        }
    }
}

/// Reads an answer; `value` is its body as JSON, without our token. An error is an answer that says nothing in the
/// API's manner, as of a panel that is down: what it did is unknown all the same.
pub(super) fn read(
    answer: &Answer,
    value: Option<&Value>,
    token: &str,
    rejections: &Rejections,
) -> Result<Placement, PanelError> {
    let status = answer.status;
    let body = || clean(&String::from_utf8_lossy(&answer.body[..answer.body.len().min(2_000)]), token);
    let unreadable = || PanelError::Unclear(format!("{status}, \"{}\"", body()));
    if answer.is_cut || !matches!(status, 200..=299 | 400..=499) {
        return Err(unreadable());
    }
    let Some(value) = value else {
        return plain_words(answer, token).map(|words| judge(&[words], rejections)).ok_or_else(unreadable);
    };
    let refusal = refusal(value);
    let mut ids = order_ids(value).into_iter();
    Ok(match (ids.next(), ids.next(), refusal) {
        (Some(id), None, Rejection::None) if answer.is_success() => Placement::Accepted(id),
        // It contradicts itself: the id may be of an order that it took before, so it is not adopted blindly either.
        (Some(_), ..) => unknown(format!("The panel named an order and an error: {}", body()), None),
        (None, _, Rejection::Contradicted) => {
            unknown(format!("The panel named an error beside something else: {}", body()), None)
        }
        (None, _, Rejection::Words(words)) if !words.is_empty() => judge(&words, rejections),
        (None, ..) => {
            unknown(format!("The panel named neither an order nor an error: {status}, {}", body()), None)
        }
    })
}

/// All sentences have to be known: one of several may be about an accident.
fn judge(words: &[String], rejections: &Rejections) -> Placement {
    let reasons: Vec<_> = words.iter().map(|one| rejections.reason_of(one)).collect();
    let shown = one_line(&words.join(" ")).chars().take(LONGEST).collect::<String>();
    let not_known = words.iter().zip(&reasons).find(|(_, reason)| reason.is_none());
    match (not_known, reasons.first().copied().flatten()) {
        (None, Some(reason)) => Placement::Rejected(reason, shown),
        (not_known, _) => {
            let message = not_known.map(|(one, _)| one.clone()).filter(|one| one.chars().count() <= LONGEST);
            unknown(format!("The panel's words do not say whether it took the order: \"{shown}\""), message)
        }
    }
}

fn unknown(why: String, message: Option<String>) -> Placement {
    Placement::Unknown { why, message }
}

/// A short text that is neither JSON nor a page: some panels and proxies answer their words alone.
fn plain_words(answer: &Answer, token: &str) -> Option<String> {
    let text = std::str::from_utf8(&answer.body).ok()?;
    let words = clean(text, token);
    let is_plain = !words.starts_with(['{', '[', '<', '"']) && text.chars().count() <= LONGEST;
    (is_plain && !words.is_empty()).then_some(words)
}

/// The ids of orders that an answer names: one, unless it names several.
fn order_ids(value: &Value) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    match value {
        Value::Object(fields) => {
            for name in ["order", "order_id", "orderId"] {
                ids.extend(fields.get(name).and_then(order_id));
            }
            if let Some(data @ Value::Object(_)) = fields.get("data") {
                ids.extend(order_ids(data));
            }
        }
        // A bare 1 is what PHP makes of true.
        bare => ids.extend(order_id(bare).filter(|id| id != "1")),
    }
    ids
}

/// An id has a digit that is not 0: a word alone, such as "ok" or "failed", is none.
fn order_id(value: &Value) -> Option<String> {
    read::id(value).filter(|id| id.bytes().any(|byte| matches!(byte, b'1'..=b'9')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, body: &str) -> Placement {
        let answer = Answer { status, retry_after: None, body: body.as_bytes().to_vec(), is_cut: false };
        let value = serde_json::from_str(body).ok();
        read(&answer, value.as_ref(), "token-of-ours", &Rejections::default())
            .unwrap_or_else(Placement::without_answer)
    }

    fn message(placement: &Placement) -> Option<&str> {
        match placement {
            Placement::Unknown { message, .. } => message.as_deref(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_an_id_is_an_order() {
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
            assert_eq!(answered(200, body), Placement::Accepted("23501".into()), "{body}");
            assert_eq!(answered(201, body), Placement::Accepted("23501".into()), "{body}");
            for status in [302, 400, 500, 502] {
                assert_eq!(message(&answered(status, body)), None, "{status} {body}");
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
            assert_eq!(message(&answered(200, body)), None, "{body}");
        }
    }

    #[test]
    fn known_words_are_a_rejection_in_every_shape() {
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
                let placement = answered(status, body);
                let is_known =
                    matches!(placement, Placement::Rejected(RejectionReason::InsufficientFunds, _));
                assert!(is_known, "{status} {body}: {placement:?}");
            }
            for status in [301, 302, 307, 500, 502, 503, 504, 520] {
                assert_eq!(message(&answered(status, body)), None, "{status} {body}");
            }
        }
    }

    #[test]
    fn other_words_leave_it_unknown_and_are_kept_exactly() {
        for (status, body, words) in [
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
            assert_eq!(message(&answered(status, body)), Some(words), "{body}");
        }
        let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(LONGEST + 1));
        assert_eq!(message(&answered(200, &long)), None, "it could not be recognised");
    }

    #[test]
    fn an_order_beside_an_error_is_neither() {
        for body in [
            r#"{"order":23501,"error":"Service temporarily unavailable"}"#,
            r#"{"order":23501,"error":"Not enough funds on balance"}"#,
            r#"{"error":"You have active order with this link","order":23501}"#,
            r#"{"status":"fail","order":23501}"#,
            r#"{"status":"error","data":{"order":23501}}"#,
            r#"{"success":false,"order":"23501"}"#,
        ] {
            let placement = answered(200, body);
            assert_eq!(message(&placement), None, "{body}");
            let Placement::Unknown { why, .. } = placement else { panic!() };
            assert!(why.contains("23501"), "a person sees the id: {why}");
        }
    }

    /// Only an answer that says nothing but its refusal is one.
    #[test]
    fn an_error_beside_anything_else_is_no_refusal() {
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
            let placement = answered(200, body);
            assert_eq!(message(&placement), None, "{body}");
            let Placement::Unknown { why, .. } = placement else { panic!() };
            assert!(why.contains("Bad link"), "a person sees the answer: {why}");
        }
    }

    #[test]
    fn what_never_got_there_may_be_sent_again() {
        let unreached = PanelError::Unreached("no connection".into());
        assert_eq!(Placement::without_answer(unreached.clone()), Placement::NotSent(unreached));
        let cut = Placement::without_answer(PanelError::Unclear("cut".into()));
        assert_eq!(message(&cut), None);
    }

    #[test]
    fn no_words_hold_our_token() {
        for body in
            ["<p>key token-of-ours</p>", "key token-of-ours", r#"{"order":7,"error":"key token-of-ours"}"#]
        {
            let Placement::Unknown { why, message } = answered(200, body) else { panic!() };
            assert!(!why.contains("token-of-ours"), "{why}");
            assert!(message.is_none_or(|message| !message.contains("token-of-ours")), "{body}");
        }
    }
}
