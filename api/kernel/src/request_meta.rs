//! Metadata of a request besides its input, such as request id, client address and dry run. Background work has it as well, with
//! its name as the id.

use std::net::{IpAddr, Ipv4Addr};

use panel_contract::endpoint::Op;

/// Metadata of a request or of background work.
#[derive(Debug, Clone)]
pub struct RequestMeta {
    /// The endpoint; `None` for background work.
    pub op: Option<Op>,
    /// Request id, which the response, the log and the audit trail also contain. For background work, its name.
    pub request_id: String,
    /// Address of the client.
    pub ip: IpAddr,
    /// Whether the request came from this machine without a proxy.
    pub is_local: bool,
    /// `User-Agent` of the client, at most 500 characters.
    pub user_agent: String,
    /// The path as sent, with ids.
    pub path: String,
    /// `Idempotency-Key`, without quotes.
    pub idempotency_key: Option<String>,
    /// SHA-256 of query and body. A request that repeats an idempotency key must have the same digest.
    pub digest: [u8; 32],
    /// Whether the request is a dry run, which writes nothing.
    pub dry_run: bool,
    /// File type of a list export; `None` for JSON.
    pub export: Option<FileKind>,
    /// Hash of the presented token; `None` for public calls without one.
    pub token_hash: Option<[u8; 32]>,
    /// Whether the token came in the console's cookie.
    pub has_cookie_token: bool,
    /// Cookie for a new token; `None` where the token goes into the `Authorization` header.
    pub cookie: Option<SessionCookie>,
}

impl RequestMeta {
    /// Metadata of background work; `name` is the request id in its audit entries.
    #[must_use]
    pub fn for_background_work(name: &str) -> Self {
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
            has_cookie_token: false,
            cookie: None,
        }
    }

    /// The HTTP method of the endpoint; empty for background work.
    #[must_use]
    pub fn method(&self) -> &'static str {
        self.op.map_or("", |op| op.method)
    }
}

/// Name of the session cookie of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionCookie {
    /// With the prefix `__Host-`: browsers accept it only over TLS and for this host.
    Secure,
    /// Without the prefix, for plain http, where browsers reject a cookie with it.
    Plain,
}

/// File types of list exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Csv,
    /// A workbook with one sheet.
    Xlsx,
}

impl FileKind {
    const ALL: [Self; 2] = [Self::Csv, Self::Xlsx];

    /// The file type that an `Accept` header requests; `None` for any other media type.
    #[must_use]
    pub fn accepted(accept: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| accept.trim_start().starts_with(kind.media_type()))
    }

    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }

    /// File name extension, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }
}
