//! The interface between the dashboard and the runner: the dashboard returns [`Job`]s and handles [`Answer`]s. Tests replace
//! the runner.

use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::list::{Listing, MatchingRecords};
use crate::model::queue::Source;
use crate::model::run::{Outcome, Run};
use crate::session::{Secret, SessionInfo, SignIn};

/// Work for the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Loads a page of a list and the ids of all matching records.
    Load {
        /// Returned in the answer.
        job_id: u64,
        source: Source,
        query: TableQuery,
    },
    /// Loads all matching records to mark them.
    LoadAll {
        /// Returned in the answer.
        job_id: u64,
        source: Source,
        query: TableQuery,
    },
    Detail {
        source: Source,
        id: RecordId,
    },
    /// Requests the dry run of a run.
    Preview {
        /// Returned in the answer.
        job_id: u64,
        run: Run,
    },
    Run {
        /// Returned in the answer.
        job_id: u64,
        run: Run,
    },
    SignIn(SignIn),
    /// Answers [`Answer::IdentityNeeded`]; `None` cancels the waiting calls.
    ConfirmIdentity(Option<Secret>),
    Profile(String),
    /// Copies a text to the clipboard.
    Copy(String),
    /// Opens a console path in the browser, or shows its URL.
    Open(String),
    /// Quits; a running action stops after its current request.
    Quit,
}

/// An error for the staff member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// What is wrong and what to do, in one or two sentences.
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
    /// The record changed meanwhile.
    Conflict,
    Other,
}

/// A result or a request of the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    SignedIn(SessionInfo),
    /// The staff member must sign in.
    SignInNeeded {
        profile: String,
        /// The server's base URL.
        address: String,
        email: String,
        message: Option<String>,
        /// Whether the second factor is needed.
        otp: bool,
    },
    /// The panel requires the password before an action.
    IdentityNeeded,
    /// Answers [`Job::Load`].
    Listing {
        job_id: u64,
        result: Result<Listing, Failure>,
    },
    /// Answers [`Job::LoadAll`]: rows up to 1,000 records, above that only ids.
    MatchingRecords {
        job_id: u64,
        result: Result<MatchingRecords, Failure>,
    },
    /// Answers [`Job::Detail`].
    Detail {
        id: RecordId,
        result: Result<Box<Detail>, Failure>,
    },
    /// Answers [`Job::Preview`].
    Preview {
        job_id: u64,
        result: Result<Outcome, Failure>,
    },
    /// Progress of [`Job::Run`].
    Progress {
        job_id: u64,
        /// The number of records processed so far.
        done: usize,
    },
    /// Answers [`Job::Run`].
    RunFinished {
        job_id: u64,
        result: Result<Outcome, Failure>,
    },
    /// The cancel reasons with their labels.
    Reasons(Vec<(CancelReason, String)>),
    /// Answers [`Job::Open`] where there is no browser: the URL.
    ConsoleAddress(String),
    /// A status message about a success.
    Succeeded(String),
    /// A status message about a failure.
    Failed(String),
}
