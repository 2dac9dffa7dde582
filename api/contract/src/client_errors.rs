//! Error reports of the console.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of `POST client-errors`. The server only writes the error to its log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientErrorInput {
    /// Error message, 1 to 1,000 characters.
    pub message: String,
    /// URL path of the page without its query, at most 200 characters.
    pub path: String,
    /// Stack trace, at most 8,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

crate::json_bodies!(ClientErrorInput);
