//! Saved views: filters, order and columns of a list that a staff member saved under a name.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::ids::SavedViewId;
use crate::moment::Timestamp;

/// Query of `GET saved-views`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct SavedViewsQuery {
    /// Name of the list, such as `orders`.
    pub list: String,
}

/// A saved view of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SavedView {
    /// Id of the saved view.
    pub id: SavedViewId,
    /// Name of the list, such as `orders`.
    pub list: String,
    /// Name of the view, unique per list and owner.
    pub name: String,
    /// Query string of the list with filters and order.
    pub query: String,
    /// Names of the visible columns in order; empty for the default columns.
    pub columns: Vec<String>,
    /// Whether all staff members see the view.
    pub is_shared: bool,
    /// Whether the caller owns the view.
    pub is_own: bool,
    /// Whether the caller can update or delete the view.
    pub editable: bool,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

/// Body of `POST saved-views` and `PUT saved-views/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedViewInput {
    /// Name of the list, such as `orders`.
    pub list: String,
    /// Name of the view, 1 to 60 characters, unique per list and owner.
    pub name: String,
    /// Query string of the list with filters and order, at most 4,000 characters.
    pub query: String,
    /// Names of the visible columns in order; empty for the default columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Whether all staff members see the view; requires `manage panel settings`.
    #[serde(default)]
    pub is_shared: bool,
    /// On update: `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

crate::serde_queries!(SavedViewsQuery);
crate::json_bodies!(SavedView, SavedViewInput);
