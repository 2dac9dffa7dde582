//! The rejection messages that staff enter for a panel: error messages that prove that it did not accept an order. Pure. A message
//! applies to later answers and changes no attempt by itself.

use std::collections::BTreeMap;

use panel_contract::fields::FieldErrors;
use panel_contract::rejections::{RejectionMessage, RejectionReason};
use panel_kernel::rejection::Rejection;

use crate::reseller_protocol::rejections::{NUMBER, comparable};

/// Largest number of messages of one panel.
const MOST: usize = 100;
/// Longest message in characters, equal to the stored length of a panel's message.
const LONGEST: usize = 500;
/// Fewest letters and digits of a message. A shorter one could mean anything.
const SHORTEST: usize = 4;

/// Validates the messages and returns them trimmed. Errors name the position in the list.
pub fn validate_messages(errors: &mut FieldErrors, messages: &[RejectionMessage]) -> Vec<RejectionMessage> {
    if messages.len() > MOST {
        errors.add("rejection_messages", format!("Give at most {MOST} messages."));
        return Vec::new();
    }
    let mut seen = BTreeMap::new();
    let mut kept = Vec::new();
    for (at, one) in messages.iter().enumerate() {
        let message = one.message.trim();
        let compared = comparable(message);
        let before = seen.insert(compared.clone(), at);
        if let Some(wrong) = wrong(message, &compared, before) {
            errors.add(format!("rejection_messages.{at}.message"), wrong);
        }
        kept.push(RejectionMessage { message: message.to_owned(), reason: one.reason });
    }
    kept
}

fn wrong(message: &str, compared: &str, before: Option<usize>) -> Option<String> {
    let letters = compared.replace(NUMBER, "").chars().filter(|letter| letter.is_alphanumeric()).count();
    if message.chars().count() > LONGEST {
        Some(format!("Give at most {LONGEST} characters."))
    } else if message.chars().any(char::is_control) {
        Some("Give the message on one line.".into())
    } else if letters < SHORTEST {
        Some(format!("Give the whole message, with at least {SHORTEST} letters or digits."))
    } else {
        before.map(|at| format!("Message {} is the same; leave one of them out.", at + 1))
    }
}

/// Adds a message. An existing message with the same reason is a conflict, because nothing would change.
pub fn add_message(
    before: &[RejectionMessage],
    one: &RejectionMessage,
) -> Result<Result<Vec<RejectionMessage>, FieldErrors>, Rejection> {
    let compared = comparable(&one.message);
    if before.iter().any(|known| known.reason == one.reason && comparable(&known.message) == compared) {
        let message = "This panel's list has the message with this reason already.";
        return Err(Rejection::conflict("rejection_message_known", message));
    }
    let kept = before.iter().filter(|known| comparable(&known.message) != compared).cloned();
    let mut all: Vec<_> = kept.collect();
    all.push(one.clone());
    let mut errors = FieldErrors::default();
    let all = validate_messages(&mut errors, &all);
    // The other messages were validated when they were stored, so any error concerns the new one.
    let errors = errors.0.into_values().flatten().next().map(|wrong| FieldErrors::one("message", wrong));
    Ok(errors.map_or(Ok(all), Err))
}

/// The label of a reason.
pub const fn label(reason: RejectionReason) -> &'static str {
    match reason {
        RejectionReason::InvalidKey => "The token is wrong",
        RejectionReason::AccountSuspended => "Our account there is suspended",
        RejectionReason::InsufficientFunds => "Our balance there is too low",
        RejectionReason::DuplicateLink => "It has an open order for this link",
        RejectionReason::QuantityBelow => "The quantity is too small",
        RejectionReason::QuantityAbove => "The quantity is too large",
        RejectionReason::UnknownService => "It does not sell this service",
        RejectionReason::ServiceDisabled => "The service is switched off for now",
        RejectionReason::InvalidLink => "It does not accept the link",
        RejectionReason::InvalidRequest => "A field is missing or wrong",
        RejectionReason::TooManyCalls => "It was called too often",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(messages: &[&str]) -> Vec<String> {
        let one = |message: &&str| RejectionMessage {
            message: (*message).to_owned(),
            reason: RejectionReason::ServiceDisabled,
        };
        let mut errors = FieldErrors::default();
        let messages: Vec<_> = messages.iter().map(one).collect();
        validate_messages(&mut errors, &messages);
        errors.0.into_keys().collect()
    }

    #[test]
    fn messages_are_whole_different_and_not_too_many() {
        assert_eq!(errors(&["Closed until {number}", "Closed", "Закрыто"]), [""; 0]);
        assert_eq!(
            errors(&[
                "  ",
                "ok!",
                "Closed",
                "<b>CLOSED.</b>",
                "{number} {number} {number}",
                "two\nlines",
                &"x".repeat(501)
            ]),
            [0, 1, 3, 4, 5, 6].map(|at| format!("rejection_messages.{at}.message"))
        );
        let many: Vec<String> = (0..=MOST).map(|n| format!("Closed {n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(errors(&many), ["rejection_messages"]);
        assert_eq!(errors(&many[1..]), [""; 0]);
    }

    #[test]
    fn one_more_replaces_the_same_words() {
        let one = |message: &str, reason| RejectionMessage { message: message.into(), reason };
        let before = [one("Closed now", RejectionReason::ServiceDisabled)];
        let again = add_message(&before, &one("CLOSED <b>now</b>", RejectionReason::ServiceDisabled));
        assert_eq!(again.unwrap_err().code, "rejection_message_known");
        let other = one("closed now!", RejectionReason::TooManyCalls);
        assert_eq!(add_message(&before, &other).unwrap().unwrap(), [other]);
        let more = one(" Slow down ", RejectionReason::TooManyCalls);
        let all = add_message(&before, &more).unwrap().unwrap();
        assert_eq!(
            all.iter().map(|one| one.message.as_str()).collect::<Vec<_>>(),
            ["Closed now", "Slow down"]
        );
        let short = add_message(&before, &one("no", RejectionReason::TooManyCalls)).unwrap().unwrap_err();
        assert_eq!(short.0.into_keys().collect::<Vec<_>>(), ["message"]);
    }
}
