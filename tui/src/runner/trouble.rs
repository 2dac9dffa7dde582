//! Errors of the client library as sentences for people.

use panel_client::Error;

use crate::job::{Trouble, TroubleKind};

/// An error for the dashboard.
pub(crate) fn trouble(error: &Error) -> Trouble {
    let kind = match error {
        Error::Transport { .. } => TroubleKind::Unreachable,
        error if error.is_unauthenticated() => TroubleKind::SignedOut,
        error if error.is_forbidden() => TroubleKind::Forbidden,
        error if error.is_conflict() => TroubleKind::Conflict,
        _ => TroubleKind::Other,
    };
    let request_id = error.refused().map(|refused| refused.problem.request_id.clone());
    Trouble { kind, message: sentence(error), request_id: request_id.filter(|id| !id.is_empty()) }
}

/// What is wrong, in one sentence.
pub(crate) fn sentence(error: &Error) -> String {
    match error {
        Error::Transport { .. } => {
            let text = error.to_string();
            // "GET /path: reason": the path says nothing to people.
            let why = text.split_once(": ").map_or(text.as_str(), |(_, why)| why);
            format!("The panel does not answer ({why}).")
        }
        Error::Refused(refused) => {
            let more = refused
                .problem
                .errors
                .values()
                .flatten()
                .find(|text| !refused.problem.message.contains(*text));
            match more {
                Some(more) => format!("{} {more}", refused.problem.message),
                None => refused.problem.message.clone(),
            }
        }
        error => error.to_string(),
    }
}
