//! The audit log of changes, and the verification of the hash chain over its entries.

mod events;

pub use events::{archivable_types, auditable_types, events};

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::common::Choice;
use crate::ids::{AuditId, AuditSealId, RecordId};
use crate::moment::Time;
use crate::payments::UserSummary;

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AuditRow {
    /// Id of the entry; later entries have higher ids.
    pub id: AuditId,
    /// When the change was made.
    pub created_at: Time,
    /// User who made the change; null for the system.
    pub user: Option<UserSummary>,
    /// IP address of the request.
    pub ip_address: String,
    /// `User-Agent` header of the request.
    pub user_agent: String,
    /// Id of the request, as in its `X-Request-Id` response header and in the server's log.
    pub request_id: String,
    /// Event, such as `order.canceled`. `GET audits/collections` lists all events.
    pub event: String,
    /// Type of the changed record, such as `order`.
    pub auditable_type: String,
    /// Id of the changed record; 0 for events that do not concern a single record.
    pub auditable_id: RecordId,
    /// Object of the changed fields with their values before the change.
    #[schema(value_type = Object)]
    pub old_values: serde_json::Value,
    /// Object of the changed fields with their values after the change.
    #[schema(value_type = Object)]
    pub new_values: serde_json::Value,
}

/// Filter options of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditCollections {
    /// Events that the audit log records, as values and English labels.
    pub events: Vec<Choice>,
    /// Record types that the audit log records, as values and English labels.
    pub auditable_types: Vec<Choice>,
}

/// Query of `GET audits/verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct AuditVerifyQuery {
    /// Continue after this seal; send the value of `next` from the previous response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AuditSealId>,
}

crate::serde_queries!(AuditVerifyQuery);

/// Result of verifying a section of the hash chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditVerification {
    /// Whether all verified entries match their seals.
    pub is_intact: bool,
    /// Number of seals that this request verified.
    pub seals: i64,
    /// Number of log entries that this request verified.
    pub rows: i64,
    /// Inconsistencies that this request detected, one sentence each, at most 20.
    pub problems: Vec<String>,
    /// Last verified seal; null if there is none. Store a copy on another machine: if the log no longer contains this seal, the log
    /// was truncated.
    pub head: Option<AuditSeal>,
    /// Number of entries without a seal; entries of the last few seconds are not sealed yet.
    pub unsealed: i64,
    /// Value of `after` for the next request; null at the end of the chain.
    pub next: Option<AuditSealId>,
}

/// An element of the hash chain: a keyed hash over the previous seal and the entries since then, up to `last_id`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSeal {
    /// Id of the seal, consecutive from 1.
    pub id: AuditSealId,
    /// Id of the last entry that the seal covers.
    pub last_id: AuditId,
    /// When the seal was created.
    pub created_at: Time,
    /// Keyed hash, as a hexadecimal string.
    pub hash: String,
}

/// Body of `POST undo`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoInput {
    /// Id of the request to undo, from `undo.request_id` of its response.
    pub request_id: String,
}

crate::json_bodies!(AuditRow, AuditCollections, AuditVerification, UndoInput);
