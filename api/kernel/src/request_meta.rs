//! What is known of a request beside its input: where it comes from, under which id it is logged, whether it only tries. Plain
//! values; background work has them as well, with its name for an id.

use std::net::{IpAddr, Ipv4Addr};

use panel_contract::endpoint::Op;

/// The marks of one request or of one piece of background work.
#[derive(Debug, Clone)]
pub struct RequestMeta {
    /// The endpoint; none for background work.
    pub op: Option<Op>,
    /// Also in the answer, the log and the audit trail; of background work its name.
    pub request_id: String,
    /// Where it comes from.
    pub ip: IpAddr,
    /// Whether it was made on this machine, by no proxy.
    pub is_local: bool,
    /// What the client calls itself, at most 500 characters.
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

impl RequestMeta {
    /// Of background work; `name` is what its audit entries have as request id.
    #[must_use]
    pub fn of_system(name: &str) -> Self {
        Self {
            op: None,
            request_id: name.to_owned(),
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
        }
    }

    /// The HTTP method of the endpoint; empty for background work.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.op.map_or("", |op| op.method)
    }
}

/// Under which name the console's cookie is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionCookie {
    /// `__Host-`: browsers take it over TLS only, for this host only.
    Secure,
    /// Over plain http, where browsers would drop the other one.
    Plain,
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

    /// The file that an `Accept` header asks for, if it asks for one.
    #[must_use]
    pub fn accepted(accept: &str) -> Option<Self> {
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
