//! What a customer may ask about their data: a copy of everything that the panel holds about them, and its erasure.
//! Money records stay in an erasure, with a customer who is a number and no person any more.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;
use crate::moment::Time;

crate::words! {
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

/// The erasure of a customer: how far it is, and what it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Erasure {
    /// Id of the customer.
    pub user_id: UserId,
    /// When it was requested, in UTC; null in a dry run of a first request.
    pub requested_at: Option<Time>,
    /// When the last record was overwritten or removed, in UTC; null while the erasure runs.
    pub erased_at: Option<Time>,
    /// What it does, table by table; empty where the erasure was requested before.
    pub tables: Vec<ErasureTable>,
}

/// What an erasure does with the records of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErasureTable {
    /// Name of the table, as in docs/schema/tables.md.
    pub table: String,
    /// What happens to its records.
    pub treatment: ErasureTreatment,
    /// Number of its records that are the customer's; null where they are found while the erasure runs.
    pub records: Option<i64>,
    /// Names of the fields that are overwritten; empty unless `treatment` is `overwritten`.
    pub fields: Vec<String>,
    /// Why the records stay, or how they are found, as an English sentence; null where `treatment` says all.
    pub note: Option<String>,
}

crate::wire!(Erasure);
