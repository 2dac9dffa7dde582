//! What panels say, as it may be kept and shown: without our token, on one line, not endless; and what their words are
//! about. Pure. Some panels send the request back when they refuse it, so no part of an answer is taken as it came.

use panel_contract::hidden;
use panel_contract::rejections::RejectionReason;
use serde_json::Value;

use super::Reason;
use panel_domain::reseller_protocol::known::Meaning;
use panel_domain::reseller_protocol::rejections;

/// Longest words of a panel that are kept.
pub(super) const LONGEST: usize = 500;
/// A shorter token is part of ordinary words, so it is taken out only where it stands alone.
const TELLING: usize = 6;
/// What stands in its place.
const HIDDEN: &str = "[key]";

/// A panel's words as they may be kept: one line, without our token, not endless.
pub(super) fn clean(words: &str, token: &str) -> String {
    one_line(&without(words, token)).chars().take(LONGEST).collect()
}

/// A whole answer without our token and without control characters, whatever it is read for later. Line breaks stay only
/// where they belong to a text, as in what a panel says about its services.
pub(super) fn scrubbed(value: Value, token: &str, keeps_lines: bool) -> Value {
    match value {
        Value::String(text) => {
            let text = if is_telling(token) || text.trim() == token { without(&text, token) } else { text };
            Value::String(if keeps_lines { plain_lines(&text) } else { one_line(&text) })
        }
        Value::Number(number) if !token.is_empty() && number.to_string() == token => HIDDEN.into(),
        Value::Array(all) => all.into_iter().map(|one| scrubbed(one, token, keeps_lines)).collect(),
        Value::Object(fields) => {
            let name = |name: String| {
                if is_telling(token) { one_line(&without(&name, token)) } else { one_line(&name) }
            };
            fields.into_iter().map(|(key, value)| (name(key), scrubbed(value, token, keeps_lines))).collect()
        }
        other => other,
    }
}

fn is_telling(token: &str) -> bool {
    token.len() >= TELLING
}

/// Without the token, as it is and as a form carries it.
fn without(text: &str, token: &str) -> String {
    if token.is_empty() {
        return text.to_owned();
    }
    let sent: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
    let text = text.replace(token, HIDDEN);
    if sent == token { text } else { text.replace(&sent, HIDDEN) }
}

pub(super) fn one_line(text: &str) -> String {
    hidden::blanked(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").split('\n').map(hidden::blanked).collect::<Vec<_>>().join("\n")
}

/// Whether a no asks to be asked again later, by parts of it, case-blind.
#[must_use]
pub fn asks_to_wait(words: &str) -> bool {
    const PARTS: [&str; 10] =
        ["later", "again", "wait", "too many", "moment", "minute", "hour", "day", "maintenance", "limit"];
    let words = words.to_ascii_lowercase();
    PARTS.iter().any(|part| words.contains(part))
}

/// What words are about: known messages as a whole, others by their parts, case-blind. So this never decides whether an
/// order may be sent again; `rejections` does.
#[must_use]
pub fn reason(words: &str) -> Reason {
    use RejectionReason as R;
    match rejections::meaning(words) {
        Some(Meaning::UnknownOrder) => return Reason::Order,
        Some(Meaning::UnknownRefill) => return Reason::Refill,
        Some(Meaning::NotTaken(R::InvalidKey)) => return Reason::Key,
        Some(Meaning::NotTaken(R::InsufficientFunds)) => return Reason::Funds,
        Some(Meaning::NotTaken(R::DuplicateLink)) => return Reason::DuplicateLink,
        Some(Meaning::NotTaken(R::QuantityBelow | R::QuantityAbove)) => return Reason::Quantity,
        Some(Meaning::NotTaken(R::UnknownService)) => return Reason::Service,
        Some(Meaning::NotTaken(_)) => return Reason::Other,
        None => {}
    }
    let words = words.to_ascii_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if says(&["invalid api key", "invalid key", "incorrect key", "wrong api key", "api key is invalid"]) {
        Reason::Key
    } else if says(&["not_enough_funds", "not enough funds", "insufficient"]) {
        Reason::Funds
    } else if says(&["link_duplicate", "active order with this link"]) {
        Reason::DuplicateLink
    } else if says(&["incorrect_service_id", "incorrect service", "invalid service"]) {
        Reason::Service
    } else if says(&["min_quantity", "max_quantity", "incorrect quantity", "quantity less", "quantity more"])
    {
        Reason::Quantity
    } else if says(&["refill not found", "incorrect refill"]) {
        Reason::Refill
    } else if says(&["incorrect order", "order not found", "invalid order"]) {
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
    fn words_in_use_are_understood() {
        for (words, wanted) in [
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
            assert_eq!(reason(words), wanted, "{words}");
        }
    }

    #[test]
    fn no_part_of_an_answer_holds_the_token() {
        let echo = json!({
            "request": { "key": "secret+token", "raw": "key=secret%2Btoken&action=add" }, "secret+token": [1, "a secret+token b"],
            "word": "In\u{1b}[31m\n progress",
        });
        let wanted = json!({
            "request": { "key": "[key]", "raw": "key=[key]&action=add" }, "[key]": [1, "a [key] b"], "word": "In [31m progress",
        });
        assert_eq!(scrubbed(echo, "secret+token", false), wanted);
        let digits = json!({ "key": 12_345_678, "order": 123 });
        assert_eq!(scrubbed(digits, "12345678", false), json!({ "key": "[key]", "order": 123 }));
        let short = json!({ "key": "in", "status": "in progress" });
        assert_eq!(scrubbed(short, "in", false), json!({ "key": "[key]", "status": "in progress" }));
        assert_eq!(one_line("Closed \u{202e}x\u{2069}"), "Closed x");
        let text = json!({ "desc": "One\r\ntwo\u{7}" });
        assert_eq!(scrubbed(text, "", true), json!({ "desc": "One\ntwo " }));
    }
}
