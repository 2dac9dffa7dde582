//! Erasure of the personal data of a customer. Financial records are kept, but their customer is anonymized.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;
use crate::moment::Time;

crate::string_enum! {
    /// What an erasure does with the records of one table.
    ErasureTreatment {
        /// The records of the customer are deleted.
        Removed = "removed",
        /// The records are kept, but a fixed placeholder replaces the fields in `fields`.
        Overwritten = "overwritten",
        /// The records are kept unchanged; `note` has the reason.
        Kept = "kept",
    }
}

/// The erasure of the personal data of a customer: its progress and effects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erasure {
    /// Id of the customer.
    pub user_id: UserId,
    /// When the erasure was requested, in UTC; null in a dry run of a first request.
    pub requested_at: Option<Time>,
    /// When the last record was overwritten or removed, in UTC; null while the erasure runs.
    pub erased_at: Option<Time>,
    /// Effects of the erasure by table; empty if the erasure was already requested.
    pub tables: Vec<ErasureTable>,
}

/// What an erasure does with the records of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErasureTable {
    /// Name of the table, as in docs/schema/tables.md.
    pub table: String,
    /// Whether the erasure deletes, overwrites or keeps the records.
    pub treatment: ErasureTreatment,
    /// Number of records of the customer; null if only the erasure itself can count the records.
    pub records: Option<i64>,
    /// Names of the fields that are overwritten; empty unless `treatment` is `overwritten`.
    pub fields: Vec<String>,
    /// English sentence about why the records are kept or how the erasure finds them; null if no explanation is needed.
    pub note: Option<String>,
}

crate::json_bodies!(Erasure);
