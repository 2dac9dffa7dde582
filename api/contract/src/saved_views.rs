//! Saved views: named filters and columns of a list, private or shared.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::ids::SavedViewId;
use crate::moment::Stamp;

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
    /// Name of the list.
    pub list: String,
    /// Name of the view, unique per list and owner.
    pub name: String,
    /// Query string of the list.
    pub query: String,
    /// Visible columns in order; empty for the default columns.
    pub columns: Vec<String>,
    /// Whether all staff members see it.
    pub is_shared: bool,
    /// Whether the caller owns the view.
    pub is_own: bool,
    /// Whether the caller can update or delete the view.
    pub editable: bool,
    /// When the record last changed.
    pub updated_at: Stamp,
}

/// Body of create and update of a saved view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedViewInput {
    /// Name of the list.
    pub list: String,
    /// Name, 1 to 60 characters.
    pub name: String,
    /// Query string of the list, at most 4,000 characters.
    pub query: String,
    /// Visible columns in order.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Whether all staff members see the view; requires `manage panel settings`.
    #[serde(default)]
    pub is_shared: bool,
    /// On update: `updated_at` of the record that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

crate::plain_query!(SavedViewsQuery);
crate::wire!(SavedView, SavedViewInput);
