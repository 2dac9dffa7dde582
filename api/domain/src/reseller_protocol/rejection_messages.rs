//! The rejection messages that staff enter for an external panel. Such an error message proves that the panel did not accept an
//! order. A message applies to later responses and does not change existing attempts. Pure functions.

use std::collections::BTreeMap;

use panel_contract::fields::FieldErrors;
use panel_contract::rejections::{RejectionMessage, RejectionReason};
use panel_kernel::rejection::Rejection;

use crate::reseller_protocol::rejections::{NUMBER_PLACEHOLDER, normalized_message};

/// Maximum number of messages of one external panel.
const MAX_MESSAGES: usize = 100;
/// Maximum length of a message in characters, which is also the stored length of a message of a panel.
const MAX_CHARS: usize = 500;
/// Minimum number of letters and digits in a message. The meaning of a shorter message would be ambiguous.
const MIN_LETTERS: usize = 4;

/// Validates the messages and returns them trimmed. Errors contain the position in the list.
pub fn validate_messages(errors: &mut FieldErrors, messages: &[RejectionMessage]) -> Vec<RejectionMessage> {
    if messages.len() > MAX_MESSAGES {
        errors.add("rejection_messages", format!("Enter at most {MAX_MESSAGES} messages."));
        return Vec::new();
    }
    let mut indices_by_message = BTreeMap::new();
    let mut trimmed = Vec::new();
    for (index, entry) in messages.iter().enumerate() {
        let message = entry.message.trim();
        let normalized = normalized_message(message);
        let same_message = indices_by_message.insert(normalized.clone(), index);
        if let Some(error) = validate_message(message, &normalized, same_message) {
            errors.add(format!("rejection_messages.{index}.message"), error);
        }
        trimmed.push(RejectionMessage { message: message.to_owned(), reason: entry.reason });
    }
    trimmed
}

/// Validates a message. Returns the error if the message is invalid. `same_message` is the index of an earlier message with the
/// same normalized form.
fn validate_message(message: &str, normalized: &str, same_message: Option<usize>) -> Option<String> {
    let letter_count =
        normalized.replace(NUMBER_PLACEHOLDER, "").chars().filter(|letter| letter.is_alphanumeric()).count();
    if message.chars().count() > MAX_CHARS {
        Some(format!("Use at most {MAX_CHARS} characters."))
    } else if message.chars().any(char::is_control) {
        Some("Enter the message on one line.".into())
    } else if letter_count < MIN_LETTERS {
        Some(format!("Enter the whole message, with at least {MIN_LETTERS} letters or digits."))
    } else {
        same_message.map(|index| format!("Message {} is the same. Remove one of them.", index + 1))
    }
}

/// Adds a message. Rejects a message that already exists with the same reason, because nothing would change.
pub fn add_message(
    current_messages: &[RejectionMessage],
    new_message: &RejectionMessage,
) -> Result<Result<Vec<RejectionMessage>, FieldErrors>, Rejection> {
    let normalized = normalized_message(&new_message.message);
    if current_messages
        .iter()
        .any(|entry| entry.reason == new_message.reason && normalized_message(&entry.message) == normalized)
    {
        let message = "This panel already has the message with this reason.";
        return Err(Rejection::conflict("rejection_message_known", message));
    }
    let other_messages =
        current_messages.iter().filter(|entry| normalized_message(&entry.message) != normalized).cloned();
    let mut messages: Vec<_> = other_messages.collect();
    messages.push(new_message.clone());
    let mut errors = FieldErrors::default();
    let messages = validate_messages(&mut errors, &messages);
    // The other messages were validated when they were stored, so any error is about the new message.
    let errors = errors.0.into_values().flatten().next().map(|error| FieldErrors::single("message", error));
    Ok(errors.map_or(Ok(messages), Err))
}

pub const fn reason_label(reason: RejectionReason) -> &'static str {
    match reason {
        RejectionReason::InvalidKey => "The API token is invalid",
        RejectionReason::AccountSuspended => "Our account at the panel is suspended",
        RejectionReason::InsufficientFunds => "Our balance at the panel is too low",
        RejectionReason::DuplicateLink => "The panel has an open order for this link",
        RejectionReason::QuantityBelow => "The quantity is too small",
        RejectionReason::QuantityAbove => "The quantity is too large",
        RejectionReason::UnknownService => "The panel does not sell this service",
        RejectionReason::ServiceDisabled => "The service is disabled at the moment",
        RejectionReason::InvalidLink => "The panel does not accept the link",
        RejectionReason::InvalidRequest => "A field is missing or invalid",
        RejectionReason::TooManyCalls => "The rate limit of the panel was exceeded",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid_fields(messages: &[&str]) -> Vec<String> {
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
    fn rejects_short_duplicate_and_too_many_messages() {
        assert_eq!(invalid_fields(&["Closed until {number}", "Closed", "Закрыто"]), [""; 0]);
        assert_eq!(
            invalid_fields(&[
                "  ",
                "ok!",
                "Closed",
                "<b>CLOSED.</b>",
                "{number} {number} {number}",
                "two\nlines",
                &"x".repeat(501)
            ]),
            [0, 1, 3, 4, 5, 6].map(|index| format!("rejection_messages.{index}.message"))
        );
        let many: Vec<String> = (0..=MAX_MESSAGES).map(|n| format!("Closed {n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(invalid_fields(&many), ["rejection_messages"]);
        assert_eq!(invalid_fields(&many[1..]), [""; 0]);
    }

    #[test]
    fn a_new_message_replaces_the_same_message_with_another_reason() {
        let entry = |message: &str, reason| RejectionMessage { message: message.into(), reason };
        let current_messages = [entry("Closed now", RejectionReason::ServiceDisabled)];
        let same_reason =
            add_message(&current_messages, &entry("CLOSED <b>now</b>", RejectionReason::ServiceDisabled));
        assert_eq!(same_reason.unwrap_err().code, "rejection_message_known");
        let other_reason = entry("closed now!", RejectionReason::TooManyCalls);
        assert_eq!(add_message(&current_messages, &other_reason).unwrap().unwrap(), [other_reason]);
        let new_message = entry(" Slow down ", RejectionReason::TooManyCalls);
        let messages = add_message(&current_messages, &new_message).unwrap().unwrap();
        assert_eq!(
            messages.iter().map(|entry| entry.message.as_str()).collect::<Vec<_>>(),
            ["Closed now", "Slow down"]
        );
        let errors =
            add_message(&current_messages, &entry("no", RejectionReason::TooManyCalls)).unwrap().unwrap_err();
        assert_eq!(errors.0.into_keys().collect::<Vec<_>>(), ["message"]);
    }
}
