//! The audit log: who changed what, when and from where, and whether the chain over it is whole.

mod words;

pub use words::{archivable_types, auditable_types, events};

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::common::Choice;
use crate::ids::{AuditId, AuditSealId, RecordId};
use crate::moment::Time;
use crate::payments::PaymentUser;

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AuditRow {
    /// The entry's id.
    pub id: AuditId,
    /// When.
    pub created_at: Time,
    /// Who; none for the system.
    pub user: Option<PaymentUser>,
    /// From which address.
    pub ip_address: String,
    /// With which program.
    pub user_agent: String,
    /// The request that did it, as in its answer and in the server's log.
    pub request_id: String,
    /// What was done, such as `order.canceled`.
    pub event: String,
    /// The kind of record, such as `order`.
    pub auditable_type: String,
    /// The record's id.
    pub auditable_id: RecordId,
    /// The changed fields as they were.
    #[schema(value_type = Object)]
    pub old_values: serde_json::Value,
    /// The changed fields as they are.
    #[schema(value_type = Object)]
    pub new_values: serde_json::Value,
}

/// What pickers of the audit log offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditCollections {
    /// What can have been done.
    pub events: Vec<Choice>,
    /// Kinds of record.
    pub auditable_types: Vec<Choice>,
}

/// Query of `GET audits/verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct AuditVerifyQuery {
    /// Goes on behind this seal, as `next` of the call before said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AuditSealId>,
}

crate::plain_query!(AuditVerifyQuery);

/// What a look at some of the chain found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditVerification {
    /// Whether all that was looked at is as it was sealed.
    pub whole: bool,
    /// Seals looked at.
    pub seals: i64,
    /// Entries looked at.
    pub rows: i64,
    /// What is wrong, a sentence each; at most 20.
    pub broken: Vec<String>,
    /// The last seal looked at. Kept elsewhere, it shows when the end of the log is cut off.
    pub head: Option<AuditSeal>,
    /// Entries that wait for their seal; those of the last seconds do.
    pub unsealed: i64,
    /// Ask again with `after` this seal; none at the end.
    pub next: Option<AuditSealId>,
}

/// One link of the chain: a keyed hash over the seal before and the entries up to `last_id`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSeal {
    /// Counts from 1 without gaps.
    pub id: AuditSealId,
    /// The last entry under it.
    pub last_id: AuditId,
    /// When it was made.
    pub created_at: Time,
    /// In hexadecimal.
    pub hash: String,
}

/// Body of `POST undo`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoInput {
    /// The request to take back, as its answer said under `undo.request_id`.
    pub request_id: String,
}

crate::wire!(AuditRow, AuditCollections, AuditVerification, UndoInput);
