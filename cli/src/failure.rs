//! The error of a command, for people and programs: what failed, why, and which command to run next.

use std::collections::BTreeMap;

use panel_client::Error;
use panel_client::profiles::ProfileError;
use serde_json::json;

use crate::exit::Exit;

/// The result of every command.
pub(crate) type CmdResult<T = Exit> = Result<T, Failure>;

/// The code of a failure to reach the panel.
pub(crate) const NO_ANSWER: &str = "no_answer";

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// One sentence.
    pub(crate) what: String,
    /// A stable code for programs.
    pub(crate) code: String,
    /// Messages by flag or field.
    pub(crate) fields: BTreeMap<String, Vec<String>>,
    /// What to do next: a command, or words that follow "try:".
    pub(crate) hint: Option<Box<str>>,
    pub(crate) status: Option<u16>,
    /// Finds the request in the panel's log.
    pub(crate) request_id: Option<Box<str>>,
    /// The reader of standard output has closed it. The process ends without an error.
    pub(crate) is_closed_pipe: bool,
}

impl Failure {
    fn new(exit: Exit, code: &str, what: impl Into<String>) -> Self {
        Self {
            exit,
            what: what.into(),
            code: code.to_owned(),
            fields: BTreeMap::new(),
            hint: None,
            status: None,
            request_id: None,
            is_closed_pipe: false,
        }
    }

    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", what)
    }

    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self::new(Exit::Failed, "failed", what)
    }

    pub(crate) fn not_signed_in(what: impl Into<String>) -> Self {
        Self::new(Exit::NotSignedIn, "not_signed_in", what).hint("panelctl auth login")
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().into_boxed_str());
        self
    }

    /// Replaces API field names by the names that panelctl uses.
    pub(crate) fn with_field_names(mut self, name: impl Fn(&str) -> String) -> Self {
        self.fields = std::mem::take(&mut self.fields)
            .into_iter()
            .map(|(field, messages)| (name(&field), messages))
            .collect();
        self
    }

    /// One JSON object, for `-o json`.
    pub(crate) fn json(&self) -> serde_json::Value {
        json!({ "error": {
            "message": self.what,
            "code": self.code,
            "errors": self.fields,
            "hint": self.hint,
            "status": self.status,
            "request_id": self.request_id,
            "exit": self.exit.code(),
        }})
    }

    /// The text for people: what failed, the wrong fields, and what to do next.
    pub(crate) fn text(&self) -> String {
        let all: Vec<_> =
            self.fields.iter().flat_map(|(field, all)| all.iter().map(move |one| (field, one))).collect();
        let mut text = format!("error: {}", self.what);
        match all.as_slice() {
            // The message belongs to one field, so one line is enough.
            [(field, message)] if **message == self.what => text = format!("error: {field}: {message}"),
            all => all.iter().for_each(|(field, message)| text.push_str(&format!("\n  {field}: {message}"))),
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
        let what = match exit {
            Exit::NotSignedIn => "You are not signed in, or your session has expired.".to_owned(),
            _ => error.to_string(),
        };
        let mut failure = Self::new(exit, error.code().unwrap_or(code_of(&error)), what);
        failure.hint = hint_of(&error).map(Box::from);
        if let Error::Refused(refused) = error {
            failure.status = Some(refused.status);
            failure.request_id = Some(refused.problem.request_id.into());
            failure.fields = refused.problem.errors;
        }
        failure
    }
}

fn code_of(error: &Error) -> &'static str {
    match error {
        Error::Transport { .. } => NO_ANSWER,
        Error::Decode { .. } => "not_understood",
        Error::Setup(_) => "usage",
        Error::Journal { .. } => "journal",
        Error::Refused(_) => "refused",
    }
}

fn hint_of(error: &Error) -> Option<&'static str> {
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
    fn from(trouble: ProfileError) -> Self {
        let what = trouble.to_string();
        match trouble {
            ProfileError::Name(_) | ProfileError::Invalid { .. } => Self::usage(what),
            ProfileError::Spoiled { .. } => Self::not_signed_in(what),
            ProfileError::NoHome | ProfileError::File { .. } | ProfileError::Exposed { .. } => {
                Self::failed(what)
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
        // The rest is usage and tips, which clap prints itself for people.
        let text = error.to_string();
        let first = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        Self::usage(first.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}
