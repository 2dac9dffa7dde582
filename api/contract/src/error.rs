//! The body of every error response.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::SkippedRecord;
use crate::second_factor::SecondFactorChoice;

/// Body of an error response, in the shape that clients of Laravel expect, with a stable code in addition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// Message for users: what is wrong, and what to do.
    pub message: String,
    /// Error messages by field, named as in the request (`order_ids.3`); absent if the error does not concern a field.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, Vec<String>>,
    /// With the code `nothing_processed`: all records of the bulk request and why each was skipped, in the order of the requested
    /// ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedRecord>,
    /// With the code `otp_required`: the second factors with which the caller can complete the sign-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor: Option<Box<SecondFactorChoice>>,
    /// Machine-readable code that never changes, such as `order_not_cancelable`.
    pub code: String,
    /// Id of the request, also in the `X-Request-Id` response header and in the server's log.
    pub request_id: String,
}
