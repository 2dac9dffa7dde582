//! Errors of the client library as sentences for people.

use panel_client::Error;
use panel_client::confirm::CONFIRMATION_REQUIRED;

use crate::job::{Trouble, TroubleKind};
use crate::text::clean;

/// An error for the dashboard.
pub(crate) fn trouble(error: &Error) -> Trouble {
    let kind = match error {
        Error::Transport { .. } => TroubleKind::Unreachable,
        error if error.is_outage() => TroubleKind::Unreachable,
        error if error.is_unauthenticated() => TroubleKind::SignedOut,
        error if error.is_forbidden() => TroubleKind::Forbidden,
        error if error.is_conflict() => TroubleKind::Conflict,
        _ => TroubleKind::Other,
    };
    let request_id = error.refused().map(|refused| refused.problem.request_id.clone());
    Trouble { kind, message: sentence(error), request_id: request_id.filter(|id| !id.is_empty()) }
}

/// What is wrong, in one sentence, made harmless: it may quote what a stranger typed.
pub(crate) fn sentence(error: &Error) -> String {
    clean(&words(error))
}

fn words(error: &Error) -> String {
    match error {
        Error::Transport { .. } => {
            let text = error.to_string();
            // "GET /path: reason": the path says nothing to people.
            let why = text.split_once(": ").map_or(text.as_str(), |(_, why)| why);
            format!("The panel does not answer ({why}).")
        }
        error if error.code() == Some(CONFIRMATION_REQUIRED) => {
            "Nothing was changed: the panel asks for your password. Repeat the action and type it.".to_owned()
        }
        Error::Refused(refused) => {
            // The message begins with the first of them already.
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
    use panel_contract::error::Problem;

    use super::*;

    #[test]
    fn a_database_that_is_away_is_no_refusal() {
        let answer = |code: &str| {
            let problem = Problem {
                skipped: Vec::new(),
                second_factor: None,
                message: "It may have been done.".into(),
                errors: [].into(),
                code: code.into(),
                request_id: String::new(),
            };
            trouble(&Error::Refused(Box::new(Refused { status: 503, problem, retry_after: None })))
        };
        assert_eq!(answer("database_unavailable").kind, TroubleKind::Unreachable);
        assert_eq!(answer("server_error").kind, TroubleKind::Other);
        let unknown = answer("outcome_unknown");
        assert_eq!((unknown.kind, &*unknown.message), (TroubleKind::Unreachable, "It may have been done."));
    }

    #[test]
    fn refusals_name_the_field_once_and_draw_nothing() {
        let refused = |message: &str, field: &str| {
            let problem = Problem {
                skipped: Vec::new(),
                second_factor: None,
                message: message.into(),
                errors: [("amount".to_owned(), vec![field.to_owned()])].into(),
                code: "invalid".into(),
                request_id: "0199".into(),
            };
            trouble(&Error::Refused(Box::new(Refused { status: 422, problem, retry_after: None })))
        };
        assert_eq!(refused("Too much.", "At most 5.").message, "Too much. At most 5.");
        assert_eq!(refused("At most 5.", "At most 5.").message, "At most 5.");
        assert_eq!(refused("\u{1b}[2J\u{202e}No.", "No.").message, "[2JNo.");
        let both = [("amount", "At most 5."), ("roles", "Choose a role."), ("url", "Give an address.")];
        let problem = Problem {
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
