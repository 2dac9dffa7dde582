//! Health and consistency checks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `/healthz` and `/readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or the problem.
    pub status: String,
    /// Version of the server.
    pub version: String,
}

/// Result of the consistency checks, one entry per invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorReport {
    /// Whether all invariants hold.
    pub healthy: bool,
    /// All checks.
    pub checks: Vec<DoctorCheck>,
}

/// The check of an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorCheck {
    /// Stable name, such as `ledger_balanced`.
    pub name: String,
    /// Description of the invariant.
    pub rule: String,
    /// Number of records that violate it.
    pub broken: i64,
    /// First violating records, such as `order 12`.
    pub examples: Vec<String>,
    /// Duration in milliseconds.
    pub took_ms: i64,
}

crate::wire!(Health, DoctorReport);
