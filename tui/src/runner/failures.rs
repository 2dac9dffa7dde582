//! Converts errors of the client library to messages for the staff member.

use panel_client::Error;
use panel_client::confirm::CONFIRMATION_REQUIRED;

use crate::job::{Failure, FailureKind};
use crate::text::sanitize;

pub(crate) fn to_failure(error: &Error) -> Failure {
    let kind = match error {
        Error::Transport { .. } => FailureKind::Unreachable,
        error if error.is_outage() => FailureKind::Unreachable,
        error if error.is_unauthenticated() => FailureKind::SignedOut,
        error if error.is_forbidden() => FailureKind::Forbidden,
        error if error.is_conflict() => FailureKind::Conflict,
        _ => FailureKind::Other,
    };
    let request_id = error.api_error().map(|api_error| api_error.problem.request_id.clone());
    Failure { kind, message: error_message(error), request_id: request_id.filter(|id| !id.is_empty()) }
}

/// The message of an error. Sanitizes it, because it may quote the text of a customer.
pub(crate) fn error_message(error: &Error) -> String {
    sanitize(&unsanitized_message(error))
}

fn unsanitized_message(error: &Error) -> String {
    match error {
        Error::Transport { .. } => {
            let text = error.to_string();
            // The text is "GET /path: reason". The staff member needs only the reason.
            let reason = text.split_once(": ").map_or(text.as_str(), |(_, reason)| reason);
            format!("The server does not respond ({reason}).")
        }
        error if error.code() == Some(CONFIRMATION_REQUIRED) => {
            "Nothing was changed: the server requires your password. Repeat the action and enter it."
                .to_owned()
        }
        Error::Api(api_error) => {
            // The message already begins with the first field error.
            let message = api_error.problem.message.as_str();
            let field_errors = api_error.problem.errors.values().flatten().map(String::as_str);
            let other_errors = field_errors.filter(|text| !message.contains(text));
            std::iter::once(message).chain(other_errors).collect::<Vec<_>>().join(" ")
        }
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use panel_client::error::ApiError;
    use panel_contract::error::ErrorBody;

    use super::*;

    #[test]
    fn a_database_outage_is_unreachable() {
        let build_failure = |code: &str| {
            let problem = ErrorBody {
                skipped: Vec::new(),
                second_factor: None,
                message: "It may have been done.".into(),
                errors: [].into(),
                code: code.into(),
                request_id: String::new(),
            };
            to_failure(&Error::Api(Box::new(ApiError { status: 503, problem, retry_after: None })))
        };
        assert_eq!(build_failure("database_unavailable").kind, FailureKind::Unreachable);
        assert_eq!(build_failure("server_error").kind, FailureKind::Other);
        let unknown_outcome = build_failure("outcome_unknown");
        assert_eq!(
            (unknown_outcome.kind, &*unknown_outcome.message),
            (FailureKind::Unreachable, "It may have been done.")
        );
    }

    #[test]
    fn a_message_repeats_no_field_error_and_is_sanitized() {
        let build_failure = |message: &str, field: &str| {
            let problem = ErrorBody {
                skipped: Vec::new(),
                second_factor: None,
                message: message.into(),
                errors: [("amount".to_owned(), vec![field.to_owned()])].into(),
                code: "invalid".into(),
                request_id: "0199".into(),
            };
            to_failure(&Error::Api(Box::new(ApiError { status: 422, problem, retry_after: None })))
        };
        assert_eq!(build_failure("Too much.", "At most 5.").message, "Too much. At most 5.");
        assert_eq!(build_failure("At most 5.", "At most 5.").message, "At most 5.");
        assert_eq!(build_failure("\u{1b}[2J\u{202e}No.", "No.").message, "[2JNo.");
        let field_errors =
            [("amount", "At most 5."), ("roles", "Choose a role."), ("url", "Give an address.")];
        let problem = ErrorBody {
            skipped: Vec::new(),
            second_factor: None,
            message: "At most 5. (and 2 more errors)".into(),
            errors: field_errors.map(|(field, text)| (field.to_owned(), vec![text.to_owned()])).into(),
            code: "invalid".into(),
            request_id: String::new(),
        };
        let api_error = Error::Api(Box::new(ApiError { status: 422, problem, retry_after: None }));
        assert_eq!(
            error_message(&api_error),
            "At most 5. (and 2 more errors) Choose a role. Give an address."
        );
        assert_eq!(build_failure("No.", "No.").request_id.as_deref(), Some("0199"));
    }
}
