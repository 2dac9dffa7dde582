//! Health and self-examination.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Answer of `/healthz` and `/readyz`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or what is wrong.
    pub status: String,
    /// The program's version.
    pub version: String,
}

/// What the doctor found: one entry for each invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorReport {
    /// Whether nothing is broken.
    pub healthy: bool,
    /// All that was looked at.
    pub checks: Vec<DoctorCheck>,
}

/// One invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorCheck {
    /// Stable name, such as `ledger_balanced`.
    pub name: String,
    /// What must hold, in words.
    pub rule: String,
    /// How many records break it.
    pub broken: i64,
    /// The first of them, such as `order 12`.
    pub examples: Vec<String>,
    /// Milliseconds it took.
    pub took_ms: i64,
}

crate::wire!(Health, DoctorReport);
