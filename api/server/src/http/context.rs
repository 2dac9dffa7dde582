//! What a handler knows of its request: the app, the caller, and the request's marks.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};

use panel_contract::common::UndoOffer;
use panel_contract::endpoint::{Op, Who};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;

use crate::app::App;
use crate::db::Db;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, Result};
use crate::http::session_cookie::SessionCookie;
use crate::work::Work;

/// The marks of one request.
#[derive(Debug, Clone)]
pub struct Meta {
    /// The endpoint.
    pub op: Op,
    /// Also in the answer, the log and the audit trail.
    pub request_id: String,
    /// Where it comes from.
    pub ip: IpAddr,
    /// Whether it was made on this machine, by no proxy.
    pub is_local: bool,
    /// What it calls itself, at most 500 characters.
    pub user_agent: String,
    /// The path with its ids, as sent.
    pub path: String,
    /// `Idempotency-Key`, without quotes.
    pub idempotency_key: Option<String>,
    /// SHA-256 over query and body: what a repeated key must repeat.
    pub digest: [u8; 32],
    /// Try, write nothing.
    pub dry_run: bool,
    /// The caller wants the list as a file.
    pub export: Option<FileKind>,
    /// The token that was presented, hashed; none for public calls without one.
    pub token_hash: Option<[u8; 32]>,
    /// Whether the token came in the console's cookie.
    pub is_by_cookie: bool,
    /// The cookie that a new token goes into, and none where it goes into the `Authorization` header.
    pub cookie: Option<SessionCookie>,
}

/// A request's context.
#[derive(Clone)]
pub struct Ctx {
    /// The running panel.
    pub app: App,
    /// The request's marks.
    pub meta: Arc<Meta>,
    pub(crate) caller: Option<Arc<Caller>>,
    /// How to take the request back, once its transaction has ended and where it can be.
    pub(crate) undo: Arc<OnceLock<UndoOffer>>,
}

/// What the panel does by itself, such as placing the next run of a drip-feed.
const BY_ITSELF: Op = Op {
    area: "system",
    id: "system",
    method: "",
    path: "",
    who: Who::Public,
    summary: "The panel's own doing.",
};

impl Ctx {
    /// The panel's own doing: nobody calls, nothing is answered. `what` stands in the audit trail as request id.
    #[must_use]
    pub fn system(app: App, what: &str) -> Self {
        let meta = Meta {
            op: BY_ITSELF,
            request_id: what.to_owned(),
            ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
            is_local: true,
            user_agent: "panel-server".into(),
            path: String::new(),
            idempotency_key: None,
            digest: [0; 32],
            dry_run: false,
            export: None,
            token_hash: None,
            is_by_cookie: false,
            cookie: None,
        };
        Self { app, meta: Arc::new(meta), caller: None, undo: Arc::default() }
    }

    /// The same request without its idempotency key and its wish for a dry run: for answers that sign in.
    #[must_use]
    pub fn once(&self) -> Self {
        let meta = Meta { idempotency_key: None, dry_run: false, ..Meta::clone(&self.meta) };
        Self { meta: Arc::new(meta), ..self.clone() }
    }

    /// Who calls; the guard has made sure that there is somebody wherever the table says so.
    pub fn caller(&self) -> Result<&Caller> {
        self.caller.as_deref().ok_or_else(|| ApiError::unauthenticated("unauthenticated"))
    }

    /// At which version of who may do what the caller is remembered; none when they were looked up.
    #[must_use]
    pub fn as_of(&self) -> Option<i64> {
        self.caller.as_deref().and_then(|caller| caller.as_of)
    }

    /// An error for a remembered caller: the request is run again for one who is looked up.
    pub fn sure(&self) -> Result<()> {
        match self.as_of() {
            None => Ok(()),
            Some(_) => Err(ApiError::unauthenticated("remembered")),
        }
    }

    /// Whether the caller holds `permission`.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.caller.as_deref().is_some_and(|caller| caller.may(permission))
    }

    /// The database, to read from.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.app.db
    }

    /// The current moment.
    #[must_use]
    pub fn now(&self) -> Time {
        self.app.clock.now()
    }

    /// Begins the one transaction of a write.
    pub async fn begin(&self) -> Result<Work> {
        Work::begin(self.clone()).await
    }
}

/// The files that a list can be taken as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Comma-separated values.
    Csv,
    /// A workbook with one sheet.
    Xlsx,
}

impl FileKind {
    const ALL: [Self; 2] = [Self::Csv, Self::Xlsx];

    /// What `Accept` asks for, if it is a file.
    #[must_use]
    pub fn wanted(accept: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| accept.trim_start().starts_with(kind.media_type()))
    }

    /// Its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }

    /// The end of its name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }
}
