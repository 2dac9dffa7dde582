//! Health of the server, and the doctor, which checks the consistency of the stored data.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `/healthz` and `/readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or a description of the problem.
    pub status: String,
    /// Version of the server program.
    pub version: String,
}

/// Response of `GET system/doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorReport {
    /// Whether no record violates an invariant.
    pub healthy: bool,
    /// Results of all checks, one per invariant.
    pub checks: Vec<DoctorCheck>,
}

/// The result of checking one invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorCheck {
    /// Name of the check, which never changes, such as `ledger_balanced`.
    pub name: String,
    /// English description of the invariant.
    pub rule: String,
    /// Number of records that violate the invariant.
    pub violation_count: i64,
    /// First records that violate the invariant, such as `order 12`; empty if there are none.
    pub examples: Vec<String>,
    /// Duration of the check in milliseconds.
    pub took_ms: i64,
}

crate::json_bodies!(Health, DoctorReport);
