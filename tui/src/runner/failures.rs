//! Converts errors of the client library to sentences for staff.

use panel_client::Error;
use panel_client::confirm::CONFIRMATION_REQUIRED;

use crate::job::{Failure, FailureKind};
use crate::text::sanitize;

/// Converts an error of the client library.
pub(crate) fn failure_from(error: &Error) -> Failure {
    let kind = match error {
        Error::Transport { .. } => FailureKind::Unreachable,
        error if error.is_outage() => FailureKind::Unreachable,
        error if error.is_unauthenticated() => FailureKind::SignedOut,
        error if error.is_forbidden() => FailureKind::Forbidden,
        error if error.is_conflict() => FailureKind::Conflict,
        _ => FailureKind::Other,
    };
    let request_id = error.refused().map(|refused| refused.problem.request_id.clone());
    Failure { kind, message: sentence(error), request_id: request_id.filter(|id| !id.is_empty()) }
}

/// The error as one sanitized sentence: it may quote the text of a customer.
pub(crate) fn sentence(error: &Error) -> String {
    sanitize(&words(error))
}

fn words(error: &Error) -> String {
    match error {
        Error::Transport { .. } => {
            let text = error.to_string();
            // The text is "GET /path: reason"; staff only need the reason.
            let why = text.split_once(": ").map_or(text.as_str(), |(_, why)| why);
            format!("The panel does not respond ({why}).")
        }
        error if error.code() == Some(CONFIRMATION_REQUIRED) => {
            "Nothing was changed: the panel requires your password. Repeat the action and enter it."
                .to_owned()
        }
        Error::Refused(refused) => {
            // The message already begins with the first field error.
            let message = refused.problem.message.as_str();
            let fields = refused.problem.errors.values().flatten().map(String::as_str);
            let more = fields.filter(|text| !message.contains(text));
            std::iter::once(message).chain(more).collect::<Vec<_>>().join(" ")
        }
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use panel_client::error::Refused;
    use panel_contract::error::ErrorBody;

    use super::*;

    #[test]
    fn a_database_outage_is_unreachable() {
        let answer = |code: &str| {
            let problem = ErrorBody {
                skipped: Vec::new(),
                second_factor: None,
                message: "It may have been done.".into(),
                errors: [].into(),
                code: code.into(),
                request_id: String::new(),
            };
            failure_from(&Error::Refused(Box::new(Refused { status: 503, problem, retry_after: None })))
        };
        assert_eq!(answer("database_unavailable").kind, FailureKind::Unreachable);
        assert_eq!(answer("server_error").kind, FailureKind::Other);
        let unknown = answer("outcome_unknown");
        assert_eq!((unknown.kind, &*unknown.message), (FailureKind::Unreachable, "It may have been done."));
    }

    #[test]
    fn errors_name_each_field_once_and_are_sanitized() {
        let refused = |message: &str, field: &str| {
            let problem = ErrorBody {
                skipped: Vec::new(),
                second_factor: None,
                message: message.into(),
                errors: [("amount".to_owned(), vec![field.to_owned()])].into(),
                code: "invalid".into(),
                request_id: "0199".into(),
            };
            failure_from(&Error::Refused(Box::new(Refused { status: 422, problem, retry_after: None })))
        };
        assert_eq!(refused("Too much.", "At most 5.").message, "Too much. At most 5.");
        assert_eq!(refused("At most 5.", "At most 5.").message, "At most 5.");
        assert_eq!(refused("\u{1b}[2J\u{202e}No.", "No.").message, "[2JNo.");
        let both = [("amount", "At most 5."), ("roles", "Choose a role."), ("url", "Give an address.")];
        let problem = ErrorBody {
            skipped: Vec::new(),
            second_factor: None,
            message: "At most 5. (and 2 more errors)".into(),
            errors: both.map(|(field, text)| (field.to_owned(), vec![text.to_owned()])).into(),
            code: "invalid".into(),
            request_id: String::new(),
        };
        let all = Error::Refused(Box::new(Refused { status: 422, problem, retry_after: None }));
        assert_eq!(sentence(&all), "At most 5. (and 2 more errors) Choose a role. Give an address.");
        assert_eq!(refused("No.", "No.").request_id.as_deref(), Some("0199"));
    }
}
