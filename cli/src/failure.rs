//! The error of a command, for people and programs: what failed, why, and which command to run next.

use std::collections::BTreeMap;

use panel_client::Error;
use panel_client::profiles::ProfileError;
use serde_json::json;

use crate::exit::Exit;

/// The result of every command.
pub(crate) type CommandResult<T = Exit> = Result<T, Failure>;

/// The failure code if the server did not respond.
pub(crate) const NO_RESPONSE: &str = "no_answer";

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// A stable code for programs.
    pub(crate) code: String,
    /// Messages by flag or field.
    pub(crate) fields: BTreeMap<String, Vec<String>>,
    /// What to do next: a command or advice, printed after "try:".
    pub(crate) hint: Option<Box<str>>,
    pub(crate) status: Option<u16>,
    /// The id of the request in the server's log.
    pub(crate) request_id: Option<Box<str>>,
    /// Whether standard output was closed, for example by `head`. The process then ends without an error.
    pub(crate) is_closed_pipe: bool,
}

impl Failure {
    fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            code: code.to_owned(),
            fields: BTreeMap::new(),
            hint: None,
            status: None,
            request_id: None,
            is_closed_pipe: false,
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, "failed", message)
    }

    pub(crate) fn not_signed_in(message: impl Into<String>) -> Self {
        Self::new(Exit::NotSignedIn, "not_signed_in", message).hint("panelctl auth login")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().into_boxed_str());
        self
    }

    /// Replaces API field names by the names that panelctl uses.
    pub(crate) fn with_field_names(mut self, rename: impl Fn(&str) -> String) -> Self {
        self.fields = std::mem::take(&mut self.fields)
            .into_iter()
            .map(|(field, messages)| (rename(&field), messages))
            .collect();
        self
    }

    /// One JSON object, for `-o json`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        json!({ "error": {
            "message": self.message,
            "code": self.code,
            "errors": self.fields,
            "hint": self.hint,
            "status": self.status,
            "request_id": self.request_id,
            "exit": self.exit.code(),
        }})
    }

    /// The text for people: the message, the invalid fields, and what to do next.
    pub(crate) fn to_text(&self) -> String {
        let field_errors: Vec<_> = self
            .fields
            .iter()
            .flat_map(|(field, messages)| messages.iter().map(move |message| (field, message)))
            .collect();
        let mut text = format!("error: {}", self.message);
        match field_errors.as_slice() {
            // The message belongs to one field, so one line is enough.
            [(field, message)] if **message == self.message => text = format!("error: {field}: {message}"),
            field_errors => field_errors
                .iter()
                .for_each(|(field, message)| text.push_str(&format!("\n  {field}: {message}"))),
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\n  try: {hint}"));
        }
        if let Some(id) = self.request_id.as_ref().filter(|id| !id.is_empty()) {
            text.push_str(&format!("\n  request id: {id}"));
        }
        text
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match error.status() {
            Some(401) => Exit::NotSignedIn,
            Some(403) => Exit::NotAllowed,
            _ if matches!(error, Error::Setup(_)) => Exit::Usage,
            _ => Exit::Failed,
        };
        let message = match exit {
            Exit::NotSignedIn => "You are not signed in, or your session has expired.".to_owned(),
            _ => error.to_string(),
        };
        let mut failure = Self::new(exit, error.code().unwrap_or(default_code(&error)), message);
        failure.hint = default_hint(&error).map(Box::from);
        if let Error::Api(api_error) = error {
            failure.status = Some(api_error.status);
            failure.request_id = Some(api_error.problem.request_id.into());
            failure.fields = api_error.problem.errors;
        }
        failure
    }
}

fn default_code(error: &Error) -> &'static str {
    match error {
        Error::Transport { .. } => NO_RESPONSE,
        Error::Decode { .. } => "not_understood",
        Error::Setup(_) => "usage",
        Error::Journal { .. } => "journal",
        Error::Api(_) => "rejected",
    }
}

fn default_hint(error: &Error) -> Option<&'static str> {
    match error.status() {
        Some(403) if error.code() == Some(panel_client::confirm::CONFIRMATION_REQUIRED) => {
            Some("run the command in a terminal, or set PANELCTL_PASSWORD")
        }
        Some(401) => Some("panelctl auth login"),
        Some(403) => Some("panelctl auth status   (shows your permissions)"),
        Some(429) => Some("wait a moment, then run the command again"),
        _ => None,
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Self {
        let message = error.to_string();
        match error {
            ProfileError::InvalidName(_) | ProfileError::Invalid { .. } => Self::usage(message),
            ProfileError::InvalidToken { .. } => Self::not_signed_in(message),
            ProfileError::NoHome | ProfileError::File { .. } | ProfileError::Exposed { .. } => {
                Self::failed(message)
            }
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let is_closed_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { is_closed_pipe, ..Self::failed(error.to_string()) }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        // Only the first paragraph is the error. The other paragraphs are usage and tips, which are not for programs.
        let text = error.to_string();
        let paragraph = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        Self::usage(paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
