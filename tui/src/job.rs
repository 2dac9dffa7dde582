//! The interface between the dashboard and the runner: the dashboard returns [`Job`]s and handles [`RunnerEvent`]s. Tests replace
//! the runner.

use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::list::{ListPage, MatchingRecords};
use crate::model::queue::Source;
use crate::model::run::{Outcome, Run};
use crate::session::{Secret, SessionInfo, SignInInput};

/// Work for the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Loads a page of a list and the ids of all matching records.
    LoadPage {
        /// The event with the result has the same id.
        job_id: u64,
        source: Source,
        query: TableQuery,
    },
    /// Loads all matching records to mark them.
    LoadAllMatching {
        /// The event with the result has the same id.
        job_id: u64,
        source: Source,
        query: TableQuery,
    },
    LoadDetail {
        source: Source,
        id: RecordId,
    },
    /// Sends a run as a dry run.
    Preview {
        /// The event with the result has the same id.
        job_id: u64,
        run: Run,
    },
    Run {
        /// The event with the result has the same id.
        job_id: u64,
        run: Run,
    },
    SignIn(SignInInput),
    /// The response to [`RunnerEvent::IdentityNeeded`]: the password, or `None` to cancel the waiting calls.
    ConfirmIdentity(Option<Secret>),
    SwitchProfile(String),
    /// Copies a text to the clipboard.
    Copy(String),
    /// Opens a path of the console in the browser, or shows its URL.
    OpenInBrowser(String),
    /// Quits; a running action stops after its current request.
    Quit,
}

/// An error for the staff member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The problem and what to do, in one or two sentences.
    pub message: String,
    /// The request id in the log of the server.
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    Unreachable,
    /// The session has ended.
    SignedOut,
    Forbidden,
    /// Another change to the record came first.
    Conflict,
    Other,
}

/// A result of a job, or a request of the runner to the staff member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerEvent {
    SignedIn(SessionInfo),
    /// The staff member must sign in.
    SignInNeeded {
        profile: String,
        /// The server's base URL.
        address: String,
        email: String,
        message: Option<String>,
        /// Whether the account requires the code of a second factor.
        needs_otp: bool,
    },
    /// The server requires the password before an action.
    IdentityNeeded,
    /// The result of [`Job::LoadPage`].
    Page {
        job_id: u64,
        result: Result<ListPage, Failure>,
    },
    /// The result of [`Job::LoadAllMatching`]: the rows of up to 1,000 records; for more records only the ids.
    MatchingRecords {
        job_id: u64,
        result: Result<MatchingRecords, Failure>,
    },
    /// The result of [`Job::LoadDetail`].
    Detail {
        id: RecordId,
        result: Result<Box<Detail>, Failure>,
    },
    /// The result of [`Job::Preview`].
    Preview {
        job_id: u64,
        result: Result<Outcome, Failure>,
    },
    /// Progress of [`Job::Run`].
    Progress {
        job_id: u64,
        /// The number of records processed so far.
        processed_count: usize,
    },
    /// The result of [`Job::Run`].
    RunFinished {
        job_id: u64,
        result: Result<Outcome, Failure>,
    },
    /// The cancel reasons with their labels.
    CancelReasons(Vec<(CancelReason, String)>),
    /// The URL of [`Job::OpenInBrowser`] if the machine has no browser.
    ConsoleAddress(String),
    /// A status message about a success.
    Succeeded(String),
    /// A status message about a failure.
    Failed(String),
}
