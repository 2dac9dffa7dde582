//! The rejection messages that staff enter for a panel: error messages that prove that it did not accept an order. Pure. A message
//! applies to later responses and does not change existing attempts.

use std::collections::BTreeMap;

use panel_contract::fields::FieldErrors;
use panel_contract::rejections::{RejectionMessage, RejectionReason};
use panel_kernel::rejection::Rejection;

use crate::reseller_protocol::rejections::{NUMBER_PLACEHOLDER, normalized_message};

/// Largest number of messages of one panel.
const MAX_MESSAGES: usize = 100;
/// Longest message in characters, equal to the stored length of a panel's message.
const MAX_CHARS: usize = 500;
/// Fewest letters and digits of a message. A shorter one could mean anything.
const MIN_LETTERS: usize = 4;

/// Validates the messages and returns them trimmed. Errors name the position in the list.
pub fn validate_messages(errors: &mut FieldErrors, messages: &[RejectionMessage]) -> Vec<RejectionMessage> {
    if messages.len() > MAX_MESSAGES {
        errors.add("rejection_messages", format!("Give at most {MAX_MESSAGES} messages."));
        return Vec::new();
    }
    let mut seen = BTreeMap::new();
    let mut trimmed = Vec::new();
    for (index, entry) in messages.iter().enumerate() {
        let message = entry.message.trim();
        let normalized = normalized_message(message);
        let same_message = seen.insert(normalized.clone(), index);
        if let Some(error) = validate_message(message, &normalized, same_message) {
            errors.add(format!("rejection_messages.{index}.message"), error);
        }
        trimmed.push(RejectionMessage { message: message.to_owned(), reason: entry.reason });
    }
    trimmed
}

/// The error of a message, if it has one. `same_message` is the index of an earlier message with the same normalized form.
fn validate_message(message: &str, normalized: &str, same_message: Option<usize>) -> Option<String> {
    let letters =
        normalized.replace(NUMBER_PLACEHOLDER, "").chars().filter(|letter| letter.is_alphanumeric()).count();
    if message.chars().count() > MAX_CHARS {
        Some(format!("Give at most {MAX_CHARS} characters."))
    } else if message.chars().any(char::is_control) {
        Some("Give the message on one line.".into())
    } else if letters < MIN_LETTERS {
        Some(format!("Give the whole message, with at least {MIN_LETTERS} letters or digits."))
    } else {
        same_message.map(|index| format!("Message {} is the same. Remove one of them.", index + 1))
    }
}

/// Adds a message. An existing message with the same reason is a conflict, because nothing would change.
pub fn add_message(
    before: &[RejectionMessage],
    new: &RejectionMessage,
) -> Result<Result<Vec<RejectionMessage>, FieldErrors>, Rejection> {
    let normalized = normalized_message(&new.message);
    if before
        .iter()
        .any(|entry| entry.reason == new.reason && normalized_message(&entry.message) == normalized)
    {
        let message = "This panel already has the message with this reason.";
        return Err(Rejection::conflict("rejection_message_known", message));
    }
    let other_messages =
        before.iter().filter(|entry| normalized_message(&entry.message) != normalized).cloned();
    let mut messages: Vec<_> = other_messages.collect();
    messages.push(new.clone());
    let mut errors = FieldErrors::default();
    let messages = validate_messages(&mut errors, &messages);
    // The other messages were validated when they were stored, so any error concerns the new one.
    let errors = errors.0.into_values().flatten().next().map(|error| FieldErrors::single("message", error));
    Ok(errors.map_or(Ok(messages), Err))
}

pub const fn reason_label(reason: RejectionReason) -> &'static str {
    match reason {
        RejectionReason::InvalidKey => "The token is wrong",
        RejectionReason::AccountSuspended => "Our account there is suspended",
        RejectionReason::InsufficientFunds => "Our balance there is too low",
        RejectionReason::DuplicateLink => "It has an open order for this link",
        RejectionReason::QuantityBelow => "The quantity is too small",
        RejectionReason::QuantityAbove => "The quantity is too large",
        RejectionReason::UnknownService => "It does not sell this service",
        RejectionReason::ServiceDisabled => "The service is disabled at the moment",
        RejectionReason::InvalidLink => "It does not accept the link",
        RejectionReason::InvalidRequest => "A field is missing or wrong",
        RejectionReason::TooManyCalls => "It was called too often",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(messages: &[&str]) -> Vec<String> {
        let entry = |message: &&str| RejectionMessage {
            message: (*message).to_owned(),
            reason: RejectionReason::ServiceDisabled,
        };
        let mut errors = FieldErrors::default();
        let messages: Vec<_> = messages.iter().map(entry).collect();
        validate_messages(&mut errors, &messages);
        errors.0.into_keys().collect()
    }

    #[test]
    fn refuses_short_duplicate_and_too_many_messages() {
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
        let many: Vec<String> = (0..=MAX_MESSAGES).map(|n| format!("Closed {n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(errors(&many), ["rejection_messages"]);
        assert_eq!(errors(&many[1..]), [""; 0]);
    }

    #[test]
    fn a_new_message_replaces_the_same_message_with_another_reason() {
        let entry = |message: &str, reason| RejectionMessage { message: message.into(), reason };
        let before = [entry("Closed now", RejectionReason::ServiceDisabled)];
        let again = add_message(&before, &entry("CLOSED <b>now</b>", RejectionReason::ServiceDisabled));
        assert_eq!(again.unwrap_err().code, "rejection_message_known");
        let other_reason = entry("closed now!", RejectionReason::TooManyCalls);
        assert_eq!(add_message(&before, &other_reason).unwrap().unwrap(), [other_reason]);
        let added = entry(" Slow down ", RejectionReason::TooManyCalls);
        let all = add_message(&before, &added).unwrap().unwrap();
        assert_eq!(
            all.iter().map(|entry| entry.message.as_str()).collect::<Vec<_>>(),
            ["Closed now", "Slow down"]
        );
        let short = add_message(&before, &entry("no", RejectionReason::TooManyCalls)).unwrap().unwrap_err();
        assert_eq!(short.0.into_keys().collect::<Vec<_>>(), ["message"]);
    }
}
