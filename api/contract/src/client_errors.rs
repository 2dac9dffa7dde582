//! What the console reports about itself: an error that its code did not expect.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Body of `POST client-errors`. The server logs it; nothing is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientErrorInput {
    /// The error's message, 1 to 1,000 characters.
    pub message: String,
    /// Path of the screen without its query, at most 200 characters.
    pub path: String,
    /// Stack trace, at most 8,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

crate::wire!(ClientErrorInput);
