//! Requests of customers about their personal data: an export of all data, and an erasure. An erasure keeps financial records
//! with an anonymized customer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;
use crate::moment::Time;

crate::string_enum! {
    /// What an erasure does with the records of one table.
    ErasureTreatment {
        /// The records are deleted.
        Removed = "removed",
        /// The named fields are replaced by a fixed placeholder; the records stay.
        Overwritten = "overwritten",
        /// The records stay as they are, for the reason in `note`.
        Kept = "kept",
    }
}

/// The erasure of a customerwith its progress and effects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erasure {
    /// Id of the customer.
    pub user_id: UserId,
    /// When it was requested, in UTC; null in a dry run of a first request.
    pub requested_at: Option<Time>,
    /// When the last record was overwritten or removed, in UTC; null while the erasure runs.
    pub erased_at: Option<Time>,
    /// Effects by table; empty if the erasure was requested before.
    pub tables: Vec<ErasureTable>,
}

/// What an erasure does with the records of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErasureTable {
    /// Name of the table, as in docs/schema/tables.md.
    pub table: String,
    /// Treatment of the records.
    pub treatment: ErasureTreatment,
    /// Number of records of the customer; null where they are determined during the erasure.
    pub records: Option<i64>,
    /// Names of the fields that are overwritten; empty unless `treatment` is `overwritten`.
    pub fields: Vec<String>,
    /// English sentence about why the records stay or how they are found; null if there is nothing to add.
    pub note: Option<String>,
}

crate::wire!(Erasure);
