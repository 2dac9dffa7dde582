//! What only the runner does, and what it answers. This is the seam: the dashboard hands out [`Job`]s and takes
//! [`Answer`]s, and tests stand where the runner stands.

use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::list::Listing;
use crate::model::queue::Source;
use crate::model::row::Row;
use crate::model::run::{Outcome, Run};
use crate::session::{Secret, SignIn, Who};

/// Something to be done outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// A page of a list, with the ids of all that match.
    Load {
        /// Comes back in the answer.
        ticket: u64,
        /// The list.
        source: Source,
        /// Its query.
        query: TableQuery,
    },
    /// Everything that matches, for marking it.
    All {
        /// Comes back in the answer.
        ticket: u64,
        /// The list.
        source: Source,
        /// Its query.
        query: TableQuery,
    },
    /// One record in full.
    Detail {
        /// The list.
        source: Source,
        /// The record.
        id: RecordId,
    },
    /// Asks the server what a run would do.
    Preview {
        /// Comes back in the answer.
        ticket: u64,
        /// The run.
        run: Run,
    },
    /// Runs it.
    Act {
        /// Comes back in the answer.
        ticket: u64,
        /// The run.
        run: Run,
    },
    /// Signs in.
    SignIn(SignIn),
    /// Answers [`Answer::IdentityNeeded`]; without a password the calls that wait are refused.
    Identify(Option<Secret>),
    /// Goes to another panel.
    Profile(String),
    /// Puts a text on the clipboard.
    Copy(String),
    /// Opens a path of the console in the browser, or says its address.
    Open(String),
    /// Leaves; a run that is on its way ends after the request in flight.
    Quit,
}

/// Why something did not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What sort of trouble.
    pub kind: TroubleKind,
    /// What is wrong and what to do, in one sentence.
    pub message: String,
    /// To find it in the server's log.
    pub request_id: Option<String>,
}

/// What sort of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// The panel cannot be reached.
    Unreachable,
    /// The sign-in ended.
    SignedOut,
    /// Not allowed.
    Forbidden,
    /// The world moved on.
    Conflict,
    /// Anything else.
    Other,
}

/// What the runner answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Signed in.
    SignedIn(Who),
    /// Somebody has to sign in.
    SignInNeeded {
        /// The profile's name.
        profile: String,
        /// The panel's address.
        address: String,
        /// The email last used.
        email: String,
        /// Why.
        message: Option<String>,
        /// Six digits are wanted as well.
        otp: bool,
    },
    /// The panel wants the password before it does something.
    IdentityNeeded,
    /// To [`Job::Load`].
    Listing {
        /// Of the job.
        ticket: u64,
        /// The page.
        result: Result<Listing, Trouble>,
    },
    /// To [`Job::All`]: the rows where there are few, else only ids.
    All {
        /// Of the job.
        ticket: u64,
        /// What matches.
        result: Result<(Vec<Row>, Vec<RecordId>), Trouble>,
    },
    /// To [`Job::Detail`].
    Detail {
        /// The record.
        id: RecordId,
        /// In full.
        result: Result<Box<Detail>, Trouble>,
    },
    /// To [`Job::Preview`].
    Preview {
        /// Of the job.
        ticket: u64,
        /// What would happen.
        result: Result<Outcome, Trouble>,
    },
    /// While [`Job::Act`] runs.
    Progress {
        /// Of the job.
        ticket: u64,
        /// Records asked about so far.
        done: usize,
    },
    /// To [`Job::Act`].
    Acted {
        /// Of the job.
        ticket: u64,
        /// What happened.
        result: Result<Outcome, Trouble>,
    },
    /// Why orders can be canceled, with labels.
    Reasons(Vec<(CancelReason, String)>),
    /// To [`Job::Open`], where no browser can be opened: the address.
    Address(String),
    /// A word on something small that was done.
    Said(String),
    /// A word on something small that failed.
    Failed(String),
}
