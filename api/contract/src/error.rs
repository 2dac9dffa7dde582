//! The shape of every error answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::Skipped;
use crate::second_factor::SecondFactorChoice;

/// An error answer, shaped as Laravel's clients know it, with a stable code added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// One sentence that says what is wrong and what to do.
    pub message: String,
    /// Errors by field, named as in the request; absent when no field is to blame.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, Vec<String>>,
    /// With the code `nothing_processed`: every record of the bulk call with its own reason, in the order of the ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// Of a sign-in with the right password that waits for a second factor: what it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor: Option<Box<SecondFactorChoice>>,
    /// Stable and made for programs, such as `order_not_cancelable`.
    pub code: String,
    /// Also in the `X-Request-Id` header and the server's log.
    pub request_id: String,
}
